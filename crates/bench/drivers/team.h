/* The ranks of one job: they sleep until a command comes, begin together, and agree on what a measurement is. */
#ifndef CHEMIO_BENCH_TEAM_H
#define CHEMIO_BENCH_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include "fail.h"

extern struct team {
    int rank, ranks_count; /* set by team_begin */
    uint64_t seed;         /* of all data; set by the driver */
    int64_t bytes_max;     /* the largest piece that will be asked for; set by the driver, if it needs it */
} team;

/* Starts and ends MPI. */
void team_begin(int *count, char ***arguments);
void team_end(void);

/* Answers what MPI this is: {"mpi": "..."}. */
void team_answer_hello(void);

/* The next command line, the same on every rank; 0 at the end of the commands. While there is none the ranks are asleep
 * in the kernel, not in MPI, which would keep their processors busy: several jobs take turns on the same processors. */
int team_next_command(char *line, size_t line_bytes);

/* For work that rank 0 does alone: the others sleep in the kernel until it wakes them. */
void team_wake_others(void);
void team_sleep_until_woken(void);

/* Prints the answer on the rank that talks. */
void team_answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Collective: memory that all ranks share, zeroed. */
void *team_map_shared(size_t bytes);

/* Memory of this rank, aligned to pages and touched. */
void *team_allocate(size_t bytes);

/* The same, a quarter of a page off: where source and target of a copy lie at the same place in their pages it takes up to ten
 * times as long on some processors, and which library would meet that is chance. Blocks begin with a page, and patches at
 * their begin or half a page later. */
void *team_allocate_off_page(size_t bytes);

#endif
