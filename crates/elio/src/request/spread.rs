//! Requests over several places: one memory, of which each place in a file, or in several, reads or writes a piece. Files that
//! are striped over several devices are made of them.

use super::Progress;
use super::part::PART_BYTES_MIN;
use crate::error::{Operation, Result};
use crate::file::File;
use crate::sys::foreign::{RequestBuffer, RequestBufferMut};
use crate::sys::ring;
use std::ops::Range;

/// A piece of a memory, and where it is on disk.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// The file.
    pub file: &'a File,
    /// Where in the file.
    pub offset_bytes: u64,
    /// Which bytes of the memory. Pieces are given in the order of these; what lies between two is left alone.
    pub memory: Range<usize>,
}

/// A transfer between a buffer and several places, all of it under way at once. It owns its buffer; dropping it waits.
#[derive(Debug)]
pub struct SpreadRequest<B> {
    // Before the buffer: dropped first, which waits for the transfers that use it.
    pieces: Vec<Started>,
    /// Fills part of the buffer with zeros.
    clear: fn(&mut B, Range<usize>),
    buffer: B,
}

/// A piece under way, and the bytes of the memory that it moves.
type Started = (Progress, Range<usize>);

impl<B: RequestBufferMut> SpreadRequest<B> {
    /// Starts reading the pieces of `buffer`.
    ///
    /// # Errors
    /// As [`File::submit_read`], before anything is started.
    ///
    /// # Panics
    /// If the pieces are not in order, or not in the buffer, as for all functions here.
    pub fn read(pieces: &[Piece<'_>], mut buffer: B) -> Result<Self> {
        check(pieces, Operation::AsyncRead)?;
        let started = start_reads(pieces, buffer.as_mut_bytes(), Caller::GoesOn);
        Ok(Self { pieces: started, clear: |buffer, range| buffer.as_mut_bytes()[range].fill(0), buffer })
    }
}

impl<B: RequestBuffer> SpreadRequest<B> {
    /// Starts writing the pieces of `buffer`. Less than 64 KiB for one file is taken at once, as by [`File::submit_write`].
    ///
    /// # Errors
    /// As [`File::submit_write`], before anything is started.
    pub fn write(pieces: &[Piece<'_>], buffer: B) -> Result<Self> {
        check(pieces, Operation::AsyncWrite)?;
        let started = start_writes(pieces, buffer.as_bytes(), Caller::GoesOn);
        Ok(Self { pieces: started, clear: |_, _| {}, buffer })
    }
}

impl<B> SpreadRequest<B> {
    /// Waits until all pieces have finished; may be called again. Gives the bytes transferred for each: fewer than asked
    /// for only where a read met the end of that file.
    ///
    /// # Errors
    /// The first piece's that failed, every time.
    pub fn wait(&mut self) -> Result<Vec<usize>> {
        wait_for(&mut self.pieces)
    }

    /// Whether all pieces have finished, without waiting. Also moves them along.
    pub fn test(&mut self) -> bool {
        // All of them: each may be in another queue.
        self.pieces.iter_mut().fold(true, |done, (progress, _)| progress.test() && done)
    }

    /// Whether all pieces were only copies, and have finished well and whole: there is nothing to wait for.
    pub fn is_done(&self) -> bool {
        self.pieces.iter().all(|(progress, memory)| progress.bytes_if_done() == Some(memory.len()))
    }

    /// Waits, and fills with zeros what reads have left of the first `len` bytes of the buffer where a file ended before its piece did.
    ///
    /// # Errors
    /// As [`Self::wait`].
    pub fn clear_unread(&mut self, len: usize) -> Result<()> {
        let got = self.wait()?;
        for ((_, memory), got) in self.pieces.iter().zip(got) {
            let end = memory.end.min(len);
            (self.clear)(&mut self.buffer, end.min(memory.start + got)..end);
        }
        Ok(())
    }

    /// Waits and gives the buffer back, whether or not the files had all of it.
    ///
    /// # Errors
    /// As [`Self::wait`]; the buffer is dropped then.
    pub fn finish(mut self) -> Result<(Vec<usize>, B)> {
        let got = self.wait()?;
        Ok((got, self.buffer))
    }
}

/// Reads the pieces of `into`, all of them at once. Gives the bytes of each: fewer than asked for only at the end of that file.
///
/// # Errors
/// As [`File::submit_read`]; the first piece's that failed.
pub fn read_spread(pieces: &[Piece<'_>], into: &mut [u8]) -> Result<Vec<usize>> {
    check(pieces, Operation::Read)?;
    wait_for(&mut start_reads(pieces, into, Caller::Waits))
}

/// Writes the pieces of `from`, all of them at once.
///
/// # Errors
/// As [`File::submit_write`]; the first piece's that failed.
pub fn write_spread(pieces: &[Piece<'_>], from: &[u8]) -> Result<()> {
    check(pieces, Operation::Write)?;
    wait_for(&mut start_writes(pieces, from, Caller::Waits)).map(drop)
}

fn check(pieces: &[Piece<'_>], operation: Operation) -> Result<()> {
    pieces
        .iter()
        .try_for_each(|piece| piece.file.handle().check(operation, piece.offset_bytes, piece.memory.len()))
}

/// What is wrong with pieces that are not in order, or not in their memory.
const MISPLACED: &str = "pieces are in the memory, in its order";

/// What who starts a request does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    /// He waits for it.
    Waits,
    /// He has something else to do: pieces are not copied within the call if all of them together are too much for that.
    GoesOn,
}

impl Caller {
    /// How long a request is what decides whether its pieces are copied within the call; `None` if each decides for itself.
    fn whole_len(self, pieces: &[Piece<'_>]) -> Option<usize> {
        (self == Self::GoesOn).then(|| pieces.iter().map(|piece| piece.memory.len()).sum())
    }
}

/// The caller keeps `into` until what this gives is dropped.
fn start_reads(pieces: &[Piece<'_>], mut into: &mut [u8], caller: Caller) -> Vec<Started> {
    let (mut at, whole_len) = (0, caller.whole_len(pieces));
    let start = |piece: &Piece<'_>| {
        let memory = piece.memory.clone();
        let between = memory.start.checked_sub(at).expect(MISPLACED);
        let (_, rest) = std::mem::take(&mut into).split_at_mut_checked(between).expect(MISPLACED);
        let (this, rest) = rest.split_at_mut_checked(memory.len()).expect(MISPLACED);
        (into, at) = (rest, memory.end);
        let whole_len = whole_len.unwrap_or(this.len());
        (Progress::read(piece.file.handle(), piece.offset_bytes, this, whole_len), memory)
    };
    let _held = hold_if_short(pieces);
    pieces.iter().map(start).collect()
}

/// As [`start_reads`].
fn start_writes(pieces: &[Piece<'_>], from: &[u8], caller: Caller) -> Vec<Started> {
    let whole_len = caller.whole_len(pieces);
    let operation = match caller {
        Caller::Waits => Operation::Write,
        Caller::GoesOn => Operation::AsyncWrite,
    };
    let start = |piece: &Piece<'_>| {
        let bytes = from.get(piece.memory.clone()).expect(MISPLACED);
        let whole_len = whole_len.unwrap_or(bytes.len());
        let started = Progress::write(piece.file.handle(), operation, piece.offset_bytes, bytes, whole_len);
        (started, piece.memory.clone())
    };
    let _held = hold_if_short(pieces);
    pieces.iter().map(start).collect()
}

/// Short pieces are handed to the kernel together. Not the parts of long ones: those are separate so that the device has several at
/// a time, and the kernel would join them again.
fn hold_if_short(pieces: &[Piece<'_>]) -> Option<ring::Hold> {
    pieces.iter().all(|piece| piece.memory.len() <= PART_BYTES_MIN).then(ring::hold).flatten()
}

fn wait_for(pieces: &mut [Started]) -> Result<Vec<usize>> {
    // All of them, so that after an error nothing is under way either.
    let waited: Vec<_> = pieces.iter_mut().map(|(progress, _)| progress.wait()).collect();
    waited.into_iter().collect()
}
