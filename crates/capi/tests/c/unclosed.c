/* A program that ends without closing its files. Arguments: "write", "write_late", "interrupted", "check" or "check_late", and a scratch
 * directory. */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "eaf.h"

enum { RECORD = 1600, RECORDS = 1000, CHILDREN = 50, LATE = 4 << 20 };

static char path[4096];

static int fd, records = RECORDS;

static char late[LATE];

static void write_record(int number)
{
    static char record[RECORD];
    int id;
    memset(record, number % 100 + 1, sizeof record);
    if (number % 2) CHECK_CODE(EAF_Write(fd, (double)number * RECORD, record, RECORD), 0);
    else CHECK_CODE(EAF_Awrite(fd, (double)number * RECORD, record, RECORD, &id), 0);
}

static void files_are_left_open_at_the_end(void)
{
    int i;
    if (EAF_Open(path, EAF_RW, &fd) != 0) exit(1);
    for (i = 0; i < RECORDS; i++) write_record(i);
}

/* The children have our open files and what is under way, and none of our threads. */
static void forked_children_may_exit(void)
{
    int child, i, status;
    for (child = 0; child < CHILDREN; child++) {
        pid_t process;
        for (i = 0; i < RECORDS; i++) write_record(i);
        process = fork();
        if (process == 0) exit(0);
        status = -1;
        CHECK(waitpid(process, &status, 0) == process && status == 0);
    }
}

static void everything_written_before_the_end_is_there(void)
{
    char record[RECORD];
    int i;
    if (EAF_Open(path, EAF_R, &fd) != 0) exit(1);
    for (i = 0; i < records; i++) {
        CHECK_CODE(EAF_Read(fd, (double)i * RECORD, record, RECORD), 0);
        CHECK(record[0] == i % 100 + 1 && record[RECORD - 1] == i % 100 + 1);
    }
    CHECK_CODE(EAF_Close(fd), 0);
}

static void everything_written_late_is_there(void)
{
    int writing = fd;
    records = 2 * RECORDS;
    everything_written_before_the_end_is_there();
    if (EAF_Open(path, EAF_R, &fd) != 0) exit(1);
    CHECK_CODE(EAF_Read(fd, 2.0 * RECORDS * RECORD, late, LATE), 0);
    CHECK(late[0] == 101 && memcmp(late, late + 1, LATE - 1) == 0);
    CHECK_CODE(EAF_Close(fd), 0);
    fd = writing;
}

/* After the library's own exit handler, because it was registered before; also in a child. */
static void write_after_all_is_handed_over(void)
{
    int i, id;
    for (i = RECORDS; i < 2 * RECORDS; i++) write_record(i);
    memset(late, 101, sizeof late);
    CHECK_CODE(EAF_Awrite(fd, 2.0 * RECORDS * RECORD, late, LATE, &id), 0);
}

static void exit_handlers_may_write(void)
{
    int status = -1;
    pid_t process;
    atexit(write_after_all_is_handed_over);
    files_are_left_open_at_the_end();
    process = fork();
    if (process == 0) exit(0);
    CHECK(waitpid(process, &status, 0) == process && status == 0);
    everything_written_late_is_there();
    CHECK_CODE(EAF_Truncate(fd, (double)RECORDS * RECORD), 0);
}

static void end_now(int signal)
{
    (void)signal;
    exit(0);
}

/* As a job does whose time is up; the wait takes far longer than the timer. */
static void a_handler_may_end_the_program_in_the_middle_of_a_wait(void)
{
    enum { LARGE = 256 << 20 };
    struct itimerval soon = {{0, 0}, {0, 3000}};
    char *large = malloc(LARGE), other_path[sizeof path + 8];
    int id, other;
    memset(large, 1, LARGE);
    signal(SIGALRM, end_now);
    files_are_left_open_at_the_end();
    snprintf(other_path, sizeof other_path, "%s.large", path);
    if (EAF_Open(other_path, EAF_RW, &other) != 0) exit(1);
    CHECK_CODE(EAF_Awrite(other, 0.0, large, LARGE, &id), 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    EAF_Wait(other, id);
    fprintf(stderr, "the wait was over before the signal came\n");
    check_failures++;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    snprintf(path, sizeof path, "%s/left.open", argv[2]);
    if (strcmp(argv[1], "write") == 0) {
        RUN(files_are_left_open_at_the_end);
        RUN(forked_children_may_exit);
    } else if (strcmp(argv[1], "write_late") == 0) {
        RUN(exit_handlers_may_write);
    } else if (strcmp(argv[1], "check_late") == 0) {
        RUN(everything_written_late_is_there);
    } else if (strcmp(argv[1], "interrupted") == 0) {
        RUN(a_handler_may_end_the_program_in_the_middle_of_a_wait);
    } else {
        RUN(everything_written_before_the_end_is_there);
    }
    return check_failures != 0;
}
