//! What can go wrong with a distributed array.

use crate::ElementType;
use section::Section;

/// Why an operation on a distributed array failed. Of a collective operation every rank gets the same error: the one of
/// the lowest rank that failed, on the others as [`Error::OnRank`](crate::Error::OnRank).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The array was removed, and its memory on other nodes is out of reach since then.
    #[error("the array was removed before the operation on it")]
    Removed,
    /// The operation failed on another rank.
    #[error("rank {rank}: {message}")]
    OnRank {
        /// Which one.
        rank: usize,
        /// Its error.
        message: String,
    },
    /// MPI failed, or may not be called.
    #[error(transparent)]
    Comm(#[from] comm::Error),
    /// Bounds that are no section.
    #[error(transparent)]
    Section(#[from] section::Error),
    /// A section that does not lie in the array.
    #[error("array {array}: section {section} is not in the shape {shape:?}")]
    OutOfRange {
        /// The array's name.
        array: String,
        /// What was asked for.
        section: Box<Section>,
        /// The array's shape.
        shape: Vec<u64>,
    },
    /// Memory, a scalar or another array with elements of another type.
    #[error("array {array} has elements of type {expected}, got {got}")]
    WrongType {
        /// The array's name.
        array: String,
        /// Its type.
        expected: ElementType,
        /// The other type.
        got: ElementType,
    },
    /// An operation that is not defined for a type.
    #[error("{operation} is not defined for elements of type {element_type}")]
    UnsupportedType {
        /// The operation.
        operation: &'static str,
        /// The type.
        element_type: ElementType,
    },
    /// A patch in memory that cannot hold the section.
    #[error(
        "the memory has extents {extents:?} and {len} elements: a section of {counts:?} elements does not fit"
    )]
    PatchTooSmall {
        /// Extents of the memory.
        extents: Vec<u64>,
        /// Elements of the memory.
        len: usize,
        /// Elements of the section in each dimension.
        counts: Vec<u64>,
    },
    /// Two sections that should have as many elements as each other.
    #[error("{operation}: {left} elements against {right}")]
    CountsDiffer {
        /// The operation.
        operation: &'static str,
        /// Elements of the first.
        left: u64,
        /// Elements of the second.
        right: u64,
    },
    /// Two arrays or sections whose shapes do not fit each other.
    #[error("{operation}: shape {left:?} does not fit {right:?}")]
    ShapesDiffer {
        /// The operation.
        operation: &'static str,
        /// The first shape.
        left: Vec<u64>,
        /// The second shape.
        right: Vec<u64>,
    },
    /// An array that belongs to other ranks than the other arrays of the operation.
    #[error("{operation}: the arrays belong to different groups of ranks")]
    GroupsDiffer {
        /// The operation.
        operation: &'static str,
    },
    /// What is written and what is read are sections of one array that share elements.
    #[error("{operation}: sections {from} and {to} of array {array} overlap")]
    Overlap {
        /// The operation.
        operation: &'static str,
        /// The array's name.
        array: String,
        /// What is read.
        from: Box<Section>,
        /// What is written.
        to: Box<Section>,
    },
    /// An element divided by zero.
    #[error("an element is divided by zero")]
    ZeroDivisor,
    /// A section for a matrix that has more than two dimensions.
    #[error(
        "array {array}: section {section} is no matrix: more than two of its dimensions are longer than 1"
    )]
    NoMatrix {
        /// The array's name.
        array: String,
        /// The section.
        section: Box<Section>,
    },
    /// An array without elements.
    #[error("array {array}: shape {shape:?} has no elements")]
    NoElements {
        /// The array's name.
        array: String,
        /// The shape.
        shape: Vec<u64>,
    },
    /// Blocks that do not cover the array, or more blocks than ranks.
    #[error("array {array}: {reason}")]
    BadBlocks {
        /// The array's name.
        array: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The ranks called a collective operation with different arguments.
    #[error("{operation}: the ranks gave different arguments")]
    ArgumentsDiffer {
        /// The operation.
        operation: &'static str,
    },
    /// There is not so much memory.
    #[error("array {array}: {asked} bytes asked for on this node, which has {total}")]
    NoMemory {
        /// The array's name.
        array: String,
        /// Bytes asked for on the node.
        asked: u64,
        /// Bytes the node has, with swap space.
        total: u64,
    },
    /// Memory could not be had from the system.
    #[error("{operation} for {bytes} bytes: {source}")]
    Memory {
        /// The system call.
        operation: &'static str,
        /// Bytes asked for.
        bytes: u64,
        /// The cause.
        source: std::io::Error,
    },
    /// MPI cannot make a window over several nodes.
    #[error("{source}; this MPI cannot make a window between these nodes{hint}")]
    Window {
        /// MPI's error.
        source: comm::Error,
        /// Which setting helps, if we know one.
        hint: &'static str,
    },
    /// `CHEMIO_GA_PATH` is neither `shm` nor `rma`, or asks for what is not there.
    #[error("CHEMIO_GA_PATH={value}: {reason}")]
    Path {
        /// Its value.
        value: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A mutex that there is not.
    #[error("mutex {index} of {count}")]
    NoSuchMutex {
        /// What was asked for.
        index: usize,
        /// Mutexes there are.
        count: usize,
    },
    /// A mutex unlocked by a rank that does not hold it, or locked by one that does.
    #[error("mutex {index} is {state}")]
    MutexState {
        /// Which one.
        index: usize,
        /// What it is.
        state: &'static str,
    },
    /// Mutexes made twice, or removed without having been made.
    #[error("mutexes {state}")]
    Mutexes {
        /// What is wrong.
        state: &'static str,
    },
    /// A list of ranks that is no group.
    #[error("group of ranks {ranks:?}: {reason}")]
    BadGroup {
        /// The list.
        ranks: Vec<usize>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A collective operation on an array by a rank that is not in its group.
    #[error("array {array}: this rank is not in its group")]
    NotInGroup {
        /// The array's name.
        array: String,
    },
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

impl From<comm::Failure<Error>> for Error {
    fn from(failure: comm::Failure<Error>) -> Self {
        match failure {
            comm::Failure::Here(error) => error,
            comm::Failure::There { rank, message } => Self::OnRank { rank, message },
            comm::Failure::Comm(error) => Self::Comm(error),
        }
    }
}
