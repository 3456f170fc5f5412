//! How far re-blocking has come: a note in the target's attributes.
//!
//! As long as it is there, the target is not complete, and [`dra`] refuses to read it. It names the source and the plan, so that
//! the same call, made again after an interruption, goes on where all before is on the device; any other call begins anew.
//! Intermediate arrays lie beside the target and are named after it.

use dra::DiskArray;
use layout::{Pass, Plan};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

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
    plan: String,
    passes: usize,
}

impl Journal {
    pub(crate) fn new(source: &DiskArray, plan: &Plan) -> Self {
        let source = source.directory().path().to_string_lossy().into_owned();
        Self { source, plan: fingerprint(plan), passes: plan.passes().len() }
    }

    /// The note for a position.
    pub(crate) fn note(&self, position: Position) -> Value {
        json!({
            "what": format!("re-blocking from {}", self.source),
            "source": self.source,
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

/// The directory of what pass number `pass` writes, if that is not the target.
pub(crate) fn between(target: &Path, pass: usize) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".pass-{}", pass + 1));
    name.into()
}

/// The same for plans with the same steps, whatever they cost.
fn fingerprint(plan: &Plan) -> String {
    let of_pass = |pass: &Pass| {
        format!("{:?} {:?} {:?} {:?}", pass.dims(), pass.permutation(), pass.axes(), pass.order())
    };
    let text: String = plan.passes().iter().map(of_pass).collect();
    // FNV-1a, which stays the same from one version of a compiler to the next.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
