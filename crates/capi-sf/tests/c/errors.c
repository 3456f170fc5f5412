/* Bad arguments and failed operations: the exact codes, the messages, and that every rank of a collective call is told. The
 * argument is a scratch directory, which all ranks share and which is empty. The program ends well: nothing here aborts, hangs
 * or does harm. */
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

#include "files.h"

static char message[6000];

/* What SF_Errmsg_full says about a code. */
static const char *said(int code)
{
    SF_Errmsg_full(code, message, sizeof message);
    return message;
}

#define CHECK_SAYS(code, text)                                                                                  \
    do {                                                                                                        \
        if (strstr(said(code), text) == NULL) {                                                                 \
            fprintf(stderr, "rank %d: %s:%d: \"%s\" is not in \"%s\"\n", me, __FILE__, __LINE__, text, message);  \
            check_failures++;                                                                                   \
        }                                                                                                       \
    } while (0)

static void handles_without_a_file_are_refused_by_every_call(void)
{
    static const int handles[] = {0, 1, -1, -2999, -3001, INT_MAX, INT_MIN};
    int file = create("live", UNKNOWN), stale = create("stale", UNKNOWN), request;
    size_t i;
    char byte = 0;
    CHECK_EQUAL(SF_Destroy(stale), 0);
    CHECK_EQUAL(stale, -2999);
    for (i = 0; i < sizeof handles / sizeof *handles; i++) {
        request = 5;
        CHECK_EQUAL(SF_Open(handles[i]), SF_ERR_HANDLE);
        CHECK_EQUAL(SF_Close(handles[i]), SF_ERR_HANDLE);
        CHECK_EQUAL(SF_Rwtor(handles[i]), SF_ERR_HANDLE);
        CHECK_EQUAL(SF_Fsync(handles[i]), SF_ERR_HANDLE);
        CHECK_EQUAL(SF_Destroy(handles[i]), SF_ERR_HANDLE);
        CHECK_EQUAL(SF_Write(handles[i], 0.0, 1.0, &byte, &request), SF_ERR_HANDLE);
        CHECK_EQUAL(request, -1);
        request = 5;
        CHECK_EQUAL(SF_Read(handles[i], 0.0, 1.0, &byte, &request), SF_ERR_HANDLE);
        CHECK_EQUAL(request, -1);
        snprintf(name_room[0], sizeof name_room[0], "invalid handle %d: no shared file has it", handles[i]);
        CHECK_SAYS(SF_ERR_HANDLE, name_room[0]);
    }
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK_EQUAL(SF_Destroy(file), SF_ERR_HANDLE);
    CHECK_EQUAL(SF_Open(file), SF_ERR_HANDLE);
}

static void null_pointers_are_refused_by_every_call(void)
{
    int file = create("null", UNKNOWN), request = 5;
    char byte = 0;
    CHECK_EQUAL(SF_Create(NULL, UNKNOWN, &request), SF_ERR_OPEN);
    CHECK_SAYS(SF_ERR_OPEN, "null pointer: name");
    CHECK_EQUAL(SF_Create(in_scratch("x"), UNKNOWN, NULL), SF_ERR_OPEN);
    CHECK_EQUAL(SF_Create_suffix(NULL, UNKNOWN, &request, 1), SF_ERR_OPEN);
    CHECK_EQUAL(SF_Create_suffix(in_scratch("x"), UNKNOWN, NULL, 1), SF_ERR_OPEN);
    CHECK_EQUAL(request, 5);
    CHECK_EQUAL(SF_Write(file, 0.0, 1.0, NULL, &request), SF_ERR_AWRITE);
    CHECK_EQUAL(request, -1);
    CHECK_SAYS(SF_ERR_AWRITE, "null pointer: buffer");
    request = 5;
    CHECK_EQUAL(SF_Read(file, 0.0, 1.0, NULL, &request), SF_ERR_AREAD);
    CHECK_EQUAL(request, -1);
    CHECK_EQUAL(SF_Write(file, 0.0, 1.0, &byte, NULL), SF_ERR_AWRITE);
    CHECK_EQUAL(SF_Read(file, 0.0, 1.0, &byte, NULL), SF_ERR_AREAD);
    CHECK_EQUAL(SF_Write(file, 0.0, 0.0, NULL, &request), 0);
    CHECK_EQUAL(SF_Wait(&request), 0);
    CHECK_EQUAL(SF_Wait(NULL), SF_ERR_HANDLE);
    CHECK_EQUAL(SF_Waitall(NULL, 2), SF_ERR_HANDLE);
    CHECK_EQUAL(SF_Waitall(NULL, 0), 0);
    SF_Errmsg(SF_ERR_HANDLE, NULL);
    SF_Errmsg_full(SF_ERR_HANDLE, NULL, 100);
    CHECK(!is_there(in_scratch("x.1")));
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void places_that_no_file_has_are_refused_in_a_fixed_order(void)
{
    static const double fractions[] = {0.5, -0.5, NAN, 1e13 + 0.5}, far[] = {-1.0, 1e14 + 1.0, 1e300, INFINITY, -INFINITY};
    int file = create("places", UNKNOWN), request;
    size_t i;
    char byte = 0;
    for (i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        request = 5;
        CHECK_EQUAL(SF_Write(file, fractions[i], 1.0, &byte, &request), SF_ERR_NONINTEGER_OFFSET);
        CHECK_EQUAL(request, -1);
        CHECK_EQUAL(SF_Write(file, 0.0, fractions[i], &byte, &request), SF_ERR_NONINTEGER_OFFSET);
        CHECK_EQUAL(SF_Read(file, fractions[i], 1.0, &byte, &request), SF_ERR_NONINTEGER_OFFSET);
        CHECK_EQUAL(SF_Read(file, 0.0, fractions[i], &byte, &request), SF_ERR_NONINTEGER_OFFSET);
        CHECK_EQUAL(SF_Read(7, 0.0, fractions[i], &byte, &request), SF_ERR_HANDLE);
    }
    for (i = 0; i < sizeof far / sizeof *far; i++) {
        CHECK_EQUAL(SF_Write(file, far[i], 1.0, &byte, &request), SF_ERR_SEEK);
        CHECK_EQUAL(SF_Write(file, 0.0, far[i], &byte, &request), SF_ERR_SEEK);
        CHECK_EQUAL(SF_Read(file, far[i], 1.0, &byte, &request), SF_ERR_SEEK);
        CHECK_EQUAL(SF_Read(file, 0.0, far[i], NULL, &request), SF_ERR_SEEK);
        CHECK_EQUAL(SF_Read(file, far[i], 0.5, NULL, &request), SF_ERR_NONINTEGER_OFFSET);
    }
    CHECK_SAYS(SF_ERR_SEEK, "out of range: expected 0 to 1e14");
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void a_file_that_cannot_be_made_is_an_error_on_every_rank(void)
{
    int file = 77;
    CHECK_EQUAL(SF_Create(in_scratch("missing/x"), UNKNOWN, &file), SF_ERR_OPEN);
    CHECK_SAYS(SF_ERR_OPEN, "No such file or directory");
    memset(message, 'n', 5000);
    message[5000] = 0;
    CHECK_EQUAL(SF_Create(message, UNKNOWN, &file), SF_ERR_OPEN);
    CHECK_SAYS(SF_ERR_OPEN, "File name too long");
    if (me == 0) CHECK(mkdir(in_scratch("folder.0"), 0755) == 0);
    GA_Sync();
    CHECK_EQUAL(SF_Create(in_scratch("folder"), UNKNOWN, &file), SF_ERR_OPEN);
    CHECK_EQUAL(file, 77);
    GA_Sync();
    if (me == 0) CHECK(rmdir(in_scratch("folder.0")) == 0);
    CHECK_EQUAL(SF_Create(in_scratch("file"), UNKNOWN, &file), 0);
    CHECK_EQUAL(file, -3000);
    CHECK_EQUAL(SF_Destroy(file), 0);
}

/* With a number behind it, "scr/" would be the hidden file "scr/.0". */
static void a_name_without_a_last_part_is_refused(void)
{
    static const char *const names[] = {"", "/", "folder/", ".", ".."};
    int file = 77;
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_EQUAL(SF_Create(names[i], UNKNOWN, &file), SF_ERR_OPEN);
        snprintf(name_room[0], sizeof name_room[0], "no file name: \"%s\" is empty or the name of a directory", names[i]);
        CHECK_SAYS(SF_ERR_OPEN, name_room[0]);
        CHECK_EQUAL(SF_Create_suffix(names[i], UNKNOWN, &file, 1), SF_ERR_OPEN);
    }
    CHECK_EQUAL(SF_Create(in_scratch(""), UNKNOWN, &file), SF_ERR_OPEN);
    CHECK_EQUAL(file, 77);
    CHECK(!is_there(in_scratch(".0")));
}

static void one_rank_with_bad_arguments_is_an_error_on_every_rank(void)
{
    int file = 77, last = me == ranks - 1;
    CHECK_EQUAL(SF_Create(last ? "" : in_scratch("x"), UNKNOWN, &file), SF_ERR_OPEN);
    CHECK_SAYS(SF_ERR_OPEN, "no file name: \"\"");
    CHECK_EQUAL(SF_Create(last ? NULL : in_scratch("x"), UNKNOWN, &file), SF_ERR_OPEN);
    CHECK_SAYS(SF_ERR_OPEN, "null pointer: name");
    if (!last) {
        snprintf(name_room[0], sizeof name_room[0], "rank %d: ", ranks - 1);
        CHECK_SAYS(SF_ERR_OPEN, name_room[0]);
    }
    CHECK(!is_there(in_scratch("x.0")));
    CHECK_EQUAL(file, 77);
    CHECK_EQUAL(SF_Create(in_scratch("x"), UNKNOWN, last ? NULL : &file), SF_ERR_OPEN);
    CHECK_EQUAL(SF_Create(in_scratch("x"), UNKNOWN, &file), 0);
    CHECK_EQUAL(SF_Destroy(last ? 12 : file), SF_ERR_HANDLE);
    CHECK_SAYS(SF_ERR_HANDLE, "invalid handle 12");
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void ranks_that_mean_different_files_are_told(void)
{
    int file = 77, other, together = ranks == 1;
    CHECK_EQUAL(SF_Create(in_scratch(me == 0 ? "one" : "another"), UNKNOWN, &file), together ? 0 : SF_FAIL);
    if (together) CHECK_EQUAL(SF_Destroy(file), 0);
    else CHECK_SAYS(SF_FAIL, "rank");
    CHECK(!is_there(in_scratch("one.0")) && !is_there(in_scratch("another.0")));
    file = create("a", UNKNOWN);
    other = create("b", UNKNOWN);
    CHECK_EQUAL(SF_Destroy(me == 0 ? file : other), together ? 0 : SF_FAIL);
    if (together) file = create("a", UNKNOWN);
    else CHECK_SAYS(SF_FAIL, "ranks mean different shared files: handles from -3000 to -2999");
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK_EQUAL(SF_Destroy(other), 0);
}

static void a_write_beyond_the_hard_limit_is_refused(void)
{
    int file = create("limited", 1000.0, -1.0, -1.0), request = 5;
    CHECK_EQUAL(SF_Write(file, 999.0, 2.0, "xx", &request), SF_ERR_AWRITE);
    CHECK_EQUAL(request, -1);
    CHECK_SAYS(SF_ERR_AWRITE, "hard limit of 1000 bytes: write of 2 bytes at offset 999");
    CHECK_EQUAL(write_now(file, 998.0, 2.0, "xx"), 0);
    CHECK_EQUAL(SF_Destroy(file), 0);
    file = create("limited", 999.5, -1.0, -1.0);
    CHECK_EQUAL(write_now(file, 999.0, 1.0, "x"), 0);
    CHECK_EQUAL(SF_Destroy(file), 0);
    file = create("unlimited", 0.0, NAN, INFINITY);
    CHECK_EQUAL(write_now(file, 1e6, 1.0, "x"), 0);
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void what_the_file_is_not_open_for_is_refused(void)
{
    int file = create("shut", UNKNOWN), request = 5;
    char byte;
    CHECK_EQUAL(SF_Rwtor(file), 0);
    CHECK_EQUAL(SF_Write(file, 0.0, 1.0, "x", &request), SF_ERR_MODE);
    CHECK_EQUAL(request, -1);
    CHECK_SAYS(SF_ERR_MODE, "open for reading only on this rank");
    CHECK_EQUAL(SF_Close(file), 0);
    request = 5;
    CHECK_EQUAL(SF_Read(file, 0.0, 1.0, &byte, &request), SF_ERR_HANDLE);
    CHECK_EQUAL(request, -1);
    CHECK_SAYS(SF_ERR_HANDLE, "closed on this rank");
    CHECK_EQUAL(SF_Write(file, 0.0, 1.0, "x", &request), SF_ERR_HANDLE);
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void errors_of_transfers_come_from_every_wait(void)
{
    int file = create("short", UNKNOWN), list[4], i;
    char found[10];
    if (me == 0) CHECK_EQUAL(write_now(file, 0.0, 12.0, "0123456789ab"), 0);
    GA_Sync();
    list[0] = list[3] = -1;
    CHECK_EQUAL(SF_Read(file, 8.0, 10.0, found, &list[1]), 0);
    CHECK_EQUAL(SF_Read(file, 0.0, 4.0, found, &list[2]), 0);
    CHECK(list[1] > 0 && list[2] > 0 && list[1] != list[2]);
    for (i = 0; i < 2; i++) {
        CHECK_EQUAL(SF_Waitall(list, 4), SF_ERR_EOF);
        CHECK_EQUAL(SF_Wait(&list[1]), SF_ERR_EOF);
        CHECK_EQUAL(SF_Wait(&list[2]), 0);
    }
    CHECK_SAYS(SF_ERR_EOF, "end of file: 4 of 10 bytes at offset 8 of ");
    CHECK_SAYS(SF_ERR_EOF, "short.0");
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK_EQUAL(SF_Wait(&list[1]), SF_ERR_EOF);
    CHECK_EQUAL(SF_Wait(&list[2]), 0);
}

/* By a program that may have no longer files. A small write behind another one is held back, where the file is not in memory. */
static void writes_that_are_lost_are_told_by_wait_and_close_and_not_by_open(void)
{
    enum { LITTLE = 1000, ALLOWED = 1 << 20 };
    static const char bytes[LITTLE] = "lost";
    int (*const opens[])(int) = {SF_Open, SF_Rwtor};
    int file = create("lost", -1.0, -1.0, LITTLE), before_it, request, round, who;
    struct rlimit allowed, little;
    CHECK(getrlimit(RLIMIT_FSIZE, &allowed) == 0);
    little = allowed;
    little.rlim_cur = ALLOWED;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    for (round = 0; round < 2; round++) {
        /* Told by the wait, by close, by fsync. */
        for (who = 0; who < 3; who++) {
            CHECK_EQUAL(SF_Open(file), 0);
            CHECK_EQUAL(SF_Write(file, 8.0 * ALLOWED, LITTLE, bytes, &before_it), 0);
            CHECK_EQUAL(SF_Write(file, 8.0 * ALLOWED + LITTLE, LITTLE, bytes, &request), 0);
            CHECK_EQUAL(SF_Wait(&before_it), SF_ERR_AWRITE);
            CHECK_EQUAL(opens[round](file), 0);
            CHECK_EQUAL(opens[1 - round](file), 0);
            if (who == 0) CHECK_EQUAL(SF_Wait(&request), SF_ERR_AWRITE);
            if (who == 1) CHECK_EQUAL(SF_Close(file), SF_ERR_AWRITE);
            if (who == 2) CHECK_EQUAL(SF_Fsync(file), SF_ERR_AWRITE);
            CHECK_SAYS(SF_ERR_AWRITE, "File too large");
            CHECK_EQUAL(SF_Open(file), 0);
            CHECK_EQUAL(SF_Close(file), 0);
            CHECK_EQUAL(SF_Wait(&request), SF_ERR_AWRITE);
        }
    }
    CHECK(setrlimit(RLIMIT_FSIZE, &allowed) == 0);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void requests_that_were_never_issued_are_refused(void)
{
    static const int never[] = {0, -2, INT_MAX, INT_MAX - 1, INT_MIN};
    int list[3] = {-1, INT_MAX, INT_MAX - 1}, request;
    size_t i;
    for (i = 0; i < sizeof never / sizeof *never; i++) {
        request = never[i];
        CHECK_EQUAL(SF_Wait(&request), SF_ERR_HANDLE);
        CHECK_EQUAL(request, never[i]);
    }
    CHECK_EQUAL(SF_Waitall(list, 3), SF_ERR_HANDLE);
    CHECK_SAYS(SF_ERR_HANDLE, "request 2147483647 was never issued");
}

/* The last rank, whose writes are the last of the file, sees that they have not all finished when it calls. */
static void a_file_may_be_destroyed_with_requests_under_way(void)
{
    enum { LEN = 9 << 20, AT_ONCE = 8, ROUNDS = 5 }; /* left to workers, also where ranks have all processors */
    char *memory = calloc(1, LEN);
    int file = create("busy", UNKNOWN), list[ROUNDS * AT_ONCE], count = 0, i, is_under_way = 0;
    double end = FAR + (double)me * ROUNDS * AT_ONCE * LEN;
    GA_Sync();
    while (count < ROUNDS * AT_ONCE && !is_under_way) {
        for (i = 0; i < AT_ONCE; i++, end += LEN) CHECK_EQUAL(SF_Write(file, end, LEN, memory, &list[count++]), 0);
        is_under_way = me < ranks - 1 || length_so_far("busy.0") < end;
    }
    CHECK(is_under_way || !writes_can_be_under_way());
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK_EQUAL(SF_Waitall(list, count), 0);
    CHECK(!is_there(in_scratch("busy.0")));
    free(memory);
}

static void messages_fit_the_room_they_get(void)
{
    char room[100], *name = in_scratch("a/rather/long/way/to/a/file/that/is/not/there/at/all/in/any/of/these/folders");
    int file;
    CHECK_EQUAL(SF_Create(name, UNKNOWN, &file), SF_ERR_OPEN);
    memset(room, '#', sizeof room);
    SF_Errmsg(SF_ERR_OPEN, room);
    CHECK(strlen(room) <= 79 && room[80] == '#' && strstr(room, "...") && strstr(room, "/folders"));
    CHECK_SAYS(SF_ERR_OPEN, name);
    memset(room, '#', sizeof room);
    SF_Errmsg_full(SF_ERR_OPEN, room, 0);
    CHECK(room[0] == '#');
    SF_Errmsg_full(SF_ERR_OPEN, room, 1);
    CHECK(room[0] == 0 && room[1] == '#');
    SF_Errmsg_full(SF_ERR_OPEN, room, 8);
    CHECK(strlen(room) == 7 && room[8] == '#');
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 2) GA_Error("expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[1]);
    RUN(handles_without_a_file_are_refused_by_every_call);
    RUN(null_pointers_are_refused_by_every_call);
    RUN(places_that_no_file_has_are_refused_in_a_fixed_order);
    RUN(a_file_that_cannot_be_made_is_an_error_on_every_rank);
    RUN(a_name_without_a_last_part_is_refused);
    RUN(one_rank_with_bad_arguments_is_an_error_on_every_rank);
    RUN(ranks_that_mean_different_files_are_told);
    RUN(a_write_beyond_the_hard_limit_is_refused);
    RUN(what_the_file_is_not_open_for_is_refused);
    RUN(errors_of_transfers_come_from_every_wait);
    RUN(writes_that_are_lost_are_told_by_wait_and_close_and_not_by_open);
    RUN(requests_that_were_never_issued_are_refused);
    RUN(a_file_may_be_destroyed_with_requests_under_way);
    RUN(messages_fit_the_room_they_get);
    return end();
}
