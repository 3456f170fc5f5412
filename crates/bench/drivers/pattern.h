/* The content of a test file: every 8-byte word is a function of the seed and its offset.
 *
 * A chunk is a base, the same in every chunk (a function of the seed and the place in the chunk), with stamps on it: one
 * word in every 64 and the last are a function of the offset in the file. So a caller who reuses one buffer makes the
 * next chunk by a few stores, inside the timed part at no cost, while a piece of a file that lands or is read from
 * elsewhere is noticed. */
#ifndef CHEMIO_BENCH_PATTERN_H
#define CHEMIO_BENCH_PATTERN_H

#include <stdint.h>

uint64_t pattern_mix(uint64_t value);

/* Fills `words` with the base. */
void pattern_base(uint64_t *words, int64_t words_count, uint64_t seed);

/* Turns a buffer that holds the base, or another chunk, into the chunk at `offset_bytes`. */
void pattern_stamp(uint64_t *words, int64_t words_count, uint64_t seed, int64_t offset_bytes);

/* The word at `index` of the chunk at `offset_bytes`. */
uint64_t pattern_word(int64_t index, int64_t words_count, uint64_t seed, int64_t offset_bytes);

/* Compares three words (first, last, and one in between that moves with the offset): cheap enough for a timed loop. */
int pattern_matches_in_samples(const uint64_t *words, int64_t words_count, uint64_t seed, int64_t offset_bytes);

/* A permutation of 0..count-1, always the same for one seed. The caller frees it. */
int64_t *pattern_permutation(int64_t count, uint64_t seed);

#endif
