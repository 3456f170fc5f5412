//! Exclusive access files: private scratch files of one process, on disk or in memory.
//!
//! A [`File`] is a byte-addressable array on secondary storage. There is no file pointer: every transfer names its
//! offset. Reads and writes block, or start a [`Request`] that is waited for later, so that computing and disk overlap.
//! A file of [`Kind::Memory`] has the same calls and lives in memory until it is deleted.
//!
//! What this crate does not do: it knows no MPI, shares no file between processes, and never prints. Integer handles,
//! Fortran strings and error numbers as results are the business of `chemio-capi`; the numbers themselves are in
//! [`codes`].
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let name = directory.path().join("integrals.0");
//! let file = eaf::File::open(&name, eaf::Kind::ReadWrite)?;
//! let request = file.awrite(0, vec![7; 4096])?;
//! // ... compute the next record ...
//! let (_, mut buffer) = request.finish()?;
//! file.read(0, &mut buffer)?;
//! assert!(buffer.iter().all(|&byte| byte == 7));
//! file.close()?;
//! eaf::File::delete(&name)?;
//! # Ok(())
//! # }
//! ```
//!
//! Source: the `ChemIO` paper, section 4.2.
#![forbid(unsafe_code)]

pub mod codes;
mod error;
mod file;
mod memory_file;
mod request;
mod statistics;

pub use elio::{
    FileSystem, ForeignBuffer, RequestBuffer, RequestBufferMut, Stat, Tally, finish_writes_in_calls,
};
pub use error::{Error, Result};
pub use file::{File, Kind, stat};
pub use request::Request;
pub use statistics::{Report, Statistics};
