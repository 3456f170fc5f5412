//! What can be wrong with a question to the planner.

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Shapes that make no sense.
    #[error(transparent)]
    Shape(#[from] section::Error),
    /// A list that does not name each dimension once.
    #[error("{permutation:?} does not name each of the dimensions 0 to {last} once", last = permutation.len().saturating_sub(1))]
    Permutation {
        /// What was given.
        permutation: Vec<usize>,
    },
    /// Shapes and permutation that do not have as many dimensions.
    #[error("{what} has {got} dimensions, the array {expected}")]
    DimsDiffer {
        /// Which of them.
        what: &'static str,
        /// Dimensions of the array.
        expected: usize,
        /// Dimensions of the other.
        got: usize,
    },
    /// A number that must not be zero is.
    #[error("{what} is zero")]
    Zero {
        /// Which number.
        what: &'static str,
    },
    /// An array whose bytes cannot be counted in 64 bits.
    #[error("an array of shape {dims:?} with elements of {element_bytes} bytes has more than 2^64 - 1 bytes")]
    TooLarge {
        /// The array.
        dims: Vec<u64>,
        /// Bytes of an element.
        element_bytes: u64,
    },
    /// More I/O processes than ranks.
    #[error("{io_processes} I/O processes of {ranks} ranks")]
    IoProcesses {
        /// I/O processes.
        io_processes: u64,
        /// Ranks.
        ranks: u64,
    },
    /// More ranks than a program can have.
    #[error("{ranks} ranks: at most {max}", max = i32::MAX)]
    Ranks {
        /// What was given.
        ranks: u64,
    },
    /// A device whose setting cannot be understood.
    #[error(
        "\"{text}\" says nothing of a device; expected is, with commas between them, any of read=MB, write=MB, \
         bandwidth=MB, operations=N and memory=MB, each in a second, and alone=PERCENT; whole numbers, each named once"
    )]
    Device {
        /// The part that cannot.
        text: String,
    },
    /// No plan that was found gets by with the memory, with any number of passes.
    #[error("{memory_bytes} bytes of memory do not suffice: {needed_bytes} would, for a single pass")]
    Memory {
        /// What was given, over all ranks.
        memory_bytes: u64,
        /// What a single pass in the smallest steps needs.
        needed_bytes: u64,
    },
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;
