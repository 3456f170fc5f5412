/* Who occupies what of the global array and of the shared file. Both are handed out in pieces of 4 KiB times a power of two; what is
 * given back serves later requests for pieces of the same size. The books are kept in a global array, under a mutex each. */
#ifndef MRCI_SPACE_H
#define MRCI_SPACE_H

#include <stddef.h>

/* Where a piece is. */
enum place { NOWHERE = -1, IN_MEMORY, ON_DISK, PLACES };

/* Collective. `bytes_max` of each place; -1: no limit. The mutexes are number `first_mutex` and the next; at most
 * `records` pieces are occupied at a time. */
void space_begin(const double bytes_max[PLACES], int records, int first_mutex);
void space_end(void);

/* The sizes there are: a piece of class k has 4 KiB << k. */
int space_class_of(size_t bytes);
size_t space_bytes_of(int class);

/* Takes a piece; its offset, or -1 where the place is used up. */
long space_take(enum place place, int class);

/* Gives one back. */
void space_give(enum place place, int class, long offset);

#endif
