#define _GNU_SOURCE
#include "timing.h"

#include <inttypes.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include "ga.h"
#include "team.h"

/* A loop that lost more than this part of its time to other processes is repeated, until all lasted so many times as long as
 * one was meant to. */
static const double LOST_MAX = 0.03, REPEATS_MAX = 8;

/* A first call that lasts so many times as long needs no warming up. */
static const double LONG_CALL = 20;

/* What a loop took, the worst of the ranks. */
struct lap {
    double seconds, lost;
};

typedef struct lap loop_of(void (*work)(int64_t), int64_t calls_count);

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Neither MPI nor the work sleeps, so seconds without a processor went to others. */
static struct lap lap_since(double begin, double processor_begin)
{
    double seconds = MPI_Wtime() - begin;
    double lost = 1 - (processor_seconds() - processor_begin) / seconds;
    return (struct lap){seconds, lost > 0 ? lost : 0};
}

/* One loop on all ranks. GA_Sync waits until everybody's transfers have arrived. */
static struct lap loop_together(void (*work)(int64_t), int64_t calls_count)
{
    struct lap mine, worst;
    GA_Sync();
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), processor_begin = processor_seconds();
    work(calls_count);
    GA_Sync();
    mine = lap_since(begin, processor_begin);
    MPI_Allreduce(&mine, &worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static struct lap loop_alone(void (*work)(int64_t), int64_t calls_count)
{
    double begin = MPI_Wtime(), processor_begin = processor_seconds();
    work(calls_count);
    return lap_since(begin, processor_begin);
}

/* The calls that should last a little longer than `seconds`; short loops are not trusted to predict so far. */
static int64_t next_count(int64_t calls_count, double lasted, double seconds)
{
    double factor = lasted > 0 ? 1.1 * seconds / lasted : 16;
    double calls = (double)calls_count * (factor < 16 ? factor : 16);
    return calls > 1 ? (int64_t)calls + 1 : 1;
}

/* Ranks that share processors disturb one another. */
static int is_disturbed(struct lap lap)
{
    return lap.lost > LOST_MAX && team.ranks_count <= sysconf(_SC_NPROCESSORS_ONLN);
}

static struct timing time_loops(loop_of *loop, void (*work)(int64_t), double seconds)
{
    struct lap lap = loop(work, 1);
    int64_t count = 1, so_far = 1;
    double long_enough_seconds = 0;
    int is_long_enough;
    if (lap.seconds >= LONG_CALL * seconds)
        return (struct timing){lap.seconds, count, so_far, lap.lost};
    do {
        count = next_count(count, lap.seconds, seconds);
        lap = loop(work, count);
        so_far += count;
        is_long_enough = lap.seconds >= 0.8 * seconds;
        long_enough_seconds += is_long_enough ? lap.seconds : 0;
    } while (!is_long_enough || (is_disturbed(lap) && long_enough_seconds < REPEATS_MAX * seconds));
    return (struct timing){lap.seconds, count, so_far, lap.lost};
}

struct timing time_together(void (*work)(int64_t), double seconds)
{
    return time_loops(loop_together, work, seconds);
}

struct timing time_alone(void (*work)(int64_t), double seconds)
{
    struct timing timing = {0, 0, 0, 0};
    if (team.rank == 0) {
        timing = time_loops(loop_alone, work, seconds);
        team_wake_others();
    } else {
        team_sleep_until_woken();
    }
    return timing;
}

void answer_timing(const struct timing *timing)
{
    team_answer("{\"calls\": %" PRId64 ", \"seconds\": %.9f, \"lost\": %.4f}", timing->calls_count, timing->seconds,
                timing->lost);
}
