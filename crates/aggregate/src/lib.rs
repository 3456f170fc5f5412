//! Small writes of the ranks of a node, held in memory that they share.
//!
//! Ranks that write a file in turn have nothing that follows what they wrote last: each of their writes reaches the kernel by itself,
//! one after the other, because the kernel has one lock for a file. Held where all ranks of the node see them, they make rows: whoever
//! waits first hands over his own with all that is beside it, in one call.
//!
//! - [`Area`] is that memory: one for all files of a communicator.
//! - [`Aggregator`] holds the writes of a rank for one file, and decides which are worth it. A write is held until its rank waits for it,
//!   or somebody else hands it over. What a rank holds that dies is lost, and its lock goes to the next; only as long as nobody has asked the system how
//!   its process ended, and for a second at most, others who write beside it may still write it.
//!
//! What it does not do: transfers (the crate `elio` makes them), move data between nodes, hold what is larger than 256 KiB or goes around
//! the page cache.
#![deny(unsafe_code)]

mod aggregator;
#[allow(unsafe_code)]
mod area;
mod credit;
#[allow(unsafe_code)]
mod lock;
mod row;
mod slots;
mod turns;

pub use aggregator::{Aggregator, HeldWrite};
pub use area::Area;
