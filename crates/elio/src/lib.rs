//! The device layer of chemio: files, asynchronous requests, cache policies, and the devices under them.
//!
//! A [`File`] reads and writes any range of any length and alignment, blocking or as a [`Request`]. Underneath it takes
//! what is fastest for the access at hand: the page cache for what is resident, direct I/O with several transfers in
//! flight for what is not, read-ahead and write-behind for callers that walk a file in small steps. It needs no MPI.
//!
//! A process that meets its soft limit on open files gets the hard one.
//!
//! A forked child may read files that it opens itself, with threads of its own; requests that its parent has begun stay its parent's. Files
//! that its parent has written to are not for it.
//!
//! What it does not do: locking between processes, formats, collective operations.
//!
//! ```
//! use elio::{File, Mode, OpenOptions};
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("scratch");
//! let file = File::open(&path, &OpenOptions::new(Mode::ReadWrite))?;
//! file.write_at(0, b"integrals")?;
//! let mut request = file.submit_read(5, vec![0; 4])?;
//! // ... compute ...
//! let (bytes, buffer) = request.finish()?;
//! assert_eq!(&buffer[..bytes], b"rals");
//! file.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Environment: `CHEMIO_BACKEND=uring|pread` forces a backend; `CHEMIO_BUFFER_MB` (default 32) bounds the memory that staging,
//! read-ahead and write-behind take together in this process; with `CHEMIO_STATS` set the calls on each file are counted, see
//! [`file_statistics`].
#![deny(unsafe_code)]

mod buffer;
pub mod codes;
mod counters;
mod device;
mod error;
mod file;
mod gathered;
mod held;
mod in_flight;
mod inode;
mod page_buffer;
mod policy;
mod pool;
mod queue;
mod read;
mod request;
mod settings;
mod space;
mod spare_files;
mod stat;
mod stream;
mod sys;
mod write;

pub use buffer::buffer_usage_bytes;
pub use counters::{
    Counter, FileStatistics, Tally, asked_for as statistics_asked_for, count_files, file_statistics,
};
pub use device::counting::{CountingDevice, Counts};
pub use device::fault::{Fault, FaultDevice};
pub use device::memory::MemoryDevice;
pub use device::pread::with_open_files_raised;
pub use device::{Alignment, Device, Properties, Route, Settled};
pub use error::{Error, Operation, Result};
pub use file::{CachePolicy, File, Mode, OpenOptions, Sharing, open_device};
pub use held::HeldWrite;
pub use page_buffer::PageBuffer;
pub use policy::backend::why_no_io_uring;
pub use policy::cache::GATHERED_BYTES;
pub use policy::cores::{confine_thread, current_core, has_spare_core, let_others_run_on, ranks_on_node};
pub use queue::Queue;
pub use request::{Piece, Request, SpreadRequest, read_spread, write_spread};
pub use settings::check_environment;
pub use spare_files::{SpareFiles, note_spare_files};
pub use stat::{FileSystem, Stat, stat};
pub use stream::writeback::JOINED_WRITE_BYTES;
pub use sys::around_caches::AroundCaches;
pub use sys::exit::{finish_writes_in_calls, finishes_writes};
pub use sys::foreign::{ForeignBuffer, RequestBuffer, RequestBufferMut};
pub use sys::fork::is_child as is_forked_child;
pub use sys::gather::{Gather, MemoryPiece};
pub use sys::ticks::{tick_seconds, ticks};
pub use sys::transfer::{Direction, Transfer};
