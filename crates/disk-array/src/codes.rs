//! The numbers that legacy calls return for errors. Those of the device are elio's.

use crate::error::{Error, Operation};
use elio::codes::{
    DEVICE_DELETE, DEVICE_OPEN, DEVICE_READ, DEVICE_SYNC, DEVICE_TRUNCATE, DEVICE_UNKNOWN, DEVICE_WRITE,
};

/// Anything that has no number of its own.
pub const FAILED: i32 = 1;
/// There is no array, or one whose creation or deletion was interrupted, which may have left an empty directory: programs create it then.
pub const MISSING: i32 = -1;

/// The number for an error.
pub(crate) fn of(error: &Error) -> i32 {
    match error {
        Error::Missing { .. } | Error::Empty { .. } | Error::HalfMade { .. } => MISSING,
        Error::System { operation, .. } => of_operation(*operation),
        _ => FAILED,
    }
}

fn of_operation(operation: Operation) -> i32 {
    match operation {
        Operation::Open | Operation::Look | Operation::MakeDirectory | Operation::MakeFile => DEVICE_OPEN,
        Operation::SetLength => DEVICE_TRUNCATE,
        Operation::Read => DEVICE_READ,
        Operation::Write => DEVICE_WRITE,
        Operation::Sync => DEVICE_SYNC,
        Operation::Rename => DEVICE_UNKNOWN,
        Operation::Remove => DEVICE_DELETE,
    }
}
