//! `zarr.json`: what the array is.
//!
//! We write the smallest valid text. We read any valid one, and refuse by name what we cannot do: the specification demands
//! that a reader fails on what it does not know, unless it is marked as harmless.
//!
//! Source: Zarr v3 core specification, array metadata.

use super::bare::{Document, with_words_as_texts, with_words_bare};
use super::codecs::Codecs;
use super::json::{Field, quoted, required};
use super::{Alignment, ArrayLayout, BrickShape, ChunkKeys, DataType, FillValue, IndexFormat, Separator};
use crate::error;
use section::Shape;
use serde_json::{Map, Value, json};

/// What is wrong with metadata; whoever read them knows the path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// Not valid metadata of Zarr v3.
    #[error("{0}")]
    Malformed(String),
    /// Valid, but not an array: what it is.
    #[error("{0}")]
    NotAnArray(&'static str),
    /// Valid, but we do not have it.
    #[error("not supported: {0}")]
    Unsupported(String),
}

type Result<T> = std::result::Result<T, MetadataError>;

/// The metadata of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// The shape of the array. The last index is contiguous.
    pub dims: Shape,
    /// What its elements are.
    pub data_type: DataType,
    /// The shape of a chunk file in elements: of a shard, or of a brick.
    pub chunk_shape: Shape,
    /// The shape of a brick; it divides the chunk's.
    pub brick_shape: Shape,
    /// How shards are indexed; `None` if a chunk file is a brick.
    pub index: Option<IndexFormat>,
    /// The names of chunk files.
    pub keys: ChunkKeys,
    /// What elements are that nobody wrote.
    pub fill: FillValue,
    /// Names of the dimensions, where they have any.
    pub dimension_names: Option<Vec<Option<String>>>,
    /// What programs and people noted.
    pub attributes: Map<String, Value>,
}

/// The fields of the specification that are looked at, each by its own line below.
const KNOWN: [&str; 11] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "storage_transformers",
    "dimension_names",
];

impl Metadata {
    /// Of an array that we make with this layout.
    ///
    /// # Errors
    /// - [`crate::Error::TooLarge`]: a shard with an extent that does not fit in 64 bits.
    pub fn of_layout(layout: &ArrayLayout, attributes: Map<String, Value>) -> error::Result<Self> {
        let dims = *layout.dims();
        let too_large = || {
            let what = "elements along a shard".to_owned();
            error::Error::TooLarge { what, max: u64::MAX, dims: dims.to_vec() }
        };
        Ok(Self {
            dims,
            data_type: layout.data_type(),
            chunk_shape: layout.shard_shape().ok_or_else(too_large)?,
            brick_shape: *layout.bricks().brick(),
            index: layout.shard().index(),
            keys: ChunkKeys::OURS,
            fill: FillValue::zero(layout.data_type()),
            dimension_names: None,
            attributes,
        })
    }

    /// The layout of such an array where we lay out its shards, with bricks aligned so.
    ///
    /// # Errors
    /// As [`ArrayLayout::with_shards`].
    pub fn layout(&self, alignment: Alignment) -> error::Result<ArrayLayout> {
        let brick = BrickShape::exact(&self.brick_shape)?;
        let per_shard = Shape::from_fn(self.dims.len(), |d| self.chunk_shape[d] / self.brick_shape[d]);
        ArrayLayout::with_shards(&self.dims, self.data_type, &brick, &per_shard, self.index, alignment)
    }

    /// The text of `zarr.json`.
    pub fn to_text(&self) -> String {
        let codecs = Codecs { brick: self.brick_shape, index: self.index };
        let mut object = json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": self.dims.to_vec(),
            "data_type": self.data_type.name(),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": self.chunk_shape.to_vec()}},
            "chunk_key_encoding":
                {"name": self.keys.name(), "configuration": {"separator": self.keys.separator().text()}},
            "fill_value": self.fill.to_json(self.data_type),
            "codecs": codecs.to_json(),
            "attributes": self.attributes,
        });
        if let Some(names) = &self.dimension_names {
            object["dimension_names"] = json!(names);
        }
        with_words_bare(&format!("{object:#}\n"))
    }

    /// The value of an attribute as a JSON text; `NaN`, `Infinity`, `-Infinity`, numbers that 64 bits do not hold and halves of
    /// surrogate pairs in it are as in the file.
    pub fn attribute_text(&self, key: &str) -> Option<String> {
        self.attributes.get(key).map(|value| with_words_bare(&value.to_string()))
    }

    /// The attributes as JSON that every program reads: `NaN`, `Infinity` and `-Infinity`, which are bare words in the file, are texts, and so
    /// are numbers that 64 bits do not hold; half a surrogate pair in a text is what it is in the file, such as `\ud800`.
    pub fn attributes_as_json(&self) -> Value {
        with_words_as_texts(&Value::Object(self.attributes.clone()))
    }

    /// From the text of `zarr.json`.
    ///
    /// # Errors
    /// - [`MetadataError::Malformed`]: not JSON, a field missing or with a value that it cannot have.
    /// - [`MetadataError::NotAnArray`]: a group, or another version of Zarr.
    /// - [`MetadataError::Unsupported`]: data types, codecs, grids and extensions that we do not have.
    pub fn of_text(text: &[u8]) -> Result<Self> {
        let document = Document::of_text(text)
            .map_err(|reason| MetadataError::Malformed(format!("not valid JSON: {reason}")))?;
        let object = Field { value: &document.value, name: "the metadata".to_owned() }.object()?;
        expect_array(object)?;
        expect_nothing_unknown(object)?;
        let field = |key| required(object, "", key);
        let dims = field("shape")?.shape()?;
        let data_type = data_type(&field("data_type")?)?;
        let chunk_shape = chunk_shape(&field("chunk_grid")?, dims.len())?;
        let codecs = Codecs::of_json(&field("codecs")?, &chunk_shape)?;
        Ok(Self {
            dims,
            data_type,
            chunk_shape,
            brick_shape: codecs.brick,
            index: codecs.index,
            keys: chunk_keys(&field("chunk_key_encoding")?)?,
            fill: FillValue::of_json(data_type, &field("fill_value")?)?,
            dimension_names: dimension_names(object, dims.len())?,
            attributes: attributes(object)?,
        })
    }
}

fn expect_array(object: &Map<String, Value>) -> Result<()> {
    match required(object, "", "zarr_format")?.value.as_u64() {
        Some(3) => {}
        Some(1 | 2) => {
            return Err(MetadataError::NotAnArray("an array or group of Zarr version 2 or before"));
        }
        _ => return Err(required(object, "", "zarr_format")?.expected("3")),
    }
    let node_type = required(object, "", "node_type")?;
    match node_type.text()? {
        "array" => Ok(()),
        "group" => Err(MetadataError::NotAnArray("a Zarr group")),
        _ => Err(node_type.expected("\"array\"")),
    }
}

/// What we do not know must say that it need not be understood.
fn expect_nothing_unknown(object: &Map<String, Value>) -> Result<()> {
    let harmless = |value: &Value| value.get("must_understand") == Some(&Value::Bool(false));
    if let Some((key, value)) =
        object.iter().find(|(key, value)| !KNOWN.contains(&key.as_str()) && !harmless(value))
    {
        return Err(MetadataError::Unsupported(format!("the extension {key:?}: {}", quoted(value))));
    }
    match object.get("storage_transformers") {
        None => Ok(()),
        Some(value) if value.as_array().is_some_and(Vec::is_empty) => Ok(()),
        Some(value) => Err(MetadataError::Unsupported(format!("storage_transformers {}", quoted(value)))),
    }
}

fn data_type(field: &Field<'_>) -> Result<DataType> {
    let extension = field.extension()?;
    DataType::of_name(extension.name).ok_or_else(|| extension.unsupported("type"))
}

fn chunk_shape(field: &Field<'_>, dims: usize) -> Result<Shape> {
    let grid = field.extension()?;
    if grid.name != "regular" {
        return Err(grid.unsupported("grid"));
    }
    grid.required("chunk_shape")?.box_shape(dims)
}

fn chunk_keys(field: &Field<'_>) -> Result<ChunkKeys> {
    let encoding = field.extension()?;
    let separator = match encoding.get("separator") {
        None => None,
        Some(field) => match field.text()? {
            "/" => Some(Separator::Slash),
            "." => Some(Separator::Dot),
            _ => return Err(field.expected("\"/\" or \".\"")),
        },
    };
    match encoding.name {
        "default" => Ok(ChunkKeys::Default(separator.unwrap_or(Separator::Slash))),
        "v2" => Ok(ChunkKeys::V2(separator.unwrap_or(Separator::Dot))),
        _ => Err(encoding.unsupported("chunk key encoding")),
    }
}

fn dimension_names(object: &Map<String, Value>, dims: usize) -> Result<Option<Vec<Option<String>>>> {
    let Some(value) = object.get("dimension_names").filter(|value| !value.is_null()) else { return Ok(None) };
    let field = Field { value, name: "dimension_names".to_owned() };
    let names: Vec<_> = field
        .list()?
        .iter()
        .map(
            |name| {
                if name.value.is_null() { Ok(None) } else { name.text().map(|text| Some(text.to_owned())) }
            },
        )
        .collect::<Result<_>>()?;
    if names.len() == dims { Ok(Some(names)) } else { Err(field.expected(&format!("{dims} names"))) }
}

fn attributes(object: &Map<String, Value>) -> Result<Map<String, Value>> {
    match object.get("attributes") {
        None => Ok(Map::new()),
        Some(value) => Field { value, name: "attributes".to_owned() }.object().cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::IndexLocation;

    /// As zarr-python 3.1.6 writes it.
    fn sharded() -> Value {
        json!({
            "shape": [5, 7],
            "data_type": "float64",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": "NaN",
            "codecs": [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [2, 3],
                "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
                "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
                "index_location": "end"}}],
            "attributes": {"units": "hartree"},
            "zarr_format": 3,
            "node_type": "array",
            "storage_transformers": [],
        })
    }

    fn parse(value: &Value) -> Result<Metadata> {
        Metadata::of_text(value.to_string().as_bytes())
    }

    fn changed(pointer: &str, value: Value) -> Value {
        let mut object = sharded();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = object.pointer_mut(parent).unwrap();
        match parent {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            other => other[key] = value,
        }
        object
    }

    const INNER: &str = "/codecs/0/configuration";

    #[test]
    fn what_is_written_is_read() {
        let mut metadata = parse(&sharded()).unwrap();
        assert_eq!(metadata.index, Some(IndexFormat::OURS));
        assert_eq!((&metadata.chunk_shape[..], &metadata.brick_shape[..]), (&[4, 6][..], &[2, 3][..]));
        for index in [None, Some(IndexFormat { location: IndexLocation::Start, checksum: false })] {
            metadata.index = index;
            if index.is_none() {
                metadata.chunk_shape = metadata.brick_shape;
            }
            metadata.keys = ChunkKeys::V2(Separator::Dot);
            metadata.dimension_names = Some(vec![Some("x".to_owned()), None]);
            assert_eq!(Metadata::of_text(metadata.to_text().as_bytes()).unwrap(), metadata);
        }
    }

    #[test]
    fn fields_that_may_be_missing_or_short_have_their_meaning() {
        let mut object = sharded();
        for key in ["attributes", "storage_transformers"] {
            object.as_object_mut().unwrap().remove(key);
        }
        object["chunk_key_encoding"] = json!("v2");
        object["data_type"] = json!({"name": "float64"});
        object["codecs"][0]["configuration"].as_object_mut().unwrap().remove("index_location");
        object["codecs"][0]["configuration"]["index_codecs"][1] = json!("crc32c");
        object["dimension_names"] = json!(null);
        object["extra"] = json!({"must_understand": false, "more": 1});
        let metadata = parse(&object).unwrap();
        assert_eq!(metadata.keys, ChunkKeys::V2(Separator::Dot));
        assert_eq!(metadata.index, Some(IndexFormat::OURS));
        assert!(metadata.attributes.is_empty() && metadata.dimension_names.is_none());
    }

    #[test]
    fn transposes_that_change_nothing_are_accepted() {
        let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
        for order in [json!([0, 1]), json!("C")] {
            let identity = json!({"name": "transpose", "configuration": {"order": order}});
            assert!(parse(&changed("/codecs", json!([identity, little]))).unwrap().index.is_none());
            let inner = json!([identity, identity, little]);
            assert!(parse(&changed(&format!("{INNER}/codecs"), inner)).is_ok());
        }
    }

    #[test]
    fn what_we_do_not_have_is_refused_by_name() {
        let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let big = json!({"name": "bytes", "configuration": {"endian": "big"}});
        let gzip = json!({"name": "gzip", "configuration": {"level": 1}});
        let reversed = json!({"name": "transpose", "configuration": {"order": [1, 0]}});
        let inner = format!("{INNER}/codecs");
        let index = format!("{INNER}/index_codecs");
        for (object, named) in [
            (changed("/data_type", json!("float16")), "\"float16\" in data_type"),
            (changed("/data_type", json!({"name": "numpy.datetime64"})), "\"numpy.datetime64\""),
            (changed("/codecs", json!([little, gzip])), "codec \"gzip\" in codecs[1]"),
            (changed("/codecs", json!([gzip])), "codec \"gzip\" in codecs[0]"),
            (changed("/codecs", json!([little, "crc32c"])), "\"crc32c\""),
            (changed("/codecs", json!([big])), "big-endian"),
            (changed("/codecs", json!([reversed, little])), "order of dimensions"),
            (changed(&inner, json!([little, "zstd"])), "\"zstd\" in codecs[0].codecs[1]"),
            (changed(&inner, json!([big])), "big-endian"),
            (changed(&inner, json!([reversed, little])), "order of dimensions"),
            (changed(&index, json!([big, "crc32c"])), "big-endian"),
            (changed(&index, json!([little, gzip])), "\"gzip\" in codecs[0].index_codecs[1]"),
            (changed(&index, json!([little, "crc32c", "crc32c"])), "\"crc32c\""),
            (changed("/chunk_grid/name", json!("rectilinear")), "grid \"rectilinear\""),
            (changed("/chunk_key_encoding/name", json!("suffix")), "chunk key encoding \"suffix\""),
            (changed("/shape", json!([])), "0 dimensions"),
            (changed("/shape", json!([1, 1, 1, 1, 1, 1, 1, 1])), "8 dimensions"),
            (changed("/storage_transformers", json!(["x"])), "storage_transformers"),
            (changed("/surprise", json!({"a": 1})), "the extension \"surprise\""),
        ] {
            let error = parse(&object).unwrap_err();
            assert!(matches!(error, MetadataError::Unsupported(_)), "{error:?}");
            assert!(error.to_string().contains(named), "{error}");
        }
        let mut nested = sharded()["codecs"].clone();
        nested[0]["configuration"]["chunk_shape"] = json!([1, 1]);
        assert!(parse(&changed(&inner, nested)).unwrap_err().to_string().contains("shards in shards"));
    }

    #[test]
    fn groups_and_older_versions_are_no_arrays() {
        let group = changed("/node_type", json!("group"));
        assert_eq!(parse(&group), Err(MetadataError::NotAnArray("a Zarr group")));
        assert!(matches!(parse(&changed("/zarr_format", json!(2))), Err(MetadataError::NotAnArray(_))));
    }

    #[test]
    fn what_is_not_valid_is_refused_with_the_field_and_its_value() {
        for (pointer, value, message) in [
            ("/zarr_format", json!(4), "zarr_format is 4, expected 3"),
            ("/node_type", json!(1), "node_type is 1, expected a text"),
            ("/shape", json!([5, -7]), "shape[1] is -7"),
            ("/shape", json!(5), "shape is 5, expected a list"),
            ("/shape", json!([5, 7.5]), "shape[1] is 7.5"),
            ("/shape", json!([5]), "chunk_grid.chunk_shape is [4,6], expected 1 numbers"),
            ("/chunk_grid", json!({"name": "regular"}), "chunk_grid (regular) has no chunk_shape"),
            ("/chunk_grid/configuration/chunk_shape", json!([4, 0]), "expected 2 numbers above zero"),
            ("/codecs", json!([]), "codecs is [], expected a codec"),
            ("/codecs", json!([1]), "codecs[0] is 1, expected an object"),
            ("/codecs", json!(["bytes"]), "codecs[0] (bytes) has no endian"),
            ("/codecs/0/configuration/chunk_shape", json!([3, 3]), "divides the shard's, [4, 6]"),
            ("/codecs/0/configuration/index_location", json!("middle"), "expected \"start\" or \"end\""),
            ("/codecs/0/configuration/index_codecs", json!([]), "bytes of an index"),
            ("/dimension_names", json!(["x"]), "expected 2 names"),
            ("/attributes", json!([]), "attributes is [], expected an object"),
            ("/chunk_key_encoding/configuration/separator", json!("-"), "expected \"/\" or \".\""),
        ] {
            let error = parse(&changed(pointer, value)).unwrap_err();
            assert!(matches!(error, MetadataError::Malformed(_)), "{error:?}");
            assert!(error.to_string().contains(message), "{error}");
        }
        for key in ["zarr_format", "node_type", "shape", "data_type", "chunk_grid", "fill_value", "codecs"] {
            let mut object = sharded();
            object.as_object_mut().unwrap().remove(key);
            assert_eq!(parse(&object), Err(MetadataError::Malformed(format!("there is no {key}"))));
        }
        let deep = "[".repeat(100_000);
        for text in ["", "{", "[]", "null", "\u{feff}{}", &deep] {
            assert!(matches!(Metadata::of_text(text.as_bytes()), Err(MetadataError::Malformed(_))));
        }
    }
}
