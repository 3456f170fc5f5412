//! Writes that somebody else keeps, to make several of them at once: other processes, too, may make them. For this process they are under way:
//! whatever overlaps one comes after it, by any handle; and they reach the kernel as soon as what is gathered here does.

use crate::device::Route;
use crate::error::{Operation, Result};
use crate::file::{File, Handle};
use crate::stream::housekeeping;
use crate::sys::exit;
use crate::sys::gather::Gather;
use crate::sys::transfer::{Direction, write_all};
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A write that is kept.
pub trait HeldWrite: Debug + Send + Sync {
    /// Whether nobody has to make it any more: it was made, or has failed.
    fn is_done(&self) -> bool;

    /// Returns when that is so. Errors are told to who waits for it.
    fn hand_over(&self);

    /// As [`hand_over`](Self::hand_over), but waits no longer than so for others; tells whether it is so.
    fn hand_over_within(&self, time: Duration) -> bool;
}

impl File {
    /// Starts an asynchronous write that `hold` keeps, after all that this process has asked for before at the same place. `None` if
    /// `hold` does not take it, writes there do not go through the page cache, or what comes before has failed: then the caller has to make it.
    ///
    /// # Errors
    /// Those of [`File::submit_write`].
    pub fn hold_write<H: HeldWrite + 'static>(
        &self,
        offset_bytes: u64,
        len: usize,
        hold: impl FnOnce() -> Option<Arc<H>>,
    ) -> Result<Option<Arc<H>>> {
        let handle = self.handle();
        handle.check(Operation::AsyncWrite, offset_bytes, len)?;
        let range = offset_bytes..offset_bytes + len as u64;
        if exit::finishes_writes()
            || handle.write_route(&range) != Route::Cached
            || handle.settle(&range, Direction::Write).is_err()
        {
            return Ok(None);
        }
        let write = handle.counted_if(|counters| &counters.awrite, len, hold, Option::is_some);
        if let Some(write) = &write {
            let weak: Weak<H> = Arc::downgrade(write);
            handle.inode().note_held(weak, range.clone());
            // From now on nothing is read ahead there, and what was is old as soon as anybody makes it.
            handle.inode().invalidate_read_ahead(&range);
            housekeeping::call();
            // Nobody hands over any more what comes now.
            if exit::finishes_writes() {
                write.hand_over();
            }
        }
        Ok(write)
    }

    /// Waits for such a write of so many bytes.
    pub fn wait_for_held<T>(&self, len: usize, wait: impl FnOnce() -> T) -> T {
        self.handle().counted(|counters| &counters.wait, len, wait)
    }

    /// Makes writes that were held, one after the other from `offset_bytes` on: what they had to come after was there
    /// before they were held, and nothing here waits for anybody. [`after_held`](Self::after_held) is to be called afterwards.
    ///
    /// # Errors
    /// Those of a write; some of it may be written then.
    pub fn write_held(&self, offset_bytes: u64, from: &Gather) -> Result<()> {
        let (handle, len) = (self.handle(), from.len_bytes());
        handle.check(Operation::AsyncWrite, offset_bytes, len)?;
        handle
            .write_held(&(offset_bytes..offset_bytes + len as u64), from)
            .map_err(|source| handle.transfer_error(Operation::AsyncWrite, offset_bytes, len, source))
    }

    /// What follows [`write_held`](Self::write_held) of so many bytes: the device gets them early. Whoever waits for such writes need not
    /// wait for this.
    pub fn after_held(&self, offset_bytes: u64, len: usize) {
        let (handle, range) = (self.handle(), offset_bytes..offset_bytes.saturating_add(len as u64));
        handle.note_write(handle.route_of_write(&range, false), range);
    }

    /// The length in bytes as the system has it now, without what is held or in flight.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub fn len_now(&self) -> Result<u64> {
        let handle = self.handle();
        handle.whole_file(Operation::Length, handle.device.len())
    }
}

impl Handle {
    fn write_held(&self, range: &Range<u64>, from: &Gather) -> io::Result<()> {
        let route = self.route_of_write(range, false);
        from.pieces().iter().for_each(|piece| piece.map_pages());
        if route == Route::Cached && from.is_one_access() && self.write_pieces(range, from.pieces())? {
            return Ok(());
        }
        let mut at = range.start;
        for piece in from.pieces() {
            let mut bytes = vec![0; piece.len()];
            piece.copy_to(&mut bytes);
            write_all(&*self.device, route, at, &bytes)?;
            at += piece.len() as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use crate::{CachePolicy, MemoryPiece, Mode, OpenOptions, Sharing};
    use std::sync::Mutex;
    use std::time::Instant;

    /// Kept in memory, and written by whoever hands it over.
    #[derive(Debug)]
    struct Kept {
        file: Arc<File>,
        at: u64,
        bytes: Mutex<Option<Vec<u8>>>,
    }

    impl HeldWrite for Kept {
        fn is_done(&self) -> bool {
            self.bytes.lock().unwrap().is_none()
        }

        fn hand_over(&self) {
            if let Some(mut bytes) = self.bytes.lock().unwrap().take() {
                let mut pieces = Gather::for_writing();
                let (first, rest) = bytes.split_at_mut(10);
                for piece in [first, rest] {
                    // SAFETY: `bytes` lives on, and nobody else uses it.
                    pieces.push(unsafe { MemoryPiece::new(piece.as_mut_ptr(), piece.len()) });
                }
                self.file.write_held(self.at, &pieces).unwrap();
                self.file.after_held(self.at, pieces.len_bytes());
            }
        }

        fn hand_over_within(&self, _time: Duration) -> bool {
            self.hand_over();
            true
        }
    }

    fn open(directory: &tempfile::TempDir, cache: CachePolicy) -> Arc<File> {
        let options = OpenOptions { sharing: Sharing::Shared, cache, ..OpenOptions::new(Mode::ReadWrite) };
        Arc::new(File::open(directory.path().join("file"), &options).unwrap())
    }

    fn hold(file: &Arc<File>, at: u64, byte: u8) -> Option<Arc<Kept>> {
        let bytes = Mutex::new(Some(vec![byte; 1000]));
        file.hold_write(at, 1000, || Some(Arc::new(Kept { file: Arc::clone(file), at, bytes }))).unwrap()
    }

    #[test]
    fn what_overlaps_one_comes_after_it_by_whatever_handle_and_the_rest_leaves_it_alone() {
        let directory = tempfile::tempdir().unwrap();
        let (file, other) = (open(&directory, CachePolicy::Auto), open(&directory, CachePolicy::Bypass));
        let Some(held) = hold(&file, 5000, 7) else { return };
        let begin = Instant::now();
        other.write_at(6000, &[1; 10]).unwrap();
        other.read_at(0, &mut [0; 5000]).unwrap();
        // Housekeeping comes after twice as long at the earliest.
        assert!(!held.is_done() || begin.elapsed() > Duration::from_millis(30));
        let mut found = [0; 2];
        other.read_at(5999, &mut found).unwrap();
        assert_eq!((found, held.is_done()), ([7, 1], true));
        let again = hold(&file, 5000, 8).unwrap();
        other.write_at(5999, &[9; 3]).unwrap();
        other.read_at(5998, &mut found).unwrap();
        assert_eq!((found, again.is_done()), ([8, 9], true));
        let last = hold(&file, 9000, 1).unwrap();
        assert_eq!((other.len().unwrap(), last.is_done()), (10_000, true));
        let synced = hold(&file, 9000, 2).unwrap();
        other.sync().unwrap();
        assert!(synced.is_done());
        let cut = hold(&file, 9000, 3).unwrap();
        other.set_len(9500).unwrap();
        assert_eq!((other.len().unwrap(), cut.is_done()), (9500, true));
    }

    #[test]
    fn who_reads_ahead_of_himself_neither_waits_for_one_nor_has_what_was_there_before() {
        let directory = tempfile::tempdir().unwrap();
        let file = open(&directory, CachePolicy::Auto);
        file.write_at(0, &vec![1; 300_000]).unwrap();
        file.flush().unwrap();
        let alone = File::open(directory.path().join("file"), &OpenOptions::new(Mode::ReadWrite)).unwrap();
        for is_asynchronous in [false, true] {
            let Some(held) = hold(&file, 5000, 7) else { return };
            let mut found = vec![];
            for at in (0..100_000).step_by(1000) {
                if at == 50_000 {
                    let next = hold(&file, 60_000, 8).unwrap();
                    next.hand_over();
                }
                if is_asynchronous {
                    found.extend(alone.submit_read(at, vec![0; 1000]).unwrap().finish().unwrap().1);
                } else {
                    let mut record = [0; 1000];
                    alone.read_at(at, &mut record).unwrap();
                    found.extend(record);
                }
            }
            let expected = |at: usize| match at / 1000 {
                5 => 7,
                60 => 8,
                _ => 1,
            };
            assert!(found.iter().enumerate().all(|(at, &byte)| byte == expected(at)));
            assert!(held.is_done());
        }
    }

    #[test]
    fn what_was_asked_for_before_is_written_before() {
        let directory = tempfile::tempdir().unwrap();
        let file = open(&directory, CachePolicy::Auto);
        let earlier = file.submit_write(0, vec![1; 4 << 20]).unwrap();
        let Some(held) = hold(&file, 1 << 20, 2) else { return };
        held.hand_over();
        earlier.finish().unwrap();
        let mut found = [0; 3];
        file.read_at((1 << 20) + 998, &mut found).unwrap();
        assert_eq!(found, [2, 2, 1]);
    }

    #[test]
    fn it_is_handed_over_soon_and_what_is_gone_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let file = open(&directory, CachePolicy::Auto);
        let Some(held) = hold(&file, 0, 1) else { return };
        let begin = Instant::now();
        while !held.is_done() && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(held.is_done());
        drop(hold(&file, 0, 2));
        file.handle().inode().forget_done();
        assert!(file.handle().inode().is_settled());
    }

    #[test]
    fn what_does_not_go_through_the_page_cache_is_not_held() {
        let directory = tempfile::tempdir().unwrap();
        let file = open(&directory, CachePolicy::Bypass);
        let is_in_memory = file.properties().in_memory();
        assert_eq!(hold(&file, 0, 1).is_some(), is_in_memory || !file.properties().drop_behind);
        assert!(file.hold_write(u64::MAX, 1, || None::<Arc<Kept>>).is_err());
    }
}
