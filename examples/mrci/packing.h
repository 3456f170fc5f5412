/* Segments to compressed bytes and back. */
#ifndef MRCI_PACKING_H
#define MRCI_PACKING_H

#include <stddef.h>

void packing_begin(void);
void packing_end(void);

/* The bytes that a packed segment takes at most. */
size_t packing_bytes_max(void);

/* Packs a segment; returns the bytes it took. */
size_t pack(const double *segment, void *packed);

/* Unpacks exactly one segment from `bytes` bytes; fails if they are not that, or were damaged. `what` names them in the
 * error. */
void unpack(const void *packed, size_t bytes, double *segment, const char *what, int number);

#endif
