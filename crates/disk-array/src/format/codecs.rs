//! The codecs of an array that we can read: bricks as they are in memory, in shards or alone.

use super::json::{Extension, Field};
use super::metadata::MetadataError;
use super::shard::{IndexFormat, IndexLocation};
use section::Shape;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, MetadataError>;

/// What the codecs of an array say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Codecs {
    /// The brick that they make of a chunk: a part of it, in shards.
    pub(super) brick: Shape,
    pub(super) index: Option<IndexFormat>,
}

impl Codecs {
    /// Of an array whose chunks have shape `chunk`.
    pub(super) fn of_json(field: &Field<'_>, chunk: &Shape) -> Result<Self> {
        let chain = field.list()?;
        let (converter, after) = skip_transposes(&chain, chunk.len())?;
        if let [codec, ..] = after {
            return Err(codec.extension()?.unsupported("codec"));
        }
        let converter = converter.ok_or_else(|| field.expected("a codec that makes bytes of an array"))?;
        match converter.name {
            "bytes" => little_endian(&converter).map(|()| Self { brick: *chunk, index: None }),
            "sharding_indexed" => sharding(&converter, chunk),
            _ => Err(converter.unsupported("codec")),
        }
    }

    /// As we write them.
    pub(super) fn to_json(self) -> Value {
        let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let Some(index) = self.index else { return json!([little]) };
        let mut index_codecs = vec![little.clone()];
        if index.checksum {
            index_codecs.push(json!({"name": "crc32c"}));
        }
        let location = match index.location {
            IndexLocation::Start => "start",
            IndexLocation::End => "end",
        };
        json!([{"name": "sharding_indexed", "configuration": {
            "chunk_shape": self.brick.to_vec(),
            "codecs": [little],
            "index_codecs": index_codecs,
            "index_location": location,
        }}])
    }
}

/// The first codec that does more than leave the order of dimensions as it is, and the codecs after it.
fn skip_transposes<'a, 'b>(
    chain: &'b [Field<'a>],
    dims: usize,
) -> Result<(Option<Extension<'a>>, &'b [Field<'a>])> {
    for (at, field) in chain.iter().enumerate() {
        let codec = field.extension()?;
        if codec.name != "transpose" {
            return Ok((Some(codec), &chain[at + 1..]));
        }
        let order = codec.required("order")?;
        let identity = order.value == &json!("C") || order.value == &json!((0..dims).collect::<Vec<_>>());
        if !identity {
            return Err(codec.unsupported("an order of dimensions other than the array's: codec"));
        }
    }
    Ok((None, &[]))
}

fn little_endian(codec: &Extension<'_>) -> Result<()> {
    let endian = codec.required("endian")?;
    match endian.text()? {
        "little" => Ok(()),
        "big" => Err(codec.unsupported("big-endian data: codec")),
        _ => Err(endian.expected("\"little\" or \"big\"")),
    }
}

fn sharding(codec: &Extension<'_>, chunk: &Shape) -> Result<Codecs> {
    let brick_field = codec.required("chunk_shape")?;
    let brick = brick_field.box_shape(chunk.len())?;
    if chunk.iter().zip(brick.iter()).any(|(chunk, brick)| chunk % brick != 0) {
        return Err(brick_field.expected(&format!("a shape that divides the shard's, {chunk:?}")));
    }
    let inner = Codecs::of_json(&codec.required("codecs")?, &brick)?;
    if inner.index.is_some() {
        return Err(codec.unsupported("shards in shards: codec"));
    }
    let location = match codec.get("index_location") {
        None => IndexLocation::End,
        Some(field) => match field.text()? {
            "start" => IndexLocation::Start,
            "end" => IndexLocation::End,
            _ => return Err(field.expected("\"start\" or \"end\"")),
        },
    };
    let checksum = index_checksum(&codec.required("index_codecs")?, chunk.len())?;
    Ok(Codecs { brick, index: Some(IndexFormat { location, checksum }) })
}

/// Whether an index has a checksum.
fn index_checksum(field: &Field<'_>, dims: usize) -> Result<bool> {
    let chain = field.list()?;
    // An index has one dimension more: offset and length.
    let (converter, after) = skip_transposes(&chain, dims + 1)?;
    let converter = converter.ok_or_else(|| field.expected("a codec that makes bytes of an index"))?;
    if converter.name != "bytes" {
        return Err(converter.unsupported("codec"));
    }
    little_endian(&converter)?;
    match after {
        [] => Ok(false),
        [codec] if codec.extension()?.name == "crc32c" => Ok(true),
        [.., codec] => Err(codec.extension()?.unsupported("codec")),
    }
}
