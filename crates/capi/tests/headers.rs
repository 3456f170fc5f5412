//! The checked-in headers, Fortran include files and modules are what the Rust sources say.
//!
//! `CHEMIO_WRITE_HEADERS=1 cargo test -p chemio-capi --test headers` writes them anew.

use eaf::codes::TABLE;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const C_HEADER: &str = "/* EAF, exclusive access files: private scratch files of one process.
 * Made from crates/capi/src/eaf/c.rs and crates/eaf/src/codes.rs by crates/capi/tests/headers.rs; do not edit. */";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a checked-in file with what it should be, or writes it.
fn assert_up_to_date(path: &Path, expected: &str) {
    if std::env::var_os("CHEMIO_WRITE_HEADERS").is_some() {
        fs::write(path, expected).expect("the repository can be written");
    }
    let found = fs::read_to_string(path).expect("the file is checked in");
    assert_eq!(found, expected, "{} is out of date; see {}", path.display(), file!());
}

/// Replaces what stands between the lines "begin codes" and "end codes".
fn with_codes(text: &str, codes: &str) -> String {
    let begin = text.find("begin codes\n").expect("a line that begins the codes") + "begin codes\n".len();
    let end = text.find("end codes").expect("a line that ends the codes");
    let end = text[..end].rfind('\n').expect("it is not the first line") + 1;
    format!("{}{codes}{}", &text[..begin], &text[end..])
}

fn c_codes() -> String {
    let mut text = String::from(
        "\n/* Types for EAF_Open; a positive type is a size in megabytes. */\n\
         #define EAF_RW (-1)\n#define EAF_W (-2)\n#define EAF_R (-3)\n\n/* Result codes. */\n",
    );
    for code in TABLE {
        writeln!(text, "#define {} ({}) /* {} */", code.name, code.number, code.text)
            .expect("a string grows");
    }
    text
}

fn include_codes() -> String {
    TABLE.iter().fold(String::new(), |text, code| {
        let name = code.name.to_lowercase();
        format!("{text}      integer {name}\n      parameter ({name} = {})\n", code.number)
    })
}

fn module_codes() -> String {
    TABLE.iter().fold(String::new(), |text, code| {
        let name = code.name.to_lowercase();
        format!("{text}  integer, parameter :: {name} = {} !< {}\n", code.number, code.text)
    })
}

/// Drops the safety sections, which say in Rust's words what every C prototype means, Rust's backticks, and the comments
/// that C89 does not know.
fn in_words_of_c(header: &str) -> String {
    let mut text = String::new();
    let mut rest = header;
    while let Some((before, after)) = rest.split_once("\n *\n * # Safety") {
        text += before;
        rest = &after[after.find("\n */").expect("the comment ends")..];
    }
    let text = (text + rest).replace('`', "");
    text.lines()
        .fold(String::new(), |text, line| text + line.split("//").next().unwrap_or(line).trim_end() + "\n")
}

#[test]
fn the_c_header_is_what_the_c_symbols_say() {
    let mut config =
        cbindgen::Config::from_file(repository().join("cbindgen.toml")).expect("a configuration");
    config.header = Some(C_HEADER.into());
    config.include_guard = Some("CHEMIO_EAF_H".into());
    config.after_includes = Some(c_codes());
    let mut text = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/eaf/c.rs"))
        .generate()
        .expect("cbindgen understands the file")
        .write(&mut text);
    let text = in_words_of_c(&String::from_utf8(text).expect("a header is text"));
    assert_up_to_date(&repository().join("include/eaf.h"), &text);
}

#[test]
fn the_fortran_include_file_has_every_code_and_fits_fixed_and_free_form() {
    let path = repository().join("include/eaf.fh");
    let text = fs::read_to_string(&path).expect("the file is checked in");
    assert_up_to_date(&path, &with_codes(&text, &include_codes()));
    for line in text.lines() {
        assert!(line.len() <= 72, "longer than 72 columns: {line}");
        assert!(line.starts_with("! ") || line.starts_with("      "), "not valid in both forms: {line}");
        assert!(!line.contains(['\'', '"', '#', '&']), "cpp or fixed form would stumble: {line}");
    }
}

#[test]
fn the_fortran_module_has_every_code() {
    let path = repository().join("fortran/chemio_eaf.f90");
    let text = fs::read_to_string(&path).expect("the file is checked in");
    assert_up_to_date(&path, &with_codes(&text, &module_codes()));
    assert!(text.lines().all(|line| line.len() <= 132), "free form allows 132 columns");
}
