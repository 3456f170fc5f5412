! The calls for matrices as old programs make them: implicit
! interfaces, both include files in every routine. Valid in fixed and
! in free form, compiled with INCLUDE or with cpp, with INTEGER of 4
! and of 8 bytes, run on any number of ranks.
      program calls2d
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'mpif.h'
      integer*4 ierr
      integer failures
      common /counts/ failures
      failures = 0
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(mt_dbl, 100000, 100000)) stop 2
      call test_create_and_inquire
      call test_ranks
      call test_distribution
      call test_irregular
      call test_put_and_get
      call test_accumulate
      call test_nonblocking
      call test_access
      call test_access_of_integers
      call test_scatter_and_gather
      call test_counter
      call test_whole_arrays
      call test_patches
      call test_dot_products
      call test_products
      call test_reductions
      call test_broadcast
      call test_mutexes
      call test_masks
      call test_old_names
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

! What element (i, j) of the test matrices is.
      double precision function elem(i, j)
      implicit none
      integer i, j
      elem = dble(100 * i + j + mod(i * j, 7))
      end

! A matrix of doubles that holds elem(i, j).
      subroutine make(rows, cols, g)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer rows, cols, g
      double precision a(20, 20), elem
      integer i, j
      logical ok
      ok = ga_create(mt_dbl, rows, cols, 'filled', -1, -1, g)
      call check_true('create', ok)
      do j = 1, cols
        do i = 1, rows
          a(i, j) = elem(i, j)
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, rows, 1, cols, a, 20)
      call ga_sync()
      end

      subroutine get_all(g, rows, cols, a)
      implicit none
      include 'global.fh'
      integer g, rows, cols
      double precision a(20, 20)
      call ga_sync()
      call ga_get(g, 1, rows, 1, cols, a, 20)
      call ga_sync()
      end

      subroutine drop(g)
      implicit none
      include 'global.fh'
      integer g
      logical ok
      call ga_sync()
      ok = ga_destroy(g)
      call check_true('destroy', ok)
      end

      subroutine test_create_and_inquire
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, h, k, code, rows, cols
      character*12 name
      character*4 short
      logical ok
      ok = ga_create(mt_dbl, 10, 7, 'first one  ', -1, -1, g)
      call check_true('create', ok)
      call check('first handle', g, -1000)
      ok = ga_create(mt_int, 5, 6, 'second', 0, 0, h)
      call check('second handle', h, -999)
      call ga_inquire(g, code, rows, cols)
      call check('type', code, 1013)
      call check('mt_dbl', mt_dbl, 1013)
      call check('rows', rows, 10)
      call check('columns', cols, 7)
      call ga_inquire(h, code, rows, cols)
      call check('integer type', code, 1010)
      call check('rows', rows, 5)
      name = '############'
      call ga_inquire_name(g, name)
      call check_true('padded name', name .eq. 'first one   ')
      call ga_inquire_name(g, short)
      call check_true('cut name', short .eq. 'firs')
      ok = ga_duplicate(g, k, 'third')
      call check_true('duplicate', ok)
      call check('third handle', k, -998)
      call ga_inquire_name(k, name)
      call check_true('its name', name .eq. 'third')
      call check_true('same distribution', ga_compare_distr(g, k))
      ok = ga_compare_distr(g, h)
      call check_true('another distribution', .not. ok)
      call ga_check_handle(g, 'test_create_and_inquire')
      ok = ga_destroy(h)
      call check_true('destroy', ok)
      call check('the handle stays', h, -999)
      ok = ga_destroy(h)
      call check_true('no second destroy', .not. ok)
      ok = ga_create(mt_dcpl, 5, 6, 'again', -1, -1, h)
      call check('the free handle', h, -999)
      call ga_inquire(h, code, rows, cols)
      call check('complex type', code, 1015)
      ok = ga_destroy(h)
      ok = ga_create(mt_real, 5, 6, 'again', -1, -1, h)
      call ga_inquire(h, code, rows, cols)
      call check('real type', code, 1012)
      call drop(h)
      call drop(k)
      call drop(g)
      call done('create and inquire')
      end

      subroutine test_ranks
      implicit none
      include 'global.fh'
      integer n
      n = ga_nnodes()
      call check_true('nnodes', n .ge. 1)
      call check_true('nodeid', ga_nodeid() .ge. 0)
      call check_true('nodeid', ga_nodeid() .lt. n)
      call check_true('nodes', ga_cluster_nnodes() .ge. 1)
      call check_true('nodes', ga_cluster_nnodes() .le. n)
      call check('world', ga_pgroup_get_world(), -1)
      call check('default', ga_pgroup_get_default(), -1)
      call check_true('no ma', .not. ga_uses_ma())
      call check_true('no limit', .not. ga_memory_limited())
      call check('memory', ga_memory_avail(), -1)
      call done('ranks and memory')
      end

! Every rank's block, and who owns its corners; nobody owns more than
! there is. A rank without elements has an upper index below the lower.
      subroutine test_distribution
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, p, ilo, ihi, jlo, jhi, total, owner, n, k
      integer map(5, 64), list
      logical ok
      call make(14, 9, g)
      total = 0
      do p = 0, ga_nnodes() - 1
        call ga_distribution(g, p, ilo, ihi, jlo, jhi)
        total = total + (ihi - ilo + 1) * (jhi - jlo + 1)
        ok = ga_locate(g, ilo, jlo, owner)
        call check_true('located', ok)
        call check('owner', owner, p)
        ok = ga_locate(g, ihi, jhi, owner)
        call check('owner', owner, p)
      end do
      call check('all elements', total, 126)
      call ga_distribution(g, ga_nnodes(), ilo, ihi, jlo, jhi)
      call check('nothing from', ilo, 0)
      call check('nothing to', ihi, -1)
      owner = 77
      ok = ga_locate(g, 15, 1, owner)
      call check_true('outside', .not. ok)
      call check('no owner', owner, -1)
      ok = ga_locate(g, 1, 0, owner)
      call check_true('outside', .not. ok)
      ok = ga_locate_region(g, 2, 13, 3, 8, map, n)
      call check_true('region', ok)
      total = 0
      do k = 1, n
        list = map(5, k)
        call ga_distribution(g, list, ilo, ihi, jlo, jhi)
        call check('from row', map(1, k), max(ilo, 2))
        call check('to row', map(2, k), min(ihi, 13))
        call check('from column', map(3, k), max(jlo, 3))
        call check('to column', map(4, k), min(jhi, 8))
        ilo = map(2, k) - map(1, k) + 1
        jlo = map(4, k) - map(3, k) + 1
        total = total + ilo * jlo
      end do
      call check('the whole region', total, 72)
      call drop(g)
      ok = ga_create(mt_dbl, 1, 1, 'one', -1, -1, g)
      call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
      if (ga_nodeid() .eq. 0) call check('mine', ihi - ilo, 0)
      if (ga_nodeid() .gt. 0) call check('not mine', ihi - ilo, -1)
      call drop(g)
      ok = ga_create(mt_dbl, 16, 16, 'columns', 16, -1, g)
      call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
      call check('whole columns', ihi - ilo, 15)
      call drop(g)
      call done('distribution')
      end

! The first rank has one row, the second one, ..., the last the rest.
      subroutine test_irregular
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, map1(64), map2(1), n, k, me
      integer ilo, ihi, jlo, jhi
      logical ok
      n = ga_nnodes()
      me = ga_nodeid()
      do k = 1, n
        map1(k) = k
      end do
      map2(1) = 1
      ok = ga_create_irreg(mt_dbl, 20, 6, 'rows', map1, n, map2, 1, g)
      call check_true('create_irreg', ok)
      call ga_distribution(g, me, ilo, ihi, jlo, jhi)
      call check('row', ilo, me + 1)
      if (me .lt. n - 1) call check('one row', ihi, ilo)
      if (me .eq. n - 1) call check('the rest', ihi, 20)
      call check('all columns', jlo, 1)
      call check('all columns', jhi, 6)
      call drop(g)
      ok = ga_create_irreg(mt_int, 6, 20, 'cols', map2, 1, map1, n, g)
      call ga_distribution(g, me, ilo, ihi, jlo, jhi)
      call check('column', jlo, me + 1)
      call check('all rows', ihi, 6)
      call drop(g)
      call done('irregular distribution')
      end

      subroutine test_put_and_get
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j
      double precision a(20, 20), b(5, 3), elem
      call make(14, 9, g)
      call get_all(g, 14, 9, a)
      do j = 1, 9
        do i = 1, 14
          call check_near('all', a(i, j), elem(i, j))
        end do
      end do
      do j = 1, 3
        do i = 1, 5
          b(i, j) = -1.0d0
        end do
      end do
      call ga_get(g, 6, 9, 2, 4, b, 5)
      do j = 1, 3
        do i = 1, 4
          call check_near('part', b(i, j), elem(i + 5, j + 1))
        end do
        call check_near('not touched', b(5, j), -1.0d0)
      end do
      call ga_sync()
      if (ga_nodeid() .eq. ga_nnodes() - 1) then
        call ga_put(g, 14, 14, 9, 9, -5.0d0, 1)
      end if
      call get_all(g, 14, 9, a)
      call check_near('one element', a(14, 9), -5.0d0)
      call check_near('its neighbour', a(13, 9), elem(13, 9))
      call drop(g)
      call done('put and get')
      end

      subroutine test_accumulate
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j, k, n
      double precision a(20, 20), b(6, 4), elem, x
      complex*16 z(2, 2)
      logical ok
      n = ga_nnodes()
      call make(14, 9, g)
      do j = 1, 4
        do i = 1, 6
          b(i, j) = dble(i + 10 * j)
        end do
      end do
      do k = 1, 10
        call ga_acc(g, 5, 10, 3, 6, b, 6, 0.5d0)
      end do
      call get_all(g, 14, 9, a)
      do j = 1, 9
        do i = 1, 14
          x = elem(i, j)
          if (i .ge. 5 .and. i .le. 10) then
            if (j .ge. 3 .and. j .le. 6) x = x + 5.0d0*n*b(i-4, j-2)
          end if
          call check_near('accumulated', a(i, j), x)
        end do
      end do
      call drop(g)
      ok = ga_create(mt_dcpl, 2, 2, 'z', -1, -1, g)
      call ga_zero(g)
      do j = 1, 2
        do i = 1, 2
          z(i, j) = dcmplx(dble(i), dble(j))
        end do
      end do
      call ga_acc(g, 1, 2, 1, 2, z, 2, (0.0d0, 1.0d0))
      call ga_sync()
      call ga_get(g, 1, 2, 1, 2, z, 2)
      call check_near('real part', dble(z(1, 2)), -2.0d0 * n)
      call check_near('imaginary part', dimag(z(1, 2)), 1.0d0 * n)
      call drop(g)
      call done('accumulate')
      end

      subroutine test_nonblocking
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j, put, acc, get(9), me, n
      double precision a(20, 20), c(9), elem, x
      call make(14, 9, g)
      me = ga_nodeid()
      n = ga_nnodes()
      do j = 1, 9
        c(j) = -j
      end do
      i = me + 1
      call ga_nbput(g, i, i, 1, 9, c, 1, put)
      call ga_nbwait(put)
      call ga_nbacc(g, i, i, 1, 9, c, 1, 2.0d0, acc)
      call ga_nbwait(acc)
      call ga_sync()
      do j = 1, 9
        call ga_nbget(g, 1, 14, j, j, a(1, j), 14, get(j))
      end do
      do j = 9, 1, -1
        call ga_nbwait(get(j))
      end do
      do j = 1, 9
        do i = 1, 14
          x = elem(i, j)
          if (i .le. n) x = -3.0d0 * j
          call check_near('nonblocking', a(i, j), x)
        end do
      end do
      call drop(g)
      call done('nonblocking')
      end

! The block of a rank as a piece of dbl_mb.
      subroutine test_access
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, ilo, ihi, jlo, jhi, i, j, ld, me
      integer*8 index, at
      double precision a(20, 20), elem
      call make(14, 9, g)
      me = ga_nodeid()
      call ga_distribution(g, me, ilo, ihi, jlo, jhi)
      call ga_access(g, ilo, ihi, jlo, jhi, index, ld)
      call check('leading dimension', ld, ihi - ilo + 1)
      do j = jlo, jhi
        do i = ilo, ihi
          at = index + (j - jlo) * ld + (i - ilo)
          call check_near('in place', dbl_mb(at), elem(i, j))
          dbl_mb(at) = -elem(i, j)
        end do
      end do
      call ga_release_update(g, ilo, ihi, jlo, jhi)
      call get_all(g, 14, 9, a)
      do j = 1, 9
        do i = 1, 14
          call check_near('changed in place', a(i, j), -elem(i, j))
        end do
      end do
      call ga_access(g, ihi, ihi, jhi, jhi, index, ld)
      call check_near('corner', dbl_mb(index), -elem(ihi, jhi))
      call check('ld of the block', ld, ihi - ilo + 1)
      call ga_release(g, ihi, ihi, jhi, jhi)
      call drop(g)
      call done('access')
      end

      subroutine test_access_of_integers
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, h, k, l, ilo, ihi, jlo, jhi, ld, me, x(8, 8), three
      logical y(8, 8)
      integer*8 index
      real four
      logical ok
      three = 3
      four = 4.0
      me = ga_nodeid()
      ok = ga_create(mt_int, 8, 8, 'i', -1, -1, g)
      ok = ga_create(mt_real, 8, 8, 'r', -1, -1, h)
      ok = ga_create(mt_dcpl, 8, 8, 'z', -1, -1, k)
      call ga_fill(g, three)
      call ga_fill(h, four)
      call ga_fill(k, (5.0d0, 6.0d0))
      call ga_distribution(g, me, ilo, ihi, jlo, jhi)
      call ga_access(g, ilo, ihi, jlo, jhi, index, ld)
      call check('integer', int_mb(index), 3)
      int_mb(index) = me
      call ga_release_update(g, ilo, ihi, jlo, jhi)
      call ga_access(h, ilo, ihi, jlo, jhi, index, ld)
      call check_near('real', dble(real_mb(index)), 4.0d0)
      call ga_release(h, ilo, ihi, jlo, jhi)
      call ga_access(k, ilo, ihi, jlo, jhi, index, ld)
      call check_near('complex', dimag(dcpl_mb(index)), 6.0d0)
      call ga_release(k, ilo, ihi, jlo, jhi)
      ok = ga_create(mt_log, 8, 8, 'l', -1, -1, l)
      call ga_zero(l)
      call ga_access(l, ilo, ihi, jlo, jhi, index, ld)
      call check('false', merge(1, 0, log_mb(index)), 0)
      log_mb(index) = .true.
      call ga_release_update(l, ilo, ihi, jlo, jhi)
      call ga_sync()
      call ga_get(g, 1, 8, 1, 8, x, 8)
      call check('mine', x(ilo, jlo), me)
      call ga_get(l, 1, 8, 1, 8, y, 8)
      call check('true', merge(1, 0, y(ilo, jlo)), 1)
      call check('all that is true', count(y), ga_nnodes())
      call drop(l)
      call drop(g)
      call drop(h)
      call drop(k)
      call done('access of other types')
      end

      subroutine test_scatter_and_gather
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i(30), j(30), k
      double precision v(30), elem
      call make(14, 9, g)
      do k = 1, 30
        i(k) = mod(5 * k, 14) + 1
        j(k) = mod(4 * k, 9) + 1
        v(k) = 0.0d0
      end do
      call ga_gather(g, v, i, j, 30)
      do k = 1, 30
        call check_near('gathered', v(k), elem(i(k), j(k)))
        v(k) = -k
      end do
      call ga_sync()
      if (ga_nodeid() .eq. 0) call ga_scatter(g, v, i, j, 30)
      call ga_sync()
      do k = 1, 30
        v(k) = 0.0d0
      end do
      call ga_gather(g, v, i, j, 30)
      do k = 1, 30
        call check_near('scattered', v(k), dble(-k))
      end do
      call drop(g)
      call done('scatter and gather')
      end

      subroutine test_counter
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, k, next, seen(400), n
      logical ok
      n = ga_nnodes()
      ok = ga_create(mt_int, 1, 2, 'counter', -1, -1, g)
      call ga_zero(g)
      do k = 1, 400
        seen(k) = 0
      end do
      do k = 1, 50
        next = ga_read_inc(g, 1, 2, 2)
        call check('even', mod(next, 2), 0)
        seen(next / 2 + 1) = seen(next / 2 + 1) + 1
      end do
      call ga_igop(1, seen, 400, '+')
      do k = 1, 50 * n
        call check('each ticket once', seen(k), 1)
      end do
      call check('the next', ga_read_inc(g, 1, 2, 0), 100 * n)
      call check('the other', ga_read_inc(g, 1, 1, 0), 0)
      call drop(g)
      call done('counter')
      end

      subroutine test_whole_arrays
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, b, c, s, i, j
      double precision x(20, 20), elem
      logical ok
      call make(14, 9, a)
      ok = ga_duplicate(a, b, 'b')
      ok = ga_create(mt_dbl, 9, 14, 'transposed', -1, -1, c)
      call make(9, 9, s)
      call ga_copy(a, b)
      call ga_scale(b, 2.0d0)
      call ga_transpose(a, c)
      call ga_symmetrize(s)
      call get_all(b, 14, 9, x)
      do j = 1, 9
        do i = 1, 14
          call check_near('scaled', x(i, j), 2.0d0 * elem(i, j))
        end do
      end do
      call get_all(c, 9, 14, x)
      do j = 1, 14
        do i = 1, 9
          call check_near('transposed', x(i, j), elem(j, i))
        end do
      end do
      call get_all(s, 9, 9, x)
      do j = 1, 9
        do i = 1, 9
          x(i, j) = 2.0d0 * x(i, j)
          call check_near('mean', x(i, j), elem(i, j) + elem(j, i))
        end do
      end do
      call ga_add(3.0d0, a, -1.0d0, b, b)
      call get_all(b, 14, 9, x)
      call check_near('sum', x(14, 9), elem(14, 9))
      call ga_dadd(3.0d0, a, -1.0d0, b, b)
      call get_all(b, 14, 9, x)
      call check_near('sum', x(13, 2), 2.0d0 * elem(13, 2))
      call ga_fill(b, 1.5d0)
      call get_all(b, 14, 9, x)
      call check_near('filled', x(14, 1), 1.5d0)
      call ga_zero(b)
      call get_all(b, 14, 9, x)
      call check_near('zero', x(1, 9), 0.0d0)
      call drop(a)
      call drop(b)
      call drop(c)
      call drop(s)
      call done('whole arrays')
      end

      subroutine test_patches
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, b, i, j
      double precision x(20, 20), elem, y
      call make(14, 9, a)
      call make(14, 14, b)
      call ga_zero(b)
      call ga_copy_patch('n', a, 2, 6, 3, 7, b, 10, 14, 1, 5)
      call ga_copy_patch('t', a, 2, 7, 3, 4, b, 1, 2, 9, 14)
      call ga_copy_patch('n', a, 1, 4, 1, 3, b, 5, 6, 7, 12)
      call get_all(b, 14, 14, x)
      do j = 1, 5
        do i = 10, 14
          call check_near('copied', x(i, j), elem(i - 8, j + 2))
        end do
      end do
      do j = 9, 14
        do i = 1, 2
          call check_near('turned', x(i, j), elem(j - 7, i + 2))
        end do
      end do
      do j = 0, 11
        y = elem(mod(j, 4) + 1, j / 4 + 1)
        call check_near('reshaped', x(mod(j, 2) + 5, j / 2 + 7), y)
      end do
      call check_near('not touched', x(7, 1), 0.0d0)
      call ga_scale_patch(b, 10, 14, 1, 5, -2.0d0)
      call get_all(b, 14, 14, x)
      call check_near('scaled', x(10, 1), -2.0d0 * elem(2, 3))
      call check_near('not scaled', x(1, 9), elem(2, 3))
      y = 1.0d0
      call ga_add_patch(y,a,1,3,1,4,2.0d0,a,4,6,2,5,b,7,9,3,6)
      call ga_dadd_patch(y,a,1,3,1,4,-y,a,4,6,2,5,b,1,3,1,4)
      call get_all(b, 14, 14, x)
      do j = 1, 4
        do i = 1, 3
          y = elem(i, j) + 2.0d0 * elem(i + 3, j + 1)
          call check_near('sum', x(i + 6, j + 2), y)
          y = elem(i, j) - elem(i + 3, j + 1)
          call check_near('difference', x(i, j), y)
        end do
      end do
      call ga_fill_patch(b, 1, 2, 3, 4, 8.0d0)
      call get_all(b, 14, 14, x)
      call check_near('filled', x(2, 4), 8.0d0)
      call check_near('not filled', x(3, 4), elem(3,4) - elem(6,5))
      call drop(a)
      call drop(b)
      call done('patches')
      end

      subroutine test_dot_products
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, b, g, i, j
      double precision elem, y, z, found
      logical ok
      call make(14, 9, a)
      call make(9, 14, b)
      y = 0.0d0
      do j = 1, 9
        do i = 1, 14
          y = y + elem(i, j)**2
        end do
      end do
      call check_near('dot', ga_ddot(a, a), y)
      y = 0.0d0
      z = 0.0d0
      do j = 1, 3
        do i = 1, 5
          y = y + elem(i + 1, j + 2) * elem(i + 4, j)
          z = z + elem(i + 1, j + 2) * elem(j + 5, i + 8)
        end do
      end do
      found = ga_ddot_patch(a,'n',2,6,3,5,a,'n',5,9,1,3)
      call check_near('patches', found, y)
      found = ga_ddot_patch(a,'n',2,6,3,5,b,'t',6,8,9,13)
      call check_near('transposed patch', found, z)
      ok = ga_create(mt_int, 10, 10, 'i', -1, -1, g)
      i = 3
      call ga_fill(g, i)
      call check('integers', ga_idot(g, g), 900)
      call drop(a)
      call drop(b)
      call drop(g)
      call done('dot products')
      end

! Element (i, j) of op(A) op(B), all of them 8 x 8 test matrices.
      double precision function prod(ta, tb, i, j, k)
      implicit none
      logical ta, tb
      integer i, j, k, l
      double precision elem, x, y
      prod = 0.0d0
      do l = 1, k
        x = elem(i, l)
        if (ta) x = elem(l, i)
        y = elem(l, j)
        if (tb) y = elem(j, l)
        prod = prod + x * y
      end do
      end

      subroutine test_products
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, b, c, ta, tb, i, j, l
      double precision x(20, 20), prod, elem, y
      character*1 op(2)
      data op /'n', 't'/
      call make(8, 8, a)
      call make(8, 8, b)
      call make(8, 8, c)
      do ta = 1, 2
        do tb = 1, 2
          call ga_zero(c)
          call ga_dgemm(op(ta),op(tb),8,8,8,2.0d0,a,b,0.0d0,c)
          call get_all(c, 8, 8, x)
          do j = 1, 8
            do i = 1, 8
              y = 2.0d0 * prod(ta .eq. 2, tb .eq. 2, i, j, 8)
              call check_near('product', x(i, j), y)
            end do
          end do
        end do
      end do
      call ga_copy(a, c)
      call ga_dgemm('n', 'n', 8, 8, 8, 1.0d0, a, b, -3.0d0, c)
      call get_all(c, 8, 8, x)
      y = prod(.false., .false., 7, 2, 8) - 3.0d0 * elem(7, 2)
      call check_near('product and old', x(7, 2), y)
      call ga_zero(c)
      y = 1.0d0
      call ga_matmul_patch('n','n',y,y,a,2,5,1,6,b,3,8,1,3,c,5,8,6,8)
      call get_all(c, 8, 8, x)
      do j = 1, 3
        do i = 1, 4
          y = 0.0d0
          do l = 1, 6
            y = y + elem(i + 1, l) * elem(l + 2, j)
          end do
          call check_near('patch', x(i + 4, j + 5), y)
        end do
      end do
      call check_near('not in the patch', x(4, 6), 0.0d0)
      call ga_zero(c)
      y = 1.0d0
! The range of a transposed matrix is given after the transposition.
      call ga_matmul_patch('t','n',y,y,a,2,5,1,6,b,3,8,1,3,c,5,8,6,8)
      call get_all(c, 8, 8, x)
      do j = 1, 3
        do i = 1, 4
          y = 0.0d0
          do l = 1, 6
            y = y + elem(l, i + 1) * elem(l + 2, j)
          end do
          call check_near('transposed', x(i + 4, j + 5), y)
        end do
      end do
      call drop(a)
      call drop(b)
      call drop(c)
      call done('products')
      end

      subroutine test_reductions
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer me, n, k(2), m
      double precision x(3), f
      me = ga_nodeid()
      n = ga_nnodes()
      f = 1.0d0
      do m = 1, n
        f = f * m
      end do
      x(1) = me + 1
      x(2) = -me - 1
      x(3) = 7.0d0
      call ga_dgop(1, x, 2, '+')
      call check_near('+', x(1), dble(n * (n + 1) / 2))
      call check_near('+', x(2), dble(-n * (n + 1) / 2))
      call check_near('not reduced', x(3), 7.0d0)
      x(1) = me + 1
      call ga_dgop(2, x, 1, '*')
      call check_near('*', x(1), f)
      x(1) = -me - 1
      call ga_dgop(3, x, 1, 'max')
      call check_near('max', x(1), -1.0d0)
      x(1) = -me - 1
      call ga_dgop(4, x, 1, 'min')
      call check_near('min', x(1), dble(-n))
      x(1) = -me - 1
      call ga_dgop(5, x, 1, 'absmax')
      call check_near('absmax', x(1), dble(n))
      x(1) = -me - 1
      call ga_dgop(6, x, 1, 'absmin')
      call check_near('absmin', x(1), 1.0d0)
      k(1) = me
      k(2) = -me
      call ga_igop(7, k, 2, 'max')
      call check('max', k(1), n - 1)
      call check('max', k(2), 0)
      k(1) = me + 1
      call ga_igop(8, k, 1, '+')
      call check('+', k(1), n * (n + 1) / 2)
      k(1) = 2**me
      call ga_igop(9, k, 1, 'or')
      call check('or', k(1), 2**n - 1)
      k(1) = -me - 1
      call ga_igop(10, k, 1, 'absmax')
      call check('absmax', k(1), n)
      call done('reductions')
      end

      subroutine test_broadcast
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer me, n, root, bytes
      double precision x(4)
      character*8 text
      me = ga_nodeid()
      n = ga_nnodes()
      root = n - 1
      x(1) = me
      x(2) = me
      x(3) = -1.0d0
      text = 'nothing'
      if (me .eq. root) text = 'all'
      bytes = 16
      call ga_brdcst(1, x, bytes, root)
      call check_near('broadcast', x(1), dble(root))
      call check_near('broadcast', x(2), dble(root))
      call check_near('not broadcast', x(3), -1.0d0)
      call ga_brdcst(2, text, 8, root)
      call check_true('characters', text .eq. 'all')
      call done('broadcast')
      end

      subroutine test_mutexes
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, k, x
      logical ok
      ok = ga_create(mt_int, 1, 1, 'guarded', -1, -1, g)
      call ga_zero(g)
      call check_true('create_mutexes', ga_create_mutexes(3))
      do k = 1, 20
        call ga_lock(2)
        call ga_init_fence()
        call ga_get(g, 1, 1, 1, 1, x, 1)
        x = x + 1
        call ga_put(g, 1, 1, 1, 1, x, 1)
        call ga_fence()
        call ga_unlock(2)
      end do
      call ga_sync()
      call ga_get(g, 1, 1, 1, 1, x, 1)
      call check('one at a time', x, 20 * ga_nnodes())
      call check_true('destroy_mutexes', ga_destroy_mutexes())
      call drop(g)
      call done('mutexes')
      end

      subroutine test_masks
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g
      double precision x(20, 20)
      call make(14, 9, g)
      call ga_mask_sync(.false., .false.)
      call ga_fill(g, 2.0d0)
      call get_all(g, 14, 9, x)
      call check_near('filled', x(14, 9), 2.0d0)
      call ga_mask_sync(.true., .false.)
      call ga_zero(g)
      call get_all(g, 14, 9, x)
      call check_near('zero', x(14, 9), 0.0d0)
      call drop(g)
      call done('masks')
      end

! Names that are older than the generic ones, and drand.
      subroutine test_old_names
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, k
      double precision x(20, 20), elem, drand, y, low, high
      external drand
      call make(14, 9, g)
      call ga_dscal(g, 2.0d0)
      call ga_dscal_patch(g, 1, 1, 1, 1, 5.0d0)
      call get_all(g, 14, 9, x)
      call check_near('dscal', x(14, 9), 2.0d0 * elem(14, 9))
      call check_near('dscal_patch', x(1, 1), 10.0d0 * elem(1, 1))
      call drop(g)
      low = 1.0d0
      high = 0.0d0
      do k = 1, 1000
        y = drand(0)
        low = min(low, y)
        high = max(high, y)
      end do
      call check_true('drand', low .ge. 0.0d0 .and. low .lt. 0.1d0)
      call check_true('drand', high .lt. 1.0d0 .and. high .gt. 0.9d0)
      call done('old names')
      end
