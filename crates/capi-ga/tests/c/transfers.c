/* One-sided transfers: put, get, accumulate and their nonblocking and strided forms, scatter and gather, counters, and
 * direct access to what a rank owns. Every array is filled with a function of the index, so that a value in a wrong
 * place is seen. */
#include "check.h"

static int dims2[2] = {13, 11}, dims3[3] = {7, 8, 9};

static double value(int i, int j) { return 100 * i + j; }

/* A 13 x 11 array of doubles that holds value(i, j). */
static int filled(void)
{
    int g = NGA_Create(C_DBL, 2, dims2, "filled", NULL), lo[2] = {0, 0}, hi[2] = {12, 10}, ld[1] = {11}, i, j;
    double all[13][11];
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) all[i][j] = value(i, j);
    if (me == 0) NGA_Put(g, lo, hi, all, ld);
    GA_Sync();
    return g;
}

static void what_one_rank_puts_every_rank_gets(void)
{
    int g = filled(), lo[2] = {0, 0}, hi[2] = {12, 10}, ld[1] = {11}, i, j;
    double all[13][11];
    memset(all, 0, sizeof all);
    NGA_Get(g, lo, hi, all, ld);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) CHECK_EQUAL(all[i][j], value(i, j));
    GA_Destroy(g);
}

static void sections_land_in_memory_by_the_leading_dimension(void)
{
    int g = filled(), lo[2] = {3, 2}, hi[2] = {9, 7}, ld[1] = {10}, i, j;
    double part[7][10];
    for (i = 0; i < 7; i++)
        for (j = 0; j < 10; j++) part[i][j] = -1;
    NGA_Get(g, lo, hi, &part[0][0], ld);
    for (i = 0; i < 7; i++)
        for (j = 0; j < 10; j++) CHECK_EQUAL(part[i][j], j < 6 ? value(i + 3, j + 2) : -1);
    GA_Destroy(g);
}

static void every_rank_puts_its_own_rows(void)
{
    int dims[2] = {40, 5}, lo[2], hi[2], ld[1] = {5}, g = NGA_Create(C_DBL, 2, dims, "rows", NULL), i, j;
    double row[5], all[40][5];
    for (i = me; i < 40; i += ranks) {
        for (j = 0; j < 5; j++) row[j] = value(i, j) + me;
        lo[0] = hi[0] = i;
        lo[1] = 0;
        hi[1] = 4;
        NGA_Put(g, lo, hi, row, ld);
    }
    GA_Sync();
    lo[0] = 0;
    hi[0] = 39;
    NGA_Get(g, lo, hi, all, ld);
    for (i = 0; i < 40; i++)
        for (j = 0; j < 5; j++) CHECK_EQUAL(all[i][j], value(i, j) + i % ranks);
    GA_Destroy(g);
}

static void one_dimension_needs_no_leading_dimension(void)
{
    int dims[1] = {100}, lo[1] = {10}, hi[1] = {89}, i, g = NGA_Create(C_LONG, 1, dims, "line", NULL);
    long out[80], in[80];
    for (i = 0; i < 80; i++) out[i] = 7L * i + ((long)1 << 40);
    GA_Zero(g);
    if (me == ranks - 1) NGA_Put(g, lo, hi, out, NULL);
    GA_Sync();
    NGA_Get(g, lo, hi, in, NULL);
    CHECK(memcmp(in, out, sizeof in) == 0);
    lo[0] = hi[0] = 9;
    NGA_Get(g, lo, hi, in, NULL);
    CHECK_EQUAL(in[0], 0);
    GA_Destroy(g);
}

static void three_dimensions_have_two_leading_dimensions(void)
{
    int g = NGA_Create(C_INT, 3, dims3, "box", NULL), lo[3] = {0, 0, 0}, hi[3] = {6, 7, 8}, ld[2] = {8, 9}, i, j, k;
    int part_lo[3] = {1, 2, 3}, part_hi[3] = {5, 4, 8}, part_ld[2] = {4, 7};
    int box[7][8][9], part[5][4][7];
    for (i = 0; i < 7; i++)
        for (j = 0; j < 8; j++)
            for (k = 0; k < 9; k++) box[i][j][k] = 100 * i + 10 * j + k;
    if (me == 0) NGA_Put(g, lo, hi, box, ld);
    GA_Sync();
    memset(part, -1, sizeof part);
    NGA_Get(g, part_lo, part_hi, part, part_ld);
    for (i = 0; i < 5; i++)
        for (j = 0; j < 4; j++)
            for (k = 0; k < 7; k++)
                CHECK_EQUAL(part[i][j][k], j < 3 && k < 6 ? 100 * (i + 1) + 10 * (j + 2) + k + 3 : -1);
    GA_Destroy(g);
}

static void seven_dimensions_are_moved_like_two(void)
{
    int dims[7] = {2, 3, 2, 3, 2, 3, 2}, lo[7] = {0}, hi[7], ld[6], k, i;
    int out[432], in[432], g = NGA_Create(C_INT, 7, dims, "seven", NULL);
    for (k = 0; k < 7; k++) hi[k] = dims[k] - 1;
    for (k = 0; k < 6; k++) ld[k] = dims[k + 1];
    for (i = 0; i < 432; i++) out[i] = i;
    if (me == ranks - 1) NGA_Put(g, lo, hi, out, ld);
    GA_Sync();
    memset(in, 0, sizeof in);
    NGA_Get(g, lo, hi, in, ld);
    CHECK(memcmp(in, out, sizeof in) == 0);
    GA_Destroy(g);
}

static void accumulates_of_all_ranks_add_up(void)
{
    int g = filled(), lo[2] = {2, 1}, hi[2] = {10, 9}, ld[1] = {9}, all_ld[1] = {11}, i, j, from[2] = {0, 0}, to[2] = {12, 10};
    double part[9][9], all[13][11], alpha = 0.5;
    for (i = 0; i < 9; i++)
        for (j = 0; j < 9; j++) part[i][j] = 2 * (me + 1);
    for (i = 0; i < 10; i++) NGA_Acc(g, lo, hi, part, ld, &alpha);
    GA_Sync();
    NGA_Get(g, from, to, all, all_ld);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) {
            int inside = i >= 2 && i <= 10 && j >= 1 && j <= 9;
            CHECK_EQUAL(all[i][j], value(i, j) + (inside ? 10 * ranks * (ranks + 1) / 2 : 0));
        }
    GA_Destroy(g);
}

#define ACCUMULATES(name, code, type, factor, part_of)                                        \
    static void name(void)                                                                    \
    {                                                                                         \
        int dims[1] = {17}, lo[1] = {0}, hi[1] = {16}, i, g = NGA_Create(code, 1, dims, "sum", NULL); \
        type out[17], in[17], alpha = factor;                                                 \
        memset(out, 0, sizeof out);                                                           \
        for (i = 0; i < 17; i++) out[i] part_of = i + 1;                                      \
        GA_Zero(g);                                                                           \
        NGA_Acc(g, lo, hi, out, NULL, &alpha);                                                \
        GA_Sync();                                                                            \
        NGA_Get(g, lo, hi, in, NULL);                                                         \
        for (i = 0; i < 17; i++) CHECK_EQUAL(in[i] part_of, 3 * ranks * (i + 1));             \
        GA_Destroy(g);                                                                        \
    }
ACCUMULATES(integers_accumulate, C_INT, int, 3, )
ACCUMULATES(longs_accumulate, C_LONG, long, 3, )
#ifndef GA_PACKAGE /* it aborts: type not supported */
ACCUMULATES(long_longs_accumulate, C_LONGLONG, long long, 3, )
#endif
ACCUMULATES(floats_accumulate, C_FLOAT, float, 3, )

static void complex_numbers_accumulate_by_a_complex_factor(void)
{
    int dims[1] = {5}, lo[1] = {0}, hi[1] = {4}, i, g = NGA_Create(C_DCPL, 1, dims, "z", NULL);
    int s = NGA_Create(C_SCPL, 1, dims, "c", NULL);
    DoubleComplex out[5], in[5], alpha = {0, 2};
    SingleComplex out1[5], in1[5], alpha1 = {0, 2};
    for (i = 0; i < 5; i++) {
        out1[i].real = out[i].real = i;
        out1[i].imag = out[i].imag = 1;
    }
    GA_Zero(g);
    GA_Zero(s);
    NGA_Acc(g, lo, hi, out, NULL, &alpha);
    NGA_Acc(s, lo, hi, out1, NULL, &alpha1);
    GA_Sync();
    NGA_Get(g, lo, hi, in, NULL);
    NGA_Get(s, lo, hi, in1, NULL);
    for (i = 0; i < 5; i++) {
        CHECK(in[i].real == -2 * ranks && in[i].imag == 2 * i * ranks);
        CHECK(in1[i].real == -2 * ranks && in1[i].imag == 2 * i * ranks);
    }
    GA_Destroy(g);
    GA_Destroy(s);
}

static void nonblocking_transfers_are_done_after_the_wait(void)
{
    int g = filled(), lo[2] = {0, 0}, hi[2] = {12, 10}, ld[1] = {11}, i, j, row_lo[2], row_hi[2];
    double all[13][11], row[11], alpha = 1;
    ga_nbhdl_t put, acc, get;
    GA_Sync();
    row_lo[0] = row_hi[0] = me;
    row_lo[1] = 0;
    row_hi[1] = 10;
    for (j = 0; j < 11; j++) row[j] = -j;
    NGA_NbPut(g, row_lo, row_hi, row, ld, &put);
    NGA_NbWait(&put);
    NGA_NbAcc(g, row_lo, row_hi, row, ld, &alpha, &acc);
    NGA_NbWait(&acc);
    GA_Sync();
    NGA_NbGet(g, lo, hi, all, ld, &get);
    NGA_NbWait(&get);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) CHECK_EQUAL(all[i][j], i < ranks ? -2 * j : value(i, j));
    GA_Destroy(g);
}

/* Programs compiled for 4-byte INTEGER have no more than that for a handle. */
static void a_handle_is_an_integer_and_nothing_behind_it_changes(void)
{
    int g = filled(), lo[2] = {0, 0}, hi[2] = {12, 10}, ld[1] = {11};
    double all[13][11], zero = 0;
    struct {
        ga_nbhdl_t handle;
        unsigned char behind[8];
    } guarded;
    unsigned char expected[8];
    memset(&guarded, 0x5a, sizeof guarded);
    memset(expected, 0x5a, sizeof expected);
    CHECK_EQUAL(sizeof guarded.handle, sizeof(Integer));
    NGA_NbGet(g, lo, hi, all, ld, &guarded.handle);
    NGA_NbWait(&guarded.handle);
    CHECK(memcmp(guarded.behind, expected, sizeof expected) == 0);
    GA_Sync();
    NGA_NbPut(g, lo, hi, all, ld, &guarded.handle);
    NGA_NbWait(&guarded.handle);
    NGA_NbAcc(g, lo, hi, all, ld, &zero, &guarded.handle);
    NGA_NbWait(&guarded.handle);
    CHECK(memcmp(guarded.behind, expected, sizeof expected) == 0);
    GA_Sync();
    GA_Destroy(g);
}

static void several_nonblocking_gets_are_outstanding_at_once(void)
{
    int g = filled(), ld[1] = {11}, i, j;
    double rows[13][11];
    ga_nbhdl_t gets[13];
    for (i = 0; i < 13; i++) {
        int lo[2], hi[2];
        lo[0] = hi[0] = i;
        lo[1] = 0;
        hi[1] = 10;
        NGA_NbGet(g, lo, hi, rows[i], ld, &gets[i]);
    }
    for (i = 12; i >= 0; i--) NGA_NbWait(&gets[i]);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) CHECK_EQUAL(rows[i][j], value(i, j));
    GA_Destroy(g);
}

static void strided_transfers_take_every_nth_element(void)
{
    int g = filled(), lo[2] = {1, 0}, hi[2] = {10, 10}, skip[2] = {3, 5}, ld[1] = {3}, i, j, all_ld[1] = {11};
    int from[2] = {0, 0}, to[2] = {12, 10};
    double part[4][3], all[13][11], alpha = 2;
    memset(part, 0, sizeof part);
    NGA_Strided_get(g, lo, hi, skip, part, ld);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++) CHECK_EQUAL(part[i][j], value(1 + 3 * i, 5 * j));
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++) part[i][j] = -1 - 3 * i - j;
    GA_Sync();
    if (me == 0) NGA_Strided_put(g, lo, hi, skip, part, ld);
    GA_Sync();
    NGA_Strided_acc(g, lo, hi, skip, part, ld, &alpha);
    GA_Sync();
    NGA_Get(g, from, to, all, all_ld);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) {
            int hit = i >= 1 && i <= 10 && (i - 1) % 3 == 0 && j % 5 == 0;
            CHECK_EQUAL(all[i][j], hit ? (1 + 2 * ranks) * (-1 - (i - 1) - j / 5) : value(i, j));
        }
    GA_Destroy(g);
}

/* Elements here and there, not in order: (7 k mod 13, 5 k mod 11). */
static void points(int n, int at[][2], int *pointers[])
{
    int k;
    for (k = 0; k < n; k++) {
        at[k][0] = 7 * k % 13;
        at[k][1] = 5 * k % 11;
        pointers[k] = at[k];
    }
}

static void gather_fetches_single_elements(void)
{
    int g = filled(), at[60][2], *pointers[60], k;
    double found[60], flat[60];
    points(60, at, pointers);
    NGA_Gather(g, found, pointers, 60);
    NGA_Gather_flat(g, flat, &at[0][0], 60);
    for (k = 0; k < 60; k++) {
        CHECK_EQUAL(found[k], value(at[k][0], at[k][1]));
        CHECK_EQUAL(flat[k], found[k]);
    }
    GA_Destroy(g);
}

static void scatter_stores_single_elements_and_scatter_acc_adds_to_them(void)
{
    int g = filled(), at[60][2], *pointers[60], k;
    double values[60], found[60], alpha = 10;
    points(60, at, pointers);
    for (k = 0; k < 60; k++) values[k] = -k - 1;
    if (me == ranks - 1) {
        NGA_Scatter(g, values, pointers, 30);
        NGA_Scatter_flat(g, values + 30, &at[30][0], 30);
    }
    GA_Sync();
    NGA_Gather(g, found, pointers, 60);
    for (k = 0; k < 60; k++) CHECK_EQUAL(found[k], -k - 1);
    GA_Sync();
    NGA_Scatter_acc(g, values, pointers, 30, &alpha);
    NGA_Scatter_acc_flat(g, values + 30, &at[30][0], 30, &alpha);
    GA_Sync();
    NGA_Gather(g, found, pointers, 60);
    for (k = 0; k < 60; k++) CHECK_EQUAL(found[k], (-k - 1) * (1 + 10 * ranks));
    GA_Destroy(g);
}

/* Every ticket is drawn exactly once. */
static void read_inc_hands_out_every_number_once(void)
{
    int dims[2] = {1, 2}, at[2] = {0, 1}, g = NGA_Create(C_LONG, 2, dims, "counter", NULL), k;
    int own[400] = {0}, all[400];
    GA_Zero(g);
    for (k = 0; k < 100; k++) {
        long ticket = NGA_Read_inc(g, at, 1);
        CHECK(ticket >= 0 && ticket < 100 * ranks);
        if (ticket >= 0 && ticket < 400) own[ticket]++;
    }
    MPI_Allreduce(own, all, 400, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (k = 0; k < 100 * ranks; k++) CHECK_EQUAL(all[k], 1);
    GA_Sync();
    CHECK_EQUAL(NGA_Read_inc(g, at, 0), 100 * ranks);
    at[1] = 0;
    CHECK_EQUAL(NGA_Read_inc(g, at, 0), 0);
    GA_Destroy(g);
}

static void read_inc_adds_any_number_to_an_int_array_too(void)
{
    int dims[1] = {3}, at[1] = {2}, g = NGA_Create(C_INT, 1, dims, "counter", NULL), start = 1000;
    GA_Fill(g, &start);
    if (me == ranks - 1) {
        CHECK_EQUAL(NGA_Read_inc(g, at, -7), 1000);
        CHECK_EQUAL(NGA_Read_inc(g, at, 20), 993);
        CHECK_EQUAL(NGA_Read_inc(g, at, 0), 1013);
    }
    GA_Sync();
    GA_Destroy(g);
}

static void a_rank_reads_and_writes_its_own_block_in_place(void)
{
    int g = filled(), lo[2], hi[2], ld[1] = {-7}, i, j, from[2] = {0, 0}, to[2] = {12, 10}, all_ld[1] = {11};
    double all[13][11], *block;
    NGA_Distribution(g, me, lo, hi);
    if (hi[0] >= lo[0]) {
        NGA_Access(g, lo, hi, &block, ld);
        CHECK_EQUAL(ld[0], hi[1] - lo[1] + 1);
        for (i = lo[0]; i <= hi[0]; i++)
            for (j = lo[1]; j <= hi[1]; j++) {
                double *element = block + (i - lo[0]) * ld[0] + j - lo[1];
                CHECK_EQUAL(*element, value(i, j));
                *element = -value(i, j);
            }
        NGA_Release_update(g, lo, hi);
    }
    GA_Sync();
    NGA_Get(g, from, to, all, all_ld);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 11; j++) CHECK_EQUAL(all[i][j], -value(i, j));
    GA_Destroy(g);
}

static void a_part_of_the_own_block_is_accessed_with_the_ld_of_the_block(void)
{
    int dims[3] = {12, 12, 12}, lo[3], hi[3], ld[2], whole_ld[2], k, g = NGA_Create(C_INT, 3, dims, "box", NULL);
    int *whole, *part, extent[3];
    NGA_Distribution(g, me, lo, hi);
    for (k = 0; k < 3; k++) extent[k] = hi[k] - lo[k] + 1;
    NGA_Access(g, lo, hi, &whole, whole_ld);
    CHECK(whole_ld[0] == extent[1] && whole_ld[1] == extent[2]);
    NGA_Release(g, lo, hi);
    lo[0]++;
    lo[1]++;
    lo[2]++;
    NGA_Access(g, lo, hi, &part, ld);
    CHECK(ld[0] == whole_ld[0] && ld[1] == whole_ld[1]);
    CHECK_EQUAL(part - whole, (extent[1] + 1) * extent[2] + 1);
    NGA_Release(g, lo, hi);
    GA_Destroy(g);
}

static void a_fence_completes_what_was_put_before_it(void)
{
    int dims[1] = {64}, lo[1], hi[1], g = NGA_Create(C_DBL, 1, dims, "flags", NULL), next = (me + 1) % ranks;
    double one = me + 1, found = 0;
    GA_Zero(g);
    lo[0] = hi[0] = me;
    GA_Init_fence();
    NGA_Put(g, lo, hi, &one, NULL);
    GA_Fence();
    MPI_Barrier(MPI_COMM_WORLD);
    lo[0] = hi[0] = next;
    NGA_Get(g, lo, hi, &found, NULL);
    CHECK_EQUAL(found, next + 1);
    GA_Sync();
    GA_Destroy(g);
}

static void calls_with_64_bit_indices_do_the_same(void)
{
    int64_t dims[2] = {13, 11}, lo[2] = {2, 3}, hi[2] = {7, 9}, ld[1] = {7}, at[2] = {4, 5}, skip[2] = {2, 2};
    int64_t strided_ld[1] = {4}, own_lo[2], own_hi[2], own_ld[1] = {-1};
    int g = NGA_Create64(C_DBL, 2, dims, "wide", NULL), i, j;
    int counter = NGA_Create64(C_LONG, 2, dims, "wide counter", NULL);
    double part[6][7], in[6][7], strided[3][4], single = 0, alpha = 2, *block;
    ga_nbhdl_t handle;
    GA_Zero(g);
    GA_Zero(counter);
    for (i = 0; i < 6; i++)
        for (j = 0; j < 7; j++) part[i][j] = value(i, j);
    if (me == 0) {
        NGA_Put64(g, lo, hi, part, ld);
        NGA_Acc64(g, lo, hi, part, ld, &alpha);
    }
    GA_Sync();
    NGA_Get64(g, lo, hi, in, ld);
    for (i = 0; i < 6; i++)
        for (j = 0; j < 7; j++) CHECK_EQUAL(in[i][j], 3 * value(i, j));
    GA_Sync();
    if (me == ranks - 1) {
        NGA_NbPut64(g, lo, hi, part, ld, &handle);
        NGA_NbWait(&handle);
        NGA_NbAcc64(g, lo, hi, part, ld, &alpha, &handle);
        NGA_NbWait(&handle);
        NGA_Strided_put64(g, lo, hi, skip, part, strided_ld);
        NGA_Strided_acc64(g, lo, hi, skip, part, strided_ld, &alpha);
    }
    GA_Sync();
    NGA_NbGet64(g, lo, hi, in, ld, &handle);
    NGA_NbWait(&handle);
    NGA_Strided_get64(g, lo, hi, skip, strided, strided_ld);
    for (i = 0; i < 6; i++)
        for (j = 0; j < 7; j++)
            CHECK_EQUAL(in[i][j], 3 * (i % 2 == 0 && j % 2 == 0 ? (&part[0][0])[i / 2 * 4 + j / 2] : value(i, j)));
    CHECK_EQUAL(strided[2][3], in[4][6]);
    NGA_Gather_flat64(g, &single, at, 1);
    CHECK_EQUAL(single, in[2][2]);
    GA_Sync();
    if (me == 0) {
        single = 5;
        NGA_Scatter_flat64(g, &single, at, 1);
        NGA_Scatter_acc_flat64(g, &single, at, 1, &alpha);
        CHECK_EQUAL(NGA_Read_inc64(counter, at, 3), 0);
        CHECK_EQUAL(NGA_Read_inc64(counter, at, 3), 3);
    }
    GA_Sync();
    NGA_Distribution64(g, me, own_lo, own_hi);
    if (own_hi[0] >= own_lo[0]) {
        NGA_Access64(g, own_lo, own_hi, &block, own_ld);
        CHECK_EQUAL(own_ld[0], own_hi[1] - own_lo[1] + 1);
        if (NGA_Locate64(g, at) == me)
            CHECK_EQUAL(block[(at[0] - own_lo[0]) * own_ld[0] + at[1] - own_lo[1]], 15);
        NGA_Release64(g, own_lo, own_hi);
        NGA_Release_update64(g, own_lo, own_hi);
    }
    GA_Destroy(g);
    GA_Destroy(counter);
}

#ifndef GA_PACKAGE /* it loses every subscript but the first */
static void pointers_to_64_bit_subscripts_are_followed(void)
{
    int64_t at[2][2] = {{4, 5}, {12, 10}}, *pointers[2];
    int g = filled();
    double values[2] = {-1, -2}, found[2], alpha = 3;
    pointers[0] = at[0];
    pointers[1] = at[1];
    NGA_Gather64(g, found, pointers, 2);
    CHECK(found[0] == value(4, 5) && found[1] == value(12, 10));
    GA_Sync();
    if (me == 0) {
        NGA_Scatter64(g, values, pointers, 2);
        NGA_Scatter_acc64(g, values, pointers, 2, &alpha);
    }
    GA_Sync();
    NGA_Gather64(g, found, pointers, 2);
    CHECK(found[0] == -4 && found[1] == -8);
    GA_Destroy(g);
}
#endif

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    RUN(what_one_rank_puts_every_rank_gets);
    RUN(sections_land_in_memory_by_the_leading_dimension);
    RUN(every_rank_puts_its_own_rows);
    RUN(one_dimension_needs_no_leading_dimension);
    RUN(three_dimensions_have_two_leading_dimensions);
    RUN(seven_dimensions_are_moved_like_two);
    RUN(accumulates_of_all_ranks_add_up);
    RUN(integers_accumulate);
    RUN(longs_accumulate);
    RUN(floats_accumulate);
#ifndef GA_PACKAGE
    RUN(long_longs_accumulate);
    RUN(pointers_to_64_bit_subscripts_are_followed);
#endif
    RUN(complex_numbers_accumulate_by_a_complex_factor);
    RUN(nonblocking_transfers_are_done_after_the_wait);
    RUN(a_handle_is_an_integer_and_nothing_behind_it_changes);
    RUN(several_nonblocking_gets_are_outstanding_at_once);
    RUN(strided_transfers_take_every_nth_element);
    RUN(gather_fetches_single_elements);
    RUN(scatter_stores_single_elements_and_scatter_acc_adds_to_them);
    RUN(read_inc_hands_out_every_number_once);
    RUN(read_inc_adds_any_number_to_an_int_array_too);
    RUN(a_rank_reads_and_writes_its_own_block_in_place);
    RUN(a_part_of_the_own_block_is_accessed_with_the_ld_of_the_block);
    RUN(a_fence_completes_what_was_put_before_it);
    RUN(calls_with_64_bit_indices_do_the_same);
    return end();
}
