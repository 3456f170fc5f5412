/* Put, get and accumulate of one patch, again and again, by all ranks at once.
 *
 * The array has one block of whole rows for each rank (C order: rows are contiguous). A patch lies in the own block
 * (local) or in that of the next rank (remote), so nobody writes where another one writes. Kinds:
 *
 *   contiguous  rows of 1024 doubles; the patch is whole rows, or a part of one row where 8 KiB are more than it has
 *   half        the same array; the patch is the middle half of the columns: runs of 4 KiB, 8 KiB apart
 *   narrow      rows of 32 doubles; the patch is 8 columns: runs of 64 B, 256 B apart
 *
 * The private buffer is dense. Values are small integers, so that sums are exact. Each rank makes and checks the
 * content of its own block through NGA_Access, whatever put, get and accumulate believe; what lies around the patch must not
 * change. */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ga.h"
#include "macdecls.h"
#include "pattern.h"
#include "team.h"
#include "timing.h"

enum { ELEMENT_BYTES = sizeof(double) };

static const double VACANT = -1.0;

static const struct kind {
    const char *name;
    int row_elements, first_column, run_elements;
} kinds[] = {{"contiguous", 1024, 0, 1024}, {"half", 1024, 256, 512}, {"narrow", 32, 12, 8}};

/* The one array there is at a time, and what a patch of it is moved to and from. */
static struct {
    int handle, row_elements, block_rows;
    double *buffer;
} array;

/* A patch relative to its block: a vacant row above it and at least one below. */
static struct {
    int first_row, rows, first_column, columns;
} patch;

static struct {
    int lo[2], hi[2], ld[1];
    double alpha;
} target;

/* ---- the array ---- */

static const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    fail("unknown kind: %s", name);
}

static void check_distribution(void)
{
    int lo[2], hi[2];
    NGA_Distribution(array.handle, team.rank, lo, hi);
    int begin = team.rank * array.block_rows;
    if (lo[0] != begin || hi[0] != begin + array.block_rows - 1 || lo[1] != 0 || hi[1] != array.row_elements - 1)
        fail("rank owns (%d,%d)..(%d,%d) instead of %d rows from %d", lo[0], lo[1], hi[0], hi[1], array.block_rows, begin);
}

static int create(void)
{
    int dims[2] = {team.ranks_count * array.block_rows, array.row_elements};
    int blocks[2] = {team.ranks_count, 1}, map[team.ranks_count + 1];
    for (int i = 0; i < team.ranks_count; i++)
        map[i] = i * array.block_rows;
    map[team.ranks_count] = 0;
    int handle = NGA_Create_irreg(C_DBL, 2, dims, "patches", blocks, map);
    if (!handle)
        fail("NGA_Create_irreg failed");
    return handle;
}

/* Blocks that hold the largest patch and a row on either side. */
static int block_rows(const struct kind *kind)
{
    int64_t run_bytes = kind->run_elements * ELEMENT_BYTES;
    return (int)((team.bytes_max + run_bytes - 1) / run_bytes) + 2;
}

/* The array of `kind`. There is one at a time, which keeps the jobs small. */
static void make_array(const struct kind *kind)
{
    double vacant = VACANT;
    if (!array.buffer)
        array.buffer = team_allocate_off_page((size_t)team.bytes_max);
    if (array.row_elements == kind->row_elements && array.block_rows >= block_rows(kind))
        return;
    if (array.row_elements)
        GA_Destroy(array.handle);
    array.row_elements = kind->row_elements;
    array.block_rows = block_rows(kind);
    array.handle = create();
    check_distribution();
    GA_Fill(array.handle, &vacant);
}

/* ---- the patch ---- */

static void place_patch(const struct kind *kind, int64_t bytes)
{
    int64_t elements = bytes / ELEMENT_BYTES, run = kind->run_elements;
    if (elements < run)
        run = elements;
    if (bytes > team.bytes_max || run == 0 || elements % run != 0)
        fail("no patch of %" PRId64 " bytes is %s", bytes, kind->name);
    patch.first_row = 1;
    patch.rows = (int)(elements / run);
    patch.first_column = kind->first_column;
    patch.columns = (int)run;
}

static void aim(int owner)
{
    target.lo[0] = owner * array.block_rows + patch.first_row;
    target.hi[0] = target.lo[0] + patch.rows - 1;
    target.lo[1] = patch.first_column;
    target.hi[1] = patch.first_column + patch.columns - 1;
    target.ld[0] = patch.columns;
    target.alpha = 1.0;
}

/* ---- content ---- */

/* 0 to 1023, by the rank that owns the patch and the place in it. */
static double value_at(int owner, int64_t index)
{
    return (double)(pattern_mix(team.seed + (uint64_t)owner * 0x100000000u + (uint64_t)index) >> 54);
}

static void fill_buffer(int is_source, int owner)
{
    int64_t elements = (int64_t)patch.rows * patch.columns;
    for (int64_t i = 0; i < elements; i++)
        array.buffer[i] = is_source ? value_at(owner, i) : VACANT;
}

static double *own_block(int lo[2], int hi[2])
{
    double *block;
    int ld[1];
    NGA_Distribution(array.handle, team.rank, lo, hi);
    NGA_Access(array.handle, lo, hi, &block, ld);
    if (ld[0] != array.row_elements)
        fail("NGA_Access gives a leading dimension of %d instead of %d", ld[0], array.row_elements);
    return block;
}

static double *row_of_patch(double *block, int row)
{
    return block + (int64_t)(patch.first_row + row) * array.row_elements + patch.first_column;
}

static void fill_own_patch(int is_source)
{
    int lo[2], hi[2];
    double *block = own_block(lo, hi);
    for (int row = 0; row < patch.rows; row++)
        for (int column = 0; column < patch.columns; column++)
            row_of_patch(block, row)[column] =
                is_source ? value_at(team.rank, (int64_t)row * patch.columns + column) : VACANT;
    NGA_Release_update(array.handle, lo, hi);
}

/* ---- checks ---- */

static void check(double found, double expected, const char *where, int row, int column)
{
    if (found != expected)
        fail("wrong data %s, row %d, column %d: %.17g instead of %.17g", where, row, column, found, expected);
}

/* Every element has received its value so many times, on top of `base`. */
static void check_own_patch(double base, int64_t times)
{
    int lo[2], hi[2];
    double *block = own_block(lo, hi);
    for (int row = 0; row < patch.rows; row++)
        for (int column = 0; column < patch.columns; column++) {
            double value = value_at(team.rank, (int64_t)row * patch.columns + column);
            check(row_of_patch(block, row)[column], base + (double)times * value, "in the patch", row, column);
        }
    NGA_Release(array.handle, lo, hi);
}

static void check_buffer(int owner)
{
    for (int row = 0; row < patch.rows; row++)
        for (int column = 0; column < patch.columns; column++) {
            int64_t index = (int64_t)row * patch.columns + column;
            check(array.buffer[index], value_at(owner, index), "in the buffer", row, column);
        }
}

static void check_surroundings(void)
{
    int lo[2], hi[2];
    double *block = own_block(lo, hi);
    for (int column = 0; column < array.row_elements; column++) {
        check(row_of_patch(block, -1)[column - patch.first_column], VACANT, "above the patch", -1, column);
        check(row_of_patch(block, patch.rows)[column - patch.first_column], VACANT, "below it", patch.rows, column);
    }
    for (int row = 0; row < patch.rows; row++) {
        if (patch.first_column > 0)
            check(row_of_patch(block, row)[-1], VACANT, "left of the patch", row, -1);
        if (patch.first_column + patch.columns < array.row_elements)
            check(row_of_patch(block, row)[patch.columns], VACANT, "right of the patch", row, patch.columns);
    }
    NGA_Release(array.handle, lo, hi);
}

/* ---- operations ---- */

static void put(int64_t calls_count)
{
    for (int64_t i = 0; i < calls_count; i++)
        NGA_Put(array.handle, target.lo, target.hi, array.buffer, target.ld);
}

static void get(int64_t calls_count)
{
    for (int64_t i = 0; i < calls_count; i++)
        NGA_Get(array.handle, target.lo, target.hi, array.buffer, target.ld);
}

static void accumulate(int64_t calls_count)
{
    for (int64_t i = 0; i < calls_count; i++)
        NGA_Acc(array.handle, target.lo, target.hi, array.buffer, target.ld, &target.alpha);
}

static struct timing time_put(int owner, double seconds)
{
    fill_buffer(1, owner);
    fill_own_patch(0);
    struct timing timing = time_together(put, seconds);
    check_own_patch(0.0, 1);
    return timing;
}

static struct timing time_accumulate(int owner, double seconds)
{
    fill_buffer(1, owner);
    fill_own_patch(0);
    struct timing timing = time_together(accumulate, seconds);
    check_own_patch(VACANT, timing.calls_so_far);
    return timing;
}

static struct timing time_get(int owner, double seconds)
{
    fill_buffer(0, owner);
    fill_own_patch(1);
    struct timing timing = time_together(get, seconds);
    check_buffer(owner);
    return timing;
}

static struct timing time_operation(const char *name, int owner, double seconds)
{
    if (strcmp(name, "put") == 0)
        return time_put(owner, seconds);
    if (strcmp(name, "get") == 0)
        return time_get(owner, seconds);
    if (strcmp(name, "acc") == 0)
        return time_accumulate(owner, seconds);
    fail("unknown operation: %s", name);
}

void command_transfer(const char *operation, const char *kind_name, const char *locality, int64_t bytes, double seconds)
{
    const struct kind *kind = kind_named(kind_name);
    int owner = (team.rank + (strcmp(locality, "remote") == 0)) % team.ranks_count;
    make_array(kind);
    place_patch(kind, bytes);
    aim(owner);
    struct timing timing = time_operation(operation, owner, seconds);
    check_surroundings();
    fill_own_patch(0);
    answer_timing(&timing);
}
