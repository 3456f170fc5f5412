//! Points on a line that do not hide each other.

/// How far above or below the line each point stands, so that points of this diameter touch nobody, or at most `most`.
///
/// Points are placed in their order along the line, each as near to it as it can be.
pub(super) fn spread_out(along: &[i32], diameter: i32, most: i32) -> Vec<i32> {
    let mut order: Vec<usize> = (0..along.len()).collect();
    order.sort_by_key(|&number| along[number]);
    let mut aside = vec![0; along.len()];
    let mut placed: Vec<usize> = Vec::new();
    for number in order {
        let is_free = |offset: i32| {
            placed
                .iter()
                .rev()
                .all(|&other| is_apart(along[number] - along[other], offset - aside[other], diameter))
        };
        aside[number] = candidates(most).find(|&offset| is_free(offset)).unwrap_or(0);
        placed.push(number);
    }
    aside
}

/// Whether centres so far from each other leave room for two points.
fn is_apart(across: i32, down: i32, diameter: i32) -> bool {
    across * across + down * down >= diameter * diameter
}

/// 0, 1, -1, 2, -2, ...
fn candidates(most: i32) -> impl Iterator<Item = i32> {
    (0..=most).flat_map(|offset| if offset == 0 { vec![0] } else { vec![offset, -offset] })
}

#[cfg(test)]
mod tests {
    use super::spread_out;

    #[test]
    fn points_in_one_place_stand_above_and_below_the_line() {
        assert_eq!(spread_out(&[50, 50, 50], 8, 20), [0, 8, -8]);
        assert_eq!(spread_out(&[50, 10, 90], 8, 20), [0, 0, 0]);
    }

    #[test]
    fn no_two_points_hide_each_other_while_there_is_room() {
        let along: Vec<i32> = (0..60).map(|number| (number * 37) % 101).collect();
        let aside = spread_out(&along, 6, 100);
        for one in 0..along.len() {
            for other in 0..one {
                let (across, down) = (along[one] - along[other], aside[one] - aside[other]);
                assert!(across * across + down * down >= 36, "{one} and {other}");
            }
        }
    }

    #[test]
    fn where_there_is_no_room_points_are_drawn_on_the_line() {
        assert_eq!(spread_out(&[5, 5], 8, 3), [0, 0]);
    }
}
