//! Options that several commands take, and those of re-blocking.

use crate::error::{Error, Result};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches, ValueHint};
use layout::DeviceModel;
use std::path::PathBuf;

/// What says what the device does, where no option does.
const DEVICE_VARIABLE: &str = "CHEMIO_DEVICE";
/// Its option, and its name among the matches.
const DEVICE: &str = "device";
const DEVICE_HELP: &str = "What the device does, as chemio bench measures it: read=MB, write=MB or, for both, bandwidth=MB, operations=N and \
     memory=MB, each in a second, and alone=PERCENT, as far as it is known. Of what is said here as well as in the options below, \
     those count";

/// Whether facts are printed for people or for programs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Facts {
    /// Print facts as JSON, sizes in bytes.
    #[arg(long)]
    pub json: bool,
}

/// What the device does, in words, and whether it was the variable of the environment that said so: derived options do not know that.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// As [`DeviceModel`] is parsed.
    pub text: String,
    /// Not `--device`.
    pub is_from_variable: bool,
}

impl Device {
    /// What is said.
    ///
    /// # Errors
    /// - [`Error::Setting`]: the variable cannot be understood. [`Error::Plan`]: the option cannot.
    pub fn model(&self) -> Result<DeviceModel> {
        self.text.parse().map_err(|source| {
            if self.is_from_variable {
                Error::Setting { variable: DEVICE_VARIABLE, source }
            } else {
                Error::Plan(source)
            }
        })
    }
}

impl FromArgMatches for Device {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let text = matches.get_one::<String>(DEVICE).cloned().unwrap_or_default();
        let is_from_variable = matches.value_source(DEVICE) == Some(ValueSource::EnvVariable);
        Ok(Self { text, is_from_variable })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Device {
    fn augment_args(command: clap::Command) -> clap::Command {
        let option = Arg::new(DEVICE).long(DEVICE).value_name("NAME=N,...").help(DEVICE_HELP);
        command.arg(option.env(DEVICE_VARIABLE))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Into which bricks an array is to be brought, and with what.
#[derive(Clone, Debug, Args)]
pub struct Reblocking {
    /// The extents of a brick of the target, in its order of dimensions; those of the array by default.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub brick: Vec<u64>,
    /// For each dimension of the target, the dimension of the array that it is, from 0; as they are by default.
    #[arg(long, visible_alias = "perm", value_name = "I,I,...", value_delimiter = ',')]
    pub order: Vec<usize>,
    /// Memory of all ranks together, in megabytes. Four bricks, of a mebibyte each at most, and buffers for them it takes in any case.
    #[arg(long, value_name = "MB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub memory: u64,
    /// Number of ranks; those that a launcher has started, or one.
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub ranks: Option<u64>,
    /// How many of the ranks read and write; two on each host by default, or the one there is.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub io_processes: Option<u64>,
    /// About how many files the target has.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub files: u64,
    /// What the device does.
    #[command(flatten)]
    pub device: Device,
    /// What the device reads and writes in a second, in megabytes; 2000 where nothing says it.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub bandwidth: Option<u64>,
    /// How many contiguous transfers the device begins in a second, with several in flight; 61035 where nothing says it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub operations: Option<u64>,
    /// How much longer the device takes, in hundredths, for what is read while nothing is written, or the other way round; 5
    /// where nothing says it. A plan reads the next step while one is written, unless larger steps are worth more.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(..=1000))]
    pub alone: Option<u64>,
    /// How much new memory is touched in a second, in megabytes; 1000 where nothing says it, which virtual machines have, and
    /// others several times as much. A plan takes no more memory than pays.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub memory_bandwidth: Option<u64>,
}

/// Say how an array would be brought into bricks of another shape: what is read, kept and written in which passes.
///
/// Nothing is moved: chemio reblock with the same options does exactly this. Of the memory a part goes into the buffers of
/// transfers, and the rest is what is planned with. All extents of the table, and the numbers of dimensions, are those of the
/// source, in its order of dimensions, also with --order. What its columns mean is in crates/cli/README.md.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  chemio plan t2 --brick 64,64,64,64\n  \
        chemio plan matrix --brick 4096,32 --order 1,0 --memory 64 -n 4 --explain")]
pub struct Plan {
    /// The directory of the array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub path: PathBuf,
    /// How.
    #[command(flatten)]
    pub reblocking: Reblocking,
    /// Say too what the other kinds of plans would cost (as text only: not with --json).
    #[arg(long, conflicts_with = "json")]
    pub explain: bool,
    /// For whom.
    #[command(flatten)]
    pub facts: Facts,
}

/// Copy an array into bricks of another shape, or another order of dimensions, with all ranks and bounded memory.
///
/// Into a directory that is no array the copy goes under the name of the source. Until it is complete the target is marked
/// as unfinished, and not read as an array; the source is only read. Whatever ends the command, the same command again
/// (without --restart) goes on where what was written is on the device, if the source has not been changed meanwhile.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  chemio reblock t2 t2-blocked --brick 64,64,64,64 -n 4\n  \
        chemio reblock matrix transposed --order 1,0 --memory 2048 --verify\n  \
        mpirun -n 8 chemio-reblock t2 t2-blocked --brick 64,64,64,64\n\n\
        Needs chemio-reblock, which ci/install puts beside chemio, and the MPI it was built for. -n N runs that MPI's launcher, \
        or what CHEMIO_LAUNCHER says, such as \"srun\" or \"mpirun --bind-to core\"; the status is then the launcher's if ranks \
        were killed.")]
pub struct Reblock {
    /// The directory of the array.
    #[arg(value_hint = ValueHint::DirPath)]
    pub source: PathBuf,
    /// The name of the copy, or the directory to put it in.
    #[arg(value_hint = ValueHint::DirPath)]
    pub target: PathBuf,
    /// How.
    #[command(flatten)]
    pub reblocking: Reblocking,
    /// Read both arrays again, the copy from the disk, and compare them, element by element; status 1 if they differ.
    #[arg(long)]
    pub verify: bool,
    /// Begin anew where another try was interrupted, also one with other options.
    #[arg(long)]
    pub restart: bool,
    /// For whom.
    #[command(flatten)]
    pub facts: Facts,
    /// A launcher has been run; whether there is a terminal.
    #[arg(long, hide = true, value_name = "TERMINAL")]
    pub launched: Option<bool>,
}
