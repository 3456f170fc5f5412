//! Operations on whole arrays and on patches of them, by all ranks that hold them.

mod collective;

pub(crate) use collective::{SyncMask, collectively};
