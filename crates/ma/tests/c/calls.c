/* Every MA call from C: what it does with good arguments and with bad ones.
 *
 * With -DMA_REFERENCE only what the library of the Global Arrays project does too, for comparison; what is left out
 * then is marked OURS. */
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../capi/tests/c/check.h"
#include "macdecls.h"

#define STACK_DOUBLES 20000
#define HEAP_DOUBLES 10000

#ifdef MA_REFERENCE
#define OURS if (0)
#define ma_set_error_callback MA_set_error_callback /* declared there, and not defined */
#else
#define OURS if (1)
#endif

#define CHECK_NUMBER(found, expected)                                                                           \
    do {                                                                                                        \
        long check_found = (long)(found), check_expected = (long)(expected);                                    \
        if (check_found != check_expected) {                                                                    \
            fprintf(stderr, "%s:%d: %s: %s is %ld, expected %ld\n", __FILE__, __LINE__, __func__, #found,       \
                    check_found, check_expected);                                                               \
            check_failures++;                                                                                   \
        }                                                                                                       \
    } while (0)

static Integer pushed(Integer datatype, Integer nelem, const char *name)
{
    Integer handle = -7;
    CHECK(MA_push_stack(datatype, nelem, name, &handle));
    return handle;
}

static Integer allocated(Integer datatype, Integer nelem, const char *name)
{
    Integer handle = -7;
    CHECK(MA_allocate_heap(datatype, nelem, name, &handle));
    return handle;
}

static void *pointer_of(Integer handle)
{
    void *pointer = NULL;
    CHECK(MA_get_pointer(handle, &pointer));
    return pointer;
}

/* What a call prints on one of the two streams. */
static char printed[65536];

static void capture(int stream, void (*call)(void))
{
    FILE *file = tmpfile();
    int kept = dup(stream);
    size_t length;
    fflush(NULL);
    dup2(fileno(file), stream);
    call();
    fflush(NULL);
    dup2(kept, stream);
    close(kept);
    rewind(file);
    length = fread(printed, 1, sizeof printed - 1, file);
    printed[length] = 0;
    fclose(file);
}

/* ---- before MA_init ---- */

static void before_init_nothing_is_allocated_and_nothing_is_there(void)
{
    Integer handle = -7;
    MA_AccessIndex index = -7;
    CHECK(!MA_initialized());
    CHECK(!MA_push_stack(MT_DBL, 1, "early", &handle));
    CHECK(!MA_alloc_get(MT_DBL, 1, "early", &handle, &index));
    CHECK(handle == -7 && index == -7);
    CHECK(!MA_free_heap(0));
    CHECK(!MA_pop_stack(0));
    CHECK_NUMBER(MA_inquire_avail(MT_DBL), 0);
    CHECK_NUMBER(MA_inquire_stack(MT_DBL), 0);
    CHECK(MA_verify_allocator_stuff());
}

static void sizes_need_no_init(void)
{
    CHECK_NUMBER(MA_sizeof(MT_DBL, 3, MT_CHAR), 24);
    CHECK_NUMBER(MA_sizeof(MT_CHAR, 9, MT_DBL), 2);
    CHECK_NUMBER(MA_sizeof(MT_CHAR, 8, MT_DBL), 1);
    CHECK_NUMBER(MA_sizeof(MT_CHAR, 0, MT_DBL), 0);
    CHECK(MA_sizeof_overhead(MT_DBL) >= 0);
}

static void bad_limits_are_refused_and_good_ones_taken_once(void)
{
    CHECK(!MA_init(999, 10, 10));
    CHECK(!MA_init(1017, 10, 10));
    CHECK(!MA_initialized());
    CHECK(MA_init(MT_DBL, STACK_DOUBLES, HEAP_DOUBLES));
    CHECK(MA_initialized());
    CHECK(!MA_init(MT_DBL, STACK_DOUBLES, HEAP_DOUBLES));
}

/* ---- after it ---- */

static void every_type_has_its_size(void)
{
    static const struct {
        Integer type;
        size_t size;
    } types[] = {
        {MT_C_CHAR, sizeof(char)},
        {MT_C_INT, sizeof(int)},
        {MT_C_LONGINT, sizeof(long)},
        {MT_C_LONGLONG, sizeof(long long)},
        {MT_C_FLOAT, sizeof(float)},
        {MT_C_DBL, sizeof(double)},
        {MT_C_LDBL, sizeof(MA_LongDouble)},
        {MT_C_SCPL, sizeof(MA_SingleComplex)},
        {MT_C_DCPL, sizeof(MA_DoubleComplex)},
        {MT_C_LDCPL, sizeof(MA_LongDoubleComplex)},
        {MT_F_BYTE, 1},
        {MT_F_INT, sizeof(Integer)},
        {MT_F_LOG, sizeof(Logical)},
        {MT_F_REAL, sizeof(Real)},
        {MT_F_DBL, sizeof(DoublePrecision)},
        {MT_F_SCPL, sizeof(SingleComplex)},
        {MT_F_DCPL, sizeof(DoubleComplex)},
    };
    size_t i;
    CHECK_NUMBER(sizeof types / sizeof types[0], MT_NUMTYPES);
    for (i = 0; i < sizeof types / sizeof types[0]; i++) {
        CHECK_NUMBER(MA_sizeof(types[i].type, 5, MT_CHAR), 5 * types[i].size);
    }
}

/* One block of each type: base array and index lead to its pointer, and writing all of it hurts no guard. */
#define CHECK_TYPE(datatype, element, base)                                                                     \
    do {                                                                                                        \
        Integer handle = -7;                                                                                    \
        MA_AccessIndex index = -7, again = -7;                                                                  \
        CHECK(MA_push_get(datatype, 11, #base, &handle, &index));                                               \
        CHECK(MA_get_index(handle, &again) && again == index);                                                  \
        CHECK((uintptr_t)(base) + (uintptr_t)(index * (long)sizeof(element)) == (uintptr_t)pointer_of(handle)); \
        CHECK(MA_get_mbase(datatype) == (Pointer)(base));                                                       \
        memset(pointer_of(handle), 0x5a, 11 * sizeof(element));                                                 \
        CHECK(MA_verify_allocator_stuff());                                                                     \
        CHECK(MA_pop_stack(handle));                                                                            \
    } while (0)

static void indices_lead_from_the_base_arrays_to_the_blocks(void)
{
    CHECK_TYPE(MT_CHAR, char, ma_cb_char);
    CHECK_TYPE(MT_INT, int, ma_cb_int);
    CHECK_TYPE(MT_LONGINT, long, ma_cb_long);
    CHECK_TYPE(MT_LONGLONG, long long, ma_cb_longlong);
    CHECK_TYPE(MT_REAL, float, ma_cb_float);
    CHECK_TYPE(MT_DBL, double, ma_cb_dbl);
    CHECK_TYPE(MT_LDBL, MA_LongDouble, ma_cb_ldbl);
    CHECK_TYPE(MT_SCPL, MA_SingleComplex, ma_cb_scpl);
    CHECK_TYPE(MT_DCPL, MA_DoubleComplex, ma_cb_dcpl);
    CHECK_TYPE(MT_LDCPL, MA_LongDoubleComplex, ma_cb_ldcpl);
    CHECK_TYPE(MT_F_BYTE, char, MA_get_mbase(MT_F_BYTE));
    CHECK_TYPE(MT_F_INT, Integer, MA_get_mbase(MT_F_INT));
    CHECK_TYPE(MT_F_LOG, Logical, MA_get_mbase(MT_F_LOG));
    CHECK_TYPE(MT_F_REAL, Real, MA_get_mbase(MT_F_REAL));
    CHECK_TYPE(MT_F_DBL, DoublePrecision, MA_get_mbase(MT_F_DBL));
    CHECK_TYPE(MT_F_SCPL, SingleComplex, MA_get_mbase(MT_F_SCPL));
    CHECK_TYPE(MT_F_DCPL, DoubleComplex, MA_get_mbase(MT_F_DCPL));
}

static void blocks_begin_at_multiples_of_64_bytes(void)
{
    Integer type;
    OURS for (type = MT_FIRST; type <= MT_LAST; type++) {
        Integer handle = allocated(type, 3, "aligned");
        CHECK_NUMBER((uintptr_t)pointer_of(handle) % 64, 0);
        CHECK(MA_free_heap(handle));
    }
}

static void numalign_aligns_more(void)
{
    Integer value = -7, handle;
    CHECK(MA_get_numalign(&value));
    CHECK_NUMBER(value, 0);
    CHECK(MA_set_numalign(10));
    CHECK(MA_get_numalign(&value));
    CHECK_NUMBER(value, 10);
    handle = pushed(MT_DBL, 100, "aligned");
    CHECK_NUMBER((uintptr_t)pointer_of(handle) % 1024, 0);
    CHECK(MA_pop_stack(handle));
    CHECK(!MA_set_numalign(-1));
    CHECK(!MA_set_numalign(31));
    CHECK(MA_set_numalign(0));
}

static void the_stack_pops_in_reverse_order_only(void)
{
    Integer a = pushed(MT_DBL, 10, "a"), b = pushed(MT_INT, 7, "b");
    CHECK(!MA_pop_stack(a));
    CHECK(MA_pop_stack(b));
    CHECK(!MA_pop_stack(b));
    CHECK(MA_pop_stack(a));
    CHECK(!MA_pop_stack(a));
}

static void chopping_pops_down_to_the_handle(void)
{
    Integer a = pushed(MT_DBL, 10, "a"), b = pushed(MT_DBL, 10, "b"), c = pushed(MT_DBL, 10, "c");
    void *pointer;
    CHECK(MA_chop_stack(b));
    CHECK(!MA_get_pointer(b, &pointer));
    CHECK(!MA_get_pointer(c, &pointer));
    CHECK(!MA_chop_stack(c));
    CHECK(MA_pop_stack(a));
}

static void the_heap_frees_in_any_order(void)
{
    static const int order[] = {3, 0, 4, 2, 1};
    Integer handles[5];
    int i;
    for (i = 0; i < 5; i++) handles[i] = allocated(MT_DBL, 100 + i, "heap");
    for (i = 0; i < 5; i++) CHECK(MA_free_heap(handles[order[i]]));
    for (i = 0; i < 5; i++) CHECK(!MA_free_heap(handles[i]));
}

static void heap_and_stack_are_not_mistaken_for_each_other(void)
{
    Integer stack = pushed(MT_DBL, 1, "stack"), heap = allocated(MT_DBL, 1, "heap");
    CHECK(!MA_free_heap(stack));
    CHECK(!MA_free_heap_piece(stack, 1));
    CHECK(!MA_pop_stack(heap));
    CHECK(!MA_chop_stack(heap));
    CHECK(MA_free_heap(heap));
    CHECK(MA_pop_stack(stack));
}

static void pieces_are_freed_from_the_end_and_the_rest_stays(void)
{
    Integer handle = allocated(MT_DBL, 5000, "piece"), before = MA_inquire_heap_no_partition(MT_DBL);
    double *elements = pointer_of(handle);
    int i;
    for (i = 0; i < 5000; i++) elements[i] = i;
    CHECK(!MA_free_heap_piece(handle, -1));
    CHECK(MA_free_heap_piece(handle, 4000));
    CHECK(pointer_of(handle) == elements);
    for (i = 0; i < 1000; i++) CHECK(elements[i] == i);
    OURS CHECK_NUMBER(MA_inquire_heap_no_partition(MT_DBL) - before, 4000);
    CHECK(MA_verify_allocator_stuff());
    CHECK(MA_free_heap_piece(handle, 1000));
    CHECK(!MA_free_heap(handle));
}

static void blocks_keep_their_contents_and_overlap_nowhere(void)
{
    enum { BLOCKS = 40 };
    Integer handles[BLOCKS];
    int i, j;
    for (i = 0; i < BLOCKS; i++) {
        int *elements;
        handles[i] = i % 2 ? pushed(MT_INT, 50 + i, "stack") : allocated(MT_INT, 50 + i, "heap");
        elements = pointer_of(handles[i]);
        for (j = 0; j < 50 + i; j++) elements[j] = 1000 * i + j;
    }
    for (i = 0; i < BLOCKS; i++) {
        const int *elements = pointer_of(handles[i]);
        for (j = 0; j < 50 + i; j++) CHECK(elements[j] == 1000 * i + j);
    }
    CHECK(MA_chop_stack(handles[1]));
    for (i = 0; i < BLOCKS; i += 2) CHECK(MA_free_heap(handles[i]));
}

static void what_is_left_can_be_allocated_and_no_more(void)
{
    Integer left = MA_inquire_avail(MT_DBL), handle = -7;
    CHECK(left >= STACK_DOUBLES + HEAP_DOUBLES);
    OURS CHECK_NUMBER(left, STACK_DOUBLES + HEAP_DOUBLES);
    CHECK(!MA_push_stack(MT_DBL, left + 1000, "too much", &handle));
    OURS CHECK(!MA_push_stack(MT_DBL, left + 1, "too much", &handle));
    CHECK(handle == -7);
    handle = pushed(MT_DBL, left, "all");
    OURS CHECK_NUMBER(MA_inquire_avail(MT_CHAR), 0);
    CHECK(MA_pop_stack(handle));
    handle = allocated(MT_DBL, left, "all");
    CHECK(MA_free_heap(handle));
    CHECK_NUMBER(MA_inquire_avail(MT_DBL), left);
    CHECK_NUMBER(MA_inquire_stack_no_partition(MT_DBL), left);
    CHECK_NUMBER(MA_inquire_heap_no_partition(MT_DBL), left);
}

static void the_partition_is_advice(void)
{
    Integer stack = pushed(MT_DBL, STACK_DOUBLES + 3000, "overgrown");
    CHECK(MA_inquire_heap(MT_DBL) >= HEAP_DOUBLES);
    CHECK(MA_inquire_heap_check_stack(MT_DBL) < HEAP_DOUBLES);
    OURS {
        CHECK_NUMBER(MA_inquire_heap(MT_DBL), HEAP_DOUBLES);
        CHECK_NUMBER(MA_inquire_heap_check_stack(MT_DBL), HEAP_DOUBLES - 3000);
        CHECK_NUMBER(MA_inquire_stack(MT_DBL), 0); /* the reference gives a random number here */
        CHECK_NUMBER(MA_inquire_stack_check_heap(MT_DBL), 0);
    }
    CHECK(MA_pop_stack(stack));
    CHECK(MA_inquire_stack(MT_DBL) >= STACK_DOUBLES);
    CHECK(MA_inquire_stack_check_heap(MT_DBL) >= STACK_DOUBLES);
}

static void blocks_without_elements_are_blocks(void)
{
    Integer a = pushed(MT_DBL, 0, "none"), b = allocated(MT_DBL, 0, "none");
    CHECK(a != b);
    CHECK(MA_pop_stack(a));
    CHECK(MA_free_heap(b));
}

static void bad_arguments_are_refused_and_results_stay(void)
{
    Integer handle = -7;
    MA_AccessIndex index = -7;
    void *pointer = &handle;
    CHECK(!MA_push_stack(999, 1, "x", &handle));
    CHECK(!MA_allocate_heap(1017, 1, "x", &handle));
    CHECK(!MA_push_stack(MT_DBL, -1, "x", &handle));
    CHECK(!MA_alloc_get(MT_DBL, -1, "x", &handle, &index));
    CHECK(!MA_get_index(-1, &index));
    CHECK(!MA_get_index(123456, &index));
    CHECK(!MA_get_pointer(-1, &pointer));
    CHECK(handle == -7 && index == -7 && pointer == &handle);
    OURS {
        CHECK_NUMBER(MA_sizeof(999, 1, MT_DBL), 0);
        CHECK_NUMBER(MA_sizeof(MT_DBL, -1, MT_DBL), 0);
        CHECK_NUMBER(MA_inquire_avail(999), 0);
        CHECK(MA_get_mbase(999) == NULL);
        CHECK(!MA_push_stack(MT_DBL, 1, "x", NULL));
        CHECK(!MA_push_get(MT_DBL, 1, "x", &handle, NULL));
        CHECK(!MA_get_index(0, NULL));
        CHECK(!MA_get_pointer(0, NULL));
        CHECK(MA_push_stack(MT_DBL, 1, NULL, &handle));
        CHECK(MA_pop_stack(handle));
    }
}

static void a_scan_finds_all_blocks(void)
{
    Integer a, b, c, position = 5, found = -7;
    OURS {
        a = pushed(MT_DBL, 1, "a"), b = allocated(MT_DBL, 1, "b"), c = pushed(MT_DBL, 1, "c");
        CHECK(MA_init_memhandle_iterator(&position));
        CHECK(MA_get_next_memhandle(&position, &found) && found == a);
        CHECK(MA_get_next_memhandle(&position, &found) && found == b);
        CHECK(MA_get_next_memhandle(&position, &found) && found == c);
        CHECK(!MA_get_next_memhandle(&position, &found) && found == c);
        CHECK(MA_chop_stack(a));
        CHECK(MA_free_heap(b));
    }
}

/* ---- damage and messages ---- */

static Integer bad_handle = 123456;

static void pop_a_bad_handle(void) { CHECK(!MA_pop_stack(bad_handle)); }

static void errors_are_told_unless_switched_off(void)
{
    CHECK(MA_set_error_print(MA_TRUE) == MA_FALSE);
    capture(STDERR_FILENO, pop_a_bad_handle);
    CHECK(strstr(printed, "MA error: MA_pop_stack: ") == printed);
    CHECK(strstr(printed, "123456") != NULL);
    CHECK(MA_set_error_print(MA_FALSE) == MA_TRUE);
    capture(STDERR_FILENO, pop_a_bad_handle);
    CHECK(printed[0] == 0);
}

static void find_damage(void) { CHECK(!MA_verify_allocator_stuff()); }

static void writing_outside_a_block_is_found_and_the_block_is_named(void)
{
    Integer handle = pushed(MT_DBL, 10, "trampled");
    char *elements = pointer_of(handle), before, behind;
    MA_AccessIndex index = -7;
    CHECK(MA_verify_allocator_stuff());
    behind = elements[80];
    elements[80] = (char)~behind;
    capture(STDOUT_FILENO, find_damage);
    CHECK(strstr(printed, "stack block 'trampled'") != NULL);
    CHECK(!MA_get_index(handle, &index));
    CHECK(!MA_pop_stack(handle));
    elements[80] = behind;
    CHECK(MA_verify_allocator_stuff());
    before = elements[-1];
    elements[-1] = (char)~before;
    capture(STDERR_FILENO, find_damage);
    CHECK(strstr(printed, "MA error: MA_verify_allocator_stuff: ") == printed);
    elements[-1] = before;
    CHECK(MA_pop_stack(handle));
}

static void verification_before_every_call_can_be_switched_on(void)
{
    Integer handle = pushed(MT_INT, 3, "trampled"), other = -7;
    int *elements = pointer_of(handle), kept = elements[3];
    CHECK(MA_set_auto_verify(MA_TRUE) == MA_FALSE);
    elements[3] = ~kept;
    CHECK(!MA_push_stack(MT_DBL, 1, "x", &other));
    CHECK_NUMBER(MA_inquire_avail(MT_DBL), 0);
    elements[3] = kept;
    CHECK(MA_push_stack(MT_DBL, 1, "x", &other));
    CHECK(MA_set_auto_verify(MA_FALSE) == MA_TRUE);
    CHECK(MA_chop_stack(handle));
}

static void summarize(void) { MA_summarize_allocated_blocks(); }
static void statistics(void) { MA_print_stats(MA_TRUE); }
static void short_statistics(void) { MA_print_stats(MA_FALSE); }

static void push_and_pop_traced(void)
{
    MA_trace(MA_TRUE);
    MA_pop_stack(pushed(MT_DBL, 10, "a traced block"));
    MA_trace(MA_FALSE);
}

static void blocks_statistics_and_traces_are_printed(void)
{
    Integer stack = pushed(MT_DBL, 10, "on the stack"), heap = allocated(MT_INT, 5, "in the heap");
    capture(STDOUT_FILENO, summarize);
    CHECK(strstr(printed, "'on the stack'") && strstr(printed, "'in the heap'"));
    capture(STDOUT_FILENO, statistics);
    CHECK(strstr(printed, "MA_push_stack") != NULL);
    capture(STDOUT_FILENO, short_statistics);
    CHECK(printed[0] != 0 && strstr(printed, "MA_push_stack") == NULL);
    capture(STDOUT_FILENO, push_and_pop_traced);
    CHECK(strstr(strstr(printed, "'a traced block'") + 1, "'a traced block'") != NULL);
    CHECK(MA_free_heap(heap));
    CHECK(MA_pop_stack(stack));
}

/* ---- the end of the program ---- */

static void leave(const char *message, long code) { _exit(message && message[0] && code == 0 ? 42 : 43); }

/* The exit code of a child that makes an error with hard failures on. */
static int child_with_hard_failure(void (*callback)())
{
    int status = 0;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(99);
        MA_set_error_callback(callback);
        CHECK(MA_set_hard_fail(MA_TRUE) == MA_FALSE);
        MA_pop_stack(bad_handle);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_hard_failure_ends_the_program_as_it_has_asked_for(void)
{
    CHECK_NUMBER(child_with_hard_failure(NULL), 1);
    CHECK_NUMBER(child_with_hard_failure((void (*)())leave), 42);
    OURS ma_set_error_callback(NULL);
}

int main(void)
{
    MA_set_error_print(MA_FALSE);
    RUN(before_init_nothing_is_allocated_and_nothing_is_there);
    RUN(sizes_need_no_init);
    RUN(bad_limits_are_refused_and_good_ones_taken_once);
    RUN(every_type_has_its_size);
    RUN(indices_lead_from_the_base_arrays_to_the_blocks);
    RUN(blocks_begin_at_multiples_of_64_bytes);
    RUN(numalign_aligns_more);
    RUN(the_stack_pops_in_reverse_order_only);
    RUN(chopping_pops_down_to_the_handle);
    RUN(the_heap_frees_in_any_order);
    RUN(heap_and_stack_are_not_mistaken_for_each_other);
    RUN(pieces_are_freed_from_the_end_and_the_rest_stays);
    RUN(blocks_keep_their_contents_and_overlap_nowhere);
    RUN(what_is_left_can_be_allocated_and_no_more);
    RUN(the_partition_is_advice);
    RUN(blocks_without_elements_are_blocks);
    RUN(bad_arguments_are_refused_and_results_stay);
    RUN(a_scan_finds_all_blocks);
    RUN(errors_are_told_unless_switched_off);
    RUN(writing_outside_a_block_is_found_and_the_block_is_named);
    RUN(verification_before_every_call_can_be_switched_on);
    RUN(blocks_statistics_and_traces_are_printed);
    RUN(a_hard_failure_ends_the_program_as_it_has_asked_for);
    return check_failures != 0;
}
