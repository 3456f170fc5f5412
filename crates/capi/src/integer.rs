//! The default INTEGER of a Fortran program: 4 or 8 bytes. A LOGICAL has the same width.

/// A Fortran INTEGER.
pub trait Integer: Copy {
    /// Its value.
    fn get(self) -> i64;

    /// The nearest INTEGER to `value`.
    fn nearest(value: i64) -> Self;

    /// A LOGICAL.
    fn logical(value: bool) -> Self {
        Self::nearest(i64::from(value))
    }
}

impl Integer for i32 {
    #[inline]
    fn get(self) -> i64 {
        i64::from(self)
    }

    fn nearest(value: i64) -> Self {
        Self::try_from(value).unwrap_or(if value < 0 { Self::MIN } else { Self::MAX })
    }
}

impl Integer for i64 {
    #[inline]
    fn get(self) -> i64 {
        self
    }

    fn nearest(value: i64) -> Self {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_short_integer_cannot_hold_becomes_the_nearest_it_can() {
        assert_eq!(i32::nearest(1 << 40), i32::MAX);
        assert_eq!(i32::nearest(-(1 << 40)), i32::MIN);
        assert_eq!(i32::nearest(-44), -44);
        assert_eq!(i64::nearest(1 << 40), 1 << 40);
    }
}
