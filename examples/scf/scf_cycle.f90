! The self-consistent field iterations of one mode.
module scf_cycle
  use parallel
  use molecule
  use basis
  use options
  use fock
  use integral_file
  use diis
  use linear_algebra
  use report
  use vectors
  implicit none
  private
  public :: problem_t, run_scf

  ! What the three modes have in common.
  type problem_t
    type(molecule_t) :: mol
    type(basis_t) :: basis
    integer :: occupied = 0
    real(dp) :: repulsion = 0
    real(dp), allocatable :: overlap(:, :), core(:, :), orthogonal(:, :), start_density(:, :)
  end type problem_t

  ! Increments leave out a little each time; after so many of them the Fock matrix is built anew.
  integer, parameter :: increments_max = 8

  ! Farther than this from the end, empty orbitals are raised by so many hartree, lest they swap with occupied ones.
  real(dp), parameter :: far_from_converged = 0.3_dp, level_shift = 1

  ! The two-electron matrix g belongs to the density `reference`.
  type state_t
    real(dp), allocatable :: density(:, :), reference(:, :), g(:, :)
    integer :: increments = 0
    real(dp) :: energy = 0, change = 0, error = 0
  end type state_t

contains

  ! Collective.
  subroutine run_scf(mode, o, problem, outcome)
    integer, intent(in) :: mode
    type(options_t), intent(in) :: o
    type(problem_t), intent(in) :: problem
    type(result_t), intent(out) :: outcome
    type(state_t) :: state
    real(dp) :: started
    integer :: iteration
    call print_mode(mode_names(mode))
    started = wall_seconds()
    outcome%mode = mode_names(mode)
    call begin_fock(mode, o%threshold, 1e6_dp*o%memory_mb, 1e6_dp*o%disk_mb, o%scratch)
    call start_diis(problem%basis%nbf, size(problem%orthogonal, 2))
    state%density = problem%start_density
    do iteration = 1, o%max_iterations
      call iterate(o, problem, iteration, state, outcome)
      if (outcome%converged) exit
    end do
    call count_kept(outcome)
    call end_fock()
    outcome%energy = state%energy
    outcome%seconds = wall_seconds() - started
    call print_result(outcome)
  end subroutine run_scf

  subroutine iterate(o, problem, iteration, state, outcome)
    type(options_t), intent(in) :: o
    type(problem_t), intent(in) :: problem
    integer, intent(in) :: iteration
    type(state_t), intent(inout) :: state
    type(result_t), intent(inout) :: outcome
    real(dp) :: started, seconds_fock
    type(io_t) :: io
    started = wall_seconds()
    call reset_io_counters()
    call update_two_electron(o%threshold, state)
    seconds_fock = wall_seconds() - started
    call gather_io(io)
    if (rank == 0) call new_orbitals(o, problem, iteration, state, outcome%converged)
    call agree()
    call broadcast(outcome%converged)
    call broadcast(state%density)
    call print_iteration(iteration, state%energy, state%change, state%error, wall_seconds() - started, seconds_fock, io)
    outcome%iterations = iteration
    outcome%io = io_t(outcome%io%wait + io%wait, outcome%io%bytes + io%bytes, outcome%io%records + io%records, &
                      outcome%io%skipped + io%skipped, outcome%io%computed + io%computed)
    if (io%bytes > 0) outcome%seconds_reading = outcome%seconds_reading + seconds_fock
  end subroutine iterate

  ! Brings g to the present density: by the change alone if few changes went before, else from nothing.
  subroutine update_two_electron(threshold, state)
    real(dp), intent(in) :: threshold
    type(state_t), intent(inout) :: state
    real(dp), allocatable :: change(:, :)
    if (.not. allocated(state%g)) then
      allocate (state%g, state%reference, mold=state%density)
      state%increments = increments_max
    end if
    if (state%increments >= increments_max) then
      state%increments = 0
      call build_fock(state%density, threshold, state%g)
    else
      state%increments = state%increments + 1
      allocate (change, mold=state%g)
      ! Errors of increments add up, so each may be less than that of a full build.
      call build_fock(state%density - state%reference, 0.1_dp*threshold, change)
      state%g = state%g + change
    end if
    state%reference = state%density
  end subroutine update_two_electron

  ! On rank 0: energy, convergence, extrapolation, orbitals, density, checkpoint.
  subroutine new_orbitals(o, problem, iteration, state, converged)
    type(options_t), intent(in) :: o
    type(problem_t), intent(in) :: problem
    integer, intent(in) :: iteration
    type(state_t), intent(inout) :: state
    logical, intent(out) :: converged
    real(dp), allocatable :: f(:, :), error(:, :), c(:, :)
    real(dp) :: energy
    f = problem%core + state%g
    energy = problem%repulsion + 0.5_dp*sum(state%density*(problem%core + f))
    state%change = energy - state%energy
    if (iteration == 1) state%change = 0
    state%energy = energy
    error = fock_error(f, state%density, problem%overlap, problem%orthogonal)
    state%error = maxval(abs(error))
    converged = iteration > 1 .and. state%error < o%convergence .and. abs(state%change) < 0.1_dp*o%convergence
    ! A starting density need not come from orbitals, so its error may mean nothing.
    if (iteration > 1) then
      call extrapolate(f, error)
      if (state%error > far_from_converged) call shift_levels(problem%overlap, state%density, f)
    end if
    call diagonalise(problem%orthogonal, f, c)
    call write_vectors(o%vectors, problem%mol, problem%basis, problem%occupied, state%energy, c)
    if (.not. converged) state%density = 2*product_of('N', c(:, :problem%occupied), 'T', c(:, :problem%occupied))
  end subroutine new_orbitals

  subroutine shift_levels(s, d, f)
    real(dp), intent(in) :: s(:, :), d(:, :)
    real(dp), intent(inout) :: f(:, :)
    f = f + level_shift*(s - 0.5_dp*product_of('N', s, 'N', product_of('N', d, 'N', s)))
  end subroutine shift_levels

  subroutine diagonalise(x, f, c)
    real(dp), intent(in) :: x(:, :), f(:, :)
    real(dp), allocatable, intent(out) :: c(:, :)
    real(dp), allocatable :: values(:), rotated(:, :)
    integer :: m
    m = size(x, 2)
    allocate (values(m), rotated(m, m))
    call eigen(transform(x, f), values, rotated)
    c = product_of('N', x, 'N', rotated)
  end subroutine diagonalise

  subroutine gather_io(io)
    type(io_t), intent(out) :: io
    real(dp) :: sums(4, 1)
    sums(:, 1) = [bytes_read, records_read, records_skipped, quartets_computed]
    io%wait = io_wait
    call sum_over_ranks(sums)
    call max_over_ranks(io%wait)
    io%bytes = sums(1, 1)
    io%records = sums(2, 1)
    io%skipped = sums(3, 1)
    io%computed = sums(4, 1)
  end subroutine gather_io

  subroutine count_kept(outcome)
    type(result_t), intent(inout) :: outcome
    real(dp) :: sums(3, 1)
    sums(:, 1) = [store_values, store_disk_bytes(), store_memory_bytes()]
    call sum_over_ranks(sums)
    outcome%kept_values = sums(1, 1)
    outcome%disk_bytes = sums(2, 1)
    outcome%memory_bytes = sums(3, 1)
  end subroutine count_kept

end module scf_cycle
