//! The call: checks, the plan, the passes.

use crate::boxes::Boxes;
use crate::error::{Error, Result};
use crate::journal::{Journal, Position, between, passes_noted};
use crate::pass::{self, Watch};
use comm::{NumberedFailure, Operation};
use dra::{Access, ArraySpec, BrickShape, Bricks, Context, DiskArray, MakeArray, UNFINISHED};
use layout::{Buffers, DeviceModel, Pass, Permutation, Plan, Problem, Units, plan, share};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// What can be said about re-blocking besides the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// What the device costs.
    pub device: DeviceModel,
    /// Whether parts of bricks may be moved.
    pub units: Units,
    /// After so many bytes all that was written is made durable, and noted, so that another try goes on from there.
    pub noted_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { device: DeviceModel::default(), units: Units::default(), noted_bytes: 4 << 30 }
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The pass, from 0.
    pub pass: usize,
    /// How many there are.
    pub passes: usize,
    /// Bytes written, over all passes, with those of an interrupted try that was continued.
    pub written_bytes: u64,
    /// Bytes to be written, over all passes.
    pub all_bytes: u64,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// By which plan.
    pub plan: Plan,
    /// Whether an interrupted try was continued.
    pub is_continued: bool,
    /// The most memory that boxes took at once, on all ranks together; besides there are the buffers of transfers.
    pub boxes_bytes_peak: u64,
    /// What the buffers of each I/O process could take.
    pub buffers_bytes: u64,
}

/// Copies `source` to `target`, whose bricks may be others, with the dimensions in another order: source dimension
/// `permutation[i]` becomes target dimension `i`. Collective, with the same arguments. Durable when it returns; until then
/// the target cannot be read, also if it is interrupted. The same call made again goes on where it was, unless the source was
/// written to or replaced meanwhile: then it begins anew.
///
/// Memory is that of the context on all ranks together ([`dra::Settings`]); less than six bricks is raised to that. Where several
/// passes are needed, arrays named after the target with `.pass-1` and so on lie beside it meanwhile.
///
/// `progress` is called on every rank after each step.
///
/// # Errors
/// The same on every rank:
/// - [`Error::Array`] with [`dra::Error::OnRank`]: a mistake of a rank, which is one of the others here, or
///   [`dra::Error::Access`]; or what went wrong with a file. With [`dra::Error::ArgumentsDiffer`]: the ranks want different
///   things. With [`dra::Error::Comm`]: they could not talk to each other.
/// - [`Error::Plan`]: there is not enough memory.
pub fn copy(
    context: &Context,
    maker: &dyn MakeArray,
    (source, target): (&DiskArray, &mut DiskArray),
    permutation: &Permutation,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome> {
    agree(context, check(source, target, permutation), source, target, permutation, options)?;
    let (plan, buffers_bytes) = make_plan(context, source, target, permutation, options)?;
    tracing::info!(plan = %plan, "re-blocking");
    let _limit = context.limit_memory(buffers_bytes);
    let journal = Journal::new(context, source, &plan)?;
    let data_type = source.directory().metadata().data_type;
    let boxes = Boxes::new(context, maker, data_type);
    let element_bytes = data_type.bytes();
    let mut copier =
        Copier { context, source, target, plan: &plan, journal, options, progress, element_bytes, boxes };
    let (start, between) = copier.start()?;
    copier.passes(start, between)?;
    let boxes_bytes_peak = copier.boxes.bytes_peak();
    let is_continued = start != Position::default();
    Ok(Outcome { plan, is_continued, boxes_bytes_peak, buffers_bytes })
}

fn path_of(array: &DiskArray) -> &Path {
    array.directory().path()
}

/// The mistakes of this rank.
fn check(source: &DiskArray, target: &DiskArray, permutation: &Permutation) -> Result<()> {
    let access = |array: &DiskArray, opened, asked| {
        Err(Error::Array(dra::Error::Access { path: path_of(array).to_owned(), opened, asked }))
    };
    if is_same(path_of(source), path_of(target)) {
        return Err(Error::SameArray { path: path_of(source).to_owned() });
    }
    if source.access() == Access::WriteOnly {
        return access(source, "writing", "reading");
    }
    if target.access() == Access::ReadOnly {
        return access(target, "reading", "writing");
    }
    if let Some(mark) = source.unfinished() {
        let what = mark.get("what").and_then(|what| what.as_str()).unwrap_or("writing").to_owned();
        return Err(dra::Error::Unfinished { path: path_of(source).to_owned(), what }.into());
    }
    let (from, to) = (source.directory().metadata(), target.directory().metadata());
    if from.data_type != to.data_type {
        return Err(Error::TypesDiffer {
            source_path: path_of(source).to_owned(),
            source_type: from.data_type,
            target_path: path_of(target).to_owned(),
            target_type: to.data_type,
        });
    }
    if permutation.dims() != from.dims.len() || permutation.to_target(&from.dims) != to.dims {
        return Err(Error::DimsDiffer {
            path: path_of(target).to_owned(),
            source_dims: from.dims.to_vec(),
            permutation: permutation.source().to_vec(),
            target_dims: to.dims.to_vec(),
        });
    }
    Ok(())
}

/// Whether two names belong to one directory.
fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Tells all ranks what is wrong on one of them, and refuses different arguments.
fn agree(
    context: &Context,
    mine: Result<()>,
    source: &DiskArray,
    target: &DiskArray,
    permutation: &Permutation,
    options: &Options,
) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    (path_of(source), path_of(target), permutation, options).hash(&mut hasher);
    match context.comm().agree_numbered(mine, Error::code, hasher.finish()) {
        Ok(((), true)) => Ok(()),
        Ok(((), false)) => {
            let (operation, path) = ("re-blocking", path_of(target).to_owned());
            Err(dra::Error::ArgumentsDiffer { operation, path }.into())
        }
        Err(NumberedFailure::OnRank { rank, number: code, message }) => {
            Err(dra::Error::OnRank { rank, code, message }.into())
        }
        Err(NumberedFailure::Comm(error)) => Err(dra::Error::Comm(error).into()),
    }
}

/// The plan, and the bytes of the buffers of each I/O process. Every rank makes the same.
fn make_plan(
    context: &Context,
    source: &DiskArray,
    target: &DiskArray,
    permutation: &Permutation,
    options: &Options,
) -> Result<(Plan, u64)> {
    let mut memory = [i64::try_from(context.memory_bytes()).unwrap_or(i64::MAX) / MEMORY_UNIT];
    context.comm().all_reduce(&mut memory, Operation::Sum).map_err(dra::Error::Comm)?;
    let memory_bytes = u64::try_from(memory[0]).unwrap_or(0).saturating_mul(MEMORY_UNIT.unsigned_abs());
    let io_processes = target.io_processes().max(source.io_processes()) as u64;
    let brick_bytes = [source, target].map(|array| array.directory().layout().shard().stride_bytes());
    let shares = share(memory_bytes, io_processes, brick_bytes[0].max(brick_bytes[1]));
    let brick = |array: &DiskArray| array.directory().layout().bricks().brick().to_vec();
    let metadata = source.directory().metadata();
    let problem = Problem {
        permutation: *permutation,
        memory_bytes: shares.boxes,
        ranks: context.comm().size() as u64,
        io_processes: target.io_processes() as u64,
        device: options.device,
        units: options.units,
        buffers: Buffers::IN_TURNS,
        ..Problem::new(&metadata.dims, metadata.data_type.bytes(), &brick(source), &brick(target))
    };
    Ok((plan(&problem)?, shares.buffers))
}

/// Memory is summed up in units of so many bytes, so that no sum overflows.
const MEMORY_UNIT: i64 = 512;

struct Copier<'a> {
    context: &'a Context,
    source: &'a DiskArray,
    target: &'a mut DiskArray,
    plan: &'a Plan,
    journal: Journal,
    options: &'a Options,
    progress: &'a mut dyn FnMut(&Progress),
    element_bytes: u64,
    boxes: Boxes<'a>,
}

impl Copier<'_> {
    /// Where to begin, and the arrays that an earlier try has left for it.
    fn start(&mut self) -> Result<(Position, Between)> {
        if let Some(position) = self.journal.position(self.target)
            && let Some(between) = self.reopen(position)
        {
            // What the pass before has read may still be there.
            if let Some(pass) = position.pass.checked_sub(2) {
                self.remove_between(pass);
            }
            return Ok((position, between));
        }
        (0..passes_noted(self.target)).for_each(|pass| self.remove_between(pass));
        self.note(Position::default())?;
        Ok((Position::default(), Between::default()))
    }

    /// Opens what an interrupted try has written and needs.
    fn reopen(&self, position: Position) -> Option<Between> {
        let open = |pass: usize, access| self.context.open(&between(path_of(self.target), pass), access).ok();
        let (passes, mut found) = (self.plan.passes().len(), Between::default());
        if (1..passes).contains(&position.pass) {
            found.from = Some(open(position.pass - 1, Access::ReadOnly)?);
        }
        // Nothing of a pass that has just begun is needed.
        if position.pass + 1 < passes && position.template > 0 {
            found.to = Some(open(position.pass, Access::ReadWrite)?);
        }
        Some(found)
    }

    /// Removes the intermediate array that a pass of an earlier try has written, if it is there.
    fn remove_between(&self, pass: usize) {
        if let Ok(array) = self.context.open(&between(path_of(self.target), pass), Access::ReadOnly)
            && let Err(error) = array.delete()
        {
            tracing::warn!(%error, "an intermediate array stays");
        }
    }

    fn passes(&mut self, start: Position, mut between: Between) -> Result<()> {
        let passes = self.plan.passes().len();
        for number in start.pass..passes {
            let is_last = number + 1 == passes;
            if !is_last && between.to.is_none() {
                between.to = Some(self.make_between(number)?);
            }
            let template = if number == start.pass { start.template } else { 0 };
            self.pass(number, template, &between)?;
            between.to.as_ref().unwrap_or(self.target).sync()?;
            if passes > 1 {
                self.note(Position { pass: number + 1, template: 0 })?;
            }
            // Only now is it certain that nobody will need what was read.
            between.from.take().map_or(Ok(()), DiskArray::delete)?;
            between.from = between.to.take();
        }
        Ok(self.target.set_attribute(UNFINISHED, None)?)
    }

    fn note(&mut self, position: Position) -> dra::Result<()> {
        self.target.set_attribute(UNFINISHED, Some(self.journal.note(position)))
    }

    /// The array that a pass writes that is not the last.
    fn make_between(&self, number: usize) -> Result<DiskArray> {
        let pass = &self.plan.passes()[number];
        let metadata = self.source.directory().metadata();
        let mut spec = ArraySpec::new(pass.dims(), metadata.data_type).map_err(dra::Error::from)?;
        spec.bricks = Bricks::Exact(BrickShape::exact(pass.target_brick()).map_err(dra::Error::from)?);
        spec.attributes.io_processes_hint = i64::try_from(self.target.io_processes()).unwrap_or(0);
        Ok(self.context.create(&between(path_of(self.target), number), &spec, Access::ReadWrite)?)
    }

    fn pass(&mut self, number: usize, template: u64, between: &Between) -> Result<()> {
        let pass = &self.plan.passes()[number];
        let source = between.from.as_ref().unwrap_or(self.source);
        let elems: u64 = pass.dims().iter().product();
        let before = (0..template).map(|template| pass.template_section(template).len()).sum::<u64>();
        let all_elems = elems.saturating_mul(self.plan.passes().len() as u64);
        let mut watch = Watcher {
            written: between.to.as_ref(),
            target: self.target,
            journal: &self.journal,
            noted_bytes: self.options.noted_bytes,
            unnoted_bytes: 0,
            element_bytes: self.element_bytes,
            state: Progress {
                pass: number,
                passes: self.plan.passes().len(),
                written_bytes: (elems * number as u64 + before).saturating_mul(self.element_bytes),
                all_bytes: all_elems.saturating_mul(self.element_bytes),
            },
            progress: self.progress,
        };
        let written = watch.target();
        // What is large and durable at the end need not go through memory once more.
        written.write_around_cache(goes_around_cache(pass, self.element_bytes, &self.options.device));
        let done = pass::run(pass, template, source, &mut self.boxes, &mut watch);
        watch.target().write_around_cache(false);
        Ok(done?)
    }
}

/// Whether writes of a pass go around the page cache: if all that it writes begins and ends on pages, or is a whole brick, and
/// is large. The kernel makes more of small ones.
fn goes_around_cache(pass: &Pass, element_bytes: u64, device: &DeviceModel) -> bool {
    let cost = pass.cost();
    let bytes = cost.written_elems.saturating_mul(element_bytes.into());
    let is_large = bytes >= cost.write_operations.saturating_mul(AROUND_CACHE_BYTES_MIN);
    is_large && cost.unaligned_writes == 0 && device.page_bytes.is_multiple_of(PAGE_BYTES)
}

/// So long is a write on an average that goes around the page cache: below it, to hand it to the device takes the processor longer
/// than to copy it once more. A measured order of magnitude.
const AROUND_CACHE_BYTES_MIN: u128 = 96 << 10;

/// What the kernel's page cache is made of.
const PAGE_BYTES: u64 = 4096;

/// The intermediate arrays of a pass.
#[derive(Debug, Default)]
struct Between {
    /// What it reads, if that is not the source.
    from: Option<DiskArray>,
    /// What it writes, if that is not the target.
    to: Option<DiskArray>,
}

/// Tells how far a pass is.
struct Watcher<'a> {
    /// What the pass writes, if that is not the target.
    written: Option<&'a DiskArray>,
    target: &'a mut DiskArray,
    journal: &'a Journal,
    noted_bytes: u64,
    /// Written since the last note.
    unnoted_bytes: u64,
    element_bytes: u64,
    state: Progress,
    progress: &'a mut dyn FnMut(&Progress),
}

impl Watch for Watcher<'_> {
    fn target(&self) -> &DiskArray {
        self.written.unwrap_or(self.target)
    }

    fn wants_to_note(&self) -> bool {
        self.unnoted_bytes >= self.noted_bytes
    }

    fn note(&mut self, template: u64) -> dra::Result<()> {
        self.target().sync()?;
        let position = Position { pass: self.state.pass, template };
        self.target.set_attribute(UNFINISHED, Some(self.journal.note(position)))?;
        self.unnoted_bytes = 0;
        Ok(())
    }

    fn step_done(&mut self, written_elems: u64) {
        let bytes = written_elems * self.element_bytes;
        self.unnoted_bytes += bytes;
        self.state.written_bytes += bytes;
        (self.progress)(&self.state);
    }
}
