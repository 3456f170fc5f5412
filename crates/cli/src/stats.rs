//! `chemio stats`: all elements, read once.

mod summary;

use crate::error::Result;
use crate::options;
use crate::output;
use crate::progress::Progress;
use crate::scan::tiles::TileShape;
use crate::scan::{Part, Source, Team, Tiles};
use disk_array::format::Metadata;
use section::Section;
use serde_json::{Value, json};
use summary::Summary;

pub(crate) fn run(options: &options::Stats) -> Result<()> {
    let source = Source::open(&options.array.path)?;
    let progress = Progress::new("reading", bytes_stored(&source));
    let summary = summarize(&source, options.memory.megabytes, &progress)?;
    drop(progress);
    if options.array.facts.json {
        return output::print_json(&to_json(&source, &summary));
    }
    output::print(&to_text(&source, &summary))
}

/// Reads every element that is not known to be a fill value; bytes of elements are progress.
pub(crate) fn summarize(source: &Source, megabytes: u64, progress: &Progress) -> Result<Summary> {
    let metadata = source.array().metadata();
    let layout = source.array().layout();
    let team = Team::reading(megabytes).with_small_tiles();
    let element_bytes = metadata.data_type.bytes();
    let (dims, brick) = (layout.dims(), layout.bricks().brick());
    let shape = TileShape { dims, brick, element_bytes, bytes_max: team.tile_bytes };
    let whole = Section::whole(dims)?;
    let tiles = Tiles::stored(&whole, shape, &metadata.chunk_shape, source.stored())?;
    let begin = || Ok(Summary::new(metadata.data_type));
    let zero = vec![0; section::size(element_bytes)];
    let parts = team.each_part(source, tiles, progress, begin, |summary: &mut Summary, part| {
        match part {
            Part::Elements(elements) => summary.add(elements),
            Part::Zeros(count) => summary.add_same(&zero, count),
            Part::Fill(count) => summary.add_same(metadata.fill.bytes(), count),
        }
        Ok(())
    })?;
    let mut all = Summary::new(metadata.data_type);
    for part in &parts {
        all.merge(part);
    }
    all.add_same(metadata.fill.bytes(), whole.len() - all.count());
    Ok(all)
}

/// About how many bytes of elements the shards that there are hold, holes counted.
pub(crate) fn bytes_stored(source: &Source) -> u64 {
    let layout = source.array().layout();
    let all = layout.dims().checked_len().unwrap_or(u64::MAX).saturating_mul(layout.data_type().bytes());
    let shard = layout.shard();
    let each = shard.bricks_count().saturating_mul(shard.brick_bytes());
    each.saturating_mul(source.stored().len() as u64).min(all)
}

fn to_json(source: &Source, summary: &Summary) -> Value {
    let Metadata { dims, data_type, .. } = source.array().metadata();
    json!({
        "path": source.array().path().to_string_lossy(),
        "shape": dims.to_vec(),
        "type": data_type.name(),
        "count": summary.count(),
        "min": summary.min_json(),
        "max": summary.max_json(),
        "mean": summary.mean_json(),
        "nan": summary.nan(),
        "infinite": summary.infinite(),
        "zeros": summary.zeros(),
    })
}

fn to_text(source: &Source, summary: &Summary) -> String {
    let Metadata { dims, data_type, .. } = source.array().metadata();
    let of = if summary.is_complex() { " modulus" } else { "" };
    let (smallest, largest) = (format!("smallest{of}"), format!("largest{of}"));
    output::labelled([
        ("elements", format!("{} {data_type}: {}", summary.count(), output::extents(dims))),
        (smallest.as_str(), summary.min_text()),
        (largest.as_str(), summary.max_text()),
        ("mean", summary.mean_text()),
        ("NaN", summary.nan().to_string()),
        ("infinite", summary.infinite().to_string()),
        ("zeros", summary.zeros().to_string()),
    ])
}
