//! Arrays on disk that are Zarr v3 arrays, as one process sees them: the format, and the directory that holds an array. Tools
//! need no more than this; programs whose ranks move sections together use `chemio-dra`, which stands on it. No MPI.
//!
//! - [`mod@format`]: pure values. [`BrickShape`] (how an array is cut), [`ArrayLayout`] (which byte of which shard),
//!   [`Metadata`](format::Metadata) (`zarr.json`), [`Attributes`].
//! - [`ArrayDirectory`]: making, opening, reading and deleting an array. Any Zarr v3 array of our types without compression
//!   opens, whoever wrote it. [`Creation`]: making one in steps, so that several processes can share the work.
//!
//! An array that is killed at any moment opens: nothing but elements is written after it was made.
//!
//! ```
//! # let scratch = tempfile::tempdir().unwrap();
//! # let path = scratch.path().join("amplitudes");
//! use disk_array::{ArrayDirectory, ArraySpec, DataType};
//! use section::Section;
//! let made = ArrayDirectory::create(&path, &ArraySpec::new(&[300, 200], DataType::Float64)?)?;
//! let row = Section::new(&[7, 0], &[8, 200])?;
//! made.write(&row, &1.5f64.to_le_bytes().repeat(200))?;
//!
//! let mut element = [0; 8];
//! ArrayDirectory::open(&path)?.read(&Section::new(&[7, 9], &[8, 10])?, &mut element)?;
//! assert_eq!(f64::from_le_bytes(element), 1.5);
//! ArrayDirectory::delete(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What this crate does not do: transfers of several processes or with several bricks in flight, arrays in memory, compression.
//!
//! `FORMAT.md` has the map of the bytes. Source: Zarr v3 core specification, `sharding_indexed` 1.0; `ChemIO` paper,
//! section 4.3.
#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("arrays on disk are little-endian, and nothing here swaps bytes");

pub mod between;
mod cached;
pub mod codes;
mod copy;
mod create;
mod delete;
mod directory;
mod disk;
mod error;
pub mod format;
mod part;
pub mod rights;
mod serial;
mod shard_file;
mod stored;
mod survey;
mod token;
mod turn;
mod version;

pub use cached::look_again;
pub use copy::{Copying, Moved};
pub use create::Creation;
pub use delete::Deleted;
pub use directory::ArrayDirectory;
pub use error::{Error, Operation, Result};
pub use format::{
    ATTEMPT, Alignment, ArrayLayout, ArraySpec, Attributes, BrickShape, Bricks, DataType, Maker, Replaces,
    UNFINISHED, attribute_of_text,
};
pub use shard_file::ShardFile;
pub use stored::Stored;
pub use survey::{absolute, named};
pub use token::Token;
pub use version::Snapshot;
