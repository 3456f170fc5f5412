//! How a job of ranks is started.

use std::path::Path;
use std::process::Command;

/// An MPI: each has a launcher of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mpi {
    /// Open MPI.
    OpenMpi,
    /// MPICH.
    Mpich,
}

/// Runs `executable` on so many ranks, more than there are processors if need be, each with one thread for BLAS. `binding` is a word
/// for `--bind-to`; arguments of the program come behind.
pub(crate) fn launch(mpi: Mpi, launcher: &Path, ranks: usize, binding: &str, executable: &Path) -> Command {
    let mut command = Command::new(launcher);
    command.args(["-n", &ranks.to_string()]);
    match mpi {
        Mpi::OpenMpi => command.args(["--oversubscribe", "--bind-to", binding]),
        Mpi::Mpich => command.args(["-bind-to", binding]),
    };
    command
        .arg(executable)
        .envs([("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1")])
        .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    command
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Mpi, launch};

    #[test]
    fn each_launcher_is_told_in_its_own_words_and_the_program_comes_last() {
        let words = |mpi| {
            let command = launch(mpi, Path::new("mpirun"), 2, "none", Path::new("driver"));
            let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(Mpi::OpenMpi), "-n 2 --oversubscribe --bind-to none driver");
        assert_eq!(words(Mpi::Mpich), "-n 2 -bind-to none driver");
    }
}
