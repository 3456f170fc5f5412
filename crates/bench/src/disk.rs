//! What the suites about files share: an equal start for everybody (`page_cache`, `page_reporting`, `memory`, `rehearsal`), files that
//! vanish (`scratch`), not while somebody measures (`removals`, `mount`), the device by fio (`fio`, `replay`), what is timed (`access`, `samples`,
//! `passes`), a line of a table (`cell`) and its rule (`rule`).

pub(crate) mod access;
pub(crate) mod cell;
pub(crate) mod files;
pub(crate) mod fio;
pub(crate) mod memory;
pub(crate) mod mount;
pub(crate) mod page_cache;
pub(crate) mod page_reporting;
pub(crate) mod passes;
pub(crate) mod rehearsal;
pub(crate) mod removals;
pub(crate) mod replay;
pub(crate) mod rule;
pub(crate) mod samples;
pub(crate) mod scratch;
