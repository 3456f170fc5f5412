//! What other programs write among the attributes and no [`Value`] holds: the bare words `NaN`, `Infinity` and `-Infinity`, which are no
//! JSON, integers of more than 64 bits, which would become the nearest number with a point, numbers beyond the range of 64 bits with
//! a point, such as `1e400`, and in texts one half of a surrogate pair, such as `\ud800`, which is no character.
//!
//! They are read as texts: [`MARK`] and the word. U+FDD0 is a noncharacter, which Unicode keeps from texts that programs exchange. A
//! file with such words and with that character in a text of its own is refused, so that no text in it becomes a number. Where half a
//! pair is in a text, the mark stands for the backslash.

use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// What the text begins with that stands for a bare word.
const MARK: char = '\u{fdd0}';
/// The words. What begins with another comes before it.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
/// The numbers of the first and of the second halves of surrogate pairs.
const FIRST_HALVES: RangeInclusive<u16> = 0xD800..=0xDBFF;
const SECOND_HALVES: RangeInclusive<u16> = 0xDC00..=0xDFFF;
/// Bytes of `\u` and four digits.
const ESCAPE_BYTES: usize = 6;
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
        let quoted = with_words_quoted(text)?;
        let has_words = quoted.is_some();
        let value = serde_json::from_slice(quoted.as_deref().unwrap_or(text));
        Ok(Self { value: value.map_err(|error| error.to_string())?, has_words })
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

    /// Makes sure that a member with this value can be written among those that there are.
    pub(crate) fn admit(&mut self, key: &str, value: &Value) -> Result<(), String> {
        if key.contains(MARK) || has_mark(&with_words_as_texts(value)) {
            return Err(ambiguous());
        }
        if has_mark(value) && !self.has_words {
            if has_mark(&self.value) {
                return Err(ambiguous());
            }
            self.has_words = true;
        }
        Ok(())
    }
}

fn ambiguous() -> String {
    format!(
        "a text with U+{:04X} beside a bare NaN or Infinity, a number that 64 bits do not hold, or half a surrogate pair",
        u32::from(MARK)
    )
}

/// The word that a text stands for.
pub(super) fn word_of(text: &str) -> Option<&str> {
    let is_word = |word: &&str| WORDS.contains(word) || is_held_by_no_value(word.as_bytes());
    text.strip_prefix(MARK).filter(is_word)
}

/// The number nearest to the integer of more than 64 bits that a text stands for.
pub(super) fn long_integer(text: &str) -> Option<f64> {
    let number: f64 = word_of(text).filter(|word| !WORDS.contains(word))?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Turns texts of JSON that stand for bare words into the words, and what stands for half a surrogate pair into that.
pub(crate) fn with_words_bare(text: &str) -> String {
    let (mut bare, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('"') {
        let (before, quoted) = rest.split_at(at);
        let (string, after) = quoted.split_at(string_len(quoted.as_bytes()));
        bare.push_str(before);
        let is_name = after.trim_ascii_start().starts_with(':');
        let word = string.strip_prefix('"').and_then(|string| word_of(string.strip_suffix('"')?));
        match word.filter(|_| !is_name) {
            Some(word) => bare.push_str(word),
            None => bare.push_str(&with_halves_escaped(string)),
        }
        rest = after;
    }
    bare + rest
}

/// The value that a JSON text says; an integer of more than 64 bits is a text that stands for it.
///
/// # Errors
/// Why it is none.
pub fn attribute_of_text(text: &str) -> Result<Value, String> {
    let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if has_mark(&value) {
        return Err(format!("a text with U+{:04X}", u32::from(MARK)));
    }
    Document::of_text(text.as_bytes()).map(|document| document.value)
}

fn has_mark(value: &Value) -> bool {
    value.to_string().contains(MARK)
}

/// A value in which the texts that stand for bare words are the words, as texts: for who takes nothing but JSON. Half a surrogate pair in
/// a text is its number.
pub(crate) fn with_words_as_texts(value: &Value) -> Value {
    match value {
        Value::String(text) => word_of(text).map_or_else(|| with_halves_escaped(text), Cow::from).into(),
        Value::Array(values) => values.iter().map(with_words_as_texts).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (with_halves_escaped(key).into_owned(), with_words_as_texts(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Turns bare words outside texts into texts, and in texts half a surrogate pair into what stands for it; `None` if there are none.
fn with_words_quoted(text: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let (mut quoted, mut rest) = (Vec::with_capacity(text.len()), text);
    let (mut has_words, mut has_mark) = (false, false);
    while let Some(&byte) = rest.first() {
        let len = if byte == b'"' {
            let (string, after) = rest.split_at(string_len(rest));
            has_mark |= contains_mark(string);
            if let Some(marked) = with_halves_marked(string) {
                has_words = true;
                quoted.extend(marked);
                rest = after;
                continue;
            }
            string.len()
        } else if let Some(word) = WORDS.iter().find(|word| rest.starts_with(word.as_bytes())) {
            if rest[word.len()..].trim_ascii_start().starts_with(b":") {
                return Ok(None); // a name, which must be a text
            }
            has_words = true;
            quoted.extend(format!("\"{MARK}{word}\"").bytes());
            rest = &rest[word.len()..];
            continue;
        } else {
            let (number, after) = rest.split_at(number_len(rest));
            if is_held_by_no_value(number) && !after.trim_ascii_start().starts_with(b":") {
                has_words = true;
                quoted.extend(format!("\"{MARK}{}\"", number.escape_ascii()).bytes());
                rest = after;
                continue;
            }
            number.len().max(1)
        };
        quoted.extend(&rest[..len]);
        rest = &rest[len..];
    }
    if has_words && has_mark { Err(ambiguous()) } else { Ok(has_words.then_some(quoted)) }
}

/// The bytes of the number that `text` begins with, or what looks like one.
fn number_len(text: &[u8]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    text.iter().take_while(|byte| is_part(byte)).count()
}

/// Whether it is a number as JSON writes it that no [`Value`] holds.
fn is_held_by_no_value(number: &[u8]) -> bool {
    is_long_integer(number) || is_beyond_range(number)
}

/// Whether it is a number as JSON writes it, of any size, and the nearest one of 64 bits is infinite.
fn is_beyond_range(number: &[u8]) -> bool {
    let is_infinite =
        str::from_utf8(number).is_ok_and(|text| text.parse::<f64>().is_ok_and(f64::is_infinite));
    // Whoever ignores a value looks at how it is written, and not at its size.
    is_infinite && serde_json::from_slice::<IgnoredAny>(number).is_ok()
}

/// Whether it is an integer as JSON writes it that no [`Value`] holds.
fn is_long_integer(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let are_digits =
        digits.iter().all(u8::is_ascii_digit) && digits.first().is_some_and(|digit| *digit != b'0');
    let is_held = |number: &str| number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
    are_digits && !str::from_utf8(number).is_ok_and(is_held)
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

/// Half a surrogate pair that `text` begins with, by its number.
fn half_of_pair(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..ESCAPE_BYTES - 2)?;
    let are_digits = digits.iter().all(u8::is_ascii_hexdigit);
    let number = u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    (are_digits && (FIRST_HALVES.contains(&number) || SECOND_HALVES.contains(&number))).then_some(number)
}

/// A string of JSON in which the mark stands for the backslash of each half of a surrogate pair without the other one; `None` if there
/// are none.
fn with_halves_marked(string: &[u8]) -> Option<Vec<u8>> {
    let may_have_half = |at: &[u8]| at[..2] == *b"\\u" && at[2].eq_ignore_ascii_case(&b'd');
    if !string.windows(3).any(may_have_half) {
        return None;
    }
    let (mut marked, mut rest, mut has_half) = (Vec::with_capacity(string.len()), string, false);
    while let Some(&byte) = rest.first() {
        let is_pair = |half: u16| {
            let next = half_of_pair(&rest[ESCAPE_BYTES..]);
            FIRST_HALVES.contains(&half) && next.is_some_and(|next| SECOND_HALVES.contains(&next))
        };
        let len = match half_of_pair(rest) {
            Some(half) if is_pair(half) => 2 * ESCAPE_BYTES,
            Some(_) => {
                has_half = true;
                marked.extend(MARK.to_string().bytes());
                marked.extend(&rest[1..ESCAPE_BYTES]);
                rest = &rest[ESCAPE_BYTES..];
                continue;
            }
            // What is escaped may be a backslash.
            None if byte == b'\\' => rest.len().min(2),
            None => 1,
        };
        marked.extend(&rest[..len]);
        rest = &rest[len..];
    }
    has_half.then_some(marked)
}

/// A text in which what stands for half a surrogate pair is that half as JSON escapes it.
fn with_halves_escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return text.into();
    }
    let (mut escaped, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(MARK) {
        let (before, marked) = rest.split_at(at);
        let after = &marked[MARK.len_utf8()..];
        let stands_for_half = after
            .get(..ESCAPE_BYTES - 1)
            .is_some_and(|half| half_of_pair(format!("\\{half}").as_bytes()).is_some());
        escaped.push_str(before);
        if stands_for_half {
            escaped.push('\\');
        } else {
            escaped.push(MARK);
        }
        rest = after;
    }
    (escaped + rest).into()
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
    fn integers_of_more_than_64_bits_keep_their_digits() {
        let long = ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"];
        let text = format!(r#"{{"a": [{}], "b": {{"c":{}}}, "d": "{}"}}"#, long.join(", "), long[0], long[0]);
        let document = read(&text);
        assert_eq!(document.value["a"][1], json!("\u{fdd0}-9223372036854775809"));
        assert_eq!(document.value["d"], json!(long[0]));
        let packed = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(packed(&document.to_text().unwrap()), packed(&text));
        assert_eq!(with_words_as_texts(&document.value)["a"][2], json!(long[2]));
        assert_eq!(long_integer("\u{fdd0}-9223372036854775809"), Some(-9_223_372_036_854_775_809.0));
        assert_eq!((long_integer("\u{fdd0}NaN"), long_integer(long[0])), (None, None));
        // These have a place.
        let short = "[18446744073709551615,-9223372036854775808,1e300,0,-1,100000000000000000000.0,1e2]";
        assert!(!read(short).has_words);
        for text in [
            "[018446744073709551616]",
            "[--18446744073709551616]",
            "{18446744073709551616: 1}",
            "[18446744073709551616x]",
        ] {
            assert!(Document::of_text(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_with_the_mark_never_becomes_a_number() {
        let alone = read("{\"a\": \"\u{fdd0}NaN\"}");
        assert_eq!(read(&alone.to_text().unwrap()), alone);
        for text in ["\"\u{fdd0}NaN\"", "\"\\uFDD0NaN\"", "\"x\\\"\\ufdd0NaN\""] {
            let error = Document::of_text(format!("[NaN, {text}]").as_bytes()).unwrap_err();
            assert_eq!(
                error,
                "a text with U+FDD0 beside a bare NaN or Infinity, a number that 64 bits do not hold, or half a surrogate pair"
            );
        }
        assert!(Document::of_text("[18446744073709551616, \"\u{fdd0}NaN\"]".as_bytes()).is_err());
        for value in
            [json!("x\"\u{fdd0}"), json!("x\"\u{fdd0}18446744073709551616"), json!({"\u{fdd0}NaN": 1})]
        {
            let mut document = read("[NaN]");
            assert!(document.admit("key", &value).is_err(), "{value}");
            document.value[0] = value;
            assert!(document.to_text().is_err());
        }
        // Beside a text that looks like a word, none may be set.
        let word = json!(["\u{fdd0}NaN"]);
        let mut document = read("{\"a\": \"\u{fdd0}NaN\"}");
        assert!(document.admit("b", &word).is_err() && document.admit("b", &json!(1)).is_ok());
        let mut document = read("{\"a\": 1}");
        document.admit("b", &word).unwrap();
        document.value["b"] = word;
        assert!(document.to_text().unwrap().contains("[\n    NaN\n  ]"));
        assert!(document.admit("\u{fdd0}", &json!(1)).is_err());
    }

    #[test]
    fn numbers_beyond_the_range_are_read_and_written_back() {
        let text = "{\"a\": [1e400, -1.5E+999, 1e308, 0e999], \"b\": \"1e400\"}";
        let document = read(text);
        assert_eq!(document.value["a"], json!(["\u{fdd0}1e400", "\u{fdd0}-1.5E+999", 1e308, 0.0]));
        let written = document.to_text().unwrap();
        assert!(written.contains(" 1e400,") && written.contains(" -1.5E+999,"), "{written}");
        assert_eq!(read(&written), document);
        assert_eq!(with_words_as_texts(&document.value)["a"][0], json!("1e400"));
        for text in ["[01e400]", "[1.e400]", "[.5e400]", "[+1e400]", "[1e400x]", "[inf]", "{1e400: 1}"] {
            assert!(Document::of_text(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_read_and_written_back() {
        let text =
            r#"{"\udc00": "x\ud800y", "a": ["\uD83D\uDE00", "\\ud800", "\udbff\ud83d\ude00\udc00\ud800"]}"#;
        let document = read(text);
        let written = document.to_text().unwrap();
        let packed = |text: &str| text.replace(char::is_whitespace, "");
        assert!(packed(&written).contains(r#""\udc00":"x\ud800y""#), "{written}");
        assert!(packed(&written).contains(r#"["😀","\\ud800","\udbff😀\udc00\ud800"]"#), "{written}");
        assert_eq!(read(&written), document);
        let shown = with_words_as_texts(&document.value);
        assert_eq!((&shown["\\udc00"], &shown["a"][0]), (&json!("x\\ud800y"), &json!("😀")));
        // Set again, as where a new array takes attributes over.
        let mut other = read("{}");
        other.admit("b", &document.value["a"]).unwrap();
        other.value["b"] = document.value["a"].clone();
        assert!(other.to_text().unwrap().contains("\\ud800"));
        // A file without them keeps its own mark, and is refused with both.
        assert!(!read("\"\u{fdd0}ud800\"").has_words);
        assert!(Document::of_text("[\"\u{fdd0}\", \"\\ud800\"]".as_bytes()).is_err());
        for text in [r#""\ud8""#, r#""\ud8zz""#, r#""\ud800"#] {
            assert!(Document::of_text(text.as_bytes()).is_err(), "{text}");
        }
    }

    /// The units of UTF-16 that a string of JSON means, halves of pairs too.
    fn units(string: &str) -> Vec<u16> {
        let mut rest = string.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let mut units = vec![];
        while let Some(first) = rest.chars().next() {
            let len = if let Some(digits) = rest.strip_prefix("\\u") {
                units.push(u16::from_str_radix(&digits[..4], 16).unwrap());
                ESCAPE_BYTES
            } else if let Some(escaped) = rest.strip_prefix('\\') {
                units.push(u16::from(escaped.as_bytes()[0]));
                2
            } else {
                units.extend_from_slice(first.encode_utf16(&mut [0; 2]));
                first.len_utf8()
            };
            rest = &rest[len..];
        }
        units
    }

    #[test]
    fn every_text_of_pairs_halves_and_backslashes_keeps_its_meaning() {
        const PIECES: [&str; 7] = ["\\ud83d", "\\uDE00", "\\\\", "\\\"", "ud83d", "\u{1f600}", "\\u0061"];
        for number in 0..PIECES.len().pow(5) {
            let piece = |at: u32| PIECES[number / PIECES.len().pow(at) % PIECES.len()];
            let string = format!("\"{}\"", (0..5).map(piece).collect::<String>());
            let document = read(&string);
            assert_eq!(document.has_words, serde_json::from_str::<Value>(&string).is_err(), "{string}");
            let written = document.to_text().unwrap();
            assert_eq!(units(written.trim_end()), units(&string), "{string}");
            assert_eq!(read(&written), document, "{string}");
        }
    }

    #[test]
    fn an_attribute_is_json_and_keeps_its_digits() {
        let text = "[18446744073709551616, 1.5]";
        let value = attribute_of_text(text).unwrap();
        assert_eq!(value, json!(["\u{fdd0}18446744073709551616", 1.5]));
        assert_eq!(with_words_bare(&value.to_string()).replace(',', ", "), text);
        for text in ["NaN", "[1", "\"\u{fdd0}NaN\"", "{\"\\ufdd0\": 1}", "1e400", "\"\\ud800\""] {
            assert!(attribute_of_text(text).is_err(), "{text}");
        }
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
