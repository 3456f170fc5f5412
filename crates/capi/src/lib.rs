//! The border between chemio and the C and Fortran programs that call it.
//!
//! Everything here is conversion: integers of two widths, blank-padded strings, doubles as offsets, handles, error
//! numbers. A call is boundary, checks, conversion, one call of a Rust crate, conversion back. No panic crosses the
//! border, and every bad argument gets a code.
//!
//! The C symbols of EAF are defined in this crate. The Fortran symbols depend on the width of the default INTEGER, so
//! the leaf crates define them, with one line: `chemio_capi::fortran_eaf!(i32);` or `chemio_capi::fortran_eaf!(i64);`.
//! The calls themselves are described in `include/README.md` and `include/eaf.h`.

#[doc(hidden)]
pub mod boundary;
mod codes;
pub mod eaf;
mod error;
#[doc(hidden)]
pub mod exit;
#[doc(hidden)]
pub mod failures;
#[doc(hidden)]
pub mod handles;
mod integer;
#[doc(hidden)]
pub mod last_error;
#[doc(hidden)]
pub mod logging;
#[doc(hidden)]
pub mod offset;
#[doc(hidden)]
pub mod pointer;
mod random;
#[doc(hidden)]
pub mod requests;
#[doc(hidden)]
pub mod stdout;
#[doc(hidden)]
pub mod strings;

pub use error::{Coded, Error, Result};
pub use integer::Integer;
#[doc(hidden)]
pub use report::statistics;
