#define _GNU_SOURCE
#include "team.h"

#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ga.h"
#include "macdecls.h"

enum {
    RANKS_MAX = 64,
    LINE_BYTES_MAX = 128,
    WATCHDOG_SECONDS = 300, /* a command that takes longer hangs: the signal ends this rank, and mpirun the others */
    MA_WORDS = 1 << 23,
    PAGE_BYTES = 4096
};

/* A loop that lost more than this part of its time to other processes is repeated, until all lasted so many times as long as
 * one was meant to. */
static const double LOST_MAX = 0.03, REPEATS_MAX = 8;

/* A first call that lasts so many times as long needs no warming up. */
static const double LONG_CALL = 20;

struct team team;

static struct control {
    sem_t wake[RANKS_MAX];
    int over;
    char line[LINE_BYTES_MAX];
} *control;

/* ---- answers ---- */

void team_answer(const char *format, ...)
{
    va_list arguments;
    if (team.rank != 0)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

void team_answer_timing(const struct timing *timing)
{
    team_answer("{\"calls\": %" PRId64 ", \"seconds\": %.9f, \"lost\": %.4f}", timing->calls_count, timing->seconds,
                timing->lost);
}

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("{\"error\": \"rank %d: ", team.rank);
    vprintf(format, arguments);
    printf("\"}\n");
    va_end(arguments);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* ---- memory ---- */

static int open_shared(char *name, size_t bytes)
{
    int descriptor = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)bytes) != 0)
        fail("no shared memory of %zu bytes", bytes);
    return descriptor;
}

void *team_map_shared(size_t bytes)
{
    static int mappings_count;
    char name[64];
    snprintf(name, sizeof name, "/chemio-bench-%ld-%d", (long)getpid(), mappings_count++);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    int descriptor = open_shared(name, bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    MPI_Barrier(MPI_COMM_WORLD);
    if (team.rank == 0)
        shm_unlink(name);
    if (memory == MAP_FAILED)
        fail("cannot map shared memory of %zu bytes", bytes);
    return memory;
}

void *team_allocate(size_t bytes)
{
    size_t rounded = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    void *memory = aligned_alloc(PAGE_BYTES, rounded);
    if (!memory)
        fail("no memory for %zu bytes", bytes);
    memset(memory, 0, rounded);
    return memory;
}

void *team_allocate_off_page(size_t bytes)
{
    return (char *)team_allocate(bytes + PAGE_BYTES / 4) + PAGE_BYTES / 4;
}

/* ---- begin, end, commands ---- */

static void make_control(void)
{
    if (team.ranks_count > RANKS_MAX)
        fail("at most %d ranks", RANKS_MAX);
    control = team_map_shared(sizeof *control);
    for (int i = 0; team.rank == 0 && i < team.ranks_count; i++)
        if (sem_init(&control->wake[i], 1, 0) != 0)
            fail("no semaphore");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void take_arguments(int count, char **arguments)
{
    if (count != 3)
        fail("usage: driver BYTES_MAX SEED");
    team.bytes_max = strtoll(arguments[1], NULL, 10);
    team.seed = strtoull(arguments[2], NULL, 10);
    if (team.bytes_max < 64 || team.bytes_max % 64 != 0)
        fail("BYTES_MAX must be a multiple of 64");
}

void team_begin(int *count, char ***arguments)
{
    alarm(WATCHDOG_SECONDS);
    MPI_Init(count, arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team.ranks_count);
    take_arguments(*count, *arguments);
    GA_Initialize();
    if (!MA_init(C_DBL, MA_WORDS, MA_WORDS))
        fail("MA_init failed");
    if (GA_Nodeid() != team.rank || GA_Nnodes() != team.ranks_count)
        fail("Global Arrays counts the ranks in another way than MPI");
    make_control();
}

void team_end(void)
{
    GA_Terminate();
    MPI_Finalize();
}

static void wake_others(void)
{
    for (int i = 1; i < team.ranks_count; i++)
        sem_post(&control->wake[i]);
}

static void sleep_until_woken(void)
{
    while (sem_wait(&control->wake[team.rank]) != 0)
        ;
}

int team_next_command(char *line, size_t line_bytes)
{
    alarm(0);
    if (team.rank == 0) {
        control->over = fgets(control->line, LINE_BYTES_MAX, stdin) == NULL;
        wake_others();
    } else {
        sleep_until_woken();
    }
    alarm(WATCHDOG_SECONDS);
    int over = control->over;
    snprintf(line, line_bytes, "%s", control->line);
    MPI_Barrier(MPI_COMM_WORLD);
    return !over;
}

/* ---- time ---- */

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

struct timing team_time(void (*work)(int64_t), double seconds)
{
    return time_loops(loop_together, work, seconds);
}

struct timing team_time_alone(void (*work)(int64_t), double seconds)
{
    struct timing timing = {0, 0, 0, 0};
    if (team.rank == 0) {
        timing = time_loops(loop_alone, work, seconds);
        wake_others();
    } else {
        sleep_until_woken();
    }
    return timing;
}
