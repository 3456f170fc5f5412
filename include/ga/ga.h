/* Distributed arrays, with the calls of Global Arrays.
 * Made from crates/capi-ga/src/c by crates/capi-ga/tests/headers.rs; do not edit.
 *
 * Indices count from 0, the last one varies fastest, and bounds are inclusive. A call that cannot return an error, and
 * meets one, prints it on standard error and ends all processes. Null pointers are errors, but for chunks.
 *
 * Collective, over the processes of the default group or of the array's group, are: beginning and end; creating, allocating,
 * duplicating and destroying arrays; creating and splitting groups; mutexes; sync and mask_sync, brdcst and all gops; all calls
 * on whole arrays and on patches, and printing them. All these processes make them, in the same order. Calls on whole arrays and on
 * patches synchronise before and after, unless GA_Mask_sync says otherwise. Other calls are made by one process by itself. */

#ifndef CHEMIO_GA_H
#define CHEMIO_GA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gacommon.h"
#include "macdecls.h"

/** A nonblocking operation under way. */
typedef Integer ga_nbhdl_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Begins the use of arrays, and of MPI if the program has not. Collective over all processes. A second call does
 * nothing. */
void GA_Initialize(void);

/** As GA_Initialize. */
void NGA_Initialize(void);

/** As GA_Initialize; the arguments of main are not changed. */
void GA_Initialize_args(int *argc, char ***argv);

/** As GA_Initialize, with so many bytes for arrays on each process. */
void GA_Initialize_ltd(size_t limit);

/** As GA_Initialize_ltd. */
void NGA_Initialize_ltd(size_t limit);

#ifdef __cplusplus
}
#endif


#ifdef __cplusplus
extern "C" {
#endif

/**
 * Ends the use of arrays: completes what is under way and frees what is left. MPI goes on if the program started it.
 * A second call does nothing. Collective over all processes.
 */
void GA_Terminate(void);

/**
 * As GA_Terminate.
 */
void NGA_Terminate(void);

/**
 * 1 between GA_Initialize and GA_Terminate, else 0.
 */
int GA_Initialized(void);

/**
 * As GA_Initialized.
 */
int NGA_Initialized(void);

/**
 * Prints the process, the message and the code on standard error, with the reason of the last call that failed, and ends
 * all processes. The exit code is code, or 255 where that is 0.
 */
void GA_Error(const char *str, int code);

/**
 * As GA_Error.
 */
void NGA_Error(const char *str, int code);

/**
 * This process's number in the default group, from 0.
 */
int GA_Nodeid(void);

/**
 * As GA_Nodeid.
 */
int NGA_Nodeid(void);

/**
 * Number of processes in the default group.
 */
int GA_Nnodes(void);

/**
 * As GA_Nnodes.
 */
int NGA_Nnodes(void);

/**
 * Completes all operations of all processes of the default group and waits for them. Collective over it.
 */
void GA_Sync(void);

/**
 * As GA_Sync.
 */
void NGA_Sync(void);

/**
 * Says whether the next collective operation on arrays synchronises at its beginning and at its end, as it does if
 * nothing is said. The same on every process.
 */
void GA_Mask_sync(int first, int last);

/**
 * As GA_Mask_sync.
 */
void NGA_Mask_sync(int first, int last);

/**
 * Begins what GA_Fence completes. It has nothing to do: a fence completes everything.
 */
void GA_Init_fence(void);

/**
 * As GA_Init_fence.
 */
void NGA_Init_fence(void);

/**
 * Completes all operations of this process, at the processes that hold the elements.
 */
void GA_Fence(void);

/**
 * As GA_Fence.
 */
void NGA_Fence(void);

/**
 * Seconds since some moment in the past, the same within a process.
 */
double GA_Wtime(void);

/**
 * As GA_Wtime.
 */
double NGA_Wtime(void);

/**
 * 1 if the Fortran ga_initialize began everything, else 0.
 */
int GA_Uses_fapi(void);

/**
 * 0: arrays do not lie in the memory of MA.
 */
int GA_Uses_ma(void);

/**
 * As GA_Uses_ma.
 */
int NGA_Uses_ma(void);

/**
 * Bytes that arrays may still take on this process; the largest size_t without a limit.
 */
size_t GA_Memory_avail(void);

/**
 * As GA_Memory_avail.
 */
size_t NGA_Memory_avail(void);

/**
 * Whether the memory of arrays is limited.
 */
int GA_Memory_limited(void);

/**
 * As GA_Memory_limited.
 */
int NGA_Memory_limited(void);

/**
 * Bytes that arrays take on this process.
 */
size_t GA_Inquire_memory(void);

/**
 * As GA_Inquire_memory.
 */
size_t NGA_Inquire_memory(void);

/**
 * Limits the bytes that arrays may take on each process; the largest size_t lifts the limit.
 */
void GA_Set_memory_limit(size_t limit);

/**
 * As GA_Set_memory_limit.
 */
void NGA_Set_memory_limit(size_t limit);

/**
 * Number of nodes: groups of processes that share memory.
 */
int GA_Cluster_nnodes(void);

/**
 * The node of this process, from 0.
 */
int GA_Cluster_nodeid(void);

/**
 * Number of processes on node x; 0 if there is no such node.
 */
int GA_Cluster_nprocs(int x);

/**
 * The number of process y of node x; -1 if there is none.
 */
int GA_Cluster_procid(int x, int y);

/**
 * The node of process proc; -1 if there is none.
 */
int GA_Cluster_proc_nodeid(int proc);

/**
 * Makes an array of zeros over the default group and returns its handle, or 0 where that is impossible; GA_Error and
 * the log then tell why. Collective over the group.
 *
 * type: C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL. dims: ndim extents, at most 7, the last index
 * varies fastest. chunk: least extents of a process's block, which are multiples of them; the whole extent keeps a
 * dimension in one piece, 0 or less leaves it free. chunk may be null.
 */
int NGA_Create(int type, int ndim, const int *dims, const char *name, const int *chunk);

/**
 * As NGA_Create.
 */
int NGA_Create64(int type, int ndim, const int64_t *dims, const char *name, const int64_t *chunk);

/**
 * As NGA_Create, over the group p_handle; without such a group the program ends.
 */
int NGA_Create_config(int type, int ndim, const int *dims, const char *name, const int *chunk, int p_handle);

/**
 * As NGA_Create_config.
 */
int NGA_Create_config64(int type, int ndim, const int64_t *dims, const char *name, const int64_t *chunk, int p_handle);

/**
 * Makes an array whose blocks begin where map says: for each dimension block[d] ascending first indices, beginning
 * with 0, those of dimension 0 first. There are at most as many blocks as processes. Otherwise as NGA_Create.
 */
int NGA_Create_irreg(int type, int ndim, const int *dims, const char *name, const int *block, const int *map);

/**
 * As NGA_Create_irreg.
 */
int NGA_Create_irreg64(int type, int ndim, const int64_t *dims, const char *name, const int64_t *block, const int64_t *map);

/**
 * As NGA_Create_irreg, over the group p_handle; without such a group the program ends.
 */
int NGA_Create_irreg_config(int type, int ndim, const int *dims, const char *name, const int *block, const int *map, int p_handle);

/**
 * As NGA_Create_irreg_config.
 */
int NGA_Create_irreg_config64(int type, int ndim, const int64_t *dims, const char *name, const int64_t *block, const int64_t *map, int p_handle);

/**
 * A handle for an array that the GA_Set calls describe and GA_Allocate makes; 0 before GA_Initialize.
 */
int GA_Create_handle(void);

/**
 * As GA_Create_handle.
 */
int NGA_Create_handle(void);

/**
 * Says type and shape of an array that is not allocated yet; see NGA_Create.
 */
void GA_Set_data(int g_a, int ndim, const int *dims, int type);

/**
 * As GA_Set_data.
 */
void NGA_Set_data(int g_a, int ndim, const int *dims, int type);

/**
 * As GA_Set_data.
 */
void GA_Set_data64(int g_a, int ndim, const int64_t *dims, int type);

/**
 * As GA_Set_data.
 */
void NGA_Set_data64(int g_a, int ndim, const int64_t *dims, int type);

/**
 * Says the least extents of blocks, after GA_Set_data; see NGA_Create.
 */
void GA_Set_chunk(int g_a, const int *chunk);

/**
 * As GA_Set_chunk.
 */
void NGA_Set_chunk(int g_a, const int *chunk);

/**
 * As GA_Set_chunk.
 */
void GA_Set_chunk64(int g_a, const int64_t *chunk);

/**
 * Says where blocks begin, after GA_Set_data; see NGA_Create_irreg.
 */
void GA_Set_irreg_distr(int g_a, const int *map, const int *block);

/**
 * As GA_Set_irreg_distr.
 */
void NGA_Set_irreg_distr(int g_a, const int *map, const int *block);

/**
 * As GA_Set_irreg_distr.
 */
void GA_Set_irreg_distr64(int g_a, const int64_t *map, const int64_t *block);

/**
 * As GA_Set_irreg_distr.
 */
void NGA_Set_irreg_distr64(int g_a, const int64_t *map, const int64_t *block);

/**
 * Names an array that is not allocated yet.
 */
void GA_Set_array_name(int g_a, const char *name);

/**
 * As GA_Set_array_name.
 */
void NGA_Set_array_name(int g_a, const char *name);

/**
 * Says the group that is to hold an array that is not allocated yet.
 */
void GA_Set_pgroup(int g_a, int p_handle);

/**
 * As GA_Set_pgroup.
 */
void NGA_Set_pgroup(int g_a, int p_handle);

/**
 * Makes the array that has been described; 1, or 0 where that is impossible. Collective over its group.
 */
int GA_Allocate(int g_a);

/**
 * As GA_Allocate.
 */
int NGA_Allocate(int g_a);

/**
 * An array of type, shape and distribution of g_a, or 0. Collective over its group.
 */
int GA_Duplicate(int g_a, const char *array_name);

/**
 * As GA_Duplicate.
 */
int NGA_Duplicate(int g_a, const char *array_name);

/**
 * Removes an array; its handle is free. Collective over its group.
 */
void GA_Destroy(int g_a);

/**
 * As GA_Destroy.
 */
void NGA_Destroy(int g_a);

/**
 * Type, number of dimensions and extents.
 */
void NGA_Inquire(int g_a, int *type, int *ndim, int *dims);

/**
 * As NGA_Inquire.
 */
void NGA_Inquire64(int g_a, int *type, int *ndim, int64_t *dims);

/**
 * The name, which stays where it is while the array lives.
 */
char *GA_Inquire_name(int g_a);

/**
 * As GA_Inquire_name.
 */
char *NGA_Inquire_name(int g_a);

/**
 * Number of dimensions.
 */
int GA_Ndim(int g_a);

/**
 * As GA_Ndim.
 */
int NGA_Ndim(int g_a);

/**
 * As GA_Ndim.
 */
int GA_Get_dimension(int g_a);

/**
 * As GA_Ndim.
 */
int NGA_Get_dimension(int g_a);

/**
 * 1 if there is an array with this handle, else 0.
 */
int GA_Verify_handle(int g_a);

/**
 * As GA_Verify_handle.
 */
int NGA_Verify_handle(int g_a);

/**
 * As GA_Verify_handle.
 */
int GA_Valid_handle(int g_a);

/**
 * As GA_Verify_handle.
 */
int NGA_Valid_handle(int g_a);

/**
 * Ends the program with a message that names string, unless there is an array with this handle.
 */
void GA_Check_handle(int g_a, const char *string);

/**
 * 0 if two arrays have the same shape and the same blocks, else 1. The types do not matter.
 */
int GA_Compare_distr(int g_a, int g_b);

/**
 * As GA_Compare_distr.
 */
int NGA_Compare_distr(int g_a, int g_b);

/**
 * The block of a process of the array's group: first and last indices, inclusive. -1 and -2 for a process that holds
 * nothing or that there is not.
 */
void NGA_Distribution(int g_a, int iproc, int *lo, int *hi);

/**
 * As NGA_Distribution.
 */
void NGA_Distribution64(int g_a, int iproc, int64_t *lo, int64_t *hi);

/**
 * The process of the array's group that holds an element; -1 if there is no such element.
 */
int NGA_Locate(int g_a, const int *subscript);

/**
 * As NGA_Locate.
 */
int NGA_Locate64(int g_a, const int64_t *subscript);

/**
 * The processes that hold parts of a section: stores each part in map as its first and its last indices, the processes
 * in procs, and returns how many there are; 0 for a section that is not in the array. There must be room for all
 * processes of the array's group.
 */
int NGA_Locate_region(int g_a, const int *lo, const int *hi, int *map, int *procs);

/**
 * As NGA_Locate_region.
 */
int NGA_Locate_region64(int g_a, const int64_t *lo, const int64_t *hi, int64_t *map, int *procs);

/**
 * Number of blocks in each dimension.
 */
void GA_Nblock(int g_a, int *nblock);

/**
 * As GA_Nblock.
 */
void NGA_Nblock(int g_a, int *nblock);

/**
 * Where process proc is in the grid of blocks. The coordinates are in Fortran's order: the first belongs to the last
 * dimension.
 */
void NGA_Proc_topology(int g_a, int proc, int *coord);

/**
 * The group that holds an array.
 */
int GA_Get_pgroup(int g_a);

/**
 * As GA_Get_pgroup.
 */
int NGA_Get_pgroup(int g_a);

/**
 * Writes the section from lo to hi, inclusive, from buf: an array with leading dimensions ld, its extents but for
 * the first. ld is not read where the section has one dimension or only one of what it separates.
 */
void NGA_Put(int g_a, const int *lo, const int *hi, const void *buf, const int *ld);

/**
 * As NGA_Put.
 */
void NGA_Put64(int g_a, const int64_t *lo, const int64_t *hi, const void *buf, const int64_t *ld);

/**
 * Reads the section from lo to hi into buf; see NGA_Put.
 */
void NGA_Get(int g_a, const int *lo, const int *hi, void *buf, const int *ld);

/**
 * As NGA_Get.
 */
void NGA_Get64(int g_a, const int64_t *lo, const int64_t *hi, void *buf, const int64_t *ld);

/**
 * Adds *alpha times buf to the section from lo to hi, each element atomically; see NGA_Put. alpha has the type of
 * the array.
 */
void NGA_Acc(int g_a, const int *lo, const int *hi, const void *buf, const int *ld, const void *alpha);

/**
 * As NGA_Acc.
 */
void NGA_Acc64(int g_a, const int64_t *lo, const int64_t *hi, const void *buf, const int64_t *ld, const void *alpha);

/**
 * Begins NGA_Put and stores in *nbhandle what NGA_NbWait waits for. buf must not change until then.
 */
void NGA_NbPut(int g_a, const int *lo, const int *hi, const void *buf, const int *ld, ga_nbhdl_t *nbhandle);

/**
 * As NGA_NbPut.
 */
void NGA_NbPut64(int g_a, const int64_t *lo, const int64_t *hi, const void *buf, const int64_t *ld, ga_nbhdl_t *nbhandle);

/**
 * Begins NGA_Get; buf is not to be used until the wait.
 */
void NGA_NbGet(int g_a, const int *lo, const int *hi, void *buf, const int *ld, ga_nbhdl_t *nbhandle);

/**
 * As NGA_NbGet.
 */
void NGA_NbGet64(int g_a, const int64_t *lo, const int64_t *hi, void *buf, const int64_t *ld, ga_nbhdl_t *nbhandle);

/**
 * Begins NGA_Acc; buf must not change until the wait.
 */
void NGA_NbAcc(int g_a, const int *lo, const int *hi, const void *buf, const int *ld, const void *alpha, ga_nbhdl_t *nbhandle);

/**
 * As NGA_NbAcc.
 */
void NGA_NbAcc64(int g_a, const int64_t *lo, const int64_t *hi, const void *buf, const int64_t *ld, const void *alpha, ga_nbhdl_t *nbhandle);

/**
 * Waits until a nonblocking operation is complete for this process: what was read is there, what was written from is free.
 * A wait for what is complete already does nothing.
 */
void NGA_NbWait(ga_nbhdl_t *nbhandle);

/**
 * 1 if NGA_NbWait would return at once, else 0.
 */
int NGA_NbTest(ga_nbhdl_t *nbhandle);

/**
 * Writes every skip[d]-th element from lo to hi, from buf, where they lie side by side; see NGA_Put.
 */
void NGA_Strided_put(int g_a, const int *lo, const int *hi, const int *skip, const void *buf, const int *ld);

/**
 * As NGA_Strided_put.
 */
void NGA_Strided_put64(int g_a, const int64_t *lo, const int64_t *hi, const int64_t *skip, const void *buf, const int64_t *ld);

/**
 * Reads every skip[d]-th element from lo to hi into buf, side by side; see NGA_Put.
 */
void NGA_Strided_get(int g_a, const int *lo, const int *hi, const int *skip, void *buf, const int *ld);

/**
 * As NGA_Strided_get.
 */
void NGA_Strided_get64(int g_a, const int64_t *lo, const int64_t *hi, const int64_t *skip, void *buf, const int64_t *ld);

/**
 * Adds *alpha times buf to every skip[d]-th element from lo to hi; see NGA_Acc.
 */
void NGA_Strided_acc(int g_a, const int *lo, const int *hi, const int *skip, const void *buf, const int *ld, const void *alpha);

/**
 * As NGA_Strided_acc.
 */
void NGA_Strided_acc64(int g_a, const int64_t *lo, const int64_t *hi, const int64_t *skip, const void *buf, const int64_t *ld, const void *alpha);

/**
 * Writes v[k] to element subsArray[k] of the array, for n of them. Which value stays where an element is listed twice
 * is not defined.
 */
void NGA_Scatter(int g_a, const void *v, int **subsArray, int n);

/**
 * As NGA_Scatter.
 */
void NGA_Scatter64(int g_a, const void *v, int64_t **subsArray, int64_t n);

/**
 * As NGA_Scatter, with the subscripts of one element after the other's in one list.
 */
void NGA_Scatter_flat(int g_a, const void *v, const int *subsArray, int n);

/**
 * As NGA_Scatter_flat.
 */
void NGA_Scatter_flat64(int g_a, const void *v, const int64_t *subsArray, int64_t n);

/**
 * Reads element subsArray[k] of the array into v[k], for n of them.
 */
void NGA_Gather(int g_a, void *v, int **subsArray, int n);

/**
 * As NGA_Gather.
 */
void NGA_Gather64(int g_a, void *v, int64_t **subsArray, int64_t n);

/**
 * As NGA_Gather, with the subscripts of one element after the other's in one list.
 */
void NGA_Gather_flat(int g_a, void *v, const int *subsArray, int n);

/**
 * As NGA_Gather_flat.
 */
void NGA_Gather_flat64(int g_a, void *v, const int64_t *subsArray, int64_t n);

/**
 * Adds *alpha times v[k] to element subsArray[k] of the array, atomically; elements may be listed several times.
 */
void NGA_Scatter_acc(int g_a, const void *v, int **subsArray, int n, const void *alpha);

/**
 * As NGA_Scatter_acc.
 */
void NGA_Scatter_acc64(int g_a, const void *v, int64_t **subsArray, int64_t n, const void *alpha);

/**
 * As NGA_Scatter_acc, with the subscripts of one element after the other's in one list.
 */
void NGA_Scatter_acc_flat(int g_a, const void *v, const int *subsArray, int n, const void *alpha);

/**
 * As NGA_Scatter_acc_flat.
 */
void NGA_Scatter_acc_flat64(int g_a, const void *v, const int64_t *subsArray, int64_t n, const void *alpha);

/**
 * Adds inc to an element of an array of int or long and returns what it was, atomically.
 */
long NGA_Read_inc(int g_a, const int *subscript, long inc);

/**
 * As NGA_Read_inc.
 */
long NGA_Read_inc64(int g_a, const int64_t *subscript, long inc);

/**
 * Stores in *ptr the address of element lo of the section from lo to hi, which lies in this process's block, and in
 * ld the extents of the block but for the first.
 */
void NGA_Access(int g_a, const int *lo, const int *hi, void *ptr, int *ld);

/**
 * As NGA_Access.
 */
void NGA_Access64(int g_a, const int64_t *lo, const int64_t *hi, void *ptr, int64_t *ld);

/**
 * Ends an NGA_Access in which elements were only read.
 */
void NGA_Release(int g_a, const int *_lo, const int *_hi);

/**
 * As NGA_Release.
 */
void NGA_Release64(int g_a, const int64_t *_lo, const int64_t *_hi);

/**
 * Ends an NGA_Access in which elements were changed. Other processes see them after the next synchronisation.
 */
void NGA_Release_update(int g_a, const int *_lo, const int *_hi);

/**
 * As NGA_Release_update.
 */
void NGA_Release_update64(int g_a, const int64_t *_lo, const int64_t *_hi);

/**
 * Sets every element to zero.
 */
void GA_Zero(int g_a);

/**
 * As GA_Zero.
 */
void NGA_Zero(int g_a);

/**
 * Sets every element to *value.
 */
void GA_Fill(int g_a, const void *value);

/**
 * As GA_Fill.
 */
void NGA_Fill(int g_a, const void *value);

/**
 * Multiplies every element by *value.
 */
void GA_Scale(int g_a, const void *value);

/**
 * g_c = *alpha g_a + *beta g_b, element by element. They have the same type, and may be the same array.
 * g_a and g_b have the same number of elements, and keep their order; the result has the shape of g_b, and is the first
 * elements of a larger g_c.
 */
void GA_Add(const void *alpha, int g_a, const void *beta, int g_b, int g_c);

/**
 * Copies g_a to g_b, of the same type and shape. If they belong to different groups, the processes of the smaller one make
 * the call; they belong to the other group too.
 */
void GA_Copy(int g_a, int g_b);

/**
 * g_b = the transposed matrix g_a; of a larger g_b the first rows and columns.
 */
void GA_Transpose(int g_a, int g_b);

/**
 * Replaces a square matrix by the mean of itself and its transpose; of an array of more dimensions the matrices of its first
 * two.
 */
void GA_Symmetrize(int g_a);

/**
 * The sum of the products of corresponding elements of two arrays of int (or long), the same on every process. The arrays
 * have the same number of elements, and keep their order.
 */
int GA_Idot(int g_a, int g_b);

/**
 * As GA_Idot, for long.
 */
long GA_Ldot(int g_a, int g_b);

/**
 * As GA_Idot, for long long.
 */
long long GA_Lldot(int g_a, int g_b);

/**
 * As GA_Idot, for float.
 */
float GA_Fdot(int g_a, int g_b);

/**
 * As GA_Idot, for double.
 */
double GA_Ddot(int g_a, int g_b);

/**
 * As GA_Idot, for single complex; nothing is conjugated.
 */
SingleComplex GA_Cdot(int g_a, int g_b);

/**
 * As GA_Idot, for double complex; nothing is conjugated.
 */
DoubleComplex GA_Zdot(int g_a, int g_b);

/**
 * Sets every element from lo to hi, inclusive, to *val. A patch whose hi is below its lo in some dimension has no
 * elements, and there is nothing to do, here and in all calls on patches up to the dot products.
 */
void NGA_Fill_patch(int g_a, const int *lo, const int *hi, const void *val);

/**
 * As NGA_Fill_patch.
 */
void NGA_Fill_patch64(int g_a, const int64_t *lo, const int64_t *hi, const void *val);

/**
 * Sets every element from lo to hi to zero.
 */
void NGA_Zero_patch(int g_a, const int *lo, const int *hi);

/**
 * As NGA_Zero_patch.
 */
void NGA_Zero_patch64(int g_a, const int64_t *lo, const int64_t *hi);

/**
 * Multiplies every element from lo to hi by *alpha.
 */
void NGA_Scale_patch(int g_a, const int *lo, const int *hi, const void *alpha);

/**
 * As NGA_Scale_patch.
 */
void NGA_Scale_patch64(int g_a, const int64_t *lo, const int64_t *hi, const void *alpha);

/**
 * A patch of g_c = *alpha times one of g_a + *beta times one of g_b. The patches have the same number of elements
 * and keep their order; the arrays may be the same.
 */
void NGA_Add_patch(const void *alpha, int g_a, const int *alo, const int *ahi, const void *beta, int g_b, const int *blo, const int *bhi, int g_c, const int *clo, const int *chi);

/**
 * As NGA_Add_patch.
 */
void NGA_Add_patch64(const void *alpha, int g_a, const int64_t *alo, const int64_t *ahi, const void *beta, int g_b, const int64_t *blo, const int64_t *bhi, int g_c, const int64_t *clo, const int64_t *chi);

/**
 * Copies a patch of g_a to one of g_b with as many elements. trans: 'n' keeps their order, the last index fastest,
 * whatever the shapes; 't' reverses the dimensions. Different groups are as for GA_Copy.
 */
void NGA_Copy_patch(char trans, int g_a, const int *alo, const int *ahi, int g_b, const int *blo, const int *bhi);

/**
 * As NGA_Copy_patch.
 */
void NGA_Copy_patch64(char trans, int g_a, const int64_t *alo, const int64_t *ahi, int g_b, const int64_t *blo, const int64_t *bhi);

/**
 * The sum of the products of corresponding elements of two patches; t_a, t_b: 't' for a patch whose dimensions are to be
 * reversed first, else 'n'.
 */
int NGA_Idot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
int NGA_Idot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * As NGA_Idot_patch.
 */
long NGA_Ldot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
long NGA_Ldot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * As NGA_Idot_patch.
 */
long long NGA_Lldot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
long long NGA_Lldot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * As NGA_Idot_patch.
 */
float NGA_Fdot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
float NGA_Fdot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * As NGA_Idot_patch.
 */
double NGA_Ddot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
double NGA_Ddot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * As NGA_Idot_patch.
 */
SingleComplex NGA_Cdot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
SingleComplex NGA_Cdot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * As NGA_Idot_patch.
 */
DoubleComplex NGA_Zdot_patch(int g_a, char t_a, const int *alo, const int *ahi, int g_b, char t_b, const int *blo, const int *bhi);

/**
 * As NGA_Idot_patch.
 */
DoubleComplex NGA_Zdot_patch64(int g_a, char t_a, const int64_t *alo, const int64_t *ahi, int g_b, char t_b, const int64_t *blo, const int64_t *bhi);

/**
 * g_c = alpha op(g_a) op(g_b) + beta g_c, for the first m x n elements of g_c, op(g_a) being m x k and
 * op(g_b) k x n. ta, tb: 'n' as it is, 't' transposed, 'c' transposed and conjugated. With a beta of zero the old
 * g_c does not matter.
 */
void GA_Dgemm(char ta, char tb, int m, int n, int k, double alpha, int g_a, int g_b, double beta, int g_c);

/**
 * As GA_Dgemm.
 */
void GA_Dgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, int g_a, int g_b, double beta, int g_c);

/**
 * As GA_Dgemm, for float.
 */
void GA_Sgemm(char ta, char tb, int m, int n, int k, float alpha, int g_a, int g_b, float beta, int g_c);

/**
 * As GA_Sgemm.
 */
void GA_Sgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, int g_a, int g_b, float beta, int g_c);

/**
 * As GA_Dgemm, for double complex.
 */
void GA_Zgemm(char ta, char tb, int m, int n, int k, DoubleComplex alpha, int g_a, int g_b, DoubleComplex beta, int g_c);

/**
 * As GA_Zgemm.
 */
void GA_Zgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, DoubleComplex alpha, int g_a, int g_b, DoubleComplex beta, int g_c);

/**
 * As GA_Dgemm, for single complex.
 */
void GA_Cgemm(char ta, char tb, int m, int n, int k, SingleComplex alpha, int g_a, int g_b, SingleComplex beta, int g_c);

/**
 * As GA_Cgemm.
 */
void GA_Cgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, SingleComplex alpha, int g_a, int g_b, SingleComplex beta, int g_c);

/**
 * As GA_Dgemm for patches, of any type: a patch of g_c = *alpha times op of one of g_a times op of one of g_b +
 * *beta times itself. The patch of a transposed matrix is given as it is after the transposition.
 */
void NGA_Matmul_patch(char transa, char transb, const void *alpha, const void *beta, int g_a, const int *alo, const int *ahi, int g_b, const int *blo, const int *bhi, int g_c, const int *clo, const int *chi);

/**
 * As NGA_Matmul_patch.
 */
void NGA_Matmul_patch64(char transa, char transb, const void *alpha, const void *beta, int g_a, const int64_t *alo, const int64_t *ahi, int g_b, const int64_t *blo, const int64_t *bhi, int g_c, const int64_t *clo, const int64_t *chi);

/**
 * As NGA_Matmul_patch, but for matrices as Fortran sees them, counted from zero: i is the last index, and what is
 * multiplied are the transposed matrices.
 */
void GA_Matmul_patch(char transa, char transb, const void *alpha, const void *beta, int g_a, int ailo, int aihi, int ajlo, int ajhi, int g_b, int bilo, int bihi, int bjlo, int bjhi, int g_c, int cilo, int cihi, int cjlo, int cjhi);

/**
 * As GA_Matmul_patch.
 */
void GA_Matmul_patch64(char transa, char transb, const void *alpha, const void *beta, int g_a, int64_t ailo, int64_t aihi, int64_t ajlo, int64_t ajhi, int g_b, int64_t bilo, int64_t bihi, int64_t bjlo, int64_t bjhi, int g_c, int64_t cilo, int64_t cihi, int64_t cjlo, int64_t cjhi);

/**
 * Gives all processes of the default group the first lenbuf bytes of buf of process root.
 */
void GA_Brdcst(void *buf, int lenbuf, int root);

/**
 * As GA_Brdcst, in a group.
 */
void GA_Pgroup_brdcst(int grp, void *buf, int lenbuf, int root);

/**
 * Replaces n numbers, on every process of the default group, by what op makes of those of all: "+", "*", "max", "min",
 * "absmax", "absmin", and "or" for integers.
 */
void GA_Igop(int *x, int n, const char *op);

/**
 * As GA_Igop.
 */
void GA_Lgop(long *x, int n, const char *op);

/**
 * As GA_Igop.
 */
void GA_Llgop(long long *x, int n, const char *op);

/**
 * As GA_Igop.
 */
void GA_Fgop(float *x, int n, const char *op);

/**
 * As GA_Igop.
 */
void GA_Dgop(double *x, int n, const char *op);

/**
 * As GA_Igop; complex numbers have no "max" and "min".
 */
void GA_Cgop(SingleComplex *x, int n, const char *op);

/**
 * As GA_Igop; complex numbers have no "max" and "min".
 */
void GA_Zgop(DoubleComplex *x, int n, const char *op);

/**
 * As GA_Igop.
 */
void NGA_Igop(int *x, int n, const char *op);

/**
 * As GA_Igop.
 */
void NGA_Dgop(double *x, int n, const char *op);

/**
 * As GA_Igop, for numbers of a type: C_INT, C_DBL and so on.
 */
void GA_Gop(int type, void *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_igop(int grp, int *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_lgop(int grp, long *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_llgop(int grp, long long *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_fgop(int grp, float *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_dgop(int grp, double *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_cgop(int grp, SingleComplex *x, int n, const char *op);

/**
 * As GA_Igop, in a group.
 */
void GA_Pgroup_zgop(int grp, DoubleComplex *x, int n, const char *op);

/**
 * As GA_Pgroup_igop.
 */
void NGA_Pgroup_igop(int grp, int *x, int n, const char *op);

/**
 * As GA_Pgroup_lgop.
 */
void NGA_Pgroup_lgop(int grp, long *x, int n, const char *op);

/**
 * As GA_Pgroup_llgop.
 */
void NGA_Pgroup_llgop(int grp, long long *x, int n, const char *op);

/**
 * As GA_Pgroup_fgop.
 */
void NGA_Pgroup_fgop(int grp, float *x, int n, const char *op);

/**
 * As GA_Pgroup_dgop.
 */
void NGA_Pgroup_dgop(int grp, double *x, int n, const char *op);

/**
 * As GA_Pgroup_zgop.
 */
void NGA_Pgroup_zgop(int grp, DoubleComplex *x, int n, const char *op);

/**
 * A group of the listed processes of the default group, in the order of their numbers there. Collective over the default
 * group; lists given at the same time are the same or have no process in common.
 */
int GA_Pgroup_create(const int *list, int count);

/**
 * As GA_Pgroup_create.
 */
int NGA_Pgroup_create(const int *list, int count);

/**
 * Forgets a group; 1, or 0 if there is none. Arrays that it holds stay.
 */
int GA_Pgroup_destroy(int grp);

/**
 * As GA_Pgroup_destroy.
 */
int NGA_Pgroup_destroy(int grp);

/**
 * A second handle for a group.
 */
int GA_Pgroup_duplicate(int grp);

/**
 * As GA_Pgroup_duplicate.
 */
int NGA_Pgroup_duplicate(int grp);

/**
 * A group of this process alone. Collective over the default group.
 */
int GA_Pgroup_self(void);

/**
 * As GA_Pgroup_self.
 */
int NGA_Pgroup_self(void);

/**
 * Cuts a group into at most num_group groups of neighbours, each but the last of the same size, and returns the one
 * with this process.
 */
int GA_Pgroup_split(int grp_id, int num_group);

/**
 * As GA_Pgroup_split.
 */
int NGA_Pgroup_split(int grp_id, int num_group);

/**
 * Cuts a group into those that give the same color and returns the one with this process.
 */
int GA_Pgroup_split_irreg(int grp_id, int color);

/**
 * As GA_Pgroup_split_irreg.
 */
int NGA_Pgroup_split_irreg(int grp_id, int color);

/**
 * The default group.
 */
int GA_Pgroup_get_default(void);

/**
 * As GA_Pgroup_get_default.
 */
int NGA_Pgroup_get_default(void);

/**
 * Makes a group, in which this process is, the default: where calls without a group take place and arrays are created.
 */
void GA_Pgroup_set_default(int p_handle);

/**
 * As GA_Pgroup_set_default.
 */
void NGA_Pgroup_set_default(int p_handle);

/**
 * The group of all processes, -1.
 */
int GA_Pgroup_get_world(void);

/**
 * As GA_Pgroup_get_world.
 */
int NGA_Pgroup_get_world(void);

/**
 * Number of processes of a group.
 */
int GA_Pgroup_nnodes(int grp_id);

/**
 * As GA_Pgroup_nnodes.
 */
int NGA_Pgroup_nnodes(int grp_id);

/**
 * This process's number in a group; -1 if it is not in it.
 */
int GA_Pgroup_nodeid(int grp_id);

/**
 * As GA_Pgroup_nodeid.
 */
int NGA_Pgroup_nodeid(int grp_id);

/**
 * The number among all processes of process pid of a group.
 */
int GA_Pgroup_absolute_id(int pgroup, int pid);

/**
 * As GA_Pgroup_absolute_id.
 */
int NGA_Pgroup_absolute_id(int pgroup, int pid);

/**
 * As GA_Sync for the processes of a group.
 */
void GA_Pgroup_sync(int grp_id);

/**
 * As GA_Pgroup_sync.
 */
void NGA_Pgroup_sync(int grp_id);

/**
 * As GA_Pgroup_nnodes.
 */
int GA_Get_pgroup_size(int grp_id);

/**
 * As GA_Get_pgroup_size.
 */
int NGA_Get_pgroup_size(int grp_id);

/**
 * Makes number mutexes, 0 and so on; 1, or 0 if there are some already. Collective over all processes.
 */
int GA_Create_mutexes(int number);

/**
 * Removes all mutexes; 1, or 0 if there are none. Collective over all processes.
 */
int GA_Destroy_mutexes(void);

/**
 * As GA_Destroy_mutexes.
 */
int NGA_Destroy_mutexes(void);

/**
 * Waits for a mutex. A process must not hold it already.
 */
void GA_Lock(int mutex);

/**
 * As GA_Lock.
 */
void NGA_Lock(int mutex);

/**
 * Gives a mutex back, when what this process did to arrays is complete.
 */
void GA_Unlock(int mutex);

/**
 * As GA_Unlock.
 */
void NGA_Unlock(int mutex);

/**
 * Prints an array on standard output. Collective over its group.
 */
void GA_Print(int g_a);

/**
 * As GA_Print, to a file that is open.
 */
void GA_Print_file(FILE *file, int g_a);

/**
 * Prints the elements from lo to hi: as tables if pretty, else one a line. Collective over the array's group.
 */
void NGA_Print_patch(int g_a, const int *lo, const int *hi, int pretty);

/**
 * As NGA_Print_patch.
 */
void NGA_Print_patch64(int g_a, const int64_t *lo, const int64_t *hi, int pretty);

/**
 * Prints a patch of a matrix: as a table if pretty, else as plain rows. Collective over the array's group.
 */
void GA_Print_patch(int g_a, int ilo, int ihi, int jlo, int jhi, int pretty);

/**
 * Prints who holds which section, as C sees them. Collective over the array's group.
 */
void GA_Print_distribution(int g_a);

/**
 * Prints the arrays that there are, with the blocks of each if verbose. Whoever calls prints.
 */
void GA_Summarize(int verbose);

/**
 * Prints how often this process has called what, and the bytes moved. Whoever calls prints.
 */
void GA_Print_stats(void);

#ifdef __cplusplus
}
#endif

#endif  /* CHEMIO_GA_H */
