! The matrix product of RI-MP2, out of core. Two-electron integrals are a product of three-centre ones,
!
!     (ia|jb) = sum over P of B(ia, P) B(P, jb),        in short  C = A B,
!
! with A, B and C on disk. Memory holds two panels of each: while one pair of panels is multiplied the next pair is read, and
! while one panel of C is being made the one before is written. The same is done once more with every read waited for at once, and
! the product is compared with one that is made in memory.
!
!     mpirun -n 4 ./rimp2 [pairs] [auxiliary functions] [columns of a panel] [directory] [check | no-check]
program rimp2
   implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
   integer :: pairs, auxiliary, width
   character(len=200) :: directory
   logical :: is_checked
   integer :: d_a, d_b, wrong
   double precision :: seconds(2)
   ! Seconds in calls that start a transfer, and in those that wait for one.
   double precision :: starting, waiting

   call start()
   call take_arguments()
   call make_factor('A', pairs, auxiliary, d_a)
   call make_factor('B', auxiliary, pairs, d_b)
   if (ga_nodeid() == 0) write (*, '(a)') 'reads         seconds   starting    waiting   MB read      MB/s   GFLOP/s'
   wrong = 0
   call product('at once', .false., seconds(1))
   call product('ahead', .true., seconds(2))
   if (ga_nodeid() == 0) write (*, '(a, f0.2)') 'at once : ahead  ', seconds(1) / seconds(2)
   call must(dra_delete(d_a), 'dra_delete')
   call must(dra_delete(d_b), 'dra_delete')
   call finish()
   if (wrong > 0) stop 1

contains

! ---- begin and end ----

   subroutine start()
      integer(4) :: ierr
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(MT_DBL, 1000000, 1000000)) call ga_error('ma_init', 0)
      call must(dra_init(8, 1d12, 1d13, 8d6), 'dra_init')
   end subroutine

   subroutine finish()
      integer(4) :: ierr
      call must(dra_terminate(), 'dra_terminate')
      call ga_terminate()
      call mpi_finalize(ierr)
   end subroutine

   subroutine take_arguments()
      character(len=20) :: word
      integer :: status
      pairs = number(1, 1200)
      auxiliary = number(2, 1500)
      width = number(3, 250)
      directory = '.'
      word = 'check'
      status = 0
      if (command_argument_count() > 3) call get_command_argument(4, directory, status=status)
      if (status /= 0) call refuse('the name of the directory is too long')
      if (command_argument_count() > 4) call get_command_argument(5, word)
      if (word /= 'check' .and. word /= 'no-check') call refuse('the fifth argument is check or no-check')
      is_checked = word == 'check'
   end subroutine

   integer function number(position, usual)
      integer, intent(in) :: position, usual
      character(len=20) :: word
      integer :: status
      number = usual
      status = 0
      if (command_argument_count() >= position) then
         call get_command_argument(position, word)
         read (word, *, iostat=status) number
      end if
      if (status /= 0 .or. number < 1) call refuse('the first three arguments are positive numbers')
   end function

   subroutine refuse(message)
      character(len=*), intent(in) :: message
      if (ga_nodeid() == 0) write (*, '(2a)') 'rimp2: ', message
      call ga_error('bad arguments', 2)
   end subroutine

   subroutine must(code, what)
      integer, intent(in) :: code
      character(len=*), intent(in) :: what
      if (code /= 0) call ga_error(what, code)
   end subroutine

! ---- matrices in memory ----

   integer function matrix(name, rows, cols)
      character(len=*), intent(in) :: name
      integer, intent(in) :: rows, cols
      if (.not. ga_create(MT_DBL, rows, cols, name, -1, -1, matrix)) call ga_error('no memory for a matrix', rows)
   end function

   subroutine remove(g)
      integer, intent(in) :: g
      if (.not. ga_destroy(g)) call ga_error('ga_destroy', g)
   end subroutine

   ! Fills the matrix with the columns of a factor that begin with `first`.
   subroutine fill(g, name, first)
      integer, intent(in) :: g, first
      character(len=1), intent(in) :: name
      integer :: ilo, ihi, jlo, jhi, ld
      integer(8) :: index
      call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
      if (ihi >= ilo .and. ilo > 0) then
         call ga_access(g, ilo, ihi, jlo, jhi, index, ld)
         call fill_block(dbl_mb(index), ld, ihi - ilo + 1, jhi - jlo + 1, ilo, jlo + first - 1, name)
         call ga_release_update(g, ilo, ihi, jlo, jhi)
      end if
      call ga_sync()
   end subroutine

   subroutine fill_block(block, ld, rows, cols, row, col, name)
      integer, intent(in) :: ld, rows, cols, row, col
      double precision, intent(out) :: block(ld, *)
      character(len=1), intent(in) :: name
      integer :: i, j
      do j = 1, cols
         do i = 1, rows
            block(i, j) = element(name, row + i - 1, col + j - 1)
         end do
      end do
   end subroutine

   ! Integrals fall off with the distance of what they belong to.
   double precision function element(name, i, j)
      character(len=1), intent(in) :: name
      integer, intent(in) :: i, j
      if (name == 'A') then
         element = 1d0 / (1d0 + abs(i - 0.8d0 * j))
      else
         element = sin(0.01d0 * i) / (1d0 + abs(0.8d0 * i - j))
      end if
   end function

! ---- matrices on disk ----

   character(len=240) function path(name)
      character(len=1), intent(in) :: name
      path = trim(directory) // '/rimp2-' // name
   end function

   ! Makes a factor on disk, panel by panel: while one is being written the next is computed.
   subroutine make_factor(name, rows, cols, d)
      character(len=1), intent(in) :: name
      integer, intent(in) :: rows, cols
      integer, intent(out) :: d
      integer :: g(0:1), requests(0:1), panel, this, first, last
      g = [matrix('even columns', rows, width), matrix('odd columns', rows, width)]
      requests = DRA_REQ_INVALID
      call must(dra_create(MT_DBL, rows, cols, name, path(name), DRA_RW, min(rows, width), min(cols, width), d), 'dra_create')
      do panel = 1, panels_of(cols)
         this = mod(panel, 2)
         call bounds(panel, cols, first, last)
         call must(dra_wait(requests(this)), 'dra_wait')
         call fill(g(this), name, first)
         call must(dra_write_section(.false., g(this), 1, rows, 1, last - first + 1, &
                                     d, 1, rows, first, last, requests(this)), 'dra_write_section')
      end do
      call must(dra_wait(requests(0)), 'dra_wait')
      call must(dra_wait(requests(1)), 'dra_wait')
      call remove(g(0))
      call remove(g(1))
   end subroutine

   integer function panels_of(extent)
      integer, intent(in) :: extent
      panels_of = (extent + width - 1) / width
   end function

   subroutine bounds(panel, extent, first, last)
      integer, intent(in) :: panel, extent
      integer, intent(out) :: first, last
      first = (panel - 1) * width + 1
      last = min(panel * width, extent)
   end subroutine

! ---- the product ----

   ! C = A B. Step by step a panel of columns of A and a block of B are multiplied; `ahead`: those of the next step are read meanwhile.
   subroutine product(title, ahead, seconds)
      character(len=*), intent(in) :: title
      logical, intent(in) :: ahead
      double precision, intent(out) :: seconds
      integer :: a(0:1), b(0:1), c(0:1), reads(2, 0:1), writes(0:1), d_c, step, steps, column, term, this
      double precision :: begin
      call must(dra_create(MT_DBL, pairs, pairs, 'C', path('C'), DRA_RW, min(pairs, width), min(pairs, width), d_c), 'dra_create')
      a = [matrix('even A', pairs, width), matrix('odd A', pairs, width)]
      b = [matrix('even B', width, width), matrix('odd B', width, width)]
      c = [matrix('even C', pairs, width), matrix('odd C', pairs, width)]
      writes = DRA_REQ_INVALID
      starting = 0
      waiting = 0
      steps = panels_of(pairs) * panels_of(auxiliary)
      call ga_sync()
      begin = ga_wtime()
      if (ahead) call start_reading(1, a(1), b(1), reads(:, 1))
      do step = 1, steps
         this = mod(step, 2)
         if (.not. ahead) call start_reading(step, a(this), b(this), reads(:, this))
         call wait(reads(:, this))
         if (ahead .and. step < steps) call start_reading(step + 1, a(1 - this), b(1 - this), reads(:, 1 - this))
         call place(step, column, term)
         if (term == 1) call wait(writes(mod(column, 2):mod(column, 2)))
         call multiply(step, a(this), b(this), c(mod(column, 2)))
         if (term < panels_of(auxiliary)) cycle
         call start_writing(column, c(mod(column, 2)), d_c, writes(mod(column, 2)))
         if (.not. ahead) call wait(writes(mod(column, 2):mod(column, 2)))
      end do
      call wait(writes)
      seconds = ga_wtime() - begin
      call remove_all([a, b, c])
      call print_rates(title, seconds)
      if (is_checked) call compare(d_c)
      call must(dra_delete(d_c), 'dra_delete')
   end subroutine

   subroutine remove_all(gs)
      integer, intent(in) :: gs(:)
      integer :: i
      do i = 1, size(gs)
         call remove(gs(i))
      end do
   end subroutine

   ! Which panel of columns of C a step adds to, and which of the terms of its sum it is.
   subroutine place(step, column, term)
      integer, intent(in) :: step
      integer, intent(out) :: column, term
      column = (step - 1) / panels_of(auxiliary) + 1
      term = mod(step - 1, panels_of(auxiliary)) + 1
   end subroutine

   subroutine start_reading(step, a, b, requests)
      integer, intent(in) :: step, a, b
      integer, intent(out) :: requests(2)
      integer :: column, term, jfirst, jlast, kfirst, klast
      double precision :: begin
      begin = ga_wtime()
      call place(step, column, term)
      call bounds(column, pairs, jfirst, jlast)
      call bounds(term, auxiliary, kfirst, klast)
      call must(dra_read_section(.false., a, 1, pairs, 1, klast - kfirst + 1, &
                                 d_a, 1, pairs, kfirst, klast, requests(1)), 'dra_read_section')
      call must(dra_read_section(.false., b, 1, klast - kfirst + 1, 1, jlast - jfirst + 1, &
                                 d_b, kfirst, klast, jfirst, jlast, requests(2)), 'dra_read_section')
      starting = starting + ga_wtime() - begin
   end subroutine

   subroutine start_writing(column, c, d_c, request)
      integer, intent(in) :: column, c, d_c
      integer, intent(out) :: request
      integer :: first, last
      double precision :: begin
      begin = ga_wtime()
      call bounds(column, pairs, first, last)
      call must(dra_write_section(.false., c, 1, pairs, 1, last - first + 1, d_c, 1, pairs, first, last, request), &
                'dra_write_section')
      starting = starting + ga_wtime() - begin
   end subroutine

   ! Requests are waited for once.
   subroutine wait(requests)
      integer, intent(inout) :: requests(:)
      double precision :: begin
      integer :: i
      begin = ga_wtime()
      do i = 1, size(requests)
         call must(dra_wait(requests(i)), 'dra_wait')
      end do
      requests = DRA_REQ_INVALID
      waiting = waiting + ga_wtime() - begin
   end subroutine

   subroutine multiply(step, a, b, c)
      integer, intent(in) :: step, a, b, c
      integer :: column, term, jfirst, jlast, kfirst, klast
      call place(step, column, term)
      call bounds(column, pairs, jfirst, jlast)
      call bounds(term, auxiliary, kfirst, klast)
      call ga_dgemm('N', 'N', pairs, jlast - jfirst + 1, klast - kfirst + 1, 1d0, a, b, merge(0d0, 1d0, term == 1), c)
   end subroutine

   ! Every panel of A is read for each panel of C, and B once.
   subroutine print_rates(title, seconds)
      character(len=*), intent(in) :: title
      double precision, intent(in) :: seconds
      double precision :: megabytes, gigaflops
      megabytes = 8d-6 * (dble(pairs) * auxiliary * panels_of(pairs) + dble(pairs) * auxiliary)
      gigaflops = 2d-9 * dble(pairs) * pairs * auxiliary
      if (ga_nodeid() == 0) write (*, '(a10, 3f11.3, 3f10.1)') title // '          ', seconds, starting, waiting, &
         megabytes, megabytes / seconds, gigaflops / seconds
   end subroutine

! ---- the comparison ----

   ! With a product in memory, panel by panel; both are sums of the same terms in another order.
   subroutine compare(d_c)
      integer, intent(in) :: d_c
      integer :: a, b, c, panel, column, request, first, last
      double precision :: off, largest
      a = matrix('A', pairs, auxiliary)
      b = matrix('B', auxiliary, pairs)
      c = matrix('C', pairs, pairs)
      panel = matrix('panel', pairs, width)
      call fill(a, 'A', 1)
      call fill(b, 'B', 1)
      call ga_dgemm('N', 'N', pairs, pairs, auxiliary, 1d0, a, b, 0d0, c)
      off = 0
      largest = 0
      do column = 1, panels_of(pairs)
         call bounds(column, pairs, first, last)
         call must(dra_read_section(.false., panel, 1, pairs, 1, last - first + 1, d_c, 1, pairs, first, last, request), &
                   'dra_read_section')
         call must(dra_wait(request), 'dra_wait')
         call ga_sync()
         call compare_panel(panel, c, first, last, off, largest)
         call ga_sync()
      end do
      call ga_dgop(1, off, 1, 'max')
      call ga_dgop(2, largest, 1, 'max')
      if (.not. off <= 1d-12 * largest) wrong = wrong + 1
      if (ga_nodeid() == 0) write (*, '(3a, es8.1, a, es8.1)') '           ', merge('agrees: ', 'WRONG:  ', off <= 1d-12 * largest), &
         'largest element ', largest, ', largest difference ', off
      call remove_all([a, b, c, panel])
   end subroutine

   ! What this process holds of the panel, with the same columns of the product in memory.
   subroutine compare_panel(panel, c, first, last, off, largest)
      integer, intent(in) :: panel, c, first, last
      double precision, intent(inout) :: off, largest
      double precision, allocatable :: block(:, :), expected(:, :)
      integer :: ilo, ihi, jlo, jhi
      call ga_distribution(panel, ga_nodeid(), ilo, ihi, jlo, jhi)
      jhi = min(jhi, last - first + 1)
      if (ihi < ilo .or. ilo < 1 .or. jhi < jlo) return
      allocate (block(ihi - ilo + 1, jhi - jlo + 1), expected(ihi - ilo + 1, jhi - jlo + 1))
      call ga_get(panel, ilo, ihi, jlo, jhi, block, ihi - ilo + 1)
      call ga_get(c, ilo, ihi, jlo + first - 1, jhi + first - 1, expected, ihi - ilo + 1)
      if (.not. all(abs(block - expected) <= huge(off))) off = huge(off) ! something that is no number
      off = max(off, maxval(abs(block - expected)))
      largest = max(largest, maxval(abs(expected)))
   end subroutine
end program
