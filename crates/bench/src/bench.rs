//! What every measurement of a run shares.

use crate::driver::{Content, Driver};
use crate::engine::{Engine, Executables};
use crate::error::BenchError;
use crate::page_cache::PageCache;
use crate::scratch::{Scratch, ScratchFile};
use crate::workload::Workload;

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
