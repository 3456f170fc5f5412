/* What a library under measurement has to offer to walk.c: one open file, addressed by byte offset. How it is opened is the
 * suite's affair (eaf/file.h, sf/file.h). Every function returns 0 when it succeeded; engine_explain then needs not be
 * called. */
#ifndef CHEMIO_BENCH_ENGINE_H
#define CHEMIO_BENCH_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/* The most requests that are in flight at a time. */
enum { ENGINE_SLOTS_MAX = 64 };

/* Blocking transfers. */
int engine_write(int64_t offset_bytes, const void *buffer, int64_t chunk_bytes);
int engine_read(int64_t offset_bytes, void *buffer, int64_t chunk_bytes);

/* Asynchronous transfers: the buffer belongs to the request of `slot` until engine_wait(slot) has returned. */
int engine_start_write(int slot, int64_t offset_bytes, const void *buffer, int64_t chunk_bytes);
int engine_start_read(int slot, int64_t offset_bytes, void *buffer, int64_t chunk_bytes);
int engine_wait(int slot);

/* Puts the meaning of a failing function's result into `text`. */
void engine_explain(int code, char *text, size_t text_bytes);

#endif
