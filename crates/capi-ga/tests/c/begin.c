/* How programs begin and end: with MPI started by them or by the library, with a limit of memory, twice, or never. The
 * argument says which. */
#include "check.h"

static int finalised(void)
{
    int flag;
    MPI_Finalized(&flag);
    return flag;
}

static int initialised(void)
{
    int flag;
    MPI_Initialized(&flag);
    return flag;
}

/* Something small that needs all processes. */
static void use_arrays(void)
{
    int dims[1] = {10}, lo[1] = {9}, hi[1] = {9}, g = NGA_Create(C_INT, 1, dims, "a", NULL), three = 3, found = 0;
    CHECK(g == -1000);
    GA_Fill(g, &three);
    NGA_Get(g, lo, hi, &found, NULL);
    CHECK_EQUAL(found, 3);
    GA_Igop(&found, 1, "+");
    CHECK_EQUAL(found, 3 * GA_Nnodes());
    GA_Destroy(g);
}

/* The library starts MPI, and ends it. */
static void without_mpi(void)
{
    CHECK(!initialised());
    GA_Initialize();
    CHECK(initialised());
    use_arrays();
    GA_Terminate();
    CHECK(finalised());
}

static void with_threads(int *argc, char ***argv, int level)
{
    int provided;
    MPI_Init_thread(argc, argv, level, &provided);
    GA_Initialize_args(argc, argv);
    use_arrays();
    GA_Terminate();
    CHECK(!finalised());
    MPI_Finalize();
}

/* A second beginning does nothing, and after the end there can be another one, with nothing left over: arrays of the
 * world and of groups, made in this order and in the places of others, and mutexes. */
static void twice(int *argc, char ***argv)
{
    int dims[1] = {10}, halves, alone, i;
    MPI_Init(argc, argv);
    GA_Initialize();
    GA_Initialize();
    use_arrays();
    halves = GA_Pgroup_split(GA_Pgroup_get_world(), 2);
    CHECK(NGA_Create(C_DBL, 1, dims, "gone", NULL) == -1000);
    alone = GA_Pgroup_self();
    for (i = 0; i < 3 + GA_Nodeid() % 2; i++) CHECK(NGA_Create_config(C_DBL, 1, dims, "left over", NULL, alone) != 0);
    GA_Destroy(-1000);
    CHECK(NGA_Create_config(C_DBL, 1, dims, "left over", NULL, halves) == -1000);
    CHECK(NGA_Create(C_DBL, 1, dims, "left over", NULL) != 0);
    CHECK(GA_Create_mutexes(3));
    GA_Terminate();
    GA_Terminate();
    CHECK(!GA_Initialized() && !finalised());
    NGA_Initialize();
    CHECK(GA_Verify_handle(-1000) == 0);
    use_arrays();
    NGA_Terminate();
    MPI_Finalize();
}

static void limited(int *argc, char ***argv)
{
    int large[1] = {100000}, small[1] = {10}, a;
    MPI_Init(argc, argv);
    GA_Initialize_ltd(100000);
    CHECK(GA_Memory_limited());
    CHECK_EQUAL(GA_Memory_avail(), 100000);
    CHECK_EQUAL(NGA_Create(C_DBL, 1, large, "too large", NULL), 0);
    a = NGA_Create(C_DBL, 1, small, "small", NULL);
    CHECK(a != 0);
    CHECK(GA_Memory_avail() <= 100000 - 8 * (size_t)(10 / GA_Nnodes()));
    GA_Destroy(a);
    CHECK_EQUAL(GA_Memory_avail(), 100000);
    GA_Terminate();
    MPI_Finalize();
}

/* What may be called before the beginning. */
static void never(int *argc, char ***argv)
{
    int dims[1] = {10};
    MPI_Init(argc, argv);
    CHECK(!GA_Initialized());
    GA_Terminate();
    CHECK_EQUAL(GA_Verify_handle(-1000), 0);
    CHECK_EQUAL(NGA_Create(C_DBL, 1, dims, "too early", NULL), 0);
    CHECK_EQUAL(GA_Create_handle(), 0);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "without_mpi") == 0) without_mpi();
    else if (strcmp(how, "single") == 0) with_threads(&argc, &argv, MPI_THREAD_SINGLE);
    else if (strcmp(how, "multiple") == 0) with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    else if (strcmp(how, "twice") == 0) twice(&argc, &argv);
    else if (strcmp(how, "limited") == 0) limited(&argc, &argv);
    else if (strcmp(how, "never") == 0) never(&argc, &argv);
    else printf("without_mpi single multiple twice limited never\n");
    return check_failures == 0 ? 0 : 1;
}
