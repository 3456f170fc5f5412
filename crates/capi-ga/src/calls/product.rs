//! Products of matrices.
//!
//! The crate `ga` multiplies as C sees its matrices. What Fortran sees as `C = op(A) op(B)` are, there, the transposed
//! matrices, of which the product is `op(B) op(A)`: the factors change places, and nothing else.

use crate::boundary::or_abort;
use crate::caller::Caller;
use crate::calls::arithmetic::{Place, Range, origin_range};
use crate::session::{self, Session};
use crate::{Error, Result, fetch};
use chemio_capi::Integer;
use ga::{Factor, Transpose};
use libc::c_void;

/// What a letter says: n, t or c, of either case.
pub(crate) fn transposition(letter: u8) -> Result<Transpose> {
    match letter.to_ascii_lowercase() {
        b'n' => Ok(Transpose::No),
        b't' => Ok(Transpose::Yes),
        b'c' => Ok(Transpose::Conjugate),
        _ => Err(Error::BadTransposition { letter: char::from(letter) }),
    }
}

/// One matrix of a product: its transposition, and its range as it is after that.
#[derive(Clone, Copy)]
pub(crate) struct Operand<N> {
    pub(crate) letter: u8,
    pub(crate) range: Range<N>,
}

impl<N: Integer> Operand<N> {
    /// # Safety
    /// See the head of `calls`.
    unsafe fn place(self, caller: Caller, session: &Session) -> Result<(Transpose, Place)> {
        let transpose = transposition(self.letter)?;
        // SAFETY: promised by the caller.
        let place = unsafe {
            match transpose {
                Transpose::No => self.range.place(caller, session)?,
                _ => self.range.swapped_place(caller, session)?,
            }
        };
        Ok((transpose, place))
    }
}

/// `c = alpha a b + beta c`.
#[derive(Clone, Copy)]
pub(crate) struct Product<N> {
    pub(crate) alpha: *const c_void,
    pub(crate) a: Operand<N>,
    pub(crate) b: Operand<N>,
    pub(crate) beta: *const c_void,
    pub(crate) c: Range<N>,
}

/// # Safety
/// See the head of `calls`; `alpha` and `beta` have the type of the arrays.
pub(crate) unsafe fn patches<N: Integer>(caller: Caller, product: Product<N>) {
    or_abort(caller, || {
        let session = session::current()?;
        // SAFETY: promised by the caller.
        let (mut left, mut right, c) = unsafe {
            (
                product.a.place(caller, &session)?,
                product.b.place(caller, &session)?,
                product.c.place(caller, &session)?,
            )
        };
        // SAFETY: as above.
        let (alpha, beta) = unsafe {
            let element = c.array.kind.element;
            (fetch::scalar(product.alpha, element, "alpha")?, fetch::scalar(product.beta, element, "beta")?)
        };
        if caller.is_reversed() {
            std::mem::swap(&mut left, &mut right);
        }
        Ok(ga::gemm(alpha, &factor(&left), &factor(&right), beta, &c.array.array, &c.section)?)
    });
}

fn factor((transpose, place): &(Transpose, Place)) -> Factor<'_> {
    Factor { array: &place.array.array, section: place.section, transpose: *transpose }
}

/// The arguments of a product of matrices from their first elements on: `c` is `m` by `n`, and `k` elements are summed.
#[derive(Clone, Copy)]
pub(crate) struct Matrices {
    pub(crate) letters: [u8; 2],
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) k: i64,
    pub(crate) alpha: *const c_void,
    pub(crate) a: i64,
    pub(crate) b: i64,
    pub(crate) beta: *const c_void,
    pub(crate) c: i64,
}

/// # Safety
/// See the head of `calls`; `alpha` and `beta` have the type of the arrays.
pub(crate) unsafe fn matrices(caller: Caller, given: Matrices) {
    let base = i64::from(caller.is_fortran());
    let a = origin_range(given.a, given.m, given.k, base);
    let b = origin_range(given.b, given.k, given.n, base);
    let c = origin_range(given.c, given.m, given.n, base);
    let product = Product {
        alpha: given.alpha,
        a: Operand { letter: given.letters[0], range: a.range(caller) },
        b: Operand { letter: given.letters[1], range: b.range(caller) },
        beta: given.beta,
        c: c.range(caller),
    };
    // SAFETY: the ranges point to numbers of this function; the rest is promised by the caller.
    unsafe { patches(caller, product) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_either_case_say_how_a_matrix_is_turned() {
        assert_eq!(transposition(b'N').expect("a letter"), Transpose::No);
        assert_eq!(transposition(b't').expect("a letter"), Transpose::Yes);
        assert_eq!(transposition(b'C').expect("a letter"), Transpose::Conjugate);
        assert!(transposition(b' ').is_err());
    }
}
