//! `libchemio_eaf`: exclusive access files for C, and for Fortran programs whose default INTEGER has 4 bytes.
//! No MPI.

use std::ffi::{c_char, c_void};

chemio_capi::fortran_eaf!(i32);
