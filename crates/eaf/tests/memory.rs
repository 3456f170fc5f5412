//! What only files held in memory can meet.

use eaf::{Error, File, Kind};
use std::path::Path;

const MEGABYTE_BYTES: u64 = 1 << 20;

#[test]
fn a_memory_file_holds_exactly_its_megabytes_and_then_says_so() {
    let file = File::open("exactly", Kind::Memory { megabytes: 2 }).expect("opened");
    file.write(2 * MEGABYTE_BYTES - 8, &[1; 8]).expect("the last bytes");
    let full = file.write(2 * MEGABYTE_BYTES - 7, &[1; 8]).expect_err("one too many");
    assert!(matches!(full, Error::MemoryFull { capacity_bytes: 0x20_0000, len_bytes: 8, .. }), "{full:?}");
    assert_eq!(full.code(), -10007);
    let mut late = file.awrite(2 * MEGABYTE_BYTES, vec![1; 8]).expect("started");
    assert_eq!(late.wait().expect_err("no room").code(), -10008);
    assert_eq!(file.truncate(3 * MEGABYTE_BYTES).expect_err("no room").code(), -10019);
    assert_eq!(file.len_bytes().expect("length"), 2 * MEGABYTE_BYTES);
    File::delete("exactly").expect("deleted");
}

#[test]
fn a_memory_file_never_touches_the_disk() {
    let file = File::open("untouched.memory", Kind::Memory { megabytes: 1 }).expect("opened");
    file.write(0, b"data").expect("written");
    assert!(!Path::new("untouched.memory").exists());
    File::delete("untouched.memory").expect("deleted");
}

#[test]
fn deleting_and_creating_again_gives_an_empty_file_of_the_new_size() {
    let first = File::open("again", Kind::Memory { megabytes: 1 }).expect("opened");
    first.write(0, b"first").expect("written");
    File::delete("again").expect("deleted");
    let second = File::open("again", Kind::Memory { megabytes: 2 }).expect("opened");
    assert_eq!(second.len_bytes().expect("length"), 0);
    second.truncate(2 * MEGABYTE_BYTES).expect("grown");
    let mut found = [0; 5];
    first.read(0, &mut found).expect("the old handle keeps its file");
    assert_eq!(&found, b"first");
    File::delete("again").expect("deleted");
}

#[test]
fn legacy_types_are_the_three_modes_and_positive_megabytes() {
    assert_eq!(Kind::from_legacy(-1), Some(Kind::ReadWrite));
    assert_eq!(Kind::from_legacy(-2), Some(Kind::Write));
    assert_eq!(Kind::from_legacy(-3), Some(Kind::Read));
    assert_eq!(Kind::from_legacy(17), Some(Kind::Memory { megabytes: 17 }));
    for wrong in [0, -4, i64::MIN] {
        assert_eq!(Kind::from_legacy(wrong), None);
    }
}

#[test]
fn what_one_handle_is_writing_is_what_another_reads() {
    const MEGABYTES: u64 = 64;
    const LEN: usize = 64 << 20;
    let open = || File::open("two handles", Kind::Memory { megabytes: MEGABYTES }).expect("opened");
    let (writer, reader) = (open(), open());
    let mut found = [0; 8];
    for round in 1..=3 {
        let request = writer.awrite(0, vec![round; LEN]).expect("started");
        reader.read(MEGABYTES * MEGABYTE_BYTES - 8, &mut found).expect("it comes after the write");
        assert_eq!(found, [round; 8]);
        request.finish().expect("written");
    }
    let request = reader.aread(0, vec![0; LEN]).expect("started");
    File::open("two handles", Kind::Write).expect("emptied after the read");
    let (bytes, buffer) = request.finish().expect("read");
    assert!(bytes == LEN && buffer.iter().all(|&byte| byte == 3));
    assert_eq!(writer.len_bytes().expect("length"), 0);
    File::delete("two handles").expect("deleted");
}
