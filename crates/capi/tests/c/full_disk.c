/* A full disk. Argument: a directory on a file system with less than 100 MB. */
#include "check.h"
#include "eaf.h"

enum { RECORD = 4 << 20, RECORDS = 40 };

static char record[RECORD];
static char path[4096];

static void check_message(int code)
{
    char text[80], full[4096];
    EAF_Errmsg(code, text);
    CHECK(strstr(text, "no space left on device") == text);
    CHECK(strlen(text) <= 79);
    EAF_Errmsg_full(code, full, sizeof full);
    CHECK(strstr(full, "4194304 bytes at offset") != NULL);
    CHECK(strstr(full, " left") != NULL);
}

/* Ends a test: errors of writes that were told once are not told again, and the disk is free for the next. */
static void close_and_delete(int fd, int expected)
{
    CHECK_CODE(EAF_Close(fd), expected);
    CHECK_CODE(EAF_Delete(path), 0);
}

static void blocking_writes_fail_and_say_how_much_was_asked_and_is_left(void)
{
    char in[16];
    int fd, i, code = 0;
    CHECK_CODE(EAF_Open(path, EAF_RW, &fd), 0);
    for (i = 0; i < RECORDS && code == 0; i++) code = EAF_Write(fd, (double)i * RECORD, record, RECORD);
    CHECK(i > 1 && i < RECORDS);
    CHECK_CODE(code, -1999);
    check_message(code);
    CHECK_CODE(EAF_Read(fd, 0., in, sizeof in), 0);
    close_and_delete(fd, 0);
}

static void asynchronous_writes_fail_at_the_wait_every_time(void)
{
    static int ids[RECORDS];
    int fd, i, failed = 0;
    CHECK_CODE(EAF_Open(path, EAF_RW, &fd), 0);
    for (i = 0; i < RECORDS; i++) CHECK_CODE(EAF_Awrite(fd, (double)i * RECORD, record, RECORD, &ids[i]), 0);
    for (i = 0; i < RECORDS; i++) {
        int code = EAF_Wait(fd, ids[i]);
        CHECK(code == 0 || code == -1998);
        CHECK_CODE(EAF_Wait(fd, ids[i]), code);
        if (code != 0) {
            check_message(code);
            failed++;
        }
    }
    CHECK(failed > 0 && failed < RECORDS);
    close_and_delete(fd, 0);
}

static void asynchronous_writes_that_nobody_waits_for_fail_at_the_close(void)
{
    int fd, i, id;
    CHECK_CODE(EAF_Open(path, EAF_RW, &fd), 0);
    for (i = 0; i < RECORDS; i++) CHECK_CODE(EAF_Awrite(fd, (double)i * RECORD, record, RECORD, &id), 0);
    close_and_delete(fd, -1998);
    check_message(-1998);
}

/* Small records are written behind: the error may come from a later call, at the latest from the close. */
static void no_small_record_is_lost_without_a_word(void)
{
    int fd, i, code = 0, closed;
    CHECK_CODE(EAF_Open(path, EAF_RW, &fd), 0);
    for (i = 0; i < RECORDS * (RECORD / 1600) && code == 0; i++) code = EAF_Write(fd, (double)i * 1600, record, 1600);
    closed = EAF_Close(fd);
    CHECK(code != 0 || closed != 0);
    CHECK_CODE(EAF_Delete(path), 0);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    snprintf(path, sizeof path, "%s/full", argv[1]);
    RUN(blocking_writes_fail_and_say_how_much_was_asked_and_is_left);
    RUN(asynchronous_writes_fail_at_the_wait_every_time);
    RUN(asynchronous_writes_that_nobody_waits_for_fail_at_the_close);
    RUN(no_small_record_is_lost_without_a_word);
    return check_failures != 0;
}
