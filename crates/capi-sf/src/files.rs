//! The shared files of this process, by their handles: making, removing, opening and closing them.

use crate::communicator::{agree_on_handle, get, in_use};
use crate::error::of_file;
use crate::transfers::REQUESTS;
use crate::untold::Untold;
use crate::{Error, codes};
use chemio_capi::handles::{Numbering, Table, into_last};
use chemio_capi::{Result, boundary, exit, logging};
use comm::Comm;
use sf::{Access, Hints, SharedFile};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const HANDLES: Numbering = Numbering::from(-3000);
/// The largest hint that is believed, in bytes.
const HINT_BYTES_MAX: f64 = 1e14;
/// So many errors of a file are logged at the end of the program: where a disk is full, thousands of writes may have failed alike.
const LOST_LOGGED_MAX: usize = 100;

static FILES: Table<OpenFile> = Table::new();
/// Collective calls come one at a time.
static TURN: Mutex<()> = Mutex::new(());
/// How many files this process has made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A shared file under a handle.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: SharedFile,
    /// Tells its requests from those of others; handles are used again.
    pub(crate) serial: u64,
    untold: Mutex<Untold>,
    /// Lives as long as there is a file.
    _comm: Arc<Comm>,
}

impl OpenFile {
    fn untold(&self) -> MutexGuard<'_, Untold> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a file is to be made from.
#[derive(Debug)]
pub(crate) struct Creation<'a> {
    pub(crate) name: &'a Path,
    /// What stands behind the name, instead of the file's number.
    pub(crate) suffix: Option<i64>,
    pub(crate) hints: Hints,
}

/// Hints from hard limit, soft limit and size of a request. A number below one, or that no file has, says nothing; a
/// fraction is rounded up.
pub(crate) fn hints(hard_limit: f64, soft_limit: f64, request: f64) -> Hints {
    Hints {
        hard_limit_bytes: hint(hard_limit),
        soft_limit_bytes: hint(soft_limit),
        request_bytes: hint(request),
    }
}

fn hint(bytes: f64) -> Option<u64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked: 1 to 10^14
    (1.0..=HINT_BYTES_MAX).contains(&bytes).then(|| bytes.ceil() as u64)
}

impl Creation<'_> {
    /// Refuses a name that has no last part, or `.` or `..` for one: of such a name nothing but the number would be a file's, and that
    /// begins with a dot, so that nobody sees it.
    fn expect_file_name(self) -> Result<Self> {
        let bytes = self.name.as_os_str().as_bytes();
        let last = bytes.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if [&b""[..], b".", b".."].contains(&last) {
            return Err(Error::NoFileName { name: self.name.to_owned() }.into());
        }
        Ok(self)
    }
}

/// `<name>.<number>`
fn physical_name(name: &Path, number: i64) -> PathBuf {
    let mut physical = OsString::from(name);
    physical.push(format!(".{number}"));
    physical.into()
}

fn my_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file of a handle.
pub(crate) fn file(handle: i64) -> Result<Arc<OpenFile>> {
    FILES.get(HANDLES.index(handle)).ok_or_else(|| Error::InvalidHandle { handle }.into())
}

/// Makes a file, or finds it again, and gives its handle: the lowest that is free, the same on all ranks. What is wrong with
/// the arguments of one rank is told to all. Collective.
pub(crate) fn create(arguments: Result<Creation<'_>>) -> Result<i64> {
    logging::install();
    let _turn = my_turn();
    let comm = get()?;
    let arguments = arguments.and_then(Creation::expect_file_name);
    let handle = HANDLES.handle(FILES.lowest_free());
    let Creation { name, suffix, hints } = agree_on_handle(&comm, arguments, handle, codes::CREATE_FAILED)?;
    let path = physical_name(name, suffix.unwrap_or_else(|| HANDLES.index(handle)));
    let file = SharedFile::create(&comm, &path, &hints).map_err(of_file)?;
    exit::call_at_exit(hand_over_all);
    exit::call_before_mpi_ends(close_all);
    let serial = MADE.fetch_add(1, Relaxed);
    let index = FILES.insert(OpenFile { file, serial, untold: Mutex::default(), _comm: comm });
    assert_eq!(HANDLES.handle(index), handle, "files come and go one at a time");
    Ok(handle)
}

/// Waits for what is under way on a file and removes it. What is wrong with the handle of one rank is told to all.
/// Collective.
pub(crate) fn destroy(handle: Result<i64>) -> Result<()> {
    let _turn = my_turn();
    let known = handle.and_then(|handle| file(handle).map(|_| handle));
    // Where there is no file at all, ranks have nothing to agree on.
    let Some(comm) = in_use()? else { return known.map(drop) };
    let wanted = *known.as_ref().unwrap_or(&0);
    let handle = agree_on_handle(&comm, known, wanted, codes::INVALID_HANDLE)?;
    let removed = FILES.remove(HANDLES.index(handle)).ok_or(Error::InvalidHandle { handle })?;
    let OpenFile { file, serial, _comm, .. } = into_last(removed);
    let destroyed = file.destroy().map_err(of_file);
    REQUESTS.dismiss(serial);
    destroyed
}

/// Opens a file anew, closing it first if it is open. Local.
pub(crate) fn open(handle: i64, access: Access) -> Result<()> {
    file(handle)?.file.open(access).map_err(of_file)
}

/// Closes a file, after what is under way has finished, and tells the first failed write that nobody was told of. Local.
pub(crate) fn close(handle: i64) -> Result<()> {
    let open = file(handle)?;
    finish(&open, sf::SharedFile::close)
}

/// Waits until everything that this rank has written is on disk. Tells failed writes as [`close`] does. Local.
pub(crate) fn sync(handle: i64) -> Result<()> {
    let open = file(handle)?;
    finish(&open, sf::SharedFile::sync)
}

/// As [`sync`], for a subroutine, whose result is seen by few callers: what it met is told by the next [`close`] or [`sync`], too.
pub(crate) fn sync_by_subroutine(handle: i64) -> Result<()> {
    let open = file(handle)?;
    let ended = end(&open, sf::SharedFile::sync);
    open.untold().tell_twice(ended, || REQUESTS.untold(open.serial))
}

fn finish(open: &OpenFile, call: fn(&sf::SharedFile) -> sf::Result<()>) -> Result<()> {
    let ended = end(open, call);
    open.untold().tell(ended, || REQUESTS.untold(open.serial))
}

/// After all requests, whose last part may be made by who waits for them.
fn end(open: &OpenFile, call: fn(&sf::SharedFile) -> sf::Result<()>) -> Result<()> {
    REQUESTS.drain(open.serial);
    call(&open.file).map_err(of_file)
}

/// Hands over what a program that ends has written, without closing anything for other threads of it, or for exit handlers that come
/// after this one. The files stay.
fn hand_over_all() {
    boundary::silent(|| {
        let files = FILES.all();
        if exit::is_interrupted() {
            for open in &files {
                REQUESTS.drain_free(open.serial);
            }
            return Ok(());
        }
        let ended: Vec<_> = files.iter().map(|open| end(open, sf::SharedFile::flush)).collect();
        // After all of them: no data may be lost because a log cannot be written.
        for (open, ended) in files.iter().zip(ended) {
            // There is nobody else left to tell an error.
            let _ = log_lost(open, ended);
        }
        Ok(())
    });
}

/// Closes what the program has left open when MPI ends; nothing is removed from disk.
fn close_all() {
    boundary::silent(|| {
        let _turn = my_turn();
        let mut result = Ok(());
        // In the order of handles, which is the same on all ranks.
        for open in FILES.take_all().into_iter().map(into_last) {
            let ended = end(&open, sf::SharedFile::close_for_good);
            result = result.and(log_lost(&open, ended));
        }
        result
    });
}

/// Logs what of a file nobody has been told, because the program ends and makes no call any more that could tell it. Gives the first
/// error.
fn log_lost(open: &OpenFile, mut ended: Result<()>) -> Result<()> {
    let path = open.file.path().display();
    let mut first = Ok(());
    for _ in 0..LOST_LOGGED_MAX {
        let told = open.untold().tell(std::mem::replace(&mut ended, Ok(())), || REQUESTS.untold(open.serial));
        let Err(error) = told else { return first };
        tracing::error!(%path, %error, "the program ends without having been told that data of a shared file is lost");
        first = first.and(Err(error));
    }
    tracing::error!(%path, logged = LOST_LOGGED_MAX, "more data of this shared file may be lost");
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_follows_the_name_whatever_the_name_is() {
        assert_eq!(physical_name(Path::new("/scratch/shared"), 0), Path::new("/scratch/shared.0"));
        assert_eq!(physical_name(Path::new(" a b"), -5), Path::new(" a b.-5"));
        let long = "x".repeat(100_000);
        assert_eq!(physical_name(Path::new(&long), 12).as_os_str().len(), 100_003);
    }

    #[test]
    fn a_name_without_a_last_part_is_refused_and_any_other_is_taken() {
        let expect = |name: &str| {
            let creation = Creation { name: Path::new(name), suffix: Some(3), hints: Hints::default() };
            creation.expect_file_name().map(drop)
        };
        for name in ["", "/", "scr/", "/scratch//", ".", "..", "scr/.", "scr/.."] {
            let error = expect(name).expect_err("no file name");
            assert_eq!(error.code(), codes::CREATE_FAILED, "{name}");
            assert_eq!(
                error.to_string(),
                format!("no file name: {name:?} is empty or the name of a directory")
            );
        }
        for name in ["a", " ", "scr/a", "/a", ".a", "a.", "...", "scr/ ", "../a"] {
            expect(name).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn hints_that_say_nothing_are_none_and_fractions_are_rounded_up() {
        for unknown in [-1.0, 0.0, -0.0, 0.999, f64::MIN_POSITIVE, -1e300, f64::NAN, f64::INFINITY, 1e15] {
            assert_eq!(hint(unknown), None, "{unknown}");
        }
        assert_eq!(hint(1.25), Some(2));
        assert_eq!(hint(1e6), Some(1_000_000));
        assert_eq!(hint(1e14), Some(100_000_000_000_000));
    }

    #[test]
    fn numbers_that_are_no_handles_are_refused() {
        for handle in [0, 1, -2999, -3001, i64::MIN, i64::MAX] {
            let error = file(handle).expect_err("there is no file");
            assert_eq!(error.code(), codes::INVALID_HANDLE, "{handle}");
        }
        assert_eq!(HANDLES.handle(0), -3000);
    }
}
