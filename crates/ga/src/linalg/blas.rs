//! BLAS: the only unsafe code of the linear algebra.
//!
//! BLAS is column-major. A row-major matrix is the column-major one of its transpose, so `C = A B` is asked for as
//! `C^T = B^T A^T`: the same memory, with the factors exchanged.

use super::Transpose;
use super::matrix::Matrix;
use crate::{Array, Context, Element};
use num_complex::Complex;
use section::DIMS_MAX;
use std::env;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int};
use std::sync::OnceLock;

/// A row-major matrix in memory, to be read.
#[derive(Debug)]
pub(super) struct Stored<'a, T> {
    first: *const T,
    rows: c_int,
    cols: c_int,
    /// Elements from one row to the next.
    stride: c_int,
    life: PhantomData<&'a T>,
}

/// A row-major matrix in memory, to be written.
#[derive(Debug)]
pub(super) struct StoredMut<'a, T> {
    first: *mut T,
    memory: Stored<'a, T>,
    life: PhantomData<&'a mut T>,
}

impl<'a, T: Element> Stored<'a, T> {
    /// `rows x cols` elements, row after row.
    pub(super) fn dense(elements: &'a [T], [rows, cols]: [u64; 2]) -> Self {
        assert_eq!(elements.len() as u64, rows * cols, "a {rows} x {cols} matrix");
        let (rows, cols) = (int(rows), int(cols));
        Self { first: elements.as_ptr(), rows, cols, stride: cols.max(1), life: PhantomData }
    }

    /// A matrix where it is, its dimensions in the order of the array's. `None` if it is not in one block, in the memory of
    /// this node, with the elements of a row side by side.
    pub(super) fn in_place(array: &'a Array, matrix: &Matrix) -> Option<Self> {
        let (rank, first, memory) = find(array, matrix)?;
        let part = array.window().address(rank)?;
        // SAFETY: the element is in the part of the rank, which is mapped here as long as the array lives.
        Some(Self { first: unsafe { part.cast::<T>().add(first) }, ..memory })
    }
}

impl<'a, T: Element> StoredMut<'a, T> {
    /// As [`Stored::dense`].
    pub(super) fn dense(elements: &'a mut [T], shape: [u64; 2]) -> Self {
        let first = elements.as_mut_ptr();
        Self { first, memory: Stored { first, ..Stored::dense(elements, shape) }, life: PhantomData }
    }

    /// As [`Stored::in_place`], in this rank's own block. What is in the matrix is used by nobody else meanwhile: the caller's
    /// promise, as of everybody who works in a local block.
    pub(super) fn in_place(array: &'a Array, matrix: &Matrix) -> Option<Self> {
        let (rank, first, memory) = find(array, matrix)?;
        if rank != array.group().rank() {
            return None;
        }
        // SAFETY: the element is in this rank's part, which is mapped as long as the array lives.
        let first = unsafe { array.window().own().cast::<T>().add(first) };
        Some(Self { first, memory: Stored { first, ..memory }, life: PhantomData })
    }
}

/// The rank in whose block a matrix is, the place of its first element there, and its shape and stride in elements; without
/// an address yet.
fn find<'a, T: Element>(array: &'a Array, matrix: &Matrix) -> Option<(usize, usize, Stored<'a, T>)> {
    assert_eq!(array.element_type(), T::TYPE, "the type was checked");
    let (section, distribution) = (matrix.section(), array.distribution());
    let (mut rank, mut first) = (0, 0);
    // From one index to the next: ranks, and elements of the block.
    let (mut ranks, mut extent, mut strides) = (1, 1, [1; DIMS_MAX]);
    for d in (0..section.dims()).rev() {
        let (lo, step) = (section.lo()[d], section.step()[d]);
        let block = distribution.block_around(d, lo)?;
        // With a step the end may lie beyond the last element, and beyond the block.
        if section.hi()[d] > block.end && (step == 1 || section.last(d)? >= block.end) {
            return None;
        }
        rank += block.number * ranks;
        ranks *= section::size(distribution.grid()[d]);
        first += section::size(lo - block.begin) * extent;
        strides[d] = extent * section::size(step);
        extent *= section::size(block.end - block.begin);
    }
    let stride = |dim: Option<usize>| dim.map_or(1, |dim| strides[dim]);
    let [rows, cols] = matrix.shape().map(int);
    if cols > 1 && stride(matrix.cols_dim()) != 1 {
        return None;
    }
    // Of a single row the stride is not used, but has to make sense.
    let stride = if rows > 1 { c_int::try_from(stride(matrix.rows_dim())).ok()? } else { cols.max(1) };
    Some((rank, first, Stored { first: std::ptr::null(), rows, cols, stride, life: PhantomData }))
}

/// `C = alpha op(A) op(B) + beta C`. What was in C does not matter if beta is zero.
///
/// # Panics
/// If the shapes do not fit.
pub(super) fn multiply<T: Number>(
    alpha: T,
    (a_form, a): (Transpose, &Stored<'_, T>),
    (b_form, b): (Transpose, &Stored<'_, T>),
    beta: T,
    c: &mut StoredMut<'_, T>,
) {
    let of = |form, matrix: &Stored<'_, T>| {
        if form == Transpose::No { (matrix.rows, matrix.cols) } else { (matrix.cols, matrix.rows) }
    };
    let ((rows, depth), (b_rows, cols)) = (of(a_form, a), of(b_form, b));
    assert_eq!((b_rows, c.memory.rows, c.memory.cols), (depth, rows, cols), "the matrices fit");
    let (b_form, a_form) = (letter(b_form), letter(a_form));
    let (ldb, lda, ldc) = (b.stride, a.stride, c.memory.stride);
    // SAFETY: the matrices are in memory as their shapes and strides say: made so above, and borrowed. C does not overlap the
    // factors: sections that do are refused, and buffers are separate. The letters are two lists of one character.
    unsafe {
        T::GEMM(
            &raw const b_form,
            &raw const a_form,
            &raw const cols,
            &raw const rows,
            &raw const depth,
            &raw const alpha,
            b.first,
            &raw const ldb,
            a.first,
            &raw const lda,
            &raw const beta,
            c.first,
            &raw const ldc,
            1,
            1,
        );
    }
}

#[expect(clippy::cast_possible_wrap, reason = "ASCII")]
fn letter(form: Transpose) -> c_char {
    (match form {
        Transpose::No => b'N',
        Transpose::Yes => b'T',
        Transpose::Conjugate => b'C',
    }) as c_char
}

fn int(count: u64) -> c_int {
    c_int::try_from(count).expect("tiles are below 2^31 rows and columns")
}

/// GEMM of Fortran's BLAS, with the lengths of its letters last.
type Gemm<T> = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *const T,
    *const c_int,
    *const T,
    *const c_int,
    *const T,
    *mut T,
    *const c_int,
    usize,
    usize,
);

/// What BLAS computes with.
pub(super) trait Number: Element {
    const GEMM: Gemm<Self>;
}

macro_rules! numbers {
    ($($number:ty => $gemm:ident),* $(,)?) => {
        unsafe extern "C" {
            $(fn $gemm(
                b_form: *const c_char, a_form: *const c_char, n: *const c_int, m: *const c_int, k: *const c_int,
                alpha: *const $number, b: *const $number, ldb: *const c_int, a: *const $number, lda: *const c_int,
                beta: *const $number, c: *mut $number, ldc: *const c_int, b_form_len: usize, a_form_len: usize,
            );)*
        }
        $(impl Number for $number {
            const GEMM: Gemm<Self> = $gemm;
        })*
    };
}

numbers! {
    f32 => sgemm_,
    f64 => dgemm_,
    Complex<f32> => cgemm_,
    Complex<f64> => zgemm_,
}

/// While it lives `OpenBLAS` uses one thread, if that is what BLAS is, several ranks share this node, and the user has not said
/// otherwise: as many threads as processors in each rank would be in each other's way.
#[derive(Debug)]
pub(super) struct OneThread {
    before: Option<c_int>,
}

impl OneThread {
    pub(super) fn new(context: &Context) -> Self {
        let alone = context.world().node().size() == 1;
        Self { before: if alone { None } else { Threads::ours_to_set().map(|threads| threads.set(1)) } }
    }
}

impl Drop for OneThread {
    fn drop(&mut self) {
        if let (Some(before), Some(threads)) = (self.before, Threads::ours_to_set()) {
            threads.set(before);
        }
    }
}

/// The number of threads of `OpenBLAS`.
#[derive(Clone, Copy)]
struct Threads {
    get: unsafe extern "C" fn() -> c_int,
    set: unsafe extern "C" fn(c_int),
}

impl Threads {
    /// `None` if BLAS is another one, or if the user has set the number.
    fn ours_to_set() -> Option<Self> {
        // Asked once: it takes longer than a small product.
        static THREADS: OnceLock<Option<Threads>> = OnceLock::new();
        *THREADS
            .get_or_init(|| if env::var_os("OPENBLAS_NUM_THREADS").is_some() { None } else { Self::find() })
    }

    fn find() -> Option<Self> {
        // SAFETY: both names end with a NUL; functions of these names are OpenBLAS', with these arguments.
        unsafe {
            let get = libc::dlsym(libc::RTLD_DEFAULT, c"openblas_get_num_threads".as_ptr());
            let set = libc::dlsym(libc::RTLD_DEFAULT, c"openblas_set_num_threads".as_ptr());
            if get.is_null() || set.is_null() {
                return None;
            }
            let get: unsafe extern "C" fn() -> c_int = std::mem::transmute(get);
            let set: unsafe extern "C" fn(c_int) = std::mem::transmute(set);
            Some(Self { get, set })
        }
    }

    /// Returns what it was.
    fn set(self, threads: c_int) -> c_int {
        // SAFETY: OpenBLAS' own functions, which may be called at any time between products.
        unsafe {
            let before = (self.get)();
            if before != threads {
                (self.set)(threads);
            }
            before
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Element = fn(u32, u32) -> Complex<f64>;

    const FORMS: [Transpose; 3] = [Transpose::No, Transpose::Yes, Transpose::Conjugate];

    fn left(i: u32, l: u32) -> Complex<f64> {
        Complex::new(f64::from(i * 7 + l), f64::from(l) - 2.0)
    }

    fn right(l: u32, j: u32) -> Complex<f64> {
        Complex::new(f64::from(l + j * 3), 1.0 - f64::from(j))
    }

    /// A `rows x cols` matrix as it is stored if this is its form, and its shape then.
    fn stored(form: Transpose, element: Element, [rows, cols]: [u32; 2]) -> (Vec<Complex<f64>>, [u64; 2]) {
        let [height, width] = if form == Transpose::No { [rows, cols] } else { [cols, rows] };
        let elements =
            (0..height * width).map(|place| (place / width, place % width)).map(|(i, j)| match form {
                Transpose::No => element(i, j),
                Transpose::Yes => element(j, i),
                Transpose::Conjugate => element(j, i).conj(),
            });
        (elements.collect(), [height.into(), width.into()])
    }

    #[test]
    fn a_product_is_row_major_in_every_form() {
        let (rows, cols, depth) = (3, 4, 5);
        let alpha = Complex::new(0.0, 2.0);
        let element = |i, j| alpha * (0..depth).map(|l| left(i, l) * right(l, j)).sum::<Complex<f64>>();
        let expected: Vec<_> = (0..rows * cols).map(|place| element(place / cols, place % cols)).collect();
        for (a_form, b_form) in FORMS.into_iter().flat_map(|a| FORMS.map(|b| (a, b))) {
            let a = stored(a_form, left, [rows, depth]);
            let b = stored(b_form, right, [depth, cols]);
            let mut found = vec![Complex::new(f64::NAN, 0.0); expected.len()];
            multiply(
                alpha,
                (a_form, &Stored::dense(&a.0, a.1)),
                (b_form, &Stored::dense(&b.0, b.1)),
                Complex::new(0.0, 0.0),
                &mut StoredMut::dense(&mut found, [rows.into(), cols.into()]),
            );
            assert_eq!(found, expected, "{a_form:?} {b_form:?}");
        }
    }
}
