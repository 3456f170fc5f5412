//! The ranks that share arrays on disk, and what transfers need on each of them.

use crate::array::{Access, DiskArray};
use crate::error::{Error, Result};
use crate::format::ArraySpec;
use crate::opening;
use crate::owners::number_nodes;
use crate::transfer::engine::Engine;
use comm::{Comm, NumberedFailure};
use elio::{Device, File, Mode, OpenOptions};
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::path::Path;
use std::sync::Arc;

/// Memory for the buffers of a rank, if nothing is said.
const MEMORY_BYTES: u64 = 32 << 20;

/// What a program decides once for all its arrays on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Memory for the buffers of each rank, all transfers together; 32 MiB if nothing is said. It is used by I/O processes
    /// only. Bricks of more than half of it are moved in pieces, those of up to 1 MiB always whole: less than two bricks, and less than
    /// 2 MiB, is raised to the smaller of these. A transfer that is under way keeps the buffers that it began with.
    pub memory_bytes: Option<u64>,
    /// How many ranks read and write files, for arrays that do not say; two of each node if nothing is said.
    pub io_processes: Option<u32>,
}

/// Opens what holds the bytes of a shard: for tests and measurements, which count or hurt what passes through.
pub type OpenDevice = dyn Fn(&Path, Mode) -> elio::Result<Arc<dyn Device>> + Send + Sync;

/// The ranks that share arrays on disk. A clone is the same context.
#[derive(Clone, Debug)]
pub struct Context {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    // Before the communicator: its thread ends first.
    engine: Engine,
    comm: Arc<Comm>,
    node_of: Vec<usize>,
    settings: Settings,
    devices: Devices,
}

/// How shards are opened; `None`: as files of the system.
#[derive(Clone, Default)]
pub(crate) struct Devices(pub(crate) Option<Arc<OpenDevice>>);

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "devices of the program" } else { "files" })
    }
}

impl Devices {
    pub(crate) fn open(&self, path: &Path, options: &OpenOptions) -> elio::Result<File> {
        match &self.0 {
            Some(open) => Ok(File::on_device(open(path, options.mode)?, path, options)),
            None => File::open(path, options),
        }
    }
}

impl Context {
    /// A text that nobody else has, the same on every rank. Collective.
    ///
    /// # Errors
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn unique_text(&self) -> Result<String> {
        let mine = format!("{:016x}", RandomState::new().build_hasher().finish());
        Ok(self.comm().broadcast_text(mine, 0)?)
    }

    /// A context of all ranks of a communicator. Collective over them, as are all calls that say so.
    ///
    /// # Errors
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn new(comm: &Arc<Comm>, settings: Settings) -> Result<Self> {
        Self::make(comm, settings, Devices::default())
    }

    /// As [`new`](Self::new), with devices of the program's own under the shards that transfers use.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn on_devices(comm: &Arc<Comm>, settings: Settings, open: Arc<OpenDevice>) -> Result<Self> {
        Self::make(comm, settings, Devices(Some(open)))
    }

    fn make(comm: &Arc<Comm>, settings: Settings, devices: Devices) -> Result<Self> {
        let node_of = number_nodes(comm)?;
        let engine = Engine::new(settings.memory_bytes.unwrap_or(MEMORY_BYTES));
        let comm = Arc::clone(comm);
        Ok(Self { inner: Arc::new(Inner { engine, comm, node_of, settings, devices }) })
    }

    /// The ranks.
    pub fn comm(&self) -> &Arc<Comm> {
        &self.inner.comm
    }

    /// Makes an array at `path`, in place of one of ours; its elements are zero. Collective, with the same arguments. Durable
    /// when it returns. The ranks share the work of making the shards. Hosts that have a directory of their own each make a part, all or none.
    ///
    /// # Errors
    /// The same on every rank; then an old array is still there, or there is none:
    /// - [`Error::ArgumentsDiffer`]: the ranks want different arrays.
    /// - [`Error::Parts`]: some hosts share the directory and others do not.
    /// - [`Error::OnRank`]: one of [`Creation::begin`](crate::Creation::begin) or of [`ArraySpec::layout`] on a rank.
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn create(&self, path: &Path, spec: &ArraySpec, access: Access) -> Result<DiskArray> {
        let _span = tracing::debug_span!("create an array on disk", path = %path.display()).entered();
        opening::create(self, path, spec, access)
    }

    /// Opens the array at `path`, ours or any that [`ArrayDirectory::open`](crate::ArrayDirectory::open) takes. Collective,
    /// with the same arguments; any number of ranks. For writing, shards that another program has rewritten are laid out as
    /// ours first. Where a program was killed between hosts that replaced their parts of an array, all have the new one when this returns.
    ///
    /// # Errors
    /// The same on every rank:
    /// - [`Error::ArgumentsDiffer`]: the ranks want different arrays, or find different ones.
    /// - [`Error::Parts`]: a part of the array is on none of the hosts.
    /// - [`Error::OnRank`]: one of [`ArrayDirectory::open`](crate::ArrayDirectory::open) on a rank, or, for writing, of
    ///   [`ArrayDirectory::shard_for_writing`](crate::ArrayDirectory::shard_for_writing).
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn open(&self, path: &Path, access: Access) -> Result<DiskArray> {
        let _span = tracing::debug_span!("open an array on disk", path = %path.display()).entered();
        opening::open(self, path, access)
    }

    /// Removes the array of ours at `path`, or what is left of one whose creation or deletion was interrupted; nothing there
    /// is no error. Collective, with the same argument, and on every host. Nobody may have it open.
    ///
    /// # Errors
    /// The same on every rank: [`Error::ArgumentsDiffer`], [`Error::Comm`], or [`Error::OnRank`] if it is something else, which
    /// is not touched, or cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<()> {
        opening::remove(self, path)
    }

    /// Every rank's value if all succeeded; otherwise, on every rank, the error of the lowest one that failed, as
    /// [`Error::OnRank`] with its legacy number. Collective. For callers with mistakes of their own to find before a
    /// collective call. Cost: a reduction, and two broadcasts if something failed.
    ///
    /// # Errors
    /// - [`Error::OnRank`], [`Error::Comm`].
    pub fn agree<T>(&self, mine: Result<T>) -> Result<T> {
        self.agree_alike(mine, 0).map(|(value, _)| value)
    }

    /// As [`agree`](Self::agree), and refuses ranks that give different arguments.
    pub(crate) fn agree_on<T>(
        &self,
        operation: &'static str,
        path: &Path,
        arguments: &impl Hash,
        mine: Result<T>,
    ) -> Result<T> {
        let mut hasher = DefaultHasher::new();
        (operation, path, arguments).hash(&mut hasher);
        let (value, alike) = self.agree_alike(mine, hasher.finish())?;
        if alike { Ok(value) } else { Err(Error::ArgumentsDiffer { operation, path: path.to_owned() }) }
    }

    fn agree_alike<T>(&self, mine: Result<T>, token: u64) -> Result<(T, bool)> {
        self.comm().agree_numbered(mine, Error::code, token).map_err(|failure| match failure {
            NumberedFailure::OnRank { rank, number, message } => {
                Error::OnRank { rank, code: number, message }
            }
            NumberedFailure::Comm(error) => Error::Comm(error),
        })
    }

    /// Memory for the buffers of this rank, as the program has decided, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.inner.settings.memory_bytes.unwrap_or(MEMORY_BYTES)
    }

    /// Leaves the buffers of this rank only so much of [`memory_bytes`](Self::memory_bytes), and the rest to the caller, until
    /// what is returned is dropped; what is too little is raised as there. Local. Not while another such limit is there.
    pub fn limit_memory(&self, memory_bytes: u64) -> MemoryLimit {
        self.engine().set_memory_bytes(memory_bytes.min(self.memory_bytes()));
        MemoryLimit { context: self.clone() }
    }

    /// The most memory that the buffers of this rank ever took, in bytes.
    pub fn memory_bytes_peak(&self) -> u64 {
        self.engine().memory_bytes_peak()
    }

    pub(crate) fn devices(&self) -> &Devices {
        &self.inner.devices
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// For each rank the number of its node.
    pub(crate) fn node_of(&self) -> &[usize] {
        &self.inner.node_of
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.node_of().iter().max().map_or(0, |last| last + 1)
    }

    /// The ranks on this rank's node, in order.
    pub(crate) fn ranks_here(&self) -> Vec<usize> {
        let node = self.node_of()[self.comm().rank()];
        (0..self.node_of().len()).filter(|&rank| self.node_of()[rank] == node).collect()
    }

    /// How many I/O processes an array that asks for `wanted` shall have; 0 or less is as many as the program has decided.
    pub(crate) fn io_processes_wanted(&self, wanted: i64) -> Option<u32> {
        u32::try_from(wanted).ok().filter(|&wanted| wanted > 0).or(self.inner.settings.io_processes)
    }
}

/// Less memory for buffers than the program has given, see [`Context::limit_memory`].
#[derive(Debug)]
pub struct MemoryLimit {
    context: Context,
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        self.context.engine().set_memory_bytes(self.context.memory_bytes());
    }
}
