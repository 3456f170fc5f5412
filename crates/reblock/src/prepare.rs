//! What comes before the first step: whether the arrays belong together, whether all ranks mean the same, and the plan.

use crate::copy::Options;
use crate::error::{Error, Result};
use comm::{NumberedFailure, Operation};
use dra::{Access, Alignment, Context, DiskArray};
use layout::{Buffers, Memory, Permutation, Plan, Problem, brick_bytes_max, plan, rounding_bytes};
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
    if is_same(path_of(source), path_of(target)) {
        return Err(Error::SameArray { path: path_of(source).to_owned() });
    }
    let access = |array: &DiskArray, opened, asked| {
        Err(Error::Array(dra::Error::Access { path: path_of(array).to_owned(), opened, asked }))
    };
    if source.access() == Access::WriteOnly {
        return access(source, "writing", "reading");
    }
    if target.access() == Access::ReadOnly {
        return access(target, "reading", "writing");
    }
    check_shapes(source, target, permutation)
}

/// Whether each element of the one has its place in the other. Local.
pub(crate) fn check_shapes(source: &DiskArray, target: &DiskArray, permutation: &Permutation) -> Result<()> {
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

/// How a copy is done: the plan, and the memory of transfers. Every rank makes the same.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    /// What transfers are given on each rank.
    pub(crate) limit_bytes: u64,
    /// What their buffers take of it on an I/O process, at most.
    pub(crate) buffers_bytes: u64,
}

/// Decides how it is done. Collective.
pub(crate) fn prepare(
    context: &Context,
    source: &DiskArray,
    target: &DiskArray,
    permutation: &Permutation,
    options: &Options,
) -> Result<Prepared> {
    let mine = i64::try_from(context.memory_bytes()).unwrap_or(i64::MAX) / MEMORY_UNIT;
    // What makes no sense is an error where an array is made.
    let align_bytes = Alignment::from_environment().map_or(1, Alignment::bytes).cast_signed();
    let of_all = |mine, unit: i64, operation| -> Result<u64> {
        let mut all = [mine];
        context.comm().all_reduce(&mut all, operation).map_err(dra::Error::Comm)?;
        Ok(u64::try_from(all[0]).unwrap_or(0).saturating_mul(unit.unsigned_abs()))
    };
    let all_bytes = of_all(mine, MEMORY_UNIT, Operation::Sum)?;
    let rank_bytes = of_all(mine, MEMORY_UNIT, Operation::Min)?;
    let align_bytes = of_all(align_bytes, 1, Operation::Max)?;
    let (ranks, io_processes) =
        (context.comm().size() as u64, target.io_processes().max(source.io_processes()) as u64);
    let stride_bytes = |array: &DiskArray| array.directory().layout().shard().stride_bytes();
    let brick_bytes = brick_bytes_max(stride_bytes(source), stride_bytes(target), align_bytes);
    let rounding_bytes = rounding_bytes(ranks, context.nodes() as u64);
    let shares = Memory { all_bytes, rank_bytes, io_processes, brick_bytes, rounding_bytes }.share();
    let brick = |array: &DiskArray| array.directory().layout().bricks().brick().to_vec();
    let metadata = source.directory().metadata();
    // Where ranks were given different memory, the least: bricks are moved in the same pieces on all of them.
    let limit_bytes = shares.buffers.min(rank_bytes);
    let problem = Problem {
        permutation: *permutation,
        memory_bytes: shares.boxes,
        buffers_bytes: limit_bytes,
        rounding_bytes,
        align_bytes,
        // As of arrays that say nothing: hosts that write to one file wait for each other.
        files: context.nodes() as u64,
        ranks,
        io_processes: target.io_processes() as u64,
        device: options.device,
        units: options.units,
        buffers: Buffers::WITHOUT_WRITE_BLOCKS,
        ..Problem::new(&metadata.dims, metadata.data_type.bytes(), &brick(source), &brick(target))
    };
    let buffers_bytes = dra::buffers_bytes_max(limit_bytes, brick_bytes);
    Ok(Prepared { plan: plan(&problem)?, limit_bytes, buffers_bytes })
}

/// Memory is summed up in units of so many bytes, so that no sum overflows.
const MEMORY_UNIT: i64 = 512;
