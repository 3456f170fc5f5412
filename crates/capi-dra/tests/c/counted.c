/* Makes known numbers of calls on private files, a shared file and an array on disk, for CHEMIO_STATS to count. Arguments: a
 * directory that all ranks share and which is empty, and how to end:
 *
 *   terminate  GA_Terminate, where ranks tell rank 0 of their counts
 *   later      the same, and then one call more on every rank
 *   apart      private files alone, and neither GA_Initialize nor GA_Terminate */
#include <eaf.h>
#include <dra.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <sf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call) check((call), __LINE__)

static char bytes[1000], path[1000];
static int rank;

static void check(int code, int line)
{
    if (code == 0) return;
    fprintf(stderr, "rank %d, line %d: code %d\n", rank, line, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static char *in(const char *directory, const char *name)
{
    snprintf(path, sizeof path, "%.900s/%s", directory, name);
    return path;
}

/* Six writes of 800 bytes and a read, or one write more. */
static void private_file(const char *directory, int more)
{
    char name[40];
    int fd, i;
    sprintf(name, "private.%d", rank);
    CHECK(EAF_Open(in(directory, name), EAF_RW, &fd));
    for (i = 0; i < (more ? 1 : 6); i++) CHECK(EAF_Write(fd, 800.0 * i, bytes, 800));
    if (!more) CHECK(EAF_Read(fd, 0.0, bytes, 800));
    CHECK(EAF_Close(fd));
}

/* Five writes and two reads of 1000 bytes on every rank. */
static void shared_file(const char *directory)
{
    int file, request, i;
    CHECK(SF_Create(in(directory, "shared"), -1, 1e6, 1e3, &file));
    for (i = 0; i < 5; i++) {
        CHECK(SF_Write(file, 5000.0 * rank + 1000.0 * i, 1000, bytes, &request));
        CHECK(SF_Wait(&request));
    }
    for (i = 0; i < 2; i++) {
        CHECK(SF_Read(file, 5000.0 * rank + 1000.0 * i, 1000, bytes, &request));
        CHECK(SF_Wait(&request));
    }
    CHECK(SF_Close(file));
}

/* All of 256 x 256 doubles, once there and once back. */
static void array_on_disk(const char *directory)
{
    int dims[2] = {256, 256}, memory, disk, request, i;
    dra_size_t disk_dims[2] = {256, 256}, brick[2] = {256, 256};
    double value = 1.5;
    memory = NGA_Create(C_DBL, 2, dims, "memory", NULL);
    GA_Fill(memory, &value);
    CHECK(DRA_Init(-1, -1.0, -1.0, -1.0));
    CHECK(NDRA_Create(C_DBL, 2, disk_dims, "disk", in(directory, "disk"), DRA_RW, brick, &disk));
    for (i = 0; i < 2; i++) {
        CHECK(i == 0 ? NDRA_Write(memory, disk, &request) : NDRA_Read(memory, disk, &request));
        CHECK(DRA_Wait(request));
    }
    CHECK(DRA_Close(disk));
    CHECK(DRA_Terminate());
    GA_Destroy(memory);
}

int main(int argc, char **argv)
{
    const char *directory = argv[1];
    if (argc != 3) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[2], "apart") == 0) {
        private_file(directory, 0);
    } else {
        GA_Initialize();
        private_file(directory, 0);
        shared_file(directory);
        array_on_disk(directory);
        GA_Terminate();
        if (strcmp(argv[2], "later") == 0) private_file(directory, 1);
    }
    MPI_Finalize();
    return 0;
}
