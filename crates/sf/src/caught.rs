//! Where panics stop: one that left a rank by itself would leave the others waiting for it.

use crate::error::{Error, Result};
use comm::message_of_panic;

/// Does `work`, which talks to no other rank. A panic in it is an error: what it had is dropped by then.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    message_of_panic(work).unwrap_or_else(|message| Err(Error::Panicked { message }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::DEVICE_UNKNOWN;
    use std::any::Any;
    use std::panic::resume_unwind;

    #[test]
    fn a_panic_is_an_error_with_its_message_and_its_number() {
        let panics: [(Box<dyn Any + Send>, _); 3] = [
            (Box::new("two stripes"), "internal error: two stripes"),
            (Box::new("unit 7".to_owned()), "internal error: unit 7"),
            (Box::new(7), "internal error: no message"),
        ];
        for (panic, expected) in panics {
            let error = caught::<()>(|| resume_unwind(panic)).expect_err("a panic");
            assert_eq!((error.code(), error.to_string().as_str()), (DEVICE_UNKNOWN, expected));
        }
        assert_eq!(caught(|| Ok(3)).expect("no panic"), 3);
    }
}
