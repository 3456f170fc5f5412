//! Arrays: how they are made, described and removed.

use crate::window::{Extent, Window};
use crate::{Context, Distribution, Element, ElementType, Error, Group, Result, View};
use section::{Section, Shape};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A distributed array. Its type is known at run time; [`view`](Self::view) gives it at compile time.
///
/// Dropping it frees its memory only on one node. Where MPI has a window for it, that takes all its ranks: see
/// [`destroy`](Self::destroy).
#[derive(Debug)]
pub struct Array {
    context: Context,
    group: Group,
    name: String,
    /// The same on every rank, and no other array's of the group.
    number: u64,
    element_type: ElementType,
    distribution: Arc<Distribution>,
    window: Arc<Window>,
}

/// What an array is to be like. Made by [`Context::array`].
#[derive(Clone, Debug)]
pub struct ArrayBuilder {
    context: Context,
    group: Option<Group>,
    name: String,
    element_type: ElementType,
    shape: Vec<u64>,
    chunk: Vec<u64>,
    starts: Option<Vec<Vec<u64>>>,
    extent: Extent,
}

impl ArrayBuilder {
    pub(crate) fn new(context: Context, element_type: ElementType, shape: &[u64]) -> Self {
        let (group, name, chunk, starts) = (None, String::new(), vec![], None);
        let (shape, extent) = (shape.to_vec(), Extent::default());
        Self { context, group, name, element_type, shape, chunk, starts, extent }
    }

    /// A name for messages and prints.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Blocks are multiples of these extents, but for the last of a dimension; 0 or less is free, the whole extent or more
    /// keeps a dimension whole. Missing ones are free.
    #[must_use]
    pub fn chunk(mut self, chunk: &[i64]) -> Self {
        self.chunk = chunk.iter().map(|&least| u64::try_from(least).unwrap_or(0)).collect();
        self
    }

    /// Where blocks begin: for each dimension the first index of each block, beginning with 0. The block at coordinates `c`
    /// of the grid belongs to rank number `c` in row-major order.
    #[must_use]
    pub fn blocks(mut self, starts: &[Vec<u64>]) -> Self {
        self.starts = Some(starts.to_vec());
        self
    }

    /// The ranks that hold the array; all of them if nothing is said.
    #[must_use]
    pub fn group(mut self, group: &Group) -> Self {
        self.group = Some(group.clone());
        self
    }

    /// No more memory than the elements need: on each rank whole pages of 4 KiB, and one more on each node. Otherwise half a huge
    /// page (of 2 MiB) or more at the end of a rank's or node's memory gets a whole one, because devices move what is in
    /// huge pages faster.
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.extent = Extent::Exact;
        self
    }

    /// Makes the array; its elements are zero. Collective over its group, with the same arguments.
    ///
    /// # Errors
    /// - [`Error::Section`]: not 1 to 7 dimensions. [`Error::NoElements`]: an extent of zero.
    /// - [`Error::BadBlocks`]: blocks that do not cover it in order, or more blocks than ranks.
    /// - [`Error::ArgumentsDiffer`]: the ranks want different arrays.
    /// - [`Error::NoMemory`], [`Error::Memory`]: too large.
    /// - [`Error::Window`], [`Error::Path`]: the nodes cannot be bridged.
    pub fn create(self) -> Result<Array> {
        let _span = tracing::debug_span!("create an array", name = self.name, shape = ?self.shape).entered();
        let group = self.group.clone().unwrap_or_else(|| self.context.world().clone());
        group.sync_mask().take();
        let distribution = group.comm().agree(self.distribution(group.ranks()))?;
        let distribution = Arc::new(distribution);
        Array::make(&self.context, &group, self.name, (self.element_type, self.extent), distribution)
    }

    fn distribution(&self, ranks: usize) -> Result<Distribution> {
        let shape = Shape::new(&self.shape)?;
        let name = || self.name.clone();
        if shape.contains(&0) {
            return Err(Error::NoElements { array: name(), shape: shape.to_vec() });
        }
        // Sizes and offsets of what is in memory are computed without overflow below.
        let bytes = shape.checked_len().and_then(|len| len.checked_mul(self.element_type.bytes() as u64));
        if bytes.is_none_or(|bytes| bytes > i64::MAX.cast_unsigned()) {
            return Err(Error::NoMemory { array: name(), asked: u64::MAX, total: i64::MAX.cast_unsigned() });
        }
        match &self.starts {
            None => Ok(Distribution::regular(&shape, ranks, &self.chunk)),
            Some(starts) => Distribution::irregular(&shape, ranks, starts)
                .map_err(|reason| Error::BadBlocks { array: name(), reason }),
        }
    }
}

impl Array {
    /// Collective over the group.
    pub(crate) fn make(
        context: &Context,
        group: &Group,
        name: String,
        (element_type, extent): (ElementType, Extent),
        distribution: Arc<Distribution>,
    ) -> Result<Self> {
        let number = agree_on_arguments(context, group, element_type, &distribution)?;
        let own_len = distribution.block_of(group.rank()).map_or(0, |block| block.len());
        let own_bytes = own_len * element_type.bytes() as u64;
        let window = Arc::new(Window::create(context, group, number, (own_bytes, extent), &name)?);
        context.register(&window);
        // Nobody operates on an array that some rank has not made yet: its window may not be locked there.
        group.barrier()?;
        let (context, group) = (context.clone(), group.clone());
        Ok(Self { context, group, name, number, element_type, distribution, window })
    }

    /// An array of the same type, shape, distribution and group; its elements are zero. Collective over the group.
    ///
    /// # Errors
    /// As [`ArrayBuilder::create`].
    pub fn duplicate(&self, name: impl Into<String>) -> Result<Self> {
        self.group.sync_mask().take();
        let kind = (self.element_type, Extent::default());
        Self::make(&self.context, &self.group, name.into(), kind, self.distribution.clone())
    }

    /// Removes the array and frees its memory, when all operations on it are complete. Collective over the group. Requests on
    /// it can still be waited for, and keep the memory until they are.
    ///
    /// # Errors
    /// - [`Error::Comm`]: an operation failed, or MPI refused. The array is gone nevertheless.
    /// - [`Error::ArgumentsDiffer`]: the ranks remove different arrays. They are gone nevertheless; MPI's
    ///   window of one is freed when all ranks have tried to remove it.
    pub fn destroy(self) -> Result<()> {
        let _span = tracing::debug_span!("destroy an array", name = self.name()).entered();
        self.group.sync_mask().take();
        let completed = self.window.complete_all();
        // MPI would wait for ever if each rank freed another window.
        if let Err(different) = agree_on(&self.group, self.number, "removing an array") {
            if matches!(different, Error::ArgumentsDiffer { .. }) {
                self.context.abandon(&self.group, self.number, &self.window);
                self.context.free_abandoned(&self.group)?;
            }
            return Err(different);
        }
        let freed = self.window.free();
        self.group.comm().agree(completed.and(freed))?;
        Ok(())
    }

    /// Another hold on the same array: its memory stays as long as it, also after [`destroy`](Self::destroy). Between nodes
    /// operations end with that nevertheless. Local.
    #[must_use]
    pub fn keep(&self) -> Self {
        Self {
            context: self.context.clone(),
            group: self.group.clone(),
            name: self.name.clone(),
            number: self.number,
            element_type: self.element_type,
            distribution: self.distribution.clone(),
            window: self.window.clone(),
        }
    }

    /// Whether all of it can be loaded and stored by this process, so that puts and gets make no call of MPI.
    pub fn is_in_reach(&self) -> bool {
        !self.window.has_operations()
    }

    /// The type of its elements.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Its extents; the last index varies fastest.
    pub fn shape(&self) -> &[u64] {
        self.distribution.shape()
    }

    /// Its name, for messages and prints.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives it another name. Local.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }

    /// The ranks that hold it.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The context it was made in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Who holds which elements.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// All of it.
    ///
    /// # Panics
    /// Never: the shape was checked when the array was made.
    pub fn whole(&self) -> Section {
        Section::whole(self.shape()).expect("an array has a shape")
    }

    /// The elements that this rank holds; `None` if it holds none, or is not in the array's group.
    pub fn local_section(&self) -> Option<Section> {
        self.distribution.block_of(self.group.rank())
    }

    /// A view with the type of the elements known to the compiler.
    ///
    /// # Errors
    /// - [`Error::WrongType`]: they have another type.
    pub fn view<T: Element>(&self) -> Result<View<'_, T>> {
        self.check_type(T::TYPE)?;
        Ok(View::new(self))
    }

    pub(crate) fn window(&self) -> &Arc<Window> {
        &self.window
    }

    pub(crate) fn check_type(&self, got: ElementType) -> Result<()> {
        if got == self.element_type {
            Ok(())
        } else {
            Err(Error::WrongType { array: self.name.clone(), expected: self.element_type, got })
        }
    }

    pub(crate) fn check_section(&self, section: &Section) -> Result<()> {
        if section.fits(self.shape()) {
            Ok(())
        } else {
            Err(Error::OutOfRange {
                array: self.name.clone(),
                section: Box::new(*section),
                shape: self.shape().to_vec(),
            })
        }
    }
}

/// Fails on every rank if the ranks want different arrays; otherwise a number for the array, the same on every rank.
fn agree_on_arguments(
    context: &Context,
    group: &Group,
    element_type: ElementType,
    distribution: &Distribution,
) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    (element_type, distribution).hash(&mut hasher);
    agree_on_and_number(group, hasher.finish(), context.next_array(), "making an array")
}

/// Waits for every rank, and fails on every rank if they do not give the same value.
fn agree_on(group: &Group, value: u64, operation: &'static str) -> Result<()> {
    agree_on_and_number(group, value, 0, operation).map(drop)
}

/// The same, and gives the largest number of all ranks.
fn agree_on_and_number(group: &Group, value: u64, number: i64, operation: &'static str) -> Result<u64> {
    let (least, alike) = group.comm().least(-number, value)?;
    if alike { Ok((-least).cast_unsigned()) } else { Err(Error::ArgumentsDiffer { operation }) }
}
