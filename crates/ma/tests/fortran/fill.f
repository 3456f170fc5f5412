! The work on blocks for legacy.f. It has a file of its own as in real
! programs: a compiler that sees both may believe that a loop over a
! base array ends with its two declared elements.
      subroutine fill_bytes(n, x)
      implicit none
      integer n, i
      character*1 x(n)
      do i = 1, n
      x(i) = char(65 + mod(i, 26))
      end do
      end

      subroutine fill_integers(n, x)
      implicit none
      integer n, i
      integer x(n)
      do i = 1, n
      x(i) = 3 * i
      end do
      end

      subroutine fill_logicals(n, x)
      implicit none
      integer n, i
      logical x(n)
      do i = 1, n
      x(i) = mod(i, 2) .eq. 0
      end do
      end

      subroutine fill_reals(n, x)
      implicit none
      integer n, i
      real x(n)
      do i = 1, n
      x(i) = 0.5 * i
      end do
      end

      subroutine fill_doubles(n, x)
      implicit none
      integer n, i
      double precision x(n)
      do i = 1, n
      x(i) = 0.25d0 * i
      end do
      end

      double precision function dot(n, x, y)
      implicit none
      integer n, i
      double precision x(n), y(n)
      dot = 0.0d0
      do i = 1, n
      dot = dot + x(i) * y(i)
      end do
      end

      subroutine fill_complexes(n, x)
      implicit none
      integer n, i
      complex x(n)
      do i = 1, n
      x(i) = cmplx(real(i), -real(i))
      end do
      end

      subroutine fill_double_complexes(n, x)
      implicit none
      integer n, i
      double complex x(n)
      do i = 1, n
      x(i) = dcmplx(dble(i), -dble(i))
      end do
      end

      subroutine store(x, value)
      implicit none
      double precision x, value
      x = value
      end
