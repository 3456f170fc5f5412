//! What the libraries tell about themselves, and what they counted, for whoever runs a program: libraries never print. The border for
//! C and Fortran and the command `chemio` use it.
//!
//! - [`logging`]: `CHEMIO_LOG`, lines on standard error while the program runs.
//! - [`statistics`]: `CHEMIO_STATS`, a table or JSON when it ends.
//!
//! What this crate does not do: it knows no MPI, and does not know when a program ends.
#![forbid(unsafe_code)]

pub mod logging;
pub mod statistics;
