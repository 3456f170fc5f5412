//! `chemio import`: an array of the elements of a file of another format.

use super::flat::{Elements, Order, Place};
use super::format::Format;
use super::hdf5::{Dataset, Found};
use super::{hdf5, npy};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::options;
use crate::progress::{Amount, Canvas, Progress};
use crate::scan::memory;
use crate::scan::tiles::TileShape;
use crate::scan::writer::Buffers;
use crate::scan::{Job, Team, Tiles, Writer};
use disk_array::{ArrayDirectory, ArraySpec, BrickShape, Bricks, Creation, DataType};
use section::{Section, Shape, size};
use std::fs;
use std::path::Path;

/// Where elements come from.
enum From {
    /// A file that has them one after the other.
    Flat(Elements),
    /// What only the HDF5 library can read: in pieces, compressed, or with the bytes in the other order.
    Library(Dataset),
}

impl From {
    /// Whether all elements of a tile are known to be zero without being read.
    fn is_hole(&self, tile: &Section) -> bool {
        matches!(self, Self::Flat(elements) if elements.is_hole(tile))
    }

    fn read(&self, tile: &Section, memory: &mut [u8]) -> Result<()> {
        match self {
            Self::Flat(elements) => elements.read(tile, memory),
            Self::Library(dataset) => dataset.read(tile, memory),
        }
    }
}

pub(crate) fn run(options: &options::Import) -> Result<()> {
    let (data_type, dims, from) = open(options)?;
    let spec = spec(options, data_type, &dims)?;
    expect_free(&options.array, options.force)?;
    let mut creation = Creation::begin(&options.array, &spec)?;
    // Somebody may have been faster, and this has waited for him.
    expect_free(&options.array, options.force)?;
    let shards = creation.layout().shards_count();
    let progress = Progress::on(Canvas::StandardError, "making", Amount::Shards(shards));
    for number in 0..shards {
        interrupt::check()?;
        creation.make_shards([number])?;
        progress.add(1);
    }
    drop(progress);
    copy_elements(&from, &creation, options.memory.megabytes)?;
    interrupt::check()?;
    let _progress = Progress::waiting("syncing");
    creation.commit()?;
    Ok(())
}

/// The elements of the file, and what they are.
fn open(options: &options::Import) -> Result<(DataType, Shape, From)> {
    let path = &options.file;
    let format = Format::of(path)?;
    expect_file(path)?;
    if format != Format::Plain && (!options.shape.is_empty() || options.data_type.is_some()) {
        return Err(Error::BadArgument(
            "--shape and --type are for .bin: other files say themselves".to_owned(),
        ));
    }
    format.expect_dataset_to_fit(options.dataset.as_deref())?;
    let (data_type, place) = match format {
        Format::Plain => plain(options)?,
        Format::Npy => npy::read_header(path)?,
        Format::Hdf5 => {
            let found = hdf5::open(path, options.dataset.as_deref())?;
            match found {
                Found::Flat(data_type, place) => (data_type, place),
                Found::Other(dataset) => {
                    return Ok((dataset.data_type(), *dataset.dims(), From::Library(dataset)));
                }
            }
        }
    };
    let dims = place.dims;
    Ok((data_type, dims, From::Flat(Elements::open(path, place)?)))
}

fn expect_file(path: &Path) -> Result<()> {
    let metadata = fs::metadata(path).map_err(crate::error::refused("open", path))?;
    let bad = |reason: &str| Err(Error::BadFile { path: path.to_owned(), reason: reason.to_owned() });
    // A pipe would be waited for.
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        bad("a directory, not a file")
    } else {
        bad("not a file")
    }
}

/// What the command line says about a file that says nothing.
fn plain(options: &options::Import) -> Result<(DataType, Place)> {
    let needed = || Error::BadArgument("a .bin needs --shape and --type".to_owned());
    let name = options.data_type.as_deref().ok_or_else(needed)?;
    if options.shape.is_empty() {
        return Err(needed());
    }
    let unknown = || {
        let known = DataType::ALL.map(DataType::name).join(", ");
        Error::BadArgument(format!("no type {name:?}, expected one of {known}"))
    };
    let data_type = DataType::of_name(name).ok_or_else(unknown)?;
    let (dims, element_bytes) = (Shape::new(&options.shape)?, data_type.bytes());
    let expected = dims.checked_len().and_then(|len| len.checked_mul(element_bytes));
    let got = fs::metadata(&options.file).map_err(crate::error::refused("open", &options.file))?.len();
    if expected != Some(got) {
        let expected =
            expected.map_or("more than can be counted".to_owned(), |expected| expected.to_string());
        let reason = format!("{got} bytes, expected {expected} for shape {:?} of {data_type}", options.shape);
        return Err(Error::BadFile { path: options.file.clone(), reason });
    }
    Ok((data_type, Place { offset_bytes: 0, dims, element_bytes, order: Order::LastFastest }))
}

fn spec(options: &options::Import, data_type: DataType, dims: &Shape) -> Result<ArraySpec> {
    let mut spec = ArraySpec::new(dims, data_type)?;
    spec.files = options.files;
    if !options.brick.is_empty() {
        spec.bricks = Bricks::Exact(BrickShape::exact(&options.brick)?);
    }
    if let Some(name) = options.array.file_name() {
        spec.attributes.name = name.to_string_lossy().into_owned();
    }
    Ok(spec)
}

fn expect_free(path: &Path, force: bool) -> Result<()> {
    match ArrayDirectory::open(path) {
        Ok(_) if !force => Err(Error::Exists { path: path.to_owned(), found: "an array" }),
        _ => Ok(()),
    }
}

fn copy_elements(from: &From, creation: &Creation, megabytes: u64) -> Result<()> {
    let layout = creation.layout();
    let element_bytes = layout.data_type().bytes();
    // A file in the other order needs a second copy of a tile.
    let team = Team::new(megabytes, 2);
    let (dims, brick) = (layout.dims(), layout.bricks().brick());
    let shape = TileShape { dims, brick, element_bytes, bytes_max: team.tile_bytes };
    let whole = Section::whole(dims)?;
    let tiles = Tiles::all(&whole, shape)?;
    let writer = Writer::new(creation, &tiles);
    let progress = Progress::new("importing", whole.len() * element_bytes);
    let begin = || Ok((Buffers::new()?, Vec::new()));
    let job = Job { element_bytes, progress: &progress };
    team.each_tile(tiles, job, begin, |(buffers, memory), tile| {
        if from.is_hole(tile) {
            return Ok(());
        }
        memory::resize(memory, size(tile.len() * element_bytes))?;
        from.read(tile, memory)?;
        writer.write(buffers, tile, memory)
    })?;
    drop(progress);
    let _progress = Progress::waiting("syncing");
    writer.sync()
}
