//! Memory for the elements of tiles. What the system does not give is an error, and not the end of the program.

use crate::error::{Error, Result};
use rustix::io::Errno;
use std::io;
use std::sync::{Mutex, PoisonError};

/// So much has to be left for all that is small: where there is no memory for that, the program ends where it is.
const LEFT_BYTES_MIN: usize = 8 << 20;

/// Gives `memory` its length in bytes. It may hold anything then.
///
/// # Errors
/// - [`Error::NoMemory`]: the system has no more.
pub(crate) fn resize(memory: &mut Vec<u8>, bytes: usize) -> Result<()> {
    reserve(memory, bytes)?;
    memory.resize(bytes, 0);
    Ok(())
}

/// So many times `value`.
///
/// # Errors
/// - [`Error::NoMemory`]: the system has no more.
pub(crate) fn filled<T: Copy>(value: T, count: usize) -> Result<Vec<T>> {
    let mut all = vec![];
    reserve(&mut all, count)?;
    all.resize(count, value);
    Ok(all)
}

/// Room for `count` in all.
fn reserve<T>(all: &mut Vec<T>, count: usize) -> Result<()> {
    if count <= all.capacity() {
        return Ok(());
    }
    let more = count - all.len();
    let no_memory = |_| Errno::NOMEM.into();
    given(count.saturating_mul(size_of::<T>()), || all.try_reserve_exact(more).map_err(no_memory))
}

/// What `take` takes of the system, `bytes` in all.
///
/// # Errors
/// - [`Error::NoMemory`]: the system has no more, or nearly so.
pub(super) fn given<T>(bytes: usize, take: impl FnOnce() -> io::Result<T>) -> Result<T> {
    static TAKING: Mutex<()> = Mutex::new(());
    let no_memory = |source| Error::NoMemory { bytes, source };
    // Of two threads that take what is left in turns, both would fail.
    let _taking = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
    expect_free(bytes.saturating_add(LEFT_BYTES_MIN)).map_err(no_memory)?;
    take().map_err(no_memory)
}

/// Asks for memory at once, and gives it back: where there is not so much, other threads keep what there is.
fn expect_free(bytes: usize) -> io::Result<()> {
    let mut memory: Vec<u8> = vec![];
    let result = memory.try_reserve_exact(bytes);
    // It is not used, and would not be asked for.
    std::hint::black_box(&memory);
    result.map_err(|_| Errno::NOMEM.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_gets_its_length_or_an_error() {
        let mut memory = vec![1; 3];
        resize(&mut memory, 5).unwrap();
        assert_eq!(memory.len(), 5);
        resize(&mut memory, 2).unwrap();
        assert_eq!(memory.len(), 2);
        let error = resize(&mut memory, usize::MAX / 2).unwrap_err();
        assert!(matches!(error, Error::NoMemory { bytes, .. } if bytes == usize::MAX / 2), "{error}");
        assert_eq!(filled(7u64, 2).unwrap(), [7, 7]);
        assert!(matches!(filled(7u64, usize::MAX), Err(Error::NoMemory { .. })));
    }
}
