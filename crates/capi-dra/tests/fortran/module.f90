! The calls through the module chemio_dra: explicit interfaces. The argument is a scratch directory, which all ranks share and
! which is empty.
program module
  use mpi
  use chemio_ga
  use chemio_dra
  implicit none
  integer :: failures = 0, all_failures(1)
  integer(kind=4) :: ierr
  character(len=1000) :: path

  call mpi_init(ierr)
  call ga_initialize()
  call get_command_argument(1, path)
  call chdir(trim(path))
  call check('init', dra_init(-1, -1d0, -1d0, 8d6), dra_ok)
  call matrices_come_back
  call arrays_come_back
  call errors_have_names_and_texts
  call check('terminate', dra_terminate(), dra_ok)
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

  subroutine matrices_come_back
    integer :: g_a, d_a, request, status, kind, rows, columns, i
    double precision :: x(30, 20), y(30, 20)
    character(len=72) :: name
    character(len=248) :: file
    x = reshape([(dble(i), i = 1, 600)], [30, 20])
    call check_true('in memory', ga_create(1013, 30, 20, 'g', -1, -1, g_a))
    if (ga_nodeid() == 0) call ga_put(g_a, 1, 30, 1, 20, x, 30)
    call ga_sync()
    call check('create', dra_create(1013, 30, 20, 'Fock', 'matrix', dra_rw, -1, 20, d_a), dra_ok)
    call check('write', dra_write(g_a, d_a, request), dra_ok)
    call check('probe', dra_probe(request, status), dra_ok)
    call check('wait', dra_wait(request), dra_ok)
    call ga_zero(g_a)
    call check('section', dra_read_section(.false., g_a, 1, 10, 1, 5, d_a, 21, 30, 16, 20, request), dra_ok)
    call check('wait', dra_wait(request), dra_ok)
    call ga_get(g_a, 1, 10, 1, 5, y, 30)
    call check_true('elements', all(y(1:10, 1:5) == x(21:30, 16:20)))
    call check('inquire', dra_inquire(d_a, kind, rows, columns, name, file), dra_ok)
    call check_true('shape', kind == 1013 .and. rows == 30 .and. columns == 20)
    call check_true('names', name == 'Fock' .and. file == 'matrix')
    call check('attribute', dra_set_attribute(d_a, 'cycle', '7'), dra_ok)
    call check('and back', dra_get_attribute(d_a, 'cycle', name), dra_ok)
    call check_true('its value', name == '7')
    call dra_flick()
    call dra_set_debug(.false.)
    call dra_print_internals(d_a)
    call check('close', dra_close(d_a), dra_ok)
    call check('open', dra_open('matrix', dra_r, d_a), dra_ok)
    call check('delete', dra_delete(d_a), dra_ok)
    call check('its handle', d_a, 0)
    call check_true('destroyed', ga_destroy(g_a))
    call done('matrices come back')
  end subroutine matrices_come_back

  subroutine arrays_come_back
    integer :: g_a, d_a, request, ndim, kind, dims(3) = [4, 5, 6], found(7), lo(3) = 1, any(3) = -1, i
    double precision :: x(4, 5, 6), y(4, 5, 6)
    character(len=72) :: name, file
    x = reshape([(dble(i), i = 1, 120)], dims)
    call check_true('in memory', nga_create(1013, 3, dims, 'g', any, g_a))
    if (ga_nodeid() == 0) call nga_put(g_a, lo, dims, x, dims)
    call ga_sync()
    call dra_set_default_config(1, -1)
    call check('create', ndra_create(1013, 3, dims, 'T', 'three', dra_rw, any, d_a), dra_ok)
    call check('write', ndra_write_section(.false., g_a, lo, dims, d_a, lo, dims, request), dra_ok)
    call check('wait', dra_wait(request), dra_ok)
    call ga_zero(g_a)
    call check('read', ndra_read(g_a, d_a, request), dra_ok)
    call check('wait', dra_wait(request), dra_ok)
    call nga_get(g_a, lo, dims, y, dims)
    call check_true('elements', all(x == y))
    call check('inquire', ndra_inquire(d_a, kind, ndim, found, name, file), dra_ok)
    call check_true('shape', ndim == 3 .and. all(found(1:3) == dims))
    call ga_sync()
    call check('delete', dra_delete(d_a), dra_ok)
    call check_true('destroyed', ga_destroy(g_a))
    call done('arrays come back')
  end subroutine arrays_come_back

  subroutine errors_have_names_and_texts
    integer :: d_a = 77, request
    character(len=200) :: message
    call check('missing', dra_open('nowhere', dra_rw, d_a), dra_err_missing)
    call dra_errmsg(dra_err_missing, message)
    call check_true('its text', index(message, 'no such array') > 0)
    call check('no handle', dra_write(0, d_a, request), dra_err_handle)
    call check('no request', request, dra_req_invalid)
    call check('which is none', dra_wait(request), dra_ok)
    call done('errors have names and texts')
  end subroutine errors_have_names_and_texts
end program module
