//! What MPI can compute with.

use mpi::ffi;

/// A type that collective calls move. Sealed: MPI has to know it.
pub trait Number: Copy + sealed::Sealed + 'static {
    #[doc(hidden)]
    fn datatype() -> ffi::MPI_Datatype;
}

/// A type that reductions compute with. Unsigned numbers are none: MPICH 4.0 and Open MPI 4.1 compare those of 64 bits as if
/// they had a sign.
///
/// ```compile_fail,E0277
/// # fn of(world: &comm::Comm) -> comm::Result<()> {
/// world.all_reduce(&mut [1u64 << 63], comm::Operation::Max)
/// # }
/// ```
pub trait Reducible: Number {}

/// How values of several ranks become one. Element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// Every bit that is set on some rank; integers only.
    Or,
}

impl Operation {
    pub(crate) fn raw(self) -> ffi::MPI_Op {
        // SAFETY: constants of MPI's.
        unsafe {
            match self {
                Self::Sum => ffi::RSMPI_SUM,
                Self::Product => ffi::RSMPI_PROD,
                Self::Max => ffi::RSMPI_MAX,
                Self::Min => ffi::RSMPI_MIN,
                Self::Or => ffi::RSMPI_BOR,
            }
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ty => $datatype:ident),* $(,)?) => {
        $(
            impl sealed::Sealed for $number {}
            impl Number for $number {
                fn datatype() -> ffi::MPI_Datatype {
                    // SAFETY: a constant of MPI's.
                    unsafe { ffi::$datatype }
                }
            }
        )*
    };
}

impl Reducible for i32 {}
impl Reducible for i64 {}
impl Reducible for f32 {}
impl Reducible for f64 {}

numbers! {
    u8 => RSMPI_UINT8_T,
    i32 => RSMPI_INT32_T,
    i64 => RSMPI_INT64_T,
    u64 => RSMPI_UINT64_T,
    f32 => RSMPI_FLOAT,
    f64 => RSMPI_DOUBLE,
}
