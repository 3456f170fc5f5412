/* What the programs for shared files have in common: the harness of the programs for arrays, a scratch directory, and
 * transfers that are waited for at once. */
#ifndef FILES_H
#define FILES_H

#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "sf.h"

#define SMALL 1e6, 1e6, 8e3
#define UNKNOWN -1.0, -1.0, -1.0

static char scratch[4096], name_room[4][5000];

/* A name in the scratch directory; four of them are valid at a time. */
static inline char *in_scratch(const char *name)
{
    static int next;
    char *room = name_room[next++ % 4];
    snprintf(room, sizeof name_room[0], "%s/%s", scratch, name);
    return room;
}

static inline int is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* The first error of a call and of the wait for it. */
static inline int write_now(int handle, double offset, double bytes, const void *from)
{
    int request = 99, code = SF_Write(handle, offset, bytes, (char *)from, &request);
    return code != 0 ? code : SF_Wait(&request);
}

static inline int read_now(int handle, double offset, double bytes, void *into)
{
    int request = 99, code = SF_Read(handle, offset, bytes, (char *)into, &request);
    return code != 0 ? code : SF_Wait(&request);
}

static inline int create(const char *name, double hard, double soft, double request)
{
    int handle = 77;
    CHECK_EQUAL(SF_Create(in_scratch(name), hard, soft, request, &handle), 0);
    return handle;
}

#endif
