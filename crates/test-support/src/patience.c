/* Loaded before MPICH's libraries, for tests whose ranks share processors or sit on two hosts. It changes how a rank of
 * MPICH over UCX waits, and nothing else:
 *
 * - MPICH polls without ever giving the processor away, so a rank that waits keeps it from the rank it waits for until the
 *   scheduler's tick: measured on 2 processors, a barrier of 4 ranks took 20 ms, of 7 ranks 34 ms. With a sleep after many
 *   fruitless rounds of polling both take less than 0.2 ms. (Yielding does not help: 4 ms.)
 * - MPI_Finalize of MPICH 4.0.2 first closes a rank's connections, which needs the other ranks to poll, and then waits for them
 *   in its process manager, where it does not poll. Over TCP every second job of 4 ranks on 2 processors hung there, with
 *   whatever settings of UCX; with polling in that wait none did.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The worker that MPICH polls; it has one. Null before the first time and after the last. */
static void *polled_worker;

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*polls)(void *);
    static unsigned fruitless_count;
    const struct timespec one_microsecond = {0, 1000};
    unsigned events_count;

    if (!polls)
        *(void **)&polls = next("ucp_worker_progress");
    polled_worker = worker;
    events_count = polls(worker);
    if (events_count)
        fruitless_count = 0;
    else if (++fruitless_count > 20)
        nanosleep(&one_microsecond, 0);
    return events_count;
}

void ucp_worker_destroy(void *worker)
{
    void (*destroys)(void *);

    *(void **)&destroys = next("ucp_worker_destroy");
    polled_worker = 0;
    destroys(worker);
}

/* The connection to the process manager, or -1. */
static int manager(void)
{
    const char *text = getenv("PMI_FD");

    return text ? atoi(text) : -1;
}

ssize_t read(int file, void *data, size_t len_bytes)
{
    static int manager_file = -2;
    struct pollfd wanted = {file, POLLIN, 0};

    if (manager_file == -2)
        manager_file = manager();
    if (file == manager_file)
        while (polled_worker && poll(&wanted, 1, 1) == 0)
            ucp_worker_progress(polled_worker);
    return syscall(SYS_read, file, data, len_bytes);
}
