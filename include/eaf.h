/* EAF, exclusive access files: private scratch files of one process.
 * Made from crates/capi/src/eaf/c.rs and crates/eaf/src/codes.rs by crates/capi/tests/headers.rs; do not edit. */

#ifndef CHEMIO_EAF_H
#define CHEMIO_EAF_H

#include <stdio.h>
#include <sys/types.h>

/* Types for EAF_Open; a positive type is a size in megabytes. */
#define EAF_RW (-1)
#define EAF_W (-2)
#define EAF_R (-3)

/* Result codes. */
#define EAF_OK (0) /* no error */
#define EAF_ERR_OPEN (-44) /* the file could not be opened */
#define EAF_ERR_EOF (-10001) /* end of file */
#define EAF_ERR_MAX_OPEN (-10002) /* too many open files */
#define EAF_ERR_MEMORY (-10003) /* out of memory */
#define EAF_ERR_OPENING (-10004) /* opening failed */
#define EAF_ERR_CLOSE (-10005) /* closing failed */
#define EAF_ERR_INVALID_FD (-10006) /* this file descriptor is not open */
#define EAF_ERR_WRITE (-10007) /* the write was not started */
#define EAF_ERR_AWRITE (-10008) /* the asynchronous write was not started */
#define EAF_ERR_READ (-10009) /* the read was not started */
#define EAF_ERR_AREAD (-10010) /* the asynchronous read was not started */
#define EAF_ERR_WAIT (-10011) /* no such request to wait for */
#define EAF_ERR_PROBE (-10012) /* no such request to probe */
#define EAF_ERR_UNLINK (-10013) /* the file could not be deleted */
#define EAF_ERR_UNIMPLEMENTED (-10014) /* not implemented */
#define EAF_ERR_STAT (-10015) /* the file system could not be asked */
#define EAF_ERR_TOO_SHORT (-10016) /* a character argument is too short for the answer */
#define EAF_ERR_TOO_LONG (-10017) /* a character argument is too long */
#define EAF_ERR_NONINTEGER_OFFSET (-10018) /* an offset or length is not a whole number */
#define EAF_ERR_TRUNCATE (-10019) /* the length could not be set */
#define EAF_ERR_LENGTH (-10020) /* the length could not be had */
#define ELIO_ERR_SEEK (-2000) /* an offset or length is out of range */
#define ELIO_ERR_WRITE (-1999) /* writing failed */
#define ELIO_ERR_AWRITE (-1998) /* writing asynchronously failed */
#define ELIO_ERR_READ (-1997) /* reading failed */
#define ELIO_ERR_AREAD (-1996) /* reading asynchronously failed */
#define ELIO_ERR_SUSPEND (-1995) /* waiting for the device failed */
#define ELIO_ERR_HANDLE (-1994) /* invalid handle */
#define ELIO_ERR_MODE (-1993) /* invalid mode */
#define ELIO_ERR_DIRECTORY (-1992) /* no such directory */
#define ELIO_ERR_STAT (-1991) /* no such directory, or its file system cannot be asked */
#define ELIO_ERR_OPEN (-1990) /* opening on the device failed */
#define ELIO_ERR_ALLOC (-1989) /* out of memory in the device layer */
#define ELIO_ERR_UNSUPPORTED (-1988) /* not supported on this machine */
#define ELIO_ERR_DELETE (-1987) /* deleting on the device failed */
#define ELIO_ERR_CLOSE (-1986) /* data written earlier did not arrive when the file was closed */
#define ELIO_ERR_INTERRUPTED (-1985) /* interrupted */
#define ELIO_ERR_RETURN (-1984) /* unexpected answer of the device */
#define ELIO_ERR_NAME_TOO_LONG (-1983) /* the file name is too long */
#define ELIO_ERR_FS_TYPE (-1982) /* unknown file system type */
#define ELIO_ERR_CONVERSION (-1981) /* a number could not be converted */
#define ELIO_ERR_DEVICE_TYPE (-1980) /* unknown device type */
#define ELIO_ERR_PROBE (-1979) /* probing the device failed */
#define ELIO_ERR_TRUNCATE (-1978) /* truncating on the device failed */
#define ELIO_ERR_EOF (-1977) /* end of file: less was read than asked for */
#define ELIO_ERR_FSYNC (-1976) /* data did not reach the device */
#define ELIO_ERR_UNKNOWN (-1975) /* unknown error */


/**
 * An offset or length in bytes: a whole number from 0 to 1e14, held in a double.
 */
typedef double eaf_off_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Opens the file fname and stores its handle, the lowest that is free, in *fd.
 *
 * type: EAF_RW (created if missing, kept if present), EAF_W (created if missing, emptied if present), EAF_R
 * (must be there), or a positive number of megabytes (2^20 bytes): the file is held in memory, at most that long,
 * and outlives its handle until EAF_Delete.
 *
 * Returns 0, or -44; then *fd is unchanged and EAF_Errmsg(-44, msg) tells the cause.
 */
int EAF_Open(const char *fname, int type, int *fd);

/**
 * Closes fd, after everything outstanding on it has finished.
 *
 * Returns 0; -10006 if fd is not open; else the code of the first write that failed and was never waited for. The
 * file is closed all the same.
 */
int EAF_Close(int fd);

/**
 * Deletes the file fname, on disk or in memory. Handles that are open on it stay usable.
 *
 * Returns 0, also if there is no such file; else -10013.
 */
int EAF_Delete(const char *fname);

/**
 * Writes bytes bytes from buf at offset. Past the end the file grows; a hole reads as zeros.
 *
 * Returns 0; -10006, -10018, -2000 or -10007 for a bad handle, a fractional or NaN offset, an offset below 0 or above
 * 1e14, a null buffer; -1999 if writing failed.
 */
int EAF_Write(int fd, eaf_off_t offset, const void *buf, size_t bytes);

/**
 * Reads bytes bytes at offset into buf.
 *
 * Returns 0; -1977 past the end of the file, with what there is already in buf; -10006, -10018, -2000 or -10009 for
 * bad arguments, as in EAF_Write; -1997 if reading failed.
 */
int EAF_Read(int fd, eaf_off_t offset, void *buf, size_t bytes);

/**
 * Starts writing bytes bytes from buf at offset and stores the request in *req_id.
 *
 * buf must not change until the request has been waited for, unless it is shorter than 65,536 bytes: then its bytes
 * have been taken when the call returns.
 * Returns 0, or a code for bad arguments, as in EAF_Write (null: -10008); then *req_id is -1. Errors of the
 * transfer come from EAF_Wait, or from EAF_Close if nobody waits.
 */
int EAF_Awrite(int fd, eaf_off_t offset, const void *buf, size_t bytes, int *req_id);

/**
 * Starts reading bytes bytes at offset into buf and stores the request in *req_id.
 *
 * buf must stay where it is, and must not be used, until the request has been waited for.
 * Returns 0, or a code for bad arguments, as in EAF_Write (null: -10010); then *req_id is -1. Errors of the
 * transfer, -1977 at the end of the file among them, come from EAF_Wait.
 */
int EAF_Aread(int fd, eaf_off_t offset, void *buf, size_t bytes, int *req_id);

/**
 * Waits until request id of file fd has finished. May be repeated, with the same result.
 *
 * Returns 0; -10006 if fd is not open; -10011 if id was never issued; -1977, -1996 or -1998 if the transfer met
 * the end of the file or failed.
 */
int EAF_Wait(int fd, int id);

/**
 * Stores 0 in *status if request id has finished, 1 if it has not. Does not wait.
 *
 * Returns 0, or -10012 if id was never issued.
 */
int EAF_Probe(int id, int *status);

/**
 * Stores the length of the file in *length, in bytes.
 *
 * Returns 0, -10006 or -10020.
 */
int EAF_Length(int fd, eaf_off_t *length);

/**
 * Sets the length of the file to length bytes, after everything outstanding on it has finished. Growing adds zeros.
 *
 * Returns 0, -10006, -10018, -2000 or -10019.
 */
int EAF_Truncate(int fd, eaf_off_t length);

/**
 * Stores the available space, in megabytes (2^20 bytes), and the type of the file system that holds path.
 *
 * The last component of path is stripped: the file need not exist. fstype gets "PFS" on a parallel file system and
 * "UFS" on any other; fslen is its room in characters, NUL included.
 *
 * Returns 0; -1991 if there is no such directory; -10016 if fslen is less than 4; -10015 for a null pointer.
 */
int EAF_Stat(const char *path, long *avail_mb, char *fstype, int fslen);

/**
 * Whether code says that a read met the end of the file: 1 for -1977 and -10001, else 0.
 */
int EAF_Eof(int code);

/**
 * Stores what is known about the last error code in msg: at most 79 characters and a NUL, the cause first, the
 * path shortened. Empty for a number that is no code.
 */
void EAF_Errmsg(int code, char *msg);

/**
 * Stores what is known about the last error code in msg, which has room for len characters, NUL included.
 */
void EAF_Errmsg_full(int code, char *msg, size_t len);

/**
 * Prints name and size of the file and, for write, read, awrite, aread and wait, calls, bytes, seconds and MB/s
 * (10^6 bytes a second) to standard output, and flushes it.
 */
void EAF_Print_stats(int fd);

#ifdef __cplusplus
}
#endif

#endif  /* CHEMIO_EAF_H */
