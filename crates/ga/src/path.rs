//! How ranks reach each other's memory.

use crate::{Error, Result};

/// The variable that forces a path.
const VARIABLE: &str = "CHEMIO_GA_PATH";

/// Which way operations on arrays take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Loads and stores between ranks of a node, RMA between nodes.
    Fastest,
    /// Loads and stores only; arrays over several nodes are refused.
    SharedMemory,
    /// RMA only, also on one node.
    Rma,
}

impl Path {
    /// What `CHEMIO_GA_PATH` asks for.
    ///
    /// # Errors
    /// - [`Error::Path`]: it is neither `shm` nor `rma`.
    pub(crate) fn from_environment() -> Result<Self> {
        match std::env::var(VARIABLE).as_deref() {
            Err(_) | Ok("") => Ok(Self::Fastest),
            Ok("shm") => Ok(Self::SharedMemory),
            Ok("rma") => Ok(Self::Rma),
            Ok(other) => Err(Error::Path { value: other.to_owned(), reason: "expected shm or rma" }),
        }
    }

    /// Whether ranks of one node may use each other's memory.
    pub(crate) fn shares_memory(self) -> bool {
        self != Self::Rma
    }

    /// Whether an array on these nodes needs windows of MPI.
    ///
    /// # Errors
    /// - [`Error::Path`]: it does, and they are forbidden.
    pub(crate) fn needs_rma(self, one_node: bool) -> Result<bool> {
        match self {
            Self::Rma => Ok(true),
            Self::Fastest => Ok(!one_node),
            Self::SharedMemory if one_node => Ok(false),
            Self::SharedMemory => Err(Error::Path {
                value: "shm".to_owned(),
                reason: "these ranks do not all share the memory of one node",
            }),
        }
    }
}
