//! MA, the memory allocator of programs that are written for Global Arrays: a heap whose blocks are freed in any
//! order and a stack whose blocks are popped in reverse order, both under one budget that the program names at its
//! start.
//!
//! A block is a number of elements of a [`Datatype`], known by a [`Handle`]. It has a guard of 64 bytes at both ends,
//! so that a program that writes past its block can be told ([`Allocator::verify`]). Fortran programs of this kind
//! have no pointers: they reach a block as an element of an array in a common block, `dbl_mb(index)`, far outside its
//! two declared elements; [`fortran_index`] is that arithmetic, and blocks are placed so that it comes out even.
//!
//! Memory comes from the ordinary allocator of the process when a block is allocated, not from one segment taken at
//! the start: the budget is only a number, and what a block needs besides its elements does not count. The memory of
//! large blocks is kept for those that follow, within the budget.
//!
//! What this crate does not do: it knows no MPI and no Global Arrays. Its calls for C and Fortran print, because that
//! is what they are for; [`Allocator`] never does.
//!
//! ```
//! use ma::{Allocator, Datatype, Limits, Place, Request};
//!
//! # fn main() -> ma::Result<()> {
//! let mut memory = Allocator::new();
//! memory.init(Limits { stack_bytes: 8000, heap_bytes: 8000 })?;
//! let work = memory.allocate(Place::Stack, &Request { datatype: Datatype::Double, elements: 500, name: "work" })?;
//! assert!(memory.address(work)?.is_multiple_of(64));
//! assert!(memory.verify().is_sound());
//! memory.pop_stack(work)?;
//! # Ok(())
//! # }
//! ```
//!
//! # C and Fortran
//!
//! `Integer` of C's MA calls is Fortran's INTEGER, so all symbols depend on its width. The library that exports them
//! says which, once, at the root of its crate: `ma::export!(i32);` or `ma::export!(i64);`. The declarations are in
//! `include/ga/macdecls.h` and `include/ga/mafdecls.fh`.

mod allocator;
mod bases;
mod block;
mod boundary;
mod budget;
#[doc(hidden)]
pub mod c;
mod calls;
mod datatype;
mod error;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fortran;
mod guard;
mod integer;
mod memory;
mod output;
mod pointer;
mod report;
mod routine;
mod session;
mod spare;
mod statistics;
mod strings;

pub use allocator::{Allocator, Handle, Request};
pub use bases::{fortran_base, fortran_index};
pub use block::{Block, Place};
pub use budget::{Limits, Room};
pub use datatype::{Datatype, IntegerWidth};
pub use error::{Error, Result};
pub use guard::Damage;
pub use integer::Integer;
pub use report::{DamagedBlock, Verification};
pub use session::{ErrorCallback, is_initialized, set_error_callback};
pub use statistics::Usage;
