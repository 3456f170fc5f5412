//! What the launcher tells its ranks, and how a process knows that it is a rank.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::{env, fmt};

/// Which launch a process belongs to, see [`crate::processes::LaunchId`].
pub(crate) const LAUNCH: &str = "CHEMIO_TEST_LAUNCH";
/// Where the ranks write their journals.
pub(crate) const JOURNALS: &str = "CHEMIO_TEST_JOURNALS";
/// The number of test hosts.
pub(crate) const HOSTS: &str = "CHEMIO_TEST_HOSTS";
/// The seed of random numbers; also set by users.
pub(crate) const SEED: &str = "CHEMIO_TEST_SEED";
/// A directory that all ranks see.
pub(crate) const SHARED_DIR: &str = "CHEMIO_TEST_SHARED_DIR";
/// A directory that the ranks of one host see.
pub(crate) const LOCAL_DIR: &str = "CHEMIO_TEST_LOCAL_DIR";
/// Set by users: what is not run is a failure.
pub(crate) const REQUIRE_ALL: &str = "CHEMIO_TEST_REQUIRE_ALL";

/// The status of a run of which a part could not run here, as automake and `ci/steps` have it.
pub(crate) const NOT_RUN_STATUS: u8 = 77;

/// Whether what cannot run here is a failure.
pub(crate) fn requires_all() -> bool {
    env::var_os(REQUIRE_ALL).is_some_and(|value| !value.is_empty())
}

/// Why the scenario that this rank is in was not run.
static NOT_RUN: Mutex<Option<String>> = Mutex::new(None);

/// For tests that cannot run here, by themselves or within a suite: says so. A scenario should return then, on all ranks; its suite does
/// not count it as passed, nor does a program that ends with [`exit_code`]. A `#[test]` can say it by a panic alone.
///
/// # Panics
/// `CHEMIO_TEST_REQUIRE_ALL` is set.
pub fn note_not_run(why: &dyn fmt::Display) {
    assert!(!requires_all(), "not run: {why}");
    println!("not run: {why}");
    *NOT_RUN.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_string());
}

/// The status of a test program that has not failed and is no [`Suite`](crate::Suite): 77 if something [was not run](note_not_run).
pub fn exit_code() -> ExitCode {
    if take_not_run().is_some() { ExitCode::from(NOT_RUN_STATUS) } else { ExitCode::SUCCESS }
}

/// Why something was not run since the last call, if it was not.
pub(crate) fn take_not_run() -> Option<String> {
    NOT_RUN.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// What MPI launchers tell their ranks: the variables with a rank and the number of ranks (Open MPI; MPICH and its kin).
const PLACES: [(&str, &str); 2] =
    [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

/// Where a rank stands in `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) rank: usize,
    pub(crate) ranks_count: usize,
}

impl Place {
    /// The place of this process, if an MPI launcher started it.
    pub(crate) fn ours() -> Option<Self> {
        Self::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name| value(name)?.parse().ok();
        PLACES
            .into_iter()
            .find_map(|(rank, size)| Some(Self { rank: number(rank)?, ranks_count: number(size)? }))
    }
}

/// The number of hosts this launch runs on: 1 or 2. Any rank may ask.
pub fn hosts_count() -> usize {
    env::var(HOSTS).ok().and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// A directory of this launch that all ranks see, on all hosts; gone after the launch.
///
/// # Panics
/// In a process that no suite has launched.
pub fn shared_dir() -> PathBuf {
    directory(SHARED_DIR)
}

/// A directory of this launch that the ranks of one host share and those of another do not see; gone after the launch.
/// The path is the same on all hosts.
///
/// # Panics
/// In a process that no suite has launched.
pub fn local_dir() -> PathBuf {
    directory(LOCAL_DIR)
}

fn directory(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set: started by hand?")).into()
}

#[cfg(test)]
mod tests {
    use super::Place;

    fn place(variables: &[(&str, &str)]) -> Option<Place> {
        Place::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_process_is_a_rank_when_a_launcher_says_both_rank_and_size() {
        let expected = Some(Place { rank: 2, ranks_count: 4 });
        assert_eq!(place(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]), expected);
        assert_eq!(place(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")]), expected);
        assert_eq!(place(&[("PMI_RANK", "2")]), None);
        assert_eq!(place(&[("PMI_RANK", "two"), ("PMI_SIZE", "4")]), None);
        assert_eq!(place(&[]), None);
    }
}
