//! The numbers that the calls return: one table, from which `sf.h`, `sf.fh` and the Fortran module `chemio_sf` are made.
//!
//! They are the numbers of [`sf::codes`], which files of every kind have, and the one for offsets that are no whole numbers.
//! The names are SF's own, so that `sf.fh` and `eaf.fh` can be included together.

use eaf::codes::NOT_AN_INTEGER;
use sf::codes::{self as files, code};
pub use sf::codes::{Code, FAILED, OK};

/// A handle under which there is no file, or a request that was never issued.
pub const INVALID_HANDLE: i32 = files::DEVICE_HANDLE;
/// A file that was not created.
pub const CREATE_FAILED: i32 = files::DEVICE_OPEN;

/// Every number with its name and its text.
pub const TABLE: [Code; 18] = [
    code(OK, "SF_OK", "no error"),
    code(FAILED, "SF_FAIL", "the operation on the shared file failed"),
    code(files::DEVICE_SEEK, "SF_ERR_SEEK", "an offset or length is out of range"),
    code(files::DEVICE_WRITE, "SF_ERR_WRITE", "writing failed"),
    code(files::DEVICE_AWRITE, "SF_ERR_AWRITE", "writing asynchronously failed, or was not started"),
    code(files::DEVICE_READ, "SF_ERR_READ", "reading failed"),
    code(files::DEVICE_AREAD, "SF_ERR_AREAD", "reading asynchronously failed, or was not started"),
    code(INVALID_HANDLE, "SF_ERR_HANDLE", "no shared file is open under this handle, or no such request"),
    code(files::DEVICE_MODE, "SF_ERR_MODE", "the file is open for reading only"),
    code(files::DEVICE_STAT, "SF_ERR_STAT", "the file or its directory cannot be asked about"),
    code(CREATE_FAILED, "SF_ERR_OPEN", "the shared file could not be created or opened"),
    code(files::DEVICE_UNSUPPORTED, "SF_ERR_UNSUPPORTED", "not supported on this machine"),
    code(files::DEVICE_DELETE, "SF_ERR_DELETE", "the shared file could not be removed"),
    code(files::DEVICE_CLOSE, "SF_ERR_CLOSE", "data written earlier did not arrive when the file was closed"),
    code(files::DEVICE_END_OF_FILE, "SF_ERR_EOF", "end of file: less was read than asked for"),
    code(files::DEVICE_SYNC, "SF_ERR_FSYNC", "data did not reach the device"),
    code(files::DEVICE_UNKNOWN, "SF_ERR_UNKNOWN", "unknown error"),
    code(NOT_AN_INTEGER, "SF_ERR_NONINTEGER_OFFSET", "an offset or length is not a whole number"),
];

/// The fixed text of `number`: SF's own, or that of another kind of file.
pub fn text(number: i32) -> Option<&'static str> {
    let own = files::text_in(&TABLE, number);
    own.or_else(|| files::text(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        assert_eq!(files::twins_in(&TABLE), None);
    }

    #[test]
    fn numbers_are_those_of_files_in_general() {
        for code in TABLE.iter().filter(|code| code.number != NOT_AN_INTEGER) {
            assert!(files::text(code.number).is_some(), "{} is {}", code.name, code.number);
        }
    }

    #[test]
    fn a_number_that_is_no_code_has_no_text() {
        assert_eq!(text(77), None);
        assert_eq!(text(FAILED), Some("the operation on the shared file failed"));
    }
}
