//! The block of an array that this rank holds, as ordinary memory.

use crate::{Array, Element, Result};
use section::Section;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// The elements that this rank holds, dense and in row-major order, as a slice to read and write.
///
/// Other ranks can change them at any time by one-sided operations, and the program must see to it that they do not while
/// somebody relies on them: [`Context::sync`](crate::Context::sync) before and after.
#[derive(Debug)]
pub struct LocalBlock<'a, T> {
    section: Section,
    elements: &'a mut [T],
    array: PhantomData<&'a Array>,
}

impl<T> LocalBlock<'_, T> {
    /// Which elements they are.
    pub fn section(&self) -> &Section {
        &self.section
    }
}

impl<T> Deref for LocalBlock<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T> DerefMut for LocalBlock<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}

impl Array {
    /// The elements that this rank holds; `None` if it holds none. Local. Completes this rank's own operations first.
    ///
    /// # Errors
    /// - [`Error::WrongType`](crate::Error::WrongType): they are not of type `T`.
    /// - [`Error::Comm`](crate::Error::Comm): an operation failed.
    pub fn local<T: Element>(&mut self) -> Result<Option<LocalBlock<'_, T>>> {
        self.local_block()
    }

    /// As [`local`](Self::local) within this crate, where an array is not borrowed for writing: callers have one block at a
    /// time.
    pub(crate) fn local_block<T: Element>(&self) -> Result<Option<LocalBlock<'_, T>>> {
        self.check_type(T::TYPE)?;
        let Some((section, first)) = self.access()? else { return Ok(None) };
        // SAFETY: the part holds the elements of the block, aligned, and lives as long as the array; every bit pattern is an
        // element. That other ranks write them meanwhile is excluded by the contract above.
        let elements =
            unsafe { std::slice::from_raw_parts_mut(first.cast::<T>(), section::size(section.len())) };
        Ok(Some(LocalBlock { section, elements, array: PhantomData }))
    }

    /// The section that this rank holds, and the address of its first element; `None` if it holds none. The block is dense, its
    /// last index varies fastest, and the address stays the same while the array lives. For foreign callers; local.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): an operation failed.
    pub fn access(&self) -> Result<Option<(Section, *mut u8)>> {
        self.window().complete_all()?;
        self.window().see_others()?;
        Ok(self.local_section().map(|section| (section, self.window().own())))
    }

    /// Ends an [`access`](Self::access): what was stored is seen by other ranks' operations that begin after a
    /// synchronisation. Local.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): MPI refused.
    pub fn release(&self) -> Result<()> {
        self.window().see_others()
    }
}
