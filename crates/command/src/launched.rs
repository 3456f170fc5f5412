//! Whether a launcher of MPI has started this process, as far as can be said without MPI.

use std::env;

/// What launchers tell processes: which rank they are.
const RANK_VARIABLES: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID"];

/// Whether one has.
pub fn is_launched() -> bool {
    RANK_VARIABLES.iter().any(|name| env::var_os(name).is_some())
}

/// Whether this is the only process, or the first of those that were started.
pub fn is_first() -> bool {
    RANK_VARIABLES.iter().find_map(env::var_os).is_none_or(|rank| rank == "0")
}
