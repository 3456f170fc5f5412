//! Tests of the device layer through its public face.

mod contract;
mod faults;
mod space;
mod support;
