//! Random numbers that can be had again.

use std::env;
use std::sync::OnceLock;

use fastrand::Rng;

use crate::environment::{Place, SEED};

static SEED_OF_RUN: OnceLock<u64> = OnceLock::new();

/// The seed of this run: `CHEMIO_TEST_SEED` if that is set, otherwise a fresh one; the same on all ranks of a launch.
///
/// The launcher prints it with every failure. In a plain `#[test]` it is printed to standard error on every call, which the
/// test harness shows if the test fails. A rank started by hand without `CHEMIO_TEST_SEED` has seed 1, because ranks must agree.
///
/// # Panics
/// If `CHEMIO_TEST_SEED` is set to something that is not an unsigned 64-bit number.
pub fn seed() -> u64 {
    let seed = *SEED_OF_RUN.get_or_init(|| given().unwrap_or_else(fresh));
    if Place::ours().is_none() {
        eprintln!("seed {seed}: {SEED}={seed} repeats this run");
    }
    seed
}

/// A generator with the seed of the run. All ranks get the same numbers, and so does a scenario that is run alone.
pub fn random() -> Rng {
    Rng::with_seed(seed())
}

/// Another generator for every `stream`, from the same seed: for numbers that differ from rank to rank, say.
pub fn random_of(stream: u64) -> Rng {
    let mut streams = Rng::with_seed(seed() ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Rng::with_seed(streams.u64(..))
}

/// Makes `chosen` the seed of this run. To be called before anybody asks for it.
pub(crate) fn choose(chosen: u64) {
    assert_eq!(*SEED_OF_RUN.get_or_init(|| chosen), chosen, "the seed is in use already");
}

/// What the user, or the launcher, has set.
pub(crate) fn given() -> Option<u64> {
    let text = env::var(SEED).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{SEED} is {text:?}: expected a number from 0 to {}", u64::MAX)),
    )
}

fn fresh() -> u64 {
    if Place::ours().is_some() { 1 } else { fastrand::u64(..) }
}

#[cfg(test)]
mod tests {
    use super::{random, random_of, seed};

    #[test]
    fn the_seed_does_not_change_within_a_run_and_generators_begin_anew() {
        assert_eq!(seed(), seed());
        assert_eq!(random().u64(..), random().u64(..));
    }

    #[test]
    fn streams_differ_from_each_other_and_repeat() {
        let firsts: Vec<u64> = (0..100).map(|stream| random_of(stream).u64(..)).collect();
        let again: Vec<u64> = (0..100).map(|stream| random_of(stream).u64(..)).collect();
        assert_eq!(firsts, again);
        let mut distinct = firsts;
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 100);
    }
}
