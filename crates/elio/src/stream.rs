//! Streams: what is read before it is asked for, and written after it was handed over.

pub(crate) mod coverage;
pub(crate) mod housekeeping;
pub(crate) mod lost;
pub(crate) mod order;
mod pace;
pub(crate) mod prefetch;
pub(crate) mod read_ahead;
pub(crate) mod write_behind;
pub(crate) mod writeback;
