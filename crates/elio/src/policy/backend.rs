//! Which backend this process and this file system get.

use crate::device::pread::PreadDevice;
use crate::device::uring::UringDevice;
use crate::device::{Device, Properties};
use crate::error::Error;
use crate::queue::Queue;
use crate::settings::{self, ForcedBackend};
use crate::sys::fork;
use crate::sys::fork::OfProcess;
use crate::sys::ring::{self, Ring};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};

/// The ring of the common queue, if this process may use one and the user did not forbid it.
///
/// # Errors
/// If the user asked for the ring by name and there is none.
pub(crate) fn ring() -> Result<Option<&'static Ring>, Error> {
    match (settings::get().backend, ring::ring(Queue::default())) {
        (Some(ForcedBackend::Pread), _) | (None, Err(_)) => Ok(None),
        (Some(ForcedBackend::Uring), Err(_)) if fork::is_child() => Ok(None),
        (_, Ok(ring)) => Ok(Some(ring)),
        (Some(ForcedBackend::Uring), Err(error)) => {
            Err(Error::BackendUnavailable { requested: "uring".to_owned(), reason: why_no_ring(error) })
        }
    }
}

/// Why transfers do not go through `io_uring` in this process, with what would change that; `None` if they do.
pub fn why_no_io_uring() -> Option<String> {
    match (settings::get().backend, ring::ring(Queue::default())) {
        (_, Err(error)) => Some(why_no_ring(error)),
        (Some(ForcedBackend::Pread), Ok(_)) => Some("CHEMIO_BACKEND=pread is set".to_owned()),
        (_, Ok(_)) => None,
    }
}

/// Whether transfers go through a ring.
pub(crate) fn has_ring() -> bool {
    matches!(ring(), Ok(Some(_)))
}

fn why_no_ring(error: &std::io::Error) -> String {
    let help = match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel is older than 5.1 or was built without io_uring",
        Some(libc::EPERM) => {
            "forbidden by kernel.io_uring_disabled or by a container's seccomp profile; allow io_uring_setup there"
        }
        Some(libc::ENOMEM) => "the locked-memory limit (ulimit -l) is too small for a ring",
        _ => "io_uring_setup failed",
    };
    format!("{error}: {help}")
}

/// Puts a backend behind an open file. Where its queue can have no ring of its own, as for want of memory that may be locked, it
/// takes the common one's.
///
/// # Errors
/// As [`ring()`].
pub(crate) fn choose(file: PreadDevice) -> Result<Arc<dyn Device>, Error> {
    let number = file.metadata().map(|metadata| std::os::unix::fs::MetadataExt::dev(&metadata)).ok();
    let device: Arc<dyn Device> = match ring()? {
        Some(common) => {
            let ring = own_ring(file.queue()).unwrap_or(common);
            Arc::new(UringDevice::new(file, ring))
        }
        None => Arc::new(file),
    };
    explain_once(number, device.properties());
    Ok(device)
}

/// A forked child makes none: nothing of it goes through a ring.
fn own_ring(queue: Queue) -> Option<&'static Ring> {
    if queue.is_common() || fork::is_child() {
        return None;
    }
    let ring = ring::ring(queue);
    ring.inspect_err(
        |error| tracing::debug!(%error, "no ring for a queue of its own: it goes through the common one"),
    )
    .ok()
}

/// Says once per file system what was chosen and why.
fn explain_once(file_system: Option<u64>, properties: Properties) {
    static TOLD: OfProcess<OnceLock<Mutex<HashSet<Option<u64>>>>> = OfProcess::empty();
    if !tracing::enabled!(tracing::Level::INFO) {
        return;
    }
    let mut told = TOLD.get_or_init(Mutex::default).lock().expect("telling does not panic");
    if told.insert(file_system) {
        tracing::info!("{}", explanation(properties));
    }
}

fn explanation(properties: Properties) -> String {
    let asynchronous = match ring() {
        Ok(Some(_)) => "io_uring".to_owned(),
        Ok(None) if settings::get().backend == Some(ForcedBackend::Pread) => {
            "pread threads (CHEMIO_BACKEND=pread)".to_owned()
        }
        _ => match ring::ring(Queue::default()) {
            Err(error) => format!("pread threads (no io_uring: {})", why_no_ring(error)),
            Ok(_) => "pread threads".to_owned(),
        },
    };
    let route = match (properties.in_memory(), properties.direct) {
        (true, _) => "file system in memory: page cache only".to_owned(),
        (false, None) => "no direct I/O here: page cache only".to_owned(),
        (false, Some(alignment)) => format!(
            "direct I/O for what is not resident (memory aligned to {}, offsets to {})",
            alignment.memory_bytes, alignment.offset_bytes
        ),
    };
    format!("backend: {asynchronous}; {route}")
}
