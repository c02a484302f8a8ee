//! Findings, one for each pair of lines.

mod blocks;
mod ended;
mod entries;
mod evenly;
mod fixes;
mod flags;
mod forms;
mod handshake;
mod order;
mod places;
mod races;
mod signals;
mod stated;
mod stuck;
mod text;
mod tokens;
mod turns;

use crate::clock::{PIPES, pipe};
use crate::core::{PipeStep, Queued};
use crate::names::TileNames;
use crate::shadow::Stamp;
use pto_check::Checked;
use pto_cpu::{Access, AddressSpace, CoreId, DEVICE, Flag, Plan, Role};
use pto_ir::{Module, OpId, ValueId};
use pto_isa::codes::{self, Code};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::sort::SharedSort;
use pto_isa::{Change, Diagnostic, Edit, Family, Op, Pipe, Span, Target};
use stated::Stated;
use std::cell::OnceCell;
use std::collections::HashMap;
pub(crate) use stuck::{AwaitedWord, StuckCore};
pub(crate) use text::ProgramText;

/// An instruction on a core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct InstrSite {
    pub op: OpId,
    /// Its position among the steps of the core. Calls are expanded, so this is program order.
    pub step: u32,
    pub core: CoreId,
}

/// Two unordered accesses to the same bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub place: AddressSpace,
    /// The bytes.
    pub first: u64,
    pub bytes: u64,
    /// The earlier access, and its core; `None` if it belongs to another block.
    pub other: Stamp,
    pub other_core: Option<CoreId>,
    /// The later one.
    pub site: InstrSite,
}

impl Conflict {
    /// The conflict with the two accesses exchanged.
    pub fn seen_from(&self, later: &Stamp, earlier: &Stamp) -> Self {
        let core = self.other_core.unwrap_or(self.site.core);
        Self {
            other: *earlier,
            other_core: Some(self.site.core),
            site: InstrSite { op: later.op, step: later.step, core },
            ..*self
        }
    }

    fn reach(&self) -> AccessDistance {
        match self.other_core {
            Some(core) if core == self.site.core => AccessDistance::Core,
            Some(core) if core.rank != self.site.core.rank => AccessDistance::Ranks,
            Some(core) if core.block == self.site.core.block => AccessDistance::Block,
            _ => AccessDistance::Rank,
        }
    }

    fn bytes(&self, before: impl Into<String>, behind: impl Into<String>) -> TouchedBytes {
        TouchedBytes::new(self.place, (self.first, self.bytes), before, behind)
    }
}

/// Unordered accesses.
const RACES: [Code; 3] = [codes::RACE_READ, codes::RACE_OVERWRITE, codes::RACE_WRITE];

/// The code, the statement it is reported at, and the other one.
type FindingKey = (Code, OpId, Option<OpId>);

/// Findings, each with its number of occurrences.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    module: &'a Module,
    pub target: Target,
    found: OrdMap<FindingKey, Finding>,
    names: TileNames<'a>,
    checked: &'a Checked,
    /// Operands of instructions that must not share memory.
    apart: HashMap<OpId, Vec<(ValueId, ValueId)>>,
    /// The structure of the text.
    text: OnceCell<ProgramText<'a>>,
    stated: OnceCell<Stated>,
    /// Vector cores of a block.
    vectors: u32,
    /// Loops of the program poll words that other cores store.
    asks_for_words: bool,
    /// Stores of tiles that may write polled words.
    told: OrdSet<OpId>,
    /// Used pages of the memories of a core.
    pages: Box<places::Pages>,
    /// Steps whose operands are not in order, regardless of other instructions.
    pub wrong_operands: OrdSet<u32>,
    /// Findings so far, with repeated ones.
    pub noted: u64,
    /// Executed instructions so far.
    pub now: u64,
    /// The program is deadlocked: what comes later never executes.
    stuck: bool,
    /// Cores wait at a `syncall` to which not all of them come.
    uneven: bool,
}

#[derive(Debug)]
struct Finding {
    diagnostic: Diagnostic,
    /// When it was found first, and last.
    first: u64,
    last: u64,
    times: u64,
    /// The bytes, and the text about them.
    bytes: Option<TouchedBytes>,
    reach: AccessDistance,
    /// For conflicts between ranks: one of them, and all pairs of ranks that have it.
    ranks: Option<RankConflict>,
    /// A tile that must move to another address.
    moved: Option<ValueId>,
}

/// One of the conflicts between ranks, its access, and all pairs of ranks that have it.
type RankConflict = (Conflict, Stamp, OrdSet<(u32, u32)>);

/// The distance between the cores of two accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum AccessDistance {
    Core,
    Block,
    Rank,
    Ranks,
}

/// Bytes of a memory that an instruction touches.
#[derive(Clone, Debug)]
struct TouchedBytes {
    place: AddressSpace,
    first: u64,
    end: u64,
    /// The text before and after them.
    says: (String, String),
}

impl TouchedBytes {
    fn new(
        place: AddressSpace,
        (first, bytes): (u64, u64),
        before: impl Into<String>,
        behind: impl Into<String>,
    ) -> Self {
        Self { place, first, end: first + bytes, says: (before.into(), behind.into()) }
    }

    fn text(&self) -> String {
        let (first, end, bytes) = (self.first, self.end, self.end - self.first);
        let range = match self.place {
            AddressSpace::Core(loc) => pto_isa::text!(
                "{bytes} bytes of {loc} at {first}..{end}",
                bytes,
                loc,
                first = format_args!("{:#x}", first),
                end = format_args!("{:#x}", end)
            ),
            AddressSpace::Global(_) => pto_isa::text!("{bytes} bytes of global memory at byte {first}", bytes, first),
        };
        format!("{}{range}{}", self.says.0, self.says.1)
    }
}

impl Finding {
    /// Adds another range of the same instruction.
    fn extend(&mut self, bytes: Option<&TouchedBytes>) {
        if let (Some(mine), Some(more)) = (&mut self.bytes, bytes) {
            mine.first = mine.first.min(more.first);
            mine.end = mine.end.max(more.end);
        }
    }

    fn finish(self) -> Diagnostic {
        let mut d = self.diagnostic;
        if let Some(bytes) = &self.bytes {
            d = d.remark(bytes.text());
        }
        if self.times > 1 {
            d.legal(pto_isa::text!("this happened {times} times in this run", times = self.times))
        } else {
            d
        }
    }
}

impl<'a> Findings<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let (module, target) = (plan.checked().module(), plan.checked().info().target);
        let polls = crate::polls::polls(module);
        let (asks_for_words, told) = (!polls.is_empty(), polls.told(module));
        let (names, text, vectors) = (TileNames::new(plan), OnceCell::new(), plan.vector_cores());
        Self {
            module,
            target,
            found: OrdMap::new(),
            names,
            checked: plan.checked(),
            apart: HashMap::new(),
            text,
            stated: OnceCell::new(),
            vectors,
            asks_for_words,
            told,
            pages: Box::default(),
            wrong_operands: OrdSet::new(),
            noted: 0,
            now: 0,
            stuck: false,
            uneven: false,
        }
    }

    /// The type of a tile.
    pub fn tile(&self, value: ValueId) -> Option<&pto_isa::TileType> {
        self.module.tile(value)
    }

    /// True when a device requires that two operands of an instruction do not share memory.
    pub fn must_be_apart(&mut self, op: OpId, dst: Option<ValueId>, src: Option<ValueId>) -> bool {
        let (Some(dst), Some(src)) = (dst, src) else { return false };
        let checked = self.checked;
        self.apart.entry(op).or_insert_with(|| pto_check::apart(checked, op)).contains(&(dst, src))
    }

    fn text(&self) -> &ProgramText<'_> {
        self.text.get_or_init(|| ProgramText::new(self.module))
    }

    fn stated(&self) -> &Stated {
        self.stated.get_or_init(|| Stated::new(self.module, self.target))
    }

    /// All findings, worst first. Frequent ones say how often they occurred.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.keep_worst_races();
        self.repair_ranks();
        self.repair_late_writes();
        self.leave_uneven_barriers();
        self.repair_talk();
        self.move_tiles();
        let mut all: Vec<Diagnostic> = self.found.into_values().map(Finding::finish).collect();
        all.shared_sort_by_key(|d| (!d.is_error(), rank(d.code), d.primary.span));
        all
    }

    /// What orders two instructions orders all their accesses, so the worst race between them is enough.
    fn keep_worst_races(&mut self) {
        let mut pairs = OrdSet::new();
        self.found.retain(|(code, op, other), _| !RACES.contains(code) || pairs.insert((*op, *other)));
    }

    /// Records the ranks of a conflict. The fix must include all of them, whichever came first in this run.
    fn note_ranks(&mut self, code: Code, conflict: &Conflict, stamp: &Stamp) {
        let Some(other) = conflict.other_core.filter(|c| c.rank != conflict.site.core.rank) else { return };
        let key = (code, conflict.site.op, Some(conflict.other.op));
        if let Some(found) = self.found.get_mut(&key) {
            let (_, _, pairs) = found.ranks.get_or_insert_with(|| (*conflict, *stamp, OrdSet::new()));
            pairs.insert((other.rank, conflict.site.core.rank));
        }
    }

    /// Adds fixes that move tiles, when it is known which memory is free.
    fn move_tiles(&mut self) {
        let tiles: Vec<(FindingKey, ValueId)> =
            self.found.iter().filter_map(|(key, f)| Some((*key, f.moved?))).collect();
        for (key, tile) in tiles {
            let edits = self.moved_away(tile).or_else(|| self.popped_later(key.2?, key.1));
            if let (Some(edits), Some(found)) = (edits, self.found.get_mut(&key)) {
                found.diagnostic.edits = edits;
            }
        }
    }

    /// A pipe has been blocked since then, so later findings never happen. Drops them.
    fn stuck_since(&mut self, when: u64) {
        self.found.retain(|_, f| f.first < when);
    }

    /// Resets the state for the next team.
    pub fn next_team(&mut self) {
        self.stuck = false;
    }

    /// Counts a finding; the first occurrence is described.
    pub fn note(&mut self, code: Code, op: OpId, other: Option<OpId>, describe: impl FnOnce(&Self) -> Diagnostic) {
        self.note_bytes(code, op, other, AccessDistance::Core, |all| (describe(all), None));
    }

    /// True when two operations were found already.
    pub fn has(&self, code: Code, op: OpId, other: OpId) -> bool {
        self.found.contains_key(&(code, op, Some(other)))
    }

    fn note_bytes(
        &mut self,
        code: Code,
        op: OpId,
        other: Option<OpId>,
        reach: AccessDistance,
        describe: impl FnOnce(&Self) -> (Diagnostic, Option<TouchedBytes>),
    ) {
        self.noted += 1;
        if self.stuck {
            return;
        }
        let (now, key) = (self.now, (code, op, other));
        if let Some(found) = self.found.get_mut(&key).filter(|f| f.first != now) {
            found.times += u64::from(found.last != now);
            found.last = now;
            if reach <= found.reach {
                return;
            }
        }
        let (diagnostic, bytes) = describe(self);
        match self.found.get_mut(&key) {
            // The fix must order the cores that are farthest apart.
            Some(found) if reach > found.reach => {
                (found.diagnostic, found.bytes, found.reach) = (diagnostic, bytes, reach);
            }
            Some(found) => found.extend(bytes.as_ref()),
            None => {
                self.found.insert(
                    key,
                    Finding { diagnostic, first: now, last: now, times: 1, bytes, reach, ranks: None, moved: None },
                );
            }
        }
    }

    pub fn module(&self) -> &Module {
        self.module
    }

    pub fn span(&self, op: OpId) -> Span {
        self.module.op(op).span
    }

    pub fn name(&self, value: Option<ValueId>) -> String {
        let name = value.map_or("", |v| self.module.value_name(v));
        if name.is_empty() { pto_isa::text!("the memory").to_string() } else { format!("`%{name}`") }
    }

    /// The pipe of an access. If the toolchain orders the pipes, all share one index.
    fn actor(&self, stamp: &Stamp) -> String {
        let own = || pto_check::pipe_of(self.module, stamp.op, self.target).unwrap_or(Pipe::S);
        match pipe(stamp.thread as usize % PIPES) {
            Pipe::All => pto_isa::text!("the transfer").to_string(),
            Pipe::S => own().to_string(),
            other => other.to_string(),
        }
    }

    /// The name of the memory of two accesses: the tile whose data is affected, and the other tile if it differs.
    fn subject(&self, code: Code, conflict: &Conflict, stamp: &Stamp) -> String {
        let (mut own, mut other) = (stamp, &conflict.other);
        if code == codes::RACE_OVERWRITE && matches!(conflict.place, AddressSpace::Core(_)) {
            std::mem::swap(&mut own, &mut other);
        }
        let (name, also) = (self.name(own.value.or(other.value)), self.name(other.value));
        if [own, other].iter().any(|s| s.tile == DEVICE && s.value.is_none()) {
            return pto_isa::text!("{name}, in memory that an instruction uses implicitly,", name);
        }
        if own.is_tile() && other.is_tile() && own.tile != other.tile && name != also {
            return pto_isa::text!("{name}, on whose bytes {also} lies,", name, also);
        }
        name
    }
}

/// The severity of a finding: first what stops a program, then what makes its results wrong, then what affects the next program.
fn rank(code: Code) -> u8 {
    const ORDER: [Code; 18] = [
        codes::FLAG_UNSET,
        codes::RACE_READ,
        codes::RACE_OVERWRITE,
        codes::RACE_WRITE,
        codes::PIPE_FREED,
        codes::RACE_FOREIGN,
        codes::RACE_UNWRITTEN,
        codes::CACHE_HELD,
        codes::CACHE_SHARED,
        codes::CACHE_STALE,
        codes::FLAG_TWICE,
        codes::TOKEN,
        codes::PIPE_LEFT,
        codes::SIGNAL_LEFT,
        codes::FLAG_LEFT,
        codes::SIGNAL_RESERVED,
        codes::GLOBAL_MISALIGNED,
        codes::CACHE_POLL,
    ];
    ORDER.iter().position(|c| *c == code).unwrap_or(0) as u8
}

fn waits_for(step: PipeStep) -> String {
    match step {
        PipeStep::Wait(flag) => pto_isa::text!(", waiting for {flag_name}", flag_name = flag_name(flag)),
        PipeStep::Get(id) => pto_isa::text!(", waiting for token {id}", id),
        _ => String::new(),
    }
}

fn flag_name(flag: Flag) -> String {
    pto_isa::text!("flag {id} from {src} to {dst}", id = flag.id, src = flag.src, dst = flag.dst)
}

/// The names of the two sides of a race, given their pipes.
fn actors(conflict: &Conflict, first: String, second: String) -> (String, String) {
    match conflict.other_core {
        Some(core) if core == conflict.site.core => (first, second),
        Some(core) if core.rank != conflict.site.core.rank => (
            pto_isa::text!("{first} of rank {rank}", first, rank = core.rank),
            pto_isa::text!("{second} of rank {rank}", second, rank = conflict.site.core.rank),
        ),
        Some(core) => (
            pto_isa::text!("{first} of {core_name}", first, core_name = core_name(core)),
            pto_isa::text!("{second} of {core_name}", second, core_name = core_name(conflict.site.core)),
        ),
        None => (pto_isa::text!("{first} of another block", first), second),
    }
}

/// The name of a core in messages.
pub(crate) fn core_name(core: CoreId) -> String {
    let role = match core.role {
        Role::Whole => pto_isa::text!("the core").to_string(),
        Role::Cube => pto_isa::text!("the cube core").to_string(),
        Role::Vector => pto_isa::text!("vector core {sub}", sub = core.sub),
    };
    match (core.rank, core.block) {
        (0, 0) => role,
        (0, block) => pto_isa::text!("{role} of block {block}", role, block),
        (rank, block) => pto_isa::text!("{role} of block {block} on rank {rank}", role, block, rank),
    }
}
