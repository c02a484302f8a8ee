//! Vector clocks over the pipes of all cores.

use pto_isa::Pipe;

/// Pipes of a core with their own time: those that execute, and background transfers.
pub(crate) const PIPES: usize = 8;

/// The index of a pipe in its core.
pub(crate) fn pipe_index(pipe: Pipe) -> usize {
    pipe as usize
}

/// The pipe with an index, in its core or over all cores.
pub(crate) fn pipe(index: usize) -> Pipe {
    Pipe::REAL[index % PIPES]
}

/// For each pipe of each core: the number of its instructions that are known to be done.
#[derive(PartialEq, Eq, Default, Debug)]
pub(crate) struct Clock {
    /// The first core. Most teams are one core, and its clocks need no memory of their own.
    first: [u32; PIPES],
    /// The others.
    rest: Vec<u32>,
}

impl Clone for Clock {
    #[inline]
    fn clone(&self) -> Self {
        let rest = if self.rest.is_empty() { Vec::new() } else { self.rest.clone() };
        Self { first: self.first, rest }
    }
}

impl Clock {
    /// How many instructions of a pipe are done.
    #[inline]
    pub fn get(&self, thread: usize) -> u32 {
        match thread.checked_sub(PIPES) {
            None => self.first[thread],
            Some(at) => self.rest.get(at).copied().unwrap_or(0),
        }
    }

    /// At least `time` instructions of a pipe are done.
    #[inline]
    pub fn raise(&mut self, thread: usize, time: u32) {
        let known = match thread.checked_sub(PIPES) {
            None => &mut self.first[thread],
            Some(at) => {
                if self.rest.len() <= at {
                    self.rest.resize(at + 1, 0);
                }
                &mut self.rest[at]
            }
        };
        *known = (*known).max(time);
    }

    /// A copy in which at least `time` instructions of a pipe are done.
    #[inline]
    pub fn raised(&self, thread: usize, time: u32) -> Self {
        if thread >= PIPES || !self.rest.is_empty() {
            let mut clock = self.clone();
            clock.raise(thread, time);
            return clock;
        }
        // At once, not one after the other: who joins it next would wait for the last.
        let first = std::array::from_fn(|at| self.first[at].max(if at == thread { time } else { 0 }));
        Self { first, rest: Vec::new() }
    }

    /// An upper bound of the pipes with a non-zero time.
    pub fn len(&self) -> usize {
        PIPES + self.rest.len()
    }

    /// Joins another clock: the maximum for each pipe.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        self.first.iter_mut().zip(&other.first).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        self.rest.iter_mut().zip(&other.rest).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_takes_the_later_of_both() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.raise(0, 3);
        b.raise(0, 2);
        b.raise(5, 1);
        a.join(&b);
        assert_eq!((a.get(0), a.get(5), a.get(9)), (3, 1, 0));
    }

    #[test]
    fn an_index_is_the_position_of_a_pipe() {
        for p in Pipe::REAL {
            assert_eq!(pipe(pipe_index(p)), p);
        }
        assert_eq!(PIPES, Pipe::REAL.len());
    }
}
