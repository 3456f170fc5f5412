/* How long a call takes on the ranks of a job. */
#ifndef CHEMIO_BENCH_TIMING_H
#define CHEMIO_BENCH_TIMING_H

#include <stdint.h>

/* A measurement. */
struct timing {
    double seconds;       /* of the slowest rank, from a common begin until all are done */
    int64_t calls_count;  /* each rank's, in these seconds */
    int64_t calls_so_far; /* each rank's, warming up included */
    double lost;          /* the part of the seconds that some rank had no processor, 0 to 1 */
};

/* Collective: times loops of `work`, longer and longer ones until one lasts about `seconds`; that one counts, or a first
 * call that lasts much longer. If other processes took processors from it, it is repeated a few times, until one is
 * undisturbed. */
struct timing time_together(void (*work)(int64_t calls_count), double seconds);

/* Collective: the same on rank 0 alone, while the others sleep in the kernel. Only rank 0 gets the result. */
struct timing time_alone(void (*work)(int64_t calls_count), double seconds);

/* Prints a measurement as the answer. */
void answer_timing(const struct timing *timing);

#endif
