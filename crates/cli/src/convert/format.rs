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
    /// Of files without datasets none is asked for.
    pub(super) fn expect_dataset_to_fit(self, dataset: Option<&str>) -> Result<()> {
        match dataset {
            Some(_) if self != Self::Hdf5 => {
                Err(Error::BadArgument("--dataset is for HDF5: other files have no datasets".to_owned()))
            }
            _ => Ok(()),
        }
    }
}
