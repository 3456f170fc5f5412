//! Whether the processes of several hosts see one directory: each host lays a file in it, and looks whose files there are.
//!
//! Looking is listing, after a file of one's own was made there. A network file system keeps in memory what is in a directory, and also what
//! is not, so that to look for a name finds what was so before; a change by this host makes it ask the server anew. Locks
//! are no way to find out: network file systems that have them for directories may keep them on each host.

use crate::cached::look_again;
use crate::disk::{Disk, entries};
use crate::error::{Error, Result};
use crate::survey::{NEW, Survey, named};
use std::io;
use std::path::{Path, PathBuf};

/// So often a token is tried to be laid.
const LAY_ATTEMPTS: u32 = 10;

/// The file of one host, beside what is being made, if something is. It is removed when it is dropped, and so are the directories that were made for it.
#[derive(Debug)]
pub struct Token {
    disk: Disk,
    /// None until it is there.
    file: Option<PathBuf>,
    /// Outer ones first.
    made: Vec<PathBuf>,
}

impl Token {
    /// Lays the token of host number `host` where an array is to be made at `path`, whose parent exists. Those with the same text `of` belong
    /// together; nobody else has it.
    ///
    /// # Errors
    /// - [`Error::EmptyName`]: no name.
    /// - [`Error::NotOurs`]: something else is there; it is not touched.
    /// - What the system says.
    pub fn lay(path: &Path, of: &str, host: usize) -> Result<Self> {
        let path = named(path);
        look_again(&path);
        if let Survey::Other(found) = Survey::of(&path)? {
            return Err(Error::NotOurs { path, found });
        }
        let place = path.join(NEW);
        let file = place.join(format!("{}{host}", prefix(of)));
        let mut token = Self { disk: Disk::default(), file: None, made: vec![] };
        for attempt in 1.. {
            for directory in [&path, &place] {
                if token.disk.make_directory(directory)? {
                    token.made.push(directory.clone());
                }
            }
            match token.disk.make_new_file(&file) {
                Ok(_) => break,
                // Another program that looks at the same time has removed what it had made.
                Err(Error::System { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && attempt < LAY_ATTEMPTS => {}
                Err(error) => return Err(error),
            }
        }
        token.file = Some(file);
        Ok(token)
    }

    /// How many hosts have laid tokens with the text `of` in the directory that this process sees at `path`.
    ///
    /// # Errors
    /// What the system says.
    pub fn count(path: &Path, of: &str) -> Result<u64> {
        let prefix = prefix(of);
        let is_one = |path: &Path| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&prefix))
        };
        let place = named(path).join(NEW);
        look_again(&place);
        Ok(entries(&place)?.iter().filter(|(path, _)| is_one(path)).count() as u64)
    }
}

impl Token {
    /// Removes the file. Where hosts share directories, all do that before one removes what he has made, by dropping this: a directory
    /// with something in it stays.
    pub fn take_away(&mut self) {
        if let Some(file) = self.file.take()
            && let Err(error) = self.disk.remove_file(&file)
        {
            tracing::warn!(%error, "a token is left behind");
        }
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.take_away();
        // What others have put there since stays, with its directory.
        let mut made = self.made.iter().rev();
        if let Err(error) = made.try_for_each(|directory| self.disk.remove_directory(directory).map(drop)) {
            tracing::warn!(%error, "the directory of a token is left behind");
        }
    }
}

fn prefix(of: &str) -> String {
    format!("token-{of}-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::create::Creation;
    use crate::directory::ArrayDirectory;
    use crate::format::{ArraySpec, DataType};
    use std::fs;

    #[test]
    fn tokens_of_hosts_that_share_a_directory_are_found_by_listing_and_go_again() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        assert_eq!(Token::count(&path, "a").unwrap(), 0);
        let creation = Creation::begin(&path, &spec).unwrap();
        let first = Token::lay(&path, "a", 0).unwrap();
        assert_eq!(Token::count(&path, "a").unwrap(), 1);
        let second = Token::lay(&path, "a", 10).unwrap();
        let other = Token::lay(&path, "b", 10).unwrap();
        assert_eq!((Token::count(&path, "a").unwrap(), Token::count(&path, "b").unwrap()), (2, 1));
        drop((first, second, other));
        assert_eq!(Token::count(&path, "a").unwrap(), 0);
        creation.commit().unwrap();
    }

    #[test]
    fn a_token_leaves_a_directory_as_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        drop(Token::lay(&path, "a", 0).unwrap());
        assert!(!path.exists());
        fs::create_dir(&path).unwrap();
        drop(Token::lay(&path, "a", 0).unwrap());
        assert!(fs::read_dir(&path).unwrap().next().is_none());
        fs::write(path.join("notes"), "").unwrap();
        assert!(matches!(Token::lay(&path, "a", 0), Err(Error::NotOurs { .. })));
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
        fs::remove_file(path.join("notes")).unwrap();
        ArrayDirectory::create(&path, &ArraySpec::new(&[3], DataType::Float64).unwrap()).unwrap();
        let token = Token::lay(&path, "a", 0).unwrap();
        ArrayDirectory::open(&path).unwrap();
        drop(token);
        assert!(!path.join(NEW).exists());
    }

    #[test]
    fn a_token_that_cannot_be_laid_takes_back_the_directories_made_for_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        // Longer than any name of a file.
        assert!(Token::lay(&path, &"a".repeat(300), 0).is_err());
        assert!(!path.exists());
    }
}
