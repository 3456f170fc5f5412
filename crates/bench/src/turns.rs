//! Within each repetition all engines and limits take their turn, each time in another order, so that a machine that
//! drifts and a neighbour that leaves something behind hit all alike.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The order of `turns` in this repetition, the same in every run.
pub(crate) fn shuffled<T: Clone + Hash>(turns: &[T], repetition: u64) -> Vec<T> {
    let mut turns = turns.to_vec();
    turns.sort_by_cached_key(|turn| {
        let mut hasher = DefaultHasher::new();
        (repetition, turn).hash(&mut hasher);
        hasher.finish()
    });
    turns
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn every_repetition_has_all_turns_in_another_order() {
        let turns: Vec<u32> = (0..20).collect();
        let (first, second) = (shuffled(&turns, 1), shuffled(&turns, 2));
        assert_ne!(first, second);
        for mut order in [first, second] {
            order.sort_unstable();
            assert_eq!(order, turns);
        }
    }
}
