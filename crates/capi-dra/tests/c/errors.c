/* Bad arguments and failed operations: the exact codes, the messages, and that every rank is told what is wrong on one. The
 * argument is a scratch directory, which all ranks share and which is empty. The program ends well: nothing here aborts, hangs
 * or does harm. */
#include <limits.h>

#include "disk.h"

enum { ROWS = 12, COLUMNS = 15 };

static int dims[2] = {ROWS, COLUMNS};
static dra_size_t extents[2] = {ROWS, COLUMNS}, unknown[2] = {-1, -1};
static char message[10000];

/* What DRA_Errmsg_full says about a code. */
static const char *said(int code)
{
    DRA_Errmsg_full(code, message, sizeof message);
    return message;
}

#define CHECK_SAYS(code, text)                                                                                  \
    do {                                                                                                        \
        if (strstr(said(code), text) == NULL) {                                                                 \
            fprintf(stderr, "rank %d: %s:%d: \"%s\" is not in \"%s\"\n", me, __FILE__, __LINE__, text, message);  \
            check_failures++;                                                                                   \
        }                                                                                                       \
    } while (0)

/* A call gives this code on every rank, and a message with this text. */
#define CHECK_REFUSED(call, code, text)                                                                         \
    do {                                                                                                        \
        CHECK_EQUAL(call, code);                                                                                \
        CHECK_SAYS(code, text);                                                                                 \
    } while (0)

/* What all other ranks are told of. */
static const char *on_last_rank(const char *text)
{
    static char room[1000];
    snprintf(room, sizeof room, "rank %d: %s", ranks - 1, text);
    return room;
}

/* The first on the last rank, the second on all others. */
static int last_or(int on_last, int elsewhere)
{
    return me == ranks - 1 ? on_last : elsewhere;
}

static int create(const char *file, int type, int ndim, dra_size_t shape[], int mode, int *d_a)
{
    return NDRA_Create(type, ndim, shape, (char *)"name", (char *)file, mode, unknown, d_a);
}

static void handles_without_an_array_are_refused_by_every_call(void)
{
    static const int handles[] = {0, 1, -1, -4999, -5001, INT_MAX, INT_MIN};
    int g_a = in_memory(2, dims, 1), stale = on_disk("stale", 2, dims), lo[2] = {0}, hi[2] = {0}, request, type, ndim;
    dra_size_t d_lo[2] = {0}, found[GA_MAX_DIM];
    char name[100], file[300];
    size_t i;
    CHECK_EQUAL(DRA_Delete(stale), 0);
    for (i = 0; i < sizeof handles / sizeof *handles; i++) {
        int d_a = i == 3 ? stale : handles[i];
        char text[100];
        snprintf(text, sizeof text, "invalid handle %d: no disk-resident array has it", d_a);
        CHECK_REFUSED(DRA_Close(d_a), DRA_ERR_HANDLE, text);
        CHECK_REFUSED(DRA_Delete(d_a), DRA_ERR_HANDLE, text);
        CHECK_REFUSED(NDRA_Inquire(d_a, &type, &ndim, found, name, file), DRA_ERR_HANDLE, text);
        CHECK_REFUSED(DRA_Get_attribute(d_a, "key", name, sizeof name), DRA_ERR_HANDLE, text);
        CHECK_REFUSED(DRA_Set_attribute(d_a, "key", "1"), DRA_ERR_HANDLE, text);
        request = 5;
        CHECK_REFUSED(NDRA_Write(g_a, d_a, &request), DRA_ERR_HANDLE, text);
        CHECK_EQUAL(request, DRA_REQ_INVALID);
        CHECK_REFUSED(NDRA_Read(g_a, d_a, &request), DRA_ERR_HANDLE, text);
        CHECK_REFUSED(NDRA_Write_section(0, g_a, lo, hi, d_a, d_lo, d_lo, &request), DRA_ERR_HANDLE, text);
        CHECK_REFUSED(NDRA_Read_section(0, g_a, lo, hi, d_a, d_lo, d_lo, &request), DRA_ERR_HANDLE, text);
        DRA_Print_internals(d_a);
    }
    GA_Destroy(g_a);
}

static void handles_of_no_global_array_are_refused(void)
{
    int d_a = on_disk("live", 2, dims), dead = in_memory(2, dims, 1), request = 5, lo[2] = {0};
    dra_size_t d_lo[2] = {0};
    int handles[] = {0, 1, -1, INT_MAX, INT_MIN, 12345, 0}, i;
    GA_Destroy(dead);
    handles[6] = dead;
    for (i = 0; i < 7; i++) {
        char text[100];
        snprintf(text, sizeof text, "global array %d: ", handles[i]);
        CHECK_REFUSED(NDRA_Write(handles[i], d_a, &request), DRA_ERR_HANDLE, text);
        CHECK_EQUAL(request, DRA_REQ_INVALID);
        CHECK_REFUSED(NDRA_Read_section(0, handles[i], lo, lo, d_a, d_lo, d_lo, &request), DRA_ERR_HANDLE, text);
    }
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

/* Transfers are made by all processes. */
static void arrays_that_only_a_group_holds_are_refused(void)
{
    int d_a = on_disk("group", 2, dims), first = 0, group = GA_Pgroup_create(&first, 1), g_a = 0, request = 5;
    if (me == 0) g_a = NGA_Create_config(C_DBL, 2, dims, (char *)"alone", NULL, group);
    if (ranks > 1) {
        CHECK_REFUSED(NDRA_Write(g_a, d_a, &request), DRA_ERR_HANDLE, "held by a group of processes, not by all");
        CHECK_EQUAL(request, DRA_REQ_INVALID);
    }
    if (me == 0) GA_Destroy(g_a);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

static void null_pointers_are_refused_by_every_call(void)
{
    int g_a = in_memory(2, dims, 1), d_a = on_disk("null", 2, dims), i[2] = {0}, request = 5, type, ndim;
    dra_size_t d[2] = {0};
    char text[300];
    char *file = in_scratch("x");
    CHECK_REFUSED(NDRA_Create(C_DBL, 2, NULL, text, file, DRA_RW, unknown, &request), DRA_FAIL, "null pointer: dims");
    CHECK_REFUSED(NDRA_Create(C_DBL, 2, extents, NULL, file, DRA_RW, unknown, &request), DRA_FAIL, "null pointer: name");
    CHECK_REFUSED(NDRA_Create(C_DBL, 2, extents, "x", NULL, DRA_RW, unknown, &request), DRA_FAIL, "null pointer: name");
    CHECK_REFUSED(NDRA_Create(C_DBL, 2, extents, "x", file, DRA_RW, NULL, &request), DRA_FAIL, "null pointer: reqdims");
    CHECK_REFUSED(NDRA_Create(C_DBL, 2, extents, "x", file, DRA_RW, unknown, NULL), DRA_FAIL, "null pointer: d_a");
    CHECK_REFUSED(DRA_Open(NULL, DRA_RW, &request), DRA_FAIL, "null pointer: name");
    CHECK_REFUSED(DRA_Open(in_scratch("null"), DRA_RW, NULL), DRA_FAIL, "null pointer: d_a");
    CHECK_EQUAL(request, 5);
    CHECK_REFUSED(NDRA_Write(g_a, d_a, NULL), DRA_FAIL, "null pointer: request");
    CHECK_REFUSED(NDRA_Write_section(0, g_a, NULL, i, d_a, d, d, &request), DRA_FAIL, "null pointer: lo");
    CHECK_REFUSED(NDRA_Write_section(0, g_a, i, NULL, d_a, d, d, &request), DRA_FAIL, "null pointer: hi");
    CHECK_REFUSED(NDRA_Read_section(0, g_a, i, i, d_a, NULL, d, &request), DRA_FAIL, "null pointer: lo");
    CHECK_REFUSED(NDRA_Read_section(0, g_a, i, i, d_a, d, NULL, &request), DRA_FAIL, "null pointer: hi");
    CHECK_EQUAL(NDRA_Write(g_a, d_a, &request), 0);
    CHECK_REFUSED(DRA_Probe(request, NULL), DRA_FAIL, "null pointer: compl_status");
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_REFUSED(NDRA_Inquire(d_a, NULL, &ndim, d, text, text), DRA_FAIL, "null pointer: type");
    CHECK_REFUSED(NDRA_Inquire(d_a, &type, NULL, d, text, text), DRA_FAIL, "null pointer: ndim");
    CHECK_REFUSED(NDRA_Inquire(d_a, &type, &ndim, NULL, text, text), DRA_FAIL, "null pointer: dims");
    CHECK_REFUSED(NDRA_Inquire(d_a, &type, &ndim, d, NULL, text), DRA_FAIL, "null pointer: name");
    CHECK_REFUSED(NDRA_Inquire(d_a, &type, &ndim, d, text, NULL), DRA_FAIL, "null pointer: filename");
    CHECK_REFUSED(DRA_Set_attribute(d_a, NULL, "1"), DRA_FAIL, "null pointer: key");
    CHECK_REFUSED(DRA_Get_attribute(d_a, NULL, text, sizeof text), DRA_FAIL, "null pointer: key");
    for (int i = 0; i < 2; ++i) {
        static const char *const reserved[] = {"chemio", "chemio_between"};
        CHECK_REFUSED(DRA_Set_attribute(d_a, reserved[i], "1"), DRA_FAIL, "chemio's own and cannot be changed");
        CHECK_REFUSED(DRA_Set_attribute(d_a, reserved[i], NULL), DRA_FAIL, "chemio's own and cannot be changed");
    }
    CHECK_EQUAL(DRA_Set_attribute(d_a, "key", "1"), 0);
    CHECK_REFUSED(DRA_Get_attribute(d_a, "key", NULL, 100), DRA_FAIL, "null pointer: value");
    DRA_Errmsg(DRA_FAIL, NULL);
    DRA_Errmsg_full(DRA_FAIL, NULL, 100);
    CHECK(!is_there(in_scratch("x")));
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
}

static void requests_that_were_never_issued_are_refused(void)
{
    static const int ids[] = {0, -1, -332, -334, INT_MAX, INT_MIN, 1000000};
    int status = 77;
    size_t i;
    for (i = 0; i < sizeof ids / sizeof *ids; i++) {
        CHECK_REFUSED(DRA_Wait(ids[i]), DRA_ERR_HANDLE, "was never issued");
        CHECK_REFUSED(DRA_Probe(ids[i], &status), DRA_ERR_HANDLE, "was never issued");
        CHECK_EQUAL(status, 77);
    }
    CHECK_EQUAL(DRA_Probe(DRA_REQ_INVALID, &status), 0);
    CHECK_EQUAL(status, -1);
}

static void arrays_that_cannot_be_are_not_made(void)
{
    static const int types[] = {0, -1, 1000, 1005, 1008, 1009, 1017, INT_MAX, INT_MIN}, modes[] = {0, 1, -4, INT_MIN};
    dra_size_t none[2] = {5, 0}, negative[2] = {-5, 5}, huge[7], wide[2] = {LONG_MAX, LONG_MAX}, large[1] = {LONG_MAX};
    char *file = in_scratch("impossible");
    int d_a = 77, i;
    for (i = 0; i < 7; i++) huge[i] = LONG_MAX;
    for (i = 0; i < 9; i++) CHECK_REFUSED(create(file, types[i], 2, extents, DRA_RW, &d_a), DRA_FAIL, "is not supported");
    for (i = 0; i < 4; i++) CHECK_REFUSED(create(file, C_DBL, 2, extents, modes[i], &d_a), DRA_ERR_MODE, "invalid access mode");
    for (i = 0; i < 4; i++) CHECK_REFUSED(DRA_Open(file, modes[i], &d_a), DRA_ERR_MODE, "invalid access mode");
    CHECK_REFUSED(create(file, C_DBL, 2, extents, DRA_R, &d_a), DRA_ERR_MODE, "makes no sense for dra_create");
    CHECK_REFUSED(create(file, C_DBL, 0, extents, DRA_RW, &d_a), DRA_FAIL, "0 dimensions: expected 1 to 7");
    CHECK_REFUSED(create(file, C_DBL, 8, huge, DRA_RW, &d_a), DRA_FAIL, "8 dimensions: expected 1 to 7");
    CHECK_REFUSED(create(file, C_DBL, INT_MIN, huge, DRA_RW, &d_a), DRA_FAIL, "dimensions: expected 1 to 7");
    CHECK_REFUSED(create(file, C_DBL, 2, none, DRA_RW, &d_a), DRA_FAIL, "extents [5, 0]: expected at least 1");
    CHECK_REFUSED(create(file, C_DBL, 2, negative, DRA_RW, &d_a), DRA_FAIL, "extents [-5, 5]: expected at least 1");
    CHECK_REFUSED(create(file, C_DBL, 7, huge, DRA_RW, &d_a), DRA_FAIL, "rank 0: ");
    CHECK_REFUSED(create(file, C_DBL, 2, wide, DRA_RW, &d_a), DRA_FAIL, "rank 0: ");
    CHECK_REFUSED(create(file, C_DCPL, 1, large, DRA_RW, &d_a), DRA_FAIL, "rank 0: ");
    CHECK_EQUAL(d_a, 77);
    CHECK(!is_there(file));
}

static void names_that_no_file_can_have_are_errors(void)
{
    static char name[4200], component[400];
    int d_a = 77, code;
    snprintf(name, sizeof name, "%s/", scratch);
    memset(component, 'c', 300);
    code = create(in_scratch(component), C_DBL, 2, extents, DRA_RW, &d_a);
    CHECK(code < 0);
    CHECK_SAYS(code, "File name too long");
    memset(name + strlen(name), 'x', 4000);
    code = create(name, C_DBL, 2, extents, DRA_RW, &d_a);
    CHECK(code < 0);
    CHECK_SAYS(code, "File name too long");
    CHECK(DRA_Open(name, DRA_R, &d_a) != 0);
    CHECK(create("", C_DBL, 2, extents, DRA_RW, &d_a) != 0);
    CHECK(DRA_Open("", DRA_R, &d_a) != 0);
    code = create(in_scratch("no/such/directory"), C_DBL, 2, extents, DRA_RW, &d_a);
    CHECK(code != 0);
    CHECK_SAYS(code, "no/such");
    CHECK_EQUAL(d_a, 77);
}

static void sections_that_are_empty_or_beyond_an_array_are_refused(void)
{
    int g_a = in_memory(2, dims, 1), d_a = on_disk("beyond", 2, dims), request = 5, i;
    static int g[][4] = {{0, 0, ROWS, 0}, {0, 0, 0, COLUMNS}, {-1, 0, 3, 3}, {3, 3, 2, 3}, {0, 0, INT_MAX, 1}, {INT_MIN, 0, 1, 1}};
    static dra_size_t d[][4] = {{0, 0, ROWS, 0}, {0, -1, 0, 0}, {5, 5, 5, 4}, {0, 0, LONG_MAX, 0}, {LONG_MIN, 0, 0, 0}};
    int all[4] = {0, 0, ROWS - 1, COLUMNS - 1};
    dra_size_t whole[4] = {0, 0, ROWS - 1, COLUMNS - 1};
    for (i = 0; i < 6; i++) {
        CHECK_REFUSED(NDRA_Write_section(0, g_a, g[i], g[i] + 2, d_a, whole, whole + 2, &request), DRA_FAIL, "is empty or not within [0, 0] to [11, 14]");
        CHECK_EQUAL(request, DRA_REQ_INVALID);
    }
    for (i = 0; i < 5; i++) {
        CHECK_REFUSED(NDRA_Read_section(0, g_a, all, all + 2, d_a, d[i], d[i] + 2, &request), DRA_FAIL, "is empty or not within [0, 0] to [11, 14]");
        CHECK_SAYS(DRA_FAIL, "/beyond");
    }
    whole[3]--;
    CHECK_REFUSED(NDRA_Write_section(0, g_a, all, all + 2, d_a, whole, whole + 2, &request), DRA_FAIL, "does not correspond");
    whole[3]++;
    CHECK_REFUSED(NDRA_Write_section(1, g_a, all, all + 2, d_a, whole, whole + 2, &request), DRA_FAIL, "transposed");
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
}

static void arrays_that_do_not_fit_each_other_are_refused(void)
{
    int other[2] = {ROWS, COLUMNS + 1}, g_a = in_memory(2, other, 1), d_a = on_disk("fit", 2, dims), request = 5;
    int integers = NGA_Create(C_INT, 2, dims, (char *)"integers", NULL);
    CHECK_REFUSED(NDRA_Write(g_a, d_a, &request), DRA_FAIL, "does not correspond");
    CHECK_EQUAL(request, DRA_REQ_INVALID);
    CHECK_REFUSED(NDRA_Write(integers, d_a, &request), DRA_FAIL, "elements of type float64 on disk, int32 in memory array \"integers\"");
    CHECK_REFUSED(NDRA_Read(integers, d_a, &request), DRA_FAIL, "/fit");
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
    GA_Destroy(integers);
}

static void modes_are_kept(void)
{
    int g_a = in_memory(2, dims, 1), d_a = on_disk("modes", 2, dims), request = 5;
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("modes"), DRA_R, &d_a), 0);
    CHECK_REFUSED(NDRA_Write(g_a, d_a, &request), DRA_ERR_MODE, "opened for reading, not for writing");
    CHECK_REFUSED(DRA_Set_attribute(d_a, "key", "1"), DRA_ERR_MODE, "opened for reading");
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("modes"), DRA_W, &d_a), 0);
    CHECK_EQUAL(write_now(g_a, d_a), 0);
    CHECK_REFUSED(NDRA_Read(g_a, d_a, &request), DRA_ERR_MODE, "opened for writing, not for reading");
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
}

static void attributes_that_cannot_be_are_refused(void)
{
    int d_a = on_disk("attribute", 2, dims);
    char value[10] = "#";
    CHECK_REFUSED(DRA_Set_attribute(d_a, "key", "eV"), DRA_FAIL, "the value of attribute \"key\" is not JSON");
    CHECK_REFUSED(DRA_Set_attribute(d_a, "key", ""), DRA_FAIL, "is not JSON");
    CHECK_REFUSED(DRA_Set_attribute(d_a, "k\xff", "1"), DRA_FAIL, "key is not UTF-8");
    CHECK_REFUSED(DRA_Set_attribute(d_a, "chemio", "1"), DRA_FAIL, "chemio");
    CHECK_REFUSED(DRA_Get_attribute(d_a, "key", value, sizeof value), DRA_ERR_MISSING, "no attribute \"key\"");
    CHECK_EQUAL(DRA_Set_attribute(d_a, "key", "\"12345678\""), 0);
    CHECK_REFUSED(DRA_Get_attribute(d_a, "key", value, sizeof value), DRA_ERR_TOO_SHORT, "at least 11");
    CHECK(strcmp(value, "#") == 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

/* Every argument of every collective call, wrong on the last rank alone: all ranks are told, and none waits. */
static void a_mistake_of_one_rank_is_told_to_all(void)
{
    int g_a = in_memory(2, dims, 1), d_a = on_disk("one", 2, dims), h = 77, request = 5, good, status = 7, g[4] = {0, 0, ROWS - 1, COLUMNS - 1};
    dra_size_t d[4] = {0, 0, ROWS - 1, COLUMNS - 1}, *shape = me == ranks - 1 ? NULL : extents;
    char *file = in_scratch("one_new"), *here = in_scratch("one");
    CHECK_REFUSED(create(file, last_or(7, C_DBL), 2, extents, DRA_RW, &h), DRA_FAIL, on_last_rank("type 7 is not supported"));
    CHECK_REFUSED(create(file, C_DBL, last_or(0, 2), extents, DRA_RW, &h), DRA_FAIL, on_last_rank("0 dimensions"));
    CHECK_REFUSED(create(file, C_DBL, 2, shape, DRA_RW, &h), DRA_FAIL, on_last_rank("null pointer: dims"));
    CHECK_REFUSED(create(me == ranks - 1 ? NULL : file, C_DBL, 2, extents, DRA_RW, &h), DRA_FAIL, on_last_rank("null pointer"));
    CHECK_REFUSED(create(file, C_DBL, 2, extents, last_or(9, DRA_RW), &h), DRA_ERR_MODE, on_last_rank("invalid access mode 9"));
    CHECK_REFUSED(create(file, C_DBL, 2, extents, DRA_RW, me == ranks - 1 ? NULL : &h), DRA_FAIL, on_last_rank("null pointer: d_a"));
    CHECK_REFUSED(DRA_Open(me == ranks - 1 ? NULL : here, DRA_RW, &h), DRA_FAIL, on_last_rank("null pointer"));
    CHECK_REFUSED(DRA_Open(here, last_or(9, DRA_RW), &h), DRA_ERR_MODE, on_last_rank("invalid access mode 9"));
    CHECK_REFUSED(DRA_Open(here, DRA_RW, me == ranks - 1 ? NULL : &h), DRA_FAIL, on_last_rank("null pointer: d_a"));
    CHECK_REFUSED(DRA_Close(last_or(5, d_a)), DRA_ERR_HANDLE, on_last_rank("invalid handle 5"));
    CHECK_REFUSED(DRA_Delete(last_or(5, d_a)), DRA_ERR_HANDLE, on_last_rank("invalid handle 5"));
    CHECK_REFUSED(NDRA_Write(last_or(12345, g_a), d_a, &request), DRA_ERR_HANDLE, on_last_rank("global array 12345"));
    CHECK_REFUSED(NDRA_Write(g_a, last_or(5, d_a), &request), DRA_ERR_HANDLE, on_last_rank("invalid handle 5"));
    CHECK_REFUSED(NDRA_Read(g_a, d_a, me == ranks - 1 ? NULL : &request), DRA_FAIL, on_last_rank("null pointer: request"));
    CHECK_REFUSED(NDRA_Write_section(0, g_a, me == ranks - 1 ? NULL : g, g + 2, d_a, d, d + 2, &request), DRA_FAIL, on_last_rank("null pointer: lo"));
    g[2] += me == ranks - 1;
    CHECK_REFUSED(NDRA_Write_section(0, g_a, g, g + 2, d_a, d, d + 2, &request), DRA_FAIL, on_last_rank("global array \"memory\": section"));
    g[2] -= me == ranks - 1;
    d[0] -= me == ranks - 1;
    CHECK_REFUSED(NDRA_Read_section(0, g_a, g, g + 2, d_a, d, d + 2, &request), DRA_FAIL, on_last_rank("disk-resident array "));
    CHECK_EQUAL(NDRA_Write(g_a, d_a, &good), 0);
    CHECK_REFUSED(DRA_Wait(last_or(1000000, good)), DRA_ERR_HANDLE, on_last_rank("request 1000000 was never issued"));
    CHECK_REFUSED(DRA_Probe(last_or(1000000, good), &status), DRA_ERR_HANDLE, on_last_rank("request 1000000 was never issued"));
    CHECK_REFUSED(DRA_Probe(good, me == ranks - 1 ? NULL : &status), DRA_FAIL, on_last_rank("null pointer: compl_status"));
    CHECK_REFUSED(DRA_Set_attribute(last_or(5, d_a), "key", "1"), DRA_ERR_HANDLE, on_last_rank("invalid handle 5"));
    CHECK_REFUSED(DRA_Set_attribute(d_a, me == ranks - 1 ? NULL : "key", "1"), DRA_FAIL, on_last_rank("null pointer: key"));
    CHECK_REFUSED(DRA_Set_attribute(d_a, "key", me == ranks - 1 ? "no" : "1"), DRA_FAIL, on_last_rank("the value of"));
    CHECK_EQUAL(DRA_Wait(good), 0);
    CHECK(h == 77 && status == 7 && !is_there(file));
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
}

static void an_array_that_was_made_again_is_not_touched_by_older_handles(void)
{
    int g_a = in_memory(2, dims, 1), g_b = in_memory(2, dims, 2), to = in_memory(2, dims, 0), request = 5, old, new;
    old = on_disk("again", 2, dims);
    new = on_disk("again", 2, dims);
    CHECK_EQUAL(write_now(g_b, new), 0);
    CHECK_REFUSED(NDRA_Write(g_a, old, &request), DRA_FAIL, "has been replaced by another one");
    CHECK_REFUSED(NDRA_Read(to, old, &request), DRA_FAIL, "has been replaced by another one");
    CHECK_REFUSED(DRA_Set_attribute(old, "key", "1"), DRA_FAIL, "has been replaced by another one");
    CHECK_REFUSED(DRA_Delete(old), DRA_FAIL, "has been replaced by another one");
    CHECK_EQUAL(read_now(to, new), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 2), 0);
    CHECK_EQUAL(DRA_Delete(new), 0);
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    GA_Destroy(to);
}

static void ranks_that_mean_different_things_are_told_so(void)
{
    int large[2] = {ROWS + 1, COLUMNS}, g_a = in_memory(2, dims, 1), g_b = in_memory(2, large, 1), h = 77, request = 5, other, status = 7;
    int a = on_disk("differ_a", 2, dims), b = on_disk("differ_b", 2, dims), g[4] = {0, 0, 3, 3};
    dra_size_t d[4] = {0, 0, 3, 3}, shape[2] = {ROWS, COLUMNS};
    char *file = in_scratch("differ_new"), *first = in_scratch("differ_a"), *second = in_scratch("differ_b");
    if (ranks > 1) {
        shape[1] += me == 0;
        CHECK_REFUSED(create(file, C_DBL, 2, shape, DRA_RW, &h), DRA_FAIL, "different arguments to dra_create");
        CHECK_REFUSED(create(file, last_or(C_INT, C_DBL), 2, extents, DRA_RW, &h), DRA_FAIL, "different arguments to dra_create");
        CHECK_REFUSED(create(me == 0 ? file : second, C_DBL, 2, extents, DRA_RW, &h), DRA_FAIL, "different arguments to dra_create");
        CHECK_REFUSED(DRA_Open(me == 0 ? first : second, DRA_RW, &h), DRA_FAIL, "different arguments to dra_open");
        CHECK_REFUSED(DRA_Open(first, last_or(DRA_R, DRA_RW), &h), DRA_FAIL, "different arguments to dra_open");
        CHECK_REFUSED(DRA_Close(last_or(a, b)), DRA_FAIL, "different arguments to dra_close");
        CHECK_REFUSED(DRA_Delete(last_or(a, b)), DRA_FAIL, "different arguments to dra_delete");
        CHECK_REFUSED(NDRA_Write(g_a, last_or(a, b), &request), DRA_FAIL, "different arguments to dra_write");
        CHECK_REFUSED(NDRA_Read(last_or(g_a, g_b), a, &request), DRA_FAIL, "different arguments to dra_read");
        g[0] += me == 0;
        g[2] += me == 0;
        CHECK_REFUSED(NDRA_Read_section(0, g_a, g, g + 2, a, d, d + 2, &request), DRA_FAIL, "different arguments to dra_read");
        CHECK_EQUAL(NDRA_Write(g_a, a, &request), 0);
        CHECK_EQUAL(NDRA_Write(g_a, b, &other), 0);
        CHECK_REFUSED(DRA_Wait(last_or(request, other)), DRA_FAIL, "different arguments to dra_wait");
        CHECK_REFUSED(DRA_Wait(last_or(request, DRA_REQ_INVALID)), DRA_FAIL, "different arguments to dra_wait");
        CHECK_REFUSED(DRA_Probe(last_or(request, other), &status), DRA_FAIL, "different arguments to dra_probe");
        CHECK_REFUSED(DRA_Set_attribute(a, "key", last_or(1, 0) ? "1" : "2"), DRA_FAIL, "different arguments to dra_set_attribute");
        CHECK_EQUAL(DRA_Wait(request), 0);
        CHECK_REFUSED(me == 0 ? DRA_Terminate() : DRA_Open(first, DRA_R, &h), DRA_FAIL, "or are not all in it");
        CHECK_REFUSED(me == 0 ? DRA_Close(a) : DRA_Terminate(), DRA_FAIL, "or are not all in it");
        CHECK(h == 77 && status == 7 && !is_there(file));
    }
    CHECK_EQUAL(DRA_Delete(a), 0);
    CHECK_EQUAL(DRA_Delete(b), 0);
    GA_Destroy(g_a);
    GA_Destroy(g_b);
}

static void damage(const char *array, const char *file, const char *text)
{
    char name[9000];
    FILE *out;
    GA_Sync();
    snprintf(name, sizeof name, "%s%s", array, file);
    if (me == 0) {
        out = fopen(name, "w");
        CHECK(out != NULL);
        if (out != NULL) {
            fputs(text, out);
            fclose(out);
        }
    }
    GA_Sync();
}

static void what_is_foreign_or_damaged_is_not_opened_and_not_touched(void)
{
    int g_a = in_memory(2, dims, 1), d_a, h = 77, code, request = 5;
    char *file = in_scratch("plain"), *broken = in_scratch("broken"), *directory = in_scratch("directory"), command[9000];
    damage(file, "", "this is no array\n");
    CHECK_EQUAL(DRA_Open(file, DRA_RW, &h), DRA_FAIL);
    CHECK_SAYS(DRA_FAIL, "/plain");
    CHECK_REFUSED(create(file, C_DBL, 2, extents, DRA_RW, &h), DRA_FAIL, "not an array made by chemio, left alone");
    CHECK(is_there(file));
    if (me == 0) mkdir(directory, 0777);
    damage(directory, "/thesis.tex", "years of work\n");
    CHECK_EQUAL(DRA_Open(directory, DRA_RW, &h), DRA_FAIL);
    CHECK_REFUSED(create(directory, C_DBL, 2, extents, DRA_RW, &h), DRA_FAIL, "not an array made by chemio, left alone");
    snprintf(command, sizeof command, "%s/thesis.tex", directory);
    CHECK(is_there(command));
    /* Metadata that are none. */
    d_a = on_disk("broken", 2, dims);
    CHECK_EQUAL(write_now(g_a, d_a), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    damage(broken, "/zarr.json", "{\"zarr_format\": 3, ");
    CHECK_REFUSED(DRA_Open(broken, DRA_RW, &h), DRA_FAIL, "zarr.json");
    CHECK(h == 77);
    /* A shard that is too short. */
    d_a = on_disk("short", 2, dims);
    CHECK_EQUAL(write_now(g_a, d_a), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    GA_Sync();
    snprintf(command, sizeof command, "%s/c/0/0", in_scratch("short"));
    if (me == 0) CHECK(truncate(command, 100) == 0);
    GA_Sync();
    code = DRA_Open(in_scratch("short"), DRA_R, &d_a);
    if (code == 0) {
        code = NDRA_Read(g_a, d_a, &request);
        if (code == 0) code = DRA_Wait(request);
        CHECK_EQUAL(DRA_Wait(request), code);
        CHECK_EQUAL(DRA_Close(d_a), 0);
    }
    CHECK(code != 0);
    CHECK_SAYS(code, "/short");
    GA_Destroy(g_a);
}

/* As a program leaves it that is killed while it creates an array. */
static void half_an_array_is_missing_and_may_be_created(void)
{
    char name[9000];
    int d_a = 77;
    snprintf(name, sizeof name, "%s/.chemio-new", in_scratch("half"));
    if (me == 0) CHECK(mkdir(in_scratch("half"), 0777) == 0 && mkdir(name, 0777) == 0);
    GA_Sync();
    CHECK_REFUSED(DRA_Open(in_scratch("half"), DRA_RW, &d_a), DRA_ERR_MISSING, "was interrupted");
    CHECK_EQUAL(d_a, 77);
    CHECK_EQUAL(create(in_scratch("half"), C_DBL, 2, extents, DRA_RW, &d_a), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

static void an_array_on_disk_that_vanishes_is_an_error_and_no_more(void)
{
    int g_a = in_memory(2, dims, 1), d_a = on_disk("vanished", 2, dims), again = 77;
    char command[9000];
    CHECK_EQUAL(write_now(g_a, d_a), 0);
    GA_Sync();
    snprintf(command, sizeof command, "rm -r '%s'", in_scratch("vanished"));
    if (me == 0) CHECK(system(command) == 0);
    GA_Sync();
    CHECK_REFUSED(DRA_Open(in_scratch("vanished"), DRA_RW, &again), DRA_ERR_MISSING, "no such array");
    CHECK_SAYS(DRA_ERR_MISSING, "/vanished");
    CHECK(DRA_Delete(d_a) != 0);
    CHECK_EQUAL(DRA_Close(d_a), DRA_ERR_HANDLE);
    GA_Destroy(g_a);
}

static void messages_fit_their_room(void)
{
    char room[120];
    int d_a;
    memset(room, '#', sizeof room);
    CHECK_EQUAL(DRA_Open(in_scratch("some/very/long/way/to/an/array/that/is/not/there/and/never/was"), DRA_RW, &d_a), -1);
    DRA_Errmsg(-1, room);
    CHECK(strlen(room) <= 79 && room[80] == '#');
    CHECK(strstr(room, "no such array") != NULL);
    memset(room, '#', sizeof room);
    DRA_Errmsg_full(-1, room, 5);
    CHECK(strlen(room) == 4 && room[5] == '#');
    DRA_Errmsg(77777, room);
    CHECK(strcmp(room, "") == 0);
    DRA_Errmsg(-333, room);
    CHECK(strcmp(room, "") == 0);
}

static void before_the_beginning_every_call_is_an_error(void)
{
    int d_a = 77, request = 5, type, ndim, status = 7, lo[2] = {0};
    dra_size_t d[GA_MAX_DIM] = {0};
    char name[100], file[300];
    CHECK_REFUSED(create(in_scratch("early"), C_DBL, 2, extents, DRA_RW, &d_a), DRA_FAIL, "dra_init comes first");
    CHECK_REFUSED(DRA_Open(in_scratch("early"), DRA_RW, &d_a), DRA_FAIL, "dra_init comes first");
    CHECK_EQUAL(DRA_Close(-5000), DRA_FAIL);
    CHECK_EQUAL(DRA_Delete(-5000), DRA_FAIL);
    CHECK_EQUAL(NDRA_Write(1, -5000, &request), DRA_FAIL);
    CHECK_EQUAL(request, DRA_REQ_INVALID);
    CHECK_EQUAL(NDRA_Read_section(0, 1, lo, lo, -5000, d, d, &request), DRA_FAIL);
    CHECK_EQUAL(DRA_Wait(1), DRA_FAIL);
    CHECK_EQUAL(DRA_Wait(DRA_REQ_INVALID), 0);
    CHECK_EQUAL(DRA_Probe(1, &status), DRA_FAIL);
    CHECK_EQUAL(NDRA_Inquire(-5000, &type, &ndim, d, name, file), DRA_FAIL);
    CHECK_EQUAL(DRA_Get_attribute(-5000, "key", name, sizeof name), DRA_FAIL);
    CHECK_EQUAL(DRA_Set_attribute(-5000, "key", "1"), DRA_FAIL);
    DRA_Print_internals(-5000);
    DRA_Set_default_config(1, 1);
    CHECK_EQUAL(DRA_Terminate(), 0);
    CHECK(d_a == 77 && status == 7 && !is_there(in_scratch("early")));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 2) GA_Error((char *)"expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[1]);
    RUN(before_the_beginning_every_call_is_an_error);
    /* Sizes that make no sense, as programs give them. */
    CHECK_EQUAL(DRA_Init(-1, -1.0, (double)NAN, -1.0), 0);
    RUN(handles_without_an_array_are_refused_by_every_call);
    RUN(handles_of_no_global_array_are_refused);
    RUN(arrays_that_only_a_group_holds_are_refused);
    RUN(null_pointers_are_refused_by_every_call);
    RUN(requests_that_were_never_issued_are_refused);
    RUN(arrays_that_cannot_be_are_not_made);
    RUN(names_that_no_file_can_have_are_errors);
    RUN(sections_that_are_empty_or_beyond_an_array_are_refused);
    RUN(arrays_that_do_not_fit_each_other_are_refused);
    RUN(modes_are_kept);
    RUN(attributes_that_cannot_be_are_refused);
    RUN(a_mistake_of_one_rank_is_told_to_all);
    RUN(an_array_that_was_made_again_is_not_touched_by_older_handles);
    RUN(ranks_that_mean_different_things_are_told_so);
    RUN(what_is_foreign_or_damaged_is_not_opened_and_not_touched);
    RUN(half_an_array_is_missing_and_may_be_created);
    RUN(an_array_on_disk_that_vanishes_is_an_error_and_no_more);
    RUN(messages_fit_their_room);
    CHECK_EQUAL(DRA_Terminate(), 0);
    RUN(before_the_beginning_every_call_is_an_error);
    return end();
}
