//! Operations on whole arrays and patches against plain local arrays, and arrays as text.
//!
//! Every rank draws the same random numbers and knows what all arrays hold. All numbers are small and whole, so sums are exact
//! in any order.

use super::oracle::{Exact, random_array, random_section, random_shape};
use super::repeats;
use ga::{Array, Context, ElementType, Error, Scalar, Subscripts, TextStyle};
use num_complex::Complex;
use section::{Layout, Section};
use std::cell::Cell;
use test_support::Rng;

/// An array of a random distribution, and what it should hold.
pub(crate) struct Plain<T> {
    pub(crate) array: Array,
    pub(crate) copy: Vec<T>,
}

impl<T: Exact> Plain<T> {
    /// With random elements, which rank 0 writes.
    pub(crate) fn new(ga: &Context, rng: &mut Rng, shape: &[u64]) -> Self {
        let array = random_array(ga, rng, T::TYPE, shape);
        let copy: Vec<T> = (0..array.whole().len()).map(|_| T::exact(rng.i32(-9..10))).collect();
        if ga.rank() == 0 {
            array.view().unwrap().put(&array.whole(), &copy).unwrap();
        }
        Self { array, copy }
    }

    /// Where in the copy the elements of a section are, in row-major order.
    pub(crate) fn places(&self, section: &Section) -> Vec<usize> {
        let layout = Layout::dense(self.array.shape());
        section.indices().map(|index| layout.offset(&index)).collect()
    }

    fn elements(&self, section: &Section) -> Vec<T> {
        self.places(section).into_iter().map(|place| self.copy[place]).collect()
    }

    /// As `elements`, with the dimensions backwards if `reversed`.
    fn taken(&self, section: &Section, reversed: bool) -> Vec<T> {
        if !reversed {
            return self.elements(section);
        }
        let layout = Layout::dense(self.array.shape());
        section.reversed().indices().map(|index| self.copy[layout.offset(&index.reversed())]).collect()
    }

    pub(crate) fn write(&mut self, section: &Section, elements: &[T]) {
        for (place, element) in self.places(section).into_iter().zip(elements) {
            self.copy[place] = *element;
        }
    }

    /// Every rank finds in the array what it should hold.
    pub(crate) fn check(&self, what: &str) {
        let found = self.array.view::<T>().unwrap().to_vec(&self.array.whole()).unwrap();
        let (shape, grid) = (self.array.shape(), self.array.distribution().grid());
        assert!(
            found == self.copy,
            "{what}: {shape:?} on {grid:?}\nfound    {found:?}\nexpected {:?}",
            self.copy
        );
    }

    /// The last check may still be under way elsewhere.
    pub(crate) fn destroy(self) {
        self.array.destroy().unwrap();
    }
}

/// Runs the scenario with every type of elements.
macro_rules! of_every_type {
    ($scenario:ident, $ga:expr, $rng:expr) => {
        $scenario::<i32>($ga, $rng);
        $scenario::<i64>($ga, $rng);
        $scenario::<f32>($ga, $rng);
        $scenario::<f64>($ga, $rng);
        $scenario::<Complex<f32>>($ga, $rng);
        $scenario::<Complex<f64>>($ga, $rng);
    };
}

/// A section that has so many elements in each dimension, and the shape of an array around it.
fn section_of(rng: &mut Rng, counts: &[u64]) -> (Section, Vec<u64>) {
    let (mut lo, mut hi, mut step, mut shape) = (vec![], vec![], vec![], vec![]);
    let steps = rng.u8(0..3) == 0;
    for &count in counts {
        lo.push(rng.u64(0..3));
        step.push(if steps { rng.u64(1..3) } else { 1 });
        hi.push(lo.last().unwrap() + (count - 1) * step.last().unwrap() + 1);
        shape.push(hi.last().unwrap() + rng.u64(0..3));
    }
    (Section::with_step(&lo, &hi, &step).unwrap(), shape)
}

/// A number as the product of up to four.
fn factors(rng: &mut Rng, mut number: u64) -> Vec<u64> {
    let mut factors = vec![];
    while factors.len() < 3 && rng.u8(0..4) > 0 {
        let divisors: Vec<u64> =
            (1..=number.min(40)).filter(|divisor| number.is_multiple_of(*divisor)).collect();
        factors.push(divisors[rng.usize(0..divisors.len())]);
        number /= factors.last().unwrap();
    }
    factors.insert(rng.usize(0..=factors.len()), number);
    factors
}

fn fill_and_scale<T: Exact>(ga: &Context, rng: &mut Rng) {
    let shape = random_shape(rng, 7);
    let mut plain = Plain::<T>::new(ga, rng, &shape);
    for _ in 0..3 {
        let (section, value) = (random_section(rng, &shape), T::exact(rng.i32(-3..4)));
        plain.array.fill_patch(&section, value.into()).unwrap();
        plain.write(&section, &vec![value; usize::try_from(section.len()).unwrap()]);
        plain.check("fill_patch");

        let (section, factor) = (random_section(rng, &shape), T::exact(rng.i32(-3..4)));
        plain.array.scale_patch(&section, factor.into()).unwrap();
        let scaled: Vec<T> = plain.elements(&section).into_iter().map(|x| x.times(factor)).collect();
        plain.write(&section, &scaled);
        plain.check("scale_patch");

        let section = random_section(rng, &shape);
        plain.array.zero_patch(&section).unwrap();
        plain.write(&section, &vec![T::zero(); usize::try_from(section.len()).unwrap()]);
        plain.check("zero_patch");
    }
    let all = |value| vec![value; plain.copy.len()];
    plain.array.fill(T::exact(5).into()).unwrap();
    plain.array.scale(T::exact(2).into()).unwrap();
    plain = Plain { copy: all(T::exact(5).times(T::exact(2))), ..plain };
    plain.check("fill and scale");
    plain.array.zero().unwrap();
    plain.copy.fill(T::zero());
    plain.check("zero");
    plain.destroy();
}

/// A fill, a scale and a zero change exactly the section.
pub(crate) fn patches_are_filled_and_scaled_and_nothing_else(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 10) {
        of_every_type!(fill_and_scale, ga, rng);
    }
}

fn copy_patch<T: Exact>(ga: &Context, rng: &mut Rng) {
    let counts: Vec<u64> = random_shape(rng, 5).into_iter().map(|extent| extent.min(30)).collect();
    let transpose = rng.bool();
    let other_counts = match rng.u8(0..3) {
        0 => factors(rng, counts.iter().product()),
        _ if transpose => counts.iter().rev().copied().collect(),
        _ => counts.clone(),
    };
    let ((section, shape), (to_section, to_shape)) =
        (section_of(rng, &counts), section_of(rng, &other_counts));
    let (from, mut to) = (Plain::<T>::new(ga, rng, &shape), Plain::<T>::new(ga, rng, &to_shape));
    from.array.copy_patch(transpose, &section, &to.array, &to_section).unwrap();
    to.write(&to_section, &from.taken(&section, transpose));
    to.check(&format!("copy {section} of {shape:?} to {to_section}, transposed {transpose}"));
    from.check("the source of a copy");
    from.destroy();
    to.destroy();
}

/// Patches of any shapes are copied in row-major order, and transposed where that is asked for.
pub(crate) fn copied_patches_keep_their_order_whatever_their_shapes(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 60) {
        of_every_type!(copy_patch, ga, rng);
    }
}

/// Patches of one array are copied within it.
pub(crate) fn a_patch_is_copied_within_its_array(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 20) {
        let mut plain = Plain::<f64>::new(ga, rng, &[40, 24]);
        let (upper, lower) = (Section::new(&[0, 3], &[20, 24]), Section::new(&[20, 1], &[40, 22]));
        let (upper, lower) = (upper.unwrap(), lower.unwrap());
        plain.array.copy_patch(false, &upper, &plain.array, &lower).unwrap();
        plain.write(&lower, &plain.elements(&upper));
        plain.check("copy within an array");
        let even = Section::with_step(&[0, 0], &[40, 24], &[2, 3]).unwrap();
        let odd = Section::with_step(&[1, 1], &[40, 24], &[2, 3]).unwrap();
        plain.array.copy_patch(false, &even, &plain.array, &odd).unwrap();
        plain.write(&odd, &plain.elements(&even));
        plain.check("copy of every other row");
        plain.destroy();
    }
}

/// Patches that do not fit into the buffers are copied in several pieces.
pub(crate) fn large_patches_are_copied_piece_by_piece(ga: &Context) {
    let rng = &mut test_support::random();
    let (from, mut to) = (Plain::<f64>::new(ga, rng, &[700, 650]), Plain::<f64>::new(ga, rng, &[650, 700]));
    for transpose in [true, false] {
        from.array.copy_patch(transpose, &from.array.whole(), &to.array, &to.array.whole()).unwrap();
        to.copy = from.taken(&from.array.whole(), transpose);
        to.check("a large copy");
    }
    from.array.transpose_into(&to.array).unwrap();
    to.copy = from.taken(&from.array.whole(), true);
    to.check("a large transpose");
    let sum: f64 = from.copy.iter().map(|x| x * x).sum();
    assert_eq!(to.array.dot(&to.array).unwrap(), Scalar::Double(sum));
    from.destroy();
    to.destroy();
}

fn add_patch<T: Exact>(ga: &Context, rng: &mut Rng) {
    let counts: Vec<u64> = random_shape(rng, 5).into_iter().map(|extent| extent.min(30)).collect();
    let reshaped = if rng.bool() { factors(rng, counts.iter().product()) } else { counts.clone() };
    let [(sum_section, sum_shape), (a_section, a_shape), (b_section, b_shape)] =
        [&counts, &counts, &reshaped].map(|counts| section_of(rng, counts));
    let [mut sum, a, b] = [&sum_shape, &a_shape, &b_shape].map(|shape| Plain::<T>::new(ga, rng, shape));
    let (alpha, beta) = (T::exact(rng.i32(-2..3)), T::exact(rng.i32(-2..3)));
    let add = |alpha: T, a: &[T], beta: T, b: &[T]| -> Vec<T> {
        a.iter().zip(b).map(|(a, b)| alpha.times(*a).plus(beta.times(*b))).collect()
    };

    let terms = ((alpha.into(), &a.array, &a_section), (beta.into(), &b.array, &b_section));
    sum.array.add_patch(&sum_section, terms.0, terms.1).unwrap();
    sum.write(&sum_section, &add(alpha, &a.elements(&a_section), beta, &b.elements(&b_section)));
    sum.check(&format!(
        "add_patch {a_section} of {a_shape:?} and {b_section} of {b_shape:?} to {sum_section}"
    ));

    // The section itself as one of the terms, or as both.
    sum.array.add_patch(&sum_section, (alpha.into(), &sum.array, &sum_section), terms.1).unwrap();
    sum.write(&sum_section, &add(alpha, &sum.elements(&sum_section), beta, &b.elements(&b_section)));
    sum.check("add_patch in place");
    let itself = (alpha.into(), &sum.array, &sum_section);
    sum.array.add_patch(&sum_section, itself, itself).unwrap();
    let twice = sum.elements(&sum_section);
    sum.write(&sum_section, &add(alpha, &twice, alpha, &twice));
    sum.check("add_patch of a section to itself");
    [sum, a, b].into_iter().for_each(Plain::destroy);
}

/// Sums of patches agree with plain arrays, also where the result is one of the terms.
pub(crate) fn sums_of_patches_are_those_of_their_elements(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 30) {
        of_every_type!(add_patch, ga, rng);
    }
}

fn dot_patch<T: Exact>(ga: &Context, rng: &mut Rng) {
    let counts: Vec<u64> = random_shape(rng, 4).into_iter().map(|extent| extent.min(30)).collect();
    let other_counts = match rng.u8(0..3) {
        0 => factors(rng, counts.iter().product()),
        1 => counts.iter().rev().copied().collect(),
        _ => counts.clone(),
    };
    let ((section, shape), (other_section, other_shape)) =
        (section_of(rng, &counts), section_of(rng, &other_counts));
    let (a, b) = (Plain::<T>::new(ga, rng, &shape), Plain::<T>::new(ga, rng, &other_shape));
    for (turn, other_turn) in [(false, false), (true, false), (false, true), (true, true)] {
        let found = a.array.dot_patch(turn, &section, &b.array, other_turn, &other_section).unwrap();
        let (left, right) = (a.taken(&section, turn), b.taken(&other_section, other_turn));
        let expected = left.iter().zip(&right).fold(T::zero(), |sum, (x, y)| sum.plus(x.times(*y)));
        assert_eq!(
            found,
            expected.into(),
            "{section} of {shape:?} {turn}, {other_section} of {other_shape:?} {other_turn}"
        );
    }
    let squares = a.elements(&section).iter().fold(T::zero(), |sum, x| sum.plus(x.times(*x)));
    assert_eq!(a.array.dot_patch(false, &section, &a.array, false, &section).unwrap(), squares.into());
    a.destroy();
    b.destroy();
}

/// Dot products of patches agree with plain arrays on every rank, transposed or not.
pub(crate) fn dot_products_of_patches_are_those_of_their_elements(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 30) {
        of_every_type!(dot_patch, ga, rng);
    }
}

fn whole_arrays<T: Exact>(ga: &Context, rng: &mut Rng) {
    let shape = random_shape(rng, 7);
    let [a, b, mut c] = [(); 3].map(|()| Plain::<T>::new(ga, rng, &shape));
    let (alpha, beta) = (T::exact(2), T::exact(-3));
    c.array.add(alpha.into(), &a.array, beta.into(), &b.array).unwrap();
    c.copy = a.copy.iter().zip(&b.copy).map(|(a, b)| alpha.times(*a).plus(beta.times(*b))).collect();
    c.check("add");
    c.array.add(alpha.into(), &c.array, beta.into(), &a.array).unwrap();
    c.copy = c.copy.iter().zip(&a.copy).map(|(c, a)| alpha.times(*c).plus(beta.times(*a))).collect();
    c.check("add in place");
    let sum = a.copy.iter().zip(&b.copy).fold(T::zero(), |sum, (a, b)| sum.plus(a.times(*b)));
    assert_eq!(a.array.dot(&b.array).unwrap(), sum.into());
    a.array.copy_to(&c.array).unwrap();
    c.copy.clone_from(&a.copy);
    c.check("copy");
    let twin = Plain { array: a.array.duplicate("twin").unwrap(), copy: a.copy.clone() };
    a.array.copy_to(&twin.array).unwrap();
    twin.check("copy to the same distribution");
    [a, b, c, twin].into_iter().for_each(Plain::destroy);

    let shape = [rng.u64(1..40), rng.u64(1..40)];
    let (a, mut b) = (Plain::<T>::new(ga, rng, &shape), Plain::<T>::new(ga, rng, &[shape[1], shape[0]]));
    a.array.transpose_into(&b.array).unwrap();
    b.copy = a.taken(&a.array.whole(), true);
    b.check("transpose");
    a.destroy();
    b.destroy();
}

/// Operations on whole arrays agree with plain arrays, whatever the distributions.
pub(crate) fn whole_arrays_of_any_distributions_are_added_copied_and_transposed(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..repeats(ga, 20) {
        of_every_type!(whole_arrays, ga, rng);
    }
}

fn symmetrize<T: Exact>(ga: &Context, order: u64, half: T, rng: &mut Rng) {
    let mut plain = Plain::<T>::new(ga, rng, &[order, order]);
    plain.array.symmetrize().unwrap();
    let turned = plain.taken(&plain.array.whole(), true);
    plain.copy.iter_mut().zip(turned).for_each(|(x, y)| *x = x.plus(y).times(half));
    plain.check("symmetrize");
    plain.destroy();
}

/// What is symmetric is the first two dimensions.
fn symmetrize_many<T: Exact>(ga: &Context, shape: &[u64], half: T, rng: &mut Rng) {
    let mut plain = Plain::<T>::new(ga, rng, shape);
    plain.array.symmetrize().unwrap();
    let layout = Layout::dense(shape);
    let mean = |mut index: section::Shape| {
        let x = plain.copy[layout.offset(&index)];
        index.swap(0, 1);
        x.plus(plain.copy[layout.offset(&index)]).times(half)
    };
    plain.copy = plain.array.whole().indices().map(mean).collect();
    plain.check("symmetrize");
    plain.destroy();
}

/// Of an array of more dimensions each matrix is replaced by its symmetric part.
pub(crate) fn many_matrices_become_symmetric(ga: &Context) {
    let rng = &mut test_support::random();
    for order in [1, 5, 129, rng.u64(1..140)] {
        symmetrize_many::<f64>(ga, &[order, order, rng.u64(1..12)], 0.5, rng);
        symmetrize_many::<f32>(ga, &[order, order, rng.u64(1..4), rng.u64(1..4)], 0.5, rng);
    }
    symmetrize_many::<f64>(ga, &[3, 3, 2, 1, 3, 2, 2], 0.5, rng);
    let line = ga.array(ElementType::Double, &[7]).create().unwrap();
    assert!(error_of(line.symmetrize()).contains("does not fit"));
    line.destroy().unwrap();
}

/// A matrix is replaced by its symmetric part, with tiles and blocks that do not end at the same places.
pub(crate) fn a_matrix_becomes_symmetric(ga: &Context) {
    let rng = &mut test_support::random();
    for order in [1, 2, 17, 127, 128, 129, 300, rng.u64(1..500)] {
        symmetrize::<f64>(ga, order, 0.5, rng);
    }
    for _ in 0..repeats(ga, 5) {
        symmetrize::<f32>(ga, rng.u64(1..200), 0.5, rng);
        symmetrize::<Complex<f32>>(ga, rng.u64(1..200), Complex::new(0.5, 0.0), rng);
        symmetrize::<Complex<f64>>(ga, rng.u64(1..200), Complex::new(0.5, 0.0), rng);
    }
}

/// Bad arguments are refused before anything is changed.
pub(crate) fn bad_patches_are_refused_and_nothing_is_changed(ga: &Context) {
    let rng = &mut test_support::random();
    let (a, b) = (Plain::<f64>::new(ga, rng, &[10, 7]), Plain::<f64>::new(ga, rng, &[7, 10]));
    let whole = a.array.whole();
    let floats = ga.array(ElementType::Float, &[10, 7]).create().unwrap();
    let ints = ga.array(ElementType::Int, &[7, 7]).create().unwrap();
    let one = Scalar::Double(1.0);
    let outside = Section::new(&[0, 0], &[10, 8]).unwrap();
    let upper = Section::new(&[0, 0], &[6, 7]).unwrap();
    let lower = Section::new(&[4, 0], &[10, 7]).unwrap();

    assert!(matches!(
        a.array.fill_patch(&outside, one),
        Err(Error::OutOfRange { .. } | Error::OnRank { .. })
    ));
    assert!(
        error_of(a.array.fill(1.0f32.into()))
            .ends_with("array random has elements of type double, got float")
    );
    assert!(
        error_of(a.array.scale_patch(&outside, one))
            .contains("section [0:10, 0:8] is not in the shape [10, 7]")
    );
    assert!(error_of(a.array.copy_to(&b.array)).contains("shape [10, 7] does not fit [7, 10]"));
    assert!(error_of(a.array.copy_to(&floats)).contains("type"));
    // To where it is already.
    a.array.copy_to(&a.array).unwrap();
    a.array.copy_patch(false, &upper, &a.array, &upper).unwrap();
    assert!(error_of(a.array.transpose_into(&a.array)).contains("does not fit"));
    assert!(error_of(a.array.symmetrize()).contains("does not fit"));
    assert!(error_of(ints.symmetrize()).contains("not defined for elements of type int"));
    assert!(error_of(a.array.copy_patch(false, &upper, &a.array, &lower)).contains("overlap"));
    assert!(
        error_of(a.array.copy_patch(false, &upper, &b.array, &whole.reversed()))
            .contains("42 elements against 70")
    );
    assert!(error_of(a.array.copy_patch(true, &whole, &b.array, &whole)).contains("not in the shape"));
    let shifted = (one, &a.array, &lower);
    assert!(error_of(a.array.add_patch(&upper, shifted, shifted)).contains("overlap"));
    assert!(error_of(a.array.add(one, &b.array, one, &a.array)).contains("does not fit"));
    assert!(error_of(a.array.add(one, &a.array, 1i32.into(), &a.array)).contains("got int"));
    assert!(error_of(a.array.dot(&b.array).map(drop)).contains("does not fit"));
    assert!(
        error_of(a.array.dot_patch(false, &whole, &b.array, false, &upper).map(drop))
            .contains("70 elements against 42")
    );
    let cube = ga.array(ElementType::Double, &[2, 2, 2]).create().unwrap();
    assert!(error_of(cube.transpose_into(&cube).map(drop)).contains("does not fit"));
    a.check("after errors");
    b.check("after errors");
    cube.destroy().unwrap();
    floats.destroy().unwrap();
    ints.destroy().unwrap();
    a.destroy();
    b.destroy();
}

/// The message without the rank that it may come from.
pub(crate) fn error_of(result: ga::Result<()>) -> String {
    result.expect_err("bad arguments").to_string()
}

/// What one rank does wrong is the same error on every rank, and nothing is changed anywhere.
pub(crate) fn an_error_of_one_rank_is_the_error_of_all(ga: &Context) {
    let rng = &mut test_support::random();
    let (a, b) = (Plain::<f64>::new(ga, rng, &[20, 20]), Plain::<f64>::new(ga, rng, &[20, 20]));
    let last = ga.ranks() - 1;
    let wrong = Section::new(&[0, 0], &[20, 21]).unwrap();
    let section = if ga.rank() == last { wrong } else { a.array.whole() };
    for result in [
        a.array.fill_patch(&section, 1.0.into()),
        a.array.copy_patch(false, &section, &b.array, &b.array.whole()),
        a.array.dot_patch(false, &section, &b.array, false, &section).map(drop),
        a.array.text(Some(&section), TextStyle::Table, 0).map(drop),
    ] {
        match result {
            Err(Error::OutOfRange { .. }) => assert_eq!(ga.rank(), last),
            Err(Error::OnRank { rank, message }) => {
                assert_eq!(rank, last);
                assert_eq!(message, "array random: section [0:20, 0:21] is not in the shape [20, 20]");
            }
            other => panic!("{other:?}"),
        }
    }
    // Without the agreement at the beginning the others have begun, and learn of the error at the end.
    ga.mask_sync(false, true);
    let masked = a.array.fill_patch(&section, 1.0.into());
    assert!(matches!(masked, Err(Error::OutOfRange { .. } | Error::OnRank { .. })), "{masked:?}");
    b.check("after errors");
    a.destroy();
    b.destroy();
}

/// An operation whose synchronisation is switched off waits for nobody, and the next one does again.
pub(crate) fn a_masked_operation_does_not_wait(ga: &Context) {
    let array = ga.array(ElementType::Double, &[100, 100]).create().unwrap();
    let counter = ga.array(ElementType::Long, &[2]).create().unwrap();
    let others = i64::try_from(ga.ranks()).unwrap() - 1;
    ga.mask_sync(false, false);
    if ga.rank() == 0 {
        // Would the others wait for this rank, none of them would ever count.
        while counter.read_increment(&[0], 0).unwrap() < others {}
    }
    array.fill(2.0.into()).unwrap();
    if ga.rank() > 0 {
        counter.read_increment(&[0], 1).unwrap();
    }
    if ga.rank() == 0 {
        counter.read_increment(&[1], 1).unwrap();
    }
    array.scale(3.0.into()).unwrap();
    assert_eq!(counter.read_increment(&[1], 0).unwrap(), 1, "nobody returns before rank 0 has called");
    ga.mask_sync(true, true);
    assert_eq!(array.dot(&array).unwrap(), Scalar::Double(360_000.0));
    // A sync takes a mask back.
    ga.mask_sync(false, false);
    ga.sync().unwrap();
    array.zero().unwrap();
    let elements = array.view::<f64>().unwrap().to_vec(&array.whole()).unwrap();
    assert!(elements.iter().all(|&element| element == 0.0));
    // So does every other collective call: the operation after it waits for rank 0, which is late.
    let small = || ga.array(ElementType::Int, &[3]).create();
    let removed = Cell::new(Some(small().unwrap()));
    let taking_back: [&dyn Fn() -> Option<ga::Array>; 7] = [
        &|| ga.sync_group(ga.world()).map(|()| None).unwrap(),
        &|| small().ok(),
        &|| array.duplicate("copy").ok(),
        &|| removed.take().unwrap().destroy().map(|()| None).unwrap(),
        &|| ga.world().broadcast(&mut [1, 2], 0).map(|()| None).unwrap(),
        &|| ga.world().reduce(&mut [1.0], ga::Reduction::Sum).map(|()| None).unwrap(),
        &|| ga.world().agree(Err::<ga::Array, _>("refused")).ok(),
    ];
    for (call, expected) in taking_back.into_iter().zip(2..) {
        ga.mask_sync(false, false);
        let made = call();
        if ga.rank() == 0 {
            std::thread::sleep(std::time::Duration::from_millis(10));
            counter.read_increment(&[1], 1).unwrap();
        }
        array.scale(1.0.into()).unwrap();
        assert_eq!(counter.read_increment(&[1], 0).unwrap(), expected);
        ga.sync().unwrap();
        made.map_or(Ok(()), ga::Array::destroy).unwrap();
    }
    array.destroy().unwrap();
    counter.destroy().unwrap();
}

/// Operations on the arrays of a group involve its ranks only; arrays of different groups are copied to each other, and not
/// mixed otherwise.
pub(crate) fn a_group_operates_on_its_own_arrays(ga: &Context) {
    let everywhere = ga.array(ElementType::Double, &[30, 20]).create().unwrap();
    let ranks: Vec<usize> = (0..ga.ranks()).rev().step_by(2).collect();
    if let Some(group) = ga.group(&ranks).unwrap() {
        let array = ga.array(ElementType::Double, &[30, 20]).group(&group).create().unwrap();
        let other = array.duplicate("other").unwrap();
        array.fill(2.0.into()).unwrap();
        array.copy_to(&other).unwrap();
        assert_eq!(array.dot(&other).unwrap(), Scalar::Double(2400.0));
        let mixed = array.dot(&everywhere).unwrap_err();
        let is_ours = matches!(mixed, Error::GroupsDiffer { .. });
        assert!(is_ours || mixed.to_string().contains("different groups"), "{mixed}");
        array.destroy().unwrap();
        other.destroy().unwrap();
    }
    ga.sync().unwrap();
    everywhere.destroy().unwrap();
}

/// An array of some ranks is copied to one of all, and back, by those ranks alone: as it is, transposed, and in another shape.
pub(crate) fn arrays_of_different_groups_are_copied(ga: &Context) {
    let everywhere = ga.array(ElementType::Long, &[130, 70]).create().unwrap();
    let turned = ga.array(ElementType::Long, &[70, 130]).create().unwrap();
    let line = ga.array(ElementType::Long, &[9100]).create().unwrap();
    let ranks: Vec<usize> = (0..ga.ranks()).rev().step_by(2).collect();
    let numbers: Vec<i64> = (0..9100).collect();
    if let Some(group) = ga.group(&ranks).unwrap() {
        let array = ga.array(ElementType::Long, &[130, 70]).group(&group).create().unwrap();
        let back = array.duplicate("back").unwrap();
        if group.rank() == 0 {
            array.view().unwrap().put(&array.whole(), &numbers).unwrap();
        }
        array.copy_to(&everywhere).unwrap();
        array.copy_patch(true, &array.whole(), &turned, &turned.whole()).unwrap();
        array.copy_patch(false, &array.whole(), &line, &line.whole()).unwrap();
        for (transpose, from) in [(false, &everywhere), (true, &turned), (false, &line)] {
            back.zero().unwrap();
            from.copy_patch(transpose, &from.whole(), &back, &back.whole()).unwrap();
            assert_eq!(back.view::<i64>().unwrap().to_vec(&back.whole()).unwrap(), numbers);
            ga.sync_group(&group).unwrap();
        }
        array.destroy().unwrap();
        back.destroy().unwrap();
    }
    if ga.ranks() > 2 {
        neither_group_is_part_of_the_other(ga);
    }
    ga.sync().unwrap();
    let columns: Vec<i64> = (0..9100).map(|at| at % 130 * 70 + at / 130).collect();
    for (array, expected) in [(everywhere, &numbers), (turned, &columns), (line, &numbers)] {
        assert_eq!(&array.view::<i64>().unwrap().to_vec(&array.whole()).unwrap(), expected);
        array.destroy().unwrap();
    }
}

/// Nobody can copy between the arrays of two groups that have only some ranks in common.
fn neither_group_is_part_of_the_other(ga: &Context) {
    let groups = [[0, 1], [1, 2]].map(|ranks| ga.group(&ranks).unwrap());
    let of_group = |group| ga.array(ElementType::Long, &[5]).group(group).create().unwrap();
    let arrays: Vec<Array> = groups.iter().flatten().map(of_group).collect();
    if let [left, right] = &arrays[..] {
        let refused = left.copy_to(right).unwrap_err();
        assert!(matches!(refused, Error::GroupsDiffer { .. }), "{refused}");
    }
    for array in arrays {
        array.destroy().unwrap();
    }
}

/// An array as text is what legacy programs print.
pub(crate) fn an_array_is_printed_as_the_legacy_calls_do(ga: &Context) {
    let array = ga.array(ElementType::Double, &[3, 8]).name("two").create().unwrap();
    if ga.rank() == 0 {
        let element = |i: i32| f64::from(1 - i % 2 * 2) * (f64::from(i) * 1.25 + 0.1);
        let elements: Vec<f64> = (0..24).map(|i| if i == 3 { 123_456.789 } else { element(i) }).collect();
        array.view().unwrap().put(&array.whole(), &elements).unwrap();
    }
    let table = "
 global array: two[1:8,1:3],  handle: -1000 

            1           2           3  
       ----------- ----------- -----------
   1       0.10000    10.10000    20.10000
   2      -1.35000   -11.35000   -21.35000
   3       2.60000    12.60000    22.60000
   4   1.23457e+05   -13.85000   -23.85000
   5       5.10000    15.10000    25.10000
   6      -6.35000   -16.35000   -26.35000
   7       7.60000    17.60000    27.60000
   8      -8.85000   -18.85000   -28.85000
";
    assert_text(ga, &array, None, TextStyle::Table, table);
    let patch = Section::new(&[1, 2], &[3, 5]).unwrap();
    let elements = "
 global array: two[3:5,2:3],  handle: -1000 
two(3,2) = 12.600000
two(4,2) = -13.850000
two(5,2) = 15.100000
two(3,3) = 22.600000
two(4,3) = -23.850000
two(5,3) = 25.100000
";
    assert_text(ga, &array, Some(&patch), TextStyle::Elements, elements);
    let rows = "
 global array: two[3:5,2:3],  handle: -1000 
    12.60000    22.60000
   -13.85000   -23.85000
    15.10000    25.10000
";
    assert_text(ga, &array, Some(&patch), TextStyle::Rows, rows);
    array.destroy().unwrap();
    slices_and_columns_are_printed(ga);
    distributions_are_printed(ga);
}

fn assert_text(ga: &Context, array: &Array, section: Option<&Section>, style: TextStyle, expected: &str) {
    let text = array.text(section, style, -1000).unwrap();
    assert_eq!(text.as_deref(), (ga.rank() == 0).then_some(expected));
}

fn slices_and_columns_are_printed(ga: &Context) {
    let array = ga.array(ElementType::Int, &[2, 8, 2]).name("3int").create().unwrap();
    if ga.rank() == 0 {
        array.view().unwrap().put(&array.whole(), &(0..32).collect::<Vec<i32>>()).unwrap();
    }
    let text = "
 global array: 3int[1:2,1:8,1:2],  handle: -1000 

 -- patch: 3int[1:2,1:8,1]

           1        2        3        4        5        6  
       -------- -------- -------- -------- -------- --------
   1          0        2        4        6        8       10
   2          1        3        5        7        9       11

           7        8  
       -------- --------
   1         12       14
   2         13       15

 -- patch: 3int[1:2,1:8,2]

           1        2        3        4        5        6  
       -------- -------- -------- -------- -------- --------
   1         16       18       20       22       24       26
   2         17       19       21       23       25       27

           7        8  
       -------- --------
   1         28       30
   2         29       31
";
    assert_text(ga, &array, None, TextStyle::Table, text);
    array.destroy().unwrap();
    let array = ga.array(ElementType::DoubleComplex, &[3]).name("z").create().unwrap();
    array.fill(Complex::new(1.5, -0.25).into()).unwrap();
    let text = "
 global array: z[1:3],  handle: -1000 
   1       1.50000,   -0.25000
   2       1.50000,   -0.25000
   3       1.50000,   -0.25000
";
    assert_text(ga, &array, None, TextStyle::Table, text);
    array.destroy().unwrap();
}

fn distributions_are_printed(ga: &Context) {
    let array =
        ga.array(ElementType::Double, &[6, 4]).name("d").blocks(&[vec![0], vec![0]]).create().unwrap();
    let beyond =
        |text: &str| (1..ga.ranks()).map(|rank| text.replace('#', &rank.to_string())).collect::<String>();
    let head = "Array Handle=7 Name:'d' Data Type:double\nArray Dimensions:";
    let c = format!("{head}6x4\nProcess=0\t owns array section: [0:5,0:3] \n");
    let none = beyond("Process=#\t owns array section: [-1:-2,-1:-2] \n");
    assert_eq!(array.distribution_text(7, Subscripts::C), c + &none);
    let fortran = format!("{head}4x6\nProcess=0\t owns array section: [1:4,1:6] \n");
    let none = beyond("Process=#\t owns array section: [0:-1,0:-1] \n");
    assert_eq!(array.distribution_text(7, Subscripts::Fortran), fortran + &none);
    let line = "  array 3 => double precision d(4,6),  handle: 7 \n";
    assert_eq!(array.summary_text(3, 7, false), line);
    let blocks = format!("{line}    (1:4,1:6) -> 0 \n{}", beyond("    (0:-1,0:-1) -> # \n"));
    assert_eq!(array.summary_text(3, 7, true), blocks);
    array.destroy().unwrap();
}
