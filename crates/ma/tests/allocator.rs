//! The allocator from outside: order, limits, handles, guards, and random sequences against a simple model.
//!
//! Random sequences print their seed; `CHEMIO_TEST_SEED` repeats one.

use ma::{Allocator, Damage, Datatype, Error, Handle, IntegerWidth, Limits, Place, Request, Result, Room};

fn allocator(stack_bytes: u64, heap_bytes: u64) -> Allocator {
    let mut memory = Allocator::new();
    memory.init(Limits { stack_bytes, heap_bytes }).expect("the first time");
    memory
}

fn allocate(memory: &mut Allocator, place: Place, datatype: Datatype, elements: u64) -> Result<Handle> {
    memory.allocate(place, &Request { datatype, elements, name: "block" })
}

fn doubles(memory: &mut Allocator, place: Place, elements: u64) -> Handle {
    allocate(memory, place, Datatype::Double, elements).expect("there is room")
}

/// Writes one byte at an offset from a block's first element, also outside it but inside its guards.
fn write(memory: &Allocator, handle: Handle, offset: isize, byte: u8) {
    let pointer = memory.block(handle).expect("the block is there").pointer();
    // SAFETY: the block and its guards are one allocation; the tests stay within 64 bytes of the block.
    unsafe { pointer.offset(offset).write(byte) };
}

#[test]
fn nothing_can_be_allocated_before_there_are_limits_and_they_come_once() {
    let mut memory = Allocator::new();
    assert!(!memory.is_initialized());
    assert!(matches!(
        allocate(&mut memory, Place::Heap, Datatype::Int, 1),
        Err(Error::BlockBeforeInit { .. })
    ));
    assert!(matches!(memory.room(Room::Total, Datatype::Int), Err(Error::NotInitialized)));
    memory.init(Limits { stack_bytes: 8, heap_bytes: 8 }).expect("the first time");
    assert!(memory.is_initialized());
    assert!(matches!(memory.init(Limits { stack_bytes: 8, heap_bytes: 8 }), Err(Error::AlreadyInitialized)));
}

#[test]
fn the_stack_is_popped_in_reverse_order_and_no_other() {
    let mut memory = allocator(1000, 0);
    let below = doubles(&mut memory, Place::Stack, 10);
    let above = doubles(&mut memory, Place::Stack, 10);
    assert!(matches!(memory.pop_stack(below), Err(Error::NotOnTop { .. })));
    memory.pop_stack(above).expect("it is on top");
    assert!(matches!(memory.pop_stack(above), Err(Error::StaleHandle { .. })));
    memory.pop_stack(below).expect("it is on top now");
    assert_eq!(memory.room(Room::Stack, Datatype::Char).expect("limits"), 1000);
}

#[test]
fn chopping_pops_a_block_and_all_above_it() {
    let mut memory = allocator(1000, 1000);
    let bottom = doubles(&mut memory, Place::Stack, 10);
    let heap = doubles(&mut memory, Place::Heap, 10);
    let middle = doubles(&mut memory, Place::Stack, 10);
    let top = doubles(&mut memory, Place::Stack, 10);
    memory.chop_stack(middle).expect("it is in the stack");
    for gone in [middle, top] {
        assert!(matches!(memory.block(gone), Err(Error::StaleHandle { .. })));
    }
    assert!(memory.block(heap).is_ok());
    assert_eq!(memory.usage(Place::Stack).bytes, 80);
    memory.pop_stack(bottom).expect("it is on top now");
}

#[test]
fn the_heap_is_freed_in_any_order() {
    let mut memory = allocator(0, 1000);
    let blocks: Vec<_> = (0..5).map(|_| doubles(&mut memory, Place::Heap, 10)).collect();
    for at in [2, 0, 4, 1, 3] {
        memory.free_heap(blocks[at]).expect("it is in the heap");
    }
    assert_eq!(memory.usage(Place::Heap).blocks, 0);
    assert_eq!(memory.usage(Place::Heap).blocks_max, 5);
    assert_eq!(memory.usage(Place::Heap).bytes_max, 400);
}

#[test]
fn a_block_of_the_stack_is_not_freed_and_one_of_the_heap_not_popped() {
    let mut memory = allocator(1000, 1000);
    let stack = doubles(&mut memory, Place::Stack, 1);
    let heap = doubles(&mut memory, Place::Heap, 1);
    assert!(matches!(memory.free_heap(stack), Err(Error::NotInHeap { .. })));
    assert!(matches!(memory.free_heap_piece(stack, 1), Err(Error::NotInHeap { .. })));
    assert!(matches!(memory.pop_stack(heap), Err(Error::NotInStack { .. })));
    assert!(matches!(memory.chop_stack(heap), Err(Error::NotInStack { .. })));
    assert!(memory.block(stack).is_ok() && memory.block(heap).is_ok());
}

#[test]
fn handles_that_never_were_are_told_from_those_that_are_gone() {
    let mut memory = allocator(1000, 1000);
    for handle in [-1, 0, 1, i64::MAX, i64::MIN] {
        assert!(matches!(memory.block(Handle(handle)), Err(Error::InvalidHandle { .. })));
    }
    let block = doubles(&mut memory, Place::Heap, 1);
    memory.free_heap(block).expect("it is there");
    assert!(matches!(memory.free_heap(block), Err(Error::StaleHandle { .. })));
}

#[test]
fn exactly_what_is_left_can_be_allocated_and_not_an_element_more() {
    let mut memory = allocator(800, 400);
    for datatype in Datatype::all(IntegerWidth::Four) {
        let left = memory.room(Room::Total, datatype).expect("limits");
        let more = allocate(&mut memory, Place::Stack, datatype, left + 1);
        assert!(matches!(more, Err(Error::NotEnough { .. })), "{datatype:?}");
        let all = allocate(&mut memory, Place::Stack, datatype, left).expect("that much is left");
        memory.pop_stack(all).expect("it is on top");
    }
    doubles(&mut memory, Place::Stack, 100);
    doubles(&mut memory, Place::Heap, 50);
    assert!(allocate(&mut memory, Place::Heap, Datatype::Char, 1).is_err());
}

#[test]
fn an_error_of_the_limits_says_what_was_asked_for_and_what_is_left() {
    let mut memory = allocator(80, 0);
    doubles(&mut memory, Place::Stack, 4);
    let error = allocate(&mut memory, Place::Heap, Datatype::Double, 7).expect_err("too much");
    assert_eq!(error.to_string(), "block 'block': 56 bytes are asked for, 48 are left");
}

#[test]
fn what_cannot_be_counted_or_had_is_an_error_and_takes_nothing() {
    let mut memory = allocator(1 << 62, 1 << 62);
    let uncountable = allocate(&mut memory, Place::Heap, Datatype::Double, u64::MAX / 2);
    assert!(matches!(uncountable, Err(Error::TooLarge)));
    let unavailable = allocate(&mut memory, Place::Stack, Datatype::Double, 1 << 58);
    assert!(
        matches!(unavailable, Err(Error::OutOfMemory { requested_bytes, .. }) if requested_bytes == 1 << 61)
    );
    assert_eq!(memory.room(Room::Total, Datatype::Char).expect("limits"), 1 << 63);
}

#[test]
fn blocks_without_elements_are_blocks() {
    let mut memory = allocator(0, 0);
    let first = doubles(&mut memory, Place::Stack, 0);
    let second = doubles(&mut memory, Place::Stack, 0);
    assert_ne!(memory.address(first).expect("there"), memory.address(second).expect("there"));
    memory.index(first).expect("it has an index");
    memory.chop_stack(first).expect("it is in the stack");
}

#[test]
fn indices_and_addresses_of_a_type_are_as_far_apart() {
    let mut memory = allocator(0, 100_000);
    for datatype in Datatype::all(IntegerWidth::Eight) {
        let bytes = i64::try_from(datatype.element_bytes()).expect("small");
        let [a, b] = [1, 9].map(|n| allocate(&mut memory, Place::Heap, datatype, n).expect("there is room"));
        let indices = memory.index(b).expect("there") - memory.index(a).expect("there");
        let [a, b] =
            [a, b].map(|block| i64::try_from(memory.address(block).expect("there")).expect("an address"));
        assert_eq!(indices * bytes, b - a, "{datatype:?}");
    }
}

#[test]
fn blocks_begin_where_alignment_says_64_bytes_at_least() {
    let mut memory = allocator(0, 1 << 20);
    for exponent in [0, 3, 6, 7, 12, 16] {
        memory.set_alignment(exponent).expect("from 0 to 30");
        assert_eq!(i64::from(memory.alignment()), exponent);
        for datatype in Datatype::all(IntegerWidth::Four) {
            let block = allocate(&mut memory, Place::Heap, datatype, 3).expect("there is room");
            let address = memory.address(block).expect("there");
            assert!(address.is_multiple_of(64.max(1 << exponent)), "{datatype:?} at {address:#x}");
        }
    }
    for exponent in [-1, 31, i64::MAX] {
        assert!(matches!(memory.set_alignment(exponent), Err(Error::InvalidAlignment { .. })));
    }
    assert_eq!(memory.alignment(), 16);
}

#[test]
fn writing_outside_a_block_is_found_named_and_keeps_the_block() {
    let mut memory = allocator(1000, 1000);
    let stack = doubles(&mut memory, Place::Stack, 5);
    let heap = doubles(&mut memory, Place::Heap, 5);
    assert!(memory.verify().is_sound());
    write(&memory, stack, 40, 0);
    write(&memory, heap, -1, 0);
    let found = memory.verify();
    assert_eq!((found.heap_blocks, found.stack_blocks), (1, 1));
    let damage: Vec<_> =
        found.damaged.iter().map(|block| (block.handle, block.place, block.damage)).collect();
    assert_eq!(
        damage,
        [
            (stack, Place::Stack, Damage { left: false, right: true }),
            (heap, Place::Heap, Damage { left: true, right: false }),
        ]
    );
    assert!(matches!(memory.pop_stack(stack), Err(Error::DamagedBlock { .. })));
    assert!(matches!(memory.free_heap(heap), Err(Error::DamagedBlock { .. })));
    assert!(matches!(memory.index(heap), Err(Error::DamagedBlock { .. })));
    assert_eq!(memory.verify().damaged.len(), 2);
}

#[test]
fn chopping_below_a_damaged_block_gives_it_back() {
    let mut memory = allocator(1000, 0);
    let below = doubles(&mut memory, Place::Stack, 5);
    let above = doubles(&mut memory, Place::Stack, 5);
    write(&memory, above, 45, 1);
    memory.chop_stack(below).expect("it is sound itself");
    assert!(memory.verify().is_sound());
}

#[test]
fn a_piece_of_a_block_can_be_freed_from_its_end() {
    let mut memory = allocator(0, 800);
    let block = doubles(&mut memory, Place::Heap, 100);
    let before = memory.address(block).expect("there");
    write(&memory, block, 319, 7);
    memory.free_heap_piece(block, 60).expect("it has more");
    assert_eq!(memory.address(block).expect("there"), before);
    assert_eq!(memory.block(block).expect("there").elements(), 40);
    assert_eq!(memory.room(Room::Heap, Datatype::Double).expect("limits"), 60);
    write(&memory, block, 320, 7);
    assert!(memory.verify().damaged[0].damage.right);
    let block = doubles(&mut memory, Place::Heap, 60);
    memory.free_heap_piece(block, 60).expect("all of it");
    assert!(matches!(memory.block(block), Err(Error::StaleHandle { .. })));
}

#[test]
fn a_scan_finds_every_block_that_lives_through_it_once() {
    let mut memory = allocator(1000, 1000);
    let blocks: Vec<_> = (0..6).map(|_| doubles(&mut memory, Place::Heap, 1)).collect();
    let (mut found, mut position) = (Vec::new(), Handle(-1));
    while let Some(next) = memory.next_block(position) {
        found.push(next);
        if next == blocks[1] {
            memory.free_heap(blocks[1]).expect("there");
            memory.free_heap(blocks[4]).expect("there");
        }
        position = next;
    }
    assert_eq!(found, [blocks[0], blocks[1], blocks[2], blocks[3], blocks[5]]);
    assert_eq!(memory.next_block(Handle(i64::MAX)), None);
}

#[test]
fn long_names_are_cut_to_31_bytes() {
    let mut memory = allocator(0, 8);
    let name = "a name that has more than thirty-one bytes";
    let request = Request { datatype: Datatype::Char, elements: 1, name };
    let block = memory.allocate(Place::Heap, &request).expect("there is room");
    assert_eq!(memory.block(block).expect("there").name(), &name[..31]);
}

/// What the model knows of a block: every byte of it holds the same value.
struct Expected {
    handle: Handle,
    place: Place,
    datatype: Datatype,
    elements: u64,
    value: u8,
}

impl Expected {
    fn bytes(&self) -> u64 {
        self.elements * self.datatype.element_bytes() as u64
    }

    fn fill(&self, memory: &Allocator) {
        let pointer = memory.block(self.handle).expect("the block is there").pointer();
        let len = usize::try_from(self.bytes()).expect("small");
        // SAFETY: the block has so many bytes.
        unsafe { pointer.write_bytes(self.value, len) };
    }

    fn check(&self, memory: &Allocator) {
        let block = memory.block(self.handle).expect("the block is there");
        assert_eq!((block.place(), block.elements()), (self.place, self.elements));
        let len = usize::try_from(self.bytes()).expect("small");
        // SAFETY: the block has so many bytes, and `fill` has set them.
        let contents = unsafe { std::slice::from_raw_parts(block.pointer().as_ptr(), len) };
        assert!(contents.iter().all(|&byte| byte == self.value));
    }
}

/// The allocator beside a list of what must be in it, the stack in order.
struct Model {
    memory: Allocator,
    limit_bytes: u64,
    blocks: Vec<Expected>,
    random: fastrand::Rng,
}

impl Model {
    fn step(&mut self) {
        match self.random.u8(0..10) {
            0..=4 => self.allocate(),
            5 | 6 => self.free(),
            7 => self.free_piece(),
            8 => self.pop(),
            _ => self.chop(),
        }
    }

    fn used_bytes(&self) -> u64 {
        self.blocks.iter().map(Expected::bytes).sum()
    }

    fn allocate(&mut self) {
        let datatype = self.random.choice(Datatype::all(IntegerWidth::Eight)).expect("there are types");
        let place = if self.random.bool() { Place::Heap } else { Place::Stack };
        let elements = self.random.u64(0..400);
        let bytes = elements * datatype.element_bytes() as u64;
        match allocate(&mut self.memory, place, datatype, elements) {
            Ok(handle) => {
                assert!(self.used_bytes() + bytes <= self.limit_bytes);
                let expected = Expected { handle, place, datatype, elements, value: self.random.u8(..) };
                expected.fill(&self.memory);
                self.blocks.push(expected);
            }
            Err(Error::NotEnough { .. }) => assert!(self.used_bytes() + bytes > self.limit_bytes),
            Err(error) => panic!("{error}"),
        }
    }

    fn pick(&mut self, place: Place) -> Option<usize> {
        let at: Vec<_> = (0..self.blocks.len()).filter(|&at| self.blocks[at].place == place).collect();
        self.random.choice(at)
    }

    fn free(&mut self) {
        let Some(at) = self.pick(Place::Heap) else { return };
        let block = self.blocks.remove(at);
        self.memory.free_heap(block.handle).expect("it is in the heap");
    }

    fn free_piece(&mut self) {
        let Some(at) = self.pick(Place::Heap) else { return };
        let elements = self.random.u64(0..=self.blocks[at].elements);
        self.memory.free_heap_piece(self.blocks[at].handle, elements).expect("it is in the heap");
        self.blocks[at].elements -= elements;
        if self.blocks[at].elements == 0 {
            self.blocks.remove(at);
        }
    }

    fn pop(&mut self) {
        let Some(at) = self.pick(Place::Stack) else { return };
        let is_top = self.blocks[at + 1..].iter().all(|block| block.place == Place::Heap);
        let popped = self.memory.pop_stack(self.blocks[at].handle);
        assert_eq!(popped.is_ok(), is_top);
        if is_top {
            self.blocks.remove(at);
        }
    }

    fn chop(&mut self) {
        let Some(at) = self.pick(Place::Stack) else { return };
        self.memory.chop_stack(self.blocks[at].handle).expect("it is in the stack");
        let mut position = 0;
        self.blocks.retain(|block| {
            position += 1;
            block.place == Place::Heap || position <= at
        });
    }

    fn check(&self) {
        self.blocks.iter().for_each(|block| block.check(&self.memory));
        assert_eq!(self.memory.blocks().count(), self.blocks.len());
        let left = self.memory.room(Room::Total, Datatype::Char).expect("limits");
        assert_eq!(left, self.limit_bytes - self.used_bytes());
        assert!(self.memory.verify().is_sound());
    }
}

#[test]
fn random_sequences_leave_what_a_list_of_blocks_says() {
    let seed = match std::env::var("CHEMIO_TEST_SEED") {
        Ok(seed) => seed.parse().expect("CHEMIO_TEST_SEED is a number"),
        Err(_) => fastrand::u64(..),
    };
    println!("CHEMIO_TEST_SEED={seed}");
    let random = fastrand::Rng::with_seed(seed);
    let memory = allocator(30_000, 20_000);
    let mut model = Model { memory, limit_bytes: 50_000, blocks: Vec::new(), random };
    for _ in 0..5_000 {
        model.step();
        model.check();
    }
}
