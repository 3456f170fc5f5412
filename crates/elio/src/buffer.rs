//! The pool of page-aligned buffers: staging for direct transfers, read-ahead and write-behind, within one budget for
//! the process.
//!
//! Memory comes from the system in slabs of a huge page and is halved until it fits. Halves are joined again when nothing
//! else is left, or when everything is at rest.

use crate::settings;
use crate::sys::alloc::{HUGE_PAGE_BYTES, PAGE_BYTES, PageBlock};
use crate::sys::exit;
use crate::sys::fork::{self, OfProcess};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Sizes are powers of two from a page to this.
pub(crate) const BUFFER_BYTES_MAX: usize = 1 << 20;
/// Classes of blocks go up to a slab.
const CLASSES_COUNT: usize = class_of(HUGE_PAGE_BYTES) + 1;

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
    /// Bytes of all slabs.
    held_bytes: usize,
    /// The most that was ever held.
    peak_bytes: usize,
}

/// The pool.
#[derive(Debug)]
pub(crate) struct BufferPool {
    budget_bytes: usize,
    blocks: Mutex<Blocks>,
    /// The pool of a forked child, not of its parent.
    is_of_child: bool,
}

/// The pool of this process, with the budget of `CHEMIO_BUFFER_MB`.
pub(crate) fn pool() -> &'static BufferPool {
    static POOL: OfProcess<OnceLock<BufferPool>> = OfProcess::empty();
    POOL.get_or_init(|| BufferPool::new(settings::get().buffer_bytes_max))
}

const fn class_of(len_bytes: usize) -> usize {
    len_bytes.div_ceil(PAGE_BYTES).next_power_of_two().ilog2() as usize
}

impl BufferPool {
    fn new(budget_bytes: usize) -> Self {
        assert!(budget_bytes >= BUFFER_BYTES_MAX, "the budget has room for the largest buffer");
        Self { budget_bytes, blocks: Mutex::default(), is_of_child: fork::is_child() }
    }

    /// `None` where whoever has them locked may never go on: while the program ends, because a signal handler may have interrupted him, and
    /// in a forked child, if they are its parent's.
    fn blocks(&self) -> Option<MutexGuard<'_, Blocks>> {
        if exit::is_ending() || self.is_of_child != fork::is_child() {
            return self.blocks.try_lock().ok();
        }
        Some(self.blocks.lock().expect("no thread panics while it holds the pool"))
    }

    /// The largest power of two within a huge page and the budget.
    fn slab_bytes(&self) -> usize {
        HUGE_PAGE_BYTES.min(1 << self.budget_bytes.ilog2())
    }

    /// A buffer of at least `len_bytes` (at most [`BUFFER_BYTES_MAX`]), or `None` when the budget is spent: the caller
    /// then goes without, through the page cache.
    pub(crate) fn take(&'static self, len_bytes: usize) -> Option<PoolBuffer> {
        assert!(len_bytes <= BUFFER_BYTES_MAX, "{len_bytes} bytes is more than a pool buffer has");
        let class = class_of(len_bytes);
        let mut blocks = self.blocks()?;
        let block = blocks.take(class).or_else(|| {
            blocks.join_halves();
            blocks.take(class)
        });
        let block = block.or_else(|| self.grow(&mut blocks, class))?;
        Some(PoolBuffer { pool: self, block: Some(block) })
    }

    /// A block of a new slab, if the budget and the system allow it.
    fn grow(&self, blocks: &mut Blocks, class: usize) -> Option<PageBlock> {
        let slab_bytes = self.slab_bytes();
        if blocks.held_bytes + slab_bytes > self.budget_bytes {
            return None;
        }
        let slab = PageBlock::new(slab_bytes)
            .inspect_err(|error| tracing::warn!(%error, "no memory for buffers: going without"))
            .ok()?;
        blocks.held_bytes += slab_bytes;
        blocks.peak_bytes = blocks.peak_bytes.max(blocks.held_bytes);
        blocks.put(slab);
        blocks.take(class)
    }

    /// Gives slabs that are at rest back to the system.
    pub(crate) fn trim(&self) {
        let Some(mut blocks) = self.blocks() else { return };
        blocks.join_halves();
        let slabs = std::mem::take(&mut blocks.free[class_of(self.slab_bytes())]);
        blocks.held_bytes -= slabs.len() * self.slab_bytes();
        if blocks.held_bytes == 0 {
            blocks.free = Default::default(); // the lists themselves, too
        }
    }

    /// Bytes that are not on loan.
    pub(crate) fn available_bytes(&self) -> usize {
        let Some(blocks) = self.blocks() else { return 0 };
        let at_rest = blocks.free.iter().enumerate().map(|(class, free)| free.len() * (PAGE_BYTES << class));
        self.budget_bytes - blocks.held_bytes + at_rest.sum::<usize>()
    }

    /// Bytes held now (on loan and at rest) and the most ever held.
    pub(crate) fn usage(&self) -> (usize, usize) {
        self.blocks().map(|blocks| (blocks.held_bytes, blocks.peak_bytes)).unwrap_or_default()
    }
}

impl Blocks {
    /// A block of `class`: one at rest, or a part of the smallest larger one.
    fn take(&mut self, class: usize) -> Option<PageBlock> {
        let found = (class..CLASSES_COUNT).find(|&larger| !self.free[larger].is_empty())?;
        let mut block = self.free[found].pop()?;
        for smaller in (class..found).rev() {
            let (lower, upper) = block.halves();
            self.free[smaller].push(upper);
            block = lower;
        }
        Some(block)
    }

    fn put(&mut self, block: PageBlock) {
        self.free[class_of(block.len())].push(block);
    }

    /// Joins halves that are both at rest.
    fn join_halves(&mut self) {
        for class in 0..CLASSES_COUNT - 1 {
            let mut blocks = std::mem::take(&mut self.free[class]);
            blocks.sort_unstable_by_key(PageBlock::address);
            let mut blocks = blocks.into_iter().peekable();
            while let Some(block) = blocks.next() {
                match blocks.next_if(|next| block.is_lower_half_beside(next)) {
                    Some(upper) => self.free[class + 1].push(block.joined(upper)),
                    None => self.free[class].push(block),
                }
            }
        }
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
        // Where they are not to be had the memory goes back to the system.
        if let Some(block) = self.block.take()
            && let Some(mut blocks) = self.pool.blocks()
        {
            blocks.put(block);
        }
    }
}

/// Bytes that staging, read-ahead and write-behind hold in this process now, and the most they ever held.
///
/// The most is bounded by `CHEMIO_BUFFER_MB` (default 32). What is at rest goes back to the system when all streams have
/// been idle for a second.
pub fn buffer_usage_bytes() -> (usize, usize) {
    pool().usage()
}

/// Tests of one process that need some buffers, and those that take all of them.
#[cfg(test)]
pub(crate) mod in_tests {
    use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

    /// The lock of the pool, as long as this is there.
    pub(crate) fn locked() -> impl Sized {
        super::pool().blocks()
    }

    static BUFFERS: RwLock<()> = RwLock::new(());

    pub(crate) fn with_buffers() -> RwLockReadGuard<'static, ()> {
        BUFFERS.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn with_all_buffers() -> RwLockWriteGuard<'static, ()> {
        BUFFERS.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::fork::in_tests::child_does;

    fn pool_of(budget_bytes: usize) -> &'static BufferPool {
        Box::leak(Box::new(BufferPool::new(budget_bytes)))
    }

    #[test]
    fn the_whole_budget_can_be_lent_in_any_sizes_and_not_a_byte_more() {
        let pool = pool_of(4 << 20);
        for len_bytes in [1 << 20, 512 << 10, 16 << 10, PAGE_BYTES, 256 << 10] {
            let lent: Vec<_> = std::iter::from_fn(|| pool.take(len_bytes)).collect();
            assert_eq!(lent.len(), (4 << 20) / len_bytes, "buffers of {len_bytes} bytes");
        }
        assert_eq!(pool.usage(), (4 << 20, 4 << 20));
    }

    #[test]
    fn buffers_on_loan_do_not_overlap() {
        let pool = pool_of(2 << 20);
        let sizes = [4096, 65_536, 5000, 524_288, 16_384, 262_144];
        let mut lent: Vec<_> = sizes.iter().map(|&len| pool.take(len).expect("within the budget")).collect();
        for (mark, buffer) in (1..).zip(&mut lent) {
            buffer.fill(mark);
        }
        for (mark, buffer) in (1..).zip(&lent) {
            assert!(buffer.iter().all(|&byte| byte == mark));
        }
    }

    #[test]
    fn slabs_at_rest_go_back_and_those_on_loan_stay() {
        let pool = pool_of(8 << 20);
        let kept = pool.take(PAGE_BYTES).expect("within the budget");
        drop((0..6).map(|_| pool.take(1 << 20).expect("within the budget")).collect::<Vec<_>>());
        pool.trim();
        assert_eq!(pool.usage().0, 2 << 20);
        drop(kept);
        pool.trim();
        assert_eq!(pool.usage().0, 0);
    }

    #[test]
    fn a_program_that_ends_where_the_pool_is_locked_gives_back_its_buffers_and_goes_without() {
        let pool = pool_of(4 << 20);
        assert!(child_does((), || {
            let pool = pool_of(4 << 20);
            let buffer = pool.take(PAGE_BYTES);
            let locked = pool.blocks();
            exit::in_tests::end();
            drop(buffer);
            let goes_without = pool.take(PAGE_BYTES).is_none();
            drop(locked);
            goes_without && pool.take(PAGE_BYTES).is_some()
        }));
        assert!(pool.take(PAGE_BYTES).is_some(), "this program does not end");
    }

    #[test]
    fn a_budget_below_a_huge_page_is_kept() {
        let pool = pool_of(1 << 20);
        let lent = pool.take(1 << 20).expect("within the budget");
        assert!(pool.take(1).is_none());
        drop(lent);
        assert!(pool.take(1).is_some());
    }
}
