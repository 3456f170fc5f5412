/* How programs with shared files begin and end: with and without MPI and arrays, and with files that nobody destroys: what
 * was written is on disk afterwards, nothing hangs, and a later run finds it. Arguments: which way, and a scratch directory. */
#include "files.h"

/* The large piece makes the file so long that space is reserved ahead of its writers. */
enum { RECORD = 1600, RECORDS = 200, LARGE = 10000000 };

static char small[RECORDS][RECORD], large[LARGE];

static int mpi_says(int question(int *))
{
    int flag;
    question(&flag);
    return flag;
}

/* Every rank writes its records one behind the other, and a large piece behind those of all. Nobody waits. */
static void leave_behind(int file)
{
    double begin = (double)me * RECORDS * RECORD, behind = (double)ranks * RECORDS * RECORD;
    int request, i;
    for (i = 0; i < RECORDS; i++) {
        memset(small[i], 1 + (me + i) % 100, RECORD);
        CHECK_EQUAL(SF_Write(file, begin + (double)i * RECORD, RECORD, small[i], &request), 0);
    }
    memset(large, 101 + me, LARGE);
    CHECK_EQUAL(SF_Write(file, behind + (double)me * LARGE, LARGE, large, &request), 0);
}

static int is_full_of(const char *memory, int len, int value)
{
    return memory[0] == (char)value && memcmp(memory, memory + 1, (size_t)len - 1) == 0;
}

/* What `writers` ranks have left behind, read from a shared file. */
static void check_left_behind(int file, int writers)
{
    double behind = (double)writers * RECORDS * RECORD;
    int writer, i;
    for (writer = 0; writer < writers; writer++) {
        for (i = 0; i < RECORDS; i++) {
            CHECK_EQUAL(read_now(file, ((double)writer * RECORDS + i) * RECORD, RECORD, small[i]), 0);
            CHECK(is_full_of(small[i], RECORD, 1 + (writer + i) % 100));
        }
        CHECK_EQUAL(read_now(file, behind + (double)writer * LARGE, LARGE, large), 0);
        CHECK(is_full_of(large, LARGE, 101 + writer));
    }
    CHECK_EQUAL(read_now(file, behind + (double)writers * LARGE, 1.0, large), -1977);
}

static int suffixed(int suffix)
{
    int file = 77;
    CHECK_EQUAL(SF_Create_suffix(in_scratch("left"), UNKNOWN, &file, suffix), 0);
    return file;
}

static void start_mpi(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* There is nobody to share a file with, and no call that could end MPI. */
static void without_mpi(void)
{
    char text[100] = "";
    int file = 77;
    CHECK_EQUAL(SF_Create(in_scratch("x"), UNKNOWN, &file), SF_ERR_OPEN);
    SF_Errmsg_full(SF_ERR_OPEN, text, sizeof text);
    CHECK(strcmp(text, "MPI is not running: call ga_initialize or MPI_Init before sf_create") == 0);
    CHECK_EQUAL(file, 77);
    CHECK_EQUAL(SF_Destroy(-3000), SF_ERR_HANDLE);
    CHECK(!mpi_says(MPI_Initialized) && !is_there(in_scratch("x.0")));
}

/* The program starts MPI and has no arrays. When the last file is gone, another can come. */
static void without_arrays(int *argc, char ***argv)
{
    int round, file;
    start_mpi(argc, argv);
    for (round = 0; round < 3; round++) {
        file = create("x", UNKNOWN);
        CHECK_EQUAL(file, -3000);
        leave_behind(file);
        CHECK_EQUAL(SF_Close(file), 0);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_EQUAL(SF_Rwtor(file), 0);
        check_left_behind(file, ranks);
        CHECK_EQUAL(SF_Destroy(file), 0);
    }
    MPI_Finalize();
}

/* The arrays start MPI, and end it although there are files. */
static void at_terminate(void)
{
    int first, second, file;
    GA_Initialize();
    me = GA_Nodeid();
    ranks = GA_Nnodes();
    first = suffixed(1);
    second = suffixed(2);
    leave_behind(second);
    leave_behind(first);
    GA_Terminate();
    CHECK(mpi_says(MPI_Finalized));
    CHECK_EQUAL(SF_Open(first), SF_ERR_HANDLE);
    CHECK_EQUAL(SF_Destroy(second), SF_ERR_HANDLE);
    CHECK_EQUAL(SF_Create(in_scratch("late"), UNKNOWN, &file), SF_FAIL);
    CHECK(is_there(in_scratch("left.1")) && is_there(in_scratch("left.2")));
}

/* The program starts MPI, and its arrays end before it does: files too, and then there may be others. */
static void at_terminate_of_arrays(int *argc, char ***argv)
{
    int file;
    start_mpi(argc, argv);
    GA_Initialize();
    leave_behind(suffixed(1));
    GA_Terminate();
    CHECK_EQUAL(SF_Close(-3000), SF_ERR_HANDLE);
    file = suffixed(1);
    CHECK_EQUAL(file, -3000);
    check_left_behind(file, ranks);
    GA_Initialize();
    MPI_Barrier(MPI_COMM_WORLD);
    GA_Terminate();
    MPI_Finalize();
}

/* MPI ends, and files are there: what is local still works, and the end of the program hands over. */
static void at_finalize(int *argc, char ***argv)
{
    int file, other;
    start_mpi(argc, argv);
    file = suffixed(1);
    MPI_Finalize();
    leave_behind(file);
    CHECK_EQUAL(SF_Destroy(file), SF_FAIL);
    CHECK_EQUAL(SF_Create(in_scratch("late"), UNKNOWN, &other), SF_FAIL);
}

/* The program ends MPI and forgets arrays and files. */
static void at_exit_with_arrays(int *argc, char ***argv)
{
    start_mpi(argc, argv);
    GA_Initialize();
    leave_behind(suffixed(1));
    leave_behind(create("numbered", UNKNOWN));
    MPI_Finalize();
    exit(check_failures != 0);
}

static int late_file;

static void leave_behind_late(void)
{
    leave_behind(late_file);
}

/* An exit handler that comes after the library's writes: it was registered before. */
static void in_exit_handlers(int *argc, char ***argv)
{
    start_mpi(argc, argv);
    atexit(leave_behind_late);
    late_file = suffixed(1);
    MPI_Finalize();
}

/* A later run, on any number of ranks. */
static void later(int *argc, char ***argv, int writers)
{
    int file;
    start_mpi(argc, argv);
    CHECK(is_there(in_scratch("left.1")));
    MPI_Barrier(MPI_COMM_WORLD);
    file = suffixed(1);
    check_left_behind(file, writers);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK(!is_there(in_scratch("left.1")));
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "";
    if (argc > 2) snprintf(scratch, sizeof scratch, "%s", argv[2]);
    if (strcmp(how, "without_mpi") == 0) without_mpi();
    else if (strcmp(how, "without_arrays") == 0) without_arrays(&argc, &argv);
    else if (strcmp(how, "at_terminate") == 0) at_terminate();
    else if (strcmp(how, "at_terminate_of_arrays") == 0) at_terminate_of_arrays(&argc, &argv);
    else if (strcmp(how, "at_finalize") == 0) at_finalize(&argc, &argv);
    else if (strcmp(how, "at_exit_with_arrays") == 0) at_exit_with_arrays(&argc, &argv);
    else if (strcmp(how, "in_exit_handlers") == 0) in_exit_handlers(&argc, &argv);
    else if (strcmp(how, "later") == 0 && argc > 3) later(&argc, &argv, atoi(argv[3]));
    else return 2;
    return check_failures == 0 ? 0 : 1;
}
