! What the package does not do: attributes, messages, codes where it
! ends the program, and arrays of another shape. Forms and argument as
! in legacy.f.
      program beyond
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'mpif.h'
      include 'dra.fh'
      integer*4 ierr
      character*1000 path
      integer failures
      common /counts/ failures
      failures = 0
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(mt_dbl, 500000, 500000)) stop 2
      call getarg(1, path)
      call chdir(path)
      call test_before
      call check('init', dra_init(-1, -1, -1, -1), 0)
      call check('init again', dra_init(2048, 1d9, 1d9, 1d6), 0)
      call test_attributes
      call test_codes
      call test_shapes
      call check('terminate', dra_terminate(), 0)
      call check('terminate again', dra_terminate(), 0)
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

      subroutine check_says(code, text)
      implicit none
      integer code
      character*(*) text
      character*255 message
      call dra_errmsg(code, message)
      call check_true(text, index(message, text) .gt. 0)
      if (index(message, text) .eq. 0) write(*,*) message
      end

      subroutine test_before
      implicit none
      include 'dra.fh'
      integer d, rc
      d = 77
      rc = dra_open('early', DRA_RW, d)
      call check('open', rc, dra_fail)
      call check('handle', d, 77)
      call check_says(rc, 'dra_init comes first')
      call check('close', dra_close(d), dra_fail)
      call check('still', d, 77)
      call check('none', dra_wait(dra_req_invalid), 0)
      end

      subroutine test_attributes
      implicit none
      include 'mafdecls.fh'
      include 'dra.fh'
      integer d, rc
      character*20 value
      character*3 short
      rc = dra_create(mt_dbl, 5, 5, 'x', 'attr', DRA_RW, -1, -1, d)
      call check('create', rc, 0)
      rc = dra_set_attribute(d, 'energy  ', '-76.02  ')
      call check('set', rc, 0)
      rc = dra_get_attribute(d, 'energy', value)
      call check('get', rc, 0)
      call check_true('value', value .eq. '-76.02')
      rc = dra_get_attribute(d, 'energy', short)
      call check('too short', rc, dra_err_too_short)
      rc = dra_set_attribute(d, 'energy', ' ')
      call check('take away', rc, 0)
      rc = dra_get_attribute(d, 'energy', value)
      call check('no more', rc, dra_err_missing)
      rc = dra_set_attribute(d, 'unit', 'hartree')
      call check('no JSON', rc, dra_fail)
      call check_says(rc, 'attribute "unit" is not JSON')
      rc = dra_delete(d)
      call check('delete', rc, 0)
      end

      subroutine test_codes
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer d, g, rc, req, t, d1, d2, three(3)
      character*10 name, file
      logical ok
      d = 77
      rc = dra_create(mt_byte, 5, 5, 'x', 'bad', DRA_RW, -1, -1, d)
      call check('bytes', rc, dra_fail)
      call check_says(rc, 'type 1009 is not supported')
      rc = dra_create(mt_dbl, 0, 5, 'x', 'bad', DRA_RW, -1, -1, d)
      call check('no rows', rc, dra_fail)
      call check_says(rc, 'extents [0, 5]')
      rc = dra_create(mt_dbl, 5, 5, 'x', 'bad', 0, -1, -1, d)
      call check('no mode', rc, dra_err_mode)
      call check('no handle', d, 77)
      call check('close', dra_close(d), dra_err_handle)
      call check('kept', d, 77)
      ok = ga_create(mt_dbl, 5, 5, 'small', 0, 0, g)
      rc = dra_create(mt_dbl, 5, 6, 'x', 'codes', DRA_RW, -1, -1, d)
      call check('create', rc, 0)
      rc = dra_write(g, d, req)
      call check('shapes', rc, dra_fail)
      call check('no request', req, dra_req_invalid)
      rc = dra_write_section(.false., g, 1, 6, 1, 5, d, 1, 5, 1, 6, req)
      call check('beyond', rc, dra_fail)
      call check_says(rc, 'section [1, 1] to [6, 5]')
      call check_says(rc, 'within [1, 1] to [5, 5]')
      rc = dra_read_section(.false., g, 1, 5, 1, 5, d, 1, 5, 0, 4, req)
      call check('before', rc, dra_fail)
      rc = dra_write(g + 5, d, req)
      call check('no such array', rc, dra_err_handle)
      rc = dra_wait(999999)
      call check('no such request', rc, dra_err_handle)
      rc = dra_delete(d)
      call check('delete', rc, 0)
      call check('twice', dra_delete(d), dra_err_handle)
      three(1) = 2
      three(2) = 3
      three(3) = 4
      rc = ndra_create(mt_dbl, 3, three, 'x', 'three', DRA_RW, three, d)
      call check('create', rc, 0)
      rc = dra_inquire(d, t, d1, d2, name, file)
      call check('no matrix', rc, dra_fail)
      rc = dra_write_section(.false., g, 1, 2, 1, 2, d, 1, 2, 1, 2, req)
      call check('no matrix', rc, dra_fail)
      call check_says(rc, 'this call is for matrices')
      call dra_print_internals(d)
      call dra_print_internals(77)
      rc = dra_delete(d)
      call check('delete', rc, 0)
      ok = ga_destroy(g)
      end

! The k-th element goes to the k-th as Fortran counts them.
      subroutine test_shapes
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer a, b, d, rc, req, i, wrong, dim(1), lo(1), hi(1)
      double precision x(120), y(12, 10)
      logical ok
      dim(1) = 120
      lo(1) = 1
      hi(1) = 120
      ok = nga_create(mt_dbl, 1, dim, 'line', -1, a)
      ok = ga_create(mt_dbl, 12, 10, 'matrix', 0, 0, b)
      do i = 1, 120
        x(i) = i
      end do
      if (ga_nodeid() .eq. 0) call nga_put(a, lo, hi, x, dim)
      call ga_sync()
      rc = dra_create(mt_dbl, 12, 10, 'x', 'shape', DRA_RW, -1, -1, d)
      call check('create', rc, 0)
      rc = dra_write(a, d, req)
      call check('write', rc, 0)
      call check('wait', dra_wait(req), 0)
      rc = dra_read(b, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_get(b, 1, 12, 1, 10, y, 12)
      wrong = 0
      do i = 1, 120
        if (y(mod(i-1, 12)+1, (i-1)/12+1) .ne. x(i)) wrong = wrong + 1
      end do
      call check('differences', wrong, 0)
      call ga_sync()
      rc = dra_delete(d)
      ok = ga_destroy(a)
      ok = ga_destroy(b)
      end
