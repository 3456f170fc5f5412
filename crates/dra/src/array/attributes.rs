//! Attributes of an open array, which others may change, and the mark of one of which not all is there yet.

use super::DiskArray;
use crate::error::{Error, Result};
use disk_array::format::Metadata;
use disk_array::{ATTEMPT, ArrayDirectory, UNFINISHED};
use serde_json::Value;
use std::sync::PoisonError;

impl DiskArray {
    /// The metadata as they are now: others may have set attributes. Local. Cost: one look at a file.
    ///
    /// # Errors
    /// - [`Error::Directory`]: the array has been removed, or its metadata cannot be read.
    /// - [`Error::Replaced`]: another array is there now.
    pub fn metadata_now(&self) -> Result<Metadata> {
        self.latest(|directory| directory.metadata().clone())
    }

    /// What `of` finds in the directory as it is now.
    pub(super) fn latest<T>(&self, of: impl FnOnce(&ArrayDirectory) -> T) -> Result<T> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(now) = latest.as_ref().unwrap_or(&self.directory).changed()? {
            if !now.is_made_as(&self.directory) {
                return Err(self.replaced());
            }
            *latest = Some(now);
        }
        Ok(of(latest.as_ref().unwrap_or(&self.directory)))
    }

    fn replaced(&self) -> Error {
        Error::Replaced { path: self.directory.path().to_owned() }
    }

    /// What has to be done again before the array can be read, if somebody has set the attribute
    /// [`UNFINISHED`](crate::UNFINISHED), by this handle or another one. Local. Cost: one look at a file.
    ///
    /// # Errors
    /// As [`metadata_now`](Self::metadata_now).
    pub fn unfinished(&self) -> Result<Option<Value>> {
        self.latest(|directory| directory.unfinished().cloned())
    }

    /// Refuses an array of which not all is there yet. Local. Cost: one look at a file.
    ///
    /// # Errors
    /// - [`Error::Unfinished`], or as [`metadata_now`](Self::metadata_now).
    pub fn check_complete(&self) -> Result<()> {
        match self.latest(|directory| directory.unfinished_work().map(str::to_owned))? {
            Some(what) => Err(Error::Unfinished { path: self.directory.path().to_owned(), what }),
            None => Ok(()),
        }
    }

    /// Refuses to write an array that somebody fills by steps, or was interrupted in doing so: he goes on from what he has noted, whatever
    /// has been written there since.
    pub(super) fn check_writable(&self) -> Result<()> {
        let work = |directory: &ArrayDirectory| {
            directory.unfinished()?.get(ATTEMPT)?;
            directory.unfinished_work().map(str::to_owned)
        };
        match self.latest(work)? {
            Some(what) => Err(Error::Unfinished { path: self.directory.path().to_owned(), what }),
            None => Ok(()),
        }
    }

    /// Takes for this handle's the attributes that others have set since. Local.
    ///
    /// # Errors
    /// As [`metadata_now`](Self::metadata_now).
    pub fn look_again(&mut self) -> Result<()> {
        self.latest(|_| ())?;
        let latest = self.latest.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(latest) = latest.take() {
            self.directory = latest;
        }
        Ok(())
    }

    /// Refuses to go on filling an array that is no longer the one that was marked by this handle.
    pub(super) fn check_mark(&self, now: Option<&Value>) -> Result<()> {
        if now == self.directory.unfinished() { Ok(()) } else { Err(self.replaced()) }
    }

    /// Gives the attribute `key` a value, or takes it away. Collective, with the same arguments. Durable when it returns.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`] with one of [`ArrayDirectory::set_attribute`] or of
    /// [`metadata_now`](Self::metadata_now), [`Error::ArgumentsDiffer`], [`Error::Comm`]. The mark
    /// [`UNFINISHED`](crate::UNFINISHED) that this handle has set or found is not changed in an array that has replaced this one.
    pub fn set_attribute(&mut self, key: &str, value: Option<Value>) -> Result<()> {
        let path = self.directory.path().to_owned();
        let asked = (key, value.as_ref().map(Value::to_string));
        let allowed = if self.access.is_writable() {
            self.unfinished().and_then(|mark| {
                let changes_mark = key == UNFINISHED && self.directory.unfinished().is_some();
                if changes_mark { self.check_mark(mark.as_ref()) } else { Ok(()) }
            })
        } else {
            let (opened, asked) = (self.access.words(), "changing its attributes");
            Err(Error::Access { path: path.clone(), opened, asked })
        };
        self.context.agree_on("setting an attribute", &path, &asked, allowed)?;
        let (keeper, mark) = (self.keeps_directory(), value.clone());
        let set = if keeper { self.directory.set_attribute(key, value) } else { Ok(()) };
        self.context.agree(set.map_err(Error::from))?;
        // It may be another one's mark already.
        let is_mine = |now: &ArrayDirectory| key != UNFINISHED || now.unfinished() == mark.as_ref();
        let now = ArrayDirectory::open(&path).map_err(Error::from);
        let now = now.and_then(|now| if is_mine(&now) { Ok(now) } else { Err(self.replaced()) });
        self.directory = self.context.agree(now)?;
        *self.latest.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }
}
