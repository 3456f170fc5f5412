//! How far re-blocking has come: a note in the target's attributes.
//!
//! As long as it is there, the target is not complete, and [`dra`] refuses to read it. It names the source, the state of its files, and
//! the plan, so that the same call, made again after an interruption, goes on where all before is on the device; any other
//! call, or one after the source was written to or replaced, begins anew.

use dra::{ArrayDirectory, Context, DiskArray};
use layout::{Pass, Plan};
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;
use std::{fmt, fs};

/// Where to go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// The number of a pass; that of all if only intermediate arrays are left to be removed.
    pub(crate) pass: usize,
    /// A template of it: all before are on the device.
    pub(crate) template: u64,
}

/// What is being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    source: String,
    state: String,
    plan: String,
    passes: usize,
}

impl Journal {
    /// Collective. Cost: a look at every file of the source, on each rank.
    pub(crate) fn new(context: &Context, source: &DiskArray, plan: &Plan) -> dra::Result<Self> {
        let state = state_of(context, source.directory())?;
        let source = source.directory().path().to_string_lossy().into_owned();
        Ok(Self { source, state, plan: fingerprint(plan), passes: plan.passes().len() })
    }

    /// The note for a position.
    pub(crate) fn note(&self, position: Position) -> Value {
        json!({
            "what": format!("re-blocking from {}", self.source),
            "source": self.source,
            "state": self.state,
            "plan": self.plan,
            "passes": self.passes,
            "pass": position.pass,
            "template": position.template,
        })
    }

    /// Where the note in `target` says to go on; `None` if there is none, or one of something else.
    pub(crate) fn position(&self, target: &DiskArray) -> Option<Position> {
        let note = target.unfinished()?;
        let (pass, template) = (note.get("pass")?.as_u64()?, note.get("template")?.as_u64()?);
        let position = Position { pass: usize::try_from(pass).ok()?, template };
        (self.note(position) == *note && position.pass <= self.passes).then_some(position)
    }
}

/// How many passes a note in `target` speaks of, whatever it is about.
pub(crate) fn passes_noted(target: &DiskArray) -> usize {
    let noted = target.unfinished().and_then(|note| note.get("passes")?.as_u64()).unwrap_or(0);
    section::size(noted.min(PASSES_MAX))
}

/// No plan has more.
const PASSES_MAX: u64 = 9;

/// Another one if any file of an array is another one, or was written to. Hosts may have files of their own. Collective.
fn state_of(context: &Context, array: &ArrayDirectory) -> dra::Result<String> {
    let mut here = Fingerprint::default();
    for number in 0..array.layout().shards_count() {
        // A file that is not there is a state as well: all its elements have the fill value.
        if let Ok(found) = fs::metadata(array.shard_path(number)) {
            let times = [found.mtime(), found.mtime_nsec()].map(i64::cast_unsigned);
            for value in [number, found.ino(), found.len(), times[0], times[1]] {
                here.add(&value.to_le_bytes());
            }
        }
    }
    // Who sees the same files finds the same, so that it does not matter how many ranks a host has.
    let mut all = context.comm().all_gather(&[here.0])?;
    all.sort_unstable();
    all.dedup();
    let mut whole = Fingerprint::default();
    for host in &all {
        whole.add(&host.to_le_bytes());
    }
    Ok(whole.to_string())
}

/// FNV-1a, which stays the same from one version of a compiler to the next.
struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn add(&mut self, bytes: &[u8]) {
        let add = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, add);
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The same for plans with the same steps, whatever they cost.
fn fingerprint(plan: &Plan) -> String {
    let of_pass = |pass: &Pass| {
        format!("{:?} {:?} {:?} {:?}", pass.dims(), pass.permutation(), pass.axes(), pass.order())
    };
    let mut fingerprint = Fingerprint::default();
    plan.passes().iter().for_each(|pass| fingerprint.add(of_pass(pass).as_bytes()));
    fingerprint.to_string()
}
