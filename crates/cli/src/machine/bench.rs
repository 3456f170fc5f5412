//! `chemio bench`: how fast arrays in a directory are written and read, beside plain files there.
//!
//! Every measurement is made several times, in turns, and the median counts. The *limit* is a plain file that is written and read
//! around the page cache, with many transfers in flight. Writing ends when all is on the device; what is read was dropped from the
//! page cache before.

use crate::error::{Error, Result, refused};
use crate::interrupt;
use crate::options;
use crate::output;
use crate::progress::{Amount, Canvas, Progress};
use crate::scan::memory;
use crate::scan::tiles::TileShape;
use crate::scan::writer::Buffers;
use crate::scan::{Job, Source, Team, Tiles, Writer};
use crate::stats;
use disk_array::{ArrayDirectory, ArraySpec, Creation, DataType};
use elio::{CachePolicy, File, Mode, OpenOptions, PageBuffer, Request};
use layout::DeviceModel;
use section::{Section, size};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const ROUNDS: usize = 3;
/// Of the transfers of a plain file, and how many are in flight.
const LARGE: (u64, usize) = (1 << 20, 16);
const SMALL: (u64, usize) = (16 << 10, 32);
/// So much is read in small transfers, at most.
const SMALL_BYTES_MAX: u64 = 256 << 20;
/// No device begins more of them in a second; without this one that begins them for nothing would begin infinitely many.
const OPERATIONS_MAX: f64 = 1e7;
const MEMORY_MEGABYTES: u64 = 128;
/// So much new memory is touched, at most.
const NEW_MEMORY_BYTES_MAX: u64 = 256 << 20;

/// A directory that goes when it is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    DirectWrite,
    DirectRead,
    SmallRead,
    BufferedWrite,
    ArrayWrite,
    ArrayRead,
    NewMemory,
}

impl Measure {
    /// In an order in which what is read was written before.
    const ALL: [Self; 7] = [
        Self::DirectWrite,
        Self::DirectRead,
        Self::SmallRead,
        Self::BufferedWrite,
        Self::ArrayWrite,
        Self::ArrayRead,
        Self::NewMemory,
    ];

    fn words(self) -> &'static str {
        match self {
            Self::DirectWrite => "plain file, direct, write",
            Self::DirectRead => "plain file, direct, read",
            Self::SmallRead => "plain file, 16 kB at random, read",
            Self::BufferedWrite => "plain file, page cache, write",
            Self::ArrayWrite => "array, write",
            Self::ArrayRead => "array, read",
            Self::NewMemory => "new memory, touched",
        }
    }

    /// What it is compared with.
    fn limit(self) -> Option<Self> {
        match self {
            Self::ArrayWrite | Self::BufferedWrite => Some(Self::DirectWrite),
            Self::ArrayRead | Self::SmallRead => Some(Self::DirectRead),
            Self::DirectWrite | Self::DirectRead | Self::NewMemory => None,
        }
    }
}

pub(crate) fn run(options: &options::Bench) -> Result<()> {
    // Whole transfers.
    let bytes = (options.size * 1_000_000 / LARGE.0).max(1) * LARGE.0;
    expect_space(&options.place.directory, 3 * bytes)?;
    let path = options.place.directory.join(format!(".chemio-bench-{}", std::process::id()));
    fs::create_dir(&path).map_err(refused("make a directory in", &options.place.directory))?;
    let scratch = Scratch(path);
    let rates = measure(&scratch.0, bytes)?;
    drop(scratch);
    if options.place.facts.json {
        return output::print_json(&to_json(&options.place.directory, bytes, &rates));
    }
    output::print(&to_text(bytes, &rates))
}

fn expect_space(directory: &Path, needed: u64) -> Result<()> {
    let free = elio::stat(directory)?.available_bytes;
    if free >= needed {
        return Ok(());
    }
    let (free, needed) = (output::bytes(free), output::bytes(needed));
    Err(Error::BadArgument(format!(
        "{free} free, {needed} needed: say --size with less: {}",
        directory.display()
    )))
}

/// The median rate of each measurement, in bytes a second.
fn measure(scratch: &Path, bytes: u64) -> Result<Vec<(Measure, f64)>> {
    let mut rounds: Vec<Vec<f64>> = vec![vec![]; Measure::ALL.len()];
    let progress = Progress::new("measuring", bytes * (ROUNDS * Measure::ALL.len()) as u64);
    for _ in 0..ROUNDS {
        for (rates, measure) in rounds.iter_mut().zip(Measure::ALL) {
            interrupt::check()?;
            rates.push(once(measure, scratch, bytes)?);
            progress.add(bytes);
        }
    }
    let median = |mut rates: Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    Ok(Measure::ALL.into_iter().zip(rounds.into_iter().map(median)).collect())
}

fn once(measure: Measure, scratch: &Path, bytes: u64) -> Result<f64> {
    let (direct, buffered, array) = (scratch.join("direct"), scratch.join("buffered"), scratch.join("array"));
    match measure {
        // All that is written is new, so that space has to be found for all of it.
        Measure::DirectWrite => {
            remove(&direct)?;
            timed(bytes, || write_direct(&direct, bytes))
        }
        Measure::DirectRead => timed(bytes, || read_direct(&direct, bytes, LARGE, false)),
        Measure::SmallRead => {
            let bytes = bytes.min(SMALL_BYTES_MAX);
            timed(bytes, || read_direct(&direct, bytes, SMALL, true))
        }
        Measure::BufferedWrite => {
            remove(&buffered)?;
            timed(bytes, || write_buffered(&buffered, bytes))
        }
        Measure::ArrayWrite => {
            if array.exists() {
                ArrayDirectory::delete(&array)?;
            }
            timed(bytes, || write_array(&array, bytes))
        }
        Measure::ArrayRead => {
            drop_from_cache(&array)?;
            timed(bytes, || read_array(&array, bytes))
        }
        Measure::NewMemory => {
            let bytes = bytes.min(NEW_MEMORY_BYTES_MAX);
            timed(bytes, || touch_memory(bytes))
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate")]
fn timed(bytes: u64, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(bytes as f64 / began.elapsed().as_secs_f64())
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(refused("remove", path)(error)),
        _ => Ok(()),
    }
}

fn buffers((bytes, count): (u64, usize)) -> Result<Vec<PageBuffer>> {
    let no_memory = |source| Error::NoMemory { bytes: size(bytes) * count, source };
    let mut buffers = PageBuffer::several(size(bytes), count).map_err(no_memory)?;
    for buffer in &mut buffers {
        fill_with_numbers(buffer, 1);
    }
    Ok(buffers)
}

/// Numbers between 1 and 2, so that nothing is zero and nothing can be taken for a hole.
fn fill_with_numbers(bytes: &mut [u8], seed: u64) {
    let mut state = seed | 1;
    for word in bytes.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word.copy_from_slice(&f64::from_bits(0x3FF0_0000_0000_0000 | (state >> 12)).to_le_bytes());
    }
}

/// Memory costs nothing before it is touched.
fn touch_memory(bytes: u64) -> Result<()> {
    let no_memory = |source| Error::NoMemory { bytes: size(bytes), source };
    let mut memory = PageBuffer::several(size(bytes), 1).map_err(no_memory)?;
    for page in memory.iter_mut().flat_map(|buffer| buffer.chunks_mut(4096)) {
        page[0] = 1;
    }
    std::hint::black_box(&mut memory);
    Ok(())
}

fn bypass(mode: Mode) -> OpenOptions {
    OpenOptions { cache: CachePolicy::Bypass, ..OpenOptions::new(mode) }
}

/// Calls `start` for each transfer, with so many in flight.
fn in_flight(
    count: u64,
    mut free: Vec<PageBuffer>,
    mut start: impl FnMut(u64, PageBuffer) -> elio::Result<Request<PageBuffer>>,
) -> Result<()> {
    let mut flights = VecDeque::new();
    for number in 0..count {
        interrupt::check()?;
        let buffer = match free.pop() {
            Some(buffer) => buffer,
            None => finish(&mut flights)?,
        };
        flights.push_back(start(number, buffer)?);
    }
    while !flights.is_empty() {
        finish(&mut flights)?;
    }
    Ok(())
}

fn finish(flights: &mut VecDeque<Request<PageBuffer>>) -> Result<PageBuffer> {
    let oldest = flights.pop_front().expect("buffers are free or in flight");
    Ok(oldest.finish()?.1)
}

fn write_direct(path: &Path, bytes: u64) -> Result<()> {
    let file = File::open(path, &bypass(Mode::ReadWrite))?;
    in_flight(bytes / LARGE.0, buffers(LARGE)?, |number, buffer| {
        file.submit_write(number * LARGE.0, buffer)
    })?;
    Ok(file.sync()?)
}

fn read_direct(path: &Path, bytes: u64, transfers: (u64, usize), at_random: bool) -> Result<()> {
    let file = File::open(path, &bypass(Mode::Read))?;
    let count = bytes / transfers.0;
    // A step that has no factor in common with any power of two visits each place once.
    let place = |number: u64| if at_random { number.wrapping_mul(7_368_787) % count } else { number };
    in_flight(count, buffers(transfers)?, |number, buffer| {
        file.submit_read(place(number) * transfers.0, buffer)
    })
}

fn write_buffered(path: &Path, bytes: u64) -> Result<()> {
    let mut file = fs::File::create(path).map_err(refused("make", path))?;
    let buffer = buffers((LARGE.0, 1))?.remove(0);
    for _ in 0..bytes / LARGE.0 {
        interrupt::check()?;
        file.write_all(&buffer).map_err(refused("write", path))?;
    }
    file.sync_all().map_err(refused("sync", path))
}

fn write_array(path: &Path, bytes: u64) -> Result<()> {
    let spec = ArraySpec::new(&[bytes / 8192, 1024], DataType::Float64)?;
    let mut creation = Creation::begin(path, &spec)?;
    creation.make_shards(0..creation.layout().shards_count())?;
    let layout = creation.layout();
    let team = Team::reading(MEMORY_MEGABYTES).with_small_tiles();
    let (dims, brick) = (layout.dims(), layout.bricks().brick());
    let shape = TileShape { dims, brick, element_bytes: 8, bytes_max: team.tile_bytes };
    let tiles = Tiles::all(&Section::whole(dims)?, shape)?;
    let writer = Writer::new(&creation, &tiles);
    let quiet = quiet();
    let begin = || Ok((Buffers::new()?, Vec::new()));
    team.each_tile(tiles, Job { element_bytes: 8, progress: &quiet }, begin, |(buffers, memory), tile| {
        let len = size(tile.len() * 8);
        if memory.len() < len {
            memory::resize(memory, len)?;
            fill_with_numbers(memory, tile.lo()[0] + 1);
        }
        writer.write(buffers, tile, &memory[..len])
    })?;
    writer.sync()?;
    creation.commit()?;
    Ok(())
}

/// The bar is that of all measurements.
fn quiet() -> Progress {
    Progress::on(Canvas::None, "", Amount::Unknown)
}

fn drop_from_cache(path: &Path) -> Result<()> {
    let array = ArrayDirectory::open(path)?;
    for number in array.stored()?.shards {
        let shard = array.shard_path(number);
        let file = fs::File::open(&shard).map_err(refused("open", &shard))?;
        // It is on the device; where the system does not do this the figure is one of the page cache.
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    }
    Ok(())
}

/// Reads it, and sees whether it has as many numbers as were written, none of them zero or NaN, as what was lost would be.
fn read_array(path: &Path, bytes: u64) -> Result<()> {
    let found = stats::summarize(&Source::open(path)?, MEMORY_MEGABYTES, &quiet())?;
    let right = found.count() == bytes / 8 && found.zeros() == 0 && found.nan() == 0;
    if right { Ok(()) } else { Err(Error::WrongBytes { path: path.to_owned() }) }
}

fn rate(rates: &[(Measure, f64)], wanted: Measure) -> Option<f64> {
    rates.iter().find(|(measure, _)| *measure == wanted).map(|(_, rate)| *rate)
}

/// How much of the limit of the same run a rate is.
fn ratio(rates: &[(Measure, f64)], measure: Measure) -> Option<f64> {
    Some(rate(rates, measure)? / rate(rates, measure.limit()?)?)
}

/// What plans of re-blocking are to take the device for.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates"
)]
fn device(rates: &[(Measure, f64)]) -> DeviceModel {
    let default = DeviceModel::default();
    let or = |measure, default: u64| rate(rates, measure).map_or(default, |rate| rate as u64);
    let read = or(Measure::DirectRead, default.read_bytes_per_second);
    // What a small transfer takes longer than its bytes do in a large one. On a device that takes no longer operations cost nothing.
    let seconds = SMALL.0 as f64 / or(Measure::SmallRead, read) as f64 - SMALL.0 as f64 / read as f64;
    DeviceModel {
        read_bytes_per_second: read,
        write_bytes_per_second: or(Measure::DirectWrite, default.write_bytes_per_second),
        operations_per_second: (1.0 / seconds.max(1.0 / OPERATIONS_MAX)) as u64,
        memory_bytes_per_second: or(Measure::NewMemory, default.memory_bytes_per_second),
        ..default
    }
}

fn to_json(directory: &Path, bytes: u64, rates: &[(Measure, f64)]) -> Value {
    let entry = |(measure, rate): &(Measure, f64)| {
        json!({
            "what": measure.words(),
            "bytes_per_second": rate.round(),
            "ratio_to_limit": ratio(rates, *measure),
            "limit": measure.limit().map(Measure::words),
        })
    };
    json!({
        "directory": directory.to_string_lossy(), "bytes": bytes, "rounds": ROUNDS,
        "results": rates.iter().map(entry).collect::<Vec<_>>(), "device": device(rates).setting(),
    })
}

fn to_text(bytes: u64, rates: &[(Measure, f64)]) -> String {
    let head = format!(
        "{} each, median of {ROUNDS}; writing until on the device, reading from it\n",
        output::bytes(bytes)
    );
    let width = Measure::ALL.iter().map(|measure| measure.words().len()).max().unwrap_or(0);
    let text = rates.iter().fold(head, |text, (measure, rate)| {
        let against = ratio(rates, *measure).map_or(String::new(), |ratio| format!("  {ratio:.2} of direct"));
        text + &format!("{:width$}  {:6.0} MB/s{against}\n", measure.words(), rate / 1e6)
    });
    let setting = device(rates).setting();
    text + &format!("for ndra_copy, chemio plan and chemio reblock:\nexport CHEMIO_DEVICE={setting}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_made_of_what_was_measured() {
        // 16 KiB take as long as 32 KiB of a large transfer: another 16 KiB of it for each operation.
        let rates = [
            (Measure::DirectRead, 1.024e9),
            (Measure::SmallRead, 0.512e9),
            (Measure::DirectWrite, 7e8),
            (Measure::NewMemory, 3e9),
        ];
        assert_eq!(device(&rates).setting(), "read=1024,write=700,operations=62500,alone=5,memory=3000");
        let cached = [(Measure::DirectRead, 1e9), (Measure::SmallRead, 2e9)];
        assert_eq!(device(&cached).setting(), "read=1000,write=2000,operations=10000000,alone=5,memory=1000");
    }
}
