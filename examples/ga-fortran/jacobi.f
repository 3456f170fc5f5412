! The temperature of a square plate whose edges are held at given
! temperatures: Jacobi's method on a distributed array, as programs for
! Global Arrays are written. Each process fetches its block with the
! rows and columns around it, computes the means of neighbours, and
! puts its block into a second array; then the two change places.
!
! The edges have the temperature x + 2 y, and so has, in the end, the
! inside: the program checks it.
      program jacobi
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'mpif.h'
      integer n, steps
      parameter (n = 24, steps = 10000)
      integer*4 ierr
      integer old, new, step, swap
      double precision change, wrong, error_of
      logical ok
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(mt_dbl, 200000, 200000)) then
        call ga_error('no memory for MA', 0)
      end if
      ok = ga_create(mt_dbl, n, n, 'plate', -1, -1, old)
      if (ok) ok = ga_duplicate(old, new, 'next plate')
      if (.not. ok) call ga_error('no memory for the plate', n)
      call heat_edges(old, n)
      call ga_copy(old, new)
      do step = 1, steps
        call sweep(old, new, n, change)
        call ga_sync()
        swap = old
        old = new
        new = swap
        if (change .lt. 1.0d-10) goto 10
      end do
      call ga_error('no convergence', steps)
 10   wrong = error_of(old, n)
      if (ga_nodeid() .eq. 0) then
        write(*,'(a,i6,a)') ' converged after ', step, ' sweeps'
        write(*,'(a,1p,e9.1)') ' largest error   ', wrong
        write(*,*) 'a corner of the plate:'
      end if
      call ga_print_patch(old, 1, 4, 1, 4, 0)
      if (wrong .gt. 1.0d-6) call ga_error('the plate is wrong', 1)
      ok = ga_destroy(old)
      ok = ga_destroy(new)
      call ga_terminate()
      call mpi_finalize(ierr)
      end

      double precision function edge(i, j)
      implicit none
      integer i, j
      edge = dble(i) + 2.0d0 * dble(j)
      end

! One process writes the edges; the inside begins at zero.
      subroutine heat_edges(g, n)
      implicit none
      include 'global.fh'
      integer g, n, k
      double precision edge, zero
      zero = 0.0d0
      call ga_fill(g, zero)
      if (ga_nodeid() .eq. 0) then
        do k = 1, n
          call ga_put(g, k, k, 1, 1, edge(k, 1), 1)
          call ga_put(g, k, k, n, n, edge(k, n), 1)
          call ga_put(g, 1, 1, k, k, edge(1, k), 1)
          call ga_put(g, n, n, k, k, edge(n, k), 1)
        end do
      end if
      call ga_sync()
      end

! Fetches this process's block with what is around it into memory from
! MA's stack, computes, and puts the block into the other array.
      subroutine sweep(old, new, n, change)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer old, new, n, ilo, ihi, jlo, jhi, rows, cols
      integer hread, hwrite
      integer*8 kread, kwrite
      double precision change
      logical ok
      change = 0.0d0
      call ga_distribution(old, ga_nodeid(), ilo, ihi, jlo, jhi)
      if (ihi .lt. ilo) goto 20
! The edges stay as they are.
      ilo = max(ilo, 2)
      jlo = max(jlo, 2)
      ihi = min(ihi, n - 1)
      jhi = min(jhi, n - 1)
      rows = ihi - ilo + 3
      cols = jhi - jlo + 3
      if (rows .lt. 3 .or. cols .lt. 3) goto 20
      ok = ma_push_get(mt_dbl, rows * cols, 'read', hread, kread)
      if (ok) then
        ok = ma_push_get(mt_dbl, rows * cols, 'write', hwrite, kwrite)
      end if
      if (.not. ok) call ga_error('no memory for a block', rows * cols)
      call ga_get(old, ilo-1, ihi+1, jlo-1, jhi+1, dbl_mb(kread), rows)
      call relax(dbl_mb(kread), dbl_mb(kwrite), rows, cols, change)
      kwrite = kwrite + rows + 1
      call ga_put(new, ilo, ihi, jlo, jhi, dbl_mb(kwrite), rows)
      ok = ma_pop_stack(hwrite)
      if (ok) ok = ma_pop_stack(hread)
      if (.not. ok) call ga_error('MA is confused', 1)
 20   call ga_dgop(1, change, 1, 'absmax')
      end

! The means of four neighbours, and the largest change.
      subroutine relax(x, y, rows, cols, change)
      implicit none
      integer rows, cols, i, j
      double precision x(rows, cols), y(rows, cols), change, step
      do j = 2, cols - 1
        do i = 2, rows - 1
          y(i, j) = x(i-1, j) + x(i+1, j) + x(i, j-1) + x(i, j+1)
          y(i, j) = 0.25d0 * y(i, j)
          step = abs(y(i, j) - x(i, j))
          if (.not. (step .le. 1d300)) step = 1d300
          change = max(change, step)
        end do
      end do
      end

! The largest distance from the true temperature, each process where
! its elements are.
      double precision function error_of(g, n)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, n, ilo, ihi, jlo, jhi, ld
      integer*8 index
      double precision worst
      worst = 0.0d0
      call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
      if (ihi .ge. ilo) then
        call ga_access(g, ilo, ihi, jlo, jhi, index, ld)
        call compare(dbl_mb(index), ld, ilo, ihi, jlo, jhi, worst)
        call ga_release(g, ilo, ihi, jlo, jhi)
      end if
      call ga_dgop(2, worst, 1, 'max')
      error_of = worst
      end

      subroutine compare(x, ld, ilo, ihi, jlo, jhi, worst)
      implicit none
      integer ld, ilo, ihi, jlo, jhi, i, j
      double precision x(ld, *), worst, edge, off
      do j = jlo, jhi
        do i = ilo, ihi
          off = abs(x(i-ilo+1, j-jlo+1) - edge(i, j))
c         what is no number is far off, too
          if (.not. (off .le. 1d300)) off = 1d300
          worst = max(worst, off)
        end do
      end do
      end
