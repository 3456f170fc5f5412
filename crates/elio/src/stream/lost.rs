//! Gathered writes that were given up because the kernel refused them, for those who wait for one of them later.

use crate::error::Error;

/// Which buffer took a write: lets a request ask whether its data is in the kernel yet.
pub(super) type Generation = u64;

/// Buffers one after the other: those of a write, for example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generations {
    pub(super) first: Generation,
    pub(super) last: Generation,
}

impl Generations {
    fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Buffers that were given up.
#[derive(Debug)]
struct Loss {
    generations: Generations,
    error: Error,
    is_told: bool,
}

/// Of more, the oldest, for which hardly anybody still waits, count as one with all between them.
const COUNT_MAX: usize = 64;

/// What one file has lost, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Losses(Vec<Loss>);

impl Losses {
    pub(super) fn note(&mut self, generations: Generations, error: Error, is_told: bool) {
        let losses = &mut self.0;
        losses.push(Loss { generations, error, is_told });
        if losses.len() > COUNT_MAX {
            let second = losses.remove(1);
            let oldest = &mut losses[0];
            oldest.generations.last = second.generations.last;
            oldest.is_told &= second.is_told;
        }
    }

    /// Why one of these buffers was given up, if one was. Somebody is told of it.
    pub(super) fn tell(&mut self, generations: Generations) -> Option<Error> {
        self.tell_those(|loss| loss.generations.meets(generations))
    }

    /// Of what was given up, what nobody was told of. Now somebody is.
    pub(super) fn tell_untold(&mut self) -> Option<Error> {
        self.tell_those(|loss| !loss.is_told)
    }

    fn tell_those(&mut self, is_meant: impl Fn(&Loss) -> bool) -> Option<Error> {
        let mut losses = self.0.iter_mut().filter(|loss| is_meant(loss));
        let first = losses.next()?;
        first.is_told = true;
        losses.for_each(|other| other.is_told = true);
        Some(first.error.duplicate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Operation;
    use std::io;

    fn of(generation: Generation) -> Generations {
        Generations { first: generation, last: generation }
    }

    #[test]
    fn whoever_waits_for_what_was_given_up_is_told_however_much_was_since_and_others_are_not() {
        let mut losses = Losses::default();
        // Every second buffer.
        let last = 2 * (COUNT_MAX as Generation + 10);
        for generation in (2..=last).step_by(2) {
            let (operation, path) = (Operation::Write, format!("file {generation}").into());
            losses.note(
                of(generation),
                Error::File { operation, path, source: io::ErrorKind::StorageFull.into() },
                false,
            );
        }
        assert!(losses.0.len() <= COUNT_MAX);
        let mut names = |generations| losses.tell(generations).map(|error| error.to_string());
        assert!(names(of(1)).is_none() && names(of(last - 1)).is_none() && names(of(last + 1)).is_none());
        assert!(names(of(2)).is_some() && names(of(4)).is_some());
        assert!(names(of(last)).is_some_and(|told| told.contains(&format!("file {last}"))));
        assert!(losses.tell_untold().is_some() && losses.tell_untold().is_none(), "each is told once");
    }
}
