! The calls through the module chemio_sf: explicit interfaces take buffers of any type and rank. The argument is a scratch
! directory, which all ranks share and which is empty.
program module
  use mpi
  use chemio_eaf, only: eaf_ok
  use chemio_ga
  use chemio_sf
  implicit none
  integer :: failures = 0, all_failures(1)
  integer(kind=4) :: ierr
  character(len=1000) :: path

  call mpi_init(ierr)
  call ga_initialize()
  call get_command_argument(1, path)
  call chdir(trim(path))
  call any_type_and_rank_is_a_buffer
  call transfers_are_waited_for_together
  call files_are_for_reading_only_after_rwtor
  call suffixes_are_found_again
  call errors_have_names_and_texts
  all_failures = failures
  call ga_igop(1, all_failures, 1, '+')
  call ga_terminate()
  call mpi_finalize(ierr)
  if (all_failures(1) /= 0) stop 1

contains

  subroutine check(what, found, expected)
    character(len=*), intent(in) :: what
    integer, intent(in) :: found, expected
    if (found == expected) return
    print *, 'not so: ', what, found, expected
    failures = failures + 1
  end subroutine check

  subroutine check_true(what, found)
    character(len=*), intent(in) :: what
    logical, intent(in) :: found
    call check(what, merge(1, 0, found), 1)
  end subroutine check_true

  subroutine done(what)
    character(len=*), intent(in) :: what
    integer :: all(1)
    all = failures
    call ga_igop(1, all, 1, '+')
    if (ga_nodeid() == 0) print '(a,a)', merge('ok     ', 'FAILED ', all(1) == 0), what
  end subroutine done

  integer function made(name) result(handle)
    character(len=*), intent(in) :: name
    handle = 77
    call check('create '//name, sf_create(name, -1d0, -1d0, -1d0, handle), sf_ok)
  end function made

  subroutine any_type_and_rank_is_a_buffer
    double precision, asynchronous :: matrix(10, 20), back(10, 20)
    complex, asynchronous :: z
    integer, asynchronous :: numbers(5)
    character(len=5), asynchronous :: text
    double precision :: begin
    integer :: file, request(4), i
    file = made('any')
    begin = 4096d0*ga_nodeid()
    matrix = reshape([(1d0*i, i=1, 200)], [10, 20])
    z = (1.0, -2.0)
    numbers = [(i**2, i=1, 5)]
    text = 'words'
    call check('matrix', sf_write(file, begin, 1600d0, matrix, request(1)), 0)
    call check('complex', sf_write(file, begin + 1600d0, 8d0, z, request(2)), 0)
    call check('integers', sf_write(file, begin + 1608d0, 5d0*storage_size(numbers)/8, numbers, request(3)), 0)
    call check('text', sf_write(file, begin + 1700d0, 5d0, text, request(4)), 0)
    call check('all', sf_waitall(request, 4), 0)
    call ga_sync()
    begin = 4096d0*modulo(ga_nodeid() + 1, ga_nnodes())
    back = 0
    z = 0
    text = ' '
    call check('matrix', sf_read(file, begin, 1600d0, back, request(1)), 0)
    call check('complex', sf_read(file, begin + 1600d0, 8d0, z, request(2)), 0)
    call check('text', sf_read(file, begin + 1700d0, 5d0, text, request(3)), 0)
    call check('all', sf_waitall(request, 3), 0)
    call check_true('the same matrix', all(back == matrix))
    call check_true('the same number', z == (1.0, -2.0))
    call check_true('the same text', text == 'words')
    call ga_sync()
    call check('destroy', sf_destroy(file), 0)
    call check('its handle', file, 0)
    call done('any type and rank is a buffer')
  end subroutine any_type_and_rank_is_a_buffer

  subroutine transfers_are_waited_for_together
    integer, parameter :: count = 8, len = 20000
    double precision, asynchronous :: x(len, count), y(len, count)
    integer :: file, list(count + 1), i
    double precision :: begin
    file = made('together')
    list = -1
    begin = 8d0*len*count*ga_nodeid()
    call random_number(x)
    do i = 1, count
      call check('write', sf_write(file, begin + 8d0*len*(i - 1), 8d0*len, x(1, i), list(i)), 0)
    end do
    call sf_fsync(file)
    call check('all', sf_waitall(list, count + 1), 0)
    do i = 1, count
      call check('read', sf_read(file, begin + 8d0*len*(i - 1), 8d0*len, y(1, i), list(i)), 0)
    end do
    do i = count, 1, -1
      call check('each', sf_wait(list(i)), 0)
    end do
    call check_true('the same', all(x == y))
    call ga_sync()
    call check('destroy', sf_destroy(file), 0)
    call done('transfers are waited for together')
  end subroutine transfers_are_waited_for_together

  subroutine files_are_for_reading_only_after_rwtor
    integer :: file, request
    file = made('door')
    call check('close', sf_close(file), 0)
    call check('write, closed', sf_write(file, 0d0, 8d0, 1d0, request), sf_err_handle)
    call check('rwtor', sf_rwtor(file), 0)
    call check('write', sf_write(file, 0d0, 8d0, 1d0, request), sf_err_mode)
    call check('request', request, -1)
    call check('open', sf_open(file), 0)
    call check('write', sf_write(file, 0d0, 8d0, 1d0, request), 0)
    call check('wait', sf_wait(request), 0)
    call check('destroy', sf_destroy(file), 0)
    call done('files are for reading only after rwtor')
  end subroutine files_are_for_reading_only_after_rwtor

  subroutine suffixes_are_found_again
    integer :: first, second, request
    double precision, asynchronous :: x
    call check('create', sf_create_suffix('kept', -1d0, 1d6, 8d0, first, 3), 0)
    x = 3d0 + ga_nodeid()
    call check('write', sf_write(first, 8d0*ga_nodeid(), 8d0, x, request), 0)
    call check('wait', sf_wait(request), 0)
    call check('close', sf_close(first), 0)
    call check('create again', sf_create_suffix('kept', -1d0, 1d6, 8d0, second, 3), 0)
    x = 0d0
    call check('read', sf_read(second, 0d0, 8d0, x, request), 0)
    call check('wait', sf_wait(request), 0)
    call check('what was written', nint(x), 3)
    call ga_sync()
    call check('destroy', sf_destroy(second), 0)
    call check('destroy the other handle', sf_destroy(first), 0)
    call done('suffixes are found again')
  end subroutine suffixes_are_found_again

  subroutine errors_have_names_and_texts
    character(len=120) :: message
    double precision, asynchronous :: x
    integer :: file, request
    file = made('errors')
    call check('fraction', sf_read(file, 0.5d0, 8d0, x, request), sf_err_noninteger_offset)
    call check('negative', sf_read(file, -8d0, 8d0, x, request), sf_err_seek)
    call check('no handle', sf_open(0), sf_err_handle)
    call check('no request', sf_wait(0), sf_err_handle)
    call check('read', sf_read(file, 0d0, 8d0, x, request), eaf_ok)
    call check('end of file', sf_wait(request), sf_err_eof)
    call sf_errmsg(sf_err_eof, message)
    call check_true('text', index(message, 'end of file: 0 of 8 bytes at offset 0 of ') == 1)
    call sf_errmsg(sf_fail, message)
    call check_true('fixed text', message /= ' ')
    call ga_sync()
    call check('destroy', sf_destroy(file), 0)
    call done('errors have names and texts')
  end subroutine errors_have_names_and_texts
end program module
