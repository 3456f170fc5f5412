/* DRA, disk-resident arrays: arrays on disk that are Zarr v3 arrays, and transfers between them and global arrays.
 * Made from crates/capi-dra/src/c.rs and crates/capi-dra/src/codes.rs by crates/capi-dra/tests/headers.rs; do not edit.
 *
 * Indices count from 0, the last one varies fastest, and bounds are inclusive. */

#ifndef CHEMIO_DRA_H
#define CHEMIO_DRA_H

#include <stdio.h>
#include <sys/types.h>

/* Access modes. */
#define DRA_RW (-1)
#define DRA_W (-2)
#define DRA_R (-3)

/* The request of a call that started no transfer. */
#define DRA_REQ_INVALID (-333)

/* Result codes. */
#define DRA_OK (0) /* no error */
#define DRA_FAIL (1) /* the operation on the disk-resident array failed */
#define DRA_ERR_MISSING (-1) /* there is no such array, only half of one, or no such attribute */
#define DRA_ERR_SEEK (-2000) /* an offset in a file is out of range */
#define DRA_ERR_WRITE (-1999) /* writing failed */
#define DRA_ERR_AWRITE (-1998) /* writing asynchronously failed */
#define DRA_ERR_READ (-1997) /* reading failed */
#define DRA_ERR_AREAD (-1996) /* reading asynchronously failed */
#define DRA_ERR_HANDLE (-1994) /* no array has this handle, or no such request */
#define DRA_ERR_MODE (-1993) /* invalid access mode, or the array is open for something else */
#define DRA_ERR_STAT (-1991) /* the file system cannot be asked */
#define DRA_ERR_OPEN (-1990) /* a file of the array could not be made or opened */
#define DRA_ERR_UNSUPPORTED (-1988) /* not supported on this machine */
#define DRA_ERR_DELETE (-1987) /* a file of the array could not be removed */
#define DRA_ERR_CLOSE (-1986) /* data written earlier did not arrive when a file was closed */
#define DRA_ERR_TRUNCATE (-1978) /* the length of a file could not be set */
#define DRA_ERR_EOF (-1977) /* a file of the array is too short */
#define DRA_ERR_FSYNC (-1976) /* data did not reach the device */
#define DRA_ERR_UNKNOWN (-1975) /* an internal error, or an unknown one */
#define DRA_ERR_TOO_SHORT (-10016) /* a character argument is too short for the answer */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begins the use of arrays on disk, after GA_Initialize. A second call does nothing. Collective over all ranks.
 *
 * max_memory: bytes of memory for transfers on each rank, all together; a number that makes no sense, such as -1, says nothing,
 * and less than two bricks is raised to that. The other arguments do not matter.
 *
 * libchemio starts MPI where nobody has, and ends what it has started; with libchemio_pario it has to run.
 * Returns 0, or 1 if MPI does not run or the ranks could not talk to each other.
 */
int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);

#ifdef __cplusplus
}
#endif


/**
 * An extent or an index of an array on disk.
 */
typedef long dra_size_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes an array on disk, a directory filename that any Zarr reader opens, and stores its handle in *d_a: the lowest that
 * is free from -5000 upward, without 0, the same on all ranks. An array made by chemio that is there is replaced; anything else is left
 * alone, and an error. Collective over all ranks.
 *
 * type: one of the codes of macdecls.h but characters, bytes and long double. dims: ndim extents, 1 to 7. mode: DRA_RW or
 * DRA_W.
 * reqdims: the extents of a typical section, -1 for "don't know": they shape the bricks that the array is stored in.
 *
 * Returns the same on all ranks: 0; -1993 for a mode that is none; 1 for other bad arguments, arguments that differ between
 * ranks, and something else in the place; else the code of the device. Then *d_a is unchanged.
 */
int NDRA_Create(int type, int ndim, const dra_size_t *dims, const char *name, const char *filename, int mode, const dra_size_t *reqdims, int *d_a);

/**
 * As NDRA_Create, in so many files, for which so many processes do the input and output; -1 for "don't know": as
 * DRA_Set_default_config says. Files are equal boxes of bricks, so not every number is possible. Collective over all ranks.
 */
int NDRA_Create_config(int type, int ndim, const dra_size_t *dims, const char *name, const char *filename, int mode, const dra_size_t *reqdims, int numfiles, int numioprocs, int *d_a);

/**
 * Opens the array in the directory filename, whoever wrote it, and stores its handle in *d_a. One array may be open under
 * several handles. Collective over all ranks.
 *
 * mode: DRA_RW, DRA_W (for writing only) or DRA_R (for reading only).
 *
 * Returns the same on all ranks: 0; -1 if there is no array, or one whose creation was interrupted; -1993 for a mode that
 * is none; 1 if what is there is no array, or a damaged one; else the code of the device. Then *d_a is unchanged.
 */
int DRA_Open(const char *filename, int mode, int *d_a);

/**
 * Waits for what is under way on the array, and until all of it is on the device; its handle is free then, also after an
 * error. Collective over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if there is no such array; 1 if the ranks give different handles; else the code of
 * the first write that failed and that no DRA_Wait has told, or why data did not reach the device.
 */
int DRA_Close(int d_a);

/**
 * Waits for what is under way on the array and removes it from disk; its handle is free then, also after an error. An array
 * that was not made by chemio is left alone, and an error. Collective over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if there is no such array; 1 if the ranks give different handles, or another array has
 * taken its place, which stays; else why it could not be removed.
 */
int DRA_Delete(int d_a);

/**
 * Closes every array that is open and ends what DRA_Init began. Collective over all ranks.
 *
 * Returns the same on all ranks: 0, also if nothing was begun; 1 if a rank is in another call, and then nothing has ended; else what the
 * first DRA_Close that failed returns.
 */
int DRA_Terminate(void);

/**
 * Starts writing all of the global array g_a to all of d_a, and stores the request in *request. Where the shapes differ
 * but the numbers of elements do not, the k-th element in row-major order goes to the k-th. Collective over all ranks.
 *
 * Nobody changes the elements of g_a before DRA_Wait.
 * Returns the same on all ranks: 0; -1994 for a bad handle; -1993 if the array is open for reading only; 1 if types or
 * numbers of elements differ. Then *request is -333. Errors of the transfer come from DRA_Wait.
 */
int NDRA_Write(int g_a, int d_a, int *request);

/**
 * As NDRA_Write, from disk to the global array, which is not used before DRA_Wait.
 */
int NDRA_Read(int g_a, int d_a, int *request);

/**
 * Starts writing the section glo to ghi of g_a to the section dlo to dhi of d_a: first and last indices, from 0,
 * one for each dimension of its array. With transp dimensions are in reverse order, so that a matrix is transposed.
 * Otherwise as NDRA_Write; a section that is empty or beyond its array is an error, 1. Collective over all ranks.
 */
int NDRA_Write_section(int transp, int g_a, const int *glo, const int *ghi, int d_a, const dra_size_t *dlo, const dra_size_t *dhi, int *request);

/**
 * As NDRA_Write_section, from disk to the global array, which is not used before DRA_Wait.
 */
int NDRA_Read_section(int transp, int g_a, const int *glo, const int *ghi, int d_a, const dra_size_t *dlo, const dra_size_t *dhi, int *request);

/**
 * Copies array d_src into array d_dst, of any bricks, with the dimensions in another order: dimension perm[i] of the source
 * becomes dimension i of the target, counted from 0. All of the target is written, and is on the device when this returns; until
 * then the target cannot be read or written, also if the program is killed. The same call made again goes on where it was. It moves the
 * array in as few passes as the memory of DRA_Init on all ranks together allows. Collective over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if there is no such array; 1 if source and target are one array, have other types, or the
 * target's dimensions are not those of the source in this order, if there is not enough memory, or for a null pointer; -1993 if the
 * target was opened for reading or the source for writing alone; else the code of the first error, on whichever rank it was.
 */
int NDRA_Copy(int d_src, int d_dst, const int *perm);

/**
 * As NDRA_Copy, but returns when the first part is being read. The copy goes on in DRA_Probe, which does not wait for transfers (but,
 * at the end of a pass and of each 4 GiB, for what is noted of them), and is complete after DRA_Wait, or when DRA_Probe says so;
 * neither array may be used before. What is being read or written when a call returns goes on by itself. Copies come one after the
 * other: waiting for one waits for those before it, and a call whose target one before it still uses waits for that one. Collective
 * over all ranks.
 */
int NDRA_Ncopy(int d_src, int d_dst, const int *perm, int *request);

/**
 * Waits until a transfer has finished on all ranks. May be repeated, with the same result; -333 is nothing to wait for.
 * Collective over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if the request was never issued; 1 if the ranks give different ones; else the code
 * of the first error, on whichever rank it was.
 */
int DRA_Wait(int request);

/**
 * Stores in *compl_status whether a transfer has finished: -1 if so, 0 if not. Its errors are told by DRA_Wait. Collective
 * over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if the request was never issued; 1 for a null pointer, or if the ranks give different
 * requests.
 */
int DRA_Probe(int request, int *compl_status);

/**
 * Stores what is known about an array: the code of its type in C, its extents, its name (at most 72 characters and a NUL), and
 * its directory (at most 248 and a NUL). Local.
 *
 * Returns 0; -1994 if there is no such array; 1 for a null pointer. Then nothing is stored.
 */
int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t *dims, char *name, char *filename);

/**
 * As NDRA_Inquire, with room for name_len and filename_len characters, NULs included. What does not fit is cut. Local.
 */
int NDRA_Inquire_full(int d_a, int *type, int *ndim, dra_size_t *dims, char *name, size_t name_len, char *filename, size_t filename_len);

/**
 * Tells where an array is: in how many parts, and for one of them, counted from 0, its host and how many bytes its files have when
 * all elements have been written. An array has one part, and host is empty, where all hosts see the directory; where each has
 * its own disk, one for each host, in a directory of the same name. host has room for len characters, NUL included. Local.
 *
 * Returns 0; -1994 if there is no such array; -10016 if there is not enough room; 1 if there is no such part, or for a null
 * pointer. Then nothing is stored.
 */
int DRA_Hosts(int d_a, int part, int *parts, char *host, size_t len, double *bytes);

/**
 * What new arrays are like that say nothing themselves: in so many files, for which so many processes do the input and
 * output; -1 for "don't know": one file and two processes for each host. Called on all ranks alike, after DRA_Init; before it, it does nothing. Local.
 */
void DRA_Set_default_config(int numfiles, int numioprocs);

/**
 * Prints what is known about an array, on the first rank. Local.
 */
void DRA_Print_internals(int d_a);

/**
 * Does nothing: the environment variable CHEMIO_LOG says what is told about transfers.
 */
void DRA_Set_debug(int _flag);

/**
 * Gives other threads of this process a chance. Transfers go on without it. Local.
 */
void DRA_Flick(void);

/**
 * Whether indices of the C calls count as those of Fortran: 0, they never do.
 */
int DRA_uses_fapi(void);

/**
 * Stores the value of the attribute key of an array as a JSON text in value, which has room for len characters, NUL
 * included. Local.
 *
 * Returns 0; -1994 if there is no such array; -1 if it has no such attribute; -10016 if there is not enough room; 1 for a null
 * pointer or a key that is not UTF-8. Then nothing is stored.
 */
int DRA_Get_attribute(int d_a, const char *key, char *value, size_t len);

/**
 * Gives the attribute key of an array a value, a JSON text ("1.5", "\"eV\"", "[1, 2]"), which other programs find with
 * the array; a null pointer takes it away. The attributes chemio and chemio_between cannot be changed. An array with the
 * attribute chemio_unfinished, an object whose what says what has to end before, cannot be read. Collective over all ranks.
 *
 * Returns the same on all ranks: 0; -1994 if there is no such array; -1993 if it is open for reading only; 1 for a text that is
 * not JSON or not UTF-8, a null key, one of those attributes, or arguments that differ between ranks; else the code of the device.
 */
int DRA_Set_attribute(int d_a, const char *key, const char *value);

/**
 * Stores what is known about the last error code in msg: at most 79 characters and a NUL, the cause first. Empty for a
 * number that is no code.
 */
void DRA_Errmsg(int code, char *msg);

/**
 * Stores what is known about the last error code in msg, which has room for len characters, NUL included.
 */
void DRA_Errmsg_full(int code, char *msg, size_t len);

#ifdef __cplusplus
}
#endif

#endif  /* CHEMIO_DRA_H */
