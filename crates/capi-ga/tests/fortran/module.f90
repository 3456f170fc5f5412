! The calls through the modules chemio_ga and chemio_ma: explicit interfaces take buffers of any type and rank.
program module
  use mpi
  use chemio_ga
  use chemio_ma
  implicit none
  integer :: failures = 0, all_failures(1)
  integer(kind=4) :: ierr

  call mpi_init(ierr)
  call ga_initialize()
  call any_type_and_rank_is_a_buffer
  call logicals_are_logicals
  call nonblocking_buffers_are_moved_while_the_program_computes
  call blocks_are_described_by_an_index_and_extents
  call values_have_the_type_of_the_array
  call results_of_every_type_come_back
  call described_arrays_are_allocated
  call groups_have_ranks_of_their_own
  call memory_is_found_by_an_index
  all_failures = failures
  call ga_igop(1, all_failures, 1, '+')
  call ga_terminate()
  call mpi_finalize(ierr)
  if (all_failures(1) /= 0) stop 1

contains

  subroutine check(what, found, expected)
    character(len=*), intent(in) :: what
    integer, intent(in) :: found, expected
    if (found == expected) return
    print *, 'not so: ', what, found, expected
    failures = failures + 1
  end subroutine check

  subroutine check_true(what, found)
    character(len=*), intent(in) :: what
    logical, intent(in) :: found
    call check(what, merge(1, 0, found), 1)
  end subroutine check_true

  subroutine done(what)
    character(len=*), intent(in) :: what
    integer :: all(1)
    all = failures
    call ga_igop(1, all, 1, '+')
    if (ga_nodeid() == 0) print '(a,a)', merge('ok     ', 'FAILED ', all(1) == 0), what
  end subroutine done

  subroutine any_type_and_rank_is_a_buffer
    integer :: g, lo(3) = 1, hi(3) = [4, 3, 2], ld(2) = [4, 3], whole(4, 3, 2), k
    double precision, allocatable :: matrix(:, :)
    double precision :: corner
    whole = reshape([(k, k=1, 24)], shape(whole))
    call check_true('create', nga_create(mt_int, 3, hi, 'box', [-1, -1, -1], g))
    if (ga_nodeid() == 0) call nga_put(g, lo, hi, whole, ld)
    call ga_sync()
    whole = 0
    call nga_get(g, lo, hi, whole, ld)
    call check_true('the same', all(whole == reshape([(k, k=1, 24)], shape(whole))))
    call check_true('destroy', ga_destroy(g))
    allocate (matrix(5, 6), source=1.5d0)
    call check_true('create', ga_create(mt_dbl, 5, 6, 'matrix', -1, -1, g))
    if (ga_nodeid() == 0) call ga_put(g, 1, 5, 1, 6, matrix, 5)
    call ga_sync()
    call ga_get(g, 5, 5, 6, 6, corner, 1)
    call check_true('a scalar', corner == 1.5d0)
    call check_true('destroy', ga_destroy(g))
    call done('buffers')
  end subroutine any_type_and_rank_is_a_buffer

  subroutine logicals_are_logicals
    integer :: g, owner
    logical :: ok
    ok = ga_create(mt_dbl, 4, 4, 'l', 0, 0, g)
    call check_true('initialized', ga_initialized())
    call check_true('valid', ga_valid_handle(g) .and. .not. ga_valid_handle(0))
    call check_true('located', ga_locate(g, 4, 4, owner))
    call check_true('not located', .not. ga_locate(g, 5, 4, owner))
    call ga_mask_sync(.true., .false.)
    call ga_zero(g)
    call ga_sync()
    ok = ga_destroy(g)
    call check_true('not twice', .not. ga_destroy(g))
    call done('logicals')
  end subroutine logicals_are_logicals

  subroutine nonblocking_buffers_are_moved_while_the_program_computes
    integer :: g, request
    double precision, asynchronous :: x(3, 3)
    call check_true('create', ga_create(mt_dbl, 3, 3, 'n', -1, -1, g))
    call ga_fill(g, 2.5d0)
    call ga_nbget(g, 1, 3, 1, 3, x, 3, request)
    call ga_nbwait(request)
    call check_true('read', all(x == 2.5d0))
    call check('complete', ga_nbtest(request), 1)
    call check_true('destroy', ga_destroy(g))
    call done('nonblocking')
  end subroutine nonblocking_buffers_are_moved_while_the_program_computes

  subroutine blocks_are_described_by_an_index_and_extents
    integer :: g, lo(2), hi(2), ld(1)
    integer(ga_access_index) :: index
    call check_true('create', ga_create(mt_dbl, 9, 9, 'block', -1, -1, g))
    call ga_fill(g, 7.0d0)
    call nga_distribution(g, ga_nodeid(), lo, hi)
    call nga_access(g, lo, hi, index, ld)
    call check('extent', ld(1), hi(1) - lo(1) + 1)
    call check_element(dbl_mb(index))
    call nga_release(g, lo, hi)
    call check_true('destroy', ga_destroy(g))
    call done('blocks')
  end subroutine blocks_are_described_by_an_index_and_extents

  subroutine memory_is_found_by_an_index
    integer :: handle, other
    integer(ma_access_index) :: index
    call check_true('limits', ma_init(mt_dbl, 1000, 1000) .and. ma_initialized())
    call check_true('stack', ma_push_get(mt_dbl, 900, 'stack', handle, index))
    call fill(dbl_mb(index), 900)
    call check_element(dbl_mb(index + 899))
    call check_true('heap', ma_alloc_get(mt_int, 10, 'heap', other, index))
    int_mb(index) = 5
    call check('elements', ma_sizeof(mt_dbl, 3, mt_byte), 24)
    call check_true('guards', ma_verify_allocator_stuff())
    call check_true('freed', ma_free_heap(other) .and. ma_pop_stack(handle))
    call done('memory')
  end subroutine memory_is_found_by_an_index

  subroutine fill(x, n)
    integer, intent(in) :: n
    double precision, intent(out) :: x(n)
    x = 7d0
  end subroutine fill

  subroutine check_element(x)
    double precision, intent(in) :: x(*)
    call check_true('in place', x(1) == 7.0d0)
  end subroutine check_element

  subroutine values_have_the_type_of_the_array
    integer :: g, h
    complex(kind=kind(1d0)) :: z(2)
    integer :: k(2)
    call check_true('create', nga_create(mt_dcpl, 1, [2], 'z', [-1], g))
    call check_true('create', nga_create(mt_int, 1, [2], 'k', [-1], h))
    call ga_fill(g, (1d0, 2d0))
    call ga_scale(g, (0d0, 1d0))
    call ga_fill(h, 3)
    call ga_scale(h, 4)
    call nga_get(g, [1], [2], z, [2])
    call nga_get(h, [1], [2], k, [2])
    call check_true('complex', all(z == (-2d0, 1d0)))
    call check_true('integer', all(k == 12))
    call ga_zgop(1, z, 2, '+')
    call check_true('complex, of all', all(z == ga_nnodes() * (-2d0, 1d0)))
    call ga_sync()
    call check_true('destroy', ga_destroy(g) .and. ga_destroy(h))
    call done('values')
  end subroutine values_have_the_type_of_the_array

  subroutine results_of_every_type_come_back
    integer :: d, i, s, z, c
    call check_true('d', ga_create(mt_dbl, 3, 4, 'd', -1, -1, d))
    call check_true('i', ga_create(mt_int, 3, 4, 'i', -1, -1, i))
    call check_true('s', ga_create(mt_real, 3, 4, 's', -1, -1, s))
    call check_true('z', ga_create(mt_dcpl, 3, 4, 'z', -1, -1, z))
    call check_true('c', ga_create(mt_scpl, 3, 4, 'c', -1, -1, c))
    call ga_fill(d, 0.5d0)
    call ga_fill(i, 2)
    call ga_fill(s, 0.5)
    call ga_fill(z, (1d0, 1d0))
    call ga_fill(c, (1.0, 1.0))
    call check_true('ddot', ga_ddot(d, d) == 3d0)
    call check('idot', ga_idot(i, i), 48)
    call check_true('sdot', ga_sdot(s, s) == 3.0)
    call check_true('zdot', ga_zdot(z, z) == (0d0, 24d0))
    call check_true('cdot', ga_cdot(c, c) == (0.0, 24.0))
    call check_true('patch', ga_zdot_patch(z, 'n', 1, 1, 1, 2, z, 'n', 2, 2, 1, 2) == (0d0, 4d0))
    call check_true('patch', nga_ddot_patch(d, 'n', [1, 1], [2, 2], d, 't', [1, 1], [2, 2]) == 1d0)
    call check_true('destroy', ga_destroy(d) .and. ga_destroy(i) .and. ga_destroy(s))
    call check_true('destroy', ga_destroy(z) .and. ga_destroy(c))
    call done('results')
  end subroutine results_of_every_type_come_back

  subroutine described_arrays_are_allocated
    integer :: g, type, ndim, dims(7), map(2) = [1, 1], lo(2), hi(2)
    character(len=10) :: name
    g = ga_create_handle()
    call ga_set_data(g, 2, [6, 8], mt_real)
    call ga_set_array_name(g, 'planned')
    call ga_set_irreg_distr(g, map, [1, 1])
    call check_true('not yet', .not. ga_valid_handle(g))
    call check_true('allocate', ga_allocate(g))
    call check_true('not twice', .not. ga_allocate(g))
    call nga_inquire(g, type, ndim, dims)
    call ga_inquire_name(g, name)
    call check('type', type, mt_real)
    call check('dimensions', ndim, 2)
    call check('rows', dims(1), 6)
    call check_true('name', name == 'planned')
    call nga_distribution(g, 0, lo, hi)
    call check('all rows', hi(1), 6)
    call check('all columns', hi(2), 8)
    call check_true('destroy', ga_destroy(g))
    g = ga_create_handle()
    call check_true('a handle alone can go too', ga_destroy(g))
    call done('described arrays')
  end subroutine described_arrays_are_allocated

  subroutine groups_have_ranks_of_their_own
    integer :: parts, half, n, alone, x(1), communicator
    integer(kind=4) :: members, code
    n = ga_nnodes()
    parts = ga_pgroup_split(ga_pgroup_get_world(), 2)
    half = (n + 1)/2
    call check('mine', ga_pgroup_nodeid(parts), mod(ga_nodeid(), half))
    call check('in the world', ga_pgroup_absolute_id(parts, ga_pgroup_nodeid(parts)), ga_nodeid())
    x = 1
    call ga_pgroup_igop(parts, 1, x, 1, '+')
    call check('members', x(1), ga_pgroup_nnodes(parts))
    call ga_mpi_comm_pgroup(communicator, parts)
    call mpi_comm_size(int(communicator, 4), members, code)
    call check('communicator', int(members), x(1))
    call ga_pgroup_sync(parts)
    call check_true('forgotten', ga_pgroup_destroy(parts))
    alone = ga_pgroup_split_irreg(ga_pgroup_get_world(), ga_nodeid())
    call check('alone', ga_pgroup_nnodes(alone), 1)
    call check_true('forgotten', ga_pgroup_destroy(alone))
    call ga_sync()
    call done('groups')
  end subroutine groups_have_ranks_of_their_own
end program module
