//! The legacy error numbers of the device layer, which clients see through every kind of file.

use crate::error::{Error, Operation};

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

/// A row of a table.
pub const fn code(number: i32, name: &'static str, text: &'static str) -> Code {
    Code { number, name, text }
}

/// The text of `number` in a table.
pub fn text_in(table: &[Code], number: i32) -> Option<&'static str> {
    table.iter().find(|code| code.number == number).map(|code| code.text)
}

/// Two rows of a table with one number, or one name.
pub fn twins_in(table: &[Code]) -> Option<[Code; 2]> {
    let twin = |at: usize, a: &Code| {
        table[..at].iter().find(|b| a.number == b.number || a.name == b.name).map(|b| [*b, *a])
    };
    table.iter().enumerate().find_map(|(at, code)| twin(at, code))
}

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
/// A handle that is not open.
pub const DEVICE_HANDLE: i32 = -1994;
/// What the file was not opened for.
pub const DEVICE_MODE: i32 = -1993;
/// A file that could not be deleted.
pub const DEVICE_DELETE: i32 = -1987;
/// A length that could not be set.
pub const DEVICE_TRUNCATE: i32 = -1978;

/// Every number of the device layer with its name and its text, without gaps.
pub const TABLE: [Code; 26] = [
    code(DEVICE_SEEK, "ELIO_ERR_SEEK", "an offset or length is out of range"),
    code(DEVICE_WRITE, "ELIO_ERR_WRITE", "writing failed"),
    code(DEVICE_AWRITE, "ELIO_ERR_AWRITE", "writing asynchronously failed"),
    code(DEVICE_READ, "ELIO_ERR_READ", "reading failed"),
    code(DEVICE_AREAD, "ELIO_ERR_AREAD", "reading asynchronously failed"),
    code(-1995, "ELIO_ERR_SUSPEND", "waiting for the device failed"),
    code(DEVICE_HANDLE, "ELIO_ERR_HANDLE", "invalid handle"),
    code(DEVICE_MODE, "ELIO_ERR_MODE", "invalid mode"),
    code(-1992, "ELIO_ERR_DIRECTORY", "no such directory"),
    code(DEVICE_STAT, "ELIO_ERR_STAT", "no such directory, or its file system cannot be asked"),
    code(DEVICE_OPEN, "ELIO_ERR_OPEN", "opening on the device failed"),
    code(-1989, "ELIO_ERR_ALLOC", "out of memory in the device layer"),
    code(DEVICE_UNSUPPORTED, "ELIO_ERR_UNSUPPORTED", "not supported on this machine"),
    code(DEVICE_DELETE, "ELIO_ERR_DELETE", "deleting on the device failed"),
    code(DEVICE_CLOSE, "ELIO_ERR_CLOSE", "data written earlier did not arrive when the file was closed"),
    code(-1985, "ELIO_ERR_INTERRUPTED", "interrupted"),
    code(-1984, "ELIO_ERR_RETURN", "unexpected answer of the device"),
    code(-1983, "ELIO_ERR_NAME_TOO_LONG", "the file name is too long"),
    code(-1982, "ELIO_ERR_FS_TYPE", "unknown file system type"),
    code(-1981, "ELIO_ERR_CONVERSION", "a number could not be converted"),
    code(-1980, "ELIO_ERR_DEVICE_TYPE", "unknown device type"),
    code(-1979, "ELIO_ERR_PROBE", "probing the device failed"),
    code(DEVICE_TRUNCATE, "ELIO_ERR_TRUNCATE", "truncating on the device failed"),
    code(DEVICE_END_OF_FILE, "ELIO_ERR_EOF", "end of file: less was read than asked for"),
    code(DEVICE_SYNC, "ELIO_ERR_FSYNC", "data did not reach the device"),
    code(DEVICE_UNKNOWN, "ELIO_ERR_UNKNOWN", "unknown error"),
];

impl Error {
    /// The number a legacy call returns for this error, from [`TABLE`].
    pub fn code(&self) -> i32 {
        match self {
            Self::OutOfRange { .. } => DEVICE_SEEK,
            Self::BackendUnavailable { .. } | Self::Setting { .. } => DEVICE_UNSUPPORTED,
            _ => self.operation().map_or(DEVICE_UNKNOWN, operation_code),
        }
    }
}

fn operation_code(operation: Operation) -> i32 {
    match operation {
        Operation::Open => DEVICE_OPEN,
        Operation::Close => DEVICE_CLOSE,
        Operation::Read => DEVICE_READ,
        Operation::Write | Operation::Preallocate => DEVICE_WRITE,
        Operation::AsyncRead => DEVICE_AREAD,
        Operation::AsyncWrite => DEVICE_AWRITE,
        Operation::Truncate => DEVICE_TRUNCATE,
        Operation::Sync => DEVICE_SYNC,
        Operation::Delete => DEVICE_DELETE,
        Operation::Length | Operation::Stat => DEVICE_STAT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_number_once_in_order() {
        let numbers: Vec<i32> = TABLE.iter().map(|code| code.number).collect();
        assert_eq!(numbers, (-2000..=-1975).collect::<Vec<_>>());
    }

    #[test]
    fn twins_are_found_by_number_and_by_name() {
        let [a, b, c] = [code(1, "A", "one"), code(2, "B", "two"), code(3, "C", "three")];
        assert_eq!(twins_in(&[a, b, c]), None);
        assert_eq!(twins_in(&[a, b, code(1, "D", "one")]), Some([a, code(1, "D", "one")]));
        assert_eq!(twins_in(&[a, b, code(4, "B", "two")]), Some([b, code(4, "B", "two")]));
        assert_eq!((text_in(&[a, b], 2), text_in(&[a, b], 3)), (Some("two"), None));
    }

    #[test]
    fn every_error_has_a_number_of_the_table() {
        let path = std::path::PathBuf::from("f");
        let errors = [
            Error::OutOfRange {
                operation: Operation::Read,
                path: path.clone(),
                offset_bytes: 1,
                len_bytes: 2,
            },
            Error::Mode { operation: Operation::AsyncWrite, path, mode: "for reading" },
            Error::Setting { variable: "V", value: "x".to_owned(), expected: "y" },
        ];
        assert_eq!(errors.map(|error| error.code()), [-2000, -1998, -1988]);
    }
}
