/* How programs with disk-resident arrays begin and end. Arguments: which way, and a scratch directory. Where arrays are left open it is
 * with a transfer that nobody has waited for, and with a copy of what that writes and a copy of the copy, of which the second has
 * not begun; run as "later" the program finds all of them complete. */
#include "disk.h"

static int dims[2] = {300, 200};
static int turned[2] = {200, 300};
static int order[2] = {1, 0};

static int mpi_says(int question(int *))
{
    int flag;
    question(&flag);
    return flag;
}

/* No arrays in memory, so no transfers; all else works. */
static void without_global_arrays(int *argc, char ***argv)
{
    dra_size_t extents[2] = {5, 5};
    int d_a = 77, request = 5;
    char value[10];
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_EQUAL(INITIALISE, 0);
    CHECK_EQUAL(NDRA_Create(C_DBL, 2, extents, (char *)"x", in_scratch("x"), DRA_RW, extents, &d_a), 0);
    CHECK_EQUAL(DRA_Set_attribute(d_a, "key", "true"), 0);
    CHECK_EQUAL(DRA_Get_attribute(d_a, "key", value, sizeof value), 0);
    CHECK_EQUAL(NDRA_Write(-1000, d_a, &request), DRA_ERR_HANDLE);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    CHECK_EQUAL(DRA_Terminate(), 0);
}

/* Nobody has started MPI: our own arrays start it, for another library's it is an error. */
static void without_mpi(void)
{
    int code = INITIALISE;
#ifdef OTHER_ARRAYS
    char message[100];
    DRA_Errmsg_full(code, message, sizeof message);
    CHECK_EQUAL(code, DRA_FAIL);
    CHECK(strstr(message, "MPI is not running") != NULL);
    CHECK(!mpi_says(MPI_Initialized));
#else
    CHECK_EQUAL(code, 0);
    CHECK(mpi_says(MPI_Initialized) && !mpi_says(MPI_Finalized));
#endif
    CHECK_EQUAL(DRA_Terminate(), 0);
    CHECK_EQUAL(mpi_says(MPI_Initialized), mpi_says(MPI_Finalized));
}

/* MPI ends before the arrays on disk do. */
static void after_mpi(int *argc, char ***argv)
{
    dra_size_t extents[2] = {5, 5};
    int d_a = 77, other = 78;
    MPI_Init(argc, argv);
    CHECK_EQUAL(INITIALISE, 0);
    CHECK_EQUAL(NDRA_Create(C_DBL, 2, extents, (char *)"x", in_scratch("x"), DRA_RW, extents, &d_a), 0);
    MPI_Finalize();
    CHECK(DRA_Open(in_scratch("x"), DRA_R, &other) != 0);
    CHECK(DRA_Wait(1) != 0);
    CHECK(DRA_Close(d_a) != 0);
    CHECK(DRA_Terminate() != 0);
    CHECK_EQUAL(DRA_Terminate(), 0);
    CHECK_EQUAL(other, 78);
}

static void leave_behind(int from)
{
    int d_a = on_disk("left", 2, dims), d_copy = on_disk("left.copy", 2, turned), d_again = on_disk("left.again", 2, dims);
    int request = 5;
    CHECK_EQUAL(NDRA_Write(from, d_a, &request), 0);
    CHECK_EQUAL(NDRA_Ncopy(d_a, d_copy, order, &request), 0);
    CHECK_EQUAL(NDRA_Ncopy(d_copy, d_again, order, &request), 0);
}

static void is_complete(const char *name, int to)
{
    int d_a = 77;
    CHECK_EQUAL(DRA_Open(in_scratch(name), DRA_RW, &d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

static void later(void)
{
    int to = in_memory(2, dims, 0), again = in_memory(2, dims, 0), copy = in_memory(2, turned, 0);
    CHECK_EQUAL(INITIALISE, 0);
    is_complete("left", to);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 7), 0);
    is_complete("left.copy", copy);
    is_complete("left.again", again);
    CHECK_EQUAL(wrong_elements(again, 2, dims, 7), 0);
    CHECK_EQUAL(DRA_Terminate(), 0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "";
    int failures;
    snprintf(scratch, sizeof scratch, "%s", argc > 2 ? argv[2] : "");
    if (strcmp(how, "without_mpi") == 0) {
        without_mpi();
        return check_failures != 0;
    }
    if (strcmp(how, "after_mpi") == 0) {
        after_mpi(&argc, &argv);
        return check_failures != 0;
    }
    if (strcmp(how, "without_global_arrays") == 0) {
        without_global_arrays(&argc, &argv);
        failures = failed_anywhere();
        MPI_Finalize();
        return failures != 0;
    }
    begin(&argc, &argv);
    if (strcmp(how, "later") == 0) {
        later();
    } else if (strcmp(how, "at_terminate") == 0) {
        CHECK_EQUAL(INITIALISE, 0);
        leave_behind(in_memory(2, dims, 7));
        CHECK_EQUAL(DRA_Terminate(), 0);
    } else if (strcmp(how, "at_terminate_of_arrays") == 0) {
        CHECK_EQUAL(INITIALISE, 0);
        leave_behind(in_memory(2, dims, 7));
    } else {
        GA_Error((char *)"expected a way to begin and end", 2);
    }
    return end();
}
