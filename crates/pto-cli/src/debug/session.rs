//! A debugger without a terminal: a recording, a position in it, and what stops a search.
//!
//! The position counts instructions that were executed, over all cores: at position 5, moments 0 to 4 are done. The instruction that is
//! *next* is the first one of the chosen core from there on; commands stop before it, as debuggers do.

use super::condition::{self, DebugExpr, ExprError, Oddity, ValuePart};
use super::evaluate::{PartNumbers, ValueReader};
use super::index::{RunIndex, before};
use super::stops::{StopOn, StopPoint, WatchTarget};
use pto::cpu::{AddressSpace, CoreId, RegisterChange, Role, TilePlace, ViewPlace};
use pto::ir::ValueId;
use pto::isa::ordered::OrdSet;
use pto::isa::text;
use pto::trace::{MemoryId, Moment, Player, Recording};
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

pub(crate) struct DebugSession<'r> {
    pub(crate) recording: &'r Recording,
    pub(crate) player: Player<'r>,
    pub(crate) index: Rc<RunIndex>,
    /// The lines of the program.
    pub(crate) lines: Vec<&'r str>,
    /// Moments that were executed.
    pub(crate) position: usize,
    /// The chosen core.
    pub(crate) core: CoreId,
    pub(crate) stops: Vec<StopPoint>,
    last_number: u32,
    /// Asked now and then while a search is under way; true ends it.
    interrupt: Option<Box<dyn FnMut() -> bool>>,
    /// The last writers of bytes, each with the positions between which it is the last.
    writers: HashMap<(MemoryId, i64, i64), LastWriter>,
    polls: u32,
}

impl<'r> DebugSession<'r> {
    pub(crate) fn new(recording: &'r Recording) -> Self {
        let core = recording.cores().first().copied();
        Self {
            recording,
            player: Player::new(recording),
            index: Rc::new(RunIndex::new(recording)),
            lines: recording.source().text.lines().collect(),
            position: 0,
            core: core.unwrap_or(CoreId { rank: 0, block: 0, role: Role::Whole, sub: 0 }),
            stops: Vec::new(),
            last_number: 0,
            interrupt: None,
            writers: HashMap::new(),
            polls: 0,
        }
    }

    /// Sets what ends a search before it has found something.
    pub(crate) fn on_poll(&mut self, interrupt: impl FnMut() -> bool + 'static) {
        self.interrupt = Some(Box::new(interrupt));
    }

    /// True when a search should end.
    pub(crate) fn is_interrupted(&mut self) -> bool {
        self.polls = self.polls.wrapping_add(1);
        self.polls.is_multiple_of(64) && self.interrupt.as_mut().is_some_and(|interrupt| interrupt())
    }

    // ---- where it is -------------------------------------------------------------------------------------------------

    /// The moment whose results are the newest.
    pub(crate) fn at(&self) -> Option<usize> {
        self.position.checked_sub(1)
    }

    /// The moments of the chosen core.
    pub(crate) fn own_moments(&self) -> &'r [u32] {
        self.recording.moments_of(self.core)
    }

    /// The next moment of a core.
    pub(crate) fn pending_of(&self, core: CoreId) -> Option<usize> {
        let moments = self.recording.moments_of(core);
        moments.get(before(moments, self.position)).map(|m| *m as usize)
    }

    /// The next moment of the chosen core.
    pub(crate) fn pending(&self) -> Option<Moment<'r>> {
        self.pending_of(self.core).map(|at| self.recording.moment(at))
    }

    /// The last moment that the chosen core executed.
    pub(crate) fn last(&self) -> Option<Moment<'r>> {
        let done = before(self.own_moments(), self.position);
        Some(self.recording.moment(self.own_moments()[done.checked_sub(1)?] as usize))
    }

    /// The text of a line, without the space around it.
    pub(crate) fn line_text(&self, line: u32) -> &'r str {
        (line as usize).checked_sub(1).and_then(|at| self.lines.get(at)).map_or("", |l| l.trim())
    }

    /// The place of a moment in the text: `softmax.pto:33, iteration 4`.
    pub(crate) fn place_text(&self, moment: &Moment<'_>) -> String {
        let name = &self.recording.source().name;
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let place = format!("{name}:{}", moment.line);
        match iterations_text(moment) {
            text if text.is_empty() => place,
            text => format!("{place}, {text}"),
        }
    }

    /// Where the debugger is, as a line.
    pub(crate) fn here(&self) -> String {
        let (position, count) = (self.position, self.recording.len());
        let core =
            if self.recording.cores().len() > 1 { format!("{}: ", self.core_name(self.core)) } else { String::new() };
        match self.pending() {
            Some(moment) => {
                let (place, statement) = (self.place_text(&moment), self.line_text(moment.line));
                core + &text!("moment {position} of {count}, {place}: {statement}", position, count, place, statement)
            }
            None if self.position == count => self.end_text(),
            None => core + &text!("moment {position} of {count}: this core has finished", position, count),
        }
    }

    /// How the run ended.
    pub(crate) fn end_text(&self) -> String {
        let count = crate::counts::instructions(self.recording.len() as u64);
        match self.recording.outcome() {
            Some(failure) => {
                let (code, message) = (failure.code.id(), &failure.message);
                text!("the run failed after {count}: {code}: {message}", count, code, message)
            }
            None => text!("the end: {count}", count),
        }
    }

    /// `vec0`, with the block and the rank where there are several.
    pub(crate) fn core_name(&self, core: CoreId) -> String {
        let all = self.recording.cores();
        let (ranks, blocks) = (all.iter().any(|c| c.rank > 0), all.iter().any(|c| c.block > 0));
        let rank = if ranks { text!("rank {number}", number = core.rank) + " " } else { String::new() };
        let block = if blocks { text!("block {number}", number = core.block) + " " } else { String::new() };
        format!("{rank}{block}{}", short_name(core))
    }

    // ---- values ------------------------------------------------------------------------------------------------------

    /// The value of a name.
    pub(crate) fn find(&self, part: &ValuePart) -> Result<ValueId, ExprError> {
        self.recording.find(&part.name).map_err(|error| {
            let first = error.first();
            let wrong = ExprError::new(part.at, first.map_or(String::new(), |d| d.message.clone()));
            match first.and_then(|d| d.help.clone()) {
                Some(help) => wrong.help(help),
                None => wrong,
            }
        })
    }

    /// Reads a condition and checks the names in it.
    pub(crate) fn condition(&self, text: &str) -> Result<DebugExpr, String> {
        let expr = condition::parse(text).map_err(|e| e.render(text))?;
        for part in condition::parts(&expr) {
            self.find(part).map_err(|e| e.render(text))?;
        }
        if condition::is_truth(&expr) {
            return Ok(expr);
        }
        let wrong = ExprError::new(0, text!("this is a number, not a condition"));
        Err(wrong.help(text!("compare it with something: `… > 0`")).render(text))
    }

    /// Looks at values before the moment that is next, or at what a moment did.
    pub(crate) fn reader(&mut self, core: CoreId, at: Option<usize>, touched: AskedOperands) -> MomentReader<'_, 'r> {
        MomentReader { player: &mut self.player, core, at, touched }
    }

    /// The memory that a value stands for right after a moment.
    pub(crate) fn memory_of_value(
        &mut self,
        core: CoreId,
        value: ValueId,
        at: Option<usize>,
    ) -> Option<(MemoryId, Range<i64>)> {
        match self.player.place(core, value, at)? {
            RegisterChange::Tile(_, place) => {
                let bytes = tile_bytes(self.recording, core, &place)?;
                Some((MemoryId::Core(core, place.loc), bytes))
            }
            RegisterChange::View(_, place) => {
                let bits = self.recording.module().value_type(value).elem()?.bits();
                let memory = match place.place {
                    AddressSpace::Core(loc) => MemoryId::Core(core, loc),
                    AddressSpace::Global(buffer) => MemoryId::Global(buffer),
                };
                Some((memory, view_bytes(&place, bits)?))
            }
            _ => None,
        }
    }

    /// The last moment that wrote one of these bytes. Looking it up may take long where a page has many other writes, so the answer is
    /// kept for all positions up to the next write.
    pub(crate) fn last_writer(&mut self, memory: MemoryId, bytes: &Range<i64>) -> Option<usize> {
        const MOST_KEPT: usize = 1 << 12;
        let (key, position) = ((memory, bytes.start, bytes.end), self.position);
        if let Some(known) = self.writers.get(&key).filter(|known| known.positions.contains(&position)) {
            return known.moment;
        }
        let moment = self.writer(memory, bytes, position, false);
        let next = self.writer(memory, bytes, position, true).unwrap_or(self.recording.len());
        if self.writers.len() >= MOST_KEPT {
            self.writers.clear();
        }
        self.writers.insert(key, LastWriter { positions: moment.map_or(0, |at| at + 1)..=next, moment });
        moment
    }

    /// The name of a memory: `UB`, or that of the parameter.
    pub(crate) fn memory_name(&self, memory: MemoryId) -> String {
        match memory {
            MemoryId::Core(core, loc) if core == self.core => loc.memory().to_string(),
            MemoryId::Core(core, loc) => format!("{} {}", self.core_name(core), loc.memory()),
            MemoryId::Global(buffer) => self.parameter_name(buffer),
        }
    }

    fn parameter_name(&self, buffer: usize) -> String {
        let params = self.recording.plan().params();
        match (params.get(buffer % params.len().max(1)), buffer / params.len().max(1)) {
            (Some(param), 0) => param.name.clone(),
            (Some(param), rank) => format!("{}@{rank}", param.name),
            (None, _) => text!("memory {buffer}", buffer),
        }
    }

    // ---- stops -------------------------------------------------------------------------------------------------------

    pub(crate) fn add_stop(&mut self, on: StopOn) -> u32 {
        self.last_number += 1;
        self.stops.push(StopPoint { number: self.last_number, on, hits: 0 });
        self.last_number
    }

    /// True when a line has a breakpoint.
    pub(crate) fn has_breakpoint(&self, line: u32) -> bool {
        self.stops.iter().any(|s| matches!(s.on, StopOn::Line { line: of, .. } if of == line))
    }

    /// What `watch %name` watches on the chosen core.
    pub(crate) fn watched_value(&mut self, value: ValueId) -> WatchTarget {
        let core = self.core;
        let mut ranges = super::stops::memory_used_as(self.recording, core, value);
        if let Some((memory, bytes)) = self.memory_of_value(core, value, self.at()) {
            super::stops::add(&mut ranges, memory, bytes);
        }
        if ranges.is_empty() {
            WatchTarget::Scalar { core, value }
        } else {
            WatchTarget::Memory { core, value, ranges }
        }
    }
}

/// `core`, `cube`, `vec1`.
pub(crate) fn short_name(core: CoreId) -> String {
    match core.role {
        Role::Whole => "core".to_string(),
        Role::Cube => "cube".to_string(),
        Role::Vector => format!("vec{}", core.sub),
    }
}

/// `iteration 4`, `iterations 4, 0`; nothing outside of loops.
pub(crate) fn iterations_text(moment: &Moment<'_>) -> String {
    let numbers: Vec<String> = moment.iterations.iter().map(u32::to_string).collect();
    match &numbers[..] {
        [] => String::new(),
        [one] => text!("iteration {number}", number = one),
        _ => text!("iterations {numbers}", numbers = numbers.join(", ")),
    }
}

/// The bytes from the first to the last of a tile.
pub(crate) fn tile_bytes(recording: &Recording, core: CoreId, place: &TilePlace) -> Option<Range<i64>> {
    let ty = recording.plan().tile_type(core.role, place.geometry)?;
    let (last_row, last_col) = (ty.rows.saturating_sub(1), ty.cols.saturating_sub(1));
    let corners = [(0, 0), (0, last_col), (last_row, 0), (last_row, last_col)];
    let places = corners.map(|(r, c)| place.element(ty, r, c));
    let first = places.iter().map(|p| p.0).min()?;
    Some(first..places.iter().map(|p| p.0 + p.1 as i64).max()?)
}

/// The bytes from the first to the last of a view.
fn view_bytes(place: &ViewPlace, bits: u32) -> Option<Range<i64>> {
    let (rows, cols) = place.matrix_size();
    let (last_row, last_col) = (rows.checked_sub(1)?, cols.checked_sub(1)?);
    let corners = [(0, 0), (0, last_col), (last_row, 0), (last_row, last_col)];
    let places = corners.map(|(r, c)| place.element(bits, r, c).0);
    let size = i64::from(bits.div_ceil(8));
    Some(*places.iter().min()?..places.iter().max()?.saturating_add(size))
}

/// The last writer of some bytes, and the positions for which it is that.
struct LastWriter {
    positions: RangeInclusive<usize>,
    moment: Option<usize>,
}

/// Which operands `any nan` asks about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AskedOperands {
    /// Those that a moment is about to read.
    ReadBy(usize),
    /// Those that a moment wrote.
    WrittenBy(usize),
}

/// The values of a core right after a moment.
pub(crate) struct MomentReader<'s, 'r> {
    player: &'s mut Player<'r>,
    core: CoreId,
    at: Option<usize>,
    touched: AskedOperands,
}

impl ValueReader for MomentReader<'_, '_> {
    fn numbers(&mut self, part: &ValuePart) -> Result<Option<PartNumbers>, ExprError> {
        // Names are checked when a condition is read.
        let Ok(value) = self.player.recording().find(&part.name) else { return Ok(None) };
        let all = 0..usize::MAX;
        let rows = part.rows.clone().unwrap_or(all.clone());
        let cols = part.cols.clone().unwrap_or(all);
        let contents = self.player.part(self.core, value, self.at, rows, cols);
        Ok(contents.map(|c| PartNumbers { valid: c.valid, numbers: c.valid_numbers().map(|(_, _, x)| x).collect() }))
    }

    fn any(&mut self, oddity: Oddity) -> bool {
        let (moment, wanted) = match self.touched {
            AskedOperands::ReadBy(at) => (at, false),
            AskedOperands::WrittenBy(at) => (at, true),
        };
        let recording = self.player.recording();
        let Some(moment) = (moment < recording.len()).then(|| recording.moment(moment)) else { return false };
        let of = moment.accesses.iter().filter(|a| a.write == wanted && !a.is_work_space());
        let values: OrdSet<ValueId> = of.filter_map(|a| a.value).collect();
        values.into_iter().any(|value| {
            let contents = self.player.value(self.core, value, self.at);
            contents.is_some_and(|c| c.valid_numbers().any(|(_, _, x)| oddity.is(x)))
        })
    }
}
