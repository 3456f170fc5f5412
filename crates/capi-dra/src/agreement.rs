//! What ranks have to agree on before they act: that nobody's arguments are wrong, and that all gave the same.

use crate::Error;
use chemio_capi::Result;
use comm::{Comm, Failure};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the number of an error and its message are separated by, on their way to other ranks.
const SEPARATOR: char = ' ';

/// An error that prints with its number.
struct Numbered(chemio_capi::Error);

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}", self.0.code(), self.0)
    }
}

/// A number for the arguments of a call: equal where they are.
pub(crate) fn token(arguments: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    hasher.finish()
}

/// This rank's value if all ranks have one and gave the same token; otherwise, on every rank, the error of the lowest one
/// that has none. Collective. Cost: one reduction.
pub(crate) fn agree<T>(comm: &Comm, call: &'static str, mine: Result<T>, token: u64) -> Result<T> {
    match comm.agree_alike(mine.map_err(Numbered), token) {
        Ok((value, true)) => Ok(value),
        Ok((_, false)) => Err(Error::ArgumentsDiffer { call }.into()),
        Err(Failure::Here(Numbered(error))) => {
            Err(Error::OnRank { rank: comm.rank(), message: error.to_string(), code: error.code() }.into())
        }
        Err(Failure::There { rank, message }) => Err(told(rank, &message).into()),
        Err(Failure::Comm(error)) => Err(Error::Comm(error).into()),
    }
}

/// What another rank said.
fn told(rank: usize, numbered: &str) -> Error {
    let parts =
        numbered.split_once(SEPARATOR).and_then(|(code, message)| Some((code.parse().ok()?, message)));
    let (code, message) = parts.unwrap_or((crate::codes::FAILED, numbered));
    Error::OnRank { rank, message: message.to_owned(), code }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chemio_capi::Coded;

    #[test]
    fn number_and_message_arrive_on_other_ranks() {
        let error: chemio_capi::Error = Error::InvalidHandle { handle: 5 }.into();
        let arrived = told(3, &Numbered(error).to_string());
        assert_eq!(arrived.code(), crate::codes::INVALID_HANDLE);
        assert_eq!(arrived.to_string(), "rank 3: invalid handle 5: no disk-resident array has it");
    }

    #[test]
    fn arguments_that_differ_have_different_tokens() {
        assert_eq!(token((1, "a")), token((1, "a")));
        assert_ne!(token((1, "a")), token((2, "a")));
        assert_ne!(token(([1u64, 2].as_slice(), 3)), token(([1u64].as_slice(), 3)));
    }
}
