! Integrals over the current basis, computed by libint2 through integrals_libint.cc.
module integrals
  use, intrinsic :: iso_c_binding
  use parallel
  use molecule
  use basis
  implicit none
  private
  public :: set_basis, one_electron, shell_bounds, set_pairs, quartet

  interface
    integer(c_int) function scf_basis_set(nshell, l, pure, nprim, exponents, coefficients, centres) bind(c)
      import :: c_int, c_double
      integer(c_int), value :: nshell
      integer(c_int), intent(in) :: l(*), pure(*), nprim(*)
      real(c_double), intent(in) :: exponents(*), coefficients(*), centres(3, *)
    end function scf_basis_set

    integer(c_int) function scf_one_electron(natom, charges, centres, s, t, v) bind(c)
      import :: c_int, c_double
      integer(c_int), value :: natom
      real(c_double), intent(in) :: charges(*), centres(3, *)
      real(c_double), intent(inout) :: s(*), t(*), v(*)
    end function scf_one_electron

    integer(c_int) function scf_shell_bounds(bounds) bind(c)
      import :: c_int, c_double
      real(c_double), intent(inout) :: bounds(*)
    end function scf_shell_bounds

    integer(c_int) function scf_pairs_set(npair, first, second, precision, primitive_pairs) bind(c)
      import :: c_int, c_double
      integer(c_int), value :: npair
      integer(c_int), intent(in) :: first(*), second(*)
      real(c_double), value :: precision
      integer(c_int), intent(out) :: primitive_pairs(*)
    end function scf_pairs_set

    integer(c_int) function scf_quartet(bra, ket, values) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: bra, ket
      type(c_ptr), intent(out) :: values
    end function scf_quartet

    subroutine scf_integral_message(text, length) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int), value :: length
    end subroutine scf_integral_message
  end interface

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    character(len=200) :: text
    if (status /= 1) return
    call scf_integral_message(text, len(text))
    call fail(rank_name()//': '//text)
  end subroutine check

  subroutine set_basis(b)
    type(basis_t), intent(in) :: b
    call check(scf_basis_set(b%nshell, b%l, spread(merge(0, 1, b%cartesian), 1, b%nshell), b%nprim, &
                             b%exponents, b%coefficients, b%centre))
  end subroutine set_basis

  ! Overlap and core Hamiltonian.
  subroutine one_electron(z, position, overlap, core)
    integer, intent(in) :: z(:)
    real(dp), contiguous, intent(in) :: position(:, :)
    real(dp), contiguous, intent(out) :: overlap(:, :), core(:, :)
    real(dp), allocatable :: attraction(:, :)
    overlap = 0
    core = 0
    allocate (attraction, source=core)
    call check(scf_one_electron(size(z), real(z, dp), position, overlap, core, attraction))
    core = core + attraction
  end subroutine one_electron

  ! bounds(i,j) = sqrt(max |(ij|ij)|), so that no (ij|kl) is above bounds(i,j)*bounds(k,l).
  subroutine shell_bounds(bounds)
    real(dp), contiguous, intent(out) :: bounds(:, :)
    bounds = 0
    call check(scf_shell_bounds(bounds))
  end subroutine shell_bounds

  ! Prepares shell pairs (counted from one) for `quartet`.
  subroutine set_pairs(first, second, precision, primitive_pairs)
    integer, intent(in) :: first(:), second(:)
    real(dp), intent(in) :: precision
    integer, intent(out) :: primitive_pairs(:)
    call check(scf_pairs_set(size(first), first - 1, second - 1, precision, primitive_pairs))
  end subroutine set_pairs

  ! (bra|ket) of two prepared pairs: values(d,c,b,a) as one row, valid until the next call. `found` is false when
  ! all of them are negligible, or libint2 failed.
  subroutine quartet(bra, ket, n, values, found)
    integer, intent(in) :: bra, ket, n
    real(dp), pointer, contiguous, intent(out) :: values(:)
    logical, intent(out) :: found
    type(c_ptr) :: address
    integer(c_int) :: status
    status = scf_quartet(bra - 1, ket - 1, address)
    found = status == 0
    if (found) call c_f_pointer(address, values, [n])
    if (status == 1) call check(status)
  end subroutine quartet

end module integrals
