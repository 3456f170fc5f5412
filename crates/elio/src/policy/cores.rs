//! The cores of this node, and who else uses them.

use std::env;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// Ranks on this node, this one included, as the launchers of Open MPI, MPICH and Slurm tell; asked once.
pub(crate) fn ranks_on_node() -> u64 {
    static RANKS: OnceLock<u64> = OnceLock::new();
    *RANKS.get_or_init(told_ranks_on_node)
}

fn told_ranks_on_node() -> u64 {
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"]
        .iter()
        .find_map(|name| env::var(name).ok()?.parse::<u64>().ok())
        .unwrap_or(1)
        .max(1)
}

/// Cores that this process may run on, if the system tells.
fn cores() -> Option<u64> {
    available_parallelism().ok().map(|cores| cores.get() as u64)
}

/// Whether each rank of this node has a core, and there is one besides, for threads that work beside those of the ranks; asked once,
/// because the system takes tens of microseconds to tell.
pub fn has_spare_core() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| cores().is_none_or(|cores| ranks_on_node() < cores))
}

/// How many workers this rank finds cores for, beside the one that it computes on.
pub(crate) fn cores_for_workers() -> usize {
    let each = cores().map_or(u64::MAX, |cores| cores / ranks_on_node());
    usize::try_from(each.saturating_sub(1)).unwrap_or(usize::MAX)
}
