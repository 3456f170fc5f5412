//! Reading JSON of the metadata so that every complaint names the field.

use super::bare::{with_words_bare, word_of};
use super::metadata::MetadataError;
use section::Shape;
use serde_json::{Map, Value};

type Result<T> = std::result::Result<T, MetadataError>;

/// A value and the name of the field that it is in.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pub(super) value: &'a Value,
    pub(super) name: String,
}

/// An extension point of the metadata: a name, and a configuration unless none is needed.
#[derive(Clone, Debug)]
pub(super) struct Extension<'a> {
    pub(super) name: &'a str,
    configuration: Option<&'a Map<String, Value>>,
    field: String,
}

/// The longest piece of a file that a message quotes, in characters.
const QUOTED_MAX: usize = 60;

/// A value as a message quotes it.
pub(super) fn quoted(value: &Value) -> String {
    let text = with_words_bare(&value.to_string());
    match text.char_indices().nth(QUOTED_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A text that does not stand for a bare word.
fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| word_of(text).is_none())
}

impl<'a> Field<'a> {
    pub(super) fn expected(&self, what: &str) -> MetadataError {
        MetadataError::Malformed(format!("{} is {}, expected {what}", self.name, quoted(self.value)))
    }

    pub(super) fn object(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.expected("an object"))
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        text_of(self.value).ok_or_else(|| self.expected("a text"))
    }

    pub(super) fn list(&self) -> Result<Vec<Field<'a>>> {
        let list = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        let item = |(at, value)| Field { value, name: format!("{}[{at}]", self.name) };
        Ok(list.iter().enumerate().map(item).collect())
    }

    pub(super) fn count(&self) -> Result<u64> {
        self.value.as_u64().ok_or_else(|| self.expected("a number from 0 to 18446744073709551615"))
    }

    /// 1 to 7 counts.
    pub(super) fn shape(&self) -> Result<Shape> {
        let counts = self.list()?.iter().map(Field::count).collect::<Result<Vec<_>>>()?;
        Shape::new(&counts)
            .map_err(|_| MetadataError::Unsupported(format!("{} dimensions in {}", counts.len(), self.name)))
    }

    /// A shape of `dims` dimensions without an extent of zero.
    pub(super) fn box_shape(&self, dims: usize) -> Result<Shape> {
        let shape = self.shape()?;
        if shape.len() != dims || shape.contains(&0) {
            return Err(self.expected(&format!("{dims} numbers above zero")));
        }
        Ok(shape)
    }

    /// `{"name": ..., "configuration": {...}}`, or the name alone.
    pub(super) fn extension(&self) -> Result<Extension<'a>> {
        if let Some(name) = text_of(self.value) {
            return Ok(Extension { name, configuration: None, field: self.name.clone() });
        }
        let object = self.object()?;
        let configuration = match object.get("configuration") {
            None => None,
            Some(value) => Some(Field { value, name: format!("{}.configuration", self.name) }.object()?),
        };
        Ok(Extension {
            name: required(object, &self.name, "name")?.text()?,
            configuration,
            field: self.name.clone(),
        })
    }
}

impl<'a> Extension<'a> {
    pub(super) fn get(&self, key: &str) -> Option<Field<'a>> {
        let value = self.configuration?.get(key)?;
        Some(Field { value, name: format!("{}.{key}", self.field) })
    }

    pub(super) fn required(&self, key: &str) -> Result<Field<'a>> {
        let missing = || MetadataError::Malformed(format!("{} ({}) has no {key}", self.field, self.name));
        self.get(key).ok_or_else(missing)
    }

    pub(super) fn unsupported(&self, what: &str) -> MetadataError {
        MetadataError::Unsupported(format!("{what} {:?} in {}", self.name, self.field))
    }
}

/// The field `key` of the object called `name`.
pub(super) fn required<'a>(object: &'a Map<String, Value>, name: &str, key: &str) -> Result<Field<'a>> {
    let full = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match object.get(key) {
        Some(value) => Ok(Field { value, name: full }),
        None => Err(MetadataError::Malformed(format!("there is no {full}"))),
    }
}
