//! Running the launcher of the MPI that this program is linked with.

use crate::error::Error;
use command::error::refused;
use command::options::Reblock;
use command::reblocking::prepare;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, io};

/// The launcher with its first arguments, if it is not to be looked for.
const VARIABLE: &str = "CHEMIO_LAUNCHER";
/// Names of launchers, those first that say of which MPI they are.
const OPEN_MPI: [&str; 4] = ["mpirun.openmpi", "mpiexec.openmpi", "mpirun", "mpiexec"];
const MPICH: [&str; 4] = ["mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"];

/// Looks whether it can be done, and becomes the launcher of so many ranks of this program. Returns only if it fails.
pub(crate) fn run(options: &Reblock, ranks: u64) -> Error {
    // What is wrong is one line here, where launchers would add to it.
    match prepare(options, ranks).map_err(Error::from).and_then(|_| command(ranks)) {
        Ok(mut launcher) => {
            let error = launcher.exec();
            refused("run", Path::new(launcher.get_program()))(error).into()
        }
        Err(error) => error,
    }
}

fn command(ranks: u64) -> Result<Command, Error> {
    let myself = env::current_exe().map_err(refused("find", Path::new("chemio-reblock")))?;
    let mut words = launcher()?.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    let terminal = io::stderr().is_terminal().to_string();
    command.args(words).arg("-n").arg(ranks.to_string()).arg(myself).args(["--launched", &terminal]);
    command.args(env::args_os().skip(1));
    Ok(command)
}

/// The launcher and its first arguments.
fn launcher() -> Result<Vec<OsString>, Error> {
    let given = env::var(VARIABLE).unwrap_or_default();
    if !given.trim().is_empty() {
        return Ok(given.split_whitespace().map(OsString::from).collect());
    }
    let library = comm::library_name();
    let (names, words): (_, &[&str]) = match library {
        // More ranks than cores are allowed; what went wrong is said by us.
        "Open MPI" => (OPEN_MPI, &["--oversubscribe", "--quiet"]),
        _ => (MPICH, &[]),
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let found = names.iter().find_map(|name| {
        env::split_paths(&path).map(|directory| directory.join(name)).find(|path| belongs_to(path, library))
    });
    let found = found.ok_or(Error::NoLauncher { library })?;
    Ok([found.into_os_string()].into_iter().chain(words.iter().map(OsString::from)).collect())
}

/// Whether a program says that it is a launcher of this MPI.
fn belongs_to(path: &PathBuf, library: &str) -> bool {
    if !path.is_file() {
        return false;
    }
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output();
    output.is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout);
        let is_open_mpi = ["Open MPI", "OpenRTE", "PRRTE"].iter().any(|word| text.contains(word));
        if library == "Open MPI" { is_open_mpi } else { !is_open_mpi && output.status.success() }
    })
}
