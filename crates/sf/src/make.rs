//! Making the files on disk, or finding them again: the work of rank 0.

use crate::description::Description;
use crate::error::{Error, Result, of_file};
use crate::file::Hints;
use crate::sighting::{Sighting, Token, host, unique};
use crate::storage::{Storage, options};
use crate::striping::{Striping, unit_bytes_for};
use elio::{CachePolicy, Operation};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::ErrorKind;
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
#[derive(Debug)]
pub(crate) struct Making {
    made: Vec<PathBuf>,
    tokens: Vec<Token>,
}

impl Drop for Making {
    fn drop(&mut self) {
        for path in self.made.drain(..) {
            if let Err(error) = elio::File::delete(path) {
                tracing::warn!(%error, "what was made before creating failed is left behind");
            }
        }
    }
}

impl Making {
    /// Everything went well everywhere.
    pub(crate) fn keep(mut self) {
        self.made.clear();
    }

    /// Makes the file `path`, or finds it.
    pub(crate) fn make(path: &Path, hints: &Hints, several_hosts: bool) -> Result<(Self, Found)> {
        let mut making = Self { made: Vec::new(), tokens: Vec::new() };
        refuse_other_than_files(path)?;
        let is_new = elio::File::make(path)?;
        if is_new {
            making.made.push(path.to_owned());
        }
        let description = if is_new {
            making.make_stripes(path, &stripe_directories()?, hints)?
        } else {
            Description::read(path)?
        };
        let mut found = Found { description, host: host(), sightings: Vec::new() };
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

    /// Makes a stripe in each directory, if there are directories, and describes them in the file `path`.
    fn make_stripes(
        &mut self,
        path: &Path,
        directories: &[PathBuf],
        hints: &Hints,
    ) -> Result<Option<Description>> {
        if directories.is_empty() {
            return Ok(None);
        }
        let mut stripes = Vec::new();
        // Never a name that was there before: a file of this name may have been described elsewhere.
        let unique = unique();
        for (number, directory) in directories.iter().enumerate() {
            let stripe = directory.join(stripe_name(path, unique, number));
            let wrong = |reason: String| Error::StripeDirectory { directory: directory.clone(), reason };
            match elio::File::make(&stripe) {
                Ok(true) => self.made.push(stripe.clone()),
                Ok(false) => return Err(wrong("a stripe of this name is there".to_owned())),
                Err(error) => return Err(wrong(reason(&error))),
            }
            let text = stripe.into_os_string().into_string();
            stripes.push(text.map_err(|_| wrong("the name is not UTF-8".to_owned()))?);
        }
        let description = Description::new(unit_bytes_for(hints.request_bytes), stripes);
        if description.striping().is_none() {
            let reason = format!("{} stripes", directories.len());
            return Err(Error::StripeDirectory { directory: directories[0].clone(), reason });
        }
        fs::write(path, description.to_text()).map_err(|source| of_file(Operation::Write, path, source))?;
        Ok(Some(description))
    }

    /// Reserves what the soft limit asks for. A file system that cannot reserve is no error, one that is full is.
    fn preallocate(&self, path: &Path, hints: &Hints, found: &Found) -> Result<()> {
        let Some(soft_bytes) = hints.soft_limit_bytes.filter(|bytes| *bytes > 0) else { return Ok(()) };
        let bytes = soft_bytes.min(hints.hard_limit_bytes.unwrap_or(u64::MAX)).min(i64::MAX.unsigned_abs());
        let files = found.files(path);
        expect_space(&files, found.striping(), bytes)?;
        let storage = Storage::open(path, found.striping(), &files, &options(CachePolicy::default(), None))?;
        match storage.preallocate(bytes) {
            Err(error @ elio::Error::NoSpace { .. }) => {
                if let Err(error) = storage.release_beyond_end() {
                    tracing::warn!(%error, "space reserved before it ran out stays with the file");
                }
                Err(error.into())
            }
            Err(error) => {
                tracing::info!(%error, made = self.made.len(), "no space reserved for the soft limit");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}

/// Refuses to reserve what is not there: some file systems would fill themselves up before they say so.
fn expect_space(files: &[PathBuf], striping: Striping, len_bytes: u64) -> Result<()> {
    for (stripe, file) in files.iter().enumerate() {
        let has_bytes = fs::metadata(file).map_or(0, |metadata| metadata.blocks() * 512);
        let missing_bytes = striping.share_of(stripe, len_bytes).saturating_sub(has_bytes);
        let available_bytes = elio::stat(file.parent().unwrap_or(file))?.available_bytes;
        if missing_bytes > available_bytes {
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

    fn nothing_made() -> Making {
        Making { made: Vec::new(), tokens: Vec::new() }
    }

    #[test]
    fn a_new_file_has_a_stripe_in_every_directory_and_the_unit_of_its_hint() {
        let place = tempfile::tempdir().unwrap();
        let disks = ["a", "b", "c"].map(|name| place.path().join(name));
        for disk in &disks {
            fs::create_dir(disk).unwrap();
        }
        let path = place.path().join("file");
        let mut making = nothing_made();
        let hints = Hints { request_bytes: Some(128 << 10), ..Hints::default() };
        let description = making.make_stripes(&path, &disks, &hints).unwrap().unwrap();
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
    }

    #[test]
    fn a_directory_that_is_missing_is_named_and_nothing_is_left_in_the_others() {
        let place = tempfile::tempdir().unwrap();
        let [disk, missing] = ["disk", "missing"].map(|name| place.path().join(name));
        fs::create_dir(&disk).unwrap();
        let mut making = nothing_made();
        let path = place.path().join("file");
        let error =
            making.make_stripes(&path, &[disk.clone(), missing.clone()], &Hints::default()).unwrap_err();
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
