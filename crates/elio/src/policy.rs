//! What to use, decided in one place: which backend, which route. No I/O is done here.

pub(crate) mod backend;
pub(crate) mod cache;
pub(crate) mod cores;
pub(crate) mod memory_share;
pub(crate) mod pauses;
pub(crate) mod residency;
pub(crate) mod waiting;
