/* Disks that are full or read-only. Arguments: which, and a directory that all ranks share.
 *
 *   full      on a file system with less than 100 MB
 *   prepare   makes an array for the next two
 *   readonly  on a file system that all ranks see read-only
 *   alone     on one that the last rank sees read-only, and the others do not */
#include <sys/statvfs.h>

#include "disk.h"

enum { ROWS = 4096, COLUMNS = 4096 };

static int dims[2] = {ROWS, COLUMNS}, small[2] = {1000, 700};

/* What DRA_Errmsg_full says about a code, on every rank alike. */
static void check_says(int code, const char *text)
{
    static char message[10000];
    int lowest = code, highest = code;
    GA_Igop(&lowest, 1, (char *)"min");
    GA_Igop(&highest, 1, (char *)"max");
    CHECK(lowest == highest && code != 0);
    DRA_Errmsg_full(code, message, sizeof message);
    CHECK(strncmp(message, "rank ", 5) == 0 && strstr(message, scratch) != NULL);
    if (strstr(message, text) == NULL) {
        fprintf(stderr, "rank %d: \"%s\" is not in \"%s\"\n", me, text, message);
        check_failures++;
    }
}

/* Files that were removed may be held a moment longer by whoever gives space back. */
static void wait_for_room(double bytes)
{
    struct statvfs room;
    int tenths;
    for (tenths = 0; tenths < 100; tenths++) {
        if (statvfs(scratch, &room) == 0 && (double)room.f_bavail * (double)room.f_frsize >= bytes) break;
        usleep(100000);
    }
    CHECK(tenths < 100);
    GA_Sync();
}

/* 128 MB, of which there is not enough. */
static void a_full_disk_is_told_by_the_wait_every_time_and_there_is_room_afterwards(void)
{
    dra_size_t extents[2] = {ROWS, COLUMNS}, hint[2] = {512, 512};
    int g_a = in_memory(2, dims, 1), d_a = 77, request = 5, code;
    int from = in_memory(2, small, 2), to = in_memory(2, small, 0);
    code = NDRA_Create(C_DBL, 2, extents, (char *)"large", in_scratch("large"), DRA_RW, hint, &d_a);
    if (code == 0) {
        CHECK_EQUAL(NDRA_Write(g_a, d_a, &request), 0);
        code = DRA_Wait(request);
        check_says(code, "o space left on device");
        CHECK_EQUAL(DRA_Wait(request), code);
        CHECK_EQUAL(NDRA_Write(g_a, d_a, &request), 0);
        code = DRA_Close(d_a);
    }
    check_says(code, "o space left on device");
    CHECK_EQUAL(DRA_Open(in_scratch("large"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    wait_for_room(3e7);
    d_a = on_disk("small", 2, small);
    CHECK_EQUAL(write_now(from, d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, small, 2), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
    GA_Destroy(from);
    GA_Destroy(to);
}

static void prepare(void)
{
    int g_a = in_memory(2, small, 3), d_a = on_disk("there", 2, small);
    CHECK_EQUAL(write_now(g_a, d_a), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    GA_Destroy(g_a);
}

static void what_is_there_can_be_read(void)
{
    int g_a = in_memory(2, small, 0), d_a = 77;
    CHECK_EQUAL(DRA_Open(in_scratch("there"), DRA_R, &d_a), 0);
    CHECK_EQUAL(read_now(g_a, d_a), 0);
    CHECK_EQUAL(wrong_elements(g_a, 2, small, 3), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    GA_Destroy(g_a);
}

static void nothing_is_made_or_removed(void)
{
    dra_size_t extents[2] = {5, 5};
    int d_a = 77, code = NDRA_Create(C_DBL, 2, extents, (char *)"new", in_scratch("new"), DRA_RW, extents, &d_a);
    check_says(code, "ead-only file system");
    CHECK_EQUAL(d_a, 77);
    CHECK(!is_there(in_scratch("new")));
    CHECK_EQUAL(DRA_Open(in_scratch("there"), DRA_R, &d_a), 0);
    code = DRA_Delete(d_a);
    check_says(code, "ead-only file system");
    CHECK_EQUAL(DRA_Close(d_a), DRA_ERR_HANDLE);
}

/* A file for each rank: the last one cannot make its own. */
static void what_one_rank_cannot_make_is_an_error_on_every_rank_and_nothing_is_left(void)
{
    dra_size_t extents[2], hint[2] = {200, 200};
    int d_a = 77, code;
    extents[0] = 200 * ranks;
    extents[1] = 200;
    code = NDRA_Create_config(C_DBL, 2, extents, (char *)"new", in_scratch("new"), DRA_RW, hint, ranks, -1, &d_a);
    check_says(code, "ead-only file system");
    CHECK_EQUAL(d_a, 77);
    CHECK_EQUAL(DRA_Open(in_scratch("new"), DRA_R, &d_a), DRA_ERR_MISSING);
    GA_Sync();
    CHECK(!is_there(in_scratch("new")));
}

/* The first error is that of opening, of writing or of closing. What other ranks can write is what is there. */
static void writing_is_an_error_on_every_rank(void)
{
    int g_a = in_memory(2, small, 3), d_a = 77, request = 5, code = DRA_Open(in_scratch("there"), DRA_RW, &d_a);
    if (code == 0) {
        code = NDRA_Write(g_a, d_a, &request);
        if (code == 0) code = DRA_Wait(request);
        CHECK(DRA_Close(d_a) == 0 || code == 0);
    }
    check_says(code, "ead-only file system");
    GA_Destroy(g_a);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3) GA_Error((char *)"expected a name and a directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[2]);
    CHECK_EQUAL(INITIALISE, 0);
    if (strcmp(argv[1], "full") == 0) {
        RUN(a_full_disk_is_told_by_the_wait_every_time_and_there_is_room_afterwards);
    } else if (strcmp(argv[1], "prepare") == 0) {
        RUN(prepare);
    } else {
        RUN(what_is_there_can_be_read);
        RUN(writing_is_an_error_on_every_rank);
        if (strcmp(argv[1], "readonly") == 0) RUN(nothing_is_made_or_removed);
        if (strcmp(argv[1], "alone") == 0) RUN(what_one_rank_cannot_make_is_an_error_on_every_rank_and_nothing_is_left);
    }
    CHECK_EQUAL(DRA_Terminate(), 0);
    return end();
}
