//! What is to be re-blocked where: found out and checked before anything is changed, the same by every rank and by whoever only
//! wants to see the plan.

use crate::error::{Error, Result, refused};
use crate::options;
use crate::place::destination;
use crate::room::Room;
use disk_array::between::{self, BETWEEN};
use disk_array::format::Metadata;
use disk_array::{ArrayDirectory, ArraySpec, Attributes, BrickShape, Bricks, Replaces, UNFINISHED, absolute};
use layout::{
    Buffers, DeviceModel, Memory, Permutation, Plan, Problem, Shares, brick_bytes_max, rounding_bytes,
};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// As many as fill a device of one host: what arrays have that do not say.
const IO_PROCESSES: u64 = 2;
/// The executor counts memory in units of so many bytes.
const MEMORY_UNIT: u64 = 512;

/// A source, and what the target is to be.
#[derive(Debug)]
pub struct Reblocking {
    source: ArrayDirectory,
    spec: ArraySpec,
    permutation: Permutation,
    /// What the options say of it all together.
    device: DeviceModel,
    options: options::Reblocking,
}

/// What is where the target is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing that matters; another try that is not to be continued has left the arrays between so many passes.
    Nothing {
        /// Passes.
        passes: u64,
    },
    /// The unfinished target of the same copy.
    Unfinished,
}

/// All that can be found out before anything is changed.
#[derive(Debug)]
pub struct Prepared {
    /// What is to be done.
    pub copy: Reblocking,
    /// Where the target is to be.
    pub target: PathBuf,
    /// What is there.
    pub found: Found,
    /// What the target takes on disk.
    pub room: Room,
}

/// Finds out what `chemio reblock` would do on `ranks` ranks. Changes nothing.
///
/// # Errors
/// As [`Reblocking::new`], [`destination`], [`Reblocking::find`] and [`Reblocking::plan`]; [`Error::Array`] with
/// [`disk_array::Error::InTheWay`]; [`Error::Device`] with [`elio::Error::Setting`].
pub fn prepare(options: &options::Reblock, ranks: u64) -> Result<Prepared> {
    let copy = Reblocking::new(&options.source, &options.reblocking)?;
    let target = destination(&options.source, &options.target)?;
    let found = copy.find(&target, options.restart)?;
    let passes = copy.plan(ranks)?.passes().len();
    // The executor looks too, but by then there is a target.
    (1..passes).try_for_each(|pass| between::check_free(&target, pass - 1))?;
    // The first transfer looks too.
    elio::check_environment()?;
    let room = copy.target_room()?;
    Ok(Prepared { copy, target, found, room })
}

impl Reblocking {
    /// Looks at the array at `path`.
    ///
    /// # Errors
    /// - [`Error::Array`]: there is none; or the target cannot be: an extent of a brick is zero, or too many files.
    /// - [`Error::Plan`]: the order of dimensions is none, or the device cannot be understood; [`Error::Setting`]: the latter, of the variable of the environment. [`Error::BadArgument`]: the order, or the brick, has not as many.
    /// - As [`check_source`]: the array itself is not complete.
    pub fn new(path: &Path, options: &options::Reblocking) -> Result<Self> {
        let source = ArrayDirectory::open(path)?;
        check_source(&source)?;
        let dims = source.metadata().dims;
        // Before the order itself is looked at: one of too few numbers may be in order among themselves.
        for (what, given) in [("--order", options.order.len()), ("--brick", options.brick.len())] {
            if given != dims.len() && given != 0 {
                let expected = dims.len();
                return Err(Error::BadArgument(format!(
                    "{what} has {given} numbers, the array {expected} dimensions: {expected} are expected"
                )));
            }
        }
        let permutation = match &options.order[..] {
            [] => Permutation::identity(dims.len()),
            order => Permutation::new(order)?,
        };
        let spec = spec(&source, &permutation, options)?;
        let device = options.device.model()?;
        Ok(Self { source, spec, permutation, device, options: options.clone() })
    }

    /// The source.
    pub fn source(&self) -> &ArrayDirectory {
        &self.source
    }

    /// Which dimension becomes which.
    pub fn permutation(&self) -> &Permutation {
        &self.permutation
    }

    /// The target, marked as unfinished. `passes`: as in [`Found::Nothing`].
    pub fn spec(&self, passes: u64) -> ArraySpec {
        let mut spec = self.spec.clone();
        let source = self.source_name();
        let mark = json!({"what": format!("re-blocking from {source}"), "source": source, "passes": passes});
        spec.more_attributes.insert(UNFINISHED.to_owned(), mark);
        spec
    }

    /// What the mark of the target says of it.
    fn source_name(&self) -> String {
        absolute(self.source.path()).to_string_lossy().into_owned()
    }

    /// What the device costs.
    pub fn device(&self) -> DeviceModel {
        let options = &self.options;
        let said = self.device;
        let bytes = |megabytes: Option<u64>| megabytes.map(|megabytes| megabytes.saturating_mul(1_000_000));
        DeviceModel {
            read_bytes_per_second: bytes(options.bandwidth).unwrap_or(said.read_bytes_per_second),
            write_bytes_per_second: bytes(options.bandwidth).unwrap_or(said.write_bytes_per_second),
            operations_per_second: options.operations.unwrap_or(said.operations_per_second),
            alone_percent: options.alone.unwrap_or(said.alone_percent),
            memory_bytes_per_second: bytes(options.memory_bandwidth).unwrap_or(said.memory_bytes_per_second),
            ..said
        }
    }

    /// What all elements take.
    pub fn bytes(&self) -> u64 {
        let metadata = self.source.metadata();
        metadata.dims.iter().product::<u64>() * metadata.data_type.bytes()
    }

    /// What the target takes on disk.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub fn target_room(&self) -> Result<Room> {
        Ok(Room::of(&self.spec.layout()?))
    }

    /// The memory of each of `ranks` ranks, in bytes.
    pub fn memory_bytes_of_rank(&self, ranks: u64) -> u64 {
        self.options.memory.saturating_mul(1_000_000) / ranks.max(1) / MEMORY_UNIT * MEMORY_UNIT
    }

    /// That of all of them together.
    pub fn memory_bytes(&self, ranks: u64) -> u64 {
        self.memory_bytes_of_rank(ranks).saturating_mul(ranks)
    }

    /// How many of `ranks` ranks write the target.
    fn io_processes(&self, ranks: u64) -> u64 {
        self.options.io_processes.unwrap_or(IO_PROCESSES.min(ranks))
    }

    /// How the memory of `ranks` ranks is shared out.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub fn shares(&self, ranks: u64) -> Result<Shares> {
        let hint = self.source.attributes().and_then(|ours| u64::try_from(ours.io_processes_hint).ok());
        let of_source = hint.filter(|&hint| hint > 0).or(self.options.io_processes).unwrap_or(IO_PROCESSES);
        let stride = |layout: &disk_array::ArrayLayout| layout.shard().stride_bytes();
        let (source_bytes, target_bytes) = (stride(self.source.layout()), stride(&self.spec.layout()?));
        let brick_bytes = brick_bytes_max(source_bytes, target_bytes, self.spec.alignment.bytes());
        let rank_bytes = self.memory_bytes_of_rank(ranks);
        let memory = Memory {
            all_bytes: self.memory_bytes(ranks),
            rank_bytes,
            io_processes: self.io_processes(ranks).max(of_source.min(ranks)),
            brick_bytes,
            rounding_bytes: rounding_bytes(ranks, 1),
        };
        Ok(memory.share())
    }

    /// By which plan `ranks` ranks of one host do it.
    ///
    /// # Errors
    /// - [`Error::Plan`]: more I/O processes than ranks.
    pub fn plan(&self, ranks: u64) -> Result<Plan> {
        let (metadata, target) = (self.source.metadata(), self.spec.layout()?);
        let source_brick = self.source.layout().bricks().brick();
        let shares = self.shares(ranks)?;
        let problem = Problem {
            permutation: self.permutation,
            memory_bytes: shares.boxes,
            // As the executor has it, whose buffers are no larger for that.
            buffers_bytes: shares.buffers.min(self.memory_bytes_of_rank(ranks)),
            rounding_bytes: rounding_bytes(ranks, 1),
            align_bytes: self.spec.alignment.bytes(),
            ranks,
            io_processes: self.io_processes(ranks),
            device: self.device(),
            buffers: Buffers::WITHOUT_WRITE_BLOCKS,
            ..Problem::new(&metadata.dims, metadata.data_type.bytes(), source_brick, target.bricks().brick())
        };
        Ok(layout::plan(&problem)?)
    }

    /// What is at `target`. Changes nothing.
    ///
    /// # Errors
    /// - [`Error::Array`] with [`disk_array::Error::Exists`]: an array that is complete, or something else.
    /// - [`Error::OtherUnfinished`]: the target of another copy, or one with other names of dimensions or other attributes than
    ///   it is to have, and it is not to be begun anew (`restart`).
    /// - [`Error::System`]: the directory it would be in is not there.
    pub fn find(&self, target: &Path, restart: bool) -> Result<Found> {
        let parent =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::metadata(parent).map_err(refused("look at", parent))?;
        let array = match ArrayDirectory::open(target) {
            Ok(array) => array,
            // Making an array was interrupted before it was one.
            Err(
                disk_array::Error::Missing { .. }
                | disk_array::Error::Empty { .. }
                | disk_array::Error::HalfMade { .. },
            ) => return Ok(Found::Nothing { passes: 0 }),
            Err(disk_array::Error::NotAnArray { path, found }) => {
                return Err(disk_array::Error::Exists { path, found }.into());
            }
            Err(error) => return Err(error.into()),
        };
        let Some((mark, source)) =
            array.unfinished().and_then(|mark| Some((mark, mark.get("source")?.as_str()?)))
        else {
            return Err(disk_array::Error::Exists { path: target.to_owned(), found: "an array" }.into());
        };
        if restart {
            return Ok(Found::Nothing { passes: mark.get("passes").and_then(Value::as_u64).unwrap_or(0) });
        }
        let mut spec = self.spec.clone();
        if let Some(part) = array.attributes().and_then(|ours| ours.part.as_ref()) {
            // Each host has some of the files, so there are as many as hosts at least.
            spec.files = spec.files.max(part.of);
        }
        if source == self.source_name() && *array.layout() == spec.layout()? && self.is_labelled(&array) {
            return Ok(Found::Unfinished);
        }
        let what = array.unfinished_work().unwrap_or_default().to_owned();
        Err(Error::OtherUnfinished { path: target.to_owned(), what })
    }

    /// Whether an array says of its dimensions and elements what the target is to say. The executor looks at elements alone: in another
    /// order of dimensions a square matrix has the same bricks, and would keep the names of the first try.
    fn is_labelled(&self, array: &ArrayDirectory) -> bool {
        let label = |ours: &Attributes| (ours.name.clone(), ours.type_code, ours.made_by);
        array.metadata().dimension_names == self.spec.dimension_names
            && of_others(array.metadata()) == self.spec.more_attributes
            && array.attributes().map(label) == Some(label(&self.spec.attributes))
    }
}

/// # Errors
/// - [`Error::Unfinished`]: the array must not be read yet.
pub fn check_finished(array: &ArrayDirectory) -> Result<()> {
    match array.unfinished_work() {
        Some(what) => Err(Error::Unfinished { path: array.path().to_owned(), what: what.to_owned() }),
        None => Ok(()),
    }
}

/// That an array can be read as one of a user's.
///
/// # Errors
/// - [`Error::BetweenPasses`]: it belongs to a copy that is not complete.
/// - As [`check_finished`].
pub fn check_source(array: &ArrayDirectory) -> Result<()> {
    check_finished(array)?;
    match between_passes_of(array) {
        Some(target) => {
            Err(Error::BetweenPasses { path: array.path().to_owned(), target: target.to_owned() })
        }
        None => Ok(()),
    }
}

/// The name of the target that an array between passes belongs to.
pub fn between_passes_of(array: &ArrayDirectory) -> Option<&str> {
    let mark = array.metadata().attributes.get(BETWEEN)?;
    Some(mark.get("target").and_then(Value::as_str).unwrap_or("another array"))
}

/// The target: as the source, with its attributes, in other bricks and another order.
fn spec(
    source: &ArrayDirectory,
    permutation: &Permutation,
    options: &options::Reblocking,
) -> Result<ArraySpec> {
    let metadata = source.metadata();
    let brick = match &options.brick[..] {
        [] => permutation.to_target(source.layout().bricks().brick()).to_vec(),
        brick => brick.to_vec(),
    };
    let mut spec = ArraySpec::new(&permutation.to_target(&metadata.dims), metadata.data_type)?;
    spec.bricks = Bricks::Exact(BrickShape::exact(&brick)?);
    spec.files = options.files;
    // Another command may complete one at the same place meanwhile.
    spec.replaces = Replaces::Unfinished;
    if let Some(ours) = source.attributes() {
        spec.attributes.name.clone_from(&ours.name);
        (spec.attributes.type_code, spec.attributes.made_by) = (ours.type_code, ours.made_by);
    }
    let names = metadata.dimension_names.as_ref();
    spec.dimension_names =
        names.map(|names| permutation.source().iter().map(|&source| names[source].clone()).collect());
    spec.more_attributes = of_others(metadata);
    spec.layout()?;
    Ok(spec)
}

/// The attributes that programs and people have set.
fn of_others(metadata: &Metadata) -> Map<String, Value> {
    let is_ours = |key: &str| Attributes::is_ours(key) || [UNFINISHED, BETWEEN].contains(&key);
    let others = metadata.attributes.iter().filter(|(key, _)| !is_ours(key));
    others.map(|(key, value)| (key.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk_array::DataType;
    use disk_array::format::Part;

    fn options(brick: &[u64], order: &[usize]) -> options::Reblocking {
        options::Reblocking {
            brick: brick.to_vec(),
            order: order.to_vec(),
            memory: 64,
            ranks: None,
            io_processes: None,
            files: 1,
            device: options::Device::default(),
            bandwidth: None,
            operations: None,
            alone: None,
            memory_bandwidth: None,
        }
    }

    fn array(path: &Path) -> ArrayDirectory {
        let mut spec = ArraySpec::new(&[40, 30], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[4, 30]).unwrap());
        spec.more_attributes.insert("units".to_owned(), "hartree".into());
        spec.dimension_names = Some(vec![Some("occupied".to_owned()), None]);
        ArrayDirectory::create(path, &spec).unwrap()
    }

    #[test]
    fn the_target_is_the_source_in_other_bricks_and_is_marked() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, target) = (scratch.path().join("a"), scratch.path().join("b"));
        array(&source);
        let copy = Reblocking::new(&source, &options(&[30, 2], &[1, 0])).unwrap();
        assert_eq!(copy.find(&target, false).unwrap(), Found::Nothing { passes: 0 });
        let made = ArrayDirectory::create(&target, &copy.spec(0)).unwrap();
        assert_eq!(made.metadata().dims[..], [30, 40]);
        assert_eq!(made.metadata().attributes["units"], "hartree");
        let names = made.metadata().dimension_names.clone().unwrap();
        assert_eq!(names, [None, Some("occupied".to_owned())], "names go with their dimensions");
        assert!(matches!(check_finished(&made), Err(Error::Unfinished { .. })));
        assert_eq!(copy.find(&target, false).unwrap(), Found::Unfinished);
        let with_slash = PathBuf::from(format!("{}/", source.display()));
        let again = Reblocking::new(&with_slash, &options(&[30, 2], &[1, 0])).unwrap();
        assert_eq!(again.find(&target, false).unwrap(), Found::Unfinished, "the same source");
    }

    #[test]
    fn a_target_in_parts_on_the_disks_of_hosts_is_found_again() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, target) = (scratch.path().join("a"), scratch.path().join("b"));
        array(&source);
        let copy = Reblocking::new(&source, &options(&[30, 2], &[1, 0])).unwrap();
        let mut spec = copy.spec(0);
        spec.files = 3;
        spec.attributes.part = Some(Part { number: 1, of: 3, array: "one of three".to_owned() });
        ArrayDirectory::create(&target, &spec).unwrap();
        assert_eq!(copy.find(&target, false).unwrap(), Found::Unfinished);
    }

    #[test]
    fn a_target_of_something_else_is_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, target) = (scratch.path().join("a"), scratch.path().join("b"));
        array(&source);
        let [one, other] =
            [[2, 30], [5, 5]].map(|brick| Reblocking::new(&source, &options(&brick, &[])).unwrap());
        ArrayDirectory::create(&target, &one.spec(3)).unwrap();
        assert!(matches!(other.find(&target, false), Err(Error::OtherUnfinished { .. })));
        assert_eq!(other.find(&target, true).unwrap(), Found::Nothing { passes: 3 });
        assert!(Reblocking::new(&target, &options(&[2, 2], &[])).is_err(), "it is no source");
        ArrayDirectory::delete(&target).unwrap();
        array(&target);
        for restart in [false, true] {
            let found = one.find(&target, restart);
            assert!(matches!(found, Err(Error::Array(disk_array::Error::Exists { .. }))), "{found:?}");
        }
        // Nor is one that was not there yet when it was looked for.
        let made = ArrayDirectory::create(&target, &one.spec(0));
        assert!(matches!(made, Err(disk_array::Error::Exists { .. })), "{made:?}");
        assert!(one.find(&scratch.path().join("missing/b"), false).is_err());
    }

    #[test]
    fn an_unfinished_target_with_other_labels_is_that_of_another_copy() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, target) = (scratch.path().join("a"), scratch.path().join("b"));
        let mut square = ArraySpec::new(&[30, 30], DataType::Float64).unwrap();
        square.dimension_names = Some(vec![Some("occupied".to_owned()), None]);
        square.more_attributes.insert("units".to_owned(), "hartree".into());
        let mut array = ArrayDirectory::create(&source, &square).unwrap();
        let copy = |order: &[usize]| Reblocking::new(&source, &options(&[5, 5], order)).unwrap();
        let [straight, turned] = [&[][..], &[1, 0]].map(copy);
        ArrayDirectory::create(&target, &straight.spec(0)).unwrap();
        assert_eq!(straight.find(&target, false).unwrap(), Found::Unfinished);
        assert!(matches!(turned.find(&target, false), Err(Error::OtherUnfinished { .. })));
        array.set_attribute("units", Some("rydberg".into())).unwrap();
        assert!(matches!(copy(&[]).find(&target, false), Err(Error::OtherUnfinished { .. })));
        array.set_attribute("units", Some("hartree".into())).unwrap();
        assert_eq!(copy(&[]).find(&target, false).unwrap(), Found::Unfinished);
        // Another array in the place of the source.
        square.attributes.name = "fock".to_owned();
        ArrayDirectory::create(&source, &square).unwrap();
        assert!(matches!(copy(&[]).find(&target, false), Err(Error::OtherUnfinished { .. })));
        assert_eq!(copy(&[]).find(&target, true).unwrap(), Found::Nothing { passes: 0 });
    }

    #[test]
    fn orders_and_bricks_need_a_number_for_each_dimension() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("a");
        array(&path);
        for (brick, order) in [(&[][..], &[1][..]), (&[], &[0]), (&[], &[7]), (&[4], &[])] {
            let refused = Reblocking::new(&path, &options(brick, order)).unwrap_err().to_string();
            let what = if brick.is_empty() { "--order" } else { "--brick" };
            assert_eq!(refused, format!("{what} has 1 numbers, the array 2 dimensions: 2 are expected"));
        }
        let refused = Reblocking::new(&path, &options(&[], &[0, 0])).unwrap_err();
        assert!(matches!(refused, Error::Plan(_)), "{refused}");
    }

    /// Bricks between passes depend on them.
    #[test]
    fn buffers_are_planned_with_that_a_rank_has_memory_for() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("a");
        let mut spec = ArraySpec::new(&[600, 600], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[8, 600]).unwrap());
        ArrayDirectory::create(&path, &spec).unwrap();
        let little = options::Reblocking { memory: 1, ..options(&[400, 400], &[]) };
        let copy = Reblocking::new(&path, &little).unwrap();
        for ranks in [1, 4] {
            let planned = copy.plan(ranks).unwrap();
            assert_eq!(planned.problem().buffers_bytes, copy.memory_bytes_of_rank(ranks));
            assert_eq!(
                copy.shares(ranks).unwrap().buffers,
                2 << 20,
                "two of a mebibyte it takes all the same"
            );
        }
    }

    #[test]
    fn without_a_brick_it_is_that_of_the_source() {
        let scratch = tempfile::tempdir().unwrap();
        array(&scratch.path().join("a"));
        let copy = Reblocking::new(&scratch.path().join("a"), &options(&[], &[1, 0])).unwrap();
        assert_eq!(copy.plan(1).unwrap().problem().target_brick, [30, 4]);
    }
}
