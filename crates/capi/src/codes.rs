//! The number that each error at the border returns. The numbers themselves are in [`eaf::codes`].

use crate::error::Error;
use eaf::codes;

impl Error {
    /// The number the call returns.
    pub fn code(&self) -> i32 {
        match self {
            Self::Eaf(error) => error.code(),
            Self::Library(error) => error.code(),
            Self::Again(error) | Self::OneOfMany(error) => error.code(),
            Self::InvalidHandle { .. } => codes::INVALID_HANDLE,
            Self::InvalidKind { .. } => codes::OPEN_FAILED,
            Self::NotAnInteger { .. } => codes::NOT_AN_INTEGER,
            Self::OffsetOutOfRange { .. } | Self::CountOutOfRange { .. } => codes::DEVICE_SEEK,
            Self::NullPointer { code, .. } | Self::UnknownRequest { code, .. } => *code,
            Self::TooShort { .. } => codes::TOO_SHORT,
            Self::Panic { .. } => codes::DEVICE_UNKNOWN,
        }
    }

    /// The path the message ends with, if there is one.
    pub(crate) fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Eaf(error) => error.path(),
            Self::Library(error) => error.path(),
            Self::Again(error) | Self::OneOfMany(error) => error.path(),
            _ => None,
        }
    }
}
