/* A plain copy of all files of one directory to another one, by one process, without MPI: what a conversion is held against.
 *
 *   plain DIRECTORY
 *     DIRECTORY  holds source/ and target/; whoever started it empties the target
 *
 * Commands come on standard input, answers are JSON, a line each:
 *
 *   copy buffered  reads and writes through the page cache, 1 MiB at a time, and syncs each file  {"seconds": until all is on disk}
 *   copy direct    eight threads, each by direct transfers of 1 MiB in a huge page, to a file whose blocks were allocated before; and
 *                  syncs
 *
 * After an error the answer is {"error": "..."} and the program ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "kernel_directory.h"

enum { PATH_BYTES_MAX = 1024, DESCRIPTORS_MAX = 16, THREADS_COUNT = 8, PAGE_BYTES = 4096 };
static const size_t BUFFERED_BYTES = 1 << 20, DIRECT_BYTES = 1 << 20, HUGE_PAGE_BYTES = 2 << 20;

static struct {
    char source[PATH_BYTES_MAX], target[PATH_BYTES_MAX];
    int is_direct;
} job;

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("{\"error\": \"");
    vprintf(format, arguments);
    printf("\"}\n");
    va_end(arguments);
    fflush(stdout);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- one file ---- */

struct copy {
    int from, to;
    size_t bytes;
    atomic_size_t next; /* the first byte that no thread has taken */
};

/* Contiguous for the device, too, where the system has huge pages: in small ones a virtual disk is half as fast or less. */
static void *allocate(size_t bytes)
{
    size_t rounded = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    void *buffer = aligned_alloc(HUGE_PAGE_BYTES, rounded);
    if (!buffer)
        fail("no memory for a buffer");
    madvise(buffer, rounded, MADV_HUGEPAGE);
    return buffer;
}

/* Moves the bytes at an offset; the end of a file that is not whole pages long is read and written through the page cache. */
static void move(const struct copy *copy, char *buffer, size_t offset, size_t bytes)
{
    if (pread(copy->from, buffer, bytes, (off_t)offset) != (ssize_t)bytes)
        fail("reading: %s", strerror(errno));
    if (pwrite(copy->to, buffer, bytes, (off_t)offset) != (ssize_t)bytes)
        fail("writing: %s", strerror(errno));
}

static void *move_pieces(void *argument)
{
    struct copy *copy = argument;
    size_t piece = job.is_direct ? DIRECT_BYTES : BUFFERED_BYTES, offset;
    char *buffer = allocate(piece);
    while ((offset = atomic_fetch_add(&copy->next, piece)) < copy->bytes)
        move(copy, buffer, offset, copy->bytes - offset < piece ? copy->bytes - offset : piece);
    free(buffer);
    return NULL;
}

static void copy_direct(struct copy *copy, size_t bytes)
{
    pthread_t threads[THREADS_COUNT];
    copy->bytes = bytes / PAGE_BYTES * PAGE_BYTES;
    for (int i = 0; i < THREADS_COUNT; i++)
        if (pthread_create(&threads[i], NULL, move_pieces, copy) != 0)
            fail("no thread");
    for (int i = 0; i < THREADS_COUNT; i++)
        pthread_join(threads[i], NULL);
}

static void copy_file(const char *from, const char *to, size_t bytes)
{
    int more = job.is_direct ? O_DIRECT : 0;
    struct copy copy = {.from = open(from, O_RDONLY | more), .to = open(to, O_WRONLY | O_CREAT | O_EXCL | more, 0666)};
    if (copy.from < 0 || copy.to < 0)
        fail("opening %s: %s", copy.from < 0 ? from : to, strerror(errno));
    if (job.is_direct) {
        if (bytes > 0 && fallocate(copy.to, 0, 0, (off_t)bytes) != 0)
            fail("allocating %s: %s", to, strerror(errno));
        copy_direct(&copy, bytes);
        fcntl(copy.from, F_SETFL, fcntl(copy.from, F_GETFL) & ~O_DIRECT);
        fcntl(copy.to, F_SETFL, fcntl(copy.to, F_GETFL) & ~O_DIRECT);
        atomic_store(&copy.next, copy.bytes);
    }
    copy.bytes = bytes;
    move_pieces(&copy);
    close(copy.from);
    close(copy.to);
}

/* ---- all files ---- */

static int copy_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    char to[2 * PATH_BYTES_MAX];
    snprintf(to, sizeof to, "%s%s", job.target, path + strlen(job.source));
    if (type == FTW_D && place->level > 0 && mkdir(to, 0777) != 0)
        fail("making %s: %s", to, strerror(errno));
    if (type == FTW_F)
        copy_file(path, to, (size_t)status->st_size);
    return 0;
}

static void command_copy(void)
{
    double begin = now();
    if (nftw(job.source, copy_one, DESCRIPTORS_MAX, FTW_PHYS) != 0)
        fail("cannot walk through %s: %s", job.source, strerror(errno));
    kernel_directory_sync(job.target);
    printf("{\"seconds\": %.9f}\n", now() - begin);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    char line[64];
    if (count != 2 || strlen(arguments[1]) > PATH_BYTES_MAX - 20)
        fail("usage: plain DIRECTORY");
    sprintf(job.source, "%s/source", arguments[1]);
    sprintf(job.target, "%s/target", arguments[1]);
    while (fgets(line, sizeof line, stdin)) {
        job.is_direct = strcmp(line, "copy direct\n") == 0;
        if (!job.is_direct && strcmp(line, "copy buffered\n") != 0)
            fail("unknown command");
        command_copy();
    }
    return 0;
}
