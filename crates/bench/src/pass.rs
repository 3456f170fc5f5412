//! One repetition of one workload by one engine: a new file is written, synced, read from the cache and read cold, which
//! fills four cells.

use crate::bench::Bench;
use crate::engine::Engine;
use crate::error::BenchError;
use crate::memory;
use crate::page_cache;
use crate::samples::Samples;
use crate::workload::{Operation, Workload};

/// Takes the times and adds them to `samples`.
pub(crate) fn run(
    bench: &Bench,
    engine: Engine,
    load: Workload,
    samples: &mut Samples,
) -> Result<(), BenchError> {
    let file = bench.scratch.file("pass");
    let mut driver = bench.start(engine, &load, &file)?;
    let mut add = |operation, seconds| samples.add(load.cell(operation), engine, seconds);

    page_cache::flush();
    memory::warm(load.size_bytes);
    let written = driver.ask("write")?;
    add(Operation::WriteCached, written.seconds);
    add(Operation::WriteToDisk, written.disk_seconds);

    driver.ask("check")?;
    let cached = driver.ask("read")?;
    add(Operation::ReadCached, cached.seconds);

    bench.page_cache.evict(file.path())?;
    memory::warm(load.size_bytes);
    let cold = driver.ask("read")?;
    add(Operation::ReadCold, cold.seconds);

    samples.add_resident(load.cell(Operation::ReadCached), engine, cached.resident);
    samples.add_resident(load.cell(Operation::ReadCold), engine, cold.resident);
    Ok(())
}
