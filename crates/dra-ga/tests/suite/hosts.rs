//! Arrays whose parts are on the hosts' own disks.

use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayDirectory, DataType, DiskArray, Transfer};
use std::path::PathBuf;

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

pub(crate) fn an_array_on_the_hosts_own_disks_is_one_array(world: &World) {
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    for files in [1, 5] {
        let array = create(world, "local", files);
        let hosts = array.hosts().to_vec();
        assert!(hosts.len() == 2 && hosts[0] != hosts[1], "{hosts:?}");
        let memory = world.array(DataType::Float64, &DIMS, &counted(3, LEN));
        array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
        array.close().expect("closed");

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
    if world.ga.ranks_of_node(node)[0] == world.ga.rank() {
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
    let node = world.ga.node();
    let leads = world.ga.ranks_of_node(node)[0] == world.ga.rank();
    world.barrier();
    let [here, aside] = ["missing", "aside"].map(path);
    if leads && node == 1 {
        std::fs::rename(&here, &aside).unwrap();
    }
    world.barrier();
    let text = world.all_fail(world.disk.open(&here, Access::ReadOnly));
    assert!(text.starts_with("-1 rank") && text.contains("no such array"), "{text}");
    // The other host has a copy of the first one's part.
    let metadata = std::fs::read_to_string(if node == 0 { &here } else { &aside }.join("zarr.json")).unwrap();
    world.barrier();
    if leads && node == 1 {
        std::fs::create_dir(&here).unwrap();
        std::fs::write(here.join("zarr.json"), metadata.replace("\"number\": 1", "\"number\": 0")).unwrap();
    }
    world.barrier();
    let text = world.all_fail(world.disk.open(&here, Access::ReadOnly));
    assert!(text.contains("part 1 of 2 is on no host of this job"), "{text}");
    if leads && node == 1 {
        std::fs::remove_dir_all(&here).unwrap();
        std::fs::rename(&aside, &here).unwrap();
    }
    world.barrier();
    world.disk.open(&here, Access::ReadOnly).expect("whole again").delete().expect("deleted");
}
