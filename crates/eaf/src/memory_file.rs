//! Files held in memory: they outlive their handles, and are found again by name until they are deleted.

use crate::file::Kind;
use elio::{MemoryDevice, Mode, OpenOptions, Sharing};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One megabyte of a legacy type argument.
const MEGABYTE_BYTES: u64 = 1 << 20;

/// Every file of this process that is held in memory, by the name it was created under.
static FILES: Mutex<BTreeMap<PathBuf, Arc<MemoryDevice>>> = Mutex::new(BTreeMap::new());

fn files() -> MutexGuard<'static, BTreeMap<PathBuf, Arc<MemoryDevice>>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the memory file called `name`, creating it if `kind` asks for one, and tells how much it can hold: what was
/// given when it was created. `None`: no memory file is meant.
pub(crate) fn open(
    name: &Path,
    kind: Kind,
    options: &OpenOptions,
) -> elio::Result<Option<(elio::File, u64)>> {
    let mut files = files();
    if let (Kind::Memory { megabytes }, false) = (kind, files.contains_key(name)) {
        let capacity_bytes = megabytes.saturating_mul(MEGABYTE_BYTES);
        files.insert(name.to_owned(), MemoryDevice::new(capacity_bytes));
    }
    let Some(device) = files.get(name).map(Arc::clone) else { return Ok(None) };
    // To empty a file may mean to wait for requests.
    drop(files);
    let capacity_bytes = device.capacity_bytes();
    // What is read early here would only be copied twice.
    let options = OpenOptions { sharing: Sharing::Shared, ..options.clone() };
    let file = elio::File::on_device(device, name, &options);
    if options.mode == Mode::Write {
        file.set_len(0)?;
    }
    Ok(Some((file, capacity_bytes)))
}

/// Forgets the memory file called `name`; open handles keep it. Returns whether there was one.
pub(crate) fn delete(name: &Path) -> bool {
    files().remove(name).is_some()
}
