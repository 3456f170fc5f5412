/* Out-of-core: an array on disk that is as wide as two panels in memory, filled, read back and transposed panel by panel.
 * While one panel is on its way to or from the disk, the other is worked on.
 *
 *     mpirun -n 4 ./panels [rows] [panels] [columns of a panel] [file]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dra.h"
#include "ga.h"
#include "macdecls.h"

/* The array on disk has so many rows, and panels * width columns. */
static int rows = 600, panels = 8, width = 150, me;
static const char *file = "panels.dra";

static double element(int row, int column)
{
    return sin(0.001 * row) + 0.5 * column;
}

static void must(int code, const char *call)
{
    if (code != 0) GA_Error((char *)call, code);
}

/* ---- panels in memory ---- */

/* Some columns of the array on disk, with all of their rows. */
static int make_panel(const char *name)
{
    int dims[2], g;
    dims[0] = rows;
    dims[1] = width;
    g = NGA_Create(C_DBL, 2, dims, (char *)name, NULL);
    if (g == 0) GA_Error("a panel could not be created", rows);
    return g;
}

/* Each process computes what it holds of panel `number`. */
static void fill(int g, int number)
{
    int lo[2], hi[2], ld[1], i, j;
    double *own;
    NGA_Distribution(g, me, lo, hi);
    if (lo[0] >= 0 && hi[0] >= lo[0]) {
        NGA_Access(g, lo, hi, &own, ld);
        for (i = lo[0]; i <= hi[0]; i++)
            for (j = lo[1]; j <= hi[1]; j++)
                own[(i - lo[0]) * ld[0] + j - lo[1]] = element(i, number * width + j);
        NGA_Release_update(g, lo, hi);
    }
    GA_Sync();
}

/* How many of the elements that this process holds are not those of panel `number`. */
static long count_wrong(int g, int number)
{
    int lo[2], hi[2], ld[1], i, j;
    double *own;
    long wrong = 0;
    NGA_Distribution(g, me, lo, hi);
    if (lo[0] >= 0 && hi[0] >= lo[0]) {
        NGA_Access(g, lo, hi, &own, ld);
        for (i = lo[0]; i <= hi[0]; i++)
            for (j = lo[1]; j <= hi[1]; j++)
                wrong += own[(i - lo[0]) * ld[0] + j - lo[1]] != element(i, number * width + j);
        NGA_Release(g, lo, hi);
    }
    return wrong;
}

/* ---- panels on disk ---- */

/* Where panel `number` is in memory and on disk: first and last element, inclusive. */
static void place(int number, int glo[2], int ghi[2], dra_size_t dlo[2], dra_size_t dhi[2])
{
    glo[0] = glo[1] = 0;
    ghi[0] = rows - 1;
    ghi[1] = width - 1;
    dlo[0] = 0;
    dhi[0] = rows - 1;
    dlo[1] = (dra_size_t)number * width;
    dhi[1] = dlo[1] + width - 1;
}

static void start_write(int g, int d, int number, int *request)
{
    int glo[2], ghi[2];
    dra_size_t dlo[2], dhi[2];
    place(number, glo, ghi, dlo, dhi);
    must(NDRA_Write_section(0, g, glo, ghi, d, dlo, dhi, request), "NDRA_Write_section");
}

static void start_read(int g, int d, int number, int *request)
{
    int glo[2], ghi[2];
    dra_size_t dlo[2], dhi[2];
    place(number, glo, ghi, dlo, dhi);
    must(NDRA_Read_section(0, g, glo, ghi, d, dlo, dhi, request), "NDRA_Read_section");
}

/* While one panel is written the next is computed in the other one's place. */
static void write_all(const int g[2])
{
    dra_size_t dims[2], typical[2];
    int d, number, requests[2] = {DRA_REQ_INVALID, DRA_REQ_INVALID};
    dims[0] = rows;
    dims[1] = (dra_size_t)panels * width;
    typical[0] = rows;
    typical[1] = width;
    must(NDRA_Create(C_DBL, 2, dims, "panels", (char *)file, DRA_RW, typical, &d), "NDRA_Create");
    for (number = 0; number < panels; number++) {
        must(DRA_Wait(requests[number % 2]), "DRA_Wait"); /* of the panel before the last; for the first two there is none */
        fill(g[number % 2], number);
        start_write(g[number % 2], d, number, &requests[number % 2]);
    }
    must(DRA_Wait(requests[panels % 2]), "DRA_Wait");
    must(DRA_Wait(requests[(panels + 1) % 2]), "DRA_Wait");
    must(DRA_Close(d), "DRA_Close");
}

/* While one panel is checked the next is read. */
static long read_all(const int g[2], int d)
{
    int number, requests[2];
    long wrong = 0;
    start_read(g[0], d, 0, &requests[0]);
    for (number = 0; number < panels; number++) {
        must(DRA_Wait(requests[number % 2]), "DRA_Wait");
        if (number + 1 < panels) start_read(g[(number + 1) % 2], d, number + 1, &requests[(number + 1) % 2]);
        wrong += count_wrong(g[number % 2], number);
        GA_Sync();
    }
    return wrong;
}

/* Rows 10 to 29 and columns 5 to 9, read as columns and rows. */
static long read_transposed(int d)
{
    int dims[2] = {5, 20}, glo[2] = {0, 0}, ghi[2] = {4, 19}, ld[1] = {20}, request, g, i, j;
    dra_size_t dlo[2] = {10, 5}, dhi[2] = {29, 9};
    double values[5][20];
    long wrong = 0;
    g = NGA_Create(C_DBL, 2, dims, "transposed", NULL);
    if (g == 0) GA_Error("an array could not be created", 0);
    must(NDRA_Read_section(1, g, glo, ghi, d, dlo, dhi, &request), "NDRA_Read_section");
    must(DRA_Wait(request), "DRA_Wait");
    GA_Sync();
    NGA_Get(g, glo, ghi, values, ld);
    for (i = 0; i < 5; i++)
        for (j = 0; j < 20; j++) wrong += values[i][j] != element(10 + j, 5 + i);
    GA_Sync();
    GA_Destroy(g);
    return wrong;
}

/* What another program learns that opens the array. */
static int describe(int d)
{
    int type, ndim;
    dra_size_t dims[2];
    char name[128], path[512];
    must(NDRA_Inquire(d, &type, &ndim, dims, name, path), "NDRA_Inquire");
    name[strcspn(name, "\n")] = '\0'; /* the Global Arrays package adds one when it opens an array */
    if (me == 0) printf("%s: %ld x %ld, type %d, in %s\n", name, (long)dims[0], (long)dims[1], type, path);
    return type != C_DBL || ndim != 2 || dims[0] != rows || dims[1] != (dra_size_t)panels * width;
}

int main(int argc, char **argv)
{
    int g[2], d;
    long wrong;
    double start, written, checked;
    MPI_Init(&argc, &argv);
    GA_Initialize();
    me = GA_Nodeid();
    if (argc > 1) rows = atoi(argv[1]);
    if (argc > 2) panels = atoi(argv[2]);
    if (argc > 3) width = atoi(argv[3]);
    if (argc > 4) file = argv[4];
    if (rows < 30 || panels < 1 || width < 10) GA_Error("at least 30 rows, 1 panel and 10 columns", rows);
    MA_init(C_DBL, 1000000, 1000000);
    must(DRA_Init(4, 1e12, 1e12, 8e6), "DRA_Init");
    g[0] = make_panel("even panels");
    g[1] = make_panel("odd panels");

    start = GA_Wtime();
    write_all(g);
    written = GA_Wtime();
    must(DRA_Open((char *)file, DRA_R, &d), "DRA_Open");
    wrong = describe(d) + read_all(g, d);
    checked = GA_Wtime();
    wrong += read_transposed(d);
    must(DRA_Delete(d), "DRA_Delete");

    GA_Lgop(&wrong, 1, "+");
    if (me == 0) {
        double megabytes = 8e-6 * rows * width * panels;
        printf("%.0f MB written in %.3f s, read and checked in %.3f s\n", megabytes, written - start, checked - written);
        printf(wrong ? "%ld elements are wrong\n" : "all elements are right\n", wrong);
    }
    GA_Destroy(g[0]);
    GA_Destroy(g[1]);
    must(DRA_Terminate(), "DRA_Terminate");
    GA_Terminate();
    MPI_Finalize();
    return wrong != 0;
}
