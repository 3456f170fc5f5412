//! Disk-resident arrays: dense arrays on disk that are Zarr v3 arrays, so that Python opens them with no conversion.
//!
//! - [`Context`], [`DiskArray`], [`Request`]: all ranks of a program have an array open, and move sections between it and an
//!   array in the memory of all of them, asynchronously. What that one is, is left open: see [`ArrayInMemory`].
//! - [`mod@format`]: pure values. [`BrickShape`] (how an array is cut), [`ArrayLayout`] (which byte of which shard),
//!   [`Metadata`](format::Metadata) (`zarr.json`), [`Attributes`].
//! - [`ArrayDirectory`]: one process by itself: making, opening, reading and deleting an array. Any Zarr v3 array of our
//!   types without compression opens, whoever wrote it. [`Creation`]: making one in steps, so that several processes can share the
//!   work.
//!
//! An array that is killed at any moment opens: nothing but elements is written after it was made.
//!
//! ```
//! # let scratch = tempfile::tempdir().unwrap();
//! # let path = scratch.path().join("amplitudes");
//! use dra::{ArrayDirectory, ArraySpec, DataType};
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
//! What this crate does not do: arrays in memory (`chemio-dra-ga` joins it to ours), integer handles, compression.
//!
//! `FORMAT.md` has the map of the bytes. Source: Zarr v3 core specification, `sharding_indexed` 1.0; `ChemIO` paper,
//! section 4.3.
#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("arrays on disk are little-endian, and nothing here swaps bytes");

mod array;
mod caught;
pub mod codes;
mod context;
mod create;
mod delete;
mod directory;
mod disk;
mod error;
pub mod format;
mod in_memory;
mod opening;
mod owners;
mod request;
mod serial;
mod shard_file;
mod shards;
mod survey;
mod transfer;

pub use array::{Access, DiskArray};
pub use context::{Context, OpenDevice, Settings};
pub use create::Creation;
pub use delete::Deleted;
pub use directory::ArrayDirectory;
pub use error::{Error, Operation, Result};
pub use format::{Alignment, ArrayLayout, ArraySpec, Attributes, BrickShape, Bricks, DataType, Maker};
pub use in_memory::{ArrayInMemory, MemoryError};
pub use request::Request;
pub use shard_file::ShardFile;
pub use transfer::Transfer;
