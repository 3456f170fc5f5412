//! Nonblocking transfers under handles. 0 is a transfer that was complete when its call returned.

use crate::Result;
use ga::Request;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a wait for it finds nothing to do for.
pub(crate) const COMPLETE: i64 = 0;
/// The largest handle: an INTEGER holds it.
const LAST: i64 = i32::MAX as i64;

/// Transfers that nobody has waited for.
#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    requests: HashMap<i64, Request<'static>>,
    newest: i64,
}

impl Requests {
    /// Takes a transfer in and gives it a handle; one that is complete is waited for at once.
    pub(crate) fn insert(&self, request: Request<'static>) -> Result<i64> {
        if request.is_complete() {
            request.wait()?;
            return Ok(COMPLETE);
        }
        let mut running = self.running();
        let mut handle = running.newest;
        loop {
            handle = handle % LAST + 1;
            if !running.requests.contains_key(&handle) {
                break;
            }
        }
        running.newest = handle;
        running.requests.insert(handle, request);
        Ok(handle)
    }

    /// Waits for a transfer. What is not under way is complete.
    pub(crate) fn wait(&self, handle: i64) -> Result<()> {
        let request = self.running().requests.remove(&handle);
        Ok(request.map_or(Ok(()), Request::wait)?)
    }

    /// Waits for all of them.
    pub(crate) fn wait_for_all(&self) -> Result<()> {
        let requests = std::mem::take(&mut self.running().requests);
        Ok(requests.into_values().map(Request::wait).fold(Ok(()), ga::Result::and)?)
    }

    /// Whether a wait would return at once.
    pub(crate) fn is_complete(&self, handle: i64) -> bool {
        self.running().requests.get(&handle).is_none_or(Request::is_complete)
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
