//! Typed views: the operations of an array with ordinary slices.

use crate::{Array, Element, Patch, PatchMut, Request, Result};
use section::Section;
use std::marker::PhantomData;

/// An array whose elements are known to be of type `T`. Slices hold exactly the elements of a section, in row-major order.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    array: &'a Array,
    element: PhantomData<T>,
}

impl<'a, T: Element> View<'a, T> {
    pub(crate) fn new(array: &'a Array) -> Self {
        Self { array, element: PhantomData }
    }

    /// The array.
    pub fn array(&self) -> &'a Array {
        self.array
    }

    /// Writes a section; see [`Array::put`].
    ///
    /// # Errors
    /// As [`Array::put`].
    pub fn put(&self, section: &Section, elements: &[T]) -> Result<()> {
        self.array.put(section, Patch::dense(elements))
    }

    /// Reads a section; see [`Array::get`].
    ///
    /// # Errors
    /// As [`Array::get`].
    pub fn get(&self, section: &Section, elements: &mut [T]) -> Result<()> {
        self.array.get(section, PatchMut::dense(elements))
    }

    /// The elements of a section, in row-major order.
    ///
    /// # Errors
    /// As [`Array::get`].
    pub fn to_vec(&self, section: &Section) -> Result<Vec<T>> {
        self.array.check_section(section)?;
        let mut elements = vec![T::zero(); section::size(section.len())];
        self.get(section, &mut elements).map(|()| elements)
    }

    /// Adds `alpha` times the elements to a section; see [`Array::accumulate`].
    ///
    /// # Errors
    /// As [`Array::accumulate`].
    pub fn accumulate(&self, section: &Section, elements: &[T], alpha: T) -> Result<()> {
        self.array.accumulate(section, Patch::dense(elements), alpha.into())
    }

    /// Begins a [`put`](Self::put).
    ///
    /// # Errors
    /// As [`Array::nbput`].
    pub fn nbput<'b>(&self, section: &Section, elements: &'b [T]) -> Result<Request<'b>> {
        self.array.nbput(section, Patch::dense(elements))
    }

    /// Begins a [`get`](Self::get).
    ///
    /// # Errors
    /// As [`Array::nbget`].
    pub fn nbget<'b>(&self, section: &Section, elements: &'b mut [T]) -> Result<Request<'b>> {
        self.array.nbget(section, PatchMut::dense(elements))
    }

    /// Begins an [`accumulate`](Self::accumulate).
    ///
    /// # Errors
    /// As [`Array::nbaccumulate`].
    pub fn nbaccumulate<'b>(&self, section: &Section, elements: &'b [T], alpha: T) -> Result<Request<'b>> {
        self.array.nbaccumulate(section, Patch::dense(elements), alpha.into())
    }
}
