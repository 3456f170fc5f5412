! Makes the calls of c/counted.c on private files and a shared file. The argument is a scratch directory, which all ranks share.
program counted
  use mpi
  use chemio_eaf
  use chemio_ga
  use chemio_sf
  implicit none
  character(len=1), asynchronous :: bytes(1000)
  character(len=1000) :: path
  character(len=20) :: name
  integer :: me, fd, file, request, i
  integer(kind=4) :: ierr

  call mpi_init(ierr)
  call ga_initialize()
  me = ga_nodeid()
  call get_command_argument(1, path)
  call chdir(trim(path))
  bytes = 'x'
  write (name, '(a, i0)') 'private.', me
  call check(eaf_open(name, eaf_rw, fd))
  do i = 0, 5
    call check(eaf_write(fd, 8d2*i, bytes, 800))
  end do
  call check(eaf_read(fd, 0d0, bytes, 800))
  call check(eaf_close(fd))
  call check(sf_create('shared', -1d0, 1d6, 1d3, file))
  do i = 0, 4
    call check(sf_write(file, 5d3*me + 1d3*i, 1d3, bytes, request))
    call check(sf_wait(request))
  end do
  do i = 0, 1
    call check(sf_read(file, 5d3*me + 1d3*i, 1d3, bytes, request))
    call check(sf_wait(request))
  end do
  call check(sf_close(file))
  call ga_terminate()
  call mpi_finalize(ierr)

contains

  subroutine check(code)
    integer, intent(in) :: code
    if (code /= 0) error stop 'a call has failed'
  end subroutine check
end program counted
