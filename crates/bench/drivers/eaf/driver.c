/* One process under measurement: it carries out commands from standard input, one at a time, on one file.
 *
 *   driver FILE BYTES CHUNK ORDER WINDOW SEED CHECK
 *     FILE    the file to make; whoever started the driver removes it
 *     BYTES   its size, a multiple of CHUNK
 *     CHUNK   bytes of every transfer, a multiple of 8
 *     ORDER   sequential | random (a permutation of all chunks, given by SEED; reading takes another than writing)
 *     WINDOW  1: blocking calls; more: that many requests in flight, each with a buffer of its own
 *     SEED    of the content and of the order
 *     CHECK   samples | full: how much of a chunk is compared inside the timed part (full: the times mean nothing)
 *
 * Buffers are what malloc gives (not page aligned) and have been touched before a clock starts. Answers are JSON, a line
 * each. Every time includes opening and closing the file:
 *
 *   write          makes the file     {"seconds": until close has returned, "disk_seconds": until fsync has, too}
 *   read           reads all of it    {"seconds": ..., "resident": the part of the file in the page cache before}
 *   check          reads all of it front to back and compares every byte; not a measurement
 *   compute N      computes in one slice of N steps for every WINDOW chunks, no I/O     {"seconds": ...}
 *   write-rounds N, read-rounds N
 *                  as write and read, but in rounds: issue WINDOW requests, compute N steps, wait for all
 *
 * After an error the answer is {"error": "..."} and the driver ends with 1. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "file.h"
#include "kernel_file.h"
#include "pattern.h"
#include "walk.h"

static struct {
    const char *path;
    int64_t bytes, chunks_count;
    int64_t *write_order, *read_order;
    int64_t steps; /* of computing between the transfers of two rounds */
} job;

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("{\"error\": \"");
    vprintf(format, arguments);
    printf("\"}\n");
    va_end(arguments);
    exit(1);
}

static volatile double computed = 0.5;

/* Work of one core in registers: a chain of multiply-adds, no memory traffic. It begins and ends at a volatile, so that
 * the compiler can neither drop it nor move it across a clock. */
static void compute(void)
{
    double value = computed;
    for (int64_t i = 0; i < job.steps; i++)
        value = value * 0.999999 + 7e-7;
    computed = value;
}

static int64_t offset_of(enum direction direction, int64_t position)
{
    const int64_t *order = direction == WRITING ? job.write_order : job.read_order;
    return (order ? order[position] : position) * walk.chunk_bytes;
}

static int64_t offset_front_to_back(enum direction direction, int64_t position)
{
    (void)direction;
    return position * walk.chunk_bytes;
}

/* ---- commands ---- */

/* Opens the file, moves all of it and closes it; `steps` < 0: no rounds. The seconds it took. */
static double timed_pass(enum direction direction, int64_t steps)
{
    job.steps = steps;
    walk_prepare(direction);
    double begin = now_seconds();
    walk_must(engine_open(job.path, direction == WRITING, walk.chunk_bytes), "open");
    if (steps < 0)
        walk_through(direction, job.chunks_count, offset_of);
    else
        walk_in_rounds(direction, job.chunks_count, offset_of, compute);
    walk_must(engine_close(), "close");
    return now_seconds() - begin;
}

static void command_write(int64_t steps)
{
    double seconds = timed_pass(WRITING, steps);
    double begin = now_seconds();
    kernel_file_sync(job.path);
    printf("{\"seconds\": %.9f, \"disk_seconds\": %.9f}\n", seconds, seconds + now_seconds() - begin);
}

static void command_read(int64_t steps)
{
    double part = kernel_file_resident(job.path, job.bytes);
    double seconds = timed_pass(READING, steps);
    walk_check_buffers(job.chunks_count);
    printf("{\"seconds\": %.9f, \"resident\": %.4f}\n", seconds, part);
}

static void command_check(void)
{
    walk_must(engine_open(job.path, 0, walk.chunk_bytes), "open");
    walk_check(job.chunks_count, offset_front_to_back);
    walk_must(engine_close(), "close");
    printf("{}\n");
}

static void command_compute(int64_t steps)
{
    job.steps = steps;
    double begin = now_seconds();
    for (int64_t i = 0; i < job.chunks_count; i += walk.window)
        compute();
    printf("{\"seconds\": %.9f}\n", now_seconds() - begin);
}

static void carry_out(const char *command, int64_t steps)
{
    if (strcmp(command, "write") == 0)
        command_write(-1);
    else if (strcmp(command, "read") == 0)
        command_read(-1);
    else if (strcmp(command, "check") == 0)
        command_check();
    else if (strcmp(command, "compute") == 0)
        command_compute(steps);
    else if (strcmp(command, "write-rounds") == 0)
        command_write(steps);
    else if (strcmp(command, "read-rounds") == 0)
        command_read(steps);
    else
        fail("unknown command: %s", command);
}

static void make_orders(const char *order)
{
    if (strcmp(order, "random") == 0) {
        job.write_order = pattern_permutation(job.chunks_count, walk.seed);
        job.read_order = pattern_permutation(job.chunks_count, ~walk.seed);
    } else if (strcmp(order, "sequential") != 0) {
        fail("unknown order: %s", order);
    }
}

static void take_job(char **arguments)
{
    job.path = arguments[1];
    job.bytes = strtoll(arguments[2], NULL, 10);
    walk_begin((struct walk){
        .chunk_bytes = strtoll(arguments[3], NULL, 10),
        .window = atoi(arguments[5]),
        .seed = strtoull(arguments[6], NULL, 10),
        .checks_fully = strcmp(arguments[7], "full") == 0,
    });
    if (job.bytes < walk.chunk_bytes || job.bytes % walk.chunk_bytes != 0)
        fail("BYTES must be a multiple of CHUNK");
    job.chunks_count = job.bytes / walk.chunk_bytes;
    make_orders(arguments[4]);
}

int main(int count, char **arguments)
{
    char line[128], command[64];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count != 8)
        fail("usage: driver FILE BYTES CHUNK ORDER WINDOW SEED CHECK");
    take_job(arguments);
    while (fgets(line, sizeof line, stdin)) {
        int64_t steps = 0;
        if (sscanf(line, "%63s %" SCNd64, command, &steps) >= 1)
            carry_out(command, steps);
    }
    return 0;
}
