//! Operations on whole arrays and on patches of them, by all ranks that hold them.
//!
//! Each rank computes what it holds of the result. What it needs of other arrays it reads in pieces of at most
//! [`BUFFER_BYTES_MAX`], so no operation needs memory that grows with the arrays. Sections are checked before anything is
//! changed. An operation begins and ends with a synchronisation of the array's group, which
//! [`Context::mask_sync`](crate::Context::mask_sync) switches off, and every rank gets the same error.
//!
//! Where a section gives its elements to another one of another shape, they are taken in row-major order.

mod collective;
mod local;
mod operand;
mod pieces;
mod symmetrize;

pub(crate) use collective::{Collective, SyncMask, collectively};
pub(crate) use pieces::overlap;

use crate::element::with_element;
use crate::{Array, Element, Error, Patch, Reduction, Result, Scalar};
use operand::{Buffers, Operand};
use pieces::{Cut, Piece, for_each_piece};
use section::Section;

/// Memory for the elements that are read at a time; an operation has up to three such buffers.
const BUFFER_BYTES_MAX: usize = 1 << 20;

/// Sums that a processor adds to at the same time.
const LANES: usize = 8;

/// A factor and the elements that it multiplies.
type Term<'a> = (Scalar, &'a Array, &'a Section);

impl Array {
    /// Sets all elements to zero. Collective over the array's group.
    ///
    /// # Errors
    /// As [`fill_patch`](Self::fill_patch).
    pub fn zero(&self) -> Result<()> {
        self.zero_patch(&self.whole())
    }

    /// Sets all elements to a value of their type. Collective over the array's group.
    ///
    /// # Errors
    /// As [`fill_patch`](Self::fill_patch).
    pub fn fill(&self, value: Scalar) -> Result<()> {
        self.fill_patch(&self.whole(), value)
    }

    /// Multiplies all elements by a value of their type. Collective over the array's group.
    ///
    /// # Errors
    /// As [`fill_patch`](Self::fill_patch).
    pub fn scale(&self, factor: Scalar) -> Result<()> {
        self.scale_patch(&self.whole(), factor)
    }

    /// Copies all elements to another array of the same shape; the two may be distributed differently, and over different
    /// groups. Collective as [`copy_patch`](Self::copy_patch).
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: another shape.
    /// - Those of [`copy_patch`](Self::copy_patch).
    pub fn copy_to(&self, to: &Self) -> Result<()> {
        const OPERATION: &str = "copying an array";
        let alike = same_shape(OPERATION, self.shape(), to.shape());
        to.copy_from(OPERATION, alike, &Operand::new(self, &self.whole(), false), &to.whole())
    }

    /// Sets this array to `alpha a + beta b`; all have the same shape, and it may be `a` or `b` or both. Collective.
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: other shapes.
    /// - Those of [`add_patch`](Self::add_patch).
    pub fn add(&self, alpha: Scalar, a: &Self, beta: Scalar, b: &Self) -> Result<()> {
        const OPERATION: &str = "adding arrays";
        self.same_group(OPERATION, &[a, b])?;
        let whole = self.whole();
        let terms = [(alpha, a, &whole), (beta, b, &whole)];
        let checked = same_shape(OPERATION, self.shape(), a.shape())
            .and_then(|()| same_shape(OPERATION, self.shape(), b.shape()))
            .and_then(|()| self.check_add(OPERATION, &whole, &terms));
        self.set_to_sum(checked, &whole, &terms)
    }

    /// The sum of the products of elements at the same place, without conjugation, on every rank; integers wrap. Collective.
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: another shape.
    /// - Those of [`dot_patch`](Self::dot_patch).
    pub fn dot(&self, other: &Self) -> Result<Scalar> {
        const OPERATION: &str = "a dot product";
        self.same_group(OPERATION, &[other])?;
        let (whole, others) = (self.whole(), other.whole());
        let checked = same_shape(OPERATION, self.shape(), other.shape())
            .and_then(|()| self.check_pair(OPERATION, &whole, other, &others));
        self.sum_of_products(
            checked,
            &Operand::new(self, &whole, false),
            &Operand::new(other, &others, false),
        )
    }

    /// Copies the transpose of this matrix to `to`, which has as many rows as this one has columns. Collective.
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: not two dimensions, or another shape.
    /// - Those of [`copy_patch`](Self::copy_patch).
    pub fn transpose_into(&self, to: &Self) -> Result<()> {
        const OPERATION: &str = "transposing an array";
        let alike = match self.shape() {
            [rows, cols] => same_shape(OPERATION, &[*cols, *rows], to.shape()),
            shape => same_shape(OPERATION, shape, &[]),
        };
        to.copy_from(OPERATION, alike, &Operand::new(self, &self.whole(), true), &to.whole())
    }

    /// Sets the elements of a section to zero. Collective over the array's group.
    ///
    /// # Errors
    /// As [`fill_patch`](Self::fill_patch).
    pub fn zero_patch(&self, section: &Section) -> Result<()> {
        self.fill_patch(section, with_element!(self.element_type(), T => T::zero().into()))
    }

    /// Sets the elements of a section to a value of their type. Collective over the array's group.
    ///
    /// # Errors
    /// - [`Error::OutOfRange`]: the section is not in the array. [`Error::WrongType`]: a value of another type.
    /// - [`Error::Comm`]: MPI failed. [`Error::OnRank`]: one of these on another rank.
    pub fn fill_patch(&self, section: &Section, value: Scalar) -> Result<()> {
        collectively(self, self.check_scalar(section, value), |()| self.fill_own(section, value))
    }

    /// Multiplies the elements of a section by a value of their type. Collective over the array's group.
    ///
    /// # Errors
    /// As [`fill_patch`](Self::fill_patch).
    pub fn scale_patch(&self, section: &Section, factor: Scalar) -> Result<()> {
        collectively(self, self.check_scalar(section, factor), |()| self.scale_own(section, factor))
    }

    /// Copies the elements of `section` to `to_section` of another array or of this one, in row-major order: the sections
    /// have the same number of elements, and any shapes. With `transpose` the source is taken with its dimensions backwards:
    /// a matrix is transposed.
    ///
    /// Collective over the group of both arrays; if they belong to different groups, over the smaller one. Its ranks belong to the
    /// other one too, whose other ranks see what was copied after a synchronisation with them.
    ///
    /// Cost: each rank reads what it holds of the target, in boxes if the shapes are the same, and otherwise in runs that
    /// are contiguous in both sections. Where the target has the larger group, each rank of the other one reads and writes as much.
    ///
    /// # Errors
    /// - [`Error::OutOfRange`]: a section is not in its array. [`Error::CountsDiffer`]: different numbers of elements.
    /// - [`Error::WrongType`]: arrays of different types.
    /// - [`Error::GroupsDiffer`]: a rank of the smaller group is not in the other one.
    /// - [`Error::Overlap`]: the sections are of one array, and share elements, unless they are the same and nothing is transposed.
    /// - [`Error::Comm`]: MPI failed. [`Error::OnRank`]: one of these on another rank.
    pub fn copy_patch(
        &self,
        transpose: bool,
        section: &Section,
        to: &Self,
        to_section: &Section,
    ) -> Result<()> {
        const OPERATION: &str = "copying a patch";
        to.copy_from(OPERATION, Ok(()), &Operand::new(self, section, transpose), to_section)
    }

    /// Sets a section to `alpha` times a section of `a` plus `beta` times one of `b`, element by element in row-major order.
    /// Either may be the section itself. Collective.
    ///
    /// # Errors
    /// - [`Error::GroupsDiffer`]: arrays of different groups.
    /// - Those of [`copy_patch`](Self::copy_patch).
    pub fn add_patch(
        &self,
        section: &Section,
        (alpha, a, a_section): (Scalar, &Self, &Section),
        (beta, b, b_section): (Scalar, &Self, &Section),
    ) -> Result<()> {
        const OPERATION: &str = "adding patches";
        self.same_group(OPERATION, &[a, b])?;
        let terms = [(alpha, a, a_section), (beta, b, b_section)];
        self.set_to_sum(self.check_add(OPERATION, section, &terms), section, &terms)
    }

    /// The sum of the products of the elements of two sections, without conjugation, on every rank; each is taken in row-major
    /// order, or transposed as in [`copy_patch`](Self::copy_patch). Integers wrap. Collective.
    ///
    /// # Errors
    /// As [`add_patch`](Self::add_patch); the sections may overlap.
    pub fn dot_patch(
        &self,
        transpose: bool,
        section: &Section,
        other: &Self,
        other_transpose: bool,
        other_section: &Section,
    ) -> Result<Scalar> {
        const OPERATION: &str = "a dot product of patches";
        self.same_group(OPERATION, &[other])?;
        let checked = self.check_pair(OPERATION, section, other, other_section);
        // Two transposes of the same shape match as the matrices themselves do, in the order of the memory.
        let both = transpose && other_transpose && section.counts() == other_section.counts();
        let left = Operand::new(self, section, transpose && !both);
        self.sum_of_products(checked, &left, &Operand::new(other, other_section, other_transpose && !both))
    }

    fn check_scalar(&self, section: &Section, value: Scalar) -> Result<()> {
        self.check_section(section)?;
        self.check_type(value.element_type())
    }

    /// Fails if the arrays belong to different groups, without waiting for anybody: there is nobody who has to call.
    pub(crate) fn same_group(&self, operation: &'static str, others: &[&Self]) -> Result<()> {
        if others.iter().all(|other| self.group().is(other.group())) {
            return Ok(());
        }
        self.group().sync_mask().take();
        Err(Error::GroupsDiffer { operation })
    }

    /// Whether two sections can be taken element by element.
    fn check_pair(
        &self,
        operation: &'static str,
        section: &Section,
        other: &Self,
        others: &Section,
    ) -> Result<()> {
        self.check_section(section)?;
        other.check_section(others)?;
        self.check_type(other.element_type())?;
        let (left, right) = (section.len(), others.len());
        if left == right { Ok(()) } else { Err(Error::CountsDiffer { operation, left, right }) }
    }

    fn check_add(&self, operation: &'static str, section: &Section, terms: &[Term<'_>; 2]) -> Result<()> {
        for &(factor, array, other) in terms {
            self.check_pair(operation, section, array, other)?;
            self.check_type(factor.element_type())?;
            // The same place in the same array is read before it is written.
            if std::ptr::eq(self, array) && section != other && overlap(section, other) {
                return Err(self.overlap_error(operation, other, section));
            }
        }
        Ok(())
    }

    pub(crate) fn overlap_error(&self, operation: &'static str, from: &Section, to: &Section) -> Error {
        Error::Overlap { operation, array: self.name().to_owned(), from: Box::new(*from), to: Box::new(*to) }
    }

    /// Fills what this rank holds of a section. Local; so are the three below.
    pub(crate) fn fill_own(&self, section: &Section, value: Scalar) -> Result<()> {
        with_element!(self.element_type(), T => {
            let value = value_of::<T>(value);
            local::change::<T>(self, section, |elements| elements.fill(value))
        })
    }

    pub(crate) fn scale_own(&self, section: &Section, factor: Scalar) -> Result<()> {
        with_element!(self.element_type(), T => {
            let factor = value_of::<T>(factor);
            local::change::<T>(self, section, |elements| elements.iter_mut().for_each(|x| *x = x.times(factor)))
        })
    }

    /// Copies an operand to a section, if whatever else was looked at is good. Collective.
    fn copy_from(
        &self,
        operation: &'static str,
        others: Result<()>,
        from: &Operand<'_>,
        section: &Section,
    ) -> Result<()> {
        let (array, source) = (from.array(), from.in_order(*from.section()));
        let copying = Copying::between(operation, array, self)?;
        let is_same = std::ptr::eq(array, self);
        // What is in its place already is left there; the ranks meet as for any copy.
        let is_there = is_same && source == *section && !from.is_reversed();
        let checked = others.and_then(|()| array.check_pair(operation, &source, self, section));
        let checked = checked.and_then(|()| {
            let is_mixed = is_same && !is_there && overlap(&source, section);
            if is_mixed { Err(self.overlap_error(operation, &source, section)) } else { Ok(()) }
        });
        let work = |()| {
            if is_there {
                return Ok(());
            }
            with_element!(self.element_type(), T => match copying {
                Copying::Target => copy::<T>(from, self, section),
                Copying::Source => copy_share::<T>(from, self, section),
            })
        };
        match copying {
            Copying::Target => collectively(self, checked, work),
            Copying::Source => collectively(array, checked, work),
        }
    }

    fn set_to_sum(&self, checked: Result<()>, section: &Section, terms: &[Term<'_>; 2]) -> Result<()> {
        collectively(self, checked, |()| {
            with_element!(self.element_type(), T => {
                let [a, b] = terms.map(|(factor, array, other)| {
                    (value_of::<T>(factor), Operand::new(array, other, false))
                });
                add(self, section, &a, &b)
            })
        })
    }

    fn sum_of_products(
        &self,
        checked: Result<()>,
        left: &Operand<'_>,
        right: &Operand<'_>,
    ) -> Result<Scalar> {
        with_element!(self.element_type(), T => {
            let work = |()| dot::<T>(self, left, right);
            let mut sum = [Collective::of(self).run_in_any_case(checked, work)?];
            self.group().reduce(&mut sum, Reduction::Sum)?;
            Ok(sum[0].into())
        })
    }
}

/// A scalar whose type has been compared with that of the array.
fn value_of<T: Element>(scalar: Scalar) -> T {
    T::from_scalar(scalar).expect("the type was checked")
}

fn same_shape(operation: &'static str, left: &[u64], right: &[u64]) -> Result<()> {
    if left == right {
        return Ok(());
    }
    Err(Error::ShapesDiffer { operation, left: left.to_vec(), right: right.to_vec() })
}

/// Elements that a buffer holds.
const fn len_max<T>() -> u64 {
    (BUFFER_BYTES_MAX / size_of::<T>()) as u64
}

/// Transposes read along one dimension and are stored along another.
fn cut_for(reversed: bool) -> Cut {
    if reversed { Cut::Cubes } else { Cut::Rows }
}

/// Whose ranks make a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copying {
    /// Those of the target's group, which belong to the source's too.
    Target,
    /// Those of the source's group, some of the target's.
    Source,
}

impl Copying {
    /// The ranks of the smaller group make it.
    ///
    /// # Errors
    /// - [`Error::GroupsDiffer`]: one of them is not in the other group. Nobody is waited for: that rank has not both arrays and
    ///   cannot call.
    fn between(operation: &'static str, source: &Array, target: &Array) -> Result<Self> {
        let (from, to) = (source.group(), target.group());
        let (copying, smaller, larger) =
            if to.ranks() <= from.ranks() { (Self::Target, to, from) } else { (Self::Source, from, to) };
        if smaller.is_within(larger) {
            return Ok(copying);
        }
        smaller.sync_mask().take();
        Err(Error::GroupsDiffer { operation })
    }
}

/// Copies to what this rank holds of `section`.
fn copy<T: Element>(from: &Operand<'_>, to: &Array, section: &Section) -> Result<()> {
    let Some(part) = local::LocalPart::of(to, section) else { return Ok(()) };
    let in_place = !from.is_reversed() && section.step().iter().all(|&step| step == 1);
    let mut buffers = Buffers::<T>::default();
    for_each_piece(part.section(), len_max::<T>(), cut_for(from.is_reversed()), &mut |part| {
        let piece = Piece::of(part, section);
        match from.matching(&piece).filter(|_| in_place) {
            Some(matching) => local::fetch::<T>(to, part, from.array(), &matching),
            None => local::store(to, part, from.read_piece(&piece, &mut buffers)?),
        }
    })
}

/// Copies this rank's share of a section of an array of a larger group: the ranks of the source's group share it among them,
/// whoever holds it.
fn copy_share<T: Element>(from: &Operand<'_>, to: &Array, section: &Section) -> Result<()> {
    let group = from.array().group();
    let ranks = group.ranks();
    let piece_len = section.len().div_ceil(ranks as u64).clamp(1, len_max::<T>());
    let mut buffers = Buffers::<T>::default();
    for part in section.pieces(piece_len).skip(group.rank()).step_by(ranks) {
        let piece = Piece::of(&part, section);
        to.put(&part, Patch::dense(from.read_piece(&piece, &mut buffers)?))?;
    }
    Ok(())
}

/// Adds up what this rank holds of `section`.
fn add<T: Element>(to: &Array, section: &Section, a: &(T, Operand<'_>), b: &(T, Operand<'_>)) -> Result<()> {
    let Some(part) = local::LocalPart::of(to, section) else { return Ok(()) };
    let (mut buffers, mut sum) = (Buffers::default(), vec![]);
    for_each_piece(part.section(), len_max::<T>(), Cut::Rows, &mut |part| {
        let piece = Piece::of(part, section);
        sum.resize(piece.len(), T::zero());
        a.1.visit(&piece, &mut buffers, |at, elements| {
            sum[at..].iter_mut().zip(elements).for_each(|(sum, x)| *sum = a.0.times(*x));
        })?;
        b.1.visit(&piece, &mut buffers, |at, elements| {
            sum[at..].iter_mut().zip(elements).for_each(|(sum, x)| *sum = sum.plus(b.0.times(*x)));
        })?;
        local::store(to, part, &sum)
    })
}

/// This rank's part of a dot product: of what it holds of `left`, a section of `array`.
fn dot<T: Element>(array: &Array, left: &Operand<'_>, right: &Operand<'_>) -> Result<T> {
    let mut sum = T::zero();
    let Some(part) = local::LocalPart::of(array, &left.in_order(*left.section())) else { return Ok(sum) };
    let (mut buffers, mut factors) = (Buffers::default(), vec![]);
    let cut = cut_for(left.is_reversed() || right.is_reversed());
    for_each_piece(&left.in_order(*part.section()), len_max::<T>(), cut, &mut |part| {
        let piece = Piece::of(part, left.section());
        factors.resize(piece.len(), T::zero());
        left.visit(&piece, &mut buffers, |at, elements| {
            factors[at..at + elements.len()].copy_from_slice(elements);
        })?;
        right.visit(&piece, &mut buffers, |at, elements| sum = sum.plus(dot_of(&factors[at..], elements)))
    })?;
    Ok(sum)
}

/// The sum of the products of `elements` and as many `factors`.
fn dot_of<T: Element>(factors: &[T], elements: &[T]) -> T {
    let mut sums = [T::zero(); LANES];
    let (mut x, mut y) = (factors[..elements.len()].chunks_exact(LANES), elements.chunks_exact(LANES));
    for (x, y) in x.by_ref().zip(y.by_ref()) {
        for lane in 0..LANES {
            sums[lane] = sums[lane].plus(x[lane].times(y[lane]));
        }
    }
    let rest = x.remainder().iter().zip(y.remainder()).map(|(x, y)| x.times(*y));
    sums.into_iter().chain(rest).fold(T::zero(), T::plus)
}
