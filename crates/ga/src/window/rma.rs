//! Windows of MPI: passive-target RMA with one `lock_all` for a window's life.
//!
//! Only contiguous transfers of predefined types, and flushes: transfers by derived types and by requests are where
//! implementations lose data or crash. What is not contiguous at the target goes in several transfers; what is only
//! scattered here is packed first.

use super::outstanding::{Kind, Outstanding};
use super::{Move, Pending, shared};
use crate::element::with_element;
use crate::{Element, ElementType, Error, Result, Scalar};
use comm::{Comm, Mpi, ffi};
use section::{Layout, Runs};
use std::ops::Range;
use std::os::raw::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest transfer in one call, in bytes: MPI counts with an int.
const TRANSFER_BYTES_MAX: usize = 1 << 30;

/// After so many transfers to one target it is flushed: some implementations keep a message for each.
const TRANSFERS_MAX: usize = 4096;

/// One window.
#[derive(Debug)]
pub(super) struct RmaWindow {
    raw: ffi::MPI_Win,
    mpi: Arc<Mpi>,
    outstanding: Mutex<Outstanding>,
    freed: AtomicBool,
}

// SAFETY: the handle means the same in every thread; calls are preceded by `Mpi::enter`.
unsafe impl Send for RmaWindow {}
// SAFETY: as above.
unsafe impl Sync for RmaWindow {}

impl RmaWindow {
    /// Exposes memory of this rank. Collective.
    ///
    /// # Safety
    /// The memory is there until the window is freed.
    pub(super) unsafe fn create(comm: &Comm, memory: *mut u8, bytes: u64) -> Result<Self> {
        let hinted = |source| Error::Window { hint: hint(), source };
        let mpi = comm.mpi().clone();
        let entered = mpi.enter()?;
        let bytes = ffi::MPI_Aint::try_from(bytes).expect("what is in memory has a size");
        // SAFETY: a constant of MPI's.
        let mut raw = unsafe { ffi::RSMPI_WIN_NULL };
        // SAFETY: the caller's promise; bytes are the unit of displacements; errors are returned by this communicator.
        let code = unsafe {
            ffi::MPI_Win_create(memory.cast(), bytes, 1, ffi::RSMPI_INFO_NULL, comm.raw(), &raw mut raw)
        };
        comm::Error::check("MPI_Win_create", code).map_err(hinted)?;
        // SAFETY: the window is new.
        unsafe { ffi::MPI_Win_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN) };
        // SAFETY: as above. Nobody locks exclusively.
        let code = unsafe { ffi::MPI_Win_lock_all(0, raw) };
        comm::Error::check("MPI_Win_lock_all", code).map_err(hinted)?;
        drop(entered);
        Ok(Self { raw, mpi, outstanding: Mutex::default(), freed: AtomicBool::new(false) })
    }

    /// Gives the window back. Collective; every operation of every rank is complete.
    pub(super) fn free(&self) -> Result<()> {
        let _entered = self.mpi.enter()?;
        if self.freed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let mut raw = self.raw;
        // SAFETY: the window is ours, and nobody uses it any more: `freed` is looked at before each use.
        let (unlocked, freed) = unsafe { (ffi::MPI_Win_unlock_all(raw), ffi::MPI_Win_free(&raw mut raw)) };
        check("MPI_Win_unlock_all", unlocked)?;
        check("MPI_Win_free", freed)
    }

    /// Whether it was given back.
    pub(super) fn is_free(&self) -> bool {
        self.freed.load(Ordering::Acquire)
    }

    /// # Safety
    /// As [`Window::put`](super::Window::put).
    pub(super) unsafe fn put(&self, to: &Move, from: *const u8, pending: &mut Pending) -> Result<()> {
        let bytes = to.element_type.bytes();
        self.begin(to, Kind::Put)?;
        pending.await_target(to.rank);
        let (mut source, mut layout) = (from, to.local);
        if worth_packing(to) {
            layout = Layout::dense(&to.counts);
            // SAFETY: the caller's promise.
            let packed = unsafe { pack(to, from) };
            source = packed.as_ptr();
            pending.keep(packed);
        }
        self.transfers(to, Kind::Put, &layout, |local, remote, len| {
            // SAFETY: both lie in the memory that the caller or `pack` vouches for, for as long as `pending` lives.
            let code = unsafe {
                let count = int(len * bytes);
                let (from, datatype) = (source.add(local * bytes).cast(), byte());
                ffi::MPI_Put(
                    from,
                    count,
                    datatype,
                    int(to.rank),
                    displacement(remote * bytes),
                    count,
                    datatype,
                    self.raw,
                )
            };
            check("MPI_Put", code)
        })
    }

    /// # Safety
    /// As [`Window::get`](super::Window::get).
    pub(super) unsafe fn get(&self, from: &Move, to: *mut u8, pending: &mut Pending) -> Result<()> {
        let bytes = from.element_type.bytes();
        self.begin(from, Kind::Get)?;
        pending.await_target(from.rank);
        let (mut target, mut layout) = (to, from.local);
        if worth_packing(from) {
            layout = Layout::dense(&from.counts);
            let mut packed = vec![0u8; packed_bytes(from)];
            target = packed.as_mut_ptr();
            // SAFETY: the caller's promise; the runs are those of the packed elements.
            unsafe { pending.unpack(packed, Runs::new(&from.counts, &layout, &from.local), bytes, to) };
        }
        self.transfers(from, Kind::Get, &layout, |local, remote, len| {
            // SAFETY: as for `put`.
            let code = unsafe {
                let count = int(len * bytes);
                let (to, datatype) = (target.add(local * bytes).cast(), byte());
                ffi::MPI_Get(
                    to,
                    count,
                    datatype,
                    int(from.rank),
                    displacement(remote * bytes),
                    count,
                    datatype,
                    self.raw,
                )
            };
            check("MPI_Get", code)
        })
    }

    /// # Safety
    /// As [`Window::accumulate`](super::Window::accumulate).
    pub(super) unsafe fn accumulate(
        &self,
        to: &Move,
        from: *const u8,
        alpha: Scalar,
        pending: &mut Pending,
    ) -> Result<()> {
        let bytes = to.element_type.bytes();
        self.begin(to, Kind::Accumulate)?;
        pending.await_target(to.rank);
        // Packed in any case: it is scaled on the way.
        // SAFETY: the caller's promise.
        let mut packed = unsafe { pack(to, from) };
        with_element!(to.element_type, T => scale::<T>(&mut packed, alpha));
        let source = packed.as_ptr();
        pending.keep(packed);
        let (datatype, per_element) = real_datatype(to.element_type);
        self.transfers(to, Kind::Accumulate, &Layout::dense(&to.counts), |local, remote, len| {
            let count = int(len * per_element);
            // SAFETY: as for `put`.
            let code = unsafe {
                let from = source.add(local * bytes).cast();
                let (rank, at) = (int(to.rank), displacement(remote * bytes));
                ffi::MPI_Accumulate(
                    from,
                    count,
                    datatype,
                    rank,
                    at,
                    count,
                    datatype,
                    ffi::RSMPI_SUM,
                    self.raw,
                )
            };
            check("MPI_Accumulate", code)
        })
    }

    /// # Safety
    /// As [`Window::fetch_add`](super::Window::fetch_add).
    pub(super) unsafe fn fetch_add(
        &self,
        rank: usize,
        element: usize,
        element_type: ElementType,
        increment: i64,
    ) -> Result<i64> {
        let bytes = element_type.bytes();
        if self.is_free() {
            return Err(crate::Error::Removed);
        }
        self.settle(rank, &(element * bytes..(element + 1) * bytes), Kind::Accumulate)?;
        // In the low bytes, which come first here, it is both an int and a long.
        let (increment, mut found) = (increment.to_ne_bytes(), [0u8; 8]);
        let (datatype, _) = real_datatype(element_type);
        {
            let _entered = self.mpi.enter()?;
            // SAFETY: locals that live until the flush below.
            let code = unsafe {
                let (from, to) = (increment.as_ptr().cast(), found.as_mut_ptr().cast());
                let at = displacement(element * bytes);
                ffi::MPI_Fetch_and_op(from, to, datatype, int(rank), at, ffi::RSMPI_SUM, self.raw)
            };
            check("MPI_Fetch_and_op", code)?;
        }
        self.flush(rank)?;
        #[expect(clippy::cast_possible_truncation, reason = "an int is in the low bytes")]
        Ok(match element_type {
            ElementType::Int => i64::from(i64::from_ne_bytes(found) as i32),
            _ => i64::from_ne_bytes(found),
        })
    }

    /// Waits until the operations to `rank` are complete there, and local memory is free.
    ///
    /// Local completion alone (`MPI_Win_flush_local`) would do for most callers, but Open MPI 4.1 hangs in it after larger
    /// transfers to several targets (component `osc/pt2pt`).
    pub(super) fn flush(&self, rank: usize) -> Result<()> {
        let entered = self.mpi.enter()?;
        if self.is_free() {
            // All was complete before.
            return Ok(());
        }
        // SAFETY: the window was not freed.
        check("MPI_Win_flush", unsafe { ffi::MPI_Win_flush(int(rank), self.raw) })?;
        drop(entered);
        self.outstanding().completed(rank);
        Ok(())
    }

    /// Waits until all operations are complete at their targets.
    pub(super) fn flush_all(&self) -> Result<()> {
        let targets = self.outstanding().targets();
        targets.into_iter().map(|rank| self.flush(rank)).fold(Ok(()), Result::and)
    }

    /// Synchronises the two copies that MPI may have of the memory.
    pub(super) fn see_others(&self) -> Result<()> {
        let _entered = self.mpi.enter()?;
        if self.is_free() {
            return Ok(());
        }
        // SAFETY: the window was not freed, and is locked.
        check("MPI_Win_sync", unsafe { ffi::MPI_Win_sync(self.raw) })
    }

    fn outstanding(&self) -> MutexGuard<'_, Outstanding> {
        self.outstanding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that a move meets no earlier operation, and remembers it.
    fn begin(&self, what: &Move, kind: Kind) -> Result<()> {
        if self.is_free() {
            // Whoever keeps an array that was removed.
            return Err(crate::Error::Removed);
        }
        let bytes = what.bytes();
        self.settle(what.rank, &bytes, kind)?;
        self.outstanding().note(what.rank, bytes, kind);
        Ok(())
    }

    /// Flushes the target if an earlier operation to these bytes is in the way.
    pub(super) fn settle(&self, rank: usize, bytes: &Range<usize>, kind: Kind) -> Result<()> {
        let conflicts = self.outstanding().conflicts(rank, bytes, kind);
        if conflicts { self.flush(rank) } else { Ok(()) }
    }

    /// Calls `transfer` for each contiguous run of a move, cut to what MPI counts: offsets in local memory and in the part, and
    /// length, in elements.
    fn transfers(
        &self,
        what: &Move,
        kind: Kind,
        local: &Layout,
        mut transfer: impl FnMut(usize, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let len_max = TRANSFER_BYTES_MAX / what.element_type.bytes();
        let mut result = Ok(());
        let mut begun = 0;
        let mut entered = Some(self.mpi.enter()?);
        Runs::new(&what.counts, local, &what.remote).for_each(|a, b, len| {
            for start in (0..len).step_by(len_max) {
                if result.is_err() {
                    return;
                }
                begun += 1;
                result = transfer(a + start, what.first + b + start, len_max.min(len - start));
                if begun % TRANSFERS_MAX == 0 {
                    entered = None;
                    result = std::mem::replace(&mut result, Ok(())).and_then(|()| self.flush(what.rank));
                    // What comes now is not complete.
                    self.outstanding().note(what.rank, what.bytes(), kind);
                    match self.mpi.enter() {
                        Ok(again) => entered = Some(again),
                        Err(error) => result = Err(error.into()),
                    }
                }
            }
        });
        drop(entered);
        result
    }
}

/// Whether packing makes longer runs at the target.
fn worth_packing(what: &Move) -> bool {
    let dense = Layout::dense(&what.counts);
    Runs::new(&what.counts, &what.local, &what.remote).run_len()
        < Runs::new(&what.counts, &dense, &what.remote).run_len()
}

fn packed_bytes(what: &Move) -> usize {
    section::size(what.counts.iter().product::<u64>()) * what.element_type.bytes()
}

/// The elements of a move, in row-major order.
///
/// # Safety
/// `from` can be read as the move says.
unsafe fn pack(what: &Move, from: *const u8) -> Vec<u8> {
    let mut packed = vec![0u8; packed_bytes(what)];
    let runs = Runs::new(&what.counts, &what.local, &Layout::dense(&what.counts));
    let to = packed.as_mut_ptr();
    // SAFETY: the caller's promise; `packed` has room for all elements.
    unsafe { shared::copy(&runs, what.element_type.bytes(), |a, b| (from.add(a), to.add(b))) };
    packed
}

/// Multiplies packed elements by `alpha`.
fn scale<T: Element>(packed: &mut [u8], alpha: Scalar) {
    let alpha = T::from_scalar(alpha).expect("alpha has the type of the array");
    if alpha == T::one() {
        return;
    }
    let elements = packed.as_mut_ptr().cast::<T>();
    for i in 0..packed.len() / size_of::<T>() {
        // SAFETY: there are so many elements; every bit pattern is one.
        unsafe { elements.add(i).write_unaligned(elements.add(i).read_unaligned().times(alpha)) };
    }
}

/// The datatype that an element consists of, and how many of it. Complex numbers are added in parts.
fn real_datatype(element_type: ElementType) -> (ffi::MPI_Datatype, usize) {
    // SAFETY: constants of MPI's.
    unsafe {
        match element_type {
            ElementType::Int => (ffi::RSMPI_INT32_T, 1),
            ElementType::Long => (ffi::RSMPI_INT64_T, 1),
            ElementType::Float => (ffi::RSMPI_FLOAT, 1),
            ElementType::Double => (ffi::RSMPI_DOUBLE, 1),
            ElementType::SingleComplex => (ffi::RSMPI_FLOAT, 2),
            ElementType::DoubleComplex => (ffi::RSMPI_DOUBLE, 2),
        }
    }
}

fn byte() -> ffi::MPI_Datatype {
    // SAFETY: a constant of MPI's.
    unsafe { ffi::RSMPI_UINT8_T }
}

fn check(call: &'static str, code: c_int) -> Result<()> {
    Ok(comm::Error::check(call, code)?)
}

/// What usually helps when this MPI cannot make a window.
fn hint() -> &'static str {
    if comm::library_name() == "Open MPI" {
        ": no one-sided transport of this Open MPI reaches them; start with `--mca osc sm,pt2pt` or set OMPI_MCA_osc=sm,pt2pt, and initialise MPI below MPI_THREAD_MULTIPLE"
    } else {
        ""
    }
}

/// A count or a rank: both are below 2^31.
fn int(value: usize) -> c_int {
    c_int::try_from(value).expect("below 2^31")
}

fn displacement(bytes: usize) -> ffi::MPI_Aint {
    ffi::MPI_Aint::try_from(bytes).expect("what is in memory has a size")
}
