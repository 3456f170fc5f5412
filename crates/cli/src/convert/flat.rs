//! Elements in a file, one after the other from some byte on, little-endian: plain binary, `.npy` after its header, contiguous
//! HDF5 datasets.

use crate::error::{Error, Result, refused};
use crate::scan::is_zero;
use crate::scan::memory::filled;
use elio::{File, Mode, OpenOptions};
use rustix::fs::SeekFrom;
use section::{Layout, Runs, Section, Shape, size};
use std::path::Path;

/// What is zero in whole blocks of this size is left a hole.
const BLOCK_BYTES: u64 = 64 << 10;

/// In which order elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The last index varies fastest.
    LastFastest,
    /// The first index varies fastest.
    FirstFastest,
}

/// Where elements are.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Of the first element.
    pub(super) offset_bytes: u64,
    pub(super) dims: Shape,
    pub(super) element_bytes: u64,
    pub(super) order: Order,
}

impl Place {
    fn len_bytes(&self) -> u64 {
        self.dims.checked_len().unwrap_or(u64::MAX).saturating_mul(self.element_bytes)
    }
}

/// Elements to be written, in the order in which the last index varies fastest.
#[derive(Debug)]
pub(super) struct Sink {
    file: File,
    place: Place,
}

impl Sink {
    /// In the file `path`, which has what comes before the elements. It gets its length; they are zero.
    pub(super) fn open(path: &Path, place: Place) -> Result<Self> {
        let options = OpenOptions { keeps_holes: true, ..OpenOptions::new(Mode::Existing) };
        let file = File::open(path, &options)?;
        let too_long = || {
            Error::BadArgument(format!("an array of shape {:?} is too large for a file", place.dims.to_vec()))
        };
        let len_bytes = place.offset_bytes.checked_add(place.len_bytes()).ok_or_else(too_long)?;
        file.set_len(len_bytes.max(file.len()?))?;
        Ok(Self { file, place })
    }

    /// Writes the elements of `tile`, which lie in `memory` in row-major order. Any number of threads.
    pub(super) fn write(&self, tile: &Section, memory: &[u8]) -> Result<()> {
        let element = size(self.place.element_bytes);
        let (in_file, dense) = (Layout::dense(&self.place.dims), Layout::dense(&tile.counts()));
        let first = in_file.offset(tile.lo());
        let mut result = Ok(());
        Runs::new(&tile.counts(), &in_file, &dense).for_each(|file_at, tile_at, len| {
            if result.is_ok() {
                let offset_bytes = self.place.offset_bytes + ((first + file_at) * element) as u64;
                let elements = &memory[tile_at * element..(tile_at + len) * element];
                result = self.write_run(offset_bytes, elements);
            }
        });
        result
    }

    /// Writes what is not zero.
    fn write_run(&self, offset_bytes: u64, elements: &[u8]) -> Result<()> {
        let mut written = 0;
        while written < elements.len() {
            let zeros = blocks_while(offset_bytes, elements, written, is_zero);
            let end = blocks_while(offset_bytes, elements, zeros, |block| !is_zero(block));
            if end > zeros {
                self.file.write_at(offset_bytes + zeros as u64, &elements[zeros..end])?;
            }
            written = end;
        }
        Ok(())
    }

    /// Ends: all of it is on the device.
    pub(super) fn finish(self) -> Result<()> {
        self.file.sync()?;
        Ok(self.file.close()?)
    }
}

/// Where the first block from `begin` on is that is not such; blocks begin at multiples of their size in the file.
fn blocks_while(offset_bytes: u64, elements: &[u8], begin: usize, is_such: impl Fn(&[u8]) -> bool) -> usize {
    let mut at = begin;
    while at < elements.len() {
        let left = BLOCK_BYTES - (offset_bytes + at as u64) % BLOCK_BYTES;
        let end = (at + size(left)).min(elements.len());
        if !is_such(&elements[at..end]) {
            break;
        }
        at = end;
    }
    at
}

/// Elements to be read.
#[derive(Debug)]
pub(super) struct Elements {
    file: File,
    /// The same file, to ask for holes.
    holes: std::fs::File,
    place: Place,
}

impl Elements {
    /// In the file `path`, which must hold them all.
    pub(super) fn open(path: &Path, place: Place) -> Result<Self> {
        let file = File::open(path, &OpenOptions::new(Mode::Read))?;
        let (got, from) = (file.len()?, place.offset_bytes);
        if place.offset_bytes.saturating_add(place.len_bytes()) <= got {
            let holes = std::fs::File::open(path).map_err(refused("open", path))?;
            return Ok(Self { file, holes, place });
        }
        let dims = place.dims.to_vec();
        let reason =
            format!("{got} bytes, {} needed for shape {dims:?} from byte {from} on", place.len_bytes());
        Err(Error::BadFile { path: path.to_owned(), reason })
    }

    /// Whether `tile`, with all that lies between its elements, is in a hole of the file, and so zero.
    pub(super) fn is_hole(&self, tile: &Section) -> bool {
        let (dims, tile) = match self.place.order {
            Order::LastFastest => (self.place.dims, *tile),
            Order::FirstFastest => (self.place.dims.reversed(), tile.reversed()),
        };
        let in_file = Layout::dense(&dims);
        let first = in_file.offset(tile.lo()) as u64;
        let span = in_file.span(&tile.counts()) as u64;
        let place = |element: u64| self.place.offset_bytes + element * self.place.element_bytes;
        match rustix::fs::seek(&self.holes, SeekFrom::Data(place(first))) {
            Ok(data) => data >= place(first + span),
            Err(rustix::io::Errno::NXIO) => true,
            Err(_) => false,
        }
    }

    /// Reads the elements of `tile` into `memory`, in row-major order. Any number of threads.
    pub(super) fn read(&self, tile: &Section, memory: &mut [u8]) -> Result<()> {
        if self.place.order == Order::LastFastest {
            return self.read_in_order(&self.place.dims, tile, memory);
        }
        let mut stored = filled(0, memory.len())?;
        self.read_in_order(&self.place.dims.reversed(), &tile.reversed(), &mut stored)?;
        reverse(tile, size(self.place.element_bytes), &stored, memory);
        Ok(())
    }

    fn read_in_order(&self, dims: &Shape, tile: &Section, memory: &mut [u8]) -> Result<()> {
        let element = size(self.place.element_bytes);
        let (in_file, dense) = (Layout::dense(dims), Layout::dense(&tile.counts()));
        let first = in_file.offset(tile.lo());
        let mut result = Ok(());
        Runs::new(&tile.counts(), &in_file, &dense).for_each(|file_at, tile_at, len| {
            if result.is_ok() {
                let offset_bytes = self.place.offset_bytes + ((first + file_at) * element) as u64;
                result =
                    self.read_run(offset_bytes, &mut memory[tile_at * element..(tile_at + len) * element]);
            }
        });
        result
    }

    fn read_run(&self, offset_bytes: u64, elements: &mut [u8]) -> Result<()> {
        if self.file.read_at(offset_bytes, elements)? == elements.len() {
            return Ok(());
        }
        let reason = "became shorter while it was read".to_owned();
        Err(Error::BadFile { path: self.file.path().to_owned(), reason })
    }
}

/// Elements of `tile` with the first index fastest, into memory where the last is.
fn reverse(tile: &Section, element_bytes: usize, from: &[u8], to: &mut [u8]) {
    let counts = tile.counts();
    let order: Vec<usize> = (0..counts.len()).rev().collect();
    let stored = Layout::dense(&counts.reversed()).permuted(&order);
    Runs::new(&counts, &stored, &Layout::dense(&counts)).for_each(|a, b, len| {
        let (a, b, len) = (a * element_bytes, b * element_bytes, len * element_bytes);
        to[b..b + len].copy_from_slice(&from[a..a + len]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    fn place(dims: &[u64], order: Order) -> Place {
        Place { offset_bytes: 24, dims: Shape::new(dims).unwrap(), element_bytes: 8, order }
    }

    #[test]
    fn tiles_make_a_file_in_any_order_and_come_out_of_it_in_either() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(&path, [1; 24]).unwrap();
        let dims = [5u64, 7, 3];
        let sink = Sink::open(&path, place(&dims, Order::LastFastest)).unwrap();
        let value = |i: u64, j: u64, k: u64| i * 100 + j * 10 + k + 1;
        let tiles = [[[0, 0, 0], [5, 4, 2]], [[0, 4, 0], [5, 7, 3]], [[0, 0, 2], [5, 4, 3]]];
        let elements = |tile: &Section| -> Vec<u8> {
            tile.indices().flat_map(|at| value(at[0], at[1], at[2]).to_le_bytes()).collect()
        };
        for [lo, hi] in tiles.iter().rev() {
            let tile = Section::new(lo, hi).unwrap();
            sink.write(&tile, &elements(&tile)).unwrap();
        }
        sink.finish().unwrap();
        let whole = Section::whole(&dims).unwrap();
        let stored = fs::read(&path).unwrap();
        assert!(stored[..24] == [1; 24] && stored[24..] == elements(&whole));
        for order in [Order::LastFastest, Order::FirstFastest] {
            let dims = if order == Order::LastFastest { dims } else { [3, 7, 5] };
            let source = Elements::open(&path, place(&dims, order)).unwrap();
            for tile in [Section::whole(&dims).unwrap(), Section::new(&[1, 2, 0], &[3, 5, 2]).unwrap()] {
                let mut got = vec![0; size(tile.len() * 8)];
                source.read(&tile, &mut got).unwrap();
                let expected: Vec<u8> = tile
                    .indices()
                    .flat_map(|at| match order {
                        Order::LastFastest => value(at[0], at[1], at[2]).to_le_bytes(),
                        Order::FirstFastest => value(at[2], at[1], at[0]).to_le_bytes(),
                    })
                    .collect();
                assert!(got == expected, "{order:?} {tile:?}");
            }
        }
    }

    #[test]
    fn zeros_are_holes_and_what_is_beside_them_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(&path, [1; 24]).unwrap();
        let len = 1 << 20;
        let sink = Sink::open(&path, place(&[len], Order::LastFastest)).unwrap();
        let mut elements = vec![0; size(len * 8)];
        elements[1_000_000] = 7;
        sink.write(&Section::whole(&[len]).unwrap(), &elements).unwrap();
        sink.finish().unwrap();
        let file = fs::metadata(&path).unwrap();
        assert!(file.len() == 24 + len * 8 && file.blocks() * 512 < 256 << 10, "{} blocks", file.blocks());
        assert!(fs::read(&path).unwrap()[24..] == elements);
    }

    #[test]
    fn a_file_that_is_too_short_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(&path, [0; 24 + 79]).unwrap();
        let error = Elements::open(&path, place(&[10], Order::LastFastest)).unwrap_err();
        assert!(error.to_string().starts_with("103 bytes, 80 needed"), "{error}");
    }
}
