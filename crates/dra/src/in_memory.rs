//! What transfers need to know of an array in memory: this much, and no more, so that any library of global arrays will do.

use crate::format::DataType;
use elio::MemoryPiece;
use section::{Section, Shape};
use std::fmt;
use std::sync::Arc;

/// What an array in memory says when something fails.
pub type MemoryError = Box<dyn std::error::Error + Send + Sync>;

/// Memory of so many bytes for elements on their way between an array in memory and somewhere else.
///
/// # Errors
/// The system has no more: no program shall be ended for it.
pub fn scratch(len: usize) -> Result<Vec<u8>, MemoryError> {
    let mut bytes = vec![];
    bytes.try_reserve_exact(len)?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// An array in the memory of all ranks of a [`Context`](crate::Context).
///
/// A panic of one of these functions is caught: the transfer fails on every rank, as after an error. That none waits for a rank
/// that panicked is why what one rank has written is seen by another in two steps, between which all ranks meet:
/// [`complete`](Self::complete) and [`see_others`](Self::see_others).
///
/// Sections and extents are row-major: the last index varies fastest. Elements are given as bytes in the array's type; they
/// need not be aligned.
pub trait ArrayInMemory: fmt::Debug + Send + Sync {
    /// For messages.
    fn name(&self) -> String;

    /// What its elements are.
    fn data_type(&self) -> DataType;

    /// Its extents.
    fn dims(&self) -> Shape;

    /// Whether [`get`](Self::get) and [`put`](Self::put) make no call of MPI and may come from any thread. If not, transfers
    /// are made by the thread that waits for them.
    fn any_thread(&self) -> bool;

    /// Completes what this rank has written to the array, wherever its elements are. Local: it must not wait for calls of other
    /// ranks.
    ///
    /// # Errors
    /// What the library says.
    fn complete(&self) -> Result<(), MemoryError>;

    /// From now on this rank sees what others have [completed](Self::complete). Called on all ranks, after all have completed, or on
    /// none. Local; an array of a library that can do this only collectively may do so, if nothing can fail before that.
    ///
    /// # Errors
    /// What the library says.
    fn see_others(&self) -> Result<(), MemoryError>;

    /// How ranks meet that wait for each other's transfers, if the library serves what others [get](Self::get) and [put](Self::put)
    /// only while it is called: all of them call it, and it serves the others until all have. `None`, which is the default: they
    /// need nothing of this rank meanwhile. The same for every array of a library.
    fn meeting(&self) -> Option<Meeting> {
        None
    }

    /// Copies a section to `to`, an array of `extents` of which the section fills the beginning: the first extent does not
    /// matter, the others are leading dimensions. Local.
    ///
    /// # Errors
    /// What the library says.
    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError>;

    /// Copies to a section from `from`, which is as in [`get`](Self::get). Local; complete for other ranks after
    /// [`complete`](Self::complete).
    ///
    /// # Errors
    /// What the library says.
    fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError>;

    /// The memory of a section, in its row-major order, if this process may load from and store to all of it, and it is in no more
    /// than `count_max` pieces. It is used as [`get`](Self::get) and [`put`](Self::put) use it, as long as the array is
    /// held. `None`, which is the default, costs a second copy. Local.
    fn pieces(&self, _section: &Section, _count_max: usize) -> Option<Vec<MemoryPiece>> {
        None
    }

    /// Whether the memory of [`pieces`](Self::pieces) lies in huge pages: what is long is then read straight to it. In pages of 4 KiB a
    /// device takes up to twice as long for that, and a copy from a buffer is the faster way. Local.
    fn is_in_huge_pages(&self) -> bool {
        false
    }

    /// Brings some of this rank's memory into being, with what is in it, so that who touches it first need not wait for it: the last
    /// mebibytes before byte `before` (`usize::MAX` to begin with), in a millisecond or a few. It tells what to go on with as `before`.
    /// It is called from another thread, beside anything else. `None`, which is the default: nothing is left to be gained. Local.
    fn populate(&self, _before: usize) -> Option<usize> {
        None
    }
}

/// See [`ArrayInMemory::meeting`]. Collective.
pub type Meeting = fn() -> Result<(), MemoryError>;

/// Makes arrays in memory that somebody needs for a while.
pub trait MakeArray: fmt::Debug + Send + Sync {
    /// An array of all ranks; its elements may be anything. It should take no more memory than they do, but for a page of 4 KiB or two
    /// on each rank: whoever needs one has little to spare. Collective.
    ///
    /// # Errors
    /// What the library says, the same on every rank.
    fn make(&self, data_type: DataType, dims: &Shape) -> Result<Box<dyn MadeArray>, MemoryError>;
}

impl<T: MakeArray + ?Sized> MakeArray for &T {
    fn make(&self, data_type: DataType, dims: &Shape) -> Result<Box<dyn MadeArray>, MemoryError> {
        (**self).make(data_type, dims)
    }
}

/// An array that somebody has made for a while.
pub trait MadeArray: fmt::Debug + Send {
    /// For transfers.
    fn in_memory(&self) -> Arc<dyn ArrayInMemory>;

    /// The memory that it takes, in bytes; each byte is told by one rank, so that the sum over all ranks is what all of it takes. `None`,
    /// which is the default: the library does not tell, on any rank. Local.
    fn taken_bytes(&self) -> Option<u64> {
        None
    }

    /// Frees the memory, as soon as no transfer needs it. Collective.
    ///
    /// # Errors
    /// What the library says. The array is gone nevertheless.
    fn free(self: Box<Self>) -> Result<(), MemoryError>;
}
