//! What all ranks do together: agree on arguments, on the file, and on errors.

use crate::caught::caught;
use crate::error::{Error, Result};
use crate::file::Hints;
use crate::make::{Found, Making};
use crate::sighting::host;
use crate::storage::{Storage, options};
use comm::{Comm, Failure, Operation};
use elio::{CachePolicy, FileSystem, OpenOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An error as other ranks are told it.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    code: i32,
    message: String,
    path: Option<PathBuf>,
}

impl Told {
    fn of(error: &Error) -> Self {
        // As it is in the message.
        let path = error.path().map(|path| path.display().to_string().into());
        Self { code: error.code(), message: error.to_string(), path }
    }

    fn on(self, rank: usize) -> Error {
        let Self { code, message, path } = self;
        Error::OnRank { rank, code, message, path }
    }
}

/// This rank's value if all ranks succeeded; otherwise, on every rank, the same error. Collective.
pub(crate) fn agree<T>(comm: &Comm, mine: Result<T>) -> Result<T> {
    comm.agree(mine.map_err(|error| to_json(&Told::of(&error)))).map_err(|failure| match failure {
        Failure::Here(told) => of_json::<Told>(&told).on(comm.rank()),
        Failure::There { rank, message: told } => of_json::<Told>(&told).on(rank),
        Failure::Comm(error) => Error::Comm(error),
    })
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON")
}

fn of_json<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("a rank has written it")
}

/// Makes or finds the file on rank 0 and opens it on all. Collective.
pub(crate) fn create(comm: &Comm, path: &Path, hints: &Hints, cache: CachePolicy) -> Result<Storage> {
    let one_host = same_arguments(comm, path, hints)?;
    // What the program calls it stays right when it changes its directory.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mine = (comm.rank() == 0).then(|| caught(|| Making::make(&absolute, hints, !one_host)));
    let (making, found) = of_first(comm, mine)?;
    let opened = caught(|| {
        if comm.rank() == 0 && !one_host {
            warn_of_late_hosts(&absolute);
        }
        open(&found, &absolute, &options(cache, hints))
    });
    let opened = agree(comm, opened)?;
    making.into_iter().for_each(Making::keep);
    Ok(opened.named(path))
}

/// There a wait makes data seen on the writer's host, and elsewhere when the caches there look again.
fn warn_of_late_hosts(path: &Path) {
    if elio::stat(path).is_ok_and(|found| found.file_system == FileSystem::Nfs) {
        tracing::warn!(
            path = %path.display(),
            "a shared file on NFS: ranks on other hosts may see what was written late; use a file system that keeps hosts alike"
        );
    }
}

fn open(found: &Found, absolute: &Path, options: &OpenOptions) -> Result<Storage> {
    found.check(absolute)?;
    let storage = Storage::open(absolute, found.striping(), &found.files(absolute), options)?;
    // Again, because opening is by name.
    found.check(absolute)?;
    Ok(storage)
}

/// Removes the file once no rank has anything under way. Collective.
pub(crate) fn destroy(comm: &Comm, storage: &Storage) -> Result<()> {
    let finished = caught(|| {
        // What of the data did not arrive is of no interest any more, except to those who wait for their requests.
        if let Err(error) = storage.flush() {
            tracing::debug!(%error, "data of a file that is being removed did not arrive");
        }
        Ok(())
    });
    comm.barrier()?;
    // Removed all the same: there is no handle any more that could do it later.
    let removed = if comm.rank() == 0 { caught(|| storage.remove()) } else { Ok(()) };
    agree(comm, finished.and(removed))
}

/// What rank 0, which is the one that has it, has found, or its error, on all ranks. Collective.
fn of_first(comm: &Comm, mine: Option<Result<(Making, Found)>>) -> Result<(Option<Making>, Found)> {
    let outcome = mine.as_ref().map(|mine| match mine {
        Ok((_, found)) => Ok(found.clone()),
        Err(error) => Err(Told::of(error)),
    });
    let text = outcome.map(|outcome: std::result::Result<_, Told>| to_json(&outcome));
    let text = comm.broadcast_text(text.unwrap_or_default(), 0)?;
    let outcome: std::result::Result<Found, Told> = of_json(&text);
    let found = outcome.map_err(|told| told.on(0))?;
    Ok((mine.and_then(Result::ok).map(|(making, _)| making), found))
}

/// Refuses ranks that want different files; tells whether all of them are on one host. Collective.
fn same_arguments(comm: &Comm, path: &Path, hints: &Hints) -> Result<bool> {
    let [arguments, host] = [hash(&(path, hints)), hash(&host())].map(u64::cast_signed);
    // The smallest of a value and the smallest of its complement: equal everywhere if both are what this rank gave.
    let mut values = [arguments, !arguments, host, !host];
    comm.all_reduce(&mut values, Operation::Min)?;
    if values[0] != !values[1] {
        name_difference(comm, path, hints)?;
    }
    Ok(values[2] == !values[3])
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The error that says which rank wants another file than rank 0. Collective.
fn name_difference(comm: &Comm, path: &Path, hints: &Hints) -> Result<()> {
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
