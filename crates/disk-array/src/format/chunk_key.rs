//! The names of chunk files.

use std::fmt;
use std::path::PathBuf;

/// What stands between the coordinates of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `/`: a directory for each dimension but the last.
    Slash,
    /// `.`
    Dot,
}

impl Separator {
    /// The character.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Slash => "/",
            Self::Dot => ".",
        }
    }
}

/// Zarr's chunk key encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkKeys {
    /// `c/0/0` or `c.0.0`.
    Default(Separator),
    /// `0/0` or `0.0`.
    V2(Separator),
}

impl ChunkKeys {
    /// What we write.
    pub const OURS: Self = Self::Default(Separator::Slash);

    /// The name of a chunk, relative to the array's directory.
    pub fn key(self, coordinates: &[u64]) -> PathBuf {
        let (prefix, separator) = match self {
            Self::Default(separator) => (Some("c".to_owned()), separator),
            Self::V2(separator) => (None, separator),
        };
        let parts: Vec<_> = prefix.into_iter().chain(coordinates.iter().map(u64::to_string)).collect();
        PathBuf::from(parts.join(separator.text()))
    }

    /// Zarr's name of the encoding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default(_) => "default",
            Self::V2(_) => "v2",
        }
    }

    /// What stands between coordinates.
    pub const fn separator(self) -> Separator {
        match self {
            Self::Default(separator) | Self::V2(separator) => separator,
        }
    }
}

impl fmt::Display for ChunkKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with \"{}\"", self.name(), self.separator().text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_specification() {
        for (keys, expected) in [
            (ChunkKeys::Default(Separator::Slash), "c/1/23/0"),
            (ChunkKeys::Default(Separator::Dot), "c.1.23.0"),
            (ChunkKeys::V2(Separator::Slash), "1/23/0"),
            (ChunkKeys::V2(Separator::Dot), "1.23.0"),
        ] {
            assert_eq!(keys.key(&[1, 23, 0]), PathBuf::from(expected));
        }
    }
}
