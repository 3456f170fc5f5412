//! Arrays whose parts are on the hosts' own disks.

use crate::world::{World, counted, permuted, spec};
use dra::{Access, ArrayDirectory, DataType};
use layout::{DeviceModel, Permutation};
use reblock::Options;

pub(crate) fn arrays_on_the_hosts_own_disks_are_re_blocked(world: &World) {
    let dims = [60, 50];
    let path = |name: &str| test_support::local_dir().join(name);
    let turned = Permutation::new(&[1, 0]).unwrap();
    // With memory for one pass, and on a device on which several are better.
    for (memory_bytes, operations_per_second, several) in [(100_000, 100_000, false), (1_000, 2_000, true)] {
        let disk = world.context(memory_bytes);
        let elements = counted(dims.iter().product());
        let mut from = spec(&dims, &[2, 50], DataType::Float64);
        from.files = 3;
        let source = world.source(&disk, &path("source"), &from, &elements);
        let to = spec(&[50, 60], &[2, 60], DataType::Float64);
        let mut target = disk.create(&path("target"), &to, Access::ReadWrite).expect("created");
        assert!(source.hosts().len() == 2 && target.hosts().len() == 2);
        let device = DeviceModel { operations_per_second, page_bytes: 8, ..DeviceModel::default() };
        let options = Options { device, ..Options::default() };
        let done = world.copy(&disk, (&source, &mut target), &turned, &options).expect("copied");
        assert_eq!(done.plan.passes().len() > 1, several, "{}", done.plan);
        assert!(world.elements(&target) == permuted(&elements, &dims, &turned, 8));
        // On neither host is anything left.
        let beside = ArrayDirectory::open(&path("target.pass-1"));
        assert!(beside.is_err() && target.unfinished().expect("looked").is_none());
        for array in [source, target] {
            array.delete().expect("deleted");
        }
        world.barrier();
    }
}
