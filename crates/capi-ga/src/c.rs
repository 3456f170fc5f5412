//! The C symbols. `include/ga/ga.h` is made from these files; a test compares them.
//!
//! Calls that differ only in the width of indices, or have two names, stand beside each other.
#![allow(non_snake_case, non_camel_case_types)] // the legacy names
#![allow(clippy::missing_safety_doc)] // one contract for all: pointers are null or point to what the call declares
#![allow(clippy::not_unsafe_ptr_arg_deref)] // handles and strings only, checked behind
#![allow(clippy::many_single_char_names, clippy::similar_names, clippy::too_many_arguments)] // the legacy signatures

pub mod arithmetic;
pub mod arrays;
pub mod collective;
pub mod elementwise;
pub mod lifecycle;
pub mod mpi;
pub mod print;
pub mod transfer;

use crate::caller::Caller;
use libc::{c_char, c_int};

/// Two floats, as C programs have them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SingleComplex {
    /// The real part.
    pub real: f32,
    /// The imaginary part.
    pub imag: f32,
}

/// Two doubles, as C programs have them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DoubleComplex {
    /// The real part.
    pub real: f64,
    /// The imaginary part.
    pub imag: f64,
}

impl From<num_complex::Complex<f32>> for SingleComplex {
    fn from(z: num_complex::Complex<f32>) -> Self {
        Self { real: z.re, imag: z.im }
    }
}

impl From<num_complex::Complex<f64>> for DoubleComplex {
    fn from(z: num_complex::Complex<f64>) -> Self {
        Self { real: z.re, imag: z.im }
    }
}

/// Begins everything for a C program, with so many bytes for arrays on each process.
pub fn begin<I: chemio_capi::Integer>(name: &'static str, limit: usize) {
    crate::fortran::lifecycle::initialise::<I>(Caller::c(name), i64::try_from(limit).unwrap_or(-1));
}

/// What C has for a number.
fn int(value: i64) -> c_int {
    c_int::try_from(value).unwrap_or(if value < 0 { c_int::MIN } else { c_int::MAX })
}

/// A letter.
fn letter(letter: c_char) -> u8 {
    letter.cast_unsigned()
}
