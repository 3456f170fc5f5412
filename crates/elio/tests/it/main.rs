//! Tests of the device layer through its public face.

mod altered;
mod contract;
mod faults;
mod full;
mod gathered;
mod ring;
mod shared;
mod space;
mod streams;
mod support;
