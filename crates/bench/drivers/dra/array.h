/* What a library under measurement has to offer to driver.c: one array on disk, and one in the memory of all ranks, of which
 * each holds a block. Elements are doubles; the last dimension is contiguous. All calls are collective; those that return
 * int give 0 when they succeeded, and engine_explain then needs not be called. */
#ifndef CHEMIO_BENCH_DRA_ARRAY_H
#define CHEMIO_BENCH_DRA_ARRAY_H

#include <stddef.h>
#include <stdint.h>

enum { DIMS_MAX = 3 };

/* An array on disk and the section of it that is moved: as many elements as the array in memory has. */
struct disk_array {
    int dims_count;
    int64_t extents[DIMS_MAX];
    int64_t hints[DIMS_MAX]; /* a typical request, or the shape of a chunk; -1: the caller does not know */
    int64_t first[DIMS_MAX]; /* where the section begins */
    int64_t counts[DIMS_MAX];
};

/* The part of the array in memory that this rank holds. */
struct own_block {
    int64_t first[DIMS_MAX], counts[DIMS_MAX]; /* counts of 0: nothing */
    int64_t extents[DIMS_MAX];                 /* of what it lies in: the leading dimensions, from the second on */
    double *elements;
};

/* What a job is started with; -1: what the library takes by itself. */
struct settings {
    const char *way; /* what the engine makes of it */
    double memory_bytes;
    int io_ranks;
};

/* Starts and ends what the library needs besides MPI. Called once. */
void engine_begin(const struct settings *settings);
void engine_end(void);

/* The array in memory, with the shape of the section. */
void engine_allocate(const struct disk_array *array);
void engine_free(void);

/* The elements of this rank, to be looked at and changed until engine_give_back. */
void engine_borrow(struct own_block *block);
void engine_give_back(void);

/* Makes the array `path`, or opens it for reading. */
int engine_create(const char *path, const struct disk_array *array);
int engine_open(const char *path, const struct disk_array *array);
int engine_close(void);

/* Moves the section. The array in memory is left alone until engine_wait has returned. */
int engine_start_write(void);
int engine_start_read(void);
int engine_probe(int *is_over); /* does not wait */
int engine_wait(void);

/* Puts the meaning of a failing function's result into `text`. */
void engine_explain(int code, char *text, size_t text_bytes);

#endif
