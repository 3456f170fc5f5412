! The Fortran half of mixed.c.
      subroutine add_one(handle, n)
      implicit none
      include 'mafdecls.fh'
      integer handle, n
      integer*8 k
      if (.not. ma_get_index(handle, k)) stop 1
      call add_one_to(n, dbl_mb(k))
      end

      subroutine add_one_to(n, x)
      implicit none
      integer n, i
      double precision x(n)
      do i = 1, n
      x(i) = x(i) + 1.0d0
      end do
      end

      subroutine make_integers(handle, n)
      implicit none
      include 'mafdecls.fh'
      integer handle, n
      integer*8 k
      if (.not. ma_alloc_get(mt_int, n, 'F', handle, k)) stop 2
      call count_up(n, int_mb(k))
      end

      subroutine count_up(n, x)
      implicit none
      integer n, i, x(n)
      do i = 1, n
      x(i) = i
      end do
      end
