/* A job of ranks that share a file, linked with each of the libraries under measurement: the same source.
 *
 *   mpirun -n RANKS driver FILE SEED CHECK
 *     FILE   the file to make; its name ends with ".0"; whoever started the job removes what is left of it
 *     SEED   of the content
 *     CHECK  samples | full: how much of a request is compared inside the timed part (full: the times mean nothing)
 *
 * The file is a row of requests. Request i is written by rank i mod RANKS, and read by the rank before that one, so that
 * nobody reads what it wrote (unless it is alone). Rank 0 reads commands from standard input, one at a time; all ranks carry them
 * out at once, and sleep in between. Answers are JSON, a line each. Seconds are from a common begin until the last rank
 * has waited for its last request:
 *
 *   hello                        {"mpi": the version of the MPI library}
 *   write REQUEST BYTES WINDOW   makes the file, of BYTES, by requests of REQUEST bytes, WINDOW of them in flight on each
 *                                rank (1: one by one); creating it is timed, too, because a library may allocate the file then
 *                                {"seconds": ..., "disk_seconds": until an fsync by rank 0 has returned as well}
 *   check                        all of it is read and every byte compared; not a measurement
 *   read                         reads all of it          {"seconds": ..., "resident": the part of it in the page cache before}
 *   destroy                      closes or deletes it
 *
 * After an error the answer is {"error": "..."} and the job ends. */
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "file.h"
#include "kernel_file.h"
#include "team.h"
#include "walk.h"

static struct {
    const char *path;
    int checks_fully;
    int is_open;
    int64_t bytes;
} job;

/* ---- which requests ---- */

static int64_t requests_of(int rank)
{
    int64_t all = job.bytes / walk.chunk_bytes;
    return (all - rank + team.ranks_count - 1) / team.ranks_count;
}

static int whose(enum direction direction)
{
    return direction == WRITING ? team.rank : (team.rank + 1) % team.ranks_count;
}

static int64_t offset_of(enum direction direction, int64_t position)
{
    return (position * team.ranks_count + whose(direction)) * walk.chunk_bytes;
}

/* ---- commands ---- */

/* From when the first rank began until the last one had ended. */
struct span {
    double begin, end;
};

static struct span of_all_ranks(struct span mine)
{
    double latest[2] = {-mine.begin, mine.end}, all[2];
    MPI_Allreduce(latest, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return (struct span){-all[0], all[1]};
}

static struct span timed_pass(enum direction direction)
{
    struct span mine;
    walk_prepare(direction);
    MPI_Barrier(MPI_COMM_WORLD);
    mine.begin = now_seconds();
    if (direction == WRITING)
        walk_must(engine_create(job.path, job.bytes, walk.chunk_bytes), "create");
    walk_through(direction, requests_of(whose(direction)), offset_of);
    mine.end = now_seconds();
    return of_all_ranks(mine);
}

/* Rank 0 syncs the file while the others sleep. When it was on disk. */
static double sync_by_first_rank(void)
{
    if (team.rank == 0) {
        kernel_file_sync(job.path);
        team_wake_others();
    } else {
        team_sleep_until_woken();
    }
    return now_seconds();
}

static void command_write(int64_t request_bytes, int64_t bytes, int window)
{
    if (job.is_open)
        fail("a file is open already");
    if (request_bytes > INT_MAX)
        fail("MPI-IO moves less than 2 GB in a call");
    job.bytes = bytes;
    walk_begin((struct walk){
        .chunk_bytes = request_bytes, .window = window, .seed = team.seed, .checks_fully = job.checks_fully});
    if (bytes < request_bytes || bytes % request_bytes != 0)
        fail("BYTES must be a multiple of REQUEST");
    job.is_open = 1;
    struct span span = timed_pass(WRITING);
    double on_disk = sync_by_first_rank();
    team_answer("{\"seconds\": %.9f, \"disk_seconds\": %.9f}", span.end - span.begin, on_disk - span.begin);
}

static void command_check(void)
{
    walk_check(requests_of(whose(READING)), offset_of);
    MPI_Barrier(MPI_COMM_WORLD);
    team_answer("{}");
}

static void command_read(void)
{
    double part = team.rank == 0 ? kernel_file_resident(job.path, job.bytes) : 0;
    struct span span = timed_pass(READING);
    walk_check_buffers(requests_of(whose(READING)));
    MPI_Barrier(MPI_COMM_WORLD);
    team_answer("{\"seconds\": %.9f, \"resident\": %.4f}", span.end - span.begin, part);
}

static void command_destroy(void)
{
    walk_must(engine_destroy(), "destroy");
    walk_end();
    job.is_open = 0;
    team_answer("{}");
}

static void carry_out(const char *line)
{
    int64_t request_bytes, bytes;
    int window;
    if (strncmp(line, "hello", 5) == 0)
        team_answer_hello();
    else if (sscanf(line, "write %" SCNd64 " %" SCNd64 " %d", &request_bytes, &bytes, &window) == 3)
        command_write(request_bytes, bytes, window);
    else if (!job.is_open)
        fail("unknown command, or no file is open");
    else if (strncmp(line, "check", 5) == 0)
        command_check();
    else if (strncmp(line, "read", 4) == 0)
        command_read();
    else if (strncmp(line, "destroy", 7) == 0)
        command_destroy();
    else
        fail("unknown command");
}

static void take_arguments(int count, char **arguments)
{
    if (count != 4)
        fail("usage: driver FILE SEED CHECK");
    job.path = arguments[1];
    team.seed = strtoull(arguments[2], NULL, 10);
    job.checks_fully = strcmp(arguments[3], "full") == 0;
    if (strlen(job.path) < 3 || strcmp(job.path + strlen(job.path) - 2, ".0") != 0)
        fail("the name of FILE must end with .0");
}

int main(int count, char **arguments)
{
    char line[128];
    team_begin(&count, &arguments);
    take_arguments(count, arguments);
    walk_must(engine_begin(), "begin");
    while (team_next_command(line, sizeof line))
        carry_out(line);
    if (job.is_open)
        walk_must(engine_destroy(), "destroy");
    walk_must(engine_end(), "end");
    team_end();
    return 0;
}
