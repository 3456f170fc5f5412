/* Broadcasts, reductions, mutexes, groups, and masks of synchronisation. */
#include "check.h"
#include "ga-mpi.h"

static void a_broadcast_counts_bytes(void)
{
    double x[4] = {0, 0, 0, 7};
    char text[12] = "...........";
    int root = ranks - 1;
    if (me == root) {
        x[0] = 1.5;
        x[1] = 2.5;
        x[2] = 3.5;
        strcpy(text, "all of it");
    }
    GA_Brdcst(x, 3 * sizeof(double), root);
    CHECK(x[0] == 1.5 && x[1] == 2.5 && x[2] == 3.5 && x[3] == 7);
    GA_Brdcst(text, 10, root);
    CHECK(strcmp(text, "all of it") == 0);
}

static double expected_of(const char *op, int negative)
{
    double product = 1, sign = negative ? -1 : 1;
    int k;
    for (k = 1; k <= ranks; k++) product *= sign * k;
    if (strcmp(op, "+") == 0) return sign * ranks * (ranks + 1) / 2;
    if (strcmp(op, "*") == 0) return product;
    if (strcmp(op, "max") == 0) return negative ? -1 : ranks;
    if (strcmp(op, "min") == 0) return negative ? -ranks : 1;
    return strcmp(op, "absmax") == 0 ? ranks : 1;
}

static char *operators[] = {"+", "*", "max", "min", "absmax", "absmin"};

#define REDUCES(name, type, call)                                                          \
    static void name(void)                                                                 \
    {                                                                                      \
        int k;                                                                             \
        for (k = 0; k < 6; k++) {                                                          \
            type x[3];                                                                     \
            x[0] = (type)(me + 1);                                                         \
            x[1] = (type)(-me - 1);                                                        \
            x[2] = 77;                                                                     \
            call;                                                                          \
            CHECK_EQUAL(x[0], expected_of(operators[k], 0));                               \
            CHECK_EQUAL(x[1], expected_of(operators[k], 1));                               \
            CHECK_EQUAL(x[2], 77);                                                         \
        }                                                                                  \
    }
REDUCES(every_operator_reduces_doubles, double, GA_Dgop(x, 2, operators[k]))
REDUCES(every_operator_reduces_ints, int, GA_Igop(x, 2, operators[k]))
REDUCES(every_operator_reduces_longs, long, GA_Lgop(x, 2, operators[k]))
REDUCES(every_operator_reduces_floats, float, GA_Fgop(x, 2, operators[k]))
REDUCES(every_operator_reduces_long_longs, long long, GA_Llgop(x, 2, operators[k]))
REDUCES(every_operator_reduces_by_type_code, double, GA_Gop(C_DBL, x, 2, operators[k]))
REDUCES(every_operator_reduces_in_the_world_group, double, GA_Pgroup_dgop(GA_Pgroup_get_world(), x, 2, operators[k]))

static void integers_are_ored_bitwise(void)
{
    int x[2];
    x[0] = 1 << me;
    x[1] = 0;
    NGA_Igop(x, 2, "or");
    CHECK_EQUAL(x[0], (1 << ranks) - 1);
    CHECK_EQUAL(x[1], 0);
}

static void complex_numbers_are_summed(void)
{
    DoubleComplex z[2];
    SingleComplex c[1];
    z[0].real = me;
    z[0].imag = 1;
    z[1].real = -1;
    z[1].imag = me;
    c[0].real = 2;
    c[0].imag = (float)me;
    GA_Zgop(z, 2, "+");
    GA_Cgop(c, 1, "+");
    CHECK(z[0].real == ranks * (ranks - 1) / 2 && z[0].imag == ranks);
    CHECK(z[1].real == -ranks && z[1].imag == ranks * (ranks - 1) / 2);
    CHECK(c[0].real == 2 * ranks && c[0].imag == (float)(ranks * (ranks - 1) / 2));
}

static void long_vectors_are_reduced_whole(void)
{
    int n = 300000, k, wrong = 0;
    double *x = malloc((size_t)n * sizeof *x);
    for (k = 0; k < n; k++) x[k] = k + me;
    GA_Dgop(x, n, "+");
    for (k = 0; k < n; k++) wrong += x[k] != (double)ranks * k + ranks * (ranks - 1) / 2;
    CHECK_EQUAL(wrong, 0);
    free(x);
}

/* Each rank reads, adds and writes under the lock; without it increments would be lost. */
static void a_mutex_lets_one_rank_in_at_a_time(void)
{
    int dims[1] = {2}, lo[1] = {1}, hi[1] = {1}, k, g = NGA_Create(C_INT, 1, dims, "guarded", NULL), found;
    GA_Zero(g);
    CHECK(GA_Create_mutexes(2));
    for (k = 0; k < 50; k++) {
        GA_Lock(1);
        GA_Init_fence();
        NGA_Get(g, lo, hi, &found, NULL);
        found++;
        NGA_Put(g, lo, hi, &found, NULL);
        GA_Fence();
        GA_Unlock(1);
    }
    GA_Lock(0);
    GA_Unlock(0);
    GA_Sync();
    NGA_Get(g, lo, hi, &found, NULL);
    CHECK_EQUAL(found, 50 * ranks);
    CHECK(GA_Destroy_mutexes());
    GA_Destroy(g);
}

static void mutexes_can_be_created_again_after_they_were_destroyed(void)
{
    CHECK(GA_Create_mutexes(1));
    CHECK(GA_Destroy_mutexes());
    CHECK(GA_Create_mutexes(5));
    GA_Lock(4);
    GA_Unlock(4);
    CHECK(GA_Destroy_mutexes());
}

/* A masked call does not synchronise; what is in the array afterwards is the same once somebody does. */
static void masks_hold_for_one_call(void)
{
    int dims[2] = {20, 20}, lo[2] = {19, 19}, hi[2] = {19, 19}, ld[1] = {1}, g = NGA_Create(C_DBL, 2, dims, "masked", NULL);
    double three = 3, found = 0;
    GA_Sync();
    GA_Mask_sync(0, 0);
    GA_Fill(g, &three);
    GA_Sync();
    NGA_Get(g, lo, hi, &found, ld);
    CHECK_EQUAL(found, 3);
    GA_Sync();
    GA_Mask_sync(0, 1);
    GA_Zero(g);
    NGA_Get(g, lo, hi, &found, ld);
    CHECK_EQUAL(found, 0);
    GA_Destroy(g);
}

static void a_group_of_some_ranks_reduces_and_broadcasts_among_them(void)
{
    int members[64], k, half = (ranks + 1) / 2, group, dims[1] = {10}, lo[1] = {0}, hi[1] = {9}, g;
    for (k = 0; k < half; k++) members[k] = k;
    group = GA_Pgroup_create(members, half);
    if (me < half) {
        double x = me + 1, all[10], four = 4;
        int number = me == half - 1 ? 99 : 0;
        CHECK_EQUAL(GA_Pgroup_nnodes(group), half);
        CHECK_EQUAL(GA_Pgroup_nodeid(group), me);
        CHECK_EQUAL(GA_Pgroup_absolute_id(group, half - 1), half - 1);
        CHECK_EQUAL(GA_Get_pgroup_size(group), half);
        GA_Pgroup_dgop(group, &x, 1, "+");
        CHECK_EQUAL(x, half * (half + 1) / 2);
        GA_Pgroup_brdcst(group, &number, sizeof number, half - 1);
        CHECK_EQUAL(number, 99);
        GA_Pgroup_sync(group);
        g = NGA_Create_config(C_DBL, 1, dims, "of the group", NULL, group);
        CHECK(g != 0);
        CHECK_EQUAL(GA_Get_pgroup(g), group);
        GA_Fill(g, &four);
        NGA_Get(g, lo, hi, all, NULL);
        for (k = 0; k < 10; k++) CHECK_EQUAL(all[k], 4);
        GA_Destroy(g);
    }
    GA_Sync();
    if (me < half) CHECK(GA_Pgroup_destroy(group));
    GA_Sync();
}

/* Those of the smaller group make the call, and nobody else. */
static void arrays_of_different_groups_are_copied(void)
{
    int members[64], k, half = (ranks + 1) / 2, group, dims[2] = {13, 9}, lo[2] = {0, 0}, hi[2] = {12, 8}, ld[1] = {9}, g, h;
    int from_lo[2] = {3, 2}, from_hi[2] = {7, 8}, to_lo[2] = {8, 0}, to_hi[2] = {12, 6}, i, j, bad = 0;
    double in[13][9], out[13][9];
    for (k = 0; k < half; k++) members[k] = k;
    group = GA_Pgroup_create(members, half);
    g = NGA_Create(C_DBL, 2, dims, "of all", NULL);
    GA_Zero(g);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 9; j++) in[i][j] = 100 * i + j + 1;
    if (me < half) {
        h = NGA_Create_config(C_DBL, 2, dims, "of the group", NULL, group);
        if (me == 0) NGA_Put(h, lo, hi, in, ld);
        GA_Copy(h, g);
        GA_Zero(h);
        GA_Copy(g, h);
        NGA_Get(h, lo, hi, out, ld);
        for (i = 0; i < 13; i++)
            for (j = 0; j < 9; j++) bad += out[i][j] != in[i][j];
        GA_Pgroup_sync(group);
        NGA_Copy_patch('n', h, from_lo, from_hi, g, to_lo, to_hi);
        NGA_Copy_patch('n', g, to_lo, to_hi, h, to_lo, to_hi);
        NGA_Get(h, lo, hi, out, ld);
        for (i = 0; i < 13; i++)
            for (j = 0; j < 9; j++) bad += out[i][j] != (i >= 8 && j <= 6 ? in[i - 5][j + 2] : in[i][j]);
        GA_Destroy(h);
    }
    GA_Sync();
    NGA_Get(g, lo, hi, out, ld);
    for (i = 0; i < 13; i++)
        for (j = 0; j < 9; j++) bad += out[i][j] != (i >= 8 && j <= 6 ? in[i - 5][j + 2] : in[i][j]);
    CHECK_EQUAL(bad, 0);
    GA_Destroy(g);
    if (me < half) CHECK(GA_Pgroup_destroy(group));
    GA_Sync();
}

static void arrays_are_created_in_the_default_group(void)
{
    int alone[1], group, dims[1] = {10}, lo[1], hi[1], g;
    double three = 3;
    alone[0] = me;
    group = GA_Pgroup_create(alone, 1);
    GA_Pgroup_set_default(group);
    CHECK_EQUAL(GA_Nnodes(), 1);
    CHECK_EQUAL(GA_Nodeid(), 0);
    g = NGA_Create(C_DBL, 1, dims, "mine", NULL);
    NGA_Distribution(g, 0, lo, hi);
    CHECK(lo[0] == 0 && hi[0] == 9);
    GA_Fill(g, &three);
    GA_Dgop(&three, 1, "+");
    CHECK_EQUAL(three, 3);
    GA_Destroy(g);
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    CHECK_EQUAL(GA_Nnodes(), ranks);
    CHECK_EQUAL(GA_Nodeid(), me);
    GA_Sync();
}

static void groups_are_made_within_the_default_group(void)
{
    int halves = GA_Pgroup_split(GA_Pgroup_get_world(), 2), first[1] = {0}, group, members, in_half;
    double one = 1;
    GA_Pgroup_set_default(halves);
    in_half = GA_Nodeid();
    members = GA_Nnodes();
    CHECK(members == (ranks + 1) / 2 || members == ranks / 2);
    group = GA_Pgroup_create(first, 1);
    CHECK_EQUAL(GA_Pgroup_nnodes(group), 1);
    CHECK_EQUAL(GA_Pgroup_nodeid(group), in_half == 0 ? 0 : -1);
    GA_Dgop(&one, 1, "+");
    CHECK_EQUAL(one, members);
    GA_Sync();
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    if (in_half == 0) CHECK(GA_Pgroup_destroy(group));
    GA_Sync();
    CHECK(GA_Pgroup_destroy(halves));
    GA_Sync();
}

static void groups_are_communicators(void)
{
    int half = GA_Pgroup_split(GA_Pgroup_get_world(), 2), size, rank, sum = 1;
    MPI_Comm_size(GA_MPI_Comm(), &size);
    CHECK_EQUAL(size, ranks);
    MPI_Comm_rank(GA_MPI_Comm_pgroup(half), &rank);
    MPI_Comm_size(GA_MPI_Comm_pgroup(half), &size);
    CHECK(rank == GA_Pgroup_nodeid(half) && size == GA_Pgroup_nnodes(half));
    GA_Pgroup_set_default(half);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, GA_MPI_Comm_pgroup_default());
    CHECK_EQUAL(sum, GA_Nnodes());
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    GA_Sync();
    CHECK(GA_Pgroup_destroy(half));
    GA_Sync();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    RUN(a_broadcast_counts_bytes);
    RUN(every_operator_reduces_doubles);
    RUN(every_operator_reduces_ints);
    RUN(every_operator_reduces_longs);
    RUN(every_operator_reduces_floats);
    RUN(every_operator_reduces_long_longs);
    RUN(every_operator_reduces_by_type_code);
    RUN(every_operator_reduces_in_the_world_group);
    RUN(integers_are_ored_bitwise);
    RUN(complex_numbers_are_summed);
    RUN(long_vectors_are_reduced_whole);
    RUN(a_mutex_lets_one_rank_in_at_a_time);
    RUN(mutexes_can_be_created_again_after_they_were_destroyed);
    RUN(masks_hold_for_one_call);
    RUN(a_group_of_some_ranks_reduces_and_broadcasts_among_them);
    RUN(arrays_of_different_groups_are_copied);
    RUN(arrays_are_created_in_the_default_group);
    RUN(groups_are_made_within_the_default_group);
    RUN(groups_are_communicators);
    return end();
}
