//! A copy under way: pass after pass, each with what comes before and after it.
//!
//! It goes on only in [`Copying::probe`] and [`Copying::finish`], because almost everything between two transfers is collective; the
//! transfers of steps go on by themselves wherever those of `dra` do.

use crate::between;
use crate::boxes::Boxes;
use crate::copy::{Options, Outcome, Progress};
use crate::error::{Error, Result};
use crate::journal::{Journal, Position, passes_noted};
use crate::pass::{Patience, Run, Watch};
use crate::prepare::{Prepared, agree, check, path_of, prepare};
use crate::waiting::is_any;
use dra::between::{BETWEEN, mark, path};
use dra::{
    ATTEMPT, Access, ArraySpec, BrickShape, Bricks, Context, DiskArray, MakeArray, MemoryLimit, Syncing,
    UNFINISHED, check_environment,
};
use layout::{DeviceModel, Pass, Permutation, Plan, Step};
use section::size;
use serde_json::Value;

/// A copy under way, see [`copy`](crate::copy()), which is one that is waited for.
///
/// The program may do something else between calls, but not with the arrays: the target cannot be read or written before the copy is
/// complete, and what is written to the source meanwhile may or may not be copied. It holds the memory of its context until it is complete;
/// another copy of the same context should begin after that. One that is [abandoned](Self::abandon) before leaves its target unfinished, and
/// so does one that is dropped, whose memory stays until the program ends: ranks can give it back together only.
#[derive(Debug)]
pub struct Copying<'a> {
    context: Context,
    options: Options,
    plan: Plan,
    journal: Journal,
    boxes: Boxes<'a>,
    /// Until it is over.
    limit: Option<MemoryLimit>,
    buffers_bytes: u64,
    element_bytes: u64,
    is_continued: bool,
    /// Where the pass that is next, or under way, begins.
    position: Position,
    between: Between,
    /// Written since the last note.
    unnoted_bytes: u64,
    notes: u64,
    progress: Progress,
    stage: Stage,
}

/// What is under way.
#[derive(Debug)]
enum Stage {
    /// Nothing: the next pass comes, or the end.
    Between,
    Pass(Box<Run>),
    /// What a pass has written becomes durable.
    Syncing(Syncing),
    Complete,
    Failed,
}

/// The intermediate arrays of a pass.
#[derive(Debug, Default)]
struct Between {
    /// What it reads, if that is not the source.
    from: Option<DiskArray>,
    /// What it writes, if that is not the target.
    to: Option<DiskArray>,
}

impl<'a> Copying<'a> {
    /// Begins a copy; arguments as of [`copy`](crate::copy()). Collective, with the same arguments. From here on the target cannot be
    /// read, and the first steps are being read.
    ///
    /// # Errors
    /// As of [`copy`](crate::copy()).
    pub fn begin(
        context: &Context,
        maker: Box<dyn MakeArray + 'a>,
        (source, target): (&DiskArray, &mut DiskArray),
        permutation: &Permutation,
        options: &Options,
    ) -> Result<Self> {
        // Before the target is marked: a setting that no file can be opened with leaves a complete one complete.
        let checks = || Ok(check_environment().map_err(dra::Error::from).and(source.check_complete())?);
        let mine = check(source, target, permutation).and_then(|()| checks());
        agree(context, mine, source, target, permutation, options)?;
        let Prepared { plan, limit_bytes, buffers_bytes } =
            prepare(context, source, target, permutation, options)?;
        context.agree(target.look_again())?;
        let note = target.directory().unfinished().cloned();
        let passes_before = passes_noted(context, note.as_ref())?;
        between::check(context, source, target, plan.passes().len(), passes_before)?;
        tracing::info!(plan = %plan, "re-blocking");
        let limit = Some(context.limit_memory(limit_bytes));
        let journal = Journal::new(context, source, &plan)?;
        let data_type = source.directory().metadata().data_type;
        let elems: u64 = plan.passes()[0].dims().iter().product();
        let element_bytes = data_type.bytes();
        let all_bytes = elems.saturating_mul(plan.passes().len() as u64).saturating_mul(element_bytes);
        let progress = Progress { pass: 0, passes: plan.passes().len(), written_bytes: 0, all_bytes };
        let mut copying = Self {
            context: context.clone(),
            options: *options,
            boxes: Boxes::new(context, maker, data_type),
            plan,
            journal,
            limit,
            buffers_bytes,
            element_bytes,
            is_continued: false,
            position: Position::default(),
            between: Between::default(),
            unnoted_bytes: 0,
            notes: 0,
            progress,
            stage: Stage::Between,
        };
        copying.find_start((source, target), note.as_ref(), passes_before)?;
        if copying.position.pass == copying.plan.passes().len() {
            // Only arrays between passes are left to be removed.
            copying.progress.pass = copying.plan.passes().len() - 1;
            copying.progress.written_bytes = all_bytes;
        }
        if copying.position.pass < copying.plan.passes().len() {
            let finds_between = copying.between.to.is_some();
            if let Err(error) = copying.begin_pass(source, target) {
                // What was found is still needed.
                if !finds_between && let Err(error) = copying.take_back(target, note) {
                    tracing::warn!(%error, "a target stays marked as unfinished");
                }
                return Err(error);
            }
        }
        Ok(copying)
    }

    /// Nothing of the first pass could be begun: the array that it was to write goes, and a target that nobody had begun to copy to is as
    /// it was. What an earlier try has noted does not come back: it may speak of arrays between passes that are gone.
    fn take_back(&mut self, target: &mut DiskArray, note: Option<Value>) -> dra::Result<()> {
        // Where another try has begun meanwhile its arrays are there now.
        let is_mine = target.unfinished().is_ok_and(|now| now.as_ref() == target.directory().unfinished());
        if is_any(&self.context, !is_mine)? {
            return Ok(());
        }
        self.between.to = None;
        if self.position.pass + 1 < self.plan.passes().len() {
            self.remove_between(target, self.position.pass);
        }
        let is_of_try = note.as_ref().is_some_and(|note| note.get(ATTEMPT).is_some());
        if is_any(&self.context, is_of_try)? { Ok(()) } else { target.set_attribute(UNFINISHED, note) }
    }

    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Goes on as far as that needs no waiting for transfers, and tells whether the copy is complete. What is noted of it, at the end of a
    /// pass and of each [`Options::noted_bytes`], is waited for, and so are making and deleting the array between two passes. Collective,
    /// with the arrays that it was begun with. Transfers go on meanwhile where the array in memory can be loaded from and stored to, otherwise in here.
    ///
    /// # Errors
    /// As of [`copy`](crate::copy()): it is over then, and not complete. [`Error::Over`] after that.
    pub fn probe(
        &mut self,
        arrays: (&DiskArray, &mut DiskArray),
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool> {
        self.advance(arrays, Patience::Probing, progress)
    }

    /// Waits until the copy is complete. Collective, with the arrays that it was begun with.
    ///
    /// # Errors
    /// As of [`probe`](Self::probe).
    pub fn finish(
        mut self,
        arrays: (&DiskArray, &mut DiskArray),
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Outcome> {
        self.advance(arrays, Patience::Waiting, progress)?;
        let boxes_bytes_peak = self.boxes.taken_bytes_peak();
        let Self { plan, is_continued, buffers_bytes, .. } = self;
        Ok(Outcome { plan, is_continued, boxes_bytes_peak, buffers_bytes })
    }

    /// Gives the copy up: waits for its transfers, and frees its memory. The target stays unfinished; the same copy begun again goes on
    /// from what was noted last. Collective.
    ///
    /// # Errors
    /// The same on every rank: memory could not be freed.
    pub fn abandon(mut self) -> Result<()> {
        match std::mem::replace(&mut self.stage, Stage::Failed) {
            Stage::Pass(mut run) => Ok(run.free(&mut self.boxes)?),
            _ => Ok(()),
        }
    }

    fn advance(
        &mut self,
        arrays: (&DiskArray, &mut DiskArray),
        patience: Patience,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool> {
        let advanced = self.go_on(arrays, patience, progress);
        if !matches!(advanced, Ok(false)) {
            self.limit = None;
        }
        advanced
    }

    fn go_on(
        &mut self,
        (source, target): (&DiskArray, &mut DiskArray),
        patience: Patience,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool> {
        loop {
            // Whatever fails here leaves nothing under way.
            match std::mem::replace(&mut self.stage, Stage::Failed) {
                Stage::Failed => return Err(Error::Over { path: path_of(target).to_owned() }),
                Stage::Complete => {
                    self.stage = Stage::Complete;
                    return Ok(true);
                }
                Stage::Between if self.position.pass == self.plan.passes().len() => {
                    target.set_attribute(UNFINISHED, None)?;
                    self.stage = Stage::Complete;
                }
                Stage::Between => self.begin_pass(source, target)?,
                Stage::Pass(run) => {
                    if !self.advance_pass(run, (source, target), patience, progress)? {
                        return Ok(false);
                    }
                }
                Stage::Syncing(mut syncing) => {
                    if !patience.is_done(&mut syncing)? {
                        self.stage = Stage::Syncing(syncing);
                        return Ok(false);
                    }
                    self.end_pass(source, target)?;
                }
            }
        }
    }

    /// Where to begin, and the arrays that an earlier try of `passes_before` has left for it, which has left this note.
    fn find_start(
        &mut self,
        (source, target): (&DiskArray, &mut DiskArray),
        note: Option<&Value>,
        passes_before: usize,
    ) -> Result<()> {
        if let Some(position) = self.journal.position(&self.context, note)?
            && let Some(between) = self.reopen(target, position)
        {
            // What the pass before has read may still be there.
            if let Some(pass) = position.pass.checked_sub(2) {
                self.remove_between(target, pass);
            }
            (self.position, self.between) = (position, between);
            self.is_continued = position != Position::default();
        } else {
            // Of the noted passes also what is half-made; of tries whose note is gone, because the target was made anew, what there is.
            let left = between::left(&self.context, source, target)?;
            for pass in (0..passes_before).chain(left.into_iter().filter(|&pass| pass >= passes_before)) {
                self.remove_between(target, pass);
            }
        }
        // Also where it is there already: hosts may have different ones.
        Ok(self.note(target)?)
    }

    /// Opens what an interrupted try has written and needs.
    fn reopen(&self, target: &DiskArray, position: Position) -> Option<Between> {
        let open = |pass: usize, access| self.context.open(&path(path_of(target), pass), access).ok();
        let (passes, mut found) = (self.plan.passes().len(), Between::default());
        if (1..passes).contains(&position.pass) {
            found.from = Some(open(position.pass - 1, Access::ReadOnly)?);
        }
        // Nothing of a pass that has just begun is needed.
        if position.pass + 1 < passes && (position.template, position.steps) != (0, 0) {
            found.to = Some(open(position.pass, Access::ReadWrite)?);
        }
        Some(found)
    }

    /// Removes the intermediate array that a pass of an earlier try has written, or what its interrupted removal has left.
    fn remove_between(&self, target: &DiskArray, pass: usize) {
        let target = path_of(target);
        let removed = between::check_pass(&self.context, target, pass)
            .and_then(|()| Ok(self.context.remove(&path(target, pass))?));
        if let Err(error) = removed {
            tracing::warn!(%error, "what is at the name of an intermediate array stays");
        }
    }

    fn note(&self, target: &mut DiskArray) -> dra::Result<()> {
        target.set_attribute(UNFINISHED, Some(self.journal.note(self.position)))
    }

    /// The array that a pass writes that is not the last.
    fn make_between(&self, target: &DiskArray) -> Result<DiskArray> {
        let (number, data_type) = (self.position.pass, target.directory().metadata().data_type);
        let pass = &self.plan.passes()[number];
        let bricks = BrickShape::exact(pass.target_brick());
        let spec = bricks.and_then(|bricks| Ok((ArraySpec::new(pass.dims(), data_type)?, bricks)));
        // It asks the environment, which may differ between hosts.
        let (mut spec, bricks) = self.context.agree(spec.map_err(dra::Error::from))?;
        spec.bricks = Bricks::Exact(bricks);
        spec.files = self.plan.problem().files;
        spec.attributes.io_processes_hint = i64::try_from(target.io_processes()).unwrap_or(0);
        spec.more_attributes.insert(BETWEEN.to_owned(), mark(path_of(target)));
        // Much may have come there since the copy began.
        between::check_pass(&self.context, path_of(target), number)?;
        Ok(self.context.create(&path(path_of(target), number), &spec, Access::ReadWrite)?)
    }

    fn begin_pass(&mut self, source: &DiskArray, target: &DiskArray) -> Result<()> {
        let Position { pass: number, template, steps } = self.position;
        let is_last = number + 1 == self.plan.passes().len();
        if !is_last && self.between.to.is_none() {
            self.between.to = Some(self.make_between(target)?);
        }
        let pass = &self.plan.passes()[number];
        let elems: u64 = pass.dims().iter().product();
        let templates = (0..template).map(|template| pass.template_section(template).len()).sum::<u64>();
        let written = |step: Step| step.write.map_or(0, |write| write.len());
        let of_template = pass.steps_from(template, 0).take(size(steps)).map(written).sum::<u64>();
        let before = templates + of_template;
        self.progress.pass = number;
        self.progress.written_bytes = (elems * number as u64 + before).saturating_mul(self.element_bytes);
        self.unnoted_bytes = 0;
        let source = self.between.from.as_ref().unwrap_or(source);
        let run = Run::begin(pass, (template, steps), source, &mut self.boxes)?;
        // What is large and durable at the end need not go through memory once more.
        let around_cache = goes_around_cache(pass, self.element_bytes, &self.options.device);
        self.between.to.as_ref().unwrap_or(target).fill(around_cache);
        self.stage = Stage::Pass(Box::new(run));
        Ok(())
    }

    /// Tells whether the pass has been written.
    fn advance_pass(
        &mut self,
        mut run: Box<Run>,
        (source, target): (&DiskArray, &mut DiskArray),
        patience: Patience,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool> {
        let checked = self.checked(source);
        let mut watch = Watcher {
            written: self.between.to.as_ref(),
            target,
            checked,
            context: &self.context,
            journal: &self.journal,
            noted_bytes: self.options.noted_bytes,
            unnoted_bytes: &mut self.unnoted_bytes,
            notes: &mut self.notes,
            element_bytes: self.element_bytes,
            state: &mut self.progress,
            progress,
        };
        let source = self.between.from.as_ref().unwrap_or(source);
        let advanced = run.advance(source, &mut self.boxes, &mut watch, patience);
        if let Ok(false) = advanced {
            self.stage = Stage::Pass(run);
            return Ok(false);
        }
        // Whatever failed, it failed on all ranks.
        let freed = run.free(&mut self.boxes);
        let written = watch.target();
        written.filled();
        if advanced.is_err()
            && let Some(source) = checked
        {
            // That is why.
            self.journal.expect_unchanged(&self.context, source)?;
        }
        advanced?;
        freed?;
        self.stage = Stage::Syncing(written.start_sync());
        Ok(true)
    }

    /// The source, if nobody may write to it: later passes than the first do not read it.
    fn checked<'b>(&self, source: &'b DiskArray) -> Option<&'b DiskArray> {
        Some(source).filter(|_| self.options.checks_source && self.position.pass == 0)
    }

    /// What a pass has written is durable.
    fn end_pass(&mut self, source: &DiskArray, target: &mut DiskArray) -> Result<()> {
        if let Some(source) = self.checked(source) {
            self.journal.expect_unchanged(&self.context, source)?;
        }
        self.position = Position { pass: self.position.pass + 1, ..Position::default() };
        if self.plan.passes().len() > 1 {
            self.note(target)?;
        }
        // Only now is it certain that nobody will need what was read.
        self.between.from.take().map_or(Ok(()), DiskArray::delete)?;
        self.between.from = self.between.to.take();
        self.stage = Stage::Between;
        Ok(())
    }
}

/// Whether writes of a pass go around the page cache: if all that it writes begins and ends on pages, or is a whole brick, and
/// is large. Shorter ones are joined in the cache, each with what the next steps write beside it, before the device gets them: it
/// takes fewer and larger requests, and the file system, which notes for each that its place is written now, fewer notes.
fn goes_around_cache(pass: &Pass, element_bytes: u64, device: &DeviceModel) -> bool {
    let cost = pass.cost();
    let bytes = cost.written_elems.saturating_mul(element_bytes.into());
    let is_large = bytes >= cost.write_operations.saturating_mul(device.joined_bytes.into());
    is_large && cost.unaligned_writes == 0 && device.page_bytes.is_multiple_of(PAGE_BYTES)
}

/// What the kernel's page cache is made of.
const PAGE_BYTES: u64 = 4096;

/// So many files of the source are looked at for each note, in the mean: some milliseconds, or a second where a server is asked, of the time
/// that it takes to copy 4 GiB.
const LOOKED_AT_MAX: u64 = 1024;

/// Tells how far a pass is.
struct Watcher<'a> {
    /// What the pass writes, if that is not the target.
    written: Option<&'a DiskArray>,
    target: &'a mut DiskArray,
    /// What nobody may have written to.
    checked: Option<&'a DiskArray>,
    context: &'a Context,
    journal: &'a Journal,
    noted_bytes: u64,
    unnoted_bytes: &'a mut u64,
    notes: &'a mut u64,
    element_bytes: u64,
    state: &'a mut Progress,
    progress: &'a mut dyn FnMut(&Progress),
}

impl Watch for Watcher<'_> {
    fn target(&self) -> &DiskArray {
        self.written.unwrap_or(self.target)
    }

    fn wants_to_note(&self) -> bool {
        *self.unnoted_bytes >= self.noted_bytes.max(1)
    }

    fn note(&mut self, next: &Step) -> Result<()> {
        *self.notes += 1;
        // What was read from another source is nothing to go on from, and who copies for hours need not wait for the end to know. But many
        // files are not looked at so often.
        if let Some(source) = self.checked
            && self
                .notes
                .is_multiple_of(source.directory().layout().shards_count().div_ceil(LOOKED_AT_MAX).max(1))
        {
            self.journal.expect_unchanged(self.context, source)?;
        }
        let position = Position { pass: self.state.pass, template: next.template, steps: next.done };
        self.target.set_attribute(UNFINISHED, Some(self.journal.note(position)))?;
        *self.unnoted_bytes = 0;
        Ok(())
    }

    fn step_done(&mut self, written_elems: u64) {
        let bytes = written_elems * self.element_bytes;
        *self.unnoted_bytes += bytes;
        self.state.written_bytes += bytes;
        (self.progress)(self.state);
    }
}
