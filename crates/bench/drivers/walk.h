/* Walks through a file: moves one chunk after the other between the file and buffers, blocking or with several in flight,
 * and checks what it read. */
#ifndef CHEMIO_BENCH_WALK_H
#define CHEMIO_BENCH_WALK_H

#include <stdint.h>

enum direction { READING, WRITING };

/* Set by walk_begin. */
extern struct walk {
    int64_t chunk_bytes, chunk_words;
    int window; /* 1: blocking calls; more: that many requests in flight, each with a buffer of its own */
    uint64_t seed;
    int checks_fully; /* compares every byte of every chunk that is read, not three words */
} walk;

/* Where the chunk at a place in the order of a walk lies in the file. */
typedef int64_t offset_of_chunk(enum direction direction, int64_t position);

/* Allocates buffers: what malloc gives, not page aligned. `chunk_bytes` is a multiple of 8. */
void walk_begin(struct walk wanted);
void walk_end(void);

/* Before the clock starts: the base of all chunks for writing, bytes that are in no chunk for reading. */
void walk_prepare(enum direction direction);

/* Keeps `window` requests in flight, always waiting for the oldest. */
void walk_through(enum direction direction, int64_t chunks_count, offset_of_chunk *offset_of);

/* Issues `window` requests, calls `between`, waits for all of them, and so on. */
void walk_in_rounds(enum direction direction, int64_t chunks_count, offset_of_chunk *offset_of, void (*between)(void));

/* Reads chunk after chunk by blocking calls and compares every byte; not a measurement. */
void walk_check(int64_t chunks_count, offset_of_chunk *offset_of);

/* Compares the chunks that were read last and are still in their buffers. */
void walk_check_buffers(int64_t chunks_count);

/* Fails with the text of the library, unless `code` is 0. */
void walk_must(int code, const char *call);

double now_seconds(void);

#endif
