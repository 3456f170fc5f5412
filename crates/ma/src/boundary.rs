//! The one boundary that every call crosses: errors are told and become "failed", panics stop here.

use crate::error::{Error, Result};
use crate::output;
use crate::routine::Routine;
use crate::session::{self, Session};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Makes a call and gives its result, or None after the error was told.
///
/// Errors are told on standard error unless `MA_set_error_print` forbids it, and end the program if `MA_set_hard_fail`
/// says so.
pub(crate) fn cross<T>(routine: Routine, call: impl FnOnce(&mut Session) -> Result<T>) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(|| session::lock().run(routine, call)));
    let error = match result {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(error)) => error,
        Err(panic) => Error::Panic { message: message(&*panic) },
    };
    fail(routine, &error);
    None
}

/// As [`cross`], for calls that have nothing to give but success.
pub(crate) fn succeeds(routine: Routine, call: impl FnOnce(&mut Session) -> Result<()>) -> bool {
    cross(routine, call).is_some()
}

/// Tells an error, and ends the program if it shall. The session is free meanwhile: a callback may make calls.
fn fail(routine: Routine, error: &Error) {
    let (error_print, hard_fail, callback) = {
        let settings = &session::lock().settings;
        (settings.error_print, settings.hard_fail, settings.callback)
    };
    if error_print || hard_fail || must_be_told(routine, error) {
        let severity = if hard_fail { "hard failure" } else { "error" };
        output::warn(&format!("MA {severity}: {}: {error}\n", source(routine, error).name()));
    }
    if hard_fail {
        match callback {
            // SAFETY: whoever has set the callback has promised that it takes a string and a number.
            Some(callback) => unsafe { callback(c"MA: an error ends the program".as_ptr(), 0) },
            // SAFETY: the session is not locked, so functions that the program has registered may make calls.
            None => unsafe { libc::exit(1) },
        }
    }
}

/// Damage is always told, and so is what the result of a call cannot tell. Asking what is left too early is no
/// accident.
fn must_be_told(routine: Routine, error: &Error) -> bool {
    let is_a_question_too_early = matches!(error, Error::NotInitialized);
    matches!(error, Error::Unsound { .. }) || (routine.result_hides_failure() && !is_a_question_too_early)
}

/// Damage is found by verification, whatever call it came before.
fn source(routine: Routine, error: &Error) -> Routine {
    if matches!(error, Error::Unsound { .. }) { Routine::VerifyAllocatorStuff } else { routine }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_and_the_next_call_works() {
        std::panic::set_hook(Box::new(|_| {}));
        assert!(!succeeds(Routine::Trace, |_| panic!("a block has two owners")));
        assert!(succeeds(Routine::Trace, |_| Ok(())));
    }
}
