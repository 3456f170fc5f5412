//! Guards: known bytes at both ends of a block. Whoever writes past the block changes them.

/// Bytes of one guard: several elements of every type, so that a step of one element beyond the end hits it.
pub(crate) const GUARD_BYTES: usize = 64;

/// One guard.
pub(crate) type Guard = [u8; GUARD_BYTES];

/// What stands before a block.
pub(crate) const LEFT: Guard = pattern(0xA3);

/// What stands behind a block.
pub(crate) const RIGHT: Guard = pattern(0x5C);

/// Bytes that all differ from their neighbours, so that no fill value and no number that a program writes is hidden.
const fn pattern(first: u8) -> Guard {
    let mut guard = [first; GUARD_BYTES];
    let mut at = 1;
    while at < GUARD_BYTES {
        guard[at] = guard[at - 1].wrapping_mul(5).wrapping_add(0x35);
        at += 1;
    }
    guard
}

/// Which guards of a block are no longer what they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Damage {
    /// The guard before the first element.
    pub left: bool,
    /// The guard behind the last element.
    pub right: bool,
}

impl Damage {
    /// Whether there is any.
    pub fn any(self) -> bool {
        self.left || self.right
    }

    pub(crate) fn of(left: &Guard, right: &Guard) -> Self {
        Self { left: *left != LEFT, right: *right != RIGHT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_is_damage_on_its_side() {
        assert!(!Damage::of(&LEFT, &RIGHT).any());
        for at in 0..GUARD_BYTES {
            let (mut left, mut right) = (LEFT, RIGHT);
            left[at] ^= 1;
            right[at] ^= 0x80;
            assert_eq!(Damage::of(&left, &RIGHT), Damage { left: true, right: false });
            assert_eq!(Damage::of(&LEFT, &right), Damage { left: false, right: true });
        }
    }

    #[test]
    fn no_element_of_a_guard_looks_like_a_number_repeated() {
        for guard in [LEFT, RIGHT] {
            assert!(guard.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
