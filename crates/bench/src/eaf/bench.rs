//! What every measurement of a run shares.

use crate::disk::page_cache::PageCache;
use crate::disk::scratch::{Scratch, ScratchFile};
use crate::eaf::driver::{Content, Driver};
use crate::eaf::engine::{Engine, Executables};
use crate::eaf::workload::Workload;
use crate::error::BenchError;

/// The surroundings of a run.
#[derive(Debug)]
pub(crate) struct Bench {
    /// The drivers.
    pub(crate) executables: Executables,
    /// Where the files are.
    pub(crate) scratch: Scratch,
    /// How they are made cold.
    pub(crate) page_cache: PageCache,
    /// What is in them.
    pub(crate) content: Content,
}

impl Bench {
    /// Starts the driver of `engine`, which must be present.
    pub(crate) fn start(
        &self,
        engine: Engine,
        load: &Workload,
        file: &ScratchFile,
    ) -> Result<Driver, BenchError> {
        let executable = self.executables.of(engine).expect("only engines that are present are started");
        Driver::start((engine, executable), load, file.path(), self.content)
    }
}
