//! One contract for files on disk and files held in memory.

use eaf::{Error, File, Kind};
use std::path::PathBuf;
use tempfile::TempDir;

/// A directory and the kinds of file that must behave alike in it.
struct Place {
    directory: TempDir,
    kind: Kind,
}

impl Place {
    fn name(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn open(&self, name: &str) -> File {
        File::open(self.name(name), self.kind).expect("opened")
    }
}

fn on_every_kind(test: impl Fn(&Place)) {
    for kind in [Kind::ReadWrite, Kind::Memory { megabytes: 4 }] {
        let place = Place { directory: TempDir::new().expect("a directory"), kind };
        test(&place);
    }
}

/// Bytes that tell where they belong.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| u8::try_from(i % 251).expect("below 251")).collect()
}

#[test]
fn what_was_written_is_read_at_any_offset_and_length() {
    on_every_kind(|place| {
        let file = place.open("f");
        let data = pattern(100_001);
        file.write(7, &data).expect("written");
        for (offset, len) in [(7, 1), (8, 1600), (4095, 4097), (50_000, 50_008)] {
            let mut found = vec![0; len];
            file.read(offset, &mut found).expect("read");
            let from = usize::try_from(offset).expect("small") - 7;
            assert_eq!(found, data[from..from + len], "{len} bytes at {offset}");
        }
    });
}

#[test]
fn a_write_past_the_end_extends_with_zeros() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(0, b"head").expect("written");
        file.write(10_000, b"tail").expect("written");
        assert_eq!(file.len_bytes().expect("length"), 10_004);
        let mut hole = vec![1; 9_996];
        file.read(4, &mut hole).expect("read");
        assert!(hole.iter().all(|&byte| byte == 0));
    });
}

#[test]
fn a_read_past_the_end_copies_what_there_is_and_says_how_much() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(0, b"0123456789").expect("written");
        let mut found = *b"........";
        match file.read(6, &mut found) {
            Err(Error::EndOfFile { offset_bytes: 6, len_bytes: 8, got_bytes: 4, .. }) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(&found, b"6789....");
        let nothing = file.read(10, &mut found).expect_err("nothing left");
        assert_eq!(nothing.code(), -1977);
        assert_eq!(&found, b"6789....");
    });
}

#[test]
fn nothing_to_transfer_is_no_error_even_past_the_end() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(1 << 20, &[]).expect("written");
        file.read(1 << 20, &mut []).expect("read");
        file.aread(1 << 20, Vec::new()).expect("started").wait().expect("read");
        file.awrite(1 << 20, Vec::new()).expect("started").wait().expect("written");
        assert_eq!(file.len_bytes().expect("length"), 0);
    });
}

#[test]
fn asynchronous_transfers_end_as_blocking_ones_do() {
    on_every_kind(|place| {
        let file = place.open("f");
        let data = pattern(300_000);
        let mut write = file.awrite(5, data.clone()).expect("started");
        write.wait().expect("written");
        write.wait().expect("a second wait tells the same");
        assert!(write.test() && write.is_write());
        let (got, found) = file.aread(5, vec![0; data.len()]).expect("started").finish().expect("read");
        assert_eq!((got, found), (data.len(), data));
    });
}

#[test]
fn the_end_of_the_file_is_told_by_every_wait_and_by_finish_as_fewer_bytes() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(0, b"0123456789").expect("written");
        let mut read = file.aread(6, vec![b'.'; 8]).expect("started");
        for _ in 0..2 {
            assert!(matches!(read.wait(), Err(Error::EndOfFile { got_bytes: 4, .. })));
        }
        let (got, found) = read.finish().expect("a short read is no error here");
        assert_eq!((got, &found[..]), (4, &b"6789...."[..]));
    });
}

#[test]
fn many_requests_may_be_outstanding_and_end_in_any_order() {
    on_every_kind(|place| {
        let file = place.open("f");
        let mut writes: Vec<_> =
            (0..200_u8).map(|i| file.awrite(u64::from(i) * 1000, vec![i; 1000]).expect("started")).collect();
        writes.iter_mut().rev().for_each(|write| write.wait().expect("written"));
        for i in [0_u8, 7, 199] {
            let mut found = [0; 1000];
            file.read(u64::from(i) * 1000, &mut found).expect("read");
            assert!(found.iter().all(|&byte| byte == i));
        }
    });
}

#[test]
fn truncating_shortens_and_grows_with_zeros() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(0, &pattern(1000)).expect("written");
        file.truncate(100).expect("shortened");
        assert_eq!(file.len_bytes().expect("length"), 100);
        file.truncate(5000).expect("grown");
        let mut found = vec![1; 4900];
        file.read(100, &mut found).expect("read");
        assert!(found.iter().all(|&byte| byte == 0));
    });
}

#[test]
fn two_handles_see_one_file() {
    on_every_kind(|place| {
        let (one, two) = (place.open("f"), place.open("f"));
        one.write(0, b"shared").expect("written");
        let mut found = [0; 6];
        two.read(0, &mut found).expect("read");
        assert_eq!(&found, b"shared");
        assert_eq!(two.len_bytes().expect("length"), 6);
    });
}

#[test]
fn a_handle_that_reads_in_sequence_sees_what_another_writes_ahead_of_it() {
    on_every_kind(|place| {
        for record_bytes in [8, 1600, 16_384] {
            let (reader, writer) = (place.open("f"), place.open("f"));
            writer.write(0, &vec![1; 1 << 20]).expect("written");
            let mut found = vec![0; record_bytes];
            for i in 0..64 {
                let next = u8::try_from(i % 200 + 2).expect("below 202");
                writer.write(i * record_bytes as u64, &vec![next; record_bytes]).expect("written");
                reader.read(i * record_bytes as u64, &mut found).expect("read");
                assert!(
                    found.iter().all(|&byte| byte == next),
                    "record {i} of {record_bytes} bytes is stale"
                );
            }
        }
    });
}

#[test]
fn a_closed_file_is_found_again_by_name_and_keeps_its_data() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(0, b"kept").expect("written");
        file.close().expect("closed");
        for kind in [place.kind, Kind::ReadWrite, Kind::Read] {
            let again = File::open(place.name("f"), kind).expect("opened again");
            let mut found = [0; 4];
            again.read(0, &mut found).expect("read");
            assert_eq!(&found, b"kept");
        }
    });
}

#[test]
fn opening_to_write_empties_the_file_and_forbids_reading() {
    on_every_kind(|place| {
        place.open("f").write(0, b"old").expect("written");
        let file = File::open(place.name("f"), Kind::Write).expect("opened");
        assert_eq!(file.len_bytes().expect("length"), 0);
        file.write(0, b"new").expect("written");
        assert_eq!(file.read(0, &mut [0; 3]).expect_err("write only").code(), -1997);
    });
}

#[test]
fn opening_to_read_forbids_writing() {
    on_every_kind(|place| {
        place.open("f").write(0, b"data").expect("written");
        let file = File::open(place.name("f"), Kind::Read).expect("opened");
        assert_eq!(file.write(0, b"x").expect_err("read only").code(), -1999);
        assert_eq!(file.truncate(0).expect_err("read only").code(), -10019);
        assert_eq!(file.len_bytes().expect("length"), 4);
    });
}

#[test]
fn a_deleted_file_is_gone_by_name_and_stays_usable_through_its_handles() {
    on_every_kind(|place| {
        let file = place.open("f");
        file.write(0, b"data").expect("written");
        File::delete(place.name("f")).expect("deleted");
        file.write(4, b"more").expect("written to the open handle");
        let mut found = [0; 8];
        file.read(0, &mut found).expect("read from the open handle");
        assert_eq!(&found, b"datamore");
        let missing = File::open(place.name("f"), Kind::Read).expect_err("gone");
        assert_eq!(missing.code(), -44);
        File::delete(place.name("f")).expect("deleting a missing file is no error");
    });
}

#[test]
fn statistics_count_calls_and_bytes_and_take_real_times() {
    on_every_kind(|place| {
        let file = place.open("f");
        for i in 0..10 {
            file.write(i * 10_000, &pattern(10_000)).expect("written");
        }
        file.read(0, &mut vec![0; 100_000]).expect("read");
        file.awrite(0, pattern(5000)).expect("started").wait().expect("written");
        file.aread(0, vec![0; 6000]).expect("started").wait().expect("read");
        let now = file.statistics();
        assert_eq!((now.write.calls, now.write.bytes), (10, 100_000));
        assert_eq!((now.read.calls, now.read.bytes), (1, 100_000));
        assert_eq!((now.awrite.calls, now.awrite.bytes), (1, 5000));
        assert_eq!((now.aread.calls, now.aread.bytes), (1, 6000));
        assert_eq!((now.wait.calls, now.wait.bytes), (2, 11_000));
        assert!(now.write.seconds > 0.0 && now.read.seconds > 0.0);
        assert!(now.write.megabytes_per_second() > 0.0);
    });
}

#[test]
fn a_report_names_the_file_its_size_and_every_kind_of_call() {
    on_every_kind(|place| {
        let file = place.open("integrals.0");
        file.write(0, &pattern(12_345)).expect("written");
        let text = file.report(3).to_string();
        assert!(
            text.starts_with("EAF file 3: \"") && text.contains("integrals.0\", size 12345 bytes\n"),
            "{text}"
        );
        for row in ["\nwrite ", "\nread ", "\nawrite ", "\naread ", "\nwait "] {
            assert!(text.contains(row), "{row:?} in {text}");
        }
    });
}

#[test]
fn one_file_serves_several_threads() {
    on_every_kind(|place| {
        let file = place.open("f");
        std::thread::scope(|scope| {
            for t in 0..4_u8 {
                let file = &file;
                scope.spawn(move || {
                    for i in 0..50 {
                        let offset = (u64::from(t) * 50 + i) * 777;
                        file.write(offset, &[t + 1; 777]).expect("written");
                        let mut found = [0; 777];
                        file.read(offset, &mut found).expect("read");
                        assert_eq!(found, [t + 1; 777]);
                    }
                });
            }
        });
    });
}
