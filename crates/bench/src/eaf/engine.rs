//! Who is measured.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A library under measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Engine {
    /// chemio.
    Ours,
    /// EAF of the Global Arrays package.
    GaPackage,
    /// gfortran's direct access.
    Fortran,
}

impl Engine {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Engine; 3] = [Engine::Ours, Engine::GaPackage, Engine::Fortran];
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Ours => "ours",
            Engine::GaPackage => "GA package",
            Engine::Fortran => "Fortran",
        })
    }
}

/// The driver executables there are.
#[derive(Debug, Default)]
pub(crate) struct Executables(BTreeMap<Engine, PathBuf>);

impl Executables {
    /// Takes what was named; an engine without an executable is missing.
    pub(crate) fn new(named: [(Engine, Option<&PathBuf>); 3]) -> Self {
        Self(named.into_iter().filter_map(|(engine, path)| Some((engine, path?.clone()))).collect())
    }

    /// The executable of `engine`, if there is one.
    pub(crate) fn of(&self, engine: Engine) -> Option<&Path> {
        self.0.get(&engine).map(PathBuf::as_path)
    }

    /// The engines that can be measured.
    pub(crate) fn present(&self) -> impl Iterator<Item = Engine> {
        self.0.keys().copied()
    }

    /// The engines that cannot.
    pub(crate) fn missing(&self) -> Vec<Engine> {
        Engine::ALL.into_iter().filter(|engine| !self.0.contains_key(engine)).collect()
    }
}
