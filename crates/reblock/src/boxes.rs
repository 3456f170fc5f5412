//! The memory of a pass: boxes of the source, in arrays of all ranks.

use crate::gathered::Held;
use crate::retained::Retained;
use comm::Operation;
use dra::{ArrayInMemory, Context, DataType, MadeArray, MakeArray, MemoryError};
use section::{Section, Shape};
use std::sync::Arc;

/// Makes arrays, and counts what they take, on all ranks together.
#[derive(Debug)]
pub(crate) struct Boxes<'a> {
    context: Context,
    maker: Box<dyn MakeArray + 'a>,
    data_type: DataType,
    taken_bytes: u64,
    taken_bytes_peak: u64,
    /// Room for what steps retain, if they do.
    room: Option<Room>,
}

/// An array that was made.
#[derive(Debug)]
pub(crate) struct Made {
    array: Box<dyn MadeArray>,
    taken_bytes: u64,
}

impl Made {
    pub(crate) fn in_memory(&self) -> Arc<dyn ArrayInMemory> {
        self.array.in_memory()
    }
}

#[derive(Debug)]
struct Room {
    made: Made,
    retained: Retained,
}

/// Tells all ranks what an array in memory has met on one of them. Collective.
pub(crate) fn agreed<T>(context: &Context, mine: Result<T, MemoryError>) -> dra::Result<T> {
    let told =
        |error: MemoryError| dra::Error::Caller { code: dra::codes::FAILED, message: error.to_string() };
    context.agree(mine.map_err(told))
}

impl<'a> Boxes<'a> {
    pub(crate) fn new(context: &Context, maker: Box<dyn MakeArray + 'a>, data_type: DataType) -> Self {
        Self { context: context.clone(), maker, data_type, taken_bytes: 0, taken_bytes_peak: 0, room: None }
    }

    /// The most memory that was taken at once, as far as the library of the arrays tells; otherwise that of their elements.
    pub(crate) fn taken_bytes_peak(&self) -> u64 {
        self.taken_bytes_peak
    }

    /// A box of these extents. Collective.
    pub(crate) fn make(&mut self, dims: &Shape) -> dra::Result<Made> {
        let array = self.agree(self.maker.make(self.data_type, dims))?;
        let taken_bytes = match array.taken_bytes() {
            Some(mine) => {
                let mut all = [mine.cast_signed()];
                self.context.comm().all_reduce(&mut all, Operation::Sum)?;
                all[0].cast_unsigned()
            }
            None => dims.iter().product::<u64>() * self.data_type.bytes(),
        };
        self.taken_bytes += taken_bytes;
        self.taken_bytes_peak = self.taken_bytes_peak.max(self.taken_bytes);
        Ok(Made { array, taken_bytes })
    }

    /// Frees a box. Collective.
    pub(crate) fn free(&mut self, made: Made) -> dra::Result<()> {
        self.taken_bytes -= made.taken_bytes;
        self.agree(made.array.free())
    }

    fn agree<T>(&self, mine: Result<T, MemoryError>) -> dra::Result<T> {
        agreed(&self.context, mine)
    }

    /// Makes room for so many elements that are retained at once. Collective.
    pub(crate) fn make_room(&mut self, elems: u64) -> dra::Result<()> {
        let made = self.make(&Shape::filled(1, elems))?;
        let retained = Retained::new(made.in_memory());
        self.room = Some(Room { made, retained });
        Ok(())
    }

    /// Keeps parts of what is held. Collective; each rank copies a share of each.
    pub(crate) fn keep(&mut self, held: &Held, parts: &[Section]) -> dra::Result<()> {
        if parts.is_empty() {
            return Ok(());
        }
        let (rank, ranks) = (self.context.comm().rank() as u64, self.context.comm().size() as u64);
        let Room { retained, .. } = self.room.as_mut().expect("steps that keep something have room for it");
        // Whatever fails here: the other ranks make room for all of them as well.
        let copied =
            parts.iter().map(|part| retained.keep(held, part, (rank, ranks))).fold(Ok(()), Result::and);
        let array = Arc::clone(retained.array());
        // Others may still need this rank for what they copy.
        let met = array.meeting().map_or(Ok(()), |meeting| meeting());
        let copied = copied.and(met);
        self.agree(copied.and_then(|()| array.complete()))?;
        self.agree(array.see_others())
    }

    /// What is held of a box that was kept.
    ///
    /// # Panics
    /// If it was not.
    pub(crate) fn kept(&self, part: &Section) -> Vec<Held> {
        self.room.as_ref().unwrap_or_else(|| panic!("{part} was not kept")).retained.held(part)
    }

    /// Forgets boxes that were kept. The same on all ranks; local.
    pub(crate) fn forget(&mut self, parts: &[Section]) {
        if let Some(Room { retained, .. }) = &mut self.room {
            for part in parts {
                retained.forget(part);
            }
        }
    }

    /// Frees the room for what is kept, with all that is in it. Collective.
    pub(crate) fn free_room(&mut self) -> dra::Result<()> {
        let Some(Room { made, retained }) = self.room.take() else { return Ok(()) };
        drop(retained);
        self.free(made)
    }
}
