//! Matrix products against products of plain local arrays. All numbers are small and whole, so they are exact in any order.

use super::operations::{Plain, error_of};
use super::oracle::Exact;
use super::repeats;
use ga::{Context, Element, ElementType, Error, Factor, Scalar, Transpose, gemm};
use num_complex::Complex;
use section::Section;
use test_support::Rng;

/// An element that has a conjugate.
trait Conjugable: Exact {
    fn conjugate(self) -> Self;
}

impl Conjugable for f32 {
    fn conjugate(self) -> Self {
        self
    }
}

impl Conjugable for f64 {
    fn conjugate(self) -> Self {
        self
    }
}

impl Conjugable for Complex<f32> {
    fn conjugate(self) -> Self {
        self.conj()
    }
}

impl Conjugable for Complex<f64> {
    fn conjugate(self) -> Self {
        self.conj()
    }
}

/// A matrix somewhere in an array of a random distribution, of up to four dimensions.
struct Placed<T> {
    plain: Plain<T>,
    section: Section,
    form: Transpose,
    /// As it is in the array.
    shape: [u64; 2],
}

impl<T: Conjugable> Placed<T> {
    /// `rows x cols` as it is multiplied.
    fn new(ga: &Context, rng: &mut Rng, [rows, cols]: [u64; 2], form: Transpose) -> Self {
        let shape = if form == Transpose::No { [rows, cols] } else { [cols, rows] };
        let dims = if rng.bool() || shape.contains(&1) { 2 } else { rng.usize(2..=4) };
        let mut counts = shape.to_vec();
        while counts.len() < dims {
            counts.insert(rng.usize(0..=counts.len()), 1);
        }
        let (margin, step_max) = (rng.u64(0..4), if rng.u8(0..4) == 0 { 2 } else { 1 });
        let (mut lo, mut hi, mut step, mut extents) = (vec![], vec![], vec![], vec![]);
        for count in counts {
            lo.push(rng.u64(0..=margin));
            step.push(rng.u64(1..=step_max));
            hi.push(lo.last().unwrap() + (count - 1) * step.last().unwrap() + 1);
            extents.push(hi.last().unwrap() + rng.u64(0..=margin));
        }
        let section = Section::with_step(&lo, &hi, &step).unwrap();
        Self { plain: Plain::new(ga, rng, &extents), section, form, shape }
    }

    fn factor(&self) -> Factor<'_> {
        Factor { array: &self.plain.array, section: self.section, transpose: self.form }
    }

    /// As it is multiplied, dense.
    fn elements(&self) -> Vec<T> {
        let elements: Vec<T> =
            self.plain.places(&self.section).iter().map(|&place| self.plain.copy[place]).collect();
        let [rows, cols] = self.shape.map(|count| usize::try_from(count).unwrap());
        match self.form {
            Transpose::No => elements,
            form => (0..cols)
                .flat_map(|j| (0..rows).map(move |i| (i, j)))
                .map(|(i, j)| elements[i * cols + j])
                .map(|x| if form == Transpose::Conjugate { x.conjugate() } else { x })
                .collect(),
        }
    }
}

fn random_form(rng: &mut Rng) -> Transpose {
    [Transpose::No, Transpose::Yes, Transpose::Conjugate][rng.usize(0..3)]
}

/// Multiplies random matrices of so many rows, columns and multiplications for each element.
fn product<T: Conjugable>(ga: &Context, rng: &mut Rng, shape: [u64; 3]) {
    let [rows, cols, depth] = shape;
    let forms = [random_form(rng), random_form(rng)];
    let left = Placed::<T>::new(ga, rng, [rows, depth], forms[0]);
    let right = Placed::<T>::new(ga, rng, [depth, cols], forms[1]);
    let mut result = Placed::<T>::new(ga, rng, [rows, cols], Transpose::No);
    let (alpha, beta) = (T::exact(rng.i32(-2..3)), T::exact(rng.i32(-1..2)));
    let array = &result.plain.array;
    gemm(alpha.into(), &left.factor(), &right.factor(), beta.into(), array, &result.section).unwrap();
    let expected =
        plain_product((alpha, beta), &left.elements(), &right.elements(), &result.elements(), shape);
    result.plain.write(&result.section, &expected);
    let describe = |x: &Placed<T>| format!("{:?} {} of {:?}", x.form, x.section, x.plain.array.shape());
    let [left_text, right_text, text] = [&left, &right, &result].map(describe);
    result.plain.check(&format!("{alpha:?} {left_text} {right_text} {beta:?} {text}"));
    left.plain.check("a factor");
    right.plain.check("a factor");
    for placed in [left, right, result] {
        placed.plain.destroy();
    }
}

/// `alpha left right + beta old`, element by element.
fn plain_product<T: Element>(
    (alpha, beta): (T, T),
    left: &[T],
    right: &[T],
    old: &[T],
    shape: [u64; 3],
) -> Vec<T> {
    let [rows, cols, depth] = shape.map(|extent| usize::try_from(extent).unwrap());
    let mut result: Vec<T> = old.iter().map(|x| beta.times(*x)).collect();
    for i in 0..rows {
        for l in 0..depth {
            let factor = alpha.times(left[i * depth + l]);
            for j in 0..cols {
                result[i * cols + j] = result[i * cols + j].plus(factor.times(right[l * cols + j]));
            }
        }
    }
    result
}

/// Products of random sections in every form agree with plain arrays.
pub(crate) fn products_of_random_sections_are_those_of_plain_matrices(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 40) {
        let mut shape = || [rng.u64(1..40), rng.u64(1..40), rng.u64(1..40)];
        let shapes = [shape(), shape(), shape(), shape()];
        product::<f32>(ga, rng, shapes[0]);
        product::<f64>(ga, rng, shapes[1]);
        product::<Complex<f32>>(ga, rng, shapes[2]);
        product::<Complex<f64>>(ga, rng, shapes[3]);
    }
}

/// Products of several tiles: long and short in each dimension, also those whose depth is divided among the ranks.
pub(crate) fn products_of_many_tiles_are_those_of_plain_matrices(ga: &Context) {
    let rng = &mut test_support::random();
    for shape in
        [[1100, 70, 300], [70, 1100, 300], [90, 80, 2100], [300, 300, 300], [1, 1, 5000], [2100, 1, 600]]
    {
        product::<f64>(ga, rng, shape);
    }
    product::<Complex<f64>>(ga, rng, [260, 130, 400]);
    product::<f32>(ga, rng, [130, 260, 520]);
}

/// A patch that only one rank holds, and a small result of long matrices: all ranks take part.
pub(crate) fn a_result_that_few_ranks_hold_is_the_same(ga: &Context) {
    let rng = &mut test_support::random();
    let one_block = |shape: &[u64]| {
        ga.array(ElementType::Double, shape).name("c").blocks(&[vec![0], vec![0]]).create().unwrap()
    };
    for (m, n, k) in [(300u64, 260u64, 256u64), (16, 24, 6000)] {
        let (a, b) = (Plain::<f64>::new(ga, rng, &[m, k]), Plain::<f64>::new(ga, rng, &[k, n]));
        for beta in [0.0, 1.0, -2.0] {
            let array = one_block(&[m, n]);
            let old = if beta == 0.0 { f64::NAN } else { 3.0 };
            array.fill(old.into()).unwrap();
            let [left, right] = [&a, &b].map(|factor| Factor::whole(&factor.array, Transpose::No));
            gemm(2.0.into(), &left, &right, beta.into(), &array, &array.whole()).unwrap();
            let before = vec![if beta == 0.0 { 0.0 } else { old }; usize::try_from(m * n).unwrap()];
            let copy = plain_product((2.0, beta), &a.copy, &b.copy, &before, [m, n, k]);
            let result = Plain { array, copy };
            result.check("a result in one block");
            result.destroy();
        }
        a.destroy();
        b.destroy();
    }
}

/// Vectors of one dimension, and of more than two, are rows or columns as it fits.
pub(crate) fn vectors_are_multiplied_as_rows_or_columns(ga: &Context) {
    let rng = &mut test_support::random();
    let (matrix, vector) = (Plain::<f64>::new(ga, rng, &[9, 14]), Plain::<f64>::new(ga, rng, &[14]));
    let mut result = Plain::<f64>::new(ga, rng, &[2, 9, 3]);
    let column = Section::new(&[1, 0, 2], &[2, 9, 3]).unwrap();
    let [a, x] = [&matrix, &vector].map(|factor| Factor::whole(&factor.array, Transpose::No));
    gemm(1.0.into(), &a, &x, 0.0.into(), &result.array, &column).unwrap();
    result.write(&column, &plain_product((1.0, 0.0), &matrix.copy, &vector.copy, &[0.0; 9], [9, 1, 14]));
    result.check("a matrix times a vector");
    let length = ga.array(ElementType::Double, &[1]).create().unwrap();
    gemm(1.0.into(), &x, &x, 0.0.into(), &length, &length.whole()).unwrap();
    let squares = vector.copy.iter().map(|x| x * x).sum::<f64>();
    assert_eq!(length.view::<f64>().unwrap().to_vec(&length.whole()).unwrap(), [squares]);
    ga.sync().unwrap();
    length.destroy().unwrap();
    matrix.destroy();
    vector.destroy();
    result.destroy();
}

/// Without elements in the factors, or with a factor of zero, C is only scaled; a beta of zero makes zero of anything.
pub(crate) fn a_product_of_nothing_scales(ga: &Context) {
    let c = ga.array(ElementType::Double, &[20, 30]).create().unwrap();
    let a = c.duplicate("a").unwrap();
    a.fill(f64::NAN.into()).unwrap();
    let (none, wide) = (Section::new(&[0, 5], &[20, 5]).unwrap(), Section::new(&[7, 0], &[7, 30]).unwrap());
    let square = Section::new(&[0, 0], &[20, 20]).unwrap();
    let [none, wide] = [none, wide].map(|section| Factor { array: &a, section, transpose: Transpose::No });
    let [left, right] =
        [Transpose::No, Transpose::Yes].map(|transpose| Factor { array: &a, section: square, transpose });
    for beta in [3.0, 1.0, 0.0] {
        c.fill(2.0.into()).unwrap();
        gemm(1.0.into(), &none, &wide, beta.into(), &c, &c.whole()).unwrap();
        assert_eq!(c.dot(&c).unwrap(), Scalar::Double(600.0 * 4.0 * beta * beta));
        gemm(0.0.into(), &left, &right, beta.into(), &c, &square).unwrap();
        let scaled = 2.0 * beta * beta;
        let expected = 400.0 * scaled * scaled + 200.0 * 4.0 * beta * beta;
        assert_eq!(c.dot(&c).unwrap(), Scalar::Double(expected));
    }
    c.fill(f64::NAN.into()).unwrap();
    gemm(0.0.into(), &none, &wide, 0.0.into(), &c, &c.whole()).unwrap();
    assert_eq!(c.dot(&c).unwrap(), Scalar::Double(0.0));
    a.destroy().unwrap();
    c.destroy().unwrap();
}

/// A section is the product of two other sections of the same array.
pub(crate) fn sections_of_one_array_are_multiplied(ga: &Context) {
    let rng = &mut test_support::random();
    let mut plain = Plain::<f64>::new(ga, rng, &[90, 90]);
    let sections =
        [(0, 0), (30, 30), (60, 30)].map(|(i, j)| Section::new(&[i, j], &[i + 30, j + 30]).unwrap());
    let taken = |plain: &Plain<f64>, s: usize| -> Vec<f64> {
        plain.places(&sections[s]).into_iter().map(|place| plain.copy[place]).collect()
    };
    let factor = |s: usize| Factor { array: &plain.array, section: sections[s], transpose: Transpose::No };
    gemm(1.0.into(), &factor(0), &factor(1), 1.0.into(), &plain.array, &sections[2]).unwrap();
    let expected =
        plain_product((1.0, 1.0), &taken(&plain, 0), &taken(&plain, 1), &taken(&plain, 2), [30, 30, 30]);
    plain.write(&sections[2], &expected);
    plain.check("a product within one array");
    plain.destroy();
}

/// What cannot be multiplied is refused on every rank.
pub(crate) fn matrices_that_do_not_fit_are_refused(ga: &Context) {
    let c = ga.array(ElementType::Double, &[12, 12]).name("c").create().unwrap();
    let a = c.duplicate("a").unwrap();
    let cube = ga.array(ElementType::Double, &[4, 4, 4]).name("cube").create().unwrap();
    let ints = ga.array(ElementType::Int, &[12, 12]).create().unwrap();
    let (whole, all) = (a.whole(), cube.whole());
    let narrow = Section::new(&[0, 0], &[12, 5]).unwrap();
    let factor = |array, section: &Section| Factor { array, section: *section, transpose: Transpose::No };
    let good = factor(&a, &whole);
    let product = |x: &Factor<'_>, y: &Factor<'_>| error_of(gemm(1.0.into(), x, y, 0.0.into(), &c, &whole));
    assert!(product(&factor(&a, &narrow), &good).contains("shape [12, 5] does not fit [12, 12]"));
    assert!(product(&good, &factor(&a, &narrow)).contains("shape [12, 5] does not fit [12, 12]"));
    assert!(product(&good, &factor(&c, &narrow)).contains("overlap"));
    assert!(product(&good, &factor(&cube, &all)).contains("no matrix"));
    assert!(product(&good, &factor(&ints, &whole)).contains("type"));
    assert!(product(&factor(&cube, &whole), &good).contains("not in the shape"));
    let one = Scalar::Int(1);
    let integers = factor(&ints, &whole);
    let result = ints.duplicate("result").unwrap();
    assert!(
        error_of(gemm(one, &integers, &integers, one, &result, &whole))
            .contains("not defined for elements of type int")
    );
    let turned = if ga.rank() == 0 { Transpose::Yes } else { Transpose::No };
    let mine = Factor { transpose: turned, ..good };
    let differing = gemm(1.0.into(), &good, &mine, 0.0.into(), &c, &whole);
    if ga.ranks() > 1 {
        assert!(matches!(differing, Err(Error::ArgumentsDiffer { .. })), "{differing:?}");
    }
    for array in [a, c, cube, ints, result] {
        array.destroy().unwrap();
    }
}
