//! `CHEMIO_STATS`: at the end of the program, what it asked of its files and how long it was kept by that; `1` prints a table on
//! standard error, anything else is the name of a file for the same as JSON. Nothing if it is not set.
//!
//! Where ranks end something together while MPI is alive they [`gather`] their counts, and rank 0 reports for all of them. A rank
//! that did not, or has asked for more since, reports for itself: as JSON in a file of its own, whose name has its number.

use elio::{FileStatistics, Tally};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt::{Display, Write as _};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of other ranks, and what others know of this one.
#[derive(Debug, Default)]
struct Gathered {
    /// This process's number, if MPI has said it.
    rank: Option<usize>,
    /// On rank 0: the counts of the others.
    others: BTreeMap<usize, Value>,
    /// How much rank 0 knows of.
    told: Option<u64>,
}

static GATHERED: Mutex<Gathered> = Mutex::new(Gathered { rank: None, others: BTreeMap::new(), told: None });
/// The kinds of calls, in the order in which they are printed.
const KINDS: [&str; 5] = ["read", "write", "aread", "awrite", "wait"];
/// What launchers tell processes of a program with several: their number, and how many there are.
const LAUNCHERS: [(&str, &str); 3] =
    [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("PMIX_RANK", "PMIX_SIZE")];

fn gathered() -> MutexGuard<'static, Gathered> {
    GATHERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether `CHEMIO_STATS` asks for a [`report`] when the program ends.
pub fn is_asked_for() -> bool {
    elio::statistics_asked_for().is_some()
}

/// Tells rank 0 of what all ranks have counted so far, in place of what it was told before, if all of them count. Collective over
/// all ranks. `least` gives the smallest of the numbers of all ranks to all, `broadcast` the text of a rank. If they fail, each
/// rank reports for itself.
pub fn gather<E: Display>(
    rank: usize,
    ranks: usize,
    least: impl FnOnce(i64) -> Result<i64, E>,
    broadcast: impl FnMut(String, usize) -> Result<String, E>,
) {
    let gathered = match least(i64::from(is_asked_for())) {
        Ok(1) => tell_first(rank, ranks, broadcast),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = gathered {
        tracing::debug!(%error, "ranks report for themselves");
    }
}

fn tell_first<E>(
    rank: usize,
    ranks: usize,
    mut broadcast: impl FnMut(String, usize) -> Result<String, E>,
) -> Result<(), E> {
    let files = elio::file_statistics();
    // One after the other, so that no rank ever holds more than two of them, except the one that reports.
    for other in 1..ranks {
        let mine = if rank == other { facts(Some(rank), &files).to_string() } else { String::new() };
        let text = broadcast(mine, other)?;
        if rank == 0
            && let Ok(facts) = serde_json::from_str(&text)
        {
            gathered().others.insert(other, facts);
        }
    }
    let mut gathered = gathered();
    (gathered.rank, gathered.told) = (Some(rank), Some(volume(&files)));
    Ok(())
}

/// Grows with every call that is counted.
fn volume(files: &[FileStatistics]) -> u64 {
    let calls = |file: &FileStatistics| file.tallies().iter().map(|(_, tally)| tally.calls).sum::<u64>();
    files.iter().map(|file| file.opened + calls(file)).sum()
}

/// Says what `CHEMIO_STATS` asks for. To be called once, at the end of the program.
pub fn report() {
    let Some(asked) = elio::statistics_asked_for() else { return };
    let files = elio::file_statistics();
    let Gathered { rank, others, told } = std::mem::take(&mut *gathered());
    let is_told = rank.is_some_and(|rank| rank > 0) && told == Some(volume(&files));
    if is_told {
        return;
    }
    let number = rank.or_else(launched_as);
    let mut ranks = vec![facts(number, &files)];
    ranks.extend(others.into_values());
    // Rank 0 has spoken for all, if ranks have met.
    let own = number.filter(|_| rank != Some(0));
    print(&asked, own, &ranks);
}

/// The number of this process among several, by what its launcher says.
fn launched_as() -> Option<usize> {
    let number = |name: &str| env::var(name).ok()?.parse::<usize>().ok();
    let (rank, ranks) = LAUNCHERS.iter().find_map(|(rank, ranks)| Some((number(rank)?, number(ranks))))?;
    (ranks != Some(1)).then_some(rank)
}

/// `own`: the number of the rank, if it reports for itself alone.
fn print(asked: &OsString, own: Option<usize>, ranks: &[Value]) {
    let written = if asked == "1" {
        // At once, so that lines of several processes do not mix.
        io::stderr().write_all(to_text(ranks).as_bytes()).map_err(|error| (error, PathBuf::new()))
    } else {
        let path = file_of(Path::new(asked), own);
        fs::write(&path, format!("{:#}\n", to_json(ranks))).map_err(|error| (error, path))
    };
    if let Err((error, path)) = written {
        // Nobody is left to be told otherwise.
        let _ =
            writeln!(io::stderr(), "chemio: {error}: CHEMIO_STATS cannot be written to {}", path.display());
    }
}

/// `run.json`, or `run.3.json` for rank 3.
fn file_of(path: &Path, own: Option<usize>) -> PathBuf {
    let Some(rank) = own else { return path.to_owned() };
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{rank}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// What a rank has counted.
fn facts(rank: Option<usize>, files: &[FileStatistics]) -> Value {
    let of_file = |file: &FileStatistics| {
        let mut facts = Map::from_iter([
            ("path".to_owned(), json!(file.path.to_string_lossy())),
            ("backend".to_owned(), json!(file.backend)),
            ("cache".to_owned(), json!(file.cache)),
            ("opened".to_owned(), json!(file.opened)),
        ]);
        facts.extend(file.tallies().map(|(kind, tally)| (kind.to_owned(), of_tally(&tally))));
        Value::Object(facts)
    };
    json!({"rank": rank.unwrap_or(0), "files": files.iter().map(of_file).collect::<Vec<_>>()})
}

fn of_tally(tally: &Tally) -> Value {
    json!({
        "calls": tally.calls, "bytes": tally.bytes, "seconds": tally.seconds,
        "megabytes_per_second": tally.megabytes_per_second(),
    })
}

fn tally_of(value: &Value) -> Tally {
    let number = |key: &str| value[key].as_u64().unwrap_or(0);
    Tally {
        calls: number("calls"),
        bytes: number("bytes"),
        seconds: value["seconds"].as_f64().unwrap_or(0.0),
    }
}

fn files_of(rank: &Value) -> impl Iterator<Item = &Value> {
    rank["files"].as_array().into_iter().flatten()
}

/// The calls of a kind on all files of all ranks.
fn sum(ranks: &[Value], kind: &str) -> Tally {
    ranks.iter().flat_map(files_of).fold(Tally::default(), |sum, file| {
        let Tally { calls, bytes, seconds } = tally_of(&file[kind]);
        Tally { calls: sum.calls + calls, bytes: sum.bytes + bytes, seconds: sum.seconds + seconds }
    })
}

fn to_json(ranks: &[Value]) -> Value {
    let sums: Map<_, _> =
        KINDS.map(|kind| (kind.to_owned(), of_tally(&sum(ranks, kind)))).into_iter().collect();
    json!({"ranks": ranks, "sum": sums})
}

/// A line for each rank, file and kind of call, and the sums of all.
fn to_text(ranks: &[Value]) -> String {
    let mut text = String::new();
    let mut line = |rank: &str, kind: &str, tally: &Tally, rest: [&str; 3]| {
        let Tally { calls, bytes, seconds } = tally;
        let rate = tally.megabytes_per_second();
        let [backend, cache, path] = rest;
        // Writing to a string cannot fail.
        let row = format!(
            "chemio: {rank:>5} {kind:6} {calls:>10} {bytes:>16} {seconds:>12.6} {rate:>10.2}  {backend:7} {cache:6} {path}"
        );
        let _ = writeln!(text, "{}", row.trim_end());
    };
    for rank in ranks {
        let number = rank["rank"].to_string();
        for file in files_of(rank) {
            let words = ["backend", "cache", "path"].map(|key| file[key].as_str().unwrap_or(""));
            for kind in KINDS {
                let tally = tally_of(&file[kind]);
                if tally.calls > 0 {
                    line(&number, kind, &tally, words);
                }
            }
        }
    }
    for kind in KINDS {
        let all = sum(ranks, kind);
        if all.calls > 0 {
            line("sum", kind, &all, ["", "", ""]);
        }
    }
    if text.is_empty() {
        return text;
    }
    let head = ["rank", "call", "calls", "bytes", "seconds", "MB/s", "backend", "cache", "file"];
    let [rank, call, calls, bytes, seconds, rate, backend, cache, file] = head;
    format!(
        "chemio: {rank:>5} {call:6} {calls:>10} {bytes:>16} {seconds:>12} {rate:>10}  {backend:7} {cache:6} {file}\n{text}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, calls: u64) -> FileStatistics {
        let (none, some) = (Tally::default(), Tally { calls, bytes: calls * 100, seconds: 0.5 });
        FileStatistics {
            path: PathBuf::from(path),
            backend: "uring",
            cache: "auto",
            opened: 1,
            read: some,
            write: none,
            aread: none,
            awrite: none,
            wait: none,
        }
    }

    #[test]
    fn ranks_are_told_apart_and_summed() {
        let ranks = [facts(Some(0), &[file("/a", 2), file("/b", 3)]), facts(Some(1), &[file("/a", 5)])];
        let found = to_json(&ranks);
        assert_eq!(found["sum"]["read"]["calls"], 10);
        assert_eq!(found["sum"]["read"]["bytes"], 1000);
        assert_eq!(found["ranks"][1]["files"][0]["read"]["bytes"], 500);
        let text = to_text(&ranks);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert_eq!(lines[3][..5], ["chemio:", "1", "read", "5", "500"], "{text}");
        assert_eq!(lines[4][..5], ["chemio:", "sum", "read", "10", "1000"], "{text}");
        assert_eq!(to_text(&[facts(None, &[])]), "", "of nothing there is nothing to be said");
    }

    #[test]
    fn a_rank_that_reports_for_itself_has_its_number_in_the_name() {
        for (given, expected) in
            [("run.json", "run.3.json"), ("/a.b/run", "/a.b/run.3"), ("x.y.json", "x.y.3.json")]
        {
            assert_eq!(file_of(Path::new(given), Some(3)), Path::new(expected));
            assert_eq!(file_of(Path::new(given), None), Path::new(given));
        }
    }

    #[test]
    fn rank_0_knows_what_all_ranks_have_told_it_last() {
        for told in ["{\"rank\": 1, \"files\": []}", "{\"rank\": 1, \"files\": [1]}"] {
            tell_first(0, 2, |mine, root| {
                assert_eq!((mine.as_str(), root), ("", 1));
                Ok::<_, ()>(told.to_owned())
            })
            .unwrap();
        }
        assert_eq!(gathered().others[&1]["files"][0], 1);
        assert_eq!(tell_first(0, 3, |_, root| Err::<String, _>(root)), Err(1));
    }
}
