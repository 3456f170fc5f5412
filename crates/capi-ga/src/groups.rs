//! Groups of processes under handles. The world is -1.

use crate::session::Session;
use crate::{Error, Result};
use chemio_capi::handles::{Table, into_last};
use ga::Group;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The handle of all processes.
pub(crate) const WORLD: i64 = -1;

/// The groups of a program, of which one is the default: where calls without a group take place.
#[derive(Debug)]
pub(crate) struct Groups {
    world: Group,
    made: Table<Entry>,
    default: AtomicI64,
}

/// A group as this process knows it.
#[derive(Clone, Debug)]
struct Entry {
    /// None if this process is not in it.
    members: Option<Group>,
    /// Which ranks of the program it has.
    world_ranks: Vec<usize>,
}

impl Groups {
    pub(crate) fn new(world: Group) -> Self {
        Self { world, made: Table::new(), default: AtomicI64::new(WORLD) }
    }

    pub(crate) fn default_handle(&self) -> i64 {
        self.default.load(Ordering::Relaxed)
    }

    /// Makes a group the default.
    pub(crate) fn set_default(&self, handle: i64) -> Result<()> {
        self.get(handle)?;
        self.default.store(handle, Ordering::Relaxed);
        Ok(())
    }

    /// A group that this process is in.
    pub(crate) fn get(&self, handle: i64) -> Result<Group> {
        if handle == WORLD {
            return Ok(self.world.clone());
        }
        self.entry(handle)?.members.clone().ok_or(Error::NotInGroup { handle })
    }

    /// The default group.
    pub(crate) fn current(&self) -> Result<Group> {
        self.get(self.default_handle())
    }

    /// The handle and the group of an array to be made: the default where nothing is said.
    pub(crate) fn of_array(&self, handle: Option<i64>) -> Result<(i64, Group)> {
        let handle = handle.unwrap_or_else(|| self.default_handle());
        Ok((handle, self.get(handle)?))
    }

    /// Number of processes in a group.
    pub(crate) fn len(&self, handle: i64) -> Result<usize> {
        if handle == WORLD { Ok(self.world.ranks()) } else { Ok(self.entry(handle)?.world_ranks.len()) }
    }

    /// This process's number in a group; none if it is not in it.
    pub(crate) fn rank(&self, handle: i64) -> Result<Option<usize>> {
        if handle == WORLD {
            return Ok(Some(self.world.rank()));
        }
        Ok(self.entry(handle)?.members.as_ref().map(Group::rank))
    }

    /// The number among all processes of process `rank` of a group.
    pub(crate) fn world_rank(&self, handle: i64, rank: i64) -> Result<usize> {
        let no_such = |ranks| Error::NoSuchRank { rank, ranks };
        let place = usize::try_from(rank).map_err(|_| no_such(0))?;
        if handle == WORLD {
            return self.world.world_rank(place).ok_or_else(|| no_such(self.world.ranks()));
        }
        let entry = self.entry(handle)?;
        entry.world_ranks.get(place).copied().ok_or_else(|| no_such(entry.world_ranks.len()))
    }

    fn entry(&self, handle: i64) -> Result<Arc<Entry>> {
        self.made.get(handle.saturating_sub(1)).ok_or(Error::DeadGroup { handle })
    }

    fn insert(&self, members: Option<Group>, world_ranks: Vec<usize>) -> i64 {
        i64::try_from(self.made.insert(Entry { members, world_ranks })).unwrap_or(i64::MAX - 1) + 1
    }

    /// Forgets a group. The default then is the world, if it was this one.
    pub(crate) fn remove(&self, handle: i64) -> Result<()> {
        let entry = self.made.remove(handle.saturating_sub(1)).ok_or(Error::DeadGroup { handle })?;
        let _ = self.default.compare_exchange(handle, WORLD, Ordering::Relaxed, Ordering::Relaxed);
        drop(into_last(entry));
        Ok(())
    }

    /// A second handle for a group.
    pub(crate) fn duplicate(&self, handle: i64) -> Result<i64> {
        if handle == WORLD {
            let ranks = (0..self.world.ranks()).collect();
            return Ok(self.insert(Some(self.world.clone()), ranks));
        }
        let entry = self.entry(handle)?;
        Ok(self.insert(entry.members.clone(), entry.world_ranks.clone()))
    }
}

impl Session {
    /// A group of processes of the default group, in the order of their numbers there. Collective over the default
    /// group; lists given at the same time are the same or have no process in common.
    pub(crate) fn create_group(&self, ranks: &[i64]) -> Result<i64> {
        let parent = self.groups().default_handle();
        self.create_subgroup(parent, ranks)
    }

    /// Cuts a group into `parts` groups of neighbours, the first ones larger. Collective over it.
    pub(crate) fn split_group(&self, handle: i64, parts: i64) -> Result<i64> {
        let len = self.groups().len(handle)?;
        let bad = Error::BadNumber { argument: "number of groups", got: parts };
        let parts = usize::try_from(parts).ok().filter(|&parts| parts > 0).ok_or(bad)?;
        let each = len.div_ceil(parts);
        let rank = self.groups().get(handle)?.rank();
        let first = rank / each * each;
        let ranks: Vec<i64> =
            (first..len.min(first + each)).filter_map(|rank| i64::try_from(rank).ok()).collect();
        self.create_subgroup(handle, &ranks)
    }

    /// Cuts a group into those that gave the same colour. Collective over it.
    pub(crate) fn split_group_by_colour(&self, handle: i64, colour: i64) -> Result<i64> {
        let group = self.groups().get(handle)?;
        let mut colours = vec![0i64; group.ranks()];
        colours[group.rank()] = colour;
        group.reduce(&mut colours, ga::Reduction::Sum)?;
        let same = colours.iter().enumerate().filter(|&(_, &other)| other == colour);
        let ranks: Vec<i64> = same.filter_map(|(rank, _)| i64::try_from(rank).ok()).collect();
        self.create_subgroup(handle, &ranks)
    }

    fn create_subgroup(&self, parent: i64, ranks: &[i64]) -> Result<i64> {
        let group = self.groups().get(parent)?;
        let no_such = |rank| Error::NoSuchRank { rank, ranks: group.ranks() };
        // In the order of the parent's numbers, which is that of the world.
        let mut members = ranks
            .iter()
            .map(|&rank| usize::try_from(rank).ok().filter(|&own| own < group.ranks()).ok_or(no_such(rank)))
            .collect::<Result<Vec<_>>>()?;
        members.sort_unstable();
        let made = group.subgroup(&members)?;
        let world_ranks = members.iter().filter_map(|&rank| group.world_rank(rank)).collect();
        Ok(self.groups().insert(made, world_ranks))
    }
}
