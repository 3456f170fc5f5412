/* Parallel HDF5 behind array.h: a dataset in a file that all ranks share, chunked by the hints, or contiguous where there are none.
 * Each rank has a block of the section in private memory and moves it in one call, collective or independent. The newest file format;
 * what is not written is not filled; large objects begin with a page. */
#include "array.h"

#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "team.h"

enum { PAGE_BYTES = 4096, LARGE_OBJECT_BYTES = 1 << 16, FAILED = 1 };

static struct {
    hid_t access, transfer; /* property lists */
    hid_t file, dataset;
    hsize_t first[DIMS_MAX]; /* of the section */
} disk;

static struct {
    int dims_count;
    hsize_t first[DIMS_MAX], counts[DIMS_MAX]; /* of the block in the section */
    size_t elements_count;
    double *elements;
} memory;

/* ---- begin, end ---- */

void engine_begin(const struct settings *settings)
{
    int is_collective = strcmp(settings->way, "collective") == 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    disk.access = H5Pcreate(H5P_FILE_ACCESS);
    disk.transfer = H5Pcreate(H5P_DATASET_XFER);
    if (H5Pset_fapl_mpio(disk.access, MPI_COMM_WORLD, MPI_INFO_NULL) < 0 ||
        H5Pset_libver_bounds(disk.access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) < 0 ||
        H5Pset_alignment(disk.access, LARGE_OBJECT_BYTES, PAGE_BYTES) < 0 ||
        H5Pset_dxpl_mpio(disk.transfer, is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) < 0)
        fail("HDF5 has no parallel files");
}

void engine_end(void)
{
    H5Pclose(disk.access);
    H5Pclose(disk.transfer);
}

static char reason[200]; /* of the first failure */

static herr_t keep_first(unsigned number, const H5E_error2_t *error, void *unused)
{
    (void)unused;
    if (number == 0)
        snprintf(reason, sizeof reason, "%s: %s", error->func_name, error->desc);
    return 0;
}

/* Whether an id or a status is a failure. The next call forgets why, so it is kept here. */
static int is_failure(int64_t status)
{
    if (status >= 0)
        return 0;
    if (reason[0] == '\0')
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, NULL);
    return 1;
}

void engine_explain(int code, char *text, size_t text_bytes)
{
    (void)code;
    snprintf(text, text_bytes, "HDF5: %s", reason[0] ? reason : "no reason given");
    for (char *quote = text; (quote = strpbrk(quote, "\"\\\n"));)
        *quote = '\'';
}

/* ---- memory ---- */

/* The block of part `part` of `parts` along one dimension: sizes differ by one at most. */
static void divide(int64_t count, int parts, int part, hsize_t *first, hsize_t *size)
{
    int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    *first = (hsize_t)begin;
    *size = (hsize_t)(end - begin);
}

void engine_allocate(const struct disk_array *array)
{
    int grid[DIMS_MAX] = {0}, rank = team.rank;
    MPI_Dims_create(team.ranks_count, array->dims_count, grid);
    memory.dims_count = array->dims_count;
    memory.elements_count = 1;
    for (int d = array->dims_count - 1; d >= 0; d--) {
        divide(array->counts[d], grid[d], rank % grid[d], &memory.first[d], &memory.counts[d]);
        memory.elements_count *= memory.counts[d];
        rank /= grid[d];
    }
    memory.elements = malloc(memory.elements_count * sizeof(double));
    if (!memory.elements && memory.elements_count > 0)
        fail("no memory for a block of %zu elements", memory.elements_count);
}

void engine_free(void)
{
    free(memory.elements);
}

void engine_borrow(struct own_block *block)
{
    block->elements = memory.elements;
    for (int d = 0; d < memory.dims_count; d++) {
        block->first[d] = (int64_t)memory.first[d];
        block->extents[d] = block->counts[d] = (int64_t)memory.counts[d];
    }
}

void engine_give_back(void)
{
}

/* ---- disk ---- */

static int result_of(int64_t status)
{
    return is_failure(status) ? FAILED : 0;
}

static void take_section(const struct disk_array *array)
{
    for (int d = 0; d < array->dims_count; d++)
        disk.first[d] = (hsize_t)array->first[d];
}

static hid_t layout_of(const struct disk_array *array)
{
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[DIMS_MAX];
    int has_hints = 1;
    for (int d = 0; d < array->dims_count; d++) {
        chunk[d] = (hsize_t)array->hints[d];
        has_hints &= array->hints[d] > 0;
    }
    H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
    if (has_hints)
        H5Pset_chunk(layout, array->dims_count, chunk);
    return layout;
}

int engine_create(const char *path, const struct disk_array *array)
{
    hsize_t extents[DIMS_MAX];
    take_section(array);
    for (int d = 0; d < array->dims_count; d++)
        extents[d] = (hsize_t)array->extents[d];
    hid_t layout = layout_of(array), space = H5Screate_simple(array->dims_count, extents, NULL);
    int code = result_of(disk.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, disk.access));
    code |= result_of(disk.dataset = H5Dcreate2(disk.file, "array", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(layout);
    return code;
}

int engine_open(const char *path, const struct disk_array *array)
{
    take_section(array);
    int code = result_of(disk.file = H5Fopen(path, H5F_ACC_RDONLY, disk.access));
    return code | result_of(disk.dataset = H5Dopen2(disk.file, "array", H5P_DEFAULT));
}

int engine_close(void)
{
    int code = result_of(H5Dclose(disk.dataset));
    return result_of(H5Fclose(disk.file)) | code;
}

/* Moves the block of this rank. */
static int move(int is_write)
{
    hsize_t first[DIMS_MAX];
    for (int d = 0; d < memory.dims_count; d++)
        first[d] = disk.first[d] + memory.first[d];
    hid_t in_file = H5Dget_space(disk.dataset), in_memory = H5Screate_simple(memory.dims_count, memory.counts, NULL);
    if (memory.elements_count == 0) {
        H5Sselect_none(in_file);
        H5Sselect_none(in_memory);
    } else {
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first, NULL, memory.counts, NULL);
    }
    int code = result_of(
        is_write ? H5Dwrite(disk.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, disk.transfer, memory.elements)
                 : H5Dread(disk.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, disk.transfer, memory.elements));
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return code;
}

int engine_start_write(void)
{
    return move(1);
}

int engine_start_read(void)
{
    return move(0);
}

/* Nothing is asynchronous. */
int engine_probe(int *is_over)
{
    *is_over = 1;
    return 0;
}

/* The others may not be done yet. */
int engine_wait(void)
{
    return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : FAILED;
}
