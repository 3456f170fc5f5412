//! The border between chemio's distributed arrays and the C and Fortran programs that were written for Global Arrays.
//!
//! Everything here is conversion. Arrays have handles from -1000 upward. C counts from zero and its last index varies
//! fastest; Fortran counts from one and its first index does; both give bounds inclusive. The crate `ga` counts as C
//! does and excludes upper bounds, so for a Fortran caller dimensions are reversed and one is subtracted.
//!
//! What is wrong cannot be told to callers whose calls return nothing: such a call prints what it is and ends the whole
//! program, all ranks, as programs for Global Arrays expect. Calls with a status return it, and the reason is told by
//! the next `ga_error` and under `CHEMIO_LOG`.
//!
//! Most C symbols are defined in this crate. Those of Fortran depend on the width of the default INTEGER, and so do the
//! C calls that begin everything: the leaf crates define them, with one line, `chemio_capi_ga::export!(i32);` or
//! `chemio_capi_ga::export!(i64);`. The calls themselves are described in `include/ga/ga.h` and `include/ga/global.fh`.

mod arrays;
mod boundary;
pub mod c;
mod caller;
mod calls;
mod error;
mod export;
mod fatal;
mod fetch;
pub mod fortran;
mod groups;
mod kind;
mod limit;
mod requests;
mod session;
mod statistics;

pub use arrays::{with_array_of_all, with_context};
pub use error::{Error, Result};

/// C's types, for the macros.
#[doc(hidden)]
pub mod types {
    pub use libc::{c_char, c_int, c_void};
    pub use num_complex::{Complex32, Complex64};
}
