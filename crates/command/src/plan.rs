//! `chemio plan`: how an array would be brought into bricks of another shape.

use crate::error::Result;
use crate::interrupt;
use crate::launched;
use crate::options;
use crate::output;
use crate::progress::Progress;
use crate::reblocking::Reblocking;
use crate::room::Room;
use layout::Plan;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Prints the plan by which `chemio reblock` would do it. Of ranks that a launcher has started the first does it for all.
///
/// # Errors
/// As [`launched::ranks`], [`Reblocking::new`] and [`Reblocking::plan`].
pub fn run(options: &options::Plan) -> Result<()> {
    if !launched::is_first() {
        return Ok(());
    }
    let ranks = launched::ranks(options.reblocking.ranks)?;
    let copy = Reblocking::new(&options.path, &options.reblocking)?;
    let progress = Progress::waiting("planning");
    let plan = copy.plan(ranks)?;
    drop(progress);
    interrupt::check()?;
    let room = copy.target_room()?;
    if options.facts.json {
        return output::print_json(&to_json(&plan, &room));
    }
    let text = if options.explain { plan.explain() } else { plan.to_string() };
    let shares = copy.shares(ranks)?;
    let buffers = output::bytes(shares.buffers);
    let mut text = format!("{text}\nBesides, {buffers} for the buffers of each rank that reads or writes.\n");
    let all_bytes = shares.buffers.saturating_mul(plan.problem().io_processes).saturating_add(shares.boxes);
    if all_bytes > copy.memory_bytes_of_rank(ranks).saturating_mul(ranks) {
        text.push_str("That is more than is given: ");
        text.push_str(&output::bytes(all_bytes));
        text.push_str(" it takes in any case.\n");
    }
    if room.is_much() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "The target takes {room}.");
    }
    output::print(&text)
}

/// A plan, and what its target takes on disk, as facts for programs.
pub fn to_json(plan: &Plan, target: &Room) -> Value {
    json!({
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
