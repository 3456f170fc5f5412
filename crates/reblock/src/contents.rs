//! What tells an array on disk from what it was before.

use crate::error::Result;
use dra::{ArrayDirectory, Context, DiskArray, Snapshot};
use std::fmt;

/// What is written to the files of an array, as of a moment: lengths and times of all. Names and rights are none of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents(pub(crate) Fingerprint);

impl Contents {
    /// That of now. Collective. Cost: a look at every file, by one rank; by one of each host where hosts have files of their own.
    ///
    /// # Errors
    /// - [`Error::Array`](crate::Error::Array) with [`dra::Error::Comm`]: the ranks could not talk to each other.
    pub fn of(context: &Context, array: &DiskArray) -> Result<Self> {
        let [contents] = of_all(context, array, |files| [Fingerprint::of_contents(files)])?;
        Ok(Self(contents))
    }
}

/// Fingerprints of what is in all directories of an array: hosts may have files of their own. Collective; one rank of each looks.
pub(crate) fn of_all<const N: usize>(
    context: &Context,
    array: &DiskArray,
    look: impl FnOnce(&Snapshot) -> [Fingerprint; N],
) -> dra::Result<[Fingerprint; N]> {
    let here =
        if array.keeps_directory() { Some(look(&Snapshot::of_found(array.directory()))) } else { None };
    let mut mine = vec![u64::from(here.is_some())];
    mine.extend(here.map_or([0; N], |here| here.map(|fingerprint| fingerprint.0)));
    let all = context.comm().all_gather(&mine)?;
    let kept: Vec<_> = all.chunks_exact(N + 1).filter(|of_rank| of_rank[0] == 1).collect();
    Ok(std::array::from_fn(|number| {
        // In an order that does not depend on which ranks hosts have.
        let mut words: Vec<_> = kept.iter().map(|of_rank| of_rank[number + 1]).collect();
        words.sort_unstable();
        words.dedup();
        Fingerprint::of_words(words)
    }))
}

/// FNV-1a, which stays the same from one version of a compiler to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Another one if any file of an array is another one, or was written to, or what the elements are that no file has.
    pub(crate) fn of_array(array: &ArrayDirectory, files: impl IntoIterator<Item = u64>) -> Self {
        let mut fingerprint = Self::default();
        let dra::format::Metadata { dims, data_type, chunk_shape, brick_shape, index, fill, .. } =
            array.metadata();
        fingerprint.add(
            format!("{dims:?} {data_type:?} {chunk_shape:?} {brick_shape:?} {index:?} {fill:?}").as_bytes(),
        );
        fingerprint.add_words(files);
        fingerprint
    }

    pub(crate) fn of_contents(files: &Snapshot) -> Self {
        Self::of_words(files.words_of_contents())
    }

    fn of_words(words: impl IntoIterator<Item = u64>) -> Self {
        let mut fingerprint = Self::default();
        fingerprint.add_words(words);
        fingerprint
    }

    fn add_words(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.add(&word.to_le_bytes()));
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let add = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, add);
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
