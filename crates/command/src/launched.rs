//! Whether a launcher of MPI has started this process, and how many with it, as far as can be said without MPI.

use crate::error::{Error, Result};
use std::env;
use std::ffi::OsString;

/// What launchers tell processes: which rank they are.
const RANK_VARIABLES: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID"];

/// And how many there are. Slurm's is that of the step: another, `SLURM_NTASKS`, is in scripts too, of which there is one.
const SIZE_VARIABLES: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Whether one has.
pub fn is_launched() -> bool {
    RANK_VARIABLES.iter().any(|name| env::var_os(name).is_some())
}

/// Whether this is the only process, or the first of those that were started.
pub fn is_first() -> bool {
    RANK_VARIABLES.iter().find_map(env::var_os).is_none_or(|rank| rank == "0")
}

/// For how many ranks something is to be worked out: those that are asked for, as many as a launcher has started, or one.
///
/// # Errors
/// - [`Error::BadArgument`]: neither the launcher nor anybody else says how many.
pub fn ranks(asked: Option<u64>) -> Result<u64> {
    let is_launched = is_launched();
    match asked.or_else(|| started(|name| env::var_os(name)).filter(|_| is_launched)) {
        Some(ranks) => Ok(ranks),
        None if !is_launched => Ok(1),
        None => {
            let unknown = "the launcher does not say how many ranks it has started: say it with -n N";
            Err(Error::BadArgument(unknown.to_owned()))
        }
    }
}

/// How many ranks the launcher says that there are.
fn started(variable: impl Fn(&str) -> Option<OsString>) -> Option<u64> {
    let size = SIZE_VARIABLES.into_iter().find_map(variable)?;
    size.to_str()?.trim().parse().ok().filter(|&size| size > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started_with(variables: &[(&str, &str)]) -> Option<u64> {
        started(|name| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn launchers_say_how_many_ranks_they_have_started() {
        assert_eq!(started_with(&[("OMPI_COMM_WORLD_SIZE", "4"), ("SLURM_STEP_NUM_TASKS", "2")]), Some(4));
        assert_eq!(started_with(&[("PMI_SIZE", "3"), ("SLURM_STEP_NUM_TASKS", "1")]), Some(3));
        assert_eq!(started_with(&[("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_NTASKS", "16")]), Some(8));
        assert_eq!(started_with(&[("SLURM_NTASKS", "16")]), None, "a script has it, too");
        assert_eq!(started_with(&[("PMI_SIZE", "many")]), None);
        assert_eq!(started_with(&[("PMI_SIZE", "0")]), None);
    }
}
