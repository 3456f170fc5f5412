//! What chemio notes in an array's attributes, under `chemio`: what the legacy calls ask for, and the alignment, without
//! which the places of bricks cannot be computed. An array is ours if this is there and makes sense.

use super::Alignment;
use super::layout::SHARDS_MAX;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The attribute that holds ours.
const KEY: &str = "chemio";
const VERSION: u32 = 1;

/// The attribute of an array that is not complete, and must not be read yet: an object whose `what` says what has to end before.
pub const UNFINISHED: &str = "chemio_unfinished";
/// A key of [`UNFINISHED`] of who notes there how far he is, and goes on from that if he is interrupted: which try it is. Others must not
/// write the array.
pub const ATTEMPT: &str = "attempt";

/// In which language the array was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// A row-major one (C, Rust): it sees the dimensions as they are stored.
    #[default]
    C,
    /// Fortran: it sees the dimensions reversed, and the same elements in the same order in memory.
    Fortran,
}

/// One of several directories that hold an array together, each on a host's own disk. It has the shards whose number leaves
/// [`number`](Self::number) when divided by [`of`](Self::of); a reader that knows nothing of the others sees fill values there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// Which of them, from 0.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// The same in all parts of an array, and in no other array.
    pub array: String,
}

impl Part {
    /// Whether there can be such a part.
    fn makes_sense(&self) -> bool {
        self.number < self.of && self.of <= SHARDS_MAX
    }

    /// Whether it has shard `number`.
    pub fn has_shard(&self, number: u64) -> bool {
        number % self.of.max(1) == self.number
    }
}

/// What chemio notes about an array. Lists of dimensions are in the order of the stored shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attributes {
    /// The name that the program gave the array; not that of the directory.
    pub name: String,
    /// The number by which the program called the type, such as 1013 for `MT_DBL` in Fortran; 0 if it has none.
    pub type_code: i32,
    /// In which language.
    pub made_by: Maker,
    /// The extents of a typical section, as they were given; empty if none were.
    pub brick_hint: Vec<i64>,
    /// The number of files asked for; 0 if none was.
    pub files_hint: i64,
    /// The number of I/O processes asked for; 0 if none was.
    pub io_processes_hint: i64,
    /// The same in no other array, but in copies of this one. None in arrays that one process has made, or an earlier version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which part of the array the directory holds; none if all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// What is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    align_bytes: u64,
    #[serde(flatten)]
    attributes: Attributes,
}

impl Attributes {
    /// As they are stored among the attributes of an array, with the alignment of its bricks.
    pub fn to_map(&self, alignment: Alignment) -> Map<String, Value> {
        let stored = Stored { version: VERSION, align_bytes: alignment.bytes(), attributes: self.clone() };
        // Texts, numbers and lists of numbers are always JSON.
        Map::from_iter([(KEY.to_owned(), serde_json::to_value(stored).unwrap_or_default())])
    }

    /// From the attributes of an array, with the alignment of its bricks; `None` if the array is not ours, or of a version
    /// that we do not know.
    pub fn of_map(map: &Map<String, Value>) -> Option<(Self, Alignment)> {
        let stored = Stored::deserialize(map.get(KEY)?).ok()?;
        let alignment = Alignment::new(stored.align_bytes).ok()?;
        let makes_sense = stored.attributes.part.as_ref().is_none_or(Part::makes_sense);
        (stored.version == VERSION && makes_sense).then_some((stored.attributes, alignment))
    }

    /// Whether the attribute `key` is kept by chemio, so that programs must not change it.
    pub fn is_ours(key: &str) -> bool {
        key == KEY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page() -> Alignment {
        Alignment::new(4096).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let attributes = Attributes {
            name: "Ä \"T2\" amplitudes".to_owned(),
            type_code: 1013,
            made_by: Maker::Fortran,
            brick_hint: vec![-1, i64::MAX],
            files_hint: 4,
            io_processes_hint: -1,
            id: Some("8b".to_owned()),
            part: Some(Part { number: 1, of: 2, array: "8a".to_owned() }),
        };
        assert_eq!(Attributes::of_map(&attributes.to_map(page())), Some((attributes, page())));
    }

    #[test]
    fn the_text_is_what_the_documentation_shows() {
        assert_eq!(
            Value::Object(Attributes::default().to_map(page())),
            json!({"chemio": {"version": 1, "align_bytes": 4096, "name": "", "type_code": 0, "made_by": "c",
                "brick_hint": [], "files_hint": 0, "io_processes_hint": 0}})
        );
    }

    #[test]
    fn attributes_that_make_no_sense_are_not_ours() {
        for value in [
            json!(1),
            json!({}),
            json!({"version": 2, "align_bytes": 4096}),
            json!({"version": 1, "align_bytes": 4097}),
            json!({"version": 1, "align_bytes": 4096, "made_by": "cobol"}),
            json!({"version": 1, "align_bytes": 4096, "part": {"number": 2, "of": 2, "array": "8a"}}),
            json!({"version": 1, "align_bytes": 4096, "part": {"number": 0, "of": 1u64 << 40, "array": "8a"}}),
        ] {
            assert_eq!(Attributes::of_map(&Map::from_iter([(KEY.to_owned(), value)])), None);
        }
        assert_eq!(Attributes::of_map(&Map::new()), None);
        let enough = json!({"version": 1, "align_bytes": 4096, "unknown": true});
        assert!(Attributes::of_map(&Map::from_iter([(KEY.to_owned(), enough)])).is_some());
    }
}
