//! The edge to the system: calls that std does not wrap, memory whose address must stay, and the ring. Everything
//! unsafe in this crate is in here; what leaves it is safe.
#![allow(unsafe_code)]

pub(crate) mod affinity;
pub(crate) mod aliasing;
pub(crate) mod alloc;
pub(crate) mod around_caches;
pub(crate) mod caller_memory;
pub(crate) mod calls;
pub(crate) mod exit;
pub(crate) mod foreign;
pub(crate) mod fork;
pub(crate) mod gather;
pub(crate) mod pages;
pub(crate) mod region;
pub(crate) mod ring;
pub(crate) mod ticks;
pub(crate) mod transfer;
