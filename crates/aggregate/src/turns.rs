//! Whether ranks write a file in turn, as one of them sees it.

use std::ops::Range;
use std::sync::Mutex;

/// So many writes in a row may follow one another before a rank counts as writing a part of its own.
const IN_ORDER_MAX: u32 = 8;

/// What one rank has written last.
#[derive(Debug)]
pub(crate) struct Turns {
    /// How much others can have written in between.
    reach_bytes: u64,
    last: Mutex<Last>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    end_bytes: Option<u64>,
    /// Writes since the last gap that others fill.
    in_order: u32,
}

impl Turns {
    pub(crate) fn new(reach_bytes: u64) -> Self {
        Self { reach_bytes, last: Mutex::new(Last { end_bytes: None, in_order: IN_ORDER_MAX }) }
    }

    /// Notes a write, and tells whether it, or one just before it, leaves a gap after the last one that others may be about to fill.
    /// Nobody fills the gaps of what one rank writes all over the file, and what follows the last one makes a row by itself.
    pub(crate) fn note(&self, range: &Range<u64>) -> bool {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let gap_bytes = last.end_bytes.and_then(|end_bytes| range.start.checked_sub(end_bytes));
        last.in_order = match gap_bytes {
            Some(0) => (last.in_order + 1).min(IN_ORDER_MAX),
            Some(bytes) if bytes <= self.reach_bytes => 0,
            _ => IN_ORDER_MAX,
        };
        last.end_bytes = Some(range.end);
        last.in_order < IN_ORDER_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_that_others_can_fill_are_turns_and_a_row_or_a_jump_is_none() {
        let turns = Turns::new(100);
        let note = |start: u64| turns.note(&(start..start + 10));
        // Nothing is known of the first.
        assert!(!note(0) && !note(10));
        assert!(note(30) && note(50) && note(60) && note(70));
        assert!(note(180), "a hundred bytes between");
        assert!(!note(291), "too far");
        assert!(note(311) && !note(0), "back");
        note(20);
        assert!((0..7).all(|i| note(30 + 10 * i)) && !note(100), "a part of its own");
    }
}
