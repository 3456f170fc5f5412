/* SF, shared files: one byte-addressable file for all ranks.
 * Made from crates/capi-sf/src/c.rs and crates/capi-sf/src/codes.rs by crates/capi-sf/tests/headers.rs; do not edit. */

#ifndef CHEMIO_SF_H
#define CHEMIO_SF_H

#include <stdio.h>
#include <sys/types.h>

/* Result codes. */
#define SF_OK (0) /* no error */
#define SF_FAIL (1) /* the operation on the shared file failed */
#define SF_ERR_SEEK (-2000) /* an offset or length is out of range */
#define SF_ERR_WRITE (-1999) /* writing failed */
#define SF_ERR_AWRITE (-1998) /* writing asynchronously failed, or was not started */
#define SF_ERR_READ (-1997) /* reading failed */
#define SF_ERR_AREAD (-1996) /* reading asynchronously failed, or was not started */
#define SF_ERR_HANDLE (-1994) /* no shared file is open under this handle, or no such request */
#define SF_ERR_MODE (-1993) /* the file is open for reading only */
#define SF_ERR_STAT (-1991) /* the file or its directory cannot be asked about */
#define SF_ERR_OPEN (-1990) /* the shared file could not be created or opened */
#define SF_ERR_UNSUPPORTED (-1988) /* not supported on this machine */
#define SF_ERR_DELETE (-1987) /* the shared file could not be removed */
#define SF_ERR_CLOSE (-1986) /* data written earlier did not arrive when the file was closed */
#define SF_ERR_EOF (-1977) /* end of file: less was read than asked for */
#define SF_ERR_FSYNC (-1976) /* data did not reach the device */
#define SF_ERR_UNKNOWN (-1975) /* unknown error */
#define SF_ERR_NONINTEGER_OFFSET (-10018) /* an offset or length is not a whole number */


/**
 * An offset, a length or a hint in bytes, held in a double. Offsets and lengths are whole numbers from 0 to 1e14.
 */
typedef double SFsize_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes the file <fname>.<n>, open for reading and writing, and stores its handle, n - 3000, in *handle: the lowest
 * that is free, the same on all ranks; 0 is left out, so that from n = 3000
 * on it is n - 2999. A file that is there is taken as it is. Collective over all ranks.
 *
 * Hints in bytes, -1 for "don't know": no write may pass size_hard_limit; the file will be about size_soft_limit
 * long, which is reserved; most transfers have about req_size bytes.
 *
 * Returns the same on all ranks: 0; -1990 if the file could not be made, if MPI is not running, for a null pointer, or for a
 * name that is empty or that of a directory, as "scr/"; 1 if the ranks do not fit together; -1999 if there is no room for
 * the soft limit; -1988 if CHEMIO_BACKEND or CHEMIO_BUFFER_MB asks for what there is not; -1975 for an error inside
 * chemio. Then *handle is unchanged.
 */
int SF_Create(const char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size, int *handle);

/**
 * As SF_Create, but the file is <fname>.<suffix>, so that a later run finds it again. Collective over all ranks.
 */
int SF_Create_suffix(const char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size, int *handle, int suffix);

/**
 * Waits for what is under way on the file, removes it from disk, and frees its handle. Collective over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if there is no such file; 1 if the ranks give different handles; else why it
 * could not be removed. The handle is free in that last case too.
 */
int SF_Destroy(int handle);

/**
 * From now on the file is for reading only, whether it was open or closed. Local.
 *
 * Returns 0 or -1994. Writes that have failed are told by SF_Wait, SF_Close and SF_Fsync.
 */
int SF_Rwtor(int handle);

/**
 * Opens the file for reading and writing, whether it was open or closed. Local and cheap.
 *
 * Returns 0 or -1994. Writes that have failed are told by SF_Wait, SF_Close and SF_Fsync.
 */
int SF_Open(int handle);

/**
 * Closes the file on this rank, after what is under way has finished; SF_Open opens it again. Local and cheap.
 *
 * Returns 0, -1994, or the code of the first write that failed and that nobody was told of.
 */
int SF_Close(int handle);

/**
 * Waits until everything that this rank has written is on disk. Local.
 *
 * Returns 0, -1994, -1976, or the code of the first write that failed and that nobody was told of.
 */
int SF_Fsync(int handle);

/**
 * Starts writing bytes bytes from buffer at offset and stores the request in *req_id. Past the end the file grows; a
 * hole reads as zeros. Local.
 *
 * buffer must not change until SF_Wait, unless it is shorter than 65,536 bytes: then its bytes have been taken when the
 * call returns. Other ranks see what was written after SF_Wait.
 * Returns 0, or a code for bad arguments: -1994, -10018, -2000 or -1998 for a bad handle, an offset or length that is no
 * whole number, one below 0 or above 1e14, a null pointer; -1998 beyond the hard limit; -1994 or -1993 if the file is
 * closed or for reading only. Then *req_id is -1. Errors of the transfer come from SF_Wait.
 */
int SF_Write(int handle, SFsize_t offset, SFsize_t bytes, const void *buffer, int *req_id);

/**
 * Starts reading bytes bytes at offset into buffer and stores the request in *req_id. Local.
 *
 * buffer must stay where it is, and must not be used, until SF_Wait.
 * Returns 0, or a code for bad arguments, as in SF_Write (null: -1996); then *req_id is -1. Errors of the transfer,
 * -1977 past the end of the file among them, come from SF_Wait.
 */
int SF_Read(int handle, SFsize_t offset, SFsize_t bytes, void *buffer, int *req_id);

/**
 * Waits until the request *req_id has finished. May be repeated, with the same result; -1 is nothing to wait for. Local.
 *
 * Returns 0; -1994 if the request was never issued, or for a null pointer; -1977, -1996 or -1998 if the transfer met the end
 * of the file or failed. *req_id stays as it is.
 */
int SF_Wait(int *req_id);

/**
 * Waits for all num requests of list and returns the first error among them, as SF_Wait would. list stays as it is, so
 * that SF_Wait tells about each. Local.
 */
int SF_Waitall(int *list, int num);

/**
 * Stores what is known about the last error code in msg: at most 79 characters and a NUL, the cause first, the
 * path shortened. Empty for a number that is no code.
 */
void SF_Errmsg(int code, char *msg);

/**
 * Stores what is known about the last error code in msg, which has room for len characters, NUL included.
 */
void SF_Errmsg_full(int code, char *msg, size_t len);

#ifdef __cplusplus
}
#endif

#endif  /* CHEMIO_SF_H */
