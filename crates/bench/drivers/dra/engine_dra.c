/* Disk-resident arrays behind array.h. Compiled once with the Global Arrays package and once with chemio: the same source. */
#include "array.h"

#include <stdio.h>
#include <string.h>

#include "dra.h"
#include "fail.h"
#include "ga.h"
#include "macdecls.h"

enum { MA_WORDS = 1 << 20, ARRAYS_MAX = 16, PATH_BYTES_MAX = 256, PROBED_DONE = -1 };

/* More than any array of a run. */
static const double ARRAY_BYTES_MAX = 1e11, DISK_BYTES_MAX = 1e12;

static struct {
    int handle, request;
    dra_size_t first[DIMS_MAX], last[DIMS_MAX]; /* of the section on disk, inclusive */
} disk;

static struct {
    int handle, dims_count;
    int first[DIMS_MAX], last[DIMS_MAX]; /* all of it, inclusive */
    int own_first[DIMS_MAX], own_last[DIMS_MAX];
    int has_own;
} memory;

/* ---- begin, end ---- */

void engine_begin(const struct settings *settings)
{
    GA_Initialize();
    if (!MA_init(C_DBL, MA_WORDS, MA_WORDS))
        fail("MA_init failed");
    int code = DRA_Init(ARRAYS_MAX, ARRAY_BYTES_MAX, DISK_BYTES_MAX, settings->memory_bytes);
    if (code != 0)
        fail("DRA_Init: code %d", code);
    if (settings->io_ranks > 0)
        DRA_Set_default_config(1, settings->io_ranks);
}

void engine_end(void)
{
    DRA_Terminate();
    GA_Terminate();
}

void engine_explain(int code, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "DRA error %d", code);
}

/* ---- memory ---- */

void engine_allocate(const struct disk_array *array)
{
    int extents[DIMS_MAX];
    memory.dims_count = array->dims_count;
    for (int d = 0; d < array->dims_count; d++) {
        extents[d] = (int)array->counts[d];
        memory.first[d] = 0;
        memory.last[d] = extents[d] - 1;
    }
    memory.handle = NGA_Create(C_DBL, array->dims_count, extents, "section", NULL);
    if (memory.handle == 0)
        fail("NGA_Create failed");
    NGA_Distribution(memory.handle, GA_Nodeid(), memory.own_first, memory.own_last);
    memory.has_own = 1;
    for (int d = 0; d < array->dims_count; d++)
        memory.has_own &= memory.own_first[d] >= 0 && memory.own_last[d] >= memory.own_first[d];
}

void engine_free(void)
{
    GA_Destroy(memory.handle);
}

void engine_borrow(struct own_block *block)
{
    int leading[DIMS_MAX];
    *block = (struct own_block){.elements = NULL};
    if (!memory.has_own)
        return;
    NGA_Access(memory.handle, memory.own_first, memory.own_last, &block->elements, leading);
    for (int d = 0; d < memory.dims_count; d++) {
        block->first[d] = memory.own_first[d];
        block->counts[d] = memory.own_last[d] - memory.own_first[d] + 1;
        block->extents[d] = d == 0 ? block->counts[0] : leading[d - 1];
    }
}

void engine_give_back(void)
{
    if (memory.has_own)
        NGA_Release_update(memory.handle, memory.own_first, memory.own_last);
    GA_Sync();
}

/* ---- disk ---- */

static void take_section(const struct disk_array *array)
{
    for (int d = 0; d < array->dims_count; d++) {
        disk.first[d] = array->first[d];
        disk.last[d] = array->first[d] + array->counts[d] - 1;
    }
}

/* The calls take paths that they may change. */
static void copy_path(const char *path, char copy[PATH_BYTES_MAX])
{
    if (strlen(path) >= PATH_BYTES_MAX)
        fail("a path of %zu bytes is too long", strlen(path));
    strcpy(copy, path);
}

int engine_create(const char *path, const struct disk_array *array)
{
    char copy[PATH_BYTES_MAX];
    dra_size_t extents[DIMS_MAX], hints[DIMS_MAX];
    copy_path(path, copy);
    take_section(array);
    for (int d = 0; d < array->dims_count; d++) {
        extents[d] = array->extents[d];
        hints[d] = array->hints[d];
    }
    return NDRA_Create(C_DBL, array->dims_count, extents, "array", copy, DRA_RW, hints, &disk.handle);
}

int engine_open(const char *path, const struct disk_array *array)
{
    char copy[PATH_BYTES_MAX];
    copy_path(path, copy);
    take_section(array);
    return DRA_Open(copy, DRA_R, &disk.handle);
}

int engine_close(void)
{
    return DRA_Close(disk.handle);
}

int engine_start_write(void)
{
    return NDRA_Write_section(0, memory.handle, memory.first, memory.last, disk.handle, disk.first, disk.last, &disk.request);
}

int engine_start_read(void)
{
    return NDRA_Read_section(0, memory.handle, memory.first, memory.last, disk.handle, disk.first, disk.last, &disk.request);
}

int engine_probe(int *is_over)
{
    int status, code = DRA_Probe(disk.request, &status);
    *is_over = status == PROBED_DONE;
    return code;
}

int engine_wait(void)
{
    return DRA_Wait(disk.request);
}
