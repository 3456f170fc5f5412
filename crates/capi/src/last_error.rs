//! The last error with each number: of this thread, and of the process for a thread that had none.

use crate::error::Error;
use crate::strings;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// At most one entry for each number there is.
type Entries = Vec<(i32, Instant, Arc<Error>)>;

thread_local! {
    static OF_THREAD: RefCell<Entries> = const { RefCell::new(Vec::new()) };
}
static OF_PROCESS: Mutex<Entries> = Mutex::new(Vec::new());

/// Keeps `error` for [`recall`] and returns its number.
pub fn remember(error: Error) -> i32 {
    let code = error.code();
    let error = match error {
        Error::Again(error) => error,
        error => Arc::new(error),
    };
    tracing::info!(code, %error, "call failed");
    // A thread that is ending has no storage left; the process still has.
    let _ = OF_THREAD.try_with(|entries| replace(&mut entries.borrow_mut(), code, &error));
    replace(&mut OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner), code, &error);
    code
}

/// The last error with this number.
pub fn recall(code: i32) -> Option<Arc<Error>> {
    last(code).map(|(_, error)| error)
}

fn last(code: i32) -> Option<(Instant, Arc<Error>)> {
    let of_thread = OF_THREAD.try_with(|entries| find(&entries.borrow(), code)).ok().flatten();
    of_thread.or_else(|| find(&OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner), code))
}

/// When the last call with this number failed, and why, as it prints.
pub fn reason(code: i64) -> Option<(Instant, String)> {
    last(i32::try_from(code).ok()?).map(|(when, error)| (when, error.to_string()))
}

/// What is known about `code`, in at most `len_max` bytes: the last error with this number, else its fixed text; empty for
/// a number that has none.
pub fn message(code: i64, len_max: usize, text: impl FnOnce(i32) -> Option<&'static str>) -> String {
    let Ok(code) = i32::try_from(code) else { return String::new() };
    match recall(code) {
        Some(error) => strings::shorten(&error.to_string(), error.path(), len_max),
        None => strings::shorten(text(code).unwrap_or_default(), None, len_max),
    }
}

fn replace(entries: &mut Entries, code: i32, error: &Arc<Error>) {
    entries.retain(|(other, ..)| *other != code);
    entries.push((code, Instant::now(), Arc::clone(error)));
}

fn find(entries: &Entries, code: i32) -> Option<(Instant, Arc<Error>)> {
    entries.iter().find(|(other, ..)| *other == code).map(|(_, when, error)| (*when, Arc::clone(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_thread_sees_its_own_last_error_first_and_the_last_of_the_process_otherwise() {
        let code = remember(Error::TooShort { expected: 4, got: 1 });
        let other = thread::spawn(move || {
            assert!(matches!(*recall(code).expect("of the process"), Error::TooShort { got: 1, .. }));
            remember(Error::TooShort { expected: 4, got: 2 });
            assert!(matches!(*recall(code).expect("its own"), Error::TooShort { got: 2, .. }));
        });
        other.join().expect("no assertion failed");
        assert!(matches!(*recall(code).expect("still its own"), Error::TooShort { got: 1, .. }));
    }
}
