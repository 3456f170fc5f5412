/* A rank is killed during a large write: what was closed is whole, and the array that was being written opens and has old and
 * new elements. Arguments: which of the runs, and a scratch directory.
 *
 *   before  makes two arrays
 *   dying   begins to write one of them anew, and a rank dies so many milliseconds later as an argument in between says
 *   later   on any number of ranks, finds both, and writes the second one again */
#include <signal.h>

#include "disk.h"

enum { VICTIM = 1, OLD = 1, NEW = 2 };

/* 32 MB. */
static int dims[2] = {2048, 2048};

static void before(void)
{
    int g_a = in_memory(2, dims, OLD), closed = on_disk("closed", 2, dims), left = on_disk("left", 2, dims);
    CHECK_EQUAL(write_now(g_a, closed), 0);
    CHECK_EQUAL(write_now(g_a, left), 0);
    CHECK_EQUAL(DRA_Close(closed), 0);
    CHECK_EQUAL(DRA_Close(left), 0);
}

static void dying(int milliseconds)
{
    int g_a = in_memory(2, dims, NEW), left = 77, request = 5;
    CHECK_EQUAL(DRA_Open(in_scratch("left"), DRA_RW, &left), 0);
    CHECK_EQUAL(NDRA_Write(g_a, left, &request), 0);
    if (me == VICTIM) {
        usleep((useconds_t)milliseconds * 1000);
        raise(SIGKILL);
    }
    DRA_Wait(request);
    /* The victim does not come: it is for the launcher to end this. */
    DRA_Close(left);
}

/* Elements that are neither old nor new. */
static long strange_elements(int g_a)
{
    long count = product(2, dims), strange = 0, i;
    double *elements = malloc((size_t)count * sizeof *elements);
    get_all(g_a, 2, dims, elements);
    for (i = 0; i < count; i++) strange += elements[i] != element(OLD, i) && elements[i] != element(NEW, i);
    free(elements);
    return strange;
}

static void later(void)
{
    int g_a = in_memory(2, dims, 0), again = in_memory(2, dims, NEW), d_a = 77;
    CHECK_EQUAL(DRA_Open(in_scratch("closed"), DRA_R, &d_a), 0);
    CHECK_EQUAL(read_now(g_a, d_a), 0);
    CHECK_EQUAL(wrong_elements(g_a, 2, dims, OLD), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("left"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(read_now(g_a, d_a), 0);
    CHECK_EQUAL(strange_elements(g_a), 0);
    CHECK_EQUAL(write_now(again, d_a), 0);
    CHECK_EQUAL(read_now(g_a, d_a), 0);
    CHECK_EQUAL(wrong_elements(g_a, 2, dims, NEW), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
}

int main(int argc, char **argv)
{
    int milliseconds = argc > 3 ? atoi(argv[2]) : 0;
    begin(&argc, &argv);
    if (argc < 3) GA_Error((char *)"expected a run and a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[argc - 1]);
    CHECK_EQUAL(INITIALISE, 0);
    if (strcmp(argv[1], "before") == 0) before();
    if (strcmp(argv[1], "dying") == 0) dying(milliseconds);
    if (strcmp(argv[1], "later") == 0) later();
    CHECK_EQUAL(DRA_Terminate(), 0);
    return end();
}
