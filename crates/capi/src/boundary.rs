//! The one boundary that every call crosses: errors become numbers and are remembered, panics stop here.

use crate::error::{Error, Result};
use crate::last_error;
use std::any::Any;
use std::cell::Cell;
use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// In how many calls this thread is: in a second one if a signal handler has interrupted the first.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Runs `call` and returns 0, or the number of its error, which the next `errmsg` can explain.
pub fn code(call: impl FnOnce() -> Result<()>) -> c_int {
    // Not told where a thread ends: then nobody is interrupted.
    let count = |change: fn(u32) -> u32| _ = CALLS.try_with(|calls| calls.set(change(calls.get())));
    count(|calls| calls + 1);
    // A panic leaves nothing behind that a later call could see half-done: locks are taken for single assignments.
    let code = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => last_error::remember(error),
        Err(panic) => last_error::remember(Error::Panic { message: message(&*panic) }),
    };
    count(|calls| calls - 1);
    code
}

/// Whether this thread is in a call, which a signal handler must have interrupted if anybody asks from outside.
pub(crate) fn is_in_call() -> bool {
    CALLS.try_with(Cell::get).is_ok_and(|calls| calls > 0)
}

/// Runs a call that has no result to report an error with.
pub fn silent(call: impl FnOnce() -> Result<()>) {
    code(call);
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use eaf::codes;

    #[test]
    fn a_panic_becomes_the_unknown_error_and_its_message_is_kept() {
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(code(|| panic!("brick {} has two owners", 7)), codes::DEVICE_UNKNOWN);
        let error = last_error::recall(codes::DEVICE_UNKNOWN).expect("remembered");
        assert_eq!(error.to_string(), "internal error: brick 7 has two owners");
    }

    #[test]
    fn a_call_is_known_as_long_as_it_lasts() {
        std::panic::set_hook(Box::new(|_| {}));
        let mut inside = false;
        code(|| {
            inside = is_in_call();
            Ok(())
        });
        code(|| panic!("it ends so, too"));
        assert_eq!((inside, is_in_call()), (true, false));
    }

    #[test]
    fn success_is_zero_and_an_error_is_its_number() {
        assert_eq!(code(|| Ok(())), 0);
        assert_eq!(code(|| Err(Error::InvalidHandle { fd: 3 })), codes::INVALID_HANDLE);
    }
}
