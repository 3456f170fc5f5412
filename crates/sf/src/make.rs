//! Making the files on disk, or finding them again: the work of rank 0.

use crate::description::Description;
use crate::error::{Error, Result, of_file};
use crate::file::Hints;
use crate::sighting::{Sighting, Token, host, name_beside, numbers, unique};
use crate::storage::{Storage, options};
use crate::striping::{Striping, unit_bytes_for};
use elio::{CachePolicy, Operation};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Which directories new files are striped over, separated by colons.
const VARIABLE: &str = "CHEMIO_SF_DIRS";
/// How much of a file's name its stripes have in theirs: with what is added, no more than a name may be long.
const NAME_BYTES_MAX: usize = 200;

/// What other ranks must know to open the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    description: Option<Description>,
    host: String,
    /// Of the name, then of the stripes.
    sightings: Vec<Sighting>,
}

impl Found {
    pub(crate) fn striping(&self) -> Striping {
        self.description.as_ref().and_then(Description::striping).unwrap_or(Striping::NONE)
    }

    /// The files that hold the bytes of the file called `path`.
    pub(crate) fn files(&self, path: &Path) -> Vec<PathBuf> {
        match &self.description {
            None => vec![path.to_owned()],
            Some(description) => description.stripes().iter().map(PathBuf::from).collect(),
        }
    }

    /// Whether this rank sees the same files as rank 0.
    pub(crate) fn check(&self, path: &Path) -> Result<()> {
        let stripes =
            self.description.iter().flat_map(|description| description.stripes().iter().map(Path::new));
        let mut files = std::iter::once(path).chain(stripes).zip(&self.sightings);
        files.try_for_each(|(file, sighting)| sighting.check(file, &self.host))
    }
}

/// A file that has been made or found; what was made is removed again unless it is kept.
#[derive(Debug, Default)]
pub(crate) struct Making {
    name: Option<Name>,
    stripes: Vec<PathBuf>,
    tokens: Vec<Token>,
}

impl Drop for Making {
    fn drop(&mut self) {
        match self.name.take() {
            // Whoever found it has put data into it: that is not ours to remove.
            Some(name) if name.is_ours() && !(name.is_as_made() && self.stripes.iter().all(is_empty)) => {
                tracing::info!(path = %name.path.display(), "somebody else uses what was made: it stays");
                self.stripes.clear();
            }
            Some(name) if name.is_ours() => remove(&name.path),
            _ => {}
        }
        self.remove_stripes();
    }
}

/// The file of the name itself, as it was made.
#[derive(Debug)]
struct Name {
    path: PathBuf,
    /// Its device and its number there.
    numbers: (u64, u64),
    /// What was to be written into it: nothing, or the description of a striped file.
    text: String,
}

impl Name {
    /// Whether the path still leads to the file that was made.
    fn is_ours(&self) -> bool {
        numbers(&self.path).is_ok_and(|found| found == self.numbers)
    }

    /// Whether the file holds no more than was written into it.
    fn is_as_made(&self) -> bool {
        let len_bytes = fs::metadata(&self.path).map_or(u64::MAX, |metadata| metadata.len());
        len_bytes <= self.text.len() as u64
            && fs::read(&self.path).is_ok_and(|held| self.text.as_bytes().starts_with(&held))
    }
}

/// A file under a name that nobody knows, until it has its own.
struct Draft(PathBuf);

impl Draft {
    /// Writes `text` beside `path`.
    fn write(path: &Path, text: &str) -> Result<Self> {
        let of_path = |error| match error {
            // The program knows this name, not the other.
            elio::Error::File { operation, source, .. } => of_file(operation, path, source),
            error => error.into(),
        };
        let beside = name_beside(path);
        if !elio::File::make(&beside).map_err(of_path)? {
            return Err(of_file(Operation::Open, path, ErrorKind::AlreadyExists.into()));
        }
        let draft = Self(beside);
        write_into(&draft.0, text).map_err(|source| of_file(Operation::Open, path, source))?;
        Ok(draft)
    }

    /// Whether `path` is another name of it.
    fn is(&self, path: &Path) -> bool {
        numbers(&self.0).is_ok_and(|mine| numbers(path).is_ok_and(|found| found == mine))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

impl Making {
    /// Everything went well everywhere.
    pub(crate) fn keep(mut self) {
        self.name = None;
        self.stripes.clear();
    }

    /// Makes the file `path`, or finds it.
    pub(crate) fn make(path: &Path, hints: &Hints, several_hosts: bool) -> Result<(Self, Found)> {
        let mut making = Self::default();
        refuse_other_than_files(path)?;
        let description = making.make_unless_there(path, hints)?;
        description.iter().try_for_each(|description| expect_stripes(path, description))?;
        let mut found = Found { description, host: host(), sightings: Vec::new() };
        if making.name.is_none() {
            // What was reserved ahead of ranks that were killed, for one.
            for file in found.files(path) {
                elio::File::give_back_space(file);
            }
        }
        making.preallocate(path, hints, &found)?;
        let names = std::iter::once(path.to_owned());
        let stripes =
            found.description.iter().flat_map(|description| description.stripes().iter().map(PathBuf::from));
        for file in names.chain(stripes) {
            let (sighting, token) = Sighting::take(&file, several_hosts)?;
            found.sightings.push(sighting);
            making.tokens.extend(token);
        }
        Ok((making, found))
    }

    /// Makes the file, striped if directories are given for that, unless there is one. The description of what is there then.
    fn make_unless_there(&mut self, path: &Path, hints: &Hints) -> Result<Option<Description>> {
        let path = &through_links(path);
        let is_there = fs::symlink_metadata(path).is_ok();
        let directories = if is_there { Vec::new() } else { stripe_directories()? };
        if !directories.is_empty() {
            return self.make_striped(path, &directories, hints);
        }
        if !is_there && self.fill_new(path, "")? {
            return Ok(None);
        }
        Description::read(path)
    }

    /// Makes a stripe in each directory and describes them in the file `path`. If somebody has made that meanwhile, it is found
    /// instead.
    fn make_striped(
        &mut self,
        path: &Path,
        directories: &[PathBuf],
        hints: &Hints,
    ) -> Result<Option<Description>> {
        let description =
            Description::new(unit_bytes_for(hints.request_bytes), self.make_stripes(path, directories)?);
        if description.striping().is_none() {
            let reason = format!("{} stripes", directories.len());
            return Err(Error::StripeDirectory { directory: directories[0].clone(), reason });
        }
        if self.publish(path, &description.to_text())? {
            return Ok(Some(description));
        }
        self.remove_stripes();
        Description::read(path)
    }

    /// Makes a stripe in each directory and gives their names.
    fn make_stripes(&mut self, path: &Path, directories: &[PathBuf]) -> Result<Vec<String>> {
        let mut stripes = Vec::new();
        // Never a name that was there before: a file of this name may have been described elsewhere.
        let unique = unique();
        for (number, directory) in directories.iter().enumerate() {
            let stripe = directory.join(stripe_name(path, unique, number));
            let wrong = |reason: String| Error::StripeDirectory { directory: directory.clone(), reason };
            match elio::File::make(&stripe) {
                Ok(true) => self.stripes.push(stripe.clone()),
                Ok(false) => return Err(wrong("a stripe of this name is there".to_owned())),
                Err(error) => return Err(wrong(reason(&error))),
            }
            let text = stripe.into_os_string().into_string();
            stripes.push(text.map_err(|_| wrong("the name is not UTF-8".to_owned()))?);
        }
        Ok(stripes)
    }

    /// Makes the file `path` that holds `text`. Tells whether it did: what is there already stays as it is.
    ///
    /// Nobody finds it with less in it: an empty file of that name would be a plain one, for anybody to write to.
    fn publish(&mut self, path: &Path, text: &str) -> Result<bool> {
        let draft = Draft::write(path, text)?;
        match fs::hard_link(&draft.0, path) {
            Ok(()) => {}
            // Some network file systems make the link, and when the call is repeated find that it is there.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && draft.is(path) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => {
                // A file system without hard links has many ways to say so; any other reason comes up again.
                tracing::debug!(%error, path = %path.display(), "no link: the description is written in place");
                return self.fill_new(path, text);
            }
        }
        self.note_name(path, numbers(&draft.0), text)?;
        Ok(true)
    }

    /// As [`Self::publish`], but the file is there before it holds `text`.
    fn fill_new(&mut self, path: &Path, text: &str) -> Result<bool> {
        if !elio::File::make(path)? {
            return Ok(false);
        }
        self.note_name(path, numbers(path), text)?;
        write_into(path, text).map_err(|source| of_file(Operation::Open, path, source))?;
        Ok(true)
    }

    /// Notes that the file `path` was made, with these numbers, to hold `text`.
    fn note_name(&mut self, path: &Path, numbers: io::Result<(u64, u64)>, text: &str) -> Result<()> {
        let numbers = numbers.map_err(|source| of_file(Operation::Open, path, source))?;
        self.name = Some(Name { path: path.to_owned(), numbers, text: text.to_owned() });
        Ok(())
    }

    /// Removes the stripes that were made.
    fn remove_stripes(&mut self) {
        self.stripes.drain(..).for_each(|stripe| remove(&stripe));
    }

    /// Reserves what the soft limit asks for. A file system that cannot reserve is no error; one that is full is for a new file, and not
    /// for one that was found: a later run may only read it, on a disk that has filled up since.
    fn preallocate(&self, path: &Path, hints: &Hints, found: &Found) -> Result<()> {
        match reserve(path, hints, found) {
            // What has been reserved goes with a new file, and stays with one that others may be writing: none can be cut safely.
            Err(Error::Device(error @ elio::Error::NoSpace { .. })) if self.name.is_none() => {
                tracing::warn!(%error, "no space for the soft limit of a file that was there: it is opened without");
                Ok(())
            }
            reserved => reserved,
        }
    }
}

/// Reserves the soft limit, as far as the hard limit allows it and the file system can.
fn reserve(path: &Path, hints: &Hints, found: &Found) -> Result<()> {
    let Some(soft_bytes) = hints.soft_limit_bytes.filter(|bytes| *bytes > 0) else { return Ok(()) };
    let bytes = soft_bytes.min(hints.hard_limit_bytes.unwrap_or(u64::MAX)).min(i64::MAX.unsigned_abs());
    let files = found.files(path);
    expect_space(&files, found.striping(), bytes)?;
    let storage = Storage::open(path, found.striping(), &files, &options(CachePolicy::default(), hints))?;
    match storage.preallocate(bytes) {
        Err(error) if is_not_offered(&error) => {
            tracing::info!(%error, "no space reserved for the soft limit");
            Ok(())
        }
        reserved => Ok(reserved?),
    }
}

/// Refuses a striped file of which a stripe is gone, with what can be done about it.
fn expect_stripes(path: &Path, description: &Description) -> Result<()> {
    let is_gone =
        |stripe: &&Path| fs::metadata(stripe).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    match description.stripes().iter().map(Path::new).find(is_gone) {
        None => Ok(()),
        Some(stripe) => Err(Error::StripeGone { stripe: stripe.to_owned(), path: path.to_owned() }),
    }
}

/// Whether a file system does not know how to reserve, or not so much, or was interrupted again and again.
fn is_not_offered(error: &elio::Error) -> bool {
    let kinds =
        [ErrorKind::Unsupported, ErrorKind::InvalidInput, ErrorKind::FileTooLarge, ErrorKind::Interrupted];
    error.os_error().is_some_and(|error| kinds.contains(&error.kind()))
}

/// Refuses to reserve what is not there: some file systems would fill themselves up before they say so.
fn expect_space(files: &[PathBuf], striping: Striping, len_bytes: u64) -> Result<()> {
    let mut missing_by_pool = HashMap::new();
    for (stripe, file) in files.iter().enumerate() {
        let found = fs::metadata(file).ok();
        let has_bytes = found.as_ref().map_or(0, |metadata| metadata.blocks() * 512);
        let available_bytes = elio::stat(file)?.available_bytes;
        // Several stripes may be in one file system; directories with limits of their own say so.
        let pool = (found.map(|metadata| metadata.dev()), available_bytes);
        let missing = missing_by_pool.entry(pool).or_insert(0u64);
        *missing += striping.share_of(stripe, len_bytes).saturating_sub(has_bytes);
        let missing_bytes = *missing;
        let is_missing = missing_bytes > available_bytes
            && !(elio::File::give_back_space_beside(file)
                && missing_bytes <= elio::stat(file)?.available_bytes);
        if is_missing {
            return Err(Error::Device(elio::Error::NoSpace {
                operation: Operation::Preallocate,
                path: file.clone(),
                offset_bytes: 0,
                len_bytes: missing_bytes,
                available_bytes: Some(available_bytes),
                source: ErrorKind::StorageFull.into(),
            }));
        }
    }
    Ok(())
}

/// Writes `text` at the beginning of a new file, durably: with a name that is there after a crash, and no text, it would be a plain file.
/// Never truncates: others may have found it.
fn write_into(path: &Path, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut file = fs::File::options().write(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Where a link leads to that leads to nothing yet: there the file is made, as by any program that opens a link for writing.
fn through_links(path: &Path) -> PathBuf {
    let leads_nowhere =
        |place: &Path| fs::metadata(place).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let mut place = path.to_owned();
    while leads_nowhere(&place)
        && let Ok(target) = fs::read_link(&place)
    {
        place = place.with_file_name("").join(target);
    }
    place
}

fn is_empty(path: &PathBuf) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() == 0)
}

fn remove(path: &Path) {
    if let Err(error) = elio::File::delete(path) {
        tracing::warn!(%error, "what was made before creating failed is left behind");
    }
}

/// A directory, a pipe or a device is not opened even once: some wait for a partner, some act.
fn refuse_other_than_files(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(Error::NotAFile { path: path.to_owned() }),
        _ => Ok(()),
    }
}

fn stripe_directories() -> Result<Vec<PathBuf>> {
    let value = env::var_os(VARIABLE).unwrap_or_default();
    env::split_paths(&value).filter(|directory| !directory.as_os_str().is_empty()).map(absolute).collect()
}

fn absolute(directory: PathBuf) -> Result<PathBuf> {
    std::path::absolute(&directory)
        .map_err(|error| Error::StripeDirectory { directory, reason: error.to_string() })
}

/// Whether a file may be stripe `number`: whatever a description says, no other files are written, or deleted.
pub(crate) fn is_stripe_name(stripe: &Path, number: usize) -> bool {
    let name = stripe.file_name().unwrap_or_default().to_string_lossy();
    let unique = name.strip_suffix(&format!(".stripe{number}")).and_then(|rest| rest.rsplit_once('.'));
    unique
        .is_some_and(|(_, unique)| unique.len() == 16 && unique.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The basename, as far as there is room, a number that no other file has, and which stripe it is.
fn stripe_name(path: &Path, unique: u64, number: usize) -> OsString {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=NAME_BYTES_MAX.min(name.len())).rfind(|end| name.is_char_boundary(*end)).unwrap_or(0);
    OsString::from(format!("{}.{unique:016x}.stripe{number}", &name[..end]))
}

fn reason(error: &elio::Error) -> String {
    error.os_error().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    fn directories<const N: usize>(place: &Path, names: [&str; N]) -> [PathBuf; N] {
        names.map(|name| {
            fs::create_dir(place.join(name)).unwrap();
            place.join(name)
        })
    }

    #[test]
    fn a_new_file_has_a_stripe_in_every_directory_and_the_unit_of_its_hint() {
        let place = tempfile::tempdir().unwrap();
        let disks = directories(place.path(), ["a", "b", "c"]);
        let path = place.path().join("file");
        let mut making = Making::default();
        let hints = Hints { request_bytes: Some(128 << 10), ..Hints::default() };
        let description = making.make_striped(&path, &disks, &hints).unwrap().unwrap();
        assert_eq!(description.striping(), Striping::new(128 << 10, 3));
        assert!(
            description
                .stripes()
                .iter()
                .zip(&disks)
                .all(|(stripe, disk)| Path::new(stripe).starts_with(disk))
        );
        assert_eq!(Description::read(&path).unwrap(), Some(description));
        making.keep();
        assert!(disks.iter().all(|disk| entries(disk) == 1));
        assert_eq!(entries(place.path()), 3 + 1, "a temporary name is left");
    }

    #[test]
    fn a_name_that_appears_while_stripes_are_made_is_found_and_its_data_stays() {
        let place = tempfile::tempdir().unwrap();
        let disks = directories(place.path(), ["a", "b"]);
        let path = place.path().join("file");
        fs::write(&path, "data of another").unwrap();
        let mut making = Making::default();
        assert_eq!(making.make_striped(&path, &disks, &Hints::default()).unwrap(), None);
        assert!(disks.iter().all(|disk| entries(disk) == 0), "a stripe is left");
        drop(making);
        assert_eq!(fs::read(&path).unwrap(), b"data of another");
        assert_eq!(entries(place.path()), 2 + 1, "a temporary name is left");
    }

    #[test]
    fn a_striped_file_that_appears_while_stripes_are_made_is_found_with_its_own_stripes() {
        let place = tempfile::tempdir().unwrap();
        let disks = directories(place.path(), ["a", "b"]);
        let path = place.path().join("file");
        let [mut first, mut second] = [Making::default(), Making::default()];
        let description = first.make_striped(&path, &disks, &Hints::default()).unwrap();
        assert_eq!(second.make_striped(&path, &disks, &Hints::default()).unwrap(), description);
        drop(second);
        assert_eq!(Description::read(&path).unwrap(), description);
        assert!(disks.iter().all(|disk| entries(disk) == 1));
        drop(first);
        assert!(!path.exists() && disks.iter().all(|disk| entries(disk) == 0));
    }

    #[test]
    fn without_links_a_name_is_filled_in_place_and_never_one_that_is_there() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let mut making = Making::default();
        assert!(making.fill_new(&path, "text").unwrap());
        assert!(!Making::default().fill_new(&path, "other").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"text");
        drop(making);
        assert!(!path.exists());
    }

    #[test]
    fn what_somebody_has_filled_or_replaced_stays_when_creating_fails() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let (making, _) = Making::make(&path, &Hints::default(), false).unwrap();
        fs::write(&path, "data").unwrap();
        drop(making);
        assert_eq!(fs::read(&path).unwrap(), b"data", "filled");
        fs::remove_file(&path).unwrap();
        let (making, _) = Making::make(&path, &Hints::default(), false).unwrap();
        // Made before the other is gone, so that it has another number.
        fs::write(place.path().join("new"), "").unwrap();
        fs::rename(place.path().join("new"), &path).unwrap();
        drop(making);
        assert!(path.exists(), "replaced");
    }

    #[test]
    fn stripes_that_somebody_has_filled_stay_with_their_description_when_creating_fails() {
        let place = tempfile::tempdir().unwrap();
        let disks = directories(place.path(), ["a", "b"]);
        let path = place.path().join("file");
        let mut making = Making::default();
        let description = making.make_striped(&path, &disks, &Hints::default()).unwrap().unwrap();
        fs::write(&description.stripes()[1], "data").unwrap();
        drop(making);
        assert_eq!(Description::read(&path).unwrap(), Some(description));
        assert!(disks.iter().all(|disk| entries(disk) == 1));
    }

    #[test]
    fn a_directory_that_is_missing_is_named_and_nothing_is_left_in_the_others() {
        let place = tempfile::tempdir().unwrap();
        let [disk, missing] = ["disk", "missing"].map(|name| place.path().join(name));
        fs::create_dir(&disk).unwrap();
        let mut making = Making::default();
        let path = place.path().join("file");
        let error =
            making.make_striped(&path, &[disk.clone(), missing.clone()], &Hints::default()).unwrap_err();
        assert!(
            matches!(&error, Error::StripeDirectory { directory, .. } if *directory == missing),
            "{error}"
        );
        assert!(error.to_string().starts_with("No such file or directory"), "{error}");
        assert_eq!(entries(&disk), 1);
        drop(making);
        assert_eq!(entries(&disk), 0);
        assert!(!path.exists());
    }

    #[test]
    fn a_long_name_is_shortened_at_a_character() {
        let long = "ä".repeat(127);
        let name = stripe_name(&Path::new("/d").join(&long), 7, 12).into_string().unwrap();
        assert!(name.len() <= 255 && name.ends_with(".0000000000000007.stripe12"), "{name}");
        assert_eq!(stripe_name(Path::new("/d/x"), 1, 0), "x.0000000000000001.stripe0");
    }

    #[test]
    fn what_was_made_is_removed_unless_it_is_kept_and_what_was_there_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        drop(Making::make(&path, &Hints::default(), true).unwrap());
        assert_eq!(entries(place.path()), 0, "a file or a token is left");
        fs::write(&path, "data").unwrap();
        let hints = Hints { soft_limit_bytes: Some(1 << 20), ..Hints::default() };
        drop(Making::make(&path, &hints, true).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"data");
        let (making, found) = Making::make(&path, &hints, false).unwrap();
        making.keep();
        assert_eq!((found.striping(), found.files(&path)), (Striping::NONE, vec![path.clone()]));
        assert_eq!(entries(place.path()), 1);
    }
}
