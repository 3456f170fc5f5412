! Which rank computes which shell quartets, and in what order.
!
! A quartet is two pairs p >= q. Quartets are sorted roughly by falling Schwarz bound: a bin holds those between
! half of bin_bound(b) and bin_bound(b). Within a bin, the partners q of one pair p are neighbours in the sorted
! pair list: such a run (p, q_from..q_to) is the unit that is given to a rank. All ranks make the same plan
! without talking: each run goes to the rank with the least estimated work so far.
module quartet_plan
  use parallel
  use shell_pairs
  implicit none
  private
  public :: make_plan, quartet_cost, nbin, bin_bound, bin_end, nrun, run_p, run_from, run_to, run_cost
  public :: quartets_everywhere

  integer, protected :: nbin = 0, nrun = 0
  real(dp), allocatable, protected :: bin_bound(:)                 ! no quartet of the bin is larger
  integer, allocatable, protected :: bin_end(:)                    ! last run of this rank in the bin
  integer, allocatable, protected :: run_p(:), run_from(:), run_to(:)
  real(dp), protected :: quartets_everywhere = 0                   ! of all ranks

  ! A quartet's time in nanoseconds is a constant, a part per primitive quartet that grows with angular momentum,
  ! and a part per integral. Fitted to C14H8F6 in 6-31G*; only the proportions matter.
  real(dp), parameter :: per_quartet = 50, per_primitive = 13, per_integral = 4

  real(dp), allocatable :: work_before(:), width_before(:)         ! sums over pairs 1..q

contains

  subroutine make_plan(threshold)
    real(dp), intent(in) :: threshold
    integer :: q, b
    real(dp) :: largest
    if (allocated(work_before)) deallocate (work_before, width_before)
    allocate (work_before(0:npair), width_before(0:npair), source=0._dp)
    do q = 1, npair
      work_before(q) = work_before(q - 1) + pair_work(q)
      width_before(q) = width_before(q - 1) + pair_width(q)
    end do
    ! The factor keeps the largest quartet safely inside the first bin.
    largest = 1.001_dp*pair_bound(1)**2
    nbin = max(1, ceiling(log(largest/threshold)/log(2._dp)))
    bin_bound = [(largest*0.5_dp**(b - 1), b=1, nbin)]
    call deal_runs(threshold)
  end subroutine make_plan

  subroutine deal_runs(threshold)
    real(dp), intent(in) :: threshold
    real(dp), allocatable :: load(:)
    integer :: b, p, from, to, owner
    if (allocated(bin_end)) deallocate (bin_end, run_p, run_from, run_to)
    allocate (bin_end(nbin), run_p(1024), run_from(1024), run_to(1024))
    allocate (load(nranks), source=0._dp)
    nrun = 0
    quartets_everywhere = 0
    do b = 1, nbin
      do p = 1, npair
        call partners(b, p, threshold, from, to)
        if (from > to) cycle
        owner = minloc(load, 1)
        load(owner) = load(owner) + range_cost(p, from, to)
        quartets_everywhere = quartets_everywhere + (to - from + 1)
        if (owner == rank + 1) call add_run(p, from, to)
      end do
      bin_end(b) = nrun
    end do
  end subroutine deal_runs

  ! The pairs q <= p that make a quartet of bin b with p.
  subroutine partners(b, p, threshold, from, to)
    integer, intent(in) :: b, p
    real(dp), intent(in) :: threshold
    integer, intent(out) :: from, to
    real(dp) :: smallest
    smallest = threshold
    if (b < nbin) smallest = bin_bound(b + 1)
    from = 1
    if (b > 1) from = pairs_at_least(bin_bound(b)/pair_bound(p)) + 1
    to = min(p, pairs_at_least(smallest/pair_bound(p)))
  end subroutine partners

  ! How many pairs have a bound >= value: they are the first ones.
  integer function pairs_at_least(value) result(low)
    real(dp), intent(in) :: value
    integer :: high, middle
    low = 0
    high = npair + 1
    do while (high - low > 1)
      middle = (low + high)/2
      if (pair_bound(middle) >= value) then
        low = middle
      else
        high = middle
      end if
    end do
  end function pairs_at_least

  subroutine add_run(p, from, to)
    integer, intent(in) :: p, from, to
    if (nrun == size(run_p)) then
      run_p = [run_p, run_p]
      run_from = [run_from, run_from]
      run_to = [run_to, run_to]
    end if
    nrun = nrun + 1
    run_p(nrun) = p
    run_from(nrun) = from
    run_to(nrun) = to
  end subroutine add_run

  real(dp) function range_cost(p, from, to)
    integer, intent(in) :: p, from, to
    range_cost = per_quartet*(to - from + 1) + per_primitive*pair_work(p)*(work_before(to) - work_before(from - 1)) &
                 + per_integral*pair_width(p)*(width_before(to) - width_before(from - 1))
  end function range_cost

  ! Estimated nanoseconds of one run of this rank.
  real(dp) function run_cost(run)
    integer, intent(in) :: run
    run_cost = range_cost(run_p(run), run_from(run), run_to(run))
  end function run_cost

  ! Estimated nanoseconds of one quartet.
  real(dp) function quartet_cost(p, q)
    integer, intent(in) :: p, q
    quartet_cost = per_quartet + per_primitive*pair_work(p)*pair_work(q) + per_integral*pair_width(p)*pair_width(q)
  end function quartet_cost

end module quartet_plan
