//! HDF5 files, through the serial HDF5 library.
//!
//! Written: one dataset whose elements lie one after the other; the library makes it, and we write the elements where it says, so
//! that they go at the speed of the device and zeros become holes. Read: such datasets directly, all others through the library.

mod library;

use super::flat::{Order, Place};
use crate::error::{Error, Result};
use crate::files::NewFile;
use disk_array::DataType;
use library::{Element, Kind, Number, Refusal};
use section::{Section, Shape};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// So many names are looked at, where the user gives none.
const NAMES_MAX: u64 = 1000;

/// What was found in a file.
pub(super) enum Found {
    /// Elements as we have them, one after the other.
    Flat(DataType, Place),
    /// Others.
    Other(Dataset),
}

/// A dataset that the library reads.
#[derive(Debug)]
pub(super) struct Dataset {
    path: PathBuf,
    // Before the file: it is closed first.
    opened: library::Dataset,
    _file: library::File,
    element: Element,
    dims: Shape,
}

fn element(data_type: DataType) -> Element {
    match data_type {
        DataType::Int32 => Element::Real(Number::Int32),
        DataType::Int64 => Element::Real(Number::Int64),
        DataType::Float32 => Element::Real(Number::Float32),
        DataType::Float64 => Element::Real(Number::Float64),
        DataType::Complex64 => Element::Complex(Number::Float32),
        DataType::Complex128 => Element::Complex(Number::Float64),
    }
}

fn data_type(wanted: Element) -> Option<DataType> {
    DataType::ALL.into_iter().find(|data_type| element(*data_type) == wanted)
}

fn bad(path: &Path) -> impl Fn(Refusal) -> Error + '_ {
    move |Refusal(reason)| Error::BadFile { path: path.to_owned(), reason }
}

fn path_of(path: &Path) -> Result<CString> {
    let zero = |_| Error::BadArgument(format!("a zero byte in the name {}", path.display()));
    CString::new(path.as_os_str().as_bytes()).map_err(zero)
}

/// Makes a file with one dataset, and nothing in it; where its elements are to be written.
pub(super) fn make_dataset(new: &NewFile, name: &str, dims: &Shape, data_type: DataType) -> Result<u64> {
    if name.is_empty() || name.contains('/') {
        return Err(Error::BadArgument(format!("--dataset {name:?}: expected a name without /")));
    }
    let not_made = |Refusal(reason)| Error::NotMade { path: new.path().to_owned(), reason };
    let file = library::File::create(&path_of(new.made())?).map_err(not_made)?;
    let offset_bytes = file.make_dataset(name, dims, element(data_type)).map_err(not_made)?;
    file.close().map_err(not_made)?;
    // A dataset without elements has no place.
    Ok(offset_bytes.unwrap_or(0))
}

/// Opens the dataset `name`, or the only one at the top of the file.
pub(super) fn open(path: &Path, name: Option<&str>) -> Result<Found> {
    let refused = bad(path);
    let file = library::File::open(&path_of(path)?).map_err(&refused)?;
    let name = name.map_or_else(|| only_dataset(&file), |name| Ok(name.to_owned())).map_err(&refused)?;
    let dataset = file.dataset(&name).map_err(&refused)?;
    let dataset = dataset.ok_or_else(|| refused(Refusal(format!("{name:?} is no dataset"))))?;
    let (element, as_ours) = match dataset.kind().map_err(&refused)? {
        Kind::Known(element, as_ours) => (element, as_ours),
        Kind::Other(what) => return Err(refused(unsupported(&name, &what))),
    };
    let data_type = data_type(element).ok_or_else(|| refused(unsupported(&name, "complex integers")))?;
    let dims = dataset.dims().and_then(|dims| library::shape(&dims)).map_err(&refused)?;
    let place = |offset_bytes| Place {
        offset_bytes,
        dims,
        element_bytes: data_type.bytes(),
        order: Order::LastFastest,
    };
    Ok(match dataset.offset_bytes().filter(|_| as_ours && dataset.is_in(&file)) {
        Some(offset_bytes) => Found::Flat(data_type, place(offset_bytes)),
        None => Found::Other(Dataset { path: path.to_owned(), opened: dataset, _file: file, element, dims }),
    })
}

fn unsupported(name: &str, what: &str) -> Refusal {
    let ours = DataType::ALL.map(DataType::name).join(", ");
    Refusal(format!("dataset {name:?} holds {what}, only {ours} can be had"))
}

fn only_dataset(file: &library::File) -> std::result::Result<String, Refusal> {
    let mut datasets = vec![];
    for name in file.names(NAMES_MAX)? {
        // A link to nothing is no dataset.
        if matches!(file.dataset(&name), Ok(Some(_))) {
            datasets.push(name);
        }
    }
    match &datasets[..] {
        [only] => Ok(only.clone()),
        [] => Err(Refusal("no dataset at the top of the file: say which with --dataset".to_owned())),
        several => {
            let names = several.join(", ");
            Err(Refusal(format!("several datasets, say which with --dataset: {names}")))
        }
    }
}

impl Dataset {
    pub(super) fn data_type(&self) -> DataType {
        data_type(self.element).expect("checked when it was opened")
    }

    pub(super) fn dims(&self) -> &Shape {
        &self.dims
    }

    /// Reads the elements of `tile` into `memory`, in row-major order. Any number of threads, one at a time.
    pub(super) fn read(&self, tile: &Section, memory: &mut [u8]) -> Result<()> {
        let counts = tile.counts();
        self.opened.read(self.element, tile.lo(), &counts, memory).map_err(bad(&self.path))
    }
}
