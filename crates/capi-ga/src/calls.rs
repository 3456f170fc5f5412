//! The calls themselves, for both languages: boundary, arguments, one call of the crate `ga`, results.
//!
//! One contract for all unsafe functions here: pointers are null, or what they point to is as the call declares it, and
//! nobody else uses it meanwhile.
#![allow(clippy::missing_safety_doc)] // see above

pub(crate) mod access;
pub(crate) mod arithmetic;
pub(crate) mod collective;
pub(crate) mod create;
pub(crate) mod describe;
pub(crate) mod elements;
pub(crate) mod elementwise;
pub(crate) mod group;
pub(crate) mod lifecycle;
pub(crate) mod mutex;
pub(crate) mod print;
pub(crate) mod product;
pub(crate) mod transfer;
