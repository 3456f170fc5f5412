//! Where the arrays in memory come from.

use dra::{ArrayInMemory, MakeArray, MemoryError};
use std::fmt::Debug;
use std::sync::Arc;

/// A library of global arrays, as far as transfers need it.
pub trait Provider: Debug + Sync {
    /// Whether MPI is started by `dra_init` where nobody has. If not, that is an error.
    fn starts_mpi(&self) -> bool;

    /// The array behind a handle. It stays usable until it is dropped, or says that it no longer is. Local.
    ///
    /// # Errors
    /// Why there is no such array, or none that all ranks share.
    fn array(&self, handle: i64) -> Result<Arc<dyn ArrayInMemory>, MemoryError>;

    /// What makes the arrays that a copy of an array on disk needs for a while. Local.
    ///
    /// # Errors
    /// Why there can be none.
    fn maker(&self) -> Result<Box<dyn MakeArray>, MemoryError>;
}
