! The arrays that copy.c has left: the same copy, asked for in Fortran,
! gives the same target. Forms and argument as in legacy.f.
      program copied
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
      call check('init', dra_init(10, 1d9, 1d9, 1d6), 0)
      call test_copy
      call check('terminate', dra_terminate(), 0)
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

      subroutine test_copy
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer source, left, target, later, a, b, req, rc, i, k, wrong
      integer copies(2), same(3)
      character*255 text
      integer dims(3), reqdims(3), lo(3), hi(3), ld(2), perm(3), bad(3)
      double precision x(900), y(900)
      logical ok
! As Fortran sees them: 15 x 10 x 6, and 10 x 6 x 15.
      data dims /10, 6, 15/, reqdims /-1, -1, -1/, ld /10, 6/
      data lo /1, 1, 1/, hi /10, 6, 15/, perm /2, 3, 1/, bad /0, 1, 2/
      data same /1, 2, 3/
      call check('open', dra_open('source', DRA_RW, source), 0)
      call check('open', dra_open('target', DRA_RW, left), 0)
      rc = ndra_create(mt_dbl, 3, dims, 'x', 'fortran', DRA_RW,
     &                 reqdims, target)
      call check('create', rc, 0)
      rc = ndra_create(mt_dbl, 3, dims, 'x', 'later', DRA_RW,
     &                 reqdims, later)
      call check('create', rc, 0)
      rc = ndra_copy(source, target, bad)
      call check('counted from 0', rc, dra_fail)
      rc = ndra_copy(source, target, same)
      call check('other extents', rc, dra_fail)
      call dra_errmsg(rc, text)
      k = index(text, '[15, 10, 6] in the order [1, 2, 3] are not [10')
      call check('as Fortran counts', min(k, 1), 1)
      call check('copy', ndra_copy(source, target, perm), 0)
      call check('start', ndra_ncopy(source, later, perm, req), 0)
      call check('wait', dra_wait(req), 0)
      ok = nga_create(mt_dbl, 3, dims, 'a', reqdims, a)
      ok = nga_create(mt_dbl, 3, dims, 'b', reqdims, b)
      call check('read', ndra_read(a, left, req), 0)
      call check('wait', dra_wait(req), 0)
      call nga_get(a, lo, hi, x, ld)
      copies(1) = target
      copies(2) = later
      do k = 1, 2
        call check('read', ndra_read(b, copies(k), req), 0)
        call check('wait', dra_wait(req), 0)
        call nga_get(b, lo, hi, y, ld)
        wrong = 0
        do i = 1, 900
          if (x(i) .ne. y(i)) wrong = wrong + 1
        end do
        call check('differences', wrong, 0)
        call ga_sync()
      end do
      ok = ga_destroy(a)
      ok = ga_destroy(b)
      call check('delete', dra_delete(source), 0)
      call check('delete', dra_delete(left), 0)
      call check('delete', dra_delete(target), 0)
      call check('delete', dra_delete(later), 0)
      end
