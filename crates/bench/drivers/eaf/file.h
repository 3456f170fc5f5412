/* A private file of one process; the rest is in engine.h. */
#ifndef CHEMIO_BENCH_EAF_FILE_H
#define CHEMIO_BENCH_EAF_FILE_H

#include <stdint.h>

/* Opens `path`; with `create` it is made anew and written, otherwise it exists and is read.
 * Every transfer is `chunk_bytes` long and begins at a multiple of it. */
int engine_open(const char *path, int create, int64_t chunk_bytes);
int engine_close(void);

#endif
