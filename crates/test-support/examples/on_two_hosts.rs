//! Runs an MPI program of any language on two test hosts, for the tests of the border.
//!
//! `on_two_hosts RANKS_PER_HOST SECONDS LINKED LOCAL_DIR PROGRAM [ARGUMENT...]`: LINKED is PROGRAM, or what it starts; each host has
//! a directory of its own at `LOCAL_DIR`, unless that is `-`. Ends as the job does, with 124 after so many seconds, or with 77 if
//! this machine cannot have test hosts.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ranks_per_host, seconds, linked, local_dir, command @ ..] = &arguments[..] else {
        eprintln!("usage: on_two_hosts RANKS_PER_HOST SECONDS LINKED LOCAL_DIR PROGRAM [ARGUMENT...]");
        return ExitCode::from(2);
    };
    let (Ok(ranks_per_host), Ok(seconds)) = (ranks_per_host.parse(), seconds.parse()) else {
        eprintln!("on_two_hosts: {ranks_per_host} ranks, {seconds} s: expected two numbers");
        return ExitCode::from(2);
    };
    let local_dir = (local_dir != "-").then(|| Path::new(local_dir));
    let limit = Duration::from_secs(seconds);
    match test_support::run_on_two_hosts(ranks_per_host, local_dir, Path::new(linked), command, limit) {
        Ok(Some(status)) => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Ok(None) => ExitCode::from(124),
        Err(reason) => {
            eprintln!("on_two_hosts: {reason}");
            ExitCode::from(77)
        }
    }
}
