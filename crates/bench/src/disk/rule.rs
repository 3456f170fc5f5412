//! The rule for a cell on the device: at least the smaller of twice the better peer and F of the limit, and never less than
//! 0.95 of the better peer. A cell without an F only has to keep up with the peer. And how often it is measured.

/// Repetitions move at least this much, and are at least `REPETITIONS_MIN`.
const MOVED_BYTES_MIN: u64 = 800_000_000;
const REPETITIONS_MIN: u64 = 5;

/// What has to be reached of the better peer in any case.
pub(crate) const PEER_FLOOR: f64 = 0.95;
/// What is enough in any case.
pub(crate) const PEER_DOUBLED: f64 = 2.0;

/// Repetitions for a file of this size, each on a new one.
pub(crate) fn repetitions_min(size_bytes: u64) -> u64 {
    MOVED_BYTES_MIN.div_ceil(size_bytes).max(REPETITIONS_MIN)
}

/// The speed to reach; `None` if it depends on a limit that was not measured.
pub(crate) fn device_target(peer: f64, limit: Option<f64>, factor: Option<f64>) -> Option<f64> {
    let floor = PEER_FLOOR * peer;
    match factor {
        None => Some(floor),
        Some(factor) => limit.map(|limit| floor.max((PEER_DOUBLED * peer).min(factor * limit))),
    }
}

/// What a reader should know about a figure that no device gives.
pub(crate) fn above_limit_note(peer: Option<f64>, limit: Option<f64>) -> Option<String> {
    (peer? > limit?).then(|| "peer above the limit: it did not wait for the device".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{above_limit_note, device_target};

    #[test]
    fn the_part_of_the_limit_twice_the_peer_and_the_floor_decide_in_turn() {
        for (peer, limit, target) in
            [(900.0, 2000.0, 1700.0), (700.0, 3000.0, 1400.0), (3000.0, 2000.0, 2850.0)]
        {
            let found = device_target(peer, Some(limit), Some(0.85)).expect("peer and limit are known");
            assert!((found - target).abs() < 1e-9, "{peer} {limit}: {found}");
        }
    }

    #[test]
    fn without_a_limit_only_cells_without_a_factor_have_a_target() {
        assert_eq!(device_target(100.0, None, Some(0.85)), None);
        assert_eq!(device_target(100.0, None, None), Some(95.0));
    }

    #[test]
    fn a_peer_above_the_limit_is_noted() {
        assert!(above_limit_note(Some(2.0), Some(1.0)).is_some());
        assert!(above_limit_note(Some(1.0), Some(2.0)).is_none());
        assert!(above_limit_note(Some(1.0), None).is_none());
    }
}
