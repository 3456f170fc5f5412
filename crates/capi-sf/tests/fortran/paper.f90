! The fragment of section 4.4 of the ChemIO paper, in fragment.inc. It is as printed but for the argument that is missing in
! its sf_write, the name of the file, and its arrays being in a common block, so that this program can look at them. It
! calls sf_destroy as a subroutine, so nothing may declare that.
program paper
  use mpi
  implicit none
  double precision :: contribution(1000), unsorted(10000)
  integer :: myproc, numproc
  common /processes/ myproc, numproc, contribution, unsorted
  integer(kind=4) :: rank, ranks, ierr
  character(len=1000) :: path
  external :: declared, by_module, barrier

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  myproc = rank
  numproc = ranks
  call get_command_argument(1, path)
  call chdir(trim(path))
  call try(declared)
  call try(by_module)
  call mpi_finalize(ierr)

contains

  subroutine try(fragment)
    external :: fragment
    integer :: i
    logical :: there
    contribution = [(1d4*myproc + i, i=1, 1000)]
    unsorted = -1d0
    call fragment()
    if (myproc == 0) then
      if (any(unsorted(:1000*numproc) /= [(1d4*((i - 1)/1000) + modulo(i - 1, 1000) + 1, i=1, 1000*numproc)])) stop 1
    end if
    inquire (file='shared.0', exist=there)
    if (there) stop 3
    call barrier()
  end subroutine try
end program paper

subroutine declared
  implicit none
  integer :: sf_create, sf_write, sf_read, sf_wait
  external :: sf_create, sf_write, sf_read, sf_wait
  include 'fragment.inc'
end subroutine declared

subroutine barrier
  use mpi
  implicit none
  integer(kind=4) :: ierr
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine barrier
