//! `chemio cp`: a copy of an array, whole or not at all.

use crate::error::Result;
use crate::interrupt;
use crate::options;
use crate::progress::Progress;
use crate::scan::source::looked_into;
use command::missing;
use command::place::destination;
use command::reblocking::check_source;
use disk_array::{ArrayDirectory, Copying};
use std::path::Path;

pub(crate) fn run(options: &options::Cp) -> Result<()> {
    let source = ArrayDirectory::open(&options.names.source)?;
    check_source(&source)?;
    missing::tell(&source, &looked_into(&source)?.shards);
    copy(source, &destination(&options.names.source, &options.names.target)?)?.commit()?;
    Ok(())
}

/// Copies all elements of an array. If it fails or a signal arrives, or it is not committed, there is no copy.
pub(crate) fn copy(source: ArrayDirectory, target: &Path) -> Result<Copying> {
    let progress = Progress::waiting("looking");
    let mut copying = Copying::begin(source, target)?;
    drop(progress);
    let progress = Progress::new("copying", copying.bytes_total());
    while let Some(bytes) = copying.step()? {
        progress.add(bytes);
        interrupt::check()?;
    }
    Ok(copying)
}
