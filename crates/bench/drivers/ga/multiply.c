/* GA_Dgemm: C := 0.5 op(A) B + 0.25 C on square matrices of the default distribution, several times, so that after k
 * calls C is 0.5 (1 + 0.25 + ... + 0.25^(k-1)) op(A) B + 0.25^k C0.
 *
 * The check multiplies both sides with a random vector x (Freivalds): C x is compared with what A (B x) gives. The
 * elements of A, B, C0 and x are functions of their place, so only C is read from the library. */
#include "commands.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ga.h"
#include "macdecls.h"
#include "pattern.h"
#include "team.h"
#include "timing.h"

enum { MATRIX_A, MATRIX_B, MATRIX_C, VECTOR_X };

static const double ALPHA = 0.5, BETA = 0.25;

static struct {
    int order;
    int a, b, c;
    char first_form;
} product;

/* Between -0.5 and 0.5. */
static double element(int which, int row, int column)
{
    uint64_t place = ((uint64_t)which << 60) + ((uint64_t)row << 30) + (uint64_t)column;
    return (double)(pattern_mix(team.seed ^ place) >> 11) * 0x1p-53 - 0.5;
}

/* ---- this rank's share of the rows, whoever owns them ---- */

static int share_begin(int rank)
{
    return (int)((int64_t)product.order * rank / team.ranks_count);
}

static int share_rows(void)
{
    return share_begin(team.rank + 1) - share_begin(team.rank);
}

static double *allocate_share(void)
{
    return team_allocate((size_t)(share_rows() + 1) * (size_t)product.order * sizeof(double));
}

static void aim_at_share(int lo[2], int hi[2], int ld[1])
{
    lo[0] = share_begin(team.rank);
    hi[0] = share_begin(team.rank + 1) - 1;
    lo[1] = 0;
    hi[1] = product.order - 1;
    ld[0] = product.order;
}

static void fill(int handle, int which)
{
    int lo[2], hi[2], ld[1];
    double *share = allocate_share();
    aim_at_share(lo, hi, ld);
    for (int row = lo[0]; row <= hi[0]; row++)
        for (int column = 0; column < product.order; column++)
            share[(size_t)(row - lo[0]) * (size_t)product.order + (size_t)column] = element(which, row, column);
    if (hi[0] >= lo[0])
        NGA_Put(handle, lo, hi, share, ld);
    free(share);
    GA_Sync();
}

/* ---- the matrices ---- */

static int create(char *name)
{
    int dims[2] = {product.order, product.order}, chunk[2] = {-1, -1};
    int handle = NGA_Create(C_DBL, 2, dims, name, chunk);
    if (!handle)
        fail("NGA_Create failed");
    return handle;
}

static void destroy_matrices(void)
{
    GA_Destroy(product.a);
    GA_Destroy(product.b);
    GA_Destroy(product.c);
}

static void make_matrices(int order)
{
    if (product.order == order)
        return;
    if (product.order)
        destroy_matrices();
    product.order = order;
    product.a = create("a");
    product.b = create("b");
    product.c = create("c");
    fill(product.a, MATRIX_A);
    fill(product.b, MATRIX_B);
}

static void multiply(int64_t calls_count)
{
    const int n = product.order;
    for (int64_t i = 0; i < calls_count; i++)
        GA_Dgemm(product.first_form, 'n', n, n, n, ALPHA, product.a, product.b, BETA, product.c);
}

/* ---- the check ---- */

/* Collective. y := M x, or y := M^T x with `is_transposed`, for a matrix given by its elements. */
static void apply(int which, int is_transposed, const double *x, double *y)
{
    double *mine = team_allocate((size_t)product.order * sizeof(double));
    for (int row = share_begin(team.rank); row < share_begin(team.rank + 1); row++)
        for (int column = 0; column < product.order; column++) {
            double value = element(which, row, column);
            mine[is_transposed ? column : row] += value * x[is_transposed ? row : column];
        }
    MPI_Allreduce(mine, y, product.order, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    free(mine);
}

/* y := C x for this rank's share of the rows, read from the library. */
static void apply_result(const double *x, double *y)
{
    int lo[2], hi[2], ld[1];
    double *share = allocate_share();
    aim_at_share(lo, hi, ld);
    if (hi[0] >= lo[0])
        NGA_Get(product.c, lo, hi, share, ld);
    for (int row = lo[0]; row <= hi[0]; row++) {
        y[row] = 0;
        for (int column = 0; column < product.order; column++)
            y[row] += share[(size_t)(row - lo[0]) * (size_t)product.order + (size_t)column] * x[column];
    }
    free(share);
}

/* The rounding of a sum of `order` products of numbers below 1 stays far below it; a wrong element does not. */
static double tolerance(void)
{
    return 1e-12 * product.order;
}

static void compare(const double *found, const double *from_product, const double *from_start, int64_t calls_count)
{
    double left_of_start = pow(BETA, (double)calls_count);
    double factor = ALPHA * (1 - left_of_start) / (1 - BETA);
    for (int row = share_begin(team.rank); row < share_begin(team.rank + 1); row++) {
        double expected = factor * from_product[row] + left_of_start * from_start[row];
        if (!(fabs(found[row] - expected) <= tolerance()))
            fail("wrong data: row %d of C x is %.17g instead of %.17g", row, found[row], expected);
    }
}

static void check(int64_t calls_count)
{
    double *vectors[5];
    for (int i = 0; i < 5; i++)
        vectors[i] = team_allocate((size_t)product.order * sizeof(double));
    double *x = vectors[0], *from_b = vectors[1], *from_product = vectors[2], *from_start = vectors[3];
    for (int i = 0; i < product.order; i++)
        x[i] = element(VECTOR_X, 0, i);
    apply(MATRIX_B, 0, x, from_b);
    apply(MATRIX_A, product.first_form == 't', from_b, from_product);
    apply(MATRIX_C, 0, x, from_start);
    apply_result(x, vectors[4]);
    compare(vectors[4], from_product, from_start, calls_count);
    for (int i = 0; i < 5; i++)
        free(vectors[i]);
}

void command_multiply(const char *form, int order, double seconds)
{
    if (strcmp(form, "nn") != 0 && strcmp(form, "tn") != 0)
        fail("unknown form: %s", form);
    make_matrices(order);
    product.first_form = form[0];
    fill(product.c, MATRIX_C);
    struct timing timing = time_together(multiply, seconds);
    check(timing.calls_so_far);
    answer_timing(&timing);
}
