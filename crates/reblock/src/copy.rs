//! The call, and what can be said and learnt about it.

use crate::copying::Copying;
use crate::error::{Error, Result};
use comm::Comm;
use dra::{Context, DiskArray, MakeArray};
use layout::{DeviceModel, Permutation, Plan, Units};
use std::env;

/// What the device costs, for programs that cannot say it: the [setting](DeviceModel::setting) of a [`DeviceModel`].
pub const DEVICE_VARIABLE: &str = "CHEMIO_DEVICE";

/// What can be said about re-blocking besides the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// What the device costs.
    pub device: DeviceModel,
    /// Whether parts of bricks may be moved.
    pub units: Units,
    /// After so many bytes all that was written is made durable, and noted, so that another try goes on from there.
    pub noted_bytes: u64,
    /// Whether the copy fails if a file of the source has been written to by the time that it has been read: for programs that do
    /// not write it themselves. Their own writes may come as late as that. It is looked at when something is noted, of
    /// many files less often, and at the end of the first pass.
    pub checks_source: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device: DeviceModel::default(),
            units: Units::default(),
            noted_bytes: 4 << 30,
            checks_source: false,
        }
    }
}

impl Options {
    /// The default on the device that [`DEVICE_VARIABLE`] describes on rank 0: launchers need not set it on every host. Collective.
    ///
    /// # Errors
    /// The same on every rank:
    /// - [`Error::Setting`]: it cannot be understood.
    /// - [`Error::Array`] with [`dra::Error::Comm`]: the ranks could not talk to each other.
    pub fn of_environment(comm: &Comm) -> Result<Self> {
        let mine = env::var_os(DEVICE_VARIABLE).unwrap_or_default().to_string_lossy().into_owned();
        let first = comm.broadcast_text(mine, 0).map_err(dra::Error::Comm)?;
        let device = first.parse().map_err(|source| Error::Setting { variable: DEVICE_VARIABLE, source })?;
        Ok(Self { device, ..Self::default() })
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The pass, from 0.
    pub pass: usize,
    /// How many there are.
    pub passes: usize,
    /// Bytes written, over all passes, with those of an interrupted try that was continued.
    pub written_bytes: u64,
    /// Bytes to be written, over all passes.
    pub all_bytes: u64,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// By which plan.
    pub plan: Plan,
    /// Whether an interrupted try was continued.
    pub is_continued: bool,
    /// The most memory that boxes took at once, and what is retained between steps, on all ranks together, in bytes: with the pages that
    /// are begun, so that it is what the system gave, as far as the library of global arrays [tells](dra::MadeArray::taken_bytes). No more
    /// than [`Plan::memory_bytes_max`]. Besides there are the buffers of transfers.
    pub boxes_bytes_peak: u64,
    /// What the buffers of each I/O process took, at most, in bytes.
    pub buffers_bytes: u64,
}

/// Copies `source` to `target`, whose bricks may be others, with the dimensions in another order: source dimension
/// `permutation[i]` becomes target dimension `i`. Collective, with the same arguments. Durable when it returns; until then
/// the target cannot be read, also if it is interrupted. The same call made again, of as many ranks with as much memory, goes on where
/// it was. It begins anew if the source was written to or replaced meanwhile, or if the plan is another one.
///
/// Memory is that of the context on all ranks together ([`dra::Settings`]), however large bricks are; what is too little for two buffers on
/// each I/O process, and a box of four bricks, of 1 MiB at most, is raised to that ([`layout::Memory::share`]). Pages that ranks begin count
/// ([`layout::rounding_bytes`]). Where several passes are needed, arrays named after the target with `.pass-1` and so on lie beside it meanwhile,
/// and each has the attribute
/// [`chemio_between`](dra::between), which names the target. What else has such a name is never touched.
///
/// `progress` is called on every rank when the copy has begun, and after each step.
///
/// # Errors
/// The same on every rank:
/// - [`Error::Array`](crate::Error::Array) with [`dra::Error::OnRank`]: a mistake of a rank, which is one of the others here, or
///   [`dra::Error::Access`]; or what went wrong with a file. With [`dra::Error::ArgumentsDiffer`]: the ranks want different
///   things. With [`dra::Error::Comm`]: they could not talk to each other.
/// - [`Error::Plan`](crate::Error::Plan): there is not enough memory.
///
/// Something else at the name of an array between passes is such a mistake ([`InTheWay`](dra::DirectoryError::InTheWay)):
/// nothing is begun. A name that is too long for them is an error of the system. A target that is replaced by another array meanwhile is an error too ([`dra::Error::Replaced`]).
pub fn copy(
    context: &Context,
    maker: &dyn MakeArray,
    (source, target): (&DiskArray, &mut DiskArray),
    permutation: &Permutation,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome> {
    let arrays = (source, target);
    let begun = Copying::begin(context, Box::new(maker), (arrays.0, &mut *arrays.1), permutation, options)?;
    progress(begun.progress());
    begun.finish(arrays, progress)
}

#[cfg(test)]
mod tests {
    use super::Options;
    use dra::{Alignment, ArraySpec, BrickShape, Bricks, DataType};
    use layout::{DeviceModel, Pass, Problem, plan};

    /// What an array that a pass writes takes on disk.
    fn disk_bytes(pass: &Pass, problem: &Problem) -> u64 {
        let mut spec = ArraySpec::new(pass.dims(), DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(pass.target_brick()).unwrap());
        (spec.files, spec.alignment) = (problem.files, Alignment::new(problem.align_bytes).unwrap());
        let (layout, in_blocks) = (spec.layout().unwrap(), |bytes: u64| bytes.next_multiple_of(4096));
        let metadata = in_blocks(spec.metadata().unwrap().to_text().len() as u64);
        layout.shards_count() * in_blocks(layout.shard().len_bytes()) + metadata
    }

    #[test]
    fn arrays_between_passes_take_no_more_disk_than_plans_say() {
        let device = DeviceModel { operations_per_second: 1_000, ..DeviceModel::default() };
        // With few bricks, and with more than go into a file.
        let problems = [
            ([10_007, 10_007], [8, 10_007], [10_007, 8], 4 << 20),
            ([70_000, 70_000], [1, 64], [64, 1], 4000),
        ];
        for (dims, from, to, memory_bytes) in problems {
            for (align_bytes, files) in [(4096, 1), (512, 2), (1 << 20, 5)] {
                let new = Problem::new(&dims, 8, &from, &to);
                let found = plan(&Problem { memory_bytes, align_bytes, files, device, ..new }).unwrap();
                let between = &found.passes()[..found.passes().len() - 1];
                let bytes: Vec<u64> = between.iter().map(|pass| disk_bytes(pass, found.problem())).collect();
                let most = bytes.windows(2).map(|pair| pair[0] + pair[1]).chain(bytes.iter().copied()).max();
                let most = u128::from(most.expect("several passes"));
                let told = found.disk_bytes_max();
                assert!(most <= told && told < most + most / 50, "{most} bytes instead of {told}: {found}");
            }
        }
    }

    #[test]
    fn files_have_as_many_bricks_as_plans_expect() {
        assert_eq!(layout::FILE_BRICKS_MAX, dra::format::BRICKS_PER_SHARD_MAX);
    }

    #[test]
    fn the_device_layer_joins_the_writes_that_plans_expect_to_be_joined() {
        assert!(Options::default().device.joined_bytes <= elio::JOINED_WRITE_BYTES);
    }

    #[test]
    fn gaps_that_plans_expect_to_be_moved_are_those_that_transfers_join() {
        assert_eq!(Options::default().device.gap_bytes, dra::GAP_BYTES);
    }

    #[test]
    fn as_little_memory_as_buffers_can_have_is_shared_out_to_them() {
        let memory = layout::Memory {
            all_bytes: 1,
            rank_bytes: 1,
            io_processes: 1,
            brick_bytes: u64::MAX,
            rounding_bytes: 0,
        };
        assert_eq!(memory.share().buffers, 2 * dra::BUFFER_BYTES_MIN);
    }
}
