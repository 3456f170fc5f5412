//! The device beside each workload, by fio: its limit, and what it gives where just the pages are moved that the section touches.

use std::collections::BTreeMap;
use std::path::Path;

use crate::disk::access::Operation;
use crate::disk::fio::{Fio, Load};
use crate::disk::page_cache;
use crate::disk::replay::Replay;
use crate::disk::scratch::Scratch;
use crate::dra::touched::touched;
use crate::dra::workload::{Alignment, Cell, Workload};
use crate::error::BenchError;

/// The pages of a section are moved so often each time: with few that are short, one time is far from the next.
const REPLAYS: usize = 3;

/// All that was found; nothing before it is measured.
#[derive(Debug, Default)]
pub(crate) struct Device {
    limits: BTreeMap<Workload, Fio>,
    touched: BTreeMap<Workload, Fio>,
}

impl Device {
    /// Measures once more, with as many jobs as ranks.
    pub(crate) fn measure(
        &mut self,
        load: Workload,
        fio: &Path,
        scratch: &Scratch,
    ) -> Result<(), BenchError> {
        page_cache::flush();
        let limit = || Fio::new(fio, Load::limit(load.section_bytes(), load.ranks));
        self.limits.entry(load).or_insert_with(limit).measure(scratch)?;
        // Aligned, it touches nothing besides.
        let Some(touched) = touched(load).filter(|_| load.alignment == Alignment::Shifted) else {
            return Ok(());
        };
        let replay = || Fio::new(fio, Replay::new(&touched.parts, touched.file_bytes, load.ranks));
        let replayed = self.touched.entry(load).or_insert_with(replay);
        (0..REPLAYS).try_for_each(|_| {
            page_cache::flush();
            replayed.measure(scratch)
        })
    }

    /// The limit in bytes per second, where the device takes part.
    pub(crate) fn limit(&self, cell: Cell) -> Option<f64> {
        of_operation(cell.operation, self.limits.get(&cell.workload)?)
    }

    /// In how many bytes of the section per second the device moves the pages that it touches, if that was measured.
    pub(crate) fn touched(&self, cell: Cell) -> Option<f64> {
        of_operation(cell.operation, self.touched.get(&cell.workload)?)
    }
}

fn of_operation(operation: Operation, fio: &Fio) -> Option<f64> {
    let limit = operation.uses_device().then(|| fio.limit()).flatten()?;
    Some(if operation.is_write() { limit.write } else { limit.read })
}
