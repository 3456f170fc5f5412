! Dense symmetric matrices, by LAPACK and BLAS.
module linear_algebra
  use parallel
  implicit none
  private
  public :: eigen, orthogonaliser, transform, product_of, solve

  external :: dsyevd, dgemm, dsysv

contains

  ! Eigenvalues, ascending, and eigenvectors of a symmetric matrix.
  subroutine eigen(matrix, values, vectors)
    real(dp), intent(in) :: matrix(:, :)
    real(dp), intent(out) :: values(:), vectors(:, :)
    real(dp), allocatable :: work(:)
    integer, allocatable :: iwork(:)
    real(dp) :: work_size(1)
    integer :: n, iwork_size(1), info
    n = size(values)
    vectors = matrix
    call dsyevd('V', 'U', n, vectors, n, values, work_size, -1, iwork_size, -1, info)
    allocate (work(int(work_size(1))), iwork(iwork_size(1)))
    call dsyevd('V', 'U', n, vectors, n, values, work, size(work), iwork, size(iwork), info)
    if (info /= 0) call fail('the diagonalisation did not converge')
  end subroutine eigen

  ! Canonical orthogonalisation: x^T s x = 1, without the combinations that are nearly dependent.
  subroutine orthogonaliser(s, x)
    real(dp), intent(in) :: s(:, :)
    real(dp), allocatable, intent(out) :: x(:, :)
    real(dp), parameter :: dependent = 1e-7_dp
    real(dp), allocatable :: values(:), vectors(:, :)
    integer :: n, k, dropped
    n = size(s, 1)
    allocate (values(n), vectors(n, n))
    call eigen(s, values, vectors)
    dropped = count(values < dependent)
    allocate (x(n, n - dropped))
    do k = 1, n - dropped
      x(:, k) = vectors(:, k + dropped)/sqrt(values(k + dropped))
    end do
  end subroutine orthogonaliser

  ! x^T a x
  function transform(x, a) result(b)
    real(dp), intent(in) :: x(:, :), a(:, :)
    real(dp), allocatable :: b(:, :)
    b = product_of('T', x, 'N', product_of('N', a, 'N', x))
  end function transform

  ! op(a) op(b), where op transposes if its letter is T.
  function product_of(op_a, a, op_b, b) result(c)
    character, intent(in) :: op_a, op_b
    real(dp), contiguous, intent(in) :: a(:, :), b(:, :)
    real(dp), allocatable :: c(:, :)
    integer :: m, n, k
    m = size(a, merge(2, 1, op_a == 'T'))
    k = size(a, merge(1, 2, op_a == 'T'))
    n = size(b, merge(1, 2, op_b == 'T'))
    allocate (c(m, n))
    call dgemm(op_a, op_b, m, n, k, 1._dp, a, size(a, 1), b, size(b, 1), 0._dp, c, m)
  end function product_of

  ! Solves a y = b for one right-hand side. `singular` is true if there is no good answer.
  subroutine solve(a, b, y, singular)
    real(dp), intent(in) :: a(:, :), b(:)
    real(dp), intent(out) :: y(:)
    logical, intent(out) :: singular
    real(dp), allocatable :: factor(:, :), work(:)
    integer, allocatable :: pivots(:)
    integer :: n, info
    n = size(b)
    allocate (factor, source=a)
    allocate (pivots(n), work(64*n))
    y = b
    call dsysv('U', n, 1, factor, n, pivots, y, n, work, size(work), info)
    singular = info /= 0 .or. .not. all(abs(y) < 1e6_dp)
  end subroutine solve

end module linear_algebra
