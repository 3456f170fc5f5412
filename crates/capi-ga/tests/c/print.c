/* What the library prints, caught from standard output: blanks do not count, everything else does. */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

static char caught[1 << 16];
static int kept_stdout = -1, catching = -1;

/* From now on, what is printed on standard output goes to a file of this rank. */
static void catch_output(void)
{
    char name[] = "/tmp/chemio-print.XXXXXX";
    fflush(stdout);
    catching = mkstemp(name);
    unlink(name);
    kept_stdout = dup(1);
    dup2(catching, 1);
}

/* Ends that; `caught` has the text, runs of blanks and line ends as one blank. */
static void release_output(void)
{
    char raw[sizeof caught];
    ssize_t length, i;
    size_t n = 0;
    fflush(stdout);
    dup2(kept_stdout, 1);
    close(kept_stdout);
    length = pread(catching, raw, sizeof raw - 1, 0);
    close(catching);
    for (i = 0; i < length; i++) {
        int blank = strchr(" \n\t", raw[i]) != NULL;
        if (!blank) caught[n++] = raw[i];
        else if (n > 0 && caught[n - 1] != ' ') caught[n++] = ' ';
    }
    while (n > 0 && caught[n - 1] == ' ') n--;
    caught[n] = 0;
}

/* Only the first rank prints. */
#define EXPECT(text)                                                                                \
    do {                                                                                            \
        CHECK(strcmp(caught, me == 0 ? (text) : "") == 0);                                          \
        if (strcmp(caught, me == 0 ? (text) : "") != 0) fprintf(stderr, "printed: '%s'\n", caught); \
    } while (0)

static int matrix(int rows, int columns, const char *name)
{
    int dims[2], lo[2] = {0, 0}, hi[2], ld[1], i, g;
    double all[100];
    dims[0] = rows;
    dims[1] = columns;
    hi[0] = rows - 1;
    hi[1] = columns - 1;
    ld[0] = columns;
    g = NGA_Create(C_DBL, 2, dims, (char *)name, NULL);
    for (i = 0; i < rows * columns; i++) all[i] = i + 0.5;
    if (me == 0) NGA_Put(g, lo, hi, all, ld);
    GA_Sync();
    return g;
}

/* The C caller's first dimension is printed last: the text is that of Fortran. */
static void a_matrix_is_printed_in_blocks_of_six_columns_as_fortran_sees_it(void)
{
    int g = matrix(7, 2, "mat");
    catch_output();
    GA_Print(g);
    release_output();
    EXPECT("global array: mat[1:2,1:7], handle: -1000 "
           "1 2 3 4 5 6 "
           "----------- ----------- ----------- ----------- ----------- ----------- "
           "1 0.50000 2.50000 4.50000 6.50000 8.50000 10.50000 "
           "2 1.50000 3.50000 5.50000 7.50000 9.50000 11.50000 "
           "7 ----------- "
           "1 12.50000 "
           "2 13.50000");
    GA_Destroy(g);
}

static void integers_are_printed_without_fractions(void)
{
    int dims[2] = {2, 3}, minus_three = -3, g = NGA_Create(C_INT, 2, dims, "whole", NULL);
    GA_Fill(g, &minus_three);
    catch_output();
    GA_Print(g);
    release_output();
    EXPECT("global array: whole[1:3,1:2], handle: -1000 1 2 -------- -------- 1 -3 -3 2 -3 -3 3 -3 -3");
    GA_Destroy(g);
}

static void a_line_is_printed_one_element_a_row(void)
{
    int dims[1] = {3}, g = NGA_Create(C_DBL, 1, dims, "line", NULL);
    double x = 1.25;
    GA_Fill(g, &x);
    catch_output();
    GA_Print(g);
    release_output();
    EXPECT("global array: line[1:3], handle: -1000 1 1.25000 2 1.25000 3 1.25000");
    GA_Destroy(g);
}

static void a_box_is_printed_plane_by_plane(void)
{
    int dims[3] = {2, 1, 2}, g = NGA_Create(C_DBL, 3, dims, "box", NULL);
    GA_Zero(g);
    catch_output();
    GA_Print(g);
    release_output();
    EXPECT("global array: box[1:2,1:1,1:2], handle: -1000 "
           "-- patch: box[1:2,1:1,1] 1 ----------- 1 0.00000 2 0.00000 "
           "-- patch: box[1:2,1:1,2] 1 ----------- 1 0.00000 2 0.00000");
    GA_Destroy(g);
}

static void complex_numbers_are_printed_in_pairs(void)
{
    int dims[2] = {1, 2}, g = NGA_Create(C_DCPL, 2, dims, "pairs", NULL);
    DoubleComplex z = {1.5, -2};
    GA_Fill(g, &z);
    catch_output();
    GA_Print(g);
    release_output();
    EXPECT("global array: pairs[1:2,1:1], handle: -1000 1 ----------------------- 1 1.50000, -2.00000 2 1.50000, -2.00000");
    GA_Destroy(g);
}

static void a_patch_is_printed_with_and_without_headers(void)
{
    int g = matrix(4, 3, "mat"), lo[2] = {1, 1}, hi[2] = {2, 2};
    catch_output();
    NGA_Print_patch(g, lo, hi, 1);
    release_output();
    EXPECT("global array: mat[2:3,2:3], handle: -1000 2 3 ----------- ----------- 2 4.50000 7.50000 3 5.50000 8.50000");
    catch_output();
    NGA_Print_patch(g, lo, hi, 0);
    release_output();
    EXPECT("global array: mat[2:3,2:3], handle: -1000 "
           "mat(2,2) = 4.500000 mat(3,2) = 5.500000 mat(2,3) = 7.500000 mat(3,3) = 8.500000");
#ifndef GA_PACKAGE /* it aborts */
    catch_output();
    GA_Print_patch(g, 1, 2, 0, 1, 0);
    release_output();
    EXPECT("global array: mat[1:2,2:3], handle: -1000 3.50000 6.50000 4.50000 7.50000");
#endif
    GA_Destroy(g);
}

static void a_distribution_is_printed_as_c_sees_it(void)
{
    int dims[2] = {6, 4}, blocks[2] = {1, 1}, map[2] = {0, 0}, rank, n;
    char expected[1000];
    int g = NGA_Create_irreg(C_LONG, 2, dims, "lone", blocks, map);
    catch_output();
    GA_Print_distribution(g);
    release_output();
    n = sprintf(expected, "Array Handle=-1000 Name:'lone' Data Type:long Array Dimensions:6x4 ");
    for (rank = 0; rank < ranks; rank++)
        n += sprintf(expected + n, "%sProcess=%d owns array section: [%s]", rank ? " " : "", rank, rank ? "-1:-2,-1:-2" : "0:5,0:3");
    EXPECT(expected);
    GA_Destroy(g);
}

/* Not collective: whoever calls prints. */
static void a_summary_lists_the_arrays_of_the_caller(void)
{
    int dims[2] = {6, 4}, blocks[2] = {1, 1}, map[2] = {0, 0};
    int a = NGA_Create_irreg(C_DBL, 2, dims, "one", blocks, map), b = NGA_Create_irreg(C_INT, 2, dims, "two", blocks, map);
    catch_output();
    if (me == 0) GA_Summarize(0);
    release_output();
    EXPECT("Summary of allocated global arrays ----------------------------------- "
           "array 0 => double precision one(4,6), handle: -1000 array 1 => integer two(4,6), handle: -999");
    catch_output();
    if (me == 0) GA_Summarize(1);
    release_output();
    if (me == 0) {
        CHECK(strstr(caught, "one(4,6), handle: -1000 (1:4,1:6) -> 0") != NULL);
        CHECK(strstr(caught, "two(4,6), handle: -999 (1:4,1:6) -> 0") != NULL);
    }
    GA_Destroy(a);
    GA_Destroy(b);
    catch_output();
    if (me == 0) GA_Summarize(0);
    release_output();
    if (me == 0) CHECK(strncmp(caught, "Summary of allocated global arrays -----------------------------------", 70) == 0);
    CHECK(strstr(caught, "handle") == NULL);
}

static void statistics_count_the_calls_of_this_rank(void)
{
    int g = matrix(4, 3, "mat"), lo[2] = {0, 0}, hi[2] = {0, 0}, ld[1] = {1};
    double x;
    NGA_Get(g, lo, hi, &x, ld);
    GA_Sync();
    GA_Destroy(g);
    catch_output();
    GA_Print_stats();
    release_output();
    CHECK(strstr(caught, "GA Statistics for process") != NULL);
    CHECK(strstr(caught, "create destroy get put acc scatter gather read&inc calls:") != NULL);
    CHECK(strstr(caught, "bytes total:") != NULL);
    CHECK(strstr(caught, "Max memory consumed for GA by this process:") != NULL);
}

static void an_array_is_printed_to_a_file(void)
{
    int g = matrix(1, 1, "dot");
    FILE *file = tmpfile();
    char text[200] = "";
    GA_Print_file(file, g);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    if (me == 0) CHECK(strstr(text, "dot[1:1,1:1]") != NULL && strstr(text, "0.50000") != NULL);
    fclose(file);
    GA_Destroy(g);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    RUN(a_matrix_is_printed_in_blocks_of_six_columns_as_fortran_sees_it);
    RUN(integers_are_printed_without_fractions);
    RUN(a_line_is_printed_one_element_a_row);
    RUN(a_box_is_printed_plane_by_plane);
    RUN(complex_numbers_are_printed_in_pairs);
    RUN(a_patch_is_printed_with_and_without_headers);
    RUN(a_distribution_is_printed_as_c_sees_it);
    RUN(a_summary_lists_the_arrays_of_the_caller);
    RUN(statistics_count_the_calls_of_this_rank);
    RUN(an_array_is_printed_to_a_file);
    return end();
}
