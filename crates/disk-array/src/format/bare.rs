//! The bare words `NaN`, `Infinity` and `-Infinity`, which are no JSON, and which other programs write for such numbers among the
//! attributes.
//!
//! They are read as texts: [`MARK`] and the word. U+FDD0 is a noncharacter, which Unicode keeps from texts that programs exchange. A
//! file with such words and with that character in a text of its own is refused, so that no text in it becomes a number.

use serde_json::Value;

/// What the text begins with that stands for a bare word.
const MARK: char = '\u{fdd0}';
/// The words. What begins with another comes before it.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
/// Four digits of `\u` that mean [`MARK`], in lower case.
const MARK_DIGITS: &[u8] = b"fdd0";

/// A file of metadata.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    /// What it says; a bare word is a text with the mark.
    pub(crate) value: Value,
    /// Whether there were bare words.
    has_words: bool,
}

impl Document {
    /// Reads JSON, or what is JSON but for bare words.
    pub(crate) fn of_text(text: &[u8]) -> Result<Self, String> {
        let (quoted, has_words) = match serde_json::from_slice(text) {
            Ok(value) => return Ok(Self { value, has_words: false }),
            Err(error) => match with_words_quoted(text)? {
                Some(quoted) => (quoted, true),
                None => return Err(error.to_string()),
            },
        };
        let value = serde_json::from_slice(&quoted).map_err(|error| error.to_string())?;
        Ok(Self { value, has_words })
    }

    /// The text, with the bare words that there were.
    pub(crate) fn to_text(&self) -> Result<String, String> {
        let text = format!("{:#}\n", self.value);
        if !self.has_words {
            return Ok(text);
        }
        let text = with_words_bare(&text);
        if text.contains(MARK) { Err(ambiguous()) } else { Ok(text) }
    }
}

fn ambiguous() -> String {
    format!("a text with U+{:04X} beside a bare NaN or Infinity", u32::from(MARK))
}

/// Turns texts that stand for bare words into the words.
pub(crate) fn with_words_bare(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, word| text.replace(&format!("\"{MARK}{word}\""), word))
}

/// A value in which the texts that stand for bare words are the words, as texts: for who takes nothing but JSON.
pub(crate) fn with_words_as_texts(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix(MARK) {
            Some(word) if WORDS.contains(&word) => word.into(),
            _ => value.clone(),
        },
        Value::Array(values) => values.iter().map(with_words_as_texts).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.clone(), with_words_as_texts(value))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Turns bare words outside texts into texts; `None` if there are none.
fn with_words_quoted(text: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let (mut quoted, mut rest) = (Vec::with_capacity(text.len()), text);
    let (mut has_words, mut has_mark) = (false, false);
    while let Some(&byte) = rest.first() {
        let len = if byte == b'"' {
            let len = string_len(rest);
            has_mark |= contains_mark(&rest[..len]);
            len
        } else if let Some(word) = WORDS.iter().find(|word| rest.starts_with(word.as_bytes())) {
            if rest[word.len()..].trim_ascii_start().starts_with(b":") {
                return Ok(None); // a name, which must be a text
            }
            has_words = true;
            quoted.extend(format!("\"{MARK}{word}\"").bytes());
            rest = &rest[word.len()..];
            continue;
        } else {
            1
        };
        quoted.extend(&rest[..len]);
        rest = &rest[len..];
    }
    if has_words && has_mark { Err(ambiguous()) } else { Ok(has_words.then_some(quoted)) }
}

/// The bytes of the string that `text` begins with, quotes included; all of them if it does not end.
fn string_len(text: &[u8]) -> usize {
    let mut escaped = true; // the quote that opens it does not end it
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether there is a mark in a string, as it is or by its number.
fn contains_mark(string: &[u8]) -> bool {
    let mut mark = [0; 4];
    let mark = MARK.encode_utf8(&mut mark).as_bytes();
    let numbered = |at: &[u8]| at[..2] == *b"\\u" && at[2..].eq_ignore_ascii_case(MARK_DIGITS);
    string.windows(mark.len()).any(|at| at == mark) || string.windows(6).any(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Document {
        Document::of_text(text.as_bytes()).unwrap()
    }

    #[test]
    fn bare_words_are_read_wherever_a_value_may_be_and_written_back() {
        let text = r#"{"a": NaN, "b": [Infinity,-Infinity, 1.5, [NaN]], "c": {"d": -Infinity}, "e": null}"#;
        let document = read(text);
        assert_eq!(document.value["a"], json!("\u{fdd0}NaN"));
        assert_eq!(document.value["b"][1], json!("\u{fdd0}-Infinity"));
        let written = document.to_text().unwrap();
        let packed = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(packed(&written), packed(text));
        assert_eq!(read(&written), document);
        assert_eq!(read(" NaN ").to_text().unwrap(), "NaN\n");
        let shown = json!({"a": "NaN", "b": ["Infinity", "-Infinity", 1.5, ["NaN"]], "c": {"d": "-Infinity"}, "e": null});
        assert_eq!(with_words_as_texts(&document.value), shown);
    }

    #[test]
    fn words_within_texts_and_names_stay_texts() {
        let text = r#"{"NaN": "NaN", "b": "x\": NaN, \\", "c": [NaN, "-Infinity", "\\\"NaN"]}"#;
        let document = read(text);
        assert_eq!(document.value["NaN"], json!("NaN"));
        assert_eq!(document.value["b"], json!("x\": NaN, \\"));
        assert_eq!(document.value["c"], json!(["\u{fdd0}NaN", "-Infinity", "\\\"NaN"]));
        assert_eq!(read(&document.to_text().unwrap()), document);
        assert!(!read(r#"{"a": "NaN"}"#).has_words);
    }

    #[test]
    fn a_text_with_the_mark_never_becomes_a_number() {
        let alone = read("{\"a\": \"\u{fdd0}NaN\"}");
        assert_eq!(read(&alone.to_text().unwrap()), alone);
        for text in ["\"\u{fdd0}NaN\"", "\"\\uFDD0NaN\"", "\"x\\\"\\ufdd0NaN\""] {
            let error = Document::of_text(format!("[NaN, {text}]").as_bytes()).unwrap_err();
            assert_eq!(error, "a text with U+FDD0 beside a bare NaN or Infinity");
        }
        let mut document = read("[NaN]");
        document.value[0] = json!("x\"\u{fdd0}");
        assert!(document.to_text().is_err());
    }

    #[test]
    fn what_is_no_json_for_another_reason_stays_none() {
        for text in [
            "",
            "{",
            "[nan]",
            "[+Infinity]",
            "[-NaN]",
            "[NaNNaN]",
            "[InfinityX]",
            "{NaN : 1}",
            "\"NaN",
            "[1NaN]",
        ] {
            assert!(Document::of_text(text.as_bytes()).is_err(), "{text}");
        }
    }
}
