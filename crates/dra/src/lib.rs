//! Disk-resident arrays: dense arrays on disk that are Zarr v3 arrays, so that Python opens them with no conversion.
//!
//! - [`Context`], [`DiskArray`], [`Request`]: all ranks of a program have an array open, and move sections between it and an
//!   array in the memory of all of them, asynchronously. What that one is, is left open: see [`ArrayInMemory`].
//! - [`Context::create`], [`Context::open`] and [`DiskArray`]'s calls are collective and tell every rank of an error.
//!
//! What one process sees of an array, its directory, its shards and the values of the format, is `chemio-disk-array`;
//! what users of this crate need of it is here too.
//!
//! What this crate does not do: arrays in memory (`chemio-dra-ga` joins it to ours, and shows an example), integer handles,
//! compression.
//!
//! Source: `ChemIO` paper, section 4.3.
#![forbid(unsafe_code)]

mod array;
mod caught;
pub mod codes;
mod context;
mod error;
mod in_memory;
mod opening;
mod owners;
mod request;
mod shards;
mod syncing;
mod transfer;

pub use array::{Access, DiskArray};
pub use context::{Context, MemoryLimit, OpenDevice, Settings};
pub use disk_array::{
    ATTEMPT, Alignment, ArrayDirectory, ArrayLayout, ArraySpec, Attributes, BrickShape, Bricks, Creation,
    DataType, Deleted, Error as DirectoryError, Maker, Operation, ShardFile, Snapshot, UNFINISHED,
    attribute_of_text, between, format, rights,
};
pub use elio::{MemoryPiece, check_environment};
pub use error::{Error, Result};
pub use in_memory::{ArrayInMemory, MadeArray, MakeArray, Meeting, MemoryError, scratch};
pub use request::Request;
pub use syncing::Syncing;
pub use transfer::{BUFFER_BYTES_MIN, GAP_BYTES, Transfer, buffers_bytes_max};
