//! Which bytes of a file are in which stripe. Pure arithmetic.
//!
//! Unit number u of the file (bytes u U to (u + 1) U - 1 for units of U bytes) is in stripe u mod n of n, and there unit
//! u div n. A file that is not striped has one stripe and one unit, larger than any file.

/// The largest file.
const FILE_BYTES_MAX: u64 = i64::MAX as u64;
/// Without a hint: large enough for the device, small enough for two disks to share a request of some megabytes.
const UNIT_BYTES_DEFAULT: u64 = 1 << 20;
const UNIT_BYTES_MIN: u64 = 64 << 10;
const UNIT_BYTES_MAX: u64 = 4 << 20;
/// Units are whole multiples of this, so that what is aligned in the file is so in its stripes.
const UNIT_STEP_BYTES: u64 = 4096;

/// How a file is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Striping {
    unit_bytes: u64,
    stripes_count: u64,
}

/// A part of a request that is in one stripe, and in one piece there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) stripe: usize,
    /// Where it begins in the stripe.
    pub(crate) offset_bytes: u64,
    pub(crate) len_bytes: usize,
}

/// The unit for requests of a typical size: one request is in one stripe where its offset is a multiple of its size.
pub(crate) fn unit_bytes_for(request_bytes: Option<u64>) -> u64 {
    match request_bytes {
        None | Some(0) => UNIT_BYTES_DEFAULT,
        Some(bytes) => bytes.clamp(UNIT_BYTES_MIN, UNIT_BYTES_MAX).next_multiple_of(UNIT_STEP_BYTES),
    }
}

impl Striping {
    /// All in one piece.
    pub(crate) const NONE: Self = Self { unit_bytes: FILE_BYTES_MAX, stripes_count: 1 };

    /// Units of `unit_bytes` dealt out to `stripes_count` stripes; `None` if that makes no sense.
    pub(crate) fn new(unit_bytes: u64, stripes_count: usize) -> Option<Self> {
        let sensible = unit_bytes.is_multiple_of(UNIT_STEP_BYTES) && (1..=1 << 40).contains(&unit_bytes);
        let stripes_count =
            u64::try_from(stripes_count).ok().filter(|count| (1..=1 << 20).contains(count))?;
        sensible.then_some(Self { unit_bytes, stripes_count })
    }

    /// Whether there is more to it than one file.
    pub(crate) fn is_striped(self) -> bool {
        self != Self::NONE
    }

    /// The runs of a request, in the order of its bytes. Its end is at most 2^63 - 1.
    pub(crate) fn runs(self, offset_bytes: u64, len_bytes: usize) -> Runs {
        Runs { striping: self, at_bytes: offset_bytes, left_bytes: len_bytes as u64 }
    }

    /// Where the file ends at least, if this stripe has so many bytes.
    pub(crate) fn end_of(self, stripe: usize, stripe_len_bytes: u64) -> u64 {
        let Some(last) = stripe_len_bytes.checked_sub(1) else { return 0 };
        let unit = (last / self.unit_bytes).saturating_mul(self.stripes_count).saturating_add(stripe as u64);
        unit.saturating_mul(self.unit_bytes).saturating_add(last % self.unit_bytes + 1)
    }

    /// How much of the first `len_bytes` bytes of the file is in this stripe.
    pub(crate) fn share_of(self, stripe: usize, len_bytes: u64) -> u64 {
        let (units, rest) = (len_bytes / self.unit_bytes, len_bytes % self.unit_bytes);
        let (rounds, last) = (units / self.stripes_count, units % self.stripes_count);
        let partial = match (stripe as u64).cmp(&last) {
            std::cmp::Ordering::Less => self.unit_bytes,
            std::cmp::Ordering::Equal => rest,
            std::cmp::Ordering::Greater => 0,
        };
        rounds * self.unit_bytes + partial
    }
}

/// See [`Striping::runs`].
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    striping: Striping,
    at_bytes: u64,
    left_bytes: u64,
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        if self.left_bytes == 0 {
            return None;
        }
        let Striping { unit_bytes, stripes_count } = self.striping;
        let (unit, within) = (self.at_bytes / unit_bytes, self.at_bytes % unit_bytes);
        let len_bytes = self.left_bytes.min(unit_bytes - within);
        self.at_bytes += len_bytes;
        self.left_bytes -= len_bytes;
        Some(Run {
            stripe: usize::try_from(unit % stripes_count).expect("a stripe is one of a list"),
            offset_bytes: unit / stripes_count * unit_bytes + within,
            len_bytes: usize::try_from(len_bytes).expect("part of a memory"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: u64 = 4096;

    fn three() -> Striping {
        Striping::new(UNIT, 3).expect("sensible")
    }

    #[test]
    fn every_byte_has_one_place_and_no_place_has_two() {
        let mut next = [0u64; 3];
        for at in 0..7 * UNIT {
            let runs: Vec<Run> = three().runs(at, 1).collect();
            let [Run { stripe, offset_bytes, len_bytes: 1 }] = runs[..] else { panic!("{runs:?}") };
            assert_eq!(offset_bytes, next[stripe], "byte {at}");
            next[stripe] += 1;
        }
        assert_eq!(next, [3 * UNIT, 2 * UNIT, 2 * UNIT]);
    }

    #[test]
    fn a_request_is_cut_at_units_and_nothing_is_left_out() {
        let unit = usize::try_from(UNIT).unwrap();
        let runs: Vec<Run> = three().runs(UNIT - 10, 2 * unit + 30).collect();
        let expected = [(0, UNIT - 10, 10), (1, 0, unit), (2, 0, unit), (0, UNIT, 20)];
        assert_eq!(
            runs,
            expected.map(|(stripe, offset_bytes, len_bytes)| Run { stripe, offset_bytes, len_bytes })
        );
        assert_eq!(three().runs(5, 0).count(), 0);
    }

    #[test]
    fn ends_and_shares_agree_with_the_places_of_bytes() {
        for len_bytes in (0..8 * UNIT).step_by(97).chain([UNIT, 3 * UNIT, 3 * UNIT + 1]) {
            let mut shares = [0; 3];
            three()
                .runs(0, usize::try_from(len_bytes).unwrap())
                .for_each(|run| shares[run.stripe] += run.len_bytes as u64);
            for (stripe, share) in shares.into_iter().enumerate() {
                assert_eq!(three().share_of(stripe, len_bytes), share, "{len_bytes} bytes, stripe {stripe}");
            }
            let ends = shares.iter().enumerate().map(|(stripe, share)| three().end_of(stripe, *share));
            assert_eq!(ends.max(), Some(len_bytes));
        }
    }

    #[test]
    fn a_file_that_is_not_striped_is_one_run_wherever_it_is_read() {
        for offset_bytes in [0, 1, FILE_BYTES_MAX - 9] {
            let runs: Vec<Run> = Striping::NONE.runs(offset_bytes, 9).collect();
            assert_eq!(runs, [Run { stripe: 0, offset_bytes, len_bytes: 9 }]);
        }
        assert_eq!(Striping::NONE.end_of(0, 12345), 12345);
        assert_eq!(Striping::NONE.share_of(0, 12345), 12345);
    }

    #[test]
    fn the_unit_follows_the_request_within_bounds_and_pages() {
        let units =
            [None, Some(1), Some(65_537), Some(160_000), Some(1 << 20), Some(u64::MAX)].map(unit_bytes_for);
        assert_eq!(units, [1 << 20, 64 << 10, 69_632, 163_840, 1 << 20, 4 << 20]);
        assert!(units.into_iter().all(|unit_bytes| Striping::new(unit_bytes, 2).is_some()));
    }

    #[test]
    fn senseless_striping_is_none() {
        for (unit_bytes, stripes_count) in [(0, 2), (4095, 2), (1 << 41, 2), (UNIT, 0), (UNIT, (1 << 20) + 1)]
        {
            assert_eq!(Striping::new(unit_bytes, stripes_count), None);
        }
    }
}
