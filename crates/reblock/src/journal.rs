//! How far re-blocking has come: a note in the target's attributes.
//!
//! As long as it is there, the target is not complete, and [`dra`] refuses to read it. It names the source, the state of its files with what
//! its elements are without one, and the plan, so that the same call, made again after an interruption, goes on where all before is on the device; any other
//! call, or one after the source was written to or replaced, begins anew.

use crate::contents::{Contents, Fingerprint, of_all};
use crate::error::{Error, Result};
use crate::prepare::path_of;
use comm::Operation;
use dra::between::PASSES_MAX;
use dra::{ATTEMPT, Context, DiskArray};
use layout::{Pass, Plan};
use serde_json::{Value, json};

/// Where to go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// The number of a pass; that of all if only intermediate arrays are left to be removed.
    pub(crate) pass: usize,
    /// A template of it: all before are on the device.
    pub(crate) template: u64,
    /// So many steps of it are, too.
    pub(crate) steps: u64,
}

impl Position {
    /// Templates that fit beside the pass in a number; there are never so many.
    const TEMPLATES: i64 = 1 << 48;

    /// A number that is the greater the later the template is.
    fn template_number(self) -> Option<i64> {
        let template = i64::try_from(self.template).ok().filter(|&template| template < Self::TEMPLATES)?;
        i64::try_from(self.pass).ok()?.checked_mul(Self::TEMPLATES)?.checked_add(template)
    }

    /// The other way round; none for a negative number.
    fn of_number(number: i64, steps: u64) -> Option<Self> {
        let number = u64::try_from(number).ok()?;
        let templates = Self::TEMPLATES.unsigned_abs();
        Some(Self { pass: section::size(number / templates), template: number % templates, steps })
    }
}

/// What is being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    source: String,
    state: String,
    /// Less than that, and not noted.
    contents: Contents,
    plan: String,
    passes: usize,
    /// Which try this is: an earlier one that is still going on finds the mark of another one, and ends.
    attempt: String,
}

impl Journal {
    /// Collective. Cost: a look at every file of the source, by one rank; if one was changed just before, some milliseconds (two seconds
    /// where a file system notes whole seconds), so that what is written from now on leaves a trace.
    pub(crate) fn new(context: &Context, source: &DiskArray, plan: &Plan) -> dra::Result<Self> {
        let [state, contents] = of_all(context, source, |files| {
            files.outwait();
            [Fingerprint::of_array(source.directory(), files.words()), Fingerprint::of_contents(files)]
        })?;
        let (state, contents) = (state.to_string(), Contents(contents));
        let source = source.directory().path().to_string_lossy().into_owned();
        let attempt = context.unique_text()?;
        Ok(Self { source, state, contents, plan: fingerprint(plan), passes: plan.passes().len(), attempt })
    }

    /// That nobody has written to the files of the source since. Collective. Cost: a look at every one, by one rank.
    pub(crate) fn expect_unchanged(&self, context: &Context, source: &DiskArray) -> Result<()> {
        if Contents::of(context, source)? == self.contents {
            return Ok(());
        }
        Err(Error::SourceChanged { path: path_of(source).to_owned() })
    }

    /// The note for a position.
    pub(crate) fn note(&self, position: Position) -> Value {
        json!({
            "what": what(&self.source),
            "source": self.source,
            "state": self.state,
            "plan": self.plan,
            "passes": self.passes,
            "pass": position.pass,
            "template": position.template,
            "steps": position.steps,
            ATTEMPT: self.attempt,
        })
    }

    /// Where the notes in the target say to go on; `None` if there is none, or one of something else. `note`: that in the directory
    /// that this rank sees. Where hosts have directories of their own, an interruption may have come between two notes: the earliest
    /// counts, and what was done since is done again. Collective.
    pub(crate) fn position(&self, context: &Context, note: Option<&Value>) -> dra::Result<Option<Position>> {
        let mine = note.and_then(|note| self.noted(note));
        let number = mine.and_then(Position::template_number).unwrap_or(-1);
        let mut earliest = [number];
        context.comm().all_reduce(&mut earliest, Operation::Min)?;
        let is_earliest = |_: &Position| number == earliest[0];
        let mut steps = [mine.filter(is_earliest).map_or(i64::MAX, |mine| mine.steps.cast_signed())];
        context.comm().all_reduce(&mut steps, Operation::Min)?;
        Ok(Position::of_number(earliest[0], steps[0].cast_unsigned()))
    }

    fn noted(&self, note: &Value) -> Option<Position> {
        let number = |key| note.get(key)?.as_u64();
        // Of versions that noted whole templates only.
        let steps = if note.get("steps").is_some() { number("steps")? } else { 0 };
        let position =
            Position { pass: usize::try_from(number("pass")?).ok()?, template: number("template")?, steps };
        i64::try_from(steps).ok()?;
        let of_any = |mut note: Value| {
            note.as_object_mut().map(|note| [ATTEMPT, "steps"].map(|key| note.remove(key)));
            note
        };
        let is_mine = of_any(self.note(position)) == of_any(note.clone());
        (is_mine && position.pass <= self.passes).then_some(position)
    }
}

/// What notes are about, for people.
fn what(source: &str) -> String {
    format!("re-blocking from {source}")
}

/// The note of a copy that has not begun: it names the source, and nothing to go on from.
pub(crate) fn note_of_waiting(source: &DiskArray) -> Value {
    let source = source.directory().path().to_string_lossy();
    json!({ "what": what(&source), "source": source })
}

/// How many passes notes in the target speak of, whatever they are about; arguments as of [`Journal::position`]. Collective.
pub(crate) fn passes_noted(context: &Context, note: Option<&Value>) -> dra::Result<usize> {
    let mine = note.and_then(|note| note.get("passes")?.as_u64()).unwrap_or(0);
    let mut most = [i64::try_from(mine.min(PASSES_MAX as u64)).unwrap_or(0)];
    context.comm().all_reduce(&mut most, Operation::Max)?;
    Ok(usize::try_from(most[0]).unwrap_or(0))
}

/// The same for plans with the same steps, whatever they cost and however many boxes they have.
fn fingerprint(plan: &Plan) -> String {
    let of_pass = |pass: &Pass| {
        format!("{:?} {:?} {:?} {:?}", pass.dims(), pass.permutation(), pass.axes(), pass.order())
    };
    let mut fingerprint = Fingerprint::default();
    plan.passes().iter().for_each(|pass| fingerprint.add(of_pass(pass).as_bytes()));
    fingerprint.to_string()
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn later_positions_have_greater_numbers() {
        let positions = [(0, 0), (0, 7), (1, 0), (8, (1 << 48) - 1)];
        let numbers = positions.map(|(pass, template)| {
            Position { pass, template, steps: 0 }.template_number().expect("it fits")
        });
        assert!(numbers.is_sorted());
        let back = numbers.map(|number| Position::of_number(number, 3).expect("a position"));
        assert_eq!(back.map(|position| (position.pass, position.template)), positions);
        assert!(back.iter().all(|position| position.steps == 3));
        assert_eq!(Position { pass: 0, template: 1 << 48, steps: 0 }.template_number(), None);
        assert_eq!(Position::of_number(-1, 0), None);
    }
}
