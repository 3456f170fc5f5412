//! Files that several processes write, and requests over several files.

use crate::support::{Scratch, device, pattern};
use elio::{
    CachePolicy, CountingDevice, Error, File, MemoryDevice, Mode, OpenOptions, PageBuffer, Piece, Sharing,
    SpreadRequest, read_spread, write_spread,
};
use std::io::ErrorKind;
use std::sync::Arc;

fn in_memory(count: usize) -> (Vec<Arc<CountingDevice>>, Vec<File>) {
    let devices: Vec<_> = (0..count).map(|_| CountingDevice::new(MemoryDevice::new(1 << 30))).collect();
    let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::Existing) };
    let files =
        devices.iter().map(|device| File::on_device(Arc::clone(device) as _, "stripe", &options)).collect();
    (devices, files)
}

/// Pieces of these lengths, each at its number in kilobytes, in turn in the files.
fn pieces<'a>(files: &'a [File], lens: &[usize]) -> Vec<Piece<'a>> {
    let mut end = 0;
    let piece = |(i, len_bytes): (usize, &usize)| {
        let memory = end..end + len_bytes;
        end = memory.end;
        Piece { file: &files[i % files.len()], offset_bytes: i as u64 * 1024, memory }
    };
    lens.iter().enumerate().map(piece).collect()
}

#[test]
fn a_request_over_several_files_moves_each_piece_once() {
    for lens in [&[1000, 1, 0, 700][..], &[100_000, 600_000, 3][..], &[5][..], &[][..]] {
        let (devices, files) = in_memory(3);
        let pieces = pieces(&files, lens);
        let len: usize = lens.iter().sum();
        let data = pattern(77, len);
        let mut write = SpreadRequest::write(&pieces, data.clone()).unwrap();
        assert_eq!((write.wait().unwrap(), write.wait().unwrap()), (lens.to_vec(), lens.to_vec()));
        assert!(write.test());
        let mut found = vec![0; len];
        assert_eq!(read_spread(&pieces, &mut found).unwrap(), lens);
        assert!(found == data, "{lens:?}");
        write_spread(&pieces, &pattern(5, len)).unwrap();
        let (got, found) = SpreadRequest::read(&pieces, vec![0; len]).unwrap().finish().unwrap();
        assert!(got == lens && found == pattern(5, len), "{lens:?}");
        let written: u64 = devices.iter().map(|device| device.counts().written_bytes).sum();
        assert_eq!(written, 2 * len as u64);
        let filled = lens.iter().filter(|len| **len > 0).count() as u64;
        let writes: u64 = devices.iter().map(|device| device.counts().cached_writes).sum();
        assert_eq!(writes, 2 * filled, "{lens:?}");
    }
}

#[test]
fn what_lies_between_pieces_of_a_memory_is_left_alone() {
    let (devices, files) = in_memory(1);
    let piece = |offset_bytes, memory| Piece { file: &files[0], offset_bytes, memory };
    let (data, places) = (pattern(3, 9000), [(0, 100..1100), (5000, 4000..8000)]);
    let pieces = places.clone().map(|(at, memory)| piece(at, memory));
    write_spread(&pieces, &data).unwrap();
    assert_eq!(devices[0].counts().written_bytes, 5000);
    let (got, found) = SpreadRequest::read(&pieces, vec![7; 9000]).unwrap().finish().unwrap();
    assert_eq!(got, [1000, 4000]);
    for (i, byte) in found.iter().enumerate() {
        let moved = places.iter().any(|(_, memory)| memory.contains(&i));
        assert_eq!(*byte, if moved { data[i] } else { 7 }, "at {i}");
    }
}

#[test]
#[should_panic(expected = "pieces are in the memory, in its order")]
fn pieces_that_overlap_in_memory_are_refused() {
    let (_, files) = in_memory(1);
    let piece = |offset_bytes, memory| Piece { file: &files[0], offset_bytes, memory };
    let _ = read_spread(&[piece(0, 0..10), piece(50, 9..20)], &mut [0; 20]);
}

#[test]
fn what_a_file_does_not_have_is_told_by_its_piece_and_can_be_cleared() {
    let (_, files) = in_memory(2);
    let pieces = pieces(&files, &[3000, 3000, 3000]);
    write_spread(&pieces[..2], &[1; 6000]).unwrap();
    // The third piece begins at 2048 of the first file, which has 3000 bytes.
    let mut request = SpreadRequest::read(&pieces, vec![9; 9000]).unwrap();
    assert_eq!(request.wait().unwrap(), [3000, 3000, 952]);
    request.clear_unread(8000).unwrap();
    let (_, found) = request.finish().unwrap();
    let are = |bytes: &[u8], value| bytes.iter().all(|&byte| byte == value);
    assert!(are(&found[..6952], 1) && are(&found[6952..8000], 0) && are(&found[8000..], 9));
}

#[test]
fn a_bad_piece_is_refused_before_anything_is_moved() {
    let (devices, files) = in_memory(2);
    let mut pieces = pieces(&files, &[10, 10]);
    pieces[1].offset_bytes = u64::MAX - 5;
    assert!(matches!(write_spread(&pieces, &[1; 20]), Err(Error::OutOfRange { .. })));
    assert!(matches!(SpreadRequest::read(&pieces, vec![0; 20]), Err(Error::OutOfRange { .. })));
    assert!(devices.iter().all(|device| device.counts() == elio::Counts::default()));
}

#[test]
#[should_panic(expected = "pieces are in the memory, in its order")]
fn pieces_that_are_not_the_memory_are_a_mistake_of_the_program() {
    let (_, files) = in_memory(1);
    let _ = read_spread(&pieces(&files, &[10]), &mut [0; 9]);
}

#[test]
fn a_file_is_made_once_and_one_that_must_exist_is_not_made() {
    let scratch = Scratch::new();
    let path = scratch.path("made");
    let existing = || File::open(&path, &OpenOptions::new(Mode::Existing));
    let missing = existing().unwrap_err();
    assert_eq!(missing.os_error().map(std::io::Error::kind), Some(ErrorKind::NotFound));
    assert!(File::make(&path).unwrap());
    existing().unwrap().write_at(0, b"kept").unwrap();
    assert!(!File::make(&path).unwrap());
    let mut found = [0; 4];
    existing().unwrap().read_at(0, &mut found).unwrap();
    assert_eq!(&found, b"kept");
    assert!(File::make(scratch.path("no").join("directory")).is_err());
}

/// The page cache may hold several pages as one: a direct write beside what another process has written there would not be
/// seen, or lose it.
#[test]
fn a_file_that_others_write_is_not_written_around_the_page_cache() {
    for (sharing, direct) in [(Sharing::Exclusive, true), (Sharing::Shared, false)] {
        let scratch = Scratch::new();
        let counting = CountingDevice::new(device(&scratch.path("file")));
        if elio::Device::properties(&*counting).direct.is_none() {
            return;
        }
        let options =
            OpenOptions { cache: CachePolicy::Bypass, sharing, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::on_device(Arc::clone(&counting) as _, "file", &options);
        file.write_at(0, &pattern(0, 1 << 20)).unwrap();
        file.submit_write(1 << 20, pattern(1, 1 << 20)).unwrap().wait().unwrap();
        assert_eq!(counting.counts().direct_writes > 0, direct, "{sharing:?}: {:?}", counting.counts());
    }
}

#[test]
fn small_requests_of_a_shared_file_reach_the_kernel_together_and_by_their_wait() {
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let counting = CountingDevice::new(device(&path));
    if elio::Device::properties(&*counting).in_memory() {
        return;
    }
    for (gathers_requests, len) in [(false, 1600), (true, 1600), (false, 60_000), (true, 60_000)] {
        let options =
            OpenOptions { sharing: Sharing::Shared, gathers_requests, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::on_device(Arc::clone(&counting) as _, &path, &options);
        let before = counting.counts().cached_writes;
        let written = pattern(0, 80 * len);
        for round in 0..10 {
            let ends = (8 * round + 1..=8 * (round + 1)).map(|i| i * len);
            let write =
                |end| file.submit_write((end - len) as u64, written[end - len..end].to_vec()).unwrap();
            let requests: Vec<_> = ends.clone().map(write).collect();
            for (mut request, end) in requests.into_iter().zip(ends) {
                request.wait().unwrap();
                // Another program's view.
                assert!(std::fs::read(&path).unwrap()[end - len..end] == written[end - len..end]);
            }
        }
        let writes = counting.counts().cached_writes - before;
        let is_as_told = if gathers_requests { writes <= 40 } else { writes == 80 };
        assert!(is_as_told, "{gathers_requests}, {len}: {writes}");
        // A blocking write is never held.
        file.write_at(written.len() as u64, &pattern(3, 100)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[written.len()..], pattern(3, 100));
        file.set_len(0).unwrap();
    }
}

#[test]
fn requests_of_who_waits_for_each_at_once_are_written_at_once_until_he_does_not() {
    const LEN: usize = 20_000;
    const TRIES: u64 = 5000;
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let options =
        OpenOptions { sharing: Sharing::Shared, gathers_requests: true, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::open(&path, &options).unwrap();
    if elio::Device::properties(&*device(&path)).in_memory() {
        return;
    }
    let content = pattern(0, LEN);
    let write = |number: u64| file.submit_write(number * LEN as u64, content.clone()).unwrap();
    let is_held = |request: &elio::Request<Vec<u8>>| request.bytes_if_done().is_none();
    // One of a busy machine may be waited for late.
    let at_once = (1..TRIES).find(|number| {
        let mut request = write(number % 1000);
        let was_held = is_held(&request);
        request.wait().unwrap();
        number % 1000 > 1 && !was_held
    });
    assert!(at_once.is_some_and(|number| number > 5), "{at_once:?}");
    // Each begins where the one before ended: held again, now and then to see, and always when that is not waited for at once.
    let held_again = (0..TRIES).find(|turn| {
        let mut requests: Vec<_> = (0..20).map(|i| write(1000 + (turn % 100) * 20 + i)).collect();
        let held_count = requests.iter().filter(|request| is_held(request)).count();
        assert!(requests.iter_mut().all(|request| request.wait().unwrap() == LEN));
        held_count >= 19
    });
    assert!(held_again.is_some());
}

#[test]
fn a_small_write_of_a_shared_file_is_seen_by_others_once_its_request_is_dropped() {
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let options =
        OpenOptions { sharing: Sharing::Shared, gathers_requests: true, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::open(&path, &options).unwrap();
    for i in 0..20 {
        // One by one, several at a time, and as part of a request over several places.
        let write = |at| file.submit_write(at, pattern(at, 1000)).unwrap();
        let start = 5000 * i;
        drop(write(start));
        assert!(std::fs::read(&path).unwrap()[5000 * usize::try_from(i).unwrap()..] == pattern(start, 1000));
        drop([write(start + 1000), write(start + 2000)]);
        let piece = |offset_bytes, memory| Piece { file: &file, offset_bytes, memory };
        let pieces = [piece(start + 3000, 0..1000), piece(start + 4000, 1000..2000)];
        drop(SpreadRequest::write(&pieces, pattern(start + 3000, 2000)).unwrap());
        assert!(std::fs::read(&path).unwrap() == pattern(0, 5000 * (usize::try_from(i).unwrap() + 1)));
    }
}

/// As a plain file's: what decides is how long the request is, not its pieces.
#[test]
fn of_a_long_request_to_several_files_nothing_is_copied_within_the_call() {
    const PIECE: usize = 256 << 10;
    let scratch = Scratch::new();
    let options = OpenOptions {
        sharing: Sharing::Shared,
        cache: CachePolicy::Keep,
        ..OpenOptions::new(Mode::ReadWrite)
    };
    let files = ["0", "1"].map(|name| File::open(scratch.path(name), &options).unwrap());
    for (count, is_copied) in [(1, true), (64, false)] {
        let piece = |i: usize| Piece {
            file: &files[i % 2],
            offset_bytes: (i / 2 * PIECE) as u64,
            memory: i * PIECE..(i + 1) * PIECE,
        };
        let (pieces, data) = ((0..count).map(piece).collect::<Vec<_>>(), pattern(5, count * PIECE));
        let mut write = SpreadRequest::write(&pieces, data.clone()).unwrap();
        assert_eq!(write.is_done(), is_copied, "{count} pieces");
        write.wait().unwrap();
        let (got, found) = SpreadRequest::read(&pieces, vec![0; count * PIECE]).unwrap().finish().unwrap();
        assert!(found == data && got == vec![PIECE; count]);
        let mut read = SpreadRequest::read(&pieces, vec![0; count * PIECE]).unwrap();
        assert!(is_copied || !read.is_done(), "{count} pieces");
        read.wait().unwrap();
    }
}

/// The device has all of them at once; nobody may give the memory up before the wait.
#[test]
fn small_writes_around_the_page_cache_are_left_in_flight() {
    const LEN: usize = 8 << 10;
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let counting = CountingDevice::new(device(&path));
    if elio::Device::properties(&*counting).direct.is_none() {
        return;
    }
    let (sharing, cache) = (Sharing::SharedByPages, CachePolicy::Bypass);
    let options = OpenOptions { sharing, cache, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::on_device(Arc::clone(&counting) as _, &path, &options);
    file.set_len(16 * LEN as u64).unwrap();
    let mut buffer = PageBuffer::several(8 * LEN, 1).unwrap().remove(0);
    buffer.copy_from_slice(&pattern(0, 8 * LEN));
    // Every second place of the file.
    let piece =
        |i: usize| Piece { file: &file, offset_bytes: (2 * i * LEN) as u64, memory: i * LEN..(i + 1) * LEN };
    let mut request = SpreadRequest::write(&(0..8).map(piece).collect::<Vec<_>>(), buffer).unwrap();
    assert!(!request.is_done(), "nothing was waited for");
    assert_eq!(request.wait().unwrap(), [LEN; 8]);
    let counts = counting.counts();
    assert_eq!((counts.direct_writes, counts.cached_writes), (8, 0));
    let (found, expected) = (std::fs::read(&path).unwrap(), pattern(0, 8 * LEN));
    for (i, expected) in expected.chunks(LEN).enumerate() {
        assert!(found[2 * i * LEN..(2 * i + 1) * LEN] == *expected, "piece {i}");
    }
}

/// By pieces that this thread and a worker take in turn; where the worker would have no core, by one copy.
#[test]
fn a_large_read_of_what_is_resident_is_shared_with_a_worker_that_has_a_core() {
    const LEN: usize = 2_000_000;
    for sharing in [Sharing::Exclusive, Sharing::Shared] {
        let scratch = Scratch::new();
        let counting = CountingDevice::new(device(&scratch.path("file")));
        if !elio::Device::properties(&*counting).resident {
            return;
        }
        let options = OpenOptions { sharing, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::on_device(Arc::clone(&counting) as _, "file", &options);
        file.write_at(0, &pattern(0, 4 * LEN)).unwrap();
        file.flush().unwrap();
        // The first read asks whether the page cache has it; none follows another, so that nothing is read ahead.
        for at in [3, 1, 2, 0] {
            let before = counting.counts();
            let mut found = vec![0; LEN];
            assert_eq!(file.read_at((at * LEN) as u64, &mut found).unwrap(), LEN);
            assert!(found == pattern((at * LEN) as u64, LEN), "{sharing:?}, {at}");
            let counts = counting.counts();
            let copies = if elio::has_spare_core() { LEN.div_ceil(128 << 10) as u64 } else { 1 };
            assert_eq!(counts.cached_reads - before.cached_reads, copies, "{sharing:?}, {at}: {counts:?}");
            assert_eq!(counts.read_bytes - before.read_bytes, LEN as u64);
        }
        // The end of the file is found as ever.
        let mut found = vec![0; LEN];
        assert_eq!(file.read_at((4 * LEN - 700_000) as u64, &mut found).unwrap(), 700_000);
        assert!(found[..700_000] == pattern((4 * LEN - 700_000) as u64, 700_000));
        assert_eq!(file.read_at(4 * LEN as u64, &mut found).unwrap(), 0);
    }
}

/// In whatever order: nothing of such a file is read ahead.
#[test]
fn a_read_of_what_is_resident_of_a_shared_file_is_one_copy_made_at_issue() {
    let scratch = Scratch::new();
    let counting = CountingDevice::new(device(&scratch.path("file")));
    if !elio::Device::properties(&*counting).resident {
        return;
    }
    let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::on_device(Arc::clone(&counting) as _, "file", &options);
    file.write_at(0, &pattern(0, 64 * 32_000)).unwrap();
    // The first read asks whether the page cache has it.
    file.submit_read(0, vec![0; 1000]).unwrap().wait().unwrap();
    for stride in [1, 7] {
        for i in 0..64 {
            let at = i * stride % 64 * 32_000;
            let before = counting.counts();
            let request = file.submit_read(at, vec![0; 32_000]).unwrap();
            assert_eq!(request.bytes_if_done(), Some(32_000), "{i}, stride {stride}");
            assert!(request.finish().unwrap().1 == pattern(at, 32_000));
            let after = counting.counts();
            assert_eq!((after.cached_reads - before.cached_reads, after.started - before.started), (1, 0));
        }
    }
}

#[test]
fn large_requests_are_copied_at_issue_for_a_caller_that_waits_at_once_and_left_to_workers_for_another() {
    const LEN: usize = 1 << 20;
    let scratch = Scratch::new();
    let device = device(&scratch.path("file"));
    let has_core_for_worker = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    if !device.properties().resident || !has_core_for_worker {
        return;
    }
    let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::on_device(device, "file", &options);
    let data = pattern(5, 2 * LEN);
    file.write_at(0, &data).unwrap();
    let read = |at| file.submit_read(at, vec![0; LEN]).unwrap();
    let is_done_at_issue = |request: &elio::Request<Vec<u8>>| request.bytes_if_done().is_some();

    // Two at a time: the wait for the first comes after the start of the second.
    for _ in 0..50 {
        let pair = [read(0), read(LEN as u64)];
        assert!(!pair.iter().any(is_done_at_issue));
        let found = pair.map(|request| request.finish().unwrap().1).concat();
        assert!(found == data);
    }
    // One at a time. How many it takes depends on who else wants the processors.
    let mut one_by_one = (0..10_000).map(|_| {
        let request = read(0);
        let done = is_done_at_issue(&request);
        assert!(request.finish().unwrap().1 == data[..LEN]);
        done
    });
    assert!(one_by_one.any(|done| done));
    // Writes of the same caller, too; and not for ever: some are left to workers, to see whether it still waits at once.
    let writes: Vec<bool> = (0..100)
        .map(|_| {
            let request = file.submit_write(0, data[LEN..].to_vec()).unwrap();
            let done = is_done_at_issue(&request);
            request.finish().unwrap();
            done
        })
        .collect();
    assert!(writes.contains(&false), "{writes:?}");
    let mut found = vec![0; LEN];
    file.read_at(0, &mut found).unwrap();
    assert!(found == data[LEN..]);
}

#[test]
fn a_file_that_others_write_too_gets_its_data_to_the_device_early() {
    let scratch = Scratch::new();
    let counting = CountingDevice::new(device(&scratch.path("file")));
    if !elio::Device::properties(&*counting).allocates_ahead() {
        return;
    }
    let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::on_device(Arc::clone(&counting) as _, "file", &options);
    // The other half is another process's, which writes in turn.
    let other = File::open(scratch.path("file"), &options).unwrap();
    let data = pattern(0, 1 << 20);
    for turn in (0..48).step_by(2) {
        other.write_at((turn + 1) << 20, &data).unwrap();
        file.write_at(turn << 20, &data).unwrap();
    }
    file.sync().unwrap();
    // The helper works through what was handed to it; the last step may still be gathered.
    for _ in 0..1000 {
        if counting.counts().writebacks > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let writebacks = counting.counts().writebacks;
    assert!((1..=24).contains(&writebacks), "{writebacks}");
    assert_eq!(file.len().unwrap(), 48 << 20);
}

/// As a disk array is filled: half of a file whose length is known.
#[test]
fn a_file_that_keeps_its_holes_takes_no_space_for_them_and_knows_them() {
    const LEN: u64 = 1 << 20;
    let len = usize::try_from(LEN).unwrap();
    let scratch = Scratch::new();
    for sharing in [Sharing::Exclusive, Sharing::Shared] {
        let path = scratch.path("sparse");
        let options = OpenOptions { sharing, keeps_holes: true, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::open(&path, &options).unwrap();
        file.set_len(64 * LEN).unwrap();
        for i in (0..64).step_by(2) {
            file.submit_write(i * LEN, pattern(i, len)).unwrap().wait().unwrap();
        }
        file.sync().unwrap();
        // What only was reserved holds no data.
        file.preallocate(LEN, LEN).unwrap();
        for i in 0..64 {
            assert_eq!(file.has_data(i * LEN, LEN).unwrap(), i % 2 == 0, "{sharing:?}, {i}");
        }
        assert!(file.has_data(LEN - 1, 2).unwrap() && !file.has_data(63 * LEN, u64::MAX).unwrap());
        file.close().unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        let allocated_bytes = std::os::unix::fs::MetadataExt::blocks(&metadata) * 512;
        // And what the file system needs for its own lists.
        assert!((33 * LEN..35 * LEN).contains(&allocated_bytes), "{sharing:?}: {allocated_bytes} bytes");
        std::fs::remove_file(&path).unwrap();
    }
}
