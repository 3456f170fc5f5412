//! The execution of a plan: tiles of the factors are taken from where they are or fetched, and multiplied.

use super::blas::{Number, Stored, StoredMut, multiply};
use super::matrix::Matrix;
use super::plan::{Cuts, Task, Tile, Tiles};
use super::{Factor, Transpose};
use crate::{Array, PatchMut, Request, Result};

/// A factor with its section as the matrix that is multiplied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    array: &'a Array,
    form: Transpose,
    /// As it is multiplied: transposed, if it is.
    matrix: Matrix,
}

/// Where the result of a task goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// The task is the only one for its part of C, of which it makes `beta C` too.
    Set,
    /// The result is added to what is there.
    Add,
}

/// One rank's task.
#[derive(Debug)]
pub(super) struct Job<'a, T> {
    pub(super) alpha: T,
    pub(super) a: Input<'a>,
    pub(super) b: Input<'a>,
    pub(super) beta: T,
    pub(super) c: (&'a Array, Matrix),
    pub(super) output: Output,
}

/// Copied tiles of both factors.
#[derive(Debug)]
struct Fetched<T> {
    a: Vec<T>,
    b: Vec<T>,
}

impl<'a> Input<'a> {
    pub(super) fn new(factor: &Factor<'a>, matrix: Matrix) -> Self {
        Self { array: factor.array, form: factor.transpose, matrix }
    }

    /// The matrix with its dimensions in the order of the array's.
    fn stored(&self, matrix: Matrix) -> Matrix {
        if self.form == Transpose::No { matrix } else { matrix.transposed() }
    }

    /// Where its blocks begin, if all of them that the part consists of can be used where they are: along its rows and columns.
    fn cuts<T: Number>(&self, part: &Matrix) -> Option<[Vec<u64>; 2]> {
        let distribution = self.array.distribution();
        let mut usable = true;
        distribution.each_owner(part.section(), |_, owned, _| {
            let [rows, cols] = self.matrix.place_of(owned);
            usable &= self.in_place::<T>(&self.matrix.tile(&rows, &cols)).is_some();
        });
        usable.then(|| [self.matrix.row_cuts(distribution), self.matrix.col_cuts(distribution)])
    }

    /// A tile where it is.
    fn in_place<T: Number>(&self, tile: &Matrix) -> Option<Stored<'a, T>> {
        Stored::in_place(self.array, &self.stored(*tile))
    }

    /// Begins to copy a tile, unless it can be used where it is.
    fn fetch<'b, T: Number>(&self, tile: &Matrix, to: &'b mut Vec<T>) -> Result<Option<Request<'b>>> {
        if self.in_place::<T>(tile).is_some() {
            return Ok(None);
        }
        to.resize(section::size(tile.section().len()), T::zero());
        self.array.nbget(tile.section(), PatchMut::dense(to)).map(Some)
    }

    /// A tile where it is, or as it was copied.
    fn tile<'b, T: Number>(&'b self, tile: &Matrix, fetched: &'b [T]) -> Stored<'b, T> {
        self.in_place(tile).unwrap_or_else(|| Stored::dense(fetched, self.stored(*tile).shape()))
    }
}

impl<T: Number> Job<'_, T> {
    /// Computes the task. Local. While a tile is multiplied, what has to be copied of the next one is under way.
    pub(super) fn run(&self, task: &Task) -> Result<()> {
        let (rank, ranks) = (self.c.0.group().rank(), self.c.0.group().ranks());
        let tiles = self.tiles(task);
        // Not every rank reads from the same one first.
        let first = rank * tiles.depths() / ranks;
        let mut here = Fetched { a: vec![], b: vec![] };
        let mut next = Fetched { a: vec![], b: vec![] };
        let mut result = vec![];
        let mut under_way = self.fetch(&tiles.tile(0, first), &mut here)?;
        wait(&mut under_way)?;
        drop(under_way);
        for index in 0..tiles.len() {
            let mut under_way = [None, None];
            if index + 1 < tiles.len() {
                under_way = self.fetch(&tiles.tile(index + 1, first), &mut next)?;
            }
            self.multiply(&tiles.tile(index, first), &here, &mut result)?;
            wait(&mut under_way)?;
            drop(under_way);
            std::mem::swap(&mut here, &mut next);
        }
        Ok(())
    }

    fn tiles(&self, task: &Task) -> Tiles {
        let a = self.a.cuts::<T>(&self.a.matrix.tile(&task.rows, &task.depth));
        let b = self.b.cuts::<T>(&self.b.matrix.tile(&task.depth, &task.cols));
        let in_place = self.in_place(&self.c.1.tile(&task.rows, &task.cols)).is_some();
        Tiles::of(
            task,
            a.map(|[across, depth]| Cuts { across, depth }),
            b.map(|[depth, across]| Cuts { across, depth }),
            in_place,
        )
    }

    fn fetch<'b>(&self, tile: &Tile, to: &'b mut Fetched<T>) -> Result<[Option<Request<'b>>; 2]> {
        let a = self.a.fetch(&self.a.matrix.tile(&tile.rows, &tile.depth), &mut to.a)?;
        let b = self.b.fetch(&self.b.matrix.tile(&tile.depth, &tile.cols), &mut to.b)?;
        Ok([a, b])
    }

    /// C where it is, if this task alone writes it.
    fn in_place(&self, tile: &Matrix) -> Option<StoredMut<'_, T>> {
        if self.output == Output::Set { StoredMut::in_place(self.c.0, tile) } else { None }
    }

    fn multiply(&self, tile: &Tile, fetched: &Fetched<T>, result: &mut Vec<T>) -> Result<()> {
        let (c, matrix) = (self.c.0, self.c.1.tile(&tile.rows, &tile.cols));
        let a = self.a.tile(&self.a.matrix.tile(&tile.rows, &tile.depth), &fetched.a);
        let b = self.b.tile(&self.b.matrix.tile(&tile.depth, &tile.cols), &fetched.b);
        let beta = if tile.is_first { self.beta } else { T::one() };
        let product =
            |c: &mut StoredMut<'_, T>| multiply(self.alpha, (self.a.form, &a), (self.b.form, &b), beta, c);
        if let Some(mut stored) = self.in_place(&matrix) {
            product(&mut stored);
            return Ok(());
        }
        if tile.is_first {
            result.resize(section::size(matrix.section().len()), T::zero());
            if self.beta != T::zero() {
                c.get(matrix.section(), PatchMut::dense(result))?;
            }
        }
        product(&mut StoredMut::dense(result, matrix.shape()));
        match self.output {
            _ if !tile.is_last => Ok(()),
            Output::Set => c.view()?.put(matrix.section(), result),
            Output::Add => c.view()?.accumulate(matrix.section(), result, T::one()),
        }
    }
}

fn wait(requests: &mut [Option<Request<'_>>; 2]) -> Result<()> {
    requests.iter_mut().filter_map(Option::take).map(Request::wait).fold(Ok(()), Result::and)
}
