//! The headers declare what the macro exports, no more and no less, and can be read in every way that they promise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn crate_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn c_header() -> String {
    read(&crate_file("../../include/ga/macdecls.h"))
}

fn fortran_header() -> String {
    read(&crate_file("../../include/ga/mafdecls.fh"))
}

/// The symbols that `ma::export!` defines: `name = call(...)` and `name: elements;`.
fn exported() -> BTreeSet<String> {
    let source = read(&crate_file("src/export.rs"));
    let words = source.split([' ', '\n', ';']).filter(|word| word.to_lowercase().starts_with("ma_"));
    words.map(|word| word.trim_end_matches(':')).filter(|word| is_name(word)).map(str::to_owned).collect()
}

fn is_name(word: &str) -> bool {
    let is_macro = ["ma_symbols", "ma_base_arrays"].contains(&word);
    !is_macro && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What is listed for the test that looks at the installed libraries.
fn listed() -> BTreeSet<String> {
    read(&crate_file("tests/names.txt")).lines().map(str::to_owned).collect()
}

/// Names of C prototypes and arrays: what stands before `(` or `[` in lines that end a declaration.
fn c_names() -> BTreeSet<String> {
    let text = c_header();
    let others = ["typedef ", "}", " "];
    let declarations =
        text.lines().filter(|line| line.contains(';') && !others.iter().any(|s| line.starts_with(s)));
    let names = declarations.filter_map(|line| line.split(['(', '[']).next()?.rsplit([' ', '*']).next());
    names.filter(|name| name.to_lowercase().starts_with("ma_")).map(str::to_owned).collect()
}

/// Names that the Fortran header declares as external, as symbols.
fn fortran_names() -> BTreeSet<String> {
    let text = fortran_header();
    let declared = text.lines().filter_map(|line| line.trim_start().strip_prefix("external "));
    declared.flat_map(|names| names.split(", ")).map(|name| format!("{name}_")).collect()
}

#[test]
fn the_list_of_names_is_what_is_exported() {
    assert_eq!(listed(), exported());
}

#[test]
fn both_headers_together_declare_every_exported_name() {
    let declared: BTreeSet<_> = c_names().union(&fortran_names()).cloned().collect();
    assert_eq!(declared, exported());
}

#[test]
fn every_call_of_fortran_has_its_name_in_c() {
    let c = c_names();
    for name in fortran_names() {
        let name = format!("MA{}", name["ma".len()..].trim_end_matches('_'));
        assert!(c.contains(&name), "{name}");
    }
}

#[test]
fn the_fortran_module_has_every_call_and_type_of_the_header() {
    let module = read(&crate_file("../../fortran/chemio_ma.f90"));
    assert!(module.lines().all(|line| line.len() <= 132), "free form allows 132 columns");
    for name in fortran_names() {
        let name = name.trim_end_matches('_');
        let is_there = ["logical function", "integer function", "subroutine"]
            .iter()
            .any(|kind| module.contains(&format!("    {kind} {name}(")));
        assert!(is_there, "no interface for {name}");
    }
    let header = fortran_header();
    let values = header.split('(').filter_map(|text| text.split(')').next()).flat_map(|text| text.split(','));
    let types = values.filter_map(|value| value.trim().split_once(" = ")).filter(|(name, _)| {
        let is_limit = ["base", "first", "last", "numtypes"].iter().any(|end| name.ends_with(end));
        name.starts_with("mt_") && !is_limit
    });
    let mut count = 0;
    for (name, code) in types {
        // The longer name of a type of Fortran is defined by the short one.
        let short = name.replacen("mt_f_", "mt_", 1);
        assert!(module.contains(&format!("{short} = {code}")), "{name} is not {code}");
        assert!(module.contains(&format!("{name} = ")), "no {name}");
        count += 1;
    }
    assert_eq!(count, 24, "types of the header that were looked at");
}

#[test]
fn the_fortran_header_fits_fixed_and_free_form_and_cpp() {
    for line in fortran_header().lines() {
        let is_directive = line.starts_with("#define M");
        assert!(line.len() <= 72, "longer than 72 columns: {line}");
        assert!(
            is_directive || line.starts_with('!') || line.starts_with("      "),
            "not valid in both forms: {line}"
        );
        assert!(
            is_directive || !line.contains(['\'', '"', '#', '&']),
            "cpp or fixed form would stumble: {line}"
        );
    }
}

#[test]
fn both_headers_give_the_types_the_numbers_that_the_library_knows() {
    let (c, fortran) = (c_header(), fortran_header());
    let types = ma::Datatype::all(ma::IntegerWidth::Four);
    let names = [
        "MT_C_CHAR",
        "MT_C_INT",
        "MT_C_LONGINT",
        "MT_C_FLOAT",
        "MT_C_DBL",
        "MT_C_LDBL",
        "MT_C_SCPL",
        "MT_C_DCPL",
        "MT_C_LDCPL",
        "MT_F_BYTE",
        "MT_F_INT",
        "MT_F_LOG",
        "MT_F_REAL",
        "MT_F_DBL",
        "MT_F_SCPL",
        "MT_F_DCPL",
        "MT_C_LONGLONG",
    ];
    for (code, (name, datatype)) in (1000..).zip(names.into_iter().zip(types)) {
        assert_eq!(ma::Datatype::from_code(code, ma::IntegerWidth::Four), Some(datatype));
        assert!(c.contains(&format!("#define {name} {code} ")), "{name} in C");
        assert!(fortran.contains(&format!("{} = {code}", name.to_lowercase())), "{name} in Fortran");
    }
}
