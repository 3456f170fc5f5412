//! Gets a file that is being filled through the page cache onto the device early: space is allocated ahead of the writer,
//! and what is written is started on its way by a helper, so that a later sync finds most of it done.
//!
//! The two belong together. Starting writeback of pages that have no blocks yet makes the file system allocate
//! under the writer's feet, and the writer waits; with the blocks there already, neither disturbs the other.

use crate::device::Device;
use crate::file::Sharing;
use crate::pool;
use crate::space::reserved::Reserved;
use crate::stream::coverage::Coverage;
use crate::stream::pace::{Advice, Pace, STEP_BYTES};
use crate::sys::exit;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// The helper waits for the step that lies so many steps back before it goes on: enough in flight for the device, and
/// nobody else's request waits behind more.
const STEPS_IN_FLIGHT: usize = 3;
/// After so many steps one is settled, and with it all that the disk has taken before: a disk with a cache of its own needs time for
/// that, for which a sync at the end would wait.
const STEPS_UNSETTLED_MAX: usize = 4;
/// No more than this is kept until it is known whether the device is fast enough.
const KEPT_BYTES_MAX: u64 = 8 * STEP_BYTES;
/// Ranges a step may have.
const RANGES_COUNT_MAX: usize = 512;
/// Isolated writes below this are left to the kernel: their pages are likely to be written again.
const ISOLATED_BYTES_MIN: u64 = 32 << 10;
/// Isolated writes below this are joined in the page cache: a file whose holes stay is filled in many places by turns, slab by slab,
/// and writeback waits until a unit of this length is full. The device then gets few large requests, and the file system few
/// extents to convert.
pub const JOINED_WRITE_BYTES: u64 = 256 << 10;
/// Of so many units it is known how full they are.
const UNITS_COUNT_MAX: usize = 4096;

/// Where processes write in turn, what lies between two writes of one is written by the others at about the same time: the
/// device gets it all in large requests if that is no more than this.
const SHARED_GAP_BYTES: u64 = 1 << 20;

/// Files shorter than this are left alone.
const ALLOCATE_LEN_BYTES_MIN: u64 = 8 << 20;
/// Space is allocated again when the writer comes this near to its end: several times what the file is long, within
/// limits. Seldom, because an allocation may have to read block bitmaps behind all that is being written.
const HEADROOM_BYTES: u64 = 8 << 20;
const ALLOCATE_GROWTH: u64 = 3;
const ALLOCATE_BYTES_MIN: u64 = 128 << 20;
const ALLOCATE_BYTES_MAX: u64 = 1 << 30;
/// Less than this is not worth it.
const ALLOCATE_ROOM_BYTES_MIN: u64 = 16 << 20;
/// Of a file that others write, too, is asked how long it is when this process has written so much more.
const ASKED_STEP_BYTES: u64 = 32 << 20;
/// What was allocated and not used is given back at close, unless it is less than one part in so many of the file:
/// giving back may have to wait for a discard.
const KEPT_SHARE_MAX: u64 = 16;
/// So much beyond the end need not be space that anybody has allocated: file systems take blocks for maps, and for what is written.
pub(crate) const KEPT_BYTES_MIN: u64 = 1 << 20;
/// A file with holes counts as being filled when one part in so many is there: a sparse file stays sparse.
const FILLED_SHARE_MIN: u64 = 4;

/// How a file is filled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Filling {
    /// Whether other processes write the file, too.
    pub(crate) sharing: Sharing,
    /// Whether nothing but what is written may take space.
    pub(crate) keeps_holes: bool,
    /// Beyond this nobody writes.
    pub(crate) len_bytes_max: Option<u64>,
}

/// How far a file is filled, allocated and on its way.
#[derive(Debug, Default)]
pub(crate) struct Writeback {
    filling: Filling,
    /// Where the farthest write of this process ended.
    end_bytes: u64,
    written: Coverage,
    allocation: Allocation,
    /// What of that is not filled.
    reserved: Reserved,
    /// Written by this process since it was asked how long the file is.
    unasked_bytes: u64,
    /// The device that the last write went to: while somebody has it open.
    device: Option<Weak<dyn Device>>,
    /// Written and not yet started.
    ranges: Vec<Range<u64>>,
    pending_bytes: u64,
    pace: Pace,
    /// Units that are filling, and how many bytes of each were written.
    units: BTreeMap<u64, u64>,
    /// Steps since one was settled.
    steps_unsettled: usize,
    /// The last steps that were started.
    started: VecDeque<Arc<[Range<u64>]>>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Allocation {
    #[default]
    NotYet,
    /// Everything before this has blocks.
    UpTo(u64),
    /// As much has blocks, more than the file is long: somebody else has seen to it, by a hint of its length or as another of its
    /// writers.
    Found(u64),
    /// There is too little room, or what there was has been given back: it is tried again when the file is `until_bytes` long. What is
    /// allocated by then stays until it is given back.
    Deferred { until_bytes: u64, allocated: Option<u64> },
    /// The file system cannot.
    Refused,
}

impl Allocation {
    /// Where the space ends that the file has, if it has any.
    fn end_bytes(&self) -> Option<u64> {
        match *self {
            Self::UpTo(end_bytes) | Self::Found(end_bytes) => Some(end_bytes),
            Self::Deferred { allocated, .. } => allocated,
            Self::NotYet | Self::Refused => None,
        }
    }
}

impl Writeback {
    /// Notes a range that was written through the cache of `device`.
    pub(crate) fn note(&mut self, device: &Arc<dyn Device>, range: Range<u64>, filling: Filling) {
        self.filling = filling;
        self.pace.note(range.end - range.start, device.properties().file_system_number);
        if filling.keeps_holes {
            return self.gather(device, range);
        }
        self.end_bytes = self.end_bytes.max(range.end);
        self.written.note(&range, self.end_bytes);
        self.unasked_bytes += range.end - range.start;
        if !self.device.as_ref().is_some_and(|last| std::ptr::addr_eq(last.as_ptr(), Arc::as_ptr(device))) {
            self.device = Some(Arc::downgrade(device));
        }
        self.note_filled(&**device);
        self.allocate_ahead(&**device);
        if self.allocation.end_bytes().is_some_and(|end_bytes| range.end <= end_bytes) {
            self.gather(device, range);
        }
    }

    /// Space allocated beyond the end of the file that is worth giving back.
    pub(crate) fn allocated_beyond_end(&self, device: &dyn Device) -> Option<Range<u64>> {
        let allocated = self.allocation.end_bytes().or_else(|| self.allocated_by_others(device))?;
        // The file may have been longer before, or another process have written farther.
        let end_bytes = device.len().ok()?.max(self.end_bytes);
        (allocated > end_bytes + end_bytes / KEPT_SHARE_MAX).then_some(end_bytes..allocated)
    }

    /// As far as a file that others write, too, has blocks at least, where this process has written it and allocated nothing: who has
    /// may be gone before the last one closes it.
    fn allocated_by_others(&self, device: &dyn Device) -> Option<u64> {
        let asks =
            self.filling.sharing != Sharing::Exclusive && !self.filling.keeps_holes && self.end_bytes > 0;
        let allocated = if asks { device.allocated_bytes().ok() } else { None }?;
        (allocated > device.len().ok()? + KEPT_BYTES_MIN).then_some(allocated)
    }

    /// The device that was written to, while somebody has it open.
    pub(crate) fn device(&self) -> Option<Arc<dyn Device>> {
        self.device.as_ref()?.upgrade()
    }

    pub(crate) fn sharing(&self) -> Sharing {
        self.filling.sharing
    }

    /// Whether anything was reserved ahead in this file system, and the file is private.
    pub(crate) fn may_give_back(&self, file_system: Option<u64>) -> bool {
        self.reserved.bytes() > 0
            && self.filling.sharing == Sharing::Exclusive
            && self.device().is_some_and(|device| device.properties().file_system_number == file_system)
    }

    /// Gives back what was reserved ahead, if nobody but this process has the file open. Tells whether it did.
    pub(crate) fn give_back(&mut self) -> bool {
        let Some(device) = self.device() else { return false };
        if device.release_now().is_err() {
            return false;
        }
        self.defer(None);
        self.reserved.shrink(0);
        true
    }

    /// No more is tried before the file is twice as long.
    fn defer(&mut self, allocated: Option<u64>) {
        let until_bytes = self.end_bytes.saturating_mul(2);
        self.allocation = Allocation::Deferred { until_bytes, allocated };
    }

    /// As `defer`, where the file system may have allocated a part of what it was asked for, up to `target_bytes`, and keep it.
    fn defer_with_part(&mut self, device: &dyn Device, target_bytes: u64) {
        let before = self.allocation.end_bytes();
        let found = device.allocated_bytes().ok().map(|found| found.min(target_bytes));
        let allocated = before.max(found.filter(|found| *found > self.end_bytes));
        self.defer(allocated);
        let ahead_bytes = allocated.unwrap_or(0).saturating_sub(self.end_bytes);
        if ahead_bytes > self.reserved.bytes() {
            self.reserved.set(device, ahead_bytes);
        }
    }

    /// Counts what of the space allocated ahead was filled.
    fn note_filled(&mut self, device: &dyn Device) {
        if self.reserved.bytes() == 0 {
            return;
        }
        let Some(end_bytes) = self.allocation.end_bytes() else { return };
        let filled_bytes = match self.filling.sharing {
            Sharing::Exclusive => self.written.covered_bytes(),
            Sharing::Shared | Sharing::SharedByPages if self.unasked_bytes >= ASKED_STEP_BYTES => {
                self.unasked_bytes = 0;
                device.len().unwrap_or(0).max(self.end_bytes)
            }
            Sharing::Shared | Sharing::SharedByPages => self.end_bytes,
        };
        self.reserved.shrink(end_bytes.saturating_sub(filled_bytes));
    }

    /// How much of the file there is: what this process has written, or, if others write it too, what has blocks.
    fn filled_bytes(&self, device: &dyn Device) -> u64 {
        match self.filling.sharing {
            Sharing::Exclusive => self.written.covered_bytes(),
            Sharing::Shared | Sharing::SharedByPages => device.allocated_bytes().unwrap_or(0),
        }
    }

    /// How far the file has blocks, if that is farther than anybody has written and leaves room.
    fn allocated_by_another(&self, device: &dyn Device) -> Option<u64> {
        let len_bytes = device.len().ok()?.max(self.end_bytes);
        let allocated = device.allocated_bytes().ok()?;
        (allocated >= len_bytes + HEADROOM_BYTES).then_some(allocated)
    }

    /// Forgets everything: the length was set, or the space given back.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    fn is_far_from(&self, end_bytes: u64) -> bool {
        self.end_bytes + HEADROOM_BYTES <= end_bytes
    }

    fn allocate_ahead(&mut self, device: &dyn Device) {
        // What somebody else allocated may be all there is to come: more is asked for when that has shown to be too little.
        let (allocated, is_far) = match self.allocation {
            Allocation::Refused => return,
            Allocation::NotYet => (0, false),
            Allocation::Deferred { until_bytes, allocated } => {
                let allocated = allocated.unwrap_or(0);
                (allocated, self.end_bytes < until_bytes || self.is_far_from(allocated))
            }
            Allocation::UpTo(end_bytes) => (end_bytes, self.is_far_from(end_bytes)),
            Allocation::Found(end_bytes) => (end_bytes, self.end_bytes <= end_bytes),
        };
        let is_short = self.end_bytes < ALLOCATE_LEN_BYTES_MIN;
        let len_bytes_max = self.filling.len_bytes_max.unwrap_or(u64::MAX).max(self.end_bytes);
        // Nothing is reserved any more when the program ends: who would give it back?
        if is_short || is_far || allocated >= len_bytes_max || exit::is_ending() {
            return;
        }
        if let Some(end_bytes) = self.allocated_by_another(device) {
            self.allocation = Allocation::Found(end_bytes);
            self.reserved.shrink(0);
            return;
        }
        let filled_bytes = self.filled_bytes(device);
        if filled_bytes < self.end_bytes / FILLED_SHARE_MIN {
            return;
        }
        let room = self.reserved.room_bytes(device);
        let more = (ALLOCATE_GROWTH * self.end_bytes).clamp(ALLOCATE_BYTES_MIN, ALLOCATE_BYTES_MAX).min(room);
        let target = (self.end_bytes + more).min(len_bytes_max);
        let ahead_bytes = target.saturating_sub(allocated);
        let holes_bytes = self.end_bytes.saturating_sub(filled_bytes).min(ahead_bytes);
        if more < ALLOCATE_ROOM_BYTES_MIN || holes_bytes > room || ahead_bytes == 0 {
            return self.defer(self.allocation.end_bytes());
        }
        match device.allocate(allocated, ahead_bytes) {
            Ok(()) => {
                self.allocation = Allocation::UpTo(target);
                self.reserved.set(device, target - self.end_bytes + holes_bytes);
            }
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT)) => {
                self.defer_with_part(device, target);
            }
            Err(_) if self.allocation.end_bytes().is_some() => self.defer(self.allocation.end_bytes()),
            Err(_) => self.allocation = Allocation::Refused,
        }
    }

    fn gather(&mut self, device: &Arc<dyn Device>, range: Range<u64>) {
        let len_bytes = range.end - range.start;
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ if self.filling.keeps_holes && len_bytes < JOINED_WRITE_BYTES => {
                return self.fill_units(device, &range);
            }
            _ if len_bytes < ISOLATED_BYTES_MIN => return,
            _ => self.ranges.push(range),
        }
        self.pend(device, len_bytes);
    }

    /// Counts what has come to the units of a range, and passes on those that are full.
    fn fill_units(&mut self, device: &Arc<dyn Device>, range: &Range<u64>) {
        for unit in range.start / JOINED_WRITE_BYTES..range.end.div_ceil(JOINED_WRITE_BYTES) {
            let whole = unit * JOINED_WRITE_BYTES..(unit + 1) * JOINED_WRITE_BYTES;
            let filled = self.units.entry(unit).or_default();
            *filled += range.end.min(whole.end) - range.start.max(whole.start);
            if *filled >= JOINED_WRITE_BYTES {
                self.units.remove(&unit);
                self.ranges.push(whole);
                self.pend(device, JOINED_WRITE_BYTES);
            }
        }
        if self.units.len() > UNITS_COUNT_MAX {
            // In too many places for this to be of use: the kernel has them.
            self.units.clear();
        }
    }

    /// So much more is to be started.
    fn pend(&mut self, device: &Arc<dyn Device>, len_bytes: u64) {
        self.pending_bytes += len_bytes;
        if self.pending_bytes < STEP_BYTES && self.ranges.len() < RANGES_COUNT_MAX {
            return;
        }
        let is_little = self.pending_bytes < KEPT_BYTES_MAX && self.ranges.len() < RANGES_COUNT_MAX;
        if exit::is_ending() {
            // Whoever was interrupted may hold what is asked for here, and what is started now nobody waits for.
            self.ranges.clear();
            self.pending_bytes = 0;
            return;
        }
        match self.pace.advise(Instant::now()) {
            Advice::Measure { measurement, unsent_bytes } => {
                let step_bytes = self.pending_bytes;
                let earlier = std::mem::take(&mut self.started);
                self.hand_over(device, move |device, step| {
                    for earlier in &earlier {
                        wait_for(device, earlier);
                    }
                    if let Some(device) = device.upgrade() {
                        measurement.make(step_bytes, unsent_bytes, || device.settle(step));
                    }
                });
            }
            Advice::Start { settles } => {
                let is_full = self.started.len() >= STEPS_IN_FLIGHT;
                let earlier = is_full.then(|| self.started.pop_front()).flatten();
                let settles = settles && earlier.is_some() && self.is_time_to_settle();
                self.hand_over(device, move |device, step| {
                    match earlier {
                        Some(earlier) if settles => {
                            drop(device.upgrade().map(|device| device.settle(&earlier)));
                        }
                        Some(earlier) => wait_for(device, &earlier),
                        None => {}
                    }
                    start(device, step);
                });
            }
            Advice::Keep if is_little => {}
            Advice::Keep | Advice::Leave => {
                self.ranges.clear();
                self.pending_bytes = 0;
            }
        }
    }

    /// Counts one more step that the device has.
    fn is_time_to_settle(&mut self) -> bool {
        self.steps_unsettled = (self.steps_unsettled + 1) % STEPS_UNSETTLED_MAX;
        self.steps_unsettled == 0
    }

    /// A helper does `work` with the step that is full, if the device is open still: one that is closed may be of a file that was
    /// removed, whose space is held by whoever has it, and the kernel writes out by itself what is not.
    fn hand_over(
        &mut self,
        device: &Arc<dyn Device>,
        work: impl FnOnce(&Weak<dyn Device>, &[Range<u64>]) + Send + 'static,
    ) {
        let (open, step) = (Arc::downgrade(device), self.take_step());
        self.started.push_back(Arc::clone(&step));
        pool::writeback(device.properties().queue).run(move || work(&open, &step));
    }

    /// What is to be started now.
    fn take_step(&mut self) -> Arc<[Range<u64>]> {
        let gap_bytes = match self.filling.sharing {
            Sharing::Shared if !self.filling.keeps_holes => SHARED_GAP_BYTES,
            Sharing::Shared | Sharing::SharedByPages | Sharing::Exclusive => 0,
        };
        self.pending_bytes = 0;
        merged(std::mem::take(&mut self.ranges), gap_bytes).into()
    }
}

// Only an early start: an error shows again, and is reported, at sync and close.

fn start(device: &Weak<dyn Device>, step: &[Range<u64>]) {
    while_open(device, step, |device, Range { start, end }| device.start_writeback(*start, end - start));
}

fn wait_for(device: &Weak<dyn Device>, step: &[Range<u64>]) {
    while_open(device, step, |device, Range { start, end }| device.wait_writeback(*start, end - start));
}

fn while_open(
    device: &Weak<dyn Device>,
    step: &[Range<u64>],
    call: impl Fn(&dyn Device, &Range<u64>) -> io::Result<()>,
) {
    for range in step {
        let Some(device) = device.upgrade() else { return };
        drop(call(&*device, range));
    }
}

/// Sorted, and without neighbours that touch or have no more than `gap_bytes` between them.
fn merged(mut ranges: Vec<Range<u64>>, gap_bytes: u64) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end + gap_bytes >= range.start => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::counting::CountingDevice;
    use crate::device::memory::MemoryDevice;
    use crate::{File, Mode, OpenOptions};
    use std::time::Duration;

    const MIB: u64 = 1 << 20;

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // one range is what is meant
    fn ranges_that_touch_become_one() {
        assert_eq!(merged(vec![10..20, 0..10, 30..40, 35..50], 0), vec![0..20, 30..50]);
        assert_eq!(merged(vec![10..20, 0..10, 30..40, 61..70], 20), vec![0..40, 61..70]);
    }

    fn noted(ranges: impl Iterator<Item = Range<u64>>) -> Writeback {
        let device: Arc<dyn Device> = CountingDevice::new(MemoryDevice::new(1 << 40));
        let mut writeback = Writeback::default();
        ranges.for_each(|range| writeback.note(&device, range, Filling::default()));
        writeback
    }

    #[test]
    fn space_is_allocated_ahead_of_a_file_that_grows() {
        let writeback = noted((0..64).map(|i| i * MIB..(i + 1) * MIB));
        let Allocation::UpTo(end_bytes) = writeback.allocation else { panic!("nothing allocated") };
        assert!(end_bytes >= 72 * MIB, "{end_bytes}");
        assert_eq!(writeback.allocated_beyond_end(&*MemoryDevice::new(0)), Some(64 * MIB..end_bytes));
    }

    #[test]
    fn what_was_allocated_is_known_still_where_there_is_no_more() {
        use crate::device::fault::{Fault, FaultDevice};
        let full = FaultDevice::new(MemoryDevice::new(1 << 40));
        full.inject(0, Fault::Fail(libc::ENOSPC));
        let short: Arc<dyn Device> = MemoryDevice::new(256 * MIB);
        for (device, asks) in [(full.clone() as Arc<dyn Device>, 1), (short, 0)] {
            let mut writeback = noted((0..64).map(|i| i * MIB..(i + 1) * MIB));
            let Allocation::UpTo(end_bytes) = writeback.allocation else { panic!("nothing allocated") };
            let (reserved_bytes, begin) = (writeback.reserved.bytes(), full.operations_count());
            assert!(reserved_bytes > 0);
            writeback.note(&device, end_bytes - 4 * MIB..end_bytes - 3 * MIB, Filling::default());
            assert_eq!(full.operations_count() - begin, asks, "asked for more");
            assert!(
                matches!(writeback.allocation, Allocation::Deferred { .. }),
                "{:?}",
                writeback.allocation
            );
            assert_eq!(writeback.allocation.end_bytes(), Some(end_bytes));
            assert!(writeback.reserved.bytes() + 4 * MIB > reserved_bytes);
        }
    }

    #[test]
    fn a_file_that_is_made_longer_keeps_what_is_reserved_ahead_of_it_in_mind() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::open(directory.path().join("file"), &OpenOptions::new(Mode::ReadWrite)).unwrap();
        (0..12).for_each(|mib| file.write_at(mib * MIB, &vec![1; 1 << 20]).unwrap());
        let ahead = || {
            let writeback = file.handle().inode().writeback.lock().unwrap();
            (writeback.reserved.bytes(), writeback.allocation.end_bytes())
        };
        let before = ahead();
        file.set_len(16 * MIB).unwrap();
        assert_eq!(ahead(), before);
        file.set_len(16 * MIB).unwrap();
        assert_eq!(ahead(), (0, None), "given back");
    }

    #[test]
    fn what_somebody_else_has_reserved_is_used_before_more_is_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::open(directory.path().join("shared"), &options).unwrap();
        file.preallocate(0, 64 * MIB).expect("a file system that reserves space");
        let device = &file.handle().device;
        let filling = Filling { sharing: Sharing::Shared, keeps_holes: false, len_bytes_max: None };
        let mut writeback = Writeback::default();
        let mut note = |mib: u64| {
            writeback.note(device, mib * MIB..(mib + 1) * MIB, filling);
            (writeback.allocation.end_bytes(), device.allocated_bytes().unwrap())
        };
        // Even up to the very end of it.
        for mib in 0..64 {
            let (end_bytes, allocated_bytes) = note(mib);
            assert_eq!(end_bytes.is_some(), (mib + 1) * MIB >= ALLOCATE_LEN_BYTES_MIN, "after {mib} MiB");
            assert!(allocated_bytes < 65 * MIB, "after {mib} MiB: {allocated_bytes}");
        }
        let (end_bytes, allocated_bytes) = note(64);
        assert!(
            end_bytes >= Some(65 * MIB + ALLOCATE_BYTES_MIN)
                && allocated_bytes >= 65 * MIB + ALLOCATE_BYTES_MIN
        );
    }

    #[test]
    fn what_was_written_before_there_was_space_ahead_counts_for_the_device() {
        // Where everything is synced to measure, that is made durable as well.
        let writeback = noted((0..12).map(|i| i * MIB..(i + 1) * MIB));
        assert_eq!(writeback.pace.unsent_bytes(), 12 * MIB);
    }

    #[test]
    fn a_device_that_would_take_little_of_it_early_is_left_alone() {
        let started = |taken: Duration| {
            let counting = CountingDevice::new(MemoryDevice::new(1 << 40));
            let device: Arc<dyn Device> = counting.clone();
            let mut writeback =
                Writeback { pace: Pace::on_device(STEP_BYTES, taken), ..Writeback::default() };
            (0..64).for_each(|i| writeback.note(&device, i * MIB..(i + 1) * MIB, Filling::default()));
            assert!(writeback.pending_bytes < STEP_BYTES, "nothing piles up");
            writeback.started.len()
        };
        assert_eq!(started(Duration::from_nanos(1)), STEPS_IN_FLIGHT);
        assert_eq!(started(Duration::from_secs(3600)), 0);
    }

    #[test]
    fn now_and_then_a_step_is_settled_on_a_device_that_keeps_up() {
        let counting = CountingDevice::new(MemoryDevice::new(1 << 40));
        let device: Arc<dyn Device> = counting.clone();
        let mut writeback =
            Writeback { pace: Pace::on_device(STEP_BYTES, Duration::from_nanos(1)), ..Writeback::default() };
        let steps = STEPS_IN_FLIGHT + 2 * STEPS_UNSETTLED_MAX + 1;
        // The first 8 MiB come before there is space ahead.
        let mib_count = (steps as u64 + 1) * STEP_BYTES / MIB;
        (0..mib_count).for_each(|i| writeback.note(&device, i * MIB..(i + 1) * MIB, Filling::default()));
        // Helpers make one after the other: two are settled, each by one more start than it has had.
        let begin = Instant::now();
        while counting.counts().writebacks < steps as u64 + 2 && begin.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
        assert_eq!((counting.counts().writebacks, writeback.steps_unsettled), (steps as u64 + 2, 1));
    }

    #[test]
    fn steps_that_wait_for_their_turn_keep_no_device_open() {
        let (release, released) = std::sync::mpsc::channel::<()>();
        let queue = MemoryDevice::new(0).properties().queue;
        pool::writeback(queue).run(move || assert!(released.recv().is_err(), "nothing is sent"));
        let counting = CountingDevice::new(MemoryDevice::new(1 << 40));
        let device: Arc<dyn Device> = counting.clone();
        let mut writeback =
            Writeback { pace: Pace::on_device(STEP_BYTES, Duration::from_nanos(1)), ..Writeback::default() };
        (0..32).for_each(|i| writeback.note(&device, i * MIB..(i + 1) * MIB, Filling::default()));
        assert_eq!(writeback.started.len(), STEPS_IN_FLIGHT);
        drop(device);
        assert_eq!(Arc::strong_count(&counting), 1);
        drop(release);
        // Its space and its descriptor would be held until all steps before have ended.
        let (done, is_done) = std::sync::mpsc::channel();
        pool::writeback(queue).run(move || done.send(()).expect("somebody waits"));
        is_done.recv_timeout(Duration::from_secs(60)).expect("those that are left out have their turn, too");
    }

    #[test]
    fn a_sparse_file_stays_sparse_however_often_its_parts_are_written() {
        let writeback = noted((0..10_000).map(|i| (i % 10) * 1024 * MIB..(i % 10) * 1024 * MIB + 4096));
        assert_eq!(writeback.allocation, Allocation::NotYet);
        assert_eq!(writeback.allocated_beyond_end(&*MemoryDevice::new(0)), None);
    }

    #[test]
    fn slabs_of_many_places_wait_until_units_are_full() {
        let device: Arc<dyn Device> = CountingDevice::new(MemoryDevice::new(1 << 40));
        let mut writeback = Writeback::default();
        let filling = Filling { keeps_holes: true, ..Filling::default() };
        let slab = |writeback: &mut Writeback, place: u64, slab: u64| {
            let start = place * MIB + slab * 56 * 1024;
            writeback.note(&device, start..start + 56 * 1024, filling);
        };
        for turn in 0..4 {
            (0..8).for_each(|place| slab(&mut writeback, place, turn));
        }
        assert_eq!((writeback.ranges.len(), writeback.units.len()), (0, 8));
        (0..8).for_each(|place| slab(&mut writeback, place, 4));
        let full: Vec<Range<u64>> =
            (0..8).map(|place| place * MIB..place * MIB + JOINED_WRITE_BYTES).collect();
        assert_eq!(writeback.ranges, full);
        assert_eq!((writeback.pending_bytes, writeback.units.len()), (8 * JOINED_WRITE_BYTES, 8));
        (0..10_000).for_each(|place| slab(&mut writeback, 100 + place, 0));
        assert!(writeback.units.len() <= UNITS_COUNT_MAX);
    }

    #[test]
    fn a_shared_file_counts_as_filled_by_all_and_ends_where_any_of_them_has_written() {
        let memory = MemoryDevice::new(1 << 40);
        let device: Arc<dyn Device> = memory;
        let mut writeback = Writeback::default();
        // Another process has written all but every 16th MiB, and farther than this one.
        device.set_len(400 * MIB).unwrap();
        let filling = Filling { sharing: Sharing::Shared, keeps_holes: false, len_bytes_max: None };
        (0..20).for_each(|i| writeback.note(&device, 16 * i * MIB..(16 * i + 1) * MIB, filling));
        let Allocation::UpTo(end_bytes) = writeback.allocation else { panic!("nothing allocated") };
        assert_eq!(writeback.allocated_beyond_end(&*device), Some(400 * MIB..end_bytes));
    }
}
