/* What the processors can do without a library between: the limits that calls are compared with. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "pattern.h"
#include "team.h"
#include "timing.h"

/* ---- copies ---- */

static struct {
    double *source, *private_target, *shared_target;
} area;

static struct {
    double *source, *target;
    int64_t bytes;
} copy;

/* Keeps the compiler from seeing that every copy is the same. */
static void forget_memory(void)
{
    __asm__ volatile("" ::: "memory");
}

static void copy_by_memcpy(int64_t calls_count)
{
    for (int64_t i = 0; i < calls_count; i++) {
        memcpy(copy.target, copy.source, (size_t)copy.bytes);
        forget_memory();
    }
}

static void add_by_daxpy(int64_t calls_count)
{
    const double one = 1.0;
    const int stride = 1, elements = (int)(copy.bytes / (int64_t)sizeof(double));
    for (int64_t i = 0; i < calls_count; i++)
        daxpy_(&elements, &one, copy.source, &stride, copy.target, &stride);
}

static void make_area(void)
{
    size_t bytes = (size_t)team.bytes_max;
    area.source = team_allocate_off_page(bytes);
    area.private_target = team_allocate(bytes);
    area.shared_target = (double *)((char *)team_map_shared(bytes * (size_t)team.ranks_count) + bytes * (size_t)team.rank);
    memset(area.shared_target, 0, bytes);
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        area.source[i] = (double)(pattern_mix(team.seed ^ i) & 1023);
}

static void check_copy(int is_sum, int64_t calls_count)
{
    for (int64_t i = 0; i < copy.bytes / (int64_t)sizeof(double); i++)
        if (copy.target[i] != copy.source[i] * (is_sum ? (double)calls_count : 1.0))
            fail("wrong data after memcpy or daxpy");
}

void command_copy(const char *what, int64_t bytes, double seconds)
{
    int is_sum = strcmp(what, "daxpy") == 0;
    if (!area.source)
        make_area();
    if (bytes > team.bytes_max)
        fail("BYTES is more than BYTES_MAX");
    copy.source = area.source;
    copy.target = strcmp(what, "shared") == 0 ? area.shared_target : area.private_target;
    copy.bytes = bytes;
    memset(copy.target, 0, (size_t)bytes);
    struct timing timing = time_together(is_sum ? add_by_daxpy : copy_by_memcpy, seconds);
    check_copy(is_sum, timing.calls_so_far);
    answer_timing(&timing);
}

/* ---- BLAS ---- */

static struct {
    double *a, *b, *c;
    int order;
    char first_form;
} product;

/* Row-major op(A) B is column-major B op(A). */
static void multiply(int64_t calls_count)
{
    const double alpha = 0.5, beta = 0.25;
    const int n = product.order;
    for (int64_t i = 0; i < calls_count; i++)
        dgemm_("N", &product.first_form, &n, &n, &n, &alpha, product.b, &n, product.a, &n, &beta, product.c, &n);
}

static double *new_matrix(double *old, size_t elements, uint64_t seed)
{
    free(old);
    double *matrix = team_allocate(elements * sizeof(double));
    for (size_t i = 0; i < elements; i++)
        matrix[i] = (double)(pattern_mix(seed + i) >> 11) * 0x1p-53 - 0.5;
    return matrix;
}

static void make_matrices(int order)
{
    size_t elements = (size_t)order * (size_t)order;
    if (product.order == order)
        return;
    product.order = order;
    product.a = new_matrix(product.a, elements, team.seed);
    product.b = new_matrix(product.b, elements, ~team.seed);
    product.c = new_matrix(product.c, elements, 0);
}

void command_blas(const char *form, int order, const char *who, double seconds)
{
    make_matrices(order);
    product.first_form = form[0] == 't' ? 'T' : 'N';
    struct timing timing = strcmp(who, "alone") == 0 ? time_alone(multiply, seconds) : time_together(multiply, seconds);
    answer_timing(&timing);
}
