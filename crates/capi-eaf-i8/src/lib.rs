//! `libchemio_eaf_i8`: exclusive access files for C, and for Fortran programs whose default INTEGER has 8 bytes.
//! No MPI.

use std::ffi::{c_char, c_void};

chemio_capi::fortran_eaf!(i64);
