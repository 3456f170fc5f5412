//! What the node that a process runs on has for it.
//!
//! - [`memory_bytes`]: memory and swap space, of which a program can never have more.
//! - [`gives_huge_pages`]: whether memory that asks for huge pages gets them.
//! - [`available_bytes`]: memory that is left at the moment, within the limits of control groups, as batch systems set them.
//!
//! All read small files of the kernel's, which takes tens of microseconds. There is no unsafe code here.
#![forbid(unsafe_code)]

mod groups;
mod memory;

pub use memory::{available_bytes, gives_huge_pages, memory_bytes};
