//! Finds BLAS, which the matrix products are made of.

use std::env;

/// Which library is linked, if it is not the one that the system calls `blas`: a name, such as `openblas` or `mkl_rt`, or
/// arguments for the linker, such as `-L/opt/blis/lib -lblis`.
const VARIABLE: &str = "CHEMIO_BLAS";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    match env::var(VARIABLE) {
        Ok(chosen) if !chosen.trim().is_empty() => chosen.split_whitespace().for_each(link_argument),
        _ => link_the_system_one(),
    }
}

fn link_argument(argument: &str) {
    if let Some(directory) = argument.strip_prefix("-L") {
        println!("cargo::rustc-link-search=native={directory}");
    } else {
        println!("cargo::rustc-link-lib={}", argument.strip_prefix("-l").unwrap_or(argument));
    }
}

/// `blas` is what the system's administrator has chosen, where one can choose; not every system knows it by that name.
fn link_the_system_one() {
    let known = ["blas", "openblas"].into_iter().any(|name| pkg_config::probe_library(name).is_ok());
    if !known {
        println!("cargo::rustc-link-lib=blas");
    }
}
