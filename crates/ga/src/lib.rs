//! Distributed arrays: dense arrays of up to seven dimensions, spread in blocks over the ranks of an MPI program, of which
//! any rank reads, writes and adds to any section without the help of the rank that holds it.
//!
//! - [`Context`]: the ranks of the program, their nodes, synchronisation. [`Group`]: some of the ranks.
//! - [`ArrayBuilder`], [`Array`], [`View`]: arrays of a type known at run time, and typed views of them.
//! - [`Section`](section::Section) says which elements, [`Patch`] and [`PatchMut`] which local memory.
//! - [`Distribution`]: who holds what.
//! - Collective operations on whole arrays and patches (fill, scale, add, copy, dot, transpose, symmetrize, print), and
//!   [`gemm`]: matrix products by the BLAS that the crate is linked with.
//!
//! Between ranks of a node operations are loads and stores in shared memory, with locks of our own for accumulates; between
//! nodes they are MPI's passive-target RMA. `CHEMIO_GA_PATH=rma` takes the second way everywhere, `shm` refuses it.
//!
//! **When data is visible.** A blocking operation is complete for its caller on return: what was read is there, and memory
//! that was written from is free. What one rank does to one place happens in the order in which it does it. Other ranks see
//! what was written after [`Context::sync`], or after [`Context::fence`] by the writer and a message or a mutex between the
//! two. Accumulates and counters are atomic for each element with respect to each other, not to puts and gets. Between
//! nodes some implementations of MPI move data only while the other rank is in a call of MPI.
//!
//! What the crate does not do: files, fault tolerance, arrays with ghost cells, sparse arrays.
//!
//! ```no_run
//! use section::Section;
//! let ga = ga::Context::new()?;
//! let array = ga.array(ga::ElementType::Double, &[1000, 1000]).name("density").create()?;
//! array.fill(0.0.into())?;
//! let rows = Section::new(&[10, 0], &[20, 1000])?;
//! array.view::<f64>()?.accumulate(&rows, &vec![1.0; 10_000], 0.5)?;
//! ga.sync()?;
//! array.destroy()?;
//! # Ok::<(), ga::Error>(())
//! ```

mod array;
mod context;
mod counter;
mod distribution;
mod element;
mod element_list;
mod error;
mod group;
mod in_block;
mod linalg;
mod local;
mod mutex;
mod patch;
mod patch_ops;
mod path;
mod print;
mod reach;
mod request;
mod transfer;
mod view;
#[expect(
    clippy::cast_ptr_alignment,
    reason = "parts begin on pages, and elements of foreign memory are read unaligned"
)]
mod window;

pub use array::{Array, ArrayBuilder};
pub use context::Context;
pub use distribution::Distribution;
pub use element::{Element, ElementType, Scalar};
pub use error::{Error, Result};
pub use group::{Group, Reduction};
pub use in_block::{InBlock, Span};
pub use linalg::{Factor, Transpose, gemm};
pub use local::LocalBlock;
pub use patch::{Patch, PatchMut};
pub use patch_ops::{Change, Diagonal, Pairing};
pub use path::Path;
pub use print::{Subscripts, TextStyle};
pub use reach::Stretch;
pub use request::Request;
pub use view::View;
