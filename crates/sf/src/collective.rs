//! What all ranks do together: agree on arguments, on the file, and on errors.

use crate::caught::caught;
use crate::error::{Error, Result};
use crate::file::Hints;
use crate::make::{Found, Making};
use crate::sighting::host;
use crate::storage::{Storage, has_small_requests, options};
use aggregate::Area;
use comm::{Comm, Failure, Operation};
use elio::{CachePolicy, FileSystem, OpenOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
pub(crate) fn create(comm: &Arc<Comm>, path: &Path, hints: &Hints, cache: CachePolicy) -> Result<Storage> {
    let agreed = agree_on_arguments(comm, path, hints)?;
    let one_host = agreed.one_host;
    // What the program calls it stays right when it changes its directory.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mine = (comm.rank() == 0).then(|| {
        caught(|| {
            agreed.tell_difference(path);
            Making::make(&absolute, &agreed.hints, !one_host)
        })
    });
    let (making, found) = of_first(comm, mine)?;
    let opened = caught(|| {
        // Of this rank's writes nothing reaches beyond its own limit.
        let mine = Hints { hard_limit_bytes: hints.hard_limit_bytes, ..agreed.hints };
        open(&found, &absolute, &options(cache, &mine))
    });
    let opened = agree(comm, opened)?;
    let hosts_see_late = !one_host && sees_late(comm, &opened)?;
    if hosts_see_late && comm.rank() == 0 {
        tracing::warn!(
            path = %absolute.display(),
            "a shared file on NFS: ranks on other hosts may see what was written late; use a file system that keeps hosts alike"
        );
    }
    let may_hold = has_small_requests(&agreed.hints) && !opened.striping.is_striped();
    let area = if may_hold { Area::of(comm)? } else { None };
    making.into_iter().for_each(Making::keep);
    Ok(opened.named(path, hosts_see_late).aggregated(area, cache))
}

/// Whether the file, or a stripe of it, is on NFS for any of the ranks: the server itself sees a file system of its own. There a wait makes
/// data seen on the writer's host, and elsewhere when the caches there look again. Collective.
fn sees_late(comm: &Comm, storage: &Storage) -> Result<bool> {
    let is_on_nfs = |path: &Path| elio::stat(path).is_ok_and(|found| found.file_system == FileSystem::Nfs);
    let mut late = [i64::from(storage.places().any(is_on_nfs))];
    comm.all_reduce(&mut late, Operation::Max)?;
    Ok(late[0] != 0)
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

/// What the arguments of all ranks come to. The same on every rank.
#[derive(Debug)]
struct Agreed {
    /// The request size of rank 0, and the largest limits of all ranks; a rank without a hard limit has the largest.
    hints: Hints,
    are_hints_alike: bool,
    one_host: bool,
}

impl Agreed {
    fn tell_difference(&self, path: &Path) {
        if !self.are_hints_alike {
            let Hints { hard_limit_bytes, soft_limit_bytes, request_bytes } = self.hints;
            tracing::info!(
                path = %path.display(), hard_limit_bytes, soft_limit_bytes, request_bytes,
                "ranks give different hints: for the file these are taken, and each rank keeps to its own hard limit"
            );
        }
    }
}

/// Refuses ranks that want different files. Hints that differ are no error: they are optional, and a program may give them on one rank
/// only. Collective. Cost: one reduction.
fn agree_on_arguments(comm: &Comm, path: &Path, hints: &Hints) -> Result<Agreed> {
    let [name, hinted, host] = [hash(&path), hash(hints), hash(&host())].map(u64::cast_signed);
    let request = if comm.rank() == 0 { to_number(hints.request_bytes) } else { i64::MAX };
    let soft = to_number(hints.soft_limit_bytes);
    let hard = hints.hard_limit_bytes.map_or(i64::MAX, |bytes| to_number(Some(bytes)));
    // The smallest of a value and the smallest of its complement: equal everywhere if both are what this rank gave. The smallest
    // complement is that of the largest value.
    let mut values = [name, !name, hinted, !hinted, host, !host, request, !soft, !hard];
    comm.all_reduce(&mut values, Operation::Min)?;
    let [name, not_name, hinted, not_hinted, host, not_host, request, not_soft, not_hard] = values;
    if name != !not_name {
        name_difference(comm, path)?;
    }
    let hints = Hints {
        hard_limit_bytes: of_number(!not_hard).filter(|bytes| *bytes < i64::MAX.unsigned_abs()),
        soft_limit_bytes: of_number(!not_soft),
        request_bytes: of_number(request),
    };
    Ok(Agreed { hints, are_hints_alike: hinted == !not_hinted, one_host: host == !not_host })
}

/// A hint as ranks compare it: below all others if it says nothing, and no larger than a file can be.
fn to_number(hint: Option<u64>) -> i64 {
    hint.map_or(-1, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX))
}

fn of_number(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The error that says which rank wants another file than rank 0. Collective.
fn name_difference(comm: &Comm, path: &Path) -> Result<()> {
    let mine = path.as_os_str().as_bytes();
    let mut len = [mine.len() as u64];
    comm.broadcast(&mut len, 0)?;
    let mut first = mine.to_vec();
    first.resize(usize::try_from(len[0]).expect("a path in memory"), 0);
    comm.broadcast(&mut first, 0)?;
    let rank = i64::try_from(comm.rank()).expect("ranks are below 2^31");
    let mut differs = [if first == mine { i64::MAX } else { rank }];
    comm.all_reduce(&mut differs, Operation::Min)?;
    match usize::try_from(differs[0]) {
        Ok(rank) if rank < comm.size() => {
            Err(Error::ArgumentsDiffer { rank, path: OsStr::from_bytes(&first).into() })
        }
        _ => Ok(()),
    }
}
