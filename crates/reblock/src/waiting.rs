//! Copies that are to come after others: their targets are marked at once.

use crate::journal::note_of_waiting;
use dra::{Context, DiskArray, UNFINISHED};
use serde_json::Value;

/// The mark of the target of a copy that waits for its turn: nobody may take it for complete.
///
/// Dropped, it stays where it is, as that of a program that is killed does.
#[derive(Debug)]
#[must_use = "who gives the copy up takes the mark away"]
pub struct Waiting {
    mark: Value,
}

impl Waiting {
    /// Marks a target. `None`: there is a mark already, which stays, since the copy may go on from what it notes. Where
    /// hosts have directories of their own, that of one host is enough: nobody reads the others alone. Collective.
    ///
    /// # Errors
    /// The target's attributes cannot be read or written on some rank; every rank is told.
    pub fn mark(context: &Context, source: &DiskArray, target: &mut DiskArray) -> dra::Result<Option<Self>> {
        context.agree(target.look_again())?;
        if is_any(context, target.directory().unfinished().is_some())? {
            return Ok(None);
        }
        let mark = note_of_waiting(source);
        target.set_attribute(UNFINISHED, Some(mark.clone()))?;
        Ok(Some(Self { mark }))
    }

    /// Takes the mark away, if the copy has not begun and put another one in its place. Collective.
    ///
    /// # Errors
    /// The target's attributes cannot be written on some rank; every rank is told.
    pub fn unmark(self, context: &Context, target: &mut DiskArray) -> dra::Result<()> {
        let is_another = target.directory().unfinished() != Some(&self.mark);
        if is_any(context, is_another)? { Ok(()) } else { target.set_attribute(UNFINISHED, None) }
    }
}

/// Whether it is so on any rank. Collective.
pub(crate) fn is_any(context: &Context, mine: bool) -> dra::Result<bool> {
    let (least, _) = context.comm().least(i64::from(!mine), 0)?;
    Ok(least == 0)
}
