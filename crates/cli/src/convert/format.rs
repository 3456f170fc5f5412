//! Which format a file has, by its name.

use crate::error::{Error, Result};
use std::path::Path;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Hdf5,
    Npy,
    /// The elements alone.
    Plain,
}

impl Format {
    /// By the end of the name.
    pub(super) fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("h5" | "hdf5") => Ok(Self::Hdf5),
            Some("npy") => Ok(Self::Npy),
            Some("bin") => Ok(Self::Plain),
            _ => Err(Error::UnknownFormat { path: path.to_owned() }),
        }
    }
}
