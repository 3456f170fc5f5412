//! The first step of parts that share a buffer: what is only a copy is made, from end to end, and the rest is on its way. It needs
//! nothing of the pipeline, so that another thread can take it.

use super::flight::{self, Moving, Placed};
use crate::error::Result;
use crate::transfer::Direction;
use crate::transfer::gathered;
use crate::transfer::job::Job;
use crate::transfer::parts::Part;
use crate::transfer::unit::{Piece, Place};
use elio::{Gather, MemoryPiece, PageBuffer, Request};
use section::Shape;
use std::ops::Range;
use std::sync::Arc;

/// Parts about to be moved, and the room they have.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) job: Arc<Job>,
    pub(super) parts: Arc<[Placed]>,
    pub(super) room: Room,
    pub(super) extent: Extent,
}

/// How much of a first step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    /// Only buffers are filled. A thread that goes away afterwards must have begun nothing on a device, which may tell nobody else that it
    /// has ended.
    Filling,
}

/// Where parts are between the device and the array in memory.
#[derive(Debug)]
pub(super) enum Room {
    Buffer(PageBuffer),
    /// Nowhere: what the only part reads goes straight to its place in the array.
    Memory(MemoryPiece),
}

impl Room {
    fn into_buffer(self) -> Option<PageBuffer> {
        match self {
            Self::Buffer(buffer) => Some(buffer),
            Self::Memory(_) => None,
        }
    }
}

/// What has become of them.
#[derive(Debug)]
pub(super) enum Started {
    /// There was nothing to wait for; the buffer is free, if there is one.
    Finished(Option<PageBuffer>),
    OnItsWay(Moving),
    /// The buffer is filled with what is to be written.
    Filled(PageBuffer),
    /// On its way without a buffer.
    StraightOnItsWay(Request<MemoryPiece>),
}

impl Started {
    /// How much of a step like this one, if any, another thread could take at the same time, because it is copies. What goes to a file
    /// straight from memory is copied by the kernel, which lets one thread at a time write to a file.
    pub(super) fn beside_others(&self, direction: Direction) -> Option<Extent> {
        match self {
            Self::Finished(_) => (direction == Direction::ToMemory).then_some(Extent::All),
            Self::OnItsWay(moving) if moving.is_copied() => Some(Extent::All),
            Self::OnItsWay(_) | Self::Filled(_) => {
                (direction == Direction::ToDisk).then_some(Extent::Filling)
            }
            Self::StraightOnItsWay(_) => None,
        }
    }
}

impl Start {
    /// All of a first step.
    pub(super) fn new(job: Arc<Job>, parts: Arc<[Placed]>, room: Room) -> Self {
        Self { job, parts, room, extent: Extent::All }
    }

    /// How much is moved.
    pub(super) fn bytes(&self) -> u64 {
        flight::bytes(&self.parts)
    }

    pub(super) fn run(self) -> Result<Started> {
        let Self { job, parts, room, extent } = self;
        if let [placed] = &*parts
            && copy_without_buffer(&job, placed)?
        {
            return Ok(Started::Finished(room.into_buffer()));
        }
        match (job.how.direction, room) {
            (_, Room::Memory(memory)) => {
                let request = flight::read_straight(&parts[0], memory)?;
                if request.bytes_if_done().is_none() {
                    return Ok(Started::StraightOnItsWay(request));
                }
                flight::received_straight(request, &job, &parts[0])?;
                Ok(Started::Finished(None))
            }
            (Direction::ToMemory, Room::Buffer(buffer)) => {
                let moving = Moving::read(&parts, buffer)?;
                if !moving.is_copied() {
                    return Ok(Started::OnItsWay(moving));
                }
                receive(&job, &parts, moving).map(|buffer| Started::Finished(Some(buffer)))
            }
            (Direction::ToDisk, Room::Buffer(buffer)) => match extent {
                Extent::All => modify_and_write(&job, &parts, buffer).map(Started::OnItsWay),
                Extent::Filling => modify(&job, &parts, buffer).map(Started::Filled),
            },
        }
    }
}

/// Copies a part between memory and the page cache at once, if that is all there is to do.
pub(super) fn copy_without_buffer(job: &Job, placed: &Placed) -> Result<bool> {
    match job.how.direction {
        Direction::ToMemory => Ok(copy_out(job, placed)),
        Direction::ToDisk => copy_in(job, placed),
    }
}

/// When the first range was copied, the others are waited for if need be, so that nothing is read twice.
fn copy_out(job: &Job, placed: &Placed) -> bool {
    let Some(accesses) = accesses(job, placed, Gather::for_reading) else { return false };
    let mut pairs = placed.ranges.iter().zip(&accesses).enumerate();
    pairs.all(|(i, (range, access))| placed.shard.file.copy_out(placed.brick_at + range.start, access, i > 0))
}

fn copy_in(job: &Job, placed: &Placed) -> Result<bool> {
    let Some(accesses) = accesses(job, placed, Gather::for_writing) else { return Ok(false) };
    for (range, access) in placed.ranges.iter().zip(&accesses) {
        if !placed.shard.file.copy_in(placed.brick_at + range.start, access)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn accesses(job: &Job, placed: &Placed, access: fn() -> Gather) -> Option<Vec<Gather>> {
    gathered::accesses(job, &placed.part, &piece(job, &placed.part), &placed.ranges, access)
}

/// Copies the elements of parts to a buffer that holds what is around them, or gets zeros there, and begins to write them.
pub(super) fn modify_and_write(job: &Job, parts: &[Placed], buffer: PageBuffer) -> Result<Moving> {
    Moving::write(parts, modify(job, parts, buffer)?)
}

fn modify(job: &Job, parts: &[Placed], mut buffer: PageBuffer) -> Result<PageBuffer> {
    for Placed { part, place, zeros, .. } in parts {
        for range in zeros {
            buffer[place.of(range)].fill(0);
        }
        let piece = piece(job, part);
        let (at, extents) = elements(job, &piece, place);
        let got = job.mapping.get(&*job.memory(), &part.section, &mut buffer[at..], &extents);
        got.map_err(|error| job.memory_error(&error))?;
        each_packed_run(&piece, place, |run, elements| buffer.copy_within(elements, run.start));
    }
    Ok(buffer)
}

/// Waits for what is read of parts, and copies them to memory.
pub(super) fn receive(job: &Job, parts: &[Placed], moving: Moving) -> Result<PageBuffer> {
    let mut buffer = moving.received(job, parts)?;
    for Placed { part, place, .. } in parts {
        let piece = piece(job, part);
        if gathered::put(job, part, &piece, place, &buffer) {
            continue;
        }
        each_packed_run(&piece, place, |run, elements| buffer.copy_within(run, elements.start));
        let (at, extents) = elements(job, &piece, place);
        let put = job.mapping.put(&*job.memory(), &part.section, &buffer[at..], &extents);
        put.map_err(|error| job.memory_error(&error))?;
    }
    Ok(buffer)
}

/// Where the elements of a part are copied to in a buffer or from there: the first of them, and the extents of the array that they
/// are in.
fn elements(job: &Job, piece: &Piece, place: &Place) -> (usize, Shape) {
    match place {
        Place::Window { .. } => {
            let first = piece.first_byte();
            (place.of(&(first..first)).start, *job.array.brick_extents())
        }
        Place::Packed(packed) => (packed.elements_byte(), piece.part.counts()),
    }
}

/// Calls `visit` with where the runs of a part are in a buffer, and where their elements are without gaps, if they are packed.
fn each_packed_run(piece: &Piece, place: &Place, mut visit: impl FnMut(Range<usize>, Range<usize>)) {
    let Place::Packed(packed) = place else { return };
    let mut at = packed.elements_byte();
    piece.for_each_run(|run| {
        let run = place.of(&run);
        let elements = at..at + run.len();
        at = elements.end;
        visit(run, elements);
    });
}

/// A part in its brick, wherever that ends.
fn piece(job: &Job, part: &Part) -> Piece {
    part.piece(&job.array, job.array.room_bytes())
}
