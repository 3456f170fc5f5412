//! `chemio ls`: the arrays in a directory.

use super::size;
use crate::error::{Result, one_line, refused};
use crate::interrupt;
use crate::options;
use crate::output::{self, share};
use crate::progress::Progress;
use command::reblocking::check_source;
use disk_array::{ArrayDirectory, Error};
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// One line.
struct Entry {
    name: String,
    what: What,
}

enum What {
    Array {
        shape: Vec<u64>,
        data_type: &'static str,
        on_disk_bytes: u64,
        share_written: f64,
    },
    /// An array of which something is wrong.
    Trouble(String),
}

pub(crate) fn run(options: &options::Ls) -> Result<()> {
    let progress = Progress::waiting("looking");
    let mut entries = vec![];
    let listed = fs::read_dir(&options.place.directory).map_err(refused("list", &options.place.directory))?;
    for entry in listed {
        interrupt::check()?;
        let path = entry.map_err(refused("list", &options.place.directory))?.path();
        if let Some(what) = look(&path)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            entries.push(Entry { name, what });
        }
    }
    drop(progress);
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    if options.place.facts.json {
        return output::print_json(&entries.iter().map(to_json).collect());
    }
    output::print(&to_text(&entries))
}

/// What is at a path, if it is an array, whole or not. Of a directory that this user may not enter nobody knows.
fn look(path: &Path) -> Result<Option<What>> {
    let found = match ArrayDirectory::open(path) {
        Ok(array) => check_source(&array).and_then(|()| look_into(&array)),
        Err(Error::Missing { .. } | Error::Empty { .. } | Error::NotAnArray { .. }) => return Ok(None),
        Err(Error::System { source, .. }) if source.kind() == ErrorKind::PermissionDenied => return Ok(None),
        Err(error) => Err(error.into()),
    };
    // Whatever was wrong may be because of the signal.
    interrupt::check()?;
    Ok(Some(found.unwrap_or_else(|error| What::Trouble(error.to_string()))))
}

fn look_into(array: &ArrayDirectory) -> Result<What> {
    let size = size::of(array, &array.stored()?.shards)?;
    Ok(What::Array {
        shape: array.metadata().dims.to_vec(),
        data_type: array.metadata().data_type.name(),
        on_disk_bytes: size.on_disk_bytes,
        share_written: share(size.written_bytes, size.capacity_bytes),
    })
}

fn to_json(entry: &Entry) -> Value {
    match &entry.what {
        What::Array { shape, data_type, on_disk_bytes, share_written } => json!({
            "name": entry.name, "shape": shape, "type": data_type,
            "on_disk_bytes": on_disk_bytes, "share_written": share_written,
        }),
        What::Trouble(message) => json!({"name": entry.name, "error": message}),
    }
}

/// Columns, each as wide as it must be.
fn to_text(entries: &[Entry]) -> String {
    let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    rows.iter().fold(String::new(), |text, row| {
        let cells = (0..4).map(|column| format!("{:width$}  ", row[column], width = widths[column]));
        let line: String = cells.chain([row[4].clone()]).collect();
        text + line.trim_end() + "\n"
    })
}

fn row(entry: &Entry) -> [String; 5] {
    let name = one_line(&entry.name);
    match &entry.what {
        What::Array { shape, data_type, on_disk_bytes, share_written } => [
            name,
            (*data_type).to_owned(),
            output::extents(shape),
            output::bytes(*on_disk_bytes),
            format!("{:.1} % written", 100.0 * share_written),
        ],
        What::Trouble(message) => [name, "-".to_owned(), "-".to_owned(), "-".to_owned(), one_line(message)],
    }
}
