//! Who is measured.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A library under measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Engine {
    /// The Global Arrays package.
    Package,
    /// chemio, in node shared memory: what a user gets on one node.
    Ours,
    /// chemio, made to use MPI RMA as between nodes.
    OursByRma,
}

impl Engine {
    /// All of them, in the order of the tables.
    pub(crate) const ALL: [Engine; 3] = [Engine::Package, Engine::Ours, Engine::OursByRma];

    /// The value of `CHEMIO_GA_PATH`.
    pub(crate) fn path(self) -> Option<&'static str> {
        (self == Engine::OursByRma).then_some("rma")
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Package => "GA package",
            Engine::Ours => "ours",
            Engine::OursByRma => "ours by RMA",
        })
    }
}

/// What a plain loop on memory does, by as many ranks at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Yardstick {
    /// memcpy from private to private memory.
    Memcpy,
    /// memcpy from private to shared memory.
    MemcpyToShared,
    /// daxpy of BLAS on private memory.
    Daxpy,
}

impl Yardstick {
    /// All of them, in the order of the tables.
    pub(crate) const ALL: [Yardstick; 3] = [Yardstick::Memcpy, Yardstick::MemcpyToShared, Yardstick::Daxpy];

    /// As the driver knows it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Yardstick::Memcpy => "private",
            Yardstick::MemcpyToShared => "shared",
            Yardstick::Daxpy => "daxpy",
        }
    }
}

/// Whose turn it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Player {
    /// A library's.
    Library(Engine),
    /// Nobody's: yardsticks and local BLAS, in a job that makes no arrays.
    Bare,
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::Library(engine) => engine.fmt(f),
            Player::Bare => f.write_str("yardstick"),
        }
    }
}

/// The driver executables there are.
#[derive(Debug)]
pub(crate) struct Executables<'a> {
    /// Linked with the package.
    pub(crate) package: Option<&'a Path>,
    /// Linked with chemio.
    pub(crate) ours: Option<&'a Path>,
}

impl<'a> Executables<'a> {
    /// Takes what was named.
    pub(crate) fn new(package: Option<&'a PathBuf>, ours: Option<&'a PathBuf>) -> Self {
        Self { package: package.map(PathBuf::as_path), ours: ours.map(PathBuf::as_path) }
    }

    /// The executable for `player`, if there is one. Any will do where no library takes part.
    pub(crate) fn of(&self, player: Player) -> Option<&'a Path> {
        match player {
            Player::Library(Engine::Package) => self.package,
            Player::Library(Engine::Ours | Engine::OursByRma) => self.ours,
            Player::Bare => self.package.or(self.ours),
        }
    }

    /// The libraries that cannot be measured.
    pub(crate) fn missing(&self) -> Vec<Engine> {
        let is_missing = |engine: &Engine| self.of(Player::Library(*engine)).is_none();
        Engine::ALL.into_iter().filter(is_missing).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Engine, Executables, Player};

    #[test]
    fn without_a_driver_of_ours_both_of_its_paths_are_missing_and_the_yardsticks_are_not() {
        let package = PathBuf::from("package");
        let executables = Executables::new(Some(&package), None);
        assert_eq!(executables.missing(), [Engine::Ours, Engine::OursByRma]);
        assert_eq!(executables.of(Player::Bare), Some(Path::new("package")));
    }
}
