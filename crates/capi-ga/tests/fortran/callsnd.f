! The calls for arrays of any dimension as old programs make them. Valid
! in fixed and in free form, compiled with INCLUDE or with cpp, with
! INTEGER of 4 and of 8 bytes, run on any number of ranks.
      program callsnd
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'mpif.h'
      integer*4 ierr
      integer failures
      common /counts/ failures
      failures = 0
      call mpi_init(ierr)
      if (.not. ma_init(mt_dbl, 100000, 100000)) stop 2
      call ga_initialize()
      call test_create_and_inquire
      call test_distribution
      call test_irregular
      call test_put_and_get
      call test_one_dimension
      call test_accumulate
      call test_nonblocking
      call test_strided
      call test_access
      call test_scatter_and_gather
      call test_counter
      call test_patches
      call test_dot_products
      call test_products
      call test_groups
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

! What element (i, j, k) of the test arrays is.
      double precision function elem(i, j, k)
      implicit none
      integer i, j, k
      elem = dble(10000 * i + 100 * j + k)
      end

! A 7 x 6 x 5 array of doubles that holds elem(i, j, k).
      subroutine make(g)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, dims(3), chunk(3), lo(3), hi(3), ld(2), i, j, k
      double precision a(7, 6, 5), elem
      logical ok
      data dims /7, 6, 5/, chunk /-1, -1, -1/, lo /1, 1, 1/
      data hi /7, 6, 5/, ld /7, 6/
      ok = nga_create(mt_dbl, 3, dims, 'filled', chunk, g)
      call check_true('create', ok)
      do k = 1, 5
        do j = 1, 6
          do i = 1, 7
            a(i, j, k) = elem(i, j, k)
          end do
        end do
      end do
      if (ga_nodeid() .eq. 0) call nga_put(g, lo, hi, a, ld)
      call ga_sync()
      end

      subroutine get_all(g, a)
      implicit none
      include 'global.fh'
      integer g, lo(3), hi(3), ld(2)
      double precision a(7, 6, 5)
      data lo /1, 1, 1/, hi /7, 6, 5/, ld /7, 6/
      call ga_sync()
      call nga_get(g, lo, hi, a, ld)
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

      subroutine set3(x, a, b, c)
      implicit none
      integer x(3), a, b, c
      x(1) = a
      x(2) = b
      x(3) = c
      end

      subroutine test_create_and_inquire
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, code, n, dims(7), found(7), k, chunk(7)
      character*20 name
      logical ok
      do k = 1, 7
        dims(k) = k + 1
        chunk(k) = -1
      end do
      do n = 1, 7
        ok = nga_create(mt_int, n, dims, ' with blanks ', chunk, g)
        call check_true('create', ok)
        call nga_inquire(g, code, k, found)
        call check('type', code, mt_int)
        call check('dimensions', k, n)
        do k = 1, n
          call check('extent', found(k), k + 1)
        end do
        call check('ndim', ga_ndim(g), n)
        call ga_inquire_name(g, name)
        call check_true('name', name .eq. ' with blanks')
        call drop(g)
      end do
      call done('create and inquire')
      end

      subroutine test_distribution
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, p, lo(3), hi(3), total, owner, n, k, d
      integer map(6, 64), list(64), rlo(3), rhi(3), part
      logical ok
      call make(g)
      total = 0
      do p = 0, ga_nnodes() - 1
        call nga_distribution(g, p, lo, hi)
        part = 1
        do d = 1, 3
          part = part * (hi(d) - lo(d) + 1)
        end do
        total = total + part
        ok = nga_locate(g, hi, owner)
        call check_true('located', ok)
        call check('owner', owner, p)
      end do
      call check('all elements', total, 210)
      call nga_distribution(g, ga_nnodes(), lo, hi)
      call check('nothing from', lo(3), 0)
      call check('nothing to', hi(3), -1)
      call set3(lo, 8, 1, 1)
      ok = nga_locate(g, lo, owner)
      call check_true('outside', .not. ok)
      call check('no owner', owner, -1)
      call set3(rlo, 2, 1, 2)
      call set3(rhi, 6, 5, 4)
      ok = nga_locate_region(g, rlo, rhi, map, list, n)
      call check_true('region', ok)
      total = 0
      do k = 1, n
        call nga_distribution(g, list(k), lo, hi)
        part = 1
        do d = 1, 3
          call check('from', map(d, k), max(lo(d), rlo(d)))
          call check('to', map(d + 3, k), min(hi(d), rhi(d)))
          part = part * (map(d + 3, k) - map(d, k) + 1)
        end do
        total = total + part
      end do
      call check('the whole region', total, 75)
      call drop(g)
      call done('distribution')
      end

! Only the second dimension is cut: 1, 1, ..., the rest.
      subroutine test_irregular
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, h, dims(3), map(66), blocks(3), k, n, me, lo(3), hi(3)
      logical ok
      n = ga_nnodes()
      me = ga_nodeid()
      call set3(dims, 4, 20, 3)
      call set3(blocks, 1, n, 1)
      map(1) = 1
      do k = 1, n
        map(k + 1) = k
      end do
      map(n + 2) = 1
      ok = nga_create_irreg(mt_dbl, 3, dims, 'x', map, blocks, g)
      call check_true('create_irreg', ok)
      call nga_distribution(g, me, lo, hi)
      call check('from', lo(2), me + 1)
      if (me .lt. n - 1) call check('to', hi(2), me + 1)
      if (me .eq. n - 1) call check('the rest', hi(2), 20)
      call check('uncut', hi(1), 4)
      call check('uncut', hi(3), 3)
      ok = ga_duplicate(g, h, 'y')
      call check_true('same', ga_compare_distr(g, h))
      call drop(g)
      call drop(h)
      call done('irregular distribution')
      end

      subroutine test_put_and_get
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j, k, lo(3), hi(3), ld(2)
      double precision a(7, 6, 5), b(4, 3, 2), elem
      call make(g)
      call get_all(g, a)
      do k = 1, 5
        do j = 1, 6
          do i = 1, 7
            call check_near('all', a(i, j, k), elem(i, j, k))
          end do
        end do
      end do
      do k = 1, 2
        do j = 1, 3
          do i = 1, 4
            b(i, j, k) = -1.0d0
          end do
        end do
      end do
      call set3(lo, 4, 3, 2)
      call set3(hi, 6, 4, 3)
      ld(1) = 4
      ld(2) = 3
      call nga_get(g, lo, hi, b, ld)
      do k = 1, 2
        do j = 1, 2
          do i = 1, 3
            call check_near('part', b(i, j, k), elem(i+3, j+2, k+1))
          end do
          call check_near('not touched', b(4, j, k), -1.0d0)
        end do
        call check_near('not touched', b(1, 3, k), -1.0d0)
      end do
      call drop(g)
      call done('put and get')
      end

      subroutine test_one_dimension
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, x(50)
      logical ok
      ok = nga_create(mt_int, 1, 50, 'line', -1, g)
      call check_true('create', ok)
      do i = 1, 50
        x(i) = i * i
      end do
      if (ga_nodeid() .eq. 0) call nga_put(g, 1, 50, x, 50)
      call ga_sync()
      call nga_get(g, 11, 15, x, 5)
      do i = 1, 5
        call check('part', x(i), (i + 10)**2)
      end do
      call drop(g)
      call done('one dimension')
      end

      subroutine test_accumulate
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j, k, lo(3), hi(3), ld(2), n
      double precision a(7, 6, 5), b(3, 2, 2), elem, x
      n = ga_nnodes()
      call make(g)
      do k = 1, 2
        do j = 1, 2
          do i = 1, 3
            b(i, j, k) = i + j + k
          end do
        end do
      end do
      call set3(lo, 3, 3, 3)
      call set3(hi, 5, 4, 4)
      ld(1) = 3
      ld(2) = 2
      call nga_acc(g, lo, hi, b, ld, -2.0d0)
      call get_all(g, a)
      do k = 1, 2
        do j = 1, 2
          do i = 1, 3
            x = elem(i + 2, j + 2, k + 2) - 2.0d0 * n * (i + j + k)
            call check_near('sum', a(i + 2, j + 2, k + 2), x)
          end do
        end do
      end do
      call check_near('not touched', a(2, 3, 3), elem(2, 3, 3))
      call drop(g)
      call done('accumulate')
      end

      subroutine test_nonblocking
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j, k, lo(3), hi(3), ld(2), put, acc, get(5), me
      double precision a(7, 6, 5), c(7), elem
      call make(g)
      me = ga_nodeid()
      ld(1) = 7
      ld(2) = 1
      do i = 1, 7
        c(i) = -i
      end do
      call set3(lo, 1, me + 1, 5)
      call set3(hi, 7, me + 1, 5)
      call nga_nbput(g, lo, hi, c, ld, put)
      call nga_nbwait(put)
      call nga_nbacc(g, lo, hi, c, ld, 4.0d0, acc)
      call nga_nbwait(acc)
      call ga_sync()
      ld(2) = 6
      do k = 1, 5
        call set3(lo, 1, 1, k)
        call set3(hi, 7, 6, k)
        call nga_nbget(g, lo, hi, a(1, 1, k), ld, get(k))
      end do
      do k = 1, 5
        call nga_nbwait(get(k))
      end do
      do j = 1, ga_nnodes()
        call check_near('put and added', a(3, j, 5), -15.0d0)
      end do
      call check_near('not touched', a(3, 6, 5), elem(3, 6, 5))
      call check_near('not touched', a(7, 1, 4), elem(7, 1, 4))
      call drop(g)
      call done('nonblocking')
      end

      subroutine test_strided
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, i, j, k, lo(3), hi(3), skip(3), ld(2)
      double precision a(7, 6, 5), b(4, 2, 1), elem
      call make(g)
      call set3(lo, 1, 2, 3)
      call set3(hi, 7, 5, 3)
      call set3(skip, 2, 3, 1)
      ld(1) = 4
      ld(2) = 2
      call nga_strided_get(g, lo, hi, skip, b, ld)
      do j = 1, 2
        do i = 1, 4
          call check_near('picked', b(i,j,1), elem(2*i-1, 3*j-1, 3))
          b(i, j, 1) = -10 * i - j
        end do
      end do
      call ga_sync()
      if (ga_nodeid() .eq. 0) then
        call nga_strided_put(g, lo, hi, skip, b, ld)
        call nga_strided_acc(g, lo, hi, skip, b, ld, 1.0d0)
      end if
      call get_all(g, a)
      call check_near('placed', a(7, 5, 3), -84.0d0)
      call check_near('between', a(6, 5, 3), elem(6, 5, 3))
      call check_near('between', a(7, 4, 3), elem(7, 4, 3))
      k = ga_nnodes()
      call check_true('ranks', k .gt. 0)
      call drop(g)
      call done('strided')
      end

      subroutine test_access
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, lo(3), hi(3), ld(2), i, j, k, off
      integer*8 index
      double precision a(7, 6, 5), elem
      call make(g)
      call nga_distribution(g, ga_nodeid(), lo, hi)
      call nga_access(g, lo, hi, index, ld)
      call check('ld', ld(1), hi(1) - lo(1) + 1)
      call check('ld', ld(2), hi(2) - lo(2) + 1)
      do k = lo(3), hi(3)
        do j = lo(2), hi(2)
          do i = lo(1), hi(1)
            off = ((k - lo(3)) * ld(2) + j - lo(2)) * ld(1) + i - lo(1)
            call check_near('in place', dbl_mb(index+off), elem(i,j,k))
            dbl_mb(index + off) = -elem(i, j, k)
          end do
        end do
      end do
      call nga_release_update(g, lo, hi)
      call get_all(g, a)
      call check_near('changed', a(7, 6, 5), -elem(7, 6, 5))
      call check_near('changed', a(1, 1, 1), -elem(1, 1, 1))
      call check_near('changed', a(4, 3, 2), -elem(4, 3, 2))
      call nga_access(g, lo, lo, index, ld)
      call check_near('first', dbl_mb(index), -elem(lo(1),lo(2),lo(3)))
      call nga_release(g, lo, lo)
      call drop(g)
      call done('access')
      end

      subroutine test_scatter_and_gather
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, at(3, 25), k
      double precision v(25), elem
      call make(g)
      do k = 1, 25
        at(1, k) = mod(3 * k, 7) + 1
        at(2, k) = mod(5 * k, 6) + 1
        at(3, k) = mod(2 * k, 5) + 1
        v(k) = 0.0d0
      end do
      call nga_gather(g, v, at, 25)
      do k = 1, 25
        call check_near('got', v(k), elem(at(1,k), at(2,k), at(3,k)))
        v(k) = -k
      end do
      call ga_sync()
      if (ga_nodeid() .eq. 0) call nga_scatter(g, v, at, 25)
      call ga_sync()
      call nga_scatter_acc(g, v, at, 25, 3.0d0)
      call ga_sync()
      call nga_gather(g, v, at, 25)
      do k = 1, 25
        call check_near('sum', v(k), dble(-k * (1 + 3 * ga_nnodes())))
      end do
      call drop(g)
      call done('scatter and gather')
      end

      subroutine test_counter
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, dims(3), at(3), k, mine
      logical ok
      call set3(dims, 2, 3, 4)
      call set3(at, 2, 1, 3)
      ok = nga_create(mt_int, 3, dims, 'counters', dims, g)
      call ga_zero(g)
      mine = 0
      do k = 1, 20
        mine = mine + nga_read_inc(g, at, 1)
      end do
      call ga_igop(3, mine, 1, '+')
      k = 20 * ga_nnodes()
      call check('sum of tickets', mine, k * (k - 1) / 2)
      call check('next', nga_read_inc(g, at, 0), k)
      call drop(g)
      call done('counter')
      end

      subroutine test_patches
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, b, i, j, k, alo(3), ahi(3), blo(3), bhi(3)
      integer clo(3), chi(3)
      double precision x(7, 6, 5), elem, y, one
      logical ok
      one = 1.0d0
      call make(a)
      ok = ga_duplicate(a, b, 'b')
      call ga_zero(b)
      call set3(alo, 2, 1, 1)
      call set3(ahi, 4, 2, 5)
      call set3(blo, 5, 5, 1)
      call set3(bhi, 7, 6, 5)
      call nga_copy_patch('n', a, alo, ahi, b, blo, bhi)
      call get_all(b, x)
      do k = 1, 5
        do j = 1, 2
          do i = 1, 3
            call check_near('copy', x(i+4,j+4,k), elem(i+1,j,k))
          end do
        end do
      end do
      call check_near('not copied', x(4, 5, 1), 0.0d0)
      call nga_scale_patch(b, blo, bhi, 0.5d0)
      call set3(clo, 1, 1, 1)
      call set3(chi, 3, 2, 5)
      call nga_add_patch(2*one, a, alo, ahi, one, b, blo, bhi,b,clo,chi)
      call get_all(b, x)
      do k = 1, 5
        do j = 1, 2
          do i = 1, 3
            y = 2.5d0 * elem(i + 1, j, k)
            call check_near('sum', x(i, j, k), y)
          end do
        end do
      end do
      call nga_fill_patch(b, blo, blo, 3.0d0)
      call nga_zero_patch(b, bhi, bhi)
      call get_all(b, x)
      call check_near('filled', x(5, 5, 1), 3.0d0)
      call check_near('zero', x(7, 6, 5), 0.0d0)
      call check_near('neither', x(6, 6, 5), elem(3, 2, 5) * 0.5d0)
      call drop(a)
      call drop(b)
      call done('patches')
      end

      subroutine test_dot_products
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, lo(3), hi(3), blo(3), bhi(3), i, j, k
      double precision elem, y, found
      call make(a)
      call set3(lo, 2, 1, 1)
      call set3(hi, 4, 3, 2)
      call set3(blo, 5, 4, 4)
      call set3(bhi, 7, 6, 5)
      y = 0.0d0
      do k = 1, 2
        do j = 1, 3
          do i = 1, 3
            y = y + elem(i + 1, j, k) * elem(i + 4, j + 3, k + 3)
          end do
        end do
      end do
      found = nga_ddot_patch(a, 'n', lo, hi, a, 'n', blo, bhi)
      call check_near('patches', found, y)
      call drop(a)
      call done('dot products')
      end

      subroutine test_products
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer a, b, c, dims(2), lo(2), hi(2), blo(2), bhi(2)
      integer clo(2), chi(2), chunk(2), i, j, l
      double precision x(6, 4), y, one
      logical ok
      data dims /9, 9/, chunk /-1, -1/, lo /2, 1/, hi /7, 3/
      data blo /4, 5/, bhi /6, 8/, clo /3, 4/, chi /8, 7/
      one = 1.0d0
      ok = nga_create(mt_dbl, 2, dims, 'a', chunk, a)
      ok = ga_duplicate(a, b, 'b')
      ok = ga_duplicate(a, c, 'c')
      call ga_zero(c)
      do j = 1, 9
        do i = 1, 9
          y = i + 10 * j
          if (ga_nodeid() .eq. 0) call ga_put(a, i, i, j, j, y, 1)
          y = i * i - j
          if (ga_nodeid() .eq. 0) call ga_put(b, i, i, j, j, y, 1)
        end do
      end do
      call ga_sync()
      y = 0.0d0
      call product(one, y, a, lo, hi, b, blo, bhi, c, clo, chi)
      call ga_sync()
      call nga_get(c, clo, chi, x, 6)
      do j = 1, 4
        do i = 1, 6
          y = 0.0d0
          do l = 1, 3
            y = y + (i + 1 + 10 * l) * ((l + 3)**2 - j - 4)
          end do
          call check_near('patch', x(i, j), y)
        end do
      end do
      call drop(a)
      call drop(b)
      call drop(c)
      call done('products')
      end

      subroutine product(x, y, a, lo, hi, b, bl, bh, c, cl, ch)
      implicit none
      integer a, b, c, lo(2), hi(2), bl(2), bh(2), cl(2), ch(2)
      double precision x, y
      call nga_matmul_patch('n','n',x,y,a,lo,hi,b,bl,bh,c,cl,ch)
      end

      subroutine test_groups
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer list(64), k, group, n, half, g
      double precision x
      logical ok
      n = ga_nnodes()
      half = (n + 1) / 2
      do k = 1, half
        list(k) = k - 1
      end do
      group = ga_pgroup_create(list, half)
      if (ga_nodeid() .lt. half) then
        call check('members', ga_pgroup_nnodes(group), half)
        call check('me', ga_pgroup_nodeid(group), ga_nodeid())
        x = 1.0d0
        call ga_pgroup_dgop(group, 5, x, 1, '+')
        call check_near('sum', x, dble(half))
        call ga_pgroup_sync(group)
        ok = nga_create_config(mt_dbl, 1, 9, 'g', -1, group, g)
        call check_true('create in the group', ok)
        call check('its group', ga_get_pgroup(g), group)
        ok = ga_destroy(g)
        ok = ga_pgroup_destroy(group)
        call check_true('destroy the group', ok)
      end if
      call ga_sync()
      call done('groups')
      end
