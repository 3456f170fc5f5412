//! What the command `chemio`, which needs no MPI, and `chemio-reblock`, which does, have in common.
//!
//! - [`options`]: the options of re-blocking, and what several commands take.
//! - [`reblocking`]: what is to be re-blocked where, found out before anything is changed; [`plan`]: its plan; [`room`]: what
//!   the target takes on disk.
//! - [`error`], [`output`], [`progress`], [`interrupt`]: one line that says what to do; text and JSON; bars; signals.
//! - [`missing`]: files of an array that are gone.
//! - [`launched`]: whether this is one of several ranks, and of how many.
//!
//! What this crate does not do: it moves no elements, and knows no MPI.
#![forbid(unsafe_code)]

pub mod error;
pub mod interrupt;
pub mod launched;
pub mod missing;
pub mod options;
pub mod output;
pub mod place;
pub mod plan;
pub mod progress;
pub mod reblocking;
pub mod room;
