! Restricted Hartree-Fock with two-electron integrals on disk: an example of chemio's EAF. See README.md.
program scf
  use, intrinsic :: iso_c_binding, only: c_int
  use parallel
  use options
  use molecule
  use basis
  use integrals
  use linear_algebra
  use guess
  use shell_pairs
  use quartet_plan
  use contraction
  use fock
  use report
  use vectors
  use scf_cycle
  implicit none

  interface
    subroutine openblas_set_num_threads(n) bind(c)
      import :: c_int
      integer(c_int), value :: n
    end subroutine openblas_set_num_threads
  end interface

  type(options_t) :: o
  type(problem_t) :: problem
  type(result_t), allocatable :: results(:)
  integer, allocatable :: modes(:)
  integer :: k

  call parallel_begin()
  ! The other ranks need the cores.
  call openblas_set_num_threads(1)
  call read_options(o)
  call print_header()
  call set_up(o, problem)
  modes = chosen_modes(o%mode)
  allocate (results(size(modes)))
  do k = 1, size(modes)
    call run_scf(modes(k), o, problem, results(k))
  end do
  if (size(modes) > 1) call print_comparison(results)
  if (.not. all(results%converged)) call fail('the iterations did not converge')
  call agree()
  call parallel_end()

contains

  function chosen_modes(name) result(list)
    character(len=*), intent(in) :: name
    integer, allocatable :: list(:)
    if (name == 'all') then
      list = [mode_direct, mode_semidirect, mode_conventional]
    else
      list = [findloc(mode_names == name, .true., 1)]
    end if
  end function chosen_modes

  ! Everything that the modes share: molecule, basis, one-electron matrices, pairs, plan, starting density.
  subroutine set_up(o, problem)
    type(options_t), intent(in) :: o
    type(problem_t), intent(out) :: problem
    type(basis_t) :: library
    integer :: electrons, n
    call read_molecule(o%xyz, problem%mol)
    call read_basis(o%basis, o%cartesian, library)
    call place_basis(library, problem%mol, problem%basis)
    electrons = electrons_count(problem%mol, o%charge)
    call check_electrons(electrons, problem%basis%nbf)
    call agree()
    problem%occupied = electrons/2
    problem%repulsion = nuclear_repulsion(problem%mol)
    n = problem%basis%nbf
    allocate (problem%overlap(n, n), problem%core(n, n), problem%start_density(n, n))
    call choose_start(o, library, problem)
    call set_basis(problem%basis)
    call one_electron(problem%mol%z, problem%mol%position, problem%overlap, problem%core)
    call orthogonaliser(problem%overlap, problem%orthogonal)
    call agree()
    call make_pairs(problem%basis, o%threshold)
    call make_plan(o%threshold)
    call set_blocks(problem%basis)
    call print_problem(problem%mol, problem%basis, electrons, size(problem%orthogonal, 2), problem%repulsion, &
                       o%threshold)
  end subroutine set_up

  subroutine check_electrons(electrons, functions)
    integer, intent(in) :: electrons, functions
    character(len=100) :: text
    text = ' '
    if (electrons < 1) then
      write (text, '(a,i0,a)') 'there are ', electrons, ' electrons; see --charge'
    else if (mod(electrons, 2) /= 0) then
      write (text, '(a,i0,a)') 'an odd number of electrons (', electrons, ') has no closed shell; see --charge'
    else if (electrons > 2*functions) then
      write (text, '(i0,a,i0,a)') electrons, ' electrons do not fit into ', functions, ' functions'
    end if
    if (text /= ' ') call fail(trim(text))
  end subroutine check_electrons

  subroutine choose_start(o, library, problem)
    type(options_t), intent(in) :: o
    type(basis_t), intent(in) :: library
    type(problem_t), intent(inout) :: problem
    real(dp), allocatable :: c(:, :)
    if (o%restart) then
      call read_vectors(o%vectors, problem%mol, problem%basis, problem%occupied, c)
      problem%start_density = 2*product_of('N', c(:, :problem%occupied), 'T', c(:, :problem%occupied))
    else if (o%guess == 'core') then
      call core_guess(problem%start_density)
    else if (maxval(problem%mol%z) > heaviest_atom) then
      call fail('the atomic guess ends at calcium; use --guess core')
    else
      call atomic_guess(problem%mol, library, problem%basis, problem%start_density)
    end if
    call agree()
    call broadcast(problem%start_density)
  end subroutine choose_start

end program scf
