//! How much memory an array has.

use comm::HUGE_PAGE_BYTES;

/// How much memory an array has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Half a huge page or more at the end gets a whole one.
    #[default]
    WithLastHugePage,
    /// No more than it needs, in pages.
    Exact,
}

impl Extent {
    /// How much memory to have for so many bytes.
    pub(super) fn of(self, bytes: u64) -> u64 {
        let huge = HUGE_PAGE_BYTES as u64;
        let is_enough = self == Self::Exact || bytes % huge < huge / 2;
        if is_enough { bytes } else { bytes.next_multiple_of(huge) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_huge_page_is_had_where_half_of_it_is_needed() {
        let mib = 1 << 20;
        let cases = [0, 4096, mib - 1, mib, 2 * mib, 2 * mib + 4096, 3 * mib];
        assert_eq!(
            cases.map(|bytes| Extent::WithLastHugePage.of(bytes)),
            [0, 4096, mib - 1, 2 * mib, 2 * mib, 2 * mib + 4096, 4 * mib]
        );
        assert_eq!(cases.map(|bytes| Extent::Exact.of(bytes)), cases);
    }
}
