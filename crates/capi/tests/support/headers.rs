//! What the tests of all checked-in headers, include files and modules share. With `CHEMIO_WRITE_HEADERS=1` they write them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// An error number: its value, its name in C, and its text.
pub(crate) type Code = (i32, &'static str, &'static str);

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a checked-in file with what it should be, or writes it.
pub(crate) fn assert_up_to_date(path: &Path, expected: &str) {
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

/// The codes as C has them.
pub(crate) fn c_codes(codes: &[Code]) -> String {
    codes.iter().fold(String::new(), |mut text, (number, name, meaning)| {
        writeln!(text, "#define {name} ({number}) /* {meaning} */").expect("a string grows");
        text
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

/// The header that cbindgen makes from `source`, a file of this package.
pub(crate) fn c_header(source: &str, guard: &str, head: &str, constants: String) -> String {
    let mut config =
        cbindgen::Config::from_file(repository().join("cbindgen.toml")).expect("a configuration");
    config.header = Some(head.into());
    config.include_guard = Some(guard.into());
    config.after_includes = Some(constants);
    let mut text = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(Path::new(env!("CARGO_MANIFEST_DIR")).join(source))
        .generate()
        .expect("cbindgen understands the file")
        .write(&mut text);
    in_words_of_c(&String::from_utf8(text).expect("a header is text"))
}

/// Checks a Fortran include file: it has every code, and fits fixed and free form, INCLUDE and cpp.
pub(crate) fn check_include_file(name: &str, codes: &[Code]) {
    let path = repository().join("include").join(name);
    let text = fs::read_to_string(&path).expect("the file is checked in");
    let declared = codes.iter().fold(String::new(), |text, (number, name, _)| {
        let name = name.to_lowercase();
        format!("{text}      integer {name}\n      parameter ({name} = {number})\n")
    });
    assert_up_to_date(&path, &with_codes(&text, &declared));
    for line in text.lines() {
        assert!(line.len() <= 72, "longer than 72 columns: {line}");
        assert!(line.starts_with("! ") || line.starts_with("      "), "not valid in both forms: {line}");
        assert!(!line.contains(['\'', '"', '#', '&']), "cpp or fixed form would stumble: {line}");
    }
}

/// Checks a Fortran module: it has every code.
pub(crate) fn check_module(name: &str, codes: &[Code]) {
    let path = repository().join("fortran").join(name);
    let text = fs::read_to_string(&path).expect("the file is checked in");
    let declared = codes.iter().fold(String::new(), |text, (number, name, meaning)| {
        let name = name.to_lowercase();
        format!("{text}  integer, parameter :: {name} = {number} !< {meaning}\n")
    });
    assert_up_to_date(&path, &with_codes(&text, &declared));
    assert!(text.lines().all(|line| line.len() <= 132), "free form allows 132 columns");
}
