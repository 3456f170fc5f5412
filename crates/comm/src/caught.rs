//! Where panics stop: one that left a rank by itself would leave the others waiting for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does `work`. Whoever gets the message of a panic gives up what it has left half-done. Local.
///
/// # Errors
/// The message of a panic, or `no message`.
pub fn message_of_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| text(&*panic))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
