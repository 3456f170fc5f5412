//! Smallest, largest, mean, and counts, of elements that come in any order and any number of parts.
//!
//! Integers are summed exactly. Floating-point numbers are summed in 16 lanes over some thousands of them, and these sums with
//! compensation (Neumaier 1974), so that the error does not grow with the number of elements. Where a sum of finite numbers is too
//! large for a number, they are summed in units of 2^128, so that their mean is known.

use disk_array::DataType;
use section::size;
use serde_json::{Value, json};

/// Lanes of a sum: independent, so that the processor adds several at a time.
const LANES: usize = 16;
/// So many elements are summed without compensation.
const BLOCK: usize = 4096;

/// What is known of some elements.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    data_type: DataType,
    count: u64,
    nan: u64,
    infinite: u64,
    zeros: u64,
    values: Values,
}

/// Smallest, largest and sum of all that are not NaN.
#[derive(Clone, Debug)]
enum Values {
    Integers {
        min: i64,
        max: i64,
        sum: i128,
    },
    Reals {
        min: f64,
        max: f64,
        sum: Sum,
    },
    /// Of complex numbers: the moduli, and the sums of both parts.
    Complex {
        min: f64,
        max: f64,
        real: Sum,
        imaginary: Sum,
    },
}

/// A sum with what rounding has taken from it.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    near: f64,
    lost: f64,
    /// What had no room in it, in units of [`FAR`]; without compensation.
    far: f64,
}

/// 2^128: no array has so many elements that sums in units of it overflow.
const FAR: f64 = f64::from_bits((1023 + 128) << 52);

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.near + value;
        if sum.is_infinite() && self.near.is_finite() && value.is_finite() {
            self.far += self.near / FAR + value / FAR;
            self.near = 0.0;
            return;
        }
        // Where one is infinite nothing is lost, and the difference is no number.
        if sum.is_finite() {
            let (large, small) =
                if self.near.abs() >= value.abs() { (self.near, value) } else { (value, self.near) };
            self.lost += (large - sum) + small;
        }
        self.near = sum;
    }

    fn total(self) -> f64 {
        self.near + if self.near.is_finite() { self.lost } else { 0.0 }
    }

    /// The same value so many times: not zero, and nothing else was added.
    fn times(&mut self, count: f64) {
        let product = self.near * count;
        if product.is_infinite() && self.near.is_finite() {
            (self.far, self.near) = (self.near / FAR * count, 0.0);
        } else {
            self.near = product;
        }
    }

    fn merge(&mut self, other: Self) {
        self.add(other.near);
        self.lost += other.lost;
        self.far += other.far;
    }

    /// The mean of `count` numbers.
    fn mean(self, count: f64) -> f64 {
        if self.far == 0.0 || !self.near.is_finite() {
            return self.total() / count;
        }
        (self.far + self.total() / FAR) / count * FAR
    }
}

/// What is known of a block of real numbers.
#[derive(Default)]
struct Block {
    sum: Sum,
    nan: u64,
    infinite: u64,
    zeros: u64,
    min: f64,
    max: f64,
}

/// The block as it grows, in lanes.
struct Lanes {
    sum: [f64; LANES],
    min: [f64; LANES],
    max: [f64; LANES],
    // As wide as the numbers, so that one comparison of several serves for both.
    nan: [u64; LANES],
    infinite: [u64; LANES],
    zeros: [u64; LANES],
}

impl Lanes {
    const EMPTY: Self = Self {
        sum: [0.0; LANES],
        min: [f64::INFINITY; LANES],
        max: [f64::NEG_INFINITY; LANES],
        nan: [0; LANES],
        infinite: [0; LANES],
        zeros: [0; LANES],
    };

    #[inline]
    fn add(&mut self, lane: usize, value: f64) {
        let is_nan = value.is_nan();
        self.sum[lane] += if is_nan { 0.0 } else { value };
        self.min[lane] = if value < self.min[lane] { value } else { self.min[lane] };
        self.max[lane] = if value > self.max[lane] { value } else { self.max[lane] };
        self.nan[lane] += u64::from(is_nan);
        self.infinite[lane] += u64::from(value.is_infinite());
        self.zeros[lane] += u64::from(value == 0.0);
    }
}

impl Block {
    /// Of numbers of `N` bytes.
    fn of<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64 + Copy) -> Self {
        let numbers = bytes.as_chunks::<N>().0;
        let (rows, rest) = numbers.as_chunks::<LANES>();
        let mut lanes = Lanes::EMPTY;
        for row in rows {
            // Of a fixed length, so that the compiler uses vectors.
            for (lane, &word) in row.iter().enumerate() {
                lanes.add(lane, number(word));
            }
        }
        for (lane, &word) in rest.iter().enumerate() {
            lanes.add(lane, number(word));
        }
        let infinite = lanes.infinite.iter().sum();
        let all = || numbers.iter().map(|&word| number(word)).filter(|value| !value.is_nan());
        Self {
            sum: sum_of(lanes.sum.iter().sum(), infinite > 0, all),
            nan: lanes.nan.iter().sum(),
            infinite,
            zeros: lanes.zeros.iter().sum(),
            min: lanes.min.iter().copied().fold(f64::INFINITY, f64::min),
            max: lanes.max.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The sum of `values` that was found without looking at overflow, if that has not happened.
fn sum_of<I: Iterator<Item = f64>>(found: f64, has_infinite: bool, values: impl FnOnce() -> I) -> Sum {
    if found.is_finite() || has_infinite {
        return Sum { near: found, ..Sum::default() };
    }
    let mut sum = Sum::default();
    values().for_each(|value| sum.add(value));
    sum
}

fn single(word: [u8; 4]) -> f64 {
    f64::from(f32::from_le_bytes(word))
}

fn all<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    bytes.as_chunks::<N>().0.iter().map(|&word| number(word)).collect()
}

/// Real and imaginary parts of complex numbers.
fn complexes(data_type: DataType, bytes: &[u8]) -> Vec<[f64; 2]> {
    let parts: Vec<f64> =
        if data_type == DataType::Complex64 { all(bytes, single) } else { all(bytes, f64::from_le_bytes) };
    parts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

impl Summary {
    /// Of no elements.
    pub(crate) fn new(data_type: DataType) -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        let values = match data_type {
            DataType::Int32 | DataType::Int64 => Values::Integers { min: i64::MAX, max: i64::MIN, sum: 0 },
            DataType::Float32 | DataType::Float64 => Values::Reals { min, max, sum: Sum::default() },
            DataType::Complex64 | DataType::Complex128 => {
                Values::Complex { min, max, real: Sum::default(), imaginary: Sum::default() }
            }
        };
        Self { data_type, count: 0, nan: 0, infinite: 0, zeros: 0, values }
    }

    /// Adds elements as they are stored.
    pub(crate) fn add(&mut self, elements: &[u8]) {
        let bytes = size(self.data_type.bytes());
        self.count += (elements.len() / bytes) as u64;
        for block in elements.chunks(BLOCK * bytes) {
            match self.data_type {
                DataType::Int32 => self.add_integers(
                    block
                        .chunks_exact(4)
                        .map(|w| i64::from(i32::from_le_bytes(w.try_into().expect("four bytes")))),
                ),
                DataType::Int64 => self.add_integers(
                    block.chunks_exact(8).map(|w| i64::from_le_bytes(w.try_into().expect("eight bytes"))),
                ),
                DataType::Float32 => self.add_block(&Block::of(block, single)),
                DataType::Float64 => self.add_block(&Block::of(block, f64::from_le_bytes)),
                DataType::Complex64 | DataType::Complex128 => self.add_complex(block),
            }
        }
    }

    /// Adds one element so many times.
    pub(crate) fn add_same(&mut self, element: &[u8], count: u64) {
        if count == 0 {
            return;
        }
        let mut one = Self::new(self.data_type);
        one.add(element);
        (one.count, one.nan, one.infinite, one.zeros) =
            (count, one.nan * count, one.infinite * count, one.zeros * count);
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of elements below 2^61, to the precision of the sum"
        )]
        let times = |sum: &mut Sum| sum.times(count as f64);
        match &mut one.values {
            Values::Integers { sum, .. } => *sum *= i128::from(count),
            Values::Reals { sum, .. } => times(sum),
            Values::Complex { real, imaginary, .. } => {
                times(real);
                times(imaginary);
            }
        }
        self.merge(&one);
    }

    /// Adds what is known of other elements.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.nan += other.nan;
        self.infinite += other.infinite;
        self.zeros += other.zeros;
        match (&mut self.values, &other.values) {
            (Values::Integers { min, max, sum }, Values::Integers { min: a, max: b, sum: s }) => {
                (*min, *max, *sum) = ((*min).min(*a), (*max).max(*b), *sum + s);
            }
            (Values::Reals { min, max, sum }, Values::Reals { min: a, max: b, sum: s }) => {
                (*min, *max) = (min.min(*a), max.max(*b));
                sum.merge(*s);
            }
            (
                Values::Complex { min, max, real, imaginary },
                Values::Complex { min: a, max: b, real: r, imaginary: i },
            ) => {
                (*min, *max) = (min.min(*a), max.max(*b));
                real.merge(*r);
                imaginary.merge(*i);
            }
            _ => unreachable!("summaries of one type"),
        }
    }

    fn add_integers(&mut self, elements: impl Iterator<Item = i64>) {
        let Values::Integers { min, max, sum } = &mut self.values else { return };
        // A block of them does not overflow this.
        let mut block = 0i128;
        for element in elements {
            block += i128::from(element);
            self.zeros += u64::from(element == 0);
            (*min, *max) = ((*min).min(element), (*max).max(element));
        }
        *sum += block;
    }

    fn add_block(&mut self, block: &Block) {
        let Values::Reals { min, max, sum } = &mut self.values else { return };
        (*min, *max) = (min.min(block.min), max.max(block.max));
        sum.merge(block.sum);
        self.nan += block.nan;
        self.infinite += block.infinite;
        self.zeros += block.zeros;
    }

    /// A complex number with a NaN is NaN; one with an infinite part and none is infinite; it is zero if both parts are.
    fn add_complex(&mut self, block: &[u8]) {
        let Values::Complex { min, max, real, imaginary } = &mut self.values else { return };
        let (mut real_sum, mut imaginary_sum) = (0.0, 0.0);
        let (elements, infinite_before) = (complexes(self.data_type, block), self.infinite);
        for &[re, im] in &elements {
            if re.is_nan() || im.is_nan() {
                self.nan += 1;
                continue;
            }
            self.infinite += u64::from(re.is_infinite() || im.is_infinite());
            self.zeros += u64::from(re == 0.0 && im == 0.0);
            let modulus = re.hypot(im);
            (*min, *max) = (min.min(modulus), max.max(modulus));
            real_sum += re;
            imaginary_sum += im;
        }
        let has_infinite = self.infinite > infinite_before;
        let numbers = |part: usize| {
            elements.iter().filter(|[re, im]| !re.is_nan() && !im.is_nan()).map(move |element| element[part])
        };
        real.merge(sum_of(real_sum, has_infinite, || numbers(0)));
        imaginary.merge(sum_of(imaginary_sum, has_infinite, || numbers(1)));
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn nan(&self) -> u64 {
        self.nan
    }

    pub(crate) fn infinite(&self) -> u64 {
        self.infinite
    }

    pub(crate) fn zeros(&self) -> u64 {
        self.zeros
    }

    pub(crate) fn is_complex(&self) -> bool {
        matches!(self.values, Values::Complex { .. })
    }

    /// Smallest and largest, of the moduli if they are complex; `None` if there is none that is a number.
    fn extremes(&self) -> Option<[Value; 2]> {
        if self.count == self.nan {
            return None;
        }
        Some(match &self.values {
            Values::Integers { min, max, .. } => [json!(min), json!(max)],
            Values::Reals { min, max, .. } | Values::Complex { min, max, .. } => [number(*min), number(*max)],
        })
    }

    /// The mean of all that are numbers; of complex ones both parts.
    #[expect(clippy::cast_precision_loss, reason = "a mean is rounded")]
    fn mean(&self) -> Option<Value> {
        let count = (self.count - self.nan) as f64;
        if count == 0.0 {
            return None;
        }
        Some(match &self.values {
            Values::Integers { sum, .. } => number(*sum as f64 / count),
            Values::Reals { sum, .. } => number(sum.mean(count)),
            Values::Complex { real, imaginary, .. } => {
                json!([number(real.mean(count)), number(imaginary.mean(count))])
            }
        })
    }

    pub(crate) fn min_json(&self) -> Value {
        self.extremes().map_or(Value::Null, |[min, _]| min)
    }

    pub(crate) fn max_json(&self) -> Value {
        self.extremes().map_or(Value::Null, |[_, max]| max)
    }

    pub(crate) fn mean_json(&self) -> Value {
        self.mean().unwrap_or(Value::Null)
    }

    pub(crate) fn min_text(&self) -> String {
        text(&self.min_json())
    }

    pub(crate) fn max_text(&self) -> String {
        text(&self.max_json())
    }

    pub(crate) fn mean_text(&self) -> String {
        text(&self.mean_json())
    }
}

/// JSON has no infinities and no NaN: they are named as in Zarr's fill values.
fn number(value: f64) -> Value {
    if value.is_nan() {
        json!("NaN")
    } else if value.is_infinite() {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(value)
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Vec<_> = parts.iter().map(text).collect();
            format!("({})", parts.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_f64(values: &[f64]) -> Summary {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut summary = Summary::new(DataType::Float64);
        summary.add(&bytes);
        summary
    }

    #[test]
    fn the_mean_of_numbers_whose_sum_is_none_is_known() {
        let near = |summary: &Summary, expected: f64| {
            let mean = summary.mean_json().as_f64().unwrap_or_else(|| panic!("{}", summary.mean_json()));
            assert!((mean / expected - 1.0).abs() < 1e-12, "{mean}, expected {expected}");
        };
        near(&of_f64(&vec![1.5e308; 10_000]), 1.5e308);
        near(&of_f64(&[f64::MAX; 5]), f64::MAX);
        near(&of_f64(&[1.5e308, f64::NAN, 1.5e308, -1e308]), 1e308 / 1.5);
        let mut one = of_f64(&[1.5e308]);
        one.add_same(&1.5e308f64.to_le_bytes(), 1 << 50);
        near(&one, 1.5e308);
        one.merge(&of_f64(&[-1.0; 3]));
        near(&one, 1.5e308);
        // What cancels leaves what is small.
        assert_eq!(of_f64(&[1.5e308, 1.5e308, -1.5e308, -1.5e308]).mean_json(), json!(0.0));
        assert_eq!(of_f64(&[f64::INFINITY, 1e308, 1e308]).mean_json(), json!("Infinity"));
        let mut complex = Summary::new(DataType::Complex128);
        complex.add(&[1.5e308, -1e308].map(f64::to_le_bytes).concat().repeat(7));
        let mean = complex.mean_json();
        assert!((mean[0].as_f64().unwrap() / 1.5e308 - 1.0).abs() < 1e-12, "{mean}");
    }

    #[test]
    fn nan_are_counted_and_left_out() {
        let summary = of_f64(&[f64::NAN, -2.0, 0.0, 5.0, -0.0, f64::NAN]);
        assert_eq!((summary.count(), summary.nan(), summary.zeros(), summary.infinite()), (6, 2, 2, 0));
        assert_eq!(
            (summary.min_json(), summary.max_json(), summary.mean_json()),
            (json!(-2.0), json!(5.0), json!(0.75))
        );
    }

    #[test]
    fn infinities_are_counted_and_stay_in() {
        let summary = of_f64(&[f64::INFINITY, 1.0]);
        assert_eq!(
            (summary.infinite(), summary.max_json(), summary.mean_json()),
            (1, json!("Infinity"), json!("Infinity"))
        );
        let both = of_f64(&[f64::INFINITY, f64::NEG_INFINITY]);
        assert_eq!((both.mean_json(), both.min_json()), (json!("NaN"), json!("-Infinity")));
    }

    #[test]
    fn nothing_but_nan_has_no_mean() {
        let summary = of_f64(&[f64::NAN]);
        assert_eq!((summary.min_text(), summary.mean_json()), ("none".to_owned(), Value::Null));
    }

    #[test]
    fn parts_make_the_same_whole_in_any_order() {
        let values: Vec<f64> = (0..50_000).map(|i| f64::from(i).sin()).collect();
        let all = of_f64(&values);
        let (mut forth, mut back) = (Summary::new(DataType::Float64), Summary::new(DataType::Float64));
        for part in values.chunks(777) {
            forth.merge(&of_f64(part));
        }
        for part in values.chunks(777).rev() {
            back.merge(&of_f64(part));
        }
        for other in [&forth, &back] {
            assert_eq!(
                (all.min_json(), all.max_json(), all.zeros()),
                (other.min_json(), other.max_json(), other.zeros())
            );
            let (a, b) = (all.mean_json().as_f64().unwrap(), other.mean_json().as_f64().unwrap());
            assert!((a - b).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn one_value_many_times_is_counted_without_being_read() {
        let mut summary = of_f64(&[3.0]);
        summary.add_same(&0f64.to_le_bytes(), 1 << 60);
        summary.add_same(&f64::NAN.to_le_bytes(), 5);
        assert_eq!((summary.count(), summary.zeros(), summary.nan()), ((1 << 60) + 6, 1 << 60, 5));
        let mut same = Summary::new(DataType::Float64);
        same.add_same(&2.5f64.to_le_bytes(), 1000);
        assert_eq!(same.mean_json(), json!(2.5));
    }

    #[test]
    fn integers_are_summed_exactly_and_complex_ones_by_parts() {
        let mut summary = Summary::new(DataType::Int64);
        let bytes: Vec<u8> =
            [i64::MAX, i64::MAX, i64::MIN, 0].iter().flat_map(|value| value.to_le_bytes()).collect();
        summary.add(&bytes);
        assert_eq!(
            (summary.min_json(), summary.max_json(), summary.zeros()),
            (json!(i64::MIN), json!(i64::MAX), 1)
        );
        let mut complex = Summary::new(DataType::Complex64);
        let parts = [3f32, 4.0, 0.0, 0.0, f32::NAN, 1.0];
        complex.add(&parts.iter().flat_map(|part| part.to_le_bytes()).collect::<Vec<_>>());
        assert_eq!((complex.min_json(), complex.max_json()), (json!(0.0), json!(5.0)));
        assert_eq!((complex.mean_json(), complex.nan(), complex.zeros()), (json!([1.5, 2.0]), 1, 1));
    }
}
