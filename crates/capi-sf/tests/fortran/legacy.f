! Every SF call as old programs make it: implicit interfaces, sf.fh in
! every routine and beside other include files, arguments abused. Valid
! in fixed and in free form, compiled with INCLUDE or with cpp, with
! INTEGER of 4 and of 8 bytes, run on any number of ranks. The argument
! is a scratch directory, which all ranks share and which is empty.
      program legacy
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'mpif.h'
      integer*4 ierr
      character*1000 path
      integer failures
      common /counts/ failures
      failures = 0
      call mpi_init(ierr)
      if (.not. ma_init(mt_dbl, 100000, 100000)) stop 2
      call ga_initialize()
      call getarg(1, path)
      call chdir(path)
      call test_handles_and_names
      call test_data_come_back
      call test_lists_of_requests
      call test_blocks_under_a_lock
      call test_read_only
      call test_end_of_file
      call test_abused_arguments
      call test_messages
      call test_with_other_include_files
      call test_constants
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

      subroutine test_handles_and_names
      implicit none
      include 'sf.fh'
      include 'global.fh'
      integer a, b, c, rc
      logical there
      character*20 name
      name = ' leading'
      rc = sf_create(name, 1d6, 1d6, 8d3, a)
      call check('create', rc, 0)
      call check('first handle', a, -3000)
      rc = sf_create('blanks       ', -1d0, -1d0, -1d0, b)
      call check('second handle', b, -2999)
      rc = sf_create_suffix('suffix ', -1d0, -1d0, -1d0, c, 12)
      call check('third handle', c, -2998)
      inquire(file='./ leading.0', exist=there)
      call check_true('leading blanks are kept', there)
      inquire(file='blanks.1', exist=there)
      call check_true('trailing blanks are not', there)
      inquire(file='suffix.12', exist=there)
      call check_true('the suffix is the number', there)
      call ga_sync()
      rc = sf_destroy(a)
      call check('destroy', rc, 0)
      call check('its handle', a, 0)
      rc = sf_destroy(c)
      call check('handle of the third', c, 0)
      rc = sf_destroy(b)
      inquire(file='blanks.1', exist=there)
      call check_true('destroyed files are gone', .not. there)
      call done('handles and names')
      end

      subroutine test_data_come_back
      implicit none
      include 'sf.fh'
      include 'global.fh'
      integer len
      parameter (len = 20000)
      double precision x(len), y(len), offset
      integer h, id, rc, i, other
      rc = sf_create('data', 1d9, 1d6, 1.6d5, h)
      do i = 1, len
        x(i) = ga_nodeid() * 1d6 + i
      end do
      offset = 8d0 * len * ga_nodeid()
      rc = sf_write(h, offset, 8d0 * len, x, id)
      call check('write', rc, 0)
      call check_true('request', id .gt. 0)
      rc = sf_wait(id)
      call check('wait', rc, 0)
      call ga_sync()
      other = mod(ga_nodeid() + 1, ga_nnodes())
      rc = sf_read(h, 8d0 * len * other, 8d0 * len, y, id)
      call check('read', rc, 0)
      rc = sf_wait(id)
      call check('wait for it', rc, 0)
      call check('wait again', sf_wait(id), 0)
      rc = 0
      do i = 1, len
        if (y(i) .ne. other * 1d6 + i) rc = rc + 1
      end do
      call check('differences', rc, 0)
      call ga_sync()
      rc = sf_destroy(h)
      call done('data come back')
      end

      subroutine test_lists_of_requests
      implicit none
      include 'sf.fh'
      include 'global.fh'
      integer n, len
      parameter (n = 30, len = 100)
      double precision x(len, n), y(len, n), start
      integer h, list(n + 1), rc, i, j
      rc = sf_create('list', -1d0, -1d0, -1d0, h)
      start = 8d0 * len * n * ga_nodeid()
      do i = 1, n
        do j = 1, len
          x(j, i) = i + 1d-3 * j + ga_nodeid()
        end do
        rc = sf_write(h, start+8d0*len*(i-1), 8d0*len, x(1,i), list(i))
        call check('write', rc, 0)
      end do
      list(n + 1) = -1
      call sf_fsync(h)
      call check('wait for all', sf_waitall(list, n + 1), 0)
      do i = 1, n
        rc = sf_read(h, start+8d0*len*(i-1), 8d0*len, y(1,i), list(i))
        call check('read', rc, 0)
      end do
      call check('of one', sf_waitall(list, 1), 0)
      call check('wait for all', sf_waitall(list, n + 1), 0)
      call check('again', sf_waitall(list, n + 1), 0)
      call check('of none', sf_waitall(list, 0), 0)
      rc = 0
      do i = 1, n
        do j = 1, len
          if (x(j, i) .ne. y(j, i)) rc = rc + 1
        end do
      end do
      call check('differences', rc, 0)
      call ga_sync()
      rc = sf_destroy(h)
      call done('lists of requests')
      end

! As in coupled-cluster programs: every block access is bracketed.
      subroutine test_blocks_under_a_lock
      implicit none
      include 'sf.fh'
      include 'global.fh'
      integer h, rc, round, block, blocks
      parameter (blocks = 3)
      double precision x(50)
      logical ok
      rc = sf_create('locked', -1d0, -1d0, -1d0, h)
      ok = ga_create_mutexes(1)
      call check_true('mutexes', ok)
      rc = sf_close(h)
      if (ga_nodeid() .eq. 0) then
        x = 0d0
        do block = 1, blocks
          call put_block(h, x, 50, block)
        end do
      end if
      call ga_sync()
      do round = 1, 5
        do block = 1, blocks
          call ga_lock(0)
          call get_block(h, x, 50, block)
          x = x + 1d0
          call put_block(h, x, 50, block)
          call ga_unlock(0)
        end do
      end do
      call ga_sync()
      do block = 1, blocks
        call get_block(h, x, 50, block)
        call check('first', nint(x(1)), 5 * ga_nnodes())
        call check('last', nint(x(50)), 5 * ga_nnodes())
      end do
      ok = ga_destroy_mutexes()
      rc = sf_destroy(h)
      call check('destroy a closed file', rc, 0)
      call done('blocks under a lock')
      end

      subroutine put_block(h, x, n, block)
      implicit none
      include 'sf.fh'
      integer h, n, block, id
      double precision x(n)
      call check('open', sf_open(h), 0)
      call check('put', sf_write(h,8d0*n*(block-1),8d0*n,x,id), 0)
      call check('wait', sf_wait(id), 0)
      call check('close', sf_close(h), 0)
      end

      subroutine get_block(h, x, n, block)
      implicit none
      include 'sf.fh'
      integer h, n, block, id
      double precision x(n)
      call check('open', sf_open(h), 0)
      call check('get', sf_read(h,8d0*n*(block-1),8d0*n,x,id), 0)
      call check('wait', sf_wait(id), 0)
      call check('close', sf_close(h), 0)
      end

      subroutine test_read_only
      implicit none
      include 'sf.fh'
      include 'global.fh'
      integer h, rc, id
      double precision x
      rc = sf_create('door', -1d0, -1d0, -1d0, h)
      x = 7d0
      rc = sf_write(h, 8d0 * ga_nodeid(), 8d0, x, id)
      rc = sf_wait(id)
      rc = sf_close(h)
      call check('read only', sf_rwtor(h), 0)
      rc = sf_write(h, 0d0, 8d0, x, id)
      call check_true('no write', rc .ne. 0)
      call check('no request', id, -1)
      x = 0d0
      rc = sf_read(h, 8d0 * ga_nodeid(), 8d0, x, id)
      call check('wait', sf_wait(id), 0)
      call check('what was written', nint(x), 7)
      call check('read and write', sf_open(h), 0)
      rc = sf_write(h, 8d0 * ga_nodeid(), 8d0, x, id)
      call check('a write', rc, 0)
      call check('its wait', sf_wait(id), 0)
      rc = sf_destroy(h)
      call done('read only')
      end

      subroutine test_end_of_file
      implicit none
      include 'sf.fh'
      include 'global.fh'
      integer h, rc, id
      double precision x(4)
      rc = sf_create('end', -1d0, -1d0, -1d0, h)
      x = 1d0
      if (ga_nodeid() .eq. 0) then
        rc = sf_write(h, 80d0, 16d0, x, id)
        rc = sf_wait(id)
      end if
      call ga_sync()
      rc = sf_read(h, 64d0, 32d0, x, id)
      call check('read', rc + sf_wait(id), 0)
      call check('a hole', nint(x(1) + x(2)), 0)
      call check('data', nint(x(3) + x(4)), 2)
      rc = sf_read(h, 72d0, 32d0, x, id)
      if (rc .eq. 0) rc = sf_wait(id)
      call check('past the end', rc, -1977)
      rc = sf_read(h, 1d6, 0d0, x, id)
      call check('nothing', rc + sf_wait(id), 0)
      call ga_sync()
      rc = sf_destroy(h)
      call done('end of file')
      end

      subroutine test_messages
      implicit none
      include 'sf.fh'
      integer rc, h
      character*80 msg
      character*10 short
      character*5000 name
      rc = sf_create('no/such/place', -1d0, -1d0, -1d0, h)
      call check('no place', rc, -1990)
      call sf_errmsg(rc, msg)
      call check_true('cause', index(msg, 'No such file') .ne. 0)
      call sf_errmsg(rc, short)
      call check_true('short', short .eq. msg(1:10))
      call sf_errmsg(77, msg)
      call check_true('no code', msg .eq. ' ')
      name = ' '
      name(1:4000) = repeat('x', 4000)
      rc = sf_create(name, -1d0, -1d0, -1d0, h)
      call check('a long name', rc, -1990)
      call sf_errmsg(rc, msg)
      call check_true('told', index(msg, 'too long') .ne. 0)
      call done('messages')
      end

      subroutine test_with_other_include_files
      implicit none
      include 'eaf.fh'
      include 'sf.fh'
      include 'global.fh'
      include 'mafdecls.fh'
      integer h, rc
      rc = sf_create('beside', -1d0, -1d0, -1d0, h)
      call check('create', rc, sf_ok)
      rc = sf_destroy(h)
      call check('destroy', rc, eaf_ok)
      call done('with other include files')
      end

      subroutine test_constants
      implicit none
      include 'sf.fh'
      call check('ok', sf_ok, 0)
      call check('fail', sf_fail, 1)
      call check('end of file', sf_err_eof, -1977)
      call check('handle', sf_err_handle, -1994)
      call check('fraction', sf_err_noninteger_offset, -10018)
      call check('wait', sf_wait(-1), sf_ok)
      call done('constants')
      end
