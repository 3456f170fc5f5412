//! The pages in `include/` name every call that there is, and no other; pages lead to pages, and all can be reached from the README.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The calls that the libraries of a crate export, as a caller writes them.
fn exported(krate: &str) -> BTreeSet<String> {
    let names = read(&format!("crates/{krate}/tests/names.txt"));
    names.lines().map(|name| name.strip_suffix('_').unwrap_or(name).to_owned()).collect()
}

/// What a page has between backticks, outside of lines of code.
fn code_spans(page: &str) -> BTreeSet<String> {
    let prose = page.lines().filter(|line| !line.starts_with("    "));
    prose.flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// All that `[x]`, which may be left out, and `{x,y}`, one of them, stand for. An inner bracket is taken after the outer one.
fn expanded(text: &str) -> Vec<String> {
    let Some(begin) = text.find(['[', '{']) else { return vec![text.to_owned()] };
    let Some(len) = matching(&text[begin..]) else { return vec![text.to_owned()] };
    let (before, inside, after) = (&text[..begin], &text[begin + 1..begin + len], &text[begin + len + 1..]);
    let choices: Vec<&str> =
        if text[begin..].starts_with('[') { vec!["", inside] } else { inside.split(',').collect() };
    choices.into_iter().flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

/// Where the bracket ends that a text begins with.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.find(|c| {
        depth += i32::from("[{".contains(c)) - i32::from("]}".contains(c));
        depth == 0
    })
}

fn named(page: &str) -> BTreeSet<String> {
    code_spans(page).iter().flat_map(|span| expanded(span)).collect()
}

/// Whether a C call is told by the Fortran one, as pages of modules with the same calls in both languages do.
fn is_named(call: &str, named: &BTreeSet<String>) -> bool {
    named.contains(call) || named.contains(&call.to_lowercase())
}

fn check_page(page: &str, krate: &str) {
    let (named, exported) = (named(&read(page)), exported(krate));
    let missing: Vec<_> = exported.iter().filter(|call| !is_named(call, &named)).collect();
    assert!(missing.is_empty(), "{page} lacks {missing:?}");
}

/// What looks like a call of a module in its page is one.
fn check_calls_exist(page: &str, krate: &str, prefixes: &[&str]) {
    let exported = exported(krate);
    let is_known = |name: &str| exported.iter().any(|call| call.eq_ignore_ascii_case(name));
    let is_call = |name: &&String| {
        prefixes.iter().any(|prefix| name.starts_with(prefix))
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let named = named(&read(page));
    let unknown: Vec<_> = named.iter().filter(is_call).filter(|name| !is_known(name)).collect();
    assert!(unknown.is_empty(), "{page} names {unknown:?}, which nobody exports");
}

#[test]
fn every_call_is_in_the_page_of_its_module() {
    for (page, krate) in [
        ("include/README.md", "capi"),
        ("include/sf.md", "capi-sf"),
        ("include/dra.md", "capi-dra"),
        ("include/ga.md", "capi-ga"),
        ("include/ma.md", "ma"),
    ] {
        check_page(page, krate);
    }
}

/// Those of private files have texts that no call returns any more, and the page says so.
#[test]
fn every_code_of_shared_files_and_of_arrays_on_disk_is_in_its_page() {
    for module in ["sf", "dra"] {
        let (file, page) = (read(&format!("include/{module}.fh")), read(&format!("include/{module}.md")));
        let (_, rest) = file.split_once("! begin codes").expect("a line that begins the codes");
        let codes = rest.lines().filter_map(|line| line.trim().strip_prefix("integer "));
        let named = code_spans(&page);
        let missing: Vec<_> = codes.filter(|&code| !named.contains(code)).collect();
        assert!(missing.is_empty(), "include/{module}.md lacks {missing:?}");
    }
}

#[test]
fn every_call_in_a_page_of_arrays_and_memory_exists() {
    check_calls_exist("include/ga.md", "capi-ga", &["ga_", "nga_", "GA_", "NGA_"]);
    check_calls_exist("include/ma.md", "ma", &["ma_", "MA_"]);
}

#[test]
fn brackets_stand_for_what_may_be_left_out_and_braces_for_one_of_several() {
    assert_eq!(expanded("[N]GA_{Put,Get}"), ["GA_Put", "GA_Get", "NGA_Put", "NGA_Get"]);
    assert_eq!(expanded("C[_p[_d]]"), ["C", "C_p", "C_p_d"]);
    assert_eq!(expanded("ld[ndim - 1"), ["ld[ndim - 1"]);
}

/// Where the links of a page lead, within the repository.
fn links(page: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(page).expect("a page can be read");
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let within =
        targets.filter(|target| !target.contains("://")).filter_map(|target| target.split('#').next());
    let directory = page.parent().expect("a page is in a directory").to_owned();
    within.filter(|target| !target.is_empty()).map(|target| plain(&directory.join(target))).collect()
}

/// A path without `..`, for paths that exist or not.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

/// Follows links from a page, and says which pages it came to. Every link must lead somewhere.
fn reachable(from: &Path) -> BTreeSet<PathBuf> {
    let (mut seen, mut to_do) = (BTreeSet::new(), vec![plain(from)]);
    while let Some(page) = to_do.pop() {
        if page.extension().is_none_or(|extension| extension != "md") || !seen.insert(page.clone()) {
            continue;
        }
        for target in links(&page) {
            assert!(target.exists(), "{} leads to {}, which is not there", page.display(), target.display());
            to_do.push(target);
        }
    }
    seen
}

/// All pages below a directory, but for what is built.
fn pages_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory can be read") {
        let path = entry.expect("its entries can be read").path();
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "prefix" {
            pages_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(plain(&path));
        }
    }
}

#[test]
fn all_pages_can_be_reached_from_the_readme_and_no_link_leads_nowhere() {
    let root = repository().canonicalize().expect("the repository is there");
    let reached = reachable(&root.join("README.md"));
    let mut pages = Vec::new();
    pages_below(&root, &mut pages);
    let lost: Vec<_> = pages.iter().filter(|page| !reached.contains(*page)).collect();
    assert!(pages.len() > 10 && lost.is_empty(), "not to be reached: {lost:?}");
}

/// The lines of a table are one below the other: an empty one among them would end it.
#[test]
fn no_table_is_cut_in_two() {
    let root = repository().canonicalize().expect("the repository is there");
    for page in reachable(&root.join("README.md")) {
        let text = fs::read_to_string(&page).expect("a page can be read");
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('|')) {
            let before = |back: usize| number.checked_sub(back).map_or("", |number| lines[number]);
            let is_rule = |text: &str| text.starts_with('|') && text.chars().all(|c| "|-: ".contains(c));
            let begins = !before(1).starts_with('|');
            let next = lines.get(number + 1).copied().unwrap_or_default();
            assert!(
                !begins || is_rule(next),
                "{}, line {}: a table without a head: {line}",
                page.display(),
                number + 1
            );
        }
    }
}
