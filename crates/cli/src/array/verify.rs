//! `chemio verify`: whether an array is whole.

use crate::error::{Error, Result, one_line};
use crate::interrupt;
use crate::options;
use crate::output;
use crate::progress::{Amount, Canvas, Progress};
use crate::scan::source::{Source, looked_into};
use crate::stats;
use command::missing;
use command::reblocking::check_finished;
use disk_array::ArrayDirectory;
use serde_json::json;

/// What is said of a shard.
struct Finding {
    shard: u64,
    message: String,
}

impl Finding {
    fn new(shard: u64, error: &disk_array::Error) -> Self {
        Self { shard, message: error.to_string() }
    }
}

pub(crate) fn run(options: &options::Verify) -> Result<()> {
    let array = ArrayDirectory::open(&options.array.path)?;
    check_finished(&array)?;
    let stored = looked_into(&array)?;
    let mut damage = missing(&array, &stored.shards);
    let shards = stored.shards.len() + damage.len();
    let progress =
        Progress::on(Canvas::StandardError, "checking", Amount::Shards(stored.shards.len() as u64));
    // What cannot be looked at may be whole; it is told beside what is damaged.
    let (mut unread, mut refused) = (vec![], None);
    for &number in &stored.shards {
        interrupt::check()?;
        match array.check_shard(number) {
            Ok(()) => {}
            Err(error @ disk_array::Error::CorruptShard { .. }) => {
                damage.push(Finding::new(number, &error));
            }
            Err(error) => {
                unread.push(Finding::new(number, &error));
                refused = refused.or(Some(error));
            }
        }
        progress.add(1);
    }
    drop(progress);
    if let Some(error) = refused.filter(|_| damage.is_empty()) {
        return Err(error.into());
    }
    damage.sort_by_key(|damage| damage.shard);
    let read = if options.read && damage.is_empty() { Some(read_all(array)?) } else { None };
    if options.array.facts.json {
        let list = |of: &[Finding]| -> Vec<_> {
            of.iter().map(|of| json!({"shard": of.shard, "message": of.message})).collect()
        };
        output::print_json(&json!({
            "path": options.array.path.to_string_lossy(), "whole": damage.is_empty(), "shards": shards,
            "damaged": list(&damage), "not_checked": list(&unread), "elements_read": read,
        }))?;
    } else {
        let mut lines = damage.iter().chain(&unread);
        lines.try_for_each(|finding| output::print(&format!("{}\n", one_line(&finding.message))))?;
    }
    if damage.is_empty() {
        return Ok(());
    }
    Err(Error::Damaged { path: options.array.path.clone(), damaged: damage.len(), shards })
}

/// Shards that are gone, as damage.
fn missing(array: &ArrayDirectory, stored: &[u64]) -> Vec<Finding> {
    let damage = |shard| Finding {
        shard,
        message: format!(
            "no such file, its elements read as zero: shard {}",
            array.shard_path(shard).display()
        ),
    };
    missing::shards(array, stored).into_iter().map(damage).collect()
}

/// Reads every element, also of an array between passes; how many there are.
fn read_all(array: ArrayDirectory) -> Result<u64> {
    let source = Source::new(array)?;
    let progress = Progress::new("reading", stats::bytes_stored(&source));
    Ok(stats::summarize(&source, READ_MEGABYTES, &progress)?.count())
}

const READ_MEGABYTES: u64 = 128;
