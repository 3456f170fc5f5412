//! A device that fails, shortens or delays: no error is lost, and the file stays usable.

use eaf::{Error, File, Kind};
use elio::{Device, Fault, FaultDevice, MemoryDevice};
use std::sync::Arc;
use std::time::Duration;

const EIO: i32 = 5;
const LEN_BYTES: usize = 1600;

fn faulty() -> (Arc<FaultDevice>, File) {
    faulty_on(MemoryDevice::new(1 << 20))
}

fn faulty_on(memory: Arc<MemoryDevice>) -> (Arc<FaultDevice>, File) {
    let device = FaultDevice::new(memory);
    let file = File::on_device(Arc::clone(&device) as Arc<dyn Device>, "faulty", Kind::ReadWrite);
    (device, file)
}

fn code<T>(result: eaf::Result<T>) -> i32 {
    result.map_or_else(|error| error.code(), |_| 0)
}

/// Every call once; gives the code of each. A read that gives 0 has the right data, unless its write has failed.
fn every_call(file: &File) -> Vec<(&'static str, i32)> {
    let mut found = [0; LEN_BYTES];
    let write = code(file.write(0, &[1; LEN_BYTES]));
    let awrite = code(file.awrite(1600, vec![2; LEN_BYTES]).and_then(|mut request| request.wait()));
    let truncate = code(file.truncate(2 * LEN_BYTES as u64));
    let read = code(file.read(0, &mut found));
    let aread = file.aread(1600, vec![0; LEN_BYTES]).and_then(eaf::Request::finish);
    let whole = write == 0 && awrite == 0 && truncate == 0;
    assert!(!whole || read != 0 || found == [1; LEN_BYTES], "the read lies");
    assert!(!whole || aread.as_ref().map_or(true, |(_, found)| found == &[2; LEN_BYTES]), "the request lies");
    let length = code(file.len_bytes());
    let aread = code(aread);
    vec![
        ("write", write),
        ("awrite", awrite),
        ("truncate", truncate),
        ("read", read),
        ("aread", aread),
        ("length", length),
    ]
}

/// Whether the device itself has what [`every_call`] writes.
fn holds_everything(memory: Arc<MemoryDevice>) -> bool {
    let mut found = vec![0; 2 * LEN_BYTES];
    File::on_device(memory, "behind", Kind::Read).read(0, &mut found).expect("the device itself is whole");
    found == [[1; LEN_BYTES], [2; LEN_BYTES]].concat()
}

/// What a call may give: its own code, that of what it wrote out first, and the end of the file where a write is missing.
fn codes_of(call: &str) -> &'static [i32] {
    match call {
        "write" => &[-1999],
        "awrite" => &[-1998, -1999],
        "truncate" => &[-10019, -1999],
        "read" => &[-1997, -1999, -1977],
        "aread" => &[-1996, -1999, -1977],
        _ => &[-10020, -1999],
    }
}

#[test]
fn whichever_operation_fails_a_call_says_so_or_nothing_is_lost_and_the_next_round_succeeds() {
    let (device, file) = faulty();
    every_call(&file);
    let operations_count = device.operations_count();
    assert!(operations_count >= 3, "a write, a change of length and a read at least: {operations_count}");
    let mut told_count = 0;
    for n in 0..operations_count {
        let memory = MemoryDevice::new(1 << 20);
        let (device, file) = faulty_on(Arc::clone(&memory));
        device.inject(n, Fault::Fail(EIO));
        let failed: Vec<_> = every_call(&file).into_iter().filter(|(_, code)| *code != 0).collect();
        for (call, code) in &failed {
            assert!(codes_of(call).contains(code), "operation {n}: {call} gives {code}");
        }
        if failed.is_empty() {
            file.close().expect("nothing was lost");
            assert!(holds_everything(memory), "operation {n} failed and nobody was told");
        } else {
            told_count += 1;
            let again: Vec<_> = every_call(&file).into_iter().filter(|(_, code)| *code != 0).collect();
            assert!(again.is_empty(), "after operation {n}: {again:?}");
        }
    }
    assert!(told_count >= 2, "a failed write and a failed change of length cannot go unnoticed");
}

#[test]
fn short_transfers_are_completed() {
    let (device, file) = faulty();
    for n in 0..20 {
        device.inject(n, Fault::Shorten(100));
    }
    let data: Vec<u8> = (0..LEN_BYTES).map(|i| u8::try_from(i % 251).expect("small")).collect();
    file.write(0, &data).expect("written");
    file.awrite(1600, data.clone()).expect("started").wait().expect("written");
    let (got, found) = file.aread(0, vec![0; 2 * LEN_BYTES]).expect("started").finish().expect("read");
    assert_eq!(got, 2 * LEN_BYTES);
    assert_eq!(found, [data.clone(), data].concat());
}

#[test]
fn an_error_says_what_failed_where_and_why() {
    let (device, file) = faulty();
    device.inject(device.operations_count(), Fault::Fail(EIO));
    let error = file.write(4096, &[0; LEN_BYTES]).expect_err("it fails");
    assert!(matches!(error, Error::Device(_)));
    let text = error.to_string();
    for part in ["Input/output error", "write", "1600 bytes", "offset 4096", "faulty"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn a_slow_transfer_does_not_block_the_call_that_starts_it() {
    let (device, file) = faulty();
    let len = 1 << 19;
    device.inject(device.operations_count(), Fault::Delay(Duration::from_secs(1)));
    let mut request = file.awrite(0, vec![1; len]).expect("started");
    assert!(!request.test(), "it cannot have finished yet");
    request.wait().expect("written");
    assert!(request.test());
}
