//! The arrays in memory that `libchemio` has: chemio's own, by the handles that `ga_create` gives.

use chemio_capi_dra::Provider;
use dra::{ArrayInMemory, MakeArray, MemoryError};
use std::sync::Arc;

/// Chemio's distributed arrays.
#[derive(Clone, Copy, Debug)]
pub struct OwnArrays;

/// For the leaf crates.
pub static OWN_ARRAYS: OwnArrays = OwnArrays;

impl Provider for OwnArrays {
    fn starts_mpi(&self) -> bool {
        true
    }

    fn array(&self, handle: i64) -> Result<Arc<dyn ArrayInMemory>, MemoryError> {
        Ok(chemio_capi_ga::with_array_of_all(handle, dra_ga::in_memory)?)
    }

    fn maker(&self) -> Result<Box<dyn MakeArray>, MemoryError> {
        Ok(Box::new(chemio_capi_ga::with_context(dra_ga::maker)?))
    }
}
