//! Whether this library was built for the MPI that it meets, and the launcher belongs to that one.

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

/// What MPI may write as its version: MPICH's text is longer than Open MPI's may be.
const VERSION_BYTES_MAX: usize = 8192;

/// Fails if this process has another MPI than the one that this library was built for: no handle means the same in both.
pub(crate) fn check_library() -> Result<()> {
    let (built_for, found) = (built_for(), library_name());
    match found {
        "Open MPI" | "MPICH" if found != built_for => Err(Error::WrongLibrary { built_for, found }),
        _ => Ok(()),
    }
}

/// Whether calls that take handles may be made: this library was built for the MPI of this process.
pub fn fits_library() -> bool {
    check_library().is_ok()
}

/// Handles are numbers in MPICH, and in what descends from it, and addresses in Open MPI.
const fn built_for() -> &'static str {
    if size_of::<ffi::MPI_Comm>() == size_of::<c_int>() { "MPICH" } else { "Open MPI" }
}

/// The name of the MPI that this process is linked with: `Open MPI`, `MPICH` or `another MPI`.
pub fn library_name() -> &'static str {
    let mut text = vec![0u8; VERSION_BYTES_MAX.max(ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize) + 1];
    let mut len: c_int = 0;
    // SAFETY: the text has the length that each MPI asks for; the question is allowed at any time.
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
