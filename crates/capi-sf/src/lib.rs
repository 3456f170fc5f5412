//! The border between chemio's shared files and the C and Fortran programs that call them as SF.
//!
//! Everything here is conversion. Files have handles from -3000 upward, the same on every rank. Offsets, lengths and hints are
//! doubles. Create and destroy are collective and return the same on every rank; all else is local. Every bad argument gets
//! a code, and nothing ends the program.
//!
//! The C symbols are defined in this crate. The Fortran symbols depend on the width of the default INTEGER, so the leaf
//! crates define them, with one line: `chemio_capi_sf::fortran_sf!(i32);` or `chemio_capi_sf::fortran_sf!(i64);`. The
//! calls themselves are described in `include/sf.md` and `include/sf.h`.

pub mod c;
pub mod codes;
mod communicator;
mod error;
mod files;
pub mod fortran;
mod transfers;
mod untold;

pub use error::Error;
