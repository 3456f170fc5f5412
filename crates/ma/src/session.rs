//! What is one for the whole process: the allocator, the settings and the counts.

use crate::allocator::Allocator;
use crate::error::{Error, Result};
use crate::output;
use crate::routine::Routine;
use crate::statistics::Calls;
use std::os::raw::{c_char, c_long};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is called instead of `exit(1)` when errors are to end the program: with a message and 0.
pub type ErrorCallback = unsafe extern "C" fn(message: *const c_char, code: c_long);

/// How errors and calls are told.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // switches that callers set one by one
pub(crate) struct Settings {
    /// Verify before each call.
    pub(crate) auto_verify: bool,
    /// Tell errors on standard error.
    pub(crate) error_print: bool,
    /// End the program at the first error.
    pub(crate) hard_fail: bool,
    /// Tell each block that comes and goes.
    pub(crate) trace: bool,
    /// How to end it.
    pub(crate) callback: Option<ErrorCallback>,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) memory: Allocator,
    pub(crate) settings: Settings,
    pub(crate) calls: Calls,
}

static SESSION: Mutex<Session> = Mutex::new(Session {
    memory: Allocator::new(),
    settings: Settings {
        auto_verify: false,
        error_print: true,
        hard_fail: false,
        trace: false,
        callback: None,
    },
    calls: Calls::NONE,
});

/// The session, for one thread at a time. A panic in the middle of a call is a broken invariant and is told as one; the
/// books are still the best there are.
pub(crate) fn lock() -> MutexGuard<'static, Session> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Counts a call, verifies first if that is set, and makes the call.
    pub(crate) fn run<T>(
        &mut self,
        routine: Routine,
        call: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.calls.count(routine);
        if self.settings.auto_verify && routine.is_verified() {
            self.verify()?;
        }
        call(self)
    }

    /// Looks at all guards and prints what is damaged.
    pub(crate) fn verify(&self) -> Result<()> {
        let found = self.memory.verify();
        if found.is_sound() {
            return Ok(());
        }
        output::print(&found.lines());
        Err(Error::Unsound { summary: found.summary() })
    }

    /// Tells what becomes of a block, if that is set.
    pub(crate) fn trace(&self, event: impl FnOnce() -> String) {
        if self.settings.trace {
            output::print(&format!("MA: {}\n", event()));
        }
    }
}

/// Whether the program has given its limits.
pub fn is_initialized() -> bool {
    lock().memory.is_initialized()
}

/// Sets what is called instead of `exit(1)` when an error is to end the program, which only `MA_set_hard_fail` makes
/// so. If it returns, the failing call does too.
pub fn set_error_callback(callback: Option<ErrorCallback>) {
    lock().settings.callback = callback;
}
