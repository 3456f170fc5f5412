/* A job of ranks under measurement, linked once with the Global Arrays package and once with chemio: the same source.
 *
 *   mpirun -n RANKS driver BYTES_MAX SEED
 *     BYTES_MAX  the largest patch that will be asked for
 *     SEED       of all data
 *
 * Rank 0 reads commands from standard input, one at a time; all ranks carry them out at once. Every command first runs a
 * few calls that do not count, then enough of them to last SECONDS, and checks the data. The answer is a line of JSON:
 * {"calls": of each rank, "seconds": from a common begin until all ranks are done and a GA_Sync is over,
 * "lost": the part of them in which a rank had no processor}.
 *
 *   hello                                             {"mpi": the version of the MPI library}
 *   transfer put|get|acc KIND local|remote BYTES SECONDS
 *                                                     one patch again and again, between a private buffer and the own
 *                                                     block or that of the next rank (transfer.c says what KINDs there are)
 *   count SECONDS                                     NGA_Read_inc by all ranks on one element
 *   multiply nn|tn ORDER SECONDS                      GA_Dgemm with alpha 0.5 and beta 0.25
 *   copy private|shared|daxpy BYTES SECONDS           what a loop without a library does, by all ranks at once: memcpy
 *                                                     from private to private or to shared memory, or daxpy
 *   blas nn|tn ORDER alone|all SECONDS                dgemm on rank 0, the others asleep, or on every rank at once
 *
 * After an error the answer is {"error": "..."} and the job ends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "ga.h"
#include "macdecls.h"
#include "team.h"

enum { WORD_BYTES = 16, MA_WORDS = 1 << 23 };

static void take_arguments(int count, char **arguments)
{
    if (count != 3)
        fail("usage: driver BYTES_MAX SEED");
    team.bytes_max = strtoll(arguments[1], NULL, 10);
    team.seed = strtoull(arguments[2], NULL, 10);
    if (team.bytes_max < 64 || team.bytes_max % 64 != 0)
        fail("BYTES_MAX must be a multiple of 64");
}

static void start_arrays(void)
{
    GA_Initialize();
    if (!MA_init(C_DBL, MA_WORDS, MA_WORDS))
        fail("MA_init failed");
    if (GA_Nodeid() != team.rank || GA_Nnodes() != team.ranks_count)
        fail("Global Arrays counts the ranks in another way than MPI");
}

static int carry_out(const char *line)
{
    char first[WORD_BYTES], second[WORD_BYTES], third[WORD_BYTES];
    double seconds;
    int64_t bytes;
    int order;
    if (strncmp(line, "hello", 5) == 0)
        return team_answer_hello(), 1;
    if (sscanf(line, "transfer %15s %15s %15s %" SCNd64 " %lf", first, second, third, &bytes, &seconds) == 5)
        return command_transfer(first, second, third, bytes, seconds), 1;
    if (sscanf(line, "count %lf", &seconds) == 1)
        return command_count(seconds), 1;
    if (sscanf(line, "multiply %15s %d %lf", first, &order, &seconds) == 3)
        return command_multiply(first, order, seconds), 1;
    if (sscanf(line, "copy %15s %" SCNd64 " %lf", first, &bytes, &seconds) == 3)
        return command_copy(first, bytes, seconds), 1;
    if (sscanf(line, "blas %15s %d %15s %lf", first, &order, second, &seconds) == 4)
        return command_blas(first, order, second, seconds), 1;
    return 0;
}

int main(int count, char **arguments)
{
    char line[128];
    team_begin(&count, &arguments);
    take_arguments(count, arguments);
    start_arrays();
    while (team_next_command(line, sizeof line))
        if (!carry_out(line))
            fail("unknown command");
    GA_Terminate();
    team_end();
    return 0;
}
