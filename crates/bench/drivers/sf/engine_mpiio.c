/* MPI-IO behind engine.h and file.h: independent calls with explicit offsets, no hints, as a program uses them that knows
 * nothing of the file system. */
#include "engine.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "file.h"

enum { SHORT_TRANSFER = -1 };

static MPI_File file = MPI_FILE_NULL;

static struct {
    MPI_Request request;
    int bytes;
} pending[ENGINE_SLOTS_MAX];

int engine_begin(void)
{
    return 0;
}

int engine_end(void)
{
    return 0;
}

int engine_create(const char *path, int64_t bytes, int64_t request_bytes)
{
    (void)bytes;
    (void)request_bytes;
    return MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

int engine_destroy(void)
{
    return MPI_File_close(&file);
}

/* A transfer that moved less than it should is a failure, too. */
static int check(int code, MPI_Status *status, int bytes)
{
    int moved = 0;
    if (code != MPI_SUCCESS)
        return code;
    MPI_Get_count(status, MPI_BYTE, &moved);
    return moved == bytes ? 0 : SHORT_TRANSFER;
}

int engine_write(int64_t offset_bytes, const void *buffer, int64_t chunk_bytes)
{
    MPI_Status status;
    int code = MPI_File_write_at(file, (MPI_Offset)offset_bytes, buffer, (int)chunk_bytes, MPI_BYTE, &status);
    return check(code, &status, (int)chunk_bytes);
}

int engine_read(int64_t offset_bytes, void *buffer, int64_t chunk_bytes)
{
    MPI_Status status;
    int code = MPI_File_read_at(file, (MPI_Offset)offset_bytes, buffer, (int)chunk_bytes, MPI_BYTE, &status);
    return check(code, &status, (int)chunk_bytes);
}

int engine_start_write(int slot, int64_t offset_bytes, const void *buffer, int64_t chunk_bytes)
{
    pending[slot].bytes = (int)chunk_bytes;
    return MPI_File_iwrite_at(file, (MPI_Offset)offset_bytes, buffer, (int)chunk_bytes, MPI_BYTE, &pending[slot].request);
}

int engine_start_read(int slot, int64_t offset_bytes, void *buffer, int64_t chunk_bytes)
{
    pending[slot].bytes = (int)chunk_bytes;
    return MPI_File_iread_at(file, (MPI_Offset)offset_bytes, buffer, (int)chunk_bytes, MPI_BYTE, &pending[slot].request);
}

int engine_wait(int slot)
{
    MPI_Status status;
    int code = MPI_Wait(&pending[slot].request, &status);
    return check(code, &status, pending[slot].bytes);
}

void engine_explain(int code, char *text, size_t text_bytes)
{
    char message[MPI_MAX_ERROR_STRING] = "fewer bytes than asked for";
    int length;
    if (code != SHORT_TRANSFER)
        MPI_Error_string(code, message, &length);
    snprintf(text, text_bytes, "MPI-IO: %s", message);
}
