//! What all ranks do together: agree on arguments, on the file, and on errors.

use crate::error::{Error, Result};
use crate::file::Hints;
use crate::make::{Found, Making, remove};
use crate::sighting::host;
use crate::storage::Storage;
use comm::{Comm, Failure, Operation};
use elio::CachePolicy;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An error as other ranks are told it: the legacy number, then the text.
struct Told(Error);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.code(), self.0)
    }
}

/// This rank's value if all ranks succeeded; otherwise, on every rank, the same error. Collective.
pub(crate) fn agree<T>(comm: &Comm, mine: Result<T>) -> Result<T> {
    comm.agree(mine.map_err(Told)).map_err(|failure| match failure {
        Failure::Here(Told(error)) => {
            Error::OnRank { rank: comm.rank(), code: error.code(), message: error.to_string() }
        }
        Failure::There { rank, message } => {
            let (code, message) = message.split_once(' ').unwrap_or(("", &message));
            let code = code.parse().unwrap_or(crate::codes::FAILED);
            Error::OnRank { rank, code, message: message.to_owned() }
        }
        Failure::Comm(error) => Error::Comm(error),
    })
}

/// The open files, the absolute path of the name, and those of the files.
pub(crate) type Opened = (Storage, PathBuf, Vec<PathBuf>);

/// Makes or finds the file on rank 0 and opens it on all. Collective.
pub(crate) fn create(comm: &Comm, path: &Path, hints: &Hints, cache: CachePolicy) -> Result<Opened> {
    same_arguments(comm, path, hints)?;
    // What the program calls it stays right when it changes its directory.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let several_hosts = !same_everywhere(comm, &host())?;
    let mine =
        if comm.rank() == 0 { Making::make(&absolute, hints, several_hosts).map(Some) } else { Ok(None) };
    let (making, found) = agree(comm, mine)?.unzip();
    let found = broadcast(comm, found)?;
    let opened = agree(comm, open(&found, path, absolute, cache))?;
    making.into_iter().for_each(Making::keep);
    Ok(opened)
}

fn open(found: &Found, path: &Path, absolute: PathBuf, cache: CachePolicy) -> Result<Opened> {
    found.check(&absolute)?;
    let files = found.files(&absolute);
    let storage = Storage::open(path, found.striping(), &files, cache)?;
    // Again, because opening is by name.
    found.check(&absolute)?;
    Ok((storage, absolute, files))
}

/// Removes the file once no rank has anything under way. Collective.
pub(crate) fn destroy(comm: &Comm, storage: &Storage, path: &Path, files: &[PathBuf]) -> Result<()> {
    // What of the data did not arrive is of no interest any more, except to those who wait for their requests.
    if let Err(error) = storage.flush() {
        tracing::debug!(%error, "data of a file that is being removed did not arrive");
    }
    comm.barrier()?;
    agree(comm, if comm.rank() == 0 { remove(path, files) } else { Ok(()) })
}

/// The value of rank 0, which is the one that has it, on all ranks. Collective.
fn broadcast(comm: &Comm, found: Option<Found>) -> Result<Found> {
    let text = found.map(|found| serde_json::to_string(&found).expect("texts and numbers are JSON"));
    let text = comm.broadcast_text(text.unwrap_or_default(), 0)?;
    Ok(serde_json::from_str(&text).expect("rank 0 has written it"))
}

/// Refuses ranks that want different files. Collective.
fn same_arguments(comm: &Comm, path: &Path, hints: &Hints) -> Result<()> {
    let mine = [path.as_os_str().as_bytes(), format!("\0{hints:?}").as_bytes()].concat();
    let mut len = [mine.len() as u64];
    comm.broadcast(&mut len, 0)?;
    let mut first = mine.clone();
    first.resize(usize::try_from(len[0]).expect("a path in memory"), 0);
    comm.broadcast(&mut first, 0)?;
    let rank = i64::try_from(comm.rank()).expect("ranks are below 2^31");
    let mut differs = [if first == mine { i64::MAX } else { rank }];
    comm.all_reduce(&mut differs, Operation::Min)?;
    match usize::try_from(differs[0]) {
        Ok(rank) if rank < comm.size() => Err(Error::ArgumentsDiffer { rank, path: path_of(&first) }),
        _ => Ok(()),
    }
}

/// The path in front of the hints.
fn path_of(arguments: &[u8]) -> PathBuf {
    let end = arguments.iter().position(|byte| *byte == 0).unwrap_or(arguments.len());
    PathBuf::from(std::ffi::OsStr::from_bytes(&arguments[..end]))
}

/// Whether all ranks have this text. Collective.
fn same_everywhere(comm: &Comm, text: &str) -> Result<bool> {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    let hash = (hasher.finish() >> 1).cast_signed();
    let mut ends = [hash, -hash];
    comm.all_reduce(&mut ends, Operation::Min)?;
    Ok(ends[0] == -ends[1])
}
