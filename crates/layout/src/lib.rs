//! Re-blocking an array on disk: planning how to bring it from bricks of one shape into bricks of another, in another order of
//! dimensions, with little memory.
//!
//! [`plan()`] answers a [`Problem`] with a [`Plan`]: [`Pass`]es over the array, for each of them what is read and written at once,
//! what is retained between steps, and what that costs. A plan prints as a table, [explains](Plan::explain) itself, and
//! gives the [`Step`]s that an executor takes without deciding anything.
//!
//! ```
//! use layout::{Problem, plan};
//! // Rows of a matrix of doubles, 1 MiB each eight, into bricks of 1 MiB that are narrow and high.
//! let mut problem = Problem::new(&[16384, 16384], 8, &[8, 16384], &[4096, 32]);
//! problem.memory_bytes = 64 << 20;
//! let plan = plan(&problem)?;
//! assert_eq!(plan.passes().len(), 1);
//! assert!(plan.memory_bytes_max() <= 64 << 20);
//! println!("{plan}");
//! # Ok::<(), layout::Error>(())
//! ```
//!
//! Three kinds of plans are compared, and the cheapest on the device is taken: the heuristics of the paper; the best templates and
//! passes over whole bricks; and the best of all with parts of bricks, where a leading slab of a brick is one contiguous run.
//!
//! What this crate does not do: it moves nothing and knows neither MPI nor files.
//!
//! Source: S. Krishnamoorthy, G. Baumgartner, C.-C. Lam, J. Nieplocha, P. Sadayappan, "Layout Transformation Support for the Disk
//! Resident Arrays Framework"; where its formulas do not hold, the files below say so.
#![forbid(unsafe_code)]

mod error;
mod explain;
mod memory;
mod model;
mod on_disk;
mod permutation;
mod plan;
mod problem;
mod steps;

pub use error::{Error, Result};
pub use memory::{Memory, Shares, brick_bytes_max, rounding_bytes};
pub use model::DeviceModel;
pub use on_disk::FILE_BRICKS_MAX;
pub use permutation::Permutation;
pub use plan::axis::Axis;
pub use plan::cost::PassCost;
pub use plan::search::CANDIDATES_MAX;
pub use plan::{Alternative, Kind, Pass, Plan, plan};
pub use problem::{Buffers, Owners, Problem, Units};
pub use steps::{Step, Steps};
