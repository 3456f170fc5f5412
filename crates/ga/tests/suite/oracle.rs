//! Random one-sided operations against a plain local array.
//!
//! Every rank draws the same random numbers, so every rank knows what all ranks do, and keeps a copy of the whole array that
//! is computed element by element.

use ga::{Array, Context, Element, ElementType, Patch, PatchMut};
use num_complex::Complex;
use section::{Layout, Section, Shape};
use test_support::Rng;

/// An element that small whole numbers are exact in.
pub(crate) trait Exact: Element {
    fn exact(value: i32) -> Self;
}

macro_rules! exact {
    ($($element:ty: $value:ident => $made:expr),* $(,)?) => {
        $(impl Exact for $element {
            fn exact($value: i32) -> Self {
                $made
            }
        })*
    };
}

exact! {
    i32: value => value,
    i64: value => i64::from(value) << 33,
    f32: value => f32::from(i16::try_from(value).unwrap()),
    f64: value => f64::from(value),
    Complex<f32>: value => Complex::new(f32::exact(value), f32::exact(-2 * value)),
    Complex<f64>: value => Complex::new(f64::exact(value), f64::exact(3 * value)),
}

/// An array, and what it should hold.
struct Twin<'a, T> {
    ga: &'a Context,
    array: Array,
    copy: Vec<T>,
}

/// A section and the local memory it is moved to or from: an array of `extents` elements, dense or with gaps.
struct Local<T> {
    section: Section,
    extents: Shape,
    elements: Vec<T>,
}

/// Up to `dims_max` extents of up to 17, of at most a few thousand elements.
pub(crate) fn random_shape(rng: &mut Rng, dims_max: usize) -> Vec<u64> {
    let dims = rng.usize(1..=dims_max);
    let extent_max = [0, 300, 40, 12, 7, 5, 4, 3][dims];
    (0..dims).map(|_| rng.u64(1..=extent_max)).collect()
}

/// A section of an array of `shape`, sometimes with steps, sometimes without elements.
pub(crate) fn random_section(rng: &mut Rng, shape: &[u64]) -> Section {
    let steps = rng.u8(0..4) == 0;
    let mut bounds = [vec![], vec![], vec![]];
    for &extent in shape {
        let lo = rng.u64(0..extent);
        let hi = if rng.u8(0..20) == 0 { lo } else { rng.u64(lo + 1..=extent) };
        let step = if steps { rng.u64(1..=3) } else { 1 };
        bounds.iter_mut().zip([lo, hi, step]).for_each(|(bounds, value)| bounds.push(value));
    }
    Section::with_step(&bounds[0], &bounds[1], &bounds[2]).unwrap()
}

/// An array of a random distribution: regular, by chunks, or by blocks of any size.
pub(crate) fn random_array(ga: &Context, rng: &mut Rng, element_type: ElementType, shape: &[u64]) -> Array {
    let builder = ga.array(element_type, shape).name("random");
    let builder = match rng.u8(0..3) {
        0 => builder,
        1 => {
            builder.chunk(&shape.iter().map(|&extent| rng.i64(-1..=extent.cast_signed())).collect::<Vec<_>>())
        }
        _ => builder.blocks(&random_blocks(rng, shape, ga.ranks() as u64)),
    };
    builder.create().expect("an array of a few thousand elements")
}

/// Where blocks begin in each dimension, some of them empty, at most `ranks` in all.
fn random_blocks(rng: &mut Rng, shape: &[u64], ranks: u64) -> Vec<Vec<u64>> {
    let mut left = ranks;
    shape
        .iter()
        .map(|&extent| {
            let blocks = rng.u64(1..=left);
            left /= blocks;
            let mut starts: Vec<u64> = (1..blocks).map(|_| rng.u64(0..=extent)).collect();
            starts.sort_unstable();
            starts.insert(0, 0);
            starts
        })
        .collect()
}

impl<'a, T: Exact> Twin<'a, T> {
    fn new(ga: &'a Context, rng: &mut Rng) -> Self {
        let shape = random_shape(rng, 7);
        let array = random_array(ga, rng, T::TYPE, &shape);
        let copy = vec![T::zero(); usize::try_from(array.whole().len()).unwrap()];
        Self { ga, array, copy }
    }

    fn local(&self, rng: &mut Rng) -> Local<T> {
        let section = random_section(rng, self.array.shape());
        let gap = if rng.bool() { 0 } else { 3 };
        let mut extents = section.counts();
        extents.iter_mut().for_each(|extent| *extent += rng.u64(0..=gap));
        let elements = (0..extents.iter().product()).map(|_: u64| T::exact(rng.i32(-50..50))).collect();
        Local { section, extents, elements }
    }

    /// Offsets in the copy and in local memory of every element of the section.
    fn pairs(&self, local: &Local<T>) -> Vec<(usize, usize)> {
        let (whole, memory) = (Layout::dense(self.array.shape()), Layout::dense(&local.extents));
        let places = Section::whole(&local.section.counts()).unwrap().indices();
        local
            .section
            .indices()
            .zip(places)
            .map(|(index, place)| (whole.offset(&index), memory.offset(&place)))
            .collect()
    }

    /// One rank writes.
    fn put(&mut self, rng: &mut Rng) {
        let (local, writer, nonblocking) = (self.local(rng), rng.usize(0..self.ga.ranks()), rng.bool());
        if self.ga.rank() == writer {
            let patch = Patch::new(&local.elements, &local.extents).unwrap();
            if nonblocking {
                self.array.nbput(&local.section, patch).unwrap().wait().unwrap();
            } else {
                self.array.put(&local.section, patch).unwrap();
            }
        }
        for (to, from) in self.pairs(&local) {
            self.copy[to] = local.elements[from];
        }
    }

    /// Every rank adds to a section of its own, which overlaps those of others.
    fn accumulate(&mut self, rng: &mut Rng) {
        for rank in 0..self.ga.ranks() {
            let (local, alpha, nonblocking) = (self.local(rng), T::exact(rng.i32(-2..3)), rng.bool());
            if self.ga.rank() == rank {
                let patch = Patch::new(&local.elements, &local.extents).unwrap();
                if nonblocking {
                    self.array.nbaccumulate(&local.section, patch, alpha.into()).unwrap().wait().unwrap();
                } else {
                    self.array.accumulate(&local.section, patch, alpha.into()).unwrap();
                }
            }
            for (to, from) in self.pairs(&local) {
                self.copy[to] = self.copy[to].plus(local.elements[from].times(alpha));
            }
        }
    }

    /// Every rank reads a section of its own, and finds what the copy has; nothing else in its memory changes.
    fn get(&self, rng: &mut Rng) {
        for rank in 0..self.ga.ranks() {
            let (mut local, nonblocking) = (self.local(rng), rng.bool());
            if self.ga.rank() != rank {
                continue;
            }
            let mut expected = local.elements.clone();
            for (from, to) in self.pairs(&local) {
                expected[to] = self.copy[from];
            }
            let patch = PatchMut::new(&mut local.elements, &local.extents).unwrap();
            if nonblocking {
                self.array.nbget(&local.section, patch).unwrap().wait().unwrap();
            } else {
                self.array.get(&local.section, patch).unwrap();
            }
            assert_eq!(local.elements, expected, "{} of {:?}", local.section, self.array.shape());
        }
    }

    /// One rank scatters to, adds to or gathers from a list of places, of which none is listed twice for a scatter.
    fn list(&mut self, rng: &mut Rng) {
        let (caller, kind, alpha) = (rng.usize(0..self.ga.ranks()), rng.u8(0..3), T::exact(rng.i32(-2..3)));
        let layout = Layout::dense(self.array.shape());
        let mut places: Vec<Shape> = (0..rng.usize(0..30))
            .map(|_| {
                let index: Vec<u64> = self.array.shape().iter().map(|&extent| rng.u64(0..extent)).collect();
                Shape::new(&index).unwrap()
            })
            .collect();
        if kind == 0 {
            places.sort_by_key(|place| layout.offset(place));
            places.dedup();
        }
        let subscripts: Vec<u64> = places.iter().flat_map(|place| place.to_vec()).collect();
        let mut values: Vec<T> = places.iter().map(|_| T::exact(rng.i32(-50..50))).collect();
        if self.ga.rank() == caller {
            let extents = [values.len().max(1) as u64];
            match kind {
                0 => self.array.scatter(Patch::new(&values, &extents).unwrap(), &subscripts).unwrap(),
                1 => self
                    .array
                    .scatter_accumulate(Patch::new(&values, &extents).unwrap(), &subscripts, alpha.into())
                    .unwrap(),
                _ => {
                    self.array.gather(PatchMut::new(&mut values, &extents).unwrap(), &subscripts).unwrap();
                    let expected: Vec<T> =
                        places.iter().map(|place| self.copy[layout.offset(place)]).collect();
                    assert_eq!(values, expected);
                }
            }
        }
        for (place, value) in places.iter().zip(values) {
            let element = &mut self.copy[layout.offset(place)];
            *element = match kind {
                0 => value,
                1 => element.plus(value.times(alpha)),
                _ => *element,
            };
        }
    }
}

fn sequence<T: Exact>(ga: &Context, rng: &mut Rng, operations: usize) {
    let mut twin = Twin::<T>::new(ga, rng);
    for _ in 0..operations {
        match rng.u8(0..4) {
            0 => twin.put(rng),
            1 => twin.accumulate(rng),
            2 => twin.list(rng),
            _ => twin.get(rng),
        }
        ga.sync().unwrap();
    }
    let whole = twin.array.view::<T>().unwrap().to_vec(&twin.array.whole()).unwrap();
    assert_eq!(whole, twin.copy, "{:?} on {:?}", twin.array.shape(), twin.array.distribution().grid());
    ga.sync().unwrap();
    twin.array.destroy().unwrap();
}

/// Random puts, gets, accumulates, scatters and gathers on arrays of every type agree with a plain array.
pub(crate) fn random_operations_agree_with_a_plain_array(ga: &Context) {
    let rng = &mut test_support::random();
    for _ in 0..super::repeats(ga, 40) {
        sequence::<i32>(ga, rng, 12);
        sequence::<i64>(ga, rng, 12);
        sequence::<f32>(ga, rng, 12);
        sequence::<f64>(ga, rng, 12);
        sequence::<Complex<f32>>(ga, rng, 12);
        sequence::<Complex<f64>>(ga, rng, 12);
    }
}

/// What one rank does to one place happens in the order in which it does it, also when nothing is waited for.
pub(crate) fn operations_of_one_rank_keep_their_order(ga: &Context) {
    let rng = &mut test_support::random();
    let array = ga.array(ElementType::Double, &[4 * ga.ranks() as u64, 50]).create().unwrap();
    let view = array.view::<f64>().unwrap();
    // Each rank has a column of its own, in every other rank's block.
    let mine = ga.rank() as u64;
    let column = Section::new(&[0, mine], &[array.shape()[0], mine + 1]).unwrap();
    let len = usize::try_from(column.len()).unwrap();
    let mut expected = vec![0.0; len];
    for _ in 0..20 {
        let (written, added) = (vec![f64::from(rng.i32(0..100)); len], vec![f64::from(rng.i32(0..100)); len]);
        let mut found = vec![f64::NAN; len];
        let put = view.nbput(&column, &written).unwrap();
        let first = view.nbaccumulate(&column, &added, 2.0).unwrap();
        let second = view.nbaccumulate(&column, &added, 1.0).unwrap();
        let get = view.nbget(&column, &mut found).unwrap();
        get.wait().unwrap();
        expected.iter_mut().enumerate().for_each(|(i, expected)| *expected = written[i] + 3.0 * added[i]);
        assert_eq!(found, expected);
        second.wait().unwrap();
        put.wait().unwrap();
        first.wait().unwrap();
    }
    ga.sync().unwrap();
    assert_eq!(view.to_vec(&column).unwrap(), expected);
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// A column of which each element is a run of its own, in the block of the next rank; nobody waits for the request before the sync.
pub(crate) fn a_sync_completes_transfers_of_more_runs_than_are_counted_at_once(ga: &Context) {
    const ROWS: u64 = 5000;
    let ranks = ga.ranks() as u64;
    let array = ga.array(ElementType::Double, &[ROWS * ranks, 3]).chunk(&[5000, 3]).create().unwrap();
    let view = array.view::<f64>().unwrap();
    let of_rank = |rank: u64| Section::new(&[rank * ROWS, 1], &[(rank + 1) * ROWS, 2]).unwrap();
    let values = |rank: u64| (0..ROWS).map(|row| (rank * ROWS + row) as f64 + 0.5).collect::<Vec<_>>();
    let me = ga.rank() as u64;
    let next = (me + 1) % ranks;
    let written = values(next);
    ga.sync().unwrap();
    let put = view.nbput(&of_rank(next), &written).unwrap();
    ga.sync().unwrap();
    assert_eq!(view.to_vec(&of_rank(me)).unwrap(), values(me));
    put.wait().unwrap();
    ga.sync().unwrap();
    array.destroy().unwrap();
}
