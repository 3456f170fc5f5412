//! Counters: integers that any rank adds to and reads in one step.

use crate::{Array, ElementType, Error, Result};
use section::{Section, Shape};

impl Array {
    /// Adds `increment` to an integer element and returns what it was, atomically with respect to other counters and
    /// accumulates. Local. Counters of type int wrap at 32 bits.
    ///
    /// # Errors
    /// - [`Error::UnsupportedType`]: not an array of int or long.
    /// - [`Error::OutOfRange`]: there is no such element.
    /// - [`Error::Comm`]: MPI failed.
    pub fn read_increment(&self, index: &[u64], increment: i64) -> Result<i64> {
        if !matches!(self.element_type(), ElementType::Int | ElementType::Long) {
            return Err(Error::UnsupportedType {
                operation: "read and increment",
                element_type: self.element_type(),
            });
        }
        let (rank, element) = self.locate(index)?;
        // SAFETY: the element is in that rank's part, and is an integer.
        unsafe { self.window().fetch_add(rank, element, self.element_type(), increment) }
    }

    /// The rank that holds an element, and where in its part the element is.
    pub(crate) fn locate(&self, index: &[u64]) -> Result<(usize, usize)> {
        if let Some(place) = self.distribution().place_of(index) {
            return Ok(place);
        }
        let mut end = Shape::new(index)?;
        end.iter_mut().for_each(|end| *end = end.saturating_add(1));
        self.check_section(&Section::new(index, &end)?)?;
        unreachable!("{index:?} is in an array of {:?}", self.shape())
    }
}
