//! The command line.

use clap::{Args, Parser, Subcommand, ValueHint};
use command::options::{Facts, Plan, Reblock};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  chemio ls /scratch                          the arrays in a directory
  chemio info /scratch/amplitudes             shape, type, bricks, size on disk
  chemio stats /scratch/amplitudes            smallest, largest, mean, NaN, zeros
  chemio cp /scratch/amplitudes /archive      a copy, whole or not at all
  chemio export /scratch/amplitudes t2.h5     for h5py and others; also .npy and .bin
  chemio plot /scratch/amplitudes -o t2.png   a picture of a slice
  chemio plan /scratch/t2 --brick 64,64       how it would be brought into other bricks
  chemio reblock /scratch/t2 /archive --brick 64,64   and that, with MPI
  chemio doctor /scratch                      what this machine and this directory can do

Status: 0 done; 1 verify found damage, or reblock --verify a difference; 2 it could not be done, and one line says why;
128 and the signal's number when interrupted, 130 for Ctrl-C. What is only read stays as it was in all cases.";

/// Arrays on disk: look at them, copy, check, convert and draw them. An array is a directory that holds a Zarr v3 array;
/// those of other programs are read too, if they are not compressed.
#[derive(Debug, Parser)]
#[command(name = "chemio", version, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(Info),
    Ls(Ls),
    Stats(Stats),
    Cp(Cp),
    Mv(Mv),
    Rm(Rm),
    Verify(Verify),
    Export(Export),
    Import(Import),
    Plot(Plot),
    Plan(Plan),
    Reblock(Reblock),
    Bench(Bench),
    Doctor(Doctor),
    Completions(Completions),
    Manual(Manual),
}

/// The array that facts are wanted of.
#[derive(Debug, Args)]
pub(crate) struct Array {
    /// The directory of the array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) facts: Facts,
}

/// The directory that facts are wanted of.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The directory.
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) facts: Facts,
}

/// An array, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct FromTo {
    /// The array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) source: PathBuf,
    /// Its new name, or the directory to put it in.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) target: PathBuf,
}

/// How much memory may be used.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Memory {
    /// Memory for elements, in megabytes.
    #[arg(long = "memory", value_name = "MB", default_value_t = 128, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) megabytes: u64,
}

/// Show what an array is: shape, type, bricks, shards, size on disk, share written, attributes.
///
/// The share written is what is no hole in the files. Of an array whose hosts hold parts on their own disks, it says which
/// part this is.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio info amplitudes\n  chemio info --json amplitudes | jq .shape")]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) array: Array,
}

/// List the arrays in a directory, also those whose creation was interrupted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio ls\n  chemio ls --json /scratch")]
pub(crate) struct Ls {
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Read all elements: smallest, largest, mean, and how many are NaN, infinite or zero.
///
/// NaN are left out of smallest, largest and mean. Of complex elements the smallest and the largest modulus are given.
/// Holes are counted without being read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio stats amplitudes\n  chemio stats --json amplitudes | jq .mean")]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) array: Array,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// Copy an array, whole or not at all.
///
/// Blocks are shared where the file system can do that; elsewhere holes stay holes. Into a directory that is no array the
/// copy goes under the name of the source. An array that is there already is not replaced. Others may do no more with the copy than
/// with the source. An array that another program writes to meanwhile is not copied.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio cp amplitudes amplitudes.1\n  chemio cp amplitudes /archive/")]
pub(crate) struct Cp {
    #[command(flatten)]
    pub(crate) names: FromTo,
}

/// Move or rename an array. Between file systems it is copied, and then deleted.
///
/// An array that another program writes to while it is copied stays where it is, and there is no copy. End such programs first:
/// what one writes to a file that it has opened before, when the last look at the array is over, goes with that file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio mv amplitudes t2\n  chemio mv /scratch/t2 /archive/")]
pub(crate) struct Mv {
    #[command(flatten)]
    pub(crate) names: FromTo,
}

/// Delete arrays, or what is left of those whose creation or deletion was interrupted.
///
/// Files that are not an array's are left and named; links are refused. What re-blocking has left beside its target, NAME.pass-1 and so
/// on, goes with that. Once an array's metadata are gone the rest is deleted too, even
/// if a signal arrives; a second one of the same kind ends it, and what is left then can be deleted by the same command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio rm amplitudes\n  chemio rm --foreign made-by-zarr-python")]
pub(crate) struct Rm {
    /// The arrays.
    #[arg(required = true, value_hint = ValueHint::DirPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Also those that another program made.
    #[arg(long)]
    pub(crate) foreign: bool,
}

/// Check an array: metadata, lengths of the shards, their indexes, and the checksums of these.
///
/// Elements have no checksum, because a hole must read as zero; --read finds out whether the device gives them all. The status
/// is 1 if the array is damaged.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  chemio verify amplitudes && echo whole\n  chemio verify --read amplitudes"
)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) array: Array,
    /// Read all elements too.
    #[arg(long)]
    pub(crate) read: bool,
}

/// Write the elements to a file of another format, said by its name: .h5 or .hdf5, .npy, .bin.
///
/// .bin is the elements alone, little-endian, last index fastest. Zeros become holes. The file gets its name when it is
/// complete.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  chemio export amplitudes t2.h5\n  chemio export amplitudes t2.npy --force"
)]
pub(crate) struct Export {
    /// The directory of the array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) array: PathBuf,
    /// The file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The name of the dataset, in HDF5; `data` by default.
    #[arg(long)]
    pub(crate) dataset: Option<String>,
    /// Replace the file if there is one.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// Make an array of a file of another format, said by its name: .h5 or .hdf5, .npy, .bin.
///
/// Element [i, j] of the file is element [i, j] of the array. Zeros become holes. The array gets its name when it is complete. A file
/// without elements is refused.
///
/// Elements are int32, int64, float32, float64, complex64 or complex128. Of HDF5 every layout, compression and byte order is read that
/// the library reads, of .npy versions 1 to 3, little-endian, in either order of the indices.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  chemio import t2.npy t2\n  chemio import run.h5 t2 --dataset ccsd/t2\n  \
        chemio import t2.bin t2 --shape 300,300,40,40 --type float64"
)]
pub(crate) struct Import {
    /// The file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The directory of the array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) array: PathBuf,
    /// The extents, of a .bin; the last index is the fastest.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub(crate) shape: Vec<u64>,
    /// The type of the elements, of a .bin: int32, int64, float32, float64, complex64 or complex128.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) data_type: Option<String>,
    /// The dataset, in HDF5; not needed if there is but one at the top.
    #[arg(long)]
    pub(crate) dataset: Option<String>,
    /// The extents of a brick; about a megabyte by default.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub(crate) brick: Vec<u64>,
    /// About how many files the array shall have.
    #[arg(long, default_value_t = 1)]
    pub(crate) files: u64,
    /// Replace an array of chemio's that is there.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// Draw a slice of an array as a PNG: one dimension as a line, two as a heat map.
///
/// By default the last one or two dimensions at index 0 of the others. What is larger than the picture is averaged, or see
/// --show. Of complex elements the modulus is drawn. NaN are grey.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  chemio plot fock -o fock.png\n  chemio plot amplitudes -o t2.png --slice 3,:,0,: --log\n  \
        chemio plot amplitudes -o row.png --slice 3,7,0,:"
)]
pub(crate) struct Plot {
    /// The directory of the array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) path: PathBuf,
    /// The picture; its name ends with .png.
    #[arg(short, long, value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// For each dimension an index, `:` or FIRST:END; one or two of them ranges.
    #[arg(long, value_name = "I,:,...", allow_hyphen_values = true)]
    pub(crate) slice: Option<String>,
    /// What stands for several elements in one place.
    #[arg(long, value_enum, default_value_t = Show::Mean)]
    pub(crate) show: Show,
    /// Draw the logarithm of the modulus.
    #[arg(long)]
    pub(crate) log: bool,
    /// Replace the picture if there is one.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// What stands for several elements in one place of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Show {
    /// Their mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// Measure how fast arrays in a directory are written and read, beside plain files there.
///
/// All in one run, because machines are noisy: what counts are the ratios. What it makes it removes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio bench /scratch\n  chemio bench --size 4096 /scratch")]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) place: Place,
    /// How much is written and read in each measurement, in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) size: u64,
}

/// Say what this machine and a directory offer, and what to change: MPI, asynchronous and direct I/O, file
/// system, limits.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio doctor\n  chemio doctor --json /scratch")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  chemio completions bash > ~/.local/share/bash-completion/completions/chemio"
)]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual pages into a directory.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  chemio manual ~/.local/share/man/man1")]
pub(crate) struct Manual {
    /// The directory, which exists.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}
