//! Which shards of an array there are, found by listing its directory: an array may have more shards than can be asked for one by
//! one.

use crate::directory::ArrayDirectory;
use crate::disk::entries;
use crate::error::Result;
use crate::survey::{CHUNKS, NEW, OLD, PART};
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// What is in the directory of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The numbers of the shards of whose names there is something, ascending: a file, if nobody has put anything else there.
    pub shards: Vec<u64>,
    /// What is no chunk of the array and not its metadata.
    pub foreign: Vec<PathBuf>,
    /// The directories that hold nothing but chunks, inner ones first.
    pub(crate) directories: Vec<PathBuf>,
    /// Links to directories of chunks: reading goes through them, deleting does not.
    pub(crate) links: Vec<PathBuf>,
    /// The shards behind them, which are among `shards`.
    pub(crate) linked_shards: Vec<u64>,
}

impl ArrayDirectory {
    /// Lists the shards that there are. Memory for a number and a name each.
    ///
    /// # Errors
    /// What the system says.
    pub fn stored(&self) -> Result<Stored> {
        let mut stored = Stored::default();
        for (entry, kind) in entries(self.path())? {
            let name = entry.file_name().unwrap_or_default();
            if name == crate::format::METADATA || [NEW, OLD, PART].iter().any(|ours| name == *ours) {
                continue;
            }
            self.sort_in(&entry, kind, 1, &mut stored)?;
        }
        stored.shards.sort_unstable();
        stored.linked_shards.sort_unstable();
        Ok(stored)
    }

    fn sort_in(&self, entry: &Path, kind: FileType, level: usize, stored: &mut Stored) -> Result<()> {
        // Whoever opens a shard by its name goes through links.
        let is_link = kind.is_symlink() && may_hold_chunks(entry);
        let is_directory = kind.is_dir() || (is_link && entry.is_dir());
        if let Some(number) = self.number_of(entry) {
            // Whatever it is: whoever opens the shard finds out.
            stored.shards.push(number);
        } else if is_directory && level <= self.metadata().dims.len() {
            let (foreign, directories) = (stored.foreign.len(), stored.directories.len());
            let (links, shards) = (stored.links.len(), stored.shards.len());
            for (inner, kind) in entries(entry)? {
                self.sort_in(&inner, kind, level + 1, stored)?;
            }
            if is_link {
                stored.directories.truncate(directories);
                stored.links.truncate(links);
                stored.links.push(entry.to_owned());
                stored.linked_shards.extend_from_slice(&stored.shards[shards..]);
            } else if stored.foreign.len() == foreign {
                stored.directories.push(entry.to_owned());
            }
        } else {
            stored.foreign.push(entry.to_owned());
        }
        Ok(())
    }

    /// The number of the shard with this file.
    fn number_of(&self, file: &Path) -> Option<u64> {
        let key = file.strip_prefix(self.path()).ok()?;
        let shards = self.layout().shards();
        let coordinates = self.metadata().keys.coordinates(key, self.metadata().dims.len())?;
        let inside = coordinates.iter().zip(shards.counts().iter()).all(|(at, count)| at < count);
        inside.then(|| shards.number(&coordinates))
    }
}

/// Whether directories of chunks have such a name: `c`, or a number. Links of other names lead somewhere else.
fn may_hold_chunks(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default();
    name == CHUNKS || name.as_encoded_bytes().iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ArraySpec, BrickShape, Bricks, ChunkKeys, DataType, Separator};
    use section::Section;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_name_of_a_chunk_gives_its_coordinates_back_and_no_other_name_does() {
        for keys in [
            ChunkKeys::Default(Separator::Slash),
            ChunkKeys::Default(Separator::Dot),
            ChunkKeys::V2(Separator::Slash),
            ChunkKeys::V2(Separator::Dot),
        ] {
            let key = keys.key(&[7, 0, 12]);
            assert_eq!(keys.coordinates(&key, 3).unwrap()[..], [7, 0, 12], "{keys}");
            assert_eq!(keys.coordinates(&key, 2), None, "{keys}");
            let padded = PathBuf::from(key.to_str().unwrap().replace('7', "07"));
            assert_eq!(keys.coordinates(&padded, 3), None, "{keys}");
        }
        assert_eq!(ChunkKeys::OURS.coordinates(Path::new("c.0.0"), 2), None);
    }

    #[test]
    fn only_the_shards_that_have_a_file_are_listed_and_strangers_are_named() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let mut spec = ArraySpec::new(&[8, 6], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
        spec.files = 4;
        let array = ArrayDirectory::create(&path, &spec).unwrap();
        assert_eq!(array.stored().unwrap().shards, [0, 1, 2, 3]);
        fs::remove_file(array.shard_path(2)).unwrap();
        fs::write(path.join("c/9"), "").unwrap();
        fs::write(path.join("notes"), "").unwrap();
        let stored = array.stored().unwrap();
        assert_eq!(stored.shards, [0, 1, 3]);
        assert_eq!(stored.foreign, [path.join("c/9"), path.join("notes")]);
        fs::create_dir(array.shard_path(2)).unwrap();
        assert_eq!(array.stored().unwrap().shards, [0, 1, 2, 3]);
    }

    #[test]
    fn shards_behind_a_link_are_copied_and_the_link_is_left() {
        let scratch = tempfile::tempdir().unwrap();
        let [path, elsewhere, copy] = ["array", "elsewhere", "copy"].map(|name| scratch.path().join(name));
        let mut spec = ArraySpec::new(&[8, 6], DataType::Float64).unwrap();
        spec.files = 4;
        let array = ArrayDirectory::create(&path, &spec).unwrap();
        let whole = Section::whole(&[8, 6]).unwrap();
        array.write(&whole, &[7; 8 * 48]).unwrap();
        fs::rename(path.join("c"), &elsewhere).unwrap();
        symlink(&elsewhere, path.join("c")).unwrap();
        let array = ArrayDirectory::open(&path).unwrap();
        let stored = array.stored().unwrap();
        assert!(!stored.shards.is_empty() && stored.foreign.is_empty(), "{stored:?}");
        let mut found = [0; 8 * 48];
        array.copy_to(&copy).unwrap().read(&whole, &mut found).unwrap();
        assert_eq!(found, [7; 8 * 48]);
        // As another program's, which is deleted by what is listed.
        let text = fs::read_to_string(path.join("zarr.json")).unwrap().replace("\"chemio\"", "\"other\"");
        fs::write(path.join("zarr.json"), text).unwrap();
        let project = scratch.path().join("project");
        fs::create_dir_all(project.join("results")).unwrap();
        symlink(&project, path.join("extra")).unwrap();
        let array = ArrayDirectory::open(&path).unwrap();
        let stored = array.stored().unwrap();
        assert_eq!(stored.foreign, [path.join("extra")]);
        let behind = fs::read_dir(&elsewhere).unwrap().count();
        let deleted = array.delete_whoever_made_it().unwrap();
        assert_eq!(deleted.left, [path.join("extra"), path.join("c")]);
        assert!(
            behind > 0 && fs::read_dir(&elsewhere).unwrap().count() == behind,
            "what is behind it is kept"
        );
        assert!(elsewhere.join("0/0").is_file() && project.join("results").is_dir());
        assert!(!path.join("zarr.json").exists());
    }
}
