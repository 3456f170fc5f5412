//! Writing tiles of an array that is being made. What is zero stays a hole.

use super::{IN_FLIGHT, TRANSFER_BYTES, Tiles, is_zero};
use super::{memory, pieces};
use crate::error::Result;
use disk_array::Creation;
use elio::{CachePolicy, File, Mode, OpenOptions, PageBuffer, Request};
use section::{Section, size};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Writes around the page cache are of whole pages, and of bricks of at least so many bytes.
const PAGE_BYTES: usize = 4096;
const DIRECT_BYTES_MIN: u64 = 256 << 10;
/// So many files stay open.
const OPEN_MAX: usize = 32;

/// The shards of an array that is being made. Its tiles may be written by several threads.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    creation: &'a Creation,
    /// Whether writes go around the page cache.
    is_direct: bool,
    shards: Mutex<Shards>,
}

#[derive(Debug, Default)]
struct Shards {
    /// The last one used is the last.
    open: Vec<(u64, Arc<File>)>,
    written: BTreeSet<u64>,
}

/// The buffers of one thread.
#[derive(Debug)]
pub(crate) struct Buffers {
    free: Vec<PageBuffer>,
    flights: VecDeque<Request<PageBuffer>>,
}

impl Buffers {
    pub(crate) fn new() -> Result<Self> {
        let bytes = size(TRANSFER_BYTES);
        let free = memory::given(bytes * IN_FLIGHT, || PageBuffer::several(bytes, IN_FLIGHT))?;
        Ok(Self { free, flights: VecDeque::new() })
    }

    fn take(&mut self) -> Result<PageBuffer> {
        loop {
            if let Some(buffer) = self.free.pop() {
                return Ok(buffer);
            }
            self.finish()?;
        }
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(request) = self.flights.pop_front() {
            self.free.push(request.finish()?.1);
        }
        Ok(())
    }
}

/// A file system that cannot reserve space does without.
fn not_supported(error: elio::Error) -> elio::Result<()> {
    let kind = error.os_error().map(std::io::Error::kind);
    if kind == Some(std::io::ErrorKind::Unsupported) { Ok(()) } else { Err(error) }
}

impl<'a> Writer<'a> {
    /// For these tiles, of an array of which all shards have been made.
    ///
    /// Bricks that are not small, on pages of their own, go around the page cache if each is written at once: then no two writes
    /// meet in a page.
    pub(crate) fn new(creation: &'a Creation, tiles: &Tiles) -> Self {
        let (bricks, shard) = (creation.layout().bricks(), creation.layout().shard());
        let on_pages = shard.stride_bytes().is_multiple_of(PAGE_BYTES as u64);
        let is_direct =
            on_pages && shard.brick_bytes() >= DIRECT_BYTES_MIN && tiles.have_whole_bricks(bricks);
        Self { creation, is_direct, shards: Mutex::default() }
    }

    /// Writes the elements of `tile`, which lie in `memory` in row-major order. Waits for them.
    pub(crate) fn write(&self, buffers: &mut Buffers, tile: &Section, memory: &[u8]) -> Result<()> {
        let layout = self.creation.layout();
        let mut written_to: Vec<Arc<File>> = vec![];
        for piece in pieces::of_tile(layout, tile) {
            let bytes = piece.bytes(layout.data_type().bytes());
            let mut buffer = buffers.take()?;
            let len = size(bytes.end - bytes.start);
            let whole_pages = len.next_multiple_of(PAGE_BYTES);
            buffer[..whole_pages].fill(0);
            let mut written = false;
            piece.each_run(layout, tile, |in_piece, in_tile, len| {
                let from = &memory[in_tile..in_tile + len];
                written |= !is_zero(from);
                buffer[in_piece..in_piece + len].copy_from_slice(from);
            });
            if !written {
                buffers.free.push(buffer);
                continue;
            }
            let shard = layout.shard();
            let at = shard.offset_bytes(piece.place.slot) + bytes.start;
            let file = self.shard(piece.place.shard)?;
            if self.is_direct {
                // Of a whole brick only the last piece ends within a page, and bricks end on pages.
                buffer.select(0..whole_pages);
                // Filling a hole directly would make every other write of the file wait.
                file.preallocate(at, whole_pages as u64).or_else(not_supported)?;
            } else {
                buffer.select(0..len);
            }
            buffers.flights.push_back(file.submit_write(at, buffer)?);
            if written_to.last().is_none_or(|last| !Arc::ptr_eq(last, &file)) {
                written_to.push(file);
            }
        }
        while !buffers.flights.is_empty() {
            buffers.finish()?;
        }
        // Small ones are only held so far; a file that is dropped tells nobody what it could not hand over.
        written_to.iter().try_for_each(|file| file.flush())?;
        Ok(())
    }

    fn shard(&self, number: u64) -> Result<Arc<File>> {
        let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = shards.open.iter().position(|(open, _)| *open == number) {
            let shard = shards.open.remove(at);
            shards.open.push(shard.clone());
            return Ok(shard.1);
        }
        let file = Arc::new(self.open(number)?);
        if shards.open.len() >= OPEN_MAX {
            shards.open.remove(0);
        }
        shards.open.push((number, Arc::clone(&file)));
        shards.written.insert(number);
        Ok(file)
    }

    fn open(&self, number: u64) -> Result<File> {
        let cache = if self.is_direct { CachePolicy::Bypass } else { CachePolicy::Auto };
        let options = OpenOptions { keeps_holes: true, cache, ..OpenOptions::new(Mode::Existing) };
        Ok(File::open(self.creation.shard_path(number), &options)?)
    }

    /// Makes all that was written durable.
    pub(crate) fn sync(self) -> Result<()> {
        let shards = self.shards.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop(shards.open);
        for number in shards.written {
            crate::interrupt::check()?;
            let shard = OpenOptions { keeps_holes: true, ..OpenOptions::new(Mode::Existing) };
            File::open(self.creation.shard_path(number), &shard)?.sync()?;
        }
        Ok(())
    }
}
