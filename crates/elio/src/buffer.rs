//! The pool of page-aligned buffers: staging for direct transfers, read-ahead and write-behind, within one budget for
//! the process.

use crate::settings;
use crate::sys::alloc::{PAGE_BYTES, PageBlock};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Sizes are powers of two from a page to this.
pub(crate) const BUFFER_BYTES_MAX: usize = 1 << 20;
const CLASSES_COUNT: usize = (BUFFER_BYTES_MAX / PAGE_BYTES).ilog2() as usize + 1;

/// A page-aligned buffer on loan from the pool.
#[derive(Debug)]
pub(crate) struct PoolBuffer {
    pool: &'static BufferPool,
    /// Always there until drop takes it back.
    block: Option<PageBlock>,
}

#[derive(Debug, Default)]
struct Blocks {
    /// Blocks at rest, by class.
    free: [Vec<PageBlock>; CLASSES_COUNT],
    /// Bytes on loan and at rest.
    held_bytes: usize,
    /// Bytes on loan.
    lent_bytes: usize,
    /// The most that was ever held.
    peak_bytes: usize,
}

/// The pool.
#[derive(Debug)]
pub(crate) struct BufferPool {
    budget_bytes: usize,
    blocks: Mutex<Blocks>,
}

/// The pool of this process, with the budget of `CHEMIO_BUFFER_MB`.
pub(crate) fn pool() -> &'static BufferPool {
    static POOL: OnceLock<BufferPool> = OnceLock::new();
    POOL.get_or_init(|| BufferPool::new(settings::get().buffer_bytes_max))
}

fn class_of(len_bytes: usize) -> usize {
    (len_bytes.div_ceil(PAGE_BYTES).next_power_of_two()).ilog2() as usize
}

fn class_bytes(class: usize) -> usize {
    PAGE_BYTES << class
}

impl BufferPool {
    fn new(budget_bytes: usize) -> Self {
        Self { budget_bytes, blocks: Mutex::default() }
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().expect("no thread panics while it holds the pool")
    }

    /// A buffer of at least `len_bytes` (at most [`BUFFER_BYTES_MAX`]), or `None` when the budget is spent: the caller
    /// then goes without, through the page cache.
    pub(crate) fn take(&'static self, len_bytes: usize) -> Option<PoolBuffer> {
        assert!(len_bytes <= BUFFER_BYTES_MAX, "{len_bytes} bytes is more than a pool buffer has");
        let class = class_of(len_bytes);
        let mut blocks = self.blocks();
        let block = match blocks.free[class].pop() {
            Some(block) => block,
            None => self.grow(&mut blocks, class)?,
        };
        blocks.lent_bytes += block.len();
        Some(PoolBuffer { pool: self, block: Some(block) })
    }

    /// A new block, if the budget allows it, perhaps after blocks of other classes have gone back to the system.
    fn grow(&self, blocks: &mut Blocks, class: usize) -> Option<PageBlock> {
        let wanted_bytes = class_bytes(class);
        if blocks.lent_bytes + wanted_bytes > self.budget_bytes {
            return None;
        }
        if blocks.held_bytes + wanted_bytes > self.budget_bytes {
            blocks.free.iter_mut().for_each(Vec::clear);
            blocks.held_bytes = blocks.lent_bytes;
        }
        blocks.held_bytes += wanted_bytes;
        blocks.peak_bytes = blocks.peak_bytes.max(blocks.held_bytes);
        Some(PageBlock::new(wanted_bytes))
    }

    fn put_back(&self, block: PageBlock) {
        let mut blocks = self.blocks();
        blocks.lent_bytes -= block.len();
        blocks.free[class_of(block.len())].push(block);
    }

    /// Gives what is at rest back to the system.
    pub(crate) fn trim(&self) {
        let mut blocks = self.blocks();
        blocks.free.iter_mut().for_each(|free| *free = Vec::new());
        blocks.held_bytes = blocks.lent_bytes;
    }

    /// Bytes held now (on loan and at rest) and the most ever held.
    pub(crate) fn usage(&self) -> (usize, usize) {
        let blocks = self.blocks();
        (blocks.held_bytes, blocks.peak_bytes)
    }
}

impl Deref for PoolBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.block.as_deref().expect("the block is there until drop")
    }
}

impl DerefMut for PoolBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.block.as_deref_mut().expect("the block is there until drop")
    }
}

impl Drop for PoolBuffer {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.pool.put_back(block);
        }
    }
}

/// Bytes that staging, read-ahead and write-behind hold in this process now, and the most they ever held.
///
/// The most is bounded by `CHEMIO_BUFFER_MB` (default 32). What is at rest goes back to the system when all streams have
/// been idle for a moment.
pub fn buffer_usage_bytes() -> (usize, usize) {
    pool().usage()
}
