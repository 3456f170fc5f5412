#include "packing.h"

#include <zstd.h>

#include "fail.h"
#include "options.h"

static ZSTD_CCtx *packer;
static ZSTD_DCtx *unpacker;

static size_t segment_bytes(void)
{
    return (size_t)options.elements * sizeof(double);
}

void packing_begin(void)
{
    packer = ZSTD_createCCtx();
    unpacker = ZSTD_createDCtx();
    if (!packer || !unpacker)
        fail("no memory for zstd");
    ZSTD_CCtx_setParameter(packer, ZSTD_c_compressionLevel, options.level);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_checksumFlag, 1);
}

void packing_end(void)
{
    ZSTD_freeCCtx(packer);
    ZSTD_freeDCtx(unpacker);
}

size_t packing_bytes_max(void)
{
    return ZSTD_compressBound(segment_bytes());
}

size_t pack(const double *segment, void *packed)
{
    size_t bytes = ZSTD_compress2(packer, packed, packing_bytes_max(), segment, segment_bytes());
    if (ZSTD_isError(bytes))
        fail("compressing: %s", ZSTD_getErrorName(bytes));
    return bytes;
}

void unpack(const void *packed, size_t bytes, double *segment, const char *what, int number)
{
    size_t found = ZSTD_decompressDCtx(unpacker, segment, segment_bytes(), packed, bytes);
    if (ZSTD_isError(found))
        fail("%s %d is damaged: %s", what, number, ZSTD_getErrorName(found));
    if (found != segment_bytes())
        fail("%s %d has %zu bytes instead of %zu", what, number, found, segment_bytes());
}
