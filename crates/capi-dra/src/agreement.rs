//! What ranks have to agree on before they act: that nobody's arguments are wrong, and that all gave the same.

use crate::Error;
use chemio_capi::Result;
use comm::{Comm, NumberedFailure};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A number for the arguments of a call: equal where they are.
pub(crate) fn token(arguments: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    hasher.finish()
}

/// This rank's value if all ranks have one and gave the same token; otherwise, on every rank, the error of the lowest one
/// that has none. Collective. Cost: one reduction.
pub(crate) fn agree<T>(comm: &Comm, call: &'static str, mine: Result<T>, token: u64) -> Result<T> {
    match comm.agree_numbered(mine, chemio_capi::Error::code, token) {
        Ok((value, true)) => Ok(value),
        Ok((_, false)) => Err(Error::ArgumentsDiffer { call }.into()),
        Err(NumberedFailure::OnRank { rank, number, message }) => {
            Err(Error::OnRank { rank, message, code: number }.into())
        }
        Err(NumberedFailure::Comm(error)) => Err(Error::Comm(error).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_differ_have_different_tokens() {
        assert_eq!(token((1, "a")), token((1, "a")));
        assert_ne!(token((1, "a")), token((2, "a")));
        assert_ne!(token(([1u64, 2].as_slice(), 3)), token(([1u64].as_slice(), 3)));
    }
}
