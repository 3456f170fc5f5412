//! `chemio plot`: a picture of a slice.

mod axis;
mod canvas;
mod cells;
mod colour;
mod picture;
mod slice;

use crate::error::{Error, Result, refused};
use crate::files::NewFile;
use crate::options;
use crate::progress::Progress;
use crate::scan::tiles::TileShape;
use crate::scan::{Content, Source, Team, Tiles};
use cells::Cells;
use command::place::outside;
use slice::Slice;
use std::path::Path;

/// Elements of a line, and of a heat map in each direction: more than that are drawn as one.
const LINE_CELLS_MAX: u64 = 1000;
const MAP_CELLS_MAX: [u64; 2] = [720, 1000];

pub(crate) fn run(options: &options::Plot) -> Result<()> {
    outside(&options.path, &options.output)?;
    expect_png(&options.output)?;
    let source = Source::open(&options.path)?;
    let metadata = source.array().metadata();
    let slice = Slice::parse(options.slice.as_deref(), &metadata.dims)?;
    let file = NewFile::begin(&options.output, options.force)?;
    let cells = collect(&source, &slice, options)?;
    let name = options.path.file_name().unwrap_or(options.path.as_os_str()).to_string_lossy();
    let title = format!(
        "{name}[{slice}]  {}{}",
        metadata.data_type,
        if options.log { ", log10 of the modulus" } else { "" }
    );
    let values = cells.values(options.show, options.log);
    let canvas = if slice.is_line() {
        picture::line(&title, &slice, &values, &cells.band(options.log))
    } else {
        picture::map(&title, &slice, &values, cells.counts(), options.log)
    };
    let made = std::fs::File::create(file.made()).map_err(refused("make", &options.output))?;
    canvas.write_png(made).map_err(|source| Error::System {
        operation: "write",
        path: options.output.clone(),
        source,
    })?;
    crate::interrupt::check()?;
    file.commit()
}

/// A picture is what its name says.
fn expect_png(path: &Path) -> Result<()> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    Err(Error::BadArgument(format!("pictures are PNG, give a name that ends with .png: {}", path.display())))
}

/// Reads the slice once and sorts its elements into cells.
fn collect(source: &Source, slice: &Slice, options: &options::Plot) -> Result<Cells> {
    let (metadata, layout) = (source.array().metadata(), source.array().layout());
    let team = Team::reading(options.memory.megabytes).with_small_tiles();
    let element_bytes = metadata.data_type.bytes();
    let (dims, brick) = (layout.dims(), layout.bricks().brick());
    let shape = TileShape { dims, brick, element_bytes, bytes_max: team.tile_bytes };
    let tiles = Tiles::stored(slice.section(), shape, &metadata.chunk_shape, source.stored())?;
    let counts = slice.cells(if slice.is_line() { [1, LINE_CELLS_MAX] } else { MAP_CELLS_MAX });
    let begin = || Cells::new(slice, counts, metadata.data_type, options.log);
    // Before the others: it is needed at the end.
    let mut all = begin()?;
    let progress = Progress::new("reading", slice.section().len() * element_bytes);
    let fill_is_zero = metadata.fill.is_zero();
    let parts = team.each_tile_read(source, tiles, &progress, begin, |cells, tile, content, elements| {
        match content {
            Content::Fill => return Ok(()),
            Content::Zeros if fill_is_zero => return Ok(()),
            Content::Zeros => elements.fill(0),
            Content::Elements => {}
        }
        cells.add(tile, elements);
        Ok(())
    })?;
    for part in &parts {
        all.merge(part);
    }
    all.add_unseen(metadata.fill.bytes());
    Ok(all)
}
