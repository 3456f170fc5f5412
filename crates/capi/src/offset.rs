//! Offsets, lengths and byte counts as legacy programs give them.

use crate::error::{Error, Result};

/// The largest offset or length a legacy program may give, in bytes.
const OFFSET_BYTES_MAX: f64 = 1e14;

/// The offset or length behind a double: a whole number from 0 to 10^14.
///
/// # Errors
/// Those of [`check_whole`], then those of [`in_range`].
pub fn from_double(value: f64) -> Result<u64> {
    exact(value).map_or_else(|| check_whole(value).and_then(|()| in_range(value)), Ok)
}

/// The same, or `None` where that is an error: for every transfer, so that what is right costs a few instructions.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // compared afterwards
#[allow(clippy::float_cmp)] // a whole number is what does not change
pub fn exact(value: f64) -> Option<u64> {
    let whole = value as i64;
    ((0.0..=OFFSET_BYTES_MAX).contains(&value) && whole as f64 == value).then_some(whole as u64)
}

/// Checks that a double is a whole number, or infinite.
///
/// # Errors
/// [`Error::NotAnInteger`]
pub fn check_whole(value: f64) -> Result<()> {
    let is_fraction = value.is_nan() || (value.is_finite() && value.fract() != 0.0);
    if is_fraction { Err(Error::NotAnInteger { value }) } else { Ok(()) }
}

/// The offset or length behind a double that is a whole number: from 0 to 10^14.
///
/// # Errors
/// [`Error::OffsetOutOfRange`]
pub fn in_range(value: f64) -> Result<u64> {
    if !(0.0..=OFFSET_BYTES_MAX).contains(&value) {
        return Err(Error::OffsetOutOfRange { value });
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked: 0 to 10^14
    Ok(value as u64)
}

/// A length as a double. Exact: a file longer than 2^53 bytes does not exist.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn to_double(bytes: u64) -> f64 {
    bytes as f64
}

/// The length of a buffer: not negative, and no longer than memory can be.
///
/// # Errors
/// [`Error::CountOutOfRange`]
pub fn count(bytes: impl Into<i128>) -> Result<usize> {
    let bytes = bytes.into();
    let fits = usize::try_from(bytes).ok().filter(|&count| isize::try_from(count).is_ok());
    fits.ok_or(Error::CountOutOfRange { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use eaf::codes::{DEVICE_SEEK, NOT_AN_INTEGER};

    fn refused(value: f64) -> i32 {
        from_double(value).expect_err("refused").code()
    }

    #[test]
    fn fractions_and_nan_are_not_whole_numbers_even_where_they_are_negative() {
        for value in [0.5, -0.5, f64::NAN, 1e-300, 1e13 + 0.5] {
            assert_eq!(refused(value), NOT_AN_INTEGER, "{value}");
        }
    }

    #[test]
    fn negative_and_huge_offsets_are_out_of_range() {
        for value in [-1.0, 1e14 + 1.0, 1e300, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(refused(value), DEVICE_SEEK, "{value}");
        }
    }

    #[test]
    fn a_number_is_exact_just_where_it_is_no_error() {
        for value in
            [0.0, -0.0, 1.0, 4096.5, 5e-324, 0.1 + 0.2, 1e14 - 1.0, 1e14, 1e14 + 0.5, 1e15, -1.0, -0.5]
        {
            let checked = check_whole(value).and_then(|()| in_range(value)).ok();
            assert_eq!(exact(value), checked, "{value}");
        }
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX].map(exact), [None; 4]);
    }

    #[test]
    fn zero_of_either_sign_and_the_largest_offset_are_taken() {
        assert_eq!(from_double(-0.0).expect("zero"), 0);
        assert_eq!(from_double(1e14).expect("the largest"), 100_000_000_000_000);
    }

    #[test]
    fn counts_that_no_buffer_has_are_refused() {
        assert_eq!(count(-1_i64).expect_err("negative").code(), DEVICE_SEEK);
        assert_eq!(count(i128::from(u64::MAX)).expect_err("too long").code(), DEVICE_SEEK);
        assert_eq!(count(0_i64).expect("zero"), 0);
    }
}
