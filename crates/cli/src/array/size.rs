//! How much of an array there is on disk.

use crate::error::{Result, refused};
use crate::interrupt;
use disk_array::ArrayDirectory;
use rustix::fs::SeekFrom;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;

/// What files of an array take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Shards that have a file.
    pub(crate) shards: u64,
    /// What the files take on the device.
    pub(crate) on_disk_bytes: u64,
    /// How long they are, holes counted.
    pub(crate) length_bytes: u64,
    /// What in them is no hole, but for the indexes.
    pub(crate) written_bytes: u64,
    /// What they could hold: all bricks of all shards of the array.
    pub(crate) capacity_bytes: u64,
}

/// So many holes of a file are looked for; what is beyond counts as written.
const HOLES_MAX: usize = 100_000;

/// Looks at the files of an array without reading them.
pub(crate) fn of(array: &ArrayDirectory, shards: &[u64]) -> Result<Size> {
    let layout = array.layout();
    let index_bytes = layout.shard().index_bytes();
    let of_shard = layout.shard().bricks_count().saturating_mul(layout.shard().brick_bytes());
    let capacity_bytes = of_shard.saturating_mul(layout.shards_count());
    let mut size = Size { shards: shards.len() as u64, capacity_bytes, ..Size::default() };
    for &number in shards {
        interrupt::check()?;
        let path = array.shard_path(number);
        let metadata = fs::metadata(&path).map_err(refused("look at", &path))?;
        if !metadata.is_file() {
            // A pipe would be waited for; whoever reads the shard says what is wrong.
            continue;
        }
        let file = File::open(&path).map_err(refused("open", &path))?;
        size.on_disk_bytes += metadata.blocks() * 512;
        size.length_bytes += metadata.len();
        let data_bytes = data_bytes(&file, metadata.len());
        size.written_bytes += data_bytes.saturating_sub(index_bytes).min(of_shard);
    }
    Ok(size)
}

/// Bytes of a file that are in no hole.
fn data_bytes(file: &File, len_bytes: u64) -> u64 {
    let (mut at, mut bytes) = (0, 0);
    for _ in 0..HOLES_MAX {
        let Ok(data) = rustix::fs::seek(file, SeekFrom::Data(at)) else {
            // No more data; a file system that does not know holes says so at the beginning.
            return if at == 0 && len_bytes > 0 && !knows_holes(file) { len_bytes } else { bytes };
        };
        let hole = rustix::fs::seek(file, SeekFrom::Hole(data)).unwrap_or(len_bytes);
        bytes += hole - data;
        at = hole;
        if at >= len_bytes {
            return bytes;
        }
    }
    bytes + (len_bytes - at)
}

fn knows_holes(file: &File) -> bool {
    rustix::fs::seek(file, SeekFrom::Hole(0)).is_ok()
}
