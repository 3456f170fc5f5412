//! The checked-in headers, include files and module are what the Rust sources say.
//!
//! `CHEMIO_WRITE_HEADERS=1 cargo test -p chemio-capi-ga --test headers` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const C_HEADER: &str = "/* Distributed arrays, with the calls of Global Arrays.
 * Made from crates/capi-ga/src/c by crates/capi-ga/tests/headers.rs; do not edit.
 *
 * Indices count from 0, the last one varies fastest, and bounds are inclusive. A call that cannot return an error, and
 * meets one, prints it on standard error and ends all processes. Null pointers are errors, but for chunks.
 *
 * Collective, over the processes of the default group or of the array's group, are: beginning and end; creating, allocating,
 * duplicating and destroying arrays; creating and splitting groups; mutexes; sync and mask_sync, brdcst and all gops; all calls
 * on whole arrays and on patches, and printing them. All these processes make them, in the same order. Calls on whole arrays and on
 * patches synchronise before and after, unless GA_Mask_sync says otherwise. Other calls are made by one process by itself. */";

/// What stands before the prototypes.
const C_DEFINITIONS: &str = "
#include \"gacommon.h\"
#include \"macdecls.h\"

/** A nonblocking operation under way. */
typedef Integer ga_nbhdl_t;
";

/// The calls that `export!` defines.
const C_BEGINNINGS: &str = r#"
#ifdef __cplusplus
extern "C" {
#endif

/** Begins the use of arrays, and of MPI if the program has not. Collective over all processes. A second call does
 * nothing. */
void GA_Initialize(void);

/** As GA_Initialize. */
void NGA_Initialize(void);

/** As GA_Initialize; the arguments of main are not changed. */
void GA_Initialize_args(int *argc, char ***argv);

/** As GA_Initialize, with so many bytes for arrays on each process. */
void GA_Initialize_ltd(size_t limit);

/** As GA_Initialize_ltd. */
void NGA_Initialize_ltd(size_t limit);

#ifdef __cplusplus
}
#endif
"#;

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a checked-in file with what it should be, or writes it.
fn assert_up_to_date(path: &Path, expected: &str) {
    if std::env::var_os("CHEMIO_WRITE_HEADERS").is_some() {
        fs::write(path, expected).expect("the repository can be written");
    }
    assert!(read(path) == expected, "{} is out of date; see {}", path.display(), file!());
}

/// Drops Rust's backticks and the comments that C89 does not know.
fn in_words_of_c(header: &str) -> String {
    let lines =
        header.lines().map(|line| line.split("//").next().unwrap_or(line).trim_end().replace('`', ""));
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

#[test]
fn the_c_header_is_what_the_c_symbols_say() {
    let mut config =
        cbindgen::Config::from_file(repository().join("cbindgen.toml")).expect("a configuration");
    config.header = Some(C_HEADER.into());
    config.include_guard = Some("CHEMIO_GA_H".into());
    config.sys_includes = vec!["stddef.h".into(), "stdint.h".into(), "stdio.h".into()];
    config.after_includes = Some(format!("{C_DEFINITIONS}{C_BEGINNINGS}"));
    // macdecls.h has the complex types, since MA's calls are declared with them too. A handle has the width of its Integer.
    config.export.exclude = ["SingleComplex", "DoubleComplex", "ga_nbhdl_t"].map(String::from).to_vec();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in ["lifecycle", "arrays", "transfer", "arithmetic", "collective", "print"] {
        builder = builder.with_src(source(&format!("c/{file}.rs")));
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen understands the files").write(&mut text);
    let text = in_words_of_c(&String::from_utf8(text).expect("a header is text"));
    assert_up_to_date(&repository().join("include/ga/ga.h"), &text);
}

/// A Fortran call as the documentation of its Rust function has it.
#[derive(Debug)]
struct Call {
    /// `integer`, `logical` and so on; nothing for a subroutine.
    result: Option<String>,
}

/// The calls of a module, by the names of their Rust functions.
fn calls_of(module: &str) -> BTreeMap<String, Call> {
    let text = read(&source(&format!("fortran/{module}.rs")));
    let mut calls = BTreeMap::new();
    let mut documented = None;
    for line in text.lines() {
        if let Some(signature) = line.strip_prefix("/// `") {
            documented = Some(
                signature
                    .split(" function ")
                    .next()
                    .filter(|_| signature.contains(" function "))
                    .map(str::to_owned),
            );
        }
        if let Some(rest) = line.strip_prefix("pub unsafe fn ") {
            let name = rest.split(['<', '(']).next().expect("a name").to_owned();
            let result = documented.take().unwrap_or_else(|| panic!("{name} has no signature"));
            calls.insert(name, Call { result });
        }
    }
    calls
}

/// What a Fortran symbol takes and returns.
struct Symbol {
    /// Nothing for a subroutine.
    result: Option<String>,
    /// Types of Rust, of what a program passes: a hidden length belongs to its text.
    arguments: Vec<String>,
}

/// Every Fortran symbol without its underscore, from the macro that exports it.
fn exported() -> BTreeMap<String, Symbol> {
    let text = read(&source("export.rs"));
    let mut symbols = BTreeMap::new();
    for part in text.split("$crate::fortran_names! { ").skip(1) {
        let module = part.split(';').next().expect("a module");
        let calls = calls_of(module);
        let body = part.split("\n        }").next().expect("a body");
        for item in body.split(';').skip(1).filter(|item| item.contains(" = ") || item.contains(" =\n")) {
            let (names, rest) = item.split_once('=').expect("names and a call");
            let call = rest.trim().split(['[', '(']).next().expect("a call").trim();
            let numeric = rest.rsplit("->").next().expect("a result").trim();
            let result = calls.get(call).unwrap_or_else(|| panic!("no {module}::{call}")).result.clone();
            for name in names.split_whitespace() {
                let result = fortran_type(numeric, result.as_deref());
                let symbol = Symbol { result, arguments: arguments_of(rest) };
                symbols.insert(name.trim_end_matches('_').to_owned(), symbol);
            }
        }
    }
    symbols
}

/// The types in the parentheses of a call, without pointers and paths.
fn arguments_of(call: &str) -> Vec<String> {
    let list = call.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("parentheses").0;
    let types = list.split(',').filter_map(|argument| Some(argument.split_once(':')?.1.trim()));
    types
        .filter(|&of| of != "usize")
        .map(|of| of.trim_start_matches("*const").trim_start_matches("*mut").trim())
        .map(|of| of.trim_start_matches("$crate::types::").to_owned())
        .collect()
}

/// The type of a result: the one of the symbol where the call is generic.
fn fortran_type(numeric: &str, documented: Option<&str>) -> Option<String> {
    match numeric {
        "()" => None,
        "$int" => documented.map(str::to_owned),
        "f32" => Some("real".into()),
        "f64" => Some("double precision".into()),
        "$crate::types::Complex32" => Some("complex".into()),
        "$crate::types::Complex64" => Some("double complex".into()),
        other => panic!("{other} is no result"),
    }
}

/// Names after a keyword, as many in a line as 72 columns hold.
fn declarations(keyword: &str, names: &[&str]) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for name in names {
        if !line.is_empty() && line.len() + 2 + name.len() > 72 {
            writeln!(text, "{line}").expect("a string grows");
            line.clear();
        }
        line = if line.is_empty() { format!("      {keyword} {name}") } else { format!("{line}, {name}") };
    }
    text + &line + "\n"
}

/// Functions that the include file of Global Arrays does not declare: programs that call them declare them, and may not
/// do so twice. For the same reason no subroutine is declared.
const DECLARED_BY_PROGRAMS: [&str; 6] = [
    "drand",
    "ga_idot_patch",
    "ga_pgroup_duplicate",
    "ga_pgroup_self",
    "nga_pgroup_duplicate",
    "nga_pgroup_self",
];

/// The declarations of all functions.
fn include_declarations(symbols: &BTreeMap<String, Symbol>) -> String {
    let functions: Vec<(&str, &str)> = symbols
        .iter()
        .filter_map(|(name, symbol)| Some((name.as_str(), symbol.result.as_deref()?)))
        .filter(|(name, _)| !DECLARED_BY_PROGRAMS.contains(name))
        .collect();
    let mut text = String::new();
    for keyword in functions.iter().map(|(_, result)| *result).collect::<BTreeSet<_>>() {
        let of_type = functions.iter().filter(|(_, result)| *result == keyword).map(|(name, _)| *name);
        text += &declarations(keyword, &of_type.collect::<Vec<_>>());
    }
    text + &declarations("external", &functions.iter().map(|(name, _)| *name).collect::<Vec<_>>())
}

/// Replaces what stands between the lines "begin calls" and "end calls".
fn with_calls(text: &str, calls: &str) -> String {
    let begin = text.find("begin calls\n").expect("a line that begins the calls") + "begin calls\n".len();
    let end = text.find("end calls").expect("a line that ends the calls");
    let end = text[..end].rfind('\n').expect("it is not the first line") + 1;
    format!("{}{calls}{}", &text[..begin], &text[end..])
}

#[test]
fn the_fortran_include_file_has_every_call_and_fits_fixed_and_free_form() {
    let path = repository().join("include/ga/global.fh");
    assert_up_to_date(&path, &with_calls(&read(&path), &include_declarations(&exported())));
    for line in read(&path).lines() {
        assert!(line.len() <= 72, "longer than 72 columns: {line}");
        let code = line == "!"
            || line.starts_with("! ")
            || line.starts_with("      ")
            || line.starts_with("#define ");
        assert!(code && !line.contains(['\'', '"', '&']), "cpp, fixed or free form would stumble: {line}");
    }
}

/// What the interface of a call in the module declares of its arguments, in their order.
fn declared_arguments(module: &str, kind: &str, name: &str) -> Vec<String> {
    let begin = format!("    {kind} {name}(");
    let interface = module.split_once(&begin).unwrap_or_else(|| panic!("no interface for {kind} {name}")).1;
    let interface = interface.split("    end ").next().expect("it ends").replace("&\n", " ");
    let (arguments, body) = interface.split_once(')').expect("parentheses");
    let declaration_of = |argument: &str| {
        let declares = |line: &&str| {
            let names = line.split_once(":: ").map_or("", |(_, names)| names);
            names.split(['(', ')', ',', ' ']).any(|word| word == argument) && !line.trim().starts_with('!')
        };
        let line = body.lines().find(declares).unwrap_or_else(|| panic!("{name}: {argument} has no type"));
        line.trim().to_owned()
    };
    let arguments = arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty());
    arguments.map(declaration_of).collect()
}

/// How the declaration of an argument begins that has this type in Rust.
fn is_declared_as(rust: &str, declaration: &str) -> bool {
    let beginnings: &[&str] = match rust {
        "$int" => &["integer, ", "logical, "],
        "i64" => &["integer(ga_access_index), "],
        "f32" => &["real, "],
        "f64" => &["double precision, "],
        "Complex32" => &["complex, "],
        "Complex64" => &["double complex, "],
        "c_char" => &["character(len=*), "],
        "c_void" => &["type(*)"],
        other => panic!("{other} is no argument"),
    };
    beginnings.iter().any(|beginning| declaration.starts_with(beginning))
}

#[test]
fn the_fortran_module_has_every_call_with_the_arguments_it_takes() {
    let module = read(&repository().join("fortran/chemio_ga.f90"));
    assert!(module.lines().all(|line| line.len() <= 132), "free form allows 132 columns");
    for (name, Symbol { result, arguments }) in exported() {
        let kind = result.map_or("subroutine".to_owned(), |result| format!("{result} function"));
        let declared = declared_arguments(&module, &kind, &name);
        assert_eq!(declared.len(), arguments.len(), "{name}: {declared:?} {arguments:?}");
        for (rust, declaration) in arguments.iter().zip(&declared) {
            assert!(is_declared_as(rust, declaration), "{name}: {rust} is not {declaration}");
        }
    }
}
