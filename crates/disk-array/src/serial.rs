//! Transfers of one process between an array on disk and memory: brick by brick, each run of elements by itself. For tools and
//! tests; nothing is overlapped, and no memory is needed beside the caller's.

use crate::directory::ArrayDirectory;
use crate::error::{Error, Operation, Result, refused};
use crate::shard_file::ShardFile;
use section::{Layout, Runs, Section, Shape, size};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// A run of elements in one brick, in bytes.
struct Run {
    in_memory: Range<usize>,
    /// Where it begins in the brick.
    in_brick: u64,
}

impl ArrayDirectory {
    /// Reads the elements of `section`, in row-major order, as they are stored.
    ///
    /// # Errors
    /// - [`Error::OutOfRange`], [`Error::BufferLength`]: the section is not in the array, or `elements` not as long as it.
    /// - [`Error::CorruptShard`]: a shard that it lies in is damaged. What the system says.
    pub fn read(&self, section: &Section, elements: &mut [u8]) -> Result<()> {
        self.expect_fit(section, elements.len())?;
        let mut open: Option<(u64, Option<ShardFile>)> = None;
        for (coordinates, part) in self.parts(section) {
            let place = self.place(&coordinates);
            if open.as_ref().is_none_or(|(number, _)| *number != place.shard) {
                open = Some((place.shard, self.shard(place.shard)?));
            }
            let shard = open.as_ref().and_then(|(_, shard)| shard.as_ref());
            let from = shard.map_or(Ok(None), |shard| {
                shard.offset_bytes(place.slot).map(|at| at.map(|at| (shard, at)))
            })?;
            self.each_run(section, &coordinates, &part, |run| {
                let memory = &mut elements[run.in_memory];
                if let Some((shard, at)) = from {
                    return shard.read_at(memory, at + run.in_brick);
                }
                self.metadata().fill.fill(memory);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Writes the elements of `section`, given in row-major order as they are stored. In the page cache when this returns:
    /// [`sync`](Self::sync) makes it durable.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn write(&self, section: &Section, elements: &[u8]) -> Result<()> {
        self.expect_fit(section, elements.len())?;
        let mut open: Option<(u64, ShardFile)> = None;
        for (coordinates, part) in self.parts(section) {
            let place = self.place(&coordinates);
            let shard = match open.take() {
                Some((number, shard)) if number == place.shard => shard,
                _ => self.shard_for_writing(place.shard)?,
            };
            let brick_at = self.layout().shard().offset_bytes(place.slot);
            self.each_run(section, &coordinates, &part, |run| {
                let memory = &elements[run.in_memory];
                let written = shard.file().write_all_at(memory, brick_at + run.in_brick);
                written.map_err(refused(Operation::Write, shard.path()))
            })?;
            open = Some((place.shard, shard));
        }
        Ok(())
    }

    /// Makes all that was written durable.
    ///
    /// # Errors
    /// As [`shard`](Self::shard), or what the system says.
    pub fn sync(&self) -> Result<()> {
        for number in 0..self.layout().shards_count() {
            if let Some(shard) = self.shard(number)? {
                self.sync_shard(&shard)?;
            }
        }
        Ok(())
    }

    fn expect_fit(&self, section: &Section, got: usize) -> Result<()> {
        let (path, dims) = (self.path().to_owned(), self.metadata().dims);
        if !section.fits(&dims) {
            return Err(Error::OutOfRange { path, section: Box::new(*section), dims: dims.to_vec() });
        }
        let expected_bytes = section.len().saturating_mul(self.metadata().data_type.bytes());
        let got_bytes = got as u64;
        if got_bytes == expected_bytes {
            Ok(())
        } else {
            Err(Error::BufferLength { path, expected_bytes, got_bytes })
        }
    }

    /// The bricks that hold elements of `section`, and which.
    fn parts(&self, section: &Section) -> impl Iterator<Item = (Shape, Section)> {
        let (bricks, section) = (*self.layout().bricks(), *section);
        let some = !section.is_empty();
        let met = some.then(|| bricks.meeting(&section).indices()).into_iter().flatten();
        met.filter_map(move |coordinates| {
            Some((coordinates, section.clipped_to(&bricks.elements(&coordinates))?))
        })
    }

    /// The runs of `part`, the elements of `section` in the brick at `coordinates`.
    fn each_run(
        &self,
        section: &Section,
        coordinates: &[u64],
        part: &Section,
        mut visit: impl FnMut(Run) -> Result<()>,
    ) -> Result<()> {
        let element = size(self.metadata().data_type.bytes());
        let (bricks, counts) = (self.layout().bricks(), part.counts());
        let (memory, brick) = (Layout::dense(&section.counts()), Layout::dense(bricks.brick()));
        // The step of a single element does not matter, and may be longer than any brick.
        let steps = Shape::from_fn(counts.len(), |d| if counts[d] == 1 { 1 } else { part.step()[d] });
        let memory_first = memory.offset(&part.place_in(section));
        let brick_first = brick.offset_from(bricks.elements(coordinates).lo(), part.lo());
        let mut result = Ok(());
        Runs::new(&counts, &memory, &brick.stepped(&steps)).for_each(|in_memory, in_brick, len| {
            if result.is_ok() {
                let begin = (memory_first + in_memory) * element;
                let in_brick = ((brick_first + in_brick) * element) as u64;
                result = visit(Run { in_memory: begin..begin + len * element, in_brick });
            }
        });
        result
    }
}
