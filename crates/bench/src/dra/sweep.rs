//! Figure 6 of the `ChemIO` paper: how speed depends on the number of ranks that do input and output and on their buffer memory, with as
//! many ranks as there ever are. Each setting has a job of its own, because a library is told when it starts.

use serde::Serialize;

use crate::disk::access::Operation;
use crate::disk::passes::Passes;
use crate::dra::engine::Engine;
use crate::dra::options::Options;
use crate::dra::pass::{Found, Place};
use crate::dra::team::{Job, Settings};
use crate::dra::workload::{Cell, Workload};
use crate::error::BenchError;
use crate::turns::shuffled;

/// Who was measured, and what it had been told.
pub(crate) type Key = (Engine, Settings);

/// A line with its figures, in bytes per second.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    /// The section and the ranks.
    pub(crate) load: Workload,
    /// Ranks that do input and output, and their memory.
    pub(crate) settings: Settings,
    /// Writing to disk, by the package and by ours.
    pub(crate) write: [Option<f64>; 2],
    /// Reading cold.
    pub(crate) read: [Option<f64>; 2],
}

impl Line {
    /// All lines.
    pub(crate) fn all(options: &Options, found: &Found<Key>) -> Vec<Self> {
        let loads = options.sections_of_sweep();
        let of_load = |load| all_settings(options).into_iter().map(move |settings| (load, settings));
        loads.into_iter().flat_map(of_load).map(|(load, settings)| Self::new(load, settings, found)).collect()
    }

    fn new(load: Workload, settings: Settings, found: &Found<Key>) -> Self {
        let speeds = |operation| {
            let cell = Cell::of(load, operation);
            Engine::ASYNCHRONOUS
                .map(|engine| found.samples.speed(&(cell, (engine, settings)), load.section_bytes()))
        };
        Self { load, settings, write: speeds(Operation::WriteToDisk), read: speeds(Operation::ReadCold) }
    }
}

fn all_settings(options: &Options) -> Vec<Settings> {
    let memory = options.memory_bytes();
    let of_ranks = |io_ranks| {
        let setting = move |&bytes: &u64| Settings { memory_bytes: Some(bytes), io_ranks: Some(io_ranks) };
        memory.iter().map(setting)
    };
    options.io_ranks().into_iter().flat_map(of_ranks).collect()
}

/// One repetition.
pub(crate) fn repeat(
    options: &Options,
    place: &Place,
    repetition: u64,
    found: &mut Found<Key>,
) -> Result<Passes, BenchError> {
    let engines = options.present(&Engine::ASYNCHRONOUS);
    let of_settings = |settings| engines.iter().map(move |&engine| (engine, settings));
    let keys: Vec<Key> = all_settings(options).into_iter().flat_map(of_settings).collect();
    let mut passes = Passes::default();
    for (engine, settings) in shuffled(&keys, repetition) {
        let who = (engine, options.ranks_max());
        let mut job = Job::start(options, who, settings, place.directory.path())?;
        job.greet()?;
        for load in options.sections_of_sweep() {
            passes += place.run(&mut job, ((engine, settings), load), found)?;
        }
    }
    Ok(passes)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Line, Settings};
    use crate::disk::access::Operation;
    use crate::dra::engine::Engine;
    use crate::dra::options::Options;
    use crate::dra::pass::Found;
    use crate::dra::workload::Cell;

    #[test]
    fn every_setting_has_a_line_for_each_section_with_speeds_of_its_own() {
        let options = Options::parse_from(["dra", "--memory-mib", "1,32", "--io-ranks", "1,2"]);
        let load = options.sections_of_sweep()[0];
        let settings = Settings { memory_bytes: Some(32 << 20), io_ranks: Some(2) };
        let mut found = Found::default();
        found.samples.add((Cell::of(load, Operation::ReadCold), (Engine::Ours, settings)), 2.0);
        let lines = Line::all(&options, &found);
        assert_eq!(lines.len(), 8);
        let measured: Vec<&Line> = lines.iter().filter(|line| line.read[1].is_some()).collect();
        assert_eq!((measured.len(), measured[0].settings), (1, settings));
        assert_eq!((measured[0].read, measured[0].write), ([None, Some(1e8)], [None, None]));
    }
}
