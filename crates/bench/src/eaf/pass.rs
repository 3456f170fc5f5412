//! One repetition of one workload by one engine: a new file is written, synced, read from the cache and read cold, which
//! fills four cells.

use crate::eaf::bench::Bench;
use crate::eaf::engine::Engine;
use crate::eaf::memory;
use crate::eaf::page_cache;
use crate::eaf::samples::Samples;
use crate::eaf::workload::{Operation, Workload};
use crate::error::BenchError;

/// Timed writes are rehearsed on files that are removed again, until about so much has been written.
const REHEARSED_BYTES: u64 = 400_000_000;

/// How often a write is rehearsed, so that the page cache of the timed one gets memory that was in use a moment ago. Memory that
/// was not may have been returned to the host of a virtual machine, and to touch it takes several times as long as writing it; which
/// memory the kernel takes depends on the sizes of the writes, so only the same writes prepare it.
pub(crate) fn rehearsals_count(size_bytes: u64) -> u64 {
    (REHEARSED_BYTES / size_bytes).clamp(1, 5)
}

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

    for _ in 0..rehearsals_count(load.size_bytes) {
        driver.ask("write")?;
        file.remove();
    }
    page_cache::flush();
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
