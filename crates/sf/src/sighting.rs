//! Whether a rank sees the file that rank 0 has made, or a file of its own host with the same name.
//!
//! On the host of rank 0 the number of the file tells. From another host, numbers may be the same by chance or different
//! for one file: there rank 0 lays a token beside the file, with a name that nobody had before, and who sees the token
//! sees the directory.

use crate::error::{Error, Result, of_file};
use elio::Operation;
use serde::{Deserialize, Serialize};
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What rank 0 saw of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sighting {
    device: u64,
    inode: u64,
    /// The name of the token beside the file, if ranks are on several hosts and there is a right to make files.
    token: Option<String>,
}

/// A file that is removed with the value.
#[derive(Debug)]
pub(crate) struct Token(PathBuf);

impl Drop for Token {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a token that showed ranks the file is left behind");
        }
    }
}

/// A host as it calls itself, with what tells it from another of that name: its kernel's number since it was started.
pub(crate) fn host() -> String {
    let line = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    format!("{} {}", line("/proc/sys/kernel/hostname"), line("/proc/sys/kernel/random/boot_id"))
}

/// The name of a host, as [`host`] gives it.
pub(crate) fn host_name(host: &str) -> &str {
    host.split(' ').next().filter(|name| !name.is_empty()).unwrap_or("(unknown)")
}

/// A number that nobody else has.
pub(crate) fn unique() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A name beside `path` that nobody has.
pub(crate) fn name_beside(path: &Path) -> PathBuf {
    path.with_file_name(format!(".chemio-{:016x}", unique()))
}

impl Sighting {
    /// What this rank sees of `path`; with a token for other hosts if there are some.
    pub(crate) fn take(path: &Path, several_hosts: bool) -> Result<(Self, Option<Token>)> {
        let (device, inode) = numbers(path).map_err(|source| of_file(Operation::Open, path, source))?;
        let token = several_hosts.then(|| lay_token(&behind_links(path))).flatten();
        let name = token.as_ref().and_then(|Token(path)| Some(path.file_name()?.to_str()?.to_owned()));
        Ok((Self { device, inode, token: name }, token))
    }

    /// Whether `path`, which is absolute, is here the file that was seen by a rank on `maker`.
    ///
    /// # Errors
    /// - [`Error::AnotherFile`]: on the same host, there is no file or not that one.
    /// - [`Error::Device`]: on the same host, another reason of the system why there is no file for this rank.
    /// - [`Error::NotShared`]: on another host, there is no file or not that one.
    pub(crate) fn check(&self, path: &Path, maker: &str) -> Result<()> {
        let here = host();
        if here == maker {
            self.check_on_same_host(path, &here)
        } else {
            self.check_elsewhere(path, maker, &here)
        }
    }

    fn check_on_same_host(&self, path: &Path, here: &str) -> Result<()> {
        match numbers(path) {
            Ok(found) if found == (self.device, self.inode) => Ok(()),
            // Rank 0 does see one: that there is none here has the same causes as that there is another.
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(of_file(Operation::Open, path, source))
            }
            _ => Err(Error::AnotherFile { path: path.to_owned(), host: host_name(here).to_owned() }),
        }
    }

    fn check_elsewhere(&self, path: &Path, maker: &str, here: &str) -> Result<()> {
        // The token comes first: nobody has asked for its name before, so that a network file system has to look at the directory, and
        // forgets that there was no file when it looked the last time.
        let has_token = self.token.as_ref().map(|token| behind_links(path).with_file_name(token).exists());
        let same = numbers(path).is_ok_and(|(_, inode)| has_token.unwrap_or(inode == self.inode));
        if same {
            return Ok(());
        }
        let (maker, host) = (host_name(maker).to_owned(), host_name(here).to_owned());
        Err(Error::NotShared { path: path.to_owned(), maker, host })
    }
}

/// Where a file is, if its name is a link: what is beside the link says nothing of it.
fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The device that a file is on, and its number there.
pub(crate) fn numbers(path: &Path) -> std::io::Result<(u64, u64)> {
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

fn lay_token(path: &Path) -> Option<Token> {
    let token = name_beside(path);
    elio::File::make(&token)
        .inspect_err(|error| tracing::debug!(%error, "no token: other hosts compare the number of the file"))
        .is_ok_and(|made| made)
        .then_some(Token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_is_recognised_on_the_same_host_and_another_one_or_none_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let (one, other) = (directory.path().join("one"), directory.path().join("other"));
        fs::write(&one, "1").unwrap();
        fs::write(&other, "1").unwrap();
        let (sighting, token) = Sighting::take(&one, false).unwrap();
        assert!(token.is_none());
        sighting.check(&one, &host()).unwrap();
        for wrong in [other, directory.path().join("missing"), directory.path().join("missing/one")] {
            let error = sighting.check(&wrong, &host()).unwrap_err();
            assert!(matches!(&error, Error::AnotherFile { path, .. } if *path == wrong), "{error:?}");
            assert_eq!(error.code(), crate::codes::FAILED);
            assert!(error.to_string().contains("another working directory"), "{error}");
            assert!(error.to_string().ends_with(wrong.to_str().unwrap()), "{error}");
        }
    }

    #[test]
    fn what_the_system_says_on_the_same_host_is_told_and_on_another_one_the_file_is_not_shared() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "1").unwrap();
        let (sighting, _) = Sighting::take(&path, false).unwrap();
        let below = directory.path().join("file/below");
        let error = sighting.check(&below, &host()).unwrap_err();
        assert_eq!(error.code(), crate::codes::DEVICE_OPEN, "{error:?}");
        assert_eq!(error.path(), Some(&*below));
        assert!(error.to_string().contains("Not a directory"), "{error}");
        for wrong in [below, directory.path().join("missing")] {
            let error = sighting.check(&wrong, "elsewhere 1").unwrap_err();
            assert!(matches!(error, Error::NotShared { .. }), "{error:?}");
        }
    }

    #[test]
    fn from_another_host_the_token_tells_and_is_gone_afterwards() {
        let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [shared, own] = [0, 1].map(|i| directories[i].path().join("file"));
        fs::write(&shared, "").unwrap();
        fs::write(&own, "").unwrap();
        let (sighting, token) = Sighting::take(&shared, true).unwrap();
        sighting.check(&shared, "elsewhere 1").unwrap();
        let error = sighting.check(&own, "elsewhere 1").unwrap_err().to_string();
        assert!(error.contains("host elsewhere's own disk"), "{error}");
        assert_eq!(fs::read_dir(directories[0].path()).unwrap().count(), 2);
        drop(token);
        assert_eq!(fs::read_dir(directories[0].path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_in_a_shared_directory_to_a_file_on_each_hosts_own_disk_is_not_one_file() {
        let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [own, other] = [0, 1].map(|i| directories[i].path().join("file"));
        let shared = tempfile::tempdir().unwrap();
        let link = shared.path().join("link");
        let leads_to = |file: &Path| {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(file, &link).unwrap();
        };
        fs::write(&own, "").unwrap();
        fs::write(&other, "of yesterday").unwrap();
        leads_to(&own);
        let (sighting, _token) = Sighting::take(&link, true).unwrap();
        sighting.check(&link, "elsewhere 1").unwrap();
        // As on the other host, where the same name is another disk.
        leads_to(&other);
        let error = sighting.check(&link, "elsewhere 1").unwrap_err();
        assert!(matches!(error, Error::NotShared { .. }), "{error:?}");
    }
}
