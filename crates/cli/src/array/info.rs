//! `chemio info`: what an array is.

use super::size::{self, Size};
use crate::error::Result;
use crate::options;
use crate::output::{self, share};
use crate::progress::Progress;
use command::reblocking::between_passes_of;
use disk_array::{ArrayDirectory, Attributes, Maker, Stored};
use serde_json::{Value, json};

pub(crate) fn run(options: &options::Info) -> Result<()> {
    let array = ArrayDirectory::open(&options.array.path)?;
    let progress = Progress::waiting("looking");
    let stored = array.stored()?;
    let size = size::of(&array, &stored.shards)?;
    drop(progress);
    if options.array.facts.json {
        return output::print_json(&to_json(&array, &stored, &size));
    }
    output::print(&to_text(&array, &stored, &size))
}

fn to_json(array: &ArrayDirectory, stored: &Stored, size: &Size) -> Value {
    let (metadata, layout) = (array.metadata(), array.layout());
    let ours = array.attributes();
    let part = ours.and_then(|ours| ours.part.as_ref());
    json!({
        "path": array.path().to_string_lossy(),
        "made_by_chemio": ours.is_some(),
        "unfinished": array.unfinished_work(),
        "between_passes_of": between_passes_of(array),
        "name": ours.map(|ours| &ours.name),
        "language": ours.map(|ours| language(ours.made_by)),
        "type_code": ours.map(|ours| ours.type_code),
        "shape": metadata.dims.to_vec(),
        "type": metadata.data_type.name(),
        "dimension_names": metadata.dimension_names,
        "bytes": layout.dims().checked_len().map(|len| len * metadata.data_type.bytes()),
        "brick_shape": metadata.brick_shape.to_vec(),
        "bricks": layout.bricks().count(),
        "brick_grid": layout.bricks().counts().to_vec(),
        "shard_shape": metadata.chunk_shape.to_vec(),
        "sharded": metadata.index.is_some(),
        "shards": layout.shards_count(),
        "shards_with_a_file": size.shards,
        "alignment_bytes": Attributes::of_map(&metadata.attributes).map(|(_, alignment)| alignment.bytes()),
        "on_disk_bytes": size.on_disk_bytes,
        "length_bytes": size.length_bytes,
        "share_written": share(size.written_bytes, size.capacity_bytes),
        "part": part.map(|part| json!({"number": part.number, "of": part.of, "array": part.array})),
        "other_files": stored.foreign.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "attributes": metadata.attributes_as_json(),
    })
}

fn language(maker: Maker) -> &'static str {
    match maker {
        Maker::C => "c",
        Maker::Fortran => "fortran",
    }
}

fn to_text(array: &ArrayDirectory, stored: &Stored, size: &Size) -> String {
    let (metadata, layout) = (array.metadata(), array.layout());
    let elements = layout.dims().checked_len().unwrap_or(0);
    let mut facts = vec![
        ("array", array.path().display().to_string()),
        ("shape", output::extents(&metadata.dims)),
        ("type", metadata.data_type.to_string()),
        ("elements", format!("{elements}, {}", output::bytes(elements * metadata.data_type.bytes()))),
        ("bricks", bricks(array)),
        ("shards", shards(array, size)),
        ("on disk", on_disk(size)),
    ];
    if let Some(what) = array.unfinished_work() {
        facts.push(("state", format!("unfinished: {what} was interrupted, or is not over yet")));
    }
    if let Some(target) = between_passes_of(array) {
        facts.push(("state", format!("between passes of {target}")));
    }
    facts.extend(made_by(array));
    if let Some(names) = &metadata.dimension_names {
        let names: Vec<_> = names.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
        facts.push(("dimensions", names.join(", ")));
    }
    for path in &stored.foreign {
        facts.push(("not of it", path.display().to_string()));
    }
    let users = metadata.attributes.keys().filter(|key| *key != "chemio");
    let value = |key| metadata.attribute_text(key).unwrap_or_default();
    facts.extend(users.map(|key| ("attribute", format!("{key} = {}", value(key)))));
    output::labelled(facts)
}

fn bricks(array: &ArrayDirectory) -> String {
    let (bricks, shard) = (array.layout().bricks(), array.layout().shard());
    let each = output::bytes(shard.brick_bytes());
    format!("{} of {}, {each} each", bricks.count(), output::extents(bricks.brick()))
}

fn shards(array: &ArrayDirectory, size: &Size) -> String {
    let (count, shape) = (array.layout().shards_count(), output::extents(&array.metadata().chunk_shape));
    let missing = count - size.shards.min(count);
    let without = if missing == 0 { String::new() } else { format!(", {missing} without a file") };
    if array.metadata().index.is_some() {
        format!("{count} of {shape}{without}")
    } else {
        format!("none: {count} files of a brick each{without}")
    }
}

fn on_disk(size: &Size) -> String {
    let percent = 100.0 * share(size.written_bytes, size.capacity_bytes);
    format!(
        "{} of {}, {percent:.1} % written",
        output::bytes(size.on_disk_bytes),
        output::bytes(size.length_bytes)
    )
}

fn made_by(array: &ArrayDirectory) -> Vec<(&'static str, String)> {
    let Some(ours) = array.attributes() else {
        return vec![("made by", "another program".to_owned())];
    };
    let language = match ours.made_by {
        Maker::C => "chemio, for C or Rust",
        Maker::Fortran => "chemio, for Fortran, which has the dimensions in the other order",
    };
    let mut facts = vec![("made by", language.to_owned())];
    if !ours.name.is_empty() {
        facts.push(("name", ours.name.clone()));
    }
    if let Some(part) = &ours.part {
        let words = "the others are in directories of this name on other hosts' disks";
        facts.push(("part", format!("{} of {}, from 0; {words}", part.number, part.of)));
    }
    facts
}
