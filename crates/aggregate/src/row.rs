//! Which writes follow one another.

use crate::area::Place;
use elio::Gather;

/// What is handed over at once is no longer: who else waits for the file shall not wait for long.
pub(crate) const ROW_BYTES: u64 = 1 << 20;

/// Of the places of a file those that make one range with `own` in it, which is one of them: in order, and no more than
/// [`ROW_BYTES`] together, if `own` is not.
pub(crate) fn around(own: &Place, mut places: Vec<Place>) -> Vec<Place> {
    places.sort_unstable_by_key(|place| place.range.start);
    let Some(at) = places.iter().position(|place| place == own) else { return vec![own.clone()] };
    let (mut first, mut last) = (at, at);
    let fits = |first: usize, last: usize| {
        places[last].range.end - places[first].range.start <= ROW_BYTES && last - first < Gather::PIECES_MAX
    };
    // What is before it was asked for before it.
    while first > 0 && places[first - 1].range.end == places[first].range.start && fits(first - 1, last) {
        first -= 1;
    }
    while last + 1 < places.len()
        && places[last].range.end == places[last + 1].range.start
        && fits(first, last + 1)
    {
        last += 1;
    }
    places.drain(first..=last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(start: u64, end: u64) -> Place {
        let slot = usize::try_from(start).expect("a small number");
        Place { rank: 0, slot, state: 1, range: start..end }
    }

    fn starts(own: &Place, places: &[Place]) -> Vec<u64> {
        around(own, places.to_vec()).iter().map(|place| place.range.start).collect()
    }

    #[test]
    fn neighbours_go_with_it_and_nothing_beyond_a_gap_or_an_overlap() {
        let places = [place(50, 60), place(10, 20), place(20, 30), place(0, 9), place(30, 40), place(39, 50)];
        assert_eq!(starts(&places[2], &places), [10, 20, 30]);
        assert_eq!(starts(&places[3], &places), [0]);
        assert_eq!(starts(&places[0], &places), [39, 50]);
    }

    #[test]
    fn a_row_ends_before_it_is_too_long_and_what_was_before_goes_first() {
        let step = ROW_BYTES / 4;
        let places: Vec<_> = (0..9).map(|i| place(i * step, (i + 1) * step)).collect();
        assert_eq!(starts(&places[8], &places), [5 * step, 6 * step, 7 * step, 8 * step]);
        assert_eq!(starts(&places[0], &places), [0, step, 2 * step, 3 * step]);
        let long = place(0, 2 * ROW_BYTES);
        assert_eq!(starts(&long, &[long.clone(), place(2 * ROW_BYTES, 2 * ROW_BYTES + 1)]), [0]);
    }

    #[test]
    fn the_system_takes_so_many_pieces_at_once_and_no_more() {
        let places: Vec<_> = (0..3000).map(|i| place(i, i + 1)).collect();
        assert_eq!(starts(&places[0], &places).len(), Gather::PIECES_MAX);
        assert_eq!(starts(&places[2000], &places).len(), Gather::PIECES_MAX);
    }

    #[test]
    fn what_is_not_among_them_goes_alone() {
        assert_eq!(starts(&place(5, 6), &[place(6, 7)]), [5]);
    }
}
