//! The errors of requests that have failed, kept so that every wait tells them.
//!
//! None is ever dropped: a request that nobody knows any more passes for one that has finished well. The first ones keep errors of
//! their own; where very many fail, as on a full disk, later ones share one for each file and code, which says that it is an earlier
//! one's. So a failed request takes a few dozen bytes, until its table goes; of an EAF file that was closed, until the program ends.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// So many failed requests of a table have an error of their own each.
const OWN_ERRORS_MAX: usize = 1024;

/// Failed requests by their numbers `K`, each of an owner `O`: what tells the file of one from those of others in the same table.
#[derive(Debug)]
pub struct Failures<K, O> {
    failed: BTreeMap<K, Failed<O>>,
    /// Of how many no call has told.
    untold_count: usize,
    /// The errors that later ones share.
    common: Vec<(O, Arc<Error>)>,
}

#[derive(Debug)]
struct Failed<O> {
    owner: O,
    error: Arc<Error>,
    /// A write whose error no call has told: close does. Reads that nobody waited for concern nobody.
    untold: bool,
}

impl<O> Failed<O> {
    fn tell(&mut self, untold_count: &mut usize) -> Error {
        *untold_count -= usize::from(std::mem::take(&mut self.untold));
        Error::Again(Arc::clone(&self.error))
    }
}

impl<K, O> Default for Failures<K, O> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, O> Failures<K, O> {
    /// None has failed so far.
    pub const fn new() -> Self {
        Self { failed: BTreeMap::new(), untold_count: 0, common: Vec::new() }
    }
}

impl<K: Ord, O: Copy + PartialEq> Failures<K, O> {
    /// Keeps the error of request `id`. `untold`: somebody has to be told of it, in the end.
    pub fn insert(&mut self, id: K, owner: O, error: Arc<Error>, untold: bool) {
        self.forget(&id);
        let has_own = self.failed.len() < OWN_ERRORS_MAX || matches!(*error, Error::OneOfMany(_));
        let error = if has_own { error } else { self.common(owner, &error) };
        self.untold_count += usize::from(untold);
        self.failed.insert(id, Failed { owner, error, untold });
    }

    /// Forgets what the last request with this number left, because a new one gets it.
    pub fn forget(&mut self, id: &K) {
        if let Some(failed) = self.failed.remove(id) {
            self.untold_count -= usize::from(failed.untold);
        }
    }

    /// Takes over what has failed in a table that goes, all of one owner. From now on only waits tell it.
    pub fn take_over<P>(&mut self, other: Failures<K, P>, owner: O) {
        for (id, Failed { error, .. }) in other.failed {
            self.insert(id, owner, error, false);
        }
    }

    /// Whether request `id` has failed.
    pub fn contains(&self, id: &K) -> bool {
        self.failed.contains_key(id)
    }

    /// The error of request `id`, if it has failed: it is told from now on.
    pub fn tell(&mut self, id: K) -> Option<Error> {
        let Entry::Occupied(mut failed) = self.failed.entry(id) else { return None };
        Some(failed.get_mut().tell(&mut self.untold_count))
    }

    /// The first error of the owners that `is_wanted` names that no call has told: it is told from now on.
    ///
    /// # Errors
    /// That error.
    pub fn tell_untold(&mut self, is_wanted: impl Fn(O) -> bool) -> Result<()> {
        if self.untold_count == 0 {
            return Ok(());
        }
        let first = self.failed.values_mut().find(|failed| failed.untold && is_wanted(failed.owner));
        first.map_or(Ok(()), |failed| Err(failed.tell(&mut self.untold_count)))
    }

    /// From now on only waits tell the errors of the owners that `is_wanted` names.
    pub fn dismiss(&mut self, is_wanted: impl Fn(O) -> bool) {
        for failed in self.failed.values_mut().filter(|failed| failed.untold && is_wanted(failed.owner)) {
            failed.untold = false;
            self.untold_count -= 1;
        }
    }

    /// What later requests of this owner share that failed with this code.
    fn common(&mut self, owner: O, error: &Arc<Error>) -> Arc<Error> {
        let same = |(other, common): &&(O, Arc<Error>)| *other == owner && common.code() == error.code();
        if let Some((_, common)) = self.common.iter().find(same) {
            return Arc::clone(common);
        }
        let common = Arc::new(Error::OneOfMany(Arc::clone(error)));
        self.common.push((owner, Arc::clone(&common)));
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(fd: i64) -> Arc<Error> {
        Arc::new(Error::InvalidHandle { fd })
    }

    #[test]
    fn however_many_have_failed_each_tells_an_error_every_time() {
        let mut failures = Failures::new();
        let count = 3 * OWN_ERRORS_MAX;
        for id in 0..count {
            let error =
                if id % 2 == 0 { failed(0) } else { Arc::new(Error::TooShort { expected: 1, got: 0 }) };
            failures.insert(id, id % 3, error, false);
        }
        for id in (0..count).chain(0..count) {
            let code = failures.tell(id).expect("it has failed").code();
            assert_eq!(
                code,
                if id % 2 == 0 { failed(0).code() } else { Error::TooShort { expected: 1, got: 0 }.code() }
            );
        }
        assert_eq!(failures.common.len(), 6, "one for each owner and code");
        assert!(failures.tell(count).is_none());
    }

    #[test]
    fn what_is_taken_over_is_told_by_waits_alone() {
        let mut closed = Failures::new();
        closed.insert(1, (), failed(7), true);
        let mut all = Failures::new();
        all.insert(2, 3, failed(8), true);
        all.take_over(closed, 4);
        assert!(all.tell_untold(|_| true).is_err_and(|error| error.to_string().contains('8')));
        all.tell_untold(|_| true).expect("the other one has been told or never will be");
        assert!(all.tell(1).is_some_and(|error| error.to_string().contains('7')));
    }

    #[test]
    fn an_error_that_is_shared_says_so_and_one_of_its_own_does_not() {
        let mut failures = Failures::new();
        for id in 0..=OWN_ERRORS_MAX {
            failures.insert(id, (), failed(7), false);
        }
        let text = |error: Option<Error>| error.expect("it has failed").to_string();
        assert_eq!(text(failures.tell(0)), failed(7).to_string());
        let shared = text(failures.tell(OWN_ERRORS_MAX));
        assert!(shared.starts_with(&failed(7).to_string()) && shared.contains("requests"), "{shared}");
    }

    #[test]
    fn what_is_told_or_dismissed_is_not_untold_any_more() {
        let mut failures = Failures::new();
        for id in 0..6 {
            failures.insert(id, id % 2, failed(id), id != 0);
        }
        failures.tell(2);
        assert!(
            matches!(failures.tell_untold(|owner| owner == 0), Err(Error::Again(error)) if error.to_string().contains('4'))
        );
        failures.tell_untold(|owner| owner == 0).expect("all of it is told");
        failures.tell_untold(|owner| owner == 1).expect_err("that of another is not");
        failures.dismiss(|owner| owner == 1);
        failures.tell_untold(|_| true).expect("dismissed");
        assert_eq!(failures.untold_count, 0);
        assert!(failures.contains(&5) && failures.tell(5).is_some(), "a wait tells it still");
    }

    #[test]
    fn a_number_that_is_used_again_has_not_failed() {
        let mut failures = Failures::new();
        failures.insert(1, (), failed(1), true);
        failures.forget(&1);
        assert!(failures.tell(1).is_none());
        failures.tell_untold(|()| true).expect("forgotten");
    }
}
