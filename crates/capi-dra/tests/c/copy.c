/* Copies of arrays on disk into other bricks and another order of dimensions. The last argument is a scratch directory, which all ranks
 * share and which is empty. Before it there may be
 *
 *   keep                   two arrays are left for copy.f
 *   dying, first or second a rank is killed in that pass of a copy
 *   later                  on any number of ranks: finds what such a copy has left, and makes it again */
#include <signal.h>

#include "disk.h"

enum { VICTIM = 1 };

/* So little memory for each rank that a matrix of rows is turned in two passes. */
#define INITIALISE_WITH_LITTLE_MEMORY DRA_Init(100, 1e9, 1e10, 1e6)

static int rows[2] = {1024, 2048}, rows_turned[2] = {2048, 1024}, turned[2] = {1, 0};

static int source_dims[3] = {6, 10, 15}, order[3] = {2, 0, 1}, target_dims[3] = {15, 6, 10};

/* The source, written. */
static int make_source(const char *name)
{
    int memory = in_memory(3, source_dims, 1), source = on_disk(name, 3, source_dims);
    CHECK_EQUAL(write_now(memory, source), 0);
    GA_Destroy(memory);
    return source;
}

/* Elements that are not where the order puts them: dimension order[i] of the source is dimension i of the target. */
static long wrong_places(int target)
{
    static double found[15 * 6 * 10];
    int memory = in_memory(3, target_dims, 0), at[3], i;
    long wrong = 0, place = 0;
    CHECK_EQUAL(read_now(memory, target), 0);
    get_all(memory, 3, target_dims, found);
    for (at[0] = 0; at[0] < target_dims[0]; at[0]++)
        for (at[1] = 0; at[1] < target_dims[1]; at[1]++)
            for (at[2] = 0; at[2] < target_dims[2]; at[2]++) {
                int from[3];
                for (i = 0; i < 3; i++) from[order[i]] = at[i];
                wrong += found[place++] != element(1, (from[0] * 10L + from[1]) * 15 + from[2]);
            }
    GA_Destroy(memory);
    return wrong;
}

static void dimensions_go_round(void)
{
    int source = make_source("source"), target = on_disk("target", 3, target_dims);
    CHECK_EQUAL(NDRA_Copy(source, target, order), 0);
    CHECK_EQUAL(wrong_places(target), 0);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(target), 0);
}

static void says(int code, const char *text)
{
    char message[1000];
    DRA_Errmsg_full(code, message, sizeof message);
    if (strstr(message, text) == NULL) fprintf(stderr, "%s\n", message);
    CHECK(strstr(message, text) != NULL);
}

static void a_copy_with_a_request_is_under_way_until_the_wait_or_a_probe_says_so(void)
{
    int source = make_source("source"), waited = on_disk("waited", 3, target_dims), probed = on_disk("probed", 3, target_dims);
    int requests[2] = {77, 77}, status = 0, memory = in_memory(3, target_dims, 0), read = 77, written = 77, code;
    CHECK_EQUAL(NDRA_Ncopy(source, waited, order, &requests[0]), 0);
    /* It has begun: what is half there cannot be read, and nobody writes behind the copy. */
    CHECK(NDRA_Read(memory, waited, &read) != 0);
    CHECK_EQUAL(read, -333);
    CHECK(NDRA_Write(memory, waited, &written) != 0);
    CHECK_EQUAL(written, -333);
    CHECK_EQUAL(NDRA_Ncopy(source, probed, order, &requests[1]), 0);
    /* Nor does anybody take the mark away of what is being written, or is to be. */
    code = DRA_Set_attribute(waited, "chemio_unfinished", NULL);
    CHECK_EQUAL(code, DRA_FAIL);
    says(code, "a copy into this array is under way");
    CHECK_EQUAL(DRA_Set_attribute(probed, "chemio_unfinished", NULL), DRA_FAIL);
    CHECK_EQUAL(DRA_Set_attribute(waited, "of the program", "1"), 0);
    CHECK(requests[0] > 0 && requests[1] == requests[0] + 1);
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK_EQUAL(wrong_places(waited), 0);
    while (status == 0) {
        CHECK_EQUAL(DRA_Probe(requests[1], &status), 0);
    }
    CHECK_EQUAL(status, -1);
    CHECK_EQUAL(wrong_places(probed), 0);
    CHECK_EQUAL(DRA_Wait(requests[1]), 0);
    GA_Destroy(memory);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(waited), 0);
    CHECK_EQUAL(DRA_Delete(probed), 0);
}

static void copies_come_one_after_the_other(void)
{
    int source = make_source("source"), first = on_disk("first", 3, target_dims), second = on_disk("second", 3, target_dims);
    int now = on_disk("now", 3, target_dims), requests[2] = {77, 77}, status = 77;
    CHECK_EQUAL(NDRA_Ncopy(source, first, order, &requests[0]), 0);
    CHECK_EQUAL(NDRA_Ncopy(source, second, order, &requests[1]), 0);
    CHECK_EQUAL(DRA_Wait(requests[1]), 0);
    CHECK_EQUAL(wrong_places(second), 0);
    /* The one before is complete then, whether or not anybody has waited for it. */
    CHECK_EQUAL(wrong_places(first), 0);
    CHECK_EQUAL(DRA_Probe(requests[0], &status), 0);
    CHECK_EQUAL(status, -1);
    CHECK_EQUAL(NDRA_Ncopy(source, first, order, &requests[0]), 0);
    CHECK_EQUAL(NDRA_Copy(source, now, order), 0);
    CHECK_EQUAL(wrong_places(now), 0);
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK_EQUAL(wrong_places(first), 0);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(first), 0);
    CHECK_EQUAL(DRA_Delete(second), 0);
    CHECK_EQUAL(DRA_Delete(now), 0);
}

static void closing_either_array_makes_the_copy_first(void)
{
    int closed;
    for (closed = 0; closed < 2; closed++) {
        int arrays[2] = {make_source("source"), on_disk("target", 3, target_dims)}, request = 77, again = 77;
        CHECK_EQUAL(NDRA_Ncopy(arrays[0], arrays[1], order, &request), 0);
        CHECK_EQUAL(DRA_Close(arrays[closed]), 0);
        CHECK_EQUAL(DRA_Open(in_scratch(closed == 0 ? "source" : "target"), DRA_RW, &again), 0);
        arrays[closed] = again;
        CHECK_EQUAL(DRA_Wait(request), 0);
        CHECK_EQUAL(wrong_places(arrays[1]), 0);
        CHECK_EQUAL(DRA_Delete(arrays[0]), 0);
        CHECK_EQUAL(DRA_Delete(arrays[1]), 0);
    }
}

/* The code of a copy with a request that is not issued. */
static int refused_at_once(int from, int to, int *dimensions)
{
    int request = 77, code = NDRA_Ncopy(from, to, dimensions, &request);
    CHECK_EQUAL(request, -333);
    return code;
}

static void what_a_copy_under_way_writes_can_be_copied_on(void)
{
    int source = make_source("source"), first = on_disk("first", 3, source_dims), second = on_disk("second", 3, target_dims);
    int straight[3] = {0, 1, 2}, requests[2] = {77, 77};
    CHECK_EQUAL(NDRA_Ncopy(source, first, straight, &requests[0]), 0);
    CHECK_EQUAL(NDRA_Ncopy(first, second, order, &requests[1]), 0);
    CHECK_EQUAL(DRA_Wait(requests[1]), 0);
    CHECK_EQUAL(wrong_places(second), 0);
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(first), 0);
    CHECK_EQUAL(DRA_Delete(second), 0);
}

/* Whether an array carries on disk the attribute of one that is not complete. */
static int is_marked(const char *name)
{
    static char text[100000];
    char path[100];
    FILE *metadata;
    size_t length;
    snprintf(path, sizeof path, "%s/zarr.json", name);
    metadata = fopen(in_scratch(path), "r");
    length = metadata == NULL ? 0 : fread(text, 1, sizeof text - 1, metadata);
    if (metadata != NULL) fclose(metadata);
    text[length] = '\0';
    return strstr(text, "chemio_unfinished") != NULL;
}

static void the_target_of_a_copy_that_waits_for_its_turn_cannot_be_read(void)
{
    int source = make_source("source"), first = on_disk("first", 3, target_dims), second = on_disk("second", 3, target_dims);
    int memory = in_memory(3, target_dims, 0), requests[2] = {77, 77}, read = 77, twin = 77;
    CHECK_EQUAL(NDRA_Ncopy(source, first, order, &requests[0]), 0);
    CHECK_EQUAL(NDRA_Ncopy(source, second, order, &requests[1]), 0);
    CHECK(NDRA_Read(memory, second, &read) != 0);
    CHECK_EQUAL(read, -333);
    CHECK_EQUAL(DRA_Open(in_scratch("second"), DRA_R, &twin), 0);
    CHECK(NDRA_Read(memory, twin, &read) != 0);
    CHECK_EQUAL(DRA_Close(twin), 0);
    /* Also by whoever finds it after the program was killed. */
    CHECK(is_marked("second"));
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK(is_marked("second"));
    CHECK_EQUAL(DRA_Wait(requests[1]), 0);
    CHECK(!is_marked("first") && !is_marked("second"));
    CHECK_EQUAL(wrong_places(second), 0);
    GA_Destroy(memory);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(first), 0);
    CHECK_EQUAL(DRA_Delete(second), 0);
}

/* What a copy reads cannot be the target of a later one before it has been read, by whatever handle; nor can one array be the target
 * of two copies at a time. */
static void a_copy_into_what_one_before_it_uses_comes_after_that(void)
{
    int by_twin, straight[3] = {0, 1, 2};
    for (by_twin = 0; by_twin < 2; by_twin++) {
        int source = make_source("source"), first = on_disk("first", 3, target_dims), read = on_disk("read", 3, target_dims);
        int kept = on_disk("kept", 3, target_dims), requests[4] = {77, 77, 77, 77}, memory = in_memory(3, target_dims, 2), again = read;
        CHECK_EQUAL(write_now(memory, read), 0);
        if (by_twin) CHECK_EQUAL(DRA_Open(in_scratch("read"), DRA_RW, &again), 0);
        CHECK_EQUAL(NDRA_Ncopy(source, first, order, &requests[0]), 0);
        CHECK_EQUAL(NDRA_Ncopy(read, kept, straight, &requests[1]), 0);
        CHECK_EQUAL(NDRA_Ncopy(source, again, order, &requests[2]), 0);
        CHECK_EQUAL(NDRA_Ncopy(kept, again, straight, &requests[3]), 0);
        CHECK(is_marked("read"));
        CHECK_EQUAL(DRA_Wait(requests[1]), 0);
        CHECK_EQUAL(read_now(memory, kept), 0);
        CHECK_EQUAL(wrong_elements(memory, 3, target_dims, 2), 0);
        CHECK_EQUAL(DRA_Wait(requests[2]), 0);
        CHECK_EQUAL(DRA_Wait(requests[3]), 0);
        CHECK_EQUAL(read_now(memory, again), 0);
        CHECK_EQUAL(wrong_elements(memory, 3, target_dims, 2), 0);
        CHECK_EQUAL(DRA_Wait(requests[0]), 0);
        GA_Destroy(memory);
        if (by_twin) CHECK_EQUAL(DRA_Close(again), 0);
        CHECK_EQUAL(DRA_Delete(source), 0);
        CHECK_EQUAL(DRA_Delete(first), 0);
        CHECK_EQUAL(DRA_Delete(read), 0);
        CHECK_EQUAL(DRA_Delete(kept), 0);
    }
}

static void a_copy_that_fails_when_its_turn_comes_leaves_the_target_as_it_was(void)
{
    int source = make_source("source"), half = make_source("half"), first = on_disk("first", 3, target_dims);
    int second = on_disk("second", 3, target_dims), tried = on_disk("tried", 3, target_dims), requests[3] = {77, 77, 77};
    int memory = in_memory(3, target_dims, 2), read = 77;
    CHECK_EQUAL(write_now(memory, second), 0);
    CHECK_EQUAL(DRA_Set_attribute(half, "chemio_unfinished", "{\"what\": \"filling it\"}"), 0);
    CHECK_EQUAL(DRA_Set_attribute(tried, "chemio_unfinished", "{\"what\": \"trying\"}"), 0);
    CHECK_EQUAL(NDRA_Ncopy(source, first, order, &requests[0]), 0);
    CHECK_EQUAL(NDRA_Ncopy(half, second, order, &requests[1]), 0);
    CHECK_EQUAL(NDRA_Ncopy(half, tried, order, &requests[2]), 0);
    CHECK(is_marked("second"));
    CHECK_EQUAL(DRA_Wait(requests[1]), DRA_FAIL);
    CHECK(!is_marked("second"));
    CHECK_EQUAL(read_now(memory, second), 0);
    CHECK_EQUAL(wrong_elements(memory, 3, target_dims, 2), 0);
    /* What another try has left of its target is not complete. */
    CHECK_EQUAL(DRA_Wait(requests[2]), DRA_FAIL);
    CHECK(NDRA_Read(memory, tried, &read) != 0);
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK_EQUAL(wrong_places(first), 0);
    GA_Destroy(memory);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(half), 0);
    CHECK_EQUAL(DRA_Delete(first), 0);
    CHECK_EQUAL(DRA_Delete(second), 0);
    CHECK_EQUAL(DRA_Delete(tried), 0);
}

static void a_copy_whose_target_has_been_replaced_does_not_let_later_ones_begin_early(void)
{
    int source = make_source("source"), first = on_disk("first", 3, target_dims), gone = on_disk("second", 3, target_dims);
    int second = on_disk("second", 3, source_dims), third = on_disk("third", 3, target_dims), requests[3] = {77, 77, 77};
    CHECK_EQUAL(NDRA_Ncopy(source, first, order, &requests[0]), 0);
    CHECK_EQUAL(NDRA_Ncopy(source, gone, order, &requests[1]), 0);
    CHECK(!is_marked("second"));
    CHECK_EQUAL(NDRA_Ncopy(source, third, order, &requests[2]), 0);
    CHECK_EQUAL(DRA_Wait(requests[2]), 0);
    CHECK(!is_marked("first"));
    CHECK_EQUAL(wrong_places(third), 0);
    says(DRA_Wait(requests[1]), "replaced by another one");
    CHECK(DRA_Wait(requests[1]) != 0);
    CHECK_EQUAL(DRA_Wait(requests[0]), 0);
    CHECK_EQUAL(wrong_places(first), 0);
    DRA_Close(gone);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(first), 0);
    CHECK_EQUAL(DRA_Delete(second), 0);
    CHECK_EQUAL(DRA_Delete(third), 0);
}

static void mistakes_are_codes_on_every_rank(void)
{
    int source = make_source("source"), target = on_disk("target", 3, target_dims), same = on_disk("same", 3, source_dims);
    int straight[3] = {0, 1, 2}, twice[3] = {0, 0, 1}, from_one[3] = {1, 2, 3}, typed = 77, request = 77, code, locked = 77;
    int twin = 77;
    dra_size_t extents[3] = {15, 6, 10}, unknown[3] = {-1, -1, -1};
    CHECK_EQUAL(NDRA_Create(C_FLOAT, 3, extents, (char *)"typed", in_scratch("typed"), DRA_RW, unknown, &typed), 0);
    code = NDRA_Copy(source, source, straight);
    CHECK_EQUAL(code, DRA_FAIL);
    says(code, "source and target are the same array");
    code = NDRA_Copy(source, target, straight);
    CHECK_EQUAL(code, DRA_FAIL);
    says(code, "are not [15, 6, 10]");
    code = NDRA_Copy(source, typed, order);
    CHECK_EQUAL(code, DRA_FAIL);
    says(code, "elements of type");
    code = NDRA_Copy(source, target, twice);
    CHECK_EQUAL(code, DRA_FAIL);
    says(code, "[0, 0, 1] is no order of the dimensions 0 to 2");
    CHECK_EQUAL(NDRA_Copy(source, target, from_one), DRA_FAIL);
    CHECK_EQUAL(NDRA_Copy(source, target, NULL), DRA_FAIL);
    CHECK_EQUAL(NDRA_Copy(77, target, order), DRA_ERR_HANDLE);
    CHECK_EQUAL(NDRA_Copy(source, 77, order), DRA_ERR_HANDLE);
    /* A mistake of one rank. */
    CHECK_EQUAL(NDRA_Copy(me == 0 ? 77 : source, target, order), DRA_ERR_HANDLE);
    CHECK_EQUAL(NDRA_Ncopy(source, target, twice, &request), DRA_FAIL);
    CHECK_EQUAL(request, -333);
    CHECK_EQUAL(NDRA_Ncopy(source, target, order, NULL), DRA_FAIL);
    /* With a request too the call itself tells what is wrong with its arguments. */
    CHECK_EQUAL(refused_at_once(source, target, straight), DRA_FAIL);
    CHECK_EQUAL(refused_at_once(source, typed, order), DRA_FAIL);
    CHECK_EQUAL(DRA_Open(in_scratch("source"), DRA_RW, &twin), 0);
    CHECK_EQUAL(refused_at_once(source, twin, straight), DRA_FAIL);
    CHECK_EQUAL(DRA_Close(twin), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("target"), DRA_R, &twin), 0);
    CHECK_EQUAL(refused_at_once(source, twin, order), DRA_ERR_MODE);
    CHECK_EQUAL(DRA_Close(twin), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("source"), DRA_W, &twin), 0);
    CHECK_EQUAL(refused_at_once(twin, target, order), DRA_ERR_MODE);
    CHECK_EQUAL(DRA_Close(twin), 0);
    /* An error that only the copy finds is told by every wait. */
    CHECK_EQUAL(DRA_Set_attribute(source, "chemio_unfinished", "{\"what\": \"filling it\"}"), 0);
    CHECK_EQUAL(NDRA_Ncopy(source, target, order, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), DRA_FAIL);
    CHECK_EQUAL(DRA_Wait(request), DRA_FAIL);
    CHECK_EQUAL(DRA_Set_attribute(source, "chemio_unfinished", NULL), 0);
    CHECK_EQUAL(DRA_Close(target), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("target"), DRA_R, &locked), 0);
    code = NDRA_Copy(source, locked, order);
    CHECK(code != 0);
    says(code, "for reading");
    CHECK_EQUAL(NDRA_Copy(source, same, straight), 0);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(locked), 0);
    CHECK_EQUAL(DRA_Delete(same), 0);
    CHECK_EQUAL(DRA_Delete(typed), 0);
}

/* What the first rank has been told of the device counts on all of them. */
static void a_device_that_makes_no_sense_is_a_code_on_every_rank(void)
{
    int source = make_source("source"), target = on_disk("target", 3, target_dims), request = 77, code;
    setenv("CHEMIO_DEVICE", me == 0 ? "read=900,speed=3" : "operations=200", 1);
    code = NDRA_Copy(source, target, order);
    CHECK_EQUAL(code, DRA_ERR_UNSUPPORTED);
    says(code, "CHEMIO_DEVICE: \"speed=3\" says nothing of a device");
    CHECK_EQUAL(NDRA_Ncopy(source, target, order, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), DRA_ERR_UNSUPPORTED);
    setenv("CHEMIO_DEVICE", me == 0 ? "read=120,write=110,operations=150,alone=0,memory=4000" : "speed", 1);
    CHECK_EQUAL(NDRA_Copy(source, target, order), 0);
    CHECK_EQUAL(wrong_places(target), 0);
    unsetenv("CHEMIO_DEVICE");
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(target), 0);
}

/* A matrix on disk whose bricks are rows. */
static int on_disk_in_rows(const char *name, const int dims[2])
{
    dra_size_t extents[2] = {dims[0], dims[1]}, row[2] = {1, dims[1]};
    int d_a = 77;
    CHECK_EQUAL(NDRA_Create(C_DBL, 2, extents, (char *)"in rows", in_scratch(name), DRA_RW, row, &d_a), 0);
    return d_a;
}

static int make_rows(void)
{
    int memory = in_memory(2, rows, 1), source = on_disk_in_rows("rows", rows);
    CHECK_EQUAL(write_now(memory, source), 0);
    GA_Destroy(memory);
    return source;
}

/* Elements of a matrix that are not those of the one in rows, turned. */
static long not_turned(int target)
{
    int memory = in_memory(2, rows_turned, 0);
    double *found = malloc((size_t)product(2, rows) * sizeof *found);
    long wrong = 0, row, column;
    CHECK_EQUAL(read_now(memory, target), 0);
    get_all(memory, 2, rows_turned, found);
    for (row = 0; row < rows[0]; row++)
        for (column = 0; column < rows[1]; column++)
            wrong += found[column * rows[0] + row] != element(1, row * rows[1] + column);
    free(found);
    GA_Destroy(memory);
    return wrong;
}

static int is_between_passes(void)
{
    return is_there(in_scratch("turned.pass-1"));
}

static void little_memory_takes_several_passes(void)
{
    int source = make_rows(), target = on_disk_in_rows("turned", rows_turned), request = 77, status = 0, was_between = 0;
    CHECK_EQUAL(NDRA_Ncopy(source, target, turned, &request), 0);
    while (status == 0) {
        was_between |= is_between_passes();
        CHECK_EQUAL(DRA_Probe(request, &status), 0);
    }
    CHECK(was_between && !is_between_passes());
    CHECK_EQUAL(not_turned(target), 0);
    CHECK_EQUAL(DRA_Delete(source), 0);
    CHECK_EQUAL(DRA_Delete(target), 0);
}

/* Whether what is noted of a copy says that its first pass is over. */
static int is_in_second_pass(void)
{
    static char text[100000];
    FILE *metadata = fopen(in_scratch("turned/zarr.json"), "r");
    size_t length = metadata == NULL ? 0 : fread(text, 1, sizeof text - 1, metadata);
    if (metadata != NULL) fclose(metadata);
    text[length] = '\0';
    return strstr(text, "\"pass\": 1") != NULL || strstr(text, "\"pass\":1") != NULL;
}

static void dying(int in_second)
{
    int source = make_rows(), target = on_disk_in_rows("turned", rows_turned), request = 77, status = 0;
    CHECK_EQUAL(NDRA_Ncopy(source, target, turned, &request), 0);
    while (status == 0) {
        CHECK_EQUAL(DRA_Probe(request, &status), 0);
        if (me == VICTIM && status == 0 && is_in_second_pass() == in_second) raise(SIGKILL);
    }
    fprintf(stderr, "the copy was complete before anybody was killed\n");
}

static void later(void)
{
    int source = 77, target = 77, read = 77, memory = in_memory(2, rows_turned, 0);
    CHECK(is_between_passes());
    CHECK_EQUAL(DRA_Open(in_scratch("rows"), DRA_R, &source), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("turned"), DRA_RW, &target), 0);
    CHECK(NDRA_Read(memory, target, &read) != 0);
    CHECK_EQUAL(read, -333);
    CHECK_EQUAL(NDRA_Copy(source, target, turned), 0);
    CHECK_EQUAL(not_turned(target), 0);
    CHECK(!is_between_passes());
    GA_Destroy(memory);
    CHECK_EQUAL(DRA_Close(source), 0);
    CHECK_EQUAL(DRA_Delete(target), 0);
}

static void leave_arrays(void)
{
    int source = make_source("source"), target = on_disk("target", 3, target_dims);
    CHECK_EQUAL(NDRA_Copy(source, target, order), 0);
    CHECK_EQUAL(DRA_Close(source), 0);
    CHECK_EQUAL(DRA_Close(target), 0);
}

int main(int argc, char **argv)
{
    const char *part = argc > 2 ? argv[1] : "all";
    begin(&argc, &argv);
    if (argc < 2) GA_Error((char *)"expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[argc - 1]);
    CHECK_EQUAL(INITIALISE_WITH_LITTLE_MEMORY, 0);
    if (strcmp(part, "keep") == 0) {
        RUN(leave_arrays);
    } else if (strcmp(part, "dying") == 0) {
        dying(strcmp(argv[2], "second") == 0);
    } else if (strcmp(part, "later") == 0) {
        RUN(later);
    } else {
        RUN(little_memory_takes_several_passes);
        RUN(dimensions_go_round);
        RUN(a_copy_with_a_request_is_under_way_until_the_wait_or_a_probe_says_so);
        RUN(copies_come_one_after_the_other);
        RUN(closing_either_array_makes_the_copy_first);
        RUN(what_a_copy_under_way_writes_can_be_copied_on);
        RUN(the_target_of_a_copy_that_waits_for_its_turn_cannot_be_read);
        RUN(a_copy_into_what_one_before_it_uses_comes_after_that);
        RUN(a_copy_that_fails_when_its_turn_comes_leaves_the_target_as_it_was);
        RUN(a_copy_whose_target_has_been_replaced_does_not_let_later_ones_begin_early);
        RUN(mistakes_are_codes_on_every_rank);
        RUN(a_device_that_makes_no_sense_is_a_code_on_every_rank);
    }
    CHECK_EQUAL(DRA_Terminate(), 0);
    return end();
}
