/* Arithmetic on whole arrays and on patches: fill, scale, add, copy, dot, transpose, symmetrise, matrix products. */
#include "check.h"

#define ROWS 14
#define COLUMNS 9

static double value(int i, int j) { return 3 * i - 2 * j + i * j % 5; }

static int created(int rows, int columns, const char *name)
{
    int dims[2];
    dims[0] = rows;
    dims[1] = columns;
    return NGA_Create(C_DBL, 2, dims, (char *)name, NULL);
}

/* Element (i, j) = scale * value(i, j). */
static int filled(int rows, int columns, double scale)
{
    int g = created(rows, columns, "filled"), lo[2] = {0, 0}, hi[2], ld[1], i, j;
    double *all = malloc(sizeof *all * (size_t)(rows * columns));
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) all[i * columns + j] = scale * value(i, j);
    hi[0] = rows - 1;
    hi[1] = columns - 1;
    ld[0] = columns;
    if (me == 0) NGA_Put(g, lo, hi, all, ld);
    GA_Sync();
    free(all);
    return g;
}

/* The whole array in memory; to be freed. */
static double *contents(int g)
{
    int type, ndim, dims[2], lo[2] = {0, 0}, hi[2], ld[1];
    double *all;
    NGA_Inquire(g, &type, &ndim, dims);
    all = malloc(sizeof *all * (size_t)(dims[0] * dims[1]));
    hi[0] = dims[0] - 1;
    hi[1] = dims[1] - 1;
    ld[0] = dims[1];
    NGA_Get(g, lo, hi, all, ld);
    return all;
}

/* Checks every element of a rows x columns array against an expression in i and j, then destroys it. */
#define EXPECT_AND_DESTROY(g, rows, columns, expression)                            \
    do {                                                                            \
        double *expect_all = contents(g);                                           \
        int i, j, expect_bad = 0;                                                   \
        for (i = 0; i < (rows); i++)                                                \
            for (j = 0; j < (columns); j++)                                         \
                expect_bad += !(fabs(expect_all[i * (columns) + j] - (expression)) < 1e-9); \
        CHECK_EQUAL(expect_bad, 0);                                                 \
        free(expect_all);                                                           \
        GA_Sync();                                                                  \
        GA_Destroy(g);                                                              \
    } while (0)

static void fill_and_zero_set_every_element(void)
{
    double x = 2.25;
    int g = created(ROWS, COLUMNS, "a"), h = created(ROWS, COLUMNS, "b");
    GA_Fill(g, &x);
    GA_Fill(h, &x);
    GA_Zero(h);
    EXPECT_AND_DESTROY(g, ROWS, COLUMNS, 2.25);
    EXPECT_AND_DESTROY(h, ROWS, COLUMNS, 0);
}

static void patches_are_filled_zeroed_and_scaled(void)
{
    int g = filled(ROWS, COLUMNS, 1), lo[2] = {2, 1}, hi[2] = {6, 3}, one_lo[2] = {13, 8}, row_lo[2] = {9, 0}, row_hi[2] = {9, 8};
    double x = -1.5, two = 2;
    NGA_Fill_patch(g, lo, hi, &x);
    NGA_Zero_patch(g, one_lo, one_lo);
    NGA_Scale_patch(g, row_lo, row_hi, &two);
    EXPECT_AND_DESTROY(g, ROWS, COLUMNS, i >= 2 && i <= 6 && j >= 1 && j <= 3 ? -1.5 : i == 13 && j == 8 ? 0 : i == 9 ? 2 * value(i, j) : value(i, j));
}

/* One whose last index is below the first in some dimension, wherever the others are. */
static void patches_without_elements_are_nothing_to_do(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = filled(ROWS, COLUMNS, 10), lo[2] = {5, 3}, hi[2] = {4, 6};
    int end_lo[2] = {0, COLUMNS}, end_hi[2] = {3, COLUMNS - 1}, far_lo[2] = {-3, 99}, far_hi[2] = {-4, 102};
    int64_t lo64[2] = {13, 8}, hi64[2] = {12, 7};
    double x = 7;
    NGA_Fill_patch(a, lo, hi, &x);
    NGA_Fill_patch(a, end_lo, end_hi, &x);
    NGA_Fill_patch(a, far_lo, far_hi, &x);
    NGA_Fill_patch64(a, lo64, hi64, &x);
    NGA_Zero_patch(a, lo, hi);
    NGA_Zero_patch(a, far_lo, far_hi);
    NGA_Scale_patch(a, lo, hi, &x);
    NGA_Scale_patch(a, far_lo, far_hi, &x);
    NGA_Copy_patch('n', a, lo, hi, b, lo, hi);
    NGA_Copy_patch('n', a, lo, hi, b, end_lo, end_hi);
    NGA_Copy_patch('t', a, end_lo, end_hi, b, lo, hi);
    NGA_Add_patch(&x, a, lo, hi, &x, b, end_lo, end_hi, b, lo, hi);
    CHECK_EQUAL(NGA_Ddot_patch(a, 'n', lo, hi, b, 'n', lo, hi), 0);
    CHECK_EQUAL(NGA_Ddot_patch(a, 'n', lo, hi, b, 'n', end_lo, end_hi), 0);
    EXPECT_AND_DESTROY(a, ROWS, COLUMNS, value(i, j));
    EXPECT_AND_DESTROY(b, ROWS, COLUMNS, 10 * value(i, j));
}

static void scale_and_add_combine_arrays(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = filled(ROWS, COLUMNS, 10), c = created(ROWS, COLUMNS, "c");
    double alpha = 2, beta = -0.5, gamma = 4;
    GA_Add(&alpha, a, &beta, b, c);
    GA_Scale(c, &gamma);
    GA_Add(&alpha, a, &beta, b, a);
    EXPECT_AND_DESTROY(c, ROWS, COLUMNS, -12 * value(i, j));
    EXPECT_AND_DESTROY(a, ROWS, COLUMNS, -3 * value(i, j));
    EXPECT_AND_DESTROY(b, ROWS, COLUMNS, 10 * value(i, j));
}

/* Element k is k. */
static int counted(int n)
{
    int dims[1], lo[1] = {0}, hi[1], g, k;
    double *all = malloc(sizeof *all * (size_t)n);
    dims[0] = n;
    hi[0] = n - 1;
    g = NGA_Create(C_DBL, 1, dims, "counted", NULL);
    for (k = 0; k < n; k++) all[k] = k;
    if (me == 0) NGA_Put(g, lo, hi, all, NULL);
    GA_Sync();
    free(all);
    return g;
}

/* Elements keep their order, and the result is the first elements of a larger array. */
static void arrays_of_other_shapes_are_added(void)
{
    int a = counted(ROWS * COLUMNS), b = filled(ROWS, COLUMNS, 1), c = created(20, 12, "c");
    double alpha = 2, beta = 3;
    GA_Zero(c);
    GA_Add(&alpha, a, &beta, b, c);
    GA_Add(&alpha, a, &beta, b, b);
    EXPECT_AND_DESTROY(c, 20, 12, i < ROWS && j < COLUMNS ? 2 * (i * COLUMNS + j) + 3 * value(i, j) : 0);
    EXPECT_AND_DESTROY(b, ROWS, COLUMNS, 2 * (i * COLUMNS + j) + 3 * value(i, j));
    GA_Destroy(a);
}

static void dot_products_of_arrays_of_other_shapes(void)
{
    int a = counted(ROWS * COLUMNS), b = filled(ROWS, COLUMNS, 1), i, j;
    double sum = 0;
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < COLUMNS; j++) sum += (i * COLUMNS + j) * value(i, j);
    CHECK_EQUAL(GA_Ddot(a, b), sum);
    CHECK_EQUAL(GA_Ddot(b, a), sum);
    GA_Destroy(a);
    GA_Destroy(b);
}

static void patches_are_added_into_a_third_place(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = filled(ROWS, COLUMNS, 1), c = filled(ROWS, COLUMNS, 1);
    int alo[2] = {0, 0}, ahi[2] = {3, 4}, blo[2] = {5, 2}, bhi[2] = {8, 6}, clo[2] = {10, 4}, chi[2] = {13, 8};
    double alpha = 2, beta = 3;
    NGA_Add_patch(&alpha, a, alo, ahi, &beta, b, blo, bhi, c, clo, chi);
    EXPECT_AND_DESTROY(c, ROWS, COLUMNS, i >= 10 && j >= 4 ? 2 * value(i - 10, j - 4) + 3 * value(i - 5, j - 2) : value(i, j));
    GA_Destroy(a);
    GA_Destroy(b);
}

static void a_copy_has_the_same_elements_whatever_the_distributions(void)
{
    int dims[2] = {ROWS, COLUMNS}, columns[2] = {ROWS, -1}, a = filled(ROWS, COLUMNS, 1);
    int b = NGA_Create(C_DBL, 2, dims, "by columns", columns);
    GA_Zero(b);
    GA_Copy(a, b);
    EXPECT_AND_DESTROY(b, ROWS, COLUMNS, value(i, j));
    GA_Destroy(a);
}

static void a_patch_is_copied_to_another_place(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = created(20, 20, "b"), alo[2] = {1, 2}, ahi[2] = {10, 6}, blo[2] = {9, 15}, bhi[2] = {18, 19};
    GA_Zero(b);
    NGA_Copy_patch('n', a, alo, ahi, b, blo, bhi);
    EXPECT_AND_DESTROY(b, 20, 20, i >= 9 && i <= 18 && j >= 15 ? value(i - 8, j - 13) : 0);
    GA_Destroy(a);
}

static void a_patch_is_transposed_while_it_is_copied(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = created(20, 20, "b"), alo[2] = {1, 2}, ahi[2] = {10, 6}, blo[2] = {15, 3}, bhi[2] = {19, 12};
    GA_Zero(b);
    NGA_Copy_patch('t', a, alo, ahi, b, blo, bhi);
    EXPECT_AND_DESTROY(b, 20, 20, i >= 15 && j >= 3 && j <= 12 ? value(j - 2, i - 13) : 0);
    GA_Destroy(a);
}

/* The elements keep their order, last index fastest. */
static void a_patch_of_another_shape_keeps_the_order_of_elements(void)
{
    int a = filled(ROWS, COLUMNS, 1), alo[2] = {2, 1}, ahi[2] = {5, 6}, b = created(10, 10, "b"), blo[2] = {4, 2}, bhi[2] = {6, 9};
    int dims[1] = {30}, clo[1] = {3}, chi[1] = {26}, c = NGA_Create(C_DBL, 1, dims, "line", NULL), k;
    double line[24];
    GA_Zero(b);
    GA_Zero(c);
    NGA_Copy_patch('n', a, alo, ahi, b, blo, bhi);
    NGA_Copy_patch('n', a, alo, ahi, c, clo, chi);
    GA_Sync();
    NGA_Get(c, clo, chi, line, NULL);
    for (k = 0; k < 24; k++) CHECK_EQUAL(line[k], value(2 + k / 6, 1 + k % 6));
    EXPECT_AND_DESTROY(b, 10, 10, i >= 4 && i <= 6 && j >= 2 ? line[8 * (i - 4) + j - 2] : 0);
    GA_Destroy(c);
    GA_Destroy(a);
}

static void dot_products_of_every_type(void)
{
    int dims[2] = {6, 5}, a = NGA_Create(C_INT, 2, dims, "i", NULL), b = NGA_Create(C_LONG, 2, dims, "l", NULL);
    int c = NGA_Create(C_FLOAT, 2, dims, "f", NULL), d = NGA_Create(C_DBL, 2, dims, "d", NULL), z = NGA_Create(C_DCPL, 2, dims, "z", NULL);
    int s = NGA_Create(C_SCPL, 2, dims, "c", NULL);
    int three = 3;
    long four = 4;
    float half = 0.5f;
    double quarter = 0.25;
    DoubleComplex i = {1, 2}, product;
    SingleComplex j = {1, 2}, product1;
    GA_Fill(a, &three);
    GA_Fill(b, &four);
    GA_Fill(c, &half);
    GA_Fill(d, &quarter);
    GA_Fill(z, &i);
    GA_Fill(s, &j);
    CHECK_EQUAL(GA_Idot(a, a), 270);
    CHECK_EQUAL(GA_Ldot(b, b), 480);
    CHECK_EQUAL(GA_Fdot(c, c), 7.5);
    CHECK_EQUAL(GA_Ddot(d, d), 1.875);
    product = GA_Zdot(z, z);
    CHECK(product.real == -90 && product.imag == 120);
    product1 = GA_Cdot(s, s);
    CHECK(product1.real == -90 && product1.imag == 120);
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
    GA_Destroy(d);
    GA_Destroy(z);
    GA_Destroy(s);
}

static void dot_products_of_patches_with_and_without_transposition(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = filled(COLUMNS, ROWS, 1), alo[2] = {2, 1}, ahi[2] = {9, 5}, blo[2] = {3, 4}, bhi[2] = {7, 11};
    int clo[2] = {4, 2}, chi[2] = {11, 6}, i, j;
    double straight = 0, transposed = 0;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 5; j++) {
            straight += value(2 + i, 1 + j) * value(4 + i, 2 + j);
            transposed += value(2 + i, 1 + j) * value(3 + j, 4 + i);
        }
    CHECK_EQUAL(NGA_Ddot_patch(a, 'n', alo, ahi, a, 'n', clo, chi), straight);
    CHECK_EQUAL(NGA_Ddot_patch(a, 'n', alo, ahi, b, 't', blo, bhi), transposed);
    CHECK_EQUAL(NGA_Ddot_patch(b, 't', blo, bhi, a, 'n', alo, ahi), transposed);
    GA_Destroy(a);
    GA_Destroy(b);
}

static void a_transpose_swaps_the_indices(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = created(COLUMNS, ROWS, "b");
    GA_Transpose(a, b);
    EXPECT_AND_DESTROY(b, COLUMNS, ROWS, value(j, i));
    GA_Destroy(a);
}

static void a_transpose_may_be_the_corner_of_a_larger_matrix(void)
{
    int a = filled(ROWS, COLUMNS, 1), b = created(12, 20, "b");
    GA_Zero(b);
    GA_Transpose(a, b);
    EXPECT_AND_DESTROY(b, 12, 20, i < COLUMNS && j < ROWS ? value(j, i) : 0);
    GA_Destroy(a);
}

static void symmetrize_takes_the_mean_with_the_transpose(void)
{
    int a = filled(ROWS, ROWS, 1);
    GA_Symmetrize(a);
    EXPECT_AND_DESTROY(a, ROWS, ROWS, (value(i, j) + value(j, i)) / 2);
}

/* The first two of C's dimensions, which are the last two of Fortran's. */
static void symmetrize_takes_the_mean_in_the_first_two_dimensions(void)
{
    int dims[4] = {11, 11, 3, 2}, lo[4] = {0, 0, 0, 0}, hi[4] = {10, 10, 2, 1}, ld[3] = {11, 3, 2}, ndim, i, j, k, m, g, bad;
    double in[11][11][3][2], out[11][11][3][2], *from, *to;
    for (ndim = 3; ndim <= 4; ndim++) {
        m = ndim == 3 ? 3 : 6;
        g = NGA_Create(C_DBL, ndim, dims, "matrices", NULL);
        from = (double *)in;
        to = (double *)out;
        for (i = 0; i < 11; i++)
            for (j = 0; j < 11; j++)
                for (k = 0; k < m; k++) from[(i * 11 + j) * m + k] = value(i, j) + 100 * k;
        if (me == 0) NGA_Put(g, lo, hi, from, ld);
        GA_Sync();
        GA_Symmetrize(g);
        NGA_Get(g, lo, hi, to, ld);
        for (i = 0, bad = 0; i < 11; i++)
            for (j = 0; j < 11; j++)
                for (k = 0; k < m; k++)
                    bad += to[(i * 11 + j) * m + k] != (from[(i * 11 + j) * m + k] + from[(j * 11 + i) * m + k]) / 2;
        CHECK_EQUAL(bad, 0);
        GA_Sync();
        GA_Destroy(g);
    }
}

static double product(int i, int j, int k, int ta, int tb)
{
    double sum = 0;
    int l;
    for (l = 0; l < k; l++) sum += (ta ? value(l, i) : value(i, l)) * (tb ? value(j, l) : value(l, j));
    return sum;
}

static void dgemm_multiplies_with_every_transposition(void)
{
    int m = 12, n = 7, k = 10, ta, tb;
    for (ta = 0; ta < 2; ta++)
        for (tb = 0; tb < 2; tb++) {
            int a = ta ? filled(k, m, 1) : filled(m, k, 1), b = tb ? filled(n, k, 1) : filled(k, n, 1), c = filled(m, n, 1);
            GA_Dgemm(ta ? 't' : 'n', tb ? 'T' : 'N', m, n, k, 2.0, a, b, -3.0, c);
            EXPECT_AND_DESTROY(c, m, n, 2 * product(i, j, k, ta, tb) - 3 * value(i, j));
            GA_Destroy(a);
            GA_Destroy(b);
        }
}

static void a_product_that_forgets_the_old_matrix_ignores_what_is_in_it(void)
{
    int a = filled(6, 6, 1), b = filled(6, 6, 1), c = created(6, 6, "c");
    double nan = NAN;
    GA_Fill(c, &nan);
    GA_Dgemm('n', 'n', 6, 6, 6, 1.0, a, b, 0.0, c);
    EXPECT_AND_DESTROY(c, 6, 6, product(i, j, 6, 0, 0));
    GA_Destroy(a);
    GA_Destroy(b);
}

static void complex_matrices_are_multiplied(void)
{
    int dims[2] = {4, 4}, lo[2] = {0, 0}, hi[2] = {3, 3}, ld[1] = {4}, i;
    int a = NGA_Create(C_DCPL, 2, dims, "a", NULL), b = NGA_Create(C_DCPL, 2, dims, "b", NULL), c = NGA_Create(C_DCPL, 2, dims, "c", NULL);
    DoubleComplex x = {1, 1}, y = {2, -1}, one = {1, 0}, zero = {0, 0}, found[16];
    GA_Fill(a, &x);
    GA_Fill(b, &y);
    GA_Zero(c);
    GA_Zgemm('n', 'n', 4, 4, 4, one, a, b, zero, c);
    NGA_Get(c, lo, hi, found, ld);
    for (i = 0; i < 16; i++) CHECK(fabs(found[i].real - 12) < 1e-12 && fabs(found[i].imag - 4) < 1e-12);
    GA_Sync();
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
}

static void single_precision_matrices_are_multiplied(void)
{
    int dims[2] = {5, 5}, lo[2] = {0, 0}, hi[2] = {4, 4}, ld[1] = {5}, i, g = NGA_Create(C_FLOAT, 2, dims, "a", NULL);
    int h = NGA_Create(C_FLOAT, 2, dims, "b", NULL);
    float two = 2, found[25];
    GA_Fill(g, &two);
    GA_Zero(h);
    GA_Sgemm('n', 't', 5, 5, 5, 1.0f, g, g, 0.0f, h);
    NGA_Get(h, lo, hi, found, ld);
    for (i = 0; i < 25; i++) CHECK_EQUAL(found[i], 20);
    GA_Sync();
    GA_Destroy(g);
    GA_Destroy(h);
}

static void patches_are_multiplied(void)
{
    int a = filled(12, 12, 1), b = filled(12, 12, 1), c = filled(12, 12, 1);
    int alo[2] = {2, 1}, ahi[2] = {6, 8}, blo[2] = {3, 5}, bhi[2] = {10, 10}, clo[2] = {7, 6}, chi[2] = {11, 11};
    double alpha = 1, beta = 1;
    NGA_Matmul_patch('n', 'n', &alpha, &beta, a, alo, ahi, b, blo, bhi, c, clo, chi);
    {
        double *all = contents(c), sum;
        int i, j, l, bad = 0;
        for (i = 0; i < 12; i++)
            for (j = 0; j < 12; j++) {
                sum = value(i, j);
                if (i >= 7 && j >= 6)
                    for (l = 0; l < 8; l++) sum += value(i - 5, l + 1) * value(l + 3, j - 1);
                bad += fabs(all[i * 12 + j] - sum) > 1e-9;
            }
        CHECK_EQUAL(bad, 0);
        free(all);
    }
    GA_Sync();
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
}

static void patches_of_transposed_matrices_are_given_after_the_transposition(void)
{
    int a = filled(12, 12, 1), b = filled(12, 12, 1), c = created(12, 12, "c"), ta, tb;
    int alo[2] = {2, 0}, ahi[2] = {6, 7}, blo[2] = {1, 3}, bhi[2] = {8, 5}, clo[2] = {4, 9}, chi[2] = {8, 11};
    double alpha = 2, beta = 0;
    for (ta = 0; ta < 2; ta++)
        for (tb = 0; tb < 2; tb++) {
            double *all, sum;
            int i, j, l, bad = 0;
            GA_Zero(c);
            NGA_Matmul_patch(ta ? 't' : 'n', tb ? 't' : 'n', &alpha, &beta, a, alo, ahi, b, blo, bhi, c, clo, chi);
            all = contents(c);
            for (i = 0; i < 5; i++)
                for (j = 0; j < 3; j++) {
                    sum = 0;
                    for (l = 0; l < 8; l++)
                        sum += 2 * (ta ? value(l, i + 2) : value(i + 2, l)) * (tb ? value(j + 3, l + 1) : value(l + 1, j + 3));
                    bad += fabs(all[(i + 4) * 12 + j + 9] - sum) > 1e-9;
                }
            CHECK_EQUAL(bad, 0);
            free(all);
            GA_Sync();
        }
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
}

/* GA_Matmul_patch takes its matrices as Fortran sees them: i is the last index in C. NGA_Matmul_patch does not. Both
 * give the range of a transposed matrix after its transposition. */
static void patches_given_by_ranges_are_multiplied_as_fortran_sees_them(void)
{
    int a = filled(12, 12, 1), b = filled(12, 12, 1), c = created(12, 12, "c");
    double alpha = 2, beta = 0, *all, sum;
    int i, j, l, bad = 0;
    GA_Zero(c);
    GA_Matmul_patch('t', 'n', &alpha, &beta, a, 2, 6, 0, 7, b, 1, 8, 3, 5, c, 4, 8, 9, 11);
    all = contents(c);
    for (i = 0; i < 12; i++)
        for (j = 0; j < 12; j++) {
            sum = 0;
            if (i >= 4 && i <= 8 && j >= 9)
                for (l = 0; l < 8; l++) sum += 2 * value(i - 2, l) * value(j - 6, l + 1);
            bad += fabs(all[j * 12 + i] - sum) > 1e-9;
        }
    CHECK_EQUAL(bad, 0);
    free(all);
    GA_Sync();
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
}

static void calls_with_64_bit_indices_do_the_same(void)
{
    int64_t lo[2] = {1, 2}, hi[2] = {4, 5}, other_lo[2] = {6, 0}, other_hi[2] = {9, 3}, at[2] = {0, 0};
    int a = filled(12, 12, 1), b = filled(12, 12, 1), c = created(12, 12, "c"), i, j;
    double alpha = 2, beta = 1, dot = 0;
    GA_Zero(c);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) dot += value(i + 1, j + 2) * value(i + 6, j);
    CHECK_EQUAL(NGA_Ddot_patch64(a, 'n', lo, hi, b, 'n', other_lo, other_hi), dot);
    NGA_Copy_patch64('n', a, lo, hi, c, other_lo, other_hi);
    NGA_Scale_patch64(c, other_lo, other_hi, &alpha);
    NGA_Add_patch64(&alpha, a, lo, hi, &beta, c, other_lo, other_hi, c, other_lo, other_hi);
    NGA_Fill_patch64(c, at, at, &alpha);
    GA_Dgemm64('n', 'n', 12, 12, 12, 0.0, a, b, 1.0, c);
    EXPECT_AND_DESTROY(c, 12, 12, i >= 6 && i <= 9 && j <= 3 ? 4 * value(i - 5, j + 2) : i == 0 && j == 0 ? 2 : 0);
    NGA_Zero_patch64(a, lo, hi);
    EXPECT_AND_DESTROY(a, 12, 12, i >= 1 && i <= 4 && j >= 2 && j <= 5 ? 0 : value(i, j));
    GA_Destroy(b);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    RUN(fill_and_zero_set_every_element);
    RUN(patches_are_filled_zeroed_and_scaled);
    RUN(patches_without_elements_are_nothing_to_do);
    RUN(scale_and_add_combine_arrays);
    RUN(arrays_of_other_shapes_are_added);
    RUN(dot_products_of_arrays_of_other_shapes);
    RUN(patches_are_added_into_a_third_place);
    RUN(a_copy_has_the_same_elements_whatever_the_distributions);
    RUN(a_patch_is_copied_to_another_place);
    RUN(a_patch_is_transposed_while_it_is_copied);
    RUN(a_patch_of_another_shape_keeps_the_order_of_elements);
    RUN(dot_products_of_every_type);
    RUN(dot_products_of_patches_with_and_without_transposition);
    RUN(a_transpose_swaps_the_indices);
    RUN(a_transpose_may_be_the_corner_of_a_larger_matrix);
    RUN(symmetrize_takes_the_mean_with_the_transpose);
    RUN(symmetrize_takes_the_mean_in_the_first_two_dimensions);
    RUN(dgemm_multiplies_with_every_transposition);
    RUN(a_product_that_forgets_the_old_matrix_ignores_what_is_in_it);
    RUN(complex_matrices_are_multiplied);
    RUN(single_precision_matrices_are_multiplied);
    RUN(patches_are_multiplied);
    RUN(patches_of_transposed_matrices_are_given_after_the_transposition);
    RUN(patches_given_by_ranges_are_multiplied_as_fortran_sees_them);
    RUN(calls_with_64_bit_indices_do_the_same);
    return end();
}
