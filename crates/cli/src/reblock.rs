//! `chemio reblock`: looks whether it can be done, and becomes `chemio-reblock`, which is linked with MPI.

use crate::error::{Error, Result, refused};
use crate::interrupt;
use crate::progress::Progress;
use command::launched::is_launched;
use command::options::Reblock;
use command::reblocking::prepare;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

const PROGRAM: &str = "chemio-reblock";

/// Does not return if it succeeds.
pub(crate) fn run(options: &Reblock) -> Result<()> {
    // What is wrong is one line here, where with ranks of its own it would be that and what launchers say. Among ranks that a launcher has
    // started already the first of them tells.
    if !is_launched() {
        let progress = Progress::waiting("planning");
        prepare(options, options.reblocking.ranks.unwrap_or(1))?;
        drop(progress);
    }
    let program = find()?;
    let starts = starts(&program);
    // Why it does not start may be the signal. What becomes of this program knows nothing of it.
    interrupt::check()?;
    starts?;
    // Not the options but the words: what they mean there is the same definition.
    let words = env::args_os().skip_while(|word| word != "reblock").skip(1);
    Err(refused("run", &program)(Command::new(&program).args(words).exec()))
}

/// Beside this program, or on `PATH`.
fn find() -> Result<PathBuf> {
    let beside = env::current_exe().ok().and_then(|path| fs::canonicalize(path).ok());
    let beside = beside.iter().filter_map(|path| path.parent()).map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<_> = env::split_paths(&path).collect();
    let found = beside.chain(on_path).map(|directory| directory.join(PROGRAM)).find(|path| path.is_file());
    found.ok_or_else(|| Error::NoHelper {
        reason: format!("{PROGRAM}, which moves elements with MPI, is neither beside chemio nor on PATH"),
    })
}

/// Whether its libraries are there: otherwise the system's loader would say something else than what to install.
fn starts(program: &Path) -> Result<()> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(refused("run", program))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().next().unwrap_or("it says nothing");
    Err(Error::NoHelper { reason: format!("{} does not start: {line}", program.display()) })
}
