//! The checked-in headers, Fortran include files and modules are what the Rust sources say.
//!
//! `CHEMIO_WRITE_HEADERS=1 cargo test -p chemio-capi --test headers` writes them anew.

#[path = "support/headers.rs"]
mod support;

use eaf::codes::TABLE;
use support::{Code, assert_up_to_date, c_codes, c_header, check_include_file, check_module, repository};

const C_HEADER: &str = "/* EAF, exclusive access files: private scratch files of one process.
 * Made from crates/capi/src/eaf/c.rs and crates/eaf/src/codes.rs by crates/capi/tests/headers.rs; do not edit. */";

const C_TYPES: &str = "
/* Types for EAF_Open; a positive type is a size in megabytes. */
#define EAF_RW (-1)
#define EAF_W (-2)
#define EAF_R (-3)

/* Result codes. */
";

fn codes() -> Vec<Code> {
    TABLE.iter().map(|code| (code.number, code.name, code.text)).collect()
}

#[test]
fn the_c_header_is_what_the_c_symbols_say() {
    let constants = C_TYPES.to_owned() + &c_codes(&codes());
    let text = c_header("src/eaf/c.rs", "CHEMIO_EAF_H", C_HEADER, constants);
    assert_up_to_date(&repository().join("include/eaf.h"), &text);
}

#[test]
fn the_fortran_include_file_has_every_code_and_fits_fixed_and_free_form() {
    check_include_file("eaf.fh", &codes());
}

#[test]
fn the_fortran_module_has_every_code() {
    check_module("chemio_eaf.f90", &codes());
}
