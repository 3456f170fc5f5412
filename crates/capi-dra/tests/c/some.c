/* Global Arrays that have only some of the processes: shared files and disk-resident arrays are theirs alone, and nobody waits for the
 * others. For the package over ARMCI-MPI, which takes a communicator. Argument: a scratch directory. */
#include "disk.h"
#include "ga-mpi.h"
#include "sf.h"

int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);

/* Each rank's number, as text in a file, read by its neighbour. */
static void shared_file_of_some(void)
{
    char mine[8] = "", other[8] = "";
    int file, request, neighbour = (GA_Nodeid() + 1) % GA_Nnodes();
    snprintf(mine, sizeof mine, "rank %d", GA_Nodeid());
    CHECK_EQUAL(SF_Create(in_scratch("shared"), -1, 1e6, 1e3, &file), 0);
    CHECK_EQUAL(SF_Write(file, 8.0 * GA_Nodeid(), 8, mine, &request), 0);
    CHECK_EQUAL(SF_Wait(&request), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Read(file, 8.0 * neighbour, 8, other, &request), 0);
    CHECK_EQUAL(SF_Wait(&request), 0);
    snprintf(mine, sizeof mine, "rank %d", neighbour);
    CHECK(strcmp(mine, other) == 0);
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void array_on_disk_of_some(void)
{
    int dims[2] = {120, 70}, from = in_memory(2, dims, 7), to = in_memory(2, dims, 0), d_a;
    CHECK_EQUAL(INITIALISE, 0);
    d_a = on_disk("array", 2, dims);
    CHECK_EQUAL(write_now(from, d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 7), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    CHECK_EQUAL(DRA_Terminate(), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}

int main(int argc, char **argv)
{
    MPI_Comm some;
    int rank, has_arrays;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(scratch, sizeof scratch, "%s", argc > 1 ? argv[1] : "");
    /* Not the first one, and the others in an order of their own. */
    has_arrays = rank != 0;
    MPI_Comm_split(MPI_COMM_WORLD, has_arrays, -rank, &some);
    if (has_arrays) {
        CHECK_EQUAL(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, some), 0);
        GA_Initialize();
        me = GA_Nodeid();
        CHECK_EQUAL(GA_Nnodes(), ranks - 1);
        CHECK_EQUAL(me, ranks - 1 - rank);
        shared_file_of_some();
        array_on_disk_of_some();
        GA_Terminate();
    }
    check_failures = failed_anywhere();
    MPI_Finalize();
    return check_failures != 0;
}
