//! Gives the shared library its soname.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libchemio_pario.so.0");
    println!("cargo::rerun-if-changed=build.rs");
}
