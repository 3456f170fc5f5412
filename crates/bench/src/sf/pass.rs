//! One repetition of one workload by one library: a new file is written, synced, read from the cache and read cold, which
//! fills four cells. The file stays open all the time, as that of a program does. That is done several times, as long as nothing has to be
//! waited for again. Or a file is only read from the cache.

use crate::conversation::Conversation;
use crate::disk::access::Operation;
use crate::disk::memory::Held;
use crate::disk::page_cache::PageCache;
use crate::disk::page_reporting;
use crate::disk::passes::Passes;
use crate::disk::rehearsal::Rehearsals;
use crate::disk::samples::Samples;
use crate::disk::scratch::ScratchFile;
use crate::error::BenchError;
use crate::neighbours::watch;
use crate::sf::engine::Engine;
use crate::sf::team::Answer;
use crate::sf::workload::{Cell, Workload};
use std::time::{Duration, Instant};

/// Where files are made.
#[derive(Debug)]
pub(crate) struct Place {
    /// The file.
    pub(crate) file: ScratchFile,
    /// What was written before writes that are timed.
    pub(crate) rehearsals: Rehearsals,
    /// Memory for the cold reads.
    pub(crate) memory: Held,
    /// How it is made cold.
    pub(crate) page_cache: PageCache,
    /// How often a pass is taken at most that other processes disturb.
    pub(crate) tries_max: u64,
}

/// So many passes follow one rehearsal at most.
const PASSES_MAX: u64 = 3;

/// The times of one pass.
struct Times {
    written: Answer,
    cached: Answer,
    cold: Answer,
    is_disturbed: bool,
}

/// Takes the times and adds them to `samples`; up to `tries_max` times, until other work on the machine leaves one pass alone.
pub(crate) fn run(
    job: &mut Conversation,
    (engine, load): (Engine, Workload),
    place: &mut Place,
    samples: &mut Samples<(Cell, Engine)>,
) -> Result<Passes, BenchError> {
    let mut passes = Passes::default();
    while passes.all < place.tries_max && passes.disturbed == passes.all {
        place.memory.hold(load.file_bytes);
        rehearse(job, load, place)?;
        let (settled, mut longest) = (page_reporting::settled(), Duration::ZERO);
        for _ in 0..PASSES_MAX {
            let begin = Instant::now();
            let times = take(job, load, place)?;
            add(&times, (engine, load), samples);
            passes += Passes { all: 1, disturbed: u64::from(times.is_disturbed) };
            // What was rehearsed is there until memory goes to the host, whoever is slow enough to see that.
            longest = longest.max(begin.elapsed());
            if !page_reporting::is_calm_for(longest, settled) {
                break;
            }
        }
        place.memory.hold(load.file_bytes);
        place.rehearsals.clear()?;
    }
    Ok(passes)
}

/// Takes the time of a cached read alone and adds it to `samples`; otherwise like [`run`].
pub(crate) fn reread(
    job: &mut Conversation,
    (engine, load): (Engine, Workload),
    place: &Place,
    samples: &mut Samples<(Cell, Engine)>,
) -> Result<Passes, BenchError> {
    let key = (Cell::of(load, Operation::ReadCached), engine);
    let mut passes = Passes::default();
    while passes.all < place.tries_max && passes.disturbed == passes.all {
        write(job, load)?;
        let (cached, is_disturbed) = read_cached(job)?;
        destroy(job, &place.file)?;
        samples.add_any(key, cached.seconds, is_disturbed);
        samples.add_resident(key, cached.resident);
        passes += Passes { all: 1, disturbed: u64::from(is_disturbed) };
    }
    Ok(passes)
}

fn rehearse(job: &mut Conversation, load: Workload, place: &Place) -> Result<(), BenchError> {
    let Place { file, rehearsals, .. } = place;
    for _ in 0..Rehearsals::count(load.file_bytes) {
        write(job, load)?;
        rehearsals.keep(file.path())?;
        destroy(job, file)?;
    }
    rehearsals.release()
}

fn take(job: &mut Conversation, load: Workload, place: &mut Place) -> Result<Times, BenchError> {
    let Place { file, memory, page_cache, .. } = place;
    let (written, writing_was_disturbed) = watch(|| write(job, load));
    let written = written?;

    let (cached, reading_was_disturbed) = read_cached(job)?;

    page_cache.evict(file.path())?;
    memory.give(load.file_bytes);
    let (cold, cold_was_disturbed) = watch(|| ask(job, "read"));
    let cold = cold?;
    destroy(job, file)?;
    let is_disturbed = writing_was_disturbed || reading_was_disturbed || cold_was_disturbed;
    Ok(Times { written, cached, cold, is_disturbed })
}

fn add(times: &Times, (engine, load): (Engine, Workload), samples: &mut Samples<(Cell, Engine)>) {
    let seconds = [
        (Operation::WriteCached, times.written.seconds),
        (Operation::WriteToDisk, times.written.disk_seconds),
        (Operation::ReadCached, times.cached.seconds),
        (Operation::ReadCold, times.cold.seconds),
    ];
    for (operation, seconds) in seconds {
        samples.add_any((Cell::of(load, operation), engine), seconds, times.is_disturbed);
    }
    samples.add_resident((Cell::of(load, Operation::ReadCached), engine), times.cached.resident);
    samples.add_resident((Cell::of(load, Operation::ReadCold), engine), times.cold.resident);
}

/// What was just written; whether other processes disturbed it.
fn read_cached(job: &mut Conversation) -> Result<(Answer, bool), BenchError> {
    ask(job, "check")?;
    let (cached, is_disturbed) = watch(|| ask(job, "read"));
    Ok((cached?, is_disturbed))
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
    file.keep_blocks()?;
    ask(job, "destroy")?;
    file.remove();
    Ok(())
}
