//! What is measured: patches that are put, got and accumulated, and matrix products.

use std::fmt;

use serde::Serialize;

/// A one-sided call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    /// `NGA_Put`
    Put,
    /// `NGA_Get`
    Get,
    /// `NGA_Acc`, with a factor of 1
    Acc,
}

/// Where the elements of a patch lie in the block they are in. The driver knows the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Whole rows of 8 KiB, or a part of one.
    Contiguous,
    /// Half of the columns: runs of 4 KiB, 8 KiB apart.
    Half,
    /// 8 columns of 32: runs of 64 B, 256 B apart.
    Narrow,
}

impl Kind {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Kind; 3] = [Kind::Contiguous, Kind::Half, Kind::Narrow];

    /// The smallest patch worth measuring: the strided kinds have several runs.
    fn bytes_min(self) -> u64 {
        match self {
            Kind::Contiguous => 64,
            Kind::Half => 4 * 4096,
            Kind::Narrow => 16 * 64,
        }
    }
}

/// Whose block a patch lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Locality {
    /// The caller's own.
    Local,
    /// The next rank's.
    Remote,
}

/// A patch of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Patch {
    /// How it lies in it.
    pub(crate) kind: Kind,
    /// Its size.
    pub(crate) bytes: u64,
}

impl Patch {
    /// The patches of these sizes.
    pub(crate) fn of_sizes(sizes: &[u64]) -> Vec<Patch> {
        let of_kind = |kind: Kind| {
            let large_enough = sizes.iter().copied().filter(move |&bytes| bytes >= kind.bytes_min());
            large_enough.map(move |bytes| Patch { kind, bytes })
        };
        Kind::ALL.into_iter().flat_map(of_kind).collect()
    }

    /// The lines of the table about it; a single rank has no next one.
    pub(crate) fn cells(self, ranks: usize) -> Vec<Cell> {
        let localities =
            if ranks == 1 { vec![Locality::Local] } else { vec![Locality::Local, Locality::Remote] };
        let operations = [Operation::Put, Operation::Get, Operation::Acc].into_iter();
        let of_operation = |operation| {
            localities.iter().map(move |&locality| Cell { ranks, patch: self, operation, locality })
        };
        operations.flat_map(of_operation).collect()
    }
}

/// One line of the table of put, get and acc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Cell {
    /// How many do it at once.
    pub(crate) ranks: usize,
    /// What is moved.
    #[serde(flatten)]
    pub(crate) patch: Patch,
    /// How.
    pub(crate) operation: Operation,
    /// Whose.
    pub(crate) locality: Locality,
}

/// Which operands of a product are transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// Neither.
    Nn,
    /// The first.
    Tn,
}

/// One line of the table of dgemm: square matrices of doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Product {
    /// How many multiply together.
    pub(crate) ranks: usize,
    /// Rows and columns.
    pub(crate) order: u32,
    /// Which operands are transposed.
    pub(crate) form: Form,
}

impl Product {
    /// Floating-point operations.
    pub(crate) fn operations_count(self) -> f64 {
        2.0 * f64::from(self.order).powi(3)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::Put => "put",
            Operation::Get => "get",
            Operation::Acc => "acc",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Contiguous => "contiguous",
            Kind::Half => "half",
            Kind::Narrow => "narrow",
        })
    }
}

impl fmt::Display for Locality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Locality::Local => "local",
            Locality::Remote => "remote",
        })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Nn => "nn",
            Form::Tn => "tn",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Patch};

    #[test]
    fn strided_patches_have_several_runs() {
        let patches = Patch::of_sizes(&[64, 1024, 16 << 10]);
        let sizes = |kind| patches.iter().filter(move |patch| patch.kind == kind).map(|patch| patch.bytes);
        assert_eq!(sizes(Kind::Contiguous).collect::<Vec<_>>(), [64, 1024, 16 << 10]);
        assert_eq!(sizes(Kind::Half).collect::<Vec<_>>(), [16 << 10]);
        assert_eq!(sizes(Kind::Narrow).collect::<Vec<_>>(), [1024, 16 << 10]);
    }

    #[test]
    fn a_single_rank_has_no_remote_cells() {
        let patch = Patch { kind: Kind::Contiguous, bytes: 64 };
        assert_eq!(patch.cells(1).len(), 3);
        assert_eq!(patch.cells(2).len(), 6);
    }
}
