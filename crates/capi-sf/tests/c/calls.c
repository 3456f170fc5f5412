/* What programs for SF rely on. The argument is a scratch directory, which all ranks share and which is empty.
 *
 * Known of the package's SF: transfers are finished when their call returns, and the request is -1; errors come from the call;
 * a read past the end is -1977; a request of -1 may be waited for; SF_Waitall gives 1 for any error; a number of
 * bytes below zero and NaN are refused, a fraction is cut; the limits are not looked at. Its SF_Write on a file that is
 * closed, or open for reading only, fails; SF_Close may be repeated, SF_Open and SF_Rwtor find files open or closed. */
#include "files.h"

enum { BLOCK = 1000, ROUNDS = 10 };

static void handles_count_upward_and_the_lowest_free_one_is_taken(void)
{
    int a = create("a", SMALL), b = create("b", UNKNOWN), c;
    CHECK_EQUAL(a, -3000);
    CHECK_EQUAL(b, -2999);
    CHECK_EQUAL(SF_Destroy(a), 0);
    c = create("c", SMALL);
    CHECK_EQUAL(c, -3000);
    CHECK_EQUAL(SF_Destroy(b), 0);
    CHECK_EQUAL(SF_Destroy(c), 0);
}

static void a_number_or_a_suffix_stands_behind_the_name_on_disk(void)
{
    int a = create("numbered", SMALL), b = 0, c = 0;
    CHECK_EQUAL(SF_Create_suffix(in_scratch("suffixed"), UNKNOWN, &b, 42), 0);
    CHECK_EQUAL(SF_Create_suffix(in_scratch("suffixed"), UNKNOWN, &c, -5), 0);
    CHECK(is_there(in_scratch("numbered.0")));
    CHECK(is_there(in_scratch("suffixed.42")));
    CHECK(is_there(in_scratch("suffixed.-5")));
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(a), 0);
    CHECK_EQUAL(SF_Destroy(b), 0);
    CHECK_EQUAL(SF_Destroy(c), 0);
    CHECK(!is_there(in_scratch("numbered.0")));
    CHECK(!is_there(in_scratch("suffixed.42")));
    CHECK(!is_there(in_scratch("suffixed.-5")));
}

static void trailing_blanks_of_a_name_in_c_are_part_of_it(void)
{
    int a = create("blank  ", SMALL);
    CHECK(is_there(in_scratch("blank  .0")));
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(a), 0);
}

static void what_is_there_stays_when_a_file_is_created_again(void)
{
    int first = 0, second = 0;
    char found[5] = "";
    CHECK_EQUAL(SF_Create_suffix(in_scratch("kept"), UNKNOWN, &first, 1), 0);
    if (me == 0) CHECK_EQUAL(write_now(first, 0.0, 4.0, "kept"), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Create_suffix(in_scratch("kept"), UNKNOWN, &second, 1), 0);
    CHECK(second != first);
    CHECK_EQUAL(read_now(second, 0.0, 4.0, found), 0);
    CHECK(strcmp(found, "kept") == 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(second), 0);
    CHECK_EQUAL(SF_Destroy(first), 0);
}

/* The record of one rank in one round. */
static void fill(double *record, int rank, int round)
{
    int i;
    for (i = 0; i < BLOCK; i++) record[i] = 1e6 * rank + 1e3 * round + i;
}

static void what_a_rank_has_waited_for_every_other_rank_reads(void)
{
    static double mine[BLOCK], expected[BLOCK], found[BLOCK];
    int file = create("seen", -1.0, 8.0 * BLOCK * ranks, 8.0 * BLOCK), round, other;
    for (round = 0; round < ROUNDS; round++) {
        fill(mine, me, round);
        CHECK_EQUAL(write_now(file, 8.0 * BLOCK * me, sizeof mine, mine), 0);
        GA_Sync();
        for (other = 0; other < ranks; other++) {
            CHECK_EQUAL(read_now(file, 8.0 * BLOCK * other, sizeof found, found), 0);
            fill(expected, other, round);
            CHECK(memcmp(found, expected, sizeof found) == 0);
        }
        GA_Sync();
    }
    CHECK_EQUAL(SF_Destroy(file), 0);
}

/* Small ones that ranks of a node write in turn reach the kernel together. */
static void records_written_in_turn_are_read_by_every_rank(void)
{
    enum { UNDER_WAY = 4, RECORDS = 60 };
    static double mine[UNDER_WAY][BLOCK], expected[BLOCK], found[BLOCK];
    int file = create("turns", -1.0, -1.0, 8.0 * BLOCK), list[UNDER_WAY], round, other;
    for (round = 0; round < RECORDS + UNDER_WAY; round++) {
        int slot = round % UNDER_WAY;
        if (round >= UNDER_WAY) {
            CHECK_EQUAL(SF_Wait(&list[slot]), 0);
            CHECK_EQUAL(SF_Wait(&list[slot]), 0);
            fill(expected, me, round - UNDER_WAY);
            CHECK_EQUAL(read_now(file, 8.0 * BLOCK * ((round - UNDER_WAY) * ranks + me), sizeof found, found), 0);
            CHECK(memcmp(found, expected, sizeof found) == 0);
        }
        if (round >= RECORDS) continue;
        fill(mine[slot], me, round);
        CHECK_EQUAL(SF_Write(file, 8.0 * BLOCK * (round * ranks + me), sizeof mine[slot], (char *)mine[slot], &list[slot]), 0);
    }
    GA_Sync();
    for (round = 0; round < RECORDS; round++) {
        for (other = 0; other < ranks; other++) {
            fill(expected, other, round);
            CHECK_EQUAL(read_now(file, 8.0 * BLOCK * (round * ranks + other), sizeof found, found), 0);
            CHECK(memcmp(found, expected, sizeof found) == 0);
        }
    }
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void holes_read_as_zeros(void)
{
    char found[16];
    int file = create("holes", UNKNOWN);
    if (me == ranks - 1) CHECK_EQUAL(write_now(file, 100000.0, 1.0, "x"), 0);
    GA_Sync();
    memset(found, '?', sizeof found);
    CHECK_EQUAL(read_now(file, 50001.0, sizeof found, found), 0);
    CHECK(found[0] == 0 && found[15] == 0 && memcmp(found, found + 1, 15) == 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void a_read_past_the_end_is_an_error(void)
{
    char found[8];
    int file = create("end", UNKNOWN);
    if (me == 0) CHECK_EQUAL(write_now(file, 0.0, 10.0, "0123456789"), 0);
    GA_Sync();
    CHECK_EQUAL(read_now(file, 4.0, 6.0, found), 0);
    CHECK_EQUAL(read_now(file, 4.0, 7.0, found), -1977);
    CHECK_EQUAL(read_now(file, 10.0, 1.0, found), -1977);
    CHECK_EQUAL(read_now(file, 1e9, 8.0, found), -1977);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void no_bytes_are_no_error(void)
{
    char nothing;
    int file = create("nothing", UNKNOWN);
    CHECK_EQUAL(write_now(file, 5.0, 0.0, &nothing), 0);
    CHECK_EQUAL(read_now(file, 0.0, 0.0, &nothing), 0);
    CHECK_EQUAL(read_now(file, 1e6, 0.0, &nothing), 0);
    CHECK_EQUAL(read_now(file, 0.0, 1.0, &nothing), -1977);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void a_request_may_be_waited_for_again_and_minus_one_is_none(void)
{
    int file = create("again", UNKNOWN), request = 0, none = -1;
    CHECK_EQUAL(SF_Write(file, 8.0 * me, 8.0, "01234567", &request), 0);
    CHECK_EQUAL(SF_Wait(&request), 0);
    CHECK_EQUAL(SF_Wait(&request), 0);
    CHECK_EQUAL(SF_Wait(&none), 0);
    CHECK_EQUAL(none, -1);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void a_list_of_requests_may_hold_finished_ones_and_none(void)
{
    static char found[3][4];
    int file = create("list", UNKNOWN), list[5] = {-1, -1, -1, -1, -1}, i;
    if (me == 0) CHECK_EQUAL(write_now(file, 0.0, 12.0, "aaaabbbbcccc"), 0);
    GA_Sync();
    for (i = 0; i < 3; i++) CHECK_EQUAL(SF_Read(file, 4.0 * i, 4.0, found[i], &list[i]), 0);
    CHECK_EQUAL(SF_Wait(&list[1]), 0);
    CHECK_EQUAL(SF_Waitall(list, 5), 0);
    CHECK_EQUAL(SF_Waitall(list, 5), 0);
    CHECK_EQUAL(SF_Waitall(list, 0), 0);
    CHECK_EQUAL(SF_Waitall(list, -1), 0);
    CHECK(memcmp(found, "aaaabbbbcccc", 12) == 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void files_are_opened_and_closed_in_any_order(void)
{
    char found[2];
    int file = create("doors", UNKNOWN);
    if (me == 0) CHECK_EQUAL(write_now(file, 0.0, 1.0, "1"), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Open(file), 0);
    CHECK_EQUAL(read_now(file, 0.0, 1.0, found), 0);
    CHECK_EQUAL(SF_Close(file), 0);
    CHECK_EQUAL(SF_Close(file), 0);
    CHECK(read_now(file, 0.0, 1.0, found) != 0);
    CHECK(write_now(file, 0.0, 1.0, "2") != 0);
    CHECK_EQUAL(SF_Rwtor(file), 0);
    CHECK_EQUAL(read_now(file, 0.0, 1.0, found), 0);
    CHECK(found[0] == '1');
    CHECK(write_now(file, 0.0, 1.0, "2") != 0);
    CHECK_EQUAL(SF_Open(file), 0);
    CHECK_EQUAL(SF_Rwtor(file), 0);
    CHECK(write_now(file, 0.0, 1.0, "2") != 0);
    CHECK_EQUAL(SF_Open(file), 0);
    GA_Sync();
    CHECK_EQUAL(write_now(file, 1.0 + me, 1.0, "3"), 0);
    CHECK_EQUAL(SF_Close(file), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK(!is_there(in_scratch("doors.0")));
}

/* Every access between lock and unlock opens the file and closes it, as coupled-cluster programs do. */
static void blocks_under_a_lock_lose_no_update(void)
{
    int file = create("locked", UNKNOWN), round, block;
    double value[2] = {0.0, 0.0}, expected = (double)ranks * ROUNDS;
    CHECK(GA_Create_mutexes(1));
    if (me == 0) {
        CHECK_EQUAL(write_now(file, 0.0, sizeof value, value), 0);
        CHECK_EQUAL(write_now(file, 4096.0, sizeof value, value), 0);
    }
    CHECK_EQUAL(SF_Close(file), 0);
    GA_Sync();
    for (round = 0; round < ROUNDS; round++) {
        for (block = 0; block < 2; block++) {
            int request = -1;
            GA_Lock(0);
            CHECK_EQUAL(SF_Open(file), 0);
            CHECK_EQUAL(SF_Read(file, 4096.0 * block, sizeof value, (char *)value, &request), 0);
            CHECK_EQUAL(SF_Wait(&request), 0);
            value[0] += 1.0;
            value[1] -= 1.0;
            CHECK_EQUAL(SF_Write(file, 4096.0 * block, sizeof value, (char *)value, &request), 0);
            CHECK_EQUAL(SF_Wait(&request), 0);
            CHECK_EQUAL(SF_Close(file), 0);
            GA_Unlock(0);
        }
    }
    GA_Sync();
    CHECK_EQUAL(SF_Rwtor(file), 0);
    for (block = 0; block < 2; block++) {
        CHECK_EQUAL(read_now(file, 4096.0 * block, sizeof value, value), 0);
        CHECK_EQUAL(value[0], expected);
        CHECK_EQUAL(value[1], -expected);
    }
    CHECK(GA_Destroy_mutexes());
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void many_requests_are_under_way_at_once(void)
{
    enum { REQUESTS = 200, LEN = 4000 };
    static char memory[REQUESTS][LEN], found[REQUESTS][LEN];
    static int list[REQUESTS];
    double begin = (double)me * REQUESTS * LEN;
    int file = create("many", UNKNOWN), i;
    for (i = 0; i < REQUESTS; i++) {
        memset(memory[i], i + me, LEN);
        CHECK_EQUAL(SF_Write(file, begin + (double)i * LEN, LEN, memory[i], &list[i]), 0);
    }
    CHECK_EQUAL(SF_Fsync(file), 0);
    CHECK_EQUAL(SF_Waitall(list, REQUESTS), 0);
    for (i = 0; i < REQUESTS; i++) CHECK_EQUAL(SF_Read(file, begin + (double)i * LEN, LEN, found[i], &list[i]), 0);
    CHECK_EQUAL(SF_Waitall(list, REQUESTS), 0);
    CHECK(memcmp(memory, found, sizeof memory) == 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void large_requests_at_odd_places_arrive_whole(void)
{
    enum { LEN = (3 << 20) + 17 };
    unsigned char *memory = malloc(LEN), *found = malloc(LEN);
    double begin = 13.0 + (double)((me + 1) % ranks) * LEN;
    int file = create("large", UNKNOWN), i;
    for (i = 0; i < LEN; i++) memory[i] = (unsigned char)(i * 7 + i / 256 + me);
    CHECK_EQUAL(write_now(file, 13.0 + (double)me * LEN, LEN, memory), 0);
    GA_Sync();
    CHECK_EQUAL(read_now(file, begin, LEN, found), 0);
    for (i = 0; i < LEN && found[i] == (unsigned char)(i * 7 + i / 256 + (me + 1) % ranks); i++) continue;
    CHECK_EQUAL(i, LEN);
    free(memory);
    free(found);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void every_code_has_a_text_and_other_numbers_have_none(void)
{
    static const int codes[] = {1, -2000, -1999, -1998, -1997, -1996, -1994, -1993, -1990, -1977};
    char message[500];
    size_t i;
    for (i = 0; i < sizeof codes / sizeof *codes; i++) {
        strcpy(message, "untouched");
        SF_Errmsg(codes[i], message);
        CHECK(message[0] != 0 && strcmp(message, "untouched") != 0);
    }
    SF_Errmsg(77, message);
    CHECK(message[0] == 0);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 2) GA_Error("expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[1]);
    RUN(handles_count_upward_and_the_lowest_free_one_is_taken);
    RUN(a_number_or_a_suffix_stands_behind_the_name_on_disk);
    RUN(trailing_blanks_of_a_name_in_c_are_part_of_it);
    RUN(what_is_there_stays_when_a_file_is_created_again);
    RUN(what_a_rank_has_waited_for_every_other_rank_reads);
    RUN(records_written_in_turn_are_read_by_every_rank);
    RUN(holes_read_as_zeros);
    RUN(a_read_past_the_end_is_an_error);
    RUN(no_bytes_are_no_error);
    RUN(a_request_may_be_waited_for_again_and_minus_one_is_none);
    RUN(a_list_of_requests_may_hold_finished_ones_and_none);
    RUN(files_are_opened_and_closed_in_any_order);
    RUN(blocks_under_a_lock_lose_no_update);
    RUN(many_requests_are_under_way_at_once);
    RUN(large_requests_at_odd_places_arrive_whole);
    RUN(every_code_has_a_text_and_other_numbers_have_none);
    return end();
}
