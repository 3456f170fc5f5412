//! Creating files: together, the same everywhere, and found again.

use crate::STRIPES;
use crate::world::{World, assert_same, is_striped, pattern, stripes_of};
use rustix::process::{Resource, Rlimit, setrlimit};
use sf::{Error, Hints, SharedFile, codes};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

fn create(world: &World, path: &Path) -> sf::Result<SharedFile> {
    SharedFile::create(&world.comm, path, &Hints::default())
}

pub(crate) fn ranks_that_disagree_are_all_told_who(world: &World) {
    let last = world.ranks() - 1;
    if last == 0 {
        return;
    }
    let name = if world.rank() == last { "the other name" } else { "a name" };
    let error = world.all_fail(create(world, &World::path(name)));
    assert!(
        matches!(&error, Error::ArgumentsDiffer { rank, path } if *rank == last && path.ends_with("a name"))
    );
    assert_eq!(error.code(), codes::FAILED);
    assert!(!World::path("a name").exists() && !World::path("the other name").exists());
}

/// Of a package that ignores them, programs may give what each rank happens to know.
pub(crate) fn ranks_may_give_different_hints(world: &World) {
    let path = World::path("hinted");
    let (first, last) = (world.is_first(), world.ranks() - 1);
    let hints = Hints {
        // The last rank has the largest, and the others an eighth.
        hard_limit_bytes: Some(if world.rank() == last { 8 << 20 } else { 1 << 20 }),
        soft_limit_bytes: (world.rank() == last).then_some(4 << 20),
        request_bytes: first.then_some(128 << 10),
    };
    let file = SharedFile::create(&world.comm, &path, &hints).expect("hints are optional");
    if first {
        let files = if is_striped() { stripes_of("hinted") } else { vec![path.clone()] };
        let reserved: u64 = files.iter().map(|file| fs::metadata(file).unwrap().blocks() * 512).sum();
        assert!((4 << 20..5 << 20).contains(&reserved), "{reserved} bytes are reserved");
        let description = fs::read_to_string(&path).unwrap();
        assert!(!is_striped() || description.contains("131072"), "{description}");
    }
    world.barrier();
    let mine = 1000 * world.rank() as u64;
    file.awrite(mine, pattern(world.rank(), mine, 1000)).unwrap().wait().unwrap();
    world.barrier();
    for rank in 0..world.ranks() {
        let mut found = vec![0; 1000];
        file.read(1000 * rank as u64, &mut found).unwrap();
        assert_same(&found, &pattern(rank, 1000 * rank as u64, 1000), "with different hints");
    }
    world.barrier();
    let beyond = file.write((1 << 20) - 1, &[1; 2]);
    if world.rank() == last {
        beyond.expect("within its own limit");
    } else {
        assert!(matches!(beyond, Err(Error::HardLimit { limit_bytes, .. }) if limit_bytes == 1 << 20));
    }
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn a_hard_limit_that_one_rank_does_not_give_limits_no_other(world: &World) {
    let rank = world.rank();
    let hard_limit_bytes = (rank > 0).then_some(1000);
    let hints = Hints { hard_limit_bytes, soft_limit_bytes: Some(2 << 20), ..Hints::default() };
    let file = SharedFile::create(&world.comm, &World::path("unlimited"), &hints).unwrap();
    let written = file.write(5000, &[1; 10]);
    assert_eq!(written.is_ok(), rank == 0, "{written:?}");
    if rank == 0 {
        let files = if is_striped() { stripes_of("unlimited") } else { vec![World::path("unlimited")] };
        let reserved: u64 = files.iter().map(|file| fs::metadata(file).unwrap().blocks() * 512).sum();
        assert!(reserved >= 2 << 20, "{reserved} bytes are reserved");
    }
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn a_link_that_leads_nowhere_yet_is_where_the_file_is_made(world: &World) {
    let (link, beyond) = (World::path("a link"), World::path("beyond"));
    if world.is_first() {
        fs::create_dir(&beyond).unwrap();
        // Relative, by way of another link.
        std::os::unix::fs::symlink("beyond/next", &link).unwrap();
        std::os::unix::fs::symlink("file", beyond.join("next")).unwrap();
    }
    world.barrier();
    let file = create(world, &link).expect("made");
    if world.is_first() {
        file.write(0, &pattern(1, 0, 9000)).unwrap();
    }
    world.barrier();
    assert!(beyond.join("file").is_file());
    let mut found = vec![0; 9000];
    file.read(0, &mut found).unwrap();
    assert_same(&found, &pattern(1, 0, 9000), "through links");
    file.destroy().unwrap();
    assert!(fs::symlink_metadata(&link).is_err());
    // What it has led to stays, and is of use: a file with data, or a name for another one.
    let left = create(world, &beyond.join("file")).expect("found or made");
    left.destroy().unwrap();
    world.barrier();
}

pub(crate) fn what_cannot_be_made_is_the_same_error_everywhere(world: &World) {
    let missing = World::path("no directory").join("file");
    let error = world.all_fail(create(world, &missing));
    assert!(matches!(error, Error::OnRank { rank: 0, code: codes::DEVICE_OPEN, .. }), "{error:?}");
    assert!(error.to_string().contains("No such file or directory"), "{error}");
    // So that who has little room for the message can shorten that.
    assert_eq!(error.path(), Some(&*missing), "{error:?}");
    assert!(error.to_string().ends_with(missing.to_str().unwrap()), "{error}");
    if world.is_first() {
        fs::create_dir(World::path("directory")).unwrap();
        fs::write(World::path("plain"), "data").unwrap();
    }
    world.barrier();
    let error = world.all_fail(create(world, &World::path("directory")));
    assert!(error.to_string().contains("not a regular file"), "{error}");
    let error = world.all_fail(create(world, &World::path("plain").join("below")));
    assert!(matches!(error, Error::OnRank { rank: 0, code: codes::DEVICE_OPEN, .. }), "{error:?}");
    world.all_fail(create(world, Path::new("")));
    world.all_fail(create(world, &World::path(&"long".repeat(100))));
    world.all_fail(create(world, Path::new("/dev/null")));
    assert_eq!(fs::read(World::path("plain")).unwrap(), b"data");
    world.barrier();
}

pub(crate) fn a_file_is_found_again_with_other_hints(world: &World) {
    let path = World::path("again");
    let len = 700_000;
    let mine = (world.rank() * len) as u64;
    let hints = Hints { request_bytes: Some(100_000), ..Hints::default() };
    let file = SharedFile::create(&world.comm, &path, &hints).unwrap();
    file.write(mine, &pattern(world.rank(), mine, len)).unwrap();
    drop(file);
    world.barrier();
    for request_bytes in [None, Some(3 << 20)] {
        let hints = Hints { request_bytes, soft_limit_bytes: Some(1 << 20), ..Hints::default() };
        let file = SharedFile::create(&world.comm, &path, &hints).unwrap();
        assert_eq!(file.path(), path);
        let all = world.ranks() * len;
        assert_eq!(file.len_bytes().unwrap(), all as u64);
        let mut found = vec![0; all];
        file.read(0, &mut found).unwrap();
        for rank in 0..world.ranks() {
            assert_same(&found[rank * len..][..len], &pattern(rank, (rank * len) as u64, len), "found again");
        }
        world.barrier();
        if request_bytes.is_some() {
            file.destroy().unwrap();
        }
    }
    assert!(!path.exists() && stripes_of("again").is_empty());
}

/// Whatever `CHEMIO_SF_DIRS` says now.
pub(crate) fn a_plain_file_stays_one_and_a_described_one_is_found(world: &World) {
    let (plain, described) = (World::path("was plain"), World::path("described"));
    let stripes = [0, 1, 2].map(|stripe| World::path(&format!("described.0123456789abcdef.stripe{stripe}")));
    if world.is_first() {
        fs::write(&plain, "plain data").unwrap();
        let names: Vec<String> = stripes.iter().map(|stripe| format!("\"{}\"", stripe.display())).collect();
        let text = format!(
            r#"{{"format":"chemio-striped-file","version":1,"stripe_bytes":4096,"stripes":[{}]}}"#,
            names.join(",")
        );
        fs::write(&described, text).unwrap();
        for (number, stripe) in (1..).zip(&stripes) {
            fs::write(stripe, [number; 4096]).unwrap();
        }
    }
    world.barrier();
    let file = create(world, &plain).unwrap();
    let mut found = [0; 10];
    file.read(0, &mut found).unwrap();
    assert_eq!(&found, b"plain data");
    world.barrier();
    file.destroy().unwrap();
    let file = create(world, &described).unwrap();
    assert_eq!(file.len_bytes().unwrap(), 3 * 4096);
    let mut found = [0; 4096 + 2];
    file.read(4095, &mut found).unwrap();
    assert_eq!((found[0], found[1], found[4096], found[4097]), (1, 2, 2, 3));
    world.barrier();
    file.destroy().unwrap();
    assert!(stripes.iter().chain([&plain, &described]).all(|path| !path.exists()));
}

pub(crate) fn a_description_that_makes_no_sense_is_refused_and_kept(world: &World) {
    let path = World::path("nonsense");
    for (text, why) in [
        (r#"{"format":"chemio-striped-file","version":9}"#, "version 9"),
        (
            r#"{"format":"chemio-striped-file","version":1,"stripe_bytes":7,"stripes":["/x"]}"#,
            "units of 7 bytes",
        ),
        (
            r#"{"format":"chemio-striped-file","version":1,"stripe_bytes":4096,"stripes":["/nowhere/x.0123456789abcdef.stripe0"]}"#,
            "No such file or directory",
        ),
        (
            r#"{"format":"chemio-striped-file","version":1,"stripe_bytes":4096,"stripes":["/etc/passwd"]}"#,
            "has not the name of stripe 0",
        ),
    ] {
        if world.is_first() {
            fs::write(&path, text).unwrap();
        }
        world.barrier();
        let error = world.all_fail(create(world, &path));
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        world.barrier();
    }
}

pub(crate) fn names_of_one_kind_in_two_directories_are_two_files(world: &World) {
    let [one, two] = ["one", "two"].map(World::path);
    if world.is_first() {
        fs::create_dir(&one).unwrap();
        fs::create_dir(&two).unwrap();
    }
    world.barrier();
    let files = [one.join("same"), two.join("same")].map(|path| create(world, &path).unwrap());
    let mine = 9 * world.rank() as u64;
    files[0].write(mine, b"first one").unwrap();
    files[1].write(mine, b"second 1!").unwrap();
    assert_eq!(stripes_of("same").len(), if is_striped() { 4 } else { 0 });
    world.barrier();
    let [first, second] = files;
    first.destroy().unwrap();
    let mut found = [0; 9];
    second.read(mine, &mut found).unwrap();
    assert_eq!(&found, b"second 1!");
    world.barrier();
    second.destroy().unwrap();
    assert!(stripes_of("same").is_empty());
}

pub(crate) fn a_directory_of_one_host_is_recognised(world: &World) {
    let path = test_support::local_dir().join("local");
    for left_by_an_earlier_run in [false, true] {
        if left_by_an_earlier_run {
            fs::write(&path, "left").unwrap();
        }
        world.barrier();
        let error = world.all_fail(create(world, &path));
        let text = error.to_string();
        assert!(text.contains("use a directory that all hosts share"), "{text}");
        assert!(text.contains("test-host-a") && text.contains("test-host-b"), "{text}");
        world.barrier();
        let names: Vec<_> =
            fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(names.contains(&path), left_by_an_earlier_run, "{names:?}");
        assert!(!names.iter().any(|name| name.to_string_lossy().contains(".chemio-")), "{names:?}");
        assert!(stripes_of("local").is_empty());
        world.barrier();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "left");
}

/// A relative name is the file of the directory that a rank is in.
pub(crate) fn a_rank_in_another_working_directory_is_told_what_it_finds_there(world: &World) {
    let last = world.ranks() - 1;
    if last == 0 {
        return;
    }
    let directories = ["here", "there"].map(World::path);
    if world.is_first() {
        for directory in &directories {
            fs::create_dir(directory).unwrap();
        }
        fs::write(directories[1].join("other"), "other").unwrap();
    }
    world.barrier();
    let before = std::env::current_dir().unwrap();
    std::env::set_current_dir(&directories[usize::from(world.rank() == last)]).unwrap();
    let errors = ["none", "other"].map(|name| create(world, Path::new(name)));
    std::env::set_current_dir(before).unwrap();
    for error in errors {
        let error = world.all_fail(error);
        assert!(
            matches!(error, Error::OnRank { rank, code: codes::FAILED, .. } if rank == last),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(text.contains("another working directory"), "{text}");
        assert!(text.contains(directories[1].to_str().unwrap()), "{text}");
    }
    assert!(["none", "other"].iter().all(|name| !directories[0].join(name).exists()));
    assert_eq!(fs::read_to_string(directories[1].join("other")).unwrap(), "other");
    world.barrier();
}

/// The last rank has as many files open as it may, for good.
/// Returns when this process has no file of the tests open any more: threads give some back after the files were closed.
fn await_descriptors_closed() {
    let begun = Instant::now();
    let is_of_tests = |file: &Path| {
        file.starts_with(test_support::shared_dir()) || STRIPES.iter().any(|place| file.starts_with(place))
    };
    let open = || {
        let descriptors = fs::read_dir("/proc/self/fd").unwrap();
        descriptors
            .filter_map(|descriptor| fs::read_link(descriptor.ok()?.path()).ok())
            .find(|file| is_of_tests(file))
    };
    while let Some(file) = open() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} stays open", file.display());
        sleep(Duration::from_millis(5));
    }
}

pub(crate) fn a_rank_that_cannot_open_is_the_error_of_all(world: &World) {
    let last = world.ranks() - 1;
    let kept = create(world, &World::path("kept")).unwrap();
    if world.is_first() {
        kept.write(0, b"kept").unwrap();
    }
    kept.abandon().unwrap();
    world.barrier();
    if world.rank() == last {
        // The limit is on the number of a descriptor: the next one is the first too many, if none before it becomes free.
        await_descriptors_closed();
        let next = u64::try_from(fs::File::open("/dev/null").unwrap().as_raw_fd()).unwrap();
        setrlimit(Resource::Nofile, Rlimit { current: Some(next), maximum: Some(next) }).unwrap();
    }
    let errors = ["refused", "kept"].map(|name| create(world, &World::path(name)));
    for error in errors {
        let error = world.all_fail(error);
        let of_last = matches!(&error, Error::OnRank { rank, code, .. } if *rank == last && *code == codes::DEVICE_OPEN);
        assert!(of_last && error.to_string().contains("Too many open files"), "{error:?}");
    }
    // Rank 0 looks: another may not be able to open a directory any more.
    if world.is_first() && world.ranks() > 1 {
        assert!(!World::path("refused").exists() && stripes_of("refused").is_empty());
        assert!(is_striped() || fs::read_to_string(World::path("kept")).unwrap() == "kept");
    }
    world.barrier();
}

/// As after a job whose directories of stripes were emptied behind it.
pub(crate) fn a_file_whose_stripes_are_gone_says_which_name_is_to_be_removed(world: &World) {
    let path = World::path("stripes gone");
    let file = world.create("stripes gone");
    file.write(10 * world.rank() as u64, &[1; 10]).unwrap();
    file.abandon().unwrap();
    world.barrier();
    if world.is_first() {
        for stripe in stripes_of("stripes gone") {
            fs::remove_file(stripe).unwrap();
        }
    }
    world.barrier();
    if is_striped() {
        let error = world.all_fail(create(world, &path));
        assert!(matches!(error, Error::OnRank { rank: 0, code: codes::DEVICE_OPEN, .. }), "{error:?}");
        assert!(error.to_string().contains("if it does not come back, remove the name"), "{error}");
        assert_eq!(error.path(), Some(&*path));
        if world.is_first() {
            fs::remove_file(&path).unwrap();
        }
        world.barrier();
    }
    let file = world.create("stripes gone");
    let len = if is_striped() { 0 } else { 10 * world.ranks() as u64 };
    assert_eq!(file.len_bytes().unwrap(), len);
    world.barrier();
    file.destroy().unwrap();
}
