//! The legacy error numbers: one table for this module's own codes and for those of the device layer that clients see.
//!
//! The parameters in `eaf.h`, `eaf.fh` and the Fortran module `chemio_eaf` are made from [`TABLE`]; the tests of
//! `chemio-capi` compare them.

pub use elio::codes::{
    Code, DEVICE_AREAD, DEVICE_AWRITE, DEVICE_CLOSE, DEVICE_END_OF_FILE, DEVICE_OPEN, DEVICE_READ,
    DEVICE_SEEK, DEVICE_STAT, DEVICE_SYNC, DEVICE_UNKNOWN, DEVICE_UNSUPPORTED, DEVICE_WRITE,
};
use elio::codes::{code, text_in};

/// Success.
pub const OK: i32 = 0;
/// Any failed open.
pub const OPEN_FAILED: i32 = -44;
/// A handle that is not open.
pub const INVALID_HANDLE: i32 = -10006;
/// A blocking write that could not be started.
pub const WRITE_FAILED: i32 = -10007;
/// An asynchronous write that could not be started.
pub const AWRITE_FAILED: i32 = -10008;
/// A blocking read that could not be started.
pub const READ_FAILED: i32 = -10009;
/// An asynchronous read that could not be started.
pub const AREAD_FAILED: i32 = -10010;
/// A wait for a request that was never issued.
pub const WAIT_FAILED: i32 = -10011;
/// A probe of a request that was never issued.
pub const PROBE_FAILED: i32 = -10012;
/// A file that could not be deleted.
pub const DELETE_FAILED: i32 = -10013;
/// A file system that could not be asked, for want of an argument.
pub const STAT_FAILED: i32 = -10015;
/// A character argument too short for its answer.
pub const TOO_SHORT: i32 = -10016;
/// An offset or length that is not a whole number.
pub const NOT_AN_INTEGER: i32 = -10018;
/// A length that could not be set.
pub const TRUNCATE_FAILED: i32 = -10019;
/// A length that could not be had.
pub const LENGTH_FAILED: i32 = -10020;
/// An end of file, as this module's own code.
pub const END_OF_FILE: i32 = -10001;

/// The numbers of this module with their names and their texts.
const OWN: [Code; 22] = [
    code(OK, "EAF_OK", "no error"),
    code(OPEN_FAILED, "EAF_ERR_OPEN", "the file could not be opened"),
    code(END_OF_FILE, "EAF_ERR_EOF", "end of file"),
    code(-10002, "EAF_ERR_MAX_OPEN", "too many open files"),
    code(-10003, "EAF_ERR_MEMORY", "out of memory"),
    code(-10004, "EAF_ERR_OPENING", "opening failed"),
    code(-10005, "EAF_ERR_CLOSE", "closing failed"),
    code(INVALID_HANDLE, "EAF_ERR_INVALID_FD", "this file descriptor is not open"),
    code(WRITE_FAILED, "EAF_ERR_WRITE", "the write was not started"),
    code(AWRITE_FAILED, "EAF_ERR_AWRITE", "the asynchronous write was not started"),
    code(READ_FAILED, "EAF_ERR_READ", "the read was not started"),
    code(AREAD_FAILED, "EAF_ERR_AREAD", "the asynchronous read was not started"),
    code(WAIT_FAILED, "EAF_ERR_WAIT", "no such request to wait for"),
    code(PROBE_FAILED, "EAF_ERR_PROBE", "no such request to probe"),
    code(DELETE_FAILED, "EAF_ERR_UNLINK", "the file could not be deleted"),
    code(-10014, "EAF_ERR_UNIMPLEMENTED", "not implemented"),
    code(STAT_FAILED, "EAF_ERR_STAT", "the file system could not be asked"),
    code(TOO_SHORT, "EAF_ERR_TOO_SHORT", "a character argument is too short for the answer"),
    code(-10017, "EAF_ERR_TOO_LONG", "a character argument is too long"),
    code(NOT_AN_INTEGER, "EAF_ERR_NONINTEGER_OFFSET", "an offset or length is not a whole number"),
    code(TRUNCATE_FAILED, "EAF_ERR_TRUNCATE", "the length could not be set"),
    code(LENGTH_FAILED, "EAF_ERR_LENGTH", "the length could not be had"),
];

/// Every number with its name and its text: this module's own, then those of the device layer.
pub const TABLE: [Code; OWN.len() + elio::codes::TABLE.len()] = {
    let mut table = [OWN[0]; OWN.len() + elio::codes::TABLE.len()];
    let mut row = 0;
    while row < table.len() {
        table[row] = if row < OWN.len() { OWN[row] } else { elio::codes::TABLE[row - OWN.len()] };
        row += 1;
    }
    table
};

/// The fixed text of `number`, if it is one of ours.
pub fn text(number: i32) -> Option<&'static str> {
    text_in(&TABLE, number)
}

/// Whether `number` says that a read met the end of the file.
pub const fn is_end_of_file(number: i32) -> bool {
    number == END_OF_FILE || number == DEVICE_END_OF_FILE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        assert_eq!(elio::codes::twins_in(&TABLE), None);
    }

    #[test]
    fn both_ranges_are_without_gaps() {
        let numbers: Vec<i32> = TABLE.iter().map(|code| code.number).collect();
        assert!((-10020..=-10001).all(|number| numbers.contains(&number)));
        assert!((-2000..=-1975).all(|number| numbers.contains(&number)));
    }

    #[test]
    fn names_fit_a_fortran_parameter_line() {
        assert!(TABLE.iter().all(|code| code.name.len() <= 31));
    }

    #[test]
    fn both_end_of_file_codes_are_recognised_and_no_other() {
        let recognised: Vec<i32> =
            TABLE.iter().map(|code| code.number).filter(|&number| is_end_of_file(number)).collect();
        assert_eq!(recognised, [END_OF_FILE, DEVICE_END_OF_FILE]);
    }
}
