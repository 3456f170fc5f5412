! The two-electron part of the Fock matrix, from integrals that are computed, kept, or both.
!
! Each mode is a choice of what to keep: direct keeps nothing, conventional everything, semidirect what is
! dearest to compute per byte, as far as memory and disk go. The first build computes everything and keeps its
! share; later builds read what is kept and compute the rest. Both skip what cannot matter for the density given.
module fock
  use parallel
  use progress
  use integrals
  use shell_pairs
  use quartet_plan
  use integral_record
  use integral_file
  use contraction
  implicit none
  private
  public :: begin_fock, build_fock, end_fock, mode_direct, mode_semidirect, mode_conventional, mode_names
  public :: quartets_computed

  integer, parameter :: mode_direct = 1, mode_semidirect = 2, mode_conventional = 3
  character(len=12), parameter :: mode_names(3) = ['direct      ', 'semidirect  ', 'conventional']

  integer :: mode = 0
  logical :: store_filled = .false.
  real(dp) :: integral_threshold = 0
  real(dp) :: keep_above = 0                      ! semidirect: nanoseconds a byte
  integer :: full_run = huge(1), full_q = 0       ! the first quartet that found the store full
  real(dp), protected :: quartets_computed = 0    ! by this rank, in the last build
  real(dp), allocatable :: scaled(:)

contains

  ! Pairs and plan are made. The budgets are for semidirect; conventional takes what disk it needs.
  subroutine begin_fock(chosen_mode, threshold, memory_bytes, disk_bytes, scratch)
    integer, intent(in) :: chosen_mode
    real(dp), intent(in) :: threshold, memory_bytes, disk_bytes
    character(len=*), intent(in) :: scratch
    integer :: largest_block
    mode = chosen_mode
    integral_threshold = threshold
    store_filled = .false.
    full_run = huge(1)
    full_q = 0
    largest_block = maxval(pair_width)**2
    if (allocated(scaled)) deallocate (scaled)
    allocate (scaled(largest_block))
    call set_record_precision(threshold)
    if (mode == mode_semidirect) then
      call choose_what_to_keep(memory_bytes + disk_bytes)
      call open_store(memory_bytes, disk_bytes, scratch, largest_block)
    else if (mode == mode_conventional) then
      call open_store(0._dp, huge(1._dp), scratch, largest_block)
    end if
    at_failure => end_fock
    call agree()
  end subroutine begin_fock

  subroutine end_fock()
    if (mode /= mode_direct) call close_store()
  end subroutine end_fock

  ! Collective. `g` belongs to `density`; what would change no element of it by `screen` is skipped.
  subroutine build_fock(density, screen, g)
    real(dp), intent(in) :: density(:, :), screen
    real(dp), contiguous, intent(out) :: g(:, :)
    call load_density(density)
    quartets_computed = 0
    if (mode /= mode_direct .and. .not. store_filled) then
      call compute_and_keep(screen)
      store_filled = .true.
    else
      if (mode /= mode_direct) call add_kept(screen)
      if (mode /= mode_conventional) call compute_the_rest(screen)
    end if
    call agree()
    call unload_fock(g)
    call sum_over_ranks(g)
  end subroutine build_fock

  ! Finds the price per byte above which everything fits into the budget.
  subroutine choose_what_to_keep(budget_bytes)
    real(dp), intent(in) :: budget_bytes
    integer, parameter :: steps_per_octave = 8, steps = 40*steps_per_octave
    real(dp) :: bytes(0:steps), price
    integer :: b, run, p, q, step
    bytes = 0
    do b = 1, nbin
      do run = first_run(b), bin_end(b)
        p = run_p(run)
        do q = run_from(run), run_to(run)
          price = nanoseconds_per_byte(b, p, q)
          step = min(steps, max(0, floor(steps_per_octave*log(price)/log(2._dp)) + steps/2))
          bytes(step) = bytes(step) + block_bytes(b, p, q)
        end do
      end do
    end do
    do step = steps, 1, -1
      if (sum(bytes(step:)) > budget_bytes) exit
    end do
    ! The step that does not fit is kept until the store is full.
    keep_above = 0
    if (step >= 1) keep_above = 2**(real(step - steps/2, dp)/steps_per_octave)
  end subroutine choose_what_to_keep

  integer function first_run(b)
    integer, intent(in) :: b
    first_run = 1
    if (b > 1) first_run = bin_end(b - 1) + 1
  end function first_run

  real(dp) function block_bytes(b, p, q)
    integer, intent(in) :: b, p, q
    block_bytes = 4 + bytes_per_value(bin_bound(b))*real(pair_width(p)*pair_width(q), dp)
  end function block_bytes

  real(dp) function nanoseconds_per_byte(b, p, q)
    integer, intent(in) :: b, p, q
    nanoseconds_per_byte = quartet_cost(p, q)/block_bytes(b, p, q)
  end function nanoseconds_per_byte

  logical function is_kept(b, run, p, q)
    integer, intent(in) :: b, run, p, q
    is_kept = mode == mode_conventional
    if (mode /= mode_semidirect) return
    if (run > full_run .or. (run == full_run .and. q >= full_q)) return
    is_kept = nanoseconds_per_byte(b, p, q) >= keep_above
  end function is_kept

  ! The first build. What is kept must serve every later density, so only the rest is screened with this one.
  subroutine compute_and_keep(screen)
    real(dp), intent(in) :: screen
    integer :: b, run, p, q
    real(dp) :: done
    call start_progress('integrals computed and kept', total_cost())
    done = 0
    do b = 1, nbin
      do run = first_run(b), bin_end(b)
        p = run_p(run)
        do q = run_from(run), run_to(run)
          if (is_kept(b, run, p, q)) then
            call compute(p, q, run, keep=.true.)
          else if (pair_bound(p)*pair_bound(q)*quartet_weight(p, q) >= screen) then
            call compute(p, q, run, keep=.false.)
          end if
        end do
        if (must_stop()) return
        done = done + run_cost(run)
        call show_progress(done)
      end do
    end do
    call finish_store()
  end subroutine compute_and_keep

  ! Later builds: everything that is not kept.
  subroutine compute_the_rest(screen)
    real(dp), intent(in) :: screen
    integer :: b, run, p, q
    real(dp) :: done
    call start_progress('integrals computed', total_cost())
    done = 0
    do b = 1, nbin
      if (bin_bound(b)*largest_weight < screen) return
      do run = first_run(b), bin_end(b)
        p = run_p(run)
        do q = run_from(run), run_to(run)
          if (pair_bound(p)*pair_bound(q)*quartet_weight(p, q) < screen) cycle
          if (is_kept(b, run, p, q)) cycle
          call compute(p, q, run, keep=.false.)
        end do
        if (must_stop()) return
        done = done + run_cost(run)
        call show_progress(done)
      end do
    end do
  end subroutine compute_the_rest

  real(dp) function total_cost()
    integer :: run
    total_cost = 0
    do run = 1, nrun
      total_cost = total_cost + run_cost(run)
    end do
  end function total_cost

  subroutine compute(p, q, run, keep)
    integer, intent(in) :: p, q, run
    logical, intent(in) :: keep
    real(dp), pointer, contiguous :: values(:)
    integer :: n, bra, ket
    logical :: found
    n = pair_width(p)*pair_width(q)
    call bra_and_ket(p, q, bra, ket)
    call quartet(bra, ket, n, values, found)
    quartets_computed = quartets_computed + 1
    if (.not. found) return
    if (keep) call keep_computed(p, q, run, values)
    scaled(1:n) = quartet_factor(p, q)*values
    call add_quartet(bra, ket, scaled)
  end subroutine compute

  ! The order that libint2 likes; reading follows the same rule.
  subroutine bra_and_ket(p, q, bra, ket)
    integer, intent(in) :: p, q
    integer, intent(out) :: bra, ket
    bra = merge(p, q, pair_l(p) <= pair_l(q))
    ket = merge(q, p, pair_l(p) <= pair_l(q))
  end subroutine bra_and_ket

  subroutine keep_computed(p, q, run, values)
    integer, intent(in) :: p, q, run
    real(dp), intent(in) :: values(:)
    real(dp) :: largest
    logical :: kept
    largest = maxval(abs(values))
    if (largest < integral_threshold) return
    call keep_quartet(p, q, values, largest, kept)
    if (kept .or. failed()) return
    full_run = run
    full_q = q
  end subroutine keep_computed

  ! What is known of kept blocks is their true size, not a Schwarz bound above it; without that safety margin the
  ! screening must be sharper to leave out as little. Kept integrals are cheap enough.
  subroutine add_kept(screen)
    real(dp), intent(in) :: screen
    real(dp), parameter :: margin = 0.1_dp
    type(record_t), pointer :: r
    call start_progress('kept integrals read', store_records())
    call start_reading(margin*screen/max(largest_weight, tiny(screen)))
    do
      call next_record(r)
      if (.not. associated(r)) exit
      if (must_stop()) exit
      call add_record(r, margin*screen)
      call show_progress(real(r%word(2), dp))
    end do
  end subroutine add_kept

  subroutine add_record(r, screen)
    type(record_t), intent(in) :: r
    real(dp), intent(in) :: screen
    integer :: position, last, p, q, k, e, n, bra, ket, blocks_count
    last = r%word(3)
    position = header_words + 1
    do while (position <= last)
      p = r%word(position)
      blocks_count = r%word(position + 1)
      position = position + 2
      do k = 1, blocks_count
        q = block_partner(r%word(position))
        e = block_exponent(r%word(position))
        position = position + 1
        n = pair_width(p)*pair_width(q)
        if (scale(quartet_weight(p, q), e) >= screen) then
          call bra_and_ket(p, q, bra, ket)
          call unpack_block(r, position, e, n, quartet_factor(p, q), scaled)
          call add_quartet(bra, ket, scaled)
        end if
        call skip_block(position, e, n)
      end do
    end do
  end subroutine add_record

end module fock
