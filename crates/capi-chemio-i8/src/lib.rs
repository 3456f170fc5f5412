//! `libchemio_i8`: exclusive access files, shared files, distributed and disk-resident arrays, and the memory allocator MA for
//! C, and for Fortran programs whose default INTEGER has 8 bytes.

use std::ffi::{c_char, c_void};

chemio_capi::fortran_eaf!(i64);
chemio_capi_sf::fortran_sf!(i64);
chemio_capi_dra::export!(i64, &chemio_capi_dra_ga::OWN_ARRAYS);
chemio_capi_ga::export!(i64);
ma::export!(i64);
