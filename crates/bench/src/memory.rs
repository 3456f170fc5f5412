//! Memory that is really there. A virtual machine gives idle free pages back to its host, and the first touch of such a
//! page costs several times as much as writing it: what a page cache seems to do then depends on how long the machine was
//! idle before. So as much memory as a file can occupy is touched and given back right before each timed part.

use std::fs;
use std::hint::black_box;

/// Room for the file, and a quarter more for what else moves.
const MARGIN_DIVISOR: u64 = 4;

/// Makes the kernel's next `file_bytes` of free pages ready for use, as far as half of the available memory allows.
pub(crate) fn warm(file_bytes: u64) {
    let wanted_bytes = file_bytes + file_bytes / MARGIN_DIVISOR;
    let bytes = wanted_bytes.min(available_bytes().unwrap_or(0) / 2);
    let bytes = usize::try_from(bytes).expect("half of the memory fits the address space");
    black_box(vec![1_u8; bytes]);
}

fn available_bytes() -> Option<u64> {
    let memory = fs::read_to_string("/proc/meminfo").ok()?;
    let line = memory.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}
