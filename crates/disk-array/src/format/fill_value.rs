//! What elements are that nobody wrote.

use super::DataType;
use super::bare::long_integer;
use super::json::Field;
use super::metadata::MetadataError;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, MetadataError>;

/// One element, as its bytes are stored: little-endian, real before imaginary part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FillValue {
    bytes: [u8; 16],
    len: usize,
}

impl FillValue {
    /// Zero, what our arrays have: a hole in a file reads as it.
    pub fn zero(data_type: DataType) -> Self {
        Self { bytes: [0; 16], len: section::size(data_type.bytes()) }
    }

    /// The bytes of one element.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Whether all bytes are zero, so that a hole in a file reads as this value. Minus zero does not.
    pub fn is_zero(&self) -> bool {
        self.bytes().iter().all(|&byte| byte == 0)
    }

    /// Makes every element of `elements` this value.
    pub fn fill(&self, elements: &mut [u8]) {
        elements.chunks_exact_mut(self.len).for_each(|element| element.copy_from_slice(self.bytes()));
    }

    fn of_bytes(parts: &[&[u8]]) -> Self {
        let mut fill = Self { bytes: [0; 16], len: 0 };
        for part in parts {
            fill.bytes[fill.len..fill.len + part.len()].copy_from_slice(part);
            fill.len += part.len();
        }
        fill
    }

    /// From the metadata: a number, `"NaN"`, `"Infinity"`, `"-Infinity"`, the bits in hexadecimal, or for complex types a
    /// list of two of these.
    pub(super) fn of_json(data_type: DataType, field: &Field<'_>) -> Result<Self> {
        Ok(match data_type {
            DataType::Int32 => {
                let value = field.value.as_i64().and_then(|value| i32::try_from(value).ok());
                Self::of_bytes(&[&value.ok_or_else(|| field.expected("an int32"))?.to_le_bytes()])
            }
            DataType::Int64 => {
                let value = field.value.as_i64().ok_or_else(|| field.expected("an int64"))?;
                Self::of_bytes(&[&value.to_le_bytes()])
            }
            DataType::Float32 => Self::of_bytes(&[&float32(field)?.to_le_bytes()]),
            DataType::Float64 => Self::of_bytes(&[&float64(field)?.to_le_bytes()]),
            DataType::Complex64 => {
                let [real, imaginary] = pair(field)?;
                Self::of_bytes(&[&float32(&real)?.to_le_bytes(), &float32(&imaginary)?.to_le_bytes()])
            }
            DataType::Complex128 => {
                let [real, imaginary] = pair(field)?;
                Self::of_bytes(&[&float64(&real)?.to_le_bytes(), &float64(&imaginary)?.to_le_bytes()])
            }
        })
    }

    /// For the metadata, in the shortest form that [`of_json`](Self::of_json) takes back to the same bits.
    pub(super) fn to_json(self, data_type: DataType) -> Value {
        let bytes = self.bytes();
        let word4 = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let word8 = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let single = |at| json_of(f64::from(f32::from_bits(word4(at))), || format!("0x{:08x}", word4(at)));
        let double = |at| json_of(f64::from_bits(word8(at)), || format!("0x{:016x}", word8(at)));
        match data_type {
            DataType::Int32 => json!(word4(0).cast_signed()),
            DataType::Int64 => json!(word8(0).cast_signed()),
            DataType::Float32 => single(0),
            DataType::Float64 => double(0),
            DataType::Complex64 => json!([single(0), single(4)]),
            DataType::Complex128 => json!([double(0), double(8)]),
        }
    }
}

fn json_of(value: f64, hexadecimal: impl FnOnce() -> String) -> Value {
    if value.is_nan() {
        json!(hexadecimal())
    } else if value.is_infinite() {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(value)
    }
}

fn pair<'a>(field: &Field<'a>) -> Result<[Field<'a>; 2]> {
    field.list()?.try_into().map_err(|_| field.expected("a list of a real and an imaginary part"))
}

/// Bits in hexadecimal: `0x` and exactly `digits` digits.
fn hexadecimal(text: &str, digits: usize) -> Option<u64> {
    let written = text.strip_prefix("0x")?;
    let are_digits = written.len() == digits && written.bytes().all(|byte| byte.is_ascii_hexdigit());
    if are_digits { u64::from_str_radix(written, 16).ok() } else { None }
}

const FLOAT: &str = "a number, \"NaN\", \"Infinity\", \"-Infinity\" or the bits in hexadecimal";

/// The value that a text names, with the bits of Zarr's only NaN that has a name.
fn named(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::from_bits(0x7FF8_0000_0000_0000)),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => long_integer(text),
        other => other.as_f64(),
    }
}

fn float64(field: &Field<'_>) -> Result<f64> {
    let of_text = |text| named(text).or_else(|| hexadecimal(text, 16).map(f64::from_bits));
    let value = field.value.as_str().and_then(of_text).or_else(|| number(field.value));
    value.ok_or_else(|| field.expected(FLOAT))
}

fn float32(field: &Field<'_>) -> Result<f32> {
    let of_text = |text| match text {
        "NaN" => Some(f32::from_bits(0x7FC0_0000)),
        _ => named(text).map(narrowed).or_else(|| {
            let bits = hexadecimal(text, 8)?;
            u32::try_from(bits).ok().map(f32::from_bits)
        }),
    };
    let of_number = || number(field.value).map(narrowed).filter(|value| value.is_finite());
    field.value.as_str().and_then(of_text).or_else(of_number).ok_or_else(|| field.expected(FLOAT))
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest float32 is what is meant")]
fn narrowed(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(data_type: DataType, value: &Value) -> Result<FillValue> {
        FillValue::of_json(data_type, &Field { value, name: "fill_value".to_owned() })
    }

    #[test]
    fn every_form_gives_its_bits_and_comes_back() {
        use DataType::{Complex64, Complex128, Float32, Float64, Int32, Int64};
        for (data_type, value, bytes) in [
            (Int32, json!(-2), (-2i32).to_le_bytes().to_vec()),
            (Int64, json!(i64::MIN), i64::MIN.to_le_bytes().to_vec()),
            (Float32, json!(0.1), 0.1f32.to_le_bytes().to_vec()),
            (Float32, json!("NaN"), 0x7FC0_0000u32.to_le_bytes().to_vec()),
            (Float32, json!("0x7fc00001"), 0x7FC0_0001u32.to_le_bytes().to_vec()),
            (Float32, json!("-Infinity"), f32::NEG_INFINITY.to_le_bytes().to_vec()),
            (Float64, json!(7), 7f64.to_le_bytes().to_vec()),
            (
                Float64,
                json!(2.225_073_858_507_201e-308),
                2.225_073_858_507_201e-308f64.to_le_bytes().to_vec(),
            ),
            (
                Float64,
                json!("\u{fdd0}18446744073709551616"),
                18_446_744_073_709_551_616f64.to_le_bytes().to_vec(),
            ),
            (
                Float32,
                json!("\u{fdd0}18446744073709551616"),
                18_446_744_073_709_551_616f32.to_le_bytes().to_vec(),
            ),
            (Float64, json!("Infinity"), f64::INFINITY.to_le_bytes().to_vec()),
            (Float64, json!("0xFFF8000000000000"), 0xFFF8_0000_0000_0000u64.to_le_bytes().to_vec()),
            (Complex64, json!([1, "NaN"]), [1f32.to_le_bytes(), 0x7FC0_0000u32.to_le_bytes()].concat()),
            (
                Complex128,
                json!(["0x0000000000000001", -0.0]),
                [1u64.to_le_bytes(), (-0f64).to_le_bytes()].concat(),
            ),
        ] {
            let fill = parse(data_type, &value).unwrap();
            assert_eq!(fill.bytes(), bytes, "{value}");
            assert_eq!(parse(data_type, &fill.to_json(data_type)).unwrap(), fill, "{value}");
        }
    }

    #[test]
    fn what_is_no_value_of_the_type_is_refused_with_the_field() {
        use DataType::{Complex64, Float32, Float64, Int32, Int64};
        for (data_type, value) in [
            (Int32, json!(1u64 << 31)),
            (Int32, json!(0.5)),
            (Int64, json!(u64::MAX)),
            (Int64, json!("0")),
            (Float32, json!(1e39)),
            (Float32, json!("0x7ff8000000000000")),
            (Float64, json!("0x7fc00000")),
            (Float64, json!("0x+ff8000000000000")),
            (Float64, json!("18446744073709551616")),
            (Float64, json!(format!("\u{fdd0}1{}", "0".repeat(400)))),
            (Float64, json!("nan")),
            (Float64, json!(null)),
            (Float64, json!(true)),
            (Complex64, json!(0)),
            (Complex64, json!([0, 0, 0])),
        ] {
            let message = parse(data_type, &value).unwrap_err().to_string();
            assert!(message.starts_with("fill_value is "), "{data_type} {value}: {message}");
        }
    }

    #[test]
    fn only_a_value_of_zero_bytes_is_zero() {
        assert!(FillValue::zero(DataType::Complex64).is_zero());
        assert!(!parse(DataType::Float64, &json!(-0.0)).unwrap().is_zero());
    }

    #[test]
    fn filling_repeats_the_value() {
        let mut elements = [0; 12];
        parse(DataType::Int32, &json!(0x0403_0201)).unwrap().fill(&mut elements);
        assert_eq!(elements, [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
    }
}
