!> MA, the memory allocator of Global Arrays programs: explicit interfaces, types and base arrays. The calls are those of
!> mafdecls.fh; use one or the other. Any thread may call; the blocks are those of the process.
!>
!> A block is found by its handle, and its elements as those of the base array of its type: dbl_mb(index) is the first element of a
!> block of mt_dbl. Pass dbl_mb(index) to a routine that does the work: a compiler may believe that a loop over dbl_mb itself ends
!> with its two elements. Numbers are of elements. What fails returns false, or 0 elements, after a message on standard error, and
!> leaves results as they were.
module chemio_ma
  implicit none
  public

  !> The kind of the index of a block.
  integer, parameter :: ma_access_index = selected_int_kind(18)

  !> Types of elements. The short names are the Fortran types.
  integer, parameter :: mt_byte = 1009, mt_int = 1010, mt_log = 1011, mt_real = 1012, mt_dbl = 1013, mt_scpl = 1014, mt_dcpl = 1015
  integer, parameter :: mt_f_byte = mt_byte, mt_f_int = mt_int, mt_f_log = mt_log, mt_f_real = mt_real, mt_f_dbl = mt_dbl
  integer, parameter :: mt_f_scpl = mt_scpl, mt_f_dcpl = mt_dcpl
  integer, parameter :: mt_c_char = 1000, mt_c_int = 1001, mt_c_longint = 1002, mt_c_longlong = 1016, mt_c_float = 1003
  integer, parameter :: mt_c_dbl = 1004, mt_c_ldbl = 1005, mt_c_scpl = 1006, mt_c_dcpl = 1007, mt_c_ldcpl = 1008

  !> For ma_init: 524,288 bytes.
  integer, parameter :: ma_default_space = -1

  !> The base arrays.
  character(len=1) :: byte_mb(2)
  integer :: int_mb(2)
  logical :: log_mb(2)
  real :: real_mb(2)
  double precision :: dbl_mb(2)
  complex :: scpl_mb(2)
  double complex :: dcpl_mb(2)
  common /mbc_byte/ byte_mb
  common /mbc_int/ int_mb
  common /mbc_log/ log_mb
  common /mbc_real/ real_mb
  common /mbc_dbl/ dbl_mb
  common /mbc_scpl/ scpl_mb
  common /mbc_dcpl/ dcpl_mb

  interface
    !> Sets how many elements of a type stack and heap may have, each 524,288 bytes if negative. Once, before all others.
    logical function ma_init(datatype, nominal_stack, nominal_heap)
      integer, intent(in) :: datatype, nominal_stack, nominal_heap
    end function ma_init

    !> Whether ma_init has succeeded.
    logical function ma_initialized()
    end function ma_initialized

    !> A block of nelem elements on top of the stack.
    logical function ma_push_stack(datatype, nelem, name, memhandle)
      integer, intent(in) :: datatype, nelem
      character(len=*), intent(in) :: name
      integer, intent(inout) :: memhandle
    end function ma_push_stack

    !> The same, with the index of the block in the base array of its type.
    logical function ma_push_get(datatype, nelem, name, memhandle, index)
      import :: ma_access_index
      integer, intent(in) :: datatype, nelem
      character(len=*), intent(in) :: name
      integer, intent(inout) :: memhandle
      integer(ma_access_index), intent(inout) :: index
    end function ma_push_get

    !> Pops the block on top of the stack, which must be this one.
    logical function ma_pop_stack(memhandle)
      integer, intent(in) :: memhandle
    end function ma_pop_stack

    !> Pops this block and all above it.
    logical function ma_chop_stack(memhandle)
      integer, intent(in) :: memhandle
    end function ma_chop_stack

    !> A block of nelem elements in the heap.
    logical function ma_allocate_heap(datatype, nelem, name, memhandle)
      integer, intent(in) :: datatype, nelem
      character(len=*), intent(in) :: name
      integer, intent(inout) :: memhandle
    end function ma_allocate_heap

    !> The same, with the index of the block in the base array of its type.
    logical function ma_alloc_get(datatype, nelem, name, memhandle, index)
      import :: ma_access_index
      integer, intent(in) :: datatype, nelem
      character(len=*), intent(in) :: name
      integer, intent(inout) :: memhandle
      integer(ma_access_index), intent(inout) :: index
    end function ma_alloc_get

    !> Frees a block of the heap.
    logical function ma_free_heap(memhandle)
      integer, intent(in) :: memhandle
    end function ma_free_heap

    !> Frees its last nelem elements; the others stay where they are.
    logical function ma_free_heap_piece(memhandle, nelem)
      integer, intent(in) :: memhandle, nelem
    end function ma_free_heap_piece

    !> Where a block begins in the base array of its type.
    logical function ma_get_index(memhandle, index)
      import :: ma_access_index
      integer, intent(in) :: memhandle
      integer(ma_access_index), intent(inout) :: index
    end function ma_get_index

    !> Begins a scan of all blocks.
    logical function ma_init_memhandle_iterator(ithandle)
      integer, intent(inout) :: ithandle
    end function ma_init_memhandle_iterator

    !> The next block; false, without a message, if there is none.
    logical function ma_get_next_memhandle(ithandle, memhandle)
      integer, intent(inout) :: ithandle, memhandle
    end function ma_get_next_memhandle

    !> The most elements that a block could have now.
    integer function ma_inquire_avail(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_avail

    !> The same, of what was asked for the heap.
    integer function ma_inquire_heap(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_heap

    !> The same, less what the stack has taken of it.
    integer function ma_inquire_heap_check_stack(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_heap_check_stack

    !> As ma_inquire_avail.
    integer function ma_inquire_heap_no_partition(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_heap_no_partition

    !> The most elements that a block could have, of what was asked for the stack.
    integer function ma_inquire_stack(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_stack

    !> The same, less what the heap has taken of it.
    integer function ma_inquire_stack_check_heap(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_stack_check_heap

    !> As ma_inquire_avail.
    integer function ma_inquire_stack_no_partition(datatype)
      integer, intent(in) :: datatype
    end function ma_inquire_stack_no_partition

    !> How many elements of datatype2 hold nelem1 of datatype1.
    integer function ma_sizeof(datatype1, nelem1, datatype2)
      integer, intent(in) :: datatype1, nelem1, datatype2
    end function ma_sizeof

    !> What a block takes from the limits besides its elements: 0.
    integer function ma_sizeof_overhead(datatype)
      integer, intent(in) :: datatype
    end function ma_sizeof_overhead

    !> Looks at the guards of all blocks; false after a line for each damaged one.
    logical function ma_verify_allocator_stuff()
    end function ma_verify_allocator_stuff

    !> Whether every call verifies first. Returns what was set before.
    logical function ma_set_auto_verify(value)
      logical, intent(in) :: value
    end function ma_set_auto_verify

    !> Whether errors are told on standard error (true at first). Returns what was set before.
    logical function ma_set_error_print(value)
      logical, intent(in) :: value
    end function ma_set_error_print

    !> Whether an error ends the program. Returns what was set before.
    logical function ma_set_hard_fail(value)
      logical, intent(in) :: value
    end function ma_set_hard_fail

    !> Blocks begin at multiples of 2**value bytes, 0 to 30.
    logical function ma_set_numalign(value)
      integer, intent(in) :: value
    end function ma_set_numalign

    !> What ma_set_numalign has set.
    logical function ma_get_numalign(value)
      integer, intent(inout) :: value
    end function ma_get_numalign

    !> Prints blocks and bytes, and calls if true, on standard output.
    subroutine ma_print_stats(printroutines)
      logical, intent(in) :: printroutines
    end subroutine ma_print_stats

    !> Prints a line for each block.
    subroutine ma_summarize_allocated_blocks()
    end subroutine ma_summarize_allocated_blocks

    !> Whether each block that comes or goes is told.
    subroutine ma_trace(value)
      logical, intent(in) :: value
    end subroutine ma_trace
  end interface
end module chemio_ma
