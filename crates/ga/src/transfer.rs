//! Put, get and accumulate: sections between an array and local memory.

use crate::patch::Memory;
use crate::window::{Move, Pending, Window};
use crate::{Array, InBlock, Patch, PatchMut, Request, Result, Scalar, Span};
use section::{Layout, Section, Shape};

impl Array {
    /// Writes a section from local memory. Local: the ranks that hold it take no part.
    ///
    /// Cost: within a node one copy; between nodes one message for each contiguous run at the target.
    ///
    /// # Errors
    /// - [`Error::OutOfRange`](crate::Error::OutOfRange): the section is not in the array.
    /// - [`Error::WrongType`](crate::Error::WrongType): the memory holds other elements.
    /// - [`Error::PatchTooSmall`](crate::Error::PatchTooSmall): the section does not fit into the memory.
    /// - [`Error::Comm`](crate::Error::Comm): MPI failed.
    pub fn put(&self, section: &Section, from: Patch<'_>) -> Result<()> {
        if let Some(place) = self.direct(section, from.memory()) {
            // SAFETY: the patch holds the section, and is borrowed.
            unsafe { place.put(from.first()) };
            return Ok(());
        }
        // Where it is one copy, above, a span would cost as much as it measures.
        let _span = tracing::trace_span!("put", array = self.name(), %section).entered();
        self.complete(|pending| self.begin_put(section, &from, pending))
    }

    /// Reads a section into local memory. Local. Cost and errors as for [`put`](Self::put).
    ///
    /// # Errors
    /// As [`put`](Self::put).
    #[expect(clippy::needless_pass_by_value, reason = "the memory is borrowed for writing")]
    pub fn get(&self, section: &Section, to: PatchMut<'_>) -> Result<()> {
        if let Some(place) = self.direct(section, to.memory()) {
            // SAFETY: the patch has room for the section, and is borrowed.
            unsafe { place.get(to.first()) };
            return Ok(());
        }
        // Where it is one copy, above, a span would cost as much as it measures.
        let _span = tracing::trace_span!("get", array = self.name(), %section).entered();
        self.complete(|pending| self.begin_get(section, &to, pending))
    }

    /// Adds `alpha` times local memory to a section, each element atomically with respect to other accumulates and
    /// counters. Local. Cost as for [`put`](Self::put), and between nodes a copy.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn accumulate(&self, section: &Section, from: Patch<'_>, alpha: Scalar) -> Result<()> {
        if alpha.element_type() == self.element_type()
            && let Some(place) = self.direct(section, from.memory())
        {
            // SAFETY: the patch holds the section, and is borrowed.
            unsafe { place.accumulate(from.first(), alpha) };
            return Ok(());
        }
        // Where it is one copy, above, a span would cost as much as it measures.
        let _span = tracing::trace_span!("accumulate", array = self.name(), %section).entered();
        self.complete(|pending| self.begin_accumulate(section, &from, alpha, pending))
    }

    /// Begins a [`put`](Self::put).
    ///
    /// # Errors
    /// As [`put`](Self::put); those of MPI come from the request.
    pub fn nbput<'a>(&self, section: &Section, from: Patch<'a>) -> Result<Request<'a>> {
        self.request(|pending| self.begin_put(section, &from, pending))
    }

    /// Begins a [`get`](Self::get).
    ///
    /// # Errors
    /// As [`get`](Self::get); those of MPI come from the request.
    #[expect(clippy::needless_pass_by_value, reason = "the memory belongs to the request")]
    pub fn nbget<'a>(&self, section: &Section, to: PatchMut<'a>) -> Result<Request<'a>> {
        self.request(|pending| self.begin_get(section, &to, pending))
    }

    /// Begins an [`accumulate`](Self::accumulate).
    ///
    /// # Errors
    /// As [`accumulate`](Self::accumulate); those of MPI come from the request.
    pub fn nbaccumulate<'a>(&self, section: &Section, from: Patch<'a>, alpha: Scalar) -> Result<Request<'a>> {
        self.request(|pending| self.begin_accumulate(section, &from, alpha, pending))
    }

    /// The short way, if the section and the patch allow it.
    #[inline]
    fn direct(&self, section: &Section, memory: &Memory) -> Option<InBlock<'_>> {
        let (lo, hi) = (section.lo(), section.hi());
        if memory.element_type() != self.element_type()
            || lo.len() != self.shape().len()
            || section.step().iter().any(|&step| step != 1)
        {
            return None;
        }
        let extents = memory.extents();
        let holds =
            |extents: &Shape| extents.len() == lo.len() && (1..lo.len()).all(|d| hi[d] - lo[d] <= extents[d]);
        if !extents.is_none_or(holds) {
            return None;
        }
        // Sections with indices beyond those of i64 are in no array, and negative here.
        let place = self.in_block(|d| Span {
            first: lo[d].cast_signed(),
            last: hi[d].cast_signed().wrapping_sub(1),
            extent: extents.map_or(hi[d] - lo[d], |extents| extents[d]).cast_signed(),
        })?;
        (place.local_span() <= memory.len()).then_some(place)
    }

    /// Calls `begin_move` for each rank that holds a part of the section, with the offset of the part in local memory, in
    /// bytes.
    #[inline]
    fn begin(
        &self,
        section: &Section,
        local: &Layout,
        pending: &mut Pending,
        begin_move: impl Fn(&Window, &Move, usize, &mut Pending) -> Result<()>,
    ) -> Result<()> {
        self.distribution().for_each_owner(section, |rank, part, block| {
            let remote = Layout::dense(&block.counts());
            let what = Move {
                rank,
                first: remote.offset_from(block.lo(), part.lo()),
                counts: part.counts(),
                remote: remote.stepped(part.step()),
                local: *local,
                element_type: self.element_type(),
            };
            let offset = local.offset(&part.place_in(section)) * self.element_type().bytes();
            begin_move(self.window(), &what, offset, pending)
        })
    }

    fn begin_put(&self, section: &Section, from: &Patch<'_>, pending: &mut Pending) -> Result<()> {
        self.check_type(from.element_type())?;
        self.check_section(section)?;
        let local = from.layout(&section.counts())?;
        self.begin(section, &local, pending, |window, to, offset, pending| {
            // SAFETY: the patch holds the whole section, of which this is a part; whoever has `pending` keeps it borrowed.
            unsafe { window.put(to, from.first().add(offset), pending) }
        })
    }

    fn begin_get(&self, section: &Section, to: &PatchMut<'_>, pending: &mut Pending) -> Result<()> {
        self.check_type(to.element_type())?;
        self.check_section(section)?;
        let local = to.layout(&section.counts())?;
        self.begin(section, &local, pending, |window, from, offset, pending| {
            // SAFETY: the patch has room for the whole section, of which this is a part; whoever has `pending` keeps it
            // borrowed.
            unsafe { window.get(from, to.first().add(offset), pending) }
        })
    }

    fn begin_accumulate(
        &self,
        section: &Section,
        from: &Patch<'_>,
        alpha: Scalar,
        pending: &mut Pending,
    ) -> Result<()> {
        self.check_type(from.element_type())?;
        self.check_type(alpha.element_type())?;
        self.check_section(section)?;
        let local = from.layout(&section.counts())?;
        self.begin(section, &local, pending, |window, to, offset, pending| {
            // SAFETY: as for `begin_put`.
            unsafe { window.accumulate(to, from.first().add(offset), alpha, pending) }
        })
    }

    /// Waits for what was begun; what was begun before an error, too.
    fn complete(&self, start: impl FnOnce(&mut Pending) -> Result<()>) -> Result<()> {
        let mut pending = Pending::default();
        let started = start(&mut pending);
        if pending.is_complete() { started } else { started.and(pending.complete(self.window())) }
    }

    fn request<'a>(&self, start: impl FnOnce(&mut Pending) -> Result<()>) -> Result<Request<'a>> {
        let mut pending = Pending::default();
        let started = start(&mut pending);
        // What was begun before an error is completed when the request is dropped.
        let request = Request::new(self.window(), pending);
        started.map(|()| request)
    }
}
