//! What can be wrong with a call.

use crate::guard::Damage;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Memory is asked for before there are limits.
    #[error("block '{name}': MA is not initialised")]
    BlockBeforeInit {
        /// The block's name.
        name: Box<str>,
    },
    /// What is left is asked for before there are limits.
    #[error("MA is not initialised")]
    NotInitialized,
    /// Limits are given twice.
    #[error("MA is already initialised")]
    AlreadyInitialized,
    /// No type has this number.
    #[error("no data type has the number {code}")]
    InvalidDatatype {
        /// The number.
        code: i64,
    },
    /// A number of elements is negative.
    #[error("{elements} elements are not possible")]
    InvalidElements {
        /// The number.
        elements: i64,
    },
    /// More bytes than can be counted.
    #[error("more bytes than can be counted")]
    TooLarge,
    /// The limits do not allow it.
    #[error("block '{name}': {requested_bytes} bytes are asked for, {available_bytes} are left")]
    NotEnough {
        /// The block's name.
        name: Box<str>,
        /// What was asked for.
        requested_bytes: u64,
        /// What the limits leave.
        available_bytes: u64,
    },
    /// The limits allow it, and the system does not have it.
    #[error("block '{name}': the system has no {requested_bytes} bytes of memory")]
    OutOfMemory {
        /// The block's name.
        name: Box<str>,
        /// What was asked for.
        requested_bytes: u64,
    },
    /// No block has had this handle.
    #[error("handle {handle} is not valid")]
    InvalidHandle {
        /// The handle.
        handle: i64,
    },
    /// The block is gone.
    #[error("handle {handle} is not valid any more: its block has been given back")]
    StaleHandle {
        /// The handle.
        handle: i64,
    },
    /// The program has written outside the block.
    #[error("handle {handle}, block '{name}': memory was written {}", sides(*damage))]
    DamagedBlock {
        /// The handle.
        handle: i64,
        /// The block's name.
        name: Box<str>,
        /// On which side.
        damage: Damage,
    },
    /// A heap block is needed.
    #[error("handle {handle}, block '{name}' is not in the heap")]
    NotInHeap {
        /// The handle.
        handle: i64,
        /// The block's name.
        name: Box<str>,
    },
    /// A stack block is needed.
    #[error("handle {handle}, block '{name}' is not in the stack")]
    NotInStack {
        /// The handle.
        handle: i64,
        /// The block's name.
        name: Box<str>,
    },
    /// Only the last block can be popped.
    #[error("handle {handle}, block '{name}' is not on top of the stack: '{top}' is")]
    NotOnTop {
        /// The handle.
        handle: i64,
        /// The block's name.
        name: Box<str>,
        /// The name of the block on top.
        top: Box<str>,
    },
    /// An alignment is out of range.
    #[error("2**{exponent} is not possible as alignment: 0 to 30 are")]
    InvalidAlignment {
        /// The exponent.
        exponent: i64,
    },
    /// A block lies between two elements of its base array.
    #[error("handle {handle} has no index")]
    NoIndex {
        /// The handle.
        handle: i64,
    },
    /// An argument is null.
    #[error("argument {argument} is a null pointer")]
    NullPointer {
        /// The argument.
        argument: &'static str,
    },
    /// Verification has found damage. The text is a table.
    #[error("{summary}")]
    Unsound {
        /// Counts of what was found.
        summary: String,
    },
    /// A broken invariant of this library.
    #[error("internal error: {message}")]
    Panic {
        /// What it said.
        message: String,
    },
}

/// Where memory was written that is not the program's.
pub(crate) fn sides(damage: Damage) -> &'static str {
    match (damage.left, damage.right) {
        (true, true) => "before its first element and behind its last",
        (true, false) => "before its first element",
        (false, true) => "behind its last element",
        (false, false) => "nowhere outside it",
    }
}
