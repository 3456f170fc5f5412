/* Many files, many requests: no table fills up and memory does not grow. Argument: a scratch directory. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "eaf.h"

enum { FILES = 1500, REQUESTS = 1000000, RECORD = 8 };

static const char *directory;

static int opened(int number)
{
    char path[4096];
    int fd = -1;
    snprintf(path, sizeof path, "%s/load.%d", directory, number);
    CHECK_CODE(EAF_Open(path, EAF_RW, &fd), 0);
    return fd;
}

static void deleted(int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/load.%d", directory, number);
    CHECK_CODE(EAF_Delete(path), 0);
}

static long resident_kb(void)
{
    long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm && fscanf(statm, "%ld %ld", &pages, &resident) == 2);
    if (statm) fclose(statm);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void files_beyond_the_soft_limit_are_open_at_once(void)
{
    struct rlimit limit = {0, 0};
    int i, found;
    getrlimit(RLIMIT_NOFILE, &limit);
    CHECK(limit.rlim_max > FILES + 100);
    limit.rlim_cur = 1024;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (i = 0; i < FILES; i++) {
        CHECK(opened(i) == i);
        CHECK_CODE(EAF_Write(i, 0., &i, sizeof i), 0);
    }
    for (i = 0; i < FILES; i++) {
        CHECK_CODE(EAF_Read(i, 0., &found, sizeof found), 0);
        CHECK(found == i);
    }
    for (i = FILES - 1; i >= 0; i--) CHECK_CODE(EAF_Close(i), 0);
    for (i = 0; i < FILES; i++) deleted(i);
}

/* Starts `count` requests on a few places of the file and waits for every `stride`-th: a program that never waits at all
 * may be faster than any device, and what is still under way takes memory. */
static void start(int fd, int count, int stride)
{
    static char buffers[64][RECORD];
    int i, id, failures = 0;
    for (i = 0; i < count; i++) {
        double offset = (double)(i % 64) * RECORD;
        if (i % 2) failures += EAF_Awrite(fd, offset, buffers[i % 64], RECORD, &id) != 0;
        else failures += EAF_Aread(fd, offset, buffers[i % 64], RECORD, &id) != 0;
        if (i % stride == 0) failures += EAF_Wait(fd, id) != 0;
    }
    CHECK(failures == 0);
}

static void grows_by_less_than_a_megabyte(int stride)
{
    static char record[64 * RECORD];
    int fd = opened(0);
    long before;
    CHECK_CODE(EAF_Write(fd, 0., record, sizeof record), 0);
    start(fd, REQUESTS / 10, stride);
    before = resident_kb();
    start(fd, REQUESTS, stride);
    printf("       %d requests: %ld kB more\n", REQUESTS, resident_kb() - before);
    CHECK(resident_kb() - before < 1024);
    CHECK_CODE(EAF_Close(fd), 0);
    deleted(0);
}

static void a_million_requests_that_are_waited_for_take_no_memory(void) { grows_by_less_than_a_megabyte(1); }

static void a_million_requests_that_nobody_waits_for_take_no_memory(void) { grows_by_less_than_a_megabyte(1000); }

static void requests_past_the_end_that_nobody_waits_for_take_no_memory(void)
{
    char in[RECORD];
    int fd = opened(0), i, id, failures = 0;
    long before = resident_kb();
    for (i = 0; i < REQUESTS / 10; i++) {
        failures += EAF_Aread(fd, 0., in, RECORD, &id) != 0;
        if (i % 1000 == 0) failures += EAF_Wait(fd, id) != -1977;
    }
    CHECK(failures == 0);
    printf("       %d failed requests: %ld kB more\n", REQUESTS / 10, resident_kb() - before);
    CHECK(resident_kb() - before < 2048);
    CHECK_CODE(EAF_Wait(fd, id), -1977);
    CHECK_CODE(EAF_Close(fd), 0);
    deleted(0);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    directory = argv[1];
    RUN(files_beyond_the_soft_limit_are_open_at_once);
    RUN(a_million_requests_that_are_waited_for_take_no_memory);
    RUN(a_million_requests_that_nobody_waits_for_take_no_memory);
    RUN(requests_past_the_end_that_nobody_waits_for_take_no_memory);
    return check_failures != 0;
}
