//! The format: values that say what is on disk, and never touch it.

mod alignment;
mod attributes;
mod bare;
mod brick_shape;
mod chunk_key;
mod codecs;
mod data_type;
mod fill_value;
mod json;
mod layout;
mod metadata;
mod shard;
mod spec;

pub use alignment::Alignment;
pub use attributes::{ATTEMPT, Attributes, Maker, Part, UNFINISHED};
pub(crate) use bare::Document;
pub use bare::attribute_of_text;
pub use brick_shape::BrickShape;
pub(crate) use chunk_key::coordinate;
pub use chunk_key::{ChunkKeys, Separator};
pub use data_type::DataType;
pub use fill_value::FillValue;
pub use layout::{ArrayLayout, BRICKS_PER_SHARD_MAX, BrickPlace, SHARDS_MAX};
pub use metadata::{Metadata, MetadataError};
pub use shard::{IndexEntry, IndexFormat, IndexLocation, ShardLayout};
pub use spec::{ArraySpec, Bricks, Replaces};

/// The name of the metadata in an array's directory.
pub const METADATA: &str = "zarr.json";
