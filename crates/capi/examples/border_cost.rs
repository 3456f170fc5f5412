//! What the border costs: the time of one small write, read, and asynchronous write with its wait, through C symbols,
//! through `eaf::File` and through `elio::File`, on a file in memory, so that no device is in the way, and through C symbols on a file
//! on disk that is in the page cache. 1.6 kB is the smallest record of the paper. Prints nanoseconds a call, the best of several rounds:
//! `cargo run --release -p chemio-capi --example border_cost`, and with `CHEMIO_STATS=1` what counting adds. An argument is the number of
//! calls in a round, for counting instructions (`valgrind --tool=callgrind --toggle-collect='*EAF_Read*' ...`).

use chemio_capi::eaf::c;
use std::ffi::{CString, c_int};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

const CHUNK_BYTES: usize = 1600;
const CALLS: u32 = 200_000;
static CALLS_A_ROUND: OnceLock<u32> = OnceLock::new();
const ROUNDS: usize = 7;
/// `EAF_RW`
const READ_WRITE: c_int = -1;

/// Nanoseconds a call, the best of all rounds.
fn measure(mut call: impl FnMut()) -> f64 {
    let calls = *CALLS_A_ROUND.get().unwrap_or(&CALLS);
    let round = || {
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    std::iter::repeat_with(round).take(ROUNDS).fold(f64::INFINITY, f64::min)
}

fn foreign(buffer: &mut [u8]) -> elio::ForeignBuffer {
    // SAFETY: the caller waits for the request while it still has the buffer.
    unsafe { elio::ForeignBuffer::new(buffer.as_mut_ptr(), buffer.len()) }
}

fn through_elio(buffer: &mut [u8]) -> [f64; 3] {
    let options = elio::OpenOptions::new(elio::Mode::ReadWrite);
    let file = elio::File::on_device(elio::MemoryDevice::new(1 << 20), "border_cost", &options);
    let write = measure(|| file.write_at(0, black_box(buffer)).expect("written"));
    let read = measure(|| assert_eq!(file.read_at(0, black_box(&mut *buffer)).expect("read"), CHUNK_BYTES));
    let awrite = measure(|| {
        assert_eq!(
            file.submit_write(0, foreign(buffer)).expect("started").wait().expect("written"),
            CHUNK_BYTES
        );
    });
    [write, read, awrite]
}

fn through_eaf(buffer: &mut [u8]) -> [f64; 3] {
    let file = eaf::File::open("border_cost", eaf::Kind::Memory { megabytes: 1 }).expect("opened");
    let write = measure(|| file.write(0, black_box(buffer)).expect("written"));
    let read = measure(|| file.read(0, black_box(&mut *buffer)).expect("read"));
    let awrite = measure(|| file.awrite(0, foreign(buffer)).expect("started").wait().expect("written"));
    [write, read, awrite]
}

/// `kind`: megabytes of memory, or what to do with a file on disk.
fn through_c(buffer: &mut [u8], name: &str, kind: c_int) -> [f64; 3] {
    let name = CString::new(name).expect("no NUL");
    let data = buffer.as_mut_ptr().cast();
    let mut fd = -1;
    // SAFETY: the name is a string, the handle may be written.
    assert_eq!(unsafe { c::EAF_Open(name.as_ptr(), kind, &raw mut fd) }, 0);
    // SAFETY: the buffer has this length.
    let write = measure(|| assert_eq!(unsafe { c::EAF_Write(fd, 0.0, black_box(data), CHUNK_BYTES) }, 0));
    // SAFETY: as above.
    let read = measure(|| assert_eq!(unsafe { c::EAF_Read(fd, 0.0, black_box(data), CHUNK_BYTES) }, 0));
    let mut id = -1;
    let awrite = measure(|| {
        // SAFETY: as above, until the wait.
        assert_eq!(unsafe { c::EAF_Awrite(fd, 0.0, black_box(data), CHUNK_BYTES, &raw mut id) }, 0);
        assert_eq!(c::EAF_Wait(fd, id), 0);
    });
    assert_eq!(c::EAF_Close(fd), 0);
    [write, read, awrite]
}

fn main() {
    if let Some(calls) = std::env::args().nth(1) {
        CALLS_A_ROUND.get_or_init(|| calls.parse().expect("a number of calls"));
    }
    let directory = tempfile::tempdir().expect("a directory");
    let on_disk = directory.path().join("border_cost");
    let on_disk = on_disk.to_str().expect("a path of characters");
    let mut buffer = vec![1; CHUNK_BYTES];
    let rows = [
        ("elio", through_elio(&mut buffer)),
        ("eaf", through_eaf(&mut buffer)),
        ("C", through_c(&mut buffer, "border_cost", 1)),
        ("C, disk", through_c(&mut buffer, on_disk, READ_WRITE)),
    ];
    println!(
        "{:8} {:>10} {:>10} {:>12}   nanoseconds for {CHUNK_BYTES} bytes in memory, or in the page cache",
        "", "write", "read", "awrite+wait"
    );
    for (name, [write, read, awrite]) in rows {
        println!("{name:8} {write:>10.1} {read:>10.1} {awrite:>12.1}");
    }
}
