//! What happens when the device misbehaves: every error is reported, nothing hangs, and what is reported as written is.

use crate::support::{Scratch, pattern};
use elio::{CachePolicy, Error, Fault, FaultDevice, File, Mode, OpenOptions, Operation, Sharing};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn faulty(scratch: &Scratch, cache: CachePolicy) -> (Arc<FaultDevice>, File) {
    faulty_with(
        scratch,
        &OpenOptions { cache, sharing: Sharing::Exclusive, ..OpenOptions::new(Mode::ReadWrite) },
    )
}

pub(crate) fn faulty_with(scratch: &Scratch, options: &OpenOptions) -> (Arc<FaultDevice>, File) {
    let path = scratch.path("file");
    let device = FaultDevice::new(elio::open_device(&path, Mode::ReadWrite).unwrap());
    let file = File::on_device(device.clone(), path, options);
    (device, file)
}

const CHUNKS: [usize; 5] = [1600, 1600, 160_000, 1 << 20, 4096];
const POLICIES: [CachePolicy; 3] = [CachePolicy::Auto, CachePolicy::Keep, CachePolicy::Bypass];

/// Writes in every way there is, reads it back in every way there is. Errors end it.
fn workload(file: &File) -> Result<Vec<u8>, Error> {
    let mut offset = 0;
    for len in CHUNKS {
        file.write_at(offset, &pattern(offset, len))?;
        offset += len as u64;
        file.submit_write(offset, pattern(offset, len))?.wait()?;
        offset += len as u64;
    }
    file.sync()?;
    let mut whole = vec![0; usize::try_from(file.len()?).unwrap()];
    file.read_at(0, &mut whole)?;
    crate::support::drop_cache(file);
    let (_, again) = file.submit_read(0, vec![0; whole.len()])?.finish()?;
    assert!(again == whole, "two reads differ without an error");
    Ok(whole)
}

fn expected() -> Vec<u8> {
    pattern(0, CHUNKS.iter().sum::<usize>() * 2)
}

/// How many operations the workload makes without faults.
fn operations_count(cache: CachePolicy) -> u64 {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, cache);
    assert!(workload(&file).unwrap() == expected());
    device.operations_count()
}

#[test]
fn whatever_operation_fails_the_caller_learns_of_it_or_the_data_is_whole() {
    for cache in POLICIES {
        let count = operations_count(cache);
        assert!(count >= 10, "{count} operations are too few to mean anything");
        let mut reported = 0;
        for operation in 0..count {
            let scratch = Scratch::new();
            let (device, file) = faulty(&scratch, cache);
            device.inject(operation, Fault::Fail(libc::EIO));
            match workload(&file) {
                Ok(whole) => {
                    assert!(whole == expected(), "lost silently at operation {operation} of {cache:?}");
                }
                Err(error) => {
                    reported += 1;
                    assert_eq!(error.os_error().and_then(std::io::Error::raw_os_error), Some(libc::EIO));
                }
            }
        }
        // Early writeback and speculative reads may fail without harm; real transfers may not.
        assert!(reported * 2 > count, "{reported} of {count} faults were reported under {cache:?}");
    }
}

#[test]
fn transfers_cut_short_are_resumed() {
    for cache in POLICIES {
        for operation in 0..operations_count(cache) {
            for len in [1, 512, 4096, 100_000] {
                let scratch = Scratch::new();
                let (device, file) = faulty(&scratch, cache);
                device.inject(operation, Fault::Shorten(len));
                let whole = workload(&file).unwrap();
                assert!(whole == expected(), "operation {operation} cut to {len} under {cache:?}");
            }
        }
    }
}

#[test]
fn an_error_after_a_transfer_cut_short_is_not_taken_for_the_end_of_the_file() {
    for cache in POLICIES {
        for operation in 0..operations_count(cache) {
            let scratch = Scratch::new();
            let (device, file) = faulty(&scratch, cache);
            device.inject(operation, Fault::Shorten(4096));
            device.inject(operation + 1, Fault::Fail(libc::EIO));
            if let Ok(whole) = workload(&file) {
                assert!(whole == expected(), "operation {operation} under {cache:?}");
            }
        }
    }
}

#[test]
fn nor_is_one_after_a_transfer_that_went_on_through_the_cache() {
    for cache in POLICIES {
        for operation in 0..operations_count(cache) {
            for first in [libc::ECANCELED, libc::EIO] {
                let scratch = Scratch::new();
                let (device, file) = faulty(&scratch, cache);
                device.inject(operation, Fault::Fail(first));
                device.inject(operation + 1, Fault::Shorten(4096));
                device.inject(operation + 2, Fault::Fail(libc::EIO));
                if let Ok(whole) = workload(&file) {
                    assert!(whole == expected(), "operation {operation} under {cache:?}");
                }
            }
        }
    }
}

#[test]
fn a_write_that_goes_on_through_the_cache_comes_before_later_ones_of_the_same_place() {
    const LEN: usize = 256 << 10;
    for refusal in [Fault::Fail(libc::EINVAL), Fault::Fail(libc::ECANCELED), Fault::Shorten(4096)] {
        let scratch = Scratch::new();
        let (device, file) = faulty(&scratch, CachePolicy::Bypass);
        file.write_at(0, &vec![0; LEN]).unwrap();
        device.inject(device.operations_count(), refusal);
        let first = file.submit_write(0, vec![1; LEN]).unwrap();
        let second = file.submit_write(0, vec![2; LEN]).unwrap();
        second.finish().unwrap();
        first.finish().unwrap();
        let mut whole = vec![0; LEN];
        assert_eq!(file.read_at(0, &mut whole).unwrap(), LEN);
        assert!(whole.iter().all(|&byte| byte == 2), "the first write is over the second: {refusal:?}");
    }
}

/// One part, so that the second refusal is of the same write. It is over once its transfer is: a later one comes after it.
#[test]
fn a_write_that_is_refused_through_the_cache_as_well_has_failed_and_is_not_made_again_by_its_wait() {
    const LEN: usize = 64 << 10;
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, CachePolicy::Bypass);
    file.write_at(0, &vec![0; LEN]).unwrap();
    file.flush().unwrap();
    let operation = device.operations_count();
    for refused in [operation, operation + 1] {
        device.inject(refused, Fault::Fail(libc::EINVAL));
    }
    let first = file.submit_write(0, vec![1; LEN]).unwrap();
    let second = file.submit_write(0, vec![2; LEN]).unwrap();
    second.finish().unwrap();
    let told = first.finish().unwrap_err();
    assert_eq!(told.os_error().and_then(std::io::Error::raw_os_error), Some(libc::EINVAL), "{told}");
    let mut whole = vec![0; LEN];
    assert_eq!(file.read_at(0, &mut whole).unwrap(), LEN);
    assert!(whole.iter().all(|&byte| byte == 2), "the first write is over the second");
}

#[test]
fn interrupted_transfers_are_repeated() {
    for cache in POLICIES {
        for operation in 0..operations_count(cache) {
            let scratch = Scratch::new();
            let (device, file) = faulty(&scratch, cache);
            device.inject(operation, Fault::Fail(libc::EINTR));
            match workload(&file) {
                Ok(whole) => assert!(whole == expected(), "operation {operation} under {cache:?}"),
                // Calls that do not transfer may report an interruption; none of ours hides data by it.
                Err(error) => assert!(matches!(error, Error::File { .. }), "{error}"),
            }
        }
    }
}

#[test]
fn delays_and_other_orders_change_nothing() {
    for cache in POLICIES {
        for operation in 0..operations_count(cache) {
            for fault in [Fault::Delay(Duration::from_millis(2)), Fault::Reorder] {
                let scratch = Scratch::new();
                let (device, file) = faulty(&scratch, cache);
                device.inject(operation, fault);
                let whole = workload(&file).unwrap();
                assert!(whole == expected(), "{fault:?} of operation {operation} under {cache:?}");
            }
        }
    }
}

#[test]
fn when_the_world_stops_every_call_says_so_and_none_hangs() {
    for cache in POLICIES {
        for operation in 0..operations_count(cache) {
            let scratch = Scratch::new();
            let (device, file) = faulty(&scratch, cache);
            device.inject(operation, Fault::Stop);
            let outcome = workload(&file);
            assert!(outcome.is_err() || !device.is_stopped() || outcome.unwrap() == expected());
            if device.is_stopped() {
                assert!(file.sync().is_err());
                assert!(file.close().is_err());
            }
        }
    }
}

#[test]
fn a_full_device_is_told_with_what_was_asked_and_what_is_left() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, CachePolicy::Auto);
    device.inject(0, Fault::Fail(libc::ENOSPC));
    let error = file.write_at(4096, &vec![1; 100_000]).unwrap_err();
    let Error::NoSpace { offset_bytes, len_bytes, available_bytes, .. } = &error else { panic!("{error}") };
    assert_eq!((*offset_bytes, *len_bytes), (4096, 100_000));
    assert!(available_bytes.is_some());
    let message = error.to_string();
    assert!(message.starts_with("no space left") && message.contains("100000 bytes"), "{message}");
    assert!(message.contains(&format!("{} bytes left", available_bytes.unwrap())), "{message}");
}

#[test]
fn a_quota_is_told_as_one_wherever_it_is_met() {
    let quota = |device: &FaultDevice, more: u64| {
        device.inject(device.operations_count() + more, Fault::Fail(libc::EDQUOT));
    };
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, CachePolicy::Auto);
    quota(&device, 0);
    let at_once = file.write_at(4096, &vec![1; 1 << 20]).unwrap_err();
    quota(&device, 0);
    let waited = file.submit_write(0, vec![1; 1 << 20]).unwrap().wait().unwrap_err();
    file.write_at(0, &[1; 1000]).unwrap();
    quota(&device, 0);
    let gathered = file.flush().unwrap_err();
    quota(&device, 0);
    let reserved = file.preallocate(0, 1 << 20).unwrap_err();
    for error in [at_once, waited, gathered, reserved] {
        let message = error.to_string();
        assert!(matches!(error, Error::NoSpace { .. }), "{message}");
        assert!(message.starts_with("disk quota exceeded: "), "{message}");
        assert!(message.contains("bytes free for all users"), "{message}");
    }
}

/// Gathers three small writes and makes the device refuse the next operation with "no space".
fn refused_gathering(scratch: &Scratch) -> (Arc<FaultDevice>, File) {
    let (device, file) = faulty(scratch, CachePolicy::Auto);
    for i in 0..3 {
        file.write_at(i * 1000, &pattern(i * 1000, 1000)).unwrap();
    }
    device.inject(device.operations_count(), Fault::Fail(libc::ENOSPC));
    (device, file)
}

#[test]
fn gathered_writes_that_are_refused_are_reported_and_kept_until_they_go() {
    let scratch = Scratch::new();
    let (_device, file) = refused_gathering(&scratch);
    assert!(matches!(file.sync(), Err(Error::NoSpace { .. })));
    file.sync().unwrap(); // there is room again
    let mut read = vec![0; 3000];
    assert_eq!(file.read_at(0, &mut read).unwrap(), 3000);
    assert!(read == pattern(0, 3000));
}

#[test]
fn gathered_writes_that_are_refused_are_reported_at_length_wait_and_close() {
    let scratch = Scratch::new();
    let (_device, file) = refused_gathering(&scratch);
    assert!(matches!(file.len(), Err(Error::NoSpace { .. })));
    let scratch = Scratch::new();
    let (device, file) = refused_gathering(&scratch);
    assert!(matches!(file.len(), Err(Error::NoSpace { .. })));
    device.inject(device.operations_count(), Fault::Fail(libc::ENOSPC));
    let mut request = file.submit_write(3000, pattern(3000, 10)).unwrap();
    assert!(matches!(request.wait(), Err(Error::NoSpace { .. })), "a wait tells what is still refused");
    assert_eq!(request.wait().unwrap(), 10);
    assert_eq!(std::fs::read(scratch.path("file")).unwrap(), pattern(0, 3010), "the wait handed it over");
    let operations_count = device.operations_count();
    assert_eq!(request.wait().unwrap(), 10);
    assert_eq!(device.operations_count(), operations_count, "what is in the kernel is not written again");
    let scratch = Scratch::new();
    let (_device, file) = refused_gathering(&scratch);
    assert!(matches!(file.close(), Err(Error::NoSpace { .. })));
}

#[test]
fn a_wait_tells_that_its_gathered_write_was_given_up_by_close() {
    let scratch = Scratch::new();
    let options =
        OpenOptions { sharing: Sharing::Shared, gathers_requests: true, ..OpenOptions::new(Mode::ReadWrite) };
    let (device, file) = faulty_with(&scratch, &options);
    if file.properties().in_memory() {
        return println!("nothing is gathered for a file in memory");
    }
    let mut kept = file.submit_write(0, pattern(0, 1000)).unwrap();
    file.flush().unwrap();
    let mut lost = file.submit_write(1000, pattern(1000, 1000)).unwrap();
    device.inject(device.operations_count(), Fault::Fail(libc::ENOSPC));
    assert!(matches!(file.close(), Err(Error::NoSpace { .. })));
    for _ in 0..2 {
        assert!(matches!(lost.wait(), Err(Error::NoSpace { .. })), "the data is nowhere");
        assert_eq!(kept.wait().unwrap(), 1000);
    }
    assert_eq!(std::fs::read(scratch.path("file")).unwrap(), pattern(0, 1000));
}

#[test]
fn what_is_lost_by_handing_over_is_told_by_the_next_flush_once() {
    let scratch = Scratch::new();
    let options =
        OpenOptions { sharing: Sharing::Shared, gathers_requests: true, ..OpenOptions::new(Mode::ReadWrite) };
    let (device, file) = faulty_with(&scratch, &options);
    if file.properties().in_memory() {
        return println!("nothing is gathered for a file in memory");
    }
    let lost = file.submit_write(0, pattern(0, 1000)).unwrap();
    device.inject(device.operations_count(), Fault::Fail(libc::ENOSPC));
    for _ in 0..2 {
        file.hand_over().unwrap();
    }
    drop(lost);
    assert!(matches!(file.flush(), Err(Error::NoSpace { .. })), "nobody was told");
    file.flush().unwrap();
    assert_eq!(file.len().unwrap(), 0, "the write was not refused");
}

#[test]
fn a_gathered_write_of_a_shared_file_that_is_refused_has_failed_and_disturbs_no_other() {
    let options =
        OpenOptions { sharing: Sharing::Shared, gathers_requests: true, ..OpenOptions::new(Mode::ReadWrite) };
    let scratch = Scratch::new();
    let (device, file) = faulty_with(&scratch, &options);
    if file.properties().in_memory() {
        return println!("nothing is gathered for a file in memory");
    }
    let refuse = || device.inject(device.operations_count(), Fault::Fail(libc::ENOSPC));
    let write = |at: u64| file.submit_write(at, pattern(at, 1000)).unwrap();
    let mut first = write(0);
    refuse();
    assert!(matches!(first.wait(), Err(Error::NoSpace { operation: Operation::AsyncWrite, .. })));
    // Another rank writes there, and nothing of the first write comes after it.
    std::fs::write(scratch.path("file"), pattern(7, 1000)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    for _ in 0..2 {
        assert!(matches!(first.wait(), Err(Error::NoSpace { .. })), "the same result");
    }
    let mut second = write(50_000);
    assert_eq!(second.wait().unwrap(), 1000);
    // Not waited for: whoever writes elsewhere is not told, a flush is, once.
    let mut third = write(51_000);
    refuse();
    let mut fourth = write(90_000);
    assert_eq!(fourth.wait().unwrap(), 1000);
    assert!(matches!(file.flush(), Err(Error::NoSpace { .. })));
    file.flush().unwrap();
    assert!(matches!(third.wait(), Err(Error::NoSpace { .. })));
    drop([first, second, third, fourth]);
    refuse();
    drop(write(91_000));
    assert!(matches!(file.sync(), Err(Error::NoSpace { .. })));
    file.close().unwrap();
    let found = std::fs::read(scratch.path("file")).unwrap();
    assert!(found[..1000] == pattern(7, 1000) && found[50_000..51_000] == pattern(50_000, 1000));
    assert!(found[90_000..] == pattern(90_000, 1000));
}

#[test]
fn waiting_for_small_writes_of_a_private_file_gathers_on_and_a_refusal_is_told_by_a_wait() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, CachePolicy::Auto);
    let before = device.operations_count();
    for i in 0..20 {
        file.submit_write(i * 1600, pattern(i * 1600, 1600)).unwrap().wait().unwrap();
    }
    // Housekeeping may have come by.
    assert!(device.operations_count() - before <= 2, "{} operations", device.operations_count() - before);
    let full = device.operations_count() + 200;
    (device.operations_count()..full)
        .for_each(|operation| device.inject(operation, Fault::Fail(libc::ENOSPC)));
    // A worker that is late is told of by the first write after the few buffers that may wait for it.
    let told = (20..4000).find(|&i| {
        let mut request = file.submit_write(i * 1600, pattern(i * 1600, 1600)).unwrap();
        matches!(request.wait(), Err(Error::NoSpace { .. }))
    });
    assert!(told.is_some(), "nobody was told in 6 MB");
}

#[test]
fn gathered_writes_reach_the_kernel_by_themselves() {
    let scratch = Scratch::new();
    let (_device, file) = faulty(&scratch, CachePolicy::Auto);
    for i in 0..3 {
        file.write_at(i * 1000, &pattern(i * 1000, 1000)).unwrap();
    }
    let seen = || std::fs::read(scratch.path("file")).unwrap();
    let reached = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10)); // polling, not a bound: the promise is a tenth of a second
        seen() == pattern(0, 3000)
    });
    assert!(reached, "{} bytes reached the kernel", seen().len());
}

#[test]
fn late_errors_of_the_kernel_are_reported_at_close() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, CachePolicy::Auto);
    file.write_at(0, &vec![1; 300_000]).unwrap();
    device.inject(device.operations_count(), Fault::Fail(libc::EIO));
    let error = file.close().unwrap_err();
    assert!(error.to_string().contains("close of"), "{error}");
}

#[test]
fn an_asynchronous_write_around_the_cache_returns_while_the_device_is_busy() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch, CachePolicy::Bypass);
    device.inject(device.operations_count(), Fault::Delay(Duration::from_secs(1)));
    let mut request = file.submit_write(0, pattern(0, 256 << 10)).unwrap();
    assert!(!request.test(), "the call has waited for the device");
    assert_eq!(request.wait().unwrap(), 256 << 10);
    let mut read = vec![0; 256 << 10];
    assert_eq!(file.read_at(0, &mut read).unwrap(), 256 << 10);
    assert!(read == pattern(0, 256 << 10));
}

#[test]
fn a_dropped_request_waits_for_its_memory() {
    for cache in POLICIES {
        let scratch = Scratch::new();
        let (device, file) = faulty(&scratch, cache);
        file.write_at(0, &pattern(0, 1 << 20)).unwrap();
        crate::support::make_cold(&file);
        for operation in 0..6 {
            device.inject(device.operations_count() + operation, Fault::Delay(Duration::from_millis(2)));
        }
        drop(file.submit_read(0, vec![0; 1 << 20]).unwrap());
        drop(file.submit_write(0, pattern(0, 1 << 20)).unwrap());
        let mut read = vec![0; 1 << 20];
        assert_eq!(file.read_at(0, &mut read).unwrap(), 1 << 20);
        assert!(read == pattern(0, 1 << 20));
    }
}
