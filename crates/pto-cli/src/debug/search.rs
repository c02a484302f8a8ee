//! Searches through a recording: for breakpoints, watchpoints, lines, iterations and conditions.

use super::condition::{self, DebugExpr};
use super::evaluate::holds;
use super::index::before;
use super::session::{AskedOperands, DebugSession};
use super::stops::{StopOn, WatchTarget, writes};
use pto::cpu::CoreId;
use pto::ir::ValueId;
use pto::isa::text;
use pto::trace::MemoryId;
use std::ops::Range;
use std::rc::Rc;

/// Moments that are looked at together on the way back.
const MOST_TOGETHER: usize = 4096;

/// Where a search ended.
struct SearchHit {
    position: usize,
    core: CoreId,
    /// The moment that wrote, for watchpoints.
    writer: Option<usize>,
}

/// The result of a search, or why it was given up.
type SearchResult = Result<Option<SearchHit>, String>;

fn interrupted() -> String {
    text!("interrupted").to_string()
}

impl DebugSession<'_> {
    /// Goes to the next stop, or to the end; backwards to the one before, or to the start.
    pub(crate) fn resume(&mut self, forward: bool) -> Result<String, String> {
        let stops = std::mem::take(&mut self.stops);
        let mut best: Option<(SearchHit, usize)> = None;
        let mut failed = None;
        for (k, stop) in stops.iter().enumerate() {
            let bound = best.as_ref().map(|(hit, _)| hit.position);
            let found = match &stop.on {
                StopOn::Line { line, condition } => {
                    self.line_hit(*line, condition.as_ref().map(|c| &c.1), bound, forward)
                }
                StopOn::Write { target, .. } => self.write_hit(target, bound, forward),
            };
            match found {
                Ok(Some(hit)) => best = Some((hit, k)),
                Ok(None) => {}
                Err(why) => {
                    failed = Some(why);
                    break;
                }
            }
        }
        self.stops = stops;
        if let Some(why) = failed {
            return Err(why);
        }
        let Some((hit, k)) = best else {
            self.position = if forward { self.recording.len() } else { 0 };
            return Ok(if forward { self.end_text() } else { format!("{}\n{}", self.at_start(), self.here()) });
        };
        self.stops[k].hits += 1;
        let title = self.stop_title(k, hit.writer);
        (self.position, self.core) = (hit.position, hit.core);
        Ok(format!("{title}\n{}", self.here()))
    }

    fn stop_title(&self, stop: usize, writer: Option<usize>) -> String {
        let number = self.stops[stop].number;
        match (&self.stops[stop].on, writer) {
            (StopOn::Write { text, .. }, Some(writer)) => {
                let moment = self.recording.moment(writer);
                let (what, place) = (text, self.place_text(&moment));
                text!("watchpoint {number}: {what} is written by moment {writer}, {place}", number, what, writer, place)
            }
            _ => text!("breakpoint {number}", number),
        }
    }

    /// The next position before a line, on any core.
    fn line_hit(
        &mut self,
        line: u32,
        condition: Option<&DebugExpr>,
        bound: Option<usize>,
        forward: bool,
    ) -> SearchResult {
        let index = Rc::clone(&self.index);
        let (earlier, later) = index.line(line).split_at(before(index.line(line), self.position));
        // The instruction of this core that is next was stopped at already.
        let here = self.pending_of(self.core).filter(|at| forward && *at == self.position);
        let is_in_bound = |at: usize| bound.is_none_or(|b| if forward { at < b } else { at > b });
        let forwards = later.iter().map(|m| *m as usize).filter(|at| here != Some(*at));
        let backwards = earlier.iter().rev().map(|m| *m as usize);
        let mut candidates: Box<dyn Iterator<Item = usize>> = match forward {
            true => Box::new(forwards.take_while(|at| is_in_bound(*at))),
            false => Box::new(backwards.take_while(|at| is_in_bound(*at))),
        };
        let found = match condition {
            None => candidates.next(),
            Some(condition) => {
                let mut next = |_: &mut Self| Ok(candidates.next());
                let mut is_hit = |session: &mut Self, at: usize| {
                    let core = session.recording.moment(at).core;
                    let mut reader = session.reader(core, at.checked_sub(1), AskedOperands::ReadBy(at));
                    holds(condition, &mut reader).map_err(|e| e.message)
                };
                self.first_that_holds(&mut next, &mut is_hit, forward)?
            }
        };
        Ok(found.map(|at| SearchHit { position: at, core: self.recording.moment(at).core, writer: None }))
    }

    /// The first of some moments at which a condition holds.
    ///
    /// A player goes forwards much faster than backwards. So backwards the moments are looked at in groups, each of them forwards.
    fn first_that_holds(
        &mut self,
        next: &mut dyn FnMut(&mut Self) -> Result<Option<usize>, String>,
        is_hit: &mut dyn FnMut(&mut Self, usize) -> Result<bool, String>,
        forward: bool,
    ) -> Result<Option<usize>, String> {
        let mut size = 1;
        loop {
            let mut group = Vec::new();
            while group.len() < size
                && let Some(at) = next(self)?
            {
                group.push(at);
            }
            let is_last = group.len() < size;
            group.sort_unstable();
            let mut found = None;
            for at in group {
                if is_hit(self, at)? {
                    found = Some(at);
                    if forward {
                        break;
                    }
                }
                if self.is_interrupted() {
                    return Err(interrupted());
                }
            }
            if found.is_some() || is_last {
                return Ok(found);
            }
            size = if forward { 1 } else { (size * 2).min(MOST_TOGETHER) };
        }
    }

    /// The next position after a write; backwards the one before it.
    fn write_hit(&mut self, target: &WatchTarget, bound: Option<usize>, forward: bool) -> SearchResult {
        let Some(writer) = self.next_write(target, self.position, forward)? else { return Ok(None) };
        let position = if forward { writer + 1 } else { writer };
        if bound.is_some_and(|b| if forward { position >= b } else { position <= b }) {
            return Ok(None);
        }
        Ok(Some(SearchHit { position, core: self.recording.moment(writer).core, writer: Some(writer) }))
    }

    /// The first moment from a position on that writes; backwards the last before it.
    fn next_write(&mut self, target: &WatchTarget, mut from: usize, forward: bool) -> Result<Option<usize>, String> {
        loop {
            let candidate = match target {
                WatchTarget::Bytes(memory, bytes) => return Ok(self.writer(*memory, bytes, from, forward)),
                WatchTarget::Memory { ranges, .. } => {
                    let writers =
                        ranges.iter().filter_map(|(memory, bytes)| self.writer(*memory, bytes, from, forward));
                    if forward { writers.min() } else { writers.max() }
                }
                WatchTarget::Scalar { core, .. } => {
                    let moments = self.recording.moments_of(*core);
                    let at = before(moments, from);
                    let at = if forward { Some(at) } else { at.checked_sub(1) };
                    at.and_then(|at| moments.get(at)).map(|m| *m as usize)
                }
            };
            let Some(candidate) = candidate else { return Ok(None) };
            let is_write = match target {
                WatchTarget::Scalar { core, value } => self.changes_scalar(*core, *value, candidate),
                WatchTarget::Memory { core, value, .. } => self.changes_value(*core, *value, candidate),
                WatchTarget::Bytes(..) => true,
            };
            if is_write {
                return Ok(Some(candidate));
            }
            if self.is_interrupted() {
                return Err(interrupted());
            }
            from = if forward { candidate + 1 } else { candidate };
        }
    }

    /// The first moment from a position on that writes one of the bytes; backwards the last before it.
    pub(super) fn writer(&self, memory: MemoryId, bytes: &Range<i64>, from: usize, forward: bool) -> Option<usize> {
        let recording = self.recording;
        match (forward, from) {
            (false, 0) => None,
            (false, from) => recording.last_write(from - 1, memory, bytes.clone()),
            (true, from) if from >= recording.len() => None,
            (true, 0) => {
                let first = recording.last_write(0, memory, bytes.clone());
                first.or_else(|| recording.first_write_after(0, memory, bytes.clone()))
            }
            (true, from) => recording.first_write_after(from - 1, memory, bytes.clone()),
        }
    }

    /// True when a moment writes to where a value lies after it.
    fn changes_value(&mut self, core: CoreId, value: ValueId, at: usize) -> bool {
        let memory = self.memory_of_value(core, value, Some(at));
        memory.is_some_and(|(memory, bytes)| writes(&self.recording.moment(at), memory, &bytes))
    }

    fn changes_scalar(&mut self, core: CoreId, value: ValueId, at: usize) -> bool {
        let mut bits = |at: Option<usize>| self.player.value(core, value, at).and_then(|c| c.bits(0, 0));
        bits(at.checked_sub(1)) != bits(Some(at))
    }

    /// Runs until the chosen core reaches a line, in these iterations of the innermost loops around it.
    pub(crate) fn until_line(&mut self, line: u32, iterations: &[u32], forward: bool) -> Result<String, String> {
        let Some(executed) = self.index.executed_line(line) else {
            return Err(text!("nothing was executed from line {line} on", line));
        };
        let list = self.index.line(executed);
        let from = before(list, self.position);
        let is_wanted = |at: usize| {
            let moment = self.recording.moment(at);
            moment.core == self.core && moment.iterations.ends_with(iterations)
        };
        let here = self.pending_of(self.core);
        let found = if forward {
            list[from..].iter().map(|m| *m as usize).find(|at| here != Some(*at) && is_wanted(*at))
        } else {
            list[..from].iter().rev().map(|m| *m as usize).find(|at| is_wanted(*at))
        };
        match found {
            Some(at) => {
                self.position = at;
                Ok(self.here())
            }
            None if forward => Ok(text!("line {line} is not reached any more", line = executed)),
            None => Ok(text!("line {line} was not reached before", line = executed)),
        }
    }

    /// Runs until a condition holds after an instruction of the chosen core.
    pub(crate) fn until_condition(&mut self, expr: &DebugExpr, forward: bool) -> Result<String, String> {
        let mut targets = Vec::new();
        for part in condition::parts(expr) {
            let value = self.find(part).map_err(|e| e.message)?;
            targets.push(self.watched_value(value));
        }
        let asks_any = condition::asks_any(expr);
        let core = self.core;
        let mut position = self.position;
        let mut next = |session: &mut Self| {
            // Backwards too, a condition is looked at after an instruction: that finds the one that made it true.
            let from = if forward { Some(position) } else { usize::checked_sub(position, 1) };
            let Some(from) = from else { return Ok(None) };
            let at = session.next_change(&targets, asks_any, from, forward)?;
            Ok(at.map(|at| {
                position = at + 1;
                position
            }))
        };
        let mut is_hit = |session: &mut Self, end: usize| {
            let touched = AskedOperands::WrittenBy(end.checked_sub(1).unwrap_or(usize::MAX));
            let mut reader = session.reader(core, end.checked_sub(1), touched);
            holds(expr, &mut reader).map_err(|e| e.message)
        };
        if let Some(end) = self.first_that_holds(&mut next, &mut is_hit, forward)? {
            self.position = end;
            return Ok(self.here());
        }
        let why = match forward {
            true => text!("the condition holds nowhere after this"),
            false => text!("the condition holds nowhere before this"),
        };
        Ok(why.to_string())
    }

    /// The next moment that may change a condition over these values.
    fn next_change(
        &mut self,
        targets: &[WatchTarget],
        asks_any: bool,
        from: usize,
        forward: bool,
    ) -> Result<Option<usize>, String> {
        let mut found: Option<usize> = None;
        let mut add = |at: Option<usize>| {
            found = match (found, at) {
                (Some(a), Some(b)) => Some(if forward { a.min(b) } else { a.max(b) }),
                (a, b) => a.or(b),
            }
        };
        if asks_any {
            let moments = self.own_moments();
            let at = before(moments, from);
            let at = if forward { Some(at) } else { at.checked_sub(1) };
            add(at.and_then(|at| moments.get(at)).map(|m| *m as usize));
        }
        for target in targets {
            add(self.next_write(target, from, forward)?);
        }
        Ok(found)
    }
}
