//! What is at a path, before anything there is touched; which names are ours.
//!
//! The directory of an array has `zarr.json` and the chunk files under `c`. While an array is being created or deleted there
//! are also `.chemio-new` (what is being made) and `.chemio-old` (what is to be removed). A directory with one of them and
//! without `zarr.json` was left half-made by a program that was killed; on a full disk `.chemio-old` is the old `zarr.json` itself,
//! a file. While a shard or the metadata are being replaced
//! there is `.chemio-part`, which says nothing of the rest. All three are ours with all they hold.

use crate::disk::{Disk, entries};
use crate::error::{Error, Operation, Result, refused};
use crate::format::coordinate;
use crate::format::{Attributes, ChunkKeys, IndexFormat, METADATA, Metadata, MetadataError};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Where what is being made is.
pub(crate) const NEW: &str = ".chemio-new";
/// Where what is to be removed is.
pub(crate) const OLD: &str = ".chemio-old";
/// Where a part of an array, to replace the one there is, is made.
pub(crate) const PART: &str = ".chemio-part";
/// Where the chunks of our arrays are.
pub(crate) const CHUNKS: &str = "c";
/// Metadata are not longer; what is longer is none, and is not read into memory.
const METADATA_BYTES_MAX: u64 = 64 << 20;

/// What is at a path.
#[derive(Debug)]
pub(crate) enum Survey {
    /// Nothing.
    Absent,
    /// An empty directory.
    Empty,
    /// An array of ours whose creation or deletion never ended.
    HalfMade,
    /// An array of ours.
    Ours(Box<Metadata>),
    /// Something else: what.
    Other(&'static str),
}

impl Survey {
    pub(crate) fn of(path: &Path) -> Result<Self> {
        expect_name(path)?;
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => return Ok(Self::Other(kind(&metadata))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(if is_link(path) { Self::Other(DANGLING) } else { Self::Absent });
            }
            Err(error) => return Err(refused(Operation::Look, path)(error)),
        }
        match read_metadata(path) {
            Ok(metadata) if is_ours(&metadata) => Ok(Self::Ours(Box::new(metadata))),
            Ok(_) | Err(Error::Unsupported { .. }) => Ok(Self::Other("an array of another program")),
            Err(Error::Malformed { .. }) => {
                Ok(Self::Other("a directory with metadata that cannot be understood"))
            }
            Err(Error::HalfMade { .. }) => Ok(Self::HalfMade),
            Err(Error::Empty { .. }) => Ok(Self::Empty),
            Err(Error::NotAnArray { found, .. }) => Ok(Self::Other(found)),
            Err(error) => Err(error),
        }
    }

    /// How many dimensions chunk keys have, if it is known.
    pub(crate) fn dims(&self) -> Option<usize> {
        match self {
            Self::Ours(metadata) => Some(metadata.dims.len()),
            _ => None,
        }
    }
}

/// Programs that pad names with blanks, or never set one, would else make an array in the current directory or of an odd name.
fn expect_name(path: &Path) -> Result<()> {
    let is_blank = path.as_os_str().as_encoded_bytes().trim_ascii().is_empty();
    if is_blank { Err(Error::EmptyName) } else { Ok(()) }
}

/// The same path wherever the program goes: with a name at its end even if `.` was given, and without a slash behind it, so that one
/// place has one path. Links stay as they are.
pub fn absolute(path: &Path) -> PathBuf {
    named(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// The same path without a slash or `/.` at its end, with which the system neither makes nor renames nor removes a directory. What ends
/// with `..`, or is nothing but `.`, has no name that others could be made of, and gets the one that the directory has. Links
/// stay as they are elsewhere.
pub fn named(path: &Path) -> PathBuf {
    let plain: PathBuf = path.components().collect();
    match plain.file_name() {
        Some(_) => plain,
        None => fs::canonicalize(&plain).unwrap_or(plain),
    }
}

/// Whether an array with these metadata was made by us, and still has its files where we put them.
fn is_ours(metadata: &Metadata) -> bool {
    let stored_as_ours = metadata.keys == ChunkKeys::OURS && metadata.index == Some(IndexFormat::OURS);
    stored_as_ours && Attributes::of_map(&metadata.attributes).is_some()
}

/// The metadata of the array at `path`.
///
/// # Errors
/// [`Error::EmptyName`], [`Error::Missing`], [`Error::Empty`], [`Error::HalfMade`], [`Error::NotAnArray`],
/// [`Error::Malformed`], [`Error::Unsupported`], or what the system says.
pub(crate) fn read_metadata(path: &Path) -> Result<Metadata> {
    expect_name(path)?;
    let (file, text) = read_metadata_text(path)?;
    Metadata::of_text(&text).map_err(|error| match error {
        MetadataError::Malformed(reason) => Error::Malformed { path: file, reason },
        MetadataError::Unsupported(what) => Error::Unsupported { path: file, what },
        MetadataError::NotAnArray(found) => Error::NotAnArray { path: path.to_owned(), found },
    })
}

/// The path and the text of the metadata.
pub(crate) fn read_metadata_text(path: &Path) -> Result<(PathBuf, Vec<u8>)> {
    let file = path.join(METADATA);
    match fs::metadata(&file) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(Error::Malformed { path: file, reason: "not a file".to_owned() });
        }
        Ok(metadata) if metadata.len() > METADATA_BYTES_MAX => {
            return Err(Error::Malformed { path: file, reason: too_long(metadata.len()) });
        }
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(without_metadata(path));
        }
        Err(error) => return Err(refused(Operation::Look, &file)(error)),
    }
    match elio::with_open_files_raised(|| fs::read(&file)) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err(refused(Operation::Read, &file)(error)),
    }
}

fn too_long(bytes: u64) -> String {
    format!("{bytes} bytes of metadata, at most {METADATA_BYTES_MAX} expected")
}

/// Makes sure that metadata that are to be written to `file` can be read again, as opening reads them: else the array would be out
/// of reach for good.
///
/// # Errors
/// [`Error::Unreadable`].
pub(crate) fn expect_readable(file: &Path, text: &[u8]) -> Result<()> {
    let len_bytes = text.len() as u64;
    let read = if len_bytes > METADATA_BYTES_MAX {
        Err(too_long(len_bytes))
    } else {
        Metadata::of_text(text).map(drop).map_err(|error| error.to_string())
    };
    read.map_err(|reason| Error::Unreadable { path: file.to_owned(), reason })
}

/// The texts of metadata that are left of an array whose making or removal was interrupted: of the old one, and of the new one. One that
/// is no text of metadata is empty.
pub(crate) fn metadata_left(path: &Path) -> Vec<Vec<u8>> {
    let text = |directory: &str| match read_metadata_text(&path.join(directory)) {
        Ok((_, text)) => Some(text),
        Err(
            Error::Missing { .. } | Error::Empty { .. } | Error::NotAnArray { .. } | Error::HalfMade { .. },
        ) => None,
        // Nobody knows whose it is.
        Err(_) => Some(vec![]),
    };
    let old = path.join(OLD);
    // On a full disk it is the metadata themselves.
    let as_file = old.is_file().then(|| fs::read(&old).unwrap_or_default());
    [as_file, text(OLD), text(NEW)].into_iter().flatten().collect()
}

/// What is at a path that has no `zarr.json`.
fn without_metadata(path: &Path) -> Error {
    let path = path.to_owned();
    let has = |name: &str| fs::symlink_metadata(path.join(name)).is_ok();
    let found = match fs::metadata(&path) {
        Err(_) if is_link(&path) => DANGLING,
        Err(_) => return Error::Missing { path },
        Ok(metadata) if !metadata.is_dir() => kind(&metadata),
        Ok(_) if has(NEW) || has(OLD) => return Error::HalfMade { path },
        Ok(_) if has(".zarray") || has(".zgroup") => "an array or group of Zarr version 2",
        Ok(_) if entries(&path).is_ok_and(|entries| entries.is_empty()) => return Error::Empty { path },
        Ok(_) => "a directory without zarr.json",
    };
    Error::NotAnArray { path, found }
}

const DANGLING: &str = "a link to nothing";

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// What it is that is no directory.
fn kind(metadata: &fs::Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "a file"
    }
}

/// What is under `c` in the directory of an array of ours.
#[derive(Debug, Default)]
pub(crate) struct ChunkTree {
    /// Chunk files.
    pub(crate) files: Vec<PathBuf>,
    /// Directories, inner ones first, `c` last.
    pub(crate) directories: Vec<PathBuf>,
    /// What has a name or a place that no chunk has.
    pub(crate) foreign: Vec<PathBuf>,
}

impl ChunkTree {
    /// Looks at an array of ours with so many dimensions, or one whose metadata are gone.
    pub(crate) fn of(path: &Path, dims: Option<usize>) -> Result<Self> {
        let mut tree = Self::default();
        let chunks = path.join(CHUNKS);
        match fs::symlink_metadata(&chunks) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(refused(Operation::Look, &chunks)(error)),
            Ok(metadata) if metadata.is_dir() => tree.add(&chunks, 1, dims)?,
            Ok(_) => tree.foreign.push(chunks),
        }
        Ok(tree)
    }

    /// Removes the chunks and the directories that then are empty.
    pub(crate) fn remove(&self, disk: &Disk) -> Result<()> {
        self.files.iter().try_for_each(|file| disk.remove_file(file))?;
        self.directories.iter().try_for_each(|directory| disk.remove_directory(directory).map(drop))
    }

    /// Adds what is in `directory`, which holds coordinates of dimension `level`, counted from 1.
    fn add(&mut self, directory: &Path, level: usize, dims: Option<usize>) -> Result<()> {
        let may_be_file = dims.is_none_or(|dims| level == dims);
        let may_be_directory = dims.map_or(level < section::DIMS_MAX, |dims| level < dims);
        for (entry, kind) in entries(directory)? {
            let is_coordinate =
                entry.file_name().and_then(|name| name.to_str()).and_then(coordinate).is_some();
            if is_coordinate && kind.is_file() && may_be_file {
                self.files.push(entry);
            } else if is_coordinate && kind.is_dir() && may_be_directory {
                self.add(&entry, level + 1, dims)?;
            } else {
                self.foreign.push(entry);
            }
        }
        self.directories.push(directory.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::ArrayDirectory;
    use crate::format::{ArraySpec, DataType};

    #[test]
    fn one_place_has_one_path_however_it_ends() {
        let scratch = tempfile::tempdir().unwrap();
        let place = fs::canonicalize(scratch.path()).unwrap().join("a");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        for end in ["", "/", "/.", "/././", "/c/.."] {
            let path = PathBuf::from(format!("{}{end}", place.display()));
            if end.ends_with("..") {
                ArrayDirectory::create(&place, &spec).unwrap();
            }
            // Where one is, it is replaced.
            for _ in 0..2 {
                let array = ArrayDirectory::create(&path, &spec).unwrap();
                assert_eq!(array.path(), place, "{end:?}");
            }
            assert_eq!(ArrayDirectory::open(&path).unwrap().path(), place, "{end:?}");
            assert!(ArrayDirectory::delete(&path).unwrap().left.is_empty(), "{end:?}");
            assert!(!place.exists(), "{end:?}");
        }
        assert_eq!(named(Path::new("")), Path::new(""));
        assert_eq!(named(Path::new("nowhere/..")), Path::new("nowhere/.."));
        assert_eq!(named(Path::new(".")), std::env::current_dir().unwrap());
    }
}
