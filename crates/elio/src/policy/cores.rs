//! The cores of this node, and who else uses them.

use crate::sys::affinity::{self, CoreSet};
use crate::sys::fork::OfProcess;
use std::cell::Cell;
use std::env;
use std::io;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle, available_parallelism};

/// Ranks on this node, this one included, as the launchers of Open MPI, MPICH and Slurm tell; asked once.
pub fn ranks_on_node() -> u64 {
    static RANKS: OfProcess<OnceLock<u64>> = OfProcess::empty();
    *RANKS.get_or_init(told_ranks_on_node)
}

fn told_ranks_on_node() -> u64 {
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"]
        .iter()
        .find_map(|name| env::var(name).ok()?.parse::<u64>().ok())
        .unwrap_or(1)
        .max(1)
}

/// Cores that this process may run on, if the system tells; asked once, because it takes tens of microseconds, and never by a thread
/// that is confined.
fn cores() -> Option<u64> {
    static CORES: OfProcess<OnceLock<Option<u64>>> = OfProcess::empty();
    *CORES.get_or_init(|| available_parallelism().ok().map(|cores| cores.get() as u64))
}

/// Whether each rank of this node has a core, and there is one besides, for threads that work beside those of the ranks.
pub fn has_spare_core() -> bool {
    cores().is_none_or(|cores| ranks_on_node() < cores)
}

/// How many workers this rank finds cores for, beside the one that it computes on.
pub(crate) fn cores_for_workers() -> usize {
    let each = cores().map_or(u64::MAX, |cores| cores / ranks_on_node());
    usize::try_from(each.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// From now on the calling thread, and threads that it starts, take no core from another thread by waking up; they share as before with
/// those that are running. What cannot be done is left.
pub fn let_others_run_on() {
    told_if_refused(affinity::let_others_run_on());
}

/// The core that the calling thread is on at the moment, if the system tells.
pub fn current_core() -> Option<usize> {
    affinity::current_core()
}

/// A thread that was confined to one of its cores.
#[derive(Clone, Copy)]
struct Confined {
    to: usize,
    /// What it may run on otherwise; none where the system refused.
    given: Option<CoreSet>,
}

thread_local! {
    static CONFINED: Cell<Option<Confined>> = const { Cell::new(None) };
}

/// Confines the calling thread to one of the cores that it may run on, or gives all of them back. What cannot be done is left: it is
/// a matter of speed alone. Costs two system calls of a microsecond where something changes, and nothing otherwise.
pub fn confine_thread(core: Option<usize>) {
    CONFINED.with(|confined| {
        let now = confined.get();
        if now.map(|now| now.to) == core {
            return;
        }
        if let Some(given) = now.and_then(|now| now.given) {
            told_if_refused(given.keep_thread());
        }
        confined.set(core.map(|to| Confined { to, given: confined_to(to) }));
    });
}

/// Confines the calling thread, and tells what it had before.
fn confined_to(core: usize) -> Option<CoreSet> {
    cores();
    let given = told_if_refused(CoreSet::of_thread())?;
    told_if_refused(given.only(core)?.keep_thread()).map(|()| given)
}

fn told_if_refused<T>(answer: io::Result<T>) -> Option<T> {
    answer.inspect_err(|error| tracing::debug!(%error, "the kernel alone places threads for transfers")).ok()
}

/// Starts a thread, which may run on all cores that the calling one may while it is not confined.
pub(crate) fn start_thread(
    builder: Builder,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let given = CONFINED.get().and_then(|confined| confined.given);
    builder.spawn(move || {
        if let Some(given) = given {
            told_if_refused(given.keep_thread());
        }
        work();
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn cores_count() -> usize {
        available_parallelism().unwrap().get()
    }

    #[test]
    fn a_confined_thread_keeps_to_its_core_until_it_is_released_and_those_it_starts_do_not() {
        let all = cores_count();
        let core = current_core().unwrap();
        for _ in 0..2 {
            confine_thread(Some(core));
            assert_eq!((cores_count(), current_core()), (1, Some(core)));
            let started = start_thread(Builder::new(), move || assert_eq!(cores_count(), all));
            started.unwrap().join().expect("started with all cores");
        }
        confine_thread(None);
        assert_eq!(cores_count(), all);
    }

    /// The scheduling class of the calling thread, as the kernel counts them: see proc(5).
    fn scheduling_class() -> u32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let after_name = stat.rsplit_once(") ").expect("a name in brackets").1;
        after_name.split(' ').nth(41 - 3).unwrap().parse().unwrap()
    }

    #[test]
    fn a_thread_that_lets_others_run_on_is_of_the_batch_class_and_the_others_are_not() {
        let before = scheduling_class();
        let own = thread::spawn(|| {
            let_others_run_on();
            scheduling_class()
        });
        assert_eq!(own.join().unwrap(), libc::SCHED_BATCH.unsigned_abs());
        assert_eq!(scheduling_class(), before);
    }

    #[test]
    fn a_core_that_a_thread_may_not_run_on_changes_nothing() {
        let all = cores_count();
        for unknown in [8 * size_of::<libc::cpu_set_t>() - 1, usize::MAX] {
            confine_thread(Some(unknown));
            assert_eq!(cores_count(), all, "core {unknown}");
            thread::spawn(move || assert_eq!(cores_count(), all)).join().unwrap();
        }
        confine_thread(None);
        assert_eq!(cores_count(), all);
    }
}
