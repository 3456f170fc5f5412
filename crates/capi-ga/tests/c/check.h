/* The smallest harness for programs of several ranks: a test is a function named by a sentence, a failed check prints
 * rank, place and what is not so, and all ranks end with the same code.
 *
 * The programs also run with the Global Arrays package, which is how their expectations were found to be right. What
 * that package gets wrong is left out with -DGA_PACKAGE. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ga.h"
#include "macdecls.h"

static int check_failures, me, ranks;

#define CHECK(condition)                                                                                        \
    do {                                                                                                        \
        if (!(condition)) {                                                                                     \
            fprintf(stderr, "rank %d: %s:%d: %s: not so: %s\n", me, __FILE__, __LINE__, __func__, #condition);  \
            check_failures++;                                                                                   \
        }                                                                                                       \
    } while (0)

#define CHECK_EQUAL(found, expected)                                                                            \
    do {                                                                                                        \
        double check_found = (double)(found), check_expected = (double)(expected);                              \
        if (check_found != check_expected) {                                                                    \
            fprintf(stderr, "rank %d: %s:%d: %s: %s is %.17g, expected %.17g\n", me, __FILE__, __LINE__,        \
                    __func__, #found, check_found, check_expected);                                             \
            check_failures++;                                                                                   \
        }                                                                                                       \
    } while (0)

/* Collective: every rank learns whether any has failed. */
static int failed_anywhere(void)
{
    int all;
    MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

#define RUN(test)                                                                                               \
    do {                                                                                                        \
        int check_before = failed_anywhere(), check_after;                                                      \
        test();                                                                                                 \
        check_after = failed_anywhere();                                                                        \
        if (me == 0) printf("%s %s\n", check_after == check_before ? "ok    " : "FAILED", #test);               \
        fflush(stdout);                                                                                         \
    } while (0)

/* Starts MPI, GA and, as the package needs for its own buffers, MA. */
static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    GA_Initialize();
    CHECK(MA_init(C_DBL, 500000, 500000));
    me = GA_Nodeid();
    ranks = GA_Nnodes();
}

/* Ends all of them; the code to leave main with. */
static inline int end(void)
{
    int failures = failed_anywhere();
    GA_Terminate();
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}

#endif
