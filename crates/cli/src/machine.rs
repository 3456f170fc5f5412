//! What this machine and a directory can do.

pub(crate) mod bench;
pub(crate) mod doctor;
