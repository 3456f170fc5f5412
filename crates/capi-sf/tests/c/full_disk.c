/* A full disk. The argument is a directory, which all ranks share, on a file system with less than 100 MB. With a second one the program
 * ends and leaves a file of which data is lost: at_terminate of its arrays, or at_exit. Of that only the log tells. */
#include "files.h"

enum { RECORD = 4 << 20, RECORDS = 40 };

static char record[RECORD];

static void check_message(int code, const char *more)
{
    char text[80], full[4096];
    SF_Errmsg(code, text);
    CHECK(strstr(text, "no space left on device") != NULL && strlen(text) <= 79);
    SF_Errmsg_full(code, full, sizeof full);
    CHECK(strstr(full, more) != NULL && strstr(full, " left, in ") != NULL);
}

static void a_soft_limit_without_room_is_an_error_of_create_on_every_rank(void)
{
    int file = 77, code = SF_Create(in_scratch("wide"), -1.0, 1e9, -1.0, &file), lowest = code;
    CHECK_EQUAL(code, SF_ERR_WRITE);
    CHECK_EQUAL(file, 77);
    GA_Igop(&lowest, 1, "min");
    CHECK_EQUAL(code, lowest);
    check_message(code, "1000000000 bytes");
    CHECK(!is_there(in_scratch("wide.0")));
    GA_Sync();
}

static void writes_fail_at_the_wait_every_time(void)
{
    static int list[RECORDS];
    int file = create("full", UNKNOWN), i, failed = 0;
    for (i = 0; i < RECORDS; i++) {
        CHECK_EQUAL(SF_Write(file, (double)(RECORDS * me + i) * RECORD, RECORD, record, &list[i]), 0);
    }
    CHECK_EQUAL(SF_Waitall(list, RECORDS), SF_ERR_AWRITE);
    for (i = 0; i < RECORDS; i++) {
        int code = SF_Wait(&list[i]);
        CHECK(code == 0 || code == SF_ERR_AWRITE);
        CHECK_EQUAL(SF_Wait(&list[i]), code);
        if (code != 0) failed++;
    }
    CHECK(failed > 0);
    check_message(SF_ERR_AWRITE, "4194304 bytes at offset");
    CHECK_EQUAL(SF_Close(file), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

/* A subroutine in Fortran: what it meets is told by close all the same. */
int sf_fsync_(const long long *handle);

static void check_told_by_close_once_after(const char *name, int syncs)
{
    static int list[RECORDS];
    int file = create(name, UNKNOWN), i, told = 0, failed = 0;
    long long as_in_fortran = file; /* of either size */
    for (i = 0; i < RECORDS; i++) {
        CHECK_EQUAL(SF_Write(file, (double)(RECORDS * me + i) * RECORD, RECORD, record, &list[i]), 0);
    }
    for (i = 0; i < syncs; i++) CHECK_EQUAL(sf_fsync_(&as_in_fortran), SF_ERR_AWRITE);
    for (i = 0; i <= RECORDS && SF_Close(file) == SF_ERR_AWRITE; i++) told++;
    CHECK_EQUAL(SF_Close(file), 0);
    /* Only now: what a wait has told, close does not tell. */
    for (i = 0; i < RECORDS; i++) failed += SF_Wait(&list[i]) != 0;
    CHECK(failed > 0);
    CHECK_EQUAL(told, failed);
    check_message(SF_ERR_AWRITE, "4194304 bytes at offset");
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void writes_that_nobody_waits_for_are_told_by_close_once(void)
{
    check_told_by_close_once_after("untold", 1);
    check_told_by_close_once_after("untold too", 3);
}

/* By the hint they are small: on a disk several of them reach the kernel together, by the wait for one of them. In memory each is
 * written at once. */
static void small_writes_fail(double at, double step)
{
    enum { LITTLE = 4000, UNDER_WAY = 8 };
    static char found[LITTLE];
    int file = create("little", -1.0, -1.0, LITTLE), list[UNDER_WAY], i, failed = 0;
    double end = at + 2e8, later = 5e8 + (double)me * LITTLE;
    char *ballast = in_scratch("ballast");
    if (me == 0) {
        FILE *stream = fopen(ballast, "wb");
        CHECK(stream != NULL && fwrite(record, 1, RECORD, stream) == RECORD && fclose(stream) == 0);
    }
    GA_Sync();
    while (failed == 0 && at < end) {
        for (i = 0; i < UNDER_WAY; i++, at += step) CHECK_EQUAL(SF_Write(file, at, LITTLE, record, &list[i]), 0);
        for (i = 0; i < UNDER_WAY; i++) {
            int code = SF_Wait(&list[i]);
            CHECK(code == 0 || code == SF_ERR_AWRITE);
            CHECK_EQUAL(SF_Wait(&list[i]), code);
            if (code != 0) failed++;
        }
    }
    CHECK(failed > 0);
    if (failed > 0) check_message(SF_ERR_AWRITE, "bytes at offset");
    GA_Sync();
    if (me == 0) CHECK(remove(ballast) == 0);
    GA_Sync();
    CHECK_EQUAL(write_now(file, later, LITTLE, record), 0);
    CHECK_EQUAL(SF_Close(file), 0);
    CHECK_EQUAL(SF_Open(file), 0);
    CHECK_EQUAL(read_now(file, later, LITTLE, found), 0);
    CHECK(memcmp(found, record, LITTLE) == 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void small_writes_fail_at_the_wait_and_later_ones_are_carried_out(void)
{
    small_writes_fail(me * 1e9, 4000.0);
}

/* On a disk those of all ranks reach the kernel together. */
static void small_writes_in_turn_fail_at_the_wait_and_later_ones_are_carried_out(void)
{
    small_writes_fail(me * 4000.0, ranks * 4000.0);
}

static void there_is_room_again_afterwards(void)
{
    int file = create("room", -1.0, 4.0 * ranks * RECORD, RECORD);
    CHECK_EQUAL(write_now(file, (double)me * RECORD, RECORD, record), 0);
    CHECK_EQUAL(SF_Fsync(file), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

/* Returns the code to leave main with: that of a program that has done all it wanted. */
static int leave_what_is_lost(const char *how, int *argc, char ***argv)
{
    int at_exit = strcmp(how, "at_exit") == 0, file, request, i;
    if (at_exit) {
        MPI_Init(argc, argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
    } else {
        begin(argc, argv);
    }
    file = create("lost", UNKNOWN);
    for (i = 0; i < RECORDS; i++) {
        CHECK_EQUAL(SF_Write(file, (double)(RECORDS * me + i) * RECORD, RECORD, record, &request), 0);
    }
    if (!at_exit) return end();
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : NULL;
    if (argc > 1) snprintf(scratch, sizeof scratch, "%s", argv[1]);
    memset(record, 'r', sizeof record);
    if (how != NULL) return leave_what_is_lost(how, &argc, &argv);
    begin(&argc, &argv);
    if (argc < 2) GA_Error("expected a directory on a small file system", 2);
    RUN(a_soft_limit_without_room_is_an_error_of_create_on_every_rank);
    RUN(writes_fail_at_the_wait_every_time);
    RUN(writes_that_nobody_waits_for_are_told_by_close_once);
    RUN(small_writes_fail_at_the_wait_and_later_ones_are_carried_out);
    RUN(small_writes_in_turn_fail_at_the_wait_and_later_ones_are_carried_out);
    RUN(there_is_room_again_afterwards);
    return end();
}
