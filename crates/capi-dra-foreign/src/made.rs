//! Arrays that the other library makes for us, for a while.

use crate::array::ForeignArray;
use crate::library::Handle;
use dra::{ArrayInMemory, DataType, MadeArray, MakeArray, MemoryError};
use section::Shape;
use std::sync::Arc;

/// Makes arrays of the other library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker {
    /// The bytes of a Fortran INTEGER.
    pub(crate) integer_bytes: usize,
}

#[derive(Debug)]
struct Made {
    handle: Handle,
    array: Arc<ForeignArray>,
}

/// The library's name for a type, in C.
fn type_code(data_type: DataType) -> i32 {
    match data_type {
        DataType::Int32 => 1001,
        DataType::Int64 => 1002,
        DataType::Float32 => 1003,
        DataType::Float64 => 1004,
        DataType::Complex64 => 1006,
        DataType::Complex128 => 1007,
    }
}

impl MakeArray for Maker {
    fn make(&self, data_type: DataType, dims: &Shape) -> Result<Box<dyn MadeArray>, MemoryError> {
        let handle = Handle::create(type_code(data_type), dims)?;
        match ForeignArray::find(handle.number(), self.integer_bytes) {
            Ok(array) => Ok(Box::new(Made { handle, array: Arc::new(array) })),
            Err(error) => {
                // What there is to tell is told.
                let _ = handle.destroy();
                Err(error.into())
            }
        }
    }
}

impl MadeArray for Made {
    fn in_memory(&self) -> Arc<dyn ArrayInMemory> {
        self.array.clone()
    }

    fn free(self: Box<Self>) -> Result<(), MemoryError> {
        Ok(self.handle.destroy()?)
    }
}
