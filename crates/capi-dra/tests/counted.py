"""Whether CHEMIO_STATS has counted the calls of counted.c or counted.f90.

counted.py DIR RANKS WHICH    WHICH: disk (with an array on disk), files (without), apart (a file for each rank), later (as
                              disk; the ranks after the first have made one call more and have a file each)
"""

import json
import pathlib
import sys

directory, ranks, which = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
failures = []


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: {found}, expected {expected}")


def calls_and_bytes(files, name, *kinds):
    named = [file for file in files if name in pathlib.Path(file["path"]).relative_to(directory.absolute()).parts]
    return [sum(file[kind][key] for file in named for kind in kinds) for key in ["calls", "bytes"]]


def check_rank(facts, rank, more=0):
    files = facts["files"]
    expect("rank", facts["rank"], rank)
    expect(f"private writes of {rank}", calls_and_bytes(files, f"private.{rank}", "write"), [6 + more, 4800 + 800 * more])
    expect(f"private reads of {rank}", calls_and_bytes(files, f"private.{rank}", "read"), [1, 800])
    shared = [file for file in files if pathlib.Path(file["path"]).name.startswith("shared.")]
    if which == "apart":
        expect("shared files", shared, [])
        return
    expect(f"shared writes of {rank}", [shared[0]["awrite"][key] for key in ["calls", "bytes"]], [5, 5000])
    expect(f"shared reads of {rank}", [shared[0]["aread"][key] for key in ["calls", "bytes"]], [2, 2000])
    for file in files:
        expect("backend", file["backend"] in ["uring", "pread", "memory"], True)
        expect("policy", file["cache"] in ["auto", "keep", "bypass"], True)
        expect("seconds", all(file[kind]["seconds"] >= 0 for kind in ["read", "write", "aread", "awrite", "wait"]), True)


def load(name):
    return json.loads((directory / name).read_text())


names = sorted(path.name for path in directory.glob("counts*.json"))
alone = which == "apart" and ranks > 1
own = {"apart": range(ranks) if alone else [], "later": range(1, ranks)}.get(which, [])
expect("files", names, sorted([f"counts.{rank}.json" for rank in own] + ([] if alone else ["counts.json"])))
for rank in own:
    found = load(f"counts.{rank}.json")
    expect("ranks that report for themselves", len(found["ranks"]), 1)
    check_rank(found["ranks"][0], rank, which == "later")
if not alone:
    found = load("counts.json")
    expect("ranks", len(found["ranks"]), ranks)
    for rank, facts in enumerate(found["ranks"]):
        check_rank(facts, rank, which == "later" and rank == 0)
    for kind in ["read", "write", "aread", "awrite", "wait"]:
        for key in ["calls", "bytes"]:
            total = sum(file[kind][key] for facts in found["ranks"] for file in facts["files"])
            expect(f"sum of {kind}", found["sum"][kind][key], total)
    if which in ["disk", "later"]:
        files = [file for facts in found["ranks"] for file in facts["files"]]
        for kinds in [("read", "aread"), ("write", "awrite")]:
            expect(f"array: {kinds}", calls_and_bytes(files, "disk", *kinds)[1], 256 * 256 * 8)
print("\n".join(failures) or "as expected")
sys.exit(bool(failures))
