//! One-sided communication on one host and between two test hosts: what the suites of the MPI crates look like, and proof that
//! the test hosts are hosts to MPI.

#[path = "support/world.rs"]
mod world;

use std::fs;
use std::process::ExitCode;

use test_support::{
    Suite, Variant, hosts_count, link_bytes, local_dir, random, random_of, scenario, shared_dir,
};
use world::{Kind, Window, World};

fn main() -> ExitCode {
    Suite::new(World::start)
        .place(World::place)
        .barrier(World::barrier)
        .abort(World::abort)
        .variant(Variant::named("create").set("TEST_WINDOW", "create"))
        .variant(Variant::named("allocate").set("TEST_WINDOW", "allocate"))
        .run(&[
            scenario!(what_is_put_on_another_rank_is_got_back_by_a_third).ranks(2..),
            scenario!(every_ticket_is_drawn_once).ranks(2..),
            scenario!(what_all_ranks_accumulate_adds_up).ranks(2..),
            scenario!(a_node_has_the_ranks_of_its_host),
            scenario!(eight_megabytes_put_on_the_other_host_cross_the_link).hosts(2..).ranks(2..=2),
            scenario!(one_host_has_no_link).hosts(..2),
            scenario!(the_shared_directory_is_everywhere_and_the_local_one_on_one_host),
            scenario!(random_numbers_are_the_same_on_all_ranks_and_differ_by_stream).ranks(2..),
        ])
}

fn window(world: &World, len: usize) -> Window<'_> {
    let kind = if std::env::var("TEST_WINDOW").expect("set by the variant") == "create" {
        Kind::Create
    } else {
        Kind::Allocate
    };
    Window::new(world, kind, len).unwrap_or_else(|class| panic!("no window: MPI's error class {class}"))
}

fn number(count: usize) -> i64 {
    i64::try_from(count).expect("small numbers only")
}

fn what_is_put_on_another_rank_is_got_back_by_a_third(world: &World) {
    const LEN: usize = 1000;
    let window = window(world, LEN);
    let values = |rank: usize| -> Vec<i64> { (0..LEN).map(|i| number(1_000_000 * rank + i)).collect() };
    window.put(world.next(), 0, &values(world.rank()));
    window.settle();
    for owner in 0..world.ranks_count() {
        let writer = (owner + world.ranks_count() - 1) % world.ranks_count();
        assert_eq!(window.get(owner, 0, LEN), values(writer), "on rank {owner}");
    }
    window.settle();
}

fn every_ticket_is_drawn_once(world: &World) {
    const DRAWS_COUNT: usize = 50;
    let ranks_count = world.ranks_count();
    let window = window(world, 1 + DRAWS_COUNT * ranks_count);
    for _ in 0..DRAWS_COUNT {
        let ticket = window.fetch_add(0, 0, 1);
        window.fetch_add(0, 1 + usize::try_from(ticket).expect("a ticket"), 1);
    }
    window.settle();
    let found = window.get(0, 0, 1 + DRAWS_COUNT * ranks_count);
    assert_eq!(found[0], number(DRAWS_COUNT * ranks_count));
    assert!(found[1..].iter().all(|drawn| *drawn == 1), "{found:?}");
    window.settle();
}

fn what_all_ranks_accumulate_adds_up(world: &World) {
    const LEN: usize = 500;
    let window = window(world, LEN);
    let values: Vec<i64> = (0..LEN).map(|i| number(1 + i % 7)).collect();
    for target in 0..world.ranks_count() {
        window.accumulate(target, 0, &values);
    }
    window.settle();
    let sums: Vec<i64> = values.iter().map(|value| value * number(world.ranks_count())).collect();
    assert_eq!(window.get(world.next(), 0, LEN), sums);
    window.settle();
}

fn a_node_has_the_ranks_of_its_host(world: &World) {
    assert_eq!(world.node_size(), world.ranks_count() / hosts_count());
}

fn eight_megabytes_put_on_the_other_host_cross_the_link(world: &World) {
    const LEN: usize = 1 << 20;
    const LEN_BYTES: u64 = 8 << 20;
    let window = window(world, LEN);
    let before = link_bytes().expect("a test host");
    // Nobody begins before all have looked at their counters.
    world.barrier();
    if world.rank() == 0 {
        window.put(1, 0, &vec![7; LEN]);
    }
    window.settle();
    let after = link_bytes().expect("a test host");
    let (sent, received) = (after.sent - before.sent, after.received - before.received);
    let (moved, back) = if world.rank() == 0 { (sent, received) } else { (received, sent) };
    assert!(moved >= LEN_BYTES, "{moved} bytes");
    assert!(moved + back < 2 * LEN_BYTES, "{moved} bytes there and {back} back: not what one put costs");
    assert!(window.get(1, 0, LEN) == vec![7; LEN], "what has arrived differs");
    window.settle();
}

fn one_host_has_no_link(_world: &World) {
    assert_eq!(link_bytes(), None);
}

fn the_shared_directory_is_everywhere_and_the_local_one_on_one_host(world: &World) {
    let name = format!("rank-{}", world.rank());
    for directory in [shared_dir(), local_dir()] {
        fs::write(directory.join(&name), &name).expect("it is writable");
    }
    world.barrier();
    let files_count = |directory| fs::read_dir(directory).expect("it is readable").count();
    assert_eq!(files_count(shared_dir()), world.ranks_count());
    assert_eq!(files_count(local_dir()), world.ranks_count() / hosts_count());
}

fn random_numbers_are_the_same_on_all_ranks_and_differ_by_stream(world: &World) {
    let window = window(world, 2);
    let own = |rank: usize| number(usize::try_from(random_of(rank as u64).u32(..)).expect("32 bits fit"));
    let common = i64::from(random().u32(..));
    window.put(world.rank(), 0, &[common, own(world.rank())]);
    window.settle();
    let next = world.next();
    assert_eq!(window.get(next, 0, 2), [common, own(next)]);
    assert_ne!(own(world.rank()), own(next));
    window.settle();
}
