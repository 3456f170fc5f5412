//! Re-blocking an array on disk: [`copy()`] brings it from bricks of one shape into bricks of another, in another order of
//! dimensions, with all ranks and the memory that they have together.
//!
//! The plan comes from `chemio-layout`; here it is carried out, and nothing is decided. Steps are boxes of the source, in arrays
//! in the memory of all ranks that a [`dra::MakeArray`] makes; they are read and written by transfers of [`dra`], of which
//! those of neighbouring steps overlap where the plan has two boxes. A [`Copying`] goes on while the program does something else.
//! [`compare()`] tells whether a target is like its source.
//!
//! ```no_run
//! use dra::{Access, Settings};
//! use layout::Permutation;
//! # use std::path::Path;
//! let ga = ga::Context::new()?;
//! let disk = dra_ga::context(&ga, Settings { memory_bytes: Some(256 << 20), io_processes: None })?;
//! let rows = disk.open(Path::new("/scratch/rows"), Access::ReadOnly)?;
//! let mut columns = disk.open(Path::new("/scratch/columns"), Access::WriteOnly)?;
//! let transposed = Permutation::new(&[1, 0])?;
//! let options = reblock::Options::default();
//! let done = reblock::copy(
//!     &disk,
//!     &dra_ga::maker(&ga),
//!     (&rows, &mut columns),
//!     &transposed,
//!     &options,
//!     &mut |progress| println!("{} of {} bytes", progress.written_bytes, progress.all_bytes),
//! )?;
//! println!("{}", done.plan);
//! columns.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What this crate does not do: integer handles, Fortran's order of dimensions, arrays in memory of any library.
#![forbid(unsafe_code)]

mod between;
mod boxes;
mod compare;
mod contents;
mod copy;
mod copying;
mod error;
mod gathered;
mod journal;
mod pass;
mod populating;
mod prepare;
mod retained;
mod waiting;

pub use compare::{Comparison, compare};
pub use contents::Contents;
pub use copy::{DEVICE_VARIABLE, Options, Outcome, Progress, copy};
pub use copying::Copying;
pub use error::{Error, Result};
pub use prepare::check;
pub use waiting::Waiting;
