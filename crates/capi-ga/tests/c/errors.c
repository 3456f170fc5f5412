/* What cannot be returned ends the program: all processes, with a message that names the call, and a code that is not 0.
 * Arguments: what to do wrong, and who does it, a process or "all". Without arguments it lists what there is: a name,
 * whether one process can do it "alone" or it takes "all", and the message. The last line before the mistake is "about
 * to"; "survived" must never be printed, nor may the program hang. */
#include "check.h"
#include "eaf.h"

static int matrix, line, whole[2] = {9, 6}, start[2] = {0, 0}, ld[1] = {7};
static double buffer[10][7], one = 1;

static int bounds(int lo0, int lo1, int hi0, int hi1, int lo[2], int hi[2])
{
    lo[0] = lo0;
    lo[1] = lo1;
    hi[0] = hi0;
    hi[1] = hi1;
    return matrix;
}

static void error(void) { GA_Error("the disk is full", 42); }
static void error_zero(void) { GA_Error("no code", 0); }
static void error_after_failure(void)
{
    int dims[2] = {10, 0};
    CHECK_EQUAL(NGA_Create(C_DBL, 2, dims, "nothing", NULL), 0);
    GA_Error("no array", 7);
}
/* Programs pass the code of the call that failed; what came last is what it is about. */
static void error_after_failed_file(void)
{
    int dims[2] = {10, 0}, fd;
    CHECK_EQUAL(NGA_Create(C_DBL, 2, dims, "nothing", NULL), 0);
    GA_Error("no file", EAF_Open("/nowhere/file", EAF_R, &fd));
}
static void error_after_failed_file_and_array(void)
{
    int dims[2] = {10, 0}, fd, code = EAF_Open("/nowhere/file", EAF_R, &fd);
    CHECK_EQUAL(NGA_Create(C_DBL, 2, dims, "nothing", NULL), 0);
    GA_Error("no array", code);
}
static void dead_handle(void) { GA_Zero(-5); }
static void dead_handle_of_a_put(void) { NGA_Put(12345, start, whole, buffer, ld); }
static void destroyed_twice(void)
{
    GA_Destroy(line);
    GA_Destroy(line);
}
static void each_destroys_another(void) { GA_Destroy(me == 0 ? matrix : line); }
static void checked_handle(void) { GA_Check_handle(0, "somewhere"); }
static void beyond_the_end(void)
{
    int lo[2], hi[2];
    NGA_Put(bounds(0, 0, 10, 6, lo, hi), lo, hi, buffer, ld);
}
static void before_the_start(void)
{
    int lo[2], hi[2];
    NGA_Get(bounds(-1, 0, 3, 3, lo, hi), lo, hi, buffer, ld);
}
static void backwards(void)
{
    int lo[2], hi[2];
    NGA_Acc(bounds(5, 0, 4, 6, lo, hi), lo, hi, buffer, ld, &one);
}
static void nonblocking_beyond_the_end(void)
{
    int lo[2], hi[2];
    ga_nbhdl_t handle;
    NGA_NbGet(bounds(0, 0, 9, 7, lo, hi), lo, hi, buffer, ld, &handle);
}
static void small_leading_dimension(void)
{
    int short_ld[1] = {6};
    NGA_Get(matrix, start, whole, buffer, short_ld);
}
static void null_buffer(void) { NGA_Get(matrix, start, whole, NULL, ld); }
static void null_bounds(void) { NGA_Get(matrix, NULL, whole, buffer, ld); }
static void null_handle(void) { NGA_NbGet(matrix, start, whole, buffer, ld, NULL); }
static void null_alpha(void) { NGA_Acc(matrix, start, whole, buffer, ld, NULL); }
static void bad_stride(void)
{
    int skip[2] = {1, 0};
    NGA_Strided_get(matrix, start, whole, skip, buffer, ld);
}
static void access_of_others(void)
{
    double *block;
    int lo[2], hi[2], rank;
    for (rank = 0; rank < ranks; rank++)
        if (rank != me || ranks == 1) NGA_Distribution(matrix, rank, lo, hi);
    if (ranks == 1) hi[1]++;
    NGA_Access(matrix, lo, hi, &block, ld);
}
static void scatter_beyond_the_end(void)
{
    int at[2] = {3, 7}, *pointers[1];
    pointers[0] = at;
    NGA_Scatter(matrix, &one, pointers, 1);
}
static void gather_of_a_negative_number(void) { NGA_Gather_flat(matrix, buffer, start, -1); }
static void counter_of_doubles(void) { NGA_Read_inc(matrix, start, 1); }
static void unlike_copy(void) { GA_Copy(matrix, line); }
static void transpose_onto_itself(void) { GA_Transpose(matrix, matrix); }
static void symmetrize_a_rectangle(void) { GA_Symmetrize(matrix); }
static void patches_of_unlike_size(void)
{
    int hi[2] = {3, 3}, other[2] = {3, 2};
    NGA_Copy_patch('n', matrix, start, hi, matrix, start, other);
}
static void bad_transposition(void) { NGA_Copy_patch('x', matrix, start, start, matrix, whole, whole); }
static void wrong_sizes_of_a_product(void) { GA_Dgemm('n', 'n', 10, 7, 10, 1.0, matrix, matrix, 0.0, matrix); }
static void dot_of_unlike_types(void) { GA_Idot(matrix, matrix); }
static void bad_operator(void) { GA_Dgop(&one, 1, "average"); }
static void negative_count(void) { GA_Dgop(&one, -1, "+"); }
static void bad_root(void) { GA_Brdcst(buffer, 8, ranks); }
static void negative_bytes(void) { GA_Brdcst(buffer, -8, 0); }
static void lock_without_mutexes(void) { GA_Lock(0); }
static void lock_beyond_the_last(void)
{
    GA_Create_mutexes(2);
    GA_Lock(2);
}
static void unlock_of_what_is_free(void)
{
    GA_Create_mutexes(1);
    GA_Unlock(0);
}
static void locked_twice(void)
{
    GA_Create_mutexes(ranks);
    GA_Lock(me);
    GA_Lock(me);
}
static void dead_group(void) { GA_Pgroup_sync(17); }
static void group_of_a_missing_process(void)
{
    int list[1];
    list[0] = ranks;
    GA_Pgroup_create(list, 1);
}
static void array_of_a_dead_group(void)
{
    int dims[2] = {10, 7};
    NGA_Create_config(C_DBL, 2, dims, "nowhere", NULL, 17);
}
static void end_after_that_of_mpi(void)
{
    MPI_Finalize();
    GA_Terminate();
}
static void after_the_end(void)
{
    GA_Terminate();
    GA_Nodeid();
}

#define CASE(name, text) {#name, name, text, "alone"}
#define COLLECTIVE(name, text) {#name, name, text, "all"}
static const struct {
    const char *name;
    void (*run)(void);
    const char *text; /* what the message has to say */
    const char *who;  /* whether one process can do it alone, or all have to */
} cases[] = {
    CASE(error, "GA_Error: the disk is full (code 42)"),
    CASE(error_zero, "GA_Error: no code (code 0)"),
    COLLECTIVE(error_after_failure, "GA_Error: no array (code 7); before that: NGA_Create: extents [10, 0]"),
    COLLECTIVE(error_after_failed_file, "; before that: No such file or directory"),
    COLLECTIVE(error_after_failed_file_and_array, "; before that: NGA_Create: extents [10, 0]"),
    CASE(dead_handle, "GA_Zero: array not active"),
    CASE(dead_handle_of_a_put, "NGA_Put: array not active"),
    COLLECTIVE(destroyed_twice, "GA_Destroy: array not active"),
    COLLECTIVE(each_destroys_another, "GA_Destroy:"),
    CASE(checked_handle, "GA_Check_handle: somewhere: array not active"),
    CASE(beyond_the_end, "NGA_Put: array matrix (handle -1000): section [0:10,0:6] is not within [0:9,0:6]"),
    CASE(before_the_start, "NGA_Get: array matrix (handle -1000): section [-1:3,0:3] is not within"),
    CASE(backwards, "NGA_Acc: array matrix (handle -1000): section [5:4,0:6] is not within"),
    CASE(nonblocking_beyond_the_end, "NGA_NbGet: array matrix"),
    CASE(small_leading_dimension, "leading dimension 6 is less than the 7 elements"),
    CASE(null_buffer, "NGA_Get: null pointer: buf"),
    CASE(null_bounds, "NGA_Get: null pointer: lo"),
    CASE(null_handle, "NGA_NbGet: null pointer: nbhandle"),
    CASE(null_alpha, "NGA_Acc: null pointer: alpha"),
    CASE(bad_stride, "NGA_Strided_get: strides [1, 0]"),
    CASE(access_of_others, "NGA_Access: array matrix"),
    CASE(scatter_beyond_the_end, "NGA_Scatter: array matrix (handle -1000): section [3:3,7:7] is not within"),
    CASE(gather_of_a_negative_number, "NGA_Gather_flat: n is -1"),
    CASE(counter_of_doubles, "NGA_Read_inc:"),
    COLLECTIVE(unlike_copy, "GA_Copy:"),
    CASE(transpose_onto_itself, "GA_Transpose: the arrays have to be different"),
    COLLECTIVE(symmetrize_a_rectangle, "GA_Symmetrize:"),
    COLLECTIVE(patches_of_unlike_size, "NGA_Copy_patch:"),
    CASE(bad_transposition, "NGA_Copy_patch: transposition 'x'"),
    CASE(wrong_sizes_of_a_product, "GA_Dgemm: array matrix (handle -1000): section [0:9,0:9] is not within [0:9,0:6]"),
    CASE(dot_of_unlike_types, "GA_Idot: array matrix (handle -1000) has elements of type double"),
    CASE(bad_operator, "GA_Dgop: operator \"average\""),
    CASE(negative_count, "GA_Dgop: n is -1"),
    CASE(bad_root, "GA_Brdcst: process"),
    CASE(negative_bytes, "GA_Brdcst: lenbuf is -8"),
    CASE(lock_without_mutexes, "GA_Lock: mutexes were not made"),
    COLLECTIVE(lock_beyond_the_last, "GA_Lock: mutex 2 of 2"),
    COLLECTIVE(unlock_of_what_is_free, "GA_Unlock: mutex 0 is not held"),
    COLLECTIVE(locked_twice, "GA_Lock: mutex"),
    CASE(dead_group, "GA_Pgroup_sync: no group of processes has the handle 17"),
    CASE(group_of_a_missing_process, "GA_Pgroup_create: process"),
    CASE(array_of_a_dead_group, "NGA_Create_config: no group of processes has the handle 17"),
    COLLECTIVE(end_after_that_of_mpi, "GA_Terminate: MPI is finalised already"),
    COLLECTIVE(after_the_end, "GA_Nodeid: the arrays are not initialised"),
};

int main(int argc, char **argv)
{
    size_t i, n = sizeof cases / sizeof cases[0];
    int dims[2] = {10, 7}, length[1] = {100};
    if (argc < 2) {
        for (i = 0; i < n; i++) printf("%s\t%s\t%s\n", cases[i].name, cases[i].who, cases[i].text);
        return 0;
    }
    begin(&argc, &argv);
    matrix = NGA_Create(C_DBL, 2, dims, "matrix", NULL);
    line = NGA_Create(C_DBL, 1, length, "line", NULL);
    for (i = 0; i < n && strcmp(argv[1], cases[i].name) != 0; i++) {}
    if (i == n) return 0;
    fprintf(stderr, "about to\n");
    if (argc < 3 || strcmp(argv[2], "all") == 0 || atoi(argv[2]) == me) cases[i].run();
    GA_Sync();
    fprintf(stderr, "survived\n");
    return 0;
}
