//! The least of MPI that the tests of the launcher need, made safe: a world and windows of 64-bit numbers.

use std::ffi::{c_int, c_void};
use std::ptr;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::ffi::{
    self, MPI_Accumulate, MPI_Aint, MPI_Alloc_mem, MPI_Comm, MPI_Comm_dup, MPI_Comm_free,
    MPI_Comm_set_errhandler, MPI_Comm_size, MPI_Comm_split_type, MPI_Error_class, MPI_Fetch_and_op,
    MPI_Free_mem, MPI_Get, MPI_Put, MPI_Win, MPI_Win_allocate, MPI_Win_create, MPI_Win_flush, MPI_Win_free,
    MPI_Win_lock_all, MPI_Win_sync, MPI_Win_unlock_all,
};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::{AsRaw, CommunicatorCollectives};

/// MPI, initialised; dropping it ends MPI.
pub(crate) struct World {
    comm: SimpleCommunicator,
    _universe: Universe,
}

impl World {
    pub(crate) fn start() -> Self {
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Funneled).expect("it is not initialised yet");
        Self { comm: universe.world(), _universe: universe }
    }

    pub(crate) fn place(&self) -> (usize, usize) {
        (self.rank(), self.ranks_count())
    }

    pub(crate) fn rank(&self) -> usize {
        usize::try_from(self.comm.rank()).expect("ranks are not negative")
    }

    pub(crate) fn ranks_count(&self) -> usize {
        usize::try_from(self.comm.size()).expect("sizes are not negative")
    }

    /// The rank after this one, which is on the other host if there is one rank on each.
    pub(crate) fn next(&self) -> usize {
        (self.rank() + 1) % self.ranks_count()
    }

    pub(crate) fn barrier(&self) {
        self.comm.barrier();
    }

    pub(crate) fn abort(code: i32) {
        SimpleCommunicator::world().abort(code);
    }

    /// The number of ranks that MPI takes to be on this node. Collective.
    pub(crate) fn node_size(&self) -> usize {
        let mut size = 0;
        // SAFETY: the world is a valid communicator, the results go to locals, and the new communicator is freed here.
        unsafe {
            let mut node = ffi::RSMPI_COMM_NULL;
            let (kind, info) = (ffi::RSMPI_COMM_TYPE_SHARED, ffi::RSMPI_INFO_NULL);
            MPI_Comm_split_type(self.comm.as_raw(), kind, 0, info, &raw mut node);
            MPI_Comm_size(node, &raw mut size);
            MPI_Comm_free(&raw mut node);
        }
        usize::try_from(size).expect("sizes are not negative")
    }
}

/// How the memory of a window comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Create,
    Allocate,
}

/// A window of 64-bit numbers on every rank, all of them locked for its life. An error of its calls ends the job: that is how
/// MPI has it for windows.
pub(crate) struct Window<'a> {
    world: &'a World,
    comm: MPI_Comm,
    raw: MPI_Win,
    memory: *mut i64,
    kind: Kind,
}

impl<'a> Window<'a> {
    /// A window of `len` zeros on every rank, or MPI's error class. Collective.
    pub(crate) fn new(world: &'a World, kind: Kind, len: usize) -> Result<Self, i32> {
        // SAFETY: errors are returned on a communicator of our own, results go to locals, and the memory holds `len` numbers.
        unsafe {
            let mut comm = ffi::RSMPI_COMM_NULL;
            MPI_Comm_dup(world.comm.as_raw(), &raw mut comm);
            MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN);
            let (raw, memory) = make(kind, len, comm)?;
            ptr::write_bytes(memory, 0, len);
            MPI_Win_lock_all(0, raw);
            MPI_Win_sync(raw);
            world.barrier();
            Ok(Self { world, comm, raw, memory, kind })
        }
    }

    pub(crate) fn put(&self, rank: usize, index: usize, values: &[i64]) {
        let (count, number) = (int(values.len()), number());
        // SAFETY: MPI checks the target; the values live until the flush is over.
        unsafe {
            MPI_Put(values.as_ptr().cast(), count, number, int(rank), aint(index), count, number, self.raw);
            MPI_Win_flush(int(rank), self.raw);
        }
    }

    pub(crate) fn get(&self, rank: usize, index: usize, len: usize) -> Vec<i64> {
        let mut values = vec![0; len];
        let (count, number) = (int(len), number());
        // SAFETY: MPI checks the target; the values live until the flush is over.
        unsafe {
            MPI_Get(
                values.as_mut_ptr().cast(),
                count,
                number,
                int(rank),
                aint(index),
                count,
                number,
                self.raw,
            );
            MPI_Win_flush(int(rank), self.raw);
        }
        values
    }

    /// Adds `value` and gives what was there before.
    pub(crate) fn fetch_add(&self, rank: usize, index: usize, value: i64) -> i64 {
        let mut before = 0_i64;
        let sent: *const i64 = &raw const value;
        let found: *mut i64 = &raw mut before;
        // SAFETY: both numbers live until the flush is over; the operation is predefined.
        unsafe {
            let sum = ffi::RSMPI_SUM;
            MPI_Fetch_and_op(sent.cast(), found.cast(), number(), int(rank), aint(index), sum, self.raw);
            MPI_Win_flush(int(rank), self.raw);
        }
        before
    }

    pub(crate) fn accumulate(&self, rank: usize, index: usize, values: &[i64]) {
        let (count, number) = (int(values.len()), number());
        let data = values.as_ptr().cast();
        // SAFETY: MPI checks the target; the values live until the flush is over.
        unsafe {
            let sum = ffi::RSMPI_SUM;
            MPI_Accumulate(data, count, number, int(rank), aint(index), count, number, sum, self.raw);
            MPI_Win_flush(int(rank), self.raw);
        }
    }

    /// Waits for all ranks, each of which has flushed what it did. Collective.
    pub(crate) fn settle(&self) {
        self.world.barrier();
        // SAFETY: the window is valid and locked.
        unsafe { MPI_Win_sync(self.raw) };
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // The others are not here: waiting for them would hide the message.
        }
        // SAFETY: everything was made in `new` and is used no more; all ranks drop their windows.
        unsafe {
            MPI_Win_unlock_all(self.raw);
            MPI_Win_free(&raw mut self.raw);
            if self.kind == Kind::Create {
                MPI_Free_mem(self.memory.cast());
            }
            MPI_Comm_free(&raw mut self.comm);
        }
    }
}

/// # Safety
/// `comm` must be a valid communicator whose errors are returned.
unsafe fn make(kind: Kind, len: usize, comm: MPI_Comm) -> Result<(MPI_Win, *mut i64), i32> {
    let (bytes, unit) = (aint(len * size_of::<i64>()), int(size_of::<i64>()));
    let mut memory: *mut c_void = ptr::null_mut();
    let address: *mut *mut c_void = &raw mut memory;
    // SAFETY: results go to locals; both calls that give memory want the address of the pointer.
    let (code, window) = unsafe {
        let (mut window, info) = (ffi::RSMPI_WIN_NULL, ffi::RSMPI_INFO_NULL);
        let code = match kind {
            Kind::Create => {
                MPI_Alloc_mem(bytes, info, address.cast());
                MPI_Win_create(memory, bytes, unit, info, comm, &raw mut window)
            }
            Kind::Allocate => MPI_Win_allocate(bytes, unit, info, comm, address.cast(), &raw mut window),
        };
        (code, window)
    };
    if code == 0 { Ok((window, memory.cast())) } else { Err(class_of(code)) }
}

fn class_of(code: c_int) -> i32 {
    let mut class = 0;
    // SAFETY: the result goes to a local.
    unsafe { MPI_Error_class(code, &raw mut class) };
    class
}

fn number() -> ffi::MPI_Datatype {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_INT64_T }
}

fn int(value: usize) -> c_int {
    c_int::try_from(value).expect("small numbers only")
}

fn aint(value: usize) -> MPI_Aint {
    MPI_Aint::try_from(value).expect("small numbers only")
}
