//! The parts of an array that is on several hosts' own disks: which host has which, whether they are of one array, and what a program
//! that was killed has left undone.

use super::sighting::is_shared;
use crate::array::Access;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::format::Part;
use disk_array::{ArrayDirectory, Creation, look_again};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Where a program was killed that was replacing the parts of an array, and some hosts have the new one and others the old one, or
/// none, these get the new one: a host has it only after all have it complete beside the old one. Collective.
pub(super) fn end_replacing(context: &Context, path: &Path) -> Result<()> {
    if context.nodes() == 1 {
        return Ok(());
    }
    // Another host may just have made it.
    look_again(path);
    let opened = ArrayDirectory::open(path);
    let part = |opened: &ArrayDirectory| opened.attributes().and_then(|attributes| attributes.part.clone());
    let number_of = |part: &Option<Part>| part.as_ref().map_or(0, |part| number_of(&part.array));
    let (in_place, beside) = (opened.as_ref().ok().and_then(part), Creation::interrupted(path));
    let mine = [number_of(&in_place), number_of(&beside)];
    let all: Vec<[u64; 2]> = context.comm().all_gather(&mine)?.as_chunks().0.to_vec();
    let Some(array) = to_resume(&all) else { return Ok(()) };
    let is_first_here = context.ranks_here().first() == Some(&context.comm().rank());
    let resumed = match beside {
        Some(beside) if is_first_here && mine[0] != array => {
            tracing::warn!(path = %path.display(), "a new array is put in place of what a killed program left");
            Creation::resume(path, &beside.array).map(drop)
        }
        _ => Ok(()),
    };
    context.agree(resumed.map_err(Error::from))
}

/// The array of which some ranks find a part in its place, and all others one beside it. `found`: for each rank the numbers of the arrays of
/// these two parts, 0 where there is none.
fn to_resume(found: &[[u64; 2]]) -> Option<u64> {
    let is_complete = |array: u64| {
        array != 0 && found.iter().all(|&[in_place, beside]| in_place == array || beside == array)
    };
    let is_everywhere = |array: u64| found.iter().all(|&[in_place, _]| in_place == array);
    found.iter().map(|&[in_place, _]| in_place).find(|&array| is_complete(array) && !is_everywhere(array))
}

fn number_of(text: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Refuses hosts that see different arrays of one name which look alike, as jobs on each of them leave on their own disks: bricks of both
/// would be taken for those of one. Collective.
pub(super) fn check_same_array(context: &Context, path: &Path, id: Option<&str>) -> Result<()> {
    let mine = number_of(id);
    let all = context.comm().all_gather(&[mine])?;
    let differ = || Error::Parts {
        path: path.to_owned(),
        reason: format!("ranks 0 and {} see different arrays of this name", context.comm().rank()),
    };
    context.agree(if all[0] == mine { Ok(()) } else { Err(differ()) })
}

/// For each part the node that has it; nothing if the array is in one directory: all of it was made there, or all parts have been
/// collected there. Collective.
pub(super) fn find_parts(
    context: &Context,
    directory: &ArrayDirectory,
    access: Access,
    mine: Option<&Part>,
) -> Result<Vec<usize>> {
    // All ranks have the same number of parts here.
    let Some(part) = mine else { return Ok(vec![]) };
    let numbers = context.comm().all_gather(&[part.number])?;
    let node_of =
        |part: u64| numbers.iter().position(|&number| number == part).map(|rank| context.node_of()[rank]);
    let found: Vec<Option<usize>> = (0..part.of).map(node_of).collect();
    let Some(missing) = found.iter().position(Option::is_none) else {
        return Ok(found.into_iter().flatten().collect());
    };
    // Whoever collects parts has the metadata of one of them.
    let is_one_directory = numbers.iter().all(|&number| number == numbers[0]);
    if is_one_directory && has_all_shards(context, directory)? {
        // Copies of all parts on several hosts can be read as one array, but what is written to one is not in the others.
        if !access.is_writable() || is_shared(context, directory.path(), &context.unique_text()?)? {
            return Ok(vec![]);
        }
        let reason = "each host has all parts, and what one writes the others would not see".to_owned();
        return Err(Error::Parts { path: directory.path().to_owned(), reason });
    }
    let reason = format!("part {missing} of {} is on no host of this job", part.of);
    Err(Error::Parts { path: directory.path().to_owned(), reason })
}

/// Whether no rank misses a shard: the ranks of each host look at all. A part alone never has those of others: they are made
/// with the array. Collective.
fn has_all_shards(context: &Context, directory: &ArrayDirectory) -> Result<bool> {
    let ranks = context.ranks_here();
    let mut mine = super::shards_of(context, None, &ranks, directory.layout().shards_count()).into_iter();
    let missing = mine.any(|number| !directory.shard_path(number).exists());
    Ok(!context.comm().all_gather(&[u64::from(missing)])?.contains(&1))
}

/// The name of the host of each part. Collective.
pub(super) fn host_names(context: &Context, node_of_part: &[usize]) -> Result<Vec<String>> {
    let name = || fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    let first_of = |node: usize| context.node_of().iter().position(|&other| other == node).unwrap_or(0);
    let of_part = |&node: &usize| Ok(context.comm().broadcast_text(name(), first_of(node))?);
    node_of_part.iter().map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::to_resume;

    #[test]
    fn a_new_array_is_put_in_place_where_some_have_it_there_and_all_others_beside_it() {
        let (new, old, other) = (7, 5, 9);
        for (found, wanted) in [
            // On the first host the program had come to the end, on the second one it had not.
            (&[[new, 0], [old, new]][..], Some(new)),
            (&[[old, new], [new, 0]], Some(new)),
            (&[[new, 0], [0, new]], Some(new)),
            (&[[new, 0], [old, new], [0, new]], Some(new)),
            // Nobody knows whether all of it was ready, or it has not begun.
            (&[[old, new], [old, new]], None),
            (&[[0, new], [0, new]], None),
            (&[[old, new], [0, new]], None),
            // It is at its end.
            (&[[new, 0], [new, 0]], None),
            (&[[new, other], [new, 0]], None),
            // Some have something else, or nothing.
            (&[[new, 0], [old, 0]], None),
            (&[[new, 0], [old, other]], None),
            (&[[new, 0], [old, new], [0, 0]], None),
            (&[[0, 0], [0, 0]], None),
        ] {
            assert_eq!(to_resume(found), wanted, "{found:?}");
        }
    }
}
