/* The command line. */
#ifndef MRCI_OPTIONS_H
#define MRCI_OPTIONS_H

#include <stdint.h>

/* Where records may be. */
enum mode { MEMORY, DISK, OVERFLOW, MODES };

extern const char *const mode_names[MODES];

extern struct options {
    int segments;          /* of each vector */
    int elements;          /* of a segment, doubles */
    int couplings;         /* other segments that contribute to a segment */
    int level;             /* of zstd */
    int repeat;            /* how often each mode is timed */
    int is_wanted[MODES];
    double memory_mb;      /* of the global array in mode overflow; 0: about half of what the records need */
    double disk_mb;        /* the most that the shared file may grow to; -1: no limit */
    const char *scratch;   /* directory of the shared file */
    uint64_t seed;
    int spoil;             /* a segment that is changed behind the program's back, -1: none */
} options;

/* Reads the command line. 0: go on; otherwise the program ends with the status `*status`, and what there was to say was said by
 * the rank that `speaks`. */
int options_read(int count, char **words, int speaks, int *status);

#endif
