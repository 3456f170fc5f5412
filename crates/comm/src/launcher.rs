//! Whether the launcher that started this process belongs to the MPI it is linked with.

use crate::{Error, Result};
use mpi::ffi;
use std::env;
use std::os::raw::{c_char, c_int};

/// Fails if a launcher started several processes, and MPI sees only this one.
pub(crate) fn check() -> Result<()> {
    let mut ranks: c_int = 0;
    // SAFETY: MPI is initialised; it writes to a local.
    unsafe { ffi::MPI_Comm_size(ffi::RSMPI_COMM_WORLD, &raw mut ranks) };
    if ranks != 1 {
        return Ok(());
    }
    let started = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]
        .into_iter()
        .filter_map(|name| env::var(name).ok()?.parse().ok())
        .max();
    match started {
        Some(ranks) if ranks > 1 => {
            let library = library_name();
            Err(Error::WrongLauncher { library, ranks, launcher: launcher_of(library) })
        }
        _ => Ok(()),
    }
}

/// The name of the MPI that this process is linked with: `Open MPI`, `MPICH` or `another MPI`.
pub fn library_name() -> &'static str {
    let mut text = vec![0u8; ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1];
    let mut len: c_int = 0;
    // SAFETY: the text has the length that MPI asks for; the question is allowed at any time.
    unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &raw mut len) };
    let text = String::from_utf8_lossy(&text);
    ["Open MPI", "MPICH"].into_iter().find(|name| text.contains(name)).unwrap_or("another MPI")
}

fn launcher_of(library: &str) -> &'static str {
    match library {
        "Open MPI" => "its mpirun (on Debian mpirun.openmpi)",
        "MPICH" => "its mpiexec (on Debian mpiexec.mpich)",
        _ => "its own launcher",
    }
}
