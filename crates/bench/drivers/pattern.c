#include "pattern.h"

#include <stdlib.h>

enum { STAMP_EVERY_WORDS = 64, WORD_BYTES = 8 };

/* The finaliser of splitmix64. */
uint64_t pattern_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint64_t base_word(uint64_t seed, int64_t index)
{
    return pattern_mix(~seed + (uint64_t)index);
}

static uint64_t stamp_word(uint64_t seed, int64_t offset_bytes)
{
    return pattern_mix(pattern_mix(seed) ^ (uint64_t)offset_bytes);
}

static int is_stamp(int64_t index, int64_t words_count)
{
    return index % STAMP_EVERY_WORDS == 0 || index == words_count - 1;
}

void pattern_base(uint64_t *words, int64_t words_count, uint64_t seed)
{
    for (int64_t i = 0; i < words_count; i++)
        words[i] = base_word(seed, i);
}

void pattern_stamp(uint64_t *words, int64_t words_count, uint64_t seed, int64_t offset_bytes)
{
    for (int64_t i = 0; i < words_count; i += STAMP_EVERY_WORDS)
        words[i] = stamp_word(seed, offset_bytes + i * WORD_BYTES);
    words[words_count - 1] = stamp_word(seed, offset_bytes + (words_count - 1) * WORD_BYTES);
}

uint64_t pattern_word(int64_t index, int64_t words_count, uint64_t seed, int64_t offset_bytes)
{
    if (is_stamp(index, words_count))
        return stamp_word(seed, offset_bytes + index * WORD_BYTES);
    return base_word(seed, index);
}

int pattern_matches_in_samples(const uint64_t *words, int64_t words_count, uint64_t seed, int64_t offset_bytes)
{
    int64_t middle = (offset_bytes / WORD_BYTES / 7) % words_count;
    int64_t samples[] = {0, words_count - 1, middle};
    for (int i = 0; i < 3; i++)
        if (words[samples[i]] != pattern_word(samples[i], words_count, seed, offset_bytes))
            return 0;
    return 1;
}

int64_t *pattern_permutation(int64_t count, uint64_t seed)
{
    int64_t *order = malloc((size_t)count * sizeof *order);
    if (!order)
        return NULL;
    for (int64_t i = 0; i < count; i++)
        order[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = (int64_t)(pattern_mix(seed + (uint64_t)i) % (uint64_t)(i + 1));
        int64_t moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
    return order;
}
