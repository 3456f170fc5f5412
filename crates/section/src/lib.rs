//! Sections of N-dimensional arrays: which elements, where they lie in memory, in which contiguous runs.
//!
//! - [`Section`]: `lo`, `hi` (exclusive) and step in each dimension; clipping, translation, the boxes of a range of elements.
//! - [`Layout`]: strides of the memory that an array or a patch lies in.
//! - [`Runs`]: the contiguous runs of a section that lies in two memories at once, the heart of every strided copy.
//! - [`BrickGrid`]: an array cut into bricks: which bricks a section meets, which elements a brick holds, its number.
//! - [`equal_boxes`]: a grid tiled by boxes of one shape.
//! - [`copy_elements`]: such a copy of elements of 4, 8 or 16 bytes, also between different orders of the dimensions.
//! - [`transpose()`]: a blocked transposition of a dense matrix.
//!
//! Everything is row-major: the last index varies fastest. Column-major callers reverse their dimensions
//! ([`Section::reversed`]). There is no I/O here, no MPI and no unsafe code.
//!
//! ```
//! use section::{Layout, Runs, Section};
//! // Rows 2..4 and columns 1..3 of a 5 x 4 array, and the same elements packed.
//! let patch = Section::new(&[2, 1], &[4, 3])?;
//! let (array, packed) = (Layout::dense(&[5, 4]), Layout::dense(patch.counts().as_ref()));
//! let mut copied = vec![];
//! let first = array.offset(patch.lo());
//! Runs::new(patch.counts().as_ref(), &array, &packed).for_each(|a, b, len| copied.push((first + a, b, len)));
//! assert_eq!(copied, [(9, 0, 2), (13, 2, 2)]);
//! # Ok::<(), section::Error>(())
//! ```

mod brick_grid;
mod elements;
mod error;
mod layout;
mod runs;
mod section;
mod shape;
mod transpose;

pub use brick_grid::{BrickGrid, equal_boxes};
pub use elements::{PIECE_BYTES, copy_elements};
pub use error::{Error, Result};
pub use layout::Layout;
pub use runs::Runs;
pub use section::Section;
pub use shape::{Shape, size};
pub use transpose::transpose;

/// The largest number of dimensions.
pub const DIMS_MAX: usize = 7;
