! The command line.
module options
  use parallel
  implicit none
  private
  public :: options_t, read_options

  type options_t
    character(len=:), allocatable :: xyz, basis, mode, scratch, vectors, guess
    logical :: cartesian = .false., restart = .false.
    integer :: charge = 0, max_iterations = 50
    real(dp) :: disk_mb = 512, memory_mb = 64, threshold = 1e-10_dp, convergence = 1e-6_dp
  end type options_t

contains

  ! Collective. Stops the program on a bad command line, and after --help.
  subroutine read_options(o)
    type(options_t), intent(out) :: o
    character(len=:), allocatable :: name
    integer :: i
    o%xyz = ''
    o%basis = ''
    o%mode = 'conventional'
    o%scratch = '.'
    o%vectors = 'scf.vectors'
    o%guess = 'atomic'
    i = 1
    do while (i <= command_argument_count() .and. .not. failed())
      name = argument(i)
      i = i + 1
      select case (name)
      case ('--help', '-h')
        call print_help_and_stop()
      case ('--cartesian')
        o%cartesian = .true.
      case ('--restart')
        o%restart = .true.
      case default
        if (i > command_argument_count()) then
          call fail('option '//name//' is unknown or lacks a value; --help lists the options')
        else
          call take(o, name, argument(i))
        end if
        i = i + 1
      end select
    end do
    if (.not. failed()) call check_options(o)
    call agree()
  end subroutine read_options

  function argument(i) result(text)
    integer, intent(in) :: i
    character(len=:), allocatable :: text
    integer :: length
    call get_command_argument(i, length=length)
    allocate (character(len=length) :: text)
    call get_command_argument(i, text)
  end function argument

  subroutine take(o, name, value)
    type(options_t), intent(inout) :: o
    character(len=*), intent(in) :: name, value
    select case (name)
    case ('--xyz'); o%xyz = value
    case ('--basis'); o%basis = value
    case ('--mode'); o%mode = value
    case ('--scratch'); o%scratch = value
    case ('--vectors'); o%vectors = value
    case ('--guess'); o%guess = value
    case ('--charge'); call take_integer(name, value, o%charge)
    case ('--max-iterations'); call take_integer(name, value, o%max_iterations)
    case ('--disk-mb'); call take_real(name, value, o%disk_mb)
    case ('--memory-mb'); call take_real(name, value, o%memory_mb)
    case ('--threshold'); call take_real(name, value, o%threshold)
    case ('--convergence'); call take_real(name, value, o%convergence)
    case default
      call fail('unknown option '//name//'; --help lists the options')
    end select
  end subroutine take

  subroutine take_integer(name, value, number)
    character(len=*), intent(in) :: name, value
    integer, intent(inout) :: number
    integer :: status
    status = 1
    if (verify(value, '+-0123456789') == 0) read (value, *, iostat=status) number
    if (status /= 0) call fail('option '//name//' needs a whole number, not "'//value//'"')
  end subroutine take_integer

  subroutine take_real(name, value, number)
    character(len=*), intent(in) :: name, value
    real(dp), intent(inout) :: number
    integer :: status
    status = 1
    if (verify(value, '+-.0123456789eEdD') == 0) read (value, *, iostat=status) number
    if (status /= 0) call fail('option '//name//' needs a number, not "'//value//'"')
  end subroutine take_real

  subroutine check_options(o)
    type(options_t), intent(in) :: o
    if (o%xyz == '') call fail('no molecule: give --xyz FILE; --help lists the options')
    if (o%basis == '') call fail('no basis: give --basis FILE.g94; --help lists the options')
    if (all(o%mode /= [character(len=12) :: 'conventional', 'semidirect', 'direct', 'all'])) &
      call fail('unknown mode "'//o%mode//'": there are conventional, semidirect, direct and all')
    if (all(o%guess /= [character(len=6) :: 'atomic', 'core'])) &
      call fail('unknown guess "'//o%guess//'": there are atomic and core')
    if (.not. (o%disk_mb >= 0 .and. o%memory_mb >= 0)) call fail('--disk-mb and --memory-mb cannot be negative')
    if (.not. (o%threshold >= 1e-14_dp .and. o%threshold <= 1e-4_dp)) &
      call fail('--threshold must lie between 1e-14 and 1e-4')
    if (.not. (o%convergence >= 1e-9_dp .and. o%convergence <= 1e-2_dp)) &
      call fail('--convergence must lie between 1e-9 and 1e-2')
    if (o%max_iterations < 1) call fail('--max-iterations must be positive')
  end subroutine check_options

  subroutine print_help_and_stop()
    character(len=*), parameter :: text(25) = [character(len=100) :: &
      'usage: mpirun -n RANKS scf --xyz FILE --basis FILE.g94 [options]', &
      '', &
      'Restricted Hartree-Fock energy of a closed-shell molecule.', &
      '', &
      '  --xyz FILE            molecule, in angstrom', &
      '  --basis FILE          basis set in Gaussian94 format', &
      '  --cartesian           Cartesian d, f, ... functions (6-31G*); default: spherical', &
      '  --charge N            charge of the molecule; default 0', &
      '  --mode conventional   integrals computed once, kept on disk, read in every iteration (default)', &
      '         semidirect     the dearest integrals kept in memory and on disk, the others recomputed', &
      '         direct         all integrals recomputed in every iteration', &
      '         all            the three, one after the other, compared', &
      '  --memory-mb N         semidirect: memory for integrals, per rank; default 64', &
      '  --disk-mb N           semidirect: disk for integrals, per rank; default 512', &
      '  --scratch DIR         where integral files go; default: the current directory', &
      '  --threshold X         smaller integrals are dropped; default 1e-10', &
      '  --convergence X       largest element of FDS-SDF at the end; default 1e-6', &
      '  --max-iterations N    default 50', &
      '  --guess atomic|core   starting density: free atoms (default), or core Hamiltonian', &
      '  --vectors FILE        orbitals, written in every iteration; default scf.vectors', &
      '  --restart             starts from the orbitals in that file', &
      '  --help                this text', &
      '', &
      'Sizes are in megabytes of 1,000,000 bytes. Exit code 0 means converged, 1 anything else.', &
      'Input files and --vectors are used by rank 0 only; --scratch may be a disk of each node.']
    integer :: i
    do i = 1, size(text)
      if (rank == 0) write (*, '(a)') trim(text(i))
    end do
    call parallel_end()
    stop
  end subroutine print_help_and_stop

end module options
