//! What can go wrong with re-blocking.

use dra::DataType;
use std::path::PathBuf;

/// An error; the same on every rank.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Source and target are the same array.
    #[error("source and target are the same array: {}", path.display())]
    SameArray {
        /// The array's directory.
        path: PathBuf,
    },
    /// The target has elements of another type.
    #[error("elements of type {source_type} in {}, {target_type} in {}", source_path.display(), target_path.display())]
    TypesDiffer {
        /// The source.
        source_path: PathBuf,
        /// Its type.
        source_type: DataType,
        /// The target.
        target_path: PathBuf,
        /// Its type.
        target_type: DataType,
    },
    /// The target's extents are not those of the source in the other order.
    #[error("extents {source_dims:?} in the order {permutation:?} are not {target_dims:?}: {}", path.display())]
    DimsDiffer {
        /// The target.
        path: PathBuf,
        /// Extents of the source.
        source_dims: Vec<u64>,
        /// Source dimension of each target dimension.
        permutation: Vec<usize>,
        /// Extents of the target.
        target_dims: Vec<u64>,
    },
    /// The source was written to while it was being read.
    #[error("the source was written to meanwhile, the copy is not complete: {}", path.display())]
    SourceChanged {
        /// The source.
        path: PathBuf,
    },
    /// The copy has failed before.
    #[error("the copy has failed before and is not complete: {}", path.display())]
    Over {
        /// The target.
        path: PathBuf,
    },
    /// A variable of the environment that cannot be understood.
    #[error("{variable}: {source}")]
    Setting {
        /// Its name.
        variable: &'static str,
        /// What is wrong with it.
        source: layout::Error,
    },
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] layout::Error),
    /// An array on disk.
    #[error(transparent)]
    Array(#[from] dra::Error),
}

impl Error {
    /// The number that a legacy call returns for this error, see [`dra::codes`].
    pub fn code(&self) -> i32 {
        match self {
            Self::Array(error) => error.code(),
            Self::Setting { .. } => dra::codes::UNSUPPORTED,
            _ => dra::codes::FAILED,
        }
    }
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;
