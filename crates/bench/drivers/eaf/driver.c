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
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "pattern.h"

enum direction { READING, WRITING };

static struct {
    const char *path;
    int64_t bytes, chunk_bytes, chunk_words, chunks_count;
    int window;
    uint64_t seed;
    int checks_fully;
    int64_t *write_order, *read_order;
} job;

/* A buffer and the chunk that is on its way into or out of it. */
static struct slot {
    uint64_t *words;
    int64_t offset_bytes;
} slots[ENGINE_SLOTS_MAX];

static uint64_t *expected; /* a chunk as it should be */

/* ---- errors, clock, work ---- */

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("{\"error\": \"");
    vprintf(format, arguments);
    printf("\"}\n");
    va_end(arguments);
    exit(1);
}

static void must(int code, const char *call)
{
    char text[256] = "";
    if (code == 0)
        return;
    engine_explain(code, text, sizeof text);
    fail("%s: %s", call, text);
}

static double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

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

/* ---- buffers and their content ---- */

static void allocate_buffers(void)
{
    expected = malloc((size_t)job.chunk_bytes);
    for (int i = 0; i < job.window; i++)
        slots[i].words = malloc((size_t)job.chunk_bytes);
    for (int i = 0; i < job.window; i++)
        if (!slots[i].words || !expected)
            fail("no memory for the buffers");
    pattern_base(expected, job.chunk_words, job.seed);
}

/* Before the clock starts: the base of all chunks for writing, bytes that are in no chunk for reading. */
static void prepare_buffers(enum direction direction)
{
    for (int i = 0; i < job.window; i++)
        if (direction == WRITING)
            pattern_base(slots[i].words, job.chunk_words, job.seed);
        else
            memset(slots[i].words, 0xa5, (size_t)job.chunk_bytes);
}

static void check_fully(const struct slot *slot)
{
    pattern_stamp(expected, job.chunk_words, job.seed, slot->offset_bytes);
    if (memcmp(slot->words, expected, (size_t)job.chunk_bytes) != 0)
        fail("wrong data in the chunk at byte %" PRId64, slot->offset_bytes);
}

static void check_in_samples(const struct slot *slot)
{
    if (!pattern_matches_in_samples(slot->words, job.chunk_words, job.seed, slot->offset_bytes))
        fail("wrong data in the chunk at byte %" PRId64, slot->offset_bytes);
}

static void check(const struct slot *slot)
{
    if (job.checks_fully)
        check_fully(slot);
    else
        check_in_samples(slot);
}

/* The chunks that came last are still in their buffers. */
static void check_what_buffers_hold(void)
{
    for (int i = 0; i < job.window && i < job.chunks_count; i++)
        check_fully(&slots[i]);
}

/* ---- transfers ---- */

static int64_t offset_of(enum direction direction, int64_t position)
{
    const int64_t *order = direction == WRITING ? job.write_order : job.read_order;
    return (order ? order[position] : position) * job.chunk_bytes;
}

static void transfer_blocking(enum direction direction, int64_t position)
{
    struct slot *slot = &slots[0];
    slot->offset_bytes = offset_of(direction, position);
    if (direction == WRITING) {
        pattern_stamp(slot->words, job.chunk_words, job.seed, slot->offset_bytes);
        must(engine_write(slot->offset_bytes, slot->words, job.chunk_bytes), "write");
    } else {
        must(engine_read(slot->offset_bytes, slot->words, job.chunk_bytes), "read");
        check(slot);
    }
}

static void start(enum direction direction, int64_t position, int number)
{
    struct slot *slot = &slots[number];
    slot->offset_bytes = offset_of(direction, position);
    if (direction == WRITING) {
        pattern_stamp(slot->words, job.chunk_words, job.seed, slot->offset_bytes);
        must(engine_start_write(number, slot->offset_bytes, slot->words, job.chunk_bytes), "start of a write");
    } else {
        must(engine_start_read(number, slot->offset_bytes, slot->words, job.chunk_bytes), "start of a read");
    }
}

static void finish(enum direction direction, int number)
{
    must(engine_wait(number), direction == WRITING ? "wait for a write" : "wait for a read");
    if (direction == READING)
        check(&slots[number]);
}

/* Keeps WINDOW requests in flight, always waiting for the oldest. */
static void transfer_all(enum direction direction)
{
    int64_t waited = 0;
    for (int64_t i = 0; i < job.chunks_count; i++) {
        if (job.window == 1) {
            transfer_blocking(direction, i);
            continue;
        }
        if (i >= job.window)
            finish(direction, (int)(waited++ % job.window));
        start(direction, i, (int)(i % job.window));
    }
    while (job.window > 1 && waited < job.chunks_count)
        finish(direction, (int)(waited++ % job.window));
}

/* Issues WINDOW requests, computes, waits for all of them, and so on. */
static void transfer_in_rounds(enum direction direction, int64_t steps)
{
    for (int64_t begin = 0; begin < job.chunks_count; begin += job.window) {
        int64_t left = job.chunks_count - begin;
        int count = left < job.window ? (int)left : job.window;
        for (int i = 0; i < count; i++)
            start(direction, begin + i, i);
        compute(steps);
        for (int i = 0; i < count; i++)
            finish(direction, i);
    }
}

/* ---- the file as the kernel sees it ---- */

static void sync_file(void)
{
    int descriptor = open(job.path, O_RDWR);
    if (descriptor < 0 || fsync(descriptor) != 0 || close(descriptor) != 0)
        fail("fsync of the file failed");
}

static double resident_of_mapping(void *mapping, size_t bytes)
{
    size_t pages = (bytes + 4095) / 4096, resident = 0;
    unsigned char *flags = malloc(pages);
    if (!flags || mincore(mapping, bytes, flags) != 0)
        fail("mincore failed");
    for (size_t i = 0; i < pages; i++)
        resident += flags[i] & 1;
    free(flags);
    return (double)resident / (double)pages;
}

/* The part of the file that is in the page cache, 0 to 1. */
static double resident(void)
{
    int descriptor = open(job.path, O_RDONLY);
    void *mapping = mmap(NULL, (size_t)job.bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (descriptor < 0 || mapping == MAP_FAILED)
        fail("cannot map the file");
    double part = resident_of_mapping(mapping, (size_t)job.bytes);
    munmap(mapping, (size_t)job.bytes);
    close(descriptor);
    return part;
}

/* ---- commands ---- */

/* Opens the file, moves all of it and closes it; `steps` < 0: no rounds. The seconds it took. */
static double timed_pass(enum direction direction, int64_t steps)
{
    prepare_buffers(direction);
    double begin = now_seconds();
    must(engine_open(job.path, direction == WRITING, job.chunk_bytes), "open");
    if (steps < 0)
        transfer_all(direction);
    else
        transfer_in_rounds(direction, steps);
    must(engine_close(), "close");
    return now_seconds() - begin;
}

static void command_write(int64_t steps)
{
    double seconds = timed_pass(WRITING, steps);
    double begin = now_seconds();
    sync_file();
    printf("{\"seconds\": %.9f, \"disk_seconds\": %.9f}\n", seconds, seconds + now_seconds() - begin);
}

static void command_read(int64_t steps)
{
    double part = resident();
    double seconds = timed_pass(READING, steps);
    check_what_buffers_hold();
    printf("{\"seconds\": %.9f, \"resident\": %.4f}\n", seconds, part);
}

static void command_check(void)
{
    prepare_buffers(READING);
    must(engine_open(job.path, 0, job.chunk_bytes), "open");
    for (int64_t i = 0; i < job.chunks_count; i++) {
        slots[0].offset_bytes = i * job.chunk_bytes;
        must(engine_read(slots[0].offset_bytes, slots[0].words, job.chunk_bytes), "read");
        check_fully(&slots[0]);
    }
    must(engine_close(), "close");
    printf("{}\n");
}

static void command_compute(int64_t steps)
{
    double begin = now_seconds();
    for (int64_t i = 0; i < job.chunks_count; i += job.window)
        compute(steps);
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
        job.write_order = pattern_permutation(job.chunks_count, job.seed);
        job.read_order = pattern_permutation(job.chunks_count, ~job.seed);
    } else if (strcmp(order, "sequential") != 0) {
        fail("unknown order: %s", order);
    }
}

static void take_job(char **arguments)
{
    job.path = arguments[1];
    job.bytes = strtoll(arguments[2], NULL, 10);
    job.chunk_bytes = strtoll(arguments[3], NULL, 10);
    job.window = atoi(arguments[5]);
    job.seed = strtoull(arguments[6], NULL, 10);
    job.checks_fully = strcmp(arguments[7], "full") == 0;
    if (job.chunk_bytes < 8 || job.chunk_bytes % 8 != 0 || job.bytes < job.chunk_bytes || job.bytes % job.chunk_bytes != 0)
        fail("BYTES must be a multiple of CHUNK, and CHUNK of 8");
    if (job.window < 1 || job.window > ENGINE_SLOTS_MAX)
        fail("WINDOW must be 1 to %d", ENGINE_SLOTS_MAX);
    job.chunk_words = job.chunk_bytes / 8;
    job.chunks_count = job.bytes / job.chunk_bytes;
    make_orders(arguments[4]);
}

int main(int count, char **arguments)
{
    char line[128], command[64];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count != 8)
        fail("usage: driver FILE BYTES CHUNK ORDER WINDOW SEED CHECK");
    take_job(arguments);
    allocate_buffers();
    while (fgets(line, sizeof line, stdin)) {
        int64_t steps = 0;
        if (sscanf(line, "%63s %" SCNd64, command, &steps) >= 1)
            carry_out(command, steps);
    }
    return 0;
}
