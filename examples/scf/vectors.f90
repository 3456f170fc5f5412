! The checkpoint: orbitals of the last iteration, written by rank 0 through EAF.
!
! A new file is written beside the old one, closed, and renamed over it. A kill at any moment leaves the old or
! the new one. The file is a row of 8-byte words: magic, version, fingerprint of molecule and basis, functions,
! orbitals, occupied orbitals, energy (a real), checksum, then the coefficients, one orbital after the other.
module vectors
  use chemio_eaf
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char
  use parallel
  use molecule
  use basis
  use integral_file, only: check_eaf
  implicit none
  private
  public :: write_vectors, read_vectors

  integer, parameter :: header_words = 8
  integer(int64), parameter :: magic = 7308895159337902195_int64, version = 1

  interface
    integer(c_int) function rename(from, to) bind(c)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: from(*), to(*)
    end function rename
  end interface

contains

  ! On rank 0 alone. `c` holds orbitals in columns, the occupied ones first.
  subroutine write_vectors(path, mol, b, occupied, energy, c)
    character(len=*), intent(in) :: path
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(in) :: b
    integer, intent(in) :: occupied
    real(dp), intent(in) :: energy, c(:, :)
    integer(int64), allocatable :: words(:)
    words = [magic, version, fingerprint(mol, b), int(size(c, 1), int64), int(size(c, 2), int64), &
             int(occupied, int64), transfer(energy, 1_int64), 0_int64, transfer(c, [1_int64])]
    words(8) = checksum(words)
    call write_words(trim(path)//'.new', words)
    if (failed()) return
    if (rename(trim(path)//'.new'//c_null_char, trim(path)//c_null_char) /= 0) &
      call fail('cannot rename '//trim(path)//'.new to '//trim(path))
  end subroutine write_vectors

  subroutine write_words(path, words)
    character(len=*), intent(in) :: path
    integer(int64), intent(in) :: words(:)
    integer :: fd, code
    if (8*size(words, kind=int64) > huge(1)) then
      call fail('the vectors are too long for one eaf_write')
      return
    end if
    call check_eaf(eaf_open(path, eaf_w, fd), 'eaf_open', path)
    if (failed()) return
    call check_eaf(eaf_write(fd, 0._dp, words, 8*size(words)), 'eaf_write', path)
    ! Writes may still be on their way: closing is where the last error shows.
    code = eaf_close(fd)
    call check_eaf(code, 'eaf_close', path)
    if (failed()) code = eaf_delete(path)
  end subroutine write_words

  ! Collective. Stops the program if the file is not a checkpoint of this molecule in this basis.
  subroutine read_vectors(path, mol, b, occupied, c)
    character(len=*), intent(in) :: path
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(in) :: b
    integer, intent(in) :: occupied
    real(dp), allocatable, intent(out) :: c(:, :)
    integer :: orbitals
    orbitals = 0
    if (rank == 0) call read_here(path, mol, b, occupied, c)
    call agree()
    if (rank == 0) orbitals = size(c, 2)
    call broadcast(orbitals)
    if (rank /= 0) allocate (c(b%nbf, orbitals))
    call broadcast(c)
  end subroutine read_vectors

  subroutine read_here(path, mol, b, occupied, c)
    character(len=*), intent(in) :: path
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(in) :: b
    integer, intent(in) :: occupied
    real(dp), allocatable, intent(out) :: c(:, :)
    integer(int64), allocatable :: words(:)
    call read_words(path, words)
    if (failed()) return
    if (words(3) /= fingerprint(mol, b) .or. words(4) /= b%nbf .or. words(6) /= occupied) then
      call fail('the vectors in '//trim(path)//' belong to another molecule, geometry, basis or charge')
      return
    end if
    allocate (c(words(4), words(5)))
    c = reshape(transfer(words(header_words + 1:), [1._dp]), shape(c))
  end subroutine read_here

  subroutine read_words(path, words)
    character(len=*), intent(in) :: path
    integer(int64), allocatable, intent(out) :: words(:)
    integer :: fd, code
    real(dp) :: length
    call check_eaf(eaf_open(path, eaf_r, fd), 'eaf_open', path)
    if (failed()) return
    length = 0
    call check_eaf(eaf_length(fd, length), 'eaf_length', path)
    if (.not. failed()) then
      allocate (words(int(length)/8))
      if (size(words) > 0) call check_eaf(eaf_read(fd, 0._dp, words, 8*size(words)), 'eaf_read', path)
    end if
    code = eaf_close(fd)
    if (.not. failed()) call check_words(path, words)
  end subroutine read_words

  subroutine check_words(path, words)
    character(len=*), intent(in) :: path
    integer(int64), intent(in) :: words(:)
    logical :: good
    good = size(words) >= header_words
    if (good) good = words(1) == magic .and. words(2) == version
    if (.not. good) then
      call fail(trim(path)//' is not a vectors file of this program')
      return
    end if
    if (words(8) /= checksum(words) .or. size(words) /= header_words + words(4)*words(5)) &
      call fail('the vectors file '//trim(path)//' is damaged')
  end subroutine check_words

  ! Of all words but the checksum itself.
  integer(int64) function checksum(words)
    integer(int64), intent(in) :: words(:)
    checksum = mixed(mixed(0_int64, words(:7)), words(9:))
  end function checksum

  integer(int64) function fingerprint(mol, b)
    type(molecule_t), intent(in) :: mol
    type(basis_t), intent(in) :: b
    fingerprint = mixed(0_int64, [int(mol%z, int64), int(b%l, int64), int(b%width, int64), int(b%nprim, int64)])
    fingerprint = mixed(fingerprint, transfer(mol%position, [1_int64]))
    fingerprint = mixed(fingerprint, transfer([b%exponents, b%coefficients], [1_int64]))
  end function fingerprint

  ! A hash modulo a number below 2**56, so that no product overflows.
  pure integer(int64) function mixed(start, words)
    integer(int64), intent(in) :: start, words(:)
    integer(int64), parameter :: modulus = 2_int64**56 - 5, low = 2_int64**32 - 1
    integer :: k
    mixed = start
    do k = 1, size(words)
      mixed = mod(mixed*101 + iand(words(k), low) + 1, modulus)
      mixed = mod(mixed*103 + ishft(words(k), -32), modulus)
    end do
  end function mixed

end module vectors
