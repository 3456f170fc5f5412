//! The numbers that the calls return: one table, from which `dra.h`, `dra.fh` and the Fortran module `chemio_dra` are made.
//!
//! They are those of the device layer, and [`dra::codes`]. The names are DRA's own, so that `dra.fh`, `sf.fh` and `eaf.fh` can
//! be included together.

pub use elio::codes::Code;
use elio::codes::{self as device, code};

/// No error.
pub const OK: i32 = 0;
/// Anything that has no number of its own.
pub const FAILED: i32 = dra::codes::FAILED;
/// There is no array on disk, or half of one; or no such attribute.
pub const MISSING: i32 = dra::codes::MISSING;
/// A handle under which there is no array, on disk or in memory, or a request that was never issued.
pub const INVALID_HANDLE: i32 = device::DEVICE_HANDLE;
/// An access mode that is none, or that does not allow what is asked.
pub const MODE: i32 = device::DEVICE_MODE;
/// A text too long for the caller's memory.
pub const TOO_SHORT: i32 = eaf::codes::TOO_SHORT;

/// Access modes.
pub(crate) const READ_WRITE: i64 = -1;
pub(crate) const WRITE_ONLY: i64 = -2;
pub(crate) const READ_ONLY: i64 = -3;

/// What a request variable holds after a call that issued none. Waiting for it is no error.
pub(crate) const NO_REQUEST: i64 = -333;

/// What a probe says of a finished request, and of another.
pub(crate) const DONE: i64 = -1;
pub(crate) const PENDING: i64 = 0;

/// Every number with its name and its text.
pub const TABLE: [Code; 20] = [
    code(OK, "DRA_OK", "no error"),
    code(FAILED, "DRA_FAIL", "the operation on the disk-resident array failed"),
    code(MISSING, "DRA_ERR_MISSING", "there is no such array, only half of one, or no such attribute"),
    code(device::DEVICE_SEEK, "DRA_ERR_SEEK", "an offset in a file is out of range"),
    code(device::DEVICE_WRITE, "DRA_ERR_WRITE", "writing failed"),
    code(device::DEVICE_AWRITE, "DRA_ERR_AWRITE", "writing asynchronously failed"),
    code(device::DEVICE_READ, "DRA_ERR_READ", "reading failed"),
    code(device::DEVICE_AREAD, "DRA_ERR_AREAD", "reading asynchronously failed"),
    code(INVALID_HANDLE, "DRA_ERR_HANDLE", "no array has this handle, or no such request"),
    code(MODE, "DRA_ERR_MODE", "invalid access mode, or the array is open for something else"),
    code(device::DEVICE_STAT, "DRA_ERR_STAT", "the file system cannot be asked"),
    code(device::DEVICE_OPEN, "DRA_ERR_OPEN", "a file of the array could not be made or opened"),
    code(device::DEVICE_UNSUPPORTED, "DRA_ERR_UNSUPPORTED", "not supported on this machine"),
    code(device::DEVICE_DELETE, "DRA_ERR_DELETE", "a file of the array could not be removed"),
    code(device::DEVICE_CLOSE, "DRA_ERR_CLOSE", "data written earlier did not arrive when a file was closed"),
    code(device::DEVICE_TRUNCATE, "DRA_ERR_TRUNCATE", "the length of a file could not be set"),
    code(device::DEVICE_END_OF_FILE, "DRA_ERR_EOF", "a file of the array is too short"),
    code(device::DEVICE_SYNC, "DRA_ERR_FSYNC", "data did not reach the device"),
    code(device::DEVICE_UNKNOWN, "DRA_ERR_UNKNOWN", "an internal error, or an unknown one"),
    code(TOO_SHORT, "DRA_ERR_TOO_SHORT", "a character argument is too short for the answer"),
];

/// The fixed text of `number`: DRA's own, or that of files in general.
pub fn text(number: i32) -> Option<&'static str> {
    let own = device::text_in(&TABLE, number);
    own.or_else(|| eaf::codes::text(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        assert_eq!(device::twins_in(&TABLE), None);
    }

    #[test]
    fn numbers_of_the_device_are_those_of_files_in_general() {
        for code in TABLE.iter().filter(|code| code.number < -1) {
            assert!(eaf::codes::text(code.number).is_some(), "{} is {}", code.name, code.number);
        }
    }

    #[test]
    fn a_number_that_is_no_code_has_no_text() {
        assert_eq!(text(77), None);
        assert_eq!(text(-333), None);
        assert_eq!(text(FAILED), Some("the operation on the disk-resident array failed"));
    }
}
