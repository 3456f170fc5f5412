//! An exclusive access file.

use crate::error::{Error, Result};
use crate::memory_file;
use crate::request::{Request, Shared};
use crate::statistics::{Counters, Report, Statistics};
use elio::{Mode, OpenOptions, RequestBuffer, RequestBufferMut, Stat};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a file is for, and where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reading and writing; created if missing, never truncated.
    ReadWrite,
    /// Writing only; created if missing, truncated if present.
    Write,
    /// Reading only; must exist.
    Read,
    /// Held in memory: at most this many units of 2^20 bytes. It outlives its handle until it is deleted.
    Memory {
        /// The most the file may hold.
        megabytes: u64,
    },
}

impl Kind {
    /// The kind behind a legacy type argument: -1, -2, -3, or a positive number of megabytes.
    pub fn from_legacy(kind: i64) -> Option<Self> {
        match kind {
            -1 => Some(Self::ReadWrite),
            -2 => Some(Self::Write),
            -3 => Some(Self::Read),
            _ => u64::try_from(kind).ok().filter(|&n| n > 0).map(|megabytes| Self::Memory { megabytes }),
        }
    }

    fn mode(self) -> Mode {
        match self {
            Self::ReadWrite | Self::Memory { .. } => Mode::ReadWrite,
            Self::Write => Mode::Write,
            Self::Read => Mode::Read,
        }
    }
}

/// An open file. All methods take `&self`; a file may be used from several threads.
#[derive(Debug)]
pub struct File {
    device: elio::File,
    shared: Arc<Shared>,
}

impl File {
    /// Opens `name`. A file held in memory under this name is found by every kind; a file opened twice has two handles.
    ///
    /// # Errors
    /// [`Error::Open`] with the device's reason.
    pub fn open(name: impl AsRef<Path>, kind: Kind) -> Result<Self> {
        let path = name.as_ref().to_owned();
        // Transfers are one call of the device layer each, which has spans of its own.
        let _span = tracing::debug_span!("open a private file", path = %path.display()).entered();
        let options = OpenOptions::new(kind.mode());
        let (device, capacity_bytes) = match memory_file::open(&path, kind, &options).map_err(Error::Open)? {
            Some((device, capacity_bytes)) => (device, Some(capacity_bytes)),
            None => (elio::File::open(&path, &options).map_err(Error::Open)?, None),
        };
        Ok(Self { device, shared: Arc::new(Shared { path, capacity_bytes, counters: Counters::default() }) })
    }

    /// A file on a device of your own: for tests, and for storage that is no file system.
    pub fn on_device(device: Arc<dyn elio::Device>, name: impl AsRef<Path>, kind: Kind) -> Self {
        let path = name.as_ref().to_owned();
        let device = elio::File::on_device(device, &path, &OpenOptions::new(kind.mode()));
        Self {
            device,
            shared: Arc::new(Shared { path, capacity_bytes: None, counters: Counters::default() }),
        }
    }

    /// The name the file was opened under.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Fills `into` from `offset_bytes` on.
    ///
    /// # Errors
    /// - [`Error::EndOfFile`]: there is less; what there is has been copied.
    /// - [`Error::Device`]: reading failed.
    pub fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<()> {
        let len = into.len();
        if len == 0 {
            return Ok(());
        }
        let got = self.shared.counters.read.time(len, || self.device.read_at(offset_bytes, into))?;
        self.shared.expect_all(got, len, offset_bytes)
    }

    /// Writes all of `from` at `offset_bytes`; past the end it extends the file, and a hole reads as zeros.
    ///
    /// # Errors
    /// - [`Error::MemoryFull`]: a file held in memory has no room for it.
    /// - [`Error::Device`]: writing failed; a full disk says how much was asked for and how much is left.
    pub fn write(&self, offset_bytes: u64, from: &[u8]) -> Result<()> {
        if from.is_empty() {
            return Ok(());
        }
        let written =
            self.shared.counters.write.time(from.len(), || self.device.write_at(offset_bytes, from));
        written.map_err(|error| self.shared.explain(error, false))
    }

    /// Starts filling `buffer`, which the request owns until it is waited for.
    ///
    /// # Errors
    /// [`Error::Device`] for bad arguments; errors of the transfer come from the wait.
    pub fn aread<B: RequestBufferMut>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        let len = buffer.as_bytes().len();
        let submit = || self.device.submit_read(offset_bytes, buffer);
        let inner = self.shared.counters.aread.time(len, submit)?;
        Ok(Request::read(inner, &self.shared, offset_bytes, len))
    }

    /// Starts writing `buffer`, which the request owns until it is waited for.
    ///
    /// # Errors
    /// [`Error::Device`] for bad arguments; errors of the transfer come from the wait.
    pub fn awrite<B: RequestBuffer>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        let len = buffer.as_bytes().len();
        let submit = || self.device.submit_write(offset_bytes, buffer);
        let inner = self.shared.counters.awrite.time(len, submit)?;
        Ok(Request::write(inner, &self.shared, offset_bytes, len))
    }

    /// The length in bytes.
    ///
    /// # Errors
    /// [`Error::Device`]: the device did not say, or data written behind did not arrive.
    pub fn len_bytes(&self) -> Result<u64> {
        Ok(self.device.len()?)
    }

    /// Sets the length to `len_bytes`; growing adds zeros.
    ///
    /// # Errors
    /// [`Error::Device`]: the device refused, as a file held in memory does beyond its size.
    pub fn truncate(&self, len_bytes: u64) -> Result<()> {
        Ok(self.device.set_len(len_bytes)?)
    }

    /// What was done with this handle so far, and how long it took.
    pub fn statistics(&self) -> Statistics {
        self.shared.counters.statistics()
    }

    /// The statistics with name, length and the border's `handle`; its `Display` is the text to print.
    pub fn report(&self, handle: i64) -> Report {
        let path: PathBuf = self.shared.path.clone();
        Report { handle, path, len_bytes: self.len_bytes().ok(), statistics: self.statistics() }
    }

    /// Closes the file. Requests own what they need and stay valid.
    ///
    /// # Errors
    /// [`Error::Device`]: data written earlier did not arrive. The file is closed all the same.
    pub fn close(self) -> Result<()> {
        let _span = tracing::debug_span!("close a private file", path = %self.path().display()).entered();
        Ok(self.device.close()?)
    }

    /// Deletes the file `name`, on disk or in memory. A missing file is no error; open handles stay usable.
    ///
    /// # Errors
    /// [`Error::Device`]: the file is there and the system refused.
    pub fn delete(name: impl AsRef<Path>) -> Result<()> {
        let name = name.as_ref();
        if memory_file::delete(name) {
            return Ok(());
        }
        match elio::File::delete(name) {
            Err(error) if is_missing(&error) => Ok(()),
            result => Ok(result?),
        }
    }
}

fn is_missing(error: &elio::Error) -> bool {
    error.os_error().is_some_and(|os| matches!(os.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

/// Space and type of the file system that holds `path`. The last component is stripped: the file need not exist.
///
/// # Errors
/// [`Error::Device`]: there is no such directory.
pub fn stat(path: impl AsRef<Path>) -> Result<Stat> {
    Ok(elio::stat(directory_of(path.as_ref()))?)
}

/// What stands before the last slash: the root for names in it, the current directory where there is no slash.
fn directory_of(path: &Path) -> &Path {
    let bytes = path.as_os_str().as_bytes();
    match bytes.iter().rposition(|&byte| byte == b'/') {
        None => Path::new("."),
        Some(0) => Path::new("/"),
        Some(slash) => Path::new(OsStr::from_bytes(&bytes[..slash])),
    }
}
