/* A program of two languages: C allocates, Fortran (mixed.f) finds the block through its common blocks, and the other
 * way round. */
#include "../../../capi/tests/c/check.h"
#include "macdecls.h"

void add_one_(const Integer *handle, const Integer *n);
void make_integers_(Integer *handle, const Integer *n);

static const Integer n = 1000;

static void fortran_finds_what_c_has_allocated(void)
{
    Integer handle = -7, i;
    double *elements = NULL;
    CHECK(MA_push_stack(MT_F_DBL, n, "from C", &handle));
    CHECK(MA_get_pointer(handle, &elements));
    for (i = 0; i < n; i++) elements[i] = (double)i;
    add_one_(&handle, &n);
    for (i = 0; i < n; i++) CHECK(elements[i] == (double)(i + 1));
    CHECK(MA_pop_stack(handle));
}

static void c_finds_what_fortran_has_allocated(void)
{
    Integer handle = -7, i;
    MA_AccessIndex index = -7;
    const Integer *elements;
    make_integers_(&handle, &n);
    CHECK(MA_get_index(handle, &index));
    elements = (const Integer *)MA_get_mbase(MT_F_INT) + index;
    for (i = 0; i < n; i++) CHECK(elements[i] == i + 1);
    CHECK(MA_free_heap(handle));
}

int main(void)
{
    CHECK(MA_init(MT_C_DBL, 10000, 10000));
    RUN(fortran_finds_what_c_has_allocated);
    RUN(c_finds_what_fortran_has_allocated);
    CHECK(MA_verify_allocator_stuff());
    return check_failures != 0;
}
