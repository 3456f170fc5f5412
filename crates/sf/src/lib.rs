//! Shared files: one byte-addressable file for all ranks of a program.
//!
//! Ranks make and remove a [`SharedFile`] together; everything else each does by itself. There is no file pointer: every
//! transfer names its offset. Bytes that nobody wrote read as zero, reading past the end is an error, and who may write
//! where is the program's business. What a rank has written and waited for, every other rank reads.
//!
//! ```no_run
//! # use sf::{Hints, SharedFile};
//! # use std::{path::Path, sync::Arc};
//! let world = Arc::new(comm::Comm::world()?);
//! let file = SharedFile::create(&world, Path::new("/scratch/amplitudes"), &Hints::default())?;
//! let mine = 8000 * world.rank() as u64;
//! let mut request = file.awrite(mine, vec![1; 8000])?;
//! // ... compute ...
//! request.wait()?;
//! world.barrier()?;
//! let mut all = vec![0; 8000 * world.size()];
//! file.read(0, &mut all)?;
//! file.destroy()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With `CHEMIO_SF_DIRS=/disk1:/disk2` a new file is striped over these directories, each of which has a queue of its own. The file's
//! name then holds a short text that says where the stripes are, by which later runs find them, whatever their own settings.
//!
//! What this crate does not do: locks between ranks, formats, integer handles (`chemio-capi` has them).
//!
//! Source: the `ChemIO` paper, section 4.4.
#![forbid(unsafe_code)]

mod caught;
pub mod codes;
mod collective;
mod description;
mod error;
mod file;
mod make;
mod request;
mod sighting;
mod storage;
mod striping;

pub use elio::{CachePolicy, ForeignBuffer, RequestBuffer, RequestBufferMut};
pub use error::{Error, Result};
pub use file::{Access, Hints, SharedFile};
pub use request::Request;
