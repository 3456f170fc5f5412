//! Requests over several files: one memory, of which each file reads or writes a piece. Files that are striped over
//! several devices are made of them.

use super::Progress;
use crate::error::{Operation, Result};
use crate::file::File;
use crate::sys::foreign::{RequestBuffer, RequestBufferMut};
use std::ops::Range;

/// The next `len_bytes` bytes of a memory, and where they are on disk.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The file.
    pub file: &'a File,
    /// Where in the file.
    pub offset_bytes: u64,
    /// How much.
    pub len_bytes: usize,
}

/// A transfer between a buffer and several files, all of it under way at once. It owns its buffer; dropping it waits.
#[derive(Debug)]
pub struct SpreadRequest<B> {
    // Before the buffer: dropped first, which waits for the transfers that use it.
    pieces: Vec<(Progress, usize)>,
    /// Fills part of the buffer with zeros.
    clear: fn(&mut B, Range<usize>),
    buffer: B,
}

impl<B: RequestBufferMut> SpreadRequest<B> {
    /// Starts reading the pieces into `buffer`, one after the other.
    ///
    /// # Errors
    /// As [`File::submit_read`], before anything is started.
    ///
    /// # Panics
    /// If the pieces are more or less than the buffer has, as for all functions here.
    pub fn read(pieces: &[Piece<'_>], mut buffer: B) -> Result<Self> {
        check(pieces, Operation::AsyncRead)?;
        let started = start_reads(pieces, buffer.as_mut_bytes());
        Ok(Self { pieces: started, clear: |buffer, range| buffer.as_mut_bytes()[range].fill(0), buffer })
    }
}

impl<B: RequestBuffer> SpreadRequest<B> {
    /// Starts writing the pieces from `buffer`, one after the other. Less than 64 KiB for one file is taken at once.
    ///
    /// # Errors
    /// As [`File::submit_write`], before anything is started.
    pub fn write(pieces: &[Piece<'_>], buffer: B) -> Result<Self> {
        check(pieces, Operation::AsyncWrite)?;
        let started = start_writes(pieces, buffer.as_bytes());
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
        self.pieces.iter_mut().all(|(progress, _)| progress.test())
    }

    /// Whether all pieces were only copies, and have finished well and whole: there is nothing to wait for.
    pub fn is_done(&self) -> bool {
        self.pieces.iter().all(|(progress, len)| progress.bytes_if_done() == Some(*len))
    }

    /// Waits, and fills with zeros what reads have left of the buffer where a file ended before its piece did.
    ///
    /// # Errors
    /// As [`Self::wait`].
    pub fn clear_unread(&mut self) -> Result<()> {
        let mut start = 0;
        for (i, got) in self.wait()?.into_iter().enumerate() {
            let end = start + self.pieces[i].1;
            (self.clear)(&mut self.buffer, start + got..end);
            start = end;
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

/// Reads the pieces into `into`, one after the other, all of them at once. Gives the bytes of each: fewer than asked for
/// only at the end of that file.
///
/// # Errors
/// As [`File::submit_read`]; the first piece's that failed.
pub fn read_spread(pieces: &[Piece<'_>], into: &mut [u8]) -> Result<Vec<usize>> {
    check(pieces, Operation::Read)?;
    wait_for(&mut start_reads(pieces, into))
}

/// Writes the pieces from `from`, one after the other, all of them at once.
///
/// # Errors
/// As [`File::submit_write`]; the first piece's that failed.
pub fn write_spread(pieces: &[Piece<'_>], from: &[u8]) -> Result<()> {
    check(pieces, Operation::Write)?;
    wait_for(&mut start_writes(pieces, from)).map(drop)
}

fn check(pieces: &[Piece<'_>], operation: Operation) -> Result<()> {
    pieces
        .iter()
        .try_for_each(|piece| piece.file.handle().check(operation, piece.offset_bytes, piece.len_bytes))
}

/// The caller keeps `into` until what this gives is dropped.
fn start_reads(pieces: &[Piece<'_>], mut into: &mut [u8]) -> Vec<(Progress, usize)> {
    assert_eq!(
        pieces.iter().map(|piece| piece.len_bytes).sum::<usize>(),
        into.len(),
        "the pieces are the memory"
    );
    let mut started = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (first, rest) = into.split_at_mut(piece.len_bytes);
        started.push((Progress::read(piece.file.handle(), piece.offset_bytes, first), piece.len_bytes));
        into = rest;
    }
    started
}

/// As [`start_reads`].
fn start_writes(pieces: &[Piece<'_>], mut from: &[u8]) -> Vec<(Progress, usize)> {
    assert_eq!(
        pieces.iter().map(|piece| piece.len_bytes).sum::<usize>(),
        from.len(),
        "the pieces are the memory"
    );
    let mut started = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (first, rest) = from.split_at(piece.len_bytes);
        started.push((Progress::write(piece.file.handle(), piece.offset_bytes, first), piece.len_bytes));
        from = rest;
    }
    started
}

fn wait_for(pieces: &mut [(Progress, usize)]) -> Result<Vec<usize>> {
    // All of them, so that after an error nothing is under way either.
    let waited: Vec<_> = pieces.iter_mut().map(|(progress, _)| progress.wait()).collect();
    waited.into_iter().collect()
}
