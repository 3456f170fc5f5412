//! The numbers that legacy calls return for errors. Those of the device are elio's.

use crate::error::Error;
use elio::codes::DEVICE_MODE;

pub use disk_array::codes::{FAILED, MISSING};

/// The number for an error.
pub(crate) fn of(error: &Error) -> i32 {
    match error {
        Error::Directory(error) => error.code(),
        Error::Device(error) => error.code(),
        Error::Access { .. } => DEVICE_MODE,
        Error::Caller { code, .. } | Error::OnRank { code, .. } => *code,
        _ => FAILED,
    }
}
