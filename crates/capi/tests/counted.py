"""Whether CHEMIO_STATS has counted the calls of counted.c or counted.f90.

counted.py FILE
"""

import json
import pathlib
import sys

EXPECTED = {
    "calls": {"read": (5, 2500), "write": (5, 5000), "aread": (2, 140000), "awrite": (3, 210000)},
    "left": {"read": (0, 0), "write": (1, 10), "aread": (0, 0), "awrite": (0, 0)},
}
found = json.loads(pathlib.Path(sys.argv[1]).read_text())
(rank,) = found["ranks"]
files = {pathlib.Path(file["path"]).name: file for file in rank["files"]}
assert files.keys() == EXPECTED.keys(), files.keys()
for name, kinds in EXPECTED.items():
    for kind, expected in kinds.items():
        got = files[name][kind]["calls"], files[name][kind]["bytes"]
        assert got == expected, f"{name}, {kind}: {got}, expected {expected}"
assert (files["calls"]["opened"], files["left"]["opened"]) == (2, 1)
for kind in ["read", "write", "aread", "awrite", "wait"]:
    total = sum(file[kind]["bytes"] for file in rank["files"])
    assert found["sum"][kind]["bytes"] == total, kind
assert all(file["backend"] in ["uring", "pread", "memory"] for file in rank["files"])
