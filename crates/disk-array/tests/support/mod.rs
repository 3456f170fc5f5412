//! Arrays stored as other programs store them, written by the specification alone: not a line is shared with the crate
//! but the names of things.

#![allow(dead_code, reason = "each test uses some of it")]

use disk_array::DataType;
use disk_array::format::{ChunkKeys, IndexFormat, IndexLocation};
use std::fs;
use std::path::Path;

/// Element `number` of a test array: never zero, and different for the first 2^24.
pub(crate) fn element(number: u64, data_type: DataType) -> Vec<u8> {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let float = number as f64 + 0.5;
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    let single = float as f32;
    let integer = i64::try_from(number).unwrap() - (1 << 30);
    match data_type {
        DataType::Int32 => i32::try_from(integer).unwrap().to_le_bytes().to_vec(),
        DataType::Int64 => (integer << 20).to_le_bytes().to_vec(),
        DataType::Float32 => single.to_le_bytes().to_vec(),
        DataType::Float64 => (float / 3.0).to_le_bytes().to_vec(),
        DataType::Complex64 => [single.to_le_bytes(), (-single).to_le_bytes()].concat(),
        DataType::Complex128 => [(float / 3.0).to_le_bytes(), (-float).to_le_bytes()].concat(),
    }
}

/// The first `count` elements.
pub(crate) fn numbered(count: u64, data_type: DataType) -> Vec<u8> {
    (0..count).flat_map(|number| element(number, data_type)).collect()
}

/// What nobody wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Nothing,
    /// Every third brick; of an array without shards, nothing.
    SomeBricks,
    /// Every second chunk file.
    SomeChunks,
}

/// How an array is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) index: Option<IndexFormat>,
    pub(crate) keys: ChunkKeys,
    pub(crate) missing: Missing,
    /// The last brick first.
    pub(crate) reversed_order: bool,
}

const DIMS: [u64; 3] = [5, 7, 3];
const BRICK: [u64; 3] = [2, 3, 2];
/// Bricks of a chunk in each dimension, in shards.
const PER_CHUNK: [u64; 3] = [2, 1, 2];

fn fill(data_type: DataType) -> (Vec<u8>, &'static str) {
    match data_type {
        DataType::Int32 => ((-5i32).to_le_bytes().to_vec(), "-5"),
        DataType::Int64 => (i64::MAX.to_le_bytes().to_vec(), "9223372036854775807"),
        DataType::Float32 => (0x7FC0_0001u32.to_le_bytes().to_vec(), "\"0x7fc00001\""),
        DataType::Float64 => (f64::NAN.to_bits().to_le_bytes().to_vec(), "\"NaN\""),
        DataType::Complex64 => {
            ([1.5f32.to_le_bytes(), f32::INFINITY.to_le_bytes()].concat(), "[1.5, \"Infinity\"]")
        }
        DataType::Complex128 => (vec![0; 16], "[0, 0.0]"),
    }
}

/// Stores an array at `path`; its elements and its shape.
pub(crate) fn store(path: &Path, data_type: DataType, way: Stored) -> (Vec<u8>, [u64; 3]) {
    let per_chunk = if way.index.is_some() { PER_CHUNK } else { [1; 3] };
    let chunk = [0, 1, 2].map(|d| BRICK[d] * per_chunk[d]);
    let (fill, fill_text) = fill(data_type);
    fs::write(path.join("zarr.json"), metadata(data_type, way, &chunk, fill_text)).unwrap();
    let mut all = numbered(DIMS.iter().product(), data_type);
    let counts = [0, 1, 2].map(|d| DIMS[d].div_ceil(chunk[d]));
    for (number, at) in positions(&counts).into_iter().enumerate() {
        let bricks: Vec<_> = positions(&per_chunk)
            .into_iter()
            .map(|inner| [0, 1, 2].map(|d| at[d] * per_chunk[d] + inner[d]))
            .enumerate()
            .map(|(slot, brick)| {
                let absent = match way.missing {
                    Missing::Nothing => false,
                    Missing::SomeBricks => way.index.is_some() && slot % 3 == 1,
                    Missing::SomeChunks => number % 2 == 1,
                };
                let bytes = take_brick(&mut all, &brick, data_type, &fill, absent);
                (!absent).then_some(bytes)
            })
            .collect();
        if way.missing == Missing::SomeChunks && number % 2 == 1 {
            continue;
        }
        let chunk_file = path.join(way.keys.key(&at));
        fs::create_dir_all(chunk_file.parent().unwrap()).unwrap();
        fs::write(chunk_file, chunk_bytes(&bricks, way)).unwrap();
    }
    (all, DIMS)
}

/// Every position in a box, in row-major order.
fn positions(counts: &[u64; 3]) -> Vec<[u64; 3]> {
    let mut found = vec![];
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            found.extend((0..counts[2]).map(|k| [i, j, k]));
        }
    }
    found
}

/// The bytes of a brick; if it is to be absent, its elements become the fill value.
fn take_brick(all: &mut [u8], brick: &[u64; 3], data_type: DataType, fill: &[u8], absent: bool) -> Vec<u8> {
    let len = usize::try_from(data_type.bytes()).unwrap();
    let mut bytes = vec![];
    for inner in positions(&BRICK) {
        let index = [0, 1, 2].map(|d| brick[d] * BRICK[d] + inner[d]);
        if (0..3).any(|d| index[d] >= DIMS[d]) {
            // Beyond the array anything may be stored.
            bytes.extend(vec![0xEE; len]);
            continue;
        }
        let at = usize::try_from((index[0] * DIMS[1] + index[1]) * DIMS[2] + index[2]).unwrap() * len;
        if absent {
            all[at..at + len].copy_from_slice(fill);
        }
        bytes.extend(&all[at..at + len]);
    }
    bytes
}

fn chunk_bytes(bricks: &[Option<Vec<u8>>], way: Stored) -> Vec<u8> {
    let Some(format) = way.index else { return bricks[0].clone().unwrap() };
    let index_len = bricks.len() * 16 + if format.checksum { 4 } else { 0 };
    let mut data = vec![];
    if format.location == IndexLocation::Start {
        data.resize(index_len, 0);
    }
    let mut words = vec![[u64::MAX; 2]; bricks.len()];
    let mut order: Vec<usize> = (0..bricks.len()).collect();
    if way.reversed_order {
        order.reverse();
    }
    for slot in order {
        if let Some(bytes) = &bricks[slot] {
            words[slot] = [data.len() as u64, bytes.len() as u64];
            data.extend(bytes);
            // Bytes that belong to nobody are allowed between bricks.
            data.extend([0xDD; 3]);
        }
    }
    let mut index: Vec<u8> = words.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    if format.checksum {
        index.extend(crc32c_bit_by_bit(&index).to_le_bytes());
    }
    match format.location {
        IndexLocation::Start => data[..index_len].copy_from_slice(&index),
        IndexLocation::End => data.extend(index),
    }
    data
}

/// CRC-32C by its definition.
fn crc32c_bit_by_bit(bytes: &[u8]) -> u32 {
    let mut remainder = u32::MAX;
    for byte in bytes {
        remainder ^= u32::from(*byte);
        for _ in 0..8 {
            remainder = (remainder >> 1) ^ (0x82F6_3B78 & (remainder & 1).wrapping_neg());
        }
    }
    !remainder
}

fn metadata(data_type: DataType, way: Stored, chunk: &[u64; 3], fill: &str) -> String {
    let little = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
    let codecs = match way.index {
        None => little.to_owned(),
        Some(format) => {
            let crc = if format.checksum { r#", {"name": "crc32c"}"# } else { "" };
            let location = if format.location == IndexLocation::Start { "start" } else { "end" };
            format!(
                r#"{{"name": "sharding_indexed", "configuration": {{"chunk_shape": {BRICK:?}, "codecs": [{little}],
                "index_codecs": [{little}{crc}], "index_location": "{location}"}}}}"#
            )
        }
    };
    let keys = match way.keys {
        ChunkKeys::Default(_) => "default",
        ChunkKeys::V2(_) => "v2",
    };
    let separator = way.keys.separator().text();
    format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": {DIMS:?}, "data_type": "{data_type}",
        "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": {chunk:?}}}}},
        "chunk_key_encoding": {{"name": "{keys}", "configuration": {{"separator": "{separator}"}}}},
        "dimension_names": ["x", null, "z"], "fill_value": {fill}, "codecs": [{codecs}], "attributes": {{"a": 1}}}}"#
    )
}
