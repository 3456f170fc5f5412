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
    let library = library_name();
    let variable = |name: &str| env::var(name).ok()?.parse().ok();
    if let Some(ranks) = started_by_others(library, variable) {
        return Err(Error::WrongLauncher { library, ranks, launcher: launcher_of(library) });
    }
    // May be meant so: many programs of one process each.
    if let Some(tasks) = variable("SLURM_STEP_NUM_TASKS").filter(|&tasks| tasks > 1) {
        tracing::warn!(
            tasks,
            "this process is alone in its MPI, but slurm has started several: srun --mpi=pmix, or pmi2?"
        );
    }
    Ok(())
}

/// How many processes a launcher says that it has started, where MPI sees only this one. What `variable` has may come from
/// a job around this one: a launcher of the right MPI that has started one process is believed.
fn started_by_others(library: &str, variable: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let [open_mpi, mpich] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].map(variable);
    let own = match library {
        "Open MPI" => open_mpi,
        "MPICH" => mpich,
        _ => None,
    };
    let most = open_mpi.max(mpich).filter(|&ranks| ranks > 1)?;
    if own == Some(1) {
        tracing::warn!(
            most,
            library,
            "one process of this MPI, in the job of another launcher that has started several"
        );
        return None;
    }
    Some(most)
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

/// The MPI that this process is linked with: `Open MPI`, `MPICH` (or what descends from it) or `another MPI`.
pub fn library_name() -> &'static str {
    let mut text = vec![0u8; VERSION_BYTES_MAX.max(ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize) + 1];
    let mut len: c_int = 0;
    // SAFETY: the text has the length that each MPI asks for; the question is allowed at any time.
    unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &raw mut len) };
    family(&String::from_utf8_lossy(&text))
}

/// What an MPI that calls itself so descends from: such have the same handles, and understand each other's launchers.
fn family(version: &str) -> &'static str {
    const FAMILIES: [(&str, &str); 4] =
        [("Open MPI", "Open MPI"), ("MPICH", "MPICH"), ("Intel(R) MPI", "MPICH"), ("MVAPICH", "MPICH")];
    let found = FAMILIES.into_iter().find(|(name, _)| version.contains(name));
    found.map_or("another MPI", |(_, family)| family)
}

fn launcher_of(library: &str) -> &'static str {
    match library {
        "Open MPI" => "its mpirun (on Debian mpirun.openmpi)",
        "MPICH" => "its mpiexec (on Debian mpiexec.mpich)",
        _ => "its own launcher",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_of_mpich_are_known() {
        for (version, expected) in [
            ("Open MPI v4.1.4, package: Debian", "Open MPI"),
            ("MPICH Version:\t4.0.2", "MPICH"),
            ("Intel(R) MPI Library 2021.11 for Linux* OS", "MPICH"),
            ("MVAPICH2 Version      :\t2.3.7", "MPICH"),
            ("MPI VERSION    : CRAY MPICH version 8.1.27", "MPICH"),
            ("something else", "another MPI"),
        ] {
            assert_eq!(family(version), expected, "{version}");
        }
    }

    #[test]
    fn another_launcher_is_noticed_but_not_one_around_that_of_this_mpi() {
        let found = |library, open_mpi, mpich| {
            started_by_others(library, |name| if name == "PMI_SIZE" { mpich } else { open_mpi })
        };
        for (library, own_first) in [("Open MPI", true), ("MPICH", false)] {
            let found =
                |own, other| if own_first { found(library, own, other) } else { found(library, other, own) };
            assert_eq!(found(None, Some(4)), Some(4), "{library}");
            assert_eq!(
                found(Some(2), None),
                Some(2),
                "{library}: two were started, and do not see each other"
            );
            assert_eq!(found(Some(1), Some(4)), None, "{library}");
            assert_eq!(found(None, Some(1)), None, "{library}");
            assert_eq!(found(None, None), None, "{library}");
        }
        assert_eq!(found("another MPI", Some(1), Some(3)), Some(3));
    }
}
