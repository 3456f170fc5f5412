/* The ranks of one job: they sleep until a command comes, begin together, and agree on what a measurement is. */
#ifndef CHEMIO_BENCH_TEAM_H
#define CHEMIO_BENCH_TEAM_H

#include <stddef.h>
#include <stdint.h>

/* Set by team_begin. */
extern struct team {
    int rank, ranks_count;
    uint64_t seed;     /* of all data */
    int64_t bytes_max; /* the largest patch that will be asked for */
} team;

/* Starts MPI, Global Arrays and MA. Arguments: BYTES_MAX SEED. */
void team_begin(int *count, char ***arguments);
void team_end(void);

/* The next command line, the same on every rank; 0 at the end of the commands. While there is none the ranks are asleep
 * in the kernel, not in MPI, which would keep their processors busy: several jobs take turns on the same processors. */
int team_next_command(char *line, size_t line_bytes);

/* A measurement. */
struct timing {
    double seconds;       /* of the slowest rank, from a common begin until all are done */
    int64_t calls_count;  /* each rank's, in these seconds */
    int64_t calls_so_far; /* each rank's, warming up included */
    double lost;          /* the part of the seconds that some rank had no processor, 0 to 1 */
};

/* Prints the answer on the rank that talks: a measurement, or whatever `format` says. */
void team_answer_timing(const struct timing *timing);
void team_answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints an error as the answer and ends all ranks. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Collective: times loops of `work`, longer and longer ones until one lasts about `seconds`; that one counts, or a first
 * call that lasts much longer. If other processes took processors from it, it is repeated a few times, until one is
 * undisturbed. */
struct timing team_time(void (*work)(int64_t calls_count), double seconds);

/* Collective: the same on rank 0 alone, while the others sleep in the kernel. Only rank 0 gets the result. */
struct timing team_time_alone(void (*work)(int64_t calls_count), double seconds);

/* Collective: memory that all ranks share, zeroed. */
void *team_map_shared(size_t bytes);

/* Memory of this rank, aligned to pages and touched. */
void *team_allocate(size_t bytes);

/* The same, a quarter of a page off: where source and target of a copy lie at the same place in their pages it takes up to ten
 * times as long on some processors, and which library would meet that is chance. Blocks begin with a page, and patches at
 * their begin or half a page later. */
void *team_allocate_off_page(size_t bytes);

#endif
