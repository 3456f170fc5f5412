//! The macro that gives the calls their symbols.

/// Defines the symbols that depend on the width of INTEGER, `i32` or `i64`: all of Fortran's, and the C calls that begin
/// everything, which say the width to the rest.
///
/// Once in a program, at the root of the crate that becomes a library.
#[macro_export]
macro_rules! export {
    ($int:ty) => {
        $crate::c_beginnings! { $int;
            GA_Initialize(); NGA_Initialize();
            GA_Initialize_args(_argc: *mut $crate::types::c_int, _argv: *mut *mut *mut $crate::types::c_char);
        }
        $crate::c_limited_beginnings! { $int; GA_Initialize_ltd NGA_Initialize_ltd }
        $crate::fortran_names! { lifecycle;
            ga_initialize_ nga_initialize_ = initialize[$int]() -> ();
            ga_initialize_ltd_ nga_initialize_ltd_ = initialize_ltd(limit: *const $int) -> ();
            ga_terminate_ nga_terminate_ = terminate() -> ();
            ga_initialized_ nga_initialized_ = initialized() -> $int;
            ga_error_ nga_error_ =
                error(string: *const $crate::types::c_char, icode: *const $int, string_len: usize) -> ();
            ga_nodeid_ nga_nodeid_ = nodeid() -> $int;
            ga_nnodes_ nga_nnodes_ = nnodes() -> $int;
            ga_sync_ nga_sync_ = sync() -> ();
            ga_mask_sync_ nga_mask_sync_ = mask_sync(first: *const $int, last: *const $int) -> ();
            ga_init_fence_ nga_init_fence_ = init_fence() -> ();
            ga_fence_ nga_fence_ = fence() -> ();
            ga_wtime_ nga_wtime_ = wtime() -> f64;
            ga_uses_ma_ nga_uses_ma_ = uses_ma() -> $int;
            ga_memory_avail_ nga_memory_avail_ = memory_avail() -> $int;
            ga_memory_limited_ nga_memory_limited_ = memory_limited() -> $int;
            ga_inquire_memory_ nga_inquire_memory_ = inquire_memory() -> $int;
            ga_set_memory_limit_ nga_set_memory_limit_ = set_memory_limit(limit: *const $int) -> ();
            ga_cluster_nnodes_ nga_cluster_nnodes_ = cluster_nnodes() -> $int;
            ga_cluster_nodeid_ nga_cluster_nodeid_ = cluster_nodeid() -> $int;
            ga_cluster_nprocs_ nga_cluster_nprocs_ = cluster_nprocs(node: *const $int) -> $int;
            ga_cluster_procid_ nga_cluster_procid_ =
                cluster_procid(node: *const $int, place: *const $int) -> $int;
            ga_cluster_proc_nodeid_ nga_cluster_proc_nodeid_ = cluster_proc_nodeid(proc: *const $int) -> $int;
            drand_ = drand(flag: *const $int) -> f64;
        }
        $crate::fortran_names! { arrays;
            ga_create_ = create_matrix(
                code: *const $int, dim1: *const $int, dim2: *const $int, name: *const $crate::types::c_char,
                chunk1: *const $int, chunk2: *const $int, g_a: *mut $int, name_len: usize
            ) -> $int;
            nga_create_ = create(
                code: *const $int, ndim: *const $int, dims: *const $int, name: *const $crate::types::c_char,
                chunk: *const $int, g_a: *mut $int, name_len: usize
            ) -> $int;
            nga_create_config_ = create_config(
                code: *const $int, ndim: *const $int, dims: *const $int, name: *const $crate::types::c_char,
                chunk: *const $int, p_handle: *const $int, g_a: *mut $int, name_len: usize
            ) -> $int;
            ga_create_irreg_ = create_irreg_matrix(
                code: *const $int, dim1: *const $int, dim2: *const $int, name: *const $crate::types::c_char,
                map1: *const $int, nblock1: *const $int, map2: *const $int, nblock2: *const $int, g_a: *mut $int,
                name_len: usize
            ) -> $int;
            nga_create_irreg_ = create_irreg(
                code: *const $int, ndim: *const $int, dims: *const $int, name: *const $crate::types::c_char,
                map: *const $int, nblock: *const $int, g_a: *mut $int, name_len: usize
            ) -> $int;
            nga_create_irreg_config_ = create_irreg_config(
                code: *const $int, ndim: *const $int, dims: *const $int, name: *const $crate::types::c_char,
                map: *const $int, nblock: *const $int, p_handle: *const $int, g_a: *mut $int, name_len: usize
            ) -> $int;
            ga_create_handle_ nga_create_handle_ = create_handle() -> $int;
            ga_set_data_ nga_set_data_ =
                set_data(g_a: *const $int, ndim: *const $int, dims: *const $int, code: *const $int) -> ();
            ga_set_chunk_ nga_set_chunk_ = set_chunk(g_a: *const $int, chunk: *const $int) -> ();
            ga_set_irreg_distr_ nga_set_irreg_distr_ =
                set_irreg_distr(g_a: *const $int, map: *const $int, nblock: *const $int) -> ();
            ga_set_array_name_ nga_set_array_name_ =
                set_array_name(g_a: *const $int, name: *const $crate::types::c_char, name_len: usize) -> ();
            ga_set_pgroup_ nga_set_pgroup_ = set_pgroup(g_a: *const $int, p_handle: *const $int) -> ();
            ga_allocate_ nga_allocate_ = allocate(g_a: *const $int) -> $int;
            ga_duplicate_ nga_duplicate_ = duplicate(
                g_a: *const $int, g_b: *mut $int, name: *const $crate::types::c_char, name_len: usize
            ) -> $int;
            ga_destroy_ nga_destroy_ = destroy(g_a: *const $int) -> $int;
            ga_inquire_ =
                inquire_matrix(g_a: *const $int, code: *mut $int, dim1: *mut $int, dim2: *mut $int) -> ();
            nga_inquire_ = inquire(g_a: *const $int, code: *mut $int, ndim: *mut $int, dims: *mut $int) -> ();
            ga_inquire_name_ nga_inquire_name_ =
                inquire_name(g_a: *const $int, name: *mut $crate::types::c_char, name_len: usize) -> ();
            ga_ndim_ nga_ndim_ ga_get_dimension_ nga_get_dimension_ = ndim(g_a: *const $int) -> $int;
            ga_valid_handle_ nga_valid_handle_ ga_verify_handle_ nga_verify_handle_ =
                valid_handle(g_a: *const $int) -> $int;
            ga_check_handle_ nga_check_handle_ =
                check_handle(g_a: *const $int, string: *const $crate::types::c_char, string_len: usize) -> ();
            ga_compare_distr_ nga_compare_distr_ = compare_distr(g_a: *const $int, g_b: *const $int) -> $int;
            ga_distribution_ = distribution_of_matrix(
                g_a: *const $int, proc: *const $int, ilo: *mut $int, ihi: *mut $int, jlo: *mut $int, jhi: *mut $int
            ) -> ();
            nga_distribution_ =
                distribution(g_a: *const $int, proc: *const $int, lo: *mut $int, hi: *mut $int) -> ();
            ga_locate_ =
                locate_in_matrix(g_a: *const $int, i: *const $int, j: *const $int, owner: *mut $int) -> $int;
            nga_locate_ = locate(g_a: *const $int, subscript: *const $int, owner: *mut $int) -> $int;
            ga_locate_region_ = locate_region_of_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                map: *mut $int, np: *mut $int
            ) -> $int;
            nga_locate_region_ = locate_region(
                g_a: *const $int, lo: *const $int, hi: *const $int, map: *mut $int, proclist: *mut $int,
                np: *mut $int
            ) -> $int;
            ga_nblock_ nga_nblock_ = nblock(g_a: *const $int, nblock: *mut $int) -> ();
            ga_proc_topology_ =
                topology_of_matrix(g_a: *const $int, proc: *const $int, pr: *mut $int, pc: *mut $int) -> ();
            nga_proc_topology_ = topology(g_a: *const $int, proc: *const $int, coord: *mut $int) -> ();
            ga_get_pgroup_ nga_get_pgroup_ = get_pgroup(g_a: *const $int) -> $int;
        }
        $crate::fortran_names! { transfer;
            ga_put_ = put_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int
            ) -> ();
            ga_get_ = get_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int
            ) -> ();
            ga_acc_ = acc_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int, alpha: *const $crate::types::c_void
            ) -> ();
            ga_nbput_ = nbput_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int, nbhandle: *mut $int
            ) -> ();
            ga_nbget_ = nbget_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int, nbhandle: *mut $int
            ) -> ();
            ga_nbacc_ = nbacc_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int, alpha: *const $crate::types::c_void,
                nbhandle: *mut $int
            ) -> ();
            nga_put_ = put(
                g_a: *const $int, lo: *const $int, hi: *const $int, buf: *mut $crate::types::c_void, ld: *const $int
            ) -> ();
            nga_get_ = get(
                g_a: *const $int, lo: *const $int, hi: *const $int, buf: *mut $crate::types::c_void, ld: *const $int
            ) -> ();
            nga_acc_ = acc(
                g_a: *const $int, lo: *const $int, hi: *const $int, buf: *mut $crate::types::c_void,
                ld: *const $int, alpha: *const $crate::types::c_void
            ) -> ();
            nga_nbput_ = nbput(
                g_a: *const $int, lo: *const $int, hi: *const $int, buf: *mut $crate::types::c_void,
                ld: *const $int, nbhandle: *mut $int
            ) -> ();
            nga_nbget_ = nbget(
                g_a: *const $int, lo: *const $int, hi: *const $int, buf: *mut $crate::types::c_void,
                ld: *const $int, nbhandle: *mut $int
            ) -> ();
            nga_nbacc_ = nbacc(
                g_a: *const $int, lo: *const $int, hi: *const $int, buf: *mut $crate::types::c_void,
                ld: *const $int, alpha: *const $crate::types::c_void, nbhandle: *mut $int
            ) -> ();
            ga_nbwait_ nga_nbwait_ = nbwait(nbhandle: *mut $int) -> ();
            ga_nbtest_ nga_nbtest_ = nbtest(nbhandle: *mut $int) -> $int;
            nga_strided_put_ = strided_put(
                g_a: *const $int, lo: *const $int, hi: *const $int, skip: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int
            ) -> ();
            nga_strided_get_ = strided_get(
                g_a: *const $int, lo: *const $int, hi: *const $int, skip: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int
            ) -> ();
            nga_strided_acc_ = strided_acc(
                g_a: *const $int, lo: *const $int, hi: *const $int, skip: *const $int,
                buf: *mut $crate::types::c_void, ld: *const $int, alpha: *const $crate::types::c_void
            ) -> ();
            ga_scatter_ = scatter_matrix(
                g_a: *const $int, v: *mut $crate::types::c_void, i: *const $int, j: *const $int, nv: *const $int
            ) -> ();
            ga_gather_ = gather_matrix(
                g_a: *const $int, v: *mut $crate::types::c_void, i: *const $int, j: *const $int, nv: *const $int
            ) -> ();
            ga_scatter_acc_ = scatter_acc_matrix(
                g_a: *const $int, v: *mut $crate::types::c_void, i: *const $int, j: *const $int, nv: *const $int,
                alpha: *const $crate::types::c_void
            ) -> ();
            nga_scatter_ = scatter(
                g_a: *const $int, v: *mut $crate::types::c_void, subscripts: *const $int, n: *const $int
            ) -> ();
            nga_gather_ = gather(
                g_a: *const $int, v: *mut $crate::types::c_void, subscripts: *const $int, n: *const $int
            ) -> ();
            nga_scatter_acc_ = scatter_acc(
                g_a: *const $int, v: *mut $crate::types::c_void, subscripts: *const $int, n: *const $int,
                alpha: *const $crate::types::c_void
            ) -> ();
            ga_read_inc_ =
                read_inc_matrix(g_a: *const $int, i: *const $int, j: *const $int, inc: *const $int) -> $int;
            nga_read_inc_ = read_inc(g_a: *const $int, subscript: *const $int, inc: *const $int) -> $int;
            ga_access_ = access_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                index: *mut i64, ld: *mut $int
            ) -> ();
            nga_access_ = access(
                g_a: *const $int, lo: *const $int, hi: *const $int, index: *mut i64, ld: *mut $int
            ) -> ();
            ga_release_ ga_release_update_ = release_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int
            ) -> ();
            nga_release_ nga_release_update_ =
                release(g_a: *const $int, lo: *const $int, hi: *const $int) -> ();
        }
        $crate::fortran_arithmetic! { $int }
        $crate::fortran_elementwise! { $int }
        $crate::fortran_collective! { $int }
        $crate::fortran_names! { print;
            ga_print_ nga_print_ = print(g_a: *const $int) -> ();
            ga_print_patch_ = print_patch_of_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int,
                pretty: *const $int
            ) -> ();
            nga_print_patch_ =
                print_patch(g_a: *const $int, lo: *const $int, hi: *const $int, pretty: *const $int) -> ();
            ga_print_distribution_ nga_print_distribution_ = print_distribution(g_a: *const $int) -> ();
            ga_summarize_ nga_summarize_ = summarize(verbose: *const $int) -> ();
            ga_print_stats_ nga_print_stats_ = print_stats() -> ();
        }
    };
}

/// The part of [`export!`] that is arithmetic.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_arithmetic {
    ($int:ty) => {
        $crate::fortran_names! { arithmetic;
            ga_zero_ nga_zero_ = zero(g_a: *const $int) -> ();
            ga_fill_ nga_fill_ = fill(g_a: *const $int, value: *const $crate::types::c_void) -> ();
            ga_scale_ nga_scale_ = scale[$int, { b'*' }](
                g_a: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_iscale_ ga_iscal_ nga_iscale_ = scale[$int, { b'i' }](
                g_a: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_sscale_ ga_sscal_ nga_sscale_ = scale[$int, { b's' }](
                g_a: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_dscale_ ga_dscal_ nga_dscale_ = scale[$int, { b'd' }](
                g_a: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_cscale_ ga_cscal_ nga_cscale_ = scale[$int, { b'c' }](
                g_a: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_zscale_ ga_zscal_ nga_zscale_ = scale[$int, { b'z' }](
                g_a: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_add_ nga_add_ = add[$int, { b'*' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, beta: *const $crate::types::c_void, g_b:
                *const $int, g_c: *const $int
            ) -> ();
            ga_iadd_ nga_iadd_ = add[$int, { b'i' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, beta: *const $crate::types::c_void, g_b:
                *const $int, g_c: *const $int
            ) -> ();
            ga_sadd_ nga_sadd_ = add[$int, { b's' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, beta: *const $crate::types::c_void, g_b:
                *const $int, g_c: *const $int
            ) -> ();
            ga_dadd_ nga_dadd_ = add[$int, { b'd' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, beta: *const $crate::types::c_void, g_b:
                *const $int, g_c: *const $int
            ) -> ();
            ga_cadd_ nga_cadd_ = add[$int, { b'c' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, beta: *const $crate::types::c_void, g_b:
                *const $int, g_c: *const $int
            ) -> ();
            ga_zadd_ nga_zadd_ = add[$int, { b'z' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, beta: *const $crate::types::c_void, g_b:
                *const $int, g_c: *const $int
            ) -> ();
            ga_copy_ nga_copy_ = copy(g_a: *const $int, g_b: *const $int) -> ();
            ga_transpose_ nga_transpose_ = transpose(g_a: *const $int, g_b: *const $int) -> ();
            ga_symmetrize_ nga_symmetrize_ = symmetrize(g_a: *const $int) -> ();
            ga_idot_ nga_idot_ = idot(g_a: *const $int, g_b: *const $int) -> $int;
            ga_sdot_ nga_sdot_ = dot[$int, f32](g_a: *const $int, g_b: *const $int) -> f32;
            ga_ddot_ nga_ddot_ = dot[$int, f64](g_a: *const $int, g_b: *const $int) -> f64;
            ga_cdot_ nga_cdot_ = dot[$int, $crate::types::Complex32](
                g_a: *const $int, g_b: *const $int
            ) -> $crate::types::Complex32;
            ga_zdot_ nga_zdot_ = dot[$int, $crate::types::Complex64](
                g_a: *const $int, g_b: *const $int
            ) -> $crate::types::Complex64;
            ga_fill_patch_ ga_ifill_patch_ ga_sfill_patch_ ga_dfill_patch_ ga_cfill_patch_ ga_zfill_patch_ =
                fill_patch_of_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_fill_patch_ nga_ifill_patch_ nga_sfill_patch_ nga_dfill_patch_ nga_cfill_patch_ nga_zfill_patch_ =
                fill_patch(
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_zero_patch_ = zero_patch_of_matrix(
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int
            ) -> ();
            nga_zero_patch_ = zero_patch(g_a: *const $int, lo: *const $int, hi: *const $int) -> ();
            ga_scale_patch_ = scale_patch_of_matrix[$int, { b'*' }](
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_scale_patch_ = scale_patch[$int, { b'*' }](
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_iscal_patch_ ga_iscale_patch_ = scale_patch_of_matrix[$int, { b'i' }](
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_iscale_patch_ = scale_patch[$int, { b'i' }](
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_sscal_patch_ ga_sscale_patch_ = scale_patch_of_matrix[$int, { b's' }](
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_sscale_patch_ = scale_patch[$int, { b's' }](
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_dscal_patch_ ga_dscale_patch_ = scale_patch_of_matrix[$int, { b'd' }](
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_dscale_patch_ = scale_patch[$int, { b'd' }](
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_cscal_patch_ ga_cscale_patch_ = scale_patch_of_matrix[$int, { b'c' }](
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_cscale_patch_ = scale_patch[$int, { b'c' }](
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_zscal_patch_ ga_zscale_patch_ = scale_patch_of_matrix[$int, { b'z' }](
                g_a: *const $int, ilo: *const $int, ihi: *const $int, jlo: *const $int, jhi: *const $int, value:
                *const $crate::types::c_void
            ) -> ();
            nga_zscale_patch_ = scale_patch[$int, { b'z' }](
                g_a: *const $int, lo: *const $int, hi: *const $int, value: *const $crate::types::c_void
            ) -> ();
            ga_copy_patch_ = copy_patch_of_matrix(
                trans: *const $crate::types::c_char, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, g_b: *const $int, bilo: *const $int, bihi: *const $int, bjlo: *const
                $int, bjhi: *const $int, trans_len: usize
            ) -> ();
            nga_copy_patch_ = copy_patch(
                trans: *const $crate::types::c_char, g_a: *const $int, alo: *const $int, ahi: *const $int, g_b:
                *const $int, blo: *const $int, bhi: *const $int, trans_len: usize
            ) -> ();
            ga_add_patch_ = add_patch_of_matrix[$int, { b'*' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, beta: *const $crate::types::c_void, g_b: *const $int, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int,
                cihi: *const $int, cjlo: *const $int, cjhi: *const $int
            ) -> ();
            nga_add_patch_ = add_patch[$int, { b'*' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi: *const $int, beta:
                *const $crate::types::c_void, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const
                $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_iadd_patch_ = add_patch_of_matrix[$int, { b'i' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, beta: *const $crate::types::c_void, g_b: *const $int, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int,
                cihi: *const $int, cjlo: *const $int, cjhi: *const $int
            ) -> ();
            nga_iadd_patch_ = add_patch[$int, { b'i' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi: *const $int, beta:
                *const $crate::types::c_void, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const
                $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_sadd_patch_ = add_patch_of_matrix[$int, { b's' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, beta: *const $crate::types::c_void, g_b: *const $int, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int,
                cihi: *const $int, cjlo: *const $int, cjhi: *const $int
            ) -> ();
            nga_sadd_patch_ = add_patch[$int, { b's' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi: *const $int, beta:
                *const $crate::types::c_void, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const
                $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_dadd_patch_ = add_patch_of_matrix[$int, { b'd' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, beta: *const $crate::types::c_void, g_b: *const $int, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int,
                cihi: *const $int, cjlo: *const $int, cjhi: *const $int
            ) -> ();
            nga_dadd_patch_ = add_patch[$int, { b'd' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi: *const $int, beta:
                *const $crate::types::c_void, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const
                $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_cadd_patch_ = add_patch_of_matrix[$int, { b'c' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, beta: *const $crate::types::c_void, g_b: *const $int, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int,
                cihi: *const $int, cjlo: *const $int, cjhi: *const $int
            ) -> ();
            nga_cadd_patch_ = add_patch[$int, { b'c' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi: *const $int, beta:
                *const $crate::types::c_void, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const
                $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_zadd_patch_ = add_patch_of_matrix[$int, { b'z' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, beta: *const $crate::types::c_void, g_b: *const $int, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int,
                cihi: *const $int, cjlo: *const $int, cjhi: *const $int
            ) -> ();
            nga_zadd_patch_ = add_patch[$int, { b'z' }](
                alpha: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi: *const $int, beta:
                *const $crate::types::c_void, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const
                $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_idot_patch_ = idot_patch_of_matrix(
                g_a: *const $int, t_a: *const $crate::types::c_char, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, g_b: *const $int, t_b: *const $crate::types::c_char, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, t_a_len: usize, t_b_len: usize
            ) -> $int;
            nga_idot_patch_ = idot_patch(
                g_a: *const $int, t_a: *const $crate::types::c_char, alo: *const $int, ahi: *const $int, g_b: *const
                $int, t_b: *const $crate::types::c_char, blo: *const $int, bhi: *const $int, t_a_len: usize,
                t_b_len: usize
            ) -> $int;
            ga_sdot_patch_ = dot_patch_of_matrix[$int, f32](
                g_a: *const $int, t_a: *const $crate::types::c_char, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, g_b: *const $int, t_b: *const $crate::types::c_char, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, t_a_len: usize, t_b_len: usize
            ) -> f32;
            nga_sdot_patch_ = dot_patch[$int, f32](
                g_a: *const $int, t_a: *const $crate::types::c_char, alo: *const $int, ahi: *const $int, g_b: *const
                $int, t_b: *const $crate::types::c_char, blo: *const $int, bhi: *const $int, t_a_len: usize,
                t_b_len: usize
            ) -> f32;
            ga_ddot_patch_ = dot_patch_of_matrix[$int, f64](
                g_a: *const $int, t_a: *const $crate::types::c_char, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, g_b: *const $int, t_b: *const $crate::types::c_char, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, t_a_len: usize, t_b_len: usize
            ) -> f64;
            nga_ddot_patch_ = dot_patch[$int, f64](
                g_a: *const $int, t_a: *const $crate::types::c_char, alo: *const $int, ahi: *const $int, g_b: *const
                $int, t_b: *const $crate::types::c_char, blo: *const $int, bhi: *const $int, t_a_len: usize,
                t_b_len: usize
            ) -> f64;
            ga_cdot_patch_ = dot_patch_of_matrix[$int, $crate::types::Complex32](
                g_a: *const $int, t_a: *const $crate::types::c_char, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, g_b: *const $int, t_b: *const $crate::types::c_char, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, t_a_len: usize, t_b_len: usize
            ) -> $crate::types::Complex32;
            nga_cdot_patch_ = dot_patch[$int, $crate::types::Complex32](
                g_a: *const $int, t_a: *const $crate::types::c_char, alo: *const $int, ahi: *const $int, g_b: *const
                $int, t_b: *const $crate::types::c_char, blo: *const $int, bhi: *const $int, t_a_len: usize,
                t_b_len: usize
            ) -> $crate::types::Complex32;
            ga_zdot_patch_ = dot_patch_of_matrix[$int, $crate::types::Complex64](
                g_a: *const $int, t_a: *const $crate::types::c_char, ailo: *const $int, aihi: *const $int, ajlo:
                *const $int, ajhi: *const $int, g_b: *const $int, t_b: *const $crate::types::c_char, bilo: *const
                $int, bihi: *const $int, bjlo: *const $int, bjhi: *const $int, t_a_len: usize, t_b_len: usize
            ) -> $crate::types::Complex64;
            nga_zdot_patch_ = dot_patch[$int, $crate::types::Complex64](
                g_a: *const $int, t_a: *const $crate::types::c_char, alo: *const $int, ahi: *const $int, g_b: *const
                $int, t_b: *const $crate::types::c_char, blo: *const $int, bhi: *const $int, t_a_len: usize,
                t_b_len: usize
            ) -> $crate::types::Complex64;
            ga_sgemm_ ga_dgemm_ ga_cgemm_ ga_zgemm_ = gemm(
                transa: *const $crate::types::c_char, transb: *const $crate::types::c_char, m: *const $int, n:
                *const $int, k: *const $int, alpha: *const $crate::types::c_void, g_a: *const $int, g_b: *const
                $int, beta: *const $crate::types::c_void, g_c: *const $int, transa_len: usize, transb_len: usize
            ) -> ();
            ga_matmul_patch_ = matmul_patch_of_matrix(
                transa: *const $crate::types::c_char, transb: *const $crate::types::c_char, alpha: *const
                $crate::types::c_void, beta: *const $crate::types::c_void, g_a: *const $int, ailo: *const $int,
                aihi: *const $int, ajlo: *const $int, ajhi: *const $int, g_b: *const $int, bilo: *const $int, bihi:
                *const $int, bjlo: *const $int, bjhi: *const $int, g_c: *const $int, cilo: *const $int, cihi: *const
                $int, cjlo: *const $int, cjhi: *const $int, transa_len: usize, transb_len: usize
            ) -> ();
            nga_matmul_patch_ = matmul_patch(
                transa: *const $crate::types::c_char, transb: *const $crate::types::c_char, alpha: *const
                $crate::types::c_void, beta: *const $crate::types::c_void, g_a: *const $int, alo: *const $int, ahi:
                *const $int, g_b: *const $int, blo: *const $int, bhi: *const $int, g_c: *const $int, clo: *const
                $int, chi: *const $int, transa_len: usize, transb_len: usize
            ) -> ();
        }
    };
}

/// The part of [`export!`] that works element by element, and on diagonals, rows and columns.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_elementwise {
    ($int:ty) => {
        $crate::fortran_names! { elementwise;
            ga_elem_multiply_ nga_elem_multiply_ = pair[$int, { b'*' }](
                g_a: *const $int, g_b: *const $int, g_c: *const $int
            ) -> ();
            ga_elem_multiply_patch_ nga_elem_multiply_patch_ = pair_patches[$int, { b'*' }](
                g_a: *const $int, alo: *const $int, ahi: *const $int, g_b: *const $int, blo: *const $int, bhi: *const
                $int, g_c: *const $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_elem_divide_ nga_elem_divide_ = pair[$int, { b'/' }](
                g_a: *const $int, g_b: *const $int, g_c: *const $int
            ) -> ();
            ga_elem_divide_patch_ nga_elem_divide_patch_ = pair_patches[$int, { b'/' }](
                g_a: *const $int, alo: *const $int, ahi: *const $int, g_b: *const $int, blo: *const $int, bhi: *const
                $int, g_c: *const $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_elem_maximum_ nga_elem_maximum_ = pair[$int, { b'>' }](
                g_a: *const $int, g_b: *const $int, g_c: *const $int
            ) -> ();
            ga_elem_maximum_patch_ nga_elem_maximum_patch_ = pair_patches[$int, { b'>' }](
                g_a: *const $int, alo: *const $int, ahi: *const $int, g_b: *const $int, blo: *const $int, bhi: *const
                $int, g_c: *const $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_elem_minimum_ nga_elem_minimum_ = pair[$int, { b'<' }](
                g_a: *const $int, g_b: *const $int, g_c: *const $int
            ) -> ();
            ga_elem_minimum_patch_ nga_elem_minimum_patch_ = pair_patches[$int, { b'<' }](
                g_a: *const $int, alo: *const $int, ahi: *const $int, g_b: *const $int, blo: *const $int, bhi: *const
                $int, g_c: *const $int, clo: *const $int, chi: *const $int
            ) -> ();
            ga_abs_value_ nga_abs_value_ = abs_value(g_a: *const $int) -> ();
            ga_abs_value_patch_ nga_abs_value_patch_ =
                abs_value_patch(g_a: *const $int, lo: *const $int, hi: *const $int) -> ();
            ga_recip_ nga_recip_ = recip(g_a: *const $int) -> ();
            ga_recip_patch_ nga_recip_patch_ =
                recip_patch(g_a: *const $int, lo: *const $int, hi: *const $int) -> ();
            ga_add_constant_ nga_add_constant_ =
                add_constant(g_a: *const $int, alpha: *const $crate::types::c_void) -> ();
            ga_add_constant_patch_ nga_add_constant_patch_ = add_constant_patch(
                g_a: *const $int, lo: *const $int, hi: *const $int, alpha: *const $crate::types::c_void
            ) -> ();
            ga_shift_diagonal_ nga_shift_diagonal_ =
                shift_diagonal(g_a: *const $int, c: *const $crate::types::c_void) -> ();
            ga_zero_diagonal_ nga_zero_diagonal_ = zero_diagonal(g_a: *const $int) -> ();
            ga_set_diagonal_ nga_set_diagonal_ = set_diagonal(g_a: *const $int, g_v: *const $int) -> ();
            ga_add_diagonal_ nga_add_diagonal_ = add_diagonal(g_a: *const $int, g_v: *const $int) -> ();
            ga_get_diag_ nga_get_diag_ = get_diag(g_a: *const $int, g_v: *const $int) -> ();
            ga_scale_rows_ nga_scale_rows_ = scale_rows(g_a: *const $int, g_v: *const $int) -> ();
            ga_scale_cols_ nga_scale_cols_ = scale_cols(g_a: *const $int, g_v: *const $int) -> ();
            ga_norm1_ nga_norm1_ = norm1(g_a: *const $int, nm: *mut f64) -> ();
            ga_norm_infinity_ nga_norm_infinity_ = norm_infinity(g_a: *const $int, nm: *mut f64) -> ();
        }
    };
}

/// The part of [`export!`] that several processes do together.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_collective {
    ($int:ty) => {
        $crate::fortran_names! { collective;
            ga_brdcst_ nga_brdcst_ = brdcst(
                kind: *const $int, buf: *mut $crate::types::c_void, lenbuf: *const $int, root: *const $int
            ) -> ();
            ga_pgroup_brdcst_ = pgroup_brdcst(
                grp: *const $int, kind: *const $int, buf: *mut $crate::types::c_void, lenbuf: *const $int, root:
                *const $int
            ) -> ();
            ga_igop_ nga_igop_ = gop_of(
                kind: *const $int, x: *mut $int, n: *const $int, op: *const $crate::types::c_char, op_len: usize
            ) -> ();
            ga_sgop_ nga_sgop_ = gop_of(
                kind: *const $int, x: *mut f32, n: *const $int, op: *const $crate::types::c_char, op_len: usize
            ) -> ();
            ga_dgop_ nga_dgop_ = gop_of(
                kind: *const $int, x: *mut f64, n: *const $int, op: *const $crate::types::c_char, op_len: usize
            ) -> ();
            ga_cgop_ nga_cgop_ = gop_of(
                kind: *const $int, x: *mut $crate::types::Complex32, n: *const $int, op: *const
                $crate::types::c_char, op_len: usize
            ) -> ();
            ga_zgop_ nga_zgop_ = gop_of(
                kind: *const $int, x: *mut $crate::types::Complex64, n: *const $int, op: *const
                $crate::types::c_char, op_len: usize
            ) -> ();
            ga_gop_ nga_gop_ = gop(
                code: *const $int, x: *mut $crate::types::c_void, n: *const $int, op: *const $crate::types::c_char,
                op_len: usize
            ) -> ();
            ga_pgroup_igop_ nga_pgroup_igop_ = pgroup_gop_of(
                grp: *const $int, kind: *const $int, x: *mut $int, n: *const $int, op: *const $crate::types::c_char,
                op_len: usize
            ) -> ();
            ga_pgroup_sgop_ nga_pgroup_sgop_ = pgroup_gop_of(
                grp: *const $int, kind: *const $int, x: *mut f32, n: *const $int, op: *const $crate::types::c_char,
                op_len: usize
            ) -> ();
            ga_pgroup_dgop_ nga_pgroup_dgop_ = pgroup_gop_of(
                grp: *const $int, kind: *const $int, x: *mut f64, n: *const $int, op: *const $crate::types::c_char,
                op_len: usize
            ) -> ();
            ga_pgroup_cgop_ nga_pgroup_cgop_ = pgroup_gop_of(
                grp: *const $int, kind: *const $int, x: *mut $crate::types::Complex32, n: *const $int, op: *const
                $crate::types::c_char, op_len: usize
            ) -> ();
            ga_pgroup_zgop_ nga_pgroup_zgop_ = pgroup_gop_of(
                grp: *const $int, kind: *const $int, x: *mut $crate::types::Complex64, n: *const $int, op: *const
                $crate::types::c_char, op_len: usize
            ) -> ();
            ga_pgroup_create_ nga_pgroup_create_ = pgroup_create(list: *const $int, count: *const $int) -> $int;
            ga_pgroup_destroy_ nga_pgroup_destroy_ = pgroup_destroy(grp: *const $int) -> $int;
            ga_pgroup_duplicate_ nga_pgroup_duplicate_ = pgroup_duplicate(grp: *const $int) -> $int;
            ga_pgroup_self_ nga_pgroup_self_ = pgroup_self() -> $int;
            ga_pgroup_split_ nga_pgroup_split_ = pgroup_split(grp: *const $int, num_group: *const $int) -> $int;
            ga_pgroup_split_irreg_ nga_pgroup_split_irreg_ = pgroup_split_irreg(
                grp: *const $int, color: *const $int
            ) -> $int;
            ga_pgroup_get_default_ nga_pgroup_get_default_ = pgroup_get_default() -> $int;
            ga_pgroup_get_world_ nga_pgroup_get_world_ = pgroup_get_world() -> $int;
            ga_pgroup_set_default_ nga_pgroup_set_default_ = pgroup_set_default(grp: *const $int) -> ();
            ga_pgroup_nnodes_ nga_pgroup_nnodes_ ga_get_pgroup_size_ nga_get_pgroup_size_ = pgroup_nnodes(
                grp: *const $int
            ) -> $int;
            ga_pgroup_nodeid_ nga_pgroup_nodeid_ = pgroup_nodeid(grp: *const $int) -> $int;
            ga_pgroup_absolute_id_ nga_pgroup_absolute_id_ = pgroup_absolute_id(
                grp: *const $int, pid: *const $int
            ) -> $int;
            ga_pgroup_sync_ nga_pgroup_sync_ = pgroup_sync(grp: *const $int) -> ();
            ga_mpi_comm_ = mpi_comm(comm: *mut $int) -> ();
            ga_mpi_comm_pgroup_ = mpi_comm_pgroup(comm: *mut $int, grp: *const $int) -> ();
            ga_mpi_comm_pgroup_default_ = mpi_comm_pgroup_default(comm: *mut $int) -> ();
            ga_create_mutexes_ nga_create_mutexes_ = create_mutexes(count: *const $int) -> $int;
            ga_destroy_mutexes_ nga_destroy_mutexes_ = destroy_mutexes() -> $int;
            ga_lock_ nga_lock_ = lock(mutex: *const $int) -> ();
            ga_unlock_ nga_unlock_ = unlock(mutex: *const $int) -> ();
        }
    };
}

/// Defines symbols, some of which are names for the same, that do what the functions of a module do.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_names {
    ($module:ident; $(
        $($symbol:ident)+ = $call:ident $([$($generic:tt)*])? ($($arguments:tt)*) -> $result:ty;
    )*) => {$(
        $crate::fortran_aliases! { $module $call [$(::<$($generic)*>)?] ($($arguments)*) [$result] $($symbol)+ }
    )*};
}

/// Defines each of several names.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_aliases {
    ($module:ident $call:ident $generics:tt $arguments:tt $result:tt $($symbol:ident)+) => {$(
        $crate::fortran_symbol! { $module $call $generics $arguments $result $symbol }
    )+};
}

/// Defines one symbol.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_symbol {
    ($module:ident $call:ident [$($generics:tt)*] ($($argument:ident: $type:ty),*) [$result:ty] $symbol:ident) => {
        #[doc = concat!("The Fortran symbol of `", stringify!($call), "`.")]
        ///
        /// # Safety
        /// Arguments are null or point to what the call declares.
        #[allow(clippy::many_single_char_names, clippy::similar_names, clippy::too_many_arguments)] // the legacy signatures
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol($($argument: $type),*) -> $result {
            use $crate::fortran::{$module as calls, caller};
            // SAFETY: the contract is the same.
            unsafe { calls::$call $($generics)* (caller(stringify!($symbol)), $($argument),*) }
        }
    };
}

/// Defines C's calls that begin everything without a limit.
#[doc(hidden)]
#[macro_export]
macro_rules! c_beginnings {
    ($int:ty; $($symbol:ident($($argument:ident: $type:ty),*);)*) => {$(
        /// Begins the use of arrays, and of MPI if the program has not. Collective over all processes.
        #[allow(non_snake_case)] // the legacy names
        #[unsafe(no_mangle)]
        pub extern "C" fn $symbol($($argument: $type),*) {
            $crate::c::begin::<$int>(stringify!($symbol), usize::MAX);
        }
    )*};
}

/// Defines C's calls that begin everything with a limit of memory.
#[doc(hidden)]
#[macro_export]
macro_rules! c_limited_beginnings {
    ($int:ty; $($symbol:ident)*) => {$(
        /// As `GA_Initialize`, with so many bytes for arrays on each process.
        #[allow(non_snake_case)] // the legacy names
        #[unsafe(no_mangle)]
        pub extern "C" fn $symbol(limit: usize) {
            $crate::c::begin::<$int>(stringify!($symbol), limit);
        }
    )*};
}
