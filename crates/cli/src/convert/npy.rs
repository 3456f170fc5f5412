//! `.npy`: a header, and elements.
//!
//! Source: `NumPy` enhancement proposal 1, versions 1.0 to 3.0 of the format.

use super::flat::{Order, Place};
use crate::error::{Error, Result, refused};
use disk_array::DataType;
use section::Shape;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The elements begin at a multiple of this.
const ALIGN_BYTES: usize = 64;
/// Headers are not longer.
const HEADER_BYTES_MAX: usize = 1 << 20;

fn code(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Int32 => "<i4",
        DataType::Int64 => "<i8",
        DataType::Float32 => "<f4",
        DataType::Float64 => "<f8",
        DataType::Complex64 => "<c8",
        DataType::Complex128 => "<c16",
    }
}

/// What comes before the elements.
pub(super) fn header(dims: &[u64], data_type: DataType) -> Vec<u8> {
    let mut extents = dims.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    if dims.len() == 1 {
        extents.push(',');
    }
    let mut text =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({extents}), }}", code(data_type))
            .into_bytes();
    // Seven extents of 20 digits are far from the 65,535 bytes that version 1.0 has room for.
    let padded = (10 + text.len() + 1).next_multiple_of(ALIGN_BYTES) - 10;
    text.resize(padded - 1, b' ');
    text.push(b'\n');
    let len = u16::try_from(text.len()).expect("a short header").to_le_bytes();
    [MAGIC.as_slice(), &[1, 0], &len, &text].concat()
}

/// Reads the header of a file.
pub(super) fn read_header(path: &Path) -> Result<(DataType, Place)> {
    let bad = |reason: String| Error::BadFile { path: path.to_owned(), reason };
    let mut file = File::open(path).map_err(refused("open", path))?;
    let mut take = |len: usize| -> Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        match file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(bad("ends in the header of a .npy".to_owned()))
            }
            Err(error) => Err(refused("read", path)(error)),
        }
    };
    let begin = take(8)?;
    if &begin[..6] != MAGIC {
        return Err(bad("not a .npy: it does not begin with \\x93NUMPY".to_owned()));
    }
    let words = match begin[6] {
        1 => 2,
        2 | 3 => 4,
        version => return Err(bad(format!("version {version} of .npy, expected 1 to 3"))),
    };
    let mut len = [0; 4];
    len[..words].copy_from_slice(&take(words)?);
    let len = usize::try_from(u32::from_le_bytes(len)).unwrap_or(usize::MAX);
    if len > HEADER_BYTES_MAX {
        return Err(bad(format!("a header of {len} bytes, at most {HEADER_BYTES_MAX} expected")));
    }
    let text = take(len)?;
    let header = Header::of_text(&String::from_utf8_lossy(&text)).map_err(bad)?;
    let offset_bytes = (8 + words + len) as u64;
    let place = Place {
        offset_bytes,
        dims: header.dims,
        element_bytes: header.data_type.bytes(),
        order: header.order,
    };
    Ok((header.data_type, place))
}

#[derive(Debug)]
struct Header {
    data_type: DataType,
    order: Order,
    dims: Shape,
}

impl Header {
    /// From the text of a Python dictionary with three known keys.
    fn of_text(text: &str) -> std::result::Result<Self, String> {
        let value = |key: &str| {
            let quoted = [format!("'{key}'"), format!("\"{key}\"")];
            let found = quoted.iter().find_map(|key| text.split_once(key.as_str())).map(|(_, rest)| rest);
            let value = found.and_then(|rest| rest.trim_start().strip_prefix(':')).map(str::trim_start);
            value.ok_or_else(|| format!("no {key} in the header"))
        };
        Ok(Self {
            data_type: data_type(value("descr")?)?,
            order: order(value("fortran_order")?)?,
            dims: dims(value("shape")?)?,
        })
    }
}

fn data_type(text: &str) -> std::result::Result<DataType, String> {
    let Some(quote) = text.chars().next().filter(|first| ['\'', '"'].contains(first)) else {
        return Err("elements of several fields: only plain numbers can be had".to_owned());
    };
    let code_of_file = text[1..].split(quote).next().unwrap_or_default();
    let known = DataType::ALL.into_iter().find(|known| code(*known) == code_of_file);
    known.ok_or_else(|| {
        let ours = DataType::ALL.map(code).join(", ");
        format!("elements of type {code_of_file:?}, only {ours} can be had")
    })
}

fn order(text: &str) -> std::result::Result<Order, String> {
    match text {
        _ if text.starts_with("False") => Ok(Order::LastFastest),
        _ if text.starts_with("True") => Ok(Order::FirstFastest),
        _ => Err("fortran_order is neither True nor False".to_owned()),
    }
}

fn dims(text: &str) -> std::result::Result<Shape, String> {
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inner, _)| inner);
    let extents: Option<Vec<u64>> = inner.and_then(|inner| {
        let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| part.trim_end_matches('L').parse().ok()).collect()
    });
    let extents = extents.ok_or("the shape is no list of extents")?;
    Shape::new(&extents).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file.npy");
        for data_type in DataType::ALL {
            for dims in [&[7][..], &[3, 4], &[u64::MAX, 1, 2, 3, 4, 5, 6]] {
                let bytes = header(dims, data_type);
                assert_eq!(bytes.len() % ALIGN_BYTES, 0);
                std::fs::write(&path, &bytes).unwrap();
                let (got, place) = read_header(&path).unwrap();
                assert_eq!((got, &place.dims[..], place.order), (data_type, dims, Order::LastFastest));
                assert_eq!(place.offset_bytes, bytes.len() as u64);
            }
        }
    }

    #[test]
    fn other_writers_and_versions_are_understood() {
        let header = Header::of_text(r#"{"shape":(3,),"fortran_order":True,"descr":"<c16"}"#).unwrap();
        assert_eq!(
            (header.data_type, header.order, &header.dims[..]),
            (DataType::Complex128, Order::FirstFastest, &[3][..])
        );
        assert_eq!(
            &Header::of_text("{'descr': '<i4', 'fortran_order': False, 'shape': (3L, 4L)}").unwrap().dims[..],
            [3, 4]
        );
    }

    #[test]
    fn what_we_do_not_have_is_refused_by_name() {
        for (text, words) in [
            ("{'descr': '>f8', 'fortran_order': False, 'shape': (3,)}", "\">f8\""),
            ("{'descr': '<f2', 'fortran_order': False, 'shape': (3,)}", "\"<f2\""),
            ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", "several fields"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", "0"),
            ("{'descr': '<f8', 'fortran_order': 1, 'shape': (3,)}", "fortran_order"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}", "shape"),
            ("{'fortran_order': False, 'shape': (3,)}", "no descr"),
            ("", "no descr"),
        ] {
            let error = Header::of_text(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_that_is_none_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file.npy");
        for bytes in [
            &b""[..],
            b"PK\x03\x04....",
            b"\x93NUMPY\x01\x00\xff\xff{",
            b"\x93NUMPY\x09\x00\x00\x00",
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(read_header(&path), Err(Error::BadFile { .. })), "{bytes:?}");
        }
    }
}
