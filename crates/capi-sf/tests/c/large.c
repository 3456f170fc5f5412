/* Offsets and lengths that 4 bytes do not hold. Arguments: "long", for a request of more than 2 GiB too, or "far"; and a scratch
 * directory, which all ranks share and which is empty, with room for 2.1 GiB, or for 50 MB. */
#include <sys/mman.h>

#include "files.h"

static const double GIB = 1024.0 * 1024.0 * 1024.0;

/* Pieces of all ranks around 2^31 and 2^32 and beyond. Where they were if offsets were cut to 4 bytes there is nothing. */
static void what_is_written_beyond_4_bytes_of_offset_is_read_there(void)
{
    enum { LEN = (3 << 20) + 5, PLACES = 4, CUT = 2 };
    const double places[PLACES] = {2 * GIB - 1000, 4 * GIB - 1000, 5 * GIB, 1000 * GIB + 3};
    const double cut[CUT] = {0.0, GIB};
    char *piece = malloc(LEN);
    int file = create("far", UNKNOWN), list[PLACES], place, other = (me + 1) % ranks;
    for (place = 0; place < PLACES; place++) {
        memset(piece, 1 + 10 * me + place, LEN);
        CHECK_EQUAL(SF_Write(file, places[place] + (double)me * LEN, LEN, piece, &list[place]), 0);
        CHECK_EQUAL(SF_Wait(&list[place]), 0);
    }
    GA_Sync();
    for (place = 0; place < PLACES; place++) {
        CHECK_EQUAL(read_now(file, places[place] + (double)other * LEN, LEN, piece), 0);
        CHECK(piece[0] == (char)(1 + 10 * other + place) && memcmp(piece, piece + 1, LEN - 1) == 0);
    }
    for (place = 0; place < CUT; place++) {
        CHECK_EQUAL(read_now(file, cut[place] + (double)me * LEN, LEN, piece), 0);
        CHECK(piece[0] == 0 && memcmp(piece, piece + 1, LEN - 1) == 0);
    }
    CHECK_EQUAL(read_now(file, places[PLACES - 1] + (double)ranks * LEN - 1.0, 2.0, piece), SF_ERR_EOF);
    free(piece);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

/* Long memory that is one short piece again and again, but for its own beginning and end: little of it is ever touched. */
enum { EDGE = 1 << 20, PERIOD = (64 << 20) + 4096 };
static const size_t LONG = ((size_t)1 << 31) + 8;

static char *long_memory(void)
{
    size_t room = LONG + PERIOD + EDGE, at, len;
    int piece = memfd_create("piece", 0);
    char *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(piece >= 0 && ftruncate(piece, PERIOD) == 0 && memory != MAP_FAILED);
    for (at = EDGE; at < LONG / EDGE * EDGE - EDGE; at += len) {
        len = LONG / EDGE * EDGE - EDGE - at;
        if (len > PERIOD) len = PERIOD;
        CHECK(mmap(memory + at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, piece, 0) == memory + at);
    }
    close(piece);
    return memory;
}

/* Of what lies at a place of long memory. No period of it is a power of two. */
static char expected_at(size_t at)
{
    size_t word = at < EDGE || at >= LONG / EDGE * EDGE - EDGE ? at : (at - EDGE) % PERIOD;
    return (char)(word % 251 + word / 4096 % 241);
}

static void fill(char *memory, size_t from, size_t to)
{
    for (; from < to; from++) memory[from] = expected_at(from);
}

static size_t wrong_in(const char *memory, size_t from, size_t to, size_t at)
{
    size_t wrong = 0;
    for (; from < to; from++, at++) wrong += memory[from] != expected_at(at);
    return wrong;
}

/* One write, by rank 0, at whose places there is what was in the memory. */
static void a_write_of_more_than_2_gib_is_one_request(char *memory)
{
    static char found[100000];
    int file = create("long", UNKNOWN), request = 5;
    size_t at;
    if (me == 0) {
        CHECK_EQUAL(SF_Write(file, FAR, (double)LONG, memory, &request), 0);
        CHECK_EQUAL(SF_Wait(&request), 0);
        for (at = 0; at < LONG; at += (size_t)37 << 20) {
            size_t len = LONG - at < sizeof found ? LONG - at : sizeof found;
            CHECK_EQUAL(read_now(file, FAR + (double)at, (double)len, found), 0);
            CHECK_EQUAL(wrong_in(found, 0, len, at), 0);
        }
        at = LONG - sizeof found;
        CHECK_EQUAL(read_now(file, FAR + (double)at, sizeof found, found), 0);
        CHECK_EQUAL(wrong_in(found, 0, sizeof found, at), 0);
        CHECK_EQUAL(read_now(file, FAR + (double)LONG - 1.0, 2.0, found), SF_ERR_EOF);
    }
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

/* One read, by rank 0, of a file that has a hole in its middle. */
static void a_read_of_more_than_2_gib_is_one_request(char *memory)
{
    size_t end = LONG / EDGE * EDGE - EDGE, at, wrong = 0;
    int file = create("hole", UNKNOWN);
    if (me == 0) {
        CHECK_EQUAL(write_now(file, FAR, EDGE, memory), 0);
        CHECK_EQUAL(write_now(file, FAR + (double)end, (double)(LONG - end), memory + end), 0);
        memset(memory, 'x', EDGE);
        memset(memory + end, 'x', LONG - end + 1);
        CHECK_EQUAL(read_now(file, FAR, (double)LONG, memory), 0);
        CHECK_EQUAL(wrong_in(memory, 0, EDGE, 0) + wrong_in(memory, end, LONG, end), 0);
        for (at = EDGE; at < (size_t)EDGE + PERIOD; at++) wrong += memory[at] != 0;
        CHECK_EQUAL(wrong, 0);
        CHECK(memory[LONG] == 'x');
    }
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
}

static void requests_of_more_than_2_gib_are_one_each(void)
{
    char *memory = me == 0 ? long_memory() : NULL;
    if (me == 0) {
        fill(memory, 0, (size_t)EDGE + PERIOD);
        fill(memory, LONG / EDGE * EDGE - EDGE, LONG);
    }
    a_write_of_more_than_2_gib_is_one_request(memory);
    a_read_of_more_than_2_gib_is_one_request(memory);
    if (me == 0) CHECK(munmap(memory, LONG + PERIOD + EDGE) == 0);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3) GA_Error("expected far or long, and a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[2]);
    RUN(what_is_written_beyond_4_bytes_of_offset_is_read_there);
    if (strcmp(argv[1], "long") == 0) RUN(requests_of_more_than_2_gib_are_one_each);
    return end();
}
