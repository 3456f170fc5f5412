/* Files and directories that may not be touched. Run as a user who is not root. Arguments: a directory of root's that
 * anyone may enter and nobody may write, with a file "secret" that nobody may read. */
#include <unistd.h>

#include "check.h"
#include "eaf.h"

static const char *directory;

static void check_denied(const char *name, int type)
{
    char path[4096], text[80];
    int fd = -7;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK_CODE(EAF_Open(path, type, &fd), -44);
    CHECK(fd == -7);
    EAF_Errmsg(-44, text);
    CHECK(strstr(text, "Permission denied") == text);
}

static void a_directory_that_may_not_be_written_takes_no_new_file(void)
{
    check_denied("new", EAF_RW);
    check_denied("new", EAF_W);
}

static void a_file_that_may_not_be_read_does_not_open(void) { check_denied("secret", EAF_R); }

static void a_file_that_may_not_be_deleted_stays(void)
{
    char path[4096], text[80];
    snprintf(path, sizeof path, "%s/secret", directory);
    CHECK_CODE(EAF_Delete(path), -10013);
    EAF_Errmsg(-10013, text);
    CHECK(strstr(text, "Permission denied") == text);
    CHECK(access(path, F_OK) == 0);
}

int main(int argc, char **argv)
{
    if (argc != 2 || getuid() == 0) return 2;
    directory = argv[1];
    RUN(a_directory_that_may_not_be_written_takes_no_new_file);
    RUN(a_file_that_may_not_be_read_does_not_open);
    RUN(a_file_that_may_not_be_deleted_stays);
    return check_failures != 0;
}
