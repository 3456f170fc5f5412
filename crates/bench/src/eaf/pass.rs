//! One repetition of one workload by one engine: a new file is written, synced, read from the cache and read cold, which
//! fills four cells.

use crate::disk::access::Operation;
use crate::disk::memory;
use crate::disk::rehearsal::Rehearsals;
use crate::disk::samples::Samples;
use crate::eaf::bench::Bench;
use crate::eaf::engine::Engine;
use crate::eaf::workload::{Cell, Workload};
use crate::error::BenchError;

/// Takes the times and adds them to `samples`.
pub(crate) fn run(
    bench: &Bench,
    engine: Engine,
    load: Workload,
    samples: &mut Samples<(Cell, Engine)>,
) -> Result<(), BenchError> {
    let file = bench.scratch.file("pass");
    let mut driver = bench.start(engine, &load, &file)?;
    let mut add = |operation, seconds| samples.add((Cell::of(load, operation), engine), seconds);

    let rehearsals = Rehearsals::below(&bench.scratch)?;
    for _ in 0..Rehearsals::count(load.size_bytes) {
        driver.ask("write")?;
        rehearsals.keep(file.path())?;
        file.remove();
    }
    rehearsals.release()?;
    let written = driver.ask("write")?;
    add(Operation::WriteCached, written.seconds);
    add(Operation::WriteToDisk, written.disk_seconds);

    driver.ask("check")?;
    let cached = driver.ask("read")?;
    add(Operation::ReadCached, cached.seconds);

    bench.page_cache.evict(file.path())?;
    memory::warm_for_file(load.size_bytes);
    let cold = driver.ask("read")?;
    add(Operation::ReadCold, cold.seconds);

    samples.add_resident((Cell::of(load, Operation::ReadCached), engine), cached.resident);
    samples.add_resident((Cell::of(load, Operation::ReadCold), engine), cold.resident);
    file.remove();
    rehearsals.clear()
}
