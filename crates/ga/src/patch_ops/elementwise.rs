//! Operations element by element that are neither sums nor multiples: products, quotients, extremes, magnitudes.

use super::local::{self, LocalPart};
use super::operand::{Buffers, Operand};
use super::pieces::{Cut, Piece, for_each_piece};
use super::{collectively, len_max, value_of};
use crate::element::with_element;
use crate::{Array, Element, Error, Result, Scalar};
use num_complex::Complex;
use section::Section;
use std::cell::Cell;

/// How two elements become one. Complex numbers are compared by their magnitudes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Their product; integers wrap.
    Product,
    /// The first divided by the second; integers towards zero.
    Quotient,
    /// The larger one, the first if they are equal.
    Larger,
    /// The smaller one, the first if they are equal.
    Smaller,
}

/// What becomes of each element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Its magnitude.
    Magnitude,
    /// One divided by it; of integers the integer part.
    Reciprocal,
    /// Its sum with a value of its type; integers wrap.
    Plus(Scalar),
}

impl Array {
    /// Changes the elements of a section. Collective over the array's group.
    ///
    /// # Errors
    /// - As [`fill_patch`](Self::fill_patch).
    /// - [`Error::ZeroDivisor`]: the reciprocal of zero. The other elements are changed.
    pub fn change_patch(&self, section: &Section, change: Change) -> Result<()> {
        let checked = self.check_section(section).and_then(|()| match change {
            Change::Plus(value) => self.check_type(value.element_type()),
            Change::Magnitude | Change::Reciprocal => Ok(()),
        });
        collectively(self, checked, |()| {
            with_element!(self.element_type(), T => change_own::<T>(self, section, change))
        })
    }

    /// Sets a section to what a pairing makes of the elements of a section of `a` and of one of `b`, in row-major order. Either may
    /// be the section itself. Collective.
    ///
    /// # Errors
    /// - As [`add_patch`](Self::add_patch).
    /// - [`Error::ZeroDivisor`]: a division by zero. The other elements are set.
    pub fn pair_patch(
        &self,
        section: &Section,
        pairing: Pairing,
        (a, a_section): (&Self, &Section),
        (b, b_section): (&Self, &Section),
    ) -> Result<()> {
        const OPERATION: &str = "combining patches";
        self.same_group(OPERATION, &[a, b])?;
        let one = Scalar::one(self.element_type());
        let checked = self.check_add(OPERATION, section, &[(one, a, a_section), (one, b, b_section)]);
        collectively(self, checked, |()| {
            let (a, b) = (Operand::new(a, a_section, false), Operand::new(b, b_section, false));
            with_element!(self.element_type(), T => pair::<T>(self, section, pairing, &a, &b))
        })
    }
}

/// What elements of all types can do, each in its way.
trait Number: Element {
    /// This divided by another one that is not zero.
    fn over(self, other: Self) -> Self;
    fn magnitude(self) -> Self;
    /// Whether it is at least as large.
    fn is_at_least(self, other: Self) -> bool;
}

macro_rules! number {
    ($($number:ty, $over:expr, $magnitude:expr, $is_at_least:expr;)*) => {$(
        impl Number for $number {
            #[inline]
            fn over(self, other: Self) -> Self {
                $over(self, other)
            }
            #[inline]
            fn magnitude(self) -> Self {
                $magnitude(self)
            }
            #[inline]
            fn is_at_least(self, other: Self) -> bool {
                $is_at_least(&self, &other)
            }
        }
    )*};
}

number! {
    i32, i32::wrapping_div, i32::wrapping_abs, i32::ge;
    i64, i64::wrapping_div, i64::wrapping_abs, i64::ge;
    f32, |a, b| a / b, f32::abs, f32::ge;
    f64, |a, b| a / b, f64::abs, f64::ge;
    Complex<f32>, |a, b| a / b, |z: Self| Complex::new(z.re.hypot(z.im), 0.0), |a: &Self, b: &Self| a.re.hypot(a.im) >= b.re.hypot(b.im);
    Complex<f64>, |a, b| a / b, |z: Self| Complex::new(z.re.hypot(z.im), 0.0), |a: &Self, b: &Self| a.re.hypot(a.im) >= b.re.hypot(b.im);
}

impl Pairing {
    /// `None` for a division by zero.
    #[inline]
    fn of<T: Number>(self, x: T, y: T) -> Option<T> {
        match self {
            Self::Product => Some(x.times(y)),
            Self::Quotient => quotient(x, y),
            Self::Larger => Some(if x.is_at_least(y) { x } else { y }),
            Self::Smaller => Some(if y.is_at_least(x) { x } else { y }),
        }
    }
}

#[inline]
fn quotient<T: Number>(x: T, y: T) -> Option<T> {
    (y != T::zero()).then(|| x.over(y))
}

fn change_own<T: Number>(array: &Array, section: &Section, change: Change) -> Result<()> {
    let zero_divisor = Cell::new(false);
    let changed = |x: T| match change {
        Change::Magnitude => x.magnitude(),
        Change::Plus(value) => x.plus(value_of(value)),
        Change::Reciprocal => quotient(T::one(), x).unwrap_or_else(|| {
            zero_divisor.set(true);
            x
        }),
    };
    local::change::<T>(array, section, |elements| elements.iter_mut().for_each(|x| *x = changed(*x)))?;
    no_zero_divisor(zero_divisor.get())
}

/// Combines what this rank holds of `section`.
fn pair<T: Number>(
    to: &Array,
    section: &Section,
    pairing: Pairing,
    a: &Operand<'_>,
    b: &Operand<'_>,
) -> Result<()> {
    let Some(part) = LocalPart::of(to, section) else { return Ok(()) };
    let (mut buffers, mut results, mut zero_divisor) = (Buffers::default(), vec![], false);
    for_each_piece(part.section(), len_max::<T>(), Cut::Rows, &mut |part| {
        let piece = Piece::of(part, section);
        results.resize(piece.len(), T::zero());
        a.visit(&piece, &mut buffers, |at, elements| {
            results[at..at + elements.len()].copy_from_slice(elements);
        })?;
        b.visit(&piece, &mut buffers, |at, elements| {
            for (x, y) in results[at..].iter_mut().zip(elements) {
                let result = pairing.of(*x, *y);
                zero_divisor |= result.is_none();
                *x = result.unwrap_or(*x);
            }
        })?;
        local::store(to, part, &results)
    })?;
    no_zero_divisor(zero_divisor)
}

fn no_zero_divisor(met: bool) -> Result<()> {
    if met { Err(Error::ZeroDivisor) } else { Ok(()) }
}
