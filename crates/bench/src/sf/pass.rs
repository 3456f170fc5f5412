//! One repetition of one workload by one library: a new file is written, synced, read from the cache and read cold, which
//! fills four cells. The file stays open all the time, as that of a program does.

use crate::conversation::Conversation;
use crate::disk::access::Operation;
use crate::disk::memory;
use crate::disk::page_cache::{self, PageCache};
use crate::disk::samples::Samples;
use crate::disk::scratch::ScratchFile;
use crate::error::BenchError;
use crate::sf::engine::Engine;
use crate::sf::team::Answer;
use crate::sf::workload::{Cell, Workload};

/// Takes the times and adds them to `samples`.
pub(crate) fn run(
    job: &mut Conversation,
    (engine, load): (Engine, Workload),
    (file, page_cache): (&ScratchFile, PageCache),
    samples: &mut Samples<(Cell, Engine)>,
) -> Result<(), BenchError> {
    let mut add = |operation, seconds| samples.add((load.cell(operation), engine), seconds);
    for _ in 0..memory::rehearsals_count(load.file_bytes) {
        write(job, load)?;
        destroy(job, file)?;
    }
    page_cache::flush();
    let written = write(job, load)?;
    add(Operation::WriteCached, written.seconds);
    add(Operation::WriteToDisk, written.disk_seconds);

    ask(job, "check")?;
    let cached = ask(job, "read")?;
    add(Operation::ReadCached, cached.seconds);

    page_cache.evict(file.path())?;
    memory::warm(load.file_bytes);
    let cold = ask(job, "read")?;
    add(Operation::ReadCold, cold.seconds);
    destroy(job, file)?;

    samples.add_resident((load.cell(Operation::ReadCached), engine), cached.resident);
    samples.add_resident((load.cell(Operation::ReadCold), engine), cold.resident);
    Ok(())
}

fn write(job: &mut Conversation, load: Workload) -> Result<Answer, BenchError> {
    let Workload { request_bytes, file_bytes, mode, .. } = load;
    job.ask(&format!("write {request_bytes} {file_bytes} {}", mode.window()))
}

fn ask(job: &mut Conversation, command: &str) -> Result<Answer, BenchError> {
    job.ask(command)
}

/// Some libraries delete the file, others leave it.
fn destroy(job: &mut Conversation, file: &ScratchFile) -> Result<(), BenchError> {
    ask(job, "destroy")?;
    file.remove();
    Ok(())
}
