/* A matrix product three ways, on distributed arrays: blocks fetched and added by whichever process is free, the same
 * with the next blocks on their way while these are multiplied, and the library's own product.
 *
 *     mpirun -n 4 ./multiply [order] [block]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ga.h"
#include "macdecls.h"

static int order = 400, block = 64, me;

/* A square matrix, filled by each process where its elements are. */
static int matrix(const char *name, double (*element)(int, int))
{
    int dims[2], lo[2], hi[2], ld[1], i, j, g;
    double *own;
    dims[0] = dims[1] = order;
    g = NGA_Create(C_DBL, 2, dims, (char *)name, NULL);
    if (g == 0) GA_Error("a matrix could not be created", order);
    NGA_Distribution(g, me, lo, hi);
    if (element != NULL && hi[0] >= lo[0]) {
        NGA_Access(g, lo, hi, &own, ld);
        for (i = lo[0]; i <= hi[0]; i++)
            for (j = lo[1]; j <= hi[1]; j++) own[(i - lo[0]) * ld[0] + j - lo[1]] = element(i, j);
        NGA_Release_update(g, lo, hi);
    }
    GA_Sync();
    return g;
}

static double left(int i, int j) { return 1.0 / (1 + i + j); }
static double right(int i, int j) { return i == j ? 2.0 : 0.001 * (i - j); }

/* The bounds of block `number` along one dimension. */
static void bounds(int number, int *lo, int *hi)
{
    *lo = number * block;
    *hi = (number + 1) * block - 1 < order ? (number + 1) * block - 1 : order - 1;
}

/* Where block (row, column) of a matrix is. */
static void place(int row, int column, int lo[2], int hi[2])
{
    bounds(row, &lo[0], &hi[0]);
    bounds(column, &lo[1], &hi[1]);
}

static void multiply_blocks(int m, int n, int k, const double *a, const double *b, double *c)
{
    int i, j, l;
    for (i = 0; i < m; i++)
        for (l = 0; l < k; l++)
            for (j = 0; j < n; j++) c[i * block + j] += a[i * block + l] * b[l * block + j];
}

/* The product of one row of blocks and one column of blocks. */
static void one_block(int a, int b, int c, int row, int column, double *work, int ahead)
{
    int blocks = (order + block - 1) / block, size = block * block, l, i;
    int lo[2], hi[2], ld[1], m, n, from, to;
    double *as[2], *bs[2], *sum = work + 4 * size, one = 1;
    ga_nbhdl_t waits[2][2];
    for (i = 0; i < 2; i++) {
        as[i] = work + i * size;
        bs[i] = work + (2 + i) * size;
    }
    ld[0] = block;
    place(row, column, lo, hi);
    m = hi[0] - lo[0] + 1;
    n = hi[1] - lo[1] + 1;
    for (i = 0; i < size; i++) sum[i] = 0;
    for (l = 0; l <= blocks; l++) {
        if (l < blocks) { /* fetch, or begin to */
            place(row, l, lo, hi);
            NGA_NbGet(a, lo, hi, as[l % 2], ld, &waits[l % 2][0]);
            place(l, column, lo, hi);
            NGA_NbGet(b, lo, hi, bs[l % 2], ld, &waits[l % 2][1]);
        }
        if (!ahead && l < blocks) {
            NGA_NbWait(&waits[l % 2][0]);
            NGA_NbWait(&waits[l % 2][1]);
            bounds(l, &from, &to);
            multiply_blocks(m, n, to - from + 1, as[l % 2], bs[l % 2], sum);
        } else if (ahead && l > 0) { /* the ones before, while the next are on their way */
            NGA_NbWait(&waits[(l - 1) % 2][0]);
            NGA_NbWait(&waits[(l - 1) % 2][1]);
            bounds(l - 1, &from, &to);
            multiply_blocks(m, n, to - from + 1, as[(l - 1) % 2], bs[(l - 1) % 2], sum);
        }
    }
    place(row, column, lo, hi);
    NGA_Acc(c, lo, hi, sum, ld, &one);
}

/* Every process takes the next block that nobody has taken. */
static void by_blocks(int a, int b, int c, int ahead)
{
    int blocks = (order + block - 1) / block, one[1] = {1}, first[1] = {0};
    int counter = NGA_Create(C_LONG, 1, one, "next block", NULL);
    long next;
    double *work = malloc(5 * (size_t)block * (size_t)block * sizeof *work);
    if (counter == 0 || work == NULL) GA_Error("no memory for blocks", block);
    GA_Zero(counter);
    GA_Zero(c);
    while ((next = NGA_Read_inc(counter, first, 1)) < (long)blocks * blocks)
        one_block(a, b, c, (int)(next / blocks), (int)(next % blocks), work, ahead);
    GA_Sync();
    GA_Destroy(counter);
    free(work);
}

/* How far c is from the product, as the norm of the difference, which is left in `difference`. */
static double distance(int c, int product, int difference)
{
    double one = 1, minus = -1;
    GA_Add(&one, c, &minus, product, difference);
    return sqrt(GA_Ddot(difference, difference));
}

int main(int argc, char **argv)
{
    int a, b, c, product, difference, ahead, wrong = 0;
    double start, seconds, norm;
    MPI_Init(&argc, &argv);
    GA_Initialize();
    me = GA_Nodeid();
    if (argc > 1) order = atoi(argv[1]);
    if (argc > 2) block = atoi(argv[2]);
    if (order < 1 || block < 1) GA_Error("order and block are positive numbers", order < block ? order : block);
    /* Global Arrays needs its own memory manager for some calls; here it is not needed, and does no harm. */
    MA_init(C_DBL, 1000000, 1000000);
    a = matrix("left", left);
    b = matrix("right", right);
    c = matrix("by blocks", NULL);
    product = matrix("product", NULL);
    difference = matrix("difference", NULL);
    start = GA_Wtime();
    GA_Dgemm('n', 'n', order, order, order, 1.0, a, b, 0.0, product);
    seconds = GA_Wtime() - start;
    norm = sqrt(GA_Ddot(product, product));
    if (me == 0) printf("GA_Dgemm               %8.3f s   norm %.10e\n", seconds, norm);
    for (ahead = 0; ahead < 2; ahead++) {
        double error;
        start = GA_Wtime();
        by_blocks(a, b, c, ahead);
        seconds = GA_Wtime() - start;
        error = distance(c, product, difference);
        wrong += !(error < 1e-12 * norm * order);
        if (me == 0) printf("blocks%-16s %8.3f s   off by %.1e\n", ahead ? ", fetched ahead" : "", seconds, error);
    }
    if (me == 0) printf("%s\n", wrong ? "the products differ" : "the products agree");
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
    GA_Destroy(product);
    GA_Destroy(difference);
    GA_Terminate();
    MPI_Finalize();
    return wrong != 0;
}
