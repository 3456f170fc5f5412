//! What is done with whole arrays.

pub(crate) mod copy;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod remove;
pub(crate) mod rename;
pub(crate) mod size;
pub(crate) mod verify;
