//! How the MPI crates of chemio are tested.
//!
//! An MPI integration test is a test binary with `harness = false` that is its own launcher. `cargo test` starts it without
//! MPI; it then starts itself under the launcher of the MPI it was linked with, once for every number of ranks, on one
//! host and on two test hosts, in every [`Variant`]; each of these *launches* runs all its [`Scenario`]s.
//!
//! ```no_run
//! use test_support::{Suite, Variant, scenario};
//!
//! struct World; // holds what the scenarios use: a communicator, a context
//!
//! fn start() -> World {
//!     World // MPI is initialised here
//! }
//!
//! fn a_put_is_seen_by_its_owner(_world: &World) {}
//! fn two_ranks_swap(_world: &World) {}
//!
//! fn main() -> std::process::ExitCode {
//!     Suite::new(start)
//!         .variant(Variant::named("shm").set("CHEMIO_GA_PATH", "shm").hosts(..2))
//!         .variant(Variant::named("rma").set("CHEMIO_GA_PATH", "rma"))
//!         .run(&[scenario!(a_put_is_seen_by_its_owner), scenario!(two_ranks_swap).ranks(2..)])
//! }
//! ```
//!
//! `cargo test -p chemio-ga --test suite -- swap --ranks 2 --variant rma --hosts 2` runs a part; `-- --help` lists the rest.
//! `mpirun -n 2 target/debug/deps/suite-... swap` works too, under a debugger for instance.
//!
//! - **Which MPI** is seen from the libraries the binary was linked with. `MPICC=mpicc.mpich cargo test --target-dir DIR`
//!   builds for another one; the directory must be another, because `mpi-sys` does not notice a changed `MPICC`.
//! - **A rank that panics** prints who and where it is and takes the other ranks with it. A launch that takes too long is
//!   ended, with all its processes on all hosts; so is one whose `cargo test` was killed.
//! - **Two test hosts** are namespaces joined by a virtual cable ([`TwoHosts`]): own host names, own shared memory, own
//!   loopback, and every byte between them counted ([`link_bytes`]).
//! - **What cannot run here**, a launch or a scenario that says so by [`note_not_run`], is reported as "not run" and is no pass: the
//!   exit status is then 77, or 1 where `CHEMIO_TEST_REQUIRE_ALL` is set.
//! - **Random numbers** come from [`seed()`]: the same on all ranks, printed with a failure, set by `CHEMIO_TEST_SEED`.
//!
//! What it does not do: call MPI. The suite brings that; Linux only.

mod environment;
mod job;
mod journal;
mod launch;
mod launcher;
mod layout;
mod link;
mod mpi;
mod options;
mod processes;
mod rank;
mod report;
mod scenario;
mod scratch;
mod seed;
mod suite;
mod two_hosts;
mod unavailable;
mod variant;

pub use environment::{exit_code, hosts_count, local_dir, note_not_run, shared_dir};
pub use fastrand::Rng;
pub use job::{job, run_on_two_hosts, run_within};
pub use link::{LinkBytes, link_bytes};
pub use scenario::Scenario;
pub use seed::{random, random_of, seed};
pub use suite::Suite;
pub use two_hosts::TwoHosts;
pub use unavailable::Unavailable;
pub use variant::Variant;
