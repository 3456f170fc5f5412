//! `libchemio_pario_i8`: exclusive access files, shared files and disk-resident arrays for programs that keep their own Global
//! Arrays library, in C, and in Fortran with 8-byte default INTEGER. No name of that library is defined here.

use std::ffi::{c_char, c_void};

chemio_capi::fortran_eaf!(i64);
chemio_capi_sf::fortran_sf!(i64);
chemio_capi_dra::export!(i64, &chemio_capi_dra_foreign::FOREIGN_ARRAYS_8);
