"""The other side of ci/test-command: zarr-python, numpy and h5py.

command.py CHEMIO DIR    runs the command CHEMIO on arrays and files that it makes in DIR
"""

import itertools
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import time
import warnings

import h5py
import numpy as np
import zarr
import zarr.codecs

warnings.filterwarnings("ignore")
TYPES = ["int32", "int64", "float32", "float64", "complex64", "complex128"]
SHAPES = {1: (1000,), 2: (97, 61), 3: (20, 17, 33), 4: (6, 5, 9, 8)}
CHEMIO, DIRECTORY = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def chemio(*arguments, status=0, megabytes=None):
    limit = megabytes and (lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)))
    ran = subprocess.run([CHEMIO, *map(str, arguments)], capture_output=True, text=True, preexec_fn=limit)
    if ran.returncode != status:
        fail(f"{arguments}: status {ran.returncode}, expected {status}: {ran.stderr.strip()}")
    return ran.stdout if status == 0 else ran.stderr


def fail(words):
    failures.append(words)
    print("FAILED", words)


def expect_same(what, got, expected):
    # Bits, so that not-a-number and minus zero are told apart too.
    same = got.dtype == expected.dtype and got.shape == expected.shape
    if not same or np.ascontiguousarray(got).tobytes() != np.ascontiguousarray(expected).tobytes():
        fail(f"{what}: other elements, {got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}")


def elements(shape, data_type, seed):
    random = np.random.default_rng(seed)
    if np.issubdtype(data_type, np.integer):
        limits = np.iinfo(data_type)
        return random.integers(limits.min, limits.max, shape, dtype=data_type, endpoint=True)
    bits = random.bytes(int(np.prod(shape)) * np.dtype(data_type).itemsize)
    array = random.standard_normal(shape).astype(data_type)
    # A part of arbitrary bits: subnormal numbers, infinities, every NaN.
    array[: shape[0] // 2] = np.frombuffer(bits, data_type).reshape(shape)[: shape[0] // 2]
    return array


def make_with_zarr(path, array, number):
    """Sharded and not, with either place of the index, some of it unwritten."""
    chunks = tuple(max(1, extent // 5) for extent in array.shape)
    bytes_ = zarr.codecs.BytesCodec(endian="little")
    serializer, shards = bytes_, chunks
    if number % 3:
        place = "start" if number % 2 else "end"
        serializer = zarr.codecs.ShardingCodec(chunk_shape=chunks, codecs=[bytes_], index_location=place)
        shards = tuple(2 * extent for extent in chunks)
    fill = array.dtype.type(7)
    made = zarr.create_array(
        str(path), shape=array.shape, dtype=array.dtype, chunks=shards, serializer=serializer,
        compressors=None, filters=None, fill_value=fill, dimension_names=list("ijkl"[: array.ndim]),
    )
    last = array.shape[0] - array.shape[0] // 3
    made[:last] = array[:last]
    array[last:] = fill


def from_zarr():
    """Arrays that zarr-python made."""
    for number, (data_type, dims) in enumerate(itertools.product(TYPES, SHAPES)):
        name, array = f"{data_type}-{dims}", elements(SHAPES[dims], data_type, number)
        make_with_zarr(DIRECTORY / name, array, number)
        expect_every_command(name, array, data_type, made_by_chemio=False)


def ours():
    """Arrays that chemio made."""
    for number, (data_type, dims) in enumerate(itertools.product(TYPES, SHAPES)):
        name, array = f"ours-{number}", elements(SHAPES[dims], data_type, 3000 + number)
        np.save(DIRECTORY / "source.npy", array)
        brick = ",".join(str(max(1, extent // 3)) for extent in array.shape)
        chemio("import", DIRECTORY / "source.npy", DIRECTORY / name, "--brick", brick, "--files", 3)
        expect_same(name, zarr.open_array(str(DIRECTORY / name))[...], array)
        expect_every_command(name, array, data_type, made_by_chemio=True)


def expect_every_command(name, array, data_type, made_by_chemio):
    """What each command says of an array and makes of it, read by numpy, h5py and zarr-python."""
    path, copy, picture = DIRECTORY / name, DIRECTORY / f"{name}-copy", DIRECTORY / f"{name}.png"
    facts = json.loads(chemio("info", "--json", path))
    if (facts["shape"], facts["type"], facts["made_by_chemio"]) != (list(array.shape), data_type, made_by_chemio):
        fail(f"info of {name}: {facts}")
    if not json.loads(chemio("verify", "--read", "--json", path))["whole"]:
        fail(f"{name} is not whole")
    expect_stats(name, json.loads(chemio("stats", "--json", path)), array)
    for extension in ["npy", "h5", "hdf5", "bin"]:
        file = DIRECTORY / f"{name}.{extension}"
        chemio("export", path, file)
        expect_same(f"{name}.{extension}", read(file, array), array)
    chemio("cp", path, copy)
    expect_same(f"copy of {name}", zarr.open_array(str(copy))[...], array)
    expect_moved(name, array, made_by_chemio)
    chemio("plot", path, "-o", picture)
    if picture.read_bytes()[:8] != b"\x89PNG\r\n\x1a\n":
        fail(f"{picture} is no picture")
    brick = ",".join("2" * array.ndim)
    plan = json.loads(chemio("plan", "--json", path, "--brick", brick, "-n", 2))
    if sum(step["written_bytes"] for step in plan["passes"]) < array.nbytes:
        fail(f"plan for {name}: {plan}")
    if "pass" not in chemio("plan", path, "--brick", brick):
        fail(f"no plan for {name}")


def expect_moved(name, array, made_by_chemio):
    """mv, ls and rm of a copy; what another program made is not deleted unasked."""
    copy, moved = DIRECTORY / f"{name}-copy", DIRECTORY / f"{name}-moved"
    chemio("mv", copy, moved)
    expect_same(f"moved {name}", zarr.open_array(str(moved))[...], array)
    listed = {entry["name"]: entry for entry in json.loads(chemio("ls", "--json", DIRECTORY))}
    if copy.name in listed or listed[moved.name]["shape"] != list(array.shape):
        fail(f"ls after {name} was moved: {listed}")
    if moved.name not in chemio("ls", DIRECTORY):
        fail(f"ls does not show {moved.name}")
    if not made_by_chemio:
        chemio("rm", moved, status=2)
        if not (moved / "zarr.json").exists():
            fail(f"{name}, of another program, was deleted unasked")
    chemio("rm", *([] if made_by_chemio else ["--foreign"]), moved)
    if moved.exists():
        fail(f"{name} was not deleted")


def beyond_memory():
    """6 GB, of which little is written, within 512 MB of address space: by chemio and by zarr-python."""
    path, foreign = DIRECTORY / "sparse", DIRECTORY / "sparse-zarr"
    shape, size = (30_000, 25_000), 30_000 * 25_000 * 8
    with open(DIRECTORY / "sparse.bin", "wb") as file:
        file.truncate(size)
        file.seek(size - 8 * 25_000)
        file.write(np.arange(1.0, 25_001).tobytes())
    chemio("import", DIRECTORY / "sparse.bin", path, "--shape", "30000,25000", "--type", "float64", megabytes=512)
    made = zarr.create_array(
        str(foreign), shape=shape, dtype="f8", chunks=(500, 500), compressors=None, filters=None, fill_value=0.0
    )
    made[-1] = np.arange(1.0, 25_001)
    for array in [path, foreign]:
        for extension in ["npy", "h5", "bin"]:
            file = DIRECTORY / f"sparse.{extension}"
            chemio("export", array, file, "--force", megabytes=512)
            if file.stat().st_blocks * 512 > 64 << 20 or file.stat().st_size < size:
                fail(f"{file}: {file.stat()}")
            expect_last_row(file, shape)
        facts = json.loads(chemio("stats", "--json", array, megabytes=512))
        if (facts["count"], facts["zeros"], facts["max"]) != (size // 8, size // 8 - 25_000, 25_000.0):
            fail(f"stats of {array}: {facts}")
        chemio("plot", array, "-o", DIRECTORY / "sparse.png", "--force", megabytes=512)
        chemio("verify", "--read", array, megabytes=512)


def expect_last_row(file, shape):
    expected = np.arange(1.0, shape[1] + 1)
    if file.suffix == ".h5":
        with h5py.File(file) as opened:
            got = opened["data"][-2:]
    else:
        opened = np.load(file, mmap_mode="r") if file.suffix == ".npy" else np.memmap(file, "f8", "r", shape=shape)
        got = np.array(opened[-2:])
    expect_same(f"last rows of {file.name}", got, np.stack([np.zeros(shape[1]), expected]))


def bars():
    """On a terminal, what takes more than a second has a bar; elsewhere standard error stays empty."""
    file, path = DIRECTORY / "long.bin", DIRECTORY / "long"
    np.arange(1.0, 25e6).tofile(file)
    shape = ["--shape", str(25_000_000 - 1), "--type", "float64"]
    for _ in range(20):
        terminal, other_end = pty.openpty()
        os.set_blocking(terminal, False)
        ran = subprocess.Popen([CHEMIO, "import", file, path, *shape, "--force"], stderr=other_end)
        os.close(other_end)
        while ran.poll() is None and not (path / ".chemio-new").exists():
            time.sleep(0.001)
        # Stopped again and again while it works, each time for more than a second, however fast the machine is: one of its
        # parts is under way at one of them.
        drawn = ""
        while ran.poll() is None and not drawn:
            ran.send_signal(signal.SIGSTOP)
            time.sleep(1.2)
            ran.send_signal(signal.SIGCONT)
            time.sleep(0.03)
            drawn = shown(terminal)
        ran.wait()
        drawn += shown(terminal)
        os.close(terminal)
        if any(word in drawn for word in ["making", "importing", "syncing"]):
            return
    fail("no bar was drawn in 20 tries")


def shown(terminal):
    """What is on a terminal since it was last looked at."""
    try:
        return os.read(terminal, 1 << 20).decode()
    except OSError:
        return ""


def read(file, like):
    if file.suffix == ".npy":
        return np.load(file)
    if file.suffix == ".bin":
        return np.fromfile(file, like.dtype).reshape(like.shape)
    with h5py.File(file) as opened:
        return opened["data"][...]


def expect_stats(name, facts, array):
    numbers = array[~np.isnan(array)]
    sizes = np.abs(numbers) if np.iscomplexobj(numbers) else numbers
    if facts["count"] != array.size or facts["nan"] != array.size - numbers.size:
        fail(f"stats of {name}: {facts}")
    if facts["zeros"] != int((array == 0).sum()) or facts["infinite"] != int(np.isinf(array).sum()):
        fail(f"stats of {name}: {facts}")
    for key, value in [("min", sizes.min()), ("max", sizes.max())]:
        got = float(facts[key])
        # A modulus may differ in its last bits.
        if not (got == value or np.isclose(got, value, rtol=1e-6)):
            fail(f"{key} of {name}: {got}, expected {value}")


def imported():
    for number, (data_type, dims) in enumerate(itertools.product(TYPES, SHAPES)):
        array = elements(SHAPES[dims], data_type, 1000 + number)
        file = DIRECTORY / f"made-{number}"
        np.save(f"{file}.npy", array if number % 2 else np.asfortranarray(array))
        with h5py.File(f"{file}.h5", "w") as opened:
            opened.create_group("more")
            opened.create_dataset("flat", data=array)
            opened.create_dataset("more/gzip", data=array, compression="gzip", chunks=True)
            opened.create_dataset("more/big", data=array.astype(array.dtype.newbyteorder(">")))
        # Only one is at the top.
        expect_import(array, f"{file}.npy")
        expect_import(array, f"{file}.h5")
        expect_import(array, f"{file}.h5", "--dataset", "more/gzip")
        expect_import(array, f"{file}.h5", "--dataset", "more/big", "--memory", "16")


def expect_import(array, file, *more):
    path = DIRECTORY / "imported"
    chemio("import", file, path, "--force", "--files", 2, *more)
    expect_same(f"{file} {more}", zarr.open_array(str(path))[...], array)


def reblocked():
    for number, (data_type, ranks) in enumerate(itertools.product(TYPES, [1, 3])):
        shape, order = (60, 35, 41), [(2, 0, 1), (0, 1, 2), (1, 2, 0)][number % 3]
        array = elements(shape, data_type, 2000 + number)
        source, target = DIRECTORY / f"source-{number}", DIRECTORY / f"reblocked-{number}"
        make_with_zarr(source, array, number)
        expected = array.transpose(order)
        brick = [max(1, extent // 3) for extent in expected.shape]
        facts = json.loads(chemio(
            "reblock", source, target, "--brick", ",".join(map(str, brick)), "--order", ",".join(map(str, order)),
            "--memory", "1", "-n", ranks, "--verify", "--json",
        ))
        if facts["ranks"] != ranks or not facts["verified"] or facts["bytes"] != array.nbytes:
            fail(f"re-blocking {number}: {facts}")
        made = zarr.open_array(str(target))
        expect_same(f"re-blocked {number}", made[...], expected)
        if made.metadata.dimension_names != tuple("ijk"[dim] for dim in order):
            fail(f"names of dimensions of re-blocked {number}: {made.metadata.dimension_names}")
        inner = made.metadata.codecs[0].chunk_shape
        if list(inner) != brick:
            fail(f"bricks of re-blocked {number}: {inner}, expected {brick}")
        chemio("verify", "--read", target)
        chemio("export", target, DIRECTORY / "reblocked.npy", "--force")
        expect_same(f"exported {number}", np.load(DIRECTORY / "reblocked.npy"), expected)
        chemio("reblock", source, target, "--brick", ",".join(map(str, brick)), status=2)


def refused():
    pair = np.dtype([("x", "f8"), ("y", "f8")])
    for words, value in {
        "unsigned 16-bit integers": np.arange(3, dtype="u2"), "8-bit integers": np.arange(3, dtype="i1"),
        "16-bit floating-point": np.arange(3, dtype="f2"), "strings": "text", "enumeration": np.array([True, False]),
        "compounds of x, y": np.zeros(3, pair), "0 dimensions": 3.0, "8 dimensions": np.zeros([1] * 8),
        "references": np.array([], dtype=h5py.ref_dtype),
    }.items():
        with h5py.File(DIRECTORY / "refused.h5", "w") as opened:
            opened["data"] = value
        said = chemio("import", DIRECTORY / "refused.h5", DIRECTORY / "refused", status=2)
        if words not in said or (DIRECTORY / "refused").exists():
            fail(f"{words}: {said}")
    for name in ["u2", "f2", ">f8", "?", "S3"]:
        np.save(DIRECTORY / "refused.npy", np.zeros(3, name))
        said = chemio("import", DIRECTORY / "refused.npy", DIRECTORY / "refused", status=2)
        if "elements of type" not in said:
            fail(f"{name}: {said}")
    zarr.create_array(str(DIRECTORY / "compressed"), shape=(3,), dtype="f8")[...] = 1
    for command in [("info",), ("stats",), ("verify",)]:
        if "codec" not in chemio(*command, DIRECTORY / "compressed", status=2):
            fail(f"{command} of a compressed array")


for part in [from_zarr, ours, imported, reblocked, refused, beyond_memory, bars]:
    part()
print(f"{len(failures)} failures")
sys.exit(bool(failures))
