#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_USAGE = 2 };

const char *const mode_names[MODES] = {"memory", "disk", "overflow"};

struct options options = {
    .segments = 128,
    .elements = 32768,
    .couplings = 16,
    .level = 1,
    .repeat = 3,
    .is_wanted = {1, 1, 1},
    .memory_mb = 0,
    .disk_mb = -1,
    .scratch = ".",
    .seed = 1,
    .spoil = -1,
};

static const char HELP[] =
    "mpirun -n RANKS mrci [OPTION...]\n"
    "\n"
    "Accumulates a product vector from the segments of an expansion vector, as a multi-reference CI program does: both are\n"
    "kept compressed, and a segment is locked, read, decompressed, added to, compressed and written back, while the one before\n"
    "is being written and the next is being read. The result is compared with a serial calculation, bit by bit.\n"
    "\n"
    "  --mode memory|disk|overflow|all   records in a one-dimensional global array; in a shared file; in the array until its memory\n"
    "                                    is used up, and then in the file                          [all]\n"
    "  --segments N                      segments of a vector                                      [128]\n"
    "  --elements N                      doubles in a segment                                      [32768]\n"
    "  --couplings N                     how often each segment is accumulated into                [16]\n"
    "  --level N                         compression of zstd, from -20 (fast) to 19 (small)        [1]\n"
    "  --repeat N                        times each mode is run; the median counts                 [3]\n"
    "  --memory-mb X                     global array in mode overflow, in MB (10^6 bytes)         [about half of what is needed]\n"
    "  --disk-mb X                       the most that the shared file may grow to, in MB          [no limit]\n"
    "  --scratch DIRECTORY               where the shared file is                                  [.]\n"
    "  --seed N                          of the vectors and of what couples                        [1]\n"
    "  --spoil N                         changes an element of segment N before the comparison, which then has to fail\n"
    "  --help\n"
    "\n"
    "Ends with 0 if all segments are right, with 1 if one is wrong or something failed, with 2 for a wrong command line.\n";

/* ---- words to numbers ---- */

static const char *wrong; /* what is wrong with the command line */
static char wrong_text[256];

static void complain(const char *option, const char *value, const char *expected)
{
    snprintf(wrong_text, sizeof wrong_text, "--%s %s: expected %s", option, value, expected);
    wrong = wrong_text;
}

static long whole(const char *option, const char *value, long least, long most)
{
    char *end, expected[80];
    long number = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || number < least || number > most) {
        snprintf(expected, sizeof expected, "a whole number from %ld to %ld", least, most);
        complain(option, value, expected);
    }
    return number;
}

static double megabytes(const char *option, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (*value == '\0' || *end != '\0' || !(number > 0 && number <= 1e8))
        complain(option, value, "megabytes, more than 0");
    return number;
}

static void choose_mode(const char *value)
{
    int is_all = strcmp(value, "all") == 0, found = is_all;
    for (int mode = 0; mode < MODES; mode++) {
        options.is_wanted[mode] = is_all || strcmp(value, mode_names[mode]) == 0;
        found |= options.is_wanted[mode];
    }
    if (!found)
        complain("mode", value, "memory, disk, overflow or all");
}

/* ---- the line ---- */

static const struct option KNOWN[] = {
    {"mode", 1, NULL, 'm'},   {"segments", 1, NULL, 's'},  {"elements", 1, NULL, 'e'}, {"couplings", 1, NULL, 'c'},
    {"level", 1, NULL, 'l'},  {"repeat", 1, NULL, 'r'},    {"memory-mb", 1, NULL, 'M'}, {"disk-mb", 1, NULL, 'D'},
    {"scratch", 1, NULL, 'd'}, {"seed", 1, NULL, 'x'},     {"spoil", 1, NULL, 'p'},    {"help", 0, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void take(int letter, const char *value)
{
    switch (letter) {
    case 'm': choose_mode(value); break;
    case 's': options.segments = (int)whole("segments", value, 1, 1000000); break;
    case 'e': options.elements = (int)whole("elements", value, 1, 1 << 27); break;
    case 'c': options.couplings = (int)whole("couplings", value, 1, 100000); break;
    case 'l': options.level = (int)whole("level", value, -20, 19); break;
    case 'r': options.repeat = (int)whole("repeat", value, 1, 1000); break;
    case 'M': options.memory_mb = megabytes("memory-mb", value); break;
    case 'D': options.disk_mb = megabytes("disk-mb", value); break;
    case 'd': options.scratch = value; break;
    case 'x': options.seed = (uint64_t)whole("seed", value, 0, 1000000000); break;
    case 'p': options.spoil = (int)whole("spoil", value, 0, 1000000); break;
    default: wrong = "unknown option, or one without its value"; break;
    }
}

static int usage(int speaks, int *status)
{
    *status = STATUS_USAGE;
    if (speaks)
        fprintf(stderr, "mrci: %s; see mrci --help\n", wrong);
    return 1;
}

int options_read(int count, char **words, int speaks, int *status)
{
    int letter;
    *status = 0;
    opterr = 0;
    while (!wrong && (letter = getopt_long(count, words, "", KNOWN, NULL)) != -1) {
        if (letter == 'h') {
            if (speaks)
                fputs(HELP, stdout);
            return 1;
        }
        take(letter, optarg);
    }
    if (!wrong && optind < count)
        wrong = "there are only options, no other words";
    if (!wrong && options.spoil >= options.segments)
        wrong = "--spoil names a segment that is not there";
    return wrong ? usage(speaks, status) : 0;
}
