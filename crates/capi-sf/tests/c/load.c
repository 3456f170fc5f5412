/* A thousand shared files at once, with a request under way on each, and several threads on one file. The argument is a
 * scratch directory, which all ranks share and which is empty. */
#include <pthread.h>
#include <sys/resource.h>

#include "files.h"

enum { FILES = 1000, LEN = 500, THREADS = 4, ROUNDS = 200, PIECE = 3000 };

static int handle[FILES], list[FILES];
static char memory[FILES][LEN], found[FILES][LEN];

/* More files than the soft limit on open files lets a process have. */
static void low_limit(void)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 100;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void many_files_are_open_at_once(void)
{
    char name[50];
    int i;
    for (i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "file%d", i % 10);
        handle[i] = create(name, -1.0, -1.0, LEN);
        CHECK_EQUAL(handle[i], i - 3000);
    }
    for (i = 0; i < FILES; i++) {
        memset(memory[i], 1 + (i + me) % 100, LEN);
        CHECK_EQUAL(SF_Write(handle[i], (double)me * LEN, LEN, memory[i], &list[i]), 0);
    }
    CHECK_EQUAL(SF_Waitall(list, FILES), 0);
    GA_Sync();
    for (i = 0; i < FILES; i++) {
        CHECK_EQUAL(SF_Read(handle[i], (double)((me + 1) % ranks) * LEN, LEN, found[i], &list[i]), 0);
    }
    CHECK_EQUAL(SF_Waitall(list, FILES), 0);
    for (i = 0; i < FILES; i++) {
        CHECK(found[i][0] == 1 + (i + (me + 1) % ranks) % 100 && found[i][LEN - 1] == found[i][0]);
    }
    GA_Sync();
}

/* From the middle outward, so that handles are free in an order of their own. */
static void handles_are_used_again_from_the_lowest(void)
{
    int i;
    for (i = 0; i < FILES; i++) {
        int at = i % 2 ? FILES / 2 + i / 2 : FILES / 2 - 1 - i / 2;
        CHECK_EQUAL(SF_Destroy(handle[at]), 0);
    }
    for (i = 0; i < 3; i++) CHECK_EQUAL(handle[i] = create("again", UNKNOWN), i - 3000);
    for (i = 0; i < 3; i++) CHECK_EQUAL(SF_Destroy(handle[i]), 0);
}

static int shared_by_threads;

/* Writes and reads its own pieces, and opens the file again and again. Gives the number of what was not so. */
static void *use_from_a_thread(void *number)
{
    double begin = ((double)me * THREADS + *(int *)number) * ROUNDS * PIECE;
    char piece[PIECE], back[PIECE];
    size_t wrong = 0;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        memset(piece, round + *(int *)number, PIECE);
        memset(back, '?', PIECE);
        wrong += SF_Open(shared_by_threads) != 0;
        wrong += write_now(shared_by_threads, begin + (double)round * PIECE, PIECE, piece) != 0;
        wrong += read_now(shared_by_threads, begin + (double)round * PIECE, PIECE, back) != 0;
        wrong += memcmp(piece, back, PIECE) != 0;
    }
    return (void *)wrong;
}

static void threads_use_a_file_at_the_same_time(void)
{
    pthread_t thread[THREADS];
    int number[THREADS], i;
    void *wrong;
    shared_by_threads = create("threads", UNKNOWN);
    for (i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&thread[i], NULL, use_from_a_thread, &number[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_join(thread[i], &wrong) == 0);
        CHECK(wrong == NULL);
    }
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(shared_by_threads), 0);
}

/* The file or the code that a thread gets that may not call MPI. */
static void *create_from_a_thread(void *unused)
{
    static int code, handle = 77;
    (void)unused;
    code = SF_Create(in_scratch("elsewhere"), UNKNOWN, &handle);
    return code == 0 ? &handle : &code;
}

static void a_thread_that_may_not_call_mpi_is_told(void)
{
    char message[200];
    pthread_t thread;
    void *got;
    int level;
    MPI_Query_thread(&level);
    CHECK(pthread_create(&thread, NULL, create_from_a_thread, NULL) == 0);
    CHECK(pthread_join(thread, &got) == 0);
    if (level >= MPI_THREAD_SERIALIZED) {
        CHECK_EQUAL(*(int *)got, -3000);
        CHECK_EQUAL(SF_Destroy(-3000), 0);
    } else {
        CHECK_EQUAL(*(int *)got, SF_FAIL);
        SF_Errmsg_full(SF_FAIL, message, sizeof message);
        CHECK(strstr(message, "MPI was initialised for calls from the main thread only") != NULL);
        CHECK(!is_there(in_scratch("elsewhere.0")));
    }
}

int main(int argc, char **argv)
{
    low_limit();
    begin(&argc, &argv);
    if (argc < 2) GA_Error("expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[1]);
    RUN(many_files_are_open_at_once);
    RUN(handles_are_used_again_from_the_lowest);
    RUN(threads_use_a_file_at_the_same_time);
    RUN(a_thread_that_may_not_call_mpi_is_told);
    return end();
}
