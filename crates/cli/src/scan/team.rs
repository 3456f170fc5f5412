//! Threads that work on tiles, each on the next one there is.

use super::reader::{Content, Reader};
use super::walk::Walk;
use super::{IN_FLIGHT, Part, Source, TRANSFER_BYTES, Tiles};
use crate::error::Result;
use crate::interrupt;
use crate::progress::Progress;
use section::{Section, size};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// More do not make a device faster.
const THREADS_MAX: usize = 8;

/// How many tiles each thread has of those that are read.
const TILES_READ_EACH: usize = 2;

/// How many threads there are, and how much memory each has for a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    threads: usize,
    /// For the elements of a tile.
    pub(crate) tile_bytes: u64,
}

/// What is to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) element_bytes: u64,
    pub(crate) progress: &'a Progress,
}

impl Team {
    /// A team that shares so much memory: half of it for tiles, as many times as each thread needs, half of it, at most, for
    /// transfers in flight.
    pub(crate) fn new(megabytes: u64, tiles_each: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let memory_bytes = megabytes * 1_000_000;
        let flying_bytes = IN_FLIGHT as u64 * TRANSFER_BYTES;
        let affordable = size(memory_bytes / 2 / flying_bytes).max(1);
        let threads = cores.min(THREADS_MAX).min(affordable);
        let tile_bytes = (memory_bytes / 2 / threads as u64 / tiles_each).max(64 << 10);
        Self { threads, tile_bytes }
    }

    /// A team that reads, see [`each_tile_read`](Self::each_tile_read).
    pub(crate) fn reading(megabytes: u64) -> Self {
        Self::new(megabytes, TILES_READ_EACH as u64)
    }

    /// The same with tiles that stay in the processor's caches.
    pub(crate) fn with_small_tiles(self) -> Self {
        Self { tile_bytes: self.tile_bytes.min(4 << 20), ..self }
    }

    /// Calls `work` with every tile, on the threads of the team, each with what `begin` gives it. What they have become at the
    /// end, or the first error: then, and after a signal, no tile is begun.
    pub(crate) fn each_tile<W: Send>(
        self,
        tiles: Tiles,
        job: Job<'_>,
        begin: impl Fn() -> Result<W> + Sync,
        work: impl Fn(&mut W, &Section) -> Result<()> + Sync,
    ) -> Result<Vec<W>> {
        self.on_threads(tiles, |next| {
            let mut worker = begin()?;
            while let Some(tile) = next()? {
                work(&mut worker, &tile)?;
                job.progress.add(tile.len() * job.element_bytes);
            }
            Ok(worker)
        })
    }

    /// Runs `one` on each thread, with what gives it the next tile: none after a failure of another, an error after a signal.
    fn on_threads<W: Send>(
        self,
        tiles: Tiles,
        one: impl Fn(&dyn Fn() -> Result<Option<Section>>) -> Result<W> + Sync,
    ) -> Result<Vec<W>> {
        let (tiles, failed) = (Mutex::new(tiles), AtomicBool::new(false));
        let next = || {
            interrupt::check()?;
            let is_over = failed.load(Ordering::Relaxed);
            Ok(if is_over { None } else { tiles.lock().unwrap_or_else(PoisonError::into_inner).next() })
        };
        let one = || one(&next).inspect_err(|_| failed.store(true, Ordering::Relaxed));
        std::thread::scope(|scope| {
            // Where the system gives fewer threads, fewer do it; where it gives none, this one.
            let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, one).ok();
            let threads: Vec<_> = (0..self.threads).map_while(spawn).collect();
            if threads.is_empty() {
                return Ok(vec![one()?]);
            }
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    /// The same with the elements of every tile, in any order and as they come: `work` is given some at a time.
    pub(crate) fn each_part<W: Send>(
        self,
        source: &Source,
        tiles: Tiles,
        progress: &Progress,
        begin: impl Fn() -> Result<W> + Sync,
        work: impl Fn(&mut W, Part<'_>) -> Result<()> + Sync,
    ) -> Result<Vec<W>> {
        let element_bytes = source.array().metadata().data_type.bytes();
        self.on_threads(tiles, |next| {
            let (mut worker, mut walk) = (begin()?, Walk::new(source)?);
            let mut visit = |part: Part<'_>| {
                progress.add(match part {
                    Part::Elements(elements) => elements.len() as u64,
                    Part::Zeros(count) | Part::Fill(count) => count * element_bytes,
                });
                work(&mut worker, part)
            };
            while let Some(tile) = next()? {
                walk.over(&tile, &mut visit)?;
            }
            walk.finish(&mut visit)?;
            Ok(worker)
        })
    }

    /// The same with every tile read before, of which each thread has two: one under way while it works on the other.
    pub(crate) fn each_tile_read<W: Send>(
        self,
        source: &Source,
        tiles: Tiles,
        progress: &Progress,
        begin: impl Fn() -> Result<W> + Sync,
        work: impl Fn(&mut W, &Section, Content, &mut [u8]) -> Result<()> + Sync,
    ) -> Result<Vec<W>> {
        let element_bytes = source.array().metadata().data_type.bytes();
        self.on_threads(tiles, |next| {
            let (mut worker, mut reader, mut spare) = (begin()?, Reader::new(source)?, vec![]);
            loop {
                let next = next()?;
                let is_last = next.is_none();
                if let Some(tile) = next {
                    reader.begin(&tile, spare.pop().unwrap_or_default())?;
                }
                if !is_last && reader.begun() < TILES_READ_EACH {
                    continue;
                }
                let Some(mut tile) = reader.finish()? else { return Ok(worker) };
                let content = tile.content();
                work(&mut worker, &tile.section, content, &mut tile.memory)?;
                progress.add(tile.section.len() * element_bytes);
                spare.push(tile.memory);
            }
        })
    }
}
