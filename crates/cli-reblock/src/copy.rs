//! What all ranks do together: they open the source, make the target or find it unfinished, copy, and compare.

use crate::error::{Error, Result};
use crate::rights;
use comm::Comm;
use command::interrupt;
use command::missing;
use command::options::Reblock;
use command::output;
use command::plan;
use command::progress::{Amount, Canvas, Progress};
use command::reblocking::{self, Found, Prepared, Reblocking};
use command::room::Room;
use dra::{Access, Context, DiskArray, Settings, UNFINISHED};
use reblock::{Comparison, Contents};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The last words of who is interrupted when all has been copied.
const COMPLETE: &str = "interrupted; the target is complete";
/// And while it is compared. No command compares two arrays that are there.
const NOT_COMPARED: &str = "interrupted; the target is complete, but was not compared to the end: to \
     have that, remove it with chemio rm and copy again with --verify";

/// What was done.
#[derive(Debug)]
pub(crate) struct Facts {
    source: PathBuf,
    target: PathBuf,
    ranks: usize,
    io_processes: usize,
    bytes: u64,
    seconds: f64,
    /// The memory of all ranks together.
    given_bytes: u64,
    done: reblock::Outcome,
    /// What the target takes on disk.
    room: Room,
    verified: Option<Comparison>,
}

/// Copies, and compares if that is asked for. Collective over all ranks.
///
/// # Errors
/// The same on every rank.
pub(crate) fn run(options: &Reblock, ga: &ga::Context, canvas: Canvas) -> Result<Facts> {
    let comm = Arc::new(ga.world().communicator()?);
    let ranks = comm.size() as u64;
    // Launchers need not set variables on every host: what rank 0 has been told of the device counts.
    let mut options = options.clone();
    let device = &mut options.reblocking.device;
    device.text = comm.broadcast_text(std::mem::take(&mut device.text), 0)?;
    let mut is_from_variable = [u64::from(device.is_from_variable)];
    comm.broadcast(&mut is_from_variable, 0)?;
    device.is_from_variable = is_from_variable == [1];
    let options = &options;
    let mine = format!("{options:?}");
    let is_as_first = comm.broadcast_text(mine.clone(), 0)? == mine;
    comm.agree(if is_as_first { Ok(()) } else { Err(Error::OptionsDiffer) })?;
    let prepared = comm.agree(prepare(options, ranks))?;
    let found = found_by_first(&comm, &prepared.found)?;
    let Prepared { copy, target: path, room, .. } = prepared;
    if comm.rank() == 0 && room.is_worth_telling() {
        output::note(&format!("the target takes {room}"));
    }
    let io_processes = options.reblocking.io_processes.and_then(|count| u32::try_from(count).ok());
    let settings = Settings { memory_bytes: Some(copy.memory_bytes_of_rank(ranks)), io_processes };
    let disk = Context::new(&comm, settings)?;

    let source = disk.open(&options.source, Access::ReadOnly)?;
    if comm.rank() == 0
        && let Ok(stored) = source.directory().stored()
    {
        missing::tell(source.directory(), &stored.shards);
    }
    rights::restrict(&disk, &source, &path)?;
    let mut target = match found {
        Found::Unfinished => disk.open(&path, Access::ReadWrite)?,
        Found::Nothing { passes } => disk.create(&path, &copy.spec(passes), Access::ReadWrite)?,
    };
    let seen = if options.verify { Some(Contents::of(&disk, &source)?) } else { None };
    let began = Instant::now();
    let done = move_elements(&disk, ga, &copy, (&source, &mut target), canvas)?;
    let seconds = began.elapsed().as_secs_f64();
    interrupt::change_last_words(if options.verify { NOT_COMPARED } else { COMPLETE });
    let verified = match &seen {
        Some(seen) => Some(verify(&disk, ga, &copy, (&source, seen), &mut target, canvas)?),
        None => None,
    };
    let facts = Facts {
        source: options.source.clone(),
        target: path,
        ranks: comm.size(),
        io_processes: target.io_processes(),
        bytes: copy.bytes(),
        seconds,
        given_bytes: copy.memory_bytes(ranks),
        done,
        room,
        verified,
    };
    target.close()?;
    source.close()?;
    Ok(facts)
}

/// That no other number of ranks was asked for than the launcher has started.
fn expect_ranks(asked: Option<u64>, started: u64) -> Result<()> {
    match asked.filter(|&asked| asked != started) {
        Some(asked) => Err(Error::Ranks { asked, started }),
        None => Ok(()),
    }
}

/// What this rank finds, and finds wrong.
fn prepare(options: &Reblock, ranks: u64) -> Result<Prepared> {
    expect_ranks(options.reblocking.ranks, ranks)?;
    Ok(reblocking::prepare(options, ranks)?)
}

/// On hosts with disks of their own, what rank 0 finds is what counts. Collective.
fn found_by_first(comm: &Comm, mine: &Found) -> Result<Found> {
    let mut first = match mine {
        Found::Nothing { passes } => [0, *passes],
        Found::Unfinished => [1, 0],
    };
    comm.broadcast(&mut first, 0)?;
    Ok(if first[0] == 1 { Found::Unfinished } else { Found::Nothing { passes: first[1] } })
}

fn move_elements(
    disk: &Context,
    ga: &ga::Context,
    copy: &Reblocking,
    arrays: (&DiskArray, &mut DiskArray),
    canvas: Canvas,
) -> Result<reblock::Outcome> {
    let mut waiting = Some(Progress::on(canvas, "planning", Amount::Unknown));
    let mut bar: Option<Progress> = None;
    let mut show = |progress: &reblock::Progress| {
        waiting = None;
        let bar =
            bar.get_or_insert_with(|| Progress::on(canvas, "copying", Amount::Bytes(progress.all_bytes)));
        bar.set(format!("pass {} of {}", progress.pass + 1, progress.passes), progress.written_bytes);
    };
    let options =
        reblock::Options { device: copy.device(), checks_source: true, ..reblock::Options::default() };
    Ok(reblock::copy(disk, &dra_ga::maker(ga), arrays, copy.permutation(), &options, &mut show)?)
}

/// Compares; a target that differs, or could not be compared, is marked as unfinished again, so that nobody takes it for the copy. `seen`: the
/// source before it was copied. Where somebody has written to it since, that is what is wrong, not the device.
fn verify(
    disk: &Context,
    ga: &ga::Context,
    copy: &Reblocking,
    (source, seen): (&DiskArray, &Contents),
    target: &mut DiskArray,
    canvas: Canvas,
) -> Result<Comparison> {
    // What is on the device is compared, as far as the system lets go of what it has in memory.
    target.drop_cached();
    // Boxes take the other half.
    let _limit = disk.limit_memory(disk.memory_bytes() / 2);
    let bar = Progress::on(canvas, "comparing", Amount::Bytes(copy.bytes()));
    let maker = dra_ga::maker(ga);
    let arrays = (source, &*target);
    let compared = reblock::compare(disk, &maker, arrays, copy.permutation(), &mut |bytes| bar.add(bytes));
    drop(bar);
    // Nothing of the copy is to be gone on with.
    let compared = compared.map_err(|error| match error {
        reblock::Error::Array(error) => Error::Disk(error),
        other => Error::Copy(other),
    });
    if let Ok(Comparison { first: None, .. }) = compared {
        return compared;
    }
    let marked = target.set_attribute(UNFINISHED, copy.spec(0).more_attributes.remove(UNFINISHED));
    let compared = compared?;
    marked?;
    let Some(first) = compared.first.clone() else { return Ok(compared) };
    if Contents::of(disk, source)? != *seen {
        return Err(reblock::Error::SourceChanged { path: source.directory().path().to_owned() }.into());
    }
    let path = target.directory().path().to_owned();
    let (count, elements) = (compared.differing, compared.elements);
    Err(command::error::Error::Differ { path, count, elements, first }.into())
}

impl Facts {
    /// For people or for programs.
    pub(crate) fn print(&self, as_json: bool) -> Result<()> {
        Ok(if as_json { output::print_json(&self.to_json()) } else { output::print(&self.to_text()) }?)
    }

    fn memory(&self) -> plan::Memory {
        plan::Memory { given_bytes: self.given_bytes, buffers_bytes: self.done.buffers_bytes }
    }

    fn to_json(&self) -> serde_json::Value {
        json!({
            "source": self.source.to_string_lossy(),
            "target": self.target.to_string_lossy(),
            "ranks": self.ranks,
            "io_processes": self.io_processes,
            "passes": self.done.plan.passes().len(),
            "bytes": self.bytes,
            "seconds": self.seconds,
            "continued": self.done.is_continued,
            "memory_bytes": self.done.boxes_bytes_peak,
            "verified": self.verified.is_some(),
            "elements_compared": self.verified.as_ref().map(|compared| compared.elements),
            "plan": plan::to_json(&self.done.plan, &self.room, self.memory()),
        })
    }

    fn to_text(&self) -> String {
        let passes = match self.done.plan.passes().len() {
            1 => "1 pass".to_owned(),
            count => format!("{count} passes"),
        };
        let continued = if self.done.is_continued { ", an interrupted copy continued" } else { "" };
        let compared = self.verified.as_ref().map(|compared| compared.elements);
        let verified = compared.map_or(String::new(), |count| format!(", all {count} elements are the same"));
        format!("{} in {passes}, {:.1} s{continued}{verified}\n", output::bytes(self.bytes), self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_ranks_than_the_launcher_has_started_is_refused() {
        assert!(expect_ranks(None, 2).is_ok() && expect_ranks(Some(2), 2).is_ok());
        let refused = expect_ranks(Some(3), 2).unwrap_err();
        assert_eq!(refused.to_string(), "-n 3, but the launcher has started 2 ranks");
    }
}
