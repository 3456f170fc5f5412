//! What the elements of an array on disk are.

use std::fmt;

/// The type of an array's elements, named as Zarr names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// `i32`, Fortran's 4-byte INTEGER.
    Int32,
    /// `i64`, Fortran's 8-byte INTEGER.
    Int64,
    /// `f32`, REAL.
    Float32,
    /// `f64`, DOUBLE PRECISION.
    Float64,
    /// Two `f32`, COMPLEX.
    Complex64,
    /// Two `f64`, DOUBLE COMPLEX.
    Complex128,
}

impl DataType {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Int32, Self::Int64, Self::Float32, Self::Float64, Self::Complex64, Self::Complex128];

    /// Bytes of one element.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Int32 | Self::Float32 => 4,
            Self::Int64 | Self::Float64 | Self::Complex64 => 8,
            Self::Complex128 => 16,
        }
    }

    /// Zarr's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Complex64 => "complex64",
            Self::Complex128 => "complex128",
        }
    }

    /// The type with this name of Zarr's, if it is one of ours.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data_type| data_type.name() == name)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
