! Nuclei: an xyz file in angstrom becomes charges and positions in bohr.
module molecule
  use parallel
  use text_file
  implicit none
  private
  public :: molecule_t, read_molecule, nuclear_repulsion, electrons_count, element_name, atomic_number

  real(dp), parameter :: angstrom_per_bohr = 0.52917721092_dp

  character(len=2), parameter :: elements(36) = [ &
    'H ', 'HE', 'LI', 'BE', 'B ', 'C ', 'N ', 'O ', 'F ', 'NE', 'NA', 'MG', 'AL', 'SI', 'P ', 'S ', 'CL', 'AR', &
    'K ', 'CA', 'SC', 'TI', 'V ', 'CR', 'MN', 'FE', 'CO', 'NI', 'CU', 'ZN', 'GA', 'GE', 'AS', 'SE', 'BR', 'KR']

  type molecule_t
    character(len=:), allocatable :: file, title
    integer, allocatable :: z(:)               ! atomic numbers
    real(dp), allocatable :: position(:, :)    ! (3, atoms), bohr
  end type molecule_t

contains

  ! Collective. Stops the program on bad input.
  subroutine read_molecule(path, mol)
    character(len=*), intent(in) :: path
    type(molecule_t), intent(out) :: mol
    character(len=line_length), allocatable :: lines(:)
    call read_lines(path, lines)
    mol%file = trim(path)
    call parse_xyz(path, lines, mol)
    call agree()
  end subroutine read_molecule

  subroutine parse_xyz(path, lines, mol)
    character(len=*), intent(in) :: path, lines(:)
    type(molecule_t), intent(inout) :: mol
    integer :: natom, i
    if (.not. announced_atoms(path, lines, natom)) return
    allocate (mol%z(natom), mol%position(3, natom))
    mol%title = trim(lines(2))
    do i = 1, natom
      call parse_atom(path, i + 2, lines(i + 2), mol%z(i), mol%position(:, i))
    end do
    do i = natom + 3, size(lines)
      if (words_of(lines(i)) > 0) call fail(at_line(path, i)//'text after the last atom that line 1 announces')
    end do
    if (.not. failed()) call check_distances(path, mol)
  end subroutine parse_xyz

  logical function announced_atoms(path, lines, natom) result(good)
    character(len=*), intent(in) :: path, lines(:)
    integer, intent(out) :: natom
    character(len=80) :: text
    integer :: status
    natom = 0
    status = 1
    if (size(lines) > 0) then
      if (words_of(lines(1)) == 1) read (lines(1), *, iostat=status) natom
    end if
    good = status == 0 .and. natom > 0
    if (.not. good) then
      call fail(at_line(path, 1)//'the number of atoms should stand here')
    else if (size(lines) < natom + 2) then
      write (text, '(a,i0,a,i0)') 'the file ends after ', max(size(lines) - 2, 0), ' atoms of ', natom
      call fail(at_line(path, size(lines))//trim(text))
      good = .false.
    end if
  end function announced_atoms

  subroutine parse_atom(path, number, line, z, position)
    character(len=*), intent(in) :: path, line
    integer, intent(in) :: number
    integer, intent(out) :: z
    real(dp), intent(out) :: position(3)
    character(len=8) :: symbol
    integer :: status
    z = 0
    position = 0
    status = 1
    if (words_of(line) >= 4) read (line, *, iostat=status) symbol, position
    if (status /= 0) then
      call fail(at_line(path, number)//'an atom is an element and three numbers, not "'//trim(line)//'"')
      return
    end if
    z = atomic_number(symbol)
    if (z == 0) call fail(at_line(path, number)//'unknown element "'//trim(symbol)//'"')
    if (.not. all(abs(position) < 1e6_dp)) call fail(at_line(path, number)//'coordinates are not finite')
    position = position/angstrom_per_bohr
  end subroutine parse_atom

  subroutine check_distances(path, mol)
    character(len=*), intent(in) :: path
    type(molecule_t), intent(in) :: mol
    integer :: i, j
    do i = 1, size(mol%z)
      do j = 1, i - 1
        if (norm2(mol%position(:, i) - mol%position(:, j)) < 0.1_dp) &
          call fail(at_line(path, i + 2)//'this atom sits on another one')
      end do
    end do
  end subroutine check_distances

  ! 0 if there is no such element.
  integer function atomic_number(symbol)
    character(len=*), intent(in) :: symbol
    atomic_number = 0
    if (len_trim(symbol) <= 2) atomic_number = findloc(elements == upper_case(symbol), .true., 1)
  end function atomic_number

  function element_name(z) result(name)
    integer, intent(in) :: z
    character(len=2) :: name
    name = elements(z)
    if (name(2:2) /= ' ') name(2:2) = achar(iachar(name(2:2)) + 32)
  end function element_name

  real(dp) function nuclear_repulsion(mol) result(energy)
    type(molecule_t), intent(in) :: mol
    integer :: i, j
    energy = 0
    do i = 1, size(mol%z)
      do j = 1, i - 1
        energy = energy + mol%z(i)*mol%z(j)/norm2(mol%position(:, i) - mol%position(:, j))
      end do
    end do
  end function nuclear_repulsion

  integer function electrons_count(mol, charge)
    type(molecule_t), intent(in) :: mol
    integer, intent(in) :: charge
    electrons_count = sum(mol%z) - charge
  end function electrons_count

end module molecule
