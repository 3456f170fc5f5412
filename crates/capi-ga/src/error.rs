//! What can go wrong at the border: bad arguments, and the errors of the crate behind it.

/// The result of a call at the border.
pub type Result<T> = std::result::Result<T, Error>;

/// An error at the border. Indices are counted as the caller counts them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the distributed arrays.
    #[error(transparent)]
    Ga(#[from] ga::Error),
    /// A call before `ga_initialize` or after `ga_terminate`.
    #[error("the arrays are not initialised: ga_initialize comes first")]
    NotInitialised,
    /// A handle that no array has.
    #[error("array not active: no array has the handle {handle}")]
    DeadHandle {
        /// The handle given.
        handle: i64,
    },
    /// A handle of an array that has been described but not allocated.
    #[error("array {name} (handle {handle}) has not been allocated")]
    NotAllocated {
        /// The handle given.
        handle: i64,
        /// Its name.
        name: String,
    },
    /// A description of an array that exists already.
    #[error("array {name} (handle {handle}) is allocated and cannot change")]
    AlreadyAllocated {
        /// The handle given.
        handle: i64,
        /// Its name.
        name: String,
    },
    /// An array that only some processes hold, where all are needed.
    #[error("array {name} (handle {handle}) is held by a group of processes, not by all")]
    NotOfAll {
        /// The handle given.
        handle: i64,
        /// Its name.
        name: String,
    },
    /// A handle that no group of ranks has.
    #[error("no group of processes has the handle {handle}")]
    DeadGroup {
        /// The handle given.
        handle: i64,
    },
    /// A collective call in a group by a rank that is not in it.
    #[error("this process is not in the group {handle}")]
    NotInGroup {
        /// The group's handle.
        handle: i64,
    },
    /// A section that is empty or not in the array.
    #[error("array {array} (handle {handle}): section [{section}] is not within [{bounds}]")]
    OutOfRange {
        /// The array's name.
        array: String,
        /// Its handle.
        handle: i64,
        /// What was asked for.
        section: String,
        /// What there is.
        bounds: String,
    },
    /// A section that another rank holds, where only one's own will do.
    #[error(
        "array {array} (handle {handle}): section [{section}] is not within [{own}], the elements of this process"
    )]
    NotOwn {
        /// The array's name.
        array: String,
        /// Its handle.
        handle: i64,
        /// What was asked for.
        section: String,
        /// What this rank holds.
        own: String,
    },
    /// Steps below one.
    #[error("strides {skip:?}: expected at least 1 in each dimension")]
    BadStride {
        /// The steps given.
        skip: Vec<i64>,
    },
    /// A leading dimension that is too small.
    #[error("leading dimension {ld} is less than the {count} elements of the section")]
    BadLeadingDimension {
        /// What was given.
        ld: i64,
        /// What is needed.
        count: u64,
    },
    /// A number of dimensions that arrays cannot have.
    #[error("{got} dimensions: expected {expected}")]
    BadDims {
        /// What is possible here.
        expected: &'static str,
        /// What was given.
        got: i64,
    },
    /// An extent that no array has.
    #[error("extents {extents:?}: expected at least 1 in each dimension")]
    BadExtent {
        /// What was given.
        extents: Vec<i64>,
    },
    /// A map of blocks that is none.
    #[error("map of blocks {map:?}, {blocks:?} blocks: expected ascending first indices for each dimension")]
    BadMap {
        /// The starts given.
        map: Vec<i64>,
        /// Blocks in each dimension.
        blocks: Vec<i64>,
    },
    /// A type code that arrays cannot have.
    #[error("type {code} is not supported: expected int, long, float, double or complex")]
    BadType {
        /// The code given.
        code: i64,
    },
    /// An array of another type than the call works with.
    #[error("array {array} (handle {handle}) has elements of type {got}, expected {expected}")]
    WrongType {
        /// The array's name.
        array: String,
        /// Its handle.
        handle: i64,
        /// What the call works with.
        expected: &'static str,
        /// The array's type.
        got: ga::ElementType,
    },
    /// An operator of a reduction that is none.
    #[error("operator {operator:?}: expected + * max min absmax absmin or")]
    BadOperator {
        /// What was given.
        operator: String,
    },
    /// A letter that is no transposition.
    #[error("transposition {letter:?}: expected n, t or c")]
    BadTransposition {
        /// What was given.
        letter: char,
    },
    /// A number that may not be negative, or is too large.
    #[error("{argument} is {got}")]
    BadNumber {
        /// Which argument.
        argument: &'static str,
        /// What was given.
        got: i64,
    },
    /// A process that there is not.
    #[error("process {rank} of {ranks}")]
    NoSuchRank {
        /// The number given.
        rank: i64,
        /// How many there are.
        ranks: usize,
    },
    /// Two shapes that do not fit each other.
    #[error("{what}: [{left}] against [{right}]")]
    ShapesDiffer {
        /// What should be equal.
        what: &'static str,
        /// The first.
        left: String,
        /// The second.
        right: String,
    },
    /// An operation from an array into itself that needs two.
    #[error("the arrays have to be different")]
    SameArray,
    /// More memory than the program allows itself.
    #[error("array {array}: its share of {bytes} bytes exceeds the limit on some process")]
    OverLimit {
        /// The array's name.
        array: String,
        /// The bytes it needs on this process.
        bytes: u64,
    },
    /// Memory that Fortran cannot index.
    #[error("array {array}: its memory lies between the elements of the Fortran array of its type")]
    NoIndex {
        /// The array's name.
        array: String,
    },
    /// A null pointer where an argument is needed.
    #[error("null pointer: {argument}")]
    NullPointer {
        /// Which argument.
        argument: &'static str,
    },
    /// A broken invariant of ours.
    #[error("internal error: {message}")]
    Panic {
        /// What the panic said.
        message: String,
    },
}

impl From<comm::Error> for Error {
    fn from(error: comm::Error) -> Self {
        Self::Ga(error.into())
    }
}

impl From<comm::Failure<Error>> for Error {
    fn from(failure: comm::Failure<Error>) -> Self {
        match failure {
            comm::Failure::Here(error) => error,
            comm::Failure::There { rank, message } => Self::Ga(ga::Error::OnRank { rank, message }),
            comm::Failure::Comm(error) => error.into(),
        }
    }
}

impl From<section::Error> for Error {
    fn from(error: section::Error) -> Self {
        Self::Ga(error.into())
    }
}
