//! `chemio export`: the elements of an array in a file of another format.

use super::flat::{Order, Place, Sink};
use super::format::Format;
use super::{hdf5, npy};
use crate::error::{Result, refused};
use crate::files::NewFile;
use crate::options;
use crate::progress::Progress;
use crate::scan::tiles::TileShape;
use crate::scan::{Content, Source, Team, Tiles};
use crate::stats::bytes_stored;
use command::place::outside;
use section::Section;
use std::fs;

pub(crate) fn run(options: &options::Export) -> Result<()> {
    outside(&options.array, &options.file)?;
    let format = Format::of(&options.file)?;
    let dataset = dataset(options, format)?;
    let source = Source::open(&options.array)?;
    let file = NewFile::begin(&options.file, options.force)?;
    let metadata = source.array().metadata();
    let (dims, data_type) = (metadata.dims, metadata.data_type);
    let offset_bytes = match format {
        Format::Hdf5 => hdf5::make_dataset(&file, dataset, &dims, data_type)?,
        Format::Plain => 0,
        Format::Npy => {
            let header = npy::header(&dims, data_type);
            fs::write(file.made(), &header).map_err(refused("write", &options.file))?;
            header.len() as u64
        }
    };
    if dims.contains(&0) {
        return file.commit();
    }
    let place = Place { offset_bytes, dims, element_bytes: data_type.bytes(), order: Order::LastFastest };
    let sink = Sink::open(file.made(), place)?;
    write_elements(&source, &sink, options.memory.megabytes)?;
    sink.finish()?;
    crate::interrupt::check()?;
    file.commit()
}

/// The name of the dataset.
fn dataset(options: &options::Export, format: Format) -> Result<&str> {
    format.expect_dataset_to_fit(options.dataset.as_deref())?;
    Ok(options.dataset.as_deref().unwrap_or("data"))
}

/// Every element that is not known to be zero.
fn write_elements(source: &Source, sink: &Sink, megabytes: u64) -> Result<()> {
    let (metadata, layout) = (source.array().metadata(), source.array().layout());
    let team = Team::reading(megabytes);
    let (dims, brick) = (layout.dims(), layout.bricks().brick());
    let shape =
        TileShape { dims, brick, element_bytes: metadata.data_type.bytes(), bytes_max: team.tile_bytes };
    let whole = Section::whole(dims)?;
    let only_stored = metadata.fill.is_zero();
    let tiles = if only_stored {
        Tiles::stored(&whole, shape, &metadata.chunk_shape, source.stored())?
    } else {
        Tiles::all(&whole, shape)?
    };
    let all = whole.len() * metadata.data_type.bytes();
    let progress = Progress::new("exporting", if only_stored { bytes_stored(source) } else { all });
    team.each_tile_read(
        source,
        tiles,
        &progress,
        || Ok(()),
        |(), tile, content, elements| match content {
            Content::Elements => sink.write(tile, elements),
            Content::Zeros => Ok(()),
            Content::Fill if only_stored => Ok(()),
            Content::Fill => {
                metadata.fill.fill(elements);
                sink.write(tile, elements)
            }
        },
    )?;
    Ok(())
}
