! Shell pairs that matter, sorted by falling Schwarz bound: every later module counts pairs in this order.
module shell_pairs
  use parallel
  use basis
  use integrals
  implicit none
  private
  public :: make_pairs, pair_limit
  public :: npair, pair_a, pair_b, pair_bound, pair_width, pair_l, pair_work

  ! The record layout has 24 bits for a pair's number.
  integer, parameter :: pair_limit = 2**24 - 1

  integer, protected :: npair = 0
  integer, allocatable, protected :: pair_a(:), pair_b(:)       ! shells, l(a) >= l(b)
  integer, allocatable, protected :: pair_width(:), pair_l(:)   ! functions, l(a)+l(b)
  real(dp), allocatable, protected :: pair_bound(:)
  real(dp), allocatable, protected :: pair_work(:)              ! primitive pairs, weighted by angular momentum

contains

  ! Collective. Drops pairs that cannot make an integral of size `threshold`.
  subroutine make_pairs(b, threshold)
    type(basis_t), intent(in) :: b
    real(dp), intent(in) :: threshold
    real(dp), allocatable :: bounds(:, :)
    allocate (bounds(b%nshell, b%nshell))
    call shell_bounds(bounds)
    call agree()
    ! All ranks must have the same order to the last bit, even on unequal processors.
    call broadcast(bounds)
    call list_pairs(b, bounds, threshold)
    call prepare_pairs(threshold)
    call agree()
    call broadcast(pair_work)
  end subroutine make_pairs

  subroutine list_pairs(b, bounds, threshold)
    type(basis_t), intent(in) :: b
    real(dp), intent(in) :: bounds(:, :), threshold
    real(dp) :: smallest
    integer, allocatable :: order(:), low(:), high(:)
    real(dp), allocatable :: value(:)
    integer :: i, j, n
    smallest = threshold/maxval(bounds)
    n = count([((bounds(i, j) >= smallest, j=1, i), i=1, b%nshell)])
    if (n > pair_limit) call fail('too many shell pairs for the record layout')
    call agree()
    allocate (low(n), high(n), value(n))
    n = 0
    do i = 1, b%nshell
      do j = 1, i
        if (bounds(i, j) < smallest) cycle
        n = n + 1
        high(n) = merge(i, j, b%l(i) >= b%l(j))
        low(n) = merge(j, i, b%l(i) >= b%l(j))
        value(n) = bounds(i, j)
      end do
    end do
    order = falling_order(value)
    npair = n
    pair_a = high(order)
    pair_b = low(order)
    pair_bound = value(order)
    pair_width = b%width(pair_a)*b%width(pair_b)
    pair_l = b%l(pair_a) + b%l(pair_b)
  end subroutine list_pairs

  subroutine prepare_pairs(threshold)
    real(dp), intent(in) :: threshold
    integer, allocatable :: primitive_pairs(:)
    allocate (primitive_pairs(npair))
    ! Screened primitives add up, so they are dropped well below the integral threshold.
    call set_pairs(pair_a, pair_b, 1e-3_dp*threshold, primitive_pairs)
    pair_work = max(primitive_pairs, 1)*(1 + pair_l)
  end subroutine prepare_pairs

  ! Indices that sort `value` downwards; equal values keep their order. Merge sort, bottom up.
  function falling_order(value) result(order)
    real(dp), intent(in) :: value(:)
    integer, allocatable :: order(:), merged(:)
    integer :: n, length, from, middle, to, i, j, k
    n = size(value)
    order = [(i, i=1, n)]
    allocate (merged(n))
    length = 1
    do while (length < n)
      do from = 1, n, 2*length
        middle = min(from + length, n + 1)
        to = min(from + 2*length, n + 1)
        i = from
        j = middle
        do k = from, to - 1
          if (takes_left(i, j)) then
            merged(k) = order(i)
            i = i + 1
          else
            merged(k) = order(j)
            j = j + 1
          end if
        end do
      end do
      order = merged
      length = 2*length
    end do

  contains

    logical function takes_left(i, j)
      integer, intent(in) :: i, j
      takes_left = i < middle
      if (i < middle .and. j < to) takes_left = value(order(i)) >= value(order(j))
    end function takes_left

  end function falling_order

end module shell_pairs
