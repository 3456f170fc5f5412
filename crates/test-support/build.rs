//! Compiles `src/patience.c`, which the launcher lets MPICH's ranks load.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src/patience.c");
    println!("cargo::rerun-if-env-changed=CC");
    let library = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("patience.so");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let outcome = Command::new(&compiler)
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .args([library.as_path(), Path::new("src/patience.c")])
        .arg("-ldl")
        .status();
    if !outcome.is_ok_and(|status| status.success()) {
        println!(
            "cargo::warning={compiler} does not compile patience.c: suites will be slow under MPICH and may hang at the end"
        );
        let _ = fs::remove_file(&library);
    }
    println!("cargo::rustc-env=PATIENCE={}", library.display());
}
