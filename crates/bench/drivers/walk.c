#define _GNU_SOURCE
#include "walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"
#include "fail.h"
#include "pattern.h"

struct walk walk;

/* A buffer and the chunk that is on its way into or out of it. */
static struct slot {
    uint64_t *words;
    int64_t offset_bytes;
} slots[ENGINE_SLOTS_MAX];

static uint64_t *expected; /* a chunk as it should be */

void walk_must(int code, const char *call)
{
    char text[256] = "";
    if (code == 0)
        return;
    engine_explain(code, text, sizeof text);
    fail("%s: %s", call, text);
}

double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- buffers and their content ---- */

enum { PAGE_BYTES = 4096, LARGE_ARRAY_OFFSET = 16 };

/* Memory that begins where malloc, and allocate of Fortran, begin a large array: 16 bytes after a page. Some processors copy at half
 * the speed or less depending on this place, so it must be the same for every library: where malloc has a small buffer is luck. */
static void *memory_like_a_large_array(size_t bytes)
{
    char *pages = aligned_alloc(PAGE_BYTES, (LARGE_ARRAY_OFFSET + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    return pages ? pages + LARGE_ARRAY_OFFSET : NULL;
}

static void free_like_a_large_array(void *memory)
{
    if (memory)
        free((char *)memory - LARGE_ARRAY_OFFSET);
}

void walk_begin(struct walk wanted)
{
    walk = wanted;
    if (walk.chunk_bytes < 8 || walk.chunk_bytes % 8 != 0)
        fail("a chunk must be a multiple of 8 bytes");
    if (walk.window < 1 || walk.window > ENGINE_SLOTS_MAX)
        fail("WINDOW must be 1 to %d", ENGINE_SLOTS_MAX);
    walk.chunk_words = walk.chunk_bytes / 8;
    expected = malloc((size_t)walk.chunk_bytes);
    for (int i = 0; i < walk.window; i++)
        slots[i].words = memory_like_a_large_array((size_t)walk.chunk_bytes);
    for (int i = 0; i < walk.window; i++)
        if (!slots[i].words || !expected)
            fail("no memory for the buffers");
    pattern_base(expected, walk.chunk_words, walk.seed);
}

void walk_end(void)
{
    for (int i = 0; i < walk.window; i++)
        free_like_a_large_array(slots[i].words);
    free(expected);
}

void walk_prepare(enum direction direction)
{
    for (int i = 0; i < walk.window; i++)
        if (direction == WRITING)
            pattern_base(slots[i].words, walk.chunk_words, walk.seed);
        else
            memset(slots[i].words, 0xa5, (size_t)walk.chunk_bytes);
}

static void check_fully(const struct slot *slot)
{
    pattern_stamp(expected, walk.chunk_words, walk.seed, slot->offset_bytes);
    if (memcmp(slot->words, expected, (size_t)walk.chunk_bytes) != 0)
        fail("wrong data in the chunk at byte %" PRId64, slot->offset_bytes);
}

static void check_in_samples(const struct slot *slot)
{
    if (!pattern_matches_in_samples(slot->words, walk.chunk_words, walk.seed, slot->offset_bytes))
        fail("wrong data in the chunk at byte %" PRId64, slot->offset_bytes);
}

static void check(const struct slot *slot)
{
    if (walk.checks_fully)
        check_fully(slot);
    else
        check_in_samples(slot);
}

void walk_check_buffers(int64_t chunks_count)
{
    for (int i = 0; i < walk.window && i < chunks_count; i++)
        check_fully(&slots[i]);
}

/* ---- transfers ---- */

static void transfer_blocking(enum direction direction, int64_t offset_bytes)
{
    struct slot *slot = &slots[0];
    slot->offset_bytes = offset_bytes;
    if (direction == WRITING) {
        pattern_stamp(slot->words, walk.chunk_words, walk.seed, slot->offset_bytes);
        walk_must(engine_write(slot->offset_bytes, slot->words, walk.chunk_bytes), "write");
    } else {
        walk_must(engine_read(slot->offset_bytes, slot->words, walk.chunk_bytes), "read");
        check(slot);
    }
}

static void start(enum direction direction, int64_t offset_bytes, int number)
{
    struct slot *slot = &slots[number];
    slot->offset_bytes = offset_bytes;
    if (direction == WRITING) {
        pattern_stamp(slot->words, walk.chunk_words, walk.seed, offset_bytes);
        walk_must(engine_start_write(number, offset_bytes, slot->words, walk.chunk_bytes), "start of a write");
    } else {
        walk_must(engine_start_read(number, offset_bytes, slot->words, walk.chunk_bytes), "start of a read");
    }
}

static void finish(enum direction direction, int number)
{
    walk_must(engine_wait(number), direction == WRITING ? "wait for a write" : "wait for a read");
    if (direction == READING)
        check(&slots[number]);
}

static void walk_in_flight(enum direction direction, int64_t chunks_count, offset_of_chunk *offset_of)
{
    int64_t waited = 0;
    for (int64_t i = 0; i < chunks_count; i++) {
        if (i >= walk.window)
            finish(direction, (int)(waited++ % walk.window));
        start(direction, offset_of(direction, i), (int)(i % walk.window));
    }
    while (waited < chunks_count)
        finish(direction, (int)(waited++ % walk.window));
}

void walk_through(enum direction direction, int64_t chunks_count, offset_of_chunk *offset_of)
{
    if (walk.window > 1) {
        walk_in_flight(direction, chunks_count, offset_of);
        return;
    }
    for (int64_t i = 0; i < chunks_count; i++)
        transfer_blocking(direction, offset_of(direction, i));
}

void walk_in_rounds(enum direction direction, int64_t chunks_count, offset_of_chunk *offset_of, void (*between)(void))
{
    for (int64_t begin = 0; begin < chunks_count; begin += walk.window) {
        int64_t left = chunks_count - begin;
        int count = left < walk.window ? (int)left : walk.window;
        for (int i = 0; i < count; i++)
            start(direction, offset_of(direction, begin + i), i);
        between();
        for (int i = 0; i < count; i++)
            finish(direction, i);
    }
}

void walk_check(int64_t chunks_count, offset_of_chunk *offset_of)
{
    walk_prepare(READING);
    for (int64_t i = 0; i < chunks_count; i++) {
        slots[0].offset_bytes = offset_of(READING, i);
        walk_must(engine_read(slots[0].offset_bytes, slots[0].words, walk.chunk_bytes), "read");
        check_fully(&slots[0]);
    }
}
