//! The types of elements, and the numbers that C and Fortran know them by.

/// Bytes of a Fortran INTEGER and LOGICAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegerWidth {
    /// The default of compilers.
    Four,
    /// `-fdefault-integer-8`, `-i8`.
    Eight,
}

impl IntegerWidth {
    /// The number of bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// The type of a block's elements. C and Fortran have each their own, because their base arrays differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datatype {
    /// C `char`.
    Char,
    /// C `int`.
    Int,
    /// C `long`.
    Long,
    /// C `float`.
    Float,
    /// C `double`.
    Double,
    /// C `long double`.
    LongDouble,
    /// Two C `float`.
    SingleComplex,
    /// Two C `double`.
    DoubleComplex,
    /// Four C `double`: the room of two `long double`.
    LongDoubleComplex,
    /// Fortran CHARACTER*1.
    FortranByte,
    /// Fortran INTEGER.
    FortranInteger(IntegerWidth),
    /// Fortran LOGICAL.
    FortranLogical(IntegerWidth),
    /// Fortran REAL.
    FortranReal,
    /// Fortran DOUBLE PRECISION.
    FortranDouble,
    /// Fortran COMPLEX.
    FortranSingleComplex,
    /// Fortran DOUBLE COMPLEX.
    FortranDoubleComplex,
    /// C `long long`.
    LongLong,
}

/// The number of the first type; the others follow in the order of [`Datatype`].
const CODE_FIRST: i64 = 1000;

impl Datatype {
    /// All types, in the order of their numbers, for one width of INTEGER.
    pub const fn all(width: IntegerWidth) -> [Self; 17] {
        [
            Self::Char,
            Self::Int,
            Self::Long,
            Self::Float,
            Self::Double,
            Self::LongDouble,
            Self::SingleComplex,
            Self::DoubleComplex,
            Self::LongDoubleComplex,
            Self::FortranByte,
            Self::FortranInteger(width),
            Self::FortranLogical(width),
            Self::FortranReal,
            Self::FortranDouble,
            Self::FortranSingleComplex,
            Self::FortranDoubleComplex,
            Self::LongLong,
        ]
    }

    /// The type with the number `code` (`MT_C_CHAR` = 1000 ... `MT_C_LONGLONG` = 1016), where INTEGER has `width`.
    pub fn from_code(code: i64, width: IntegerWidth) -> Option<Self> {
        let index = usize::try_from(code.checked_sub(CODE_FIRST)?).ok()?;
        Self::all(width).get(index).copied()
    }

    /// Bytes of one element: a power of two from 1 to 32.
    pub const fn element_bytes(self) -> usize {
        match self {
            Self::Char | Self::FortranByte => 1,
            Self::Int | Self::Float | Self::FortranReal => 4,
            Self::Long
            | Self::LongLong
            | Self::Double
            | Self::FortranDouble
            | Self::SingleComplex
            | Self::FortranSingleComplex => 8,
            Self::LongDouble | Self::DoubleComplex | Self::FortranDoubleComplex => 16,
            Self::LongDoubleComplex => 32,
            Self::FortranInteger(width) | Self::FortranLogical(width) => width.bytes(),
        }
    }

    /// What the type is called in its language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::LongDouble => "long double",
            Self::SingleComplex => "float complex",
            Self::DoubleComplex => "double complex",
            Self::LongDoubleComplex => "long double complex",
            Self::FortranByte => "CHARACTER*1",
            Self::FortranInteger(_) => "INTEGER",
            Self::FortranLogical(_) => "LOGICAL",
            Self::FortranReal => "REAL",
            Self::FortranDouble => "DOUBLE PRECISION",
            Self::FortranSingleComplex => "COMPLEX",
            Self::FortranDoubleComplex => "DOUBLE COMPLEX",
            Self::LongLong => "long long",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::raw::{c_int, c_long, c_longlong};

    #[test]
    fn the_numbers_are_those_of_the_legacy_headers() {
        let expected = [
            (1000, Datatype::Char),
            (1001, Datatype::Int),
            (1002, Datatype::Long),
            (1003, Datatype::Float),
            (1004, Datatype::Double),
            (1005, Datatype::LongDouble),
            (1006, Datatype::SingleComplex),
            (1007, Datatype::DoubleComplex),
            (1008, Datatype::LongDoubleComplex),
            (1009, Datatype::FortranByte),
            (1010, Datatype::FortranInteger(IntegerWidth::Four)),
            (1011, Datatype::FortranLogical(IntegerWidth::Four)),
            (1012, Datatype::FortranReal),
            (1013, Datatype::FortranDouble),
            (1014, Datatype::FortranSingleComplex),
            (1015, Datatype::FortranDoubleComplex),
            (1016, Datatype::LongLong),
        ];
        for (code, datatype) in expected {
            assert_eq!(Datatype::from_code(code, IntegerWidth::Four), Some(datatype));
        }
        for code in [999, 1017, -1, 0, i64::MIN, i64::MAX] {
            assert_eq!(Datatype::from_code(code, IntegerWidth::Four), None);
        }
    }

    #[test]
    fn sizes_are_those_of_the_compiler() {
        assert_eq!(Datatype::Int.element_bytes(), size_of::<c_int>());
        assert_eq!(Datatype::Long.element_bytes(), size_of::<c_long>());
        assert_eq!(Datatype::LongLong.element_bytes(), size_of::<c_longlong>());
        let bytes = Datatype::all(IntegerWidth::Four).map(Datatype::element_bytes);
        assert_eq!(bytes, [1, 4, 8, 4, 8, 16, 8, 16, 32, 1, 4, 4, 4, 8, 8, 16, 8]);
        assert_eq!(Datatype::FortranInteger(IntegerWidth::Eight).element_bytes(), 8);
        assert_eq!(Datatype::FortranLogical(IntegerWidth::Eight).element_bytes(), 8);
        for width in [IntegerWidth::Four, IntegerWidth::Eight] {
            for datatype in Datatype::all(width) {
                assert!(datatype.element_bytes().is_power_of_two());
            }
        }
    }
}
