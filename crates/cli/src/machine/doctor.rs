//! `chemio doctor`: what this machine and a directory offer, and what to change.

use crate::error::{Error, Result, refused};
use crate::files::NewFile;
use crate::options;
use crate::output;
use crate::progress::Progress;
use elio::{File, FileSystem, Mode, OpenOptions, Properties};
use rustix::process::{Resource, getrlimit};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder for each balloon of a virtual machine.
const BALLOONS: &str = "/sys/bus/virtio/drivers/virtio_balloon";
/// The feature's number by the virtio specification, a digit in the line of all.
const FREE_PAGE_REPORTING: usize = 5;

/// One thing that was looked at.
#[derive(Debug)]
struct Finding {
    what: &'static str,
    found: String,
    /// What to change; `None` if it is well.
    advice: Option<String>,
}

impl Finding {
    fn new(what: &'static str, found: impl Into<String>, advice: Option<&str>) -> Self {
        Self { what, found: found.into(), advice: advice.map(ToOwned::to_owned) }
    }
}

pub(crate) fn run(options: &options::Doctor) -> Result<()> {
    let progress = Progress::waiting("looking");
    let findings = look(&options.place.directory)?;
    drop(progress);
    if options.place.facts.json {
        let facts: Vec<Value> = findings
            .iter()
            .map(|finding| json!({"what": finding.what, "found": finding.found, "well": finding.advice.is_none(), "advice": finding.advice}))
            .collect();
        return output::print_json(
            &json!({"directory": options.place.directory.to_string_lossy(), "findings": facts}),
        );
    }
    let lines = findings.iter().flat_map(|finding| {
        let advice = finding.advice.iter().map(|advice| ("", format!("-> {advice}")));
        [(finding.what, finding.found.clone())].into_iter().chain(advice)
    });
    output::print(&output::labelled(lines))
}

fn look(directory: &Path) -> Result<Vec<Finding>> {
    let properties = probe(directory)?;
    let mount = Mount::of(directory);
    let mut findings =
        vec![kernel(), io_uring(), file_system(mount.as_ref(), properties), direct(properties)];
    findings.push(space(directory)?);
    findings.extend(mount.as_ref().and_then(freed_blocks));
    findings.extend(limits());
    let memory = [shared_memory(), pages_of_buffers(), pages_of_ranks(), freed_memory(Path::new(BALLOONS))];
    findings.extend(memory.into_iter().flatten());
    findings.push(launcher());
    findings.extend(compiler());
    Ok(findings)
}

/// What a file in the directory can do.
fn probe(directory: &Path) -> Result<Properties> {
    let metadata = fs::metadata(directory).map_err(refused("look at", directory))?;
    if !metadata.is_dir() {
        return Err(Error::BadArgument(format!("not a directory: {}", directory.display())));
    }
    let file = NewFile::begin(&directory.join("chemio-doctor"), true)?;
    Ok(File::open(file.made(), &OpenOptions::new(Mode::Existing))?.properties())
}

fn kernel() -> Finding {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy().into_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Finding::new("kernel", format!("{} {release}, {cores} cores", name.sysname().to_string_lossy()), None)
}

fn io_uring() -> Finding {
    match elio::why_no_io_uring() {
        None => Finding::new("io_uring", "used", None),
        Some(reason) => {
            let advice = "transfers are made by threads, which is slower for many small ones: allow io_uring";
            Finding::new("io_uring", reason, Some(advice))
        }
    }
}

fn file_system(mount: Option<&Mount>, properties: Properties) -> Finding {
    let (found, advice) = match properties.file_system {
        FileSystem::Local => ("on a local device", None),
        FileSystem::Memory => {
            ("in memory", Some("what is written there takes memory from the program: use a disk"))
        }
        FileSystem::Lustre => {
            ("Lustre", Some("set CHEMIO_ALIGN to the stripe size, so that no brick is on two servers"))
        }
        FileSystem::Gpfs => {
            ("GPFS", Some("set CHEMIO_ALIGN to the block size, so that no brick is in two blocks"))
        }
        FileSystem::Nfs => {
            ("NFS", Some("keep scratch files on local disks: hosts may see each other's writes late here"))
        }
        FileSystem::Fuse => (
            "in user space (FUSE)",
            Some("each request passes through another program: use a disk if there is one"),
        ),
        _ => ("of a kind that makes no difference", None),
    };
    let kind = mount.map_or(String::new(), |mount| format!("{}, ", mount.kind));
    Finding::new("file system", format!("{kind}{found}"), advice)
}

/// How a file system is mounted.
#[derive(Debug)]
struct Mount {
    /// What the system calls it.
    kind: String,
    /// Those of the file system itself.
    options: String,
}

impl Mount {
    /// That of the file system that `directory` is on. Some are made of several devices, of which the system does not know.
    fn of(directory: &Path) -> Option<Self> {
        let device = rustix::fs::stat(directory).ok()?.st_dev;
        let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        mounts.lines().find(|line| line.split(' ').nth(2) == Some(&device)).and_then(Self::of_line)
    }

    /// As of `36 35 98:0 /root /mount options ... - ext4 /dev/sda options`.
    fn of_line(line: &str) -> Option<Self> {
        let mut words = line.split_once(" - ")?.1.split(' ').map(str::to_owned);
        Some(Self { kind: words.next()?, options: words.nth(1).unwrap_or_default() })
    }
}

/// Whether the device is told which blocks are free as soon as they are; if not, there is nothing to say.
fn freed_blocks(mount: &Mount) -> Option<Finding> {
    let is_told =
        mount.options.split(',').any(|option| option == "discard" || option.starts_with("discard="));
    let advice = "what is written in the seconds after large files were deleted may be slower: run fstrim now and then \
                  instead of mounting with discard";
    is_told.then(|| Finding::new("freed blocks", "the device is told at once (discard)", Some(advice)))
}

fn direct(properties: Properties) -> Finding {
    match properties.direct {
        Some(alignment) => {
            let (memory, offset) = (alignment.memory_bytes, alignment.offset_bytes);
            let found = format!("memory aligned to {memory}, offsets and lengths to {offset} bytes");
            let advice =
                (offset > 4096).then_some("set CHEMIO_ALIGN to the alignment of offsets for new arrays");
            Finding::new("direct I/O", found, advice)
        }
        None if properties.in_memory() => Finding::new("direct I/O", "none, and none needed in memory", None),
        None => {
            let advice = "everything goes through the page cache: a file system with O_DIRECT is faster for large data";
            Finding::new("direct I/O", "none", Some(advice))
        }
    }
}

fn space(directory: &Path) -> Result<Finding> {
    let stat = elio::stat(directory)?;
    let (free, total) = (stat.available_bytes, stat.total_bytes);
    let advice =
        (free < total / 20).then_some("less than a twentieth is free: file systems become slow, make room");
    Ok(Finding::new("space", format!("{} of {} free", output::bytes(free), output::bytes(total)), advice))
}

fn limits() -> [Finding; 2] {
    let words = |limit: Option<u64>| limit.map_or("no limit".to_owned(), output::bytes);
    let lock = getrlimit(Resource::Memlock).current;
    let small = lock.is_some_and(|bytes| bytes < 64 << 20) && kernel_version() < (5, 12);
    let lock_advice = small.then_some("before Linux 5.12 io_uring needs locked memory: ulimit -l unlimited");
    // The library takes what the hard limit allows.
    let files = getrlimit(Resource::Nofile).maximum;
    let few = files.is_some_and(|count| count < 4096);
    let files_advice = few.then_some("programs with thousands of private files need more: ulimit -Hn 65536");
    let files = files.map_or("no limit".to_owned(), |count| format!("{count} at most"));
    [Finding::new("locked memory", words(lock), lock_advice), Finding::new("open files", files, files_advice)]
}

fn kernel_version() -> (u32, u32) {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy();
    let mut numbers = release.split(['.', '-', '+']).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// MPI libraries keep their own segments there; ours do not need it.
fn shared_memory() -> Option<Finding> {
    let total = elio::stat(Path::new("/dev/shm")).ok()?.total_bytes;
    let advice = (total < 256 << 20)
        .then_some("MPI libraries may need more for ranks of a node: docker run --shm-size=1g");
    Some(Finding::new("/dev/shm", output::bytes(total), advice))
}

/// Whether a program gets huge pages that asks for them, as the buffers of transfers do; `None` where the system does not tell.
fn pages_of_buffers() -> Option<Finding> {
    let choices = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    Some(buffers_of_choice(chosen(&choices)?))
}

fn buffers_of_choice(choice: &str) -> Finding {
    let advice = "buffers are in small pages, with which a virtual disk may give less than half of what it can: \
                  echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    Finding::new("huge pages", choice, (choice == "never").then_some(advice))
}

/// In which pages ranks of a node get the memory of arrays that they share; `None` where the system does not tell.
fn pages_of_ranks() -> Option<Finding> {
    let choices = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/shmem_enabled").ok()?;
    Some(pages_of_choice(chosen(&choices)?, kernel_version()))
}

/// Whether a virtual machine gives the memory that programs free back to its host; if not, there is nothing to say.
fn freed_memory(balloons: &Path) -> Option<Finding> {
    let devices = fs::read_dir(balloons).ok()?.flatten();
    let mut features = devices.filter_map(|device| fs::read_to_string(device.path().join("features")).ok());
    let is_given = features.any(|features| features.as_bytes().get(FREE_PAGE_REPORTING) == Some(&b'1'));
    let advice = "two seconds after a program frees gigabytes the disk may stand still for some tenths of a second, again and \
                  again, and new memory is slow to touch: for even speed ask for a machine without free page reporting";
    is_given.then(|| Finding::new("freed memory", "goes back to the host (virtio balloon)", Some(advice)))
}

/// What is in brackets, as the kernel marks one of several choices.
fn chosen(choices: &str) -> Option<&str> {
    choices.split_once('[')?.1.split_once(']').map(|(chosen, _)| chosen)
}

/// From 6.1 on a kernel makes huge pages of what is there for a program that asks for it, as arrays do, unless that is denied.
fn pages_of_choice(choice: &str, kernel: (u32, u32)) -> Finding {
    let is_given = ["always", "within_size", "advise", "force"].contains(&choice);
    let is_made = choice != "deny" && kernel >= (6, 1);
    let advice = "several ranks on a node touch large arrays for the first time more slowly than they could: \
                  echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled";
    let choice = if is_made && !is_given { "made for arrays" } else { choice };
    Finding::new("huge pages, shared", choice, (!is_given && !is_made).then_some(advice))
}

/// The program of this name that a shell would start.
fn on_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let is_program = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&std::env::var_os("PATH")?).map(|directory| directory.join(name)).find(is_program)
}

/// The first line that a program prints.
fn first_line(program: &Path, argument: &str) -> Option<String> {
    let output =
        Command::new(program).arg(argument).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    // MPICH's launcher says what it is, and on other lines which version.
    let version = text.lines().find_map(|line| line.trim().strip_prefix("Version:")).map(str::trim);
    Some(
        version.map_or(line.trim().to_owned(), |version| {
            format!("{} {version}", line.trim().trim_end_matches(':'))
        }),
    )
}

fn launcher() -> Finding {
    let Some(program) = ["mpirun", "mpiexec", "srun"].into_iter().find_map(on_path) else {
        let advice =
            "programs with several ranks need one: Debian's openmpi-bin or mpich; this command needs none";
        return Finding::new("MPI launcher", "none on PATH", Some(advice));
    };
    let version = first_line(&program, "--version").unwrap_or_else(|| "says no version".to_owned());
    Finding::new("MPI launcher", format!("{}: {version}", program.display()), None)
}

/// Which MPI programs are built for, if they are built here; it must be the launcher's.
fn compiler() -> Option<Finding> {
    let program = on_path("mpicc")?;
    let version = first_line(&program, "--showme:version")
        .filter(|line| line.contains("Open MPI"))
        .or_else(|| first_line(&program, "-v").filter(|line| line.contains("MPICH")));
    let resolved = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
    let found =
        version.map_or(resolved.display().to_string(), |version| format!("{}: {version}", program.display()));
    let launcher = on_path("mpirun").and_then(|launcher| fs::canonicalize(launcher).ok());
    let family = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ["openmpi", "mpich"].into_iter().find(|family| name.contains(family))
    };
    let differ = match (family(&resolved), launcher.as_deref().and_then(family)) {
        (Some(compiler), Some(launcher)) => compiler != launcher,
        _ => false,
    };
    let advice =
        differ.then_some("it builds for another MPI than the launcher is of: every rank would be alone");
    Some(Finding::new("MPI compiler", found, advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_that_is_not_well_says_what_to_change() {
        let in_memory = Properties { file_system: FileSystem::Memory, ..Properties::default() };
        assert!(file_system(None, in_memory).advice.is_some() && direct(in_memory).advice.is_none());
        assert!(direct(Properties::default()).advice.is_some());
        assert!(kernel_version() > (2, 6));
    }

    #[test]
    fn a_mount_that_tells_the_device_of_freed_blocks_is_told() {
        let mount = |options: &str| {
            Mount::of_line(&format!("36 35 98:0 / /scratch rw,relatime shared:1 - ext4 /dev/sda {options}"))
                .unwrap()
        };
        assert_eq!(mount("rw").kind, "ext4");
        assert!(
            ["rw,discard", "rw,discard=async,ssd"]
                .iter()
                .all(|options| freed_blocks(&mount(options)).is_some())
        );
        assert!(["rw", "rw,nodiscard"].iter().all(|options| freed_blocks(&mount(options)).is_none()));
        assert!(Mount::of_line("36 35").is_none());
    }

    #[test]
    fn small_pages_of_shared_memory_are_told_and_huge_ones_are_well() {
        assert_eq!(chosen("always within_size [advise] never\n"), Some("advise"));
        assert_eq!(chosen("advise"), None);
        let is_well = |choice, kernel| match pages_of_choice(choice, kernel).advice {
            Some(advice) => !advice.contains("shmem_enabled"),
            None => true,
        };
        let (old, new) = ((5, 15), (6, 1));
        assert!(is_well("advise", old) && is_well("advise", new) && is_well("never", new));
        assert!(!is_well("never", old) && !is_well("deny", old) && !is_well("deny", new));
    }

    #[test]
    fn buffers_without_huge_pages_are_told() {
        assert!(["always", "madvise"].iter().all(|choice| buffers_of_choice(choice).advice.is_none()));
        assert!(buffers_of_choice("never").advice.is_some_and(|advice| advice.contains("madvise")));
    }

    #[test]
    fn a_machine_that_gives_freed_memory_back_is_told() {
        let balloons = tempfile::tempdir().unwrap();
        assert!(freed_memory(balloons.path()).is_none() && freed_memory(Path::new("/nowhere")).is_none());
        let device = balloons.path().join("virtio0");
        fs::create_dir(&device).unwrap();
        fs::write(device.join("features"), "0110000100\n").unwrap();
        assert!(freed_memory(balloons.path()).is_none());
        fs::write(device.join("features"), "0110010100\n").unwrap();
        assert!(freed_memory(balloons.path()).is_some_and(|finding| finding.advice.is_some()));
    }

    #[test]
    fn a_probe_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(look(scratch.path()).unwrap().len() >= 8);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        assert!(look(&scratch.path().join("missing")).is_err());
    }
}
