//! An asynchronous transfer under way.

use crate::error::Result;
use crate::storage::Storage;
use aggregate::HeldWrite;
use elio::Operation;
use std::sync::Arc;

/// A transfer under way. It owns its buffer; dropping it waits, for other ranks, too: they read what was written.
#[derive(Debug)]
pub struct Request<B> {
    transfer: Transfer<B>,
    /// For what the wait may need; `None` if the transfer has finished well already.
    storage: Option<Arc<Storage>>,
    offset_bytes: u64,
    len_bytes: usize,
    is_write: bool,
}

#[derive(Debug)]
enum Transfer<B> {
    /// Of a plain file.
    Plain(elio::Request<B>),
    /// Of a striped file, and how much it got once that is known.
    Striped(elio::SpreadRequest<B>, Option<usize>),
    /// Held for all ranks of the node.
    Held(HeldWrite, B),
}

/// What a request is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) offset_bytes: u64,
    pub(crate) len_bytes: usize,
}

impl<B> Transfer<B> {
    /// Whether it was only a copy of `len_bytes` and has finished well: there is nothing to wait for.
    fn is_done(&self, len_bytes: usize) -> bool {
        match self {
            Self::Plain(inner) => inner.bytes_if_done() == Some(len_bytes),
            Self::Striped(inner, _) => inner.is_done(),
            Self::Held(..) => false,
        }
    }
}

impl<B> Request<B> {
    pub(crate) fn plain(
        inner: elio::Request<B>,
        storage: &Arc<Storage>,
        range: Range,
        is_write: bool,
    ) -> Self {
        Self::new(Transfer::Plain(inner), storage, range, is_write)
    }

    pub(crate) fn striped(
        inner: elio::SpreadRequest<B>,
        storage: &Arc<Storage>,
        range: Range,
        is_write: bool,
    ) -> Self {
        Self::new(Transfer::Striped(inner, None), storage, range, is_write)
    }

    pub(crate) fn held(write: HeldWrite, buffer: B, storage: &Arc<Storage>, range: Range) -> Self {
        Self::new(Transfer::Held(write, buffer), storage, range, true)
    }

    fn new(transfer: Transfer<B>, storage: &Arc<Storage>, range: Range, is_write: bool) -> Self {
        let Range { offset_bytes, len_bytes } = range;
        let storage = (!transfer.is_done(len_bytes)).then(|| Arc::clone(storage));
        Self { transfer, storage, offset_bytes, len_bytes, is_write }
    }

    /// Waits until the transfer has finished; may be called again, with the same result. After the wait for a write every
    /// rank reads what was written.
    ///
    /// # Errors
    /// - [`Error::EndOfFile`](crate::Error::EndOfFile): a read met the end; what there is has been copied.
    /// - [`Error::Device`](crate::Error::Device), [`Error::Stripe`](crate::Error::Stripe): the transfer failed.
    pub fn wait(&mut self) -> Result<()> {
        let _span = tracing::trace_span!("wait for a shared file", bytes = self.len_bytes).entered();
        let got = self.wait_bytes()?;
        let Some(storage) = &self.storage else { return Ok(()) };
        storage.expect_all(got, self.len_bytes, self.offset_bytes)
    }

    fn wait_bytes(&mut self) -> Result<usize> {
        let Some(storage) = &self.storage else { return Ok(self.len_bytes) };
        match &mut self.transfer {
            Transfer::Plain(inner) => Ok(inner.wait()?),
            Transfer::Held(write, _) => Ok(write.wait().map(|()| self.len_bytes)?),
            Transfer::Striped(_, Some(got)) => Ok(*got),
            Transfer::Striped(inner, got) => {
                let range = Range { offset_bytes: self.offset_bytes, len_bytes: self.len_bytes };
                let operation = if self.is_write { Operation::AsyncWrite } else { Operation::AsyncRead };
                let before_end = wait_for_stripes(inner, storage, range)
                    .map_err(|error| storage.of_stripe(operation, range, error))?;
                *got = Some(before_end);
                Ok(before_end)
            }
        }
    }

    /// The request, unless it has finished well and there is nothing to wait for: then it counts as waited for.
    pub fn unfinished(self) -> Option<Self> {
        if self.storage.is_none() { None } else { Some(self) }
    }

    /// Whether the transfer has finished, without waiting. Also moves it along.
    pub fn is_finished(&mut self) -> bool {
        match &mut self.transfer {
            Transfer::Plain(inner) => inner.test(),
            Transfer::Striped(inner, _) => inner.test(),
            Transfer::Held(write, _) => write.test(),
        }
    }

    /// Whether this is a write.
    pub fn is_write(&self) -> bool {
        self.is_write
    }

    /// Waits and gives back the bytes transferred and the buffer. A read that met the end of the file is no error here:
    /// fewer bytes than asked for say so.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Stripe`](crate::Error::Stripe): the transfer failed; the buffer is dropped.
    pub fn finish(mut self) -> Result<(usize, B)> {
        let got = self.wait_bytes()?;
        let buffer = match self.transfer {
            Transfer::Plain(inner) => inner.finish()?.1,
            Transfer::Striped(inner, _) => inner.finish()?.1,
            Transfer::Held(_, buffer) => buffer,
        };
        Ok((got, buffer))
    }
}

/// Waits for all stripes; gives how much of the range is before the end of the file.
fn wait_for_stripes<B>(
    request: &mut elio::SpreadRequest<B>,
    storage: &Storage,
    range: Range,
) -> elio::Result<usize> {
    let got: usize = request.wait()?.into_iter().sum();
    if got == range.len_bytes {
        return Ok(got);
    }
    let before_end = storage.bytes_before_end(range.offset_bytes, range.len_bytes)?;
    // Holes; what is past the end stays as it is.
    request.clear_unread(before_end)?;
    Ok(before_end)
}
