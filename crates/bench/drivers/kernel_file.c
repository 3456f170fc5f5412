#define _GNU_SOURCE
#include "kernel_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"

void kernel_file_sync(const char *path)
{
    int descriptor = open(path, O_RDWR);
    if (descriptor < 0 || fsync(descriptor) != 0 || close(descriptor) != 0)
        fail("fsync of %s failed", path);
}

static double resident_of_mapping(void *mapping, size_t bytes)
{
    size_t pages = (bytes + 4095) / 4096, resident = 0;
    unsigned char *flags = malloc(pages);
    if (!flags || mincore(mapping, bytes, flags) != 0)
        fail("mincore failed");
    for (size_t i = 0; i < pages; i++)
        resident += flags[i] & 1;
    free(flags);
    return (double)resident / (double)pages;
}

double kernel_file_resident(const char *path, int64_t bytes)
{
    int descriptor = open(path, O_RDONLY);
    void *mapping = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (descriptor < 0 || mapping == MAP_FAILED)
        fail("cannot map %s", path);
    double part = resident_of_mapping(mapping, (size_t)bytes);
    munmap(mapping, (size_t)bytes);
    close(descriptor);
    return part;
}
