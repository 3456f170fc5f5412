/* A thousand shared files at once, with a request under way on each. The argument is a scratch directory. */
#include <sys/resource.h>

#include "files.h"

enum { FILES = 1000, LEN = 500 };

static int handle[FILES], list[FILES];
static char memory[FILES][LEN], found[FILES][LEN];

/* More files than the soft limit on open files lets a process have. */
static void low_limit(void)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 256;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void a_thousand_files_are_open_at_once(void)
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

int main(int argc, char **argv)
{
    low_limit();
    begin(&argc, &argv);
    if (argc < 2) GA_Error("expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[1]);
    RUN(a_thousand_files_are_open_at_once);
    RUN(handles_are_used_again_from_the_lowest);
    return end();
}
