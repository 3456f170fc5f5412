"""TensorStore brings a square matrix of doubles on disk into other bricks, in one process.

peer.py DIRECTORY SEED CHECK MEMORY
  DIRECTORY  holds peer/, with the source, and target/; whoever started it empties them
  SEED       of the content
  CHECK      full | samples: how much of the target is compared
  MEMORY     bytes of its cache

Commands come on standard input, answers are JSON, a line each; sides, rows and columns are in elements:

  hello                   {"version": of TensorStore}
  make SIDE ROWS COLUMNS  makes the source in chunks of ROWS x COLUMNS                         {}
  copy SIDE ROWS COLUMNS  makes the target in such chunks, copies the source to it and syncs
                          {"seconds": until all is on disk, "memory_bytes": the most that the process ever had}
  check SIDE              compares the target with what it should be                           {}

A chunk is a file, as it is best for TensorStore: it writes a shard of several chunks only as a whole.
After an error the answer is {"error": "..."} and the program ends.
"""

import importlib.metadata
import json
import os
import random
import resource
import sys
import time

import numpy as np
import tensorstore as ts

MADE_ROWS = 512
CHECKED_CHUNKS = 64


class Job:
    def __init__(self, directory, seed, check, memory):
        self.source, self.target = f"{directory}/peer/array", f"{directory}/target/array"
        self.seed, self.checks_fully, self.memory = int(seed), check == "full", int(memory)

    def open(self, path, **more):
        # A new context each time: nothing is cached from one command to the next.
        context = ts.Context({"cache_pool": {"total_bytes_limit": self.memory}})
        kvstore = {"driver": "file", "path": f"{path}/"}
        return ts.open({"driver": "zarr3", "kvstore": kvstore, **more}, context=context).result()

    def create(self, path, side, rows, columns):
        grid = {"name": "regular", "configuration": {"chunk_shape": [rows, columns]}}
        codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
        metadata = {"shape": [side, side], "data_type": "float64", "chunk_grid": grid, "codecs": codecs}
        return self.open(path, create=True, metadata=metadata)

    def element(self, side, row, column):
        return (row * side + column + self.seed).astype(np.float64)

    def make(self, side, rows, columns):
        array = self.create(self.source, side, rows, columns)
        for first in range(0, side, MADE_ROWS):
            count = min(MADE_ROWS, side - first)
            array[first:first + count] = self.element(side, *np.ogrid[first:first + count, 0:side])
        sync(self.source)
        return {}

    def copy(self, side, rows, columns):
        begin = time.monotonic()
        target = self.create(self.target, side, rows, columns)
        target.write(self.open(self.source)).result()
        sync(self.target)
        seconds = time.monotonic() - begin
        return {"seconds": seconds, "memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}

    def check(self, side):
        target = self.open(self.target)
        rows, columns = target.chunk_layout.read_chunk.shape
        chunks = [(row, column) for row in range(0, side, rows) for column in range(0, side, columns)]
        if not self.checks_fully:
            chunks = random.Random(self.seed).sample(chunks, min(CHECKED_CHUNKS, len(chunks)))
        for row, column in chunks:
            tile = slice(row, min(row + rows, side)), slice(column, min(column + columns, side))
            should_be = self.element(side, *np.ogrid[tile])
            if not np.array_equal(target[tile].read().result(), should_be):
                raise ValueError(f"wrong data in the chunk at ({row}, {column})")
        return {}

    def carry_out(self, word, *numbers):
        if word == "hello":
            return {"version": importlib.metadata.version("tensorstore")}
        work = {"make": self.make, "copy": self.copy, "check": self.check}[word]
        return work(*map(int, numbers))


def sync(path):
    for directory, _, files in os.walk(path):
        for name in [*files, "."]:
            descriptor = os.open(os.path.join(directory, name), os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)


def main(arguments):
    job = Job(*arguments)
    for line in sys.stdin:
        try:
            print(json.dumps(job.carry_out(*line.split())), flush=True)
        except Exception as error:  # whatever fails, the orchestrator is told
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
