! Fortran direct access behind engine.h and file.h: unformatted records of one chunk each, addressed by record number.
module engine_fortran
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_char, c_null_char
  implicit none
  integer, parameter :: word_bytes = 8
  integer :: unit = -1
contains

  integer(c_int) function engine_open(path, create, chunk_bytes) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int), value :: create
    integer(c_int64_t), value :: chunk_bytes
    character(len=:), allocatable :: disposition
    disposition = 'old'
    if (create /= 0) disposition = 'replace'
    open (newunit=unit, file=text_of(path), status=disposition, action='readwrite', &
          access='direct', form='unformatted', recl=int(chunk_bytes), iostat=engine_open)
  end function

  integer(c_int) function engine_close() bind(c)
    close (unit, iostat=engine_close)
  end function

  integer(c_int) function engine_write(offset_bytes, buffer, chunk_bytes) bind(c)
    integer(c_int64_t), value :: offset_bytes, chunk_bytes
    integer(c_int64_t), intent(in) :: buffer(chunk_bytes/word_bytes)
    write (unit, rec=offset_bytes/chunk_bytes + 1, iostat=engine_write) buffer
  end function

  integer(c_int) function engine_read(offset_bytes, buffer, chunk_bytes) bind(c)
    integer(c_int64_t), value :: offset_bytes, chunk_bytes
    integer(c_int64_t), intent(out) :: buffer(chunk_bytes/word_bytes)
    read (unit, rec=offset_bytes/chunk_bytes + 1, iostat=engine_read) buffer
  end function

  ! Direct access has only blocking calls: what is started is finished.
  integer(c_int) function engine_start_write(slot, offset_bytes, buffer, chunk_bytes) bind(c)
    integer(c_int), value :: slot
    integer(c_int64_t), value :: offset_bytes, chunk_bytes
    integer(c_int64_t), intent(in) :: buffer(chunk_bytes/word_bytes)
    engine_start_write = engine_write(offset_bytes, buffer, chunk_bytes)
  end function

  integer(c_int) function engine_start_read(slot, offset_bytes, buffer, chunk_bytes) bind(c)
    integer(c_int), value :: slot
    integer(c_int64_t), value :: offset_bytes, chunk_bytes
    integer(c_int64_t), intent(out) :: buffer(chunk_bytes/word_bytes)
    engine_start_read = engine_read(offset_bytes, buffer, chunk_bytes)
  end function

  integer(c_int) function engine_wait(slot) bind(c)
    integer(c_int), value :: slot
    engine_wait = 0
  end function

  subroutine engine_explain(code, text, text_bytes) bind(c)
    integer(c_int), value :: code
    integer(c_size_t), value :: text_bytes
    character(kind=c_char), intent(out) :: text(text_bytes)
    character(len=40) :: message
    integer :: i, length
    write (message, '(a,i0)') 'Fortran iostat ', code
    length = min(len_trim(message), int(text_bytes) - 1)
    do i = 1, length
      text(i) = message(i:i)
    end do
    text(length + 1) = c_null_char
  end subroutine

  pure function text_of(c_string) result(text)
    character(kind=c_char), intent(in) :: c_string(*)
    character(len=:), allocatable :: text
    integer :: i, length
    length = 0
    do while (c_string(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = c_string(i)
    end do
  end function

end module
