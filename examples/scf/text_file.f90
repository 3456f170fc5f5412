! Input files: rank 0 reads them, every rank gets the lines.
module text_file
  use parallel
  implicit none
  private
  public :: read_lines, words_of, at_line, line_length, upper_case

  integer, parameter :: line_length = 256

contains

  ! Collective. Stops the program if the file cannot be read.
  subroutine read_lines(path, lines)
    character(len=*), intent(in) :: path
    character(len=line_length), allocatable, intent(out) :: lines(:)
    integer :: lines_count
    lines_count = 0
    if (rank == 0) call read_here(path, lines)
    call agree()
    if (rank == 0) lines_count = size(lines)
    call broadcast(lines_count)
    if (rank /= 0) allocate (lines(lines_count))
    call broadcast(lines)
  end subroutine read_lines

  subroutine read_here(path, lines)
    character(len=*), intent(in) :: path
    character(len=line_length), allocatable, intent(out) :: lines(:)
    character(len=line_length) :: line, reason
    integer :: unit, status, pass, n
    open (newunit=unit, file=path, status='old', action='read', iostat=status, iomsg=reason)
    if (status /= 0) then
      call fail(reason)
      return
    end if
    do pass = 1, 2
      n = 0
      do
        read (unit, '(a)', iostat=status, iomsg=reason) line
        if (status /= 0) exit
        n = n + 1
        if (pass == 2) lines(n) = line
      end do
      if (status > 0) call fail('cannot read '//trim(path)//': '//trim(reason))
      if (pass == 1) allocate (lines(n))
      rewind (unit)
    end do
    close (unit)
  end subroutine read_here

  ! 'path, line 12: ': how every complaint about an input file begins.
  function at_line(path, number) result(text)
    character(len=*), intent(in) :: path
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=16) :: digits
    write (digits, '(i0)') number
    text = trim(path)//', line '//trim(digits)//': '
  end function at_line

  ! Number of blank-separated words.
  integer function words_of(line)
    character(len=*), intent(in) :: line
    integer :: i
    logical :: inside, blank
    words_of = 0
    inside = .false.
    do i = 1, len_trim(line)
      blank = line(i:i) == ' ' .or. line(i:i) == achar(9) .or. line(i:i) == achar(13)
      if (.not. blank .and. .not. inside) words_of = words_of + 1
      inside = .not. blank
    end do
  end function words_of

  elemental function upper_case(text) result(upper)
    character(len=*), intent(in) :: text
    character(len=len(text)) :: upper
    integer :: i
    upper = text
    do i = 1, len(text)
      if (text(i:i) >= 'a' .and. text(i:i) <= 'z') upper(i:i) = achar(iachar(text(i:i)) - 32)
    end do
  end function upper_case

end module text_file
