//! A panic on one rank inside what all do together: here that of a subscriber of the log, which is the program's own code.

use crate::world::{World, stripes_of};
use sf::{Error, Hints, SharedFile, codes};
use std::fs;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Cannot stand that a file is opened, or that what files lie in has something to tell.
struct Hater;

impl Subscriber for Hater {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let metadata = span.metadata();
        assert!(metadata.name() != "open" || !metadata.target().starts_with("elio"), "a file is opened");
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        assert!(event.metadata().target() != "sf::storage", "something is told");
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Does `work`, on the rank `hating` under that subscriber; gives the error, which is the same everywhere.
fn fails_hating<T>(world: &World, hating: usize, what: &str, work: impl FnOnce() -> sf::Result<T>) {
    let result = if world.rank() == hating { tracing::subscriber::with_default(Hater, work) } else { work() };
    let error = world.all_fail(result);
    let told = matches!(&error, Error::OnRank { rank, code: codes::DEVICE_UNKNOWN, .. } if *rank == hating);
    assert!(told, "{error:?}");
    assert_eq!(error.to_string(), format!("rank {hating}: internal error: {what}"));
}

pub(crate) fn a_panic_where_one_rank_opens_what_is_made_is_an_error_everywhere_and_leaves_nothing(
    world: &World,
) {
    let path = World::path("hated");
    let create = || SharedFile::create(&world.comm, &path, &Hints::default());
    for hating in 0..world.ranks() {
        fails_hating(world, hating, "a file is opened", create);
        world.barrier();
        assert!(!path.exists() && stripes_of("hated").is_empty(), "rank {hating} has left something");
        world.barrier();
    }
    create().unwrap().destroy().unwrap();
}

pub(crate) fn a_panic_where_rank_0_finds_a_file_is_an_error_everywhere_and_leaves_it(world: &World) {
    let path = World::path("found");
    if world.is_first() {
        fs::write(&path, "data").unwrap();
    }
    world.barrier();
    fails_hating(world, 0, "a file is opened", || SharedFile::create(&world.comm, &path, &Hints::default()));
    assert_eq!(fs::read(&path).unwrap(), b"data");
    world.barrier();
    SharedFile::create(&world.comm, &path, &Hints::default()).unwrap().destroy().unwrap();
}

pub(crate) fn a_panic_where_rank_0_removes_is_an_error_everywhere_and_others_can_be_made(world: &World) {
    let (path, kept) = (World::path("replaced"), World::path("kept"));
    let file = world.create("replaced");
    if world.is_first() {
        fs::rename(&path, &kept).unwrap();
        fs::write(&path, "somebody else's").unwrap();
    }
    world.barrier();
    fails_hating(world, 0, "something is told", || file.destroy());
    if world.is_first() {
        fs::remove_file(&path).unwrap();
        fs::remove_file(&kept).unwrap();
    }
    world.barrier();
    world.create("replaced").destroy().unwrap();
}
