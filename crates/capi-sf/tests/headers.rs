//! The checked-in header, Fortran include file and module are what the Rust sources say.
//!
//! `CHEMIO_WRITE_HEADERS=1 cargo test -p chemio-capi-sf --test headers` writes them anew.

#[path = "../../capi/tests/support/headers.rs"]
mod support;

use chemio_capi_sf::codes::TABLE;
use support::{Code, assert_up_to_date, c_codes, c_header, check_include_file, check_module, repository};

const C_HEADER: &str = "/* SF, shared files: one byte-addressable file for all ranks.
 * Made from crates/capi-sf/src/c.rs and crates/capi-sf/src/codes.rs by crates/capi-sf/tests/headers.rs; do not edit. */";

fn codes() -> Vec<Code> {
    TABLE.iter().map(|code| (code.number, code.name, code.text)).collect()
}

#[test]
fn the_c_header_is_what_the_c_symbols_say() {
    let constants = "\n/* Result codes. */\n".to_owned() + &c_codes(&codes());
    let text = c_header("src/c.rs", "CHEMIO_SF_H", C_HEADER, constants);
    assert_up_to_date(&repository().join("include/sf.h"), &text);
}

#[test]
fn the_fortran_include_file_has_every_code_and_fits_fixed_and_free_form() {
    check_include_file("sf.fh", &codes());
}

#[test]
fn the_fortran_module_has_every_code() {
    check_module("chemio_sf.f90", &codes());
}
