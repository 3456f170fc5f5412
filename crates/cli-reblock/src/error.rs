//! What can go wrong: one line, the same on every rank, of which one prints it.

use comm::Failure;

/// The result of a step.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Why it could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// What the command finds wrong without MPI.
    #[error(transparent)]
    Command(#[from] command::error::Error),
    /// As above, on another rank.
    #[error("on rank {rank}: {message}")]
    OnRank {
        /// The lowest that found something.
        rank: usize,
        /// What.
        message: String,
    },
    /// `-n` and the launcher do not agree.
    #[error("-n {asked}, but the launcher has started {started} ranks")]
    Ranks {
        /// On the command line.
        asked: u64,
        /// Running.
        started: u64,
    },
    /// The launcher was told so.
    #[error("the ranks were given different arguments")]
    OptionsDiffer,
    /// No launcher of this MPI.
    #[error("no launcher of {library}, for which chemio-reblock was built, is on PATH")]
    NoLauncher {
        /// The MPI.
        library: &'static str,
    },
    /// The copy.
    #[error(transparent)]
    Copy(#[from] reblock::Error),
    /// An array on disk.
    #[error(transparent)]
    Disk(#[from] dra::Error),
    /// Arrays in memory, or MPI itself.
    #[error(transparent)]
    Memory(#[from] ga::Error),
    /// Ranks could not talk to each other.
    #[error(transparent)]
    Comm(#[from] comm::Error),
}

impl Error {
    /// The status of the program.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Command(error) => error.status(),
            _ => 2,
        }
    }

    /// What the user can do, who has asked to begin anew or has not.
    pub(crate) fn advice(&self, restart: bool) -> Option<&'static str> {
        match self {
            Self::Command(error) => error.advice(),
            Self::Ranks { .. } => Some("leave -n to the launcher"),
            Self::NoLauncher { .. } => {
                Some("install it (Debian: openmpi-bin or mpich), or name it in CHEMIO_LAUNCHER")
            }
            Self::Copy(reblock::Error::Plan(layout::Error::Memory { .. })) => Some("say --memory with more"),
            Self::Copy(reblock::Error::SourceChanged { .. }) => {
                Some("the same command begins anew, with what is there then")
            }
            Self::Copy(reblock::Error::Array(error)) if is_of_others(error) => Some(
                "another process may be copying to the same target: let it end, or end it; chemio ls says whether the target is complete then",
            ),
            // As where an array has been replaced, which other ranks tell with no number of its own.
            Self::Copy(reblock::Error::Array(error)) if error.code() == dra::codes::FAILED => {
                Some(if restart {
                    "when that is mended, and no other process copies to the same target, the same command without --restart goes on where it was"
                } else {
                    "when that is mended, and no other process copies to the same target, the same command goes on where it was"
                })
            }
            Self::Copy(_) if restart => {
                Some("when that is mended the same command without --restart goes on where it was")
            }
            Self::Copy(_) => Some("when that is mended the same command goes on where it was"),
            Self::Memory(_) | Self::Disk(_) | Self::Comm(_) | Self::OnRank { .. } | Self::OptionsDiffer => {
                None
            }
        }
    }
}

/// Whether another process may have taken away or replaced an array that this one had just opened or made. What other ranks have
/// found has but a number.
fn is_of_others(error: &dra::Error) -> bool {
    matches!(error, dra::Error::Replaced { .. }) || error.code() == dra::codes::MISSING
}

impl<E: Into<Error>> From<Failure<E>> for Error {
    fn from(failure: Failure<E>) -> Self {
        match failure {
            Failure::Here(error) => error.into(),
            Failure::There { rank, message } => Self::OnRank { rank, message },
            Failure::Comm(error) => Self::Comm(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_array_that_vanishes_while_it_is_copied_nobody_is_told_to_mend_it() {
        let on_rank = |code| {
            let message = "creating or deleting the array was interrupted: t.pass-1".to_owned();
            Error::Copy(dra::Error::OnRank { rank: 0, code, message }.into())
        };
        for restart in [false, true] {
            let advice = on_rank(dra::codes::MISSING).advice(restart).unwrap();
            assert!(advice.starts_with("another process may be copying"), "{advice}");
            let replaced = Error::Copy(dra::Error::Replaced { path: "t".into() }.into());
            assert_eq!(replaced.advice(restart), Some(advice));
            let advice = on_rank(dra::codes::FAILED).advice(restart).unwrap();
            assert!(advice.contains("no other process copies") && advice.contains("goes on where it was"));
            assert_eq!(advice.contains("without --restart"), restart);
            let advice = on_rank(dra::codes::UNSUPPORTED).advice(restart).unwrap();
            assert!(!advice.contains("other process"), "{advice}");
        }
    }
}
