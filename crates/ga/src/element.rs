//! What arrays are made of.

use num_complex::Complex;
use std::fmt;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// `i32`, C's int.
    Int,
    /// `i64`, C's long.
    Long,
    /// `f32`.
    Float,
    /// `f64`.
    Double,
    /// Two `f32`.
    SingleComplex,
    /// Two `f64`.
    DoubleComplex,
}

impl ElementType {
    /// Bytes of one element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Int | Self::Float => 4,
            Self::Long | Self::Double | Self::SingleComplex => 8,
            Self::DoubleComplex => 16,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::SingleComplex => "single complex",
            Self::DoubleComplex => "double complex",
        })
    }
}

/// A value of one of the element types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// See [`ElementType::Int`].
    Int(i32),
    /// See [`ElementType::Long`].
    Long(i64),
    /// See [`ElementType::Float`].
    Float(f32),
    /// See [`ElementType::Double`].
    Double(f64),
    /// See [`ElementType::SingleComplex`].
    SingleComplex(Complex<f32>),
    /// See [`ElementType::DoubleComplex`].
    DoubleComplex(Complex<f64>),
}

impl Scalar {
    /// The type of this value.
    pub fn element_type(&self) -> ElementType {
        match self {
            Self::Int(_) => ElementType::Int,
            Self::Long(_) => ElementType::Long,
            Self::Float(_) => ElementType::Float,
            Self::Double(_) => ElementType::Double,
            Self::SingleComplex(_) => ElementType::SingleComplex,
            Self::DoubleComplex(_) => ElementType::DoubleComplex,
        }
    }

    /// A number for each value of a type, to compare what ranks gave: not a number is equal to itself here.
    pub(crate) fn bits(&self) -> [u64; 2] {
        match *self {
            Self::Int(value) => [u64::from(value.cast_unsigned()), 0],
            Self::Long(value) => [value.cast_unsigned(), 0],
            Self::Float(value) => [value.to_bits().into(), 0],
            Self::Double(value) => [value.to_bits(), 0],
            Self::SingleComplex(value) => [value.re.to_bits().into(), value.im.to_bits().into()],
            Self::DoubleComplex(value) => [value.re.to_bits(), value.im.to_bits()],
        }
    }

    /// The neutral factor of a type.
    pub fn one(element_type: ElementType) -> Self {
        with_element!(element_type, T => T::one().into())
    }
}

/// A Rust type that an array's elements can have. Sealed.
pub trait Element:
    Copy + Send + Sync + PartialEq + fmt::Debug + Into<Scalar> + sealed::Sealed + 'static
{
    /// Its name at run time.
    const TYPE: ElementType;
    /// 0.
    fn zero() -> Self;
    /// 1.
    fn one() -> Self;
    /// The sum; integers wrap, as in C and Fortran.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The product; integers wrap.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// The value in a scalar of this type.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! element {
    ($element:ty, $variant:ident, $zero:expr, $one:expr, $plus:expr, $times:expr) => {
        impl sealed::Sealed for $element {}
        impl From<$element> for Scalar {
            fn from(value: $element) -> Self {
                Self::$variant(value)
            }
        }
        impl Element for $element {
            const TYPE: ElementType = ElementType::$variant;
            fn zero() -> Self {
                $zero
            }
            fn one() -> Self {
                $one
            }
            #[inline]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            #[inline]
            fn times(self, other: Self) -> Self {
                $times(self, other)
            }
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                if let Scalar::$variant(value) = scalar { Some(value) } else { None }
            }
        }
    };
}

element!(i32, Int, 0, 1, i32::wrapping_add, i32::wrapping_mul);
element!(i64, Long, 0, 1, i64::wrapping_add, i64::wrapping_mul);
element!(f32, Float, 0.0, 1.0, |a, b| a + b, |a, b| a * b);
element!(f64, Double, 0.0, 1.0, |a, b| a + b, |a, b| a * b);
element!(
    Complex<f32>,
    SingleComplex,
    Complex::new(0.0, 0.0),
    Complex::new(1.0, 0.0),
    |a, b| a + b,
    |a, b| a * b
);
element!(
    Complex<f64>,
    DoubleComplex,
    Complex::new(0.0, 0.0),
    Complex::new(1.0, 0.0),
    |a, b| a + b,
    |a, b| a * b
);

/// Runs the expression with `T` as the Rust type of an [`ElementType`].
macro_rules! with_element {
    ($element_type:expr, $T:ident => $body:expr) => {
        match $element_type {
            $crate::ElementType::Int => {
                type $T = i32;
                $body
            }
            $crate::ElementType::Long => {
                type $T = i64;
                $body
            }
            $crate::ElementType::Float => {
                type $T = f32;
                $body
            }
            $crate::ElementType::Double => {
                type $T = f64;
                $body
            }
            $crate::ElementType::SingleComplex => {
                type $T = num_complex::Complex<f32>;
                $body
            }
            $crate::ElementType::DoubleComplex => {
                type $T = num_complex::Complex<f64>;
                $body
            }
        }
    };
}
pub(crate) use with_element;
