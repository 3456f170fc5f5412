/* What the device has lost behind the program's back is told when the file is closed. Argument: a scratch directory. */
#include <unistd.h>

#include "check.h"
#include "eaf.h"

enum { RECORD = 1 << 20, RECORDS = 64, TRIES = 500 };

/* Of `losing_device.c`, which is to be loaded before. */
extern int openings_told(void) __attribute__((weak));

static char path[4096];

static void losses_are_told_by_close_also_if_somebody_has_waited_for_writeback_before(void)
{
    static char record[RECORD];
    int fd, i;
    if (EAF_Open(path, EAF_RW, &fd) != 0) exit(1);
    for (i = 0; i < RECORDS; i++) CHECK_CODE(EAF_Write(fd, (double)i * RECORD, record, RECORD), 0);
    /* Where the library starts writeback early, and waits for it. */
    for (i = 0; i < TRIES && openings_told() == 0; i++) usleep(10000);
    CHECK_CODE(EAF_Close(fd), -1986);
    CHECK_CODE(EAF_Delete(path), 0);
}

int main(int argc, char **argv)
{
    if (argc != 2 || !openings_told) return 2;
    snprintf(path, sizeof path, "%s/lost.file", argv[1]);
    RUN(losses_are_told_by_close_also_if_somebody_has_waited_for_writeback_before);
    return check_failures != 0;
}
