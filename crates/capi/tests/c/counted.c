/* Makes known numbers of calls on private files, for CHEMIO_STATS to count. Arguments: a directory, and how to end: "return",
 * "exit", or "abort".
 */
#include <eaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char bytes[70000];

static void check(int code, int line)
{
    char message[80];
    if (code != 0) {
        EAF_Errmsg(code, message);
        fprintf(stderr, "line %d: code %d: %s\n", line, code, message);
        exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

int main(int argc, char **argv)
{
    char name[512];
    int fd, other, request, i;
    if (argc != 3) return 2;

    sprintf(name, "%.400s/calls", argv[1]);
    CHECK(EAF_Open(name, EAF_RW, &fd));
    for (i = 0; i < 5; ++i) CHECK(EAF_Write(fd, 1000.0 * i, bytes, 1000));
    for (i = 0; i < 3; ++i) {
        CHECK(EAF_Awrite(fd, 70000.0 * i, bytes, 70000, &request));
        CHECK(EAF_Wait(fd, request));
    }
    for (i = 0; i < 4; ++i) CHECK(EAF_Read(fd, 500.0 * i, bytes, 500));
    for (i = 0; i < 2; ++i) {
        CHECK(EAF_Aread(fd, 70000.0 * i, bytes, 70000, &request));
        CHECK(EAF_Wait(fd, request));
    }
    CHECK(EAF_Close(fd));

    /* Opened again, and left open with another one. */
    CHECK(EAF_Open(name, EAF_R, &fd));
    CHECK(EAF_Read(fd, 0.0, bytes, 500));
    sprintf(name, "%.400s/left", argv[1]);
    CHECK(EAF_Open(name, EAF_W, &other));
    CHECK(EAF_Write(other, 0.0, bytes, 10));
    if (strcmp(argv[2], "abort") == 0) abort();
    if (strcmp(argv[2], "exit") == 0) exit(0);
    return 0;
}
