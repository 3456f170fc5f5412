//! `chemio plan`: how an array would be brought into bricks of another shape.

use crate::error::Result;
use crate::options;
use crate::output;
use disk_array::ArrayDirectory;
use layout::{DeviceModel, Pass, Permutation, Plan, Problem};
use serde_json::{Value, json};

/// As many as fill a device of one host.
const IO_PROCESSES: u64 = 2;

pub(crate) fn run(options: &options::Plan) -> Result<()> {
    let array = ArrayDirectory::open(&options.path)?;
    let plan = layout::plan(&problem(&array, options)?)?;
    if options.facts.json {
        return output::print_json(&to_json(&plan));
    }
    let text = if options.explain { plan.explain() } else { plan.to_string() };
    output::print(&format!("{text}\n"))
}

fn problem(array: &ArrayDirectory, options: &options::Plan) -> Result<Problem> {
    let (metadata, bandwidth) = (array.metadata(), options.bandwidth.saturating_mul(1_000_000));
    let device = DeviceModel {
        read_bytes_per_second: bandwidth,
        write_bytes_per_second: bandwidth,
        operations_per_second: options.operations,
        ..DeviceModel::default()
    };
    let bricks = array.layout().bricks();
    let mut problem = Problem {
        memory_bytes: options.memory.saturating_mul(1_000_000),
        ranks: options.ranks,
        io_processes: options.io_processes.unwrap_or(IO_PROCESSES.min(options.ranks)),
        device,
        ..Problem::new(&metadata.dims, metadata.data_type.bytes(), bricks.brick(), &options.brick)
    };
    if !options.order.is_empty() {
        problem.permutation = Permutation::new(&options.order)?;
    }
    Ok(problem)
}

fn to_json(plan: &Plan) -> Value {
    let element_bytes = u128::from(plan.problem().element_bytes);
    json!({
        "kind": plan.kind().to_string(),
        "passes": plan.passes().iter().map(|pass| pass_to_json(pass, element_bytes)).collect::<Vec<_>>(),
        "transfers_of_each_element": plan.io_per_element(),
        "operations": number(plan.operations()),
        "memory_bytes": plan.memory_bytes_max(),
        "disk_bytes_between_passes": number(plan.disk_bytes_max()),
        "seconds": plan.seconds(),
    })
}

fn pass_to_json(pass: &Pass, element_bytes: u128) -> Value {
    let (cost, bytes) = (pass.cost(), |elems: u128| number(elems.saturating_mul(element_bytes)));
    json!({
        "from": pass.source_brick().to_vec(),
        "to": pass.target_brick().to_vec(),
        "read_unit": pass.read_unit().to_vec(),
        "write_unit": pass.write_unit().to_vec(),
        "block": pass.block().to_vec(),
        "template": pass.template().to_vec(),
        "max_block": pass.max_block().to_vec(),
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
