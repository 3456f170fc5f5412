/* What the programs for shared files have in common: the harness of the programs for arrays, a scratch directory, and
 * transfers that are waited for at once. */
#ifndef FILES_H
#define FILES_H

#include <dirent.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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

/* So long are the files that this process has open under a name, together: that of the shared file, or its stripes. A write beyond
 * their end that has not made them so long is under way, which SF itself has no call to ask. */
static inline double length_so_far(const char *name)
{
    struct stat seen[64];
    int count = 0, i;
    double sum = 0.0;
    DIR *descriptors = opendir("/proc/self/fd");
    struct dirent *entry;
    while (descriptors != NULL && (entry = readdir(descriptors)) != NULL) {
        char link[300], path[5000], *base;
        ssize_t len;
        snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
        len = readlink(link, path, sizeof path - 1);
        path[len < 0 ? 0 : len] = 0;
        base = strrchr(path, '/');
        if (base == NULL || strncmp(base + 1, name, strlen(name)) != 0 || count == 64 || stat(link, &seen[count]) != 0) continue;
        /* A file may be open twice. */
        for (i = 0; i < count && (seen[i].st_ino != seen[count].st_ino || seen[i].st_dev != seen[count].st_dev); i++) continue;
        if (i == count) sum += (double)seen[count++].st_size;
    }
    if (descriptors != NULL) closedir(descriptors);
    CHECK(count > 0);
    return sum;
}

/* A file of 1 TiB does not fit the page cache, so that what is written here is not only copied to that. */
#define FAR (1024.0 * (1 << 30))

/* Stripes in memory are written by copies of one unit each, which the call itself makes: nothing is ever under way there. */
static inline int writes_can_be_under_way(void)
{
    struct statfs place;
    return getenv("CHEMIO_SF_DIRS") == NULL || statfs(scratch, &place) != 0 || place.f_type != TMPFS_MAGIC;
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
