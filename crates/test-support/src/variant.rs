//! A setting of the environment under which all scenarios run.

use std::ops::{RangeBounds, RangeInclusive};
use std::process::Command;

use crate::layout::inclusive;

/// A named environment; a suite runs all its scenarios in each of its variants.
#[derive(Clone, Debug)]
pub struct Variant {
    name: String,
    changes: Vec<(String, Option<String>)>,
    hosts: RangeInclusive<usize>,
}

impl Variant {
    /// The environment of the launcher, unchanged.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), changes: Vec::new(), hosts: inclusive(..) }
    }

    /// With a variable set on all ranks. Settings that the launcher makes itself, such as `OMPI_MCA_osc` on two hosts, can
    /// be changed too.
    #[must_use]
    pub fn set(mut self, variable: &str, value: &str) -> Self {
        self.changes.push((variable.into(), Some(value.into())));
        self
    }

    /// Without a variable, also where the launcher would set it.
    #[must_use]
    pub fn unset(mut self, variable: &str) -> Self {
        self.changes.push((variable.into(), None));
        self
    }

    /// Only on so many hosts: `.hosts(2..)` for two test hosts, `.hosts(..2)` for one.
    #[must_use]
    pub fn hosts(mut self, hosts: impl RangeBounds<usize>) -> Self {
        self.hosts = inclusive(hosts);
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn runs_on(&self, hosts_count: usize) -> bool {
        self.hosts.contains(&hosts_count)
    }

    pub(crate) fn apply(&self, command: &mut Command) {
        for (variable, value) in &self.changes {
            match value {
                Some(value) => command.env(variable, value),
                None => command.env_remove(variable),
            };
        }
    }
}
