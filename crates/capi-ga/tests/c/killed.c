/* A process is killed while others wait for what it holds: the job has to end, by its launcher.
 * Arguments: what it holds, and a file that does not exist yet, by which the others learn that it holds it. */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static const char *held;

/* Tells the others, gives them a while to come, and dies as if killed from outside. Safe in a handler of signals. */
static void die(int signal)
{
    (void)signal;
    close(open(held, O_CREAT | O_WRONLY, 0600));
    sleep(1);
    raise(SIGKILL);
}

static void wait_until_it_is_held(void)
{
    while (access(held, F_OK) != 0) usleep(1000);
    fprintf(stderr, "about to\n");
}

/* The second page of what is accumulated cannot be read: the process dies in the middle of an addition. */
static void accumulate(void)
{
    int length[1] = {PAGE / 4}, lo[1] = {0}, hi[1], ld[1] = {0}, g;
    double *numbers = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), one = 1;
    hi[0] = length[0] - 1;
    /* In one block, so in the memory that one lock guards. */
    g = NGA_Create(C_DBL, 1, length, "contended", length);
    if (me == 1) {
        signal(SIGSEGV, die);
        mprotect((char *)numbers + PAGE, PAGE, PROT_NONE);
    } else {
        wait_until_it_is_held();
    }
    NGA_Acc(g, lo, hi, numbers, ld, &one);
}

static void lock(void)
{
    GA_Create_mutexes(1);
    if (me != 1) wait_until_it_is_held();
    GA_Lock(0);
    if (me == 1) die(0);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3 || ranks < 2) return 2;
    held = argv[2];
    if (strcmp(argv[1], "accumulate") == 0) accumulate();
    if (strcmp(argv[1], "mutex") == 0) lock();
    fprintf(stderr, "survived\n");
    return end();
}
