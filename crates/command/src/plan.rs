//! `chemio plan`: how an array would be brought into bricks of another shape.

use crate::error::Result;
use crate::interrupt;
use crate::launched;
use crate::options;
use crate::output;
use crate::progress::Progress;
use crate::reblocking::Reblocking;
use crate::room::Room;
use layout::{Permutation, Plan};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Prints the plan by which `chemio reblock` would do it. Of ranks that a launcher has started the first does it for all.
///
/// # Errors
/// As [`launched::ranks`], [`Reblocking::new`] and [`Reblocking::plan`]; [`Error::Device`](crate::error::Error::Device) with
/// [`elio::Error::Setting`].
pub fn run(options: &options::Plan) -> Result<()> {
    if !launched::is_first() {
        return Ok(());
    }
    let ranks = launched::ranks(options.reblocking.ranks)?;
    let copy = Reblocking::new(&options.path, &options.reblocking)?;
    // The copy would be refused.
    elio::check_environment()?;
    let progress = Progress::waiting("planning");
    let plan = copy.plan(ranks)?;
    drop(progress);
    interrupt::check()?;
    let room = copy.target_room()?;
    let memory = Memory { given_bytes: copy.memory_bytes(ranks), buffers_bytes: copy.shares(ranks)?.buffers };
    if options.facts.json {
        return output::print_json(&to_json(&plan, &room, memory));
    }
    let text = if options.explain { plan.explain() } else { plan.to_string() };
    let mut text = format!("{text}\n");
    let problem = plan.problem();
    if problem.permutation != Permutation::identity(problem.dims.len()) {
        let brick = output::extents(&problem.target_brick);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "Extents and dimensions are in the source's order; in its own the target has bricks of {brick}."
        );
    }
    let buffers = output::bytes(memory.buffers_bytes);
    let _ = writeln!(text, "Besides, {buffers} for the buffers of each rank that reads or writes.");
    if memory.is_too_little(&plan) {
        let all = output::bytes(memory.planned_bytes(&plan));
        let _ = writeln!(text, "That is more than is given: {all} it takes in any case.");
    }
    if room.is_much() {
        let _ = writeln!(text, "The target takes {room}.");
    }
    output::print(&text)
}

/// What a plan does not say of memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// That of all ranks together, as the user has given it.
    pub given_bytes: u64,
    /// What the buffers of each rank that reads or writes take, at most.
    pub buffers_bytes: u64,
}

impl Memory {
    /// What there is for boxes, and the buffers of all ranks that write the target.
    fn planned_bytes(&self, plan: &Plan) -> u64 {
        let problem = plan.problem();
        self.buffers_bytes.saturating_mul(problem.io_processes).saturating_add(problem.memory_bytes)
    }

    fn is_too_little(&self, plan: &Plan) -> bool {
        self.planned_bytes(plan) > self.given_bytes
    }
}

/// A plan, what its target takes on disk, and its memory, as facts for programs.
pub fn to_json(plan: &Plan, target: &Room, memory: Memory) -> Value {
    let problem = plan.problem();
    json!({
        "ranks": problem.ranks,
        "io_processes": problem.io_processes,
        "permutation": problem.permutation.source(),
        "buffers_bytes_of_io_process": memory.buffers_bytes,
        "memory_given_bytes": memory.given_bytes,
        "memory_planned_bytes": memory.planned_bytes(plan),
        "needs_more_memory": memory.is_too_little(plan),
        "kind": plan.kind().to_string(),
        "passes": (0..plan.passes().len()).map(|number| pass_to_json(plan, number)).collect::<Vec<_>>(),
        "transfers_of_each_element": plan.io_per_element(),
        "operations": number(plan.operations()),
        "memory_bytes": plan.memory_bytes_max(),
        "disk_bytes_between_passes": number(plan.disk_bytes_max()),
        "target_disk_bytes": target.bytes,
        "seconds": plan.seconds(),
    })
}

fn pass_to_json(plan: &Plan, pass_number: usize) -> Value {
    let (pass, element_bytes) = (&plan.passes()[pass_number], u128::from(plan.problem().element_bytes));
    let (cost, bytes) = (pass.cost(), |elems: u128| number(elems.saturating_mul(element_bytes)));
    let (source_brick, target_brick) = plan.stored_bricks(pass_number);
    json!({
        "from": source_brick.to_vec(),
        "to": target_brick.to_vec(),
        "read_unit": pass.read_unit().to_vec(),
        "write_unit": pass.write_unit().to_vec(),
        "block": pass.block().to_vec(),
        "template": pass.template().to_vec(),
        "max_block": pass.max_block().to_vec(),
        "max_blocks": cost.max_blocks,
        "order": pass.order(),
        "read_bytes": bytes(cost.read_elems),
        "read_operations": number(cost.read_operations),
        "written_bytes": bytes(cost.written_elems),
        "write_operations": number(cost.write_operations),
        "steps": number(cost.steps),
        "seconds": cost.seconds,
    })
}

/// JSON of other programs has no larger integers.
fn number(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
