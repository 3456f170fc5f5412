! MPI as this program uses it, and failures.
!
! A failure may happen on one rank only (a full disk), and the others must not wait for it for ever. So a rank
! that fails says so with `fail` and skips its work; all ranks meet in `agree`, and there all of them stop. Long
! passes ask `must_stop`, which warns the other ranks of a failure and hears their warnings.
module parallel
  use, intrinsic :: iso_fortran_env, only: dp => real64, int64, error_unit, output_unit
  use mpi
  implicit none
  private
  public :: dp, int64, rank, nranks, parallel_begin, parallel_end, fail, failed, must_stop, agree, at_failure
  public :: sum_over_ranks, max_over_ranks, broadcast, wall_seconds, rank_name

  integer, protected :: rank = 0, nranks = 1
  logical :: this_rank_failed = .false.
  character(len=512) :: failure_text = ' '

  integer, parameter :: warning_tag = 1
  real(dp), parameter :: seconds_between_probes = 0.1_dp
  integer, allocatable :: warnings(:)        ! requests, one for each rank that was warned
  real(dp) :: probed = 0

  abstract interface
    subroutine clean_up()
    end subroutine clean_up
  end interface
  ! Called on every rank before a stop: deletes scratch files.
  procedure(clean_up), pointer :: at_failure => null()

  interface broadcast
    module procedure broadcast_real, broadcast_reals, broadcast_matrix, broadcast_integer, broadcast_integers, &
                     broadcast_logical, broadcast_lines
  end interface broadcast

contains

  subroutine parallel_begin()
    integer :: error
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, nranks, error)
  end subroutine parallel_begin

  subroutine parallel_end()
    integer :: error
    call MPI_Finalize(error)
  end subroutine parallel_end

  ! Notes the first failure of this rank.
  subroutine fail(text)
    character(len=*), intent(in) :: text
    if (.not. this_rank_failed) failure_text = text
    this_rank_failed = .true.
  end subroutine fail

  logical function failed()
    failed = this_rank_failed
  end function failed

  ! True if the pass under way is in vain: this rank has failed, or another one has and sent a warning.
  logical function must_stop()
    integer :: error
    real(dp) :: now
    must_stop = this_rank_failed
    if (nranks == 1) return
    if (this_rank_failed) then
      call warn_others()
      return
    end if
    now = wall_seconds()
    if (now - probed < seconds_between_probes) return
    probed = now
    call MPI_Iprobe(MPI_ANY_SOURCE, warning_tag, MPI_COMM_WORLD, must_stop, MPI_STATUS_IGNORE, error)
  end function must_stop

  subroutine warn_others()
    integer :: other, error
    if (allocated(warnings)) return
    allocate (warnings(0:nranks - 1), source=MPI_REQUEST_NULL)
    do other = 0, nranks - 1
      if (other /= rank) &
        call MPI_Isend(rank, 0, MPI_INTEGER, other, warning_tag, MPI_COMM_WORLD, warnings(other), error)
    end do
  end subroutine warn_others

  ! Collective. Returns if no rank has failed; otherwise prints the message of the first that has, and stops.
  subroutine agree()
    integer :: mine, first, error
    mine = merge(rank, nranks, this_rank_failed)
    call MPI_Allreduce(mine, first, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (first == nranks) return
    call MPI_Bcast(failure_text, len(failure_text), MPI_CHARACTER, first, MPI_COMM_WORLD, error)
    call collect_warnings()
    if (associated(at_failure)) call at_failure()
    if (rank == 0) then
      flush (output_unit)
      write (error_unit, '(2a)') 'scf: error: ', trim(failure_text)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call parallel_end()
    stop 1, quiet=.true.
  end subroutine agree

  ! MPI wants every message received before it ends.
  subroutine collect_warnings()
    logical :: warned, from(0:nranks - 1)
    integer :: other, nothing, error
    warned = allocated(warnings)
    call MPI_Allgather(warned, 1, MPI_LOGICAL, from, 1, MPI_LOGICAL, MPI_COMM_WORLD, error)
    do other = 0, nranks - 1
      if (from(other) .and. other /= rank) &
        call MPI_Recv(nothing, 0, MPI_INTEGER, other, warning_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end do
    if (warned) call MPI_Waitall(nranks, warnings, MPI_STATUSES_IGNORE, error)
  end subroutine collect_warnings

  function rank_name() result(name)
    character(len=:), allocatable :: name
    character(len=24) :: text
    write (text, '(a,i0)') 'rank ', rank
    name = trim(text)
  end function rank_name

  real(dp) function wall_seconds()
    wall_seconds = MPI_Wtime()
  end function wall_seconds

  subroutine sum_over_ranks(a)
    real(dp), contiguous, intent(inout) :: a(:, :)
    integer :: error
    call MPI_Allreduce(MPI_IN_PLACE, a, size(a), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine sum_over_ranks

  subroutine max_over_ranks(a)
    real(dp), intent(inout) :: a
    integer :: error
    call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  end subroutine max_over_ranks

  subroutine broadcast_real(a)
    real(dp), intent(inout) :: a
    integer :: error
    call MPI_Bcast(a, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_real

  subroutine broadcast_reals(a)
    real(dp), contiguous, intent(inout) :: a(:)
    integer :: error
    call MPI_Bcast(a, size(a), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_reals

  subroutine broadcast_matrix(a)
    real(dp), contiguous, intent(inout) :: a(:, :)
    integer :: error
    call MPI_Bcast(a, size(a), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_matrix

  subroutine broadcast_integer(a)
    integer, intent(inout) :: a
    integer :: error
    call MPI_Bcast(a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_integer

  subroutine broadcast_integers(a)
    integer, contiguous, intent(inout) :: a(:)
    integer :: error
    call MPI_Bcast(a, size(a), MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_integers

  subroutine broadcast_logical(a)
    logical, intent(inout) :: a
    integer :: error
    call MPI_Bcast(a, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_logical

  subroutine broadcast_lines(a)
    character(len=*), contiguous, intent(inout) :: a(:)
    integer :: error
    call MPI_Bcast(a, len(a)*size(a), MPI_CHARACTER, 0, MPI_COMM_WORLD, error)
  end subroutine broadcast_lines

end module parallel
