! Makes the same calls as c/counted.c, in the directory where it runs.
program counted
  use chemio_eaf
  implicit none
  character(len=1), asynchronous :: bytes(70000)
  integer :: fd, other, request, i

  bytes = 'x'
  call check(eaf_open('calls', eaf_rw, fd))
  do i = 0, 4
    call check(eaf_write(fd, 1d3*i, bytes, 1000))
  end do
  do i = 0, 2
    call check(eaf_awrite(fd, 7d4*i, bytes, 70000, request))
    call check(eaf_wait(fd, request))
  end do
  do i = 0, 3
    call check(eaf_read(fd, 5d2*i, bytes, 500))
  end do
  do i = 0, 1
    call check(eaf_aread(fd, 7d4*i, bytes, 70000, request))
    call check(eaf_wait(fd, request))
  end do
  call check(eaf_close(fd))
  call check(eaf_open('calls', eaf_r, fd))
  call check(eaf_read(fd, 0d0, bytes, 500))
  call check(eaf_open('left', eaf_w, other))
  call check(eaf_write(other, 0d0, bytes, 10))
contains
  subroutine check(code)
    integer, intent(in) :: code
    character(len=80) :: message
    if (code == 0) return
    call eaf_errmsg(code, message)
    print *, message
    stop 1
  end subroutine check
end program counted
