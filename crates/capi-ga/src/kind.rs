//! Type codes: what C and Fortran call the elements of an array.

use crate::{Error, Result};
use ga::ElementType;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of a Fortran INTEGER, which 1010 means; said by the call that begins everything.
static INTEGER_BYTES: AtomicUsize = AtomicUsize::new(8);

/// The width of INTEGER from now on.
pub(crate) fn set_integer_bytes(bytes: usize) {
    INTEGER_BYTES.store(bytes, Ordering::Relaxed);
}

/// `MT_LOG`.
const LOGICAL: i64 = 1011;

/// What an array is made of, and what it was called when it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) element: ElementType,
    code: i64,
}

impl Kind {
    /// The kind with this code, of C or of Fortran.
    ///
    /// # Errors
    /// [`Error::BadType`]
    pub(crate) fn from_code(code: i64) -> Result<Self> {
        let element = match code {
            1001 => ElementType::Int,
            1010 | LOGICAL if INTEGER_BYTES.load(Ordering::Relaxed) == 4 => ElementType::Int,
            1002 | 1010 | LOGICAL | 1016 => ElementType::Long,
            1003 | 1012 => ElementType::Float,
            1004 | 1013 => ElementType::Double,
            1006 | 1014 => ElementType::SingleComplex,
            1007 | 1015 => ElementType::DoubleComplex,
            _ => return Err(Error::BadType { code }),
        };
        Ok(Self { element, code })
    }

    /// Whether Fortran calls the elements LOGICAL.
    pub(crate) fn is_logical(self) -> bool {
        self.code == LOGICAL
    }

    /// The code that C programs are told.
    pub(crate) fn c_code(self) -> i64 {
        match self.element {
            ElementType::Int => 1001,
            ElementType::Long if self.code == 1016 => 1016,
            ElementType::Long => 1002,
            ElementType::Float => 1003,
            ElementType::Double => 1004,
            ElementType::SingleComplex => 1006,
            ElementType::DoubleComplex => 1007,
        }
    }

    /// The code that Fortran programs are told: integers of another width than INTEGER have that of C.
    pub(crate) fn fortran_code(self) -> i64 {
        match self.element {
            ElementType::Int | ElementType::Long if self.is_logical() => LOGICAL,
            ElementType::Int | ElementType::Long
                if self.element.bytes() == INTEGER_BYTES.load(Ordering::Relaxed) =>
            {
                1010
            }
            ElementType::Int | ElementType::Long => self.c_code(),
            ElementType::Float => 1012,
            ElementType::Double => 1013,
            ElementType::SingleComplex => 1014,
            ElementType::DoubleComplex => 1015,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_c_and_of_fortran_lead_to_the_same_elements_and_back() {
        for (c, fortran, element) in [
            (1003, 1012, ElementType::Float),
            (1004, 1013, ElementType::Double),
            (1006, 1014, ElementType::SingleComplex),
            (1007, 1015, ElementType::DoubleComplex),
        ] {
            for code in [c, fortran] {
                let kind = Kind::from_code(code).expect("a type of arrays");
                assert_eq!((kind.element, kind.c_code(), kind.fortran_code()), (element, c, fortran));
            }
        }
    }

    #[test]
    fn an_integer_is_an_int_or_a_long_by_its_width() {
        set_integer_bytes(4);
        assert_eq!(Kind::from_code(1010).expect("INTEGER").element, ElementType::Int);
        assert_eq!(Kind::from_code(1001).expect("int").fortran_code(), 1010);
        assert_eq!(Kind::from_code(1002).expect("long").fortran_code(), 1002);
        set_integer_bytes(8);
        assert_eq!(Kind::from_code(1010).expect("INTEGER").element, ElementType::Long);
        assert_eq!(Kind::from_code(1001).expect("int").fortran_code(), 1001);
        assert_eq!(Kind::from_code(1002).expect("long").fortran_code(), 1010);
        assert_eq!(Kind::from_code(1011).expect("LOGICAL").fortran_code(), 1011);
        assert_eq!(Kind::from_code(1016).expect("long long").c_code(), 1016);
    }

    #[test]
    fn what_no_array_is_made_of_is_refused() {
        for code in [0, -1, 999, 1000, 1005, 1008, 1009, 1017, i64::MAX] {
            assert!(Kind::from_code(code).is_err(), "{code}");
        }
    }
}
