//! What this machine lacks.

use std::io;

/// Why something cannot run here. It is reported as "not run".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// A program is not installed, or may not be executed.
    #[error("cannot start {program}: {source}")]
    Program {
        /// Its name.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The system refused a step; as a rule a right is missing.
    #[error("{step}: {said}")]
    Refused {
        /// What was to be done.
        step: &'static str,
        /// What the program that was to do it has said.
        said: String,
    },
    /// The test binary is linked with no MPI whose launcher is known.
    #[error("this binary is linked with neither Open MPI nor MPICH")]
    NoMpi,
    /// The launcher of the MPI that the test binary is linked with is not installed.
    #[error("no launcher of {mpi} on the PATH: looked for {}", names.join(", "))]
    NoLauncher {
        /// Which MPI.
        mpi: &'static str,
        /// The names it usually has.
        names: &'static [&'static str],
    },
}
