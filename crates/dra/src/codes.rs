//! The numbers that legacy calls return for errors. Those of the device are elio's.

use crate::error::Error;
use elio::codes::{DEVICE_MODE, DEVICE_UNKNOWN};

pub use disk_array::codes::{FAILED, MISSING};
pub use elio::codes::DEVICE_UNSUPPORTED as UNSUPPORTED;

/// Something of ours, or the program's array in memory, has panicked in the middle of a call or a transfer.
pub const PANICKED: i32 = DEVICE_UNKNOWN;

/// The number for an error.
pub(crate) fn of(error: &Error) -> i32 {
    match error {
        Error::Directory(error) => error.code(),
        Error::Device(error) => error.code(),
        Error::Access { .. } => DEVICE_MODE,
        Error::Panicked { .. } => PANICKED,
        Error::Caller { code, .. } | Error::OnRank { code, .. } => *code,
        _ => FAILED,
    }
}
