/* EAF behind engine.h and file.h. Linked once with the Global Arrays package and once with chemio: the same object for both. */
#include "engine.h"

#include <stdio.h>

#include "eaf.h"
#include "file.h"

static int file = -1;
static int requests[ENGINE_SLOTS_MAX];

int engine_open(const char *path, int create, int64_t chunk_bytes)
{
    (void)chunk_bytes;
    return EAF_Open((char *)path, create ? EAF_RW : EAF_R, &file);
}

int engine_close(void)
{
    return EAF_Close(file);
}

int engine_write(int64_t offset_bytes, const void *buffer, int64_t chunk_bytes)
{
    return EAF_Write(file, (eaf_off_t)offset_bytes, buffer, (size_t)chunk_bytes);
}

int engine_read(int64_t offset_bytes, void *buffer, int64_t chunk_bytes)
{
    return EAF_Read(file, (eaf_off_t)offset_bytes, buffer, (size_t)chunk_bytes);
}

int engine_start_write(int slot, int64_t offset_bytes, const void *buffer, int64_t chunk_bytes)
{
    return EAF_Awrite(file, (eaf_off_t)offset_bytes, buffer, (size_t)chunk_bytes, &requests[slot]);
}

int engine_start_read(int slot, int64_t offset_bytes, void *buffer, int64_t chunk_bytes)
{
    return EAF_Aread(file, (eaf_off_t)offset_bytes, buffer, (size_t)chunk_bytes, &requests[slot]);
}

int engine_wait(int slot)
{
    return EAF_Wait(file, requests[slot]);
}

void engine_explain(int code, char *text, size_t text_bytes)
{
    char message[256] = "";
    EAF_Errmsg(code, message);
    snprintf(text, text_bytes, "EAF error %d: %s", code, message);
}
