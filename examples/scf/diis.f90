! Direct inversion in the iterative subspace (Pulay 1982): the combination of the last Fock matrices whose
! error, FDS - SDF in an orthonormal basis, is least.
module diis
  use parallel
  use linear_algebra
  implicit none
  private
  public :: start_diis, fock_error, extrapolate

  integer, parameter :: depth = 8
  real(dp), allocatable :: focks(:, :, :), errors(:, :, :)
  integer :: held = 0, newest = 0

contains

  ! n functions, m of them independent.
  subroutine start_diis(n, m)
    integer, intent(in) :: n, m
    if (allocated(focks)) deallocate (focks, errors)
    allocate (focks(n, n, depth), errors(m, m, depth))
    held = 0
    newest = 0
  end subroutine start_diis

  function fock_error(f, d, s, x) result(error)
    real(dp), contiguous, intent(in) :: f(:, :), d(:, :), s(:, :), x(:, :)
    real(dp), allocatable :: error(:, :), fds(:, :)
    fds = product_of('N', f, 'N', product_of('N', d, 'N', s))
    error = transform(x, fds - transpose(fds))
  end function fock_error

  ! Replaces `f` by the best combination of it and its predecessors.
  subroutine extrapolate(f, error)
    real(dp), intent(inout) :: f(:, :)
    real(dp), intent(in) :: error(:, :)
    real(dp), allocatable :: weights(:)
    integer :: k
    newest = mod(newest, depth) + 1
    held = min(held + 1, depth)
    focks(:, :, newest) = f
    errors(:, :, newest) = error
    if (held == 1) return
    if (.not. best_weights(weights)) return
    f = 0
    do k = 1, held
      f = f + weights(k)*focks(:, :, k)
    end do
  end subroutine extrapolate

  ! Least |sum w e| with sum w = 1. An ill-conditioned history is forgotten.
  logical function best_weights(weights) result(good)
    real(dp), allocatable, intent(out) :: weights(:)
    real(dp), allocatable :: a(:, :), right(:), solution(:)
    integer :: i, j
    logical :: singular
    allocate (a(held + 1, held + 1), right(held + 1), solution(held + 1))
    a = -1
    a(held + 1, held + 1) = 0
    do i = 1, held
      do j = 1, i
        a(i, j) = sum(errors(:, :, i)*errors(:, :, j))
        a(j, i) = a(i, j)
      end do
    end do
    ! Scaled so that the newest error is one: the weights stay, the conditioning improves.
    a(:held, :held) = a(:held, :held)/max(a(newest, newest), tiny(1._dp))
    right = 0
    right(held + 1) = -1
    call solve(a, right, solution, singular)
    good = .not. singular
    weights = solution(:held)
    if (good) return
    focks(:, :, 1) = focks(:, :, newest)
    errors(:, :, 1) = errors(:, :, newest)
    held = 1
    newest = 1
  end function best_weights

end module diis
