//! Finds the serial HDF5 library: Debian's `libhdf5-dev`, or any other that pkg-config knows.

fn main() {
    // Debian calls the serial one so, because there are others; elsewhere there is only one.
    let names = ["hdf5-serial", "hdf5"];
    let found =
        names.iter().any(|name| pkg_config::Config::new().atleast_version("1.10").probe(name).is_ok());
    assert!(found, "no serial HDF5 1.10 or later found by pkg-config; Debian's package is libhdf5-dev");
}
