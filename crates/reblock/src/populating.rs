//! Memory of boxes is brought into being while the device reads into what is there already.

use dra::ArrayInMemory;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The first transfers are asked for at once and bring what they fill into being themselves: two threads at one page would both clear it.
const FIRST_BYTES: usize = 8 << 20;

/// A thread that brings memory into being, one array after the other. It has to be dropped before they are freed, and it stops then.
#[derive(Debug)]
pub(crate) struct Populating {
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Populating {
    /// Starts with arrays in the order in which they will be filled. Where no thread can be had, or nothing is to be gained, they are as
    /// good as before.
    pub(crate) fn start(arrays: Vec<Arc<dyn ArrayInMemory>>) -> Self {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let is_told = Arc::clone(&is_stopped);
        let work = move || {
            let mut first = FIRST_BYTES;
            for array in arrays {
                let mut next = Some(std::mem::take(&mut first));
                while let Some(from) = next
                    && !is_told.load(Ordering::Relaxed)
                {
                    next = array.populate(from);
                }
            }
        };
        let started = thread::Builder::new().name("chemio-populate".to_owned()).spawn(work);
        let thread =
            started.inspect_err(|error| tracing::debug!(%error, "no thread that touches memory ahead")).ok();
        Self { is_stopped, thread }
    }
}

impl Drop for Populating {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the thread that touches memory ahead panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dra::{DataType, MemoryError};
    use section::{Section, Shape};
    use std::fmt;
    use std::sync::atomic::AtomicU64;
    use std::sync::mpsc::channel;

    const MIB: usize = 1 << 20;

    /// Memory that nobody reads or writes.
    struct Memory<F>(F);

    impl<F> fmt::Debug for Memory<F> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("memory of a test")
        }
    }

    impl<F: Fn(usize) -> Option<usize> + Send + Sync> ArrayInMemory for Memory<F> {
        fn populate(&self, from_bytes: usize) -> Option<usize> {
            (self.0)(from_bytes)
        }

        fn name(&self) -> String {
            unreachable!()
        }

        fn data_type(&self) -> DataType {
            unreachable!()
        }

        fn dims(&self) -> Shape {
            unreachable!()
        }

        fn any_thread(&self) -> bool {
            unreachable!()
        }

        fn complete(&self) -> Result<(), MemoryError> {
            unreachable!()
        }

        fn see_others(&self) -> Result<(), MemoryError> {
            unreachable!()
        }

        fn get(&self, _: &Section, _: &mut [u8], _: &Shape) -> Result<(), MemoryError> {
            unreachable!()
        }

        fn put(&self, _: &Section, _: &[u8], _: &Shape) -> Result<(), MemoryError> {
            unreachable!()
        }
    }

    #[test]
    fn memory_is_touched_in_the_order_in_which_it_is_filled_but_for_what_is_filled_first() {
        let (told, heard) = channel();
        let arrays = [13 * MIB, 5 * MIB].map(|bytes| {
            let told = told.clone();
            let populate = move |from| {
                told.send((bytes, from)).unwrap();
                Some(from + 4 * MIB).filter(|&next| next < bytes)
            };
            Arc::new(Memory(populate)) as Arc<dyn ArrayInMemory>
        });
        let _populating = Populating::start(arrays.to_vec());
        drop((told, arrays));
        let touched = [(13, 8), (13, 12), (5, 0), (5, 4)].map(|(bytes, from)| (bytes * MIB, from * MIB));
        assert_eq!(heard.iter().collect::<Vec<_>>(), touched);
    }

    #[test]
    fn memory_without_end_is_touched_until_that_is_dropped() {
        let touched = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&touched);
        let populating = Populating::start(vec![Arc::new(Memory(move |from| {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(from)
        }))]);
        while touched.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        drop(populating);
        let when_dropped = touched.load(Ordering::Relaxed);
        thread::yield_now();
        assert_eq!((touched.load(Ordering::Relaxed), Arc::strong_count(&touched)), (when_dropped, 1));
    }
}
