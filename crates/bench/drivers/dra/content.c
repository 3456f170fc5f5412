#include "content.h"

#include <inttypes.h>

#include "fail.h"
#include "pattern.h"

/* A row of the block: elements that lie side by side in memory and in the section. */
struct row {
    double *elements;
    int64_t count;
    int64_t place; /* of the first in the section, row by row */
};

typedef void work_on_row(struct row row, uint64_t seed);

/* No element is like this: they are whole numbers. */
static const double SPOILT = -0.5;

static double element(uint64_t seed, int64_t place)
{
    return (double)(pattern_mix(seed ^ (uint64_t)place) >> 12);
}

static void fill_row(struct row row, uint64_t seed)
{
    for (int64_t i = 0; i < row.count; i++)
        row.elements[i] = element(seed, row.place + i);
}

static void spoil_row(struct row row, uint64_t seed)
{
    (void)seed;
    for (int64_t i = 0; i < row.count; i++)
        row.elements[i] = SPOILT;
}

static void check_row(struct row row, uint64_t seed)
{
    for (int64_t i = 0; i < row.count; i++)
        if (row.elements[i] != element(seed, row.place + i))
            fail("wrong data: element %" PRId64 " of the section is %.17g", row.place + i, row.elements[i]);
}

/* Row `number` of the block. */
static struct row find_row(const struct own_block *block, const int64_t *section, int dims_count, int64_t number)
{
    int64_t last = dims_count - 1, in_memory = 0, in_section = 0, memory_stride = 1, section_stride = 1;
    for (int d = (int)last; d >= 0; d--) {
        int64_t index = d == last ? 0 : number % block->counts[d];
        if (d != last)
            number /= block->counts[d];
        in_memory += index * memory_stride;
        in_section += (block->first[d] + index) * section_stride;
        memory_stride *= block->extents[d];
        section_stride *= section[d];
    }
    return (struct row){block->elements + in_memory, block->counts[last], in_section};
}

static void for_each_row(const struct disk_array *array, uint64_t seed, work_on_row *work)
{
    struct own_block block;
    engine_borrow(&block);
    int64_t rows = 1;
    for (int d = 0; d < array->dims_count - 1; d++)
        rows *= block.counts[d];
    if (block.counts[array->dims_count - 1] == 0)
        rows = 0;
    for (int64_t i = 0; i < rows; i++)
        work(find_row(&block, array->counts, array->dims_count, i), seed);
    engine_give_back();
}

void content_fill(const struct disk_array *array, uint64_t seed)
{
    for_each_row(array, seed, fill_row);
}

void content_spoil(const struct disk_array *array)
{
    for_each_row(array, 0, spoil_row);
}

void content_check(const struct disk_array *array, uint64_t seed)
{
    for_each_row(array, seed, check_row);
}
