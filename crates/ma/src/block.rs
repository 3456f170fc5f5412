//! One block: elements of one type under a name.

use crate::datatype::Datatype;
use crate::guard::Damage;
use crate::memory::Memory;
use std::fmt;
use std::ptr::NonNull;

/// Where a block belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Freed in any order.
    Heap,
    /// Popped in reverse order.
    Stack,
}

impl Place {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Stack => "stack",
        }
    }
}

/// A block that is in use.
#[derive(Debug)]
pub struct Block {
    pub(crate) place: Place,
    pub(crate) datatype: Datatype,
    pub(crate) elements: u64,
    pub(crate) name: Box<str>,
    pub(crate) memory: Memory,
}

/// The bytes of a name that are kept; the rest is of no use to anybody.
const NAME_BYTES_MAX: usize = 31;

/// A name cut to what is kept of it, at the end of a character.
pub(crate) fn shorten(name: &str) -> Box<str> {
    let mut end = name.len().min(NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].into()
}

impl Block {
    /// Where it belongs.
    pub fn place(&self) -> Place {
        self.place
    }

    /// What its elements are.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// How many elements it has.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// What the program has called it: at most 31 bytes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its first element. The memory lives until the block is freed, popped or chopped; what it holds is not set.
    pub fn pointer(&self) -> NonNull<u8> {
        self.memory.pointer()
    }

    /// Bytes of its elements.
    pub fn bytes(&self) -> u64 {
        self.memory.len_bytes() as u64
    }

    /// Keeps the first `elements`, which do not move, and gives the bytes of the others.
    pub(crate) fn shrink(&mut self, elements: u64) -> u64 {
        let (before, kept_bytes) = (self.bytes(), elements * self.datatype.element_bytes() as u64);
        self.elements = elements;
        self.memory.shrink(usize::try_from(kept_bytes).expect("less than before"));
        before - kept_bytes
    }

    /// What has happened to its guards.
    pub fn damage(&self) -> Damage {
        self.memory.damage()
    }
}

impl fmt::Display for Block {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "{} block '{}'", self.place.name(), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(&*shorten("density"), "density");
        assert_eq!(shorten(&"x".repeat(100)).len(), 31);
        assert_eq!(shorten(&format!("{}é", "x".repeat(30))).len(), 30);
    }
}
