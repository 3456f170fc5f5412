//! The MPI that the test binary is linked with, and how its launcher is called.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt, fs};

use crate::layout::Layout;
use crate::link::INTERFACE;
use crate::two_hosts::{ADDRESSES, NETWORK, TwoHosts};
use crate::unavailable::Unavailable;

/// The library that changes how MPICH's ranks wait, see `patience.c`; may be missing.
const PATIENCE: &str = env!("PATIENCE");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flavour {
    OpenMpi,
    /// MPICH, and what descends from it and has its launcher.
    Mpich,
}

/// An MPI and its launcher.
#[derive(Debug)]
pub(crate) struct Mpi {
    flavour: Flavour,
    launcher: PathBuf,
}

impl fmt::Display for Mpi {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}", self.flavour.name(), self.launcher.display())
    }
}

impl Mpi {
    /// The MPI of this binary. No MPI function is called: the loaded libraries tell.
    pub(crate) fn linked() -> Result<Self, Unavailable> {
        Self::of_libraries(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
    }

    /// The MPI of a program, as the dynamic linker finds it.
    pub(crate) fn of_program(program: &Path) -> Result<Self, Unavailable> {
        let asked = Command::new("ldd").arg(program).output();
        let output = asked.map_err(|source| Unavailable::Program { program: "ldd".into(), source })?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let without_address = |line: &str| line.split(" (0x").next().unwrap_or(line).to_owned() + "\n";
        Self::of_libraries(&lines.lines().map(without_address).collect::<String>())
    }

    /// `libraries` has a path at the end of each line.
    fn of_libraries(libraries: &str) -> Result<Self, Unavailable> {
        let (flavour, library) = Flavour::of_maps(libraries).ok_or(Unavailable::NoMpi)?;
        let missing = Unavailable::NoLauncher { mpi: flavour.name(), names: flavour.launchers() };
        let launcher = flavour.find_launcher(&places(&library)).ok_or(missing)?;
        Ok(Self { flavour, launcher })
    }

    /// The launcher with all its arguments but the program to launch.
    pub(crate) fn command(&self, layout: Layout, hosts: Option<&TwoHosts>) -> Command {
        let mut command = match hosts {
            Some(hosts) => hosts.command(0, &self.launcher),
            None => Command::new(&self.launcher),
        };
        match self.flavour {
            Flavour::OpenMpi => open_mpi(&mut command, layout, hosts),
            Flavour::Mpich => mpich(&mut command, layout, hosts),
        }
        command
    }
}

impl Flavour {
    fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        }
    }

    fn launchers(self) -> &'static [&'static str] {
        match self {
            Self::OpenMpi => &["mpirun.openmpi", "mpiexec.openmpi", "mpirun", "mpiexec"],
            Self::Mpich => &["mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich", "mpiexec", "mpirun"],
        }
    }

    /// Which MPI is among the loaded files, and its library.
    fn of_maps(maps: &str) -> Option<(Self, PathBuf)> {
        let paths = || maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
        let named = |start: &str| paths().find(|path| file_name(path).starts_with(start));
        // Both call their library libmpi on one system or another; the layer below is Open MPI's alone.
        if let Some(library) = named("libopen-pal") {
            return Some((Self::OpenMpi, library.into()));
        }
        named("libmpich").or_else(|| named("libmpi.so")).map(|library| (Self::Mpich, library.into()))
    }

    /// The first program in these directories that is the launcher of this MPI.
    fn find_launcher(self, places: &[PathBuf]) -> Option<PathBuf> {
        let candidates =
            |place: &PathBuf| self.launchers().iter().map(|name| place.join(name)).collect::<Vec<_>>();
        places.iter().flat_map(candidates).find(|candidate| self.is_launched_by(candidate))
    }

    fn is_launched_by(self, candidate: &Path) -> bool {
        let Ok(output) = Command::new(candidate).arg("--version").output() else { return false };
        let said = String::from_utf8_lossy(&output.stdout);
        match self {
            Self::OpenMpi => ["Open MPI", "OpenRTE"].iter().any(|name| said.contains(name)),
            Self::Mpich => said.contains("HYDRA"),
        }
    }
}

/// Where a launcher may be: beside the library first, because a machine may have several of one flavour.
fn places(library: &Path) -> Vec<PathBuf> {
    let beside = library.parent().and_then(Path::parent).map(|prefix| prefix.join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    beside.into_iter().chain(env::split_paths(&path)).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn open_mpi(command: &mut Command, layout: Layout, hosts: Option<&TwoHosts>) {
    let ranks_count = layout.ranks_count().to_string();
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // Bound ranks of two test hosts would share the first processor: no host knows of the other's ranks.
    command.args(["--oversubscribe", "--bind-to", "none", "-n", &ranks_count]);
    let Some(hosts) = hosts else { return };
    command.args(["--host", &host_list(layout)]);
    // The environment and not arguments, so that a variant can change them.
    command.env("OMPI_MCA_plm_rsh_agent", hosts.agent());
    command.env("OMPI_MCA_oob_tcp_if_include", NETWORK).env("OMPI_MCA_btl_tcp_if_include", NETWORK);
    command.env("OMPI_MCA_pml", "ob1").env("OMPI_MCA_btl", "tcp,self,vader");
    // Debian disables what could make windows between hosts over TCP (`osc = ^ucx,pt2pt`).
    command.env("OMPI_MCA_osc", "sm,pt2pt");
    // Each host believes that it has all processors.
    command.env("OMPI_MCA_mpi_yield_when_idle", "1");
}

fn mpich(command: &mut Command, layout: Layout, hosts: Option<&TwoHosts>) {
    if let Some(hosts) = hosts {
        command.args(["-launcher", "ssh", "-launcher-exec"]).arg(hosts.agent());
        command.args(["-localhost", ADDRESSES[0], "-hosts", &host_list(layout)]);
        // Not the loopback, which UCX takes for a way to the other host.
        command.env("UCX_NET_DEVICES", INTERFACE);
    }
    command.args(["-n", &layout.ranks_count().to_string()]);
    if (layout.is_crowded() || hosts.is_some()) && Path::new(PATIENCE).exists() {
        let others = env::var("LD_PRELOAD").map(|others| format!("{others}:")).unwrap_or_default();
        command.args(["-genv", "LD_PRELOAD", &format!("{others}{PATIENCE}")]);
    }
}

/// Both launchers take a list such as `10.77.0.1:2,10.77.0.2:2`.
fn host_list(layout: Layout) -> String {
    ADDRESSES.map(|address| format!("{address}:{}", layout.ranks_per_host)).join(",")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::{Flavour, host_list, mpich, open_mpi, places};
    use crate::layout::Layout;

    fn flavour(libraries: &[&str]) -> Option<Flavour> {
        let line = |path: &&str| format!("7f00-7f01 r-xp 00001000 08:01 42    {path}\n");
        let maps: String = libraries.iter().map(line).collect();
        Flavour::of_maps(&maps).map(|(flavour, _)| flavour)
    }

    #[test]
    fn the_loaded_libraries_tell_which_mpi_it_is() {
        assert_eq!(flavour(&["/lib/libmpi.so.40.30.4", "/lib/libopen-pal.so.40"]), Some(Flavour::OpenMpi));
        assert_eq!(flavour(&["/lib/libopen-pal.so.80", "/lib/libmpi.so.40"]), Some(Flavour::OpenMpi));
        assert_eq!(flavour(&["/lib/libmpich.so.12.2.2"]), Some(Flavour::Mpich));
        assert_eq!(flavour(&["/opt/mpich/lib/libmpi.so.12"]), Some(Flavour::Mpich));
        assert_eq!(flavour(&["/lib/libc.so.6", "/lib/libmpifort.so"]), None);
        assert_eq!(flavour(&[]), None);
    }

    #[test]
    fn a_launcher_is_looked_for_beside_the_library_first() {
        let places = places(Path::new("/opt/mpi/lib/libmpi.so"));
        assert_eq!(places.first(), Some(&PathBuf::from("/opt/mpi/bin")));
        assert!(places.len() > 1, "the PATH comes after");
    }

    #[test]
    fn a_launcher_is_known_by_what_it_says_and_not_by_its_name() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str, says: &str| {
            let place = directory.path().join(name);
            fs::create_dir(&place).expect("room for a directory");
            let launcher = place.join("mpiexec");
            fs::write(&launcher, format!("#!/bin/sh\necho '{says}'\n")).expect("room for a script");
            fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).expect("it is ours");
            place
        };
        let open_mpi = place("a", "mpiexec (OpenRTE) 4.1.4");
        let mpich = place("b", "HYDRA build details:");
        let places =
            [directory.path().join("missing"), place("c", "another"), open_mpi.clone(), mpich.clone()];
        assert_eq!(Flavour::OpenMpi.find_launcher(&places), Some(open_mpi.join("mpiexec")));
        assert_eq!(Flavour::Mpich.find_launcher(&places), Some(mpich.join("mpiexec")));
        assert_eq!(Flavour::Mpich.find_launcher(&places[..3]), None);
    }

    #[test]
    fn both_launchers_get_the_number_of_ranks() {
        for launch in [open_mpi, mpich] {
            let mut command = Command::new("launcher");
            launch(&mut command, Layout::one_host(7), None);
            let arguments: Vec<_> = command.get_args().collect();
            assert!(arguments.windows(2).any(|pair| pair == ["-n", "7"]), "{command:?}");
        }
        assert_eq!(host_list(Layout::two_hosts(2)), "10.77.0.1:2,10.77.0.2:2");
    }
}
