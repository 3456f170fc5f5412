/* The access pattern of a multi-reference CI program on compressed vectors: README.md says what it shows.
 *
 *     mpirun -n 2 ./mrci --help
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "accumulate.h"
#include "fail.h"
#include "ga.h"
#include "macdecls.h"
#include "options.h"
#include "packing.h"
#include "records.h"

enum { MA_WORDS = 1 << 17, REPEAT_MAX = 1000 };

static int is_first; /* the rank that prints */

/* What the passes of one mode gave. */
static struct rates {
    double segments[REPEAT_MAX]; /* MB/s of each rank, of unpacked segments */
    int count;
} rates[MODES];

/* ---- one pass ---- */

static double seconds_of_slowest(double seconds)
{
    GA_Dgop(&seconds, 1, (char *)"max");
    return seconds;
}

static struct work of_all_ranks(struct work work)
{
    double both[2] = {work.segment_bytes, work.packed_bytes};
    GA_Dgop(both, 2, (char *)"+");
    return (struct work){both[0], both[1]};
}

static void print_pass(enum mode mode, int pass, double seconds, struct work work, struct census census, double dot, int wrong)
{
    double rank_seconds = 1e6 * seconds * GA_Nnodes();
    printf("%-9s %4d %9.3f %10.1f %10.1f %8d %8d %10.1f  %.0f  %s\n", mode_names[mode], pass, seconds,
           work.segment_bytes / rank_seconds, work.packed_bytes / rank_seconds, census.counts[IN_MEMORY], census.counts[ON_DISK],
           census.packed_bytes / 1e6, dot, wrong ? "WRONG" : "right");
    fflush(stdout);
}

/* Stores the expansion vector, accumulates the product, compares. The number of wrong segments. */
static int run_pass(enum mode mode, int pass)
{
    double dot, begin, seconds;
    records_begin(mode, 2 * options.segments, packing_bytes_max());
    store_expansion();
    begin = MPI_Wtime();
    struct work work = accumulate_product();
    seconds = seconds_of_slowest(MPI_Wtime() - begin);
    work = of_all_ranks(work);
    struct census census = records_census();
    if (options.spoil >= 0)
        spoil(options.spoil);
    int wrong = count_wrong_segments(&dot);
    rates[mode].segments[rates[mode].count++] = work.segment_bytes / (1e6 * seconds * GA_Nnodes());
    if (is_first)
        print_pass(mode, pass, seconds, work, census, dot, wrong);
    records_end();
    return wrong;
}

/* ---- all of them ---- */

static void print_head(void)
{
    printf("%d ranks; %d segments of %d doubles, %.1f MB a vector; %d couplings a segment; zstd level %d\n\n", GA_Nnodes(),
           options.segments, options.elements, 8e-6 * options.segments * options.elements, options.couplings, options.level);
    printf("%-9s %4s %9s %10s %10s %8s %8s %10s  %s\n", "mode", "pass", "seconds", "MB/s/rank", "packed", "memory", "disk",
           "packed MB", "c.Hc, check");
}

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static struct spread {
    double lowest, median, highest;
} spread_of(const struct rates *all)
{
    struct rates sorted = *all;
    double *values = sorted.segments;
    qsort(values, (size_t)sorted.count, sizeof *values, compare);
    return (struct spread){values[0], (values[(sorted.count - 1) / 2] + values[sorted.count / 2]) / 2, values[sorted.count - 1]};
}

/* Of each pass by itself: what the machine does otherwise meets both of its halves. */
static struct spread disk_to_memory(void)
{
    struct rates ratios = {.count = rates[DISK].count};
    for (int pass = 0; pass < ratios.count; pass++)
        ratios.segments[pass] = rates[DISK].segments[pass] / rates[MEMORY].segments[pass];
    return spread_of(&ratios);
}

static void print_summary(void)
{
    printf("\nmedian MB/s a rank of %d passes, %d ranks:", options.repeat, GA_Nnodes());
    for (enum mode mode = 0; mode < MODES; mode++)
        if (options.is_wanted[mode])
            printf("  %s %.1f", mode_names[mode], spread_of(&rates[mode]).median);
    printf("\n");
    if (options.is_wanted[MEMORY] && options.is_wanted[DISK]) {
        struct spread ratio = disk_to_memory();
        printf("disk:memory %.2f, median of %d passes, from %.2f to %.2f; in the paper 0.67\n", ratio.median, options.repeat,
               ratio.lowest, ratio.highest);
    }
}

/* Modes alternate, so that a machine that drifts hits all alike. */
static int run_all(void)
{
    int wrong = 0;
    for (int pass = 1; pass <= options.repeat; pass++)
        for (enum mode mode = 0; mode < MODES; mode++)
            if (options.is_wanted[mode])
                wrong += run_pass(mode, pass);
    return wrong;
}

static int calculate(void)
{
    packing_begin();
    accumulate_begin();
    if (is_first)
        print_head();
    int wrong = run_all();
    if (is_first)
        print_summary();
    accumulate_end();
    packing_end();
    if (wrong && is_first)
        fprintf(stderr, "mrci: error: %d segments are wrong\n", wrong);
    return wrong != 0;
}

int main(int count, char **words)
{
    int rank, status;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_first = rank == 0;
    if (!options_read(count, words, is_first, &status)) {
        GA_Initialize();
        if (!MA_init(C_DBL, MA_WORDS, MA_WORDS))
            fail_together("MA_init failed");
        status = calculate();
        GA_Terminate();
    }
    MPI_Finalize();
    return status;
}
