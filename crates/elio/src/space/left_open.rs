//! Gives back, when a program ends, what was allocated beyond the end of files that it has left open.

use crate::device::Device;
use crate::file::Sharing;
use crate::inode::Inode;
use crate::space::closed::{self, HELPERS_PATIENCE, PAUSE};
use crate::stream::writeback::KEPT_BYTES_MIN;
use crate::sys::fork::OfProcess;
use crate::sys::{calls, exit};
use std::collections::BTreeSet;
use std::io;
use std::sync::Once;
use std::thread;
use std::time::Instant;

/// Whether a file has more blocks than its length and the file system's maps need. An empty one has been given them on purpose.
pub(crate) fn has_surplus(device: &dyn Device) -> bool {
    let surplus_bytes =
        |len_bytes| device.allocated_bytes().map_or(0, |found| found.saturating_sub(len_bytes));
    device.len().is_ok_and(|len_bytes| len_bytes > 0 && surplus_bytes(len_bytes) > KEPT_BYTES_MIN)
}

/// Makes sure that files which a program leaves open have no more space than they need when it has ended.
pub(crate) fn release_at_exit() {
    static AT_EXIT: OfProcess<Once> = OfProcess::undone();
    AT_EXIT.call_once(|| exit::last_at_exit(release_all_open));
}

/// Of files that other processes have open, too, the last one gives back: the first one to end waits for the others, of all files. In the
/// same order everywhere, of all that were opened for writing, whoever has written them; and who finds another waiting waits for nobody. So
/// no two wait for each other, unless one has a file open twice or for reading only: then they do until their time is over.
fn release_all_open() {
    let mut inodes = Inode::all_open();
    inodes.sort_unstable_by_key(|inode| inode.file_identity());
    // Another opening, which waits for its turn after this, would not let a file be alone.
    let identities: BTreeSet<_> = inodes.iter().filter_map(|inode| inode.file_identity()).collect();
    closed::forget(|fd| calls::identity(fd).is_some_and(|identity| identities.contains(&identity)));
    for inode in &inodes {
        drop(inode.take_owed());
    }
    let own_deadline = Instant::now() + HELPERS_PATIENCE;
    let mut deadline = closed::exit_deadline();
    for (device, sharing) in inodes.iter().filter_map(|inode| inode.device_to_release()) {
        while let Err(error) = device.release_now() {
            let deadline_here = if sharing == Sharing::Exclusive { own_deadline } else { deadline };
            if error.kind() != io::ErrorKind::WouldBlock || Instant::now() >= deadline_here {
                tracing::debug!(%error, "space allocated ahead stays with a file");
                break;
            }
            if sharing != Sharing::Exclusive && !device.waits_for_others() {
                deadline = Instant::now();
                break;
            }
            thread::sleep(PAUSE);
        }
    }
}
