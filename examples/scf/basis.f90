! Basis functions: a Gaussian94 file and a molecule become a list of shells. SP shells are split.
module basis
  use parallel
  use text_file
  use molecule
  implicit none
  private
  public :: basis_t, read_basis, place_basis, atom_basis

  character(len=*), parameter :: shell_letters = 'SPDFGHI'

  ! Shells in the order of the atoms. Primitives of all shells follow one another.
  type basis_t
    character(len=:), allocatable :: file
    logical :: cartesian = .false.
    integer :: nshell = 0, nbf = 0
    integer, allocatable :: atom(:), l(:), nprim(:), first(:), width(:)   ! first function, number of functions
    integer, allocatable :: first_primitive(:)
    real(dp), allocatable :: exponents(:), coefficients(:)
    real(dp), allocatable :: centre(:, :)                                 ! (3, shells), bohr
  end type basis_t

contains

  ! Collective. `library` gets all shells of the file, with the atomic number in `atom`.
  subroutine read_basis(path, cartesian, library)
    character(len=*), intent(in) :: path
    logical, intent(in) :: cartesian
    type(basis_t), intent(out) :: library
    character(len=line_length), allocatable :: lines(:)
    call read_lines(path, lines)
    library%file = trim(path)
    library%cartesian = cartesian
    call clear(library)
    call parse_library(path, lines, library)
    call agree()
  end subroutine read_basis

  subroutine clear(b)
    type(basis_t), intent(inout) :: b
    b%nshell = 0
    allocate (b%atom(0), b%l(0), b%nprim(0), b%first(0), b%width(0), b%first_primitive(0))
    allocate (b%exponents(0), b%coefficients(0), b%centre(3, 0))
  end subroutine clear

  ! A file is a row of sections: element line, shells, a line of four asterisks.
  subroutine parse_library(path, lines, library)
    character(len=*), intent(in) :: path, lines(:)
    type(basis_t), intent(inout) :: library
    integer :: i, z
    character(len=8) :: word
    i = 1
    do while (i <= size(lines) .and. .not. failed())
      if (is_comment(lines(i)) .or. lines(i) (1:4) == '****') then
        i = i + 1
        cycle
      end if
      read (lines(i), *) word
      if (word(1:1) == '-') word = word(2:)
      z = atomic_number(word)
      if (z == 0) then
        call fail(at_line(path, i)//'an element should stand here, not "'//trim(lines(i))//'"')
      else
        i = i + 1
        call parse_element(path, lines, i, z, library)
      end if
    end do
  end subroutine parse_library

  logical function is_comment(line)
    character(len=*), intent(in) :: line
    is_comment = words_of(line) == 0 .or. line(1:1) == '!'
  end function is_comment

  subroutine parse_element(path, lines, i, z, library)
    character(len=*), intent(in) :: path, lines(:)
    integer, intent(inout) :: i
    integer, intent(in) :: z
    type(basis_t), intent(inout) :: library
    do while (i <= size(lines) .and. .not. failed())
      if (is_comment(lines(i))) then
        i = i + 1
      else if (lines(i) (1:4) == '****') then
        return
      else
        call parse_shell(path, lines, i, z, library)
      end if
    end do
    if (.not. failed()) call fail(at_line(path, size(lines))//'the file ends inside the shells of '//element_name(z))
  end subroutine parse_element

  ! A shell: 'S 3 1.00' and that many lines of exponent and coefficient (two coefficients for SP).
  subroutine parse_shell(path, lines, i, z, library)
    character(len=*), intent(in) :: path, lines(:)
    integer, intent(inout) :: i
    integer, intent(in) :: z
    type(basis_t), intent(inout) :: library
    character(len=8) :: kind
    integer :: nprim, k, status, columns
    real(dp), allocatable :: table(:, :)
    status = 1
    if (words_of(lines(i)) >= 2) read (lines(i), *, iostat=status) kind, nprim
    if (status == 0) status = merge(0, 1, nprim > 0 .and. (upper_case(kind) == 'SP' .or. letter_l(kind) >= 0))
    if (status /= 0) then
      call fail(at_line(path, i)//'a shell such as "S 3 1.00" should stand here, not "'//trim(lines(i))//'"')
      return
    end if
    columns = merge(3, 2, upper_case(kind) == 'SP')
    allocate (table(columns, nprim))
    do k = 1, nprim
      call parse_primitive(path, lines, i + k, table(:, k))
      if (failed()) return
    end do
    i = i + nprim + 1
    if (columns == 3) then
      call add_shell(library, z, 0, table(1, :), table(2, :), [0._dp, 0._dp, 0._dp])
      call add_shell(library, z, 1, table(1, :), table(3, :), [0._dp, 0._dp, 0._dp])
    else
      call add_shell(library, z, letter_l(kind), table(1, :), table(2, :), [0._dp, 0._dp, 0._dp])
    end if
  end subroutine parse_shell

  integer function letter_l(kind)
    character(len=*), intent(in) :: kind
    letter_l = -1
    if (len_trim(kind) == 1) letter_l = index(shell_letters, upper_case(kind(1:1))) - 1
  end function letter_l

  subroutine parse_primitive(path, lines, number, row)
    character(len=*), intent(in) :: path, lines(:)
    integer, intent(in) :: number
    real(dp), intent(out) :: row(:)
    integer :: status
    row = 0
    if (number > size(lines)) then
      call fail(at_line(path, size(lines))//'the file ends inside a shell')
      return
    end if
    status = 1
    if (words_of(lines(number)) == size(row)) read (lines(number), *, iostat=status) row
    if (status == 0 .and. row(1) > 0) return
    call fail(at_line(path, number)//'an exponent and its coefficients should stand here, not "'// &
              trim(lines(number))//'"')
  end subroutine parse_primitive

  subroutine add_shell(b, atom, l, exponents, coefficients, centre)
    type(basis_t), intent(inout) :: b
    integer, intent(in) :: atom, l
    real(dp), intent(in) :: exponents(:), coefficients(:), centre(3)
    b%atom = [b%atom, atom]
    b%l = [b%l, l]
    b%nprim = [b%nprim, size(exponents)]
    b%first_primitive = [b%first_primitive, size(b%exponents) + 1]
    b%exponents = [b%exponents, exponents]
    b%coefficients = [b%coefficients, coefficients]
    b%centre = reshape([b%centre, centre], [3, b%nshell + 1])
    b%first = [b%first, b%nbf + 1]
    b%width = [b%width, merge((l + 1)*(l + 2)/2, 2*l + 1, b%cartesian)]
    b%nbf = b%nbf + b%width(b%nshell + 1)
    b%nshell = b%nshell + 1
  end subroutine add_shell

  ! The shells of every atom of the molecule.
  subroutine place_basis(library, mol, b)
    type(basis_t), intent(in) :: library
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(out) :: b
    integer :: i
    b%file = library%file
    b%cartesian = library%cartesian
    call clear(b)
    do i = 1, size(mol%z)
      if (.not. any(library%atom == mol%z(i))) then
        call fail(b%file//' has no functions for '//trim(element_name(mol%z(i)))//', which '//mol%file//' needs')
        return
      end if
      call add_atom(library, mol%z(i), i, mol%position(:, i), b)
    end do
  end subroutine place_basis

  ! The shells of one element, alone at the origin.
  subroutine atom_basis(library, z, b)
    type(basis_t), intent(in) :: library
    integer, intent(in) :: z
    type(basis_t), intent(out) :: b
    b%cartesian = library%cartesian
    call clear(b)
    call add_atom(library, z, 1, [0._dp, 0._dp, 0._dp], b)
  end subroutine atom_basis

  subroutine add_atom(library, z, atom, centre, b)
    type(basis_t), intent(in) :: library
    integer, intent(in) :: z, atom
    real(dp), intent(in) :: centre(3)
    type(basis_t), intent(inout) :: b
    integer :: s, from, to
    do s = 1, library%nshell
      if (library%atom(s) /= z) cycle
      from = library%first_primitive(s)
      to = from + library%nprim(s) - 1
      call add_shell(b, atom, library%l(s), library%exponents(from:to), library%coefficients(from:to), centre)
    end do
  end subroutine add_atom

end module basis
