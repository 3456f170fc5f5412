//! Pseudo-random numbers for `eaf_util_random`, which test programs draw their offsets from.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The state of `SplitMix64` is a counter with this step.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
static STATE: AtomicU64 = AtomicU64::new(0);

/// The next number of a fixed sequence, uniform in [0, 1). Source: Steele, Lea, Flood, OOPSLA 2014 (`SplitMix`).
#[allow(clippy::cast_precision_loss)] // 53 bits fit a double exactly
pub(crate) fn uniform() -> f64 {
    let mut z = STATE.fetch_add(STEP, Relaxed).wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_in_the_unit_interval_and_average_one_half() {
        let numbers: Vec<f64> = (0..100_000).map(|_| uniform()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        let mean = numbers.iter().sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
