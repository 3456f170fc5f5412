//! One error for all ranks.

use crate::{Comm, Error, Operation, Result};
use std::fmt::{self, Display};

/// So much of a text goes with its length.
const FIRST_BYTES: usize = 1000;

/// Why a collective call failed, on every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// It failed on this rank first; others are told.
    Here(E),
    /// It failed on another rank (this one may have failed too, but ranks report the same error).
    There {
        /// The lowest rank on which it failed.
        rank: usize,
        /// That rank's error, as it prints.
        message: String,
    },
    /// The ranks could not even talk about it.
    Comm(Error),
}

/// Why a collective call failed, told alike on every rank, with the number that legacy calls return for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberedFailure {
    /// It failed on a rank.
    OnRank {
        /// The lowest rank on which it failed.
        rank: usize,
        /// The number of that rank's error.
        number: i32,
        /// That rank's error, as it prints.
        message: String,
    },
    /// The ranks could not even talk about it.
    Comm(Error),
}

/// An error as other ranks are told it.
struct Told {
    number: i32,
    message: String,
}

impl Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.message)
    }
}

impl Told {
    /// From what another rank has printed; nothing, if it is in another call, and this is its text of something else.
    fn parse(text: &str) -> Option<Self> {
        let (number, message) = text.split_once(' ')?;
        Some(Self { number: number.parse().ok()?, message: message.to_owned() })
    }
}

impl Comm {
    /// As [`agree_alike`](Self::agree_alike), where errors have numbers that other ranks shall know.
    ///
    /// # Errors
    /// See [`NumberedFailure`].
    pub fn agree_numbered<T, E: Display>(
        &self,
        result: std::result::Result<T, E>,
        number: impl FnOnce(&E) -> i32,
        token: u64,
    ) -> std::result::Result<(T, bool), NumberedFailure> {
        let told = result.map_err(|error| Told { number: number(&error), message: error.to_string() });
        self.agree_alike(told, token).map_err(|failure| {
            let (rank, Told { number, message }) = match failure {
                Failure::Here(told) => (self.rank(), told),
                Failure::There { rank, message } => match Told::parse(&message) {
                    Some(told) => (rank, told),
                    None => return NumberedFailure::Comm(Error::OutOfStep { rank }),
                },
                Failure::Comm(error) => return NumberedFailure::Comm(error),
            };
            NumberedFailure::OnRank { rank, number, message }
        })
    }

    /// Every rank's value if all succeeded; otherwise, on every rank, the error of the lowest one that failed.
    ///
    /// Collective. Cost: one reduction of a number, and two broadcasts if something failed.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn agree<T, E: Display>(
        &self,
        result: std::result::Result<T, E>,
    ) -> std::result::Result<T, Failure<E>> {
        self.agree_alike(result, 0).map(|(value, _)| value)
    }

    /// As [`agree`](Self::agree), and whether all ranks gave the same `token`; at the same cost.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn agree_alike<T, E: Display>(
        &self,
        result: std::result::Result<T, E>,
        token: u64,
    ) -> std::result::Result<(T, bool), Failure<E>> {
        let (first, alike) = self.first_failed(result.is_err(), token).map_err(Failure::Comm)?;
        let Some(rank) = first else {
            // Nobody failed, so neither did this rank.
            return result.map(|value| (value, alike)).map_err(Failure::Here);
        };
        let text = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let message = self.broadcast_text(text, rank).map_err(Failure::Comm)?;
        match result {
            Err(error) if rank == self.rank() => Err(Failure::Here(error)),
            _ => Err(Failure::There { rank, message }),
        }
    }

    /// The first rank that failed, and whether all gave the same token.
    fn first_failed(&self, failed: bool, token: u64) -> Result<(Option<usize>, bool)> {
        let rank = if failed { i64::try_from(self.rank()).expect("ranks are below 2^31") } else { i64::MAX };
        let (least, alike) = self.least(rank, token)?;
        Ok((usize::try_from(least).ok().filter(|&rank| rank < self.size()), alike))
    }

    /// The smallest of all ranks' values, and whether all gave the same `token`. Collective. Cost: one reduction.
    ///
    /// # Errors
    /// - [`Error::Mpi`], or one of [`Mpi::enter`](crate::Mpi::enter).
    pub fn least(&self, value: i64, token: u64) -> Result<(i64, bool)> {
        let token = token.cast_signed();
        // The smallest of a token and the smallest of its complement: equal everywhere if both are what this rank gave.
        let mut values = [value, token, !token];
        self.all_reduce(&mut values, Operation::Min)?;
        Ok((values[0], values[1] == !values[2]))
    }

    /// The text of rank `root`, on every rank. Collective. Cost: one broadcast, and another one for a text beyond 1000 bytes.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    ///
    /// # Panics
    /// If the text is larger than memory can be.
    pub fn broadcast_text(&self, text: String, root: usize) -> Result<String> {
        let mut bytes = text.into_bytes();
        // The length, and as much of the text as there is room for.
        let mut first = [0u8; 8 + FIRST_BYTES];
        let (len, beginning) = first.split_at_mut(8);
        len.copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        let short = bytes.len().min(FIRST_BYTES);
        beginning[..short].copy_from_slice(&bytes[..short]);
        self.broadcast(&mut first, root)?;
        let (len, beginning) = first.split_at(8);
        let len = u64::from_le_bytes(len.try_into().expect("eight bytes"));
        bytes.resize(usize::try_from(len).expect("a text in memory"), 0);
        if bytes.len() > FIRST_BYTES {
            self.broadcast(&mut bytes, root)?;
        } else {
            let short = bytes.len();
            bytes.copy_from_slice(&beginning[..short]);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Told;

    #[test]
    fn number_and_message_arrive_on_other_ranks() {
        for (number, message) in [(-1999, "no space left: write of 8 bytes"), (1, ""), (i32::MIN, " 7 ")] {
            let arrived =
                Told::parse(&Told { number, message: message.to_owned() }.to_string()).expect("told");
            assert_eq!((arrived.number, &arrived.message[..]), (number, message));
        }
        assert!(
            ["", "words", "no number", "7"].iter().all(|text| Told::parse(text).is_none()),
            "other calls' texts"
        );
    }
}
