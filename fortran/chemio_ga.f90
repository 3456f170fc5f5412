!> Distributed arrays, with the calls of Global Arrays: explicit interfaces. The calls are those of global.fh; use one
!> or the other. What each call does is said in full in ga.h. Types of elements (mt_dbl ...) are those of chemio_ma,
!> which has the base arrays as well (dbl_mb ...): use both, not mafdecls.fh.
!>
!> Indices count from 1, the first one varies fastest, and bounds are inclusive. ga_ names take ilo, ihi, jlo, jhi of a
!> matrix, nga_ names take lo, hi of any array. Logical functions that fail return false; a call that cannot tell an
!> error, and meets one, prints it on standard error and ends all processes. A buffer is any contiguous variable, array
!> or array element. Factors and values have the type of the array. The buffer of a nonblocking call must stay where it
!> is until the wait (give it the asynchronous or target attribute; never pass a strided section).
!>
!> Collective, over the processes of the default group or of the array's group, are: beginning and end; creating, allocating,
!> duplicating and destroying arrays; creating and splitting groups; mutexes; sync and mask_sync, brdcst and all gops; all calls on
!> whole arrays and on patches, and printing them. All these processes make them, in the same order. Calls on whole arrays and on
!> patches synchronise before and after, unless ga_mask_sync says otherwise. Other calls are made by one process by itself.
module chemio_ga
  use chemio_ma, only: mt_int, mt_log, mt_real, mt_dbl, mt_scpl, mt_dcpl
  implicit none
  public

  !> The kind of an index of ga_access and nga_access.
  integer, parameter :: ga_access_index = selected_int_kind(18)
  !> The largest number of dimensions.
  integer, parameter :: ga_max_dim = 7

  interface
    !> Begins the use of arrays, and of MPI if the program has not.
    subroutine ga_initialize()
    end subroutine ga_initialize

    !> Begins the use of arrays, and of MPI if the program has not.
    subroutine nga_initialize()
    end subroutine nga_initialize

    !> The same with so many bytes for arrays on each process.
    subroutine ga_initialize_ltd(limit)
      integer, intent(in) :: limit
    end subroutine ga_initialize_ltd

    !> The same with so many bytes for arrays on each process.
    subroutine nga_initialize_ltd(limit)
      integer, intent(in) :: limit
    end subroutine nga_initialize_ltd

    !> Ends the use of arrays. MPI goes on if the program started it.
    subroutine ga_terminate()
    end subroutine ga_terminate

    !> Ends the use of arrays. MPI goes on if the program started it.
    subroutine nga_terminate()
    end subroutine nga_terminate

    !> Whether arrays can be used.
    logical function ga_initialized()
    end function ga_initialized

    !> Whether arrays can be used.
    logical function nga_initialized()
    end function nga_initialized

    !> Prints the message and the code, with the reason of the last call that failed, and ends all processes.
    subroutine ga_error(string, icode)
      character(len=*), intent(in) :: string
      integer, intent(in) :: icode
    end subroutine ga_error

    !> Prints the message and the code, with the reason of the last call that failed, and ends all processes.
    subroutine nga_error(string, icode)
      character(len=*), intent(in) :: string
      integer, intent(in) :: icode
    end subroutine nga_error

    !> This process's number in the default group, from 0.
    integer function ga_nodeid()
    end function ga_nodeid

    !> This process's number in the default group, from 0.
    integer function nga_nodeid()
    end function nga_nodeid

    !> Number of processes in the default group.
    integer function ga_nnodes()
    end function ga_nnodes

    !> Number of processes in the default group.
    integer function nga_nnodes()
    end function nga_nnodes

    !> Completes all operations of all processes of the default group and waits for them.
    subroutine ga_sync()
    end subroutine ga_sync

    !> Completes all operations of all processes of the default group and waits for them.
    subroutine nga_sync()
    end subroutine nga_sync

    !> Whether the next collective operation synchronises at its beginning and at its end.
    subroutine ga_mask_sync(first, last)
      logical, intent(in) :: first, last
    end subroutine ga_mask_sync

    !> Whether the next collective operation synchronises at its beginning and at its end.
    subroutine nga_mask_sync(first, last)
      logical, intent(in) :: first, last
    end subroutine nga_mask_sync

    !> Begins what ga_fence completes.
    subroutine ga_init_fence()
    end subroutine ga_init_fence

    !> Begins what ga_fence completes.
    subroutine nga_init_fence()
    end subroutine nga_init_fence

    !> Completes all operations of this process.
    subroutine ga_fence()
    end subroutine ga_fence

    !> Completes all operations of this process.
    subroutine nga_fence()
    end subroutine nga_fence

    !> Seconds since some moment in the past.
    double precision function ga_wtime()
    end function ga_wtime

    !> Seconds since some moment in the past.
    double precision function nga_wtime()
    end function nga_wtime

    !> False: arrays do not lie in the memory of MA.
    logical function ga_uses_ma()
    end function ga_uses_ma

    !> False: arrays do not lie in the memory of MA.
    logical function nga_uses_ma()
    end function nga_uses_ma

    !> Bytes that arrays may still take on this process; -1 without a limit.
    integer function ga_memory_avail()
    end function ga_memory_avail

    !> Bytes that arrays may still take on this process; -1 without a limit.
    integer function nga_memory_avail()
    end function nga_memory_avail

    !> Whether the memory of arrays is limited.
    logical function ga_memory_limited()
    end function ga_memory_limited

    !> Whether the memory of arrays is limited.
    logical function nga_memory_limited()
    end function nga_memory_limited

    !> Bytes that arrays take on this process.
    integer function ga_inquire_memory()
    end function ga_inquire_memory

    !> Bytes that arrays take on this process.
    integer function nga_inquire_memory()
    end function nga_inquire_memory

    !> Limits the bytes of arrays on each process; below zero lifts the limit.
    subroutine ga_set_memory_limit(limit)
      integer, intent(in) :: limit
    end subroutine ga_set_memory_limit

    !> Limits the bytes of arrays on each process; below zero lifts the limit.
    subroutine nga_set_memory_limit(limit)
      integer, intent(in) :: limit
    end subroutine nga_set_memory_limit

    !> Number of nodes.
    integer function ga_cluster_nnodes()
    end function ga_cluster_nnodes

    !> Number of nodes.
    integer function nga_cluster_nnodes()
    end function nga_cluster_nnodes

    !> The node of this process, from 0.
    integer function ga_cluster_nodeid()
    end function ga_cluster_nodeid

    !> The node of this process, from 0.
    integer function nga_cluster_nodeid()
    end function nga_cluster_nodeid

    !> Number of processes on a node.
    integer function ga_cluster_nprocs(node)
      integer, intent(in) :: node
    end function ga_cluster_nprocs

    !> Number of processes on a node.
    integer function nga_cluster_nprocs(node)
      integer, intent(in) :: node
    end function nga_cluster_nprocs

    !> A process by its place on a node; -1 if there is none.
    integer function ga_cluster_procid(node, place)
      integer, intent(in) :: node, place
    end function ga_cluster_procid

    !> A process by its place on a node; -1 if there is none.
    integer function nga_cluster_procid(node, place)
      integer, intent(in) :: node, place
    end function nga_cluster_procid

    !> The node of a process; -1 if there is none.
    integer function ga_cluster_proc_nodeid(proc)
      integer, intent(in) :: proc
    end function ga_cluster_proc_nodeid

    !> The node of a process; -1 if there is none.
    integer function nga_cluster_proc_nodeid(proc)
      integer, intent(in) :: proc
    end function nga_cluster_proc_nodeid

    !> A random number from 0 on and below 1; a flag other than 0 begins a sequence anew.
    double precision function drand(flag)
      integer, intent(in) :: flag
    end function drand

    !> Makes a matrix of zeros. Chunks are least extents of blocks; 0 or less is free.
    logical function ga_create(type, dim1, dim2, array_name, chunk1, chunk2, g_a)
      integer, intent(in) :: type, dim1, dim2, chunk1, chunk2
      character(len=*), intent(in) :: array_name
      integer, intent(inout) :: g_a
    end function ga_create

    !> Makes an array of zeros of 1 to 7 dimensions; see ga_create.
    logical function nga_create(type, ndim, dims, array_name, chunk, g_a)
      integer, intent(in) :: type, ndim, dims(*), chunk(*)
      character(len=*), intent(in) :: array_name
      integer, intent(inout) :: g_a
    end function nga_create

    !> The same over a group.
    logical function nga_create_config(type, ndim, dims, array_name, chunk, p_handle, g_a)
      integer, intent(in) :: type, ndim, dims(*), chunk(*), p_handle
      character(len=*), intent(in) :: array_name
      integer, intent(inout) :: g_a
    end function nga_create_config

    !> Makes a matrix whose blocks begin at the rows map1 and the columns map2.
    logical function ga_create_irreg(type, dim1, dim2, array_name, map1, nblock1, map2, nblock2, g_a)
      integer, intent(in) :: type, dim1, dim2, map1(*), nblock1, map2(*), nblock2
      character(len=*), intent(in) :: array_name
      integer, intent(inout) :: g_a
    end function ga_create_irreg

    !> Makes an array whose blocks begin where map says, for one dimension after the other.
    logical function nga_create_irreg(type, ndim, dims, array_name, map, nblock, g_a)
      integer, intent(in) :: type, ndim, dims(*), map(*), nblock(*)
      character(len=*), intent(in) :: array_name
      integer, intent(inout) :: g_a
    end function nga_create_irreg

    !> The same over a group.
    logical function nga_create_irreg_config(type, ndim, dims, array_name, map, nblock, p_handle, g_a)
      integer, intent(in) :: type, ndim, dims(*), map(*), nblock(*), p_handle
      character(len=*), intent(in) :: array_name
      integer, intent(inout) :: g_a
    end function nga_create_irreg_config

    !> A handle for an array that ga_set_data and its like describe and ga_allocate makes.
    integer function ga_create_handle()
    end function ga_create_handle

    !> A handle for an array that ga_set_data and its like describe and ga_allocate makes.
    integer function nga_create_handle()
    end function nga_create_handle

    !> Shape and type of an array that is not allocated yet.
    subroutine ga_set_data(g_a, ndim, dims, type)
      integer, intent(in) :: g_a, ndim, dims(*), type
    end subroutine ga_set_data

    !> Shape and type of an array that is not allocated yet.
    subroutine nga_set_data(g_a, ndim, dims, type)
      integer, intent(in) :: g_a, ndim, dims(*), type
    end subroutine nga_set_data

    !> Least extents of its blocks, after ga_set_data.
    subroutine ga_set_chunk(g_a, chunk)
      integer, intent(in) :: g_a, chunk(*)
    end subroutine ga_set_chunk

    !> Least extents of its blocks, after ga_set_data.
    subroutine nga_set_chunk(g_a, chunk)
      integer, intent(in) :: g_a, chunk(*)
    end subroutine nga_set_chunk

    !> Where its blocks begin, after ga_set_data.
    subroutine ga_set_irreg_distr(g_a, map, nblock)
      integer, intent(in) :: g_a, map(*), nblock(*)
    end subroutine ga_set_irreg_distr

    !> Where its blocks begin, after ga_set_data.
    subroutine nga_set_irreg_distr(g_a, map, nblock)
      integer, intent(in) :: g_a, map(*), nblock(*)
    end subroutine nga_set_irreg_distr

    !> Its name.
    subroutine ga_set_array_name(g_a, array_name)
      integer, intent(in) :: g_a
      character(len=*), intent(in) :: array_name
    end subroutine ga_set_array_name

    !> Its name.
    subroutine nga_set_array_name(g_a, array_name)
      integer, intent(in) :: g_a
      character(len=*), intent(in) :: array_name
    end subroutine nga_set_array_name

    !> The group that is to hold it.
    subroutine ga_set_pgroup(g_a, p_handle)
      integer, intent(in) :: g_a, p_handle
    end subroutine ga_set_pgroup

    !> The group that is to hold it.
    subroutine nga_set_pgroup(g_a, p_handle)
      integer, intent(in) :: g_a, p_handle
    end subroutine nga_set_pgroup

    !> Makes the array that has been described.
    logical function ga_allocate(g_a)
      integer, intent(in) :: g_a
    end function ga_allocate

    !> Makes the array that has been described.
    logical function nga_allocate(g_a)
      integer, intent(in) :: g_a
    end function nga_allocate

    !> Makes an array g_b of type, shape and distribution of g_a.
    logical function ga_duplicate(g_a, g_b, array_name)
      integer, intent(in) :: g_a
      integer, intent(inout) :: g_b
      character(len=*), intent(in) :: array_name
    end function ga_duplicate

    !> Makes an array g_b of type, shape and distribution of g_a.
    logical function nga_duplicate(g_a, g_b, array_name)
      integer, intent(in) :: g_a
      integer, intent(inout) :: g_b
      character(len=*), intent(in) :: array_name
    end function nga_duplicate

    !> Removes an array; false if there is none.
    logical function ga_destroy(g_a)
      integer, intent(in) :: g_a
    end function ga_destroy

    !> Removes an array; false if there is none.
    logical function nga_destroy(g_a)
      integer, intent(in) :: g_a
    end function nga_destroy

    !> Type and extents of a matrix.
    subroutine ga_inquire(g_a, type, dim1, dim2)
      integer, intent(in) :: g_a
      integer, intent(inout) :: type, dim1, dim2
    end subroutine ga_inquire

    !> Type, dimensions and extents.
    subroutine nga_inquire(g_a, type, ndim, dims)
      integer, intent(in) :: g_a
      integer, intent(inout) :: type, ndim, dims(*)
    end subroutine nga_inquire

    !> The name, padded with blanks.
    subroutine ga_inquire_name(g_a, array_name)
      integer, intent(in) :: g_a
      character(len=*), intent(inout) :: array_name
    end subroutine ga_inquire_name

    !> The name, padded with blanks.
    subroutine nga_inquire_name(g_a, array_name)
      integer, intent(in) :: g_a
      character(len=*), intent(inout) :: array_name
    end subroutine nga_inquire_name

    !> Number of dimensions.
    integer function ga_ndim(g_a)
      integer, intent(in) :: g_a
    end function ga_ndim

    !> Number of dimensions.
    integer function nga_ndim(g_a)
      integer, intent(in) :: g_a
    end function nga_ndim

    !> Number of dimensions.
    integer function ga_get_dimension(g_a)
      integer, intent(in) :: g_a
    end function ga_get_dimension

    !> Number of dimensions.
    integer function nga_get_dimension(g_a)
      integer, intent(in) :: g_a
    end function nga_get_dimension

    !> Whether there is an array with this handle.
    logical function ga_valid_handle(g_a)
      integer, intent(in) :: g_a
    end function ga_valid_handle

    !> Whether there is an array with this handle.
    logical function nga_valid_handle(g_a)
      integer, intent(in) :: g_a
    end function nga_valid_handle

    !> Whether there is an array with this handle.
    logical function ga_verify_handle(g_a)
      integer, intent(in) :: g_a
    end function ga_verify_handle

    !> Whether there is an array with this handle.
    logical function nga_verify_handle(g_a)
      integer, intent(in) :: g_a
    end function nga_verify_handle

    !> Ends the program, with this message, unless there is an array with this handle.
    subroutine ga_check_handle(g_a, string)
      integer, intent(in) :: g_a
      character(len=*), intent(in) :: string
    end subroutine ga_check_handle

    !> Ends the program, with this message, unless there is an array with this handle.
    subroutine nga_check_handle(g_a, string)
      integer, intent(in) :: g_a
      character(len=*), intent(in) :: string
    end subroutine nga_check_handle

    !> Whether two arrays have the same shape and blocks.
    logical function ga_compare_distr(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function ga_compare_distr

    !> Whether two arrays have the same shape and blocks.
    logical function nga_compare_distr(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function nga_compare_distr

    !> What a process holds of a matrix; upper bounds below lower ones for nothing.
    subroutine ga_distribution(g_a, proc, ilo, ihi, jlo, jhi)
      integer, intent(in) :: g_a, proc
      integer, intent(inout) :: ilo, ihi, jlo, jhi
    end subroutine ga_distribution

    !> What a process holds of an array; upper bounds below lower ones for nothing.
    subroutine nga_distribution(g_a, proc, lo, hi)
      integer, intent(in) :: g_a, proc
      integer, intent(inout) :: lo(*), hi(*)
    end subroutine nga_distribution

    !> The process that holds an element; false, and -1, if there is no such element.
    logical function ga_locate(g_a, i, j, owner)
      integer, intent(in) :: g_a, i, j
      integer, intent(inout) :: owner
    end function ga_locate

    !> The process that holds an element; false, and -1, if there is no such element.
    logical function nga_locate(g_a, subscript, owner)
      integer, intent(in) :: g_a, subscript(*)
      integer, intent(inout) :: owner
    end function nga_locate

    !> The np processes that hold parts of a patch: first and last row, first and last column, process.
    logical function ga_locate_region(g_a, ilo, ihi, jlo, jhi, map, np)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      integer, intent(inout) :: map(5, *), np
    end function ga_locate_region

    !> The np processes that hold parts of a section: first and last indices of each part, processes.
    logical function nga_locate_region(g_a, lo, hi, map, proclist, np)
      integer, intent(in) :: g_a, lo(*), hi(*)
      integer, intent(inout) :: map(*), proclist(*), np
    end function nga_locate_region

    !> Number of blocks in each dimension.
    subroutine ga_nblock(g_a, nblock)
      integer, intent(in) :: g_a
      integer, intent(inout) :: nblock(*)
    end subroutine ga_nblock

    !> Number of blocks in each dimension.
    subroutine nga_nblock(g_a, nblock)
      integer, intent(in) :: g_a
      integer, intent(inout) :: nblock(*)
    end subroutine nga_nblock

    !> Where a process is in the grid of blocks.
    subroutine ga_proc_topology(g_a, proc, pr, pc)
      integer, intent(in) :: g_a, proc
      integer, intent(inout) :: pr, pc
    end subroutine ga_proc_topology

    !> Where a process is in the grid of blocks.
    subroutine nga_proc_topology(g_a, proc, coord)
      integer, intent(in) :: g_a, proc
      integer, intent(inout) :: coord(*)
    end subroutine nga_proc_topology

    !> The group that holds an array.
    integer function ga_get_pgroup(g_a)
      integer, intent(in) :: g_a
    end function ga_get_pgroup

    !> The group that holds an array.
    integer function nga_get_pgroup(g_a)
      integer, intent(in) :: g_a
    end function nga_get_pgroup

    !> Writes a patch from buf, an array with ld rows.
    subroutine ga_put(g_a, ilo, ihi, jlo, jhi, buf, ld)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, ld
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
    end subroutine ga_put

    !> Reads a patch into buf, an array with ld rows.
    subroutine ga_get(g_a, ilo, ihi, jlo, jhi, buf, ld)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, ld
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end subroutine ga_get

    !> Adds alpha times buf to a patch, each element atomically.
    subroutine ga_acc(g_a, ilo, ihi, jlo, jhi, buf, ld, alpha)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, ld
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine ga_acc

    !> Begins ga_put; buf must not change until ga_nbwait.
    subroutine ga_nbput(g_a, ilo, ihi, jlo, jhi, buf, ld, nbhandle)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, ld
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in), asynchronous :: buf
      integer, intent(inout) :: nbhandle
    end subroutine ga_nbput

    !> Begins ga_get; buf is not to be used until ga_nbwait.
    subroutine ga_nbget(g_a, ilo, ihi, jlo, jhi, buf, ld, nbhandle)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, ld
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), asynchronous :: buf
      integer, intent(inout) :: nbhandle
    end subroutine ga_nbget

    !> Begins ga_acc; buf must not change until ga_nbwait.
    subroutine ga_nbacc(g_a, ilo, ihi, jlo, jhi, buf, ld, alpha, nbhandle)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, ld
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in), asynchronous :: buf
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
      integer, intent(inout) :: nbhandle
    end subroutine ga_nbacc

    !> Writes a section from buf, an array with extents ld but for the last.
    subroutine nga_put(g_a, lo, hi, buf, ld)
      integer, intent(in) :: g_a, lo(*), hi(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
    end subroutine nga_put

    !> Reads a section into buf, an array with extents ld but for the last.
    subroutine nga_get(g_a, lo, hi, buf, ld)
      integer, intent(in) :: g_a, lo(*), hi(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end subroutine nga_get

    !> Adds alpha times buf to a section, each element atomically.
    subroutine nga_acc(g_a, lo, hi, buf, ld, alpha)
      integer, intent(in) :: g_a, lo(*), hi(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine nga_acc

    !> Begins nga_put; buf must not change until nga_nbwait.
    subroutine nga_nbput(g_a, lo, hi, buf, ld, nbhandle)
      integer, intent(in) :: g_a, lo(*), hi(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in), asynchronous :: buf
      integer, intent(inout) :: nbhandle
    end subroutine nga_nbput

    !> Begins nga_get; buf is not to be used until nga_nbwait.
    subroutine nga_nbget(g_a, lo, hi, buf, ld, nbhandle)
      integer, intent(in) :: g_a, lo(*), hi(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), asynchronous :: buf
      integer, intent(inout) :: nbhandle
    end subroutine nga_nbget

    !> Begins nga_acc; buf must not change until nga_nbwait.
    subroutine nga_nbacc(g_a, lo, hi, buf, ld, alpha, nbhandle)
      integer, intent(in) :: g_a, lo(*), hi(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in), asynchronous :: buf
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
      integer, intent(inout) :: nbhandle
    end subroutine nga_nbacc

    !> Waits for a nonblocking operation; for one that is complete it does nothing.
    subroutine ga_nbwait(nbhandle)
      integer, intent(inout) :: nbhandle
    end subroutine ga_nbwait

    !> Waits for a nonblocking operation; for one that is complete it does nothing.
    subroutine nga_nbwait(nbhandle)
      integer, intent(inout) :: nbhandle
    end subroutine nga_nbwait

    !> 1 if a wait would return at once, else 0.
    integer function ga_nbtest(nbhandle)
      integer, intent(inout) :: nbhandle
    end function ga_nbtest

    !> 1 if a wait would return at once, else 0.
    integer function nga_nbtest(nbhandle)
      integer, intent(inout) :: nbhandle
    end function nga_nbtest

    !> Writes every skip-th element from buf, where they lie side by side.
    subroutine nga_strided_put(g_a, lo, hi, skip, buf, ld)
      integer, intent(in) :: g_a, lo(*), hi(*), skip(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
    end subroutine nga_strided_put

    !> Reads every skip-th element into buf, side by side.
    subroutine nga_strided_get(g_a, lo, hi, skip, buf, ld)
      integer, intent(in) :: g_a, lo(*), hi(*), skip(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end subroutine nga_strided_get

    !> Adds alpha times buf to every skip-th element.
    subroutine nga_strided_acc(g_a, lo, hi, skip, buf, ld, alpha)
      integer, intent(in) :: g_a, lo(*), hi(*), skip(*), ld(*)
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine nga_strided_acc

    !> Writes v(k) to element (i(k), j(k)).
    subroutine ga_scatter(g_a, v, i, j, nv)
      integer, intent(in) :: g_a, i(*), j(*), nv
      !GCC$ attributes no_arg_check :: v
      type(*), dimension(*), intent(in) :: v
    end subroutine ga_scatter

    !> Reads element (i(k), j(k)) into v(k).
    subroutine ga_gather(g_a, v, i, j, nv)
      integer, intent(in) :: g_a, i(*), j(*), nv
      !GCC$ attributes no_arg_check :: v
      type(*), dimension(*) :: v
    end subroutine ga_gather

    !> Adds alpha v(k) to element (i(k), j(k)), atomically.
    subroutine ga_scatter_acc(g_a, v, i, j, nv, alpha)
      integer, intent(in) :: g_a, i(*), j(*), nv
      !GCC$ attributes no_arg_check :: v
      type(*), dimension(*), intent(in) :: v
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine ga_scatter_acc

    !> Writes v(k) to element subscripts(:, k).
    subroutine nga_scatter(g_a, v, subscripts, n)
      integer, intent(in) :: g_a, subscripts(*), n
      !GCC$ attributes no_arg_check :: v
      type(*), dimension(*), intent(in) :: v
    end subroutine nga_scatter

    !> Reads element subscripts(:, k) into v(k).
    subroutine nga_gather(g_a, v, subscripts, n)
      integer, intent(in) :: g_a, subscripts(*), n
      !GCC$ attributes no_arg_check :: v
      type(*), dimension(*) :: v
    end subroutine nga_gather

    !> Adds alpha v(k) to element subscripts(:, k), atomically.
    subroutine nga_scatter_acc(g_a, v, subscripts, n, alpha)
      integer, intent(in) :: g_a, subscripts(*), n
      !GCC$ attributes no_arg_check :: v
      type(*), dimension(*), intent(in) :: v
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine nga_scatter_acc

    !> Adds to an integer element and returns what it was, atomically.
    integer function ga_read_inc(g_a, i, j, inc)
      integer, intent(in) :: g_a, i, j, inc
    end function ga_read_inc

    !> Adds to an integer element and returns what it was, atomically.
    integer function nga_read_inc(g_a, subscript, inc)
      integer, intent(in) :: g_a, subscript(*), inc
    end function nga_read_inc

    !> Where a patch of this process's block is in dbl_mb, int_mb and so on, and the rows of the block.
    subroutine ga_access(g_a, ilo, ihi, jlo, jhi, index, ld)
      import :: ga_access_index
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      integer(ga_access_index), intent(inout) :: index
      integer, intent(inout) :: ld
    end subroutine ga_access

    !> Where a section of this process's block is in dbl_mb, int_mb and so on, and the extents of the block.
    subroutine nga_access(g_a, lo, hi, index, ld)
      import :: ga_access_index
      integer, intent(in) :: g_a, lo(*), hi(*)
      integer(ga_access_index), intent(inout) :: index
      integer, intent(inout) :: ld(*)
    end subroutine nga_access

    !> Ends an access.
    subroutine ga_release(g_a, ilo, ihi, jlo, jhi)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
    end subroutine ga_release

    !> Ends an access.
    subroutine ga_release_update(g_a, ilo, ihi, jlo, jhi)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
    end subroutine ga_release_update

    !> Ends an access.
    subroutine nga_release(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine nga_release

    !> Ends an access.
    subroutine nga_release_update(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine nga_release_update

    !> Prints an array.
    subroutine ga_print(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_print

    !> Prints an array.
    subroutine nga_print(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_print

    !> Prints a patch: as a table if pretty is not 0, else as plain rows.
    subroutine ga_print_patch(g_a, ilo, ihi, jlo, jhi, pretty)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi, pretty
    end subroutine ga_print_patch

    !> Prints a section: as tables if pretty is not 0, else one element a line.
    subroutine nga_print_patch(g_a, lo, hi, pretty)
      integer, intent(in) :: g_a, lo(*), hi(*), pretty
    end subroutine nga_print_patch

    !> Prints who holds what.
    subroutine ga_print_distribution(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_print_distribution

    !> Prints who holds what.
    subroutine nga_print_distribution(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_print_distribution

    !> Prints the arrays that there are, with their blocks if verbose.
    subroutine ga_summarize(verbose)
      logical, intent(in) :: verbose
    end subroutine ga_summarize

    !> Prints the arrays that there are, with their blocks if verbose.
    subroutine nga_summarize(verbose)
      logical, intent(in) :: verbose
    end subroutine nga_summarize

    !> Prints how often this process has called what.
    subroutine ga_print_stats()
    end subroutine ga_print_stats

    !> Prints how often this process has called what.
    subroutine nga_print_stats()
    end subroutine nga_print_stats

    !> Sets all elements to zero.
    subroutine ga_zero(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_zero

    !> Sets all elements to zero.
    subroutine nga_zero(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_zero

    !> Sets all elements to a value of their type.
    subroutine ga_fill(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_fill

    !> Sets all elements to a value of their type.
    subroutine nga_fill(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_fill

    !> Multiplies all elements by a value of their type.
    subroutine ga_scale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_scale

    !> Multiplies all elements by a value of their type.
    subroutine nga_scale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_scale

    !> Multiplies all elements by a value of their type.
    subroutine ga_iscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_iscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_iscal(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_iscal

    !> Multiplies all elements by a value of their type.
    subroutine nga_iscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_iscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_sscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_sscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_sscal(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_sscal

    !> Multiplies all elements by a value of their type.
    subroutine nga_sscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_sscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_dscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_dscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_dscal(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_dscal

    !> Multiplies all elements by a value of their type.
    subroutine nga_dscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_dscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_cscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_cscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_cscal(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_cscal

    !> Multiplies all elements by a value of their type.
    subroutine nga_cscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_cscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_zscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_zscale

    !> Multiplies all elements by a value of their type.
    subroutine ga_zscal(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_zscal

    !> Multiplies all elements by a value of their type.
    subroutine nga_zscale(g_a, value)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_zscale

    !> g_c = alpha g_a + beta g_b.
    subroutine ga_add(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_add

    !> g_c = alpha g_a + beta g_b.
    subroutine nga_add(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_add

    !> g_c = alpha g_a + beta g_b.
    subroutine ga_iadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_iadd

    !> g_c = alpha g_a + beta g_b.
    subroutine nga_iadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_iadd

    !> g_c = alpha g_a + beta g_b.
    subroutine ga_sadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_sadd

    !> g_c = alpha g_a + beta g_b.
    subroutine nga_sadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_sadd

    !> g_c = alpha g_a + beta g_b.
    subroutine ga_dadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_dadd

    !> g_c = alpha g_a + beta g_b.
    subroutine nga_dadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_dadd

    !> g_c = alpha g_a + beta g_b.
    subroutine ga_cadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_cadd

    !> g_c = alpha g_a + beta g_b.
    subroutine nga_cadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_cadd

    !> g_c = alpha g_a + beta g_b.
    subroutine ga_zadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_zadd

    !> g_c = alpha g_a + beta g_b.
    subroutine nga_zadd(alpha, g_a, beta, g_b, g_c)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_zadd

    !> Copies g_a to g_b, of the same shape.
    subroutine ga_copy(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end subroutine ga_copy

    !> Copies g_a to g_b, of the same shape.
    subroutine nga_copy(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end subroutine nga_copy

    !> g_b = the transposed matrix g_a.
    subroutine ga_transpose(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end subroutine ga_transpose

    !> g_b = the transposed matrix g_a.
    subroutine nga_transpose(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end subroutine nga_transpose

    !> Replaces a square matrix by the mean of itself and its transpose.
    subroutine ga_symmetrize(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_symmetrize

    !> Replaces a square matrix by the mean of itself and its transpose.
    subroutine nga_symmetrize(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_symmetrize

    !> g_c = the products of corresponding elements of g_a and g_b.
    subroutine ga_elem_multiply(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_elem_multiply

    !> The same of patches.
    subroutine ga_elem_multiply_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine ga_elem_multiply_patch

    !> g_c = the products of corresponding elements of g_a and g_b.
    subroutine nga_elem_multiply(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_elem_multiply

    !> The same of patches.
    subroutine nga_elem_multiply_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_elem_multiply_patch

    !> g_c = the quotients of corresponding elements of g_a and g_b.
    subroutine ga_elem_divide(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_elem_divide

    !> The same of patches.
    subroutine ga_elem_divide_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine ga_elem_divide_patch

    !> g_c = the quotients of corresponding elements of g_a and g_b.
    subroutine nga_elem_divide(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_elem_divide

    !> The same of patches.
    subroutine nga_elem_divide_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_elem_divide_patch

    !> g_c = the larger ones of corresponding elements of g_a and g_b.
    subroutine ga_elem_maximum(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_elem_maximum

    !> The same of patches.
    subroutine ga_elem_maximum_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine ga_elem_maximum_patch

    !> g_c = the larger ones of corresponding elements of g_a and g_b.
    subroutine nga_elem_maximum(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_elem_maximum

    !> The same of patches.
    subroutine nga_elem_maximum_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_elem_maximum_patch

    !> g_c = the smaller ones of corresponding elements of g_a and g_b.
    subroutine ga_elem_minimum(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine ga_elem_minimum

    !> The same of patches.
    subroutine ga_elem_minimum_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine ga_elem_minimum_patch

    !> g_c = the smaller ones of corresponding elements of g_a and g_b.
    subroutine nga_elem_minimum(g_a, g_b, g_c)
      integer, intent(in) :: g_a, g_b, g_c
    end subroutine nga_elem_minimum

    !> The same of patches.
    subroutine nga_elem_minimum_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_elem_minimum_patch

    !> Replaces every element by its magnitude.
    subroutine ga_abs_value(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_abs_value

    !> Replaces every element of a patch by its magnitude.
    subroutine ga_abs_value_patch(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine ga_abs_value_patch

    !> Replaces every element by its magnitude.
    subroutine nga_abs_value(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_abs_value

    !> Replaces every element of a patch by its magnitude.
    subroutine nga_abs_value_patch(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine nga_abs_value_patch

    !> Replaces every element by its reciprocal.
    subroutine ga_recip(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_recip

    !> Replaces every element of a patch by its reciprocal.
    subroutine ga_recip_patch(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine ga_recip_patch

    !> Replaces every element by its reciprocal.
    subroutine nga_recip(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_recip

    !> Replaces every element of a patch by its reciprocal.
    subroutine nga_recip_patch(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine nga_recip_patch

    !> Adds a value to every element.
    subroutine ga_add_constant(g_a, alpha)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine ga_add_constant

    !> Adds a value to every element of a patch.
    subroutine ga_add_constant_patch(g_a, lo, hi, alpha)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine ga_add_constant_patch

    !> Adds a value to the diagonal of a matrix.
    subroutine ga_shift_diagonal(g_a, c)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: c
      type(*), intent(in) :: c
    end subroutine ga_shift_diagonal

    !> Sets the diagonal of a matrix to zero.
    subroutine ga_zero_diagonal(g_a)
      integer, intent(in) :: g_a
    end subroutine ga_zero_diagonal

    !> Adds a value to every element.
    subroutine nga_add_constant(g_a, alpha)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine nga_add_constant

    !> Adds a value to every element of a patch.
    subroutine nga_add_constant_patch(g_a, lo, hi, alpha)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: alpha
      type(*), intent(in) :: alpha
    end subroutine nga_add_constant_patch

    !> Adds a value to the diagonal of a matrix.
    subroutine nga_shift_diagonal(g_a, c)
      integer, intent(in) :: g_a
      !GCC$ attributes no_arg_check :: c
      type(*), intent(in) :: c
    end subroutine nga_shift_diagonal

    !> Sets the diagonal of a matrix to zero.
    subroutine nga_zero_diagonal(g_a)
      integer, intent(in) :: g_a
    end subroutine nga_zero_diagonal

    !> Sets the diagonal of a matrix to an array of one dimension.
    subroutine ga_set_diagonal(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine ga_set_diagonal

    !> Sets the diagonal of a matrix to an array of one dimension.
    subroutine nga_set_diagonal(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine nga_set_diagonal

    !> Adds an array of one dimension to the diagonal of a matrix.
    subroutine ga_add_diagonal(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine ga_add_diagonal

    !> Adds an array of one dimension to the diagonal of a matrix.
    subroutine nga_add_diagonal(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine nga_add_diagonal

    !> Sets an array of one dimension to the diagonal of a matrix.
    subroutine ga_get_diag(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine ga_get_diag

    !> Sets an array of one dimension to the diagonal of a matrix.
    subroutine nga_get_diag(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine nga_get_diag

    !> Multiplies each row of a matrix by an element of an array of one dimension.
    subroutine ga_scale_rows(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine ga_scale_rows

    !> Multiplies each row of a matrix by an element of an array of one dimension.
    subroutine nga_scale_rows(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine nga_scale_rows

    !> Multiplies each column of a matrix by an element of an array of one dimension.
    subroutine ga_scale_cols(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine ga_scale_cols

    !> Multiplies each column of a matrix by an element of an array of one dimension.
    subroutine nga_scale_cols(g_a, g_v)
      integer, intent(in) :: g_a, g_v
    end subroutine nga_scale_cols

    !> The largest sum of magnitudes in a column of a matrix.
    subroutine ga_norm1(g_a, nm)
      integer, intent(in) :: g_a
      double precision, intent(out) :: nm
    end subroutine ga_norm1

    !> The largest sum of magnitudes in a column of a matrix.
    subroutine nga_norm1(g_a, nm)
      integer, intent(in) :: g_a
      double precision, intent(out) :: nm
    end subroutine nga_norm1

    !> The largest sum of magnitudes in a row of a matrix.
    subroutine ga_norm_infinity(g_a, nm)
      integer, intent(in) :: g_a
      double precision, intent(out) :: nm
    end subroutine ga_norm_infinity

    !> The largest sum of magnitudes in a row of a matrix.
    subroutine nga_norm_infinity(g_a, nm)
      integer, intent(in) :: g_a
      double precision, intent(out) :: nm
    end subroutine nga_norm_infinity

    !> The sum of the products of corresponding integers.
    integer function ga_idot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function ga_idot

    !> The sum of the products of corresponding integers.
    integer function nga_idot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function nga_idot

    !> The sum of the products of corresponding elements, without conjugation.
    real function ga_sdot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function ga_sdot

    !> The sum of the products of corresponding elements, without conjugation.
    real function nga_sdot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function nga_sdot

    !> The sum of the products of corresponding elements, without conjugation.
    double precision function ga_ddot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function ga_ddot

    !> The sum of the products of corresponding elements, without conjugation.
    double precision function nga_ddot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function nga_ddot

    !> The sum of the products of corresponding elements, without conjugation.
    complex function ga_cdot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function ga_cdot

    !> The sum of the products of corresponding elements, without conjugation.
    complex function nga_cdot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function nga_cdot

    !> The sum of the products of corresponding elements, without conjugation.
    double complex function ga_zdot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function ga_zdot

    !> The sum of the products of corresponding elements, without conjugation.
    double complex function nga_zdot(g_a, g_b)
      integer, intent(in) :: g_a, g_b
    end function nga_zdot

    !> Sets the elements of a patch to a value of their type.
    subroutine ga_fill_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_fill_patch

    !> Sets the elements of a patch to a value of their type.
    subroutine ga_ifill_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_ifill_patch

    !> Sets the elements of a patch to a value of their type.
    subroutine ga_sfill_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_sfill_patch

    !> Sets the elements of a patch to a value of their type.
    subroutine ga_dfill_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_dfill_patch

    !> Sets the elements of a patch to a value of their type.
    subroutine ga_cfill_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_cfill_patch

    !> Sets the elements of a patch to a value of their type.
    subroutine ga_zfill_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_zfill_patch

    !> Sets the elements of a section to a value of their type.
    subroutine nga_fill_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_fill_patch

    !> Sets the elements of a section to a value of their type.
    subroutine nga_ifill_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_ifill_patch

    !> Sets the elements of a section to a value of their type.
    subroutine nga_sfill_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_sfill_patch

    !> Sets the elements of a section to a value of their type.
    subroutine nga_dfill_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_dfill_patch

    !> Sets the elements of a section to a value of their type.
    subroutine nga_cfill_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_cfill_patch

    !> Sets the elements of a section to a value of their type.
    subroutine nga_zfill_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_zfill_patch

    !> Sets the elements of a patch to zero.
    subroutine ga_zero_patch(g_a, ilo, ihi, jlo, jhi)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
    end subroutine ga_zero_patch

    !> Sets the elements of a section to zero.
    subroutine nga_zero_patch(g_a, lo, hi)
      integer, intent(in) :: g_a, lo(*), hi(*)
    end subroutine nga_zero_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_scale_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_scale_patch

    !> Multiplies the elements of a section by a value of their type.
    subroutine nga_scale_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_scale_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_iscal_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_iscal_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_iscale_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_iscale_patch

    !> Multiplies the elements of a section by a value of their type.
    subroutine nga_iscale_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_iscale_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_sscal_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_sscal_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_sscale_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_sscale_patch

    !> Multiplies the elements of a section by a value of their type.
    subroutine nga_sscale_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_sscale_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_dscal_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_dscal_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_dscale_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_dscale_patch

    !> Multiplies the elements of a section by a value of their type.
    subroutine nga_dscale_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_dscale_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_cscal_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_cscal_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_cscale_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_cscale_patch

    !> Multiplies the elements of a section by a value of their type.
    subroutine nga_cscale_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_cscale_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_zscal_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_zscal_patch

    !> Multiplies the elements of a patch by a value of their type.
    subroutine ga_zscale_patch(g_a, ilo, ihi, jlo, jhi, value)
      integer, intent(in) :: g_a, ilo, ihi, jlo, jhi
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine ga_zscale_patch

    !> Multiplies the elements of a section by a value of their type.
    subroutine nga_zscale_patch(g_a, lo, hi, value)
      integer, intent(in) :: g_a, lo(*), hi(*)
      !GCC$ attributes no_arg_check :: value
      type(*), intent(in) :: value
    end subroutine nga_zscale_patch

    !> Copies a patch to another with as many elements, column by column; trans 't' transposes.
    subroutine ga_copy_patch(trans, g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi)
      character(len=*), intent(in) :: trans
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi
    end subroutine ga_copy_patch

    !> Copies a section to another with as many elements, the first index fastest; trans 't' reverses dimensions.
    subroutine nga_copy_patch(trans, g_a, alo, ahi, g_b, blo, bhi)
      character(len=*), intent(in) :: trans
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*)
    end subroutine nga_copy_patch

    !> A patch of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine ga_add_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, &
        cihi, cjlo, cjhi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_add_patch

    !> A section of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine nga_add_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_add_patch

    !> A patch of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine ga_iadd_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, &
        cihi, cjlo, cjhi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_iadd_patch

    !> A section of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine nga_iadd_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_iadd_patch

    !> A patch of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine ga_sadd_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, &
        cihi, cjlo, cjhi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_sadd_patch

    !> A section of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine nga_sadd_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_sadd_patch

    !> A patch of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine ga_dadd_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, &
        cihi, cjlo, cjhi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_dadd_patch

    !> A section of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine nga_dadd_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_dadd_patch

    !> A patch of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine ga_cadd_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, &
        cihi, cjlo, cjhi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_cadd_patch

    !> A section of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine nga_cadd_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_cadd_patch

    !> A patch of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine ga_zadd_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, &
        cihi, cjlo, cjhi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_zadd_patch

    !> A section of g_c = alpha times one of g_a + beta times one of g_b.
    subroutine nga_zadd_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_zadd_patch

    !> The sum of the products of the integers of two patches.
    integer function ga_idot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi
      character(len=*), intent(in) :: t_a, t_b
    end function ga_idot_patch

    !> The sum of the products of the integers of two sections.
    integer function nga_idot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*)
      character(len=*), intent(in) :: t_a, t_b
    end function nga_idot_patch

    !> The sum of the products of the elements of two patches; 't' for a transposed one.
    real function ga_sdot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi
      character(len=*), intent(in) :: t_a, t_b
    end function ga_sdot_patch

    !> The sum of the products of the elements of two sections; 't' for one with its dimensions reversed.
    real function nga_sdot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*)
      character(len=*), intent(in) :: t_a, t_b
    end function nga_sdot_patch

    !> The sum of the products of the elements of two patches; 't' for a transposed one.
    double precision function ga_ddot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi
      character(len=*), intent(in) :: t_a, t_b
    end function ga_ddot_patch

    !> The sum of the products of the elements of two sections; 't' for one with its dimensions reversed.
    double precision function nga_ddot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*)
      character(len=*), intent(in) :: t_a, t_b
    end function nga_ddot_patch

    !> The sum of the products of the elements of two patches; 't' for a transposed one.
    complex function ga_cdot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi
      character(len=*), intent(in) :: t_a, t_b
    end function ga_cdot_patch

    !> The sum of the products of the elements of two sections; 't' for one with its dimensions reversed.
    complex function nga_cdot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*)
      character(len=*), intent(in) :: t_a, t_b
    end function nga_cdot_patch

    !> The sum of the products of the elements of two patches; 't' for a transposed one.
    double complex function ga_zdot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi
      character(len=*), intent(in) :: t_a, t_b
    end function ga_zdot_patch

    !> The sum of the products of the elements of two sections; 't' for one with its dimensions reversed.
    double complex function nga_zdot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*)
      character(len=*), intent(in) :: t_a, t_b
    end function nga_zdot_patch

    !> g_c = alpha op(g_a) op(g_b) + beta g_c, m x n elements, k products each; op is 'n', 't' or 'c'.
    subroutine ga_sgemm(transa, transb, m, n, k, alpha, g_a, g_b, beta, g_c)
      character(len=*), intent(in) :: transa, transb
      integer, intent(in) :: m, n, k, g_a, g_b, g_c
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
    end subroutine ga_sgemm

    !> g_c = alpha op(g_a) op(g_b) + beta g_c, m x n elements, k products each; op is 'n', 't' or 'c'.
    subroutine ga_dgemm(transa, transb, m, n, k, alpha, g_a, g_b, beta, g_c)
      character(len=*), intent(in) :: transa, transb
      integer, intent(in) :: m, n, k, g_a, g_b, g_c
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
    end subroutine ga_dgemm

    !> g_c = alpha op(g_a) op(g_b) + beta g_c, m x n elements, k products each; op is 'n', 't' or 'c'.
    subroutine ga_cgemm(transa, transb, m, n, k, alpha, g_a, g_b, beta, g_c)
      character(len=*), intent(in) :: transa, transb
      integer, intent(in) :: m, n, k, g_a, g_b, g_c
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
    end subroutine ga_cgemm

    !> g_c = alpha op(g_a) op(g_b) + beta g_c, m x n elements, k products each; op is 'n', 't' or 'c'.
    subroutine ga_zgemm(transa, transb, m, n, k, alpha, g_a, g_b, beta, g_c)
      character(len=*), intent(in) :: transa, transb
      integer, intent(in) :: m, n, k, g_a, g_b, g_c
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
    end subroutine ga_zgemm

    !> The same for patches; that of a transposed matrix is given as it is after the transposition.
    subroutine ga_matmul_patch(transa, transb, alpha, beta, g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, &
        bjhi, g_c, cilo, cihi, cjlo, cjhi)
      character(len=*), intent(in) :: transa, transb
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi, g_c, cilo, cihi, cjlo, cjhi
    end subroutine ga_matmul_patch

    !> The same for patches; that of a transposed matrix is given as it is after the transposition.
    subroutine nga_matmul_patch(transa, transb, alpha, beta, g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)
      character(len=*), intent(in) :: transa, transb
      !GCC$ attributes no_arg_check :: alpha
      !GCC$ attributes no_arg_check :: beta
      type(*), intent(in) :: alpha, beta
      integer, intent(in) :: g_a, alo(*), ahi(*), g_b, blo(*), bhi(*), g_c, clo(*), chi(*)
    end subroutine nga_matmul_patch

    !> Gives all processes the first lenbuf bytes of buf of process root. type does not matter.
    subroutine ga_brdcst(type, buf, lenbuf, root)
      integer, intent(in) :: type, lenbuf, root
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end subroutine ga_brdcst

    !> Gives all processes the first lenbuf bytes of buf of process root. type does not matter.
    subroutine nga_brdcst(type, buf, lenbuf, root)
      integer, intent(in) :: type, lenbuf, root
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end subroutine nga_brdcst

    !> The same in a group.
    subroutine ga_pgroup_brdcst(grp, type, buf, lenbuf, root)
      integer, intent(in) :: grp, type, lenbuf, root
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end subroutine ga_pgroup_brdcst

    !> Reduces n numbers over all processes: + * max min absmax absmin or. type does not matter.
    subroutine ga_igop(type, x, n, op)
      integer, intent(in) :: type, n
      integer, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_igop

    !> Reduces n numbers over all processes: + * max min absmax absmin or. type does not matter.
    subroutine nga_igop(type, x, n, op)
      integer, intent(in) :: type, n
      integer, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_igop

    !> Reduces n numbers over all processes: + * max min absmax absmin. type does not matter.
    subroutine ga_sgop(type, x, n, op)
      integer, intent(in) :: type, n
      real, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_sgop

    !> Reduces n numbers over all processes: + * max min absmax absmin. type does not matter.
    subroutine nga_sgop(type, x, n, op)
      integer, intent(in) :: type, n
      real, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_sgop

    !> Reduces n numbers over all processes: + * max min absmax absmin. type does not matter.
    subroutine ga_dgop(type, x, n, op)
      integer, intent(in) :: type, n
      double precision, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_dgop

    !> Reduces n numbers over all processes: + * max min absmax absmin. type does not matter.
    subroutine nga_dgop(type, x, n, op)
      integer, intent(in) :: type, n
      double precision, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_dgop

    !> Reduces n numbers over all processes: + * absmax absmin. type does not matter.
    subroutine ga_cgop(type, x, n, op)
      integer, intent(in) :: type, n
      complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_cgop

    !> Reduces n numbers over all processes: + * absmax absmin. type does not matter.
    subroutine nga_cgop(type, x, n, op)
      integer, intent(in) :: type, n
      complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_cgop

    !> Reduces n numbers over all processes: + * absmax absmin. type does not matter.
    subroutine ga_zgop(type, x, n, op)
      integer, intent(in) :: type, n
      double complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_zgop

    !> Reduces n numbers over all processes: + * absmax absmin. type does not matter.
    subroutine nga_zgop(type, x, n, op)
      integer, intent(in) :: type, n
      double complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_zgop

    !> The same for numbers of type type: mt_int, mt_dbl and so on.
    subroutine ga_gop(type, x, n, op)
      integer, intent(in) :: type, n
      !GCC$ attributes no_arg_check :: x
      type(*), dimension(*) :: x
      character(len=*), intent(in) :: op
    end subroutine ga_gop

    !> The same for numbers of type type: mt_int, mt_dbl and so on.
    subroutine nga_gop(type, x, n, op)
      integer, intent(in) :: type, n
      !GCC$ attributes no_arg_check :: x
      type(*), dimension(*) :: x
      character(len=*), intent(in) :: op
    end subroutine nga_gop

    !> The same in a group.
    subroutine ga_pgroup_igop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      integer, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_pgroup_igop

    !> The same in a group.
    subroutine nga_pgroup_igop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      integer, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_pgroup_igop

    !> The same in a group.
    subroutine ga_pgroup_sgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      real, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_pgroup_sgop

    !> The same in a group.
    subroutine nga_pgroup_sgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      real, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_pgroup_sgop

    !> The same in a group.
    subroutine ga_pgroup_dgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      double precision, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_pgroup_dgop

    !> The same in a group.
    subroutine nga_pgroup_dgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      double precision, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_pgroup_dgop

    !> The same in a group.
    subroutine ga_pgroup_cgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_pgroup_cgop

    !> The same in a group.
    subroutine nga_pgroup_cgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_pgroup_cgop

    !> The same in a group.
    subroutine ga_pgroup_zgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      double complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine ga_pgroup_zgop

    !> The same in a group.
    subroutine nga_pgroup_zgop(grp, type, x, n, op)
      integer, intent(in) :: grp, type, n
      double complex, intent(inout) :: x(*)
      character(len=*), intent(in) :: op
    end subroutine nga_pgroup_zgop

    !> A group of the listed processes of the default group.
    integer function ga_pgroup_create(list, count)
      integer, intent(in) :: list(*), count
    end function ga_pgroup_create

    !> A group of the listed processes of the default group.
    integer function nga_pgroup_create(list, count)
      integer, intent(in) :: list(*), count
    end function nga_pgroup_create

    !> Forgets a group.
    logical function ga_pgroup_destroy(grp)
      integer, intent(in) :: grp
    end function ga_pgroup_destroy

    !> Forgets a group.
    logical function nga_pgroup_destroy(grp)
      integer, intent(in) :: grp
    end function nga_pgroup_destroy

    !> A second handle for a group.
    integer function ga_pgroup_duplicate(grp)
      integer, intent(in) :: grp
    end function ga_pgroup_duplicate

    !> A second handle for a group.
    integer function nga_pgroup_duplicate(grp)
      integer, intent(in) :: grp
    end function nga_pgroup_duplicate

    !> A group of this process alone.
    integer function ga_pgroup_self()
    end function ga_pgroup_self

    !> A group of this process alone.
    integer function nga_pgroup_self()
    end function nga_pgroup_self

    !> Cuts a group into parts of neighbours and returns the one with this process.
    integer function ga_pgroup_split(grp, num_group)
      integer, intent(in) :: grp, num_group
    end function ga_pgroup_split

    !> Cuts a group into parts of neighbours and returns the one with this process.
    integer function nga_pgroup_split(grp, num_group)
      integer, intent(in) :: grp, num_group
    end function nga_pgroup_split

    !> Cuts a group by colour and returns the one with this process.
    integer function ga_pgroup_split_irreg(grp, color)
      integer, intent(in) :: grp, color
    end function ga_pgroup_split_irreg

    !> Cuts a group by colour and returns the one with this process.
    integer function nga_pgroup_split_irreg(grp, color)
      integer, intent(in) :: grp, color
    end function nga_pgroup_split_irreg

    !> The default group.
    integer function ga_pgroup_get_default()
    end function ga_pgroup_get_default

    !> The default group.
    integer function nga_pgroup_get_default()
    end function nga_pgroup_get_default

    !> The group of all processes.
    integer function ga_pgroup_get_world()
    end function ga_pgroup_get_world

    !> The group of all processes.
    integer function nga_pgroup_get_world()
    end function nga_pgroup_get_world

    !> Makes a group the default.
    subroutine ga_pgroup_set_default(grp)
      integer, intent(in) :: grp
    end subroutine ga_pgroup_set_default

    !> Makes a group the default.
    subroutine nga_pgroup_set_default(grp)
      integer, intent(in) :: grp
    end subroutine nga_pgroup_set_default

    !> Number of processes of a group.
    integer function ga_pgroup_nnodes(grp)
      integer, intent(in) :: grp
    end function ga_pgroup_nnodes

    !> Number of processes of a group.
    integer function nga_pgroup_nnodes(grp)
      integer, intent(in) :: grp
    end function nga_pgroup_nnodes

    !> Number of processes of a group.
    integer function ga_get_pgroup_size(grp)
      integer, intent(in) :: grp
    end function ga_get_pgroup_size

    !> Number of processes of a group.
    integer function nga_get_pgroup_size(grp)
      integer, intent(in) :: grp
    end function nga_get_pgroup_size

    !> This process's number in a group; -1 if it is not in it.
    integer function ga_pgroup_nodeid(grp)
      integer, intent(in) :: grp
    end function ga_pgroup_nodeid

    !> This process's number in a group; -1 if it is not in it.
    integer function nga_pgroup_nodeid(grp)
      integer, intent(in) :: grp
    end function nga_pgroup_nodeid

    !> The number among all processes of one of a group.
    integer function ga_pgroup_absolute_id(grp, pid)
      integer, intent(in) :: grp, pid
    end function ga_pgroup_absolute_id

    !> The number among all processes of one of a group.
    integer function nga_pgroup_absolute_id(grp, pid)
      integer, intent(in) :: grp, pid
    end function nga_pgroup_absolute_id

    !> As ga_sync for a group.
    subroutine ga_pgroup_sync(grp)
      integer, intent(in) :: grp
    end subroutine ga_pgroup_sync

    !> As ga_sync for a group.
    subroutine nga_pgroup_sync(grp)
      integer, intent(in) :: grp
    end subroutine nga_pgroup_sync

    !> MPI's communicator of all processes; it belongs to the library.
    subroutine ga_mpi_comm(comm)
      integer, intent(inout) :: comm
    end subroutine ga_mpi_comm

    !> MPI's communicator of a group.
    subroutine ga_mpi_comm_pgroup(comm, grp)
      integer, intent(inout) :: comm
      integer, intent(in) :: grp
    end subroutine ga_mpi_comm_pgroup

    !> MPI's communicator of the default group.
    subroutine ga_mpi_comm_pgroup_default(comm)
      integer, intent(inout) :: comm
    end subroutine ga_mpi_comm_pgroup_default

    !> Makes so many mutexes, from 0.
    logical function ga_create_mutexes(number)
      integer, intent(in) :: number
    end function ga_create_mutexes

    !> Makes so many mutexes, from 0.
    logical function nga_create_mutexes(number)
      integer, intent(in) :: number
    end function nga_create_mutexes

    !> Removes all mutexes.
    logical function ga_destroy_mutexes()
    end function ga_destroy_mutexes

    !> Removes all mutexes.
    logical function nga_destroy_mutexes()
    end function nga_destroy_mutexes

    !> Waits for a mutex.
    subroutine ga_lock(mutex)
      integer, intent(in) :: mutex
    end subroutine ga_lock

    !> Waits for a mutex.
    subroutine nga_lock(mutex)
      integer, intent(in) :: mutex
    end subroutine nga_lock

    !> Gives a mutex back.
    subroutine ga_unlock(mutex)
      integer, intent(in) :: mutex
    end subroutine ga_unlock

    !> Gives a mutex back.
    subroutine nga_unlock(mutex)
      integer, intent(in) :: mutex
    end subroutine nga_unlock
  end interface
end module chemio_ga
