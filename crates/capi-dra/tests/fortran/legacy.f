! The DRA calls as old programs make them: implicit interfaces, dra.fh
! in every routine and beside other include files. Valid in fixed and
! in free form, compiled with INCLUDE or with cpp, with INTEGER of 4 and
! of 8 bytes, run on any number of ranks. The argument is a scratch
! directory, which all ranks share and which is empty. The program also
! runs with the package: nothing here that it does otherwise.
      program legacy
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
      call check('init', dra_init(100, 1d9, 1d9, 1d6), 0)
      call test_matrices
      call test_sections
      call test_transposed
      call test_arrays
      call test_types
      call test_config
      call test_mpi_beside
      call check('terminate', dra_terminate(), 0)
      call ga_igop(77, failures, 1, '+')
      call ga_terminate()
      call mpi_finalize(ierr)
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

! A new matrix in memory: element (i, j) is seed + i + j / 1000.
      integer function matrix(n, m, seed)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer n, m, seed, g, i, j
      double precision x(100, 100)
      logical made
      made = ga_create(mt_dbl, n, m, 'matrix', 0, 0, g)
      call check_true('created in memory', made)
      do j = 1, m
        do i = 1, n
          x(i, j) = seed + i + 1d-3 * j
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, n, 1, m, x, 100)
      call ga_sync()
      matrix = g
      end

! Elements of a matrix that are not those of a seed.
      integer function differences(g, n, m, seed)
      implicit none
      include 'global.fh'
      integer g, n, m, seed, i, j, count
      double precision x(100, 100)
      call ga_get(g, 1, n, 1, m, x, 100)
      call ga_sync()
      count = 0
      do j = 1, m
        do i = 1, n
          if (x(i, j) .ne. seed + i + 1d-3 * j) count = count + 1
        end do
      end do
      differences = count
      end

      subroutine test_matrices
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer matrix, differences
      integer a, b, d, rc, req, status, type, dim1, dim2
      character*80 name
      character*255 file
      logical ok
      a = matrix(60, 40, 5)
      b = matrix(60, 40, 0)
      rc = dra_open('matrix', DRA_RW, d)
      call check('there is none', rc, -1)
      rc = dra_create(mt_dbl,60,40,'Fock','matrix  ',DRA_RW,-1,40,d)
      call check('create', rc, 0)
      call check_true('handle', d .ge. -5000 .and. d .lt. -4900)
      rc = dra_write(a, d, req)
      call check('write', rc, 0)
      rc = dra_probe(req, status)
      call check('probe', rc, 0)
      call check('wait', dra_wait(req), 0)
      call check('wait again', dra_wait(req), 0)
      call check('for none', dra_wait(dra_req_invalid), 0)
      rc = dra_probe(req, status)
      call check('status', status, -1)
      rc = dra_read(b, d, req)
      call check('read', rc, 0)
      call check('wait for it', dra_wait(req), 0)
      call check('differences', differences(b, 60, 40, 5), 0)
      rc = dra_close(d)
      call check('close', rc, 0)
      call check('its handle', d, 0)
      rc = dra_open('matrix', DRA_R, d)
      call check('open', rc, 0)
      rc = dra_inquire(d, type, dim1, dim2, name, file)
      call check('inquire', rc, 0)
      call check('type', type, mt_dbl)
      call check('first extent', dim1, 60)
      call check('second extent', dim2, 40)
      call check_true('name', name(1:4) .eq. 'Fock')
      call check_true('file', file .eq. 'matrix')
      call dra_flick()
      rc = dra_delete(d)
      call check('delete', rc, 0)
      call check('its handle', d, 0)
      rc = dra_open('matrix', DRA_R, d)
      call check('it is gone', rc, -1)
      ok = ga_destroy(a)
      ok = ga_destroy(b)
      call done('matrices')
      end

      subroutine test_sections
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer matrix
      integer a, b, d, rc, req, i, j, wrong
      double precision x(100, 100), expected
      logical ok
      a = matrix(60, 40, 5)
      b = matrix(80, 90, 0)
      rc = dra_create(mt_dbl, 80, 90, 'x', 'sect', DRA_RW, 20, 20, d)
      call check('create', rc, 0)
      rc = dra_write(b, d, req)
      call check('wait', dra_wait(req), 0)
      rc = dra_write_section(.false., a,11,30,3,33, d,51,70,7,37, req)
      call check('write a section', rc, 0)
      call check('wait for it', dra_wait(req), 0)
      call ga_zero(b)
      rc = dra_read_section(.false., b,1,80,1,90, d,1,80,1,90, req)
      call check('read it all', rc, 0)
      call check('wait for all', dra_wait(req), 0)
      call ga_get(b, 1, 80, 1, 90, x, 100)
      wrong = 0
      do j = 1, 90
        do i = 1, 80
          expected = i + 1d-3 * j
          if (i.ge.51 .and. i.le.70 .and. j.ge.7 .and. j.le.37) then
            expected = 5 + (i - 40) + 1d-3 * (j - 4)
          end if
          if (x(i, j) .ne. expected) wrong = wrong + 1
        end do
      end do
      call check('differences', wrong, 0)
      call ga_sync()
      rc = dra_delete(d)
      ok = ga_destroy(a)
      ok = ga_destroy(b)
      call done('sections')
      end

      subroutine test_transposed
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer matrix, differences
      integer a, b, d, rc, req, i, j, wrong
      double precision x(100, 100)
      logical ok
      a = matrix(30, 50, 5)
      b = matrix(50, 30, 0)
      rc = dra_create(mt_dbl, 50, 30, 'x', 'turn', DRA_RW, -1, -1, d)
      call check('create', rc, 0)
      rc = dra_write_section(.true., a,1,30,1,50, d,1,50,1,30, req)
      call check('write', rc, 0)
      call check('wait', dra_wait(req), 0)
      rc = dra_read(b, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_get(b, 1, 50, 1, 30, x, 100)
      wrong = 0
      do j = 1, 30
        do i = 1, 50
          if (x(i, j) .ne. 5 + j + 1d-3 * i) wrong = wrong + 1
        end do
      end do
      call check('differences', wrong, 0)
      call ga_zero(a)
      rc = dra_read_section(.true., a,1,30,1,50, d,1,50,1,30, req)
      call check('read', rc, 0)
      call check('wait', dra_wait(req), 0)
      call check('differences', differences(a, 30, 50, 5), 0)
      rc = dra_delete(d)
      ok = ga_destroy(a)
      ok = ga_destroy(b)
      call done('transposed')
      end

      subroutine test_arrays
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer a, b, d, rc, req, i, wrong, type, ndim
      integer dims(4), chunk(4), hint(4), lo(4), hi(4), dlo(4), dhi(4)
      integer found(7)
      double precision x(6*7*8*9), y(6*7*8*9)
      character*72 name
      character*255 file
      logical ok
      do i = 1, 4
        dims(i) = 5 + i
        chunk(i) = 0
        hint(i) = -1
        lo(i) = 1
        hi(i) = dims(i)
      end do
      do i = 1, 6*7*8*9
        x(i) = i
      end do
      ok = nga_create(mt_dbl, 4, dims, 'a', chunk, a)
      ok = nga_create(mt_dbl, 4, dims, 'b', chunk, b)
      if (ga_nodeid() .eq. 0) call nga_put(a, lo, hi, x, dims)
      call ga_sync()
      rc = ndra_create(mt_dbl, 4, dims, 'T2', 'four', DRA_RW, hint, d)
      call check('create', rc, 0)
      rc = ndra_write(a, d, req)
      call check('write', rc, 0)
      call check('wait', dra_wait(req), 0)
      rc = ndra_read(b, d, req)
      call check('read', rc, 0)
      call check('wait', dra_wait(req), 0)
      call nga_get(b, lo, hi, y, dims)
      wrong = 0
      do i = 1, 6*7*8*9
        if (y(i) .ne. x(i)) wrong = wrong + 1
      end do
      call check('differences', wrong, 0)
      call ga_sync()
      do i = 1, 4
        lo(i) = 2
        hi(i) = 4
        dlo(i) = i
        dhi(i) = i + 2
      end do
      rc = ndra_write_section(.false., a, lo, hi, d, dlo, dhi, req)
      call check('write a section', rc, 0)
      call check('wait', dra_wait(req), 0)
      call ga_zero(b)
      rc = ndra_read_section(.false., b, lo, hi, d, dlo, dhi, req)
      call check('read a section', rc, 0)
      call check('wait', dra_wait(req), 0)
      call nga_get(a, lo, hi, x, dims)
      call nga_get(b, lo, hi, y, dims)
      call check_true('same', y(1) .eq. x(1) .and. y(1) .gt. 0d0)
      call ga_sync()
      rc = ndra_inquire(d, type, ndim, found, name, file)
      call check('inquire', rc, 0)
      call check('type', type, mt_dbl)
      call check('dimensions', ndim, 4)
      do i = 1, 4
        call check('extent', found(i), dims(i))
      end do
      call check_true('name', name .eq. 'T2')
      call check_true('file', file .eq. 'four')
      rc = dra_delete(d)
      ok = ga_destroy(a)
      ok = ga_destroy(b)
      call done('arrays')
      end

      subroutine test_types
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'dra.fh'
      integer g, d, rc, req, i, j, k(10, 10), l(10, 10), wrong
      integer type, dim1, dim2
      character*72 name
      character*255 file
      double complex x(10, 10), y(10, 10)
      logical ok
      ok = ga_create(mt_int, 10, 10, 'integers', 0, 0, g)
      do j = 1, 10
        do i = 1, 10
          k(i, j) = 1000 * i - j
          x(i, j) = dcmplx(i, -j)
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 10, 1, 10, k, 10)
      call ga_sync()
      rc = dra_create(mt_int, 10, 10, 'i', 'int', DRA_RW, 10, 10, d)
      call check('create', rc, 0)
      rc = dra_write(g, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_zero(g)
      rc = dra_read(g, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_get(g, 1, 10, 1, 10, l, 10)
      rc = dra_inquire(d, type, dim1, dim2, name, file)
      call check('type of integers', type, mt_int)
      call ga_sync()
      rc = dra_delete(d)
      ok = ga_destroy(g)
      ok = ga_create(mt_dcpl, 10, 10, 'complex', 0, 0, g)
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 10, 1, 10, x, 10)
      call ga_sync()
      rc = dra_create(mt_dcpl, 10, 10, 'z', 'dcpl', DRA_RW, 10, 10, d)
      call check('create', rc, 0)
      rc = dra_write(g, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_zero(g)
      rc = dra_read(g, d, req)
      call check('wait', dra_wait(req), 0)
      call ga_get(g, 1, 10, 1, 10, y, 10)
      rc = dra_inquire(d, type, dim1, dim2, name, file)
      call check('type of complex', type, mt_dcpl)
      call ga_sync()
      rc = dra_delete(d)
      ok = ga_destroy(g)
      wrong = 0
      do j = 1, 10
        do i = 1, 10
          if (k(i, j) .ne. l(i, j)) wrong = wrong + 1
          if (x(i, j) .ne. y(i, j)) wrong = wrong + 1
        end do
      end do
      call check('differences', wrong, 0)
      call done('types')
      end

      subroutine test_config
      implicit none
      include 'mafdecls.fh'
      include 'dra.fh'
      integer matrix, differences
      integer a, b, d, rc, req, t, dims(2), hint(2)
      a = matrix(60, 40, 5)
      b = matrix(60, 40, 0)
      dims(1) = 60
      dims(2) = 40
      hint(1) = 10
      hint(2) = 40
      t = mt_dbl
      call dra_set_default_config(1, 1)
      rc = ndra_create_config(t,2,dims,'c','f',DRA_RW,hint,1,1,d)
      call check('create', rc, 0)
      rc = ndra_write(a, d, req)
      call check('wait', dra_wait(req), 0)
      rc = ndra_read(b, d, req)
      call check('wait', dra_wait(req), 0)
      call check('differences', differences(b, 60, 40, 5), 0)
      rc = dra_delete(d)
      call done('numbers of files and processes')
      end

! Results as functions' arguments, and the constants of dra.fh in
! expressions, beside the include files of everything else.
      subroutine test_mpi_beside
      implicit none
      include 'mpif.h'
      include 'mafdecls.fh'
      include 'dra.fh'
      include 'global.fh'
      include 'eaf.fh'
      include 'sf.fh'
      call check('modes', DRA_RW + 10 * DRA_W + 100 * DRA_R, -321)
      call check('none', dra_req_invalid, -333)
      call done('other include files')
      end
