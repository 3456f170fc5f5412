//! One pass: its steps, of which one may be read while the one before is written.
//!
//! Two boxes take turns, if the plan has two. A step is read into one of them; what is complete is written from there and from what
//! earlier steps kept; then what later steps need is kept, and the box takes the next step but one, or the next, if it is alone. All
//! requests go to the engine of transfers in that order, which keeps several bricks in flight across them.

use crate::boxes::{Boxes, Made};
use crate::error::Result;
use crate::gathered::{Gathered, Held};
use crate::populating::Populating;
use dra::{ArrayInMemory, DiskArray, Request, Syncing, Transfer};
use layout::{Pass, Step, Steps};
use section::{Section, size};
use std::collections::VecDeque;
use std::sync::Arc;

/// Where steps go, and who is told of them.
pub(crate) trait Watch {
    /// The array that the pass writes.
    fn target(&self) -> &DiskArray;

    /// Whether it shall be noted that all steps before the next one have been written.
    fn wants_to_note(&self) -> bool;

    /// All steps before this one are written and durable.
    fn note(&mut self, next: &Step) -> Result<()>;

    /// A step has been done, in which so many elements were written.
    fn step_done(&mut self, written_elems: u64);
}

/// Whether to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    Waiting,
    Probing,
}

/// What one can wait for. Both calls are collective.
pub(crate) trait Awaited {
    fn wait(&mut self) -> dra::Result<()>;

    fn probe(&mut self) -> dra::Result<bool>;
}

impl Awaited for Request {
    fn wait(&mut self) -> dra::Result<()> {
        self.wait()
    }

    fn probe(&mut self) -> dra::Result<bool> {
        // A probe tells no errors.
        Ok(self.probe()? && self.wait().map(|()| true)?)
    }
}

impl Awaited for Syncing {
    fn wait(&mut self) -> dra::Result<()> {
        self.wait()
    }

    fn probe(&mut self) -> dra::Result<bool> {
        self.probe()
    }
}

impl Patience {
    /// Whether something is done: if not, nobody was to wait for it.
    pub(crate) fn is_done(self, awaited: &mut impl Awaited) -> dra::Result<bool> {
        match self {
            Self::Waiting => awaited.wait().map(|()| true),
            Self::Probing => awaited.probe(),
        }
    }
}

/// A step that is being read, or written.
#[derive(Debug)]
struct UnderWay {
    step: Step,
    turn: usize,
    request: Option<Request>,
}

impl UnderWay {
    /// Whether what is under way has arrived.
    fn has_arrived(&mut self, patience: Patience) -> dra::Result<bool> {
        let Some(request) = &mut self.request else { return Ok(true) };
        if !patience.is_done(request)? {
            return Ok(false);
        }
        self.request = None;
        Ok(true)
    }
}

/// A pass under way.
#[derive(Debug)]
pub(crate) struct Run {
    pass: Pass,
    /// Those that are not read yet.
    steps: Steps,
    /// Declared before the boxes that it touches, so that it is dropped first.
    populating: Option<Populating>,
    turns: Vec<Made>,
    /// Those that have become free.
    free_turns: Vec<usize>,
    reading: VecDeque<UnderWay>,
    /// With two boxes the second one was started before the first has finished, so that the device has something to do.
    writing: VecDeque<UnderWay>,
    /// What was written becomes durable, to be noted.
    syncing: Option<Syncing>,
}

impl Run {
    /// Makes what the steps of a pass from a position on need, and starts to read the first ones. Collective.
    pub(crate) fn begin(
        pass: &Pass,
        (template, done): (u64, u64),
        source: &DiskArray,
        boxes: &mut Boxes<'_>,
    ) -> dra::Result<Self> {
        let mut run = Self {
            pass: pass.clone(),
            steps: pass.steps_from(template, done),
            populating: None,
            turns: vec![],
            free_turns: vec![],
            reading: VecDeque::new(),
            writing: VecDeque::new(),
            syncing: None,
        };
        if let Err(error) = run.fill_turns(source, boxes) {
            // The first error is the one to be told.
            let _ = run.free(boxes);
            return Err(error);
        }
        Ok(run)
    }

    /// Makes the boxes, and starts to read the first steps: into one while the next is made, because memory that ranks share is mostly
    /// brought into being then.
    fn fill_turns(&mut self, source: &DiskArray, boxes: &mut Boxes<'_>) -> dra::Result<()> {
        for turn in 0..size(self.pass.cost().max_blocks) {
            let Some(step) = self.steps.next() else { break };
            self.turns.push(boxes.make(&self.pass.max_block())?);
            self.read(source, step, turn)?;
        }
        // Nothing is kept before the first step has been read and written.
        let retained_elems = self.pass.cost().retained_elems;
        if retained_elems > 0 {
            boxes.make_room(u64::try_from(retained_elems).expect("no more than there is memory"))?;
        }
        self.populating = Some(Populating::start(self.turns.iter().map(Made::in_memory).collect()));
        Ok(())
    }

    /// Waits for what is under way, and frees all boxes. Collective.
    pub(crate) fn free(&mut self, boxes: &mut Boxes<'_>) -> dra::Result<()> {
        self.populating = None;
        self.syncing = None;
        for under_way in self.reading.drain(..).chain(self.writing.drain(..)) {
            if let Some(mut request) = under_way.request
                && let Err(error) = request.wait()
            {
                tracing::debug!(%error, "a transfer of a pass that has failed");
            }
        }
        let mut freed = boxes.free_room();
        for made in self.turns.drain(..) {
            freed = freed.and(boxes.free(made));
        }
        freed
    }

    /// Carries out steps until something would have to be waited for, if there is no patience for that; tells whether all have been
    /// carried out. Collective.
    pub(crate) fn advance(
        &mut self,
        source: &DiskArray,
        boxes: &mut Boxes<'_>,
        watch: &mut dyn Watch,
        patience: Patience,
    ) -> Result<bool> {
        loop {
            if self.writing.len() > 1 && !self.finish(boxes, watch, patience)? {
                return Ok(false);
            }
            // After the write of the step before, which therefore comes first.
            self.read_into_free_turns(source)?;
            let Some(read) = self.reading.front_mut() else {
                if self.writing.is_empty() {
                    return Ok(true);
                }
                if !self.finish(boxes, watch, patience)? {
                    return Ok(false);
                }
                continue;
            };
            if !read.has_arrived(patience)? {
                return Ok(false);
            }
            let uses_kept = !read.step.uses.is_empty();
            let notes = watch.wants_to_note();
            // What this step uses is kept when the one before it has been written.
            if (notes || uses_kept) && !self.finish(boxes, watch, patience)? {
                return Ok(false);
            }
            if notes && !self.note(watch, patience)? {
                return Ok(false);
            }
            self.write_next(boxes, watch)?;
        }
    }

    /// What is held of a step in its box.
    fn held(&self, step: &Step, turn: usize) -> Held {
        Held { section: step.read, array: self.turns[turn].in_memory() }
    }

    /// Starts to read the next steps, as far as there are some.
    fn read_into_free_turns(&mut self, source: &DiskArray) -> dra::Result<()> {
        let turns = std::mem::take(&mut self.free_turns);
        turns.into_iter().try_for_each(|turn| match self.steps.next() {
            Some(step) => self.read(source, step, turn),
            None => Ok(()),
        })
    }

    /// Starts to read a step.
    fn read(&mut self, source: &DiskArray, step: Step, turn: usize) -> dra::Result<()> {
        let in_memory = Section::whole(&step.read.counts())?;
        let transfer = Transfer { in_memory, on_disk: step.read, reversed: false };
        let request = source.read(&self.turns[turn].in_memory(), &transfer)?;
        self.reading.push_back(UnderWay { step, turn, request: Some(request) });
        Ok(())
    }

    /// Notes that all steps before the next one are written, when they are durable.
    fn note(&mut self, watch: &mut dyn Watch, patience: Patience) -> Result<bool> {
        let syncing = self.syncing.get_or_insert_with(|| watch.target().start_sync());
        if !patience.is_done(syncing)? {
            return Ok(false);
        }
        self.syncing = None;
        self.reading.front().map_or(Ok(()), |next| watch.note(&next.step)).map(|()| true)
    }

    /// Starts to write what the step that has arrived completes.
    fn write_next(&mut self, boxes: &Boxes<'_>, watch: &dyn Watch) -> dra::Result<()> {
        let Some(UnderWay { step, turn, .. }) = self.reading.pop_front() else { return Ok(()) };
        let request = match step.write {
            None => None,
            Some(write) => {
                let kept = step.uses.iter().flat_map(|part| boxes.kept(part));
                let held = [self.held(&step, turn)].into_iter().chain(kept).collect();
                let gathered = Gathered::new(&write, self.pass.permutation(), held);
                let on_disk = gathered.on_disk();
                let in_memory = Section::whole(&on_disk.counts())?;
                let memory: Arc<dyn ArrayInMemory> = Arc::new(gathered);
                Some(
                    watch
                        .target()
                        .write_filling(&memory, &Transfer { in_memory, on_disk, reversed: false })?,
                )
            }
        };
        self.writing.push_back(UnderWay { step, turn, request });
        Ok(())
    }

    /// When the oldest step that is being written is, keeps of it what later ones need, and frees its box; tells whether it is.
    fn finish(
        &mut self,
        boxes: &mut Boxes<'_>,
        watch: &mut dyn Watch,
        patience: Patience,
    ) -> dra::Result<bool> {
        let Some(mut written) = self.writing.pop_front() else { return Ok(true) };
        match written.has_arrived(patience) {
            Ok(true) => {}
            pending => {
                self.writing.push_front(written);
                return pending;
            }
        }
        let UnderWay { step, turn, .. } = written;
        boxes.forget(&step.uses);
        boxes.keep(&self.held(&step, turn), &step.keeps)?;
        watch.step_done(step.write.map_or(0, |write| write.len()));
        self.free_turns.push(turn);
        Ok(true)
    }
}
