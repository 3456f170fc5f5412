/* Who owns what: distributions tile the array, chunks and irregular maps are obeyed, owners are found. */
#include "check.h"

/* Every element has exactly one owner, and all ranks agree; returns the elements of this rank. */
static int64_t checked_tiling(int g, int ndim, const int dims[])
{
    int64_t owned = 0, all = 0, mine = 0, total = 1;
    int rank, k;
    for (k = 0; k < ndim; k++) total *= dims[k];
    for (rank = 0; rank < ranks; rank++) {
        int lo[GA_MAX_DIM], hi[GA_MAX_DIM], at[GA_MAX_DIM];
        int64_t lo64[GA_MAX_DIM], hi64[GA_MAX_DIM], count = 1;
        NGA_Distribution(g, rank, lo, hi);
        NGA_Distribution64(g, rank, lo64, hi64);
        for (k = 0; k < ndim; k++) CHECK(lo64[k] == lo[k] && hi64[k] == hi[k]);
        if (hi[0] < lo[0]) {
            for (k = 0; k < ndim; k++) CHECK(lo[k] == -1 && hi[k] == -2);
            continue;
        }
        for (k = 0; k < ndim; k++) {
            CHECK(lo[k] >= 0 && lo[k] <= hi[k] && hi[k] < dims[k]);
            count *= hi[k] - lo[k] + 1;
            at[k] = lo[k];
        }
        CHECK_EQUAL(NGA_Locate(g, at), rank);
        for (k = 0; k < ndim; k++) at[k] = hi[k];
        CHECK_EQUAL(NGA_Locate(g, at), rank);
        owned += count;
        if (rank == me) mine = count;
    }
    CHECK_EQUAL(owned, total);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQUAL(all, total);
    return mine;
}

static void every_shape_is_tiled_exactly_once(void)
{
    static int shapes[][5] = {{1, 1}, {1, 3}, {1, 100}, {2, 1, 1}, {2, 2, 2}, {2, 10, 7}, {2, 3, 100}, {2, 100, 3},
                              {3, 4, 5, 6}, {3, 1, 1, 50}, {4, 3, 3, 3, 3}};
    size_t i;
    for (i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        int g = NGA_Create(C_DBL, shapes[i][0], shapes[i] + 1, "tiled", NULL), blocks[GA_MAX_DIM], product = 1, k;
        checked_tiling(g, shapes[i][0], shapes[i] + 1);
        GA_Nblock(g, blocks);
        for (k = 0; k < shapes[i][0]; k++) product *= blocks[k];
        CHECK(product >= 1 && product <= ranks);
        GA_Destroy(g);
    }
}

static void a_regular_distribution_is_balanced(void)
{
    int dims[1] = {1000}, lo[1], hi[1], g = NGA_Create(C_DBL, 1, dims, "balanced", NULL);
    NGA_Distribution(g, me, lo, hi);
    CHECK(hi[0] - lo[0] + 1 >= 1000 / ranks && hi[0] - lo[0] + 1 <= 1000 / ranks + 1);
    GA_Destroy(g);
}

static void blocks_follow_each_other_in_row_major_order(void)
{
    int dims[2] = {40, 40}, lo[2], hi[2], next_lo[2], next_hi[2], rank, blocks[2];
    int g = NGA_Create(C_DBL, 2, dims, "ordered", NULL);
    GA_Nblock(g, blocks);
    for (rank = 0; rank + 1 < ranks; rank++) {
        NGA_Distribution(g, rank, lo, hi);
        NGA_Distribution(g, rank + 1, next_lo, next_hi);
        if ((rank + 1) % blocks[1] == 0) CHECK(next_lo[1] == 0 && next_lo[0] == hi[0] + 1);
        else CHECK(next_lo[1] == hi[1] + 1 && next_lo[0] == lo[0]);
    }
    GA_Destroy(g);
}

static void a_chunk_of_the_whole_dimension_is_not_split(void)
{
    int dims[2] = {12, 8}, blocks[2], by_rows[2] = {-1, 8}, by_columns[2] = {12, -1}, one[2] = {12, 8};
    int g = NGA_Create(C_DBL, 2, dims, "rows", by_rows);
    checked_tiling(g, 2, dims);
    GA_Nblock(g, blocks);
    CHECK(blocks[0] == ranks && blocks[1] == 1);
    GA_Destroy(g);
    g = NGA_Create(C_DBL, 2, dims, "columns", by_columns);
    checked_tiling(g, 2, dims);
    GA_Nblock(g, blocks);
    CHECK(blocks[0] == 1 && blocks[1] == ranks);
    GA_Destroy(g);
    g = NGA_Create(C_DBL, 2, dims, "one", one);
    CHECK_EQUAL(checked_tiling(g, 2, dims), me == 0 ? 96 : 0);
    GA_Destroy(g);
}

static void a_chunk_is_the_least_length_of_a_block(void)
{
    int dims[1] = {10}, chunk[1] = {4}, rank, g = NGA_Create(C_DBL, 1, dims, "chunks", chunk);
    checked_tiling(g, 1, dims);
    for (rank = 0; rank < ranks; rank++) {
        int lo[1], hi[1];
        NGA_Distribution(g, rank, lo, hi);
        if (hi[0] >= lo[0]) CHECK(hi[0] - lo[0] + 1 >= 4 || hi[0] == 9);
    }
    GA_Destroy(g);
}

/* Dimension 0 is cut in as many pieces as there are ranks: 1, 1, ..., the rest. */
static void an_irregular_map_is_obeyed(void)
{
    int dims[2] = {20, 5}, blocks[2], map[8], lo[2], hi[2], rank, i, found[2];
    int64_t dims64[2] = {20, 5}, blocks64[2], map64[8];
    int g, wide;
    blocks64[0] = blocks[0] = ranks;
    blocks64[1] = blocks[1] = 1;
    for (i = 0; i < ranks; i++) map64[i] = map[i] = i;
    map64[ranks] = map[ranks] = 0;
    g = NGA_Create_irreg(C_DBL, 2, dims, "irregular", blocks, map);
    wide = NGA_Create_irreg64(C_DBL, 2, dims64, "irregular", blocks64, map64);
    CHECK(g != 0 && wide != 0);
    CHECK_EQUAL(GA_Compare_distr(g, wide), 0);
    checked_tiling(g, 2, dims);
    GA_Nblock(g, found);
    CHECK(found[0] == ranks && found[1] == 1);
    for (rank = 0; rank < ranks; rank++) {
        NGA_Distribution(g, rank, lo, hi);
        CHECK(lo[0] == rank && lo[1] == 0 && hi[1] == 4);
        CHECK_EQUAL(hi[0], rank == ranks - 1 ? 19 : rank);
    }
    GA_Destroy(wide);
    GA_Destroy(g);
}

static void an_irregular_map_of_two_dimensions_gives_starts_of_the_first_then_of_the_second(void)
{
    int dims[2] = {10, 10}, blocks[2] = {2, 2}, map[4] = {0, 3, 0, 8}, lo[2], hi[2], g;
    if (ranks < 4) return;
    g = NGA_Create_irreg(C_INT, 2, dims, "two by two", blocks, map);
    NGA_Distribution(g, 1, lo, hi);
    CHECK(lo[0] == 0 && hi[0] == 2 && lo[1] == 8 && hi[1] == 9);
    NGA_Distribution(g, 2, lo, hi);
    CHECK(lo[0] == 3 && hi[0] == 9 && lo[1] == 0 && hi[1] == 7);
    GA_Destroy(g);
}

static void fewer_blocks_than_ranks_leave_ranks_without_elements(void)
{
    int dims[1] = {9}, blocks[1] = {1}, map[1] = {0}, lo[1], hi[1];
    int g = NGA_Create_irreg(C_DBL, 1, dims, "mine alone", blocks, map);
    NGA_Distribution(g, me, lo, hi);
    if (me == 0) CHECK(lo[0] == 0 && hi[0] == 8);
    else CHECK(lo[0] == -1 && hi[0] == -2);
    GA_Destroy(g);
}

static void the_distribution_of_a_rank_that_is_none_is_nothing(void)
{
    int dims[2] = {9, 9}, lo[2] = {7, 7}, hi[2] = {7, 7}, g = NGA_Create(C_DBL, 2, dims, "a", NULL);
    NGA_Distribution(g, ranks, lo, hi);
    CHECK(lo[0] == -1 && hi[0] == -2 && lo[1] == -1 && hi[1] == -2);
    GA_Destroy(g);
}

static void elements_outside_have_no_owner(void)
{
    int dims[2] = {9, 6}, at[2] = {9, 0}, g = NGA_Create(C_DBL, 2, dims, "a", NULL);
    int64_t wide[2] = {8, 5};
    CHECK_EQUAL(NGA_Locate(g, at), -1);
    at[0] = 0;
    at[1] = -1;
    CHECK_EQUAL(NGA_Locate(g, at), -1);
    CHECK(NGA_Locate64(g, wide) >= 0);
    GA_Destroy(g);
}

static void the_owners_of_a_section_and_their_parts_tile_it(void)
{
    int dims[2] = {30, 20}, lo[2] = {3, 2}, hi[2] = {27, 18}, map[4 * 64], owners[64], n, i, count = 0;
    int64_t lo64[2] = {3, 2}, hi64[2] = {27, 18}, map64[4 * 64];
    int g = NGA_Create(C_DBL, 2, dims, "a", NULL);
    n = NGA_Locate_region(g, lo, hi, map, owners);
    CHECK(n >= 1 && n <= ranks);
    for (i = 0; i < n; i++) {
        const int *from = map + 4 * i, *to = map + 4 * i + 2;
        int own_lo[2], own_hi[2], k;
        NGA_Distribution(g, owners[i], own_lo, own_hi);
        for (k = 0; k < 2; k++) {
            CHECK_EQUAL(from[k], own_lo[k] > lo[k] ? own_lo[k] : lo[k]);
            CHECK_EQUAL(to[k], own_hi[k] < hi[k] ? own_hi[k] : hi[k]);
        }
        count += (to[0] - from[0] + 1) * (to[1] - from[1] + 1);
    }
    CHECK_EQUAL(count, 25 * 17);
    CHECK_EQUAL(NGA_Locate_region64(g, lo64, hi64, map64, owners), n);
    for (i = 0; i < 4 * n; i++) CHECK_EQUAL(map64[i], map[i]);
    GA_Destroy(g);
}

static void ranks_have_places_in_the_grid_of_blocks(void)
{
    int dims[1] = {50}, at[1] = {-7}, g = NGA_Create(C_DBL, 1, dims, "line", NULL);
    NGA_Proc_topology(g, me, at);
    CHECK_EQUAL(at[0], me);
    GA_Destroy(g);
}

static void distributions_are_compared_by_shape_and_blocks_not_by_type(void)
{
    int dims[2] = {16, 12}, other[2] = {16, 13}, rows[2] = {-1, 12}, columns[2] = {16, -1};
    int a = NGA_Create(C_DBL, 2, dims, "a", rows), b = NGA_Create(C_INT, 2, dims, "b", rows);
    int c = NGA_Create(C_DBL, 2, dims, "c", columns), d = NGA_Create(C_DBL, 2, other, "d", NULL);
    CHECK_EQUAL(GA_Compare_distr(a, b), 0);
    CHECK_EQUAL(GA_Compare_distr(a, c) != 0, ranks > 1);
    CHECK(GA_Compare_distr(a, d) != 0);
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
    GA_Destroy(d);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    RUN(every_shape_is_tiled_exactly_once);
    RUN(a_regular_distribution_is_balanced);
    RUN(blocks_follow_each_other_in_row_major_order);
    RUN(a_chunk_of_the_whole_dimension_is_not_split);
    RUN(a_chunk_is_the_least_length_of_a_block);
    RUN(an_irregular_map_is_obeyed);
    RUN(an_irregular_map_of_two_dimensions_gives_starts_of_the_first_then_of_the_second);
    RUN(fewer_blocks_than_ranks_leave_ranks_without_elements);
    RUN(the_distribution_of_a_rank_that_is_none_is_nothing);
    RUN(elements_outside_have_no_owner);
    RUN(the_owners_of_a_section_and_their_parts_tile_it);
    RUN(ranks_have_places_in_the_grid_of_blocks);
    RUN(distributions_are_compared_by_shape_and_blocks_not_by_type);
    return end();
}
