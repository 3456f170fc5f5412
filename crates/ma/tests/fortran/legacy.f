! Every MA call from Fortran, and blocks reached through the common
! blocks. Compile together with fill.f. Valid in fixed and in free form;
! the test also makes a copy that includes by cpp. With the argument
! "reference" only what the library of the Global Arrays project does
! too.
      program legacy
      implicit none
      include 'mafdecls.fh'
      integer failures
      logical reference, before
      character*16 word
      common /test/ failures, reference
      failures = 0
      call getarg(1, word)
      reference = word .eq. 'reference'
      before = ma_set_error_print(.false.)
      call check_true('error print was on', before)
      call test_before_init
      call test_sizes
      call test_bytes
      call test_integers
      call test_logicals
      call test_reals
      call test_doubles
      call test_complexes
      call test_double_complexes
      call test_stack
      call test_heap
      call test_inquiries
      call test_scan
      call test_alignment
      call test_guards
      call test_printing
      if (failures .ne. 0) call exit(1)
      end

      subroutine check_true(what, is_true)
      implicit none
      character*(*) what
      logical is_true, reference
      integer failures
      common /test/ failures, reference
      if (.not. is_true) then
      failures = failures + 1
      write(*, '(a,a)') 'not so: ', what
      end if
      end

      subroutine check(what, found, expected)
      implicit none
      character*(*) what
      integer found, expected
      call check_true(what, found .eq. expected)
      if (found .ne. expected) write(*, *) found, ' is not ', expected
      end

      subroutine done(what)
      implicit none
      character*(*) what
      write(*, '(a,a)') 'ok     ', what
      end

      subroutine test_before_init
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      call check_true('not there', .not. ma_initialized())
      call check_true('early', .not. ma_push_get(mt_dbl, 1, 'x', h, k))
      call check('early', ma_inquire_avail(mt_dbl), 0)
      call check_true('bad', .not. ma_init(17, 1, 1))
      call check_true('init', ma_init(mt_dbl, 20000, 10000))
      call check_true('there', ma_initialized())
      call check_true('twice', .not. ma_init(mt_dbl, 1, 1))
      call done('before and after ma_init')
      end

      subroutine test_sizes
      implicit none
      include 'mafdecls.fh'
      integer i
      logical l
      call check('int', ma_sizeof(mt_int, 3, mt_byte), 3*bit_size(i)/8)
      call check('log', ma_sizeof(mt_log, 3, mt_byte), 3*kind(l))
      call check('real', ma_sizeof(mt_real, 1, mt_byte), 4)
      call check('dbl', ma_sizeof(mt_dbl, 1, mt_byte), 8)
      call check('scpl', ma_sizeof(mt_scpl, 1, mt_byte), 8)
      call check('dcpl', ma_sizeof(mt_dcpl, 1, mt_byte), 16)
      call check('round up', ma_sizeof(mt_byte, 17, mt_dcpl), 2)
      i = ma_sizeof_overhead(mt_dbl)
      call check_true('overhead', i .ge. 0)
      call check('C double', ma_sizeof(1004, 1, mt_byte), 8)
      call check('byte', mt_byte, 1009)
      call check('dcpl', mt_dcpl, 1015)
      call done('sizes')
      end

! Each of the following allocates, fills through a routine that gets the
! base array at the index, and looks at single elements of it.
      subroutine test_bytes
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      call check_true('bytes', ma_push_get(mt_byte, 90, 'b', h, k))
      call fill_bytes(90, byte_mb(k))
      call check_true('first', byte_mb(k) .eq. 'B')
      call check_true('last', byte_mb(k + 89) .eq. 'M')
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('pop', ma_pop_stack(h))
      call done('CHARACTER blocks')
      end

      subroutine test_integers
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k, again
      call check_true('integers', ma_push_get(mt_int, 100, 'i', h, k))
      call check_true('index', ma_get_index(h, again))
      call check_true('same', k .eq. again)
      call fill_integers(100, int_mb(k))
      call check('first', int_mb(k), 3)
      call check('last', int_mb(k + 99), 300)
      int_mb(k + 50) = -1
      call check('written', int_mb(k + 50), -1)
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('pop', ma_pop_stack(h))
      call done('INTEGER blocks')
      end

      subroutine test_logicals
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      call check_true('logicals', ma_alloc_get(mt_log, 9, 'l', h, k))
      call fill_logicals(9, log_mb(k))
      call check_true('first', .not. log_mb(k))
      call check_true('second', log_mb(k + 1))
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('free', ma_free_heap(h))
      call done('LOGICAL blocks')
      end

      subroutine test_reals
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      call check_true('reals', ma_alloc_get(mt_real, 101, 'r', h, k))
      call fill_reals(101, real_mb(k))
      call check_true('first', real_mb(k) .eq. 0.5)
      call check_true('last', real_mb(k + 100) .eq. 50.5)
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('free', ma_free_heap(h))
      call done('REAL blocks')
      end

      subroutine test_doubles
      implicit none
      include 'mafdecls.fh'
      integer h, h2, i
      integer*8 k, k2
      double precision dot
      external dot
      call check_true('doubles', ma_push_get(mt_dbl, 999, 'd', h, k))
      call check_true('doubles', ma_alloc_get(mt_dbl, 999, 'e', h2, k2))
      call fill_doubles(999, dbl_mb(k))
      call fill_doubles(999, dbl_mb(k2))
      call check_true('first', dbl_mb(k) .eq. 0.25d0)
      call check_true('last', dbl_mb(k2 + 998) .eq. 249.75d0)
      i = nint(dot(999, dbl_mb(k), dbl_mb(k2)) * 16)
      call check('dot', i, 999 * 1000 * 1999 / 6)
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('pop', ma_pop_stack(h))
      call check_true('free', ma_free_heap(h2))
      call done('DOUBLE PRECISION blocks')
      end

      subroutine test_complexes
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      call check_true('complex', ma_push_get(mt_scpl, 33, 'c', h, k))
      call fill_complexes(33, scpl_mb(k))
      call check_true('last', scpl_mb(k + 32) .eq. (33.0, -33.0))
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('pop', ma_pop_stack(h))
      call done('COMPLEX blocks')
      end

      subroutine test_double_complexes
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      call check_true('complex', ma_alloc_get(mt_dcpl, 33, 'z', h, k))
      call fill_double_complexes(33, dcpl_mb(k))
      call check_true('last', dcpl_mb(k + 32) .eq. (33.0d0, -33.0d0))
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('free', ma_free_heap(h))
      call done('DOUBLE COMPLEX blocks')
      end

      subroutine test_stack
      implicit none
      include 'mafdecls.fh'
      integer a, b, c
      integer*8 k
      call check_true('a', ma_push_stack(mt_dbl, 10, 'a', a))
      call check_true('b', ma_push_stack(mt_int, 10, 'b', b))
      call check_true('order', .not. ma_pop_stack(a))
      call check_true('pop b', ma_pop_stack(b))
      call check_true('gone', .not. ma_pop_stack(b))
      call check_true('b', ma_push_stack(mt_int, 10, 'b', b))
      call check_true('c', ma_push_get(mt_dcpl, 10, 'c', c, k))
      call check_true('not heap', .not. ma_free_heap(c))
      call check_true('chop', ma_chop_stack(a))
      call check_true('gone', .not. ma_get_index(b, k))
      call check_true('gone', .not. ma_chop_stack(a))
      call done('stack')
      end

      subroutine test_heap
      implicit none
      include 'mafdecls.fh'
      integer a, b, c
      integer*8 k
      call check_true('a', ma_allocate_heap(mt_dbl, 10, 'a', a))
      call check_true('b', ma_alloc_get(mt_dbl, 100, 'b', b, k))
      call check_true('c', ma_allocate_heap(mt_dbl, 10, 'c', c))
      dbl_mb(k) = 4.5d0
      call check_true('piece', ma_free_heap_piece(b, 90))
      call check_true('kept', dbl_mb(k) .eq. 4.5d0)
      call check_true('free a', ma_free_heap(a))
      call check_true('free c', ma_free_heap(c))
      call check_true('not stack', .not. ma_pop_stack(b))
      call check_true('free b', ma_free_heap(b))
      call check_true('gone', .not. ma_free_heap(b))
      call check_true('bad', .not. ma_free_heap(-1))
      call done('heap')
      end

      subroutine test_inquiries
      implicit none
      include 'mafdecls.fh'
      integer h, n
      logical reference
      integer failures
      common /test/ failures, reference
      n = ma_inquire_avail(mt_dbl)
      call check_true('all', n .ge. 30000)
      call check('as avail', ma_inquire_heap_no_partition(mt_dbl), n)
      call check('as avail', ma_inquire_stack_no_partition(mt_dbl), n)
      call check_true('heap', ma_inquire_heap(mt_dbl) .ge. 10000)
      call check_true('stack', ma_inquire_stack(mt_dbl) .ge. 20000)
      h = 0
      call check_true('no', .not. ma_push_stack(mt_dbl, n+999, 'x', h))
      call check_true('yes', ma_push_stack(mt_dbl, n, 'x', h))
      if (.not. reference) then
      call check('none', ma_inquire_avail(mt_byte), 0)
      call check('none', ma_inquire_heap_check_stack(mt_byte), 0)
      call check('none', ma_inquire_stack_check_heap(mt_byte), 0)
      call check('heap', ma_inquire_heap(mt_dbl), 10000)
      call check('stack', ma_inquire_stack(mt_dbl), 0)
      end if
      call check_true('pop', ma_pop_stack(h))
      call check('again', ma_inquire_avail(mt_dbl), n)
      call done('inquiries')
      end

      subroutine test_scan
      implicit none
      include 'mafdecls.fh'
      integer a, b, at, h
      logical reference
      integer failures
      common /test/ failures, reference
      if (reference) return
      call check_true('a', ma_push_stack(mt_dbl, 1, 'a', a))
      call check_true('b', ma_allocate_heap(mt_dbl, 1, 'b', b))
      call check_true('scan', ma_init_memhandle_iterator(at))
      call check_true('first', ma_get_next_memhandle(at, h))
      call check('a', h, a)
      call check_true('second', ma_get_next_memhandle(at, h))
      call check('b', h, b)
      call check_true('end', .not. ma_get_next_memhandle(at, h))
      call check_true('pop', ma_pop_stack(a))
      call check_true('free', ma_free_heap(b))
      call done('scan')
      end

      subroutine test_alignment
      implicit none
      include 'mafdecls.fh'
      integer h, n
      integer*8 k, address
      call check_true('set', ma_set_numalign(9))
      call check_true('get', ma_get_numalign(n))
      call check('9', n, 9)
      call check_true('aligned', ma_push_get(mt_dbl, 10, 'a', h, k))
      address = loc(dbl_mb(k))
      call check_true('512 bytes', mod(address, 512_8) .eq. 0)
      call check_true('pop', ma_pop_stack(h))
      call check_true('bad', .not. ma_set_numalign(31))
      call check_true('set', ma_set_numalign(0))
      call done('alignment')
      end

      subroutine test_guards
      implicit none
      include 'mafdecls.fh'
      integer h
      integer*8 k
      double precision kept
      call check_true('push', ma_push_get(mt_dbl, 10, 'guards', h, k))
      kept = dbl_mb(k + 10)
      call store(dbl_mb(k + 10), 1.0d0)
      call check_true('found', .not. ma_verify_allocator_stuff())
      call check_true('kept', .not. ma_pop_stack(h))
      call check_true('was off', .not. ma_set_auto_verify(.true.))
      call check('all fail', ma_inquire_avail(mt_dbl), 0)
      call check_true('was on', ma_set_auto_verify(.false.))
      call store(dbl_mb(k + 10), kept)
      call check_true('sound', ma_verify_allocator_stuff())
      call check_true('pop', ma_pop_stack(h))
      call done('guards')
      end

      subroutine test_printing
      implicit none
      include 'mafdecls.fh'
      integer h
      call ma_trace(1)
      call check_true('push', ma_push_stack(mt_dbl, 7, 'printed  ', h))
      call ma_trace(0)
      call ma_summarize_allocated_blocks
      call ma_print_stats(.true.)
      call check_true('hard', .not. ma_set_hard_fail(.false.))
      call check_true('print', .not. ma_set_error_print(.false.))
      call check_true('pop', ma_pop_stack(h))
      call done('printing')
      end
