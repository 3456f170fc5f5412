! What the program prints. Only rank 0 writes.
module report
  use, intrinsic :: iso_fortran_env, only: output_unit
  use parallel
  use molecule
  use basis
  use shell_pairs
  use quartet_plan
  implicit none
  private
  public :: print_header, print_problem, print_mode, print_iteration, print_result, print_comparison
  public :: io_t, result_t

  real(dp), parameter :: mega = 1e6_dp

  ! Sums over all ranks, but for `wait`: that is of the rank that waited longest.
  type io_t
    real(dp) :: wait = 0, bytes = 0, records = 0, skipped = 0, computed = 0
  end type io_t

  type result_t
    character(len=12) :: mode = ' '
    logical :: converged = .false.
    integer :: iterations = 0
    real(dp) :: energy = 0, seconds = 0, seconds_reading = 0
    real(dp) :: kept_values = 0, disk_bytes = 0, memory_bytes = 0
    type(io_t) :: io
  end type result_t

contains

  subroutine print_header()
    if (rank /= 0) return
    write (*, '(a)') 'scf: restricted Hartree-Fock with integrals on disk (chemio EAF) and from libint2'
    write (*, '(a,i0)') '  ranks                    ', nranks
  end subroutine print_header

  subroutine print_problem(mol, b, electrons, independent, repulsion, threshold)
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(in) :: b
    integer, intent(in) :: electrons, independent
    real(dp), intent(in) :: repulsion, threshold
    if (rank /= 0) return
    write (*, '(3a)') '  molecule                 ', mol%file, ' ('//mol%title//')'
    write (*, '(a,i0,a,i0,a)') '  atoms                    ', size(mol%z), ', ', electrons, ' electrons'
    write (*, '(4a)') '  basis                    ', b%file, ', ', &
      trim(merge('Cartesian', 'spherical', b%cartesian))//' functions'
    write (*, '(a,i0,a,i0,a,i0,a)') '  functions                ', b%nbf, ' in ', b%nshell, ' shells, ', &
      independent, ' independent'
    write (*, '(a,i0,3a,es7.1)') '  shell pairs              ', npair, ', ', fixed(quartets_everywhere, 0), &
      ' quartets above ', threshold
    write (*, '(3a)') '  nuclear repulsion        ', fixed(repulsion, 9), ' hartree'
    flush (output_unit)
  end subroutine print_problem

  subroutine print_mode(mode)
    character(len=*), intent(in) :: mode
    if (rank /= 0) return
    write (*, '(/,2a)') trim(mode), ' run'
    write (*, '(2a)') ' iter              energy      change   FDS-SDF  seconds  I/O wait  MB read  MB/s', &
      '   records  skipped    quartets'
    flush (output_unit)
  end subroutine print_mode

  subroutine print_iteration(iteration, energy, change, error, seconds, seconds_fock, io)
    integer, intent(in) :: iteration
    real(dp), intent(in) :: energy, change, error, seconds, seconds_fock
    type(io_t), intent(in) :: io
    if (rank /= 0) return
    write (*, '(i5,f20.9,es12.2,es10.2,f9.2,f10.3,f9.1,i6,2i10,i12)') iteration, energy, change, error, seconds, &
      io%wait, io%bytes/mega, nint(io%bytes/mega/max(seconds_fock, 1e-6_dp)), nint(io%records), nint(io%skipped), &
      nint(io%computed, int64)
    flush (output_unit)
  end subroutine print_iteration

  subroutine print_result(r)
    type(result_t), intent(in) :: r
    if (rank /= 0) return
    if (r%converged) then
      write (*, '(3a)') '  final energy             ', fixed(r%energy, 9), ' hartree'
    else
      write (*, '(a,i0,a)') '  NOT CONVERGED after      ', r%iterations, ' iterations'
    end if
    write (*, '(2a)') '  integrals kept           ', fixed(r%kept_values, 0)
    write (*, '(5a)') '  on disk, in memory       ', fixed(r%disk_bytes/mega, 1), ' MB, ', &
      fixed(r%memory_bytes/mega, 1), ' MB'
    write (*, '(5a)') '  seconds                  ', fixed(r%seconds, 2), ', ', fixed(r%seconds/r%iterations, 3), &
      ' an iteration'
    write (*, '(3a)') '  I/O wait                 ', fixed(r%io%wait, 3), ' s'
    write (*, '(5a)') '  read from disk           ', fixed(r%io%bytes/mega, 1), ' MB, ', &
      fixed(r%io%bytes/mega/max(r%seconds_reading, 1e-6_dp), 0), ' MB/s while building Fock matrices'
    write (*, '(4a)') '  records read, skipped    ', fixed(r%io%records, 0), ', ', fixed(r%io%skipped, 0)
    flush (output_unit)
  end subroutine print_result

  ! A number with so many decimals and no blanks.
  function fixed(x, decimals) result(text)
    real(dp), intent(in) :: x
    integer, intent(in) :: decimals
    character(len=:), allocatable :: text
    character(len=40) :: buffer
    if (decimals == 0) then
      write (buffer, '(i0)') nint(x, int64)
    else
      write (buffer, '(f40.'//achar(iachar('0') + decimals)//')') x
    end if
    text = trim(adjustl(buffer))
  end function fixed

  ! Direct is the first of the results.
  subroutine print_comparison(results)
    type(result_t), intent(in) :: results(:)
    integer :: k
    if (rank /= 0) return
    write (*, '(/,a)') 'comparison               energy      seconds   direct : this   energy - direct'
    do k = 1, size(results)
      write (*, '(2x,a12,f18.9,f12.2,f12.2,a,es18.1)') results(k)%mode, results(k)%energy, results(k)%seconds, &
        results(1)%seconds/results(k)%seconds, ' : 1', results(k)%energy - results(1)%energy
    end do
  end subroutine print_comparison

end module report
