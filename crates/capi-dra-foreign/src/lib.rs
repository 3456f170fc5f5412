//! The arrays in memory that `libchemio_pario` works with: those of the Global Arrays library that the program is linked
//! with, through its C calls.
//!
//! That library ends the program when a call gets a handle that no array has, so it is asked first whether one has it. It
//! calls MPI, from whichever thread calls it, so transfers are made by the thread that waits for them.

mod array;
mod library;
mod made;

use array::ForeignArray;
use chemio_capi_dra::Provider;
use dra::{ArrayInMemory, MakeArray, MemoryError};
use made::Maker;
use std::sync::Arc;

/// The arrays of another library.
#[derive(Clone, Copy, Debug)]
pub struct ForeignArrays {
    /// The bytes of a Fortran INTEGER.
    integer_bytes: usize,
}

/// For the leaf crates, by the bytes of an INTEGER.
pub static FOREIGN_ARRAYS_4: ForeignArrays = ForeignArrays { integer_bytes: 4 };
/// See [`FOREIGN_ARRAYS_4`].
pub static FOREIGN_ARRAYS_8: ForeignArrays = ForeignArrays { integer_bytes: 8 };

impl Provider for ForeignArrays {
    /// That library wants MPI to be there before it, and the program ends MPI itself.
    fn starts_mpi(&self) -> bool {
        false
    }

    fn array(&self, handle: i64) -> Result<Arc<dyn ArrayInMemory>, MemoryError> {
        Ok(Arc::new(ForeignArray::find(handle, self.integer_bytes)?))
    }

    fn maker(&self) -> Result<Box<dyn MakeArray>, MemoryError> {
        Ok(Box::new(Maker { integer_bytes: self.integer_bytes }))
    }
}
