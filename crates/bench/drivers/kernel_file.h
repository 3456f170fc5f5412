/* A file as the kernel sees it, whatever library made it. */
#ifndef CHEMIO_BENCH_KERNEL_FILE_H
#define CHEMIO_BENCH_KERNEL_FILE_H

#include <stdint.h>

/* Returns when the file is on disk. */
void kernel_file_sync(const char *path);

/* The part of its first `bytes` that is in the page cache, 0 to 1. */
double kernel_file_resident(const char *path, int64_t bytes);

#endif
