//! The steps of a pass, one after the other: all that an executor has to know, so that it decides nothing.
//!
//! A step reads a box, writes a box, and keeps boxes of what it read for later steps. Because a step along each dimension
//! finishes a write block or begins a template, what is left over along a dimension is used up by the next step along it: so each
//! box that is kept is used by exactly one later step, as a whole.

use crate::plan::axis::AxisStep;
use crate::plan::{Pass, Plan};
use section::{BrickGrid, Section, Shape};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

/// One step of a pass. Sections are those of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of its template, from 0. Templates are independent of each other.
    pub template: u64,
    /// So many steps of the template are written before this one is: its number, from 0.
    pub done: u64,
    /// What is read from the source, all of it once; what is neither written nor kept is dropped.
    pub read: Section,
    /// What is written to the target when it has been read: parts of it were kept, in [`uses`](Self::uses). `None` if nothing is
    /// complete yet.
    pub write: Option<Section>,
    /// Boxes that earlier steps kept, which lie in `write` and are forgotten after it.
    pub uses: Vec<Section>,
    /// Boxes of what was read that are kept for later steps of the template.
    pub keeps: Vec<Section>,
}

/// The steps of a pass in order. It has a pass of its own, so that who takes steps now and then need not hold on to a plan.
#[derive(Clone, Debug)]
pub struct Steps {
    pass: Pass,
    templates: BrickGrid,
    /// The template whose steps come, and the steps along each dimension of it.
    template: u64,
    along: Vec<Vec<AxisStep>>,
    /// The next step along each dimension; `None` when the template is at its end.
    at: Option<Vec<usize>>,
    /// The number of that step in the template.
    done: u64,
    /// What of steps before it is read again, because later ones use it.
    again: VecDeque<Step>,
}

impl Plan {
    /// The steps of all passes in order, each with the number of its pass.
    pub fn steps(&self) -> impl Iterator<Item = (usize, Step)> {
        self.passes()
            .iter()
            .enumerate()
            .flat_map(|(number, pass)| pass.steps().map(move |step| (number, step)))
    }
}

impl Pass {
    /// Number of templates.
    pub fn templates_count(&self) -> u64 {
        self.templates().count()
    }

    /// The part of the source that template number `number` is.
    ///
    /// # Panics
    /// If there is no such template.
    pub fn template_section(&self, number: u64) -> Section {
        let grid = self.templates();
        grid.elements(&grid.coordinates(number))
    }

    /// All steps in order.
    pub fn steps(&self) -> Steps {
        self.steps_from(0, 0)
    }

    /// The steps from template number `template` on, without the first `done` of these, which have been carried out before an
    /// interruption; templates before are not needed. What of those `done` steps later ones use is read again first, by steps that write
    /// nothing and keep just that: no more than was retained then. Cost: the steps left out.
    pub fn steps_from(&self, template: u64, done: u64) -> Steps {
        let mut steps = Steps {
            pass: self.clone(),
            templates: self.templates(),
            template,
            along: vec![],
            at: None,
            done: 0,
            again: VecDeque::new(),
        };
        steps.enter();
        steps.leave_out(done);
        steps
    }

    fn templates(&self) -> BrickGrid {
        let template = Shape::from_fn(self.axes().len(), |d| self.axes()[d].template);
        BrickGrid::new(self.dims(), &template).expect("a template is a shape with elements")
    }
}

impl Steps {
    /// Prepares the steps of the current template.
    fn enter(&mut self) {
        if self.template >= self.templates.count() {
            return;
        }
        let coordinates = self.templates.coordinates(self.template);
        let axes = self.pass.axes().iter().zip(coordinates.iter());
        self.along = axes.map(|(axis, &number)| axis.steps(&axis.template_range(number))).collect();
        self.at = Some(vec![0; self.along.len()]);
        self.done = 0;
    }

    /// Goes on behind the first `count` steps of the template, or at its end.
    fn leave_out(&mut self, count: u64) {
        let template = self.template;
        // The steps that have kept what is not used yet, by number, and which of them has kept what.
        let mut keepers: BTreeMap<u64, Step> = BTreeMap::new();
        let mut kept: HashMap<Section, u64> = HashMap::new();
        while self.template == template && self.done < count {
            let Some(at) = self.at.clone() else { break };
            let step = self.step(&at);
            self.advance();
            for part in &step.uses {
                let Some(number) = kept.remove(part) else { continue };
                let Some(keeper) = keepers.get_mut(&number) else { continue };
                keeper.keeps.retain(|other| other != part);
                if keeper.keeps.is_empty() {
                    keepers.remove(&number);
                }
            }
            if !step.keeps.is_empty() {
                kept.extend(step.keeps.iter().map(|&part| (part, step.done)));
                keepers.insert(step.done, step);
            }
        }
        let done = if self.template == template { self.done } else { 0 };
        let again = |keeper: Step| Step { done, write: None, uses: vec![], ..keeper };
        self.again = keepers.into_values().map(again).collect();
    }

    /// To the next step along the dimensions, in the order of the pass.
    fn advance(&mut self) {
        let Some(at) = &mut self.at else { return };
        for &d in self.pass.order() {
            at[d] += 1;
            if at[d] < self.along[d].len() {
                self.done += 1;
                return;
            }
            at[d] = 0;
        }
        self.at = None;
        self.template += 1;
        self.enter();
    }

    fn step(&self, at: &[usize]) -> Step {
        let here: Vec<&AxisStep> = self.along.iter().zip(at).map(|(steps, &at)| &steps[at]).collect();
        let before = |d: usize| at[d].checked_sub(1).map(|before| &self.along[d][before].leftover);
        // What this step finishes of its own, and what of it is left over.
        let finished = |d: usize| here[d].fresh.start..here[d].fresh.end.min(here[d].write.end);
        let section = |range: &dyn Fn(usize) -> Range<u64>| section_of(here.len(), range);
        Step {
            template: self.template,
            done: self.done,
            read: section(&|d| here[d].read.clone()).expect("every step reads"),
            write: section(&|d| here[d].write.clone()),
            uses: mixtures(here.len(), |d| before(d).cloned().unwrap_or(0..0), finished),
            keeps: mixtures(here.len(), |d| here[d].leftover.clone(), finished),
        }
    }
}

impl Iterator for Steps {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if let Some(step) = self.again.pop_front() {
            return Some(step);
        }
        let at = self.at.clone()?;
        let step = self.step(&at);
        self.advance();
        Some(step)
    }
}

/// The boxes, with elements, that have `special` ranges along at least one dimension and `usual` ones along the others.
fn mixtures(
    dims: usize,
    special: impl Fn(usize) -> Range<u64>,
    usual: impl Fn(usize) -> Range<u64>,
) -> Vec<Section> {
    let is_some = |d: usize| !special(d).is_empty();
    let some: u32 = (0..dims).filter(|&d| is_some(d)).map(|d| 1 << d).sum();
    (1u32..1 << dims)
        .filter(|chosen| chosen & !some == 0)
        .filter_map(|chosen| {
            section_of(dims, &|d| if chosen & (1 << d) == 0 { usual(d) } else { special(d) })
        })
        .collect()
}

/// `None` if there are no elements.
fn section_of(dims: usize, range: &dyn Fn(usize) -> Range<u64>) -> Option<Section> {
    if (0..dims).any(|d| range(d).is_empty()) {
        return None;
    }
    Some(Section::between(Shape::from_fn(dims, |d| range(d).start), Shape::from_fn(dims, |d| range(d).end)))
}
