#define _GNU_SOURCE
#include "kernel_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

enum { DESCRIPTORS_MAX = 16, PAGE_BYTES = 4096, BLOCK_BYTES = 512 /* the unit of st_blocks */ };

typedef int visit_of(const char *path, const struct stat *status, int type, struct FTW *place);

static void walk(const char *path, visit_of *visit)
{
    if (nftw(path, visit, DESCRIPTORS_MAX, FTW_PHYS) != 0)
        fail("cannot walk through %s: %s", path, strerror(errno));
}

static int sync_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)place;
    if (type != FTW_F && type != FTW_D)
        return 0;
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0 || fsync(descriptor) != 0 || close(descriptor) != 0)
        fail("fsync of %s: %s", path, strerror(errno));
    return 0;
}

void kernel_directory_sync(const char *path)
{
    walk(path, sync_one);
}

static int64_t resident_bytes; /* of the files visited so far */

static void add_resident(void *mapping, size_t bytes)
{
    size_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    unsigned char *flags = malloc(pages);
    if (!flags || mincore(mapping, bytes, flags) != 0)
        fail("mincore: %s", strerror(errno));
    for (size_t i = 0; i < pages; i++)
        resident_bytes += (flags[i] & 1) * PAGE_BYTES;
    free(flags);
}

static int look_at_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)place;
    size_t bytes = (size_t)status->st_size;
    if (type != FTW_F || bytes == 0)
        return 0;
    int descriptor = open(path, O_RDONLY);
    void *mapping = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (descriptor < 0 || mapping == MAP_FAILED)
        fail("cannot map %s: %s", path, strerror(errno));
    add_resident(mapping, bytes);
    munmap(mapping, bytes);
    close(descriptor);
    return 0;
}

int64_t kernel_directory_resident_bytes(const char *path)
{
    resident_bytes = 0;
    walk(path, look_at_one);
    return resident_bytes;
}

static int64_t allocated_bytes; /* by the files visited so far */

static int add_allocated(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)path, (void)place;
    if (type == FTW_F)
        allocated_bytes += (int64_t)status->st_blocks * BLOCK_BYTES;
    return 0;
}

int64_t kernel_directory_allocated_bytes(const char *path)
{
    allocated_bytes = 0;
    walk(path, add_allocated);
    return allocated_bytes;
}
