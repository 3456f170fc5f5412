//! Arrays whose parts are on the hosts' own disks.

use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayDirectory, DataType, DiskArray, Transfer};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const DIMS: [u64; 2] = [60, 50];
const LEN: u32 = 60 * 50;

fn path(name: &str) -> PathBuf {
    test_support::local_dir().join(name)
}

fn create(world: &World, name: &str, files: u64) -> DiskArray {
    let mut spec = spec(&DIMS, &[7, 11]);
    spec.files = files;
    world.disk.create(&path(name), &spec, Access::ReadWrite).expect("created")
}

/// Whether this rank does what one of its host does for all.
fn leads(world: &World) -> bool {
    world.ga.ranks_of_node(world.ga.node())[0] == world.ga.rank()
}

/// Does something on one host, between barriers.
fn on_host(world: &World, node: usize, work: impl FnOnce()) {
    world.barrier();
    if leads(world) && world.ga.node() == node {
        work();
    }
    world.barrier();
}

/// Makes an array in parts that holds these elements.
fn make(world: &World, name: &str, elements: &[u8]) {
    let array = create(world, name, 5);
    transfer(world, &array, Some(elements));
    array.close().expect("closed");
}

/// Writes all elements, if there are any, and reads all.
fn transfer(world: &World, array: &DiskArray, elements: Option<&[u8]>) -> Vec<u8> {
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let memory = world.array(DataType::Float64, &DIMS, elements.unwrap_or(&counted(1, LEN)));
    let in_memory = dra_ga::in_memory(&memory);
    if elements.is_some() {
        array.write(&in_memory, &all).expect("started").wait().expect("written");
        memory.fill(0.0.into()).expect("filled");
    }
    array.read(&in_memory, &all).expect("started").wait().expect("read");
    let found = elements_of(&memory);
    world.barrier();
    memory.destroy().expect("destroyed");
    found
}

fn zeros() -> Vec<u8> {
    vec![0; LEN as usize * 8]
}

/// Opens an array in parts, which has these elements, on this number of hosts and nothing beside it.
fn expect(world: &World, path: &Path, elements: &[u8], hosts: usize) {
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let array = world.disk.open(path, access).expect("opened");
        assert_eq!(array.hosts().len(), hosts);
        assert!(transfer(world, &array, None) == elements, "other elements");
        array.close().expect("closed");
    }
}

fn names(path: &Path) -> Vec<String> {
    let listed = fs::read_dir(path).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = listed.map(|name| name.into_string().expect("a text")).collect();
    names.sort();
    names
}

pub(crate) fn an_array_on_the_hosts_own_disks_is_one_array(world: &World) {
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    for files in [1, 5] {
        let array = create(world, "local", files);
        let hosts = array.hosts().to_vec();
        assert!(hosts.len() == 2 && hosts[0] != hosts[1], "{hosts:?}");
        let memory = world.array(DataType::Float64, &DIMS, &counted(3, LEN));
        array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
        array.close().expect("closed");
        assert_eq!(names(&path("local")), ["c", "zarr.json"], "nothing is left of how it was made");

        // Each host has the shards of its part, and no others.
        let here = ArrayDirectory::open(&path("local")).expect("a Zarr array on each host");
        let part = here.attributes().and_then(|attributes| attributes.part.clone()).expect("a part");
        let count = here.layout().shards_count();
        assert!(count >= 2.max(files), "{count} shards");
        for number in 0..count {
            let is_here = here.shard(number).expect("a whole shard, or none").is_some();
            assert_eq!(is_here, part.has_shard(number), "shard {number} in part {}", part.number);
        }

        let mut array = world.disk.open(&path("local"), Access::ReadWrite).expect("opened");
        assert_eq!(array.hosts(), hosts);
        array.set_attribute("units", Some(1.into())).expect("set on all hosts");
        let turned = world.doubles(&[50, 60]);
        let reversed = Transfer { in_memory: turned.whole(), reversed: true, ..all };
        array.read(&dra_ga::in_memory(&turned), &reversed).expect("started").wait().expect("read");
        let found = turned.view::<f64>().unwrap().to_vec(&turned.whole()).unwrap();
        for (at, value) in (0u32..).zip(found) {
            let expected = at % 60 * 50 + at / 60 + 3;
            assert!((value - f64::from(expected)).abs() < 0.5, "element {at}: {value}");
        }
        // A part of some bricks of both hosts.
        let patch = section(&[3, 4], &[57, 45]);
        let transfer = Transfer { in_memory: patch, on_disk: patch, reversed: false };
        array.write(&dra_ga::in_memory(&memory), &transfer).expect("started").wait().expect("written");
        memory.fill(0.0.into()).expect("filled");
        array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
        assert_eq!(elements_of(&memory), counted(3, LEN));
        world.barrier();
        memory.destroy().expect("destroyed");
        turned.destroy().expect("destroyed");
        array.delete().expect("deleted");
        assert!(!path("local").exists(), "gone on every host");
        // Before it is made again.
        world.barrier();
    }
}

/// As two jobs leave, each on one host, which ran the same program.
pub(crate) fn arrays_that_hosts_have_made_by_themselves_are_not_taken_for_one(world: &World) {
    let node = world.ga.node();
    if leads(world) {
        let mut spec = spec(&DIMS, &[7, 11]);
        spec.attributes.id = Some(format!("of a job on host {node}"));
        ArrayDirectory::create(&path("alone"), &spec).expect("created");
    }
    world.barrier();
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let text = world.all_fail(world.disk.open(&path("alone"), access));
        assert!(text.contains("different arrays of this name"), "{text}");
    }
    world.disk.remove(&path("alone")).expect("removed on both");
    world.barrier();
}

pub(crate) fn a_part_that_is_missing_is_told_by_its_number(world: &World) {
    let array = create(world, "missing", 2);
    array.close().expect("closed");
    let (node, leads) = (world.ga.node(), leads(world));
    world.barrier();
    let [here, aside] = ["missing", "aside"].map(path);
    if leads && node == 1 {
        fs::rename(&here, &aside).unwrap();
    }
    world.barrier();
    let text = world.all_fail(world.disk.open(&here, Access::ReadOnly));
    assert!(text.starts_with("-1 rank") && text.contains("no such array"), "{text}");
    // The other host has a copy of the first one's part.
    let metadata = fs::read_to_string(if node == 0 { &here } else { &aside }.join("zarr.json")).unwrap();
    world.barrier();
    if leads && node == 1 {
        fs::create_dir(&here).unwrap();
        fs::write(here.join("zarr.json"), metadata.replace("\"number\": 1", "\"number\": 0")).unwrap();
    }
    world.barrier();
    let text = world.all_fail(world.disk.open(&here, Access::ReadOnly));
    assert!(text.contains("part 1 of 2 is on no host of this job"), "{text}");
    if leads && node == 1 {
        fs::remove_dir_all(&here).unwrap();
        fs::rename(&aside, &here).unwrap();
    }
    world.barrier();
    world.disk.open(&here, Access::ReadOnly).expect("whole again").delete().expect("deleted");
}

/// Makes an array in place of another one where `obstacle` comes in the way of the second host, as soon as it has begun.
fn replace_with_obstacle(world: &World, name: &str, obstacle: &Path) -> dra::Result<DiskArray> {
    let has_begun = path(name).join(".chemio-new/c");
    let is_over = AtomicBool::new(false);
    let obstruct = || {
        while !is_over.load(Ordering::Relaxed) {
            if has_begun.is_dir() {
                // It comes too late where the file is there already.
                let made = fs::create_dir_all(obstacle);
                assert!(
                    made.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::AlreadyExists),
                    "{made:?}"
                );
                return;
            }
        }
    };
    let mut spec = spec(&DIMS, &[7, 11]);
    spec.files = 5;
    thread::scope(|scope| {
        if leads(world) && world.ga.node() == 1 {
            scope.spawn(obstruct);
        }
        let replaced = world.disk.create(&path(name), &spec, Access::ReadWrite);
        is_over.store(true, Ordering::Relaxed);
        replaced
    })
}

pub(crate) fn an_array_that_one_host_cannot_replace_stays_on_all(world: &World) {
    let old = counted(3, LEN);
    // What is in the way of the new metadata while they are made, and of the old ones when they go.
    for obstacle in [".chemio-new/zarr.json", ".chemio-old/zarr.json"] {
        let obstacle = path("stays").join(obstacle);
        let has_failed = (0..20).any(|_| {
            make(world, "stays", &old);
            match replace_with_obstacle(world, "stays", &obstacle) {
                Err(error) => {
                    let text = world.all_fail::<()>(Err(error));
                    assert!(text.contains("zarr.json"), "{text}");
                    true
                }
                // The obstacle came too late.
                Ok(array) => {
                    array.close().expect("closed");
                    false
                }
            }
        });
        assert!(has_failed, "it was never in the way");
        expect(world, &path("stays"), &old, 2);
        // The second one is in the way of deleting, too.
        on_host(world, 1, || fs::remove_dir_all(path("stays").join(".chemio-old")).unwrap_or_default());
    }
    if world.ga.node() == 0 {
        assert_eq!(names(&path("stays")), ["c", "zarr.json"]);
    }
    world.barrier();
    world.disk.remove(&path("stays")).expect("removed");
    assert!(!path("stays").exists());
}

/// Leaves what a kill leaves when the first host has the new array in its place, and the second one has it beside the old one, whose elements
/// these are.
fn kill_between_hosts(world: &World, name: &str, elements: &[u8]) {
    make(world, name, elements);
    let [here, aside] = [path(name), path("aside")];
    on_host(world, 1, || fs::rename(&here, &aside).unwrap());
    create(world, name, 5).close().expect("closed");
    on_host(world, 1, || {
        fs::rename(&here, aside.join(".chemio-new")).unwrap();
        fs::rename(&aside, &here).unwrap();
    });
}

pub(crate) fn an_array_whose_making_was_killed_between_hosts_gets_its_other_parts(world: &World) {
    let old = counted(3, LEN);
    let here = path("killed");
    let leave: [&dyn Fn(); 4] = [
        &|| {},
        // The second host had begun to move the old array away, and had done so.
        &|| {
            fs::create_dir(here.join(".chemio-old")).unwrap();
            fs::rename(here.join("zarr.json"), here.join(".chemio-old/zarr.json")).unwrap();
        },
        &|| {
            fs::create_dir(here.join(".chemio-old")).unwrap();
            for name in ["zarr.json", "c"] {
                fs::rename(here.join(name), here.join(".chemio-old").join(name)).unwrap();
            }
        },
        // And the new shards had their place.
        &|| {
            fs::create_dir(here.join(".chemio-old")).unwrap();
            for name in ["zarr.json", "c"] {
                fs::rename(here.join(name), here.join(".chemio-old").join(name)).unwrap();
            }
            fs::rename(here.join(".chemio-new/c"), here.join("c")).unwrap();
        },
    ];
    for leave in leave {
        kill_between_hosts(world, "killed", &old);
        on_host(world, 1, leave);
        expect(world, &here, &zeros(), 2);
        assert_eq!(names(&here), ["c", "zarr.json"]);
        let array = world.disk.open(&here, Access::ReadWrite).expect("opened");
        assert!(transfer(world, &array, Some(&old)) == old);
        array.delete().expect("deleted");
        world.barrier();
    }
    // Another array, of files that this file system does not take, does not come in its place. Some take files of any size.
    let mut takes = [i64::from(takes_files_of(1 << 46))];
    world.disk.comm().broadcast(&mut takes, 0).expect("told");
    if takes == [0] {
        kill_between_hosts(world, "killed", &old);
        let too_large = spec(&[1 << 50, 8], &[1 << 40, 8]);
        world.all_fail(world.disk.create(&here, &too_large, Access::ReadWrite));
        expect(world, &here, &zeros(), 2);
    }
    // What the second host has beside the old array is not the rest of what the first one has.
    kill_between_hosts(world, "killed", &old);
    on_host(world, 1, || {
        let metadata = here.join(".chemio-new/zarr.json");
        let text = fs::read_to_string(&metadata).unwrap();
        fs::write(metadata, text.replace("\"array\": \"", "\"array\": \"not-")).unwrap();
    });
    let text = world.all_fail(world.disk.open(&here, Access::ReadOnly));
    assert!(text.starts_with("1 the ranks disagree"), "{text}");
    world.disk.remove(&here).expect("removed");
    world.barrier();
}

fn takes_files_of(len_bytes: u64) -> bool {
    let probe = path("long");
    let takes = fs::File::create(&probe).and_then(|file| file.set_len(len_bytes)).is_ok();
    let _ = fs::remove_file(&probe);
    takes
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            copy_tree(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

pub(crate) fn parts_that_are_collected_in_one_directory_are_the_array(world: &World) {
    let elements = counted(3, LEN);
    make(world, "apart", &elements);
    let collected = World::path("collected");
    on_host(world, 0, || copy_tree(&path("apart"), &collected));
    let text = world.all_fail(world.disk.open(&collected, Access::ReadOnly));
    assert!(text.contains("part 1 of 2 is on no host of this job"), "{text}");
    on_host(world, 1, || copy_tree(&path("apart"), &collected));
    expect(world, &collected, &elements, 0);
    let other = counted(9, LEN);
    let array = world.disk.open(&collected, Access::ReadWrite).expect("opened");
    assert!(transfer(world, &array, Some(&other)) == other);
    array.close().expect("closed");
    expect(world, &collected, &other, 0);
    // Each host has a copy of all of them.
    on_host(world, 0, || copy_tree(&collected, &path("copies")));
    on_host(world, 1, || copy_tree(&collected, &path("copies")));
    let array = world.disk.open(&path("copies"), Access::ReadOnly).expect("opened");
    assert!(transfer(world, &array, None) == other);
    array.close().expect("closed");
    let text = world.all_fail(world.disk.open(&path("copies"), Access::ReadWrite));
    assert!(text.contains("each host has all parts"), "{text}");
    on_host(world, 0, || fs::remove_dir_all(path("copies")).unwrap());
    on_host(world, 1, || fs::remove_dir_all(path("copies")).unwrap());
    // The parts are what they were.
    expect(world, &path("apart"), &elements, 2);
    for path in [&collected, &path("apart")] {
        world.disk.remove(path).expect("removed");
        world.barrier();
        assert!(!path.exists());
    }
}
