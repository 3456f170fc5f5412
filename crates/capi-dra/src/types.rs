//! Type codes: what C and Fortran call the elements of an array.

use crate::Error;
use crate::language::Language;
use chemio_capi::Result;
use dra::DataType;

/// LOGICAL in Fortran.
const LOGICAL: i64 = 1011;
/// INTEGER.
const INTEGER: i64 = 1010;
/// long long in C.
const LONG_LONG: i64 = 1016;

/// The type with this code, of C or of Fortran, where an INTEGER has so many bytes.
pub(crate) fn of_code(code: i64, integer_bytes: usize) -> Result<DataType> {
    Ok(match code {
        1001 => DataType::Int32,
        INTEGER | LOGICAL if integer_bytes == 4 => DataType::Int32,
        1002 | INTEGER | LOGICAL | LONG_LONG => DataType::Int64,
        1003 | 1012 => DataType::Float32,
        1004 | 1013 => DataType::Float64,
        1006 | 1014 => DataType::Complex64,
        1007 | 1015 => DataType::Complex128,
        _ => return Err(Error::BadType { code }.into()),
    })
}

/// The code that a caller is told for an array of this type, which was `made_as`: integers of another width than INTEGER have
/// the code of C in Fortran too.
pub(crate) fn code_for(language: Language, data_type: DataType, made_as: i64, integer_bytes: usize) -> i64 {
    let is_integer = data_type.bytes() == integer_bytes as u64;
    match (language, data_type) {
        (Language::Fortran, DataType::Int32 | DataType::Int64) if is_integer && made_as == LOGICAL => LOGICAL,
        (Language::Fortran, DataType::Int32 | DataType::Int64) if is_integer => INTEGER,
        (Language::C, DataType::Int64) if made_as == LONG_LONG => LONG_LONG,
        (_, DataType::Int32) => 1001,
        (_, DataType::Int64) => 1002,
        (Language::C, DataType::Float32) => 1003,
        (Language::C, DataType::Float64) => 1004,
        (Language::C, DataType::Complex64) => 1006,
        (Language::C, DataType::Complex128) => 1007,
        (Language::Fortran, DataType::Float32) => 1012,
        (Language::Fortran, DataType::Float64) => 1013,
        (Language::Fortran, DataType::Complex64) => 1014,
        (Language::Fortran, DataType::Complex128) => 1015,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{C, Fortran};

    #[test]
    fn every_code_comes_back_in_its_own_language() {
        for integer_bytes in [4, 8] {
            for code in [1001, 1002, 1003, 1004, 1006, 1007, 1016] {
                let data_type = of_code(code, integer_bytes).expect("a type of C");
                assert_eq!(code_for(C, data_type, code, integer_bytes), code);
            }
            for code in 1010..=1015 {
                let data_type = of_code(code, integer_bytes).expect("a type of Fortran");
                assert_eq!(code_for(Fortran, data_type, code, integer_bytes), code);
            }
        }
    }

    #[test]
    fn a_code_of_one_language_is_told_in_words_of_the_other() {
        assert_eq!(code_for(C, DataType::Float64, 1013, 8), 1004);
        assert_eq!(code_for(Fortran, DataType::Complex64, 1006, 4), 1014);
        assert_eq!(code_for(C, DataType::Int64, 1010, 8), 1002);
        assert_eq!(code_for(Fortran, DataType::Int64, 1016, 8), 1010);
        // What no INTEGER of the caller holds.
        assert_eq!(code_for(Fortran, DataType::Int64, 1010, 4), 1002);
        assert_eq!(code_for(Fortran, DataType::Int32, 0, 8), 1001);
    }

    #[test]
    fn what_no_array_is_made_of_is_refused() {
        for code in [0, -1, 999, 1000, 1005, 1008, 1009, 1017, i64::MAX] {
            assert!(of_code(code, 8).is_err(), "{code}");
        }
    }
}
