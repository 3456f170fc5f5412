/* What the programs for disk-resident arrays have in common: the harness of the programs for arrays, a scratch directory, arrays
 * in memory with known elements, and transfers that are waited for at once. */
#ifndef DISK_H
#define DISK_H

#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "dra.h"

#define INITIALISE DRA_Init(100, 1e9, 1e10, 8e6)

static char scratch[4096], name_room[4][5000];

/* A name in the scratch directory; four of them are valid at a time. */
static inline char *in_scratch(const char *name)
{
    static int next;
    char *room = name_room[next++ % 4];
    snprintf(room, sizeof name_room[0], "%s/%s", scratch, name);
    return room;
}

static inline int is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* The element of a double array at a place, counted in row-major order. */
static inline double element(int seed, long place)
{
    return seed * 1e6 + (double)place;
}

static inline long product(int ndim, const int dims[])
{
    long count = 1;
    int d;
    for (d = 0; d < ndim; d++) count *= dims[d];
    return count;
}

static inline void put_all(int g_a, int ndim, int dims[], void *elements)
{
    int lo[GA_MAX_DIM] = {0}, hi[GA_MAX_DIM], d;
    for (d = 0; d < ndim; d++) hi[d] = dims[d] - 1;
    if (me == 0) NGA_Put(g_a, lo, hi, elements, dims + 1);
    GA_Sync();
}

static inline void get_all(int g_a, int ndim, int dims[], void *elements)
{
    int lo[GA_MAX_DIM] = {0}, hi[GA_MAX_DIM], d;
    for (d = 0; d < ndim; d++) hi[d] = dims[d] - 1;
    NGA_Get(g_a, lo, hi, elements, dims + 1);
    GA_Sync();
}

/* A new array in memory, with the elements of a seed; zeros for seed 0. */
static inline int in_memory(int ndim, int dims[], int seed)
{
    int g_a = NGA_Create(C_DBL, ndim, dims, (char *)"memory", NULL);
    long count = product(ndim, dims), i;
    double *elements = malloc((size_t)count * sizeof *elements);
    CHECK(g_a != 0);
    for (i = 0; i < count; i++) elements[i] = seed == 0 ? 0.0 : element(seed, i);
    put_all(g_a, ndim, dims, elements);
    free(elements);
    return g_a;
}

/* Elements that are not those of a seed. */
static inline long wrong_elements(int g_a, int ndim, int dims[], int seed)
{
    long count = product(ndim, dims), wrong = 0, i;
    double *elements = malloc((size_t)count * sizeof *elements);
    get_all(g_a, ndim, dims, elements);
    for (i = 0; i < count; i++) wrong += elements[i] != element(seed, i);
    free(elements);
    return wrong;
}

/* A new array on disk of doubles. */
static inline int on_disk(const char *name, int ndim, const int dims[])
{
    dra_size_t extents[GA_MAX_DIM], unknown[GA_MAX_DIM];
    int d_a = 77, d;
    for (d = 0; d < ndim; d++) {
        extents[d] = dims[d];
        unknown[d] = -1;
    }
    CHECK_EQUAL(NDRA_Create(C_DBL, ndim, extents, (char *)"on disk", in_scratch(name), DRA_RW, unknown, &d_a), 0);
    return d_a;
}

/* The first error of a call and of the wait for it. */
static inline int write_now(int g_a, int d_a)
{
    int request = 99, code = NDRA_Write(g_a, d_a, &request);
    return code != 0 ? code : DRA_Wait(request);
}

static inline int read_now(int g_a, int d_a)
{
    int request = 99, code = NDRA_Read(g_a, d_a, &request);
    return code != 0 ? code : DRA_Wait(request);
}

#endif
