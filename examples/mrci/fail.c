#include "fail.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *scratch;

void fail_removes(const char *scratch_file)
{
    scratch = scratch_file;
}

static int rank_here(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static void end_with(const char *who, const char *format, va_list arguments)
{
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    fprintf(stderr, "mrci: error: %s%s\n", who, message);
    fflush(stderr);
    if (scratch)
        unlink(scratch);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void fail(const char *format, ...)
{
    char who[32];
    va_list arguments;
    snprintf(who, sizeof who, "rank %d: ", rank_here());
    va_start(arguments, format);
    end_with(who, format, arguments);
    va_end(arguments);
    exit(1);
}

/* The others wait for what never comes: the first rank ends them. */
void fail_together(const char *format, ...)
{
    va_list arguments;
    if (rank_here() != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    va_start(arguments, format);
    end_with("", format, arguments);
    va_end(arguments);
    exit(1);
}

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        fail("no memory for %zu bytes", bytes);
    return memory;
}
