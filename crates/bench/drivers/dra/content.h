/* What is in the array: every element is a function of the seed, of how many arrays there were before, and of its place in the section. */
#ifndef CHEMIO_BENCH_DRA_CONTENT_H
#define CHEMIO_BENCH_DRA_CONTENT_H

#include <stdint.h>

#include "array.h"

/* Fills the block of this rank with the content of the array. */
void content_fill(const struct disk_array *array, uint64_t seed);

/* Fills it with something that is the content of no array. */
void content_spoil(const struct disk_array *array);

/* Compares every element with what it should be. */
void content_check(const struct disk_array *array, uint64_t seed);

#endif
