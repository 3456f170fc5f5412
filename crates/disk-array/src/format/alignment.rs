//! Where bricks may begin in a shard.

use crate::error::{Error, Result};
use std::env;

const VARIABLE: &str = "CHEMIO_ALIGN";
const EXPECTED: &str = "bytes: a multiple of 512 up to 1073741824";
const BYTES_MAX: u64 = 1 << 30;
const UNIT_BYTES: u64 = 512;

/// Bricks begin at multiples of this many bytes. A page by default; the stripe of a parallel file system is another good
/// choice, so that no brick lies on two servers without need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alignment(u64);

impl Alignment {
    /// So many bytes.
    ///
    /// # Errors
    /// - [`Error::Alignment`]: not a multiple of 512 up to 1 GiB.
    pub const fn new(bytes: u64) -> Result<Self> {
        if bytes == 0 || bytes > BYTES_MAX || !bytes.is_multiple_of(UNIT_BYTES) {
            return Err(Error::Alignment { bytes });
        }
        Ok(Self(bytes))
    }

    /// This machine's page.
    pub fn page() -> Self {
        Self(rustix::param::page_size() as u64)
    }

    /// What `CHEMIO_ALIGN` says, in bytes; a page if it says nothing.
    ///
    /// # Errors
    /// - [`Error::Setting`]: not a multiple of 512 up to 1 GiB.
    pub fn from_environment() -> Result<Self> {
        env::var_os(VARIABLE).map_or(Ok(Self::page()), |value| Self::parse(&value.to_string_lossy()))
    }

    fn parse(value: &str) -> Result<Self> {
        if value.trim().is_empty() {
            return Ok(Self::page());
        }
        let parsed = value.trim().parse().ok().and_then(|bytes| Self::new(bytes).ok());
        parsed.ok_or_else(|| Error::Setting {
            variable: VARIABLE,
            value: value.to_owned(),
            expected: EXPECTED,
        })
    }

    /// Bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The first place for a brick at or after `bytes`; `None` if it does not fit in 64 bits.
    pub(crate) fn round_up(self, bytes: u64) -> Option<u64> {
        bytes.checked_next_multiple_of(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_bytes_and_nothing_means_a_page() {
        assert_eq!(Alignment::parse(" 1048576 ").unwrap().bytes(), 1 << 20);
        assert_eq!(Alignment::parse("").unwrap(), Alignment::page());
        assert_eq!(Alignment::page().bytes() % 4096, 0);
    }

    #[test]
    fn a_setting_without_meaning_is_named() {
        for value in ["0", "-4096", "4k", "1000", "1073742336", "99999999999999999999"] {
            let message = Alignment::parse(value).unwrap_err().to_string();
            assert_eq!(message, format!("CHEMIO_ALIGN={value}: expected {EXPECTED}"));
        }
    }
}
