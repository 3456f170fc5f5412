/* What programs for DRA rely on. The argument is a scratch directory, which all ranks share and which is empty.
 *
 * The program also runs with the package; what that gets wrong is left out with -DGA_PACKAGE. Known of it: handles count from
 * -5000; a missing array is -1; requests are 0 to 4, -333 is none; waits may be repeated; a probe says -1 when a transfer has
 * finished; almost every error ends the program, and so does the sixth request; names are cut at 72 characters and come back
 * from disk with a line end; ending twice overruns its memory. */
#include "disk.h"

#ifdef GA_PACKAGE
/* There, but not declared. */
extern logical DRA_uses_fapi(void);
extern int NDRA_Create_config(int, int, dra_size_t[], char *, char *, int, dra_size_t[], int, int, int *);
#endif

static void handles_count_upward_and_the_lowest_free_one_is_taken(void)
{
    int dims[2] = {20, 30}, a = on_disk("a", 2, dims), b = on_disk("b", 2, dims), c;
    CHECK_EQUAL(a, -5000);
    CHECK_EQUAL(b, -4999);
    CHECK_EQUAL(DRA_Delete(a), 0);
    c = on_disk("c", 2, dims);
    CHECK_EQUAL(c, -5000);
    CHECK_EQUAL(DRA_Delete(b), 0);
    CHECK_EQUAL(DRA_Delete(c), 0);
}

static void a_missing_array_is_minus_1_and_may_be_created_then(void)
{
    int dims[2] = {20, 30}, d_a = 77;
    CHECK_EQUAL(DRA_Open(in_scratch("missing"), DRA_RW, &d_a), -1);
    CHECK_EQUAL(DRA_Open(in_scratch("missing"), DRA_R, &d_a), -1);
    d_a = on_disk("missing", 2, dims);
#ifndef GA_PACKAGE
    /* There each failed call keeps a handle. */
    CHECK_EQUAL(d_a, -5000);
#endif
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

static void what_is_written_is_read_in_up_to_five_dimensions(void)
{
    int shapes[5][5] = {{40000}, {123, 217}, {20, 30, 40}, {7, 11, 13, 17}, {5, 6, 7, 8, 9}}, ndim;
    for (ndim = 1; ndim <= 5; ndim++) {
        int *dims = shapes[ndim - 1];
        int from = in_memory(ndim, dims, ndim), to = in_memory(ndim, dims, 0), d_a = on_disk("whole", ndim, dims);
        CHECK_EQUAL(write_now(from, d_a), 0);
        CHECK_EQUAL(read_now(to, d_a), 0);
        CHECK_EQUAL(wrong_elements(to, ndim, dims, ndim), 0);
        CHECK_EQUAL(DRA_Delete(d_a), 0);
        GA_Destroy(from);
        GA_Destroy(to);
    }
}

/* Bytes that stand for elements of any type; as integers and doubles they are ordinary numbers. */
static void every_type_comes_back_bit_by_bit(void)
{
    static const int types[5] = {C_INT, C_LONG, C_FLOAT, C_DBL, C_DCPL};
    static const size_t sizes[5] = {4, 8, 4, 8, 16};
    static char written[16 * 33 * 47], found[16 * 33 * 47];
    int dims[2] = {33, 47}, t;
    size_t i;
    for (i = 0; i < sizeof written; i++) written[i] = (char)(i * 7 % 61 + 1);
    for (t = 0; t < 5; t++) {
        dra_size_t extents[2] = {33, 47}, hint[2] = {10, 10};
        int from = NGA_Create(types[t], 2, dims, (char *)"from", NULL), to = NGA_Create(types[t], 2, dims, (char *)"to", NULL);
        int d_a = 77;
        put_all(from, 2, dims, written);
        CHECK_EQUAL(NDRA_Create(types[t], 2, extents, (char *)"typed", in_scratch("typed"), DRA_RW, hint, &d_a), 0);
        CHECK_EQUAL(write_now(from, d_a), 0);
        CHECK_EQUAL(read_now(to, d_a), 0);
        get_all(to, 2, dims, found);
        CHECK(memcmp(written, found, sizes[t] * 33 * 47) == 0);
        CHECK_EQUAL(DRA_Delete(d_a), 0);
        GA_Destroy(from);
        GA_Destroy(to);
    }
}

static void sections_go_to_other_places(void)
{
    int dims[3] = {9, 10, 11}, whole[3] = {20, 24, 28}, g_lo[3] = {1, 2, 3}, g_hi[3] = {7, 8, 9}, i, j, k, request = 0;
    dra_size_t d_lo[3] = {11, 3, 17}, d_hi[3] = {17, 9, 23};
    static double found[20 * 24 * 28];
    int from = in_memory(3, dims, 1), zeros = in_memory(3, whole, 0), to = in_memory(3, whole, 9), d_a = on_disk("sections", 3, whole);
    CHECK_EQUAL(write_now(zeros, d_a), 0);
    CHECK_EQUAL(NDRA_Write_section(0, from, g_lo, g_hi, d_a, d_lo, d_hi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    get_all(to, 3, whole, found);
    for (i = 0; i < 20; i++) {
        for (j = 0; j < 24; j++) {
            for (k = 0; k < 28; k++) {
                int inside = i >= 11 && i <= 17 && j >= 3 && j <= 9 && k >= 17 && k <= 23;
                long place = ((i - 10L) * 10 + (j - 1L)) * 11 + (k - 14L);
                CHECK_EQUAL(found[(i * 24 + j) * 28 + k], inside ? element(1, place) : 0.0);
            }
        }
    }
    /* Back, to another place in memory. */
    g_lo[0] = 0, g_hi[0] = 6;
    CHECK_EQUAL(NDRA_Read_section(0, from, g_lo, g_hi, d_a, d_lo, d_hi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    get_all(from, 3, dims, found);
    for (i = 0; i < 7; i++) CHECK_EQUAL(found[(i * 10 + 2) * 11 + 3], element(1, ((i + 1L) * 10 + 2) * 11 + 3));
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(zeros);
    GA_Destroy(to);
}

static void a_matrix_is_transposed_on_the_way(void)
{
    int dims[2] = {30, 50}, turned[2] = {50, 30}, g_lo[2] = {0, 0}, g_hi[2] = {29, 49}, i, j, request = 0;
    dra_size_t d_lo[2] = {0, 0}, d_hi[2] = {49, 29};
    static double found[50 * 30];
    int from = in_memory(2, dims, 1), to = in_memory(2, turned, 0), back = in_memory(2, dims, 0), d_a = on_disk("turned", 2, turned);
    CHECK_EQUAL(NDRA_Write_section(1, from, g_lo, g_hi, d_a, d_lo, d_hi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    get_all(to, 2, turned, found);
    for (i = 0; i < 50; i++) {
        for (j = 0; j < 30; j++) CHECK_EQUAL(found[i * 30 + j], element(1, j * 50L + i));
    }
    CHECK_EQUAL(NDRA_Read_section(1, back, g_lo, g_hi, d_a, d_lo, d_hi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(wrong_elements(back, 2, dims, 1), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(to);
    GA_Destroy(back);
}

static void an_array_is_found_again_with_all_that_is_known_about_it(void)
{
    int dims[3] = {11, 12, 13}, type = 0, ndim = 0, a, again = 77, both = 78;
    dra_size_t found[GA_MAX_DIM] = {0};
    char name[100] = "", file[5000] = "";
    int from = in_memory(3, dims, 4), to = in_memory(3, dims, 0);
    a = on_disk("again", 3, dims);
    CHECK_EQUAL(write_now(from, a), 0);
    CHECK_EQUAL(DRA_Close(a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("again"), DRA_R, &again), 0);
    CHECK_EQUAL(NDRA_Inquire(again, &type, &ndim, found, name, file), 0);
    CHECK_EQUAL(type, C_DBL);
    CHECK_EQUAL(ndim, 3);
    CHECK(found[0] == 11 && found[1] == 12 && found[2] == 13);
    CHECK(strncmp(name, "on disk", 7) == 0);
    CHECK(strcmp(file, in_scratch("again")) == 0);
#ifndef GA_PACKAGE
    CHECK(strcmp(name, "on disk") == 0);
#endif
    CHECK_EQUAL(DRA_Open(in_scratch("again"), DRA_R, &both), 0);
    CHECK_EQUAL(both, again + 1);
    CHECK_EQUAL(read_now(to, both), 0);
    CHECK_EQUAL(wrong_elements(to, 3, dims, 4), 0);
    CHECK_EQUAL(DRA_Close(both), 0);
    CHECK_EQUAL(read_now(to, again), 0);
    CHECK_EQUAL(DRA_Delete(again), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("again"), DRA_R, &again), -1);
    GA_Destroy(from);
    GA_Destroy(to);
}

static void an_array_is_created_in_place_of_an_old_one(void)
{
    int small[2] = {10, 10}, large[2] = {64, 32}, from = in_memory(2, large, 3), to = in_memory(2, large, 0), d_a;
    d_a = on_disk("again", 2, small);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    d_a = on_disk("again", 2, large);
    CHECK_EQUAL(write_now(from, d_a), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("again"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, large, 3), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}

static void a_request_may_be_waited_for_again_and_minus_333_is_none(void)
{
    int dims[2] = {200, 100}, g_a = in_memory(2, dims, 1), d_a = on_disk("wait", 2, dims), request = 77, status = 77;
    CHECK_EQUAL(DRA_Wait(DRA_REQ_INVALID), 0);
    CHECK_EQUAL(NDRA_Write(g_a, d_a, &request), 0);
    CHECK(request >= 0);
    CHECK_EQUAL(DRA_Probe(request, &status), 0);
    CHECK(status == -1 || status == 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(DRA_Probe(request, &status), 0);
    CHECK_EQUAL(status, -1);
    CHECK_EQUAL(DRA_Wait(DRA_REQ_INVALID), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(g_a);
}

static void several_requests_may_be_under_way_in_any_order(void)
{
    enum { ARRAYS = 4 };
    int dims[2] = {100, 90}, from[ARRAYS], to[ARRAYS], disk[ARRAYS], requests[ARRAYS], i;
    for (i = 0; i < ARRAYS; i++) {
        char name[20];
        snprintf(name, sizeof name, "many%d", i);
        from[i] = in_memory(2, dims, i + 1);
        to[i] = in_memory(2, dims, 0);
        disk[i] = on_disk(name, 2, dims);
    }
    for (i = 0; i < ARRAYS; i++) CHECK_EQUAL(NDRA_Write(from[i], disk[i], &requests[i]), 0);
    for (i = ARRAYS - 1; i >= 0; i--) CHECK_EQUAL(DRA_Wait(requests[i]), 0);
    for (i = 0; i < ARRAYS; i++) CHECK_EQUAL(NDRA_Read(to[i], disk[i], &requests[i]), 0);
    for (i = 0; i < ARRAYS; i++) CHECK_EQUAL(DRA_Wait(requests[(i + 2) % ARRAYS]), 0);
    for (i = 0; i < ARRAYS; i++) {
        CHECK_EQUAL(wrong_elements(to[i], 2, dims, i + 1), 0);
        CHECK_EQUAL(DRA_Delete(disk[i]), 0);
        GA_Destroy(from[i]);
        GA_Destroy(to[i]);
    }
}

static void small_questions_may_be_asked_anytime(void)
{
    int dims[2] = {20, 30}, d_a = 77;
    dra_size_t extents[2] = {20, 30}, hint[2] = {20, 10};
    DRA_Flick();
    DRA_Set_debug(0);
    CHECK_EQUAL(DRA_uses_fapi(), 0);
    DRA_Set_default_config(1, 1);
    CHECK_EQUAL(NDRA_Create_config(C_DBL, 2, extents, (char *)"c", in_scratch("c"), DRA_RW, hint, 1, 1, &d_a), 0);
    DRA_Print_internals(d_a);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    d_a = on_disk("default", 2, dims);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    DRA_Set_default_config(-1, -1);
}

#ifndef GA_PACKAGE
/* There each of these ends the program. */

static void there_is_no_limit_on_requests(void)
{
    enum { REQUESTS = 300 };
    static int list[REQUESTS];
    int dims[2] = {60, 50}, from = in_memory(2, dims, 2), to = in_memory(2, dims, 0), d_a = on_disk("endless", 2, dims), i;
    for (i = 0; i < REQUESTS; i++) CHECK_EQUAL(NDRA_Write(from, d_a, &list[i]), 0);
    for (i = 1; i < REQUESTS; i++) CHECK(list[i] != list[i - 1]);
    for (i = 0; i < REQUESTS; i++) CHECK_EQUAL(DRA_Wait(list[i]), 0);
    for (i = 0; i < REQUESTS; i++) CHECK_EQUAL(DRA_Wait(list[i]), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 2), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}

static void an_array_of_another_shape_with_as_many_elements_will_do(void)
{
    int matrix[2] = {60, 50}, line[1] = {3000}, from = in_memory(1, line, 2), to = in_memory(2, matrix, 0);
    int g_lo[1] = {100}, g_hi[1] = {199}, request = 0, d_a = on_disk("reshaped", 2, matrix);
    dra_size_t d_lo[2] = {2, 0}, d_hi[2] = {3, 49};
    CHECK_EQUAL(write_now(from, d_a), 0);
    CHECK_EQUAL(NDRA_Write_section(0, from, g_lo, g_hi, d_a, d_lo, d_hi, &request), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, matrix, 2), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}

static void what_was_never_written_is_zero(void)
{
    int dims[2] = {77, 55}, to = in_memory(2, dims, 3), d_a = on_disk("zeros", 2, dims), i;
    static double found[77 * 55];
    CHECK_EQUAL(read_now(to, d_a), 0);
    get_all(to, 2, dims, found);
    for (i = 0; i < 77 * 55; i++) CHECK_EQUAL(found[i], 0.0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(to);
}

/* With another library that is an error, but no harm: nothing keeps its arrays. */
static void a_transfer_outlives_the_array_in_memory(void)
{
    int dims[2] = {300, 200}, from = in_memory(2, dims, 5), to = in_memory(2, dims, 0), d_a = on_disk("outlived", 2, dims), request;
    CHECK_EQUAL(NDRA_Write(from, d_a, &request), 0);
    GA_Destroy(from);
#ifdef OTHER_ARRAYS
    char message[1000];
    CHECK_EQUAL(DRA_Wait(request), DRA_FAIL);
    DRA_Errmsg_full(DRA_FAIL, message, sizeof message);
    CHECK(strstr(message, "destroyed, or changed, before the transfer had finished: array \"memory\"") != NULL);
    CHECK_EQUAL(DRA_Wait(request), DRA_FAIL);
#else
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 5), 0);
#endif
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(to);
}

static void closing_waits_for_what_is_under_way_and_requests_stay_valid(void)
{
    int dims[2] = {700, 500}, from = in_memory(2, dims, 5), to = in_memory(2, dims, 0), d_a = on_disk("closed", 2, dims), request, status = 7;
    CHECK_EQUAL(NDRA_Write(from, d_a, &request), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Probe(request, &status), 0);
    CHECK_EQUAL(status, -1);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("closed"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 5), 0);
    CHECK_EQUAL(NDRA_Write(from, d_a, &request), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    CHECK_EQUAL(DRA_Wait(request), 0);
    CHECK(!is_there(in_scratch("closed")));
    GA_Destroy(from);
    GA_Destroy(to);
}

/* The package has 1,024 handles. */
static void there_is_no_limit_on_open_arrays(void)
{
    enum { ARRAYS = 1300 };
    static int handles[ARRAYS];
    int dims[2] = {30, 20}, from = in_memory(2, dims, 4), to = in_memory(2, dims, 0), first = on_disk("many", 2, dims), i;
    CHECK_EQUAL(write_now(from, first), 0);
    for (i = 0; i < ARRAYS; i++) {
        CHECK_EQUAL(DRA_Open(in_scratch("many"), DRA_R, &handles[i]), 0);
        CHECK_EQUAL(handles[i], -4999 + i);
    }
    for (i = 0; i < ARRAYS; i++) CHECK_EQUAL(read_now(to, handles[i]), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 4), 0);
    for (i = 0; i < ARRAYS; i++) CHECK_EQUAL(DRA_Close(handles[i]), 0);
    CHECK_EQUAL(DRA_Delete(first), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}

static void attributes_are_json_and_stay_with_the_array(void)
{
    int dims[2] = {10, 10}, d_a = on_disk("attributes", 2, dims);
    char value[100] = "#";
    CHECK_EQUAL(DRA_Get_attribute(d_a, "energy", value, sizeof value), -1);
    CHECK_EQUAL(DRA_Set_attribute(d_a, "energy", "-76.0267653661"), 0);
    CHECK_EQUAL(DRA_Set_attribute(d_a, "basis", " {\"name\": \"cc-pVDZ\", \"functions\": [9, 5, 5]} "), 0);
    CHECK_EQUAL(DRA_Set_attribute(d_a, "wrong", "null"), 0);
    CHECK_EQUAL(DRA_Set_attribute(d_a, "wrong", NULL), 0);
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(DRA_Open(in_scratch("attributes"), DRA_R, &d_a), 0);
    CHECK_EQUAL(DRA_Get_attribute(d_a, "energy", value, sizeof value), 0);
    CHECK(strcmp(value, "-76.0267653661") == 0);
    CHECK_EQUAL(DRA_Get_attribute(d_a, "basis", value, sizeof value), 0);
    CHECK(strstr(value, "\"cc-pVDZ\"") != NULL && strstr(value, "[9,5,5]") != NULL);
    CHECK_EQUAL(DRA_Get_attribute(d_a, "wrong", value, sizeof value), -1);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

static void names_of_4000_characters_come_back_whole_where_there_is_room(void)
{
    static char name[4001], found[4100], file[5000];
    dra_size_t extents[1] = {5}, dims[GA_MAX_DIM];
    int d_a = 77, type, ndim;
    memset(name, 'n', 4000);
    CHECK_EQUAL(NDRA_Create(C_INT, 1, extents, name, in_scratch("long"), DRA_RW, extents, &d_a), 0);
    memset(found, '#', sizeof found);
    CHECK_EQUAL(NDRA_Inquire(d_a, &type, &ndim, dims, found, file), 0);
    CHECK(strlen(found) == 72 && found[73] == '#' && strspn(found, "n") == 72);
    CHECK(strlen(file) <= 248);
    CHECK_EQUAL(NDRA_Inquire_full(d_a, &type, &ndim, dims, found, sizeof found, file, sizeof file), 0);
    CHECK(strcmp(found, name) == 0);
    CHECK(strcmp(file, in_scratch("long")) == 0);
    CHECK_EQUAL(type, C_INT);
    CHECK_EQUAL(ndim, 1);
    CHECK_EQUAL(dims[0], 5);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

/* The INTEGER of the library that is linked may be another than that of the headers of the arrays. */
#ifndef FORTRAN_INTEGER
#define FORTRAN_INTEGER Integer
#endif
typedef FORTRAN_INTEGER fortran_int;

extern fortran_int dra_open_(char *, fortran_int *, fortran_int *, size_t);
extern fortran_int dra_close_(fortran_int *);
extern fortran_int ndra_inquire_(fortran_int *, fortran_int *, fortran_int *, fortran_int *, char *, char *, size_t, size_t);
extern fortran_int ndra_write_(fortran_int *, fortran_int *, fortran_int *);
extern fortran_int ndra_read_section_(fortran_int *, fortran_int *, fortran_int *, fortran_int *, fortran_int *, fortran_int *,
                                      fortran_int *, fortran_int *);
extern fortran_int dra_wait_(fortran_int *);

/* As a Fortran program makes them, whatever library the arrays in memory are of. */
static void transfers_are_made_through_the_symbols_of_fortran(void)
{
    int dims[2] = {20, 30}, d_a = on_disk("by Fortran", 2, dims), from = in_memory(2, dims, 4), to = in_memory(2, dims, 0);
    fortran_int disk = d_a, g_from = from, g_to = to, request = 99, no = 0, lo[2] = {1, 1}, hi[2] = {30, 20};
    CHECK_EQUAL(ndra_write_(&g_from, &disk, &request), 0);
    CHECK_EQUAL(dra_wait_(&request), 0);
    CHECK_EQUAL(ndra_read_section_(&no, &g_to, lo, hi, &disk, lo, hi, &request), 0);
    CHECK_EQUAL(dra_wait_(&request), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 4), 0);
    hi[0] = 31;
    CHECK_EQUAL(ndra_read_section_(&no, &g_to, lo, hi, &disk, lo, hi, &request), DRA_FAIL);
    CHECK_EQUAL(request, DRA_REQ_INVALID);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}

/* Elements lie in the same order: an array of C has its dimensions reversed in Fortran, as in HDF5 and netCDF. */
static void fortran_sees_the_dimensions_of_c_reversed_and_types_by_its_own_names(void)
{
    int dims[3] = {5, 6, 7}, d_a = on_disk("two languages", 3, dims);
    fortran_int handle = 77, mode = DRA_R, type = 0, ndim = 0, extents[GA_MAX_DIM] = {0};
    char name[20], file[5000], *path = in_scratch("two languages  ");
    CHECK_EQUAL(DRA_Close(d_a), 0);
    CHECK_EQUAL(dra_open_(path, &mode, &handle, strlen(path)), 0);
    CHECK_EQUAL(ndra_inquire_(&handle, &type, &ndim, extents, name, file, sizeof name, sizeof file), 0);
    CHECK_EQUAL(type, MT_F_DBL);
    CHECK_EQUAL(ndim, 3);
    CHECK(extents[0] == 7 && extents[1] == 6 && extents[2] == 5);
    CHECK(memcmp(name, "on disk             ", sizeof name) == 0);
    CHECK(memcmp(file, path, strlen(path)) == 0 && file[sizeof file - 1] == ' ');
    CHECK_EQUAL(dra_close_(&handle), 0);
    CHECK_EQUAL(handle, 0);
    CHECK_EQUAL(DRA_Open(in_scratch("two languages"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
}

/* As any Zarr library writes them: no name, no type code, and here not one chunk. */
static void an_array_of_another_program_is_opened_and_left_alone(void)
{
    static const char metadata[] =
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4, 6], \"data_type\": \"int64\", \"fill_value\": 7,"
        "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2, 3]}},"
        "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}},"
        "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}], \"attributes\": {\"unit\": \"eV\"}}";
    int dims[2] = {4, 6}, g_a = NGA_Create(C_LONG, 2, dims, (char *)"long", NULL), d_a = 77, type = 0, ndim = 0, i;
    dra_size_t extents[GA_MAX_DIM];
    char path[9000], name[100] = "#", file[5000], value[20];
    long found[24];
    snprintf(path, sizeof path, "%s/zarr.json", in_scratch("foreign"));
    if (me == 0) {
        FILE *out = mkdir(in_scratch("foreign"), 0777) == 0 ? fopen(path, "w") : NULL;
        CHECK(out != NULL && fputs(metadata, out) >= 0 && fclose(out) == 0);
    }
    GA_Sync();
    CHECK_EQUAL(DRA_Open(in_scratch("foreign"), DRA_R, &d_a), 0);
    CHECK_EQUAL(NDRA_Inquire(d_a, &type, &ndim, extents, name, file), 0);
    CHECK(type == C_LONG && ndim == 2 && extents[0] == 4 && extents[1] == 6 && strcmp(name, "") == 0);
    CHECK_EQUAL(DRA_Get_attribute(d_a, "unit", value, sizeof value), 0);
    CHECK(strcmp(value, "\"eV\"") == 0);
    CHECK_EQUAL(read_now(g_a, d_a), 0);
    get_all(g_a, 2, dims, found);
    for (i = 0; i < 24; i++) CHECK_EQUAL(found[i], 7);
    CHECK_EQUAL(DRA_Delete(d_a), DRA_FAIL);
    CHECK(is_there(path));
    GA_Destroy(g_a);
}

static void what_is_open_at_the_end_is_closed_and_all_may_begin_again(void)
{
    int dims[2] = {40, 50}, from = in_memory(2, dims, 6), to = in_memory(2, dims, 0), d_a = on_disk("left", 2, dims), request;
    CHECK_EQUAL(NDRA_Write(from, d_a, &request), 0);
    CHECK_EQUAL(DRA_Terminate(), 0);
    CHECK_EQUAL(DRA_Terminate(), 0);
    CHECK_EQUAL(DRA_Close(d_a), 1);
    CHECK_EQUAL(INITIALISE, 0);
    CHECK_EQUAL(INITIALISE, 0);
    CHECK_EQUAL(DRA_Open(in_scratch("left"), DRA_RW, &d_a), 0);
    CHECK_EQUAL(read_now(to, d_a), 0);
    CHECK_EQUAL(wrong_elements(to, 2, dims, 6), 0);
    CHECK_EQUAL(DRA_Delete(d_a), 0);
    GA_Destroy(from);
    GA_Destroy(to);
}
#endif

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 2) GA_Error((char *)"expected a scratch directory", 2);
    snprintf(scratch, sizeof scratch, "%s", argv[1]);
    CHECK_EQUAL(INITIALISE, 0);
    RUN(handles_count_upward_and_the_lowest_free_one_is_taken);
    RUN(a_missing_array_is_minus_1_and_may_be_created_then);
    RUN(what_is_written_is_read_in_up_to_five_dimensions);
    RUN(every_type_comes_back_bit_by_bit);
    RUN(sections_go_to_other_places);
    RUN(a_matrix_is_transposed_on_the_way);
    RUN(an_array_is_found_again_with_all_that_is_known_about_it);
    RUN(an_array_is_created_in_place_of_an_old_one);
    RUN(a_request_may_be_waited_for_again_and_minus_333_is_none);
    RUN(several_requests_may_be_under_way_in_any_order);
    RUN(small_questions_may_be_asked_anytime);
#ifndef GA_PACKAGE
    RUN(there_is_no_limit_on_requests);
    RUN(an_array_of_another_shape_with_as_many_elements_will_do);
    RUN(what_was_never_written_is_zero);
    RUN(a_transfer_outlives_the_array_in_memory);
    RUN(closing_waits_for_what_is_under_way_and_requests_stay_valid);
    RUN(there_is_no_limit_on_open_arrays);
    RUN(attributes_are_json_and_stay_with_the_array);
    RUN(names_of_4000_characters_come_back_whole_where_there_is_room);
    RUN(transfers_are_made_through_the_symbols_of_fortran);
    RUN(fortran_sees_the_dimensions_of_c_reversed_and_types_by_its_own_names);
    RUN(an_array_of_another_program_is_opened_and_left_alone);
    RUN(what_is_open_at_the_end_is_closed_and_all_may_begin_again);
#endif
    CHECK_EQUAL(DRA_Terminate(), 0);
    return end();
}
