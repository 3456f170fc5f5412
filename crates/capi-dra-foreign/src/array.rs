//! An array of the other library as transfers see it.

use crate::library::{self, Error, Facts, Handle, Place};
use dra::{ArrayInMemory, DataType, Meeting, MemoryError};
use section::{DIMS_MAX, Section, Shape};

/// An array that was there when it was found.
#[derive(Debug)]
pub(crate) struct ForeignArray {
    handle: Handle,
    name: String,
    data_type: DataType,
    facts: Facts,
}

impl ForeignArray {
    /// The array of a handle, where an INTEGER has so many bytes.
    pub(crate) fn find(handle: i64, integer_bytes: usize) -> Result<Self, Error> {
        let handle = Handle::new(handle)?;
        handle.check_group()?;
        let facts = handle.facts()?;
        let data_type = data_type(facts.type_code, integer_bytes).ok_or(Error::Type(facts.type_code))?;
        Ok(Self { handle, name: handle.name()?, data_type, facts })
    }

    /// That the handle still is that of the same array, as far as can be seen.
    fn check(&self) -> Result<(), Error> {
        let same = self.handle.facts().is_ok_and(|facts| facts == self.facts);
        if same { Ok(()) } else { Err(Error::Changed) }
    }
}

/// The type with this code, of C or of Fortran: the library gives either.
fn data_type(code: i32, integer_bytes: usize) -> Option<DataType> {
    Some(match code {
        1001 => DataType::Int32,
        1010 | 1011 if integer_bytes == 4 => DataType::Int32,
        1002 | 1010 | 1011 | 1016 => DataType::Int64,
        1003 | 1012 => DataType::Float32,
        1004 | 1013 => DataType::Float64,
        1006 | 1014 => DataType::Complex64,
        1007 | 1015 => DataType::Complex128,
        _ => return None,
    })
}

/// Where a section lies, and how it lies in an array of `extents`.
fn place(section: &Section, extents: &Shape) -> Place {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let (mut lo, mut hi, mut leading) = ([0; DIMS_MAX], [0; DIMS_MAX], [0; DIMS_MAX]);
    for d in 0..section.dims() {
        lo[d] = number(section.lo()[d]);
        hi[d] = number(section.hi()[d]) - 1;
    }
    for (leading, &extent) in leading.iter_mut().zip(&extents[1..]) {
        *leading = number(extent);
    }
    Place { lo, hi, leading }
}

/// Bytes from the first element of a section to its last one in an array of `extents`.
fn span_bytes(section: &Section, extents: &Shape, element_bytes: u64) -> Option<u64> {
    let counts = section.counts();
    let last = (0..section.dims()).try_fold(0u64, |at, d| {
        let stride = if d == 0 { 0 } else { extents[d] };
        at.checked_mul(stride.max(1))?.checked_add(counts[d].checked_sub(1)?)
    });
    last?.checked_add(1)?.checked_mul(element_bytes)
}

impl ForeignArray {
    /// # Panics
    /// If the memory is too small for the section: whoever cut the section made the memory.
    fn check_memory(&self, section: &Section, extents: &Shape, bytes: usize) {
        assert!(section.fits(&self.facts.dims), "section {section} of an array of {:?}", self.facts.dims);
        let needed = span_bytes(section, extents, self.data_type.bytes());
        assert!(needed.is_some_and(|needed| needed <= bytes as u64), "{bytes} bytes for section {section}");
    }
}

impl ArrayInMemory for ForeignArray {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn data_type(&self) -> DataType {
        self.data_type
    }

    fn dims(&self) -> Shape {
        self.facts.dims
    }

    fn any_thread(&self) -> bool {
        false
    }

    /// The library completes what a process has written when all synchronise; here is only asked whether they can.
    fn complete(&self) -> Result<(), MemoryError> {
        Ok(library::check_initialised()?)
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        Ok(library::sync()?)
    }

    /// A library that is built over messages between two processes serves others only within its calls.
    fn meeting(&self) -> Option<Meeting> {
        Some(|| Ok(library::sync()?))
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        if section.is_empty() {
            return Ok(());
        }
        self.check()?;
        self.check_memory(section, extents, to.len());
        // SAFETY: checked just now.
        Ok(unsafe { self.handle.get(place(section, extents), to.as_mut_ptr()) }?)
    }

    fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError> {
        if section.is_empty() {
            return Ok(());
        }
        self.check()?;
        self.check_memory(section, extents, from.len());
        // SAFETY: checked just now.
        Ok(unsafe { self.handle.put(place(section, extents), from.as_ptr()) }?)
    }
}
