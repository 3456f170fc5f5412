//! Products of matrices that are sections of arrays.

mod blas;
mod matrix;
mod multiply;
mod plan;

use crate::patch_ops::{Collective, overlap};
use crate::{Array, ElementType, Error, Result, Scalar};
use blas::{Number, OneThread};
use matrix::Matrix;
use multiply::{Input, Job, Output};
use num_complex::Complex;
use plan::Schedule;
use section::Section;
use std::hash::{DefaultHasher, Hash, Hasher};

const OPERATION: &str = "a matrix product";

/// The form in which a matrix is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transpose {
    /// As it is.
    No,
    /// Transposed.
    Yes,
    /// Transposed, and its elements conjugated.
    Conjugate,
}

/// A section of an array that is multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Factor<'a> {
    /// The array.
    pub array: &'a Array,
    /// The matrix as it is in the array, before it is transposed.
    pub section: Section,
    /// Whether its transpose is multiplied.
    pub transpose: Transpose,
}

impl<'a> Factor<'a> {
    /// All of an array.
    pub fn whole(array: &'a Array, transpose: Transpose) -> Self {
        Self { array, section: array.whole(), transpose }
    }
}

/// Sets a section of `c` to `alpha op(A) op(B) + beta C`. Row-major as everything here: rows are counted along the slower
/// dimension. Collective over the group of `c`, which the other arrays belong to too.
///
/// A section is a matrix if two of its dimensions are longer than 1; a vector, with one such dimension of more than two or with
/// one dimension, is a row or a column as it fits. Sections with steps are allowed. If `beta` is zero what was in C does not
/// matter, not even if it was no number.
///
/// Cost: each rank computes what it holds of C, with BLAS; if that is most of the work for few ranks, all ranks share it.
/// Blocks in memory of this node are used where they are. Others are copied in tiles of up to 4 MiB, of which two for each
/// factor are in memory: one that is multiplied, and the next one, which is on its way; between nodes up to once more what is
/// on its way, in the order of the rank that holds it.
///
/// # Errors
/// - [`Error::OutOfRange`]: a section is not in its array. [`Error::NoMatrix`]: it has too many dimensions.
/// - [`Error::ShapesDiffer`]: the matrices do not fit each other.
/// - [`Error::WrongType`], [`Error::GroupsDiffer`]: arrays or scalars of different types or groups.
/// - [`Error::UnsupportedType`]: arrays of integers.
/// - [`Error::Overlap`]: the result shares elements with a factor.
/// - [`Error::ArgumentsDiffer`]: the ranks want different products.
/// - [`Error::Comm`]: MPI failed. [`Error::OnRank`]: one of these on another rank.
pub fn gemm(
    alpha: Scalar,
    a: &Factor<'_>,
    b: &Factor<'_>,
    beta: Scalar,
    c: &Array,
    section: &Section,
) -> Result<()> {
    c.same_group(OPERATION, &[a.array, b.array])?;
    let collective = Collective::of(c);
    let checked = check(alpha, a, b, beta, c, section);
    // With different products the ranks could wait for each other at different places.
    let arguments = (a.section, a.transpose, b.section, b.transpose, section, alpha.bits(), beta.bits());
    let matrices = collective.begin_alike(checked, hash(&arguments), OPERATION)?;
    let product = Product { collective, a, b, c, matrices };
    match c.element_type() {
        ElementType::Float => product.compute::<f32>(alpha, beta),
        ElementType::Double => product.compute::<f64>(alpha, beta),
        ElementType::SingleComplex => product.compute::<Complex<f32>>(alpha, beta),
        ElementType::DoubleComplex => product.compute::<Complex<f64>>(alpha, beta),
        ElementType::Int | ElementType::Long => unreachable!("integers are refused above"),
    }
}

/// A product whose arguments are good.
struct Product<'a> {
    collective: Collective<'a>,
    a: &'a Factor<'a>,
    b: &'a Factor<'a>,
    c: &'a Array,
    /// Of A and B as they are multiplied, and of C.
    matrices: [Matrix; 3],
}

impl Product<'_> {
    fn compute<T: Number>(&self, alpha: Scalar, beta: Scalar) -> Result<()> {
        let [a, b, c] = self.matrices;
        let (depth, group) = (a.shape()[1], self.c.group());
        let typed = |scalar| T::from_scalar(scalar).expect("the type was checked");
        let (alpha, mut beta): (T, T) = (typed(alpha), typed(beta));
        if c.section().is_empty() || depth == 0 || alpha == T::zero() {
            return self.collective.end(self.scale(beta));
        }
        let schedule = Schedule::choose(&c, depth, self.c.distribution(), group.ranks());
        let mut output = Output::Set;
        if schedule.cuts_depth() {
            self.collective.meet(self.scale(beta))?;
            (beta, output) = (T::zero(), Output::Add);
        }
        let (a, b) = (Input::new(self.a, a), Input::new(self.b, b));
        let job = Job { alpha, a, b, beta, c: (self.c, c), output };
        let task = schedule.task(&c, depth, self.c.distribution(), group.rank());
        let _one_thread = OneThread::new(self.c.context());
        let done = task.map_or(Ok(()), |task| job.run(&task)).and_then(|()| self.c.release());
        self.collective.end(done)
    }

    /// Multiplies what this rank holds of C; zero makes zero of anything.
    fn scale<T: Number>(&self, beta: T) -> Result<()> {
        let section = self.matrices[2].section();
        if beta == T::zero() {
            self.c.fill_own(section, beta.into())
        } else if beta == T::one() {
            Ok(())
        } else {
            self.c.scale_own(section, beta.into())
        }
    }
}

fn check(
    alpha: Scalar,
    a: &Factor<'_>,
    b: &Factor<'_>,
    beta: Scalar,
    c: &Array,
    section: &Section,
) -> Result<[Matrix; 3]> {
    let element_type = c.element_type();
    if matches!(element_type, ElementType::Int | ElementType::Long) {
        return Err(Error::UnsupportedType { operation: OPERATION, element_type });
    }
    c.check_section(section)?;
    c.check_type(alpha.element_type())?;
    c.check_type(beta.element_type())?;
    for factor in [a, b] {
        factor.array.check_section(&factor.section)?;
        c.check_type(factor.array.element_type())?;
        if std::ptr::eq(factor.array, c) && overlap(&factor.section, section) {
            return Err(c.overlap_error(OPERATION, &factor.section, section));
        }
    }
    let [a, b] = [a, b].map(|factor| {
        let readings = readings(factor.array, &factor.section)?;
        let turn =
            |matrix: Matrix| if factor.transpose == Transpose::No { matrix } else { matrix.transposed() };
        Ok::<Vec<Matrix>, Error>(readings.into_iter().map(turn).collect())
    });
    matrix::fit(&a?, &b?, &readings(c, section)?).map_err(|[left, right]| Error::ShapesDiffer {
        operation: OPERATION,
        left: left.to_vec(),
        right: right.to_vec(),
    })
}

fn readings(array: &Array, section: &Section) -> Result<Vec<Matrix>> {
    let readings = Matrix::readings(section);
    if readings.is_empty() {
        return Err(Error::NoMatrix { array: array.name().to_owned(), section: Box::new(*section) });
    }
    Ok(readings)
}

fn hash(arguments: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    hasher.finish()
}
