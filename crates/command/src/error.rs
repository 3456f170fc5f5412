//! What can go wrong: one line that says what it is and what to do.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The result of a command, or of a step of one.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a command could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory of an array, its metadata or its shards.
    #[error(transparent)]
    Array(#[from] disk_array::Error),
    /// A transfer.
    #[error(transparent)]
    Device(#[from] elio::Error),
    /// Shapes and sections.
    #[error(transparent)]
    Shape(#[from] section::Error),
    /// A plan of re-blocking.
    #[error(transparent)]
    Plan(#[from] layout::Error),
    /// Another system call.
    #[error("{source}: {operation} {}", path.display())]
    System {
        /// What was being done.
        operation: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Something is where a file or an array was to be made.
    #[error("{found} is there already: {}", path.display())]
    Exists {
        /// Where.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// One part of an array of which the others are elsewhere.
    #[error("part {number} of {of} of an array, the others are on other hosts' disks: {}", path.display())]
    Part {
        /// The directory of the part.
        path: PathBuf,
        /// Its number, from 0.
        number: u64,
        /// How many there are.
        of: u64,
    },
    /// The name of a file says no format that we have.
    #[error("the name says no format: {}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A file to be read is not what its name says, or uses something that we do not have.
    #[error("{reason}: {}", path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong, with what was expected.
        reason: String,
    },
    /// A library could not make a file.
    #[error("{reason}: {}", path.display())]
    NotMade {
        /// The file.
        path: PathBuf,
        /// What the library says.
        reason: String,
    },
    /// A device gave other bytes than it had been given.
    #[error("other elements were read than had been written: {}", path.display())]
    WrongBytes {
        /// Of which array.
        path: PathBuf,
    },
    /// An argument that makes no sense with the others.
    #[error("{0}")]
    BadArgument(String),
    /// No memory for buffers.
    #[error("{source}: no memory for buffers of {bytes} bytes in all")]
    NoMemory {
        /// How much was asked for.
        bytes: usize,
        /// The system's answer.
        source: io::Error,
    },
    /// An array that is not complete yet.
    #[error("{what} was interrupted, or is not over yet: {}", path.display())]
    Unfinished {
        /// The array.
        path: PathBuf,
        /// What was being done with it.
        what: String,
    },
    /// An array between the passes of a copy: perhaps not complete, and in no bricks that anybody has asked for.
    #[error("an array between passes of {target}: {}", path.display())]
    BetweenPasses {
        /// The array.
        path: PathBuf,
        /// The name of the copy's target, beside it.
        target: String,
    },
    /// The target of something else than what is asked for, not complete.
    #[error("another unfinished array is there, of {what}: {}", path.display())]
    OtherUnfinished {
        /// The array.
        path: PathBuf,
        /// What was being done with it.
        what: String,
    },
    /// A copy is not like what was copied.
    #[error("{count} of {elements} elements differ, first {first:?} of {}", path.display())]
    Differ {
        /// The copy.
        path: PathBuf,
        /// How many elements differ.
        count: u64,
        /// Of how many.
        elements: u64,
        /// The index of the first of them, in row-major order.
        first: Vec<u64>,
    },
    /// The program that moves elements with MPI cannot be run.
    #[error("{reason}")]
    NoHelper {
        /// Why.
        reason: String,
    },
    /// A link, where what it leads to would be deleted.
    #[error("a link to {}: {}", target.display(), path.display())]
    Link {
        /// The link.
        path: PathBuf,
        /// What it says.
        target: PathBuf,
    },
    /// An array was copied to another file system, but could not be deleted where it was.
    #[error("{source}; the copy {} is whole", copy.display())]
    NotDeleted {
        /// The copy.
        copy: PathBuf,
        /// Why.
        source: disk_array::Error,
    },
    /// An array was changed when it had been copied to another file system.
    #[error("{source}; the copy {} is of before that", copy.display())]
    Outdated {
        /// The copy.
        copy: PathBuf,
        /// What has been found out.
        source: disk_array::Error,
    },
    /// What an unfinished copy to an array has left beside it, and would lose with another name.
    #[error("an unfinished copy in several passes has left {}: {}", between.display(), path.display())]
    Between {
        /// The unfinished target.
        path: PathBuf,
        /// The first array between passes.
        between: PathBuf,
    },
    /// A check found damage, and has said which.
    #[error("{damaged} of {shards} shards are damaged: {}", path.display())]
    Damaged {
        /// The array.
        path: PathBuf,
        /// How many shards.
        damaged: usize,
        /// Of how many that should be there or are.
        shards: usize,
    },
    /// A variable of the environment that cannot be understood.
    #[error("{variable}: {source}")]
    Setting {
        /// Its name.
        variable: &'static str,
        /// What is wrong with it.
        source: layout::Error,
    },
    /// A signal.
    #[error("interrupted")]
    Interrupted {
        /// Its number.
        signal: usize,
    },
}

impl Error {
    /// The status of the program.
    pub fn status(&self) -> u8 {
        match self {
            Self::Damaged { .. } | Self::Differ { .. } => 1,
            Self::Interrupted { signal } => u8::try_from(128 + signal).unwrap_or(130),
            _ => 2,
        }
    }

    /// What the user can do, if there is something to be said.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Array(error) => advice_on_array(error),
            Self::Device(elio::Error::NoSpace { .. }) => Some("make room, or choose another directory"),
            Self::System { source, .. } => Some(advice_on_system(source)),
            Self::Exists { .. } => Some("choose another name, or say --force"),
            Self::Part { .. } => Some("put the files of all parts below one c directory"),
            Self::BadFile { .. } => Some("chemio import --help says what can be read"),
            Self::NotMade { .. } => Some("check the room on the disk, and the device"),
            Self::WrongBytes { .. } => Some("do not trust this device"),
            Self::UnknownFormat { .. } => Some("end it with .h5, .hdf5, .npy or .bin"),
            Self::Unfinished { .. } => Some("do that again, which completes it, or remove it with chemio rm"),
            Self::BetweenPasses { .. } => {
                Some("run that copy again, or remove this together with its target with chemio rm")
            }
            Self::OtherUnfinished { .. } => Some("say --restart to begin anew, or choose another name"),
            Self::Differ { .. } => {
                Some("it is marked as unfinished again: check the device, and copy once more")
            }
            Self::NoHelper { .. } => {
                Some("install an MPI (Debian: openmpi-bin, libopenmpi-dev) and run ci/install again")
            }
            Self::Damaged { .. } => Some("restore it from a copy; what is whole can still be read"),
            Self::Link { .. } => Some("give the array's own name; rm deletes links"),
            Self::NotDeleted { .. } => Some(
                "keep the copy until you know what is left where the array was; then remove that with chemio rm",
            ),
            Self::Outdated { source: disk_array::Error::NotPutBack { .. }, .. } => Some(
                "rename these to zarr.json in its directory, compare the two, and remove the one that is not wanted",
            ),
            Self::Outdated { .. } => {
                Some("both are there: compare them, and remove the one that is not wanted with chemio rm")
            }
            Self::Between { .. } => Some("complete that copy first, or remove it with chemio rm"),
            Self::NoMemory { .. } => Some("say --memory with less, where the command has it"),
            _ => None,
        }
    }
}

fn advice_on_array(error: &disk_array::Error) -> Option<&'static str> {
    use disk_array::Error as E;
    match error {
        E::Missing { .. } => Some("check the name; chemio ls lists the arrays of a directory"),
        E::HalfMade { .. } => Some("remove it with chemio rm, or make it again"),
        E::NotAnArray { .. } | E::Empty { .. } => {
            Some("give the directory that holds zarr.json; chemio import makes arrays of files")
        }
        E::NotOurs { .. } => {
            Some("choose another name; chemio rm --foreign deletes arrays of other programs")
        }
        E::Exists { .. } => Some("choose another name, or remove it first"),
        E::InTheWay { .. } => Some("move it, or choose another name for the target"),
        E::Changed { .. } => Some("it stays as it is now: do this again when no other program writes to it"),
        E::Malformed { .. } => Some("restore zarr.json from a copy"),
        E::Unreadable { .. } => Some("leave that attribute out, or make it shorter or less deep"),
        E::Unsupported { .. } => {
            Some("convert it with the program that made it: no compression, little-endian, C order")
        }
        E::CorruptShard { .. } => Some("chemio verify says which shards are whole"),
        E::System { source, .. } => Some(advice_on_system(source)),
        _ => None,
    }
}

fn advice_on_system(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "ask its owner for the right to",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room, or choose another directory",
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            "check the name"
        }
        io::ErrorKind::ReadOnlyFilesystem => "choose another directory",
        _ => "check the path, and the device it is on",
    }
}

/// Prints an error as one line that begins with the command's name, and says what to do.
pub fn report(error: &impl std::fmt::Display, advice: Option<&str>) {
    let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
    // Who cannot be told has the status.
    let _ = writeln!(io::stderr(), "chemio: {}{advice}", one_line(&error.to_string()));
}

/// For terminals: names of files and texts of others may have line ends in them, and what else terminals obey.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// For `map_err`: the system refused `operation` on `path`.
pub fn refused<'a>(operation: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Error + 'a {
    move |source| Error::System { operation, path: path.to_owned(), source }
}
