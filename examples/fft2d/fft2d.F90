! The Fourier transform of a matrix on disk that is larger than the memory given.
!
! One-dimensional transforms of all columns are followed by those of all rows. The array is stored in bricks of whole columns, so panels of
! columns are read and written as they lie on disk; panels of rows would meet every brick. So between both steps `ndra_copy` brings the
! array, transposed, into bricks of whole rows. The same is done without that, in two ways, and every element of each
! result is compared with what is computed in memory.
!
!     mpirun -n 4 ./fft2d [rows] [columns] [megabytes] [directory] [in-core | factors | spoil]

! FFTW's own declarations, once.
module fftw
   use, intrinsic :: iso_c_binding
   implicit none
   include 'fftw3.f03'
end module

program fft2d
   use fftw
   implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
   integer, parameter :: element_bytes = 16, brick_bytes = 1048576, buffers = 3
   integer :: rows, columns, megabytes
   character(len=200) :: directory
   character(len=20) :: check
   ! The arrays on disk that are there, so that a failure leaves none.
   integer :: d_columns = 0, d_rows = 0
   ! Seconds of this process in calls that start a transfer, in those that wait for one, and in transforms.
   double precision :: starting, waiting, transforming
   ! The matrix is the outer product of two vectors, and so is its transform: of theirs.
   complex(8), allocatable :: column_factor(:), row_factor(:), column_wave(:), row_wave(:), expected(:, :)
   double precision :: total(3)
   integer :: wrong, way

   call start()
   call take_arguments()
   call must(dra_init(-1, -1d0, -1d0, memory_of_transfers()), 'dra_init')
   call make_factors()
   if (ga_nodeid() == 0) call print_head()
   wrong = 0
   do way = 1, size(total)
      call make_matrix()
      starting = 0
      waiting = 0
      transforming = 0
      select case (way)
      case (1); call reblocked(total(way))
      case (2); call straight(total(way))
      case (3); call in_place(total(way))
      end select
      call compare()
      call remove_arrays()
   end do
   call finish(merge(1, 0, wrong > 0))

contains

! ---- begin and end ----

   subroutine start()
      integer(4) :: ierr
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(MT_DBL, 1000000, 1000000)) call ga_error('ma_init', 0)
   end subroutine

   ! Nothing is left on disk, and the program ends with this status.
   subroutine finish(status)
      integer, intent(in) :: status
      integer(4) :: ierr
      integer :: ignored
      ignored = dra_terminate()
      call ga_terminate()
      call mpi_finalize(ierr)
      call exit(status)
   end subroutine

   subroutine take_arguments()
      integer :: ranks, status
      ranks = ga_nnodes()
      rows = number(1, 2000)
      columns = number(2, 1500)
      megabytes = number(3, max(16, 4 * ranks))
      directory = '.'
      check = 'in-core'
      status = 0
      if (command_argument_count() > 3) call get_command_argument(4, directory, status=status)
      if (status /= 0) call refuse('the name of the directory has 200 characters at most')
      if (command_argument_count() > 4) call get_command_argument(5, check)
      if (command_argument_count() > 5) call refuse('there are five arguments: rows, columns, megabytes, directory, check')
      if (check /= 'in-core' .and. check /= 'factors' .and. check /= 'spoil') &
         call refuse('the fifth argument is in-core, factors or spoil')
      if (megabytes < 4 * ranks) call refuse('each process needs 4 megabytes at least')
      if (most_columns(max(rows, columns)) < 1) call refuse('half of the memory has to hold three rows and three columns')
   end subroutine

   integer function number(position, usual)
      integer, intent(in) :: position, usual
      character(len=20) :: word
      integer :: status
      number = usual
      if (command_argument_count() < position) return
      call get_command_argument(position, word)
      status = verify(trim(word), '0123456789')
      if (status == 0 .and. len_trim(word) < 10) read (word, *, iostat=status) number
      if (status /= 0 .or. len_trim(word) > 9 .or. number < 1) &
         call refuse('rows, columns and megabytes are whole numbers from 1 to 999999999, not "' // trim(word) // '"')
   end function

   ! All processes have the same arguments, so all come here.
   subroutine refuse(message)
      character(len=*), intent(in) :: message
      if (ga_nodeid() == 0) write (0, '(2a)') 'fft2d: ', message
      call finish(2)
   end subroutine

   ! Calls for arrays on disk fail on all processes alike, with the same code.
   subroutine must(code, what)
      integer, intent(in) :: code
      character(len=*), intent(in) :: what
      character(len=200) :: message
      if (code == 0) return
      call dra_errmsg(code, message)
      call fail(what // ': ' // trim(message))
   end subroutine

   ! For what all processes meet: one line, and nothing is left on disk.
   subroutine fail(message)
      character(len=*), intent(in) :: message
      integer :: ignored
      if (ga_nodeid() == 0) write (0, '(2a)') 'fft2d: ', message
      if (d_columns /= 0) ignored = dra_delete(d_columns)
      if (d_rows /= 0) ignored = dra_delete(d_rows)
      call finish(1)
   end subroutine

! ---- memory ----

   ! Half of the memory is for panels, half for the transfers of all processes.
   double precision function memory_of_transfers()
      memory_of_transfers = 1d6 * megabytes / 2 / ga_nnodes()
   end function

   ! How many columns of this length the memory of one panel holds.
   integer function most_columns(length)
      integer, intent(in) :: length
      most_columns = int(min(1d6 * megabytes / 2 / buffers / element_bytes / length, 1d9))
   end function

   ! Columns of a brick: whole columns, a megabyte of them.
   integer function brick_columns(length, count)
      integer, intent(in) :: length, count
      brick_columns = min(count, max(1, brick_bytes / element_bytes / length))
   end function

   ! Columns of a panel: whole bricks, if there is room for one.
   integer function panel_columns(length, count)
      integer, intent(in) :: length, count
      integer :: brick
      brick = brick_columns(length, count)
      panel_columns = min(count, most_columns(length))
      if (panel_columns > brick) panel_columns = panel_columns - mod(panel_columns, brick)
   end function

   ! The columns of a panel are dealt out, each whole.
   subroutine make_panels(length, count, g)
      integer, intent(in) :: length, count
      integer, intent(out) :: g(0:)
      integer :: i
      do i = 0, size(g) - 1
         if (.not. ga_create(MT_DCPL, length, panel_columns(length, count), 'panel', length, -1, g(i))) &
            call fail('there is no memory for a panel')
      end do
   end subroutine

   subroutine remove_panels(g)
      integer, intent(in) :: g(0:)
      integer :: i
      do i = 0, size(g) - 1
         if (.not. ga_destroy(g(i))) call ga_error('ga_destroy', g(i))
      end do
   end subroutine

   integer function panels_of(length, count)
      integer, intent(in) :: length, count
      panels_of = (count + panel_columns(length, count) - 1) / panel_columns(length, count)
   end function

   subroutine bounds(panel, length, count, first, last)
      integer, intent(in) :: panel, length, count
      integer, intent(out) :: first, last
      first = (panel - 1) * panel_columns(length, count) + 1
      last = min(panel * panel_columns(length, count), count)
   end subroutine

! ---- the matrix on disk ----

   character(len=240) function path(name)
      character(len=*), intent(in) :: name
      path = trim(directory) // '/fft2d-' // name
   end function

   ! An array in bricks of whole columns.
   subroutine create(name, length, count, d)
      character(len=*), intent(in) :: name
      integer, intent(in) :: length, count
      integer, intent(out) :: d
      call must(dra_create(MT_DCPL, length, count, name, path(name), DRA_RW, min(length, brick_bytes / element_bytes), &
                           brick_columns(length, count), d), 'dra_create')
   end subroutine

   ! Until all of it is on disk.
   subroutine close_and_open(name, d)
      character(len=*), intent(in) :: name
      integer, intent(inout) :: d
      integer :: code
      character(len=200) :: message
      code = dra_close(d)
      if (code /= 0) then
         ! The handle is gone, the array is not: it is opened to be deleted.
         call dra_errmsg(code, message)
         if (dra_open(path(name), DRA_RW, d) /= 0) d = 0
         call fail('dra_close: ' // trim(message))
      end if
      call must(dra_open(path(name), DRA_RW, d), 'dra_open')
   end subroutine

   subroutine remove_arrays()
      if (d_columns /= 0) call must(dra_delete(d_columns), 'dra_delete')
      if (d_rows /= 0) call must(dra_delete(d_rows), 'dra_delete')
   end subroutine

   ! The matrix to be transformed, panel by panel; while one is being written the next is computed.
   subroutine make_matrix()
      integer :: g(0:buffers - 1), writes(0:buffers - 1), panel, this, first, last
      call create('columns', rows, columns, d_columns)
      call make_panels(rows, columns, g)
      writes = DRA_REQ_INVALID
      do panel = 1, panels_of(rows, columns)
         this = mod(panel, buffers)
         call bounds(panel, rows, columns, first, last)
         call wait(writes(this))
         call fill(g(this), first, last)
         call start_writing(g(this), rows, first, last, d_columns, .false., writes(this))
      end do
      do this = 0, buffers - 1
         call wait(writes(this))
      end do
      call remove_panels(g)
      call close_and_open('columns', d_columns)
   end subroutine

   subroutine fill(g, first, last)
      integer, intent(in) :: g, first, last
      integer :: jlo, jhi, ld
      integer(8) :: index
      call own_columns(g, last - first + 1, jlo, jhi)
      if (jhi >= jlo) then
         call ga_access(g, 1, rows, jlo, jhi, index, ld)
         call fill_block(dcpl_mb(index), ld, first + jlo - 1, first + jhi - 1)
         call ga_release_update(g, 1, rows, jlo, jhi)
      end if
      call ga_sync()
   end subroutine

   subroutine fill_block(block, ld, first, last)
      integer, intent(in) :: ld, first, last
      complex(8), intent(out) :: block(ld, *)
      integer :: i, j
      do j = first, last
         do i = 1, rows
            block(i, j - first + 1) = element(i, j)
            if (check == 'spoil' .and. i == rows .and. j == columns) block(i, j - first + 1) = element(i, j) + 1d-3
         end do
      end do
   end subroutine

   ! Of the first columns of a panel, `used` ones, those that this process holds: none if jhi < jlo.
   subroutine own_columns(g, used, jlo, jhi)
      integer, intent(in) :: g, used
      integer, intent(out) :: jlo, jhi
      integer :: ilo, ihi
      call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
      jhi = min(jhi, used)
      if (ilo < 1) jhi = jlo - 1
   end subroutine

! ---- the three ways ----

   ! Columns, a copy into bricks of whole rows, rows.
   subroutine reblocked(seconds)
      double precision, intent(out) :: seconds
      double precision :: times(0:4)
      times(0) = ga_wtime()
      call transform_all(d_columns, .false., d_columns, .false., rows, columns)
      times(1) = ga_wtime()
      call create('rows', columns, rows, d_rows)
      call must(ndra_copy(d_columns, d_rows, [2, 1]), 'ndra_copy')
      times(2) = ga_wtime()
      call transform_all(d_rows, .false., d_rows, .false., columns, rows)
      times(3) = ga_wtime()
      call close_and_open('rows', d_rows)
      times(4) = ga_wtime()
      call print_line('re-blocked', times, seconds)
   end subroutine

   ! Columns; rows straight out of bricks of whole columns, into bricks of whole rows.
   subroutine straight(seconds)
      double precision, intent(out) :: seconds
      double precision :: times(0:4)
      times(0) = ga_wtime()
      call transform_all(d_columns, .false., d_columns, .false., rows, columns)
      times(1:2) = ga_wtime()
      call create('rows', columns, rows, d_rows)
      call transform_all(d_columns, .true., d_rows, .false., columns, rows)
      times(3) = ga_wtime()
      call close_and_open('rows', d_rows)
      times(4) = ga_wtime()
      call print_line('straight', times, seconds)
   end subroutine

   ! Columns; rows straight out of bricks of whole columns, and back.
   subroutine in_place(seconds)
      double precision, intent(out) :: seconds
      double precision :: times(0:4)
      times(0) = ga_wtime()
      call transform_all(d_columns, .false., d_columns, .false., rows, columns)
      times(1:2) = ga_wtime()
      call transform_all(d_columns, .true., d_columns, .true., columns, rows)
      times(3) = ga_wtime()
      call close_and_open('columns', d_columns)
      times(4) = ga_wtime()
      call print_line('in place', times, seconds)
   end subroutine

! ---- one step: all columns, panel by panel ----

   ! Transforms `count` columns of this length; those of an array that is turned are its rows. While one panel is transformed the next is
   ! read, and the one before is written.
   subroutine transform_all(source, source_is_turned, target, target_is_turned, length, count)
      integer, intent(in) :: source, target, length, count
      logical, intent(in) :: source_is_turned, target_is_turned
      integer :: g(0:buffers - 1), reads(0:buffers - 1), writes(0:buffers - 1), panel, this, next, first, last, next_first, next_last
      call make_panels(length, count, g)
      reads = DRA_REQ_INVALID
      writes = DRA_REQ_INVALID
      call bounds(1, length, count, first, last)
      call start_reading(g(1), length, first, last, source, source_is_turned, reads(1))
      do panel = 1, panels_of(length, count)
         this = mod(panel, buffers)
         next = mod(panel + 1, buffers)
         call bounds(panel, length, count, first, last)
         call wait(reads(this))
         if (panel < panels_of(length, count)) then
            call bounds(panel + 1, length, count, next_first, next_last)
            call wait(writes(next))
            call start_reading(g(next), length, next_first, next_last, source, source_is_turned, reads(next))
         end if
         call transform(g(this), length, last - first + 1)
         call start_writing(g(this), length, first, last, target, target_is_turned, writes(this))
      end do
      do this = 0, buffers - 1
         call wait(writes(this))
      end do
      call remove_panels(g)
   end subroutine

   subroutine start_reading(g, length, first, last, d, is_turned, request)
      integer, intent(in) :: g, length, first, last, d
      logical, intent(in) :: is_turned
      integer, intent(out) :: request
      double precision :: begin
      begin = ga_wtime()
      if (is_turned) then
         call must(dra_read_section(.true., g, 1, length, 1, last - first + 1, d, first, last, 1, length, request), &
                   'dra_read_section')
      else
         call must(dra_read_section(.false., g, 1, length, 1, last - first + 1, d, 1, length, first, last, request), &
                   'dra_read_section')
      end if
      starting = starting + ga_wtime() - begin
   end subroutine

   subroutine start_writing(g, length, first, last, d, is_turned, request)
      integer, intent(in) :: g, length, first, last, d
      logical, intent(in) :: is_turned
      integer, intent(out) :: request
      double precision :: begin
      begin = ga_wtime()
      if (is_turned) then
         call must(dra_write_section(.true., g, 1, length, 1, last - first + 1, d, first, last, 1, length, request), &
                   'dra_write_section')
      else
         call must(dra_write_section(.false., g, 1, length, 1, last - first + 1, d, 1, length, first, last, request), &
                   'dra_write_section')
      end if
      starting = starting + ga_wtime() - begin
   end subroutine

   ! Requests are waited for once.
   subroutine wait(request)
      integer, intent(inout) :: request
      double precision :: begin
      begin = ga_wtime()
      call must(dra_wait(request), 'dra_wait')
      request = DRA_REQ_INVALID
      waiting = waiting + ga_wtime() - begin
   end subroutine

   ! Every process transforms the columns that it holds, where they are.
   subroutine transform(g, length, used)
      integer, intent(in) :: g, length, used
      integer :: jlo, jhi, ld
      integer(8) :: index
      double precision :: begin
      begin = ga_wtime()
      call own_columns(g, used, jlo, jhi)
      if (jhi >= jlo) then
         call ga_access(g, 1, length, jlo, jhi, index, ld)
         call transform_block(dcpl_mb(index), length, jhi - jlo + 1, ld)
         call ga_release_update(g, 1, length, jlo, jhi)
      end if
      transforming = transforming + ga_wtime() - begin
      call ga_sync()
   end subroutine

   subroutine transform_block(block, length, count, ld)
      integer, intent(in) :: length, count, ld
      complex(8), intent(inout) :: block(*)
      type(c_ptr) :: plan
      integer(c_int) :: n(1)
      n = int(length, c_int)
      plan = fftw_plan_many_dft(1_c_int, n, int(count, c_int), block, n, 1_c_int, int(ld, c_int), &
                                block, n, 1_c_int, int(ld, c_int), FFTW_FORWARD, FFTW_ESTIMATE)
      if (.not. c_associated(plan)) call ga_error('no plan for transforms of this length', length)
      call fftw_execute_dft(plan, block, block)
      call fftw_destroy_plan(plan)
   end subroutine

! ---- what it should be ----

   complex(8) function element(i, j)
      integer, intent(in) :: i, j
      element = column_factor(i) * row_factor(j)
   end function

   ! Numbers without a pattern, so that no place of the transform is like another.
   subroutine scatter(vector, seed)
      complex(8), intent(out) :: vector(:)
      double precision, intent(in) :: seed
      integer :: i
      do i = 1, size(vector)
         vector(i) = cmplx(modulo(sin(seed + i * 12.9898d0) * 43758.5453d0, 1d0) - 0.5d0, &
                           modulo(cos(seed + i * 78.233d0) * 43758.5453d0, 1d0) - 0.5d0, 8)
      end do
   end subroutine

   subroutine make_factors()
      allocate (column_factor(rows), row_factor(columns), column_wave(rows), row_wave(columns))
      call scatter(column_factor, 1d0)
      call scatter(row_factor, 2d0)
      if (check /= 'factors') then
         call transform_in_core()
         return
      end if
      column_wave = column_factor
      row_wave = row_factor
      call transform_block(column_wave, rows, 1, rows)
      call transform_block(row_wave, columns, 1, columns)
   end subroutine

   ! The two-dimensional transform of the whole matrix, made by every process, with FFTW's own two-dimensional plan.
   subroutine transform_in_core()
      type(c_ptr) :: plan
      integer :: i, j
      allocate (expected(rows, columns))
      plan = fftw_plan_dft_2d(int(columns, c_int), int(rows, c_int), expected, expected, FFTW_FORWARD, FFTW_ESTIMATE)
      if (.not. c_associated(plan)) call ga_error('no plan for the transform in memory', rows)
      do j = 1, columns
         do i = 1, rows
            expected(i, j) = element(i, j)
         end do
      end do
      call fftw_execute_dft(plan, expected, expected)
      call fftw_destroy_plan(plan)
   end subroutine

   complex(8) function wave(i, j)
      integer, intent(in) :: i, j
      if (check == 'factors') then
         wave = column_wave(i) * row_wave(j)
      else
         wave = expected(i, j)
      end if
   end function

   ! The array that the result is in, panel by panel: rows are the columns of the one, and columns those of the other.
   subroutine compare()
      double precision :: off, largest, allowed
      off = 0
      largest = 0
      if (d_rows /= 0) then
         call compare_array(d_rows, columns, rows, .true., off, largest)
      else
         call compare_array(d_columns, rows, columns, .false., off, largest)
      end if
      call ga_dgop(1, off, 1, 'max')
      call ga_dgop(2, largest, 1, 'max')
      allowed = 1d-12 * sqrt(dble(rows) * columns)
      if (.not. off <= allowed) wrong = wrong + 1
      if (ga_nodeid() == 0) write (*, '(3a, es8.1, a, es8.1)') '             ', merge('agrees: ', 'WRONG:  ', off <= allowed), &
         'largest element ', largest, ', largest difference ', off
   end subroutine

   subroutine compare_array(d, length, count, is_turned, off, largest)
      integer, intent(in) :: d, length, count
      logical, intent(in) :: is_turned
      double precision, intent(inout) :: off, largest
      integer :: g(0:0), panel, first, last, request
      call make_panels(length, count, g)
      do panel = 1, panels_of(length, count)
         call bounds(panel, length, count, first, last)
         call start_reading(g(0), length, first, last, d, .false., request)
         call wait(request)
         call compare_panel(g(0), length, first, last, is_turned, off, largest)
         call ga_sync()
      end do
      call remove_panels(g)
   end subroutine

   subroutine compare_panel(g, length, first, last, is_turned, off, largest)
      integer, intent(in) :: g, length, first, last
      logical, intent(in) :: is_turned
      double precision, intent(inout) :: off, largest
      integer :: jlo, jhi, ld
      integer(8) :: index
      call own_columns(g, last - first + 1, jlo, jhi)
      if (jhi < jlo) return
      call ga_access(g, 1, length, jlo, jhi, index, ld)
      call compare_block(dcpl_mb(index), length, ld, first + jlo - 1, first + jhi - 1, is_turned, off, largest)
      call ga_release(g, 1, length, jlo, jhi)
   end subroutine

   subroutine compare_block(block, length, ld, first, last, is_turned, off, largest)
      integer, intent(in) :: length, ld, first, last
      complex(8), intent(in) :: block(ld, *)
      logical, intent(in) :: is_turned
      double precision, intent(inout) :: off, largest
      double precision :: difference
      complex(8) :: value
      integer :: i, j
      do j = first, last
         do i = 1, length
            value = wave(merge(j, i, is_turned), merge(i, j, is_turned))
            difference = abs(block(i, j - first + 1) - value)
            if (.not. difference <= huge(off)) difference = huge(off) ! something that is no number
            off = max(off, difference)
            largest = max(largest, abs(value))
         end do
      end do
   end subroutine

! ---- what is printed ----

   subroutine print_head()
      write (*, '(i0, a, i0, a, f0.1, a, i0, a, i0, a)') rows, ' x ', columns, ' complex numbers, ', &
         1d-6 * element_bytes * rows * dble(columns), ' MB on disk; ', megabytes, ' MB of memory, processes: ', ga_nnodes(), &
         '; seconds:'
      write (*, '(a)') '              columns  re-block      rows     close     total  starting   waiting  transforms   ratio'
   end subroutine

   ! `times` are those before the columns and after columns, copy, rows and close. The ratio is to the first way.
   subroutine print_line(name, times, seconds)
      character(len=*), intent(in) :: name
      double precision, intent(in) :: times(0:4)
      double precision, intent(out) :: seconds
      seconds = times(4) - times(0)
      call ga_brdcst(3, seconds, 8, 0)
      if (way == 1) total(1) = seconds
      if (ga_nodeid() == 0) write (*, '(a11, 7f10.3, f12.3, f8.2)') name // '           ', times(1:4) - times(0:3), seconds, &
         starting, waiting, transforming, seconds / total(1)
   end subroutine
end program
