//! How fast a device is found to be, by files with clocks of their own.

use super::*;

/// A file that is filled by steps, and the time by its own clock.
struct Filled {
    pace: Pace,
    now: Instant,
    file_system: Option<u64>,
}

impl Filled {
    /// Nothing is known of its file system.
    fn new(file_system: Option<u64>, now: Instant) -> Self {
        let mut pace = Pace { since: Some(now), ..Pace::default() };
        pace.note(0, file_system);
        Self { pace, now, file_system }
    }

    /// The first step was filled in 4 milliseconds, and its device takes one in `device_millis`.
    fn on_device(device_millis: u64) -> Self {
        let mut filled = Self::new(None, Instant::now());
        filled.measures(device_millis);
        filled
    }

    /// The next step is measured.
    fn measures(&mut self, device_millis: u64) {
        let Advice::Measure { measurement, .. } = self.step(4) else { panic!("it is known") };
        measurement.end(STEP_BYTES, Duration::from_millis(device_millis), self.now);
    }

    fn step(&mut self, millis: u64) -> Advice {
        self.now += Duration::from_millis(millis);
        self.pace.note(STEP_BYTES, self.file_system);
        self.pace.advise(self.now)
    }
}

#[test]
fn what_is_not_known_yet_is_kept_and_what_was_known_counts_until_more_is() {
    let mut filled = Filled::new(None, Instant::now());
    let Advice::Measure { measurement: first, .. } = filled.step(4) else { panic!("nothing is known") };
    assert!(matches!(filled.step(4), Advice::Keep), "it is being measured");
    first.end(STEP_BYTES, Duration::from_millis(1), filled.now);
    assert!(matches!(filled.step(4), Advice::Start { .. }));
    filled.now += RATE_LASTS;
    let Advice::Measure { measurement: second, .. } = filled.step(4) else { panic!("that was long ago") };
    assert!(matches!(filled.step(4), Advice::Start { .. }));
    second.end(STEP_BYTES, Duration::from_secs(60), filled.now);
    assert!(matches!(filled.step(4), Advice::Leave));
}

#[test]
fn what_one_file_has_found_counts_for_the_others_of_its_file_system() {
    let now = Instant::now();
    let [one, another] = [Some(u64::MAX), Some(u64::MAX - 1)];
    Filled::new(one, now).measures(1);
    assert!(matches!(Filled::new(one, now).step(4), Advice::Start { settles: true }));
    assert!(matches!(Filled::new(another, now).step(4), Advice::Measure { .. }));
    assert!(matches!(Filled::new(one, now + 2 * RATE_LASTS).step(4), Advice::Measure { .. }));
}

#[test]
fn a_device_that_was_too_slow_is_measured_again_and_less_and_less_often() {
    let mut filled = Filled::on_device(1000);
    for pause in [STEPS_UNTIL_AGAIN, 2 * STEPS_UNTIL_AGAIN, 4 * STEPS_UNTIL_AGAIN] {
        for step in 0..pause {
            assert!(matches!(filled.step(4), Advice::Leave), "{step} of {pause}");
        }
        let Advice::Measure { measurement, .. } = filled.step(4) else { panic!("after {pause}") };
        // Steps do not count meanwhile.
        for _ in 0..100 {
            assert!(matches!(filled.step(4), Advice::Leave));
        }
        measurement.end(STEP_BYTES, Duration::from_secs(1), filled.now);
    }
    for _ in 0..8 * STEPS_UNTIL_AGAIN {
        assert!(matches!(filled.step(4), Advice::Leave));
    }
    // Nor when it was fast in between: then it begins anew.
    filled.measures(1);
    assert!(matches!(filled.step(4), Advice::Start { .. }));
    filled.pace.device.end(STEP_BYTES, Duration::from_secs(1), filled.now);
    filled.measures(1000);
    for _ in 0..STEPS_UNTIL_AGAIN {
        assert!(matches!(filled.step(4), Advice::Leave));
    }
    filled.measures(1000);
}

#[test]
fn where_the_file_is_synced_to_measure_that_is_done_once_and_counts_what_was_not_sent() {
    let file_system = Some(u64::MAX - 3);
    let now = Instant::now();
    Filled::new(file_system, now).measures(1);
    let mut filled = Filled::new(file_system, now);
    for _ in 0..100 {
        assert!(matches!(filled.step(4), Advice::Start { settles: true }), "another has found it");
    }
    filled.now += RATE_LASTS;
    let Advice::Measure { measurement, unsent_bytes } = filled.step(4) else { panic!("long ago") };
    assert_eq!(unsent_bytes, STEP_BYTES, "all others were sent");
    assert!(matches!(filled.step(4), Advice::Start { .. }));
    measurement.make(STEP_BYTES, unsent_bytes, || {
        std::thread::sleep(Duration::from_millis(1));
        Ok(Settled::Everything)
    });
    let found = measurement.found().expect("measured");
    assert!((1..=rate(STEP_BYTES, Duration::from_millis(1))).contains(&found.rate), "{found:?}");
    drop(measurement);
    for _ in 0..1000 {
        let advice = filled.step(100 * 1000);
        assert!(matches!(advice, Advice::Start { settles: false } | Advice::Leave), "{advice:?}");
    }
}

#[test]
fn a_measurement_that_nobody_makes_and_one_that_fails_are_none() {
    let now = Instant::now();
    let mut filled = Filled::new(Some(u64::MAX - 2), now);
    for _ in 0..2 {
        assert!(matches!(filled.step(4), Advice::Measure { .. }), "it was given up at once");
    }
    filled.now = Instant::now();
    let Advice::Measure { measurement, .. } = filled.step(0) else { panic!("nothing is known") };
    measurement.make(STEP_BYTES, STEP_BYTES, || Err(io::ErrorKind::Other.into()));
    drop(measurement);
    let again = (0..1000).position(|_| matches!(filled.step(4), Advice::Measure { .. }));
    assert!(again.is_some_and(|steps| steps as u64 >= STEPS_UNTIL_AGAIN), "{again:?}");
    assert!(matches!(Filled::new(Some(u64::MAX - 2), now).step(4), Advice::Measure { .. }));
}

#[test]
fn a_device_that_takes_a_fair_part_is_given_it_early_and_a_slow_one_is_left_to_the_kernel() {
    assert!(matches!(Filled::on_device(1).step(4), Advice::Start { settles: true }));
    assert!(matches!(Filled::on_device(7).step(4), Advice::Start { settles: true }));
    assert!(matches!(Filled::on_device(19).step(4), Advice::Start { settles: false }));
    assert!(matches!(Filled::on_device(21).step(4), Advice::Leave));
}

#[test]
fn a_slow_device_is_fast_enough_for_a_writer_that_computes_in_between() {
    let mut filled = Filled::on_device(100);
    assert!(matches!(filled.step(4), Advice::Leave));
    assert!(matches!(filled.step(300), Advice::Start { settles: true }));
    // And not any more when it has written faster for a while.
    let starts = (0..1000).position(|_| matches!(filled.step(4), Advice::Leave)).expect("a slow device");
    assert!((1..100).contains(&starts), "{starts}");
}

#[test]
fn what_is_written_during_a_measurement_does_not_count() {
    let mut pace = Pace::default();
    pace.note(STEP_BYTES, None);
    let measurement = Arc::clone(&pace.device);
    measurement.make(STEP_BYTES, pace.unsent_bytes(), || {
        pace.note(1 << 50, None);
        std::thread::sleep(Duration::from_millis(1));
        Ok(Settled::Everything)
    });
    assert!(measurement.last().is_some_and(|found| found.rate <= STEP_BYTES * 1000));
}
