! Arrays on disk of ranks on two hosts, in Fortran. Arguments: how hosts
! see the directory ("shared", or "own" where each has one of its own),
! and the directory. Forms as in legacy.f.
      program hosts
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'mpif.h'
      include 'dra.fh'
      integer*4 ierr
      character*1000 path
      character*10 how
      integer failures
      common /counts/ failures
      failures = 0
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(mt_dbl, 500000, 500000)) stop 2
      call getarg(1, how)
      call getarg(2, path)
      call chdir(path)
      call check('init', dra_init(-1, -1, -1, -1), 0)
      call check('hosts', ga_cluster_nnodes(), 2)
      call test_transfers
      call test_what_lies_where(how)
      call test_missing
      call check('terminate', dra_terminate(), 0)
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

! Four bricks in two files: written, closed, opened, read back whole
! and transposed.
      subroutine test_transfers
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer g, h, d, rc, req, i, j, wrong
      double precision x(400, 300), y(300, 400)
      logical ok
      ok = ga_create(mt_dbl, 400, 300, 'g', 0, 0, g)
      ok = ga_create(mt_dbl, 300, 400, 'h', 0, 0, h)
      do j = 1, 300
        do i = 1, 400
          x(i, j) = i + 1d-3 * j
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 400, 1, 300, x, 400)
      call ga_sync()
      rc = dra_create(mt_dbl,400,300,'x','array',DRA_RW,200,200,d)
      call check('create', rc, 0)
      rc = dra_write(g, d, req)
      call check('write', rc, 0)
      call check('wait', dra_wait(req), 0)
      call check('close', dra_close(d), 0)
      call check('closed', d, 0)
      rc = dra_open('array', DRA_R, d)
      call check('open', rc, 0)
      call ga_zero(g)
      rc = dra_read(g, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_get(g, 1, 400, 1, 300, y, 400)
      call compare('elements', x, y, 400 * 300)
      rc = dra_read_section(.true.,h,1,300,1,400,d,1,400,1,300,req)
      call check('section', rc, 0)
      call check('wait', dra_wait(req), 0)
      call ga_get(h, 1, 300, 1, 400, y, 300)
      wrong = 0
      do j = 1, 300
        do i = 1, 400
          if (x(i, j) .ne. y(j, i)) wrong = wrong + 1
        end do
      end do
      call check('transposed', wrong, 0)
      call ga_sync()
      rc = dra_delete(d)
      call check('delete', rc, 0)
      ok = ga_destroy(g)
      ok = ga_destroy(h)
      call done('transfers between hosts')
      end

      subroutine compare(what, x, y, n)
      implicit none
      character*(*) what
      integer n, i, wrong
      double precision x(n), y(n)
      wrong = 0
      do i = 1, n
        if (x(i) .ne. y(i)) wrong = wrong + 1
      end do
      call check(what, wrong, 0)
      end

! One part that all see, or one for each host, of which one is here.
      subroutine test_what_lies_where(how)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      character*(*) how
      character*70 host, mine, second
      character*3 short
      integer d, rc, parts, expected, part, here
      double precision bytes
      call hostnm(mine)
      expected = 2
      if (how .eq. 'shared') expected = 1
      rc = dra_create(mt_dbl,400,300,'x','told',DRA_RW,200,200,d)
      call check('create', rc, 0)
      rc = dra_hosts(d, 1, parts, host, bytes)
      call check('first part', rc, 0)
      call check('parts', parts, expected)
      here = 0
      do part = 1, parts
        second = host
        rc = dra_hosts(d, part, parts, host, bytes)
        call check('part', rc, 0)
        call check_true('bytes', bytes .gt. 960d3 / (parts + 1))
        if (host .eq. mine) here = here + 1
        if (part .eq. 2) call check_true('names', host .ne. second)
      end do
      call check('parts that are here', here, expected - 1)
      if (parts .eq. 1) call check_true('no name', host .eq. ' ')
      if (parts .eq. 2) then
        rc = dra_hosts(d, 1, parts, short, bytes)
        call check('no room', rc, dra_err_too_short)
      end if
      rc = dra_hosts(d, 0, parts, host, bytes)
      call check('before the first', rc, dra_fail)
      rc = dra_hosts(d, parts + 1, parts, host, bytes)
      call check('after the last', rc, dra_fail)
      rc = dra_delete(d)
      rc = dra_hosts(d, 1, parts, host, bytes)
      call check('no array', rc, dra_err_handle)
      call done('what lies where')
      end

! Rank, cause and file, on every rank.
      subroutine test_missing
      implicit none
      include 'dra.fh'
      integer d, rc
      character*255 message
      d = 77
      rc = dra_open('nowhere', DRA_RW, d)
      call check('missing', rc, dra_err_missing)
      call dra_errmsg(rc, message)
      call check_true('rank', index(message, 'rank 0: ') .eq. 1)
      call check_true('cause', index(message, 'no such array') .gt. 0)
      call check_true('file', index(message, '/nowhere ') .gt. 0)
      call done('an error with rank, cause and file')
      end
