//! Whether the hosts of a program see one directory.

use crate::context::Context;
use crate::error::{Error, Result};
use disk_array::Token;
use std::path::Path;

/// What hosts see in the directories of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// All see the same one.
    Shared,
    /// Each sees one of its own.
    Apart,
    /// Some share one.
    Partly,
}

impl Sight {
    /// From how many hosts' tokens each host has found, its own among them.
    fn of(found: &[u64]) -> Self {
        if found.iter().all(|&count| count == found.len() as u64) {
            Self::Shared
        } else if found.iter().all(|&count| count == 1) {
            Self::Apart
        } else {
            Self::Partly
        }
    }
}

/// Whether all hosts see one directory of this name, as that in which rank 0 has begun to make an array, or each one of its own; no host leaves anything
/// there. `unique` is a text that nobody else has. Collective.
pub(super) fn is_shared(context: &Context, path: &Path, unique: &str) -> Result<bool> {
    if context.nodes() == 1 {
        return Ok(true);
    }
    let rank = context.comm().rank();
    let first_of = |node: usize| context.node_of().iter().position(|&other| other == node);
    let node = context.node_of()[rank];
    let is_first_here = first_of(node) == Some(rank);
    let (laid, mut token) = match is_first_here.then(|| Token::lay(path, unique, node)) {
        Some(Ok(token)) => (Ok(()), Some(token)),
        Some(Err(error)) => (Err(error), None),
        None => (Ok(()), None),
    };
    // All tokens are there when the first of these returns, and until all have looked.
    let counted = context.agree(laid.map_err(Error::from)).and_then(|()| {
        let counted = if is_first_here { Token::count(path, unique) } else { Ok(0) };
        let mine = context.agree(counted.map_err(Error::from))?;
        Ok(context.comm().all_gather(&[mine])?)
    });
    if let Some(token) = &mut token {
        token.take_away();
    }
    // Directories can go when nobody has a token in them any more.
    context.comm().barrier()?;
    drop(token);
    let all = counted?;
    let found: Vec<u64> = (0..context.nodes()).filter_map(first_of).map(|first| all[first]).collect();
    match Sight::of(&found) {
        Sight::Shared => Ok(true),
        Sight::Apart => Ok(false),
        Sight::Partly => Err(Error::Parts {
            path: path.to_owned(),
            reason: "some hosts share this directory and others have one of their own".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::Sight::{self, Apart, Partly, Shared};

    #[test]
    fn a_directory_is_shared_if_every_host_finds_all_tokens_and_apart_if_each_finds_its_own() {
        for (found, sight) in [
            (&[1][..], Shared),
            (&[2, 2], Shared),
            (&[1, 1], Apart),
            (&[3, 3, 3], Shared),
            (&[1, 1, 1], Apart),
            // Of four hosts two share one.
            (&[2, 2, 1, 1], Partly),
            (&[2, 2, 2, 2], Partly),
            // One does not see what it has laid itself, or not all yet.
            (&[1, 0], Partly),
            (&[2, 1], Partly),
            (&[3, 2, 3], Partly),
        ] {
            assert_eq!(Sight::of(found), sight, "{found:?}");
        }
    }
}
