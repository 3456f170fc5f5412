! The starting density: the sum of the densities of the free atoms, each from a small Hartree-Fock calculation in
! the molecule's own basis, with its electrons spread evenly over the orbitals of a subshell.
module guess
  use parallel
  use molecule
  use basis
  use integrals
  use linear_algebra
  implicit none
  private
  public :: atomic_guess, core_guess, heaviest_atom

  ! Up to calcium orbitals fill in the order of their energies: 1s 2s 2p 3s 3p 4s.
  integer, parameter :: heaviest_atom = 20
  integer, parameter :: subshell_orbitals(6) = [1, 1, 3, 1, 3, 1]

contains

  ! Leaves the basis of an atom current in `integrals`: set_basis must follow.
  subroutine atomic_guess(mol, library, b, density)
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(in) :: library, b
    real(dp), intent(out) :: density(:, :)
    real(dp), allocatable :: block(:, :)
    integer :: z, atom, from, n
    density = 0
    do z = 1, maxval(mol%z)
      if (.not. any(mol%z == z)) cycle
      call atom_density(library, z, block)
      if (failed()) return
      n = size(block, 1)
      do atom = 1, size(mol%z)
        if (mol%z(atom) /= z) cycle
        from = b%first(findloc(b%atom, atom, 1))
        density(from:from + n - 1, from:from + n - 1) = block
      end do
    end do
  end subroutine atomic_guess

  subroutine atom_density(library, z, d)
    type(basis_t), intent(in) :: library
    integer, intent(in) :: z
    real(dp), allocatable, intent(out) :: d(:, :)
    type(basis_t) :: b
    real(dp), allocatable :: s(:, :), h(:, :), g(:, :), x(:, :), repulsion(:, :, :, :), occupied(:)
    integer :: n, iteration
    call atom_basis(library, z, b)
    n = b%nbf
    allocate (s(n, n), h(n, n), g(n, n), d(n, n), repulsion(n, n, n, n))
    call set_basis(b)
    call one_electron([z], reshape([0._dp, 0._dp, 0._dp], [3, 1]), s, h)
    call all_integrals(b, repulsion)
    if (failed()) return
    call orthogonaliser(s, x)
    call occupations(z, size(x, 2), occupied)
    g = 0
    d = 0
    ! Half-way steps: a guess need not be converged, but must not swing.
    do iteration = 1, 30
      call new_density(h + g, x, occupied, merge(1._dp, 0.5_dp, iteration == 1), d)
      call two_electron(repulsion, d, g)
    end do
  end subroutine atom_density

  subroutine occupations(z, orbitals, occupied)
    integer, intent(in) :: z, orbitals
    real(dp), allocatable, intent(out) :: occupied(:)
    integer :: k, next, m
    real(dp) :: left
    allocate (occupied(orbitals), source=0._dp)
    left = z
    next = 1
    do k = 1, size(subshell_orbitals)
      m = subshell_orbitals(k)
      if (left <= 0 .or. next + m - 1 > orbitals) exit
      occupied(next:next + m - 1) = min(left, 2._dp*m)/m
      left = left - min(left, 2._dp*m)
      next = next + m
    end do
  end subroutine occupations

  ! Mixes `part` of the density of f's orbitals into d.
  subroutine new_density(f, x, occupied, part, d)
    real(dp), intent(in) :: f(:, :), x(:, :), occupied(:), part
    real(dp), intent(inout) :: d(:, :)
    real(dp), allocatable :: values(:), vectors(:, :), c(:, :)
    integer :: m
    m = size(x, 2)
    allocate (values(m), vectors(m, m))
    call eigen(transform(x, f), values, vectors)
    c = product_of('N', x, 'N', vectors)
    d = (1 - part)*d + part*product_of('N', c*spread(occupied, 1, size(x, 1)), 'T', c)
  end subroutine new_density

  subroutine two_electron(repulsion, d, g)
    real(dp), intent(in) :: repulsion(:, :, :, :), d(:, :)
    real(dp), intent(out) :: g(:, :)
    integer :: i, j
    do j = 1, size(d, 2)
      do i = 1, size(d, 1)
        g(i, j) = sum(repulsion(:, :, i, j)*d) - 0.5_dp*sum(repulsion(:, i, :, j)*d)
      end do
    end do
  end subroutine two_electron

  ! All integrals of a small basis, without use of symmetry.
  subroutine all_integrals(b, repulsion)
    type(basis_t), intent(in) :: b
    real(dp), intent(out) :: repulsion(:, :, :, :)
    real(dp), pointer, contiguous :: values(:)
    integer, allocatable :: first(:), second(:), primitive_pairs(:)
    integer :: n, p, q, i, j, k, l
    logical :: found
    n = b%nshell
    first = [((i, j=1, n), i=1, n)]
    second = [((j, j=1, n), i=1, n)]
    allocate (primitive_pairs(n*n))
    call set_pairs(first, second, 1e-14_dp, primitive_pairs)
    repulsion = 0
    do p = 1, n*n
      do q = 1, n*n
        i = first(p)
        j = second(p)
        k = first(q)
        l = second(q)
        call quartet(p, q, b%width(i)*b%width(j)*b%width(k)*b%width(l), values, found)
        if (failed()) return
        if (found) repulsion(functions(l), functions(k), functions(j), functions(i)) = &
          reshape(values, [b%width(l), b%width(k), b%width(j), b%width(i)])
      end do
    end do

  contains

    function functions(shell) result(list)
      integer, intent(in) :: shell
      integer, allocatable :: list(:)
      integer :: m
      list = [(m, m=b%first(shell), b%first(shell) + b%width(shell) - 1)]
    end function functions

  end subroutine all_integrals

  ! For atoms that atomic_guess does not know: no density at all, so that the core Hamiltonian makes the orbitals.
  subroutine core_guess(density)
    real(dp), intent(out) :: density(:, :)
    density = 0
  end subroutine core_guess

end module guess
