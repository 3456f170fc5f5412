//! Where `io_uring` is forbidden, as containers do it: a seccomp filter that answers with EPERM.

use crate::support::{Scratch, pattern};
use elio::{Error, File, Mode, OpenOptions};
use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What the process under the filter is to find; unset in the process that starts it.
const ROLE: &str = "ELIO_TEST_FORBIDDEN_RING";
const TEST: &str = "ring::a_forbidden_ring_is_missed_only_by_those_who_ask_for_it_by_name";
const SYS_IO_URING_SETUP: u32 = 425;

/// Makes `io_uring_setup` fail with EPERM in this process and those it becomes.
fn forbid_io_uring() -> io::Result<()> {
    let step = |code: u32, jump_if_true: u8, jump_if_false: u8, k: u32| libc::sock_filter {
        code: u16::try_from(code).expect("a filter's codes are short"),
        jt: jump_if_true,
        jf: jump_if_false,
        k,
    };
    let forbidden = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    let mut steps = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0), // the number of the call
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, SYS_IO_URING_SETUP),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, forbidden),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
    // SAFETY: the calls read the program, which lives until they have returned.
    let codes = unsafe {
        [
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
                &raw const program,
            ),
        ]
    };
    if codes == [0, 0] { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn run_forbidden(role: &str) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", TEST, "--nocapture"]).env(ROLE, role);
    match role {
        "forced" => command.env("CHEMIO_BACKEND", "uring"),
        _ => command.env_remove("CHEMIO_BACKEND"),
    };
    // SAFETY: between fork and exec only two system calls are made, and nothing is allocated.
    unsafe { command.pre_exec(forbid_io_uring) };
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{role}: {output:?}");
}

fn asking_for_it_is_an_error_that_says_what_to_do(scratch: &Scratch) {
    let path = scratch.path("file");
    std::fs::write(&path, b"kept").unwrap();
    // Also an opening that empties the file must not before it is refused.
    assert!(File::open(&path, &OpenOptions::new(Mode::Write)).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"kept");
    let error = File::open(&path, &OpenOptions::new(Mode::ReadWrite)).unwrap_err();
    assert!(matches!(error, Error::BackendUnavailable { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("uring") && message.contains("seccomp"), "{message}");
}

fn without_it_requests_are_asynchronous_all_the_same(scratch: &Scratch) {
    const LEN_BYTES: usize = 1 << 20;
    let file = File::open(scratch.path("file"), &OpenOptions::new(Mode::ReadWrite)).unwrap();
    assert_eq!(file.properties().ring, None);
    let offsets = (0..8).map(|i| i * LEN_BYTES as u64);
    let writes: Vec<_> =
        offsets.clone().map(|at| file.submit_write(at, pattern(at, LEN_BYTES)).unwrap()).collect();
    for write in writes {
        assert_eq!(write.finish().unwrap().0, LEN_BYTES);
    }
    let reads: Vec<_> = offsets.map(|at| (at, file.submit_read(at, vec![0; LEN_BYTES]).unwrap())).collect();
    for (at, read) in reads {
        assert!(read.finish().unwrap().1 == pattern(at, LEN_BYTES));
    }
}

#[test]
fn a_forbidden_ring_is_missed_only_by_those_who_ask_for_it_by_name() {
    let scratch = Scratch::new();
    match env::var(ROLE).as_deref() {
        Err(_) => ["forced", "free"].into_iter().for_each(run_forbidden),
        Ok("forced") => asking_for_it_is_an_error_that_says_what_to_do(&scratch),
        Ok(_) => without_it_requests_are_asynchronous_all_the_same(&scratch),
    }
}
