//! Groups of ranks: who takes part in a collective operation, and over whom an array is spread.

use crate::patch_ops::SyncMask;
use crate::{Element, ElementType, Error, Result, Scalar};
use comm::{Comm, Operation, Reducible};
use num_complex::Complex;
use std::collections::HashSet;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Some ranks of the program, in an order of their own. A clone is the same group.
#[derive(Clone, Debug)]
pub struct Group {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    comm: Comm,
    /// Those of these ranks that share memory with this one.
    node: Comm,
    /// For each rank of the group its number among all ranks.
    world_ranks: Vec<usize>,
    /// For each rank of the group its rank on this node, if it is here.
    node_ranks: Vec<Option<usize>>,
    /// One for all groups of the program.
    sync_mask: Arc<SyncMask>,
}

/// How the values of all ranks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The largest magnitude.
    AbsMax,
    /// The smallest magnitude.
    AbsMin,
    /// Every bit that is set somewhere; integers only.
    Or,
}

impl Reduction {
    /// The reduction that the legacy calls name so: `+ * max min absmax absmin or`.
    pub fn from_operator(operator: &str) -> Option<Self> {
        Some(match operator {
            "+" => Self::Sum,
            "*" => Self::Product,
            "max" => Self::Max,
            "min" => Self::Min,
            "absmax" => Self::AbsMax,
            "absmin" => Self::AbsMin,
            "or" => Self::Or,
            _ => return None,
        })
    }

    /// Its name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "a sum",
            Self::Product => "a product",
            Self::Max => "a maximum",
            Self::Min => "a minimum",
            Self::AbsMax => "a maximum of magnitudes",
            Self::AbsMin => "a minimum of magnitudes",
            Self::Or => "a bitwise or",
        }
    }
}

impl Group {
    /// The group of all ranks of the program. Collective over them.
    pub(crate) fn world(comm: Comm) -> Result<Self> {
        let ranks = (0..comm.size()).collect();
        Self::new(comm, ranks, Arc::default())
    }

    /// The group of a communicator. Collective over it.
    fn new(comm: Comm, world_ranks: Vec<usize>, sync_mask: Arc<SyncMask>) -> Result<Self> {
        let node = comm.node()?;
        let here = node.all_gather(&[comm.rank() as u64])?;
        let node_ranks =
            (0..comm.size()).map(|rank| here.iter().position(|&on_node| on_node == rank as u64)).collect();
        Ok(Self { inner: Arc::new(Inner { comm, node, world_ranks, node_ranks, sync_mask }) })
    }

    /// This process's number in the group, from 0.
    pub fn rank(&self) -> usize {
        self.comm().rank()
    }

    /// Number of ranks in the group.
    pub fn ranks(&self) -> usize {
        self.comm().size()
    }

    /// The number among all ranks of rank `rank` of the group; `None` if there is no such rank.
    pub fn world_rank(&self, rank: usize) -> Option<usize> {
        self.inner.world_ranks.get(rank).copied()
    }

    /// The number in the group of rank `world_rank` of the program; `None` if it is not in the group.
    pub fn rank_of(&self, world_rank: usize) -> Option<usize> {
        self.inner.world_ranks.iter().position(|&rank| rank == world_rank)
    }

    /// Whether it is the same group, not only one of the same ranks.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Whether all its ranks belong to another group too.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        let is_there =
            |others: &HashSet<usize>| self.inner.world_ranks.iter().all(|rank| others.contains(rank));
        self.is(other) || is_there(&other.inner.world_ranks.iter().copied().collect())
    }

    /// Whether all its ranks share the memory of one node.
    pub fn on_one_node(&self) -> bool {
        self.node().size() == self.ranks()
    }

    /// MPI's handle of the group, for calls that this crate does not have. It lives as long as the group.
    pub fn raw(&self) -> comm::ffi::MPI_Comm {
        self.comm().raw()
    }

    /// A communicator of the same ranks in the same order, for whoever needs one of their own. Collective over the group.
    ///
    /// # Errors
    /// - [`Error::Comm`]: MPI refused.
    ///
    /// # Panics
    /// Never: a rank is in its own colour.
    pub fn communicator(&self) -> Result<Comm> {
        Ok(self.comm().split(Some(0), self.rank())?.expect("all ranks have one colour"))
    }

    pub(crate) fn comm(&self) -> &Comm {
        &self.inner.comm
    }

    pub(crate) fn sync_mask(&self) -> &SyncMask {
        &self.inner.sync_mask
    }

    pub(crate) fn node(&self) -> &Comm {
        &self.inner.node
    }

    /// The rank on this node of rank `rank` of the group, if it is here.
    pub(crate) fn node_rank_of(&self, rank: usize) -> Option<usize> {
        self.inner.node_ranks[rank]
    }

    /// A group of some of these ranks, in the given order. Collective over this group: each rank gives the list of a group
    /// that it is in, so that several groups are made at once, or one that it is not in; `None` then.
    ///
    /// # Errors
    /// - [`Error::BadGroup`]: no ranks, a rank twice or one that there is not; or the ranks of a group gave different lists.
    ///
    /// # Panics
    /// If there are 2^31 ranks or more.
    pub fn subgroup(&self, ranks: &[usize]) -> Result<Option<Self>> {
        let checked = self.check_list(ranks);
        self.comm().agree(checked)?;
        let place = ranks.iter().position(|&rank| rank == self.rank());
        // Groups made at once have no rank in common, so their lowest ranks tell them apart.
        let colour = ranks.iter().min().map(|&lowest| u32::try_from(lowest).expect("ranks are below 2^31"));
        let split = self.comm().split(place.and(colour), place.unwrap_or(0))?;
        let made = split.map_or(Ok(None), |comm| {
            if same_list(&comm, ranks)? { Ok(Some(comm)) } else { Err(unlike(ranks)) }
        });
        let Some(comm) = self.comm().agree(made)? else { return Ok(None) };
        let world_ranks = ranks.iter().map(|&rank| self.inner.world_ranks[rank]).collect();
        Self::new(comm, world_ranks, Arc::clone(&self.inner.sync_mask)).map(Some)
    }

    fn check_list(&self, ranks: &[usize]) -> Result<()> {
        let bad = |reason| Error::BadGroup { ranks: ranks.to_vec(), reason };
        if ranks.is_empty() {
            return Err(bad("no ranks"));
        }
        let mut seen = vec![false; self.ranks()];
        for &rank in ranks {
            if std::mem::replace(seen.get_mut(rank).ok_or_else(|| bad("no such rank"))?, true) {
                return Err(bad("a rank appears twice"));
            }
        }
        Ok(())
    }

    /// Every rank's value if all succeeded; otherwise, on every rank, the error of the lowest one that failed: for callers with
    /// mistakes of their own to find before a collective operation. Collective over the group. Takes back a
    /// [mask of synchronisation](crate::Context::mask_sync).
    ///
    /// # Errors
    /// See [`comm::Failure`].
    pub fn agree<T, E: Display>(
        &self,
        result: std::result::Result<T, E>,
    ) -> std::result::Result<T, comm::Failure<E>> {
        self.sync_mask().take();
        self.comm().agree(result)
    }

    /// Waits for every rank of the group. Says nothing about operations on arrays: see [`Context::sync`](crate::Context::sync).
    ///
    /// # Errors
    /// - [`Error::Comm`]: MPI refused.
    pub fn barrier(&self) -> Result<()> {
        Ok(self.comm().barrier()?)
    }

    /// Gives every rank the bytes of rank `root`. Collective; the same number of bytes everywhere. Takes back a
    /// [mask of synchronisation](crate::Context::mask_sync).
    ///
    /// # Errors
    /// - [`Error::Comm`]: MPI refused, or there is no such root.
    pub fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<()> {
        self.sync_mask().take();
        Ok(self.comm().broadcast(bytes, root)?)
    }

    /// Replaces the values, on every rank, by what the reduction makes of those of all ranks, element by element.
    /// Collective; the same number of values everywhere. The result is the same on every rank. Takes back a
    /// [mask of synchronisation](crate::Context::mask_sync).
    ///
    /// # Errors
    /// - [`Error::UnsupportedType`]: no order or no bits for this type (all but sum, product and magnitudes of complex numbers).
    /// - [`Error::Comm`]: MPI refused.
    pub fn reduce<T: Element>(&self, values: &mut [T], reduction: Reduction) -> Result<()> {
        self.sync_mask().take();
        if values.is_empty() {
            return Ok(());
        }
        let unsupported = || Error::UnsupportedType { operation: reduction.name(), element_type: T::TYPE };
        match T::TYPE {
            ElementType::Int => self.reduce_as(values, reduction, |x: i32| x.wrapping_abs()),
            ElementType::Long => self.reduce_as(values, reduction, |x: i64| x.wrapping_abs()),
            ElementType::Float | ElementType::Double if reduction == Reduction::Or => Err(unsupported()),
            ElementType::Float => self.reduce_as(values, reduction, |x: f32| x.abs()),
            ElementType::Double => self.reduce_as(values, reduction, |x: f64| x.abs()),
            ElementType::SingleComplex | ElementType::DoubleComplex => match reduction {
                Reduction::Max | Reduction::Min | Reduction::Or => Err(unsupported()),
                Reduction::Sum | Reduction::Product | Reduction::AbsMax | Reduction::AbsMin => {
                    self.reduce_complex(values, reduction)
                }
            },
        }
    }

    /// For the types that MPI reduces itself: `U` is `T`, which the caller has found out.
    fn reduce_as<T: Element, U: Element + Reducible>(
        &self,
        values: &mut [T],
        reduction: Reduction,
        magnitude: impl Fn(U) -> U,
    ) -> Result<()> {
        let mut reduced: Vec<U> = values.iter().map(|&value| same(value)).collect();
        if matches!(reduction, Reduction::AbsMax | Reduction::AbsMin) {
            for value in &mut reduced {
                *value = magnitude(*value);
            }
        }
        let operation = match reduction {
            Reduction::Sum => Operation::Sum,
            Reduction::Product => Operation::Product,
            Reduction::Max | Reduction::AbsMax => Operation::Max,
            Reduction::Min | Reduction::AbsMin => Operation::Min,
            Reduction::Or => Operation::Or,
        };
        self.comm().all_reduce(&mut reduced, operation)?;
        values.iter_mut().zip(reduced).for_each(|(to, from)| *to = same(from));
        Ok(())
    }

    /// Products and magnitudes of complex numbers are nothing that MPI knows for all its datatypes: in parts or by hand.
    fn reduce_complex<T: Element>(&self, values: &mut [T], reduction: Reduction) -> Result<()> {
        let wide = |value: T| match value.into() {
            Scalar::SingleComplex(z) => Complex::new(f64::from(z.re), f64::from(z.im)),
            Scalar::DoubleComplex(z) => z,
            other => unreachable!("{other:?} is not complex"),
        };
        #[expect(clippy::cast_possible_truncation, reason = "back to the width it came from")]
        let narrow = |z: Complex<f64>| match T::TYPE {
            ElementType::SingleComplex => Scalar::SingleComplex(Complex::new(z.re as f32, z.im as f32)),
            _ => Scalar::DoubleComplex(z),
        };
        let mut parts: Vec<f64> =
            values.iter().map(|&value| wide(value)).flat_map(|z| [z.re, z.im]).collect();
        let reduced: Vec<Complex<f64>> = match reduction {
            Reduction::Sum => {
                self.comm().all_reduce(&mut parts, Operation::Sum)?;
                parts.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect()
            }
            Reduction::AbsMax | Reduction::AbsMin => {
                let mut magnitudes: Vec<f64> = parts.chunks_exact(2).map(|z| z[0].hypot(z[1])).collect();
                let operation = if reduction == Reduction::AbsMax { Operation::Max } else { Operation::Min };
                self.comm().all_reduce(&mut magnitudes, operation)?;
                magnitudes.into_iter().map(|magnitude| Complex::new(magnitude, 0.0)).collect()
            }
            _ => {
                let all = self.comm().all_gather(&parts)?;
                let mut product = vec![Complex::new(1.0, 0.0); values.len()];
                for rank in all.chunks_exact(parts.len().max(1)) {
                    product
                        .iter_mut()
                        .zip(rank.chunks_exact(2))
                        .for_each(|(p, z)| *p *= Complex::new(z[0], z[1]));
                }
                product
            }
        };
        values
            .iter_mut()
            .zip(reduced)
            .for_each(|(to, z)| *to = T::from_scalar(narrow(z)).expect("the same type"));
        Ok(())
    }
}

fn unlike(ranks: &[usize]) -> Error {
    Error::BadGroup { ranks: ranks.to_vec(), reason: "its ranks gave different lists" }
}

/// Whether every rank of a new communicator wants the same one. Collective over it.
fn same_list(comm: &Comm, ranks: &[usize]) -> Result<bool> {
    let mut hasher = DefaultHasher::new();
    ranks.hash(&mut hasher);
    let hash = hasher.finish().cast_signed();
    let mut extremes = [hash, !hash];
    comm.all_reduce(&mut extremes, Operation::Max)?;
    Ok(extremes[0] == !extremes[1] && comm.size() == ranks.len())
}

/// A value as the type that it has.
fn same<T: Element, U: Element>(value: T) -> U {
    U::from_scalar(value.into()).expect("the same type")
}
