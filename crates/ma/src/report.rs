//! What verification, summary and statistics say, as text.

use crate::allocator::{Allocator, Handle};
use crate::bases;
use crate::block::{Block, Place};
use crate::error::sides;
use crate::guard::Damage;
use crate::routine::Routine;
use crate::statistics::Calls;
use std::fmt::Write;

/// A block that the program has written outside of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedBlock {
    /// Its handle.
    pub handle: Handle,
    /// Where it belongs.
    pub place: Place,
    /// Its name.
    pub name: Box<str>,
    /// The address of its first element.
    pub address: usize,
    /// On which side.
    pub damage: Damage,
}

/// What a look at all guards has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Blocks of the heap.
    pub heap_blocks: usize,
    /// Blocks of the stack.
    pub stack_blocks: usize,
    /// Those that are damaged.
    pub damaged: Vec<DamagedBlock>,
}

impl Verification {
    pub(crate) fn of<'a>(blocks: impl Iterator<Item = (Handle, &'a Block)>) -> Self {
        let mut found = Self { heap_blocks: 0, stack_blocks: 0, damaged: Vec::new() };
        for (handle, block) in blocks {
            match block.place {
                Place::Heap => found.heap_blocks += 1,
                Place::Stack => found.stack_blocks += 1,
            }
            found.damaged.extend(DamagedBlock::of(handle, block));
        }
        found
    }

    /// Whether no block is damaged.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty()
    }

    /// One line for each damaged block.
    pub(crate) fn lines(&self) -> String {
        self.damaged.iter().fold(String::new(), |text, block| {
            let DamagedBlock { handle: Handle(handle), place, name, address, damage } = block;
            let (place, sides) = (place.name(), sides(*damage));
            let block = format!("{place} block '{name}', handle {handle}, address {address:#x}");
            text + &format!("MA: {block}: memory was written {sides}\n")
        })
    }

    /// Counts for heap and stack.
    pub(crate) fn summary(&self) -> String {
        let count = |place, counted: fn(Damage) -> bool| {
            self.damaged.iter().filter(|block| block.place == place && counted(block.damage)).count()
        };
        let row = |label: &str, counted| {
            let (heap, stack) = (count(Place::Heap, counted), count(Place::Stack, counted));
            format!("\n    {label:<32}{heap:>10}{stack:>10}")
        };
        format!(
            "memory was written outside its block\n    {:<32}{:>10}{:>10}{}{}{}\n    {:<32}{:>10}{:>10}",
            "",
            "heap",
            "stack",
            row("before the first element", |damage| damage.left),
            row("behind the last element", |damage| damage.right),
            row("damaged blocks", Damage::any),
            "all blocks",
            self.heap_blocks,
            self.stack_blocks,
        )
    }
}

impl DamagedBlock {
    fn of(handle: Handle, block: &Block) -> Option<Self> {
        let damage = block.damage();
        let (name, address) = (block.name.clone(), block.pointer().addr().get());
        damage.any().then_some(Self { handle, place: block.place, name, address, damage })
    }
}

/// All blocks, one line each, and how many there are. Indices count from `index_first`: 0 in C, 1 in Fortran.
pub(crate) fn summary(memory: &Allocator, index_first: i64) -> String {
    let mut text = String::from("MA: blocks in use\n");
    for place in [Place::Heap, Place::Stack] {
        for (handle, block) in memory.blocks().filter(|(_, block)| block.place == place) {
            block_line(&mut text, handle, block, index_first);
        }
    }
    let (heap, stack) = (memory.usage(Place::Heap), memory.usage(Place::Stack));
    writeln!(
        text,
        "MA: {} in the heap ({} bytes), {} in the stack ({} bytes)",
        heap.blocks, heap.bytes, stack.blocks, stack.bytes
    )
    .expect("a string takes everything");
    text
}

fn block_line(text: &mut String, Handle(handle): Handle, block: &Block, index_first: i64) {
    let address = block.pointer().addr().get();
    let index = bases::index(block.datatype, address)
        .map_or_else(|| "none".into(), |index| (index + index_first).to_string());
    let (place, name, elements) = (block.place.name(), &block.name, block.elements);
    let (datatype, bytes) = (block.datatype.name(), block.bytes());
    writeln!(
        text,
        "    {place:<5} '{name}' handle {handle}: {elements} {datatype}, {bytes} bytes, \
         address {address:#x}, index {index}"
    )
    .expect("a string takes everything");
}

/// Blocks and bytes now and at most, and how often each routine was called, if `with_calls`.
pub(crate) fn statistics(memory: &Allocator, calls: &Calls, with_calls: bool) -> String {
    let (heap, stack) = (memory.usage(Place::Heap), memory.usage(Place::Stack));
    let mut text = format!("MA: usage\n    {:<20}{:>20}{:>20}\n", "", "heap", "stack");
    let rows = [
        ("blocks now", heap.blocks, stack.blocks),
        ("blocks at most", heap.blocks_max, stack.blocks_max),
        ("bytes now", heap.bytes, stack.bytes),
        ("bytes at most", heap.bytes_max, stack.bytes_max),
    ];
    for (label, heap, stack) in rows {
        writeln!(text, "    {label:<20}{heap:>20}{stack:>20}").expect("a string takes everything");
    }
    if with_calls {
        text += "MA: calls\n";
        for routine in Routine::ALL {
            writeln!(text, "    {:<40}{:>20}", routine.name(), calls.of(routine))
                .expect("a string takes everything");
        }
    }
    text
}
