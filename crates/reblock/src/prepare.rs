//! What comes before the first step: whether the arrays belong together, whether all ranks mean the same, and the plan.

use crate::copy::Options;
use crate::error::{Error, Result};
use comm::{NumberedFailure, Operation};
use dra::{Access, Context, DiskArray};
use layout::{Buffers, Permutation, Plan, Problem, plan, share};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub(crate) fn path_of(array: &DiskArray) -> &Path {
    array.directory().path()
}

/// Whether `source` can be copied to `target`, as far as that can be told before the copy begins: the source may not be complete
/// yet. Local; [`copy`](crate::copy()) and [`Copying::begin`](crate::Copying::begin) look by themselves. For callers that put a copy off.
///
/// # Errors
/// - [`Error::SameArray`]: two handles of one array, by whatever names.
/// - [`Error::Array`] with [`dra::Error::Access`]: one of them was opened for something else.
/// - [`Error::TypesDiffer`], [`Error::DimsDiffer`]: the elements of the one have no place in the other.
pub fn check(source: &DiskArray, target: &DiskArray, permutation: &Permutation) -> Result<()> {
    let access = |array: &DiskArray, opened, asked| {
        Err(Error::Array(dra::Error::Access { path: path_of(array).to_owned(), opened, asked }))
    };
    if is_same(path_of(source), path_of(target)) {
        return Err(Error::SameArray { path: path_of(source).to_owned() });
    }
    if source.access() == Access::WriteOnly {
        return access(source, "writing", "reading");
    }
    if target.access() == Access::ReadOnly {
        return access(target, "reading", "writing");
    }
    let (from, to) = (source.directory().metadata(), target.directory().metadata());
    if from.data_type != to.data_type {
        return Err(Error::TypesDiffer {
            source_path: path_of(source).to_owned(),
            source_type: from.data_type,
            target_path: path_of(target).to_owned(),
            target_type: to.data_type,
        });
    }
    if permutation.dims() != from.dims.len() || permutation.to_target(&from.dims) != to.dims {
        return Err(Error::DimsDiffer {
            path: path_of(target).to_owned(),
            source_dims: from.dims.to_vec(),
            permutation: permutation.source().to_vec(),
            target_dims: to.dims.to_vec(),
        });
    }
    Ok(())
}

/// Whether two names belong to one directory, which may be seen at two places.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    let numbers = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino()));
    a == b || matches!((numbers(a), numbers(b)), (Ok(a), Ok(b)) if a == b)
}

/// Tells all ranks what is wrong on one of them, and refuses different arguments.
pub(crate) fn agree(
    context: &Context,
    mine: Result<()>,
    source: &DiskArray,
    target: &DiskArray,
    permutation: &Permutation,
    options: &Options,
) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    (path_of(source), path_of(target), permutation, options).hash(&mut hasher);
    match context.comm().agree_numbered(mine, Error::code, hasher.finish()) {
        Ok(((), true)) => Ok(()),
        Ok(((), false)) => {
            let (operation, path) = ("re-blocking", path_of(target).to_owned());
            Err(dra::Error::ArgumentsDiffer { operation, path }.into())
        }
        Err(NumberedFailure::OnRank { rank, number: code, message }) => {
            Err(dra::Error::OnRank { rank, code, message }.into())
        }
        Err(NumberedFailure::Comm(error)) => Err(dra::Error::Comm(error).into()),
    }
}

/// The plan, and the bytes of the buffers of each I/O process. Every rank makes the same.
pub(crate) fn make_plan(
    context: &Context,
    source: &DiskArray,
    target: &DiskArray,
    permutation: &Permutation,
    options: &Options,
) -> Result<(Plan, u64)> {
    let mine = i64::try_from(context.memory_bytes()).unwrap_or(i64::MAX) / MEMORY_UNIT;
    let of_all = |operation| -> Result<u64> {
        let mut memory = [mine];
        context.comm().all_reduce(&mut memory, operation).map_err(dra::Error::Comm)?;
        Ok(u64::try_from(memory[0]).unwrap_or(0).saturating_mul(MEMORY_UNIT.unsigned_abs()))
    };
    let (memory_bytes, least_bytes) = (of_all(Operation::Sum)?, of_all(Operation::Min)?);
    let io_processes = target.io_processes().max(source.io_processes()) as u64;
    let brick_bytes = [source, target].map(|array| array.directory().layout().shard().stride_bytes());
    let shares = share(memory_bytes, io_processes, brick_bytes[0].max(brick_bytes[1]));
    let brick = |array: &DiskArray| array.directory().layout().bricks().brick().to_vec();
    let metadata = source.directory().metadata();
    let problem = Problem {
        permutation: *permutation,
        memory_bytes: shares.boxes,
        ranks: context.comm().size() as u64,
        io_processes: target.io_processes() as u64,
        device: options.device,
        units: options.units,
        buffers: Buffers::WITHOUT_WRITE_BLOCKS,
        ..Problem::new(&metadata.dims, metadata.data_type.bytes(), &brick(source), &brick(target))
    };
    // Where ranks were given different memory, the least: bricks are moved in the same pieces on all of them.
    Ok((plan(&problem)?, shares.buffers.min(least_bytes)))
}

/// Memory is summed up in units of so many bytes, so that no sum overflows.
const MEMORY_UNIT: i64 = 512;
