/* Arrays come and go: handles, names, types, inquiries, limits, and what the library says about itself. */
#include "check.h"

static int shape[2] = {10, 7};

static void handles_count_up_from_minus_1000_and_the_lowest_free_one_is_taken(void)
{
    int a = NGA_Create(C_DBL, 2, shape, "a", NULL), b = NGA_Create(C_INT, 2, shape, "b", NULL);
    CHECK_EQUAL(a, -1000);
    CHECK_EQUAL(b, -999);
    GA_Destroy(a);
    CHECK_EQUAL(NGA_Create(C_DBL, 2, shape, "c", NULL), -1000);
    CHECK_EQUAL(NGA_Create(C_DBL, 2, shape, "d", NULL), -998);
    GA_Destroy(-1000);
    GA_Destroy(b);
    GA_Destroy(-998);
}

static void inquiries_give_type_shape_and_name(void)
{
    static const int types[] = {C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
    static const int codes[] = {1001, 1002, 1016, 1003, 1004, 1006, 1007};
    int dims[4] = {5, 4, 3, 2}, i;
    for (i = 0; i < 7; i++) {
        int type = 0, ndim = 0, found[GA_MAX_DIM] = {0};
        int64_t wide[GA_MAX_DIM] = {0};
        int g = NGA_Create(types[i], 4, dims, "an array of four", NULL);
        CHECK(g != 0);
        NGA_Inquire(g, &type, &ndim, found);
        CHECK_EQUAL(type, codes[i]);
        CHECK_EQUAL(ndim, 4);
        CHECK(found[0] == 5 && found[1] == 4 && found[2] == 3 && found[3] == 2);
        NGA_Inquire64(g, &type, &ndim, wide);
        CHECK(type == codes[i] && ndim == 4 && wide[0] == 5 && wide[3] == 2);
        CHECK_EQUAL(GA_Ndim(g), 4);
        CHECK_EQUAL(NGA_Ndim(g), 4);
        CHECK(strcmp(GA_Inquire_name(g), "an array of four") == 0);
        CHECK(strcmp(NGA_Inquire_name(g), "an array of four") == 0);
        GA_Destroy(g);
    }
}

static void a_fortran_type_code_makes_an_array_of_the_c_type(void)
{
    int type, ndim, dims[2], g = NGA_Create(MT_F_DBL, 2, shape, "from Fortran", NULL);
    NGA_Inquire(g, &type, &ndim, dims);
    CHECK_EQUAL(type, C_DBL);
    GA_Destroy(g);
}

static void one_to_seven_dimensions_are_possible_and_eight_are_not(void)
{
    int dims[8] = {2, 3, 2, 3, 2, 3, 2, 3}, n;
    for (n = 1; n <= GA_MAX_DIM; n++) {
        int g = NGA_Create(C_DBL, n, dims, "n", NULL);
        CHECK(g != 0);
        CHECK_EQUAL(GA_Ndim(g), n);
        GA_Destroy(g);
    }
    CHECK_EQUAL(NGA_Create(C_DBL, 8, dims, "too many", NULL), 0);
}

static void a_duplicate_has_type_shape_and_distribution_of_its_model(void)
{
    int dims[3] = {5, 6, 7}, chunk[3] = {5, -1, -1}, type, ndim, found[3];
    int a = NGA_Create(C_LONG, 3, dims, "model", chunk), b = GA_Duplicate(a, "copy"), c = GA_Duplicate(b, "copy of copy");
    CHECK(a != b && b != 0 && c != 0);
    NGA_Inquire(c, &type, &ndim, found);
    CHECK(type == C_LONG && ndim == 3 && found[0] == 5 && found[1] == 6 && found[2] == 7);
    CHECK(strcmp(GA_Inquire_name(b), "copy") == 0);
    CHECK_EQUAL(GA_Compare_distr(a, c), 0);
    GA_Destroy(a);
    GA_Zero(b);
    GA_Destroy(b);
    GA_Destroy(c);
}

static void dead_handles_are_told_apart(void)
{
    int a = NGA_Create(C_DBL, 2, shape, "a", NULL);
    CHECK_EQUAL(GA_Verify_handle(a), 1);
    CHECK_EQUAL(GA_Valid_handle(a), 1);
    GA_Check_handle(a, "dead_handles_are_told_apart");
    GA_Destroy(a);
    CHECK_EQUAL(GA_Verify_handle(a), 0);
    CHECK_EQUAL(GA_Valid_handle(a), 0);
    CHECK_EQUAL(GA_Verify_handle(0), 0);
    CHECK_EQUAL(GA_Verify_handle(12345), 0);
    CHECK_EQUAL(GA_Verify_handle(-1001), 0);
}

static void many_arrays_may_be_alive_at_once(void)
{
    int handles[200], i, dims[1] = {3};
    for (i = 0; i < 200; i++) handles[i] = NGA_Create(C_DBL, 1, dims, "one of many", NULL);
    for (i = 0; i < 200; i++) CHECK_EQUAL(handles[i], -1000 + i);
    for (i = 199; i >= 0; i--) GA_Destroy(handles[i]);
}

static void the_library_says_where_it_is(void)
{
    int world_rank, world_size, node, of_node = 0;
    double before;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    CHECK_EQUAL(GA_Nodeid(), world_rank);
    CHECK_EQUAL(GA_Nnodes(), world_size);
    CHECK_EQUAL(NGA_Nodeid(), world_rank);
    CHECK_EQUAL(NGA_Nnodes(), world_size);
    CHECK(GA_Initialized());
    CHECK(GA_Cluster_nnodes() >= 1 && GA_Cluster_nnodes() <= world_size);
    CHECK(GA_Cluster_nodeid() >= 0 && GA_Cluster_nodeid() < GA_Cluster_nnodes());
    for (node = 0; node < GA_Cluster_nnodes(); node++) of_node += GA_Cluster_nprocs(node);
    CHECK_EQUAL(of_node, world_size);
    CHECK_EQUAL(GA_Cluster_proc_nodeid(GA_Cluster_procid(GA_Cluster_nodeid(), 0)), GA_Cluster_nodeid());
    CHECK_EQUAL(GA_Cluster_proc_nodeid(me), GA_Cluster_nodeid());
    before = GA_Wtime();
    CHECK(before >= 0 && GA_Wtime() >= before);
}

static void the_default_group_is_the_world(void)
{
    int a = NGA_Create(C_DBL, 2, shape, "a", NULL);
    CHECK_EQUAL(GA_Pgroup_get_world(), -1);
    CHECK_EQUAL(GA_Pgroup_get_default(), -1);
    CHECK_EQUAL(GA_Get_pgroup(a), -1);
    CHECK_EQUAL(GA_Get_pgroup_size(-1), ranks);
    CHECK_EQUAL(GA_Pgroup_nnodes(-1), ranks);
    CHECK_EQUAL(GA_Pgroup_nodeid(-1), me);
    GA_Pgroup_sync(-1);
    GA_Destroy(a);
}

static void c_programs_do_not_use_the_fortran_interface_nor_ma(void)
{
    CHECK_EQUAL(GA_Uses_fapi(), 0);
    CHECK_EQUAL(GA_Uses_ma(), 0);
}

static void memory_can_be_limited_and_a_create_beyond_the_limit_gives_0(void)
{
    int big[2] = {1000, 1000}, a;
    size_t before = GA_Inquire_memory();
    CHECK(!GA_Memory_limited());
    CHECK(GA_Memory_avail() == (size_t)-1);
    a = NGA_Create(C_DBL, 2, big, "counted", NULL);
    CHECK(GA_Inquire_memory() - before >= 8000000u / (unsigned)ranks / 2);
    GA_Destroy(a);
    CHECK(GA_Inquire_memory() == before);
    GA_Set_memory_limit(before + 100000);
    CHECK(GA_Memory_limited());
    CHECK(GA_Memory_avail() <= before + 100000);
    CHECK_EQUAL(NGA_Create(C_DBL, 2, big, "too big", NULL), 0);
    a = NGA_Create(C_DBL, 2, shape, "small", NULL);
    CHECK(a != 0);
    GA_Destroy(a);
    GA_Set_memory_limit((size_t)1 << 40);
    a = NGA_Create(C_DBL, 2, big, "no longer too big", NULL);
    CHECK(a != 0);
    GA_Destroy(a);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK(!GA_Initialized());
    if (argc > 1 && strcmp(argv[1], "ma_first") == 0) CHECK(MA_init(C_DBL, 500000, 500000));
    GA_Initialize();
    if (argc == 1) CHECK(MA_init(C_DBL, 500000, 500000));
    me = GA_Nodeid();
    ranks = GA_Nnodes();
    RUN(handles_count_up_from_minus_1000_and_the_lowest_free_one_is_taken);
    RUN(inquiries_give_type_shape_and_name);
    RUN(a_fortran_type_code_makes_an_array_of_the_c_type);
    RUN(one_to_seven_dimensions_are_possible_and_eight_are_not);
    RUN(a_duplicate_has_type_shape_and_distribution_of_its_model);
    RUN(dead_handles_are_told_apart);
    RUN(many_arrays_may_be_alive_at_once);
    RUN(the_library_says_where_it_is);
    RUN(the_default_group_is_the_world);
    RUN(c_programs_do_not_use_the_fortran_interface_nor_ma);
    RUN(memory_can_be_limited_and_a_create_beyond_the_limit_gives_0);
    GA_Terminate();
    CHECK(!GA_Initialized());
    GA_Terminate();
    if (failed_anywhere()) return 1;
    MPI_Finalize();
    return 0;
}
