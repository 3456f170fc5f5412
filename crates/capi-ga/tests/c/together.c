/* Collective calls that return a failure: a mistake of one process alone is a failure of all, nobody waits for ever, and all
 * of them go on. What ends the program instead is in errors.c. */
#include "check.h"

static int shape[2] = {10, 7}, other_shape[2] = {7, 10}, without_rows[2] = {0, 7}, blocks[2] = {1, 1}, map[2] = {0, 0};
static int backwards[2] = {3, 0};
static int64_t shape64[2] = {10, 7}, blocks64[2] = {1, 1}, map64[2] = {0, 0};

/* Who makes the mistake: not the first one, where there are others. */
static int wrong(void) { return me == ranks - 1; }

/* All processes have got nothing. */
static void check_nothing(int got)
{
    CHECK_EQUAL(got, 0);
    CHECK_EQUAL(failed_anywhere(), 0);
}

/* No handle is lost by what has failed before. */
static void check_all_goes_on(void)
{
    int g = NGA_Create(C_DBL, 2, shape, "afterwards", NULL);
    CHECK_EQUAL(g, -1000);
    GA_Zero(g);
    GA_Destroy(g);
}

static void an_array_that_one_process_describes_wrongly_is_not_made(void)
{
    check_nothing(NGA_Create(wrong() ? 999 : C_DBL, 2, shape, "a", NULL));
    check_nothing(NGA_Create(C_DBL, wrong() ? 0 : 2, shape, "a", NULL));
    check_nothing(NGA_Create(C_DBL, wrong() ? 8 : 2, shape, "a", NULL));
    check_nothing(NGA_Create(C_DBL, 2, wrong() ? NULL : shape, "a", NULL));
    check_nothing(NGA_Create(C_DBL, 2, wrong() ? without_rows : shape, "a", NULL));
    check_nothing(NGA_Create64(C_DBL, 2, wrong() ? NULL : shape64, "a", NULL));
    check_nothing(NGA_Create_config(C_DBL, 2, wrong() ? NULL : shape, "a", NULL, -1));
    check_nothing(NGA_Create_config64(C_DBL, 2, wrong() ? NULL : shape64, "a", NULL, -1));
    check_all_goes_on();
}

static void an_array_whose_blocks_one_process_gives_wrongly_is_not_made(void)
{
    check_nothing(NGA_Create_irreg(C_DBL, 2, shape, "a", wrong() ? NULL : blocks, map));
    check_nothing(NGA_Create_irreg(C_DBL, 2, shape, "a", blocks, wrong() ? NULL : map));
    check_nothing(NGA_Create_irreg(C_DBL, 2, shape, "a", blocks, wrong() ? backwards : map));
    check_nothing(NGA_Create_irreg64(C_DBL, 2, shape64, "a", wrong() ? NULL : blocks64, map64));
    check_nothing(NGA_Create_irreg_config(C_DBL, 2, shape, "a", blocks, wrong() ? NULL : map, -1));
    check_nothing(NGA_Create_irreg_config64(C_DBL, 2, shape64, "a", blocks64, wrong() ? NULL : map64, -1));
    check_all_goes_on();
}

static void an_array_that_one_process_wants_otherwise_is_not_made(void)
{
    if (ranks == 1) return;
    check_nothing(NGA_Create(C_DBL, 2, wrong() ? other_shape : shape, "a", NULL));
    check_nothing(NGA_Create(wrong() ? C_INT : C_DBL, 2, shape, "a", NULL));
    check_nothing(NGA_Create(C_DBL, 2, shape, "a", wrong() ? shape : NULL));
    check_all_goes_on();
}

static void an_array_that_has_no_room_on_one_process_is_not_made(void)
{
    int chunk[2] = {1, 7}, large[2] = {64, 7};
    if (wrong()) GA_Set_memory_limit(1);
    check_nothing(NGA_Create(C_DBL, 2, large, "a", chunk));
    GA_Set_memory_limit((size_t)1 << 40);
    check_all_goes_on();
}

static void a_dead_handle_on_one_process_is_duplicated_by_none(void)
{
    int g = NGA_Create(C_DBL, 2, shape, "model", NULL), h = NGA_Create(C_DBL, 2, shape, "gone", NULL);
    GA_Destroy(h);
    check_nothing(GA_Duplicate(wrong() ? -5 : g, "copy"));
    check_nothing(NGA_Duplicate(wrong() ? h : g, "copy"));
    check_nothing(GA_Duplicate(wrong() ? 12345 : g, "copy"));
    check_nothing(GA_Duplicate(h, "copy"));
    GA_Destroy(g);
    check_all_goes_on();
}

/* The dead handle had an array of the group before, so it is known who waits. */
static void so_it_is_in_a_group(void)
{
    int list[1], group, g, h;
    list[0] = me;
    group = GA_Pgroup_create(list, 1);
    g = NGA_Create_config(C_DBL, 2, shape, "of one", NULL, group);
    GA_Destroy(g);
    /* The others do not call: a process that is alone in its group waits for nobody. */
    if (wrong()) CHECK_EQUAL(GA_Duplicate(g, "copy"), 0);
    CHECK(GA_Pgroup_destroy(group));
    group = GA_Pgroup_split(GA_Pgroup_get_world(), 2);
    g = NGA_Create_config(C_DBL, 2, shape, "of the group", NULL, group);
    h = NGA_Create_config(C_DBL, 2, shape, "of the group", NULL, group);
    GA_Destroy(h);
    CHECK_EQUAL(GA_Duplicate(GA_Pgroup_nodeid(group) == GA_Pgroup_nnodes(group) - 1 ? h : g, "copy"), 0);
    GA_Destroy(g);
    CHECK(GA_Pgroup_destroy(group));
    check_all_goes_on();
}

static void a_description_that_is_not_complete_on_one_process_makes_no_array(void)
{
    int g = GA_Create_handle();
    CHECK_EQUAL(g, -1000);
    if (!wrong()) GA_Set_data(g, 2, shape, C_DBL);
    check_nothing(GA_Allocate(g));
    if (wrong()) GA_Set_data(g, 2, shape, C_DBL);
    check_nothing(NGA_Allocate(wrong() ? -5 : g));
    CHECK(GA_Allocate(g));
    check_nothing(GA_Allocate(g));
    GA_Destroy(g);
    check_all_goes_on();
}

static void mutexes_whose_number_is_wrong_on_one_process_are_not_made(void)
{
    check_nothing(GA_Create_mutexes(wrong() ? -1 : 3));
    check_nothing(GA_Create_mutexes(wrong() ? 0 : 3));
    if (ranks > 1) check_nothing(GA_Create_mutexes(wrong() ? 2 : 3));
    check_nothing(GA_Destroy_mutexes());
    CHECK(GA_Create_mutexes(3));
    check_nothing(GA_Create_mutexes(3));
    GA_Lock(2);
    GA_Unlock(2);
    CHECK(GA_Destroy_mutexes());
    check_all_goes_on();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    RUN(an_array_that_one_process_describes_wrongly_is_not_made);
    RUN(an_array_whose_blocks_one_process_gives_wrongly_is_not_made);
    RUN(an_array_that_one_process_wants_otherwise_is_not_made);
    RUN(an_array_that_has_no_room_on_one_process_is_not_made);
    RUN(a_dead_handle_on_one_process_is_duplicated_by_none);
    RUN(so_it_is_in_a_group);
    RUN(a_description_that_is_not_complete_on_one_process_makes_no_array);
    RUN(mutexes_whose_number_is_wrong_on_one_process_are_not_made);
    return end();
}
