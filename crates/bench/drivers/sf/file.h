/* A file that all ranks of a job share; the rest is in engine.h. All four calls are collective. */
#ifndef CHEMIO_BENCH_SF_FILE_H
#define CHEMIO_BENCH_SF_FILE_H

#include <stdint.h>

/* Starts and ends what the library needs besides MPI. Called once, by all ranks. */
int engine_begin(void);
int engine_end(void);

/* Makes the file `path`, which ends with ".0", and opens it. It will grow to `bytes`, by requests of `request_bytes`. */
int engine_create(const char *path, int64_t bytes, int64_t request_bytes);
/* Closes the file; whether it still exists then is left to the library. */
int engine_destroy(void);

#endif
