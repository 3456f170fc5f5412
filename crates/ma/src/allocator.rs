//! The allocator: which blocks there are, which handles they have, and in which order the stack was pushed.

use crate::bases;
use crate::block::{Block, Place, shorten};
use crate::budget::{Budget, Limits, Room};
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::memory::{Memory, Placement};
use crate::report::Verification;
use crate::spare::Spares;
use crate::statistics::Usage;
use std::collections::BTreeMap;

/// The number that a program knows a block by: from 0, fits a 4-byte INTEGER.
///
/// Handles count up and begin again at 0 after 2^31 - 1, past those in use, so that a stale one is seldom somebody
/// else's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub i64);

/// A block to be allocated.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Of its elements.
    pub datatype: Datatype,
    /// How many; none is allowed.
    pub elements: u64,
    /// For messages; 31 bytes of it are kept.
    pub name: &'a str,
}

/// The highest handle.
const HANDLE_MAX: i64 = i32::MAX as i64;

/// Blocks begin at multiples of this, in bytes: a cache line.
const ALIGNMENT_BYTES: usize = 64;

/// The largest alignment that can be asked for: 2^30 bytes.
const ALIGNMENT_EXPONENT_MAX: i64 = 30;

/// A heap and a stack under one budget.
///
/// Cost: a handle is found in logarithmic time; all else is constant, but for large blocks, whose memory is looked for
/// among what others have left. A block takes at least 191 bytes more than its elements from the system, which do not
/// count against the limits.
#[derive(Debug)]
pub struct Allocator {
    budget: Option<Budget>,
    spares: Spares,
    blocks: BTreeMap<Handle, Block>,
    /// In the order they were pushed.
    stack: Vec<Handle>,
    next_handle: Handle,
    /// Whether the handles have begun again.
    wrapped: bool,
    alignment_exponent: u32,
    heap_usage: Usage,
    stack_usage: Usage,
}

impl Default for Allocator {
    fn default() -> Self {
        Self::new()
    }
}

impl Allocator {
    /// An allocator without limits, which allocates nothing before [`Allocator::init`].
    pub const fn new() -> Self {
        Self {
            budget: None,
            spares: Spares::new(),
            blocks: BTreeMap::new(),
            stack: Vec::new(),
            next_handle: Handle(0),
            wrapped: false,
            alignment_exponent: 0,
            heap_usage: Usage::NONE,
            stack_usage: Usage::NONE,
        }
    }

    /// Sets the limits, once.
    ///
    /// # Errors
    /// - [`Error::AlreadyInitialized`]: they have been set.
    /// - [`Error::TooLarge`]: their sum cannot be counted.
    pub fn init(&mut self, limits: Limits) -> Result<()> {
        if self.budget.is_some() {
            return Err(Error::AlreadyInitialized);
        }
        self.budget = Some(Budget::new(limits)?);
        Ok(())
    }

    /// Whether there are limits.
    pub fn is_initialized(&self) -> bool {
        self.budget.is_some()
    }

    /// Makes blocks allocated from now on begin at multiples of 2^`exponent` bytes, where that is more than 64 and
    /// their base array allows it.
    ///
    /// # Errors
    /// [`Error::InvalidAlignment`]: below 0 or above 30.
    pub fn set_alignment(&mut self, exponent: i64) -> Result<()> {
        match u32::try_from(exponent) {
            Ok(valid) if exponent <= ALIGNMENT_EXPONENT_MAX => self.alignment_exponent = valid,
            _ => return Err(Error::InvalidAlignment { exponent }),
        }
        Ok(())
    }

    /// What was set last; 0 at first.
    pub fn alignment(&self) -> u32 {
        self.alignment_exponent
    }

    /// Allocates a block in the heap or on top of the stack. What its memory holds is not set.
    ///
    /// # Errors
    /// - [`Error::BlockBeforeInit`]: there are no limits yet.
    /// - [`Error::TooLarge`]: its bytes cannot be counted.
    /// - [`Error::NotEnough`]: the limits do not allow it.
    /// - [`Error::OutOfMemory`]: the limits allow it, and the system does not have it.
    pub fn allocate(&mut self, place: Place, request: &Request<'_>) -> Result<Handle> {
        let requested_bytes = self.allowed_bytes(request)?;
        let Request { datatype, elements, name } = *request;
        let memory = self.memory_for(datatype, requested_bytes);
        let memory = memory.ok_or_else(|| Error::OutOfMemory { name: shorten(name), requested_bytes })?;
        Ok(self.insert(Block { place, datatype, elements, name: shorten(name), memory }))
    }

    /// Memory that large blocks have left, or new memory; what is kept must fit into what the limits leave then.
    fn memory_for(&mut self, datatype: Datatype, bytes: u64) -> Option<Memory> {
        let (len_bytes, placement) = (usize::try_from(bytes).ok()?, self.placement(datatype));
        let used_before = self.spares.take(len_bytes, placement);
        let left_bytes = self.limits_of_blocks().room_bytes(Room::Total) - bytes;
        self.spares.trim(left_bytes);
        used_before.or_else(|| Memory::allocate(len_bytes, placement)).or_else(|| {
            self.spares.trim(0);
            Memory::allocate(len_bytes, placement)
        })
    }

    /// The bytes of a block that the limits allow.
    fn allowed_bytes(&self, request: &Request<'_>) -> Result<u64> {
        let name = || shorten(request.name);
        let budget = self.budget.as_ref().ok_or_else(|| Error::BlockBeforeInit { name: name() })?;
        let element_bytes = request.datatype.element_bytes() as u64;
        let requested_bytes = request.elements.checked_mul(element_bytes).ok_or(Error::TooLarge)?;
        if budget.allows(requested_bytes) {
            Ok(requested_bytes)
        } else {
            Err(Error::NotEnough {
                name: name(),
                requested_bytes,
                available_bytes: budget.room_bytes(Room::Total),
            })
        }
    }

    fn placement(&self, datatype: Datatype) -> Placement {
        let alignment_bytes = ALIGNMENT_BYTES.max(1 << self.alignment_exponent);
        Placement::relative_to(bases::base(datatype), datatype.element_bytes(), alignment_bytes)
    }

    /// Gives a block its handle and counts it.
    fn insert(&mut self, block: Block) -> Handle {
        let (handle, place, bytes) = (self.unused_handle(), block.place, block.bytes());
        self.blocks.insert(handle, block);
        if place == Place::Stack {
            self.stack.push(handle);
        }
        self.usage_mut(place).add(bytes);
        self.limits_of_blocks().take(place, bytes);
        handle
    }

    fn unused_handle(&mut self) -> Handle {
        assert!((self.blocks.len() as u64) < HANDLE_MAX as u64, "memory is out long before handles are");
        loop {
            let handle = self.next_handle;
            self.wrapped |= handle.0 == HANDLE_MAX;
            self.next_handle = Handle(if handle.0 == HANDLE_MAX { 0 } else { handle.0 + 1 });
            if !self.blocks.contains_key(&handle) {
                return handle;
            }
        }
    }

    /// Frees a block of the heap.
    ///
    /// # Errors
    /// Those of [`Allocator::block`], and [`Error::NotInHeap`]. The block stays as it is.
    pub fn free_heap(&mut self, handle: Handle) -> Result<()> {
        self.heap_block(handle)?;
        self.remove(handle);
        Ok(())
    }

    /// Frees the last `elements` of a block of the heap, or all of it if it has no more. The others do not move, and
    /// the block's new end is guarded.
    ///
    /// # Errors
    /// Those of [`Allocator::free_heap`].
    pub fn free_heap_piece(&mut self, handle: Handle, elements: u64) -> Result<()> {
        let block = self.heap_block(handle)?;
        if elements >= block.elements {
            return self.free_heap(handle);
        }
        let kept_elements = block.elements - elements;
        let freed_bytes = self.blocks.get_mut(&handle).map_or(0, |block| block.shrink(kept_elements));
        self.heap_usage.shrink(freed_bytes);
        self.limits_of_blocks().give_back(Place::Heap, freed_bytes);
        Ok(())
    }

    fn heap_block(&self, handle: Handle) -> Result<&Block> {
        let block = self.block(handle)?;
        match block.place {
            Place::Heap => Ok(block),
            Place::Stack => Err(Error::NotInHeap { handle: handle.0, name: block.name.clone() }),
        }
    }

    /// Pops the block on top of the stack.
    ///
    /// # Errors
    /// Those of [`Allocator::block`], [`Error::NotInStack`], and [`Error::NotOnTop`]. The stack stays as it is.
    pub fn pop_stack(&mut self, handle: Handle) -> Result<()> {
        let block = self.stack_block(handle)?;
        if let Some(top) = self.stack.last().filter(|&&top| top != handle) {
            let top = self.blocks[top].name.clone();
            return Err(Error::NotOnTop { handle: handle.0, name: block.name.clone(), top });
        }
        self.stack.pop();
        self.remove(handle);
        Ok(())
    }

    /// Pops a block and all that were pushed after it. Only the guards of the block itself are looked at.
    ///
    /// # Errors
    /// Those of [`Allocator::block`], and [`Error::NotInStack`]. The stack stays as it is.
    pub fn chop_stack(&mut self, handle: Handle) -> Result<()> {
        self.stack_block(handle)?;
        while let Some(top) = self.stack.pop() {
            self.remove(top);
            if top == handle {
                break;
            }
        }
        Ok(())
    }

    fn stack_block(&self, handle: Handle) -> Result<&Block> {
        let block = self.block(handle)?;
        match block.place {
            Place::Stack => Ok(block),
            Place::Heap => Err(Error::NotInStack { handle: handle.0, name: block.name.clone() }),
        }
    }

    /// Takes a block out of the books and gives its memory back, or keeps it for the next.
    fn remove(&mut self, handle: Handle) {
        let block = self.blocks.remove(&handle).expect("the handle is valid");
        self.usage_mut(block.place).remove(block.bytes());
        self.limits_of_blocks().give_back(block.place, block.bytes());
        let left_bytes = self.limits_of_blocks().room_bytes(Room::Total);
        self.spares.keep(block.memory, left_bytes);
    }

    /// The block with a handle, its guards intact.
    ///
    /// # Errors
    /// - [`Error::InvalidHandle`]: no block has had this handle.
    /// - [`Error::StaleHandle`]: its block is gone.
    /// - [`Error::DamagedBlock`]: the program has written outside it.
    pub fn block(&self, handle: Handle) -> Result<&Block> {
        let block = self.blocks.get(&handle).ok_or_else(|| self.no_such_block(handle))?;
        match block.damage() {
            damage if damage.any() => {
                Err(Error::DamagedBlock { handle: handle.0, name: block.name.clone(), damage })
            }
            _ => Ok(block),
        }
    }

    fn no_such_block(&self, Handle(handle): Handle) -> Error {
        let was_issued = (0..=HANDLE_MAX).contains(&handle) && (self.wrapped || handle < self.next_handle.0);
        if was_issued { Error::StaleHandle { handle } } else { Error::InvalidHandle { handle } }
    }

    /// The address of a block's first element.
    ///
    /// # Errors
    /// Those of [`Allocator::block`].
    pub fn address(&self, handle: Handle) -> Result<usize> {
        Ok(self.block(handle)?.pointer().addr().get())
    }

    /// The index, from 0, of a block's first element in the base array of its type.
    ///
    /// # Errors
    /// Those of [`Allocator::block`].
    pub fn index(&self, handle: Handle) -> Result<i64> {
        let block = self.block(handle)?;
        let address = block.pointer().addr().get();
        bases::index(block.datatype, address).ok_or(Error::NoIndex { handle: handle.0 })
    }

    /// The most elements of `datatype` that one block can have, as far as the limits go.
    ///
    /// # Errors
    /// [`Error::NotInitialized`]: there are no limits yet.
    pub fn room(&self, room: Room, datatype: Datatype) -> Result<u64> {
        let budget = self.budget.as_ref().ok_or(Error::NotInitialized)?;
        Ok(budget.room_bytes(room) / datatype.element_bytes() as u64)
    }

    /// Looks at all guards. Linear in the number of blocks.
    pub fn verify(&self) -> Verification {
        Verification::of(self.blocks())
    }

    /// All blocks, by handle.
    pub fn blocks(&self) -> impl Iterator<Item = (Handle, &Block)> {
        self.blocks.iter().map(|(&handle, block)| (handle, block))
    }

    /// The block with the lowest handle above `handle`: a scan that begins at -1 finds every block that lives through
    /// it.
    pub fn next_block(&self, Handle(handle): Handle) -> Option<Handle> {
        let after = Handle(handle.checked_add(1)?);
        self.blocks.range(after..).next().map(|(&next, _)| next)
    }

    /// What the heap or the stack has used.
    pub fn usage(&self, place: Place) -> Usage {
        match place {
            Place::Heap => self.heap_usage,
            Place::Stack => self.stack_usage,
        }
    }

    fn usage_mut(&mut self, place: Place) -> &mut Usage {
        match place {
            Place::Heap => &mut self.heap_usage,
            Place::Stack => &mut self.stack_usage,
        }
    }

    fn limits_of_blocks(&mut self) -> &mut Budget {
        self.budget.as_mut().expect("where there is a block there are limits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(name: &str) -> Request<'_> {
        Request { datatype: Datatype::Char, elements: 1, name }
    }

    #[test]
    fn handles_begin_again_at_0_and_pass_over_those_in_use() {
        let mut memory = Allocator::new();
        memory.init(Limits { stack_bytes: 0, heap_bytes: 10 }).expect("once");
        let first = memory.allocate(Place::Heap, &byte("first")).expect("room");
        assert_eq!(first, Handle(0));
        memory.next_handle = Handle(HANDLE_MAX);
        assert!(matches!(memory.block(Handle(HANDLE_MAX)), Err(Error::InvalidHandle { .. })));
        assert_eq!(memory.allocate(Place::Heap, &byte("last")).expect("room"), Handle(HANDLE_MAX));
        assert_eq!(memory.allocate(Place::Heap, &byte("again")).expect("room"), Handle(1));
        assert!(matches!(memory.block(Handle(500)), Err(Error::StaleHandle { handle: 500 })));
        assert!(matches!(memory.block(Handle(HANDLE_MAX + 1)), Err(Error::InvalidHandle { .. })));
    }
}
