//! What MPI says when it has no means for windows between hosts: Debian's Open MPI over TCP, as it is configured. The other suites
//! run with settings under which it has; users will meet this one, so it must stay an error and not become an abort or a hang.

#[path = "support/world.rs"]
#[allow(dead_code, reason = "shared with a suite that needs more of it")]
mod world;

use std::process::ExitCode;

use test_support::{Suite, Variant, scenario};
use world::{Kind, Window, World};

/// `MPI_ERR_WIN` of Open MPI.
const ERR_WIN: i32 = 53;

fn main() -> ExitCode {
    Suite::new(World::start)
        .place(World::place)
        .barrier(World::barrier)
        .abort(World::abort)
        .variant(Variant::named("default-osc").unset("OMPI_MCA_osc"))
        .ranks([])
        .run(&[scenario!(a_window_between_hosts_is_made_or_refused_by_an_error_that_leaves_mpi_usable)])
}

fn a_window_between_hosts_is_made_or_refused_by_an_error_that_leaves_mpi_usable(world: &World) {
    for kind in [Kind::Create, Kind::Allocate] {
        match Window::new(world, kind, 10) {
            Ok(window) => {
                window.put(world.next(), 0, &[42]);
                window.settle();
                assert_eq!(window.get(world.rank(), 0, 1), [42]);
                window.settle();
            }
            Err(class) => assert_eq!(class, ERR_WIN, "{kind:?}"),
        }
        world.barrier();
    }
}
