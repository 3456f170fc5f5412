//! The checked-in header, Fortran include file and module are what the Rust sources say.
//!
//! `CHEMIO_WRITE_HEADERS=1 cargo test -p chemio-capi-dra --test headers` writes them anew.

#[path = "../../capi/tests/support/headers.rs"]
mod support;

use chemio_capi_dra::codes::TABLE;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use support::{Code, assert_up_to_date, c_codes, c_header, check_include_file, check_module, repository};

const C_HEADER: &str = "/* DRA, disk-resident arrays: arrays on disk that are Zarr v3 arrays, and transfers between them and global arrays.
 * Made from crates/capi-dra/src/c.rs and crates/capi-dra/src/codes.rs by crates/capi-dra/tests/headers.rs; do not edit.
 *
 * Indices count from 0, the last one varies fastest, and bounds are inclusive. */";

const C_DEFINITIONS: &str = "
/* Access modes. */
#define DRA_RW (-1)
#define DRA_W (-2)
#define DRA_R (-3)

/* The request of a call that started no transfer. */
#define DRA_REQ_INVALID (-333)

/* Result codes. */
";

/// The call that `export!` defines.
const C_BEGINNING: &str = r#"
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begins the use of arrays on disk, after GA_Initialize. A second call does nothing. Collective over all ranks.
 *
 * max_memory: bytes of memory for transfers on each rank, all together; a number that makes no sense, such as -1, says nothing,
 * and less than two bricks is raised to that. The other arguments do not matter.
 *
 * libchemio starts MPI where nobody has, and ends what it has started; with libchemio_pario it has to run.
 * Returns 0, or 1 if MPI does not run or the ranks could not talk to each other.
 */
int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);

#ifdef __cplusplus
}
#endif
"#;

fn codes() -> Vec<Code> {
    TABLE.iter().map(|code| (code.number, code.name, code.text)).collect()
}

#[test]
fn the_c_header_is_what_the_c_symbols_say() {
    let constants = C_DEFINITIONS.to_owned() + &c_codes(&codes()) + C_BEGINNING;
    let text = c_header("src/c.rs", "CHEMIO_DRA_H", C_HEADER, constants);
    assert_up_to_date(&repository().join("include/dra.h"), &text);
}

#[test]
fn the_fortran_include_file_has_every_code_and_fits_fixed_and_free_form() {
    check_include_file("dra.fh", &codes());
}

#[test]
fn the_fortran_module_has_every_code() {
    check_module("chemio_dra.f90", &codes());
}

/// The names in `text` between these two marks, one from each place where `before` stands.
fn names<'a>(text: &'a str, before: &str, after: &[char]) -> BTreeSet<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(after).next()).map(str::trim).collect()
}

fn source(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of this package")
}

#[test]
fn the_list_of_public_names_is_what_the_sources_define() {
    let (c, fortran) = (source("src/c.rs"), source("src/fortran.rs"));
    let mut defined = names(&c, "extern \"C\" fn ", &['(']);
    defined.extend(names(&fortran, "extern \"C\" fn ", &['(']));
    let symbols = fortran.lines().filter_map(|line| line.trim().split_once("_ = ")).map(|(name, _)| name);
    let symbols: BTreeSet<String> = symbols.map(|name| format!("{name}_")).collect();
    defined.extend(symbols.iter().map(String::as_str));
    let listed = source("tests/names.txt");
    assert_eq!(listed.lines().collect::<BTreeSet<_>>(), defined);
}

#[test]
fn the_fortran_include_file_and_the_module_have_every_call() {
    let module = fs::read_to_string(repository().join("fortran/chemio_dra.f90")).expect("the module");
    let include = fs::read_to_string(repository().join("include/dra.fh")).expect("the include file");
    let include = include.lines().filter(|line| !line.starts_with('!')).collect::<Vec<_>>().join("\n");
    let listed = source("tests/names.txt");
    for name in listed.lines().filter_map(|name| name.strip_suffix('_')) {
        let interface = |kind: &str| module.contains(&format!("    {kind} {name}("));
        assert!(interface("integer function") || interface("subroutine"), "no interface for {name}");
        let declared = include.contains(&format!(" {name},")) || include.contains(&format!(" {name}\n"));
        assert_eq!(
            declared,
            interface("integer function"),
            "{name} in dra.fh: functions are declared, subroutines not"
        );
    }
}
