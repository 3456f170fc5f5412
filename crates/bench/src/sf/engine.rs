//! Who is measured.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::launcher::Mpi;

/// A library under measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Engine {
    /// SF of the Global Arrays package.
    Package,
    /// MPI-IO of Open MPI.
    OpenMpi,
    /// MPI-IO of MPICH.
    Mpich,
    /// chemio, under Open MPI.
    Ours,
}

impl Engine {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Engine; 4] = [Engine::Package, Engine::OpenMpi, Engine::Mpich, Engine::Ours];

    /// What launches its job.
    pub(crate) fn mpi(self) -> Mpi {
        if self == Engine::Mpich { Mpi::Mpich } else { Mpi::OpenMpi }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Package => "GA package",
            Engine::OpenMpi => "Open MPI",
            Engine::Mpich => "MPICH",
            Engine::Ours => "ours",
        })
    }
}

/// The driver executables there are.
#[derive(Debug, Default)]
pub(crate) struct Executables(BTreeMap<Engine, PathBuf>);

impl Executables {
    /// Takes what was named; an engine without an executable is missing.
    pub(crate) fn new(named: [(Engine, Option<&PathBuf>); 4]) -> Self {
        Self(named.into_iter().filter_map(|(engine, path)| Some((engine, path?.clone()))).collect())
    }

    /// The engines that can be measured, with their executables.
    pub(crate) fn present(&self) -> impl Iterator<Item = (Engine, &Path)> {
        self.0.iter().map(|(&engine, path)| (engine, path.as_path()))
    }

    /// The engines that cannot.
    pub(crate) fn missing(&self) -> Vec<Engine> {
        Engine::ALL.into_iter().filter(|engine| !self.0.contains_key(engine)).collect()
    }
}
