//! Memory of boxes is brought into being while the device reads into what is there already.

use dra::ArrayInMemory;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A thread that brings memory into being, one array after the other, each from the end of this rank's part: transfers fill it from its
/// beginning, and touch what is not there yet themselves. Two threads at one page both clear it, and one that was in front would be
/// overtaken by a fast device, with which it would then keep step. It has to be dropped before the arrays are freed, and stops then.
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
            for array in arrays {
                let mut before = Some(usize::MAX);
                while let Some(to) = before
                    && !is_told.load(Ordering::Relaxed)
                {
                    before = array.populate(to);
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
    use std::time::{Duration, Instant};

    /// Memory that nobody reads or writes.
    struct Memory<F>(F);

    impl<F> fmt::Debug for Memory<F> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("memory of a test")
        }
    }

    impl<F: Fn(usize) -> Option<usize> + Send + Sync> ArrayInMemory for Memory<F> {
        fn populate(&self, before: usize) -> Option<usize> {
            (self.0)(before)
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
    fn arrays_are_touched_in_the_order_in_which_they_are_filled_each_from_its_end() {
        let (told, heard) = channel();
        let arrays = [13, 5].map(|mebibytes: usize| {
            let told = told.clone();
            let populate = move |before: usize| {
                let from = before.min(mebibytes).checked_sub(1)? / 4 * 4;
                told.send((mebibytes, from)).unwrap();
                Some(from)
            };
            Arc::new(Memory(populate)) as Arc<dyn ArrayInMemory>
        });
        let _populating = Populating::start(arrays.to_vec());
        drop((told, arrays));
        let touched = [(13, 12), (13, 8), (13, 4), (13, 0), (5, 4), (5, 0)];
        assert_eq!(heard.iter().collect::<Vec<_>>(), touched);
    }

    #[test]
    fn memory_without_end_is_touched_until_that_is_dropped() {
        let touched = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&touched);
        let populating = Populating::start(vec![Arc::new(Memory(move |before| {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(before)
        }))]);
        let begun = Instant::now();
        while touched.load(Ordering::Relaxed) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "no thread");
            thread::yield_now();
        }
        drop(populating);
        let when_dropped = touched.load(Ordering::Relaxed);
        thread::yield_now();
        assert_eq!((touched.load(Ordering::Relaxed), Arc::strong_count(&touched)), (when_dropped, 1));
    }
}
