//! Smallest, largest, mean, and counts, of elements that come in any order and any number of parts.
//!
//! Integers are summed exactly. Floating-point numbers are summed in 16 lanes over some thousands of them, and these sums with
//! compensation (Neumaier 1974), so that the error does not grow with the number of elements.

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
    sum: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        // Where one is infinite nothing is lost, and the difference is no number.
        if sum.is_finite() {
            let (large, small) =
                if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
            self.lost += (large - sum) + small;
        }
        self.sum = sum;
    }

    fn total(self) -> f64 {
        self.sum + if self.sum.is_finite() { self.lost } else { 0.0 }
    }
}

/// What is known of a block of real numbers.
#[derive(Default)]
struct Block {
    sum: f64,
    nan: u64,
    infinite: u64,
    zeros: u64,
    min: f64,
    max: f64,
}

impl Block {
    /// Of numbers that are given one by one, in lanes.
    fn of(values: impl ExactSizeIterator<Item = f64>) -> Self {
        let mut sum = [0.0; LANES];
        let (mut nan, mut infinite, mut zeros) = ([0u32; LANES], [0u32; LANES], [0u32; LANES]);
        let (mut min, mut max) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for (at, value) in values.enumerate() {
            let lane = at % LANES;
            let is_nan = value.is_nan();
            nan[lane] += u32::from(is_nan);
            infinite[lane] += u32::from(value.is_infinite());
            zeros[lane] += u32::from(value == 0.0);
            sum[lane] += if is_nan { 0.0 } else { value };
            min[lane] = if value < min[lane] { value } else { min[lane] };
            max[lane] = if value > max[lane] { value } else { max[lane] };
        }
        let total = |counts: [u32; LANES]| counts.iter().map(|&count| u64::from(count)).sum();
        Self {
            sum: sum.iter().sum(),
            nan: total(nan),
            infinite: total(infinite),
            zeros: total(zeros),
            min: min.iter().copied().fold(f64::INFINITY, f64::min),
            max: max.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

fn f32s(bytes: &[u8]) -> impl ExactSizeIterator<Item = f64> + '_ {
    bytes.chunks_exact(4).map(|word| f64::from(f32::from_le_bytes(word.try_into().expect("four bytes"))))
}

fn f64s(bytes: &[u8]) -> impl ExactSizeIterator<Item = f64> + '_ {
    bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().expect("eight bytes")))
}

/// Real and imaginary parts of complex numbers.
fn complexes(data_type: DataType, bytes: &[u8]) -> Vec<[f64; 2]> {
    let parts: Vec<f64> =
        if data_type == DataType::Complex64 { f32s(bytes).collect() } else { f64s(bytes).collect() };
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
                DataType::Float32 => self.add_block(&Block::of(f32s(block))),
                DataType::Float64 => self.add_block(&Block::of(f64s(block))),
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
        let times = |sum: &mut Sum| {
            // Not a number where there is no such element: zero times infinity does not occur, a count is not zero.
            sum.sum *= count as f64;
        };
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
        let add = |sum: &mut Sum, other: Sum| {
            sum.add(other.sum);
            sum.lost += other.lost;
        };
        match (&mut self.values, &other.values) {
            (Values::Integers { min, max, sum }, Values::Integers { min: a, max: b, sum: s }) => {
                (*min, *max, *sum) = ((*min).min(*a), (*max).max(*b), *sum + s);
            }
            (Values::Reals { min, max, sum }, Values::Reals { min: a, max: b, sum: s }) => {
                (*min, *max) = (min.min(*a), max.max(*b));
                add(sum, *s);
            }
            (
                Values::Complex { min, max, real, imaginary },
                Values::Complex { min: a, max: b, real: r, imaginary: i },
            ) => {
                (*min, *max) = (min.min(*a), max.max(*b));
                add(real, *r);
                add(imaginary, *i);
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
        sum.add(block.sum);
        self.nan += block.nan;
        self.infinite += block.infinite;
        self.zeros += block.zeros;
    }

    /// A complex number with a NaN is NaN; one with an infinite part and none is infinite; it is zero if both parts are.
    fn add_complex(&mut self, block: &[u8]) {
        let Values::Complex { min, max, real, imaginary } = &mut self.values else { return };
        let (mut real_sum, mut imaginary_sum) = (0.0, 0.0);
        for [re, im] in complexes(self.data_type, block) {
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
        real.add(real_sum);
        imaginary.add(imaginary_sum);
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
            Values::Reals { sum, .. } => number(sum.total() / count),
            Values::Complex { real, imaginary, .. } => {
                json!([number(real.total() / count), number(imaginary.total() / count)])
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
