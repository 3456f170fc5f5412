//! What all ranks agree on about the arrays between passes, whose names and marks are `dra`'s [`between`].

use crate::error::Result;
use crate::prepare::{is_same, path_of};
use dra::between::{PASSES_MAX, check_free, is_left, path};
use dra::{Context, DirectoryError, DiskArray};
use std::path::Path;

/// Nothing may be where arrays between the `passes` of a plan will be but such arrays, and neither they nor those of the
/// `passes_noted` by an earlier try, which will be removed, may be the source. Collective; changes nothing.
///
/// # Errors
/// The same on every rank: one of [`check_free`] of a rank.
pub(crate) fn check(
    context: &Context,
    source: &DiskArray,
    target: &DiskArray,
    passes: usize,
    passes_noted: usize,
) -> Result<()> {
    let (source, target) = (path_of(source), path_of(target));
    let needed = passes.saturating_sub(1);
    let mine = (0..needed.max(passes_noted)).try_for_each(|pass| {
        let between = path(target, pass);
        if is_same(source, &between) {
            // Even if it is marked: as the source it is wanted.
            return Err(DirectoryError::InTheWay { path: between, target: target.to_owned() });
        }
        if pass < needed { check_free(target, pass) } else { Ok(()) }
    });
    Ok(context.agree(mine.map_err(dra::Error::from))?)
}

/// The passes of which any rank sees an array that a copy to `target` has left, but for the source. Collective.
pub(crate) fn left(context: &Context, source: &DiskArray, target: &DiskArray) -> Result<Vec<usize>> {
    let (source, target) = (path_of(source), path_of(target));
    let is_left = |pass: &usize| is_left(target, *pass) && !is_same(source, &path(target, *pass));
    let mine: u64 = (0..PASSES_MAX).filter(is_left).map(|pass| 1 << pass).sum();
    let all = context.comm().all_gather(&[mine]).map_err(dra::Error::Comm)?;
    let seen = all.iter().fold(0, |seen, mine| seen | mine);
    Ok((0..PASSES_MAX).filter(|pass| seen & 1 << pass != 0).collect())
}

/// Nothing may be where the array of one pass is or will be but such an array. Collective; changes nothing.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_pass(context: &Context, target: &Path, pass: usize) -> Result<()> {
    Ok(context.agree(check_free(target, pass).map_err(dra::Error::from))?)
}
