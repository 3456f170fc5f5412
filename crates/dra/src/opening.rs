//! Making and opening an array, all ranks together.
//!
//! Definitions. The *directory* of an array is shared, where all ranks see the same one, or a *part* of the array is in a
//! directory of that name on each host. Which of the two it is, is found out when the array is made: each host lays a token, and
//! either all hosts find all of them or each only its own. Each part is a Zarr array with the metadata of the whole and some of its
//! shards.

mod parts;
mod sighting;

use crate::array::{Access, DiskArray, OpenArray};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::format::{ArraySpec, Part};
use crate::owners::Owners;
use crate::shards::Shards;
use disk_array::{ArrayDirectory, Creation, absolute};
use parts::{check_same_array, end_replacing, find_parts, host_names};
use sighting::is_shared;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// Makes an array. Collective.
pub(crate) fn create(context: &Context, path: &Path, spec: &ArraySpec, access: Access) -> Result<DiskArray> {
    // The program may change its directory while the array is open.
    let path = absolute(path);
    let rank = context.comm().rank();
    let unique = context.unique_text()?;
    let mut spec = spec.clone();
    spec.attributes.id = Some(unique.clone());
    // The old array is what stays if this fails.
    end_replacing(context, &path)?;
    let begun = if rank == 0 { begin(&path, &spec).map(Some) } else { Ok(None) };
    let begun = context.agree_on("creating an array", &path, &(format!("{spec:?}"), access), begun)?;
    let everyone: Vec<usize> = (0..context.comm().size()).collect();
    if is_shared(context, &path, &unique)? {
        check_same_here(context, &path)?;
        make(context, &path, &spec, begun, &everyone)?;
    } else {
        drop(begun);
        let here = context.ranks_here();
        let node = context.node_of()[rank] as u64;
        let part = Part { number: node, of: context.nodes() as u64, array: unique };
        spec.files = spec.files.max(part.of);
        spec.attributes.part = Some(part);
        let begun = if here[0] == rank { begin(&path, &spec).map(Some) } else { Ok(None) };
        let begun = context.agree(begun)?;
        check_same_here(context, &path)?;
        make(context, &path, &spec, begun, &here)?;
    }
    open(context, &path, access)
}

/// Makes the shards of one directory, each on one of `makers`, of whom the first has begun and commits: on all hosts or on none.
/// Collective over all.
fn make(
    context: &Context,
    path: &Path,
    spec: &ArraySpec,
    begun: Option<Creation>,
    makers: &[usize],
) -> Result<()> {
    let made = make_in_steps(context, path, spec, begun, makers);
    if made.is_err() {
        // Then each host has put back what was there before, or has left all as it was, and any rank may look for it.
        context.comm().barrier()?;
    }
    made
}

fn make_in_steps(
    context: &Context,
    path: &Path,
    spec: &ArraySpec,
    begun: Option<Creation>,
    makers: &[usize],
) -> Result<()> {
    let commits = begun.is_some();
    let made = begun.map_or_else(|| Creation::join(path, spec), Ok).and_then(|mut creation| {
        let mine =
            shards_of(context, spec.attributes.part.as_ref(), makers, creation.layout().shards_count());
        creation.make_shards(mine).map(|()| creation)
    });
    let mut creation = context.agree(made.map_err(Error::from))?;
    let agree = |step: disk_array::Result<()>| context.agree(step.map_err(Error::from));
    if spec.attributes.part.is_none() {
        return agree(if commits { creation.commit().map(drop) } else { Ok(()) });
    }
    let mut replaced = agree(if commits { creation.complete() } else { Ok(()) });
    if replaced.is_ok() {
        replaced = agree(if commits { creation.put_in_place() } else { Ok(()) });
        if let Err(Error::OnRank { .. }) = replaced
            && let Err(error) = agree(if commits { creation.withdraw() } else { Ok(()) })
        {
            // Somewhere the new part has its place still: the others need theirs, for the next opening to go on.
            creation.leave();
            return Err(error);
        }
    }
    match replaced {
        Ok(()) => agree(if commits { creation.finish().map(drop) } else { Ok(()) }),
        Err(error) => {
            if let Error::Comm(_) = error {
                // Others may have heard that all have come so far.
                creation.leave();
            }
            Err(error)
        }
    }
}

/// Those of the shards in a directory that this rank, one of `ranks`, makes or looks at.
fn shards_of(context: &Context, part: Option<&Part>, ranks: &[usize], count: u64) -> Vec<u64> {
    let rank = context.comm().rank();
    let mine = ranks.iter().position(|&other| other == rank).unwrap_or(0);
    let in_part = (0..count).filter(|&number| part.is_none_or(|part| part.has_shard(number)));
    in_part.skip(mine).step_by(ranks.len().max(1)).collect()
}

/// Refuses ranks of one host that see different directories of one name, as in containers of their own: parts of the array would
/// lie where nobody looks for them. Collective.
fn check_same_here(context: &Context, path: &Path) -> Result<()> {
    let mine = fs::metadata(path).map_or([0; 2], |found| [found.dev(), found.ino()]);
    let all = context.comm().all_gather(&mine)?;
    let first = context.ranks_here()[0];
    let differ = || {
        let reason =
            format!("ranks {first} and {} of one host see different directories", context.comm().rank());
        Error::Parts { path: path.to_owned(), reason }
    };
    let is_same = all.chunks_exact(2).nth(first) == Some(&mine);
    context.agree(if is_same { Ok(()) } else { Err(differ()) })
}

/// Opens an array. Collective.
pub(crate) fn open(context: &Context, path: &Path, access: Access) -> Result<DiskArray> {
    let path = absolute(path);
    end_replacing(context, &path)?;
    let directory = context.agree(ArrayDirectory::open(&path).map_err(Error::from))?;
    check_same_here(context, &path)?;
    // Which array, not only which name: a directory may be another one on another host.
    let mut attributes = directory.attributes().cloned().unwrap_or_default();
    let (id, part) = (attributes.id.take(), attributes.part.take());
    let (metadata, layout) = (directory.metadata(), directory.layout());
    let of_array = part.as_ref().map(|part| (part.of, &part.array));
    let found = (format!("{layout:?} {attributes:?} {:?} {of_array:?}", metadata.keys), access);
    context.agree_on("opening an array", &path, &found, Ok(()))?;
    check_same_array(context, &path, id.as_deref())?;
    let node_of_part = find_parts(context, &directory, access, part.as_ref())?;
    let part = part.filter(|_| !node_of_part.is_empty());
    if access.is_writable() {
        context.agree(put_in_order(context, &directory, part.as_ref()))?;
    }
    let wanted = context.io_processes_wanted(attributes.io_processes_hint);
    let owners = match &node_of_part[..] {
        [] => Owners::choose(context.node_of(), wanted),
        nodes => Owners::of_parts(context.node_of(), wanted, nodes),
    };
    let hosts = host_names(context, &node_of_part)?;
    let kept = Arc::new(context.agree(open_directory(&path))?);
    let shards = Shards::new(&kept, context.devices(), access.is_writable());
    tracing::debug!(path = %path.display(), io_processes = owners.count(), ?hosts, "an array on disk is open");
    let real_path = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let open = OpenArray { directory: kept, real_path, shards, owners, rank: context.comm().rank() };
    Ok(DiskArray::new(context, access, directory, open, hosts))
}

/// Removes an array or what is left of one. Collective.
pub(crate) fn remove(context: &Context, path: &Path) -> Result<()> {
    let path = absolute(path);
    let rank = context.comm().rank();
    let mine = if rank == 0 { remove_here(&path) } else { Ok(()) };
    context.agree_on("removing an array", &path, &(), mine)?;
    // A host of another node may have a part of its own, or may see that all has gone.
    let is_first_here = rank != 0 && context.ranks_here().first() == Some(&rank);
    context.agree(if is_first_here { remove_here(&path) } else { Ok(()) })
}

fn remove_here(path: &Path) -> Result<()> {
    match ArrayDirectory::delete(path) {
        Ok(_) | Err(disk_array::Error::Missing { .. }) => Ok(()),
        // The last that an interrupted deletion leaves is an empty directory; another one cannot be removed so.
        Err(error) => fs::remove_dir(path).map_err(|_| error.into()),
    }
}

/// Lays out as ours what another program has rewritten. Each rank looks at some of the shards in its directory.
fn put_in_order(context: &Context, directory: &ArrayDirectory, part: Option<&Part>) -> Result<()> {
    let everyone = (0..context.comm().size()).collect();
    let ranks = if part.is_some() { context.ranks_here() } else { everyone };
    let mine = shards_of(context, part, &ranks, directory.layout().shards_count());
    mine.into_iter().try_for_each(|number| directory.shard_for_writing(number).map(drop))?;
    Ok(())
}

fn begin(path: &Path, spec: &ArraySpec) -> Result<Creation> {
    Ok(Creation::begin(path, spec)?)
}

fn open_directory(path: &Path) -> Result<ArrayDirectory> {
    Ok(ArrayDirectory::open(path)?)
}
