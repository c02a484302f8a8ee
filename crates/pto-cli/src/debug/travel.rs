//! Steps through a recording, forwards and backwards.

use super::index::before;
use super::session::DebugSession;
use pto::isa::text;
use pto::trace::Moment;

impl DebugSession<'_> {
    /// Executes instructions of the chosen core.
    pub(crate) fn step(&mut self, count: usize) -> String {
        let moments = self.own_moments();
        let done = before(moments, self.position);
        let Some(last) = done.saturating_add(count).min(moments.len()).checked_sub(1).filter(|last| *last >= done)
        else {
            return self.finished();
        };
        self.position = moments[last] as usize + 1;
        self.here()
    }

    /// Takes instructions of the chosen core back.
    pub(crate) fn back(&mut self, count: usize) -> String {
        let moments = self.own_moments();
        let done = before(moments, self.position);
        if done == 0 {
            return self.at_start();
        }
        self.position = moments[done.saturating_sub(count)] as usize;
        self.here()
    }

    /// Steps to the next instruction that is in no deeper loop.
    pub(crate) fn next(&mut self, count: usize) -> String {
        let moments = self.own_moments();
        for _ in 0..count {
            let done = before(moments, self.position);
            let Some(&now) = moments.get(done) else { return self.finished() };
            let depth = self.depth(&self.recording.moment(now as usize));
            let mut to = done + 1;
            while let Some(moment) = moments.get(to).map(|m| self.recording.moment(*m as usize)) {
                if self.depth(&moment) <= depth {
                    break;
                }
                to = self.loop_end(to, depth);
            }
            self.position = moments[to - 1] as usize + 1;
        }
        self.here()
    }

    /// Steps back to the last instruction that is in no deeper loop.
    pub(crate) fn previous(&mut self, count: usize) -> String {
        let moments = self.own_moments();
        for _ in 0..count {
            let done = before(moments, self.position);
            let Some(mut to) = done.checked_sub(1) else { return self.at_start() };
            let depth = moments.get(done).map_or(0, |m| self.depth(&self.recording.moment(*m as usize)));
            while to > 0 && self.depth(&self.recording.moment(moments[to] as usize)) > depth {
                to = self.loop_start(to, depth).saturating_sub(1);
            }
            self.position = moments[to] as usize;
        }
        self.here()
    }

    /// Steps out of the innermost loop.
    pub(crate) fn finish(&mut self) -> Result<String, String> {
        let (done, depth) = self.innermost()?;
        self.position = self.own_moments()[self.loop_end(done, depth - 1) - 1] as usize + 1;
        Ok(self.here())
    }

    /// Steps back to the start of the innermost loop, to its first iteration.
    pub(crate) fn reverse_finish(&mut self) -> Result<String, String> {
        let (done, depth) = self.innermost()?;
        self.position = self.own_moments()[self.loop_start(done, depth - 1)] as usize;
        Ok(self.here())
    }

    /// Goes to a position.
    pub(crate) fn goto(&mut self, position: usize) -> Result<String, String> {
        let count = self.recording.len();
        if position > count {
            return Err(text!("there is no moment {position}; there are 0 to {count}", position, count));
        }
        self.position = position;
        // The core whose instruction is next is the one to look at.
        if let Some(moment) = (position < count).then(|| self.recording.moment(position)) {
            self.core = moment.core;
        }
        Ok(self.here())
    }

    /// The position of the next instruction among those of the core, and how many loops are around it.
    fn innermost(&self) -> Result<(usize, usize), String> {
        let done = before(self.own_moments(), self.position);
        let depth = self.pending().map_or(0, |m| self.depth(&m));
        if depth == 0 { Err(text!("the next instruction is in no loop").to_string()) } else { Ok((done, depth)) }
    }

    fn depth(&self, moment: &Moment<'_>) -> usize {
        self.index.loops(moment.core, moment.step).count()
    }

    /// The moment of the core that is the first after a loop: the one at `depth` around the moment `from`.
    ///
    /// The moments of one execution of a loop lie together: steps inside of it, in the same iterations of the loops around it. So the last
    /// one is found by a binary search.
    fn loop_end(&self, from: usize, depth: usize) -> usize {
        let is_inside = self.same_loop(from, depth);
        from + self.own_moments()[from..].partition_point(|m| is_inside(&self.recording.moment(*m as usize)))
    }

    /// The first moment of the core inside of that loop.
    fn loop_start(&self, from: usize, depth: usize) -> usize {
        let is_inside = self.same_loop(from, depth);
        self.own_moments()[..from].partition_point(|m| !is_inside(&self.recording.moment(*m as usize)))
    }

    fn same_loop(&self, from: usize, depth: usize) -> impl Fn(&Moment<'_>) -> bool {
        let first = self.recording.moment(self.own_moments()[from] as usize);
        let steps = self.index.loops(first.core, first.step).nth(depth).cloned();
        let around = first.iterations[..depth.min(first.iterations.len())].to_vec();
        move |moment| steps.as_ref().is_some_and(|s| s.contains(&moment.step)) && moment.iterations.starts_with(&around)
    }

    pub(crate) fn finished(&self) -> String {
        if self.position == self.recording.len() {
            return self.end_text();
        }
        text!("this core has finished; `core` chooses another, `goto end` goes to the end").to_string()
    }

    pub(crate) fn at_start(&self) -> String {
        text!("this is the start").to_string()
    }
}
