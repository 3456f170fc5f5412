//! The border between chemio's disk-resident arrays and the C and Fortran programs that call them as DRA.
//!
//! Everything here is conversion. Arrays on disk have handles from -5000 upward, the same on every rank. C counts from zero
//! and its last index varies fastest; Fortran counts from one and its first index does; both give bounds inclusive. An
//! array made in Fortran is stored with its dimensions reversed, as HDF5 and netCDF do, so that elements lie in the same
//! order in both languages. All calls but the questions are collective and return the same on every rank: what is wrong
//! with the arguments of one rank is told to all. Nothing ends the program.
//!
//! The arrays in memory belong to another library: [`Provider`] finds one by its handle. The leaf crates name the provider
//! and the width of INTEGER with one line, `chemio_capi_dra::export!(i32, &PROVIDER);`, which defines the Fortran symbols
//! and `DRA_Init`. The other C symbols are defined in this crate. The calls themselves are described in `include/dra.md`
//! and `include/dra.h`.

mod agreement;
mod arrays;
mod attributes;
pub mod c;
pub mod codes;
mod copies;
mod error;
pub mod fortran;
mod language;
mod provider;
mod requests;
mod session;
mod transfers;
mod types;

pub use error::Error;
pub use provider::Provider;
