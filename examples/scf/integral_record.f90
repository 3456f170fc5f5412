! A record: the fixed-size piece in which integrals lie in memory and on disk. The layout is described in README.md.
!
! Words are 4 bytes. A header of eight words, then runs. A run is the number of a pair p, a count, and that many
! blocks. A block is one shell quartet (p,q): one word with q (24 bits) and the binary exponent e of its largest
! value (7 bits), then all its values, dense. Small values need few digits to be exact to a given threshold, so
! e alone decides how they are kept: as scaled 16-bit integers, 4-byte reals or 8-byte reals.
module integral_record
  use, intrinsic :: iso_c_binding, only: c_loc, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int16, int32, sp => real32
  use parallel
  implicit none
  private
  public :: record_t, header_words, set_record_precision, new_record, free_record, begin_record, append_block
  public :: record_is_sound, block_partner, block_exponent, skip_block, unpack_block, bytes_per_value, block_words

  integer, parameter :: header_words = 8
  integer(int32), parameter :: magic = 1396920905
  integer, parameter :: exponent_bias = 96, partner_bits = 24
  integer, parameter :: partner_mask = 2**partner_bits - 1

  integer :: short_exponent = -huge(1), single_exponent = -huge(1)

  ! word(1) magic, word(2) record number, word(3) words in use, word(4) blocks; 5 to 8 are zero.
  type record_t
    integer(int32), pointer, contiguous :: word(:) => null()
    ! The same storage.
    integer(int16), pointer, contiguous :: short(:) => null()
    real(sp), pointer, contiguous :: single(:) => null()
    real(dp), pointer, contiguous :: double(:) => null()
    integer :: run = 0        ! word of the run being filled, 0 if none
    real(dp) :: bound = 0     ! no value is larger
  end type record_t

contains

  ! Rounding may cost a sixteenth of the integral threshold.
  subroutine set_record_precision(threshold)
    real(dp), intent(in) :: threshold
    short_exponent = floor(log(threshold/16*65534)/log(2._dp))
    single_exponent = floor(log(threshold/16*2._dp**25)/log(2._dp))
  end subroutine set_record_precision

  subroutine new_record(r, words)
    type(record_t), intent(inout) :: r
    integer, intent(in) :: words     ! even
    integer :: status
    allocate (r%double(words/2), stat=status)
    if (status /= 0) then
      call fail(rank_name()//': no memory for a record of integrals')
      return
    end if
    r%double = 0
    call c_f_pointer(c_loc(r%double), r%word, [words])
    call c_f_pointer(c_loc(r%double), r%single, [words])
    call c_f_pointer(c_loc(r%double), r%short, [2*words])
  end subroutine new_record

  subroutine free_record(r)
    type(record_t), intent(inout) :: r
    if (associated(r%double)) deallocate (r%double)
    nullify (r%word, r%single, r%short)
  end subroutine free_record

  subroutine begin_record(r, number)
    type(record_t), intent(inout) :: r
    integer, intent(in) :: number
    r%word(1:header_words) = [magic, int(number, int32), int(header_words, int32), 0, 0, 0, 0, 0]
    r%run = 0
    r%bound = 0
  end subroutine begin_record

  logical function record_is_sound(r, number)
    type(record_t), intent(in) :: r
    integer, intent(in) :: number
    record_is_sound = r%word(1) == magic .and. r%word(2) == number .and. r%word(3) >= header_words &
                      .and. r%word(3) <= size(r%word)
  end function record_is_sound

  ! Adds quartet (p,q) unless the record is full.
  subroutine append_block(r, p, q, values, largest, fits)
    type(record_t), intent(inout) :: r
    integer, intent(in) :: p, q
    real(dp), intent(in) :: values(:), largest
    logical, intent(out) :: fits
    integer :: e, position, new_run
    e = max(exponent(largest), 1 - exponent_bias)
    position = r%word(3)
    new_run = 2
    if (r%run > 0) new_run = merge(0, 2, r%word(max(r%run, 1)) == p)
    fits = position + new_run + block_words(e, size(values)) <= size(r%word)
    if (.not. fits) return
    if (new_run > 0) then
      r%run = position + 1
      r%word(r%run) = p
      r%word(r%run + 1) = 0
      position = position + 2
    end if
    r%word(r%run + 1) = r%word(r%run + 1) + 1
    r%word(position + 1) = ior(int(q, int32), ishft(int(e + exponent_bias, int32), partner_bits))
    position = position + 2
    call pack_values(r, position, e, values)
    r%word(3) = position - 1
    r%word(4) = r%word(4) + 1
    r%bound = max(r%bound, largest)
  end subroutine append_block

  ! Words of a block at most: the label, the values, and a word that aligns 8-byte reals.
  integer function block_words(e, n)
    integer, intent(in) :: e, n
    if (e <= short_exponent) then
      block_words = 1 + (n + 1)/2
    else if (e <= single_exponent) then
      block_words = 1 + n
    else
      block_words = 2 + 2*n
    end if
  end function block_words

  ! Bytes per value of a quartet that is not larger than `bound`.
  integer function bytes_per_value(bound)
    real(dp), intent(in) :: bound
    bytes_per_value = 8
    if (exponent(bound) <= single_exponent) bytes_per_value = 4
    if (exponent(bound) <= short_exponent) bytes_per_value = 2
  end function bytes_per_value

  ! `position`: first free word before, and after.
  subroutine pack_values(r, position, e, values)
    type(record_t), intent(inout) :: r
    integer, intent(inout) :: position
    integer, intent(in) :: e
    real(dp), intent(in) :: values(:)
    integer :: n, at
    n = size(values)
    if (e <= short_exponent) then
      at = 2*(position - 1)
      r%short(at + 1:at + n) = int(nint(values*scale(32767._dp, -e)), int16)
    else if (e <= single_exponent) then
      r%single(position:position + n - 1) = real(values, sp)
    else
      at = position/2
      r%double(at + 1:at + n) = values
    end if
    call skip_block(position, e, n)
  end subroutine pack_values

  ! Moves from the first word after a label to the first word after the block.
  pure subroutine skip_block(position, e, n)
    integer, intent(inout) :: position
    integer, intent(in) :: e, n
    if (e <= short_exponent) then
      position = position + (n + 1)/2
    else if (e <= single_exponent) then
      position = position + n
    else
      position = 2*(position/2 + n) + 1
    end if
  end subroutine skip_block

  pure integer function block_partner(label)
    integer(int32), intent(in) :: label
    block_partner = iand(label, partner_mask)
  end function block_partner

  pure integer function block_exponent(label)
    integer(int32), intent(in) :: label
    block_exponent = ishft(label, -partner_bits) - exponent_bias
  end function block_exponent

  ! values = factor * what was stored. `position` is the first word after the label.
  subroutine unpack_block(r, position, e, n, factor, values)
    type(record_t), intent(in) :: r
    integer, intent(in) :: position, e, n
    real(dp), intent(in) :: factor
    real(dp), intent(out) :: values(n)
    integer :: at
    if (e <= short_exponent) then
      at = 2*(position - 1)
      values = r%short(at + 1:at + n)*(factor*scale(1/32767._dp, e))
    else if (e <= single_exponent) then
      values = factor*r%single(position:position + n - 1)
    else
      at = position/2
      values = factor*r%double(at + 1:at + n)
    end if
  end subroutine unpack_block

end module integral_record
