//! Making, describing and removing arrays; what is refused.

use ga::{Context, ElementType, Error, Patch, PatchMut, Reduction, Span};
use num_complex::Complex;
use section::Section;

/// A new array is zero, and blocks cover it.
pub(crate) fn a_new_array_is_zero_and_every_element_has_an_owner(ga: &Context) {
    for shape in [&[1][..], &[1000], &[3, 2], &[2, 3, 4, 1, 2, 3, 2]] {
        let array = ga.array(ElementType::DoubleComplex, shape).create().unwrap();
        let elements = array.view::<Complex<f64>>().unwrap().to_vec(&array.whole()).unwrap();
        assert!(elements.iter().all(|z| *z == Complex::ZERO));
        let mut owned = [array.local_section().map_or(0, |block| block.len().cast_signed())];
        ga.world().reduce(&mut owned, Reduction::Sum).unwrap();
        assert_eq!(owned[0].cast_unsigned(), array.whole().len());
        let twin = array.duplicate("twin").unwrap();
        assert_eq!(twin.distribution(), array.distribution());
        twin.destroy().unwrap();
        array.destroy().unwrap();
    }
}

/// What is stored in the local block is what others get, and the other way round.
pub(crate) fn the_local_block_is_the_array(ga: &Context) {
    let mut array = ga.array(ElementType::Long, &[13, 17]).create().unwrap();
    if let Some(mut block) = array.local::<i64>().unwrap() {
        let section = *block.section();
        for (element, index) in block.iter_mut().zip(section.indices()) {
            *element = (index[0] * 100 + index[1]).cast_signed();
        }
    }
    array.release().unwrap();
    ga.sync().unwrap();
    let all = array.view::<i64>().unwrap().to_vec(&array.whole()).unwrap();
    for (element, index) in all.iter().zip(array.whole().indices()) {
        assert_eq!(*element, (index[0] * 100 + index[1]).cast_signed());
    }
    ga.sync().unwrap();
    if ga.rank() == ga.ranks() - 1 {
        array.view().unwrap().put(&array.whole(), &vec![-1i64; 13 * 17]).unwrap();
    }
    ga.sync().unwrap();
    assert!(array.local::<i64>().unwrap().is_none_or(|block| block.iter().all(|&element| element == -1)));
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// Memory of a rank that has it for itself is brought into being bit by bit, up to the end; what ranks share is there.
pub(crate) fn private_memory_is_there_once_it_was_populated(ga: &Context) {
    let bytes = 25 << 20;
    let array = ga.array(ElementType::Double, &[ga.ranks() as u64 * bytes as u64 / 8]).create().unwrap();
    let before = resident_bytes();
    let begins: Vec<usize> = std::iter::successors(Some(usize::MAX), |&to| array.populate(to)).collect();
    let is_known = !is_older_than(5, 14);
    if (ga.ranks_of_node(ga.node()).len() == 1 && is_known) || begins.len() > 1 {
        assert!(begins.is_sorted_by(|a, b| a > b) && begins.last() == Some(&0), "{begins:?}");
        assert!(begins[1] < bytes && begins.len() > 3, "{begins:?}");
        assert!(resident_bytes() - before > bytes / 2, "{before} and {}", resident_bytes());
    }
    assert_eq!(array.populate(0), None);
    let elements = array.view::<f64>().unwrap().to_vec(&array.whole()).unwrap();
    assert!(elements.iter().all(|&element| element == 0.0));
    array.destroy().unwrap();
}

/// What this process has in memory.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    kib.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() << 10
}

/// Whether the kernel is.
fn is_older_than(major: u32, minor: u32) -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers =
        release.trim().split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next(), numbers.next()) < (Some(major), Some(minor))
}

/// The short way is for boxes in one block, of which it finds the right elements; it refuses what it is not for.
pub(crate) fn a_box_in_one_block_in_reach_takes_the_short_way_and_no_other(ga: &Context) {
    let array = ga.array(ElementType::Long, &[40, 6]).chunk(&[0, 6]).create().unwrap();
    let blocks: Vec<_> = (0..ga.ranks()).filter_map(|rank| array.distribution().block_of(rank)).collect();
    let find = |lo: [u64; 2], hi: [u64; 2], extent: i64| {
        array.in_block(|d| Span {
            first: lo[d].cast_signed(),
            last: hi[d].cast_signed() - 1,
            extent: if d == 0 { 0 } else { extent },
        })
    };
    // With RMA in play there is no short way, not even to the own block.
    let near =
        ga.ranks() == 1 || (ga.nodes() == 1 && std::env::var("CHEMIO_GA_PATH").as_deref() != Ok("rma"));
    for (rank, block) in blocks.iter().enumerate() {
        let (from, to) = (block.lo()[0], block.hi()[0]);
        let inner = find([from, 1], [to, 5], 9);
        assert_eq!(
            inner.as_ref().map(|found| (found.rank(), found.bytes())),
            near.then(|| (rank, section::size(to - from) * 4 * 8))
        );
        assert!(find([from, 1], [to + 1, 5], 9).is_none(), "two blocks, or beyond the array");
        assert!(find([from, 1], [to, 7], 9).is_none(), "beyond the array");
        assert!(find([from, 5], [from, 5], 9).is_none(), "no elements");
        assert!(to - from == 1 || find([from, 1], [to, 5], 3).is_none(), "rows longer than memory's");
        // Memory of one row may say anything of its rows.
        assert_eq!(find([from, 1], [from + 1, 5], -7).is_some(), near);
        ga.sync().unwrap();
        if let (0, Some(found)) = (ga.rank(), inner) {
            let values: Vec<i64> = (0..(to - from).cast_signed() * 9).collect();
            // SAFETY: rows of four values, nine apart.
            unsafe { found.put(values.as_ptr().cast()) };
        }
        ga.sync().unwrap();
        if near {
            let stored = array.view::<i64>().unwrap().to_vec(block).unwrap();
            for (value, at) in stored.iter().zip(block.indices()) {
                let expected = if (1..5).contains(&at[1]) { (at[0] - from) * 9 + at[1] - 1 } else { 0 };
                assert_eq!(value.cast_unsigned(), expected, "{at:?}");
            }
        }
    }
    assert!(array.in_block(|_| Span { first: -1, last: 0, extent: 9 }).is_none(), "before the array");
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// More ranks than elements leave some without; they take part like the others.
pub(crate) fn a_rank_without_elements_takes_part(ga: &Context) {
    let mut array = ga.array(ElementType::Double, &[2, 1]).create().unwrap();
    assert_eq!(array.local_section().is_some(), ga.rank() < 2);
    assert_eq!(array.local::<f64>().unwrap().is_some(), ga.rank() < 2);
    array.view().unwrap().accumulate(&array.whole(), &[1.0, 2.0], 1.0).unwrap();
    ga.sync().unwrap();
    let ranks = ga.ranks() as f64;
    assert_eq!(array.view::<f64>().unwrap().to_vec(&array.whole()).unwrap(), [ranks, 2.0 * ranks]);
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// Bad arguments are errors that say what is wrong, on the rank that gave them; nothing is changed.
pub(crate) fn bad_arguments_are_refused(ga: &Context) {
    let array = ga.array(ElementType::Double, &[4, 5]).name("A").create().unwrap();
    let view = array.view::<f64>().unwrap();
    let outside = Section::new(&[0, 0], &[4, 6]).unwrap();
    let error = view.put(&outside, &[0.0; 24]).unwrap_err();
    assert_eq!(error.to_string(), "array A: section [0:4, 0:6] is not in the shape [4, 5]");
    assert!(matches!(view.to_vec(&Section::whole(&[4]).unwrap()), Err(Error::OutOfRange { .. })));
    assert!(matches!(
        array.view::<f32>(),
        Err(Error::WrongType { expected: ElementType::Double, got: ElementType::Float, .. })
    ));
    assert!(matches!(array.put(&array.whole(), Patch::dense(&[0i32; 20])), Err(Error::WrongType { .. })));
    assert!(matches!(
        array.accumulate(&array.whole(), Patch::dense(&[0f64; 20]), 1f32.into()),
        Err(Error::WrongType { .. })
    ));
    assert!(matches!(view.put(&array.whole(), &[0.0; 19]), Err(Error::PatchTooSmall { len: 19, .. })));
    assert!(matches!(view.get(&array.whole(), &mut [0.0; 19]), Err(Error::PatchTooSmall { .. })));
    let narrow = PatchMut::new(&mut [0.0; 100][..], &[25, 4]).map(|patch| array.get(&array.whole(), patch));
    assert!(matches!(narrow, Ok(Err(Error::PatchTooSmall { .. }))));
    assert!(matches!(array.read_increment(&[0, 0], 1), Err(Error::UnsupportedType { .. })));
    assert!(matches!(array.gather(PatchMut::dense(&mut [0.0; 1]), &[1, 5]), Err(Error::OutOfRange { .. })));
    assert!(array.gather(PatchMut::dense(&mut [0.0; 1]), &[1]).is_err());
    assert!(array.scatter(Patch::dense(&[0.0; 1]), &[1, 1, 2, 2]).is_err());
    ga.sync().unwrap();
    assert_eq!(view.to_vec(&array.whole()).unwrap(), [0.0; 20]);
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// An array that cannot be made is refused on every rank, also when only one rank asks for nonsense.
pub(crate) fn an_array_that_cannot_be_made_is_an_error_on_every_rank(ga: &Context) {
    let make = |shape: &[u64]| ga.array(ElementType::Double, shape).name("B").create();
    assert!(make(&[]).is_err());
    assert!(make(&[1; 8]).is_err());
    let nothing = make(&[3, 0]).unwrap_err().to_string();
    assert!(nothing.contains("array B: shape [3, 0] has no elements"), "{nothing}");
    assert!(make(&[1 << 40, 1 << 40]).is_err());
    let large = make(&[1 << 44]).unwrap_err().to_string();
    assert!(large.contains("bytes asked for on this node"), "{large}");
    let blocks = ga.array(ElementType::Int, &[10]).blocks(&[(0..=ga.ranks() as u64).collect()]).create();
    assert!(blocks.unwrap_err().to_string().contains("blocks for"));
    if ga.ranks() > 1 {
        let last = ga.rank() == ga.ranks() - 1;
        let differing = make(if last { &[3, 3] } else { &[3, 4] });
        assert!(matches!(differing, Err(Error::ArgumentsDiffer { .. })));
        let error = make(if last { &[0] } else { &[3] }).unwrap_err();
        match error {
            Error::NoElements { .. } => assert!(last),
            Error::OnRank { rank, message } => {
                assert_eq!((last, rank, message.contains("no elements")), (false, ga.ranks() - 1, true));
            }
            other => panic!("{other}"),
        }
    }
    // And the ranks are still together.
    make(&[2, 2]).unwrap().destroy().unwrap();
}

/// More than 2^31 bytes on a rank, moved at both ends of what an int counts.
pub(crate) fn blocks_may_be_larger_than_an_int_counts(ga: &Context) {
    // 3 GiB on the last rank, and nothing on the others; pages that nobody touches cost nothing.
    let len = 3u64 << 30;
    let mut starts = vec![0; ga.ranks()];
    starts[0] = 0;
    let array = ga.array(ElementType::Int, &[len / 4]).blocks(&[starts]).create().unwrap();
    let view = array.view::<i32>().unwrap();
    for (place, writer) in [(0, 0), ((1u64 << 31) / 4 - 3, ga.ranks() / 2), (len / 4 - 6, ga.ranks() - 1)] {
        let section = Section::new(&[place], &[place + 6]).unwrap();
        if ga.rank() == writer {
            view.put(&section, &[1, 2, 3, 4, 5, 6]).unwrap();
        }
        ga.sync().unwrap();
        view.accumulate(&section, &[1; 6], 10).unwrap();
        ga.sync().unwrap();
        let added = 10 * i32::try_from(ga.ranks()).unwrap();
        let expected: Vec<i32> = (1..=6).map(|i| i + added).collect();
        assert_eq!(view.to_vec(&section).unwrap(), expected);
    }
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// An array can be removed while a request on it is unfinished.
pub(crate) fn an_array_removed_with_operations_pending_loses_nothing(ga: &Context) {
    let array = ga.array(ElementType::Double, &[64, 64]).create().unwrap();
    array.view().unwrap().put(&array.whole(), &vec![7.0; 64 * 64]).unwrap();
    ga.sync().unwrap();
    let mut elements = vec![0.0; 64 * 64];
    let request = array.view().unwrap().nbget(&array.whole(), &mut elements).unwrap();
    array.destroy().unwrap();
    request.wait().unwrap();
    assert!(elements.iter().all(|&element| element == 7.0));
}

/// Arrays of some of the ranks, which count themselves from zero.
pub(crate) fn groups_have_arrays_of_their_own(ga: &Context) {
    let reversed: Vec<usize> = (0..ga.ranks()).rev().step_by(2).collect();
    let group = ga.group(&reversed).unwrap();
    assert_eq!(group.is_some(), reversed.contains(&ga.rank()));
    if let Some(group) = group {
        assert_eq!(reversed[group.rank()], ga.rank());
        assert_eq!(group.world_rank(0), Some(ga.ranks() - 1));
        let array = ga.array(ElementType::Long, &[10]).group(&group).create().unwrap();
        array.view().unwrap().accumulate(&array.whole(), &[1i64; 10], 1).unwrap();
        ga.sync_group(&group).unwrap();
        assert_eq!(array.view::<i64>().unwrap().to_vec(&array.whole()).unwrap(), [group.ranks() as i64; 10]);
        ga.sync_group(&group).unwrap();
        array.destroy().unwrap();
    }
    // Every rank a group of its own, made at once.
    let alone = ga.group(&[ga.rank()]).unwrap().expect("in its own group");
    assert_eq!((alone.rank(), alone.ranks(), alone.world_rank(0)), (0, 1, Some(ga.rank())));
    if ga.ranks() > 1 {
        let unlike: &[usize] = if ga.rank() == 0 { &[0, 1] } else { &[1, 0] };
        assert!(matches!(ga.group(unlike), Err(Error::BadGroup { .. } | Error::OnRank { .. })));
    }
    assert!(ga.group(&[]).is_err());
    assert!(ga.group(&[0, 0]).is_err());
    assert!(ga.group(&[ga.ranks()]).is_err());
}

/// Reductions of every kind and type; what has no meaning is refused.
pub(crate) fn reductions_of_every_kind(ga: &Context) {
    let (rank, ranks) = (ga.rank() as i32, ga.ranks() as i32);
    let reduce = |value: i32, reduction| {
        let mut values = [value];
        ga.world().reduce(&mut values, reduction).unwrap();
        values[0]
    };
    assert_eq!(reduce(rank + 1, Reduction::Sum), ranks * (ranks + 1) / 2);
    assert_eq!(reduce(2, Reduction::Product), 1 << ranks);
    assert_eq!(reduce(-rank, Reduction::Max), 0);
    assert_eq!(reduce(-rank, Reduction::Min), 1 - ranks);
    assert_eq!(reduce(-rank, Reduction::AbsMax), ranks - 1);
    assert_eq!(reduce(-rank - 1, Reduction::AbsMin), 1);
    assert_eq!(reduce(1 << rank, Reduction::Or), (1 << ranks) - 1);
    let mut z = [Complex::new(0.0, 1.0f32)];
    ga.world().reduce(&mut z, Reduction::Product).unwrap();
    assert_eq!(z[0], (0..ranks).fold(Complex::new(1.0, 0.0), |product, _| product * Complex::new(0.0, 1.0)));
    assert!(matches!(ga.world().reduce(&mut z, Reduction::Max), Err(Error::UnsupportedType { .. })));
    assert!(matches!(ga.world().reduce(&mut [1.0f64], Reduction::Or), Err(Error::UnsupportedType { .. })));
    let mut bytes = [if ga.rank() == ga.ranks() - 1 { 7 } else { 0 }; 100];
    ga.world().broadcast(&mut bytes, ga.ranks() - 1).unwrap();
    assert_eq!(bytes, [7; 100]);
    assert!(ga.world().broadcast(&mut bytes, ga.ranks()).is_err());
}

/// With windows of MPI the ranks would wait for each other for ever.
pub(crate) fn removing_different_arrays_is_an_error_on_every_rank(ga: &Context) {
    let make = |name: &str| ga.array(ElementType::Double, &[10]).name(name).create().unwrap();
    let (mut one, mut other) = (make("one"), make("other"));
    if ga.rank() == 0 {
        std::mem::swap(&mut one, &mut other);
    }
    for array in [one, other] {
        let removed = array.destroy();
        assert!(
            matches!(removed, Err(Error::ArgumentsDiffer { operation: "removing an array" })),
            "{removed:?}"
        );
    }
}
