//! Gives the shared library its soname.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libchemio_pario_i8.so.0");
    println!("cargo::rerun-if-changed=build.rs");
}
