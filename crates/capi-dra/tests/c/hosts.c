/* Arrays on disk of ranks on two hosts. Arguments: how they see the directory, and the directory.
 *
 *   shared  all hosts see it
 *   own     each host has its own under that name
 *   full    as own, and on the last host it has less than 50 MB */
#include "disk.h"

/* Five bricks in two files. */
static int dims[2] = {900, 200}, both_see_it;

/* What DRA_Errmsg_full says about a code: the same on every rank, of this rank, with these words. */
static void check_says(int code, int rank, const char *file, const char *cause)
{
    static char message[10000];
    char start[30];
    int lowest = code, highest = code;
    GA_Igop(&lowest, 1, (char *)"min");
    GA_Igop(&highest, 1, (char *)"max");
    CHECK(lowest == highest && code != 0);
    DRA_Errmsg_full(code, message, sizeof message);
    snprintf(start, sizeof start, "rank %d: ", rank);
    if (strncmp(message, start, strlen(start)) != 0 || strstr(message, file) == NULL || strstr(message, cause) == NULL) {
        fprintf(stderr, "rank %d: \"%s\", %s or \"%s\" is not in \"%s\"\n", me, start, file, cause, message);
        check_failures++;
    }
}

/* The first rank of the last host, and whether this rank is that one. */
static int first_of_last(void)
{
    return GA_Cluster_procid(GA_Cluster_nnodes() - 1, 0);
}

static double bytes_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size : -1.0;
}

static int new_array(const char *name)
{
    dra_size_t extents[2], hint[2] = {200, 200};
    int d_a = 77;
    extents[0] = dims[0];
    extents[1] = dims[1];
    CHECK_EQUAL(NDRA_Create(C_DBL, 2, extents, (char *)"on disk", in_scratch(name), DRA_RW, hint, &d_a), 0);
    return d_a;
}

static void what_is_written_is_read_by_a_later_opening_and_in_sections(void)
{
    int from = in_memory(2, dims, 1), to = in_memory(2, dims, 0), d_a = new_array("whole"), request = 5;
    int turned_dims[2] = {200, 900}, turned = in_memory(2, turned_dims, 0);
    int glo[2] = {0, 0}, ghi[2] = {199, 899}, lo[2] = {37, 11}, hi[2] = {787, 190};
    dra_size_t dlo[2] = {0, 0}, dhi[2] = {899, 199}, slo[2] = {37, 11}, shi[2] = {787, 190};
    CHECK_EQUAL(write_now(from, d_a), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("whole"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 1), 0);
    CHECK_EQUAL(NDRA_Read_section(1, turned, glo, ghi, d_a, dlo, dhi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    GA_Transpose(turned, to);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 1), 0);
    CHECK_EQUAL(NDRA_Write_section(0, from, lo, hi, d_a, slo, shi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    GA_Zero(to);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 1), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    CHECK(!is_there(in_scratch("whole")));
    GA_Destroy(from);
    GA_Destroy(to);
    GA_Destroy(turned);
}

/* One file for each host, wherever it is. */
static void hosts_are_told_with_what_lies_there(void)
{
    int d_a = new_array("told"), parts = 77, part, here = 0, nodes = GA_Cluster_nnodes();
    char host[70], name[70], file[20], unchanged[5] = "old";
    double bytes = 7.5;
    CHECK(gethostname(name, sizeof name) == 0);
    CHECK_EQUAL(nodes, 2);
    CHECK_EQUAL(DRA_Hosts(d_a, 0, &parts, host, sizeof host, &bytes), 0);
    CHECK_EQUAL(parts, both_see_it ? 1 : 2);
    if (both_see_it) {
        CHECK(host[0] == '\0');
        CHECK_EQUAL(bytes_of(in_scratch("told/c/0/0")) + bytes_of(in_scratch("told/c/1/0")), bytes);
    }
    for (part = 0; part < parts && !both_see_it; part++) {
        CHECK_EQUAL(DRA_Hosts(d_a, part, &parts, host, sizeof host, &bytes), 0);
        snprintf(file, sizeof file, "told/c/%d/0", part);
        CHECK_EQUAL(strcmp(host, name) == 0 ? bytes : -1.0, bytes_of(in_scratch(file)));
        here += strcmp(host, name) == 0;
        CHECK_EQUAL(DRA_Hosts(d_a, part, &parts, host, strlen(host), &bytes), DRA_ERR_TOO_SHORT);
    }
    CHECK_EQUAL(here, both_see_it ? 0 : 1);
    bytes = 7.5;
    CHECK_EQUAL(DRA_Hosts(d_a, parts, &parts, unchanged, sizeof unchanged, &bytes), DRA_FAIL);
    CHECK_EQUAL(DRA_Hosts(d_a, -1, &parts, unchanged, sizeof unchanged, &bytes), DRA_FAIL);
    CHECK_EQUAL(DRA_Hosts(d_a, 0, NULL, unchanged, sizeof unchanged, &bytes), DRA_FAIL);
    CHECK_EQUAL(DRA_Hosts(77, 0, &parts, unchanged, sizeof unchanged, &bytes), DRA_ERR_HANDLE);
    CHECK(strcmp(unchanged, "old") == 0 && bytes == 7.5);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

/* On a shared directory the first rank looks, and on their own each host's. */
static void what_is_wrong_on_one_host_is_told_on_both(void)
{
    int d_a = new_array("hurt"), g_a = in_memory(2, dims, 1), last = first_of_last(), request = 5, code;
    char shard[5000], place[5000];
    CHECK_EQUAL(write_now(g_a, d_a), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    /* The second file is that of the last host. */
    snprintf(shard, sizeof shard, "%s", in_scratch("hurt/c/1/0"));
    snprintf(place, sizeof place, "%s", in_scratch("hurt"));
    if (me == last) CHECK(truncate(shard, 1000) == 0);
    GA_Sync();
    CHECK_EQUAL(DRA_Open(place, DRA_R, &d_a), 0);
    code = NDRA_Read(g_a, d_a, &request);
    if (code == 0) code = DRA_Wait(request);
    check_says(code, both_see_it ? 0 : last, shard, "1000 bytes");
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("none"), DRA_R, &d_a), DRA_ERR_MISSING);
    check_says(DRA_ERR_MISSING, 0, in_scratch("none"), "no such array");
    if (!both_see_it) {
        if (me == last) CHECK(rename(place, in_scratch("aside")) == 0);
        GA_Sync();
        code = DRA_Open(place, DRA_R, &d_a);
        CHECK_EQUAL(code, DRA_ERR_MISSING);
        check_says(code, last, place, "no such array");
        if (me == last) CHECK(rename(in_scratch("aside"), place) == 0);
    }
    GA_Sync();
    CHECK_EQUAL(DRA_Open(place, DRA_R, &d_a), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    CHECK(!is_there(place));
    GA_Destroy(g_a);
}

/* 64 MB in the middle of both disks, of which one has no room for its half. */
static void a_disk_that_is_full_on_one_host_is_told_on_both_and_there_is_room_afterwards(void)
{
    int large[2] = {4096, 4096}, from = in_memory(2, large, 1), d_a = 77, request = 5, code;
    dra_size_t extents[2] = {4096, 4096}, hint[2] = {512, 512};
    CHECK_EQUAL(NDRA_Create(C_DBL, 2, extents, (char *)"large", in_scratch("large"), DRA_RW, hint, &d_a), 0);
    CHECK_EQUAL(NDRA_Write(from, d_a, &request), 0);
    code = DRA_Wait(request);
    check_says(code, first_of_last(), in_scratch("large/c/1/0"), "o space left on device");
    CHECK_EQUAL(DRA_Wait(request), code);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Sync();
    what_is_written_is_read_by_a_later_opening_and_in_sections();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3) GA_Error((char *)"expected how hosts see a directory, and a directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[2]);
    both_see_it = strcmp(argv[1], "shared") == 0;
    CHECK_EQUAL(INITIALISE, 0);
    if (strcmp(argv[1], "full") == 0) {
        RUN(a_disk_that_is_full_on_one_host_is_told_on_both_and_there_is_room_afterwards);
    } else {
        RUN(what_is_written_is_read_by_a_later_opening_and_in_sections);
        RUN(hosts_are_told_with_what_lies_there);
        RUN(what_is_wrong_on_one_host_is_told_on_both);
    }
    CHECK_EQUAL(DRA_Terminate(), 0);
    return end();
}
