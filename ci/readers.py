"""The other side of ci/test-readers: zarr-python and TensorStore.

readers.py check DIR    both read every array in DIR that has a NAME.expected and compare it, element by element
readers.py change DIR   each writes into some of chemio's arrays in DIR, and what is expected changes with them
readers.py write DIR    both make arrays in DIR in every way that chemio reads, with NAME.expected
readers.py refuse DIR   makes what chemio must refuse, with NAME.refused: words of the message
"""

import itertools
import pathlib
import sys
import warnings

import numpy as np
import tensorstore as ts
import zarr
import zarr.codecs

warnings.filterwarnings("ignore")
TYPES = ["int32", "int64", "float32", "float64", "complex64", "complex128"]
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def with_zarr(path):
    return zarr.open_array(str(path), mode="r")[...]


def open_tensorstore(path, **more):
    kvstore = {"driver": "file", "path": f"{path}/"}
    # Nothing from a cache: what is compared is what is on disk.
    context = {"cache_pool": {"total_bytes_limit": 0}}
    return ts.open({"driver": "zarr3", "kvstore": kvstore, "context": context, **more}).result()


def with_tensorstore(path):
    return open_tensorstore(path).read().result()


READERS = {"zarr-python": with_zarr, "TensorStore": with_tensorstore}


def arrays(directory):
    return [path.with_suffix("") for path in sorted(directory.glob("*.expected"))]


def difference(got, path):
    """What is wrong with the elements that a reader got; None if nothing is."""
    expected = path.with_suffix(".expected").read_bytes()
    if got.nbytes != len(expected):
        return f"{got.nbytes} bytes, expected {len(expected)}"
    # Bits, so that not-a-number and minus zero are told apart too.
    same = np.frombuffer(np.ascontiguousarray(got).tobytes(), np.uint8) == np.frombuffer(expected, np.uint8)
    return None if same.all() else f"element {int(np.argmin(same)) // got.itemsize} differs"


def check(directory):
    failed = passed = 0
    for path in arrays(directory):
        for name, reader in READERS.items():
            try:
                wrong = difference(np.asarray(reader(path)), path)
            except Exception as error:  # whatever a library throws at an array is that array's failure
                wrong = f"{type(error).__name__}: {error}"
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong is not None:
                print(f"FAILED {name} on {path}: {wrong}")
    print(f"zarr-python {zarr.__version__} and TensorStore: {passed} passed, {failed} failed")
    return failed == 0 and passed > 0


def expect(path, elements):
    path.with_suffix(".expected").write_bytes(np.ascontiguousarray(elements).tobytes())


def numbers(shape, dtype, seed):
    """Elements that differ, none of them zero, with a real and an imaginary part where there are two."""
    real = np.arange(1, np.prod(shape) + 1).reshape(shape) * 7 + seed
    return (real + 1j * (real + 0.5) if dtype.startswith("complex") else real).astype(dtype)


def change(directory):
    """Both libraries rewrite whole shards when they write: zarr-python into every second array, TensorStore the others."""
    for number, path in enumerate(arrays(directory)):
        expected = np.asarray(with_tensorstore(path)).copy()
        part = tuple(slice(extent // 3, max(extent // 2, extent // 3 + 1)) for extent in expected.shape)
        expected[part] = numbers(expected[part].shape, str(expected.dtype), number)
        if number % 2:
            zarr.open_array(str(path), mode="r+")[part] = expected[part]
        else:
            open_tensorstore(path)[part] = expected[part]
        expect(path, expected)
    return True


def fills(dtype):
    if dtype.startswith("int"):
        return [0, -7, int(np.iinfo(dtype).min)]
    if dtype.startswith("float"):
        return [0.0, 0.1, float("nan"), float("-inf")]
    return [0j, complex(0.1, float("nan"))]


SHAPES = [((11,), (4,), (8,)), ((5, 7), (2, 3), (4, 6)), ((3, 4, 2, 3, 2, 2, 3), (1, 2, 2, 2, 1, 2, 2), (2, 4, 2, 2, 2, 2, 4))]


def parts(shape):
    """All of it, a part, nothing."""
    half = tuple(slice(extent // 2, extent) for extent in shape)
    return {"whole": (slice(None),) * len(shape), "part": half, "nothing": None}


def write_with_zarr(directory):
    ways = {
        "unsharded": {},
        "v2-dot": {"chunk_key_encoding": {"name": "v2", "separator": "."}},
        "v2-slash": {"chunk_key_encoding": {"name": "v2", "separator": "/"}},
        "dot": {"chunk_key_encoding": {"name": "default", "separator": "."}},
        "end": {"location": "end"},
        "start": {"location": "start"},
        "without-crc": {"location": "end", "index_codecs": [zarr.codecs.BytesCodec()]},
    }
    made = 0
    for (shape, chunk, shard), dtype, (way, more) in itertools.product(SHAPES, TYPES, ways.items()):
        fill = fills(dtype)[made % len(fills(dtype))]
        kind, part = list(parts(shape).items())[made % 3]
        path = directory / f"zarr-{len(shape)}d-{dtype}-{way}-{kind}"
        more = dict(more)
        names = [None if d % 2 else f"axis {d}" for d in range(len(shape))]
        common = {"store": str(path), "shape": shape, "dtype": dtype, "fill_value": fill, "compressors": None,
                  "dimension_names": names, "attributes": {"made": "elsewhere"}}
        if location := more.pop("location", None):
            codec = zarr.codecs.ShardingCodec(chunk_shape=chunk, codecs=[zarr.codecs.BytesCodec()],
                                              index_location=location, **more)
            array = zarr.create_array(chunks=shard, serializer=codec, **common)
        else:
            array = zarr.create_array(chunks=chunk, **common, **more)
        write_part(array, path, shape, dtype, fill, part)
        made += 1
    return made


def write_part(array, path, shape, dtype, fill, part):
    expected = np.full(shape, fill, dtype)
    if part is not None:
        expected[part] = numbers(expected[part].shape, dtype, 3)
        array[part] = expected[part]
    expect(path, expected)


def json_fill(fill):
    if isinstance(fill, complex):
        return [json_fill(fill.real), json_fill(fill.imag)]
    if isinstance(fill, float) and not np.isfinite(fill):
        return "NaN" if np.isnan(fill) else ("Infinity" if fill > 0 else "-Infinity")
    return fill


def write_with_tensorstore(directory):
    made = 0
    ways = list(itertools.product(["start", "end"], [[LITTLE], [LITTLE, {"name": "crc32c"}]])) + [None]
    for (shape, chunk, shard), dtype, way in itertools.product(SHAPES, TYPES, ways):
        fill = fills(dtype)[made % len(fills(dtype))]
        kind, part = list(parts(shape).items())[made % 3]
        codecs = [LITTLE]
        if way is not None:
            codecs = [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": chunk, "codecs": [LITTLE], "index_codecs": way[1], "index_location": way[0]}}]
        grid = {"name": "regular", "configuration": {"chunk_shape": chunk if way is None else shard}}
        keys = {"name": "default"} if made % 2 else {"name": "v2", "configuration": {"separator": "/"}}
        path = directory / f"tensorstore-{made}-{len(shape)}d-{dtype}-{kind}"
        array = open_tensorstore(path, create=True, metadata={
            "shape": shape, "data_type": dtype, "fill_value": json_fill(fill), "chunk_grid": grid,
            "chunk_key_encoding": keys, "codecs": codecs})
        write_part(array, path, shape, dtype, fill, part)
        made += 1
    return made


def write(directory):
    made = write_with_zarr(directory), write_with_tensorstore(directory)
    print(f"zarr-python made {made[0]} arrays, TensorStore {made[1]}")
    return True


def refuse(directory):
    def make(name, words, **more):
        common = {"shape": (5, 7), "chunks": (2, 3), "dtype": "float64"}
        zarr.create_array(store=str(directory / name), **{**common, **more})
        (directory / f"{name}.refused").write_text(words)

    make("zstd", "codec \"zstd\"")
    make("gzip", "codec \"gzip\"", compressors=zarr.codecs.GzipCodec())
    make("blosc", "codec \"blosc\"", compressors=zarr.codecs.BloscCodec())
    make("crc", "codec \"crc32c\"", compressors=zarr.codecs.Crc32cCodec())
    make("zstd-in-shard", "codec \"zstd\" in codecs[0].codecs[1]", shards=(4, 6))
    make("big", "big-endian", serializer=zarr.codecs.BytesCodec(endian="big"), compressors=None)
    make("transposed", "order of dimensions", filters=[zarr.codecs.TransposeCodec(order=(1, 0))], compressors=None)
    for dtype in ["uint8", "int16", "float16", "bool", "uint64"]:
        make(dtype, f"type \"{dtype}\"", dtype=dtype, compressors=None)
    make("version2", "Zarr version 2", zarr_format=2)
    zarr.create_group(store=str(directory / "group"))
    (directory / "group.refused").write_text("a Zarr group")
    zarr.create_array(store=str(directory / "scalar"), shape=(), dtype="float64", compressors=None)
    (directory / "scalar.refused").write_text("0 dimensions")
    return True


if __name__ == "__main__":
    work = {"check": check, "change": change, "write": write, "refuse": refuse}
    if len(sys.argv) != 3 or sys.argv[1] not in work:
        sys.exit(__doc__)
    sys.exit(0 if work[sys.argv[1]](pathlib.Path(sys.argv[2])) else 1)
