//! The legacy error numbers: one table for this module's own codes and for those of the device layer that clients see.
//!
//! The parameters in `eaf.h`, `eaf.fh` and the Fortran module `chemio_eaf` are made from [`TABLE`]; the tests of
//! `chemio-capi` compare them.

/// One error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The number a legacy call returns.
    pub number: i32,
    /// Its name in C and Fortran.
    pub name: &'static str,
    /// The message, where nothing more is known about the error.
    pub text: &'static str,
}

const fn code(number: i32, name: &'static str, text: &'static str) -> Code {
    Code { number, name, text }
}

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
/// An offset no file has.
pub const DEVICE_SEEK: i32 = -2000;
/// A failed write.
pub const DEVICE_WRITE: i32 = -1999;
/// A failed asynchronous write.
pub const DEVICE_AWRITE: i32 = -1998;
/// A failed read.
pub const DEVICE_READ: i32 = -1997;
/// A failed asynchronous read.
pub const DEVICE_AREAD: i32 = -1996;
/// A directory that cannot be asked about.
pub const DEVICE_STAT: i32 = -1991;
/// A file that would not open.
pub const DEVICE_OPEN: i32 = -1990;
/// What this machine does not offer.
pub const DEVICE_UNSUPPORTED: i32 = -1988;
/// An error met while closing: data written behind that did not arrive.
pub const DEVICE_CLOSE: i32 = -1986;
/// A read past the end of the file: what every caller gets.
pub const DEVICE_END_OF_FILE: i32 = -1977;
/// Data that did not reach the device.
pub const DEVICE_SYNC: i32 = -1976;
/// Anything else.
pub const DEVICE_UNKNOWN: i32 = -1975;

/// Every number with its name and its text.
pub const TABLE: [Code; 48] = [
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
    code(DEVICE_SEEK, "ELIO_ERR_SEEK", "an offset or length is out of range"),
    code(DEVICE_WRITE, "ELIO_ERR_WRITE", "writing failed"),
    code(DEVICE_AWRITE, "ELIO_ERR_AWRITE", "writing asynchronously failed"),
    code(DEVICE_READ, "ELIO_ERR_READ", "reading failed"),
    code(DEVICE_AREAD, "ELIO_ERR_AREAD", "reading asynchronously failed"),
    code(-1995, "ELIO_ERR_SUSPEND", "waiting for the device failed"),
    code(-1994, "ELIO_ERR_HANDLE", "invalid handle"),
    code(-1993, "ELIO_ERR_MODE", "invalid mode"),
    code(-1992, "ELIO_ERR_DIRECTORY", "no such directory"),
    code(DEVICE_STAT, "ELIO_ERR_STAT", "no such directory, or its file system cannot be asked"),
    code(DEVICE_OPEN, "ELIO_ERR_OPEN", "opening on the device failed"),
    code(-1989, "ELIO_ERR_ALLOC", "out of memory in the device layer"),
    code(DEVICE_UNSUPPORTED, "ELIO_ERR_UNSUPPORTED", "not supported on this machine"),
    code(-1987, "ELIO_ERR_DELETE", "deleting on the device failed"),
    code(DEVICE_CLOSE, "ELIO_ERR_CLOSE", "data written earlier did not arrive when the file was closed"),
    code(-1985, "ELIO_ERR_INTERRUPTED", "interrupted"),
    code(-1984, "ELIO_ERR_RETURN", "unexpected answer of the device"),
    code(-1983, "ELIO_ERR_NAME_TOO_LONG", "the file name is too long"),
    code(-1982, "ELIO_ERR_FS_TYPE", "unknown file system type"),
    code(-1981, "ELIO_ERR_CONVERSION", "a number could not be converted"),
    code(-1980, "ELIO_ERR_DEVICE_TYPE", "unknown device type"),
    code(-1979, "ELIO_ERR_PROBE", "probing the device failed"),
    code(-1978, "ELIO_ERR_TRUNCATE", "truncating on the device failed"),
    code(DEVICE_END_OF_FILE, "ELIO_ERR_EOF", "end of file: less was read than asked for"),
    code(DEVICE_SYNC, "ELIO_ERR_FSYNC", "data did not reach the device"),
    code(DEVICE_UNKNOWN, "ELIO_ERR_UNKNOWN", "unknown error"),
];

/// The fixed text of `number`, if it is one of ours.
pub fn text(number: i32) -> Option<&'static str> {
    TABLE.iter().find(|code| code.number == number).map(|code| code.text)
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
        for (i, a) in TABLE.iter().enumerate() {
            for b in &TABLE[i + 1..] {
                assert_ne!(a.number, b.number, "{} and {}", a.name, b.name);
                assert_ne!(a.name, b.name);
            }
        }
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
