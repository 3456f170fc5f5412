//! The ranks of a parallel program: MPI, started once and by whoever came first, and communicators of our own.
//!
//! - [`Mpi`] is the right to call MPI. The host program may have initialised it at any thread level; what it started
//!   it finalises, what we started we do, when the last user is gone. [`Mpi::enter`] keeps calls within the level.
//! - [`Comm`] is a communicator that belongs to us: the program's messages never meet ours, and errors of MPI are returned.
//! - [`Comm::agree`] makes the error of one rank the error of all.
//! - [`MemoryFile`] is memory that the ranks of a node have in common, and [`Mapping`] has it, or a rank's own, at an address.
//!
//! What it does not do: send messages between two ranks, windows (the crate `ga` has them), threads.
//!
//! ```no_run
//! let world = comm::Comm::world()?;
//! let mut longest = [world.rank() as f64];
//! world.all_reduce(&mut longest, comm::Operation::Max)?;
//! # Ok::<(), comm::Error>(())
//! ```

mod agree;
mod caught;
mod collective;
mod communicator;
mod error;
mod global_arrays;
mod launcher;
mod mapping;
mod memory_file;
mod mpi;
mod number;

pub use ::mpi::ffi;
pub use agree::{Failure, NumberedFailure};
pub use caught::message_of_panic;
pub use communicator::Comm;
pub use error::{Error, Result};
pub use launcher::{fits_library, library_name};
pub use mapping::{HUGE_PAGE_BYTES, Mapping};
pub use memory_file::MemoryFile;
pub use mpi::{Entered, Mpi};
pub use number::{Number, Operation, Reducible};
