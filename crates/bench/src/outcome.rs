//! What comes of a comparison.

use serde::{Deserialize, Serialize};

/// What came of a comparison with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The target is reached.
    Holds,
    /// It is not.
    Misses,
    /// Something needed for the comparison was not measured, or the figure is for information.
    NotJudged,
}

impl Outcome {
    /// Of something of which more is better.
    pub(crate) fn of(ours: Option<f64>, target: Option<f64>) -> Self {
        match ratio(ours, target) {
            None => Self::NotJudged,
            Some(ratio) if ratio >= 1.0 => Self::Holds,
            Some(_) => Self::Misses,
        }
    }

    /// As the tables say it.
    pub(crate) fn verdict(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Misses => "MISSES",
            Self::NotJudged => "shown",
        }
    }
}

/// Ours : other, if both were measured.
pub(crate) fn ratio(ours: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(ours? / other?)
}
