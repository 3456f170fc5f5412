//! Arrays to and from files of other formats.

pub(crate) mod export;
mod flat;
mod format;
mod hdf5;
pub(crate) mod import;
mod npy;
