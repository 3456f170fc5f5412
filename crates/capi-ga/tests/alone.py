#!/usr/bin/env python3
"""Makes a C program in which one process alone makes a mistake in a collective call, while the others make the call rightly.

    alone.py include/ga/ga.h > alone.c
    alone.py include/ga/ga.h first > alone.c

Every function of the header is either listed here as one that a process calls by itself, or gets a case for each argument
that can be wrong; with "first" for the first such argument only. So a new collective call is tested without a word, or stops this script because it has an argument that
the script does not know. The program's own arguments are those of errors.c. Calls that return a failure instead of ending
the program are in together.c.
"""

import re
import sys

# What a process calls by itself, or where there is nothing to be wrong.
LOCAL = re.compile(
    r"N?GA_(Strided_|Nb)?(Put|Get|Acc|Wait|Test|put|get|acc)"
    r"|N?GA_(Scatter|Gather|Read_inc|Access|Release|Locate|Inquire|Set_|Cluster_|Memory|Uses|Ndim|Nblock|Nodeid|Nnodes|Wtime)"
    r"|N?GA_(Get_|Verify|Valid|Check|Compare|Distribution|Proc_topology|Create_handle|Error|Fence|Init_fence|Lock|Unlock)"
    r"|N?GA_(Initialize|Initialized|Terminate|Sync|Mask_sync|Summarize|Print_stats)"
    r"|N?GA_Pgroup_(self|nnodes|nodeid|absolute_id|get_|set_default|duplicate|destroy)"
    r"|GA_Uses"
)
# Their mistakes are failures of all processes: see together.c.
TELLING = re.compile(r"N?GA_(Create|Duplicate|Allocate|Create_mutexes|Destroy_mutexes)")

# The kinds of elements, by the letter in a name that says them: a C type, and the array of that type.
LETTERS = {"d": "doubles", "f": "floats", "s": "floats", "z": "complexes", "c": "small_complexes", "i": "ints",
           "l": "longs", "ll": "long_longs"}

# Arguments by name: what is right, and what is wrong where something can be.
RIGHT_AND_WRONG = {
    "lo": ("first", "before"), "alo": ("first", "before"), "blo": ("first", "before"), "clo": ("first", "before"),
    "hi": ("last", "NULL"), "ahi": ("last", "NULL"), "bhi": ("last", "NULL"), "chi": ("last", "NULL"),
    "t_a": ("'n'", "'x'"), "t_b": ("'n'", "'x'"), "ta": ("'n'", "'x'"), "tb": ("'n'", "'x'"), "trans": ("'n'", "'x'"),
    "transa": ("'n'", "'x'"), "transb": ("'n'", "'x'"),
    "m": ("6", "7"), "n": ("6", "-6"), "k": ("6", "7"),
    "op": ('"+"', '"average"'), "root": ("0", "ranks"), "lenbuf": ("8", "-8"), "buf": ("numbers", "NULL"),
    "x": ("numbers", "NULL"), "type": ("C_DBL", "999"), "list": ("everyone", "NULL"), "count": ("ranks", "-1"),
    "grp": ("-1", "17"), "grp_id": ("-1", "17"), "num_group": ("1", "0"), "color": ("0", None),
    "pretty": ("1", None), "file": ("stderr", None),
    "value": ("&one", "NULL"), "val": ("&one", "NULL"),
}
FACTORS = {"alpha", "beta"}
CORNERS = re.compile(r"[abc]?[ij](lo|hi)$")
ARRAY = re.compile(r"g_[abc]$")


def functions(header):
    """Name and parameters, as (type, name), of every function."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for name, parameters in re.findall(r"\b(N?GA_\w+)\(([^)]*)\);", text):
        pairs = [re.match(r"(.*?)(\w+)$", part.strip()).groups() for part in parameters.split(",")]
        yield name, [(kind.strip(), word) for kind, word in pairs if word != "void"]


def array_of(name):
    """The array that a call for one type of elements takes; any call for all types takes doubles."""
    found = re.search(r"_(ll|[dfszcil])(dot|gemm|gop)", name.lower())
    return LETTERS[found.group(1)] if found else "doubles"


def right_and_wrong(name, kind, word):
    if ARRAY.match(word):
        return (f"{array_of(name)}[{'abc'.index(word[-1])}]", "-5")
    if word in FACTORS:
        if kind.endswith("*"):
            return ("&one", "NULL")
        return ("complex_one" if "Double" in kind else "small_complex_one" if "Single" in kind else "1", None)
    if CORNERS.match(word):
        return ("0", "-1") if word.endswith("lo") else ("5", "99")
    if word not in RIGHT_AND_WRONG:
        sys.exit(f"alone.py: {name} has an argument {word} that this script does not know")
    return RIGHT_AND_WRONG[word]


def cases(name, parameters):
    """Names and statements: a case for each argument that can be wrong."""
    both = [right_and_wrong(name, kind, word) for kind, word in parameters]
    for at, (_, wrong) in enumerate(both):
        if wrong is not None:
            arguments = ", ".join(f"(alone ? {wrong} : {right})" if at == other else right
                                  for other, (right, _) in enumerate(both))
            yield f"{name}_{parameters[at][1]}", f"(void){name}({arguments})".replace("(void)void", "")


PROGRAM = """/* Made by alone.py. */
#include "check.h"

static int doubles[3], floats[3], complexes[3], small_complexes[3], ints[3], longs[3], long_longs[3];
/* Which of these the cases name depends on how many of them were asked for. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
static int first[2] = {0, 0}, last[2] = {5, 5}, before[2] = {0, -1}, everyone[64];
static double space[64], one = 1;
static void *numbers = space;
static DoubleComplex complex_one = {1, 0};
static SingleComplex small_complex_one = {1, 0};
#pragma GCC diagnostic pop

%s
static const struct {
    const char *name;
    void (*run)(int alone);
    const char *text; /* what the message has to begin with */
} cases[] = {
%s};

static void make(int type, int arrays[3])
{
    int dims[2] = {6, 6}, i;
    for (i = 0; i < 3; i++) arrays[i] = NGA_Create(type, 2, dims, "square", NULL);
}

int main(int argc, char **argv)
{
    size_t i, n = sizeof cases / sizeof cases[0];
    if (argc < 2) {
        for (i = 0; i < n; i++) printf("%%s\\talone\\t%%s\\n", cases[i].name, cases[i].text);
        return 0;
    }
    begin(&argc, &argv);
    for (i = 0; i < 64; i++) everyone[i] = (int)i;
    make(C_DBL, doubles);
    make(C_FLOAT, floats);
    make(C_DCPL, complexes);
    make(C_SCPL, small_complexes);
    make(C_INT, ints);
    make(C_LONG, longs);
    make(C_LONGLONG, long_longs);
    for (i = 0; i < n && strcmp(argv[1], cases[i].name) != 0; i++) {}
    if (i == n) return 0;
    fprintf(stderr, "about to\\n");
    cases[i].run(argc > 2 && atoi(argv[2]) == me);
    GA_Sync();
    fprintf(stderr, "survived\\n");
    return end();
}
"""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = file.read()
    calls, table = "", ""
    declared = dict(functions(header))
    for name, parameters in declared.items():
        if LOCAL.match(name) or TELLING.match(name):
            continue
        # The calls with 64-bit counts, and those of the other prefix, are the same calls.
        if name.endswith("64") or (name[0] == "N" and declared.get(name[1:]) == parameters):
            continue
        wrong = list(cases(name, parameters))
        if not wrong:
            sys.exit(f"alone.py: nothing can be wrong with {name}: does a process call it by itself?")
        for case, statement in wrong[:1] if "first" in sys.argv[2:] else wrong:
            calls += f"static void {case}(int alone) {{ {statement}; }}\n"
            table += f'    {{"{case}", {case}, "{name}: "}},\n'
    print(PROGRAM % (calls, table), end="")


main()
