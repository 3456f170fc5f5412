//! What calls on one file have met and a later one is to tell.

use chemio_capi::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;

/// Errors that a later close or sync of the file tells, one each. There are no more than there are numbers of errors, and one.
#[derive(Debug, Default)]
pub(crate) struct Untold {
    /// Of a request, told by a subroutine: few callers see the result of one.
    request: Option<Arc<Error>>,
    /// Of closing and syncing themselves, the oldest first: of each number one, because a disk that is gone fails every time.
    ends: VecDeque<Arc<Error>>,
}

impl Untold {
    /// What a call tells that has `ended` so: the oldest that is here, or in `of_requests`, before its own.
    pub(crate) fn tell(&mut self, ended: Result<()>, of_requests: impl FnOnce() -> Result<()>) -> Result<()> {
        let oldest = self.request.take().or_else(|| self.ends.pop_front());
        let before = oldest.map_or_else(of_requests, |error| Err(Error::Again(error)));
        match (&before, ended) {
            (Ok(()), ended) => ended,
            (Err(_), ended) => {
                self.keep(ended);
                before
            }
        }
    }

    /// As [`tell`](Self::tell), by a call that few see the result of: a later one tells the same.
    pub(crate) fn tell_twice(
        &mut self,
        ended: Result<()>,
        of_requests: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if self.oldest().is_none() {
            self.request = of_requests().err().map(shared);
        }
        self.keep(ended);
        self.oldest().map_or(Ok(()), |error| Err(Error::Again(Arc::clone(error))))
    }

    fn oldest(&self) -> Option<&Arc<Error>> {
        self.request.as_ref().or_else(|| self.ends.front())
    }

    fn keep(&mut self, ended: Result<()>) {
        if let Err(error) = ended
            && self.ends.iter().all(|kept| kept.code() != error.code())
        {
            self.ends.push_back(shared(error));
        }
    }
}

/// To be told again: one that is told again already is not wrapped once more.
fn shared(error: Error) -> Arc<Error> {
    match error {
        Error::Again(error) => error,
        error => Arc::new(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with this number.
    fn failed(code: i32) -> Result<()> {
        Err(Error::UnknownRequest { id: 7, code })
    }

    /// As the table of requests tells it: each once.
    fn of_requests(codes: &mut Vec<i32>) -> Result<()> {
        let Some(code) = codes.pop() else { return Ok(()) };
        failed(code).map_err(|error| Error::Again(Arc::new(error)))
    }

    fn code(told: Result<()>) -> i32 {
        told.map_or_else(|error| error.code(), |()| 0)
    }

    #[test]
    fn an_error_that_is_told_again_and_again_is_wrapped_once() {
        let mut untold = Untold::default();
        let mut requests = vec![-1998];
        for _ in 0..3 {
            let told = untold.tell_twice(Ok(()), || of_requests(&mut requests));
            assert!(
                matches!(&told, Err(Error::Again(error)) if !matches!(**error, Error::Again(_))),
                "{told:?}"
            );
        }
        let told = untold.tell(Ok(()), || Ok(()));
        assert!(matches!(&told, Err(Error::Again(error)) if !matches!(**error, Error::Again(_))), "{told:?}");
        assert_eq!(code(untold.tell(Ok(()), || Ok(()))), 0);
    }

    #[test]
    fn however_often_a_subroutine_has_told_it_a_disk_that_fails_every_time_is_told_once_more() {
        for calls in [1, 3, 1000] {
            let mut untold = Untold::default();
            for _ in 0..calls {
                assert_eq!(code(untold.tell_twice(failed(-1976), || Ok(()))), -1976);
            }
            assert_eq!(code(untold.tell(Ok(()), || Ok(()))), -1976);
            assert_eq!(code(untold.tell(Ok(()), || Ok(()))), 0, "{calls} calls");
        }
    }

    #[test]
    fn requests_are_told_before_what_a_subroutine_has_met_itself_and_each_by_one_close() {
        for calls in [1, 3] {
            let mut untold = Untold::default();
            let mut requests = vec![-1997, -1996, -1998];
            for _ in 0..calls {
                assert_eq!(code(untold.tell_twice(failed(-1976), || of_requests(&mut requests))), -1998);
            }
            let told: Vec<_> =
                (0..5).map(|_| code(untold.tell(Ok(()), || of_requests(&mut requests)))).collect();
            assert_eq!(told, [-1998, -1976, -1996, -1997, 0], "{calls} calls");
        }
    }

    #[test]
    fn what_a_close_has_met_itself_comes_after_what_was_there() {
        let mut untold = Untold::default();
        let mut requests = vec![-1998];
        assert_eq!(code(untold.tell(failed(-1986), || of_requests(&mut requests))), -1998);
        assert_eq!(code(untold.tell(failed(-1976), || Ok(()))), -1986);
        assert_eq!(code(untold.tell(Ok(()), || Ok(()))), -1976);
        assert_eq!(code(untold.tell(failed(-1986), || Ok(()))), -1986);
        assert_eq!(code(untold.tell(Ok(()), || Ok(()))), 0);
    }
}
