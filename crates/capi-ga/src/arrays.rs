//! Arrays under handles: those that exist, and those that are described but not allocated yet.

use crate::kind::Kind;
use crate::session::Session;
use crate::{Error, Result};
use chemio_capi::handles::{Numbering, into_last};
use ga::{Array, Group};
use section::Section;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

const HANDLES: Numbering = Numbering::from(-1000);

/// What stands behind a handle: a description, from which an array is made once.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    plan: Mutex<Plan>,
    made: OnceLock<Arc<Made>>,
}

/// What an array is to be like. Shape, chunk and starts are in our order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) kind: Option<Kind>,
    pub(crate) shape: Vec<u64>,
    pub(crate) name: String,
    pub(crate) chunk: Vec<i64>,
    pub(crate) starts: Option<Vec<Vec<u64>>>,
    /// The handle of its group; none is the default group.
    pub(crate) group: Option<i64>,
}

/// For handles that are free again the groups of their last arrays: where the other processes wait if one of them still uses
/// such a handle.
#[derive(Debug, Default)]
pub(crate) struct FormerGroups(Mutex<HashMap<i64, i64>>);

impl FormerGroups {
    fn keep(&self, handle: i64, group: i64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(handle, group);
    }

    fn get(&self, handle: i64) -> Option<i64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&handle).copied()
    }
}

/// An array that exists.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) handle: i64,
    pub(crate) array: Array,
    pub(crate) kind: Kind,
    /// The handle of its group.
    pub(crate) group: i64,
    /// The elements that this process holds, which do not change.
    pub(crate) own: Option<Section>,
    /// How many arrays this process had made before.
    creations_before: u64,
    /// For C callers, who may keep the pointer while the array lives.
    c_name: CString,
}

impl Plan {
    /// Makes the array. Collective over its group. The handle is filled in by whoever gives it one.
    fn make(self, session: &Session) -> Result<Made> {
        let kind = self.kind.ok_or(Error::BadType { code: 0 })?;
        let (group, members) = session.groups().of_array(self.group)?;
        let context = session.context();
        let mut builder = context.array(kind.element, &self.shape).name(self.name).chunk(&self.chunk);
        if let Some(starts) = &self.starts {
            builder = builder.blocks(starts);
        }
        Made::checked(session, builder.group(&members).create()?, kind, group)
    }
}

impl Made {
    /// Takes a new array in, or removes it again if some rank of its group has no room for it. Collective.
    fn checked(session: &Session, array: Array, kind: Kind, group: i64) -> Result<Self> {
        let own = array.local_section();
        let bytes = own_bytes(&array);
        let mut over = [i32::from(!session.limit().fits(bytes))];
        array.group().reduce(&mut over, ga::Reduction::Max)?;
        if over != [0] {
            let error = Error::OverLimit { array: array.name().to_owned(), bytes };
            array.destroy()?;
            return Err(error);
        }
        session.limit().take(bytes);
        let creations_before = session.statistics().created(session.limit().used());
        let c_name = CString::new(array.name().replace('\0', "")).unwrap_or_default();
        Ok(Self { handle: 0, array, kind, group, own, creations_before, c_name })
    }

    pub(crate) fn shape(&self) -> &[u64] {
        self.array.shape()
    }

    /// Bytes of so many elements.
    pub(crate) fn bytes_of(&self, elements: u64) -> u64 {
        elements.saturating_mul(self.kind.element.bytes() as u64)
    }

    pub(crate) fn dims(&self) -> usize {
        self.shape().len()
    }

    pub(crate) fn c_name(&self) -> &CStr {
        &self.c_name
    }

    /// Its group.
    pub(crate) fn group(&self) -> &Group {
        self.array.group()
    }

    /// That its elements are of one of these types.
    ///
    /// # Errors
    /// [`Error::WrongType`]
    pub(crate) fn expect_type(&self, types: &[ga::ElementType], expected: &'static str) -> Result<()> {
        let got = self.kind.element;
        if types.contains(&got) {
            return Ok(());
        }
        Err(Error::WrongType { array: self.array.name().to_owned(), handle: self.handle, expected, got })
    }
}

/// Uses the array of a handle, for another border. Local.
///
/// # Errors
/// - [`Error::NotInitialised`], [`Error::DeadHandle`], [`Error::NotAllocated`]: there is no such array.
/// - [`Error::NotOfAll`]: not all processes of the program hold it.
pub fn with_array_of_all<R>(handle: i64, work: impl FnOnce(&Array) -> R) -> Result<R> {
    let session = crate::session::current()?;
    let made = session.array(handle)?;
    if made.group().ranks() == session.context().ranks() {
        return Ok(work(&made.array));
    }
    Err(Error::NotOfAll { handle, name: made.array.name().to_owned() })
}

/// Uses what arrays of all processes are made with, for another border. Local.
///
/// # Errors
/// - [`Error::NotInitialised`]
pub fn with_context<R>(work: impl FnOnce(&ga::Context) -> R) -> Result<R> {
    Ok(work(crate::session::current()?.context()))
}

/// Bytes of an array's block on this rank.
fn own_bytes(array: &Array) -> u64 {
    array.local_section().map_or(0, |own| own.len() * array.element_type().bytes() as u64)
}

impl Slot {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Makes an array in a group (none is the default group) and gives it the lowest handle that is free. Collective over the
    /// group: a mistake in the plan of one process is an error on all.
    pub(crate) fn create(&self, group: Option<i64>, plan: Result<Plan>) -> Result<i64> {
        let (_, members) = self.groups().of_array(group)?;
        let made = Plan { group, ..members.agree(plan)? }.make(self)?;
        Ok(self.insert(made))
    }

    fn insert(&self, mut made: Made) -> i64 {
        let index = self.arrays().insert(Slot::default());
        made.handle = HANDLES.handle(index);
        let slot = self.arrays().get(HANDLES.index(made.handle)).expect("inserted just now");
        let handle = made.handle;
        slot.made.set(Arc::new(made)).expect("a new slot is empty");
        handle
    }

    /// A handle for an array that is described later.
    pub(crate) fn reserve(&self) -> i64 {
        HANDLES.handle(self.arrays().insert(Slot::default()))
    }

    /// Changes the description of an array that has not been allocated.
    pub(crate) fn describe(&self, handle: i64, change: impl FnOnce(&mut Plan)) -> Result<()> {
        let slot = self.slot(handle)?;
        if let Some(made) = slot.made.get() {
            return Err(Error::AlreadyAllocated { handle, name: made.array.name().to_owned() });
        }
        change(&mut slot.plan());
        Ok(())
    }

    /// Makes the array that has been described. Collective over its group: a mistake of one process is an error on all.
    pub(crate) fn allocate(&self, handle: i64) -> Result<()> {
        let described = self.slot(handle).and_then(|slot| match slot.made.get() {
            Some(made) => Err(Error::AlreadyAllocated { handle, name: made.array.name().to_owned() }),
            None if slot.plan().kind.is_none() => Err(Error::BadType { code: 0 }),
            None => Ok(slot),
        });
        let slot = self.group_of(handle)?.agree(described)?;
        let plan = slot.plan().clone();
        let mut made = plan.make(self)?;
        made.handle = handle;
        // Another thread that was faster keeps its array.
        let _ = slot.made.set(Arc::new(made));
        Ok(())
    }

    /// An array of the same type, shape and distribution. Collective over the group of the model: a dead handle on one process
    /// is an error on all.
    pub(crate) fn duplicate(&self, handle: i64, name: String) -> Result<i64> {
        let model = self.group_of(handle)?.agree(self.array(handle))?;
        let copy = Made::checked(self, model.array.duplicate(name)?, model.kind, model.group)?;
        Ok(self.insert(copy))
    }

    /// Removes an array; a dead handle on one process is an error on all. Collective over its group.
    pub(crate) fn destroy_together(&self, handle: i64) -> Result<()> {
        self.group_of(handle)?.agree(self.slot(handle).map(drop))?;
        self.destroy(handle)
    }

    /// Removes an array. Collective over its group.
    pub(crate) fn destroy(&self, handle: i64) -> Result<()> {
        let slot = self.arrays().remove(HANDLES.index(handle)).ok_or(Error::DeadHandle { handle })?;
        let Some(made) = into_last(slot).made.into_inner() else { return Ok(()) };
        let Made { array, group, .. } = into_last(made);
        self.former_groups().keep(handle, group);
        self.limit().give_back(own_bytes(&array));
        self.statistics().destroyed();
        Ok(array.destroy()?)
    }

    /// The array of a handle.
    pub(crate) fn array(&self, handle: i64) -> Result<Arc<Made>> {
        self.with_array(handle, |made| Some(made.clone())).ok_or_else(|| match self.slot(handle) {
            Ok(slot) => Error::NotAllocated { handle, name: slot.plan().name.clone() },
            Err(error) => error,
        })
    }

    /// Uses an array where it is; `None` if there is none. Not for long work, nor for any that comes back here.
    #[inline]
    pub(crate) fn with_array<R>(&self, handle: i64, work: impl FnOnce(&Arc<Made>) -> Option<R>) -> Option<R> {
        self.arrays().with(HANDLES.index(handle), |slot| work(slot.made.get()?)).flatten()
    }

    /// Where a collective call with this handle takes place: the group of its array, or of the last one that had the handle.
    /// The default group where nothing else is known.
    fn group_of(&self, handle: i64) -> Result<Group> {
        let former = || self.former_groups().get(handle).and_then(|group| self.groups().get(group).ok());
        match self.slot(handle) {
            Ok(slot) => match slot.made.get() {
                Some(made) => Ok(made.group().clone()),
                None => Ok(self.groups().of_array(slot.plan().group)?.1),
            },
            Err(_) => former().map_or_else(|| self.groups().current(), Ok),
        }
    }

    fn slot(&self, handle: i64) -> Result<Arc<Slot>> {
        self.arrays().get(HANDLES.index(handle)).ok_or(Error::DeadHandle { handle })
    }

    /// All arrays that exist, in the order of their handles.
    pub(crate) fn all_arrays(&self) -> Vec<Arc<Made>> {
        let mut all = vec![];
        self.arrays().find(|slot| {
            all.extend(slot.made.get().cloned());
            None::<()>
        });
        all
    }
}

impl Session {
    /// Removes all arrays that are left. Collective over all processes.
    ///
    /// In the order in which they were made, which is the same on all processes of an array's group, and which no two
    /// groups can wait for each other with: each array was made by all of its processes together.
    pub(crate) fn destroy_all(&self) {
        let mut left = self.all_arrays();
        left.sort_by_key(|made| made.creations_before);
        let handles: Vec<i64> = left.iter().map(|made| made.handle).collect();
        drop(left);
        for handle in handles {
            if let Err(error) = self.destroy(handle) {
                tracing::warn!(handle, %error, "left over, and not removed");
            }
        }
    }
}
