/* MA, the memory allocator of Global Arrays programs: a heap and a stack under one budget, for C.
 *
 * Integer is Fortran's INTEGER: 4 bytes, or 8 where CHEMIO_INTEGER_8 is defined. `pkg-config --cflags`
 * defines it for the library of that width. An index has 8 bytes with both.
 *
 * A block is found by its handle, and its elements through a pointer (MA_get_pointer) or as elements of the
 * base array of its type: ma_cb_dbl[index] is the first element of a block of MT_DBL. Its memory comes from
 * the system when it is allocated, begins at a multiple of 64 bytes, is not set to anything, and lies between
 * two guards of 64 bytes, which tell when a program writes past it.
 *
 * Functions that return Boolean return MA_TRUE, or MA_FALSE after a message on standard error; results are
 * then unchanged. Null pointers are errors. Any thread may call; the blocks are those of the process. */

#ifndef CHEMIO_MACDECLS_H
#define CHEMIO_MACDECLS_H

/* Types of elements. The Fortran types are those of a program with the same width of INTEGER. */
#define MT_BASE 1000
#define MT_C_CHAR 1000     /* char */
#define MT_C_INT 1001      /* int */
#define MT_C_LONGINT 1002  /* long */
#define MT_C_FLOAT 1003    /* float */
#define MT_C_DBL 1004      /* double */
#define MT_C_LDBL 1005     /* long double */
#define MT_C_SCPL 1006     /* two floats */
#define MT_C_DCPL 1007     /* two doubles */
#define MT_C_LDCPL 1008    /* four doubles */
#define MT_F_BYTE 1009     /* CHARACTER*1 */
#define MT_F_INT 1010      /* INTEGER */
#define MT_F_LOG 1011      /* LOGICAL */
#define MT_F_REAL 1012     /* REAL */
#define MT_F_DBL 1013      /* DOUBLE PRECISION */
#define MT_F_SCPL 1014     /* COMPLEX */
#define MT_F_DCPL 1015     /* DOUBLE COMPLEX */
#define MT_C_LONGLONG 1016 /* long long */
#define MT_FIRST MT_C_CHAR
#define MT_LAST MT_C_LONGLONG
#define MT_NUMTYPES 17

/* The short names are the C types here, and the Fortran types in mafdecls.fh. */
#define MT_CHAR MT_C_CHAR
#define MT_INT MT_C_INT
#define MT_LONGINT MT_C_LONGINT
#define MT_LONGLONG MT_C_LONGLONG
#define MT_REAL MT_C_FLOAT
#define MT_DBL MT_C_DBL
#define MT_LDBL MT_C_LDBL
#define MT_SCPL MT_C_SCPL
#define MT_DCPL MT_C_DCPL
#define MT_LDCPL MT_C_LDCPL
#define MT_C_FIRST MT_CHAR
#define MT_C_LAST MT_LDCPL

#define MA_FALSE 0
#define MA_TRUE 1

/* For MA_init: 524,288 bytes. */
#define MA_DEFAULT_SPACE (-1)

/* Bytes of a name that are kept, with its NUL. */
#define MA_NAMESIZE 32

/* What Fortran's types are in C. */
#ifdef CHEMIO_INTEGER_8
typedef long Integer;
#else
typedef int Integer;
#endif
typedef Integer logical;
typedef Integer Logical;
typedef float Real;
typedef double DoublePrecision;
typedef struct {
    Real real;
    Real imag;
} SingleComplex;
typedef struct {
    DoublePrecision real;
    DoublePrecision imag;
} DoubleComplex;
typedef long intp;

typedef Integer Boolean; /* MA_TRUE or MA_FALSE */
typedef char *Pointer;
typedef long MA_AccessIndex; /* counts elements from a base array, from 0 */
typedef long double MA_LongDouble;
typedef struct {
    float dummy[2];
} MA_SingleComplex;
typedef struct {
    double dummy[2];
} MA_DoubleComplex;
typedef struct {
    double dummy[4];
} MA_LongDoubleComplex;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets how much may be allocated: nominal_stack elements of datatype for the stack and nominal_heap for the
 * heap, each 524,288 bytes if negative. Each may use what the other leaves; the sum is the limit. Only
 * elements count, nothing that a block needs besides. No memory is taken yet.
 *
 * Comes once, before any allocation: MA_FALSE the second time, for an unknown type, or if the bytes cannot be
 * counted.
 */
Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap);

/**
 * Whether MA_init has succeeded.
 */
Boolean MA_initialized(void);

/**
 * Allocates nelem elements of datatype in the heap and stores the block's handle in *memhandle. The name is
 * for messages; it may be a null pointer. Handles are from 0 to 2^31 - 1.
 *
 * MA_FALSE before MA_init, for an unknown type, a negative nelem, more than the limits allow or the system
 * has.
 */
Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char *name, Integer *memhandle);

/**
 * MA_allocate_heap, then MA_get_index.
 */
Boolean MA_alloc_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle, MA_AccessIndex *index);

/**
 * Frees a block of the heap. MA_FALSE, and nothing freed, if there is none with this handle, if it is in the
 * stack, or if memory was written outside it.
 */
Boolean MA_free_heap(Integer memhandle);

/**
 * Frees the last nelem elements of a block of the heap, or all of it if it has no more. The others stay where
 * they are. Fails as MA_free_heap, and for a negative nelem.
 */
Boolean MA_free_heap_piece(Integer memhandle, Integer nelem);

/**
 * Allocates a block on top of the stack; else as MA_allocate_heap.
 */
Boolean MA_push_stack(Integer datatype, Integer nelem, const char *name, Integer *memhandle);

/**
 * MA_push_stack, then MA_get_index.
 */
Boolean MA_push_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle, MA_AccessIndex *index);

/**
 * Pops the block on top of the stack. MA_FALSE, and nothing popped, if memhandle is not that block, or if
 * memory was written outside it.
 */
Boolean MA_pop_stack(Integer memhandle);

/**
 * Pops a block of the stack and all above it. MA_FALSE, and nothing popped, if there is none with this
 * handle, if it is in the heap, or if memory was written outside it; the blocks above it are not looked at.
 */
Boolean MA_chop_stack(Integer memhandle);

/**
 * Stores in *index where the block begins in the base array of its type. MA_FALSE if there is no block with
 * this handle, or if memory was written outside it.
 */
Boolean MA_get_index(Integer memhandle, MA_AccessIndex *index);

/**
 * Stores the address of the block in the pointer that `pointer` is the address of. Fails as MA_get_index.
 */
Boolean MA_get_pointer(Integer memhandle, void *pointer);

/**
 * The base array of a type; a null pointer if the type is unknown.
 */
Pointer MA_get_mbase(Integer datatype);

/**
 * Begins a scan of all blocks, whose state is *ithandle.
 */
Boolean MA_init_memhandle_iterator(Integer *ithandle);

/**
 * Stores the next block's handle in *memhandle, or returns MA_FALSE without a message if there is none. A
 * block that lives through the scan comes once, whatever else is allocated and freed meanwhile.
 */
Boolean MA_get_next_memhandle(Integer *ithandle, Integer *memhandle);

/**
 * The most elements of datatype that a block could have, as far as the limits go: in all that is left. 0,
 * with a message, before MA_init and for an unknown type. The number stops at the largest Integer.
 */
Integer MA_inquire_avail(Integer datatype);

/**
 * As MA_inquire_avail, of what was asked for the heap: less what is in it.
 */
Integer MA_inquire_heap(Integer datatype);

/**
 * As MA_inquire_heap, less what the stack has taken of it.
 */
Integer MA_inquire_heap_check_stack(Integer datatype);

/**
 * The same as MA_inquire_avail.
 */
Integer MA_inquire_heap_no_partition(Integer datatype);

/**
 * As MA_inquire_avail, of what was asked for the stack: less what is in it.
 */
Integer MA_inquire_stack(Integer datatype);

/**
 * As MA_inquire_stack, less what the heap has taken of it.
 */
Integer MA_inquire_stack_check_heap(Integer datatype);

/**
 * The same as MA_inquire_avail.
 */
Integer MA_inquire_stack_no_partition(Integer datatype);

/**
 * How many elements of datatype2 hold nelem1 elements of datatype1. 0, with a message, for an unknown type or
 * a negative number. Needs no MA_init.
 */
Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2);

/**
 * How many elements of datatype a block takes from the limits besides its own: 0.
 */
Integer MA_sizeof_overhead(Integer datatype);

/**
 * Looks at the guards of all blocks. MA_TRUE if nothing was written outside them; else MA_FALSE after a line
 * for each damaged block on standard output and counts on standard error, whatever MA_set_error_print says.
 */
Boolean MA_verify_allocator_stuff(void);

/**
 * Sets whether every call verifies first, and fails if that does. Returns what was set before; at first
 * MA_FALSE.
 */
Boolean MA_set_auto_verify(Boolean value);

/**
 * Sets whether errors are told on standard error. Returns what was set before; at first MA_TRUE. Those of
 * calls whose result cannot tell them always are.
 */
Boolean MA_set_error_print(Boolean value);

/**
 * Sets whether an error ends the program, after a message: by exit(1), or by the function given to
 * MA_set_error_callback. Returns what was set before; at first MA_FALSE.
 */
Boolean MA_set_hard_fail(Boolean value);

/**
 * Sets what ends the program instead of exit(1): it is called with a message and the number 0, as a long. If
 * it returns, so does the call that has failed. A null pointer is exit(1).
 */
void MA_set_error_callback(void (*func)());

/**
 * The same as MA_set_error_callback.
 */
void ma_set_error_callback(void (*func)());

/**
 * Makes blocks allocated from now on begin at multiples of 2^value bytes, where that is more than 64.
 * MA_FALSE below 0 and above 30.
 */
Boolean MA_set_numalign(Integer value);

/**
 * Stores what MA_set_numalign has set; at first 0.
 */
Boolean MA_get_numalign(Integer *value);

/**
 * Prints how many blocks and bytes are in use and have been at most, and how often each function was called
 * if printroutines is not MA_FALSE, on standard output.
 */
void MA_print_stats(Boolean printroutines);

/**
 * Prints a line for each block in use on standard output.
 */
void MA_summarize_allocated_blocks(void);

/**
 * Sets whether each block that is allocated or given back is told on standard output.
 */
void MA_trace(Boolean value);

/* The base arrays. Two elements each; an index of MA leads far beyond them. */
extern char ma_cb_char[];                  /* MT_C_CHAR */
extern int ma_cb_int[];                    /* MT_C_INT */
extern long ma_cb_long[];                  /* MT_C_LONGINT */
#ifdef __GNUC__
__extension__ /* C89 has no long long */
#endif
extern long long ma_cb_longlong[];         /* MT_C_LONGLONG */
extern float ma_cb_float[];                /* MT_C_FLOAT */
extern double ma_cb_dbl[];                 /* MT_C_DBL */
extern MA_LongDouble ma_cb_ldbl[];         /* MT_C_LDBL */
extern MA_SingleComplex ma_cb_scpl[];      /* MT_C_SCPL */
extern MA_DoubleComplex ma_cb_dcpl[];      /* MT_C_DCPL */
extern MA_LongDoubleComplex ma_cb_ldcpl[]; /* MT_C_LDCPL */

#ifdef __cplusplus
}
#endif

#endif
