/* A rank is killed between SF_Write and SF_Wait, while a write is under way: the others finish what is theirs, the launcher ends the
 * job, and a later run finds all that was waited for. Arguments: which of the two runs, and a scratch directory. */
#include "files.h"
#include <fcntl.h>
#include <signal.h>

enum { VICTIM = 1, WRITERS = 3, LEN = 700001, BULK = 64 << 20, BULKS = 4, ROUNDS = 5 };

static char piece[LEN];

/* Pieces are numbered in the order of their places, and each is full of its number. */
static int write_piece(int file, int number)
{
    memset(piece, 1 + number, LEN);
    return write_now(file, (double)number * LEN, LEN, piece);
}

static void check_piece(int file, int number)
{
    CHECK_EQUAL(read_now(file, (double)number * LEN, LEN, piece), 0);
    CHECK(piece[0] == 1 + number && memcmp(piece, piece + 1, LEN - 1) == 0);
}

static char *done_by(int rank)
{
    char name[20];
    snprintf(name, sizeof name, "done.%d", rank);
    return in_scratch(name);
}

static int suffixed(void)
{
    int file = 77;
    CHECK_EQUAL(SF_Create_suffix(in_scratch("left"), UNKNOWN, &file, 1), 0);
    return file;
}

/* Starts long writes far behind everything until one has not finished when the call is back, which a file in the scratch
 * directory says. */
static void write_in_bulk(int file)
{
    static char bulk[BULK];
    double end = FAR;
    int request, round, i;
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < BULKS; i++, end += BULK) CHECK_EQUAL(SF_Write(file, end, BULK, bulk, &request), 0);
        if (length_so_far("left.1") < end) {
            close(open(in_scratch("under_way"), O_CREAT | O_WRONLY, 0600));
            return;
        }
    }
}

/* Dies with long, large and small writes that nobody has waited for, but not before the others have shown that they go on. */
static void die(int file)
{
    static char large[LEN];
    int request, rank;
    CHECK_EQUAL(SF_Write(file, (double)(WRITERS + me) * LEN + 100, LEN - 100, large, &request), 0);
    CHECK_EQUAL(SF_Write(file, (double)(WRITERS + me) * LEN, 100, large, &request), 0);
    for (rank = 0; rank < ranks; rank++) {
        while (rank != me && !is_there(done_by(rank))) usleep(1000);
    }
    write_in_bulk(file);
    raise(SIGKILL);
}

static void dying(void)
{
    int file = suffixed();
    CHECK_EQUAL(ranks, WRITERS);
    CHECK_EQUAL(write_piece(file, me), 0);
    GA_Sync();
    if (me == VICTIM) die(file);
    CHECK_EQUAL(write_piece(file, WRITERS + me), 0);
    /* A rank that has met an error says so by not being done. */
    if (check_failures == 0) close(open(done_by(me), O_CREAT | O_WRONLY, 0600));
    /* The victim does not come: it is for the launcher to end this. */
    SF_Destroy(file);
}

static void later(void)
{
    int file, number;
    CHECK(is_there(in_scratch("left.1")));
    CHECK(is_there(in_scratch("under_way")) || !writes_can_be_under_way());
    GA_Sync();
    file = suffixed();
    for (number = 0; number < 2 * WRITERS; number++) {
        if (number != WRITERS + VICTIM) check_piece(file, number);
    }
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
    CHECK(!is_there(in_scratch("left.1")));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3) GA_Error("expected a run and a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[2]);
    if (strcmp(argv[1], "dying") == 0) dying();
    if (strcmp(argv[1], "later") == 0) later();
    return end();
}
