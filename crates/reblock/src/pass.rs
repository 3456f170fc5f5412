//! One pass: its steps, of which one is read while the one before is written.
//!
//! Two boxes take turns. A step is read into one of them; what is complete is written from there and from what earlier steps
//! kept; then what later steps need is kept, and the box takes the next step but one. All requests go to the engine of transfers
//! in that order, which keeps several bricks in flight across them.

use crate::boxes::Boxes;
use crate::gathered::{Gathered, Held};
use dra::{ArrayInMemory, DiskArray, MadeArray, Request, Transfer};
use layout::{Buffers, Pass, Step, Steps};
use section::Section;
use std::collections::VecDeque;
use std::sync::Arc;

/// Boxes that take turns.
const TURNS: u64 = Buffers::IN_TURNS.max_blocks;

/// Where steps go, and who is told of them.
pub(crate) trait Watch {
    /// The array that the pass writes.
    fn target(&self) -> &DiskArray;

    /// Whether it shall be noted that all templates before the next one have been written.
    fn wants_to_note(&self) -> bool;

    /// All templates before this one are written.
    fn note(&mut self, template: u64) -> dra::Result<()>;

    /// A step has been done, in which so many elements were written.
    fn step_done(&mut self, written_elems: u64);
}

/// A step that is being read, or written.
struct UnderWay {
    step: Step,
    turn: usize,
    request: Option<Request>,
}

impl UnderWay {
    /// Waits for what is under way.
    fn arrived(mut self) -> dra::Result<Self> {
        self.request.take().map_or(Ok(()), |mut request| request.wait())?;
        Ok(self)
    }
}

/// A pass under way.
pub(crate) struct Run<'a, 'b> {
    pass: &'a Pass,
    source: &'a DiskArray,
    boxes: &'a mut Boxes<'b>,
    turns: Vec<Box<dyn MadeArray>>,
    reading: VecDeque<UnderWay>,
    writing: Option<UnderWay>,
}

/// Carries out the steps of a pass from a template on. Collective.
pub(crate) fn run(
    pass: &Pass,
    from_template: u64,
    source: &DiskArray,
    boxes: &mut Boxes<'_>,
    watch: &mut dyn Watch,
) -> dra::Result<()> {
    let mut run = Run { pass, source, boxes, turns: vec![], reading: VecDeque::new(), writing: None };
    let done = run.make_turns().and_then(|()| run.steps(from_template, watch));
    // Whatever failed, it failed on all ranks.
    let freed = run.free();
    done.and(freed)
}

impl Run<'_, '_> {
    fn make_turns(&mut self) -> dra::Result<()> {
        let turns = u64::try_from(self.pass.cost().steps).unwrap_or(u64::MAX).min(TURNS);
        for _ in 0..turns {
            self.turns.push(self.boxes.make(&self.pass.max_block())?);
        }
        Ok(())
    }

    /// Waits for what is under way, and frees all boxes.
    fn free(&mut self) -> dra::Result<()> {
        for under_way in self.reading.drain(..).chain(self.writing.take()) {
            if let Some(mut request) = under_way.request
                && let Err(error) = request.wait()
            {
                tracing::debug!(%error, "a transfer of a pass that has failed");
            }
        }
        let mut freed = self.boxes.forget_all();
        for made in self.turns.drain(..) {
            freed = freed.and(self.boxes.free(made));
        }
        freed
    }

    fn steps(&mut self, from_template: u64, watch: &mut dyn Watch) -> dra::Result<()> {
        let pass = self.pass;
        let mut steps = pass.steps_from(from_template);
        for turn in 0..self.turns.len() {
            self.read_next(&mut steps, turn)?;
        }
        let mut template = from_template;
        while let Some(read) = self.reading.pop_front() {
            let mut free_turns = vec![];
            let step = &read.step;
            let notes = step.template != template && watch.wants_to_note();
            template = step.template;
            let uses_kept = !step.uses.is_empty();
            let read = read.arrived()?;
            // What this step uses is kept when the one before it has been written.
            if notes || uses_kept {
                free_turns.extend(self.finish(watch)?);
            }
            if notes {
                watch.note(template)?;
            }
            let written = self.write(read, watch)?;
            free_turns.extend(self.finish(watch)?);
            self.writing = Some(written);
            for turn in free_turns {
                self.read_next(&mut steps, turn)?;
            }
            if self.reading.is_empty()
                && let Some(turn) = self.finish(watch)?
            {
                self.read_next(&mut steps, turn)?;
            }
        }
        Ok(())
    }

    /// What is held of a step in its box.
    fn held(&self, step: &Step, turn: usize) -> Held {
        Held { section: step.read, array: self.turns[turn].in_memory() }
    }

    /// Starts to read the next step, if there is one.
    fn read_next(&mut self, steps: &mut Steps<'_>, turn: usize) -> dra::Result<()> {
        if let Some(step) = steps.next() {
            let read = self.read(step, turn)?;
            self.reading.push_back(read);
        }
        Ok(())
    }

    fn read(&self, step: Step, turn: usize) -> dra::Result<UnderWay> {
        let in_memory = Section::whole(&step.read.counts())?;
        let transfer = Transfer { in_memory, on_disk: step.read, reversed: false };
        let request = self.source.read(&self.turns[turn].in_memory(), &transfer)?;
        Ok(UnderWay { step, turn, request: Some(request) })
    }

    /// Starts to write what a step completes.
    fn write(&self, read: UnderWay, watch: &dyn Watch) -> dra::Result<UnderWay> {
        let UnderWay { step, turn, .. } = read;
        let Some(write) = step.write else { return Ok(UnderWay { step, turn, request: None }) };
        let mut held: Vec<Held> = step.uses.iter().map(|part| self.boxes.kept(part)).collect();
        held.insert(0, self.held(&step, turn));
        let gathered = Gathered::new(&write, self.pass.permutation(), held);
        let on_disk = gathered.on_disk();
        let transfer = Transfer { in_memory: Section::whole(&on_disk.counts())?, on_disk, reversed: false };
        let memory: Arc<dyn ArrayInMemory> = Arc::new(gathered);
        let request = watch.target().write(&memory, &transfer)?;
        Ok(UnderWay { step, turn, request: Some(request) })
    }

    /// Waits until the step that is being written is, and keeps of it what later ones need; gives its box, which is free then.
    fn finish(&mut self, watch: &mut dyn Watch) -> dra::Result<Option<usize>> {
        let Some(written) = self.writing.take() else { return Ok(None) };
        let UnderWay { step, turn, .. } = written.arrived()?;
        self.boxes.forget(&step.uses)?;
        let held = self.held(&step, turn);
        step.keeps.iter().try_for_each(|part| self.boxes.keep(&held, part))?;
        watch.step_done(step.write.map_or(0, |write| write.len()));
        Ok(Some(turn))
    }
}
