/* Shared files behind engine.h and file.h. Compiled once with the Global Arrays package and once with chemio: the same source. */
#include "engine.h"

#include <stdio.h>
#include <string.h>

#include "file.h"
#include "ga.h"
#include "macdecls.h"
#include "sf.h"

enum { MA_WORDS = 1 << 17, NAME_BYTES_MAX = 1024, NAME_TOO_LONG = -1, NO_MEMORY_MANAGER = -2 };

static int file;
static int requests[ENGINE_SLOTS_MAX];

int engine_begin(void)
{
    GA_Initialize();
    return MA_init(C_DBL, MA_WORDS, MA_WORDS) ? 0 : NO_MEMORY_MANAGER;
}

int engine_end(void)
{
    GA_Terminate();
    return 0;
}

/* A library that is told a suffix appends it: the file with suffix 0 is the name and ".0". */
int engine_create(const char *path, int64_t bytes, int64_t request_bytes)
{
    char name[NAME_BYTES_MAX];
    size_t length = strlen(path) - strlen(".0");
    if (length >= sizeof name)
        return NAME_TOO_LONG;
    memcpy(name, path, length);
    name[length] = '\0';
    return SF_Create_suffix(name, (SFsize_t)bytes, (SFsize_t)bytes, (SFsize_t)request_bytes, &file, 0);
}

int engine_destroy(void)
{
    return SF_Destroy(file);
}

int engine_start_write(int slot, int64_t offset_bytes, const void *buffer, int64_t chunk_bytes)
{
    return SF_Write(file, (SFsize_t)offset_bytes, (SFsize_t)chunk_bytes, (char *)buffer, &requests[slot]);
}

int engine_start_read(int slot, int64_t offset_bytes, void *buffer, int64_t chunk_bytes)
{
    return SF_Read(file, (SFsize_t)offset_bytes, (SFsize_t)chunk_bytes, buffer, &requests[slot]);
}

int engine_wait(int slot)
{
    return SF_Wait(&requests[slot]);
}

/* Shared files have no blocking calls: what is started is waited for. */
int engine_write(int64_t offset_bytes, const void *buffer, int64_t chunk_bytes)
{
    int code = engine_start_write(0, offset_bytes, buffer, chunk_bytes);
    return code ? code : engine_wait(0);
}

int engine_read(int64_t offset_bytes, void *buffer, int64_t chunk_bytes)
{
    int code = engine_start_read(0, offset_bytes, buffer, chunk_bytes);
    return code ? code : engine_wait(0);
}

void engine_explain(int code, char *text, size_t text_bytes)
{
    char message[256] = "";
    SF_Errmsg(code, message);
    snprintf(text, text_bytes, "SF error %d: %.*s", code, (int)sizeof message, message);
}
