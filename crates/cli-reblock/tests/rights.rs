//! What others may do with a target, and arguments that ranks do not have in common.

use command::reblocking::check_finished;
use disk_array::{ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn array(path: &Path) -> PathBuf {
    let mut spec = ArraySpec::new(&[40, 30], DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[10, 30]).unwrap());
    ArrayDirectory::create(path, &spec).unwrap();
    path.to_owned()
}

/// Open MPI asks for these where tests run in a container.
fn in_container(command: &mut Command) -> &mut Command {
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1").stdin(Stdio::null())
}

fn modes(path: &Path) -> Vec<u32> {
    let mode = fs::metadata(path).unwrap().mode() & 0o777;
    let inside = if path.is_dir() { fs::read_dir(path).unwrap().collect() } else { vec![] };
    let inside = inside.into_iter().flat_map(|entry| modes(&entry.unwrap().path()));
    std::iter::once(mode).chain(inside).collect()
}

#[test]
fn what_is_private_stays_so() {
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let source = array(&scratch.path().join("source"));
    for (of_directory, of_file, expected) in [(0o700, 0o644, 0o077), (0o755, 0o600, 0o066), (0o755, 0o644, 0)]
    {
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        set(&source, of_directory);
        set(&source.join("zarr.json"), of_file);
        let target = scratch.path().join(format!("{of_directory:o} {of_file:o}"));
        let mut reblock = Command::new(env!("CARGO_BIN_EXE_chemio-reblock"));
        let reblock =
            in_container(reblock.args([&source, &target]).args(["--brick", "40,5", "--ranks", "1"]));
        assert!(reblock.status().unwrap().success());
        check_finished(&ArrayDirectory::open(&target).unwrap()).unwrap();
        assert!(modes(&target).iter().all(|mode| mode & expected == 0), "{:?}", modes(&target));
        assert!(expected != 0 || modes(&target).contains(&0o644), "{:?}", modes(&target));
    }
}

#[test]
fn ranks_with_other_arguments_are_refused_and_nothing_is_made() {
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (source, target) = (array(&scratch.path().join("source")), scratch.path().join("target"));
    let (launcher, first): (_, &[&str]) = match comm::library_name() {
        "Open MPI" => ("mpirun.openmpi", &["--oversubscribe"]),
        _ => ("mpiexec.mpich", &[]),
    };
    let mut launcher = Command::new(launcher);
    for (more, before) in [("--verify", first), ("--restart", &[":"])] {
        launcher.args(before).args(["-n", "1", env!("CARGO_BIN_EXE_chemio-reblock")]);
        launcher.args([&source, &target]).args(["--brick", "40,5", more]);
    }
    let output = in_container(&mut launcher).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("the ranks were given different arguments"), "{text}");
    assert!(!target.exists());
}
