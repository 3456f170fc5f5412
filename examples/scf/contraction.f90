! One shell quartet meets the density matrix: the innermost loops of the program.
!
! Density and Fock matrix are held in blocks, one per pair of shells, each contiguous: block (i,j) has the
! functions of j fastest. A quartet (ab|cd) then needs six blocks of each and no index arithmetic.
module contraction
  use parallel
  use basis
  use shell_pairs
  implicit none
  private
  public :: set_blocks, load_density, unload_fock, add_quartet, quartet_weight, quartet_factor, largest_weight

  integer, parameter :: widest = 21          ! Cartesian h shell
  integer :: nshell = 0, nbf = 0
  integer, allocatable :: width(:), first(:), block_start(:, :)
  real(dp), allocatable :: coulomb_density(:), exchange_density(:), fock(:)
  real(dp), allocatable :: weight(:, :)      ! largest |density| of a block
  real(dp), protected :: largest_weight = 0  ! no quartet has a larger weight

contains

  subroutine set_blocks(b)
    type(basis_t), intent(in) :: b
    integer :: i, j
    nshell = b%nshell
    nbf = b%nbf
    width = b%width
    first = b%first
    if (allocated(block_start)) deallocate (block_start, coulomb_density, exchange_density, fock, weight)
    allocate (block_start(nshell, nshell), weight(nshell, nshell))
    allocate (coulomb_density(nbf**2), exchange_density(nbf**2), fock(nbf**2))
    do i = 1, nshell
      do j = 1, nshell
        block_start(j, i) = (first(i) - 1)*nbf + (first(j) - 1)*width(i) + 1
      end do
    end do
  end subroutine set_blocks

  ! Takes the density of the next Fock matrix, or a change of it, and clears the Fock blocks.
  subroutine load_density(density)
    real(dp), intent(in) :: density(:, :)
    integer :: i, j, k, start
    do i = 1, nshell
      do j = 1, nshell
        weight(j, i) = 0
        do k = 0, width(i) - 1
          start = block_start(j, i) + k*width(j)
          coulomb_density(start:start + width(j) - 1) = density(first(j):first(j) + width(j) - 1, first(i) + k)
          weight(j, i) = max(weight(j, i), maxval(abs(coulomb_density(start:start + width(j) - 1))))
        end do
      end do
    end do
    exchange_density = -0.25_dp*coulomb_density
    fock = 0
    largest_weight = 2*maxval(weight)
  end subroutine load_density

  ! The two-electron part of the Fock matrix from the quartets added since load_density.
  subroutine unload_fock(g)
    real(dp), intent(out) :: g(:, :)
    integer :: i, j, k, start
    do i = 1, nshell
      do j = 1, nshell
        do k = 0, width(i) - 1
          start = block_start(j, i) + k*width(j)
          g(first(j):first(j) + width(j) - 1, first(i) + k) = fock(start:start + width(j) - 1)
        end do
      end do
    end do
    g = 0.5_dp*(g + transpose(g))
  end subroutine unload_fock

  ! An integral of quartet (p,q) changes no element of the Fock matrix by more than its weight times itself.
  real(dp) function quartet_weight(p, q)
    integer, intent(in) :: p, q
    integer :: a, b, c, d
    a = pair_a(p)
    b = pair_b(p)
    c = pair_a(q)
    d = pair_b(q)
    quartet_weight = max(2*max(weight(b, a), weight(d, c)), &
                         0.5_dp*max(weight(c, a), weight(d, a), weight(c, b), weight(d, b)))
  end function quartet_weight

  ! How many integrals a quartet stands for through its symmetry; half of that, since the density counts each
  ! orbital twice. Integrals are multiplied by it before add_quartet.
  real(dp) function quartet_factor(p, q)
    integer, intent(in) :: p, q
    quartet_factor = 4
    if (pair_a(p) == pair_b(p)) quartet_factor = quartet_factor/2
    if (pair_a(q) == pair_b(q)) quartet_factor = quartet_factor/2
    if (p == q) quartet_factor = quartet_factor/2
  end function quartet_factor

  ! Adds (bra|ket), which is values(d,c,b,a), to the Fock blocks.
  subroutine add_quartet(bra, ket, values)
    integer, intent(in) :: bra, ket
    real(dp), intent(in) :: values(*)
    integer :: a, b, c, d
    a = pair_a(bra)
    b = pair_b(bra)
    c = pair_a(ket)
    d = pair_b(ket)
    if (a == b .or. c == d .or. a == c .or. a == d .or. b == c .or. b == d) then
      call add_with_equal_shells(a, b, c, d, values)
    else
      call contract(width(a), width(b), width(c), width(d), values, block_start(b, a), block_start(d, c), &
                    block_start(c, a), block_start(d, a), block_start(c, b), block_start(d, b), &
                    fock(block_start(b, a)), fock(block_start(d, c)), fock(block_start(c, a)), &
                    fock(block_start(d, a)), fock(block_start(c, b)), fock(block_start(d, b)))
    end if
  end subroutine add_quartet

  ! Blocks may coincide here, so each gets an accumulator of its own.
  subroutine add_with_equal_shells(a, b, c, d, values)
    integer, intent(in) :: a, b, c, d
    real(dp), intent(in) :: values(*)
    real(dp) :: sums(widest**2, 6)
    integer :: k, start(6), length(6)
    start = [block_start(b, a), block_start(d, c), block_start(c, a), block_start(d, a), block_start(c, b), &
             block_start(d, b)]
    length = [width(a)*width(b), width(c)*width(d), width(a)*width(c), width(a)*width(d), width(b)*width(c), &
              width(b)*width(d)]
    do k = 1, 6
      sums(1:length(k), k) = 0
    end do
    call contract(width(a), width(b), width(c), width(d), values, start(1), start(2), start(3), start(4), start(5), &
                  start(6), sums(1, 1), sums(1, 2), sums(1, 3), sums(1, 4), sums(1, 5), sums(1, 6))
    do k = 1, 6
      fock(start(k):start(k) + length(k) - 1) = fock(start(k):start(k) + length(k) - 1) + sums(1:length(k), k)
    end do
  end subroutine add_with_equal_shells

  ! Sends the common widths to loops of constant length, which the compiler unrolls.
  subroutine contract(na, nb, nc, nd, v, ab, cd, ac, ad, bc, bd, fab, fcd, fac, fad, fbc, fbd)
    integer, intent(in) :: na, nb, nc, nd, ab, cd, ac, ad, bc, bd
    real(dp), intent(in) :: v(*)
    real(dp), intent(inout) :: fab(*), fcd(*), fac(*), fad(*), fbc(*), fbd(*)
    associate (dab => coulomb_density(ab:), dcd => coulomb_density(cd:), dac => exchange_density(ac:), &
               dad => exchange_density(ad:), dbc => exchange_density(bc:), dbd => exchange_density(bd:))
      select case (100*nc + nd)
      case (101); call add_block_11(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case (301); call add_block_31(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case (303); call add_block_33(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case (501); call add_block_51(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case (503); call add_block_53(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case (601); call add_block_61(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case (603); call add_block_63(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      case default
        call add_block(na, nb, nc, nd, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
      end select
    end associate
  end subroutine contract

  subroutine add_block(na, nb, nc, nd, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, intent(in) :: nc, nd
    include 'add_block.inc'
  end subroutine add_block

  subroutine add_block_11(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 1, nd = 1
    include 'add_block.inc'
  end subroutine add_block_11

  subroutine add_block_31(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 3, nd = 1
    include 'add_block.inc'
  end subroutine add_block_31

  subroutine add_block_33(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 3, nd = 3
    include 'add_block.inc'
  end subroutine add_block_33

  subroutine add_block_51(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 5, nd = 1
    include 'add_block.inc'
  end subroutine add_block_51

  subroutine add_block_53(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 5, nd = 3
    include 'add_block.inc'
  end subroutine add_block_53

  subroutine add_block_61(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 6, nd = 1
    include 'add_block.inc'
  end subroutine add_block_61

  subroutine add_block_63(na, nb, v, dab, dcd, dac, dad, dbc, dbd, fab, fcd, fac, fad, fbc, fbd)
    integer, parameter :: nc = 6, nd = 3
    include 'add_block.inc'
  end subroutine add_block_63

end module contraction
