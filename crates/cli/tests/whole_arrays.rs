//! `info`, `ls`, `stats`, `cp`, `mv`, `rm`, `verify` on real arrays.

mod support;

use disk_array::between::{self, BETWEEN};
use disk_array::{ArrayDirectory, ArraySpec, Attributes, DataType, UNFINISHED};
use section::Section;
use serde_json::json;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{arguments, command, done, facts, make, names, on_disk_bytes, read, refused, run};

#[test]
fn info_tells_shape_type_bricks_and_what_is_written() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make(&path, &[11, 13], &[2, 3], DataType::Float64);
    ArrayDirectory::open(&path).unwrap().set_attribute("units", Some(json!("hartree"))).unwrap();
    fs::write(path.join("notes"), "").unwrap();
    let found = facts(arguments!["info", "--json", &path]);
    assert_eq!(
        (&found["shape"], &found["type"], &found["bytes"]),
        (&json!([11, 13]), &json!("float64"), &json!(1144))
    );
    assert_eq!(
        (&found["brick_shape"], &found["bricks"], &found["shards"]),
        (&json!([2, 3]), &json!(30), &json!(3))
    );
    assert_eq!(found["alignment_bytes"], json!(512));
    assert_eq!((&found["name"], &found["attributes"]["units"]), (&json!("test"), &json!("hartree")));
    assert_eq!(found["other_files"], json!([path.join("notes")]));
    assert!(found["share_written"].as_f64().unwrap() > 0.9, "{found}");
    let text = done(arguments!["info", &path]);
    assert!(text.contains("11 x 13") && text.contains("units = \"hartree\""), "{text}");
}

#[test]
fn info_of_an_array_of_which_little_was_written_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let array =
        ArrayDirectory::create(&path, &ArraySpec::new(&[4000, 5000], DataType::Float64).unwrap()).unwrap();
    assert_eq!(facts(arguments!["info", "--json", &path])["share_written"], json!(0.0));
    array.write(&Section::new(&[0, 0], &[400, 5000]).unwrap(), &vec![1; 16_000_000]).unwrap();
    array.sync().unwrap();
    let share = facts(arguments!["info", "--json", &path])["share_written"].as_f64().unwrap();
    assert!((0.05..0.2).contains(&share), "{share}");
}

#[test]
fn info_of_a_part_says_which_part_it_is_and_only_that_can_be_asked() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let mut spec = support::spec(&[11, 13], &[2, 3], DataType::Int32);
    spec.attributes = Attributes {
        part: Some(disk_array::format::Part { number: 1, of: 2, array: "0123".to_owned() }),
        ..Attributes::default()
    };
    let array = ArrayDirectory::create(&path, &spec).unwrap();
    for number in [0, 2] {
        fs::remove_file(array.shard_path(number)).unwrap();
    }
    assert_eq!(
        facts(arguments!["info", "--json", &path])["part"],
        json!({"number": 1, "of": 2, "array": "0123"})
    );
    done(arguments!["verify", &path]);
    for command in [arguments!["stats", &path], arguments!["export", &path, scratch.path().join("a.npy")]] {
        assert!(refused(command).contains("part 1 of 2"));
    }
    fs::remove_file(array.shard_path(1)).unwrap();
    assert_eq!(run(arguments!["verify", &path]).status, Some(1));
    // With the shards of all parts it is the whole array.
    ArrayDirectory::delete(&path).unwrap();
    let array = ArrayDirectory::create(&path, &spec).unwrap();
    assert_eq!(facts(arguments!["stats", "--json", &path])["zeros"], json!(143));
    done(arguments!["verify", &path]);
    // And without one of another part it is neither.
    fs::remove_file(array.shard_path(0)).unwrap();
    let ran = run(arguments!["verify", &path]);
    assert!(ran.status == Some(1) && ran.out.contains("no such file"), "{ran:?}");
}

#[test]
fn ls_lists_arrays_and_what_is_left_of_some_and_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    make(&directory.join("b"), &[5], &[2], DataType::Complex64);
    make(&directory.join("a"), &[5, 6], &[2, 3], DataType::Int64);
    fs::create_dir_all(directory.join("half/.chemio-new")).unwrap();
    fs::create_dir(directory.join("empty")).unwrap();
    fs::write(directory.join("file"), "").unwrap();
    let found = facts(arguments!["ls", "--json", directory]);
    let names: Vec<_> =
        found.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b", "half"]);
    assert_eq!((&found[0]["shape"], &found[1]["type"]), (&json!([5, 6]), &json!("complex64")));
    assert!(found[2]["error"].as_str().unwrap().contains("interrupted"));
    let text = done(arguments!["ls", directory]);
    assert!(text.lines().count() == 3 && text.starts_with("a     int64      5 x 6"), "{text}");
}

#[test]
fn stats_of_every_type_are_those_of_the_elements() {
    let scratch = tempfile::tempdir().unwrap();
    for (number, data_type) in DataType::ALL.into_iter().enumerate() {
        let path = scratch.path().join(number.to_string());
        make(&path, &[40, 30, 7], &[7, 11, 2], data_type);
        let found = facts(arguments!["stats", "--json", &path]);
        assert_eq!((&found["count"], &found["zeros"], &found["nan"]), (&json!(8400), &json!(0), &json!(0)));
        let (min, max, mean) = (&found["min"], &found["max"], &found["mean"]);
        match data_type {
            DataType::Int32 => {
                assert_eq!((min, max, mean), (&json!(-500_000), &json!(-491_601), &json!(-495_800.5)));
            }
            DataType::Int64 => {
                assert_eq!((min, max), (&json!((-500_000i64 << 20) | 1), &json!((-491_601i64 << 20) | 1)));
            }
            DataType::Float32 => assert_eq!((min, max, mean), (&json!(0.5), &json!(8399.5), &json!(4200.0))),
            DataType::Float64 => {
                assert_eq!((min, max), (&json!(0.5 / 3.0), &json!(8399.5 / 3.0)));
                assert!((mean.as_f64().unwrap() - 1400.0).abs() < 1e-9, "{mean}");
            }
            DataType::Complex64 => {
                assert_eq!((min, mean), (&json!(0.5f64.hypot(0.5)), &json!([4200.0, -4200.0])));
            }
            DataType::Complex128 => assert_eq!(max, &json!((8399.5f64 / 3.0).hypot(8399.5))),
        }
    }
}

#[test]
fn stats_count_what_nobody_wrote_without_reading_it() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    // 2^59 bytes, in a million files of which there are three.
    let dims = [1 << 28, 1 << 28];
    let brick = [1 << 18, 1 << 18];
    let layout = support::spec(&[1 << 20, 1 << 20], &[512, 512], DataType::Float64);
    let small = ArrayDirectory::create(&path, &layout).unwrap();
    drop(small);
    let text = fs::read_to_string(path.join("zarr.json")).unwrap();
    let mut metadata: serde_json::Value = serde_json::from_str(&text).unwrap();
    metadata["shape"] = json!(dims);
    metadata["chunk_grid"]["configuration"]["chunk_shape"] = json!(brick);
    metadata["codecs"] = json!([{"name": "bytes", "configuration": {"endian": "little"}}]);
    metadata["fill_value"] = json!(2.0);
    metadata["attributes"] = json!({});
    fs::remove_dir_all(path.join("c")).unwrap();
    fs::write(path.join("zarr.json"), metadata.to_string()).unwrap();
    fs::create_dir_all(path.join("c/7")).unwrap();
    let chunk = fs::File::create(path.join("c/7/9")).unwrap();
    chunk.set_len(8 << 36).unwrap();
    chunk.write_all_at(&(-1f64).to_le_bytes(), 8 << 30).unwrap();
    let found = facts(arguments!["stats", "--json", &path]);
    assert_eq!(
        (&found["count"], &found["min"], &found["max"]),
        (&json!(1u64 << 56), &json!(-1.0), &json!(2.0))
    );
    assert_eq!(found["zeros"], json!((1u64 << 36) - 1));
    done(arguments!["verify", &path]);
}

#[test]
fn a_copy_has_the_same_elements_metadata_and_holes() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, copy) = (scratch.path().join("array"), scratch.path().join("copy"));
    let array =
        ArrayDirectory::create(&path, &ArraySpec::new(&[4000, 5000], DataType::Float64).unwrap()).unwrap();
    array.write(&Section::new(&[7, 0], &[8, 5000]).unwrap(), &vec![5; 40_000]).unwrap();
    done(arguments!["cp", &path, &copy]);
    assert!(read(&copy) == read(&path));
    assert_eq!(fs::read(copy.join("zarr.json")).unwrap(), fs::read(path.join("zarr.json")).unwrap());
    assert!(on_disk_bytes(&copy.join("c/0/0")) <= on_disk_bytes(&path.join("c/0/0")) + (64 << 10));
    // Into a directory it goes under its own name.
    let place = scratch.path().join("place");
    fs::create_dir(&place).unwrap();
    done(arguments!["cp", &path, &place]);
    assert_eq!(names(&place), ["array"]);
    assert!(refused(arguments!["cp", &path, &copy]).contains("an array is there already"));
    assert_eq!(names(&copy), ["c", "zarr.json"]);
}

/// A directory on another file system than `path`, where there is one.
fn other_file_system(path: &Path) -> Option<&'static Path> {
    let memory = Path::new("/dev/shm");
    let file_system = |path| elio::stat(path).unwrap().file_system;
    (memory.is_dir() && file_system(memory) != file_system(path)).then_some(memory)
}

#[test]
fn mv_gives_another_name_or_another_place() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, other, place) =
        (scratch.path().join("array"), scratch.path().join("other"), scratch.path().join("place"));
    let elements = make(&path, &[11, 13], &[2, 3], DataType::Float32);
    done(arguments!["mv", &path, &other]);
    fs::create_dir(&place).unwrap();
    done(arguments!["mv", &other, &place]);
    assert!(read(&place.join("other")) == elements);
    assert_eq!(names(scratch.path()), ["place"]);
    make(&path, &[3], &[2], DataType::Int32);
    assert!(refused(arguments!["mv", &path, place.join("other")]).contains("there already"));
    assert!(read(&place.join("other")) == elements);
    if let Some(memory) = other_file_system(scratch.path()) {
        let there = tempfile::tempdir_in(memory).unwrap();
        done(arguments!["mv", place.join("other"), there.path().join("moved")]);
        assert!(read(&there.path().join("moved")) == elements && names(&place).is_empty());
    }
}

/// Runs `act` while another program writes to a shard of the array at `path` all the time: what it has written last.
fn while_written(path: &Path, act: impl FnOnce()) -> u8 {
    let shard = ArrayDirectory::open(path).unwrap().shard_path(1);
    let file = fs::File::options().write(true).open(shard).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for value in (1..=250).cycle() {
                file.write_all_at(&[value], 0).unwrap();
                if is_over.load(Ordering::Relaxed) {
                    return value;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            unreachable!("cycles have no end")
        });
        act();
        is_over.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    })
}

#[test]
fn an_array_that_is_written_meanwhile_is_neither_copied_nor_deleted() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    let memory = other_file_system(scratch.path());
    let there = memory.map(|memory| tempfile::tempdir_in(memory).unwrap());
    let copy = scratch.path().join("copy");
    let mut places = vec![("cp", copy)];
    places.extend(there.iter().map(|there| ("mv", there.path().join("moved"))));
    for (command, target) in places {
        let last = while_written(&path, || {
            let line = refused(arguments![command, &path, &target]);
            assert!(line.contains("another program has changed the array meanwhile"), "{line}");
            assert!(line.contains(path.to_str().unwrap()) && line.contains("do this again"), "{line}");
        });
        assert!(!target.exists(), "{command}");
        assert_eq!(fs::read(ArrayDirectory::open(&path).unwrap().shard_path(1)).unwrap()[0], last);
        // When that program has ended it is done.
        done(arguments![command, &path, &target]);
        assert_eq!(fs::read(ArrayDirectory::open(&target).unwrap().shard_path(1)).unwrap()[0], last);
        read(&target);
        assert_eq!(path.exists(), command == "cp");
    }
}

#[test]
fn a_name_may_end_with_a_slash_or_a_dot() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str, end: &str| format!("{}{end}", scratch.path().join(name).display());
    let elements = make(&scratch.path().join("a"), &[3], &[2], DataType::Int32);
    for end in ["", "/", "/.", "/./"] {
        done(arguments!["cp", at("a", end), at("b", end)]);
        done(arguments!["mv", at("b", end), at("c", end)]);
        assert!(read(&scratch.path().join("c")) == elements);
        done(arguments!["rm", at("c", end)]);
        assert_eq!(names(scratch.path()), ["a"], "{end:?}");
        fs::write(scratch.path().join("x.bin"), [1; 8]).unwrap();
        done(arguments!["import", at("x.bin", ""), at("d", end), "--shape", "1", "--type", "float64"]);
        done(arguments!["verify", at("d", end)]);
        done(arguments!["rm", at("d", end)]);
        fs::remove_file(scratch.path().join("x.bin")).unwrap();
    }
    // Where one is.
    let here = |words: &[&str]| {
        let ran = command().args(words).current_dir(scratch.path().join("a")).output().unwrap();
        assert!(ran.status.success(), "{words:?}: {ran:?}");
    };
    here(&["cp", ".", "../b"]);
    here(&["verify", "."]);
    here(&["rm", "."]);
    assert_eq!(names(scratch.path()), ["b"]);
}

#[test]
fn rm_deletes_arrays_and_what_is_left_of_them_and_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, half, foreign) =
        (scratch.path().join("array"), scratch.path().join("half"), scratch.path().join("foreign"));
    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    fs::create_dir_all(half.join(".chemio-new/c")).unwrap();
    done(arguments!["rm", &path, &half]);
    assert!(names(scratch.path()).is_empty());

    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    fs::write(path.join("notes"), "mine").unwrap();
    assert_eq!(done(arguments!["rm", &path]), format!("left: {}\n", path.join("notes").display()));
    assert_eq!(names(&path), ["notes"]);

    make(&foreign, &[11, 13], &[2, 3], DataType::Int32);
    let text = fs::read_to_string(foreign.join("zarr.json")).unwrap().replace("\"chemio\"", "\"other\"");
    fs::write(foreign.join("zarr.json"), text).unwrap();
    assert!(refused(arguments!["rm", &foreign]).contains("--foreign"));
    assert_eq!(ArrayDirectory::open(&foreign).unwrap().stored().unwrap().shards, [0, 1, 2]);
    done(arguments!["rm", "--foreign", &foreign]);
    assert_eq!(names(scratch.path()), ["array"]);
}

#[test]
fn what_a_link_leads_to_is_not_deleted() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, link) = (scratch.path().join("array"), scratch.path().join("link"));
    let elements = make(&path, &[11, 13], &[2, 3], DataType::Int32);
    std::os::unix::fs::symlink("array", &link).unwrap();
    for slash in ["", "/", "/."] {
        let link = format!("{}{slash}", link.display());
        assert!(refused(arguments!["rm", link]).contains("a link to array"), "{slash:?}");
    }
    if let Some(memory) = other_file_system(scratch.path()) {
        let there = tempfile::tempdir_in(memory).unwrap();
        assert!(refused(arguments!["mv", &link, there.path()]).contains("a link to array"));
        assert!(names(there.path()).is_empty());
    }
    assert!(read(&path) == elements);
    // Its name may change: that is the link's own.
    done(arguments!["mv", &link, scratch.path().join("other")]);
    assert!(read(&scratch.path().join("other")) == elements);
}

#[test]
fn an_unfinished_array_is_not_copied_and_keeps_its_name_while_passes_lie_beside() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, other) = (scratch.path().join("array"), scratch.path().join("other"));
    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    let mark = json!({ "what": "re-blocking from elsewhere" });
    ArrayDirectory::open(&path).unwrap().set_attribute(UNFINISHED, Some(mark)).unwrap();
    assert!(refused(arguments!["cp", &path, &other]).contains("re-blocking from elsewhere"));
    let pass = between::path(&path, 0);
    make(&pass, &[11, 13], &[2, 3], DataType::Int32);
    ArrayDirectory::open(&pass).unwrap().set_attribute(BETWEEN, Some(between::mark(&path))).unwrap();
    assert!(refused(arguments!["mv", &path, &other]).contains("array.pass-1"));
    assert_eq!(names(scratch.path()), ["array", "array.pass-1"]);
    done(arguments!["rm", &path]);
    assert!(names(scratch.path()).is_empty());
}

#[test]
fn what_others_have_written_does_not_reach_the_terminal_as_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    fs::write(path.join("a\nfile\x1b[2J"), "").unwrap();
    let mark = json!({ "what": "re-blocking\n\x1b]0;of\x07" });
    ArrayDirectory::open(&path).unwrap().set_attribute(UNFINISHED, Some(mark)).unwrap();
    for command in [arguments!["info", &path], arguments!["ls", scratch.path()], arguments!["rm", &path]] {
        let text = done(command);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(!text.contains("a\nfile"), "{text:?}");
    }
}

#[test]
fn the_status_is_right_where_nobody_hears_the_error() {
    let scratch = tempfile::tempdir().unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let status = support::command().arg("info").arg(scratch.path().join("missing")).stderr(full).status();
    assert_eq!(status.unwrap().code(), Some(2));
}

/// Changes a file for the worse.
type Damage = fn(&fs::File);

#[test]
fn verify_finds_every_kind_of_damage_and_names_the_shard() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let damages: [(&str, Damage); 3] = [
        ("instead of", |file| file.write_all_at(&[0xFF], file.metadata().unwrap().len() - 20).unwrap()),
        ("bytes", |file| file.set_len(file.metadata().unwrap().len() - 1).unwrap()),
        ("bytes", |file| file.set_len(3).unwrap()),
    ];
    for (words, damage) in damages {
        make(&path, &[11, 13], &[2, 3], DataType::Int32);
        done(arguments!["verify", "--read", &path]);
        damage(&fs::File::options().write(true).open(path.join("c/1/0")).unwrap());
        let ran = run(arguments!["verify", &path]);
        assert!(ran.status == Some(1) && ran.out.contains(words) && ran.out.contains("c/1/0"), "{ran:?}");
        let ran = run(arguments!["verify", "--json", &path]);
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&found["whole"], &found["damaged"][0]["shard"]), (&json!(false), &json!(1)));
        // Nothing is made of what is damaged.
        let file = scratch.path().join("file.npy");
        refused(arguments!["export", &path, &file]);
        assert_eq!(names(scratch.path()), ["array"]);
    }
    // Something else of the name of a shard, which a reader must not wait for.
    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    fs::remove_file(path.join("c/2/0")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, path.join("c/2/0"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    for command in [arguments!["stats", &path], arguments!["cp", &path, scratch.path().join("copy")]] {
        assert!(refused(command).contains("not a file"));
    }
    done(arguments!["info", &path]);
    assert_eq!(run(arguments!["verify", &path]).status, Some(1));
    assert_eq!(names(scratch.path()), ["array"]);
    fs::remove_file(path.join("c/2/0")).unwrap();
    let ran = run(arguments!["verify", &path]);
    assert!(ran.status == Some(1) && ran.out.contains("no such file"), "{ran:?}");
    // Others read zeros there, and say so.
    let file = scratch.path().join("file.npy");
    let copy = scratch.path().join("copy");
    for command in
        [arguments!["stats", &path], arguments!["cp", &path, &copy], arguments!["export", &path, &file]]
    {
        let ran = run(command);
        let is_told = ran.err.contains("1 of 3 shards are not there, their elements read as zero");
        assert!(ran.status == Some(0) && is_told, "{ran:?}");
    }
}

#[test]
fn verify_tells_of_what_is_damaged_and_of_what_it_could_not_look_at() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make(&path, &[11, 13], &[2, 3], DataType::Int32);
    fs::remove_file(path.join("c/2/0")).unwrap();
    std::os::unix::fs::symlink("0", path.join("c/2/0")).unwrap();
    assert!(refused(arguments!["verify", &path]).contains("c/2/0"));
    fs::File::options().write(true).open(path.join("c/1/0")).unwrap().set_len(3).unwrap();
    let ran = run(arguments!["verify", &path]);
    assert!(
        ran.status == Some(1) && ["c/1/0", "c/2/0"].iter().all(|shard| ran.out.contains(shard)),
        "{ran:?}"
    );
    let found: serde_json::Value =
        serde_json::from_str(&run(arguments!["verify", "--json", &path]).out).unwrap();
    assert_eq!((&found["damaged"][0]["shard"], &found["not_checked"][0]["shard"]), (&json!(1), &json!(2)));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scratch = tempfile::tempdir().unwrap();
    make(&scratch.path().join("array"), &[3], &[2], DataType::Int32);
    let mut child = support::command()
        .arg("ls")
        .arg(scratch.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
