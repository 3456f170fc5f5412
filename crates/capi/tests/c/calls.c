/* Every EAF call from C: what it does with good arguments and with bad ones. Argument: a scratch directory. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "eaf.h"

static const char *directory;

/* The path of a file in the scratch directory; good until the fourth next call. */
static const char *in_directory(const char *name)
{
    static char paths[4][4096 + 512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static int opened(const char *name, int type)
{
    int fd = -1;
    CHECK_CODE(EAF_Open(in_directory(name), type, &fd), 0);
    return fd;
}

static void handles_are_the_lowest_free_ones_from_0(void)
{
    int a = opened("a", EAF_RW), b = opened("b", EAF_RW), c = opened("c", EAF_RW);
    CHECK(a == 0 && b == 1 && c == 2);
    CHECK_CODE(EAF_Close(b), 0);
    CHECK(opened("d", EAF_RW) == 1);
    CHECK_CODE(EAF_Close(0), 0);
    CHECK_CODE(EAF_Close(1), 0);
    CHECK_CODE(EAF_Close(2), 0);
}

static void what_is_written_is_read(void)
{
    char out[5000], in[5000] = "";
    int fd = opened("data", EAF_RW);
    memset(out, 'x', sizeof out);
    CHECK_CODE(EAF_Write(fd, 123., out, sizeof out), 0);
    CHECK_CODE(EAF_Read(fd, 123., in, sizeof in), 0);
    CHECK(memcmp(out, in, sizeof in) == 0);
    CHECK_CODE(EAF_Read(fd, 0., in, 123), 0);
    CHECK(in[0] == 0 && in[122] == 0);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void asynchronous_calls_move_the_same_bytes_and_waits_repeat(void)
{
    static char out[3 << 20], in[3 << 20];
    int write_id = -7, read_id = -7, status = -7, i;
    int fd = opened("async", EAF_RW);
    for (i = 0; i < (int)sizeof out; i++) out[i] = (char)(i % 127);
    CHECK_CODE(EAF_Awrite(fd, 4096., out, sizeof out, &write_id), 0);
    CHECK(write_id > 0);
    CHECK_CODE(EAF_Wait(fd, write_id), 0);
    CHECK_CODE(EAF_Wait(fd, write_id), 0);
    CHECK_CODE(EAF_Aread(fd, 4096., in, sizeof in, &read_id), 0);
    CHECK(read_id > 0 && read_id != write_id);
    while (EAF_Probe(read_id, &status) == 0 && status == 1) {}
    CHECK(status == 0);
    CHECK_CODE(EAF_Wait(fd, read_id), 0);
    CHECK(memcmp(out, in, sizeof in) == 0);
    for (i = 0; i < 3; i++) CHECK_CODE(EAF_Wait(fd, read_id), 0);
    CHECK_CODE(EAF_Probe(write_id, &status), 0);
    CHECK(status == 0);
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK_CODE(EAF_Wait(fd, read_id), -10006);
}

static void requests_that_were_never_issued_are_errors(void)
{
    static const int never[] = {0, -1, -333, 2147483647, -2147483647 - 1};
    int fd = opened("never", EAF_RW), status, i;
    for (i = 0; i < 5; i++) {
        CHECK_CODE(EAF_Wait(fd, never[i]), -10011);
        CHECK_CODE(EAF_Probe(never[i], &status), -10012);
    }
    CHECK_CODE(EAF_Close(fd), 0);
}

static void closed_and_invented_handles_give_10006_and_do_no_harm(void)
{
    static const int bad[] = {-1, 5, 1000000, 2147483647, -2147483647 - 1};
    char byte = 0;
    int fd = opened("once", EAF_RW), id = 7, i;
    double length;
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK_CODE(EAF_Close(fd), -10006);
    for (i = 0; i < 5; i++) {
        CHECK_CODE(EAF_Close(bad[i]), -10006);
        CHECK_CODE(EAF_Read(bad[i], 0., &byte, 1), -10006);
        CHECK_CODE(EAF_Write(bad[i], NAN, NULL, 1), -10006);
        CHECK_CODE(EAF_Aread(bad[i], 0., &byte, 1, &id), -10006);
        CHECK_CODE(EAF_Awrite(bad[i], 0., &byte, 1, &id), -10006);
        CHECK(id == -1);
        CHECK_CODE(EAF_Wait(bad[i], 1), -10006);
        CHECK_CODE(EAF_Length(bad[i], &length), -10006);
        CHECK_CODE(EAF_Truncate(bad[i], 0.), -10006);
        EAF_Print_stats(bad[i]);
    }
}

static void bad_offsets_have_their_codes(void)
{
    static const double fractions[] = {0.5, -0.5, 1e-300, NAN};
    static const double ranges[] = {-1., -1e300, 1e14 + 1., 1e300, INFINITY, -INFINITY};
    char byte = 0;
    int fd = opened("offsets", EAF_RW), id, i;
    double length = -1.;
    for (i = 0; i < 4; i++) {
        CHECK_CODE(EAF_Write(fd, fractions[i], &byte, 1), -10018);
        CHECK_CODE(EAF_Read(fd, fractions[i], NULL, 1), -10018);
        CHECK_CODE(EAF_Awrite(fd, fractions[i], &byte, 1, &id), -10018);
        CHECK_CODE(EAF_Aread(fd, fractions[i], &byte, 1, &id), -10018);
        CHECK_CODE(EAF_Truncate(fd, fractions[i]), -10018);
    }
    for (i = 0; i < 6; i++) {
        CHECK_CODE(EAF_Write(fd, ranges[i], NULL, 1), -2000);
        CHECK_CODE(EAF_Read(fd, ranges[i], &byte, 1), -2000);
        CHECK_CODE(EAF_Awrite(fd, ranges[i], &byte, 0, &id), -2000);
        CHECK_CODE(EAF_Aread(fd, ranges[i], &byte, 1, &id), -2000);
        CHECK(id == -1);
        CHECK_CODE(EAF_Truncate(fd, ranges[i]), -2000);
    }
    CHECK_CODE(EAF_Write(fd, 0., &byte, (size_t)-1), -2000);
    CHECK_CODE(EAF_Length(fd, &length), 0);
    CHECK(length == 0.);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void null_pointers_have_their_codes(void)
{
    char byte = 0, type[8] = "";
    long megabytes = 0;
    int fd = opened("null", EAF_RW), id = 5;
    CHECK_CODE(EAF_Open(NULL, EAF_RW, &id), -44);
    CHECK_CODE(EAF_Open(in_directory("unopened"), EAF_RW, NULL), -44);
    CHECK(access(in_directory("unopened"), F_OK) != 0);
    CHECK_CODE(EAF_Delete(NULL), -10013);
    CHECK_CODE(EAF_Write(fd, 0., NULL, 1), -10007);
    CHECK_CODE(EAF_Read(fd, 0., NULL, 1), -10009);
    CHECK_CODE(EAF_Awrite(fd, 0., NULL, 1, &id), -10008);
    CHECK_CODE(EAF_Aread(fd, 0., NULL, 1, &id), -10010);
    CHECK_CODE(EAF_Awrite(fd, 0., &byte, 1, NULL), -10008);
    CHECK_CODE(EAF_Aread(fd, 0., &byte, 1, NULL), -10010);
    CHECK_CODE(EAF_Probe(1, NULL), -10012);
    CHECK_CODE(EAF_Length(fd, NULL), -10020);
    CHECK_CODE(EAF_Stat(NULL, &megabytes, type, 8), -10015);
    CHECK_CODE(EAF_Stat(directory, NULL, type, 8), -10015);
    CHECK_CODE(EAF_Stat(directory, &megabytes, NULL, 8), -10015);
    EAF_Errmsg(-44, NULL);
    EAF_Errmsg_full(-44, NULL, 80);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void zero_bytes_is_0(void)
{
    char byte = 0;
    int fd = opened("zero", EAF_RW), id = -7;
    CHECK_CODE(EAF_Write(fd, 1e14, &byte, 0), 0);
    CHECK_CODE(EAF_Read(fd, 1e14, NULL, 0), 0);
    CHECK_CODE(EAF_Awrite(fd, 5., NULL, 0, &id), 0);
    CHECK_CODE(EAF_Wait(fd, id), 0);
    CHECK_CODE(EAF_Aread(fd, 5., &byte, 0, &id), 0);
    CHECK_CODE(EAF_Wait(fd, id), 0);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void reading_past_the_end_gives_1977_with_what_there_is(void)
{
    char in[9] = "........";
    int fd = opened("eof", EAF_RW), id, i;
    CHECK_CODE(EAF_Write(fd, 0., "0123456789", 10), 0);
    CHECK_CODE(EAF_Read(fd, 6., in, 8), -1977);
    CHECK(strcmp(in, "6789....") == 0);
    strcpy(in, "........");
    CHECK_CODE(EAF_Aread(fd, 6., in, 8, &id), 0);
    for (i = 0; i < 3; i++) CHECK_CODE(EAF_Wait(fd, id), -1977);
    CHECK(strcmp(in, "6789....") == 0);
    CHECK(EAF_Eof(-1977) == 1 && EAF_Eof(-10001) == 1);
    CHECK(EAF_Eof(0) == 0 && EAF_Eof(-1) == 0 && EAF_Eof(-1999) == 0 && EAF_Eof(1) == 0);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void a_wait_tells_of_a_file_that_was_closed_meanwhile(void)
{
    static char in[1 << 20];
    int fd = opened("eof", EAF_RW), other, id, i;
    CHECK_CODE(EAF_Write(fd, 0., "0123456789", 10), 0);
    CHECK_CODE(EAF_Aread(fd, 6., in, sizeof in, &id), 0);
    CHECK_CODE(EAF_Close(fd), 0);
    other = opened("another", EAF_RW);
    CHECK_CODE(other, fd);
    for (i = 0; i < 2; i++) CHECK_CODE(EAF_Wait(other, id), -1977);
    CHECK_CODE(EAF_Probe(id, &i), 0);
    CHECK_CODE(i, 0);
    CHECK_CODE(EAF_Close(other), 0);
}

static void a_read_that_nobody_waited_for_does_not_disturb_what_follows(void)
{
    static char ahead[1 << 20];
    char in[4] = "";
    int fd = opened("rewind", EAF_RW), id;
    CHECK_CODE(EAF_Write(fd, 0., "data", 4), 0);
    CHECK_CODE(EAF_Aread(fd, 0., ahead, sizeof ahead, &id), 0);
    CHECK_CODE(EAF_Read(fd, 0., in, 4), 0);
    CHECK(memcmp(in, "data", 4) == 0);
    CHECK_CODE(EAF_Aread(fd, 0., ahead, sizeof ahead, &id), 0);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void truncate_and_close_wait_for_what_is_outstanding(void)
{
    static char out[8 << 20];
    struct stat found;
    int fd = opened("drain", EAF_RW), id, i;
    double length = -1.;
    memset(out, 'x', sizeof out);
    for (i = 0; i < 4; i++) CHECK_CODE(EAF_Awrite(fd, i * (double)sizeof out, out, sizeof out, &id), 0);
    CHECK_CODE(EAF_Truncate(fd, 1000.), 0);
    CHECK_CODE(EAF_Length(fd, &length), 0);
    CHECK(length == 1000.);
    CHECK_CODE(EAF_Wait(fd, id), 0);
    for (i = 0; i < 4; i++) CHECK_CODE(EAF_Awrite(fd, i * (double)sizeof out, out, sizeof out, &id), 0);
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK(stat(in_directory("drain"), &found) == 0 && found.st_size == 4 * (long)sizeof out);
}

enum { SMALL = 65535 };

static int write_from_the_stack(int fd, double offset, char fill)
{
    char record[SMALL];
    int id;
    memset(record, fill, sizeof record);
    return EAF_Awrite(fd, offset, record, sizeof record, &id);
}

static void a_small_write_from_the_stack_may_be_forgotten(void)
{
    char in[SMALL];
    int fd = opened("stack", EAF_RW), i;
    for (i = 0; i < 100; i++) CHECK_CODE(write_from_the_stack(fd, (double)SMALL * i, (char)(i + 1)), 0);
    for (i = 0; i < 100; i++) {
        CHECK_CODE(EAF_Read(fd, (double)SMALL * i, in, sizeof in), 0);
        CHECK(in[0] == i + 1 && in[SMALL - 1] == i + 1);
    }
    CHECK_CODE(EAF_Close(fd), 0);
}

static void the_three_modes_do_what_they_say(void)
{
    char in[4] = "";
    double length = -1.;
    int fd = -7, other;
    CHECK_CODE(EAF_Delete(in_directory("modes")), 0);
    CHECK_CODE(EAF_Open(in_directory("modes"), EAF_R, &fd), -44);
    CHECK(fd == -7);
    fd = opened("modes", EAF_RW);
    CHECK_CODE(EAF_Write(fd, 0., "data", 4), 0);
    other = opened("modes", EAF_RW);
    CHECK(other != fd);
    CHECK_CODE(EAF_Read(other, 0., in, 4), 0);
    CHECK(memcmp(in, "data", 4) == 0);
    CHECK_CODE(EAF_Close(other), 0);
    CHECK_CODE(EAF_Close(fd), 0);
    fd = opened("modes", EAF_R);
    CHECK_CODE(EAF_Write(fd, 0., "x", 1), -1999);
    CHECK_CODE(EAF_Truncate(fd, 0.), -10019);
    CHECK_CODE(EAF_Close(fd), 0);
    fd = opened("modes", EAF_W);
    CHECK_CODE(EAF_Length(fd, &length), 0);
    CHECK(length == 0.);
    CHECK_CODE(EAF_Read(fd, 0., in, 1), -1997);
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK_CODE(EAF_Open(in_directory("modes"), 0, &fd), -44);
    CHECK_CODE(EAF_Open(in_directory("modes"), -4, &fd), -44);
}

static void truncate_shortens_and_grows_and_length_tells(void)
{
    char in[6] = "......";
    double length = -1.;
    int fd = opened("length", EAF_RW);
    CHECK_CODE(EAF_Write(fd, 0., "0123456789", 10), 0);
    CHECK_CODE(EAF_Truncate(fd, 3.), 0);
    CHECK_CODE(EAF_Truncate(fd, 6.), 0);
    CHECK_CODE(EAF_Length(fd, &length), 0);
    CHECK(length == 6.);
    CHECK_CODE(EAF_Read(fd, 0., in, 6), 0);
    CHECK(memcmp(in, "012\0\0\0", 6) == 0);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void a_file_removed_underneath_stays_usable(void)
{
    char in[4] = "";
    int fd = opened("removed", EAF_RW);
    CHECK_CODE(EAF_Write(fd, 0., "da", 2), 0);
    CHECK(unlink(in_directory("removed")) == 0);
    CHECK_CODE(EAF_Write(fd, 2., "ta", 2), 0);
    CHECK_CODE(EAF_Read(fd, 0., in, 4), 0);
    CHECK(memcmp(in, "data", 4) == 0);
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK_CODE(EAF_Delete(in_directory("removed")), 0);
}

static void names_of_255_characters_open_and_of_4000_do_not(void)
{
    static char name[4001];
    char text[100];
    int fd = -7;
    memset(name, 'n', 255);
    CHECK_CODE(EAF_Open(in_directory(name), EAF_RW, &fd), 0);
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK_CODE(EAF_Delete(in_directory(name)), 0);
    memset(name, 'n', 4000);
    CHECK_CODE(EAF_Open(in_directory(name), EAF_RW, &fd), -44);
    memset(text, '#', sizeof text);
    EAF_Errmsg(-44, text);
    CHECK(strstr(text, "File name too long") == text);
    CHECK(strlen(text) <= 79 && text[80] == '#');
    CHECK_CODE(EAF_Delete(in_directory(name)), -10013);
    CHECK_CODE(EAF_Open("", EAF_RW, &fd), -44);
}

static void messages_tell_the_cause_and_fit_their_memory(void)
{
    char text[300], full[300];
    int fd, code, len;
    CHECK_CODE(EAF_Open(in_directory("no/such/directory/where/a/file/with/a/rather/long/name/could/be.dat"), EAF_RW, &fd), -44);
    memset(text, '#', sizeof text);
    EAF_Errmsg(-44, text);
    CHECK(strstr(text, "No such file or directory") == text);
    CHECK(strlen(text) <= 79 && text[80] == '#');
    CHECK(strcmp(text + strlen(text) - 6, "be.dat") == 0);
    EAF_Errmsg_full(-44, full, sizeof full);
    CHECK(strstr(full, "no/such/directory/where") != NULL);
    for (len = 0; len < 100; len++) {
        memset(text, '#', sizeof text);
        EAF_Errmsg_full(-44, text, (size_t)len);
        CHECK(text[len] == '#');
        CHECK(len == 0 || strlen(text) < (size_t)len);
    }
    CHECK_CODE(EAF_Close(4711), -10006);
    EAF_Errmsg(-10006, text);
    CHECK(strstr(text, "4711") != NULL);
    for (code = -10020; code <= -10001; code++) {
        EAF_Errmsg(code, text);
        CHECK(text[0] != '\0');
    }
    for (code = -2000; code <= -1975; code++) {
        EAF_Errmsg(code, text);
        CHECK(text[0] != '\0');
    }
    EAF_Errmsg(-12345, text);
    CHECK(text[0] == '\0');
    EAF_Errmsg(1, text);
    CHECK(text[0] == '\0');
}

static void stat_gives_megabytes_and_a_type_and_tests_for_existence(void)
{
    char type[10] = "#########";
    long megabytes = -1;
    CHECK_CODE(EAF_Stat(in_directory("no such file"), &megabytes, type, 10), 0);
    CHECK(megabytes > 0 && strcmp(type, "UFS") == 0);
    CHECK_CODE(EAF_Stat(directory, &megabytes, type, 4), 0);
    CHECK_CODE(EAF_Stat(directory, &megabytes, type, 3), -10016);
    CHECK_CODE(EAF_Stat(directory, &megabytes, type, -1), -10016);
    CHECK_CODE(EAF_Stat(in_directory("no such directory/f"), &megabytes, type, 10), -1991);
    CHECK_CODE(EAF_Stat("f", &megabytes, type, 10), 0);
}

static void a_file_in_memory_outlives_its_handle_until_it_is_deleted(void)
{
    static char block[1 << 20];
    char in[4] = "";
    int fd = opened("memory", 2), again;
    CHECK_CODE(EAF_Write(fd, 0., "data", 4), 0);
    CHECK_CODE(EAF_Close(fd), 0);
    CHECK(access(in_directory("memory"), F_OK) != 0);
    again = opened("memory", 2);
    CHECK_CODE(EAF_Read(again, 0., in, 4), 0);
    CHECK(memcmp(in, "data", 4) == 0);
    CHECK_CODE(EAF_Write(again, 1048576., block, sizeof block), 0);
    CHECK_CODE(EAF_Write(again, 1048577., block, sizeof block), -10007);
    CHECK_CODE(EAF_Delete(in_directory("memory")), 0);
    CHECK_CODE(EAF_Delete(in_directory("memory")), 0);
    CHECK_CODE(EAF_Close(again), 0);
    CHECK_CODE(EAF_Open(in_directory("memory"), EAF_R, &fd), -44);
}

static void statistics_are_printed_to_standard_output_in_order(void)
{
    char line[400], text[4000] = "";
    int fd = opened("statistics", EAF_RW), saved = dup(1);
    FILE *captured = fopen(in_directory("printed"), "w+");
    CHECK_CODE(EAF_Write(fd, 0., "0123456789", 10), 0);
    fflush(stdout);
    dup2(fileno(captured), 1);
    printf("before\n");
    EAF_Print_stats(fd);
    printf("after\n");
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(captured);
    while (fgets(line, sizeof line, captured)) strcat(text, line);
    fclose(captured);
    CHECK(strstr(text, "before\nEAF file ") == text);
    CHECK(strstr(text, "size 10 bytes") != NULL);
    CHECK(strstr(text, "\nwrite ") < strstr(text, "\nread ") && strstr(text, "\nread ") < strstr(text, "\nawrite "));
    CHECK(strstr(text, "\nawrite ") < strstr(text, "\naread ") && strstr(text, "\naread ") < strstr(text, "\nwait "));
    CHECK(strstr(text, "\nafter\n") != NULL);
    CHECK_CODE(EAF_Close(fd), 0);
}

static void every_error_leaves_the_file_usable(void)
{
    char in[4] = "";
    int fd = opened("usable", EAF_RW), id;
    CHECK_CODE(EAF_Write(fd, 0., "data", 4), 0);
    CHECK_CODE(EAF_Read(fd, -1., in, 4), -2000);
    CHECK_CODE(EAF_Read(fd, 100., in, 4), -1977);
    CHECK_CODE(EAF_Wait(fd, 2147483647), -10011);
    CHECK_CODE(EAF_Aread(fd, 0.5, in, 4, &id), -10018);
    CHECK_CODE(EAF_Read(fd, 0., in, 4), 0);
    CHECK(memcmp(in, "data", 4) == 0);
    CHECK_CODE(EAF_Close(fd), 0);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    directory = argv[1];
    RUN(handles_are_the_lowest_free_ones_from_0);
    RUN(what_is_written_is_read);
    RUN(requests_that_were_never_issued_are_errors);
    RUN(asynchronous_calls_move_the_same_bytes_and_waits_repeat);
    RUN(closed_and_invented_handles_give_10006_and_do_no_harm);
    RUN(bad_offsets_have_their_codes);
    RUN(null_pointers_have_their_codes);
    RUN(zero_bytes_is_0);
    RUN(reading_past_the_end_gives_1977_with_what_there_is);
    RUN(a_wait_tells_of_a_file_that_was_closed_meanwhile);
    RUN(a_read_that_nobody_waited_for_does_not_disturb_what_follows);
    RUN(truncate_and_close_wait_for_what_is_outstanding);
    RUN(a_small_write_from_the_stack_may_be_forgotten);
    RUN(the_three_modes_do_what_they_say);
    RUN(truncate_shortens_and_grows_and_length_tells);
    RUN(a_file_removed_underneath_stays_usable);
    RUN(names_of_255_characters_open_and_of_4000_do_not);
    RUN(messages_tell_the_cause_and_fit_their_memory);
    RUN(stat_gives_megabytes_and_a_type_and_tests_for_existence);
    RUN(a_file_in_memory_outlives_its_handle_until_it_is_deleted);
    RUN(statistics_are_printed_to_standard_output_in_order);
    RUN(every_error_leaves_the_file_usable);
    return check_failures != 0;
}
