//! Scatter and gather: elements anywhere in an array, listed one by one.

use crate::window::{Move, NearBlock, Pending, Window};
use crate::{Array, Patch, PatchMut, Request, Result, Scalar};
use section::{Layout, Runs, Shape};

impl Array {
    /// Writes element `i` of `values` to the `i`-th of `subscripts`, which holds one index of all dimensions after the other.
    /// Local. Which value stays where a place is listed twice is not defined.
    ///
    /// Cost: within a node one store, between nodes one message for each element.
    ///
    /// # Errors
    /// - [`Error::OutOfRange`](crate::Error::OutOfRange): a subscript is not in the array; nothing is written then.
    /// - [`Error::WrongType`](crate::Error::WrongType), [`Error::PatchTooSmall`](crate::Error::PatchTooSmall): not so many values of this type.
    /// - [`Error::Comm`](crate::Error::Comm): MPI failed.
    pub fn scatter(&self, values: Patch<'_>, subscripts: &[u64]) -> Result<()> {
        let (moves, local) = self.checked_list(subscripts)?;
        self.check_type(values.element_type())?;
        values.layout(&local)?;
        let (bytes, element_type) = (self.element_type().bytes(), self.element_type());
        self.each_element(
            &moves,
            // SAFETY: there are as many values as subscripts.
            |block, element, i| unsafe {
                block.put(element, &Runs::single(), element_type, values.first().add(i * bytes));
            },
            // SAFETY: as above.
            |window, to, i, pending| unsafe { window.put(to, values.first().add(i * bytes), pending) },
        )
    }

    /// Reads the `i`-th of `subscripts` into element `i` of `values`. Local. Cost and errors as for [`scatter`](Self::scatter).
    ///
    /// # Errors
    /// As [`scatter`](Self::scatter).
    #[expect(clippy::needless_pass_by_value, reason = "the memory is borrowed for writing")]
    pub fn gather(&self, values: PatchMut<'_>, subscripts: &[u64]) -> Result<()> {
        let (moves, local) = self.checked_list(subscripts)?;
        self.check_type(values.element_type())?;
        values.layout(&local)?;
        let (bytes, element_type) = (self.element_type().bytes(), self.element_type());
        self.each_element(
            &moves,
            // SAFETY: there is room for as many values as subscripts.
            |block, element, i| unsafe {
                block.get(element, &Runs::single(), element_type, values.first().add(i * bytes));
            },
            // SAFETY: as above.
            |window, from, i, pending| unsafe { window.get(from, values.first().add(i * bytes), pending) },
        )
    }

    /// Adds `alpha` times element `i` of `values` to the `i`-th of `subscripts`, atomically as
    /// [`accumulate`](Self::accumulate) does; a place may be listed several times. Local.
    ///
    /// # Errors
    /// As [`scatter`](Self::scatter).
    pub fn scatter_accumulate(&self, values: Patch<'_>, subscripts: &[u64], alpha: Scalar) -> Result<()> {
        let (moves, local) = self.checked_list(subscripts)?;
        self.check_type(values.element_type())?;
        self.check_type(alpha.element_type())?;
        values.layout(&local)?;
        let bytes = self.element_type().bytes();
        self.each_element(
            &moves,
            // SAFETY: there are as many values as subscripts.
            |block, element, i| unsafe {
                block.accumulate(element, &Runs::single(), values.first().add(i * bytes), alpha);
            },
            // SAFETY: as above.
            |window, to, i, pending| unsafe {
                window.accumulate(to, values.first().add(i * bytes), alpha, pending)
            },
        )
    }

    /// Where each listed element is: its rank, and its place in that rank's part; and the shape of the values.
    fn checked_list(&self, subscripts: &[u64]) -> Result<(Vec<(usize, usize)>, Shape)> {
        let dims = self.shape().len();
        if !subscripts.len().is_multiple_of(dims) {
            return Err(section::Error::DimsDiffer { expected: dims, got: subscripts.len() % dims }.into());
        }
        let moves: Result<Vec<_>> = subscripts.chunks_exact(dims).map(|index| self.locate(index)).collect();
        Ok((moves?, Shape::new(&[(subscripts.len() / dims) as u64])?))
    }

    /// Moves element number `i` of the list by loads and stores, or begins a move of it.
    fn each_element(
        &self,
        places: &[(usize, usize)],
        near: impl Fn(&NearBlock<'_>, usize, usize),
        begin_move: impl Fn(&Window, &Move, usize, &mut Pending) -> Result<()>,
    ) -> Result<()> {
        let counts = Shape::new(&[1])?;
        let layout = Layout::dense(&counts);
        let mut pending = Pending::default();
        let mut begun = Ok(());
        for (i, &(rank, first)) in places.iter().enumerate() {
            if let Some(block) = self.window().near(rank) {
                near(&block, first, i);
                continue;
            }
            let what = Move {
                rank,
                first,
                counts,
                remote: layout,
                local: layout,
                element_type: self.element_type(),
            };
            begun = begin_move(self.window(), &what, i, &mut pending);
            if begun.is_err() {
                break;
            }
        }
        let completed = Request::new(self.window(), pending).wait();
        begun.and(completed)
    }
}
