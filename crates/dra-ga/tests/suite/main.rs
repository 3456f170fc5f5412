//! The MPI suite of disk-resident arrays: every scenario with arrays in node shared memory, which a thread moves, and over RMA,
//! where whoever waits does it, on 1 to 7 ranks and on two test hosts.

mod arguments;
mod damage;
mod lifetime;
mod memory;
mod oracle;
mod world;

use std::process::ExitCode;
use std::time::Duration;
use test_support::{Suite, Variant, scenario};
use world::World;

fn main() -> ExitCode {
    Suite::new(World::start)
        .place(|world| (world.ga.rank(), world.ga.ranks()))
        .barrier(World::barrier)
        .time_limit(Duration::from_secs(300))
        .variant(Variant::named("chosen"))
        .variant(Variant::named("rma").set("CHEMIO_GA_PATH", "rma").hosts(..2))
        .run(&[
            scenario!(oracle::random_transfers_agree_with_a_plain_array),
            scenario!(oracle::transfers_that_overlap_in_bricks_come_in_order),
            scenario!(oracle::large_arrays_go_through_many_bricks_and_shards),
        ])
}
