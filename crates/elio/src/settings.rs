//! What the environment says, read once.

use crate::error::Error;
use crate::sys::fork::OfProcess;
use std::env;
use std::sync::OnceLock;

/// A backend that the user asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForcedBackend {
    Uring,
    Pread,
}

/// The settings of this process.
#[derive(Debug)]
pub(crate) struct Settings {
    /// `CHEMIO_BUFFER_MB`: the budget of staging, read-ahead and write-behind together.
    pub(crate) buffer_bytes_max: usize,
    /// `CHEMIO_BACKEND`.
    pub(crate) backend: Option<ForcedBackend>,
    /// What could not be understood; told at the first open.
    problem: Option<Problem>,
}

#[derive(Debug)]
struct Problem {
    variable: &'static str,
    value: String,
    expected: &'static str,
}

const BUFFER_MB_DEFAULT: usize = 32;
const BUFFER_MB_EXPECTED: &str = "a number of megabytes from 1 to 65536";
const BACKEND_EXPECTED: &str = "uring or pread";

/// The settings, read at the first call.
pub(crate) fn get() -> &'static Settings {
    static SETTINGS: OfProcess<OnceLock<Settings>> = OfProcess::empty();
    SETTINGS.get_or_init(|| {
        Settings::parse(
            env::var("CHEMIO_BUFFER_MB").ok().as_deref(),
            env::var("CHEMIO_BACKEND").ok().as_deref(),
        )
    })
}

/// Looks whether `CHEMIO_BACKEND` and `CHEMIO_BUFFER_MB` can be understood, as opening a file does: for programs that want to know it
/// before they make anything.
///
/// # Errors
/// - [`Error::Setting`]: one of them cannot.
pub fn check_environment() -> Result<(), Error> {
    get().check()
}

impl Settings {
    fn parse(buffer_mb: Option<&str>, backend: Option<&str>) -> Self {
        let mut settings = Self { buffer_bytes_max: BUFFER_MB_DEFAULT << 20, backend: None, problem: None };
        // Scripts that pass a variable on set it empty where they have none.
        let buffer_mb = buffer_mb.map(str::trim).filter(|value| !value.is_empty());
        match buffer_mb.map(|value| (value, value.parse::<usize>())) {
            None => {}
            Some((_, Ok(megabytes))) if (1..=65_536).contains(&megabytes) => {
                settings.buffer_bytes_max = megabytes << 20;
            }
            Some((value, _)) => settings.note("CHEMIO_BUFFER_MB", value, BUFFER_MB_EXPECTED),
        }
        match backend.map(str::trim) {
            None | Some("") => {}
            Some("uring") => settings.backend = Some(ForcedBackend::Uring),
            Some("pread") => settings.backend = Some(ForcedBackend::Pread),
            Some(value) => settings.note("CHEMIO_BACKEND", value, BACKEND_EXPECTED),
        }
        settings
    }

    fn note(&mut self, variable: &'static str, value: &str, expected: &'static str) {
        self.problem = Some(Problem { variable, value: value.to_owned(), expected });
    }

    /// An error if a setting could not be understood.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.problem {
            None => Ok(()),
            Some(Problem { variable, value, expected }) => {
                Err(Error::Setting { variable, value: value.clone(), expected })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_settings_or_with_blank_ones_the_budget_is_32_mib_and_no_backend_is_forced() {
        for nothing in [None, Some(""), Some(" \t")] {
            let settings = Settings::parse(nothing, nothing);
            assert_eq!(settings.buffer_bytes_max, 32 << 20);
            assert_eq!(settings.backend, None);
            assert!(settings.check().is_ok(), "{nothing:?}");
        }
    }

    #[test]
    fn blanks_around_a_setting_are_ignored() {
        let settings = Settings::parse(Some(" 64 "), Some(" pread"));
        assert_eq!(settings.buffer_bytes_max, 64 << 20);
        assert_eq!(settings.backend, Some(ForcedBackend::Pread));
        assert!(settings.check().is_ok());
    }

    #[test]
    fn settings_without_meaning_are_named_with_what_is_expected() {
        for (buffer_mb, backend, variable) in [
            (Some("lots"), None, "CHEMIO_BUFFER_MB"),
            (Some("0"), None, "CHEMIO_BUFFER_MB"),
            (Some("-3"), None, "CHEMIO_BUFFER_MB"),
            (None, Some("aio"), "CHEMIO_BACKEND"),
        ] {
            let message = Settings::parse(buffer_mb, backend).check().unwrap_err().to_string();
            assert!(message.starts_with(variable) && message.contains("expected"), "{message}");
        }
    }
}
