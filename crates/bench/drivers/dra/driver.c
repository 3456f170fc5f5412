/* A job of ranks that move a section between an array on disk and one in their memory, linked with each of the libraries under
 * measurement: the same source.
 *
 *   mpirun -n RANKS driver DIRECTORY SEED WAY MEMORY IO_RANKS
 *     DIRECTORY  where the array is made; there is nothing else in it, and whoever started the job empties it
 *     SEED       of the content
 *     WAY        collective | independent, where a library has both
 *     MEMORY     bytes that a rank may use for buffers; -1: what the library takes by itself
 *     IO_RANKS   how many ranks do input and output; -1: the same
 *
 * Rank 0 reads commands from standard input, one at a time; all ranks carry them out at once, and sleep in between. SHAPE
 * is the number of dimensions, and then for each of them in turn the extents of the array, a hint (-1: none), the begin of the
 * section and its extents, in elements (doubles), the last dimension contiguous. Answers are JSON, a line each:
 *
 *   hello               {"mpi": the version of the MPI library}
 *   write STEPS SHAPE   makes the array, writes the section, computes STEPS steps, waits and closes; with -1 steps it sleeps, and
 *                       waits only when the transfer is over, so that no processor of the caller takes part
 *                       {"seconds": until the wait was over on the last rank, from before the array was made,
 *                        "disk_seconds": until it was closed and an fsync of all its files had returned as well,
 *                        "call": until the call that starts the transfer had returned on the last rank,
 *                        "transfer": from before that call until the wait was over,
 *                        "copying": processor time that other threads than the caller's took meanwhile, on the busiest rank,
 *                        "allocated": the part of the disk that the array then occupies, in sections}
 *   read STEPS          the same with a read of what was written last; the array is opened before and closed behind. Every
 *                       element is compared afterwards. Instead of "disk_seconds"
 *                       {..., "resident": the part of the section in the page cache before}
 *   compute STEPS       computes so many steps on every rank at once      {"seconds": ...}
 *   forget              frees the memory; the array is gone by then       {}
 *
 * After an error the answer is {"error": "..."} and the job ends. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "content.h"
#include "kernel_directory.h"
#include "team.h"

enum { LINE_BYTES_MAX = 256, PATH_BYTES_MAX = 256, PROBE_PAUSE_NSEC = 200000 };

static struct {
    const char *directory;
    char path[PATH_BYTES_MAX];
    struct settings settings;
    struct disk_array array;
    int has_memory;
    uint64_t arrays_count; /* so far: no two have the same content */
} job;

static uint64_t seed_now(void)
{
    return team.seed + (job.arrays_count << 40);
}

static void must(int code, const char *call)
{
    char text[256] = "";
    if (code == 0)
        return;
    engine_explain(code, text, sizeof text);
    fail("%s: %s", call, text);
}

/* ---- clocks ---- */

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static double of_other_threads(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Moments of one rank, or of all: the first begin and the last end of each part. */
struct moments {
    double begin, called, started, waited, copying;
};

static struct moments of_all_ranks(struct moments mine)
{
    double latest[5] = {-mine.begin, -mine.called, mine.started, mine.waited, mine.copying}, all[5];
    MPI_Allreduce(latest, all, 5, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return (struct moments){-all[0], -all[1], all[2], all[3], all[4]};
}

/* ---- computing ---- */

static volatile double computed = 0.5;

/* Work of one core in registers: a chain of multiply-adds, no memory traffic. It begins and ends at a volatile, so that
 * the compiler can neither drop it nor move it across a clock. */
static void compute(int64_t steps)
{
    double value = computed;
    for (int64_t i = 0; i < steps; i++)
        value = value * 0.999999 + 7e-7;
    computed = value;
}

static void command_compute(int64_t steps)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    compute(steps);
    double mine = now() - begin, longest;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    team_answer("{\"seconds\": %.9f}", longest);
}

/* ---- transfers ---- */

/* Sleeps until the transfer is over. */
static void leave_alone(void)
{
    const struct timespec pause = {.tv_nsec = PROBE_PAUSE_NSEC};
    for (int is_over = 0; !is_over;) {
        nanosleep(&pause, NULL);
        must(engine_probe(&is_over), "probe");
    }
}

/* From a common begin: makes or opens the array, and moves the section while it computes. The array stays open. */
static struct moments move(int is_write, int64_t steps)
{
    struct moments mine;
    MPI_Barrier(MPI_COMM_WORLD);
    mine.begin = now();
    if (is_write)
        must(engine_create(job.path, &job.array), "create");
    else
        must(engine_open(job.path, &job.array), "open");
    double before = of_other_threads();
    mine.called = now();
    must(is_write ? engine_start_write() : engine_start_read(), is_write ? "start of a write" : "start of a read");
    mine.started = now();
    if (steps < 0)
        leave_alone();
    else
        compute(steps);
    must(engine_wait(), "wait");
    mine.waited = now();
    mine.copying = of_other_threads() - before;
    mine.copying = mine.copying > 0 ? mine.copying : 0; /* two clocks are read one after the other */
    return of_all_ranks(mine);
}

/* Rank 0 syncs the files while the others sleep. When they were on disk. */
static double sync_by_first_rank(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (team.rank == 0) {
        kernel_directory_sync(job.directory);
        team_wake_others();
    } else {
        team_sleep_until_woken();
    }
    return now();
}

static void command_forget(void)
{
    if (job.has_memory)
        engine_free();
    job.has_memory = 0;
}

static double section_bytes(void)
{
    double bytes = sizeof(double);
    for (int d = 0; d < job.array.dims_count; d++)
        bytes *= (double)job.array.counts[d];
    return bytes;
}

static void command_write(int64_t steps, const struct disk_array *array)
{
    command_forget();
    job.array = *array;
    job.arrays_count++;
    engine_allocate(&job.array);
    job.has_memory = 1;
    content_fill(&job.array, seed_now());
    struct moments all = move(1, steps);
    must(engine_close(), "close");
    double on_disk = sync_by_first_rank();
    double part = team.rank == 0 ? (double)kernel_directory_allocated_bytes(job.directory) / section_bytes() : 0;
    team_answer("{\"seconds\": %.9f, \"disk_seconds\": %.9f, \"call\": %.9f, \"transfer\": %.9f, \"copying\": %.9f, "
                "\"allocated\": %.4f}",
                all.waited - all.begin, on_disk - all.begin, all.started - all.called, all.waited - all.called, all.copying,
                part);
}

/* The part of the section that is in the page cache; whole pages and bricks may be more than it. */
static double resident_part(void)
{
    double part = (double)kernel_directory_resident_bytes(job.directory) / section_bytes();
    return part < 1 ? part : 1;
}

static void command_read(int64_t steps)
{
    double part = team.rank == 0 ? resident_part() : 0;
    content_spoil(&job.array);
    struct moments all = move(0, steps);
    must(engine_close(), "close");
    content_check(&job.array, seed_now());
    MPI_Barrier(MPI_COMM_WORLD);
    team_answer("{\"seconds\": %.9f, \"resident\": %.4f, \"call\": %.9f, \"transfer\": %.9f, \"copying\": %.9f}",
                all.waited - all.begin, part, all.started - all.called, all.waited - all.called, all.copying);
}

/* ---- command lines ---- */

static int64_t next_number(char **text)
{
    char *end;
    int64_t number = strtoll(*text, &end, 10);
    if (end == *text)
        fail("a number is missing");
    *text = end;
    return number;
}

static struct disk_array parse_shape(char *text)
{
    struct disk_array array = {.dims_count = (int)next_number(&text)};
    if (array.dims_count < 1 || array.dims_count > DIMS_MAX)
        fail("1 to %d dimensions", DIMS_MAX);
    int64_t *parts[] = {array.extents, array.hints, array.first, array.counts};
    for (int d = 0; d < array.dims_count; d++) {
        for (int i = 0; i < 4; i++)
            parts[i][d] = next_number(&text);
        if (array.counts[d] < 1 || array.first[d] < 0 || array.first[d] + array.counts[d] > array.extents[d])
            fail("the section is not in the array");
    }
    return array;
}

static void carry_out(char *line)
{
    int64_t steps;
    int length = 0;
    if (strncmp(line, "hello", 5) == 0) {
        team_answer_hello();
    } else if (sscanf(line, "write %" SCNd64 "%n", &steps, &length) == 1) {
        struct disk_array array = parse_shape(line + length);
        command_write(steps, &array);
    } else if (sscanf(line, "compute %" SCNd64, &steps) == 1) {
        command_compute(steps);
    } else if (job.has_memory && sscanf(line, "read %" SCNd64, &steps) == 1) {
        command_read(steps);
    } else if (strncmp(line, "forget", 6) == 0) {
        command_forget();
        team_answer("{}");
    } else {
        fail("unknown command, or there is no array");
    }
}

static void take_arguments(int count, char **arguments)
{
    if (count != 6)
        fail("usage: driver DIRECTORY SEED WAY MEMORY IO_RANKS");
    job.directory = arguments[1];
    team.seed = strtoull(arguments[2], NULL, 10);
    job.settings = (struct settings){arguments[3], strtod(arguments[4], NULL), atoi(arguments[5])};
    if (snprintf(job.path, sizeof job.path, "%s/array", job.directory) >= (int)sizeof job.path)
        fail("the name of DIRECTORY is too long");
}

int main(int count, char **arguments)
{
    char line[LINE_BYTES_MAX];
    team_begin(&count, &arguments);
    take_arguments(count, arguments);
    engine_begin(&job.settings);
    while (team_next_command(line, sizeof line))
        carry_out(line);
    command_forget();
    engine_end();
    team_end();
    return 0;
}
