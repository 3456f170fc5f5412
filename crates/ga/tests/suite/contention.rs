//! Many ranks at one place at once.

use super::repeats;
use ga::{Context, ElementType, Patch};
use section::Section;
use test_support::Rng;

/// Every ticket of a counter is drawn once.
pub(crate) fn a_counter_gives_every_number_once(ga: &Context) {
    for element_type in [ElementType::Int, ElementType::Long] {
        let counter = ga.array(element_type, &[3]).create().unwrap();
        let each = repeats(ga, 2000);
        let mine: Vec<i64> = (0..each).map(|_| counter.read_increment(&[1], 2).unwrap()).collect();
        assert!(mine.is_sorted(), "a rank's own tickets come in order");
        let mut drawn = vec![0i64; each * ga.ranks()];
        for ticket in mine {
            drawn[usize::try_from(ticket / 2).unwrap()] += 1;
        }
        ga.world().reduce(&mut drawn, ga::Reduction::Sum).unwrap();
        assert!(drawn.iter().all(|&times| times == 1));
        ga.sync().unwrap();
        let last = counter.read_increment(&[1], 0).unwrap();
        assert_eq!(last, 2 * i64::try_from(each * ga.ranks()).unwrap());
        ga.sync().unwrap();
        counter.destroy().unwrap();
    }
}

/// Accumulates of all ranks into overlapping sections, single elements and counters lose nothing.
pub(crate) fn contended_accumulates_lose_nothing(ga: &Context) {
    let rng = &mut test_support::random();
    let (rows, cols) = (40, 700);
    let doubles = ga.array(ElementType::Double, &[rows, cols]).create().unwrap();
    let longs = ga.array(ElementType::Long, &[rows, cols]).create().unwrap();
    let (d, l) = (doubles.view::<f64>().unwrap(), longs.view::<i64>().unwrap());
    let each = repeats(ga, 300);
    let mut own = Rng::with_seed(rng.u64(..) ^ ga.rank() as u64);
    let mut expected = vec![0i64; usize::try_from(rows * cols).unwrap()];
    for _ in 0..each {
        let (r, c) = (own.u64(0..rows), own.u64(0..cols));
        let section =
            Section::new(&[r, c], &[own.u64(r + 1..=rows.min(r + 5)), own.u64(c + 1..=cols)]).unwrap();
        let len = usize::try_from(section.len()).unwrap();
        d.accumulate(&section, &vec![1.0; len], 2.0).unwrap();
        l.accumulate(&section, &vec![1; len], 2).unwrap();
        longs.read_increment(&[r, c], 5).unwrap();
        longs.scatter_accumulate(Patch::dense(&[3i64, 4]), &[r, c, r, c], 1i64.into()).unwrap();
        for index in section.indices() {
            expected[usize::try_from(index[0] * cols + index[1]).unwrap()] += 2;
        }
        expected[usize::try_from(r * cols + c).unwrap()] += 1 << 32;
    }
    ga.world().reduce(&mut expected, ga::Reduction::Sum).unwrap();
    ga.sync().unwrap();
    let (d, l) = (d.to_vec(&doubles.whole()).unwrap(), l.to_vec(&longs.whole()).unwrap());
    for (i, &expected) in expected.iter().enumerate() {
        let (accumulates, singles) = (expected & 0xffff_ffff, expected >> 32);
        assert_eq!((d[i], l[i]), (accumulates as f64, accumulates + 12 * singles), "element {i}");
    }
    ga.sync().unwrap();
    doubles.destroy().unwrap();
    longs.destroy().unwrap();
}

/// What a mutex guards is never changed by two ranks at once, and each sees what the one before did.
pub(crate) fn a_mutex_lets_one_rank_in_at_a_time(ga: &Context) {
    let guarded = ga.array(ElementType::Double, &[2, 3]).create().unwrap();
    let view = guarded.view::<f64>().unwrap();
    ga.create_mutexes(2).unwrap();
    let each = repeats(ga, 100);
    for _ in 0..each {
        ga.lock(1).unwrap();
        let mut values = view.to_vec(&guarded.whole()).unwrap();
        for value in &mut values {
            *value += 1.0;
        }
        view.put(&guarded.whole(), &values).unwrap();
        ga.unlock(1).unwrap();
    }
    ga.sync().unwrap();
    assert_eq!(view.to_vec(&guarded.whole()).unwrap(), [(each * ga.ranks()) as f64; 6]);
    ga.sync().unwrap();
    ga.destroy_mutexes().unwrap();
    guarded.destroy().unwrap();
}

/// A rank that uses a mutex it may not is told so, and nobody else is disturbed.
pub(crate) fn misused_mutexes_are_errors(ga: &Context) {
    assert!(matches!(ga.lock(0), Err(ga::Error::Mutexes { .. })));
    assert!(ga.destroy_mutexes().is_err());
    assert!(ga.create_mutexes(0).is_err());
    ga.create_mutexes(1).unwrap();
    assert!(ga.create_mutexes(1).is_err());
    assert!(matches!(ga.lock(1), Err(ga::Error::NoSuchMutex { index: 1, count: 1 })));
    assert!(matches!(ga.unlock(0), Err(ga::Error::MutexState { .. })));
    if ga.rank() == 0 {
        ga.lock(0).unwrap();
        assert!(matches!(ga.lock(0), Err(ga::Error::MutexState { .. })));
        ga.unlock(0).unwrap();
    }
    ga.sync().unwrap();
    ga.destroy_mutexes().unwrap();
}
