//! Several threads at the border: handles, requests and messages keep apart.

use chemio_capi::eaf::c::{
    EAF_Aread, EAF_Awrite, EAF_Close, EAF_Errmsg, EAF_Length, EAF_Open, EAF_Read, EAF_Wait, EAF_Write,
};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use tempfile::TempDir;

const READ_WRITE: c_int = -1;
const READ: c_int = -3;

fn open(path: &Path, kind: c_int) -> (c_int, c_int) {
    let name = CString::new(path.to_str().expect("text")).expect("no NUL");
    let mut fd = -1;
    // SAFETY: the name is a string, the handle a variable.
    let code = unsafe { EAF_Open(name.as_ptr(), kind, &raw mut fd) };
    (code, fd)
}

fn write(fd: c_int, from: &[u8]) -> c_int {
    // SAFETY: the slice has this length.
    unsafe { EAF_Write(fd, 0.0, from.as_ptr().cast(), from.len()) }
}

fn read(fd: c_int, into: &mut [u8]) -> c_int {
    // SAFETY: the slice has this length.
    unsafe { EAF_Read(fd, 0.0, into.as_mut_ptr().cast(), into.len()) }
}

fn awrite_and_wait(fd: c_int, offset: f64, from: &[u8]) -> c_int {
    let mut id = -1;
    // SAFETY: the slice has this length and outlives the wait.
    assert_eq!(unsafe { EAF_Awrite(fd, offset, from.as_ptr().cast(), from.len(), &raw mut id) }, 0);
    EAF_Wait(fd, id)
}

/// Starts on one handle and waits through another; gives the request too.
fn aread_and_wait(fd: c_int, waiting_fd: c_int, offset: f64, into: &mut [u8]) -> (c_int, c_int) {
    let mut id = -1;
    // SAFETY: the slice has this length and outlives the wait.
    assert_eq!(unsafe { EAF_Aread(fd, offset, into.as_mut_ptr().cast(), into.len(), &raw mut id) }, 0);
    (EAF_Wait(waiting_fd, id), id)
}

fn length(fd: c_int) -> f64 {
    let mut length = -1.0;
    // SAFETY: the length is a variable.
    assert_eq!(unsafe { EAF_Length(fd, &raw mut length) }, 0);
    length
}

fn message(code: c_int) -> String {
    let mut text: [c_char; 80] = [0; 80];
    // SAFETY: there is room for 80 characters.
    unsafe { EAF_Errmsg(code, text.as_mut_ptr()) };
    // SAFETY: the call ended them with a NUL.
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().expect("text").to_owned()
}

#[test]
fn threads_that_open_and_close_all_the_time_never_see_each_others_files() {
    let directory = TempDir::new().expect("a directory");
    thread::scope(|scope| {
        for t in 0..6_u8 {
            let path = directory.path().join(format!("of thread {t}"));
            scope.spawn(move || {
                for round in 0..100_u8 {
                    let (code, fd) = open(&path, READ_WRITE);
                    assert_eq!(code, 0);
                    let (out, mut found) = ([t, round, 7], [0_u8; 3]);
                    assert_eq!(write(fd, &out), 0);
                    assert_eq!(read(fd, &mut found), 0);
                    assert_eq!(found, out);
                    assert_eq!(EAF_Close(fd), 0);
                }
            });
        }
    });
}

#[test]
fn a_thread_is_told_its_own_failed_open() {
    let directory = TempDir::new().expect("a directory");
    let both_have_failed = Barrier::new(2);
    thread::scope(|scope| {
        for name in ["one", "two"] {
            let (path, both_have_failed) = (directory.path().join(name), &both_have_failed);
            scope.spawn(move || {
                assert_eq!(open(&path, READ).0, -44);
                both_have_failed.wait();
                assert!(message(-44).ends_with(name), "{}", message(-44));
            });
        }
    });
}

#[test]
fn a_close_waits_for_the_calls_of_other_threads() {
    const LEN_BYTES: usize = 8 << 20;
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("f");
    let (code, fd) = open(&path, READ_WRITE);
    assert_eq!(code, 0);
    let begun = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let data = vec![3_u8; LEN_BYTES];
            begun.wait();
            let code = write(fd, &data);
            assert!(code == 0 || code == -10006, "{code}: written or not begun");
        });
        begun.wait();
        assert_eq!(EAF_Close(fd), 0);
    });
    let len_bytes = std::fs::metadata(&path).expect("there").len();
    assert!(len_bytes == 0 || len_bytes == LEN_BYTES as u64, "{len_bytes}: a part was lost");
}

#[test]
fn requests_of_several_threads_on_one_file_end_each_with_its_own_data() {
    const LEN_BYTES: usize = 100_000;
    let directory = TempDir::new().expect("a directory");
    let (code, fd) = open(&directory.path().join("f"), READ_WRITE);
    assert_eq!(code, 0);
    thread::scope(|scope| {
        for t in 0..4_u32 {
            scope.spawn(move || {
                let fill = u8::try_from(t + 1).expect("small");
                let (out, mut found) = (vec![fill; LEN_BYTES], vec![0; LEN_BYTES]);
                let offset = f64::from(t) * 100_000.0;
                for _ in 0..50 {
                    assert_eq!(awrite_and_wait(fd, offset, &out), 0);
                    found.fill(0);
                    assert_eq!(aread_and_wait(fd, fd, offset, &mut found).0, 0);
                    assert_eq!(found, out);
                }
            });
        }
    });
    assert!((length(fd) - 400_000.0).abs() < 0.5);
    assert_eq!(EAF_Close(fd), 0);
}

#[test]
fn a_request_may_be_waited_for_through_another_handle_of_the_program() {
    let directory = TempDir::new().expect("a directory");
    let ((_, one), (_, two)) =
        (open(&directory.path().join("one"), READ_WRITE), open(&directory.path().join("two"), READ_WRITE));
    let mut found = [0_u8; 10];
    let (code, id) = aread_and_wait(one, two, 0.0, &mut found);
    assert_eq!(code, -1977, "the end of file `one`");
    assert_eq!(EAF_Wait(one, id), -1977);
    assert_eq!((EAF_Close(one), EAF_Close(two)), (0, 0));
}
