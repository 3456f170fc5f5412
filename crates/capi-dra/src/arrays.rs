//! Arrays on disk under handles: making, opening, closing and deleting them, and what is known about them.

use crate::error::of_disk;
use crate::language::Language;
use crate::session::{self, Session, Spread, current, my_turn};
use crate::{Error, agreement, codes, types};
use chemio_capi::handles::{Numbering, into_last};
use chemio_capi::{Result, stdout};
use dra::{Access, ArraySpec, Attributes, DataType, DiskArray, Maker};
use section::Shape;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

const HANDLES: Numbering = Numbering::from(-5000);

/// How many arrays this process has opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// An array under a handle.
#[derive(Debug)]
pub(crate) struct OpenArray {
    disk: RwLock<DiskArray>,
    /// As the caller gave it.
    pub(crate) file: PathBuf,
    pub(crate) dims: Shape,
    pub(crate) data_type: DataType,
    /// Tells its requests from those of others; handles are used again.
    pub(crate) serial: u64,
}

/// What an array is to be made from. Shape and hint are in our order.
#[derive(Debug)]
pub(crate) struct Creation<'a> {
    pub(crate) language: Language,
    pub(crate) type_code: i64,
    pub(crate) dims: Shape,
    pub(crate) name: String,
    pub(crate) file: &'a Path,
    pub(crate) mode: i64,
    pub(crate) hint: Vec<i64>,
    pub(crate) spread: Spread,
}

/// What a caller may ask about an array; extents as it counts them.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) type_code: i64,
    pub(crate) extents: Vec<i64>,
    pub(crate) name: String,
    pub(crate) file: PathBuf,
}

/// One of the directories of an array.
#[derive(Debug)]
pub(crate) struct PartOfArray {
    /// How many there are.
    pub(crate) parts: i64,
    /// Empty if all hosts see it.
    pub(crate) host: String,
    /// When all elements have been written.
    pub(crate) bytes: f64,
}

fn access_of(mode: i64) -> Result<Access> {
    match mode {
        codes::READ_WRITE => Ok(Access::ReadWrite),
        codes::WRITE_ONLY => Ok(Access::WriteOnly),
        codes::READ_ONLY => Ok(Access::ReadOnly),
        _ => Err(Error::InvalidMode { mode }.into()),
    }
}

impl Creation<'_> {
    fn access(&self) -> Result<Access> {
        match access_of(self.mode)? {
            Access::ReadOnly => Err(Error::UselessMode { mode: self.mode, call: "dra_create" }.into()),
            access => Ok(access),
        }
    }

    /// The array to be made.
    fn spec(&self, session: &Session) -> Result<ArraySpec> {
        let data_type = types::of_code(self.type_code, session.integer_bytes)?;
        let spread = self.spread.or(session.defaults());
        let mut spec = ArraySpec::new(&self.dims, data_type).map_err(of_disk)?;
        // One for each host, as programs know it: hosts that write to one file wait for each other on many file systems.
        let files = u64::try_from(spread.files).ok().filter(|&files| files > 0);
        spec.files = files.unwrap_or(session.context.nodes() as u64);
        spec.attributes = Attributes {
            name: self.name.clone(),
            type_code: i32::try_from(self.type_code).unwrap_or(0),
            made_by: if self.language == Language::C { Maker::C } else { Maker::Fortran },
            brick_hint: self.hint.clone(),
            files_hint: spread.files.max(0),
            io_processes_hint: spread.io_processes.max(0),
            ..Attributes::default()
        };
        Ok(spec)
    }
}

impl OpenArray {
    fn new(disk: DiskArray, file: &Path) -> Self {
        let metadata = disk.directory().metadata();
        let (dims, data_type) = (metadata.dims, metadata.data_type);
        let serial = OPENED.fetch_add(1, Relaxed);
        Self { disk: RwLock::new(disk), file: file.to_owned(), dims, data_type, serial }
    }

    pub(crate) fn disk(&self) -> RwLockReadGuard<'_, DiskArray> {
        self.disk.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is stored about the array.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut DiskArray) -> R) -> R {
        change(&mut self.disk.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for what is under way and closes the array. Tells the first failed write that nobody was told of. Collective.
    pub(crate) fn close(self: Arc<Self>, session: &Session) -> Result<()> {
        let finished = session.requests().finish_all_of(self.serial);
        finished.and(self.into_disk().close().map_err(of_disk))
    }

    fn delete(self: Arc<Self>, session: &Session) -> Result<()> {
        // What failed on its way to an array that goes concerns nobody.
        let _ = session.requests().finish_all_of(self.serial);
        self.into_disk().delete().map_err(of_disk)
    }

    fn into_disk(self: Arc<Self>) -> DiskArray {
        into_last(self).disk.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// The array of a handle.
    pub(crate) fn array(&self, handle: i64) -> Result<Arc<OpenArray>> {
        Ok(self.arrays.get(HANDLES.index(handle)).ok_or(Error::InvalidHandle { handle })?)
    }

    /// Gives an array its handle: the lowest that is free, the same on all ranks.
    fn insert(&self, array: OpenArray) -> i64 {
        HANDLES.handle(self.arrays.insert(array))
    }

    /// Takes the array of a handle out of the table. A bad handle of one rank is an error of all. Collective.
    fn take(&self, call: &'static str, handle: Result<i64>) -> Result<Arc<OpenArray>> {
        let known = handle.and_then(|handle| self.array(handle).map(|_| handle));
        let wanted = known.as_ref().ok().copied();
        let handle = self.agree(call, known, wanted)?;
        Ok(self.arrays.remove(HANDLES.index(handle)).ok_or(Error::InvalidHandle { handle })?)
    }
}

/// A number for what ranks have to give alike for a new handle, and for the handle.
fn token_of(session: &Session, arguments: impl Hash) -> u64 {
    agreement::token((arguments, session.arrays.lowest_free()))
}

/// Makes an array, in place of one of ours that may be there, and gives its handle. Collective.
pub(crate) fn create(arguments: Result<Creation<'_>>) -> Result<i64> {
    let _turn = my_turn();
    let session = current()?;
    let checked = arguments.and_then(|creation| {
        let (access, spec) = (creation.access()?, creation.spec(&session)?);
        Ok((creation.file, spec, access, creation.mode))
    });
    let token = checked.as_ref().ok().map(|(file, spec, _, mode)| {
        let hints = &spec.attributes;
        (
            *file,
            &*spec.dims,
            spec.data_type,
            &hints.brick_hint,
            hints.files_hint,
            hints.io_processes_hint,
            *mode,
        )
    });
    let token = token_of(&session, token);
    let (file, spec, access, _) = session.agree("dra_create", checked, token)?;
    let disk = session.context.create(file, &spec, access).map_err(of_disk)?;
    Ok(session.insert(OpenArray::new(disk, file)))
}

/// Opens an array that is there and gives its handle. Collective.
pub(crate) fn open(file: Result<&Path>, mode: Result<i64>) -> Result<i64> {
    let _turn = my_turn();
    let session = current()?;
    let checked = file.and_then(|file| mode.and_then(|mode| Ok((file, access_of(mode)?, mode))));
    let token = token_of(&session, checked.as_ref().ok().map(|(file, _, mode)| (*file, *mode)));
    let (file, access, _) = session.agree("dra_open", checked, token)?;
    let disk = session.context.open(file, access).map_err(of_disk)?;
    Ok(session.insert(OpenArray::new(disk, file)))
}

/// Waits for what is under way and closes an array; its handle is free then, whatever is returned. Collective.
pub(crate) fn close(handle: Result<i64>) -> Result<()> {
    let _turn = my_turn();
    let session = current()?;
    session.take("dra_close", handle)?.close(&session)
}

/// Waits for what is under way and removes an array from disk; its handle is free then, whatever is returned. Collective.
pub(crate) fn delete(handle: Result<i64>) -> Result<()> {
    let _turn = my_turn();
    let session = current()?;
    session.take("dra_delete", handle)?.delete(&session)
}

/// Whether an array has this handle.
pub(crate) fn is_open(handle: i64) -> bool {
    current().is_ok_and(|session| session.array(handle).is_ok())
}

/// What is known about an array. Local.
pub(crate) fn describe(language: Language, handle: i64) -> Result<Description> {
    let session = current()?;
    let open = session.array(handle)?;
    let disk = open.disk();
    let attributes = disk.directory().attributes();
    let made_as = attributes.map_or(0, |attributes| attributes.type_code.into());
    Ok(Description {
        type_code: types::code_for(language, open.data_type, made_as, session.integer_bytes),
        extents: language.extents(&open.dims),
        name: attributes.map(|attributes| attributes.name.clone()).unwrap_or_default(),
        file: open.file.clone(),
    })
}

/// What lies where: a part of an array, by its number as the caller counts. Local.
pub(crate) fn part(language: Language, handle: i64, number: i64) -> Result<PartOfArray> {
    let session = current()?;
    let open = session.array(handle)?;
    let disk = open.disk();
    let count = disk.parts_count();
    let part = language.choose(number, count).ok_or(Error::BadPart { got: number, parts: count })?;
    #[allow(clippy::cast_precision_loss)] // callers know lengths as doubles
    let bytes = disk.part_bytes(part) as f64;
    let host = disk.hosts().get(part).cloned().unwrap_or_default();
    Ok(PartOfArray { parts: i64::try_from(count).unwrap_or(i64::MAX), host, bytes })
}

/// How new arrays are spread that say nothing themselves. No more than a hint, so no error where nothing is initialised.
pub(crate) fn set_default_config(files: i64, io_processes: i64) -> Result<()> {
    session::current()?.set_defaults(Spread { files, io_processes });
    Ok(())
}

/// Prints what is known about an array for people, on the first rank; extents as the caller counts them. Local.
pub(crate) fn print_internals(language: Language, handle: i64) -> Result<()> {
    let session = current()?;
    let open = session.array(handle)?;
    if session.rank() == 0 {
        let under_way = session.requests().running_of(open.serial);
        stdout::print(&format!("{}  transfers under way: {under_way}\n", open.internals(language, handle)));
    }
    Ok(())
}

impl OpenArray {
    fn internals(&self, language: Language, handle: i64) -> String {
        let disk = self.disk();
        let directory = disk.directory();
        let Attributes { name, files_hint, io_processes_hint, .. } =
            directory.attributes().cloned().unwrap_or_default();
        format!(
            "disk-resident array {handle} \"{name}\": {}\n  elements: {} {:?}, bricks of {:?}\n  \
             files: {} (asked for: {files_hint}), I/O processes: {} (asked for: {io_processes_hint})\n  open for: {:?}\n",
            self.file.display(),
            self.data_type,
            language.extents(&self.dims),
            language.extents(&directory.metadata().brick_shape),
            directory.layout().shards_count(),
            disk.io_processes(),
            disk.access(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_count_from_minus_5000_and_other_numbers_point_nowhere() {
        assert_eq!(HANDLES.handle(0), -5000);
        for handle in [0, 1, -1, -4999, -5001, i64::MIN, i64::MAX] {
            assert!(!is_open(handle), "{handle}");
        }
    }

    #[test]
    fn modes_are_minus_1_to_minus_3() {
        let modes = [-1, -2, -3].map(|mode| access_of(mode).expect("a mode"));
        assert_eq!(modes, [Access::ReadWrite, Access::WriteOnly, Access::ReadOnly]);
        for mode in [0, 1, -4, i64::MIN] {
            assert_eq!(access_of(mode).expect_err("no mode").code(), codes::MODE);
        }
    }

    #[test]
    fn every_call_before_the_beginning_is_an_error() {
        assert!(close(Ok(-5000)).is_err());
        assert!(delete(Ok(-5000)).is_err());
        assert!(open(Ok(Path::new("x")), Ok(-1)).is_err());
        assert!(describe(Language::C, -5000).is_err());
        assert!(set_default_config(1, 1).is_err());
    }
}
