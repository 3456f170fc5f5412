//! What can be wrong with a section or a shape.

/// Why a section or a shape is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No dimension, or more than [`DIMS_MAX`](crate::DIMS_MAX).
    #[error("{dims} dimensions: expected 1 to {max}", max = crate::DIMS_MAX)]
    DimsCount {
        /// What was given.
        dims: usize,
    },
    /// Two lists that belong together have different lengths.
    #[error("{got} values for {expected} dimensions")]
    DimsDiffer {
        /// Dimensions there are.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// A section that ends before it begins.
    #[error("dimension {dim} ends at {hi}, before it begins at {lo}")]
    Reversed {
        /// Which dimension, from 0.
        dim: usize,
        /// First index.
        lo: u64,
        /// End, exclusive.
        hi: u64,
    },
    /// A step of zero.
    #[error("the step of dimension {dim} is zero")]
    ZeroStep {
        /// Which dimension, from 0.
        dim: usize,
    },
    /// A brick without elements.
    #[error("a brick has no extent in dimension {dim}")]
    EmptyBrick {
        /// Which dimension, from 0.
        dim: usize,
    },
    /// More bricks than can be numbered.
    #[error("the number of bricks does not fit in 64 bits")]
    BricksCount,
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;
