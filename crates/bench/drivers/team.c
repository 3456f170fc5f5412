#define _GNU_SOURCE
#include "team.h"

#include <fcntl.h>
#include <mpi.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RANKS_MAX = 64,
    LINE_BYTES_MAX = 128,
    WATCHDOG_SECONDS = 300, /* a command that takes longer hangs: the signal ends this rank, and mpirun the others */
    PAGE_BYTES = 4096
};

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

void team_begin(int *count, char ***arguments)
{
    alarm(WATCHDOG_SECONDS);
    MPI_Init(count, arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team.ranks_count);
    make_control();
}

void team_end(void)
{
    MPI_Finalize();
}

void team_answer_hello(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n\"\\")] = '\0';
    for (char *tabulator = version; (tabulator = strchr(tabulator, '\t'));)
        *tabulator = ' ';
    team_answer("{\"mpi\": \"%s\"}", version);
}

void team_wake_others(void)
{
    for (int i = 1; i < team.ranks_count; i++)
        sem_post(&control->wake[i]);
}

void team_sleep_until_woken(void)
{
    while (sem_wait(&control->wake[team.rank]) != 0)
        ;
}

int team_next_command(char *line, size_t line_bytes)
{
    alarm(0);
    if (team.rank == 0) {
        control->over = fgets(control->line, LINE_BYTES_MAX, stdin) == NULL;
        team_wake_others();
    } else {
        team_sleep_until_woken();
    }
    alarm(WATCHDOG_SECONDS);
    int over = control->over;
    snprintf(line, line_bytes, "%s", control->line);
    MPI_Barrier(MPI_COMM_WORLD);
    return !over;
}
