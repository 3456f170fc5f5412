//! The ranks of the program, their nodes, and the arrays they share.

use crate::array::ArrayBuilder;
use crate::mutex::Mutexes;
use crate::path::Path;
use crate::window::{LockTable, Window};
use crate::{ElementType, Group, Result};
use comm::Comm;
use std::sync::atomic::{AtomicI64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What every array needs: the ranks, who is on which node, and how they reach each other. A clone is the same context.
///
/// All clones and arrays dropped, MPI is finalised if and only if making the context initialised it.
#[derive(Clone, Debug)]
pub struct Context {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    world: Group,
    path: Path,
    /// For each rank the number of its node, from 0 in the order of their first ranks.
    node_of: Vec<usize>,
    locks: Arc<LockTable>,
    /// The windows of live arrays that have operations to complete.
    windows: Mutex<Vec<Weak<Window>>>,
    /// Arrays with a window of MPI that this rank has removed, and others of their group have not yet.
    abandoned: Mutex<Vec<Abandoned>>,
    arrays_made: AtomicI64,
    mutexes: Mutex<Option<Arc<Mutexes>>>,
}

/// See [`Context::abandon`].
#[derive(Debug)]
struct Abandoned {
    group: Group,
    /// The array's.
    number: u64,
    window: Arc<Window>,
}

impl Context {
    /// Joins all processes of the program. Collective over them. Initialises MPI if the program has not.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): MPI does not start, or belongs to another launcher.
    /// - [`Error::Path`](crate::Error::Path): `CHEMIO_GA_PATH` asks for nothing that there is.
    pub fn new() -> Result<Self> {
        let comm = Comm::world()?;
        let path = comm.agree(Path::from_environment())?;
        let world = Group::world(comm)?;
        let node_of = number_nodes(&world)?;
        let locks = Arc::new(LockTable::new(if path.shares_memory() { Some(world.node()) } else { None })?);
        tracing::info!(
            ranks = world.ranks(),
            nodes = node_of.iter().max().map_or(0, |last| last + 1),
            ?path,
            "arrays: loads and stores within a node, RMA between nodes, unless CHEMIO_GA_PATH says otherwise"
        );
        let inner = Inner {
            world,
            path,
            node_of,
            locks,
            windows: Mutex::default(),
            abandoned: Mutex::default(),
            arrays_made: AtomicI64::new(0),
            mutexes: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// All ranks of the program.
    pub fn world(&self) -> &Group {
        &self.inner.world
    }

    /// This process's number, from 0.
    pub fn rank(&self) -> usize {
        self.world().rank()
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.world().ranks()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.inner.node_of.iter().max().map_or(0, |last| last + 1)
    }

    /// The number of this process's node.
    pub fn node(&self) -> usize {
        self.inner.node_of[self.rank()]
    }

    /// The number of the node of a rank; `None` if there is no such rank.
    pub fn node_of(&self, rank: usize) -> Option<usize> {
        self.inner.node_of.get(rank).copied()
    }

    /// The ranks on a node, in order; none if there is no such node.
    pub fn ranks_of_node(&self, node: usize) -> Vec<usize> {
        (0..self.ranks()).filter(|&rank| self.inner.node_of[rank] == node).collect()
    }

    /// A group of some ranks, in the given order. Collective over all ranks: each gives the list of a group that it is in, so
    /// that several groups are made at once, or one that it is not in; `None` then.
    ///
    /// # Errors
    /// - [`Error::BadGroup`](crate::Error::BadGroup): no ranks, a rank twice or one that there is not; or the ranks of a group gave different lists.
    pub fn group(&self, ranks: &[usize]) -> Result<Option<Group>> {
        self.world().subgroup(ranks)
    }

    /// Begins an array of `shape`; the last index varies fastest.
    pub fn array(&self, element_type: ElementType, shape: &[u64]) -> ArrayBuilder {
        ArrayBuilder::new(self.clone(), element_type, shape)
    }

    /// Completes the operations of every rank on every array, and waits for all ranks. Collective over all of them. Whatever
    /// was written before is seen by whoever reads after.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): MPI refused, or an operation failed.
    pub fn sync(&self) -> Result<()> {
        self.sync_group(self.world())
    }

    /// As [`sync`](Self::sync) for the ranks of a group.
    ///
    /// # Errors
    /// As [`sync`](Self::sync).
    pub fn sync_group(&self, group: &Group) -> Result<()> {
        group.sync_mask().take();
        let fenced = self.fence().and_then(|()| self.see_others());
        // The others wait for this rank even if something of its own has failed.
        group.barrier()?;
        fenced.and_then(|()| self.see_others())
    }

    /// Completes the operations of this rank on every array, everywhere. Local.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): MPI refused, or an operation failed.
    pub fn fence(&self) -> Result<()> {
        fence(Ordering::SeqCst);
        // One that fails keeps none of the others waiting.
        self.windows().iter().map(|window| window.complete_all()).fold(Ok(()), Result::and)
    }

    /// Ends the whole program with this exit code. Local.
    pub fn abort(&self, code: i32) -> ! {
        self.world().comm().abort(code)
    }

    pub(crate) fn path(&self) -> Path {
        self.inner.path
    }

    pub(crate) fn locks(&self) -> &Arc<LockTable> {
        &self.inner.locks
    }

    /// A number for each array, the same on every rank that makes the same arrays.
    pub(crate) fn next_array(&self) -> i64 {
        self.inner.arrays_made.fetch_add(1, Ordering::Relaxed)
    }

    /// Lets [`fence`](Self::fence) and [`sync`](Self::sync) know of a window with operations to complete.
    pub(crate) fn register(&self, window: &Arc<Window>) {
        if window.has_operations() {
            let mut windows = lock(&self.inner.windows);
            windows.retain(|window| window.strong_count() > 0);
            windows.push(Arc::downgrade(window));
        }
    }

    /// Synchronises the copies that MPI may have of the memory of all arrays: from now on this rank sees what others have
    /// completed, and they see what this one has stored in its own memory when they do the same. Local.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): MPI refused.
    pub fn see_others(&self) -> Result<()> {
        self.windows().iter().try_for_each(|window| window.see_others())
    }

    /// Keeps the window of an array whose ranks have removed another one instead. Local.
    pub(crate) fn abandon(&self, group: &Group, number: u64, window: &Arc<Window>) {
        if window.has_operations() {
            let abandoned = Abandoned { group: group.clone(), number, window: window.clone() };
            lock(&self.inner.abandoned).push(abandoned);
        }
    }

    /// Frees the windows of a group that all of its ranks have abandoned by now. Collective over the group.
    pub(crate) fn free_abandoned(&self, group: &Group) -> Result<()> {
        let mut mine: Vec<u64> = lock(&self.inner.abandoned)
            .iter()
            .filter(|abandoned| abandoned.group.is(group))
            .map(|abandoned| abandoned.number)
            .collect();
        mine.sort_unstable();
        let longest = group.comm().all_gather(&[mine.len() as u64])?.into_iter().max().unwrap_or(0);
        // Every rank gives as many numbers; no array has the last one.
        let mut padded = mine.clone();
        padded.resize(section::size(longest), u64::MAX);
        let all = group.comm().all_gather(&padded)?;
        let everywhere = |number: &u64| all.iter().filter(|other| *other == number).count() == group.ranks();
        let mut freed = Ok(());
        for number in mine.into_iter().filter(everywhere) {
            let mut abandoned = lock(&self.inner.abandoned);
            let found = abandoned.iter().position(|other| other.group.is(group) && other.number == number);
            let window = found.map(|at| abandoned.swap_remove(at).window);
            drop(abandoned);
            freed = freed.and(window.map_or(Ok(()), |window| window.free()));
        }
        freed
    }

    fn windows(&self) -> Vec<Arc<Window>> {
        lock(&self.inner.windows).iter().filter_map(Weak::upgrade).collect()
    }

    pub(crate) fn mutexes(&self) -> MutexGuard<'_, Option<Arc<Mutexes>>> {
        lock(&self.inner.mutexes)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For each rank the number of its node.
fn number_nodes(world: &Group) -> Result<Vec<usize>> {
    let mut leader = [world.rank() as u64];
    world.node().broadcast(&mut leader, 0)?;
    let leaders = world.comm().all_gather(&leader)?;
    let mut nodes = leaders.clone();
    nodes.sort_unstable();
    nodes.dedup();
    Ok(leaders.iter().map(|leader| nodes.partition_point(|node| node < leader)).collect())
}
