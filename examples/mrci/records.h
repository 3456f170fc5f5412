/* Records of varying length, in a one-dimensional global array, in a shared file, or in the array until it is used up and then
 * in the file. A directory, which is a global array too, says where each record is. Whoever writes a record has to hold its
 * lock; the lock of a record that is only read is not needed. */
#ifndef MRCI_RECORDS_H
#define MRCI_RECORDS_H

#include <stddef.h>

#include "ga.h"
#include "options.h"
#include "space.h"

/* A record as the directory knows it. */
struct entry {
    long place, class, offset, bytes;
};

/* A transfer under way. */
struct transfer {
    enum place place;
    int record;
    int request;
    ga_nbhdl_t handle;
};

/* Collective: makes room for `count` records of at most `bytes_max` bytes, none of which is there yet. */
void records_begin(enum mode mode, int count, size_t bytes_max);
/* Collective: removes them, and the file. */
void records_end(void);

void records_lock(int record);
/* When everything that was finished before is seen by all. */
void records_unlock(int record);

/* Where a record is; place is NOWHERE if it was never written. */
struct entry records_find(int record);

/* Starts to read a record into `buffer`, which has room for `bytes_max` bytes. */
void records_start_read(int record, const struct entry *entry, void *buffer, struct transfer *transfer);

/* Starts to write a record of `bytes` bytes where it was (`before`) if there is room, and elsewhere if there is not. */
void records_start_write(int record, const struct entry *before, size_t bytes, void *buffer, struct transfer *transfer);

void records_finish(struct transfer *transfer);

/* How many records are where, and the bytes of all of them. Collective. */
struct census {
    int counts[PLACES];
    double packed_bytes;
};
struct census records_census(void);

#endif
