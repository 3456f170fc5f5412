//! Times that were taken more than once, and their medians.

use std::collections::BTreeMap;

/// The median; `None` of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Every value that was taken for each key.
#[derive(Clone, Debug)]
pub(crate) struct Series<K>(BTreeMap<K, Vec<f64>>);

impl<K> Default for Series<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Series<K> {
    /// Adds a value.
    pub(crate) fn add(&mut self, key: K, value: f64) {
        self.0.entry(key).or_default().push(value);
    }

    /// All of them, in the order they were taken.
    pub(crate) fn of(&self, key: &K) -> &[f64] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }

    /// Their median, if there are any.
    pub(crate) fn median(&self, key: &K) -> Option<f64> {
        median(self.of(key).iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::{Series, median};

    #[test]
    fn the_median_of_an_even_count_lies_between_the_two_in_the_middle() {
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn values_are_kept_apart_by_key_and_what_was_not_taken_has_no_median() {
        let mut series = Series::default();
        series.add("put", 3.0);
        series.add("put", 1.0);
        series.add("get", 8.0);
        assert_eq!(series.of(&"put"), [3.0, 1.0]);
        assert_eq!(series.median(&"put"), Some(2.0));
        assert_eq!(series.median(&"acc"), None);
    }
}
