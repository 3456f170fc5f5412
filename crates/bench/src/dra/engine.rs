//! Who is measured.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A library under measurement, all of them under Open MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Engine {
    /// DRA of the Global Arrays package.
    Package,
    /// Parallel HDF5, all ranks in each call.
    Hdf5Collective,
    /// Parallel HDF5, each rank by itself.
    Hdf5Independent,
    /// chemio.
    Ours,
}

impl Engine {
    /// All of them, in the order of the tables.
    pub(crate) const ALL: [Engine; 4] =
        [Engine::Package, Engine::Hdf5Collective, Engine::Hdf5Independent, Engine::Ours];

    /// Those whose calls are said to be asynchronous.
    pub(crate) const ASYNCHRONOUS: [Engine; 2] = [Engine::Package, Engine::Ours];

    /// What its driver is told of the way to move data.
    pub(crate) fn way(self) -> &'static str {
        match self {
            Engine::Hdf5Collective => "collective",
            Engine::Hdf5Independent => "independent",
            Engine::Package | Engine::Ours => "any",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Package => "GA package",
            Engine::Hdf5Collective => "HDF5, collective",
            Engine::Hdf5Independent => "HDF5, independent",
            Engine::Ours => "ours",
        })
    }
}

/// The driver executables there are.
#[derive(Debug, Default)]
pub(crate) struct Executables(BTreeMap<Engine, PathBuf>);

impl Executables {
    /// Takes what was named; both ways of HDF5 are one program.
    pub(crate) fn new(package: Option<&PathBuf>, hdf5: Option<&PathBuf>, ours: Option<&PathBuf>) -> Self {
        let named = [package, hdf5, hdf5, ours];
        let pairs = Engine::ALL.into_iter().zip(named);
        Self(pairs.filter_map(|(engine, path)| Some((engine, path?.clone()))).collect())
    }

    /// The engines that can be measured, with their executables.
    pub(crate) fn present(&self) -> impl Iterator<Item = (Engine, &Path)> {
        self.0.iter().map(|(&engine, path)| (engine, path.as_path()))
    }

    /// Whether there is one for `engine`.
    pub(crate) fn has(&self, engine: Engine) -> bool {
        self.0.contains_key(&engine)
    }

    /// The engines that cannot be measured.
    pub(crate) fn missing(&self) -> Vec<Engine> {
        Engine::ALL.into_iter().filter(|&engine| !self.has(engine)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Engine, Executables};

    #[test]
    fn one_program_is_both_ways_of_hdf5() {
        let hdf5 = PathBuf::from("hdf5");
        let executables = Executables::new(None, Some(&hdf5), None);
        assert_eq!(executables.missing(), [Engine::Package, Engine::Ours]);
        assert_eq!(executables.present().count(), 2);
    }
}
