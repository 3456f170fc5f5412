//! Attributes of arrays on disk, as JSON texts.

use crate::Error;
use crate::error::of_disk;
use crate::session::{current, my_turn};
use chemio_capi::Result;
use dra::between::BETWEEN;
use dra::{Attributes, UNFINISHED};
use serde_json::Value;

/// A text of the caller's.
pub(crate) fn text<'a>(bytes: &'a [u8], argument: &'static str) -> Result<&'a str> {
    Ok(std::str::from_utf8(bytes).map_err(|_| Error::NotText { argument })?)
}

/// The value of an attribute, as a JSON text. Local.
pub(crate) fn get(handle: i64, key: &str) -> Result<String> {
    let open = current()?.array(handle)?;
    let disk = open.disk();
    let value = disk.metadata_now().map_err(of_disk)?.attribute_text(key);
    Ok(value.ok_or_else(|| Error::NoAttribute { key: key.to_owned() })?)
}

/// Gives an attribute a value, which is a JSON text, or takes it away. Collective.
pub(crate) fn set(handle: Result<i64>, key: Result<&str>, value: Result<Option<&str>>) -> Result<()> {
    let _turn = my_turn();
    let session = current()?;
    let checked = handle.and_then(|handle| {
        let (open, key) = (session.array(handle)?, not_reserved(key?)?);
        // Nobody may take the target of a copy for complete before its end.
        let is_copied_to = || session.last_copy().as_ref().is_some_and(|last| last.is_to(&open));
        if key == UNFINISHED && is_copied_to() {
            return Err(Error::CopyUnderWay { file: open.file.clone() }.into());
        }
        Ok((open, key, value?.map(|text| parse(key, text)).transpose()?))
    });
    let token = checked
        .as_ref()
        .ok()
        .map(|(open, key, value)| (open.serial, (*key).to_owned(), value.as_ref().map(Value::to_string)));
    let (open, key, value) = session.agree("dra_set_attribute", checked, token)?;
    open.change(|disk| disk.set_attribute(key, value)).map_err(of_disk)
}

/// What tells us whose an array is, is not the caller's.
fn not_reserved(key: &str) -> Result<&str> {
    let is_reserved = key == BETWEEN || Attributes::is_ours(key);
    if is_reserved { Err(Error::ReservedAttribute { key: key.to_owned() }.into()) } else { Ok(key) }
}

fn parse(key: &str, text: &str) -> Result<Value> {
    let value = dra::attribute_of_text(text);
    Ok(value.map_err(|reason| Error::NotJson { key: key.to_owned(), reason })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_json_and_anything_else_is_refused_with_a_reason() {
        for good in ["1.5", "18446744073709551616", "\"text\"", "[1, 2]", "{\"a\": null}", "true", " null "] {
            parse("units", good).expect("JSON");
        }
        for bad in ["", "text", "[1,", "1.5 2", "{a: 1}", "NaN"] {
            let error = parse("units", bad).expect_err("no JSON");
            assert!(
                error.to_string().starts_with("the value of attribute \"units\" is not JSON: "),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert!(text(b"\xff\xfe", "key").is_err());
        assert_eq!(text("Ä".as_bytes(), "key").expect("a text"), "Ä");
    }
}
