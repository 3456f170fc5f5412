//! Patches: the local memory that sections are copied to and from.

use crate::{Element, ElementType, Error, Result};
use section::{Layout, Shape};
use std::marker::PhantomData;

/// Memory of this process to read a section from: an array of some extents, of which the section fills the beginning.
///
/// The first extent does not matter; the others are the leading dimensions of the legacy calls. The last index varies
/// fastest.
#[derive(Clone, Copy, Debug)]
pub struct Patch<'a> {
    first: *const u8,
    memory: Memory,
    life: PhantomData<&'a [u8]>,
}

/// Memory of this process to write a section to; see [`Patch`].
#[derive(Debug)]
pub struct PatchMut<'a> {
    first: *mut u8,
    memory: Memory,
    life: PhantomData<&'a mut [u8]>,
}

// SAFETY: it is a slice that is only read, of elements that are `Sync`; raw ones by the promise of their maker.
unsafe impl Send for Patch<'_> {}
// SAFETY: it is a slice that nobody else has, of elements that are `Send`; raw ones by the promise of their maker.
unsafe impl Send for PatchMut<'_> {}

/// What is known of the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    element_type: ElementType,
    /// None: the memory is exactly as large as the section.
    extents: Option<Shape>,
    /// Elements there are; raw memory has as many as its maker promised.
    len: usize,
}

impl Memory {
    fn of_bytes(len_bytes: usize, element_type: ElementType, extents: &[u64]) -> Result<Self> {
        let len = len_bytes / element_type.bytes();
        Ok(Self { element_type, extents: Some(Shape::new(extents)?), len })
    }

    #[inline]
    pub(crate) fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// None: the section's own.
    #[inline]
    pub(crate) fn extents(&self) -> Option<&Shape> {
        self.extents.as_ref()
    }

    /// Elements there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Where the section of `counts` elements lies.
    fn layout(&self, counts: &Shape) -> Result<Layout> {
        let extents = self.extents.unwrap_or(*counts);
        let too_small =
            || Error::PatchTooSmall { extents: extents.to_vec(), len: self.len, counts: counts.to_vec() };
        let fits = extents.len() == counts.len()
            && extents.iter().zip(counts.iter()).skip(1).all(|(extent, count)| count <= extent);
        if !fits
            || extents[1..]
                .iter()
                .try_fold(1usize, |product, &extent| product.checked_mul(usize::try_from(extent).ok()?))
                .is_none()
        {
            return Err(too_small());
        }
        let layout = Layout::dense(&extents);
        if layout.span(counts) > self.len { Err(too_small()) } else { Ok(layout) }
    }
}

impl<'a> Patch<'a> {
    /// Elements that are exactly those of a section, in row-major order.
    pub fn dense<T: Element>(elements: &'a [T]) -> Self {
        Self {
            first: elements.as_ptr().cast(),
            memory: Memory { element_type: T::TYPE, extents: None, len: elements.len() },
            life: PhantomData,
        }
    }

    /// Elements of an array of `extents`.
    ///
    /// # Errors
    /// - [`Error::Section`]: not 1 to 7 extents.
    pub fn new<T: Element>(elements: &'a [T], extents: &[u64]) -> Result<Self> {
        let memory = Memory { extents: Some(Shape::new(extents)?), ..Self::dense(elements).memory };
        Ok(Self { memory, ..Self::dense(elements) })
    }

    /// Elements of an array of `extents` as bytes, which need not be aligned.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_bytes(bytes: &'a [u8], element_type: ElementType, extents: &[u64]) -> Result<Self> {
        let memory = Memory::of_bytes(bytes.len(), element_type, extents)?;
        Ok(Self { first: bytes.as_ptr(), memory, life: PhantomData })
    }

    /// Memory of a foreign caller.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Safety
    /// For every section it is used with, the memory holds the section's elements at the places that the extents give, and
    /// nobody writes them until the operation is complete. It need not be aligned.
    pub unsafe fn from_raw(first: *const u8, element_type: ElementType, extents: &[u64]) -> Result<Self> {
        Ok(Self {
            first,
            memory: Memory { element_type, extents: Some(Shape::new(extents)?), len: usize::MAX },
            life: PhantomData,
        })
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn element_type(&self) -> ElementType {
        self.memory.element_type
    }

    #[inline]
    pub(crate) fn first(&self) -> *const u8 {
        self.first
    }

    pub(crate) fn layout(&self, counts: &Shape) -> Result<Layout> {
        self.memory.layout(counts)
    }
}

impl<'a> PatchMut<'a> {
    /// Room for exactly the elements of a section, in row-major order.
    pub fn dense<T: Element>(elements: &'a mut [T]) -> Self {
        let memory = Memory { element_type: T::TYPE, extents: None, len: elements.len() };
        Self { first: elements.as_mut_ptr().cast(), memory, life: PhantomData }
    }

    /// Room in an array of `extents`.
    ///
    /// # Errors
    /// - [`Error::Section`]: not 1 to 7 extents.
    pub fn new<T: Element>(elements: &'a mut [T], extents: &[u64]) -> Result<Self> {
        let extents = Some(Shape::new(extents)?);
        let mut patch = Self::dense(elements);
        patch.memory.extents = extents;
        Ok(patch)
    }

    /// Room in an array of `extents` given as bytes, which need not be aligned.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_bytes(bytes: &'a mut [u8], element_type: ElementType, extents: &[u64]) -> Result<Self> {
        let memory = Memory::of_bytes(bytes.len(), element_type, extents)?;
        Ok(Self { first: bytes.as_mut_ptr(), memory, life: PhantomData })
    }

    /// Memory of a foreign caller.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Safety
    /// For every section it is used with, the memory has room for the section's elements at the places that the extents give,
    /// and nobody reads or writes them until the operation is complete. It need not be aligned.
    pub unsafe fn from_raw(first: *mut u8, element_type: ElementType, extents: &[u64]) -> Result<Self> {
        Ok(Self {
            first,
            memory: Memory { element_type, extents: Some(Shape::new(extents)?), len: usize::MAX },
            life: PhantomData,
        })
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn element_type(&self) -> ElementType {
        self.memory.element_type
    }

    #[inline]
    pub(crate) fn first(&self) -> *mut u8 {
        self.first
    }

    pub(crate) fn layout(&self, counts: &Shape) -> Result<Layout> {
        self.memory.layout(counts)
    }
}
