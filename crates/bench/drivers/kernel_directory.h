/* All files below a directory as the kernel sees them, whatever library made them. */
#ifndef CHEMIO_BENCH_KERNEL_DIRECTORY_H
#define CHEMIO_BENCH_KERNEL_DIRECTORY_H

#include <stdint.h>

/* Returns when all of them, and the directories, are on disk. */
void kernel_directory_sync(const char *path);

/* How many bytes of them are in the page cache, in whole pages. */
int64_t kernel_directory_resident_bytes(const char *path);

/* How many bytes of the disk they occupy. */
int64_t kernel_directory_allocated_bytes(const char *path);

#endif
