/* A directory of stripes, or that of the name, which takes no more. Arguments: what it refuses, and a scratch directory, which all
 * ranks share; CHEMIO_SF_DIRS names two directories. All three are empty but for files called "ballast".
 *
 *     files   there is no making of a file; part of the message about that follows, before the scratch directory
 *     data    one directory of stripes takes 64 MB, and the other one all */
#include "files.h"

static int entries_of(const char *directory)
{
    int count = 0;
    DIR *open = opendir(directory);
    struct dirent *entry;
    CHECK(open != NULL);
    while (open != NULL && (entry = readdir(open)) != NULL) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, "ballast") != 0;
    }
    if (open != NULL) closedir(open);
    return count;
}

/* How much there is in the scratch directory and in those of stripes. */
static int entries(void)
{
    char list[10000], *directory;
    int count = entries_of(scratch);
    snprintf(list, sizeof list, "%s", getenv("CHEMIO_SF_DIRS"));
    for (directory = strtok(list, ":"); directory != NULL; directory = strtok(NULL, ":")) count += entries_of(directory);
    return count;
}

static const char *reason;

static void a_file_that_cannot_be_made_is_the_same_error_on_every_rank_and_nothing_of_it_stays(void)
{
    char text[6000];
    int file = 77, round;
    for (round = 0; round < 2; round++) {
        int code = round == 0 ? SF_Create(in_scratch("none"), UNKNOWN, &file) : SF_Create_suffix(in_scratch("none"), SMALL, &file, 7);
        CHECK_EQUAL(code, SF_ERR_OPEN);
        CHECK_EQUAL(file, 77);
        SF_Errmsg_full(SF_ERR_OPEN, text, sizeof text);
        CHECK(strstr(text, reason) != NULL);
        if (strstr(text, reason) == NULL) fprintf(stderr, "%s\n", text);
        GA_Sync();
        CHECK_EQUAL(entries(), 0);
        GA_Sync();
    }
}

static void a_soft_limit_without_room_in_one_stripe_is_an_error_of_create_on_every_rank(void)
{
    char text[6000];
    int file = 77;
    CHECK_EQUAL(SF_Create(in_scratch("wide"), -1.0, 192.0 * (1 << 20), -1.0, &file), SF_ERR_WRITE);
    CHECK_EQUAL(file, 77);
    SF_Errmsg_full(SF_ERR_WRITE, text, sizeof text);
    CHECK(strstr(text, "no space left on device") != NULL && strstr(text, "100663296 bytes") != NULL);
    GA_Sync();
    CHECK_EQUAL(entries(), 0);
    GA_Sync();
}

/* More than 100 MB by each rank. What arrived is right, what did not is told, and all goes when the file does. */
static void writes_that_meet_a_full_stripe_fail_at_their_waits(void)
{
    enum { RECORD = 8 << 20, RECORDS = 18 };
    static char record[RECORD];
    int file = create("full", UNKNOWN), list[RECORDS], i, told[RECORDS], failed = 0;
    char text[6000];
    for (i = 0; i < RECORDS; i++) {
        memset(record, 1 + i, RECORD);
        CHECK_EQUAL(SF_Write(file, (double)(RECORDS * me + i) * RECORD, RECORD, record, &list[i]), 0);
        told[i] = SF_Wait(&list[i]);
        CHECK(told[i] == 0 || told[i] == SF_ERR_AWRITE);
        CHECK_EQUAL(SF_Wait(&list[i]), told[i]);
        if (told[i] != 0) failed++;
    }
    CHECK(failed > 0);
    if (failed > 0) {
        SF_Errmsg_full(SF_ERR_AWRITE, text, sizeof text);
        CHECK(strstr(text, "no space left on device") != NULL);
    }
    for (i = 0; i < RECORDS; i++) {
        if (told[i] != 0) continue;
        CHECK_EQUAL(read_now(file, (double)(RECORDS * me + i) * RECORD, RECORD, record), 0);
        CHECK(record[0] == 1 + i && memcmp(record, record + 1, RECORD - 1) == 0);
    }
    CHECK_EQUAL(SF_Close(file), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
    GA_Sync();
    CHECK_EQUAL(entries(), 0);
    GA_Sync();
}

static void there_is_room_again_afterwards(void)
{
    enum { RECORD = 4 << 20 };
    static char record[RECORD];
    int file = create("room", -1.0, (double)ranks * RECORD, -1.0);
    CHECK_EQUAL(write_now(file, (double)me * RECORD, RECORD, record), 0);
    CHECK_EQUAL(SF_Fsync(file), 0);
    GA_Sync();
    CHECK_EQUAL(SF_Destroy(file), 0);
    GA_Sync();
    CHECK_EQUAL(entries(), 0);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3 || getenv("CHEMIO_SF_DIRS") == NULL) GA_Error("expected what is refused, a directory and CHEMIO_SF_DIRS", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[argc - 1]);
    reason = argv[2];
    if (strcmp(argv[1], "files") == 0) {
        RUN(a_file_that_cannot_be_made_is_the_same_error_on_every_rank_and_nothing_of_it_stays);
    } else {
        RUN(a_soft_limit_without_room_in_one_stripe_is_an_error_of_create_on_every_rank);
        RUN(writes_that_meet_a_full_stripe_fail_at_their_waits);
        RUN(there_is_room_again_afterwards);
    }
    return end();
}
