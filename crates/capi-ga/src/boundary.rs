//! The one boundary that every call crosses: panics stop here, and errors end the program or become the value that the
//! call has for them.

use crate::caller::Caller;
use crate::{Error, Result, fatal};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The exit code after a mistake of the caller.
const MISTAKE: i32 = 1;

/// Runs a call that has no way to return an error: any ends the whole program.
pub(crate) fn or_abort<T>(caller: Caller, call: impl FnOnce() -> Result<T>) -> T {
    caught(call).unwrap_or_else(|error| fatal::abort(&format!("{}: {error}", caller.name()), MISTAKE))
}

/// Runs a call that returns `failed` for every error; `ga_error` and the log say which it was.
pub(crate) fn or_return<T>(caller: Caller, failed: T, call: impl FnOnce() -> Result<T>) -> T {
    caught(call).unwrap_or_else(|error| {
        tracing::warn!(call = caller.name(), %error, "call failed");
        fatal::remember(format!("{}: {error}", caller.name()));
        failed
    })
}

fn caught<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    // A panic leaves nothing behind that a later call could see half-done: locks are taken for single assignments.
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|panic| Err(Error::Panic { message: message(&*panic) }))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_stands_for_an_error_and_the_reason_is_remembered() {
        let caller = Caller::fortran("ga_create_");
        assert_eq!(or_return(caller, 0, || Err(Error::BadType { code: 7 })), 0);
        let (_, reason) = fatal::last_failure().expect("remembered");
        assert!(reason.starts_with("ga_create: type 7 is not supported"), "{reason}");
    }

    #[test]
    fn a_panic_becomes_an_error() {
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(or_return(Caller::c("GA_Nnodes"), -1, || panic!("brick {} has two owners", 7)), -1);
    }
}
