//! What was found, once for each pair of lines.

use crate::clock::{LANES, pipe};
use crate::core::{Queued, Step};
use crate::names::Names;
use crate::shadow::Stamp;
use pto_cpu::{Access, CoreId, Flag, Place, Role};
use pto_ir::{Attr, Module, OpId, ValueId};
use pto_isa::codes::{self, Code};
use pto_isa::table::op;
use pto_isa::{Diagnostic, Pipe, Span, Target};
use std::collections::{BTreeMap, BTreeSet};

/// An instruction on a core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Site {
    pub op: OpId,
    pub core: CoreId,
}

/// Two accesses of the same bytes that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub place: Place,
    /// The bytes.
    pub first: u64,
    pub bytes: u64,
    /// The earlier access, and the core that made it; nothing where it belongs to another block.
    pub other: Stamp,
    pub other_core: Option<CoreId>,
    /// The later one.
    pub site: Site,
}

impl Conflict {
    /// The same conflict, with the write as the later access.
    pub fn seen_from(&self, write: &Stamp, read: &Stamp) -> Self {
        let core = self.other_core.unwrap_or(self.site.core);
        Self { other: *read, other_core: Some(self.site.core), site: Site { op: write.op, core }, ..*self }
    }

    fn bytes(&self, before: impl Into<String>, behind: impl Into<String>) -> Bytes {
        Bytes::new(self.place, (self.first, self.bytes), before, behind)
    }
}

/// Findings, each with how often it occurred.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    module: &'a Module,
    pub target: Target,
    found: BTreeMap<(Code, OpId, Option<OpId>), Found>,
    names: Names<'a>,
    /// Says on which path things were found, where that is not the one of the data.
    pub path: Option<(Span, String)>,
    /// Counts what was executed.
    pub now: u64,
    /// The program is stuck: what comes after it never happens.
    stuck: bool,
}

#[derive(Debug)]
struct Found {
    diagnostic: Diagnostic,
    /// When it was found first, and last.
    first: u64,
    last: u64,
    times: u64,
    /// The bytes, and what is said about them.
    bytes: Option<Bytes>,
}

/// Bytes of a memory that an instruction touches.
#[derive(Clone, Debug)]
struct Bytes {
    place: Place,
    first: u64,
    end: u64,
    /// What stands before and behind them.
    says: (String, String),
}

impl Bytes {
    fn new(place: Place, (first, bytes): (u64, u64), before: impl Into<String>, behind: impl Into<String>) -> Self {
        Self { place, first, end: first + bytes, says: (before.into(), behind.into()) }
    }

    fn text(&self) -> String {
        let (first, end, bytes) = (self.first, self.end, self.end - self.first);
        let range = match self.place {
            Place::Core(loc) => format!("{bytes} bytes of {loc} at {first:#x}..{end:#x}"),
            Place::Global(_) => format!("{bytes} bytes of global memory at byte {first}"),
        };
        format!("{}{range}{}", self.says.0, self.says.1)
    }
}

impl Found {
    /// Another piece of the same instruction.
    fn extend(&mut self, bytes: Option<&Bytes>) {
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
        if self.times > 1 { d.legal(format!("this happened {} times in this run", self.times)) } else { d }
    }
}

impl<'a> Findings<'a> {
    pub fn new(module: &'a Module, target: Target) -> Self {
        Self { module, target, found: BTreeMap::new(), names: Names::new(module), path: None, now: 0, stuck: false }
    }

    /// Everything, worst first. What happened often says so.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.keep_worst_races();
        let mut all: Vec<Diagnostic> = self.found.into_values().map(Found::finish).collect();
        all.sort_by_key(|d| (!d.is_error(), rank(d.code), d.primary.span));
        all
    }

    /// What orders two instructions orders all they touch: of the races between them, the worst is enough.
    fn keep_worst_races(&mut self) {
        let mut pairs = BTreeSet::new();
        let races = [codes::RACE_READ, codes::RACE_OVERWRITE, codes::RACE_WRITE];
        self.found.retain(|(code, op, other), _| !races.contains(code) || pairs.insert((*op, *other)));
    }

    /// A pipe has been stuck since then: what was found after that never happens.
    fn stuck_since(&mut self, when: u64) {
        self.found.retain(|_, f| f.first < when);
    }

    /// The next cores have not been stuck.
    pub fn next_team(&mut self) {
        self.stuck = false;
    }

    /// Counts a finding; the first of its kind is described.
    pub fn note(&mut self, code: Code, op: OpId, other: Option<OpId>, describe: impl FnOnce(&Self) -> Diagnostic) {
        self.note_bytes(code, op, other, |all| (describe(all), None));
    }

    fn note_bytes(
        &mut self,
        code: Code,
        op: OpId,
        other: Option<OpId>,
        describe: impl FnOnce(&Self) -> (Diagnostic, Option<Bytes>),
    ) {
        if self.stuck {
            return;
        }
        let (now, key) = (self.now, (code, op, other));
        if let Some(found) = self.found.get_mut(&key).filter(|f| f.first != now) {
            found.times += u64::from(found.last != now);
            found.last = now;
            return;
        }
        let (mut diagnostic, bytes) = describe(self);
        if let Some(found) = self.found.get_mut(&key) {
            found.extend(bytes.as_ref());
            return;
        }
        if let Some((span, text)) = &self.path {
            diagnostic = diagnostic.label(*span, text);
        }
        self.found.insert(key, Found { diagnostic, first: now, last: now, times: 1, bytes });
    }

    pub fn span(&self, op: OpId) -> Span {
        self.module.op(op).span
    }

    pub fn name(&self, value: Option<ValueId>) -> String {
        let name = value.map_or("", |v| self.module.value_name(v));
        if name.is_empty() { "the memory".to_string() } else { format!("`%{name}`") }
    }

    /// The pipe of an access. Where the toolchain orders the pipes, all share a lane.
    fn actor(&self, stamp: &Stamp) -> String {
        let own = || pto_check::pipe_of(self.module, stamp.op, self.target).unwrap_or(Pipe::S);
        match pipe(stamp.thread as usize % LANES) {
            Pipe::All => "the transfer".to_string(),
            Pipe::S => own().to_string(),
            other => other.to_string(),
        }
    }

    /// What to call the memory of two accesses: the tile whose data is at stake, and the other one where it is another.
    fn subject(&self, code: Code, conflict: &Conflict, stamp: &Stamp) -> String {
        let (mut own, mut other) = (stamp, &conflict.other);
        if code == codes::RACE_OVERWRITE && matches!(conflict.place, Place::Core(_)) {
            std::mem::swap(&mut own, &mut other);
        }
        let (name, also) = (self.name(own.value.or(other.value)), self.name(other.value));
        if own.is_tile() && other.is_tile() && own.tile != other.tile && name != also {
            return format!("{name}, on whose bytes {also} lies,");
        }
        name
    }

    // ---- races ----------------------------------------------------------------------------------------------------

    pub fn read_too_early(&mut self, conflict: &Conflict, stamp: &Stamp) {
        self.race(codes::RACE_READ, conflict, stamp, ("writes", "reads"), |what, first, second| {
            format!("{second} may read {what} before {first} has written it")
        });
    }

    pub fn overwritten_too_early(&mut self, conflict: &Conflict, stamp: &Stamp) {
        self.race(codes::RACE_OVERWRITE, conflict, stamp, ("reads", "writes"), |what, first, second| {
            format!("{second} may overwrite {what} before {first} has read it")
        });
    }

    pub fn written_in_any_order(&mut self, conflict: &Conflict, stamp: &Stamp) {
        self.race(codes::RACE_WRITE, conflict, stamp, ("writes", "writes"), |what, first, second| {
            format!("{first} and {second} write {what}, and nothing says which is last")
        });
    }

    fn race(
        &mut self,
        code: Code,
        conflict: &Conflict,
        stamp: &Stamp,
        verbs: (&str, &str),
        message: impl FnOnce(&str, &str, &str) -> String,
    ) {
        self.note_bytes(code, conflict.site.op, Some(conflict.other.op), |all| {
            let what = all.subject(code, conflict, stamp);
            let (first, second) = actors(conflict, all.actor(&conflict.other), all.actor(stamp));
            let repair = all.repair(conflict, stamp);
            let mut d = Diagnostic::new(code, all.span(conflict.site.op), message(&what, &first, &second));
            let mut behind = String::new();
            if conflict.other.op == conflict.site.op {
                behind = format!("; {first} {} them here before", verbs.0);
            } else {
                d = d.label(all.span(conflict.other.op), format!("{first} {} them here", verbs.0));
            }
            let bytes = conflict.bytes(format!("{second} {} ", verbs.1), behind);
            (d.legal(repair.0).help(repair.1), Some(bytes))
        });
    }

    /// What would order two accesses, and how to write it.
    fn repair(&self, conflict: &Conflict, stamp: &Stamp) -> (String, String) {
        let (from, to) = (pipe(conflict.other.thread as usize % LANES), pipe(stamp.thread as usize % LANES));
        let same_core = conflict.other_core == Some(conflict.site.core);
        let lines = (conflict.other.op, conflict.site.op);
        match conflict.other_core {
            _ if same_core && from == to => (
                format!("{from} starts an instruction before the one before it is done: a barrier orders them"),
                format!("between the two: pto.barrier #pto.pipe<{from}>"),
            ),
            _ if same_core && from == Pipe::All => (
                "the transfer goes on in the background until its event is waited for".to_string(),
                "wait for the event of the transfer before the memory is used".to_string(),
            ),
            _ if same_core => (format!("a flag from {from} to {to} orders them"), self.flag_pair(from, to, lines)),
            Some(other) if (other.rank, other.block) == (conflict.site.core.rank, conflict.site.core.block) => (
                format!("a signal from {} to {} orders them", core_name(other), core_name(conflict.site.core)),
                format!(
                    "after the first: pto.sync.set <{from}>, ID; before the second: pto.sync.wait <{to}>, ID, with an ID of 0 to 10"
                ),
            ),
            Some(other) if other.rank != conflict.site.core.rank => (
                format!("rank {} has to tell rank {} that the data is there", other.rank, conflict.site.core.rank),
                "after the first: pto.barrier #pto.pipe<PIPE_ALL>, then comm.tnotify; before the second: comm.twait"
                    .into(),
            ),
            _ => (
                "blocks run at the same time, in any order".to_string(),
                "give each block bytes of its own, add with an atomic store, or put pto.syncall between the two".into(),
            ),
        }
    }

    /// The two flag operations, with an id that this pair of pipes does not use yet. Where the second line comes first in
    /// the text, it belongs to the next turn of a loop.
    fn flag_pair(&self, from: Pipe, to: Pipe, lines: (OpId, OpId)) -> String {
        let id = self.free_id(from, to);
        let flag = format!("[<{from}>, <{to}>, <EVENT_ID{id}>]");
        if self.span(lines.1).start <= self.span(lines.0).start {
            return format!(
                "the next turn of the loop has to wait: after the first: pto.set_flag {flag}; before the second: pto.wait_flag {flag}; \
                 and once pto.set_flag before the loop and pto.wait_flag behind it"
            );
        }
        format!("after the first: pto.set_flag {flag}; before the second: pto.wait_flag {flag}")
    }

    fn free_id(&self, from: Pipe, to: Pipe) -> u32 {
        let ids = self.target.profile().event_ids;
        let mut used = vec![false; ids as usize];
        self.each_flag(|_, flag| {
            if (flag.src, flag.dst) == (from, to)
                && let Some(slot) = used.get_mut(flag.id as usize)
            {
                *slot = true;
            }
        });
        used.iter().position(|u| !u).unwrap_or(0) as u32
    }

    /// True when the text has a wait for a flag, or one whose id is not fixed.
    fn waits_anywhere(&self, wanted: Flag) -> bool {
        let mut found = false;
        self.module.walk(self.module.top, &mut |op| found |= self.module.op(op).op == op::wait_flag_dyn);
        self.each_flag(|op, flag| {
            found |= flag == wanted && matches!(self.module.op(op).op, op::wait_flag | op::wait_event);
        });
        found
    }

    /// The flags that the text names with a fixed id.
    fn each_flag(&self, mut each: impl FnMut(OpId, Flag)) {
        self.module.walk(self.module.top, &mut |op| {
            let pipe = |name| match self.module.attr(op, name) {
                Some(Attr::Enum(def, at)) => pto_check::named_pipe(def.value(usize::from(*at))),
                _ => None,
            };
            let ends = (pipe("src_pipe").or_else(|| pipe("src_op")), pipe("dst_pipe").or_else(|| pipe("dst_op")));
            if let ((Some(src), Some(dst)), Some(Attr::Enum(_, id))) = (ends, self.module.attr(op, "event_id")) {
                each(op, Flag { src, dst, id: i64::from(*id) });
            }
        });
    }

    // ---- data that is not there -------------------------------------------------------------------------------------

    pub fn unwritten(&mut self, access: &Access, first: u64, bytes: u64, site: Site) {
        self.note_bytes(codes::RACE_UNWRITTEN, site.op, None, |all| {
            let what = all.name(access.value);
            let message = format!("{what} is read, and nothing was written there");
            let bytes = Bytes::new(access.place, (first, bytes), "", " have no content");
            let d = Diagnostic::new(codes::RACE_UNWRITTEN, all.span(site.op), message)
                .legal("memory of a core has no content at the start; a load, a fill or a computation has to write it")
                .help("write the tile before, or make its valid region no larger than what was written");
            (d, Some(bytes))
        });
    }

    pub fn taken(&mut self, conflict: &Conflict, lost: &Stamp, stamp: &Stamp) {
        if self.names.are_one_tile(lost, &conflict.other, conflict.site.op) {
            return;
        }
        self.note_bytes(codes::RACE_FOREIGN, conflict.site.op, Some(conflict.other.op), |all| {
            let (own, other) = (all.name(stamp.value), all.name(conflict.other.value));
            let message = format!("{own} is read, but {other} has been written over it");
            let d = Diagnostic::new(codes::RACE_FOREIGN, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), format!("{other} takes the bytes here"))
                .label(all.span(lost.op), format!("{own} got its data here"))
                .legal("two tiles whose data is needed at the same time have no bytes in common")
                .help("move one of them to another address, or use the first before the second is written");
            (d, Some(conflict.bytes("reads ", "")))
        });
    }

    pub fn used_after_free(&mut self, conflict: &Conflict, access: &Access) {
        self.note(codes::PIPE_FREED, conflict.site.op, Some(conflict.other.op), |all| {
            let message = format!("{} is read after its slot was given back", all.name(access.value));
            Diagnostic::new(codes::PIPE_FREED, all.span(conflict.site.op), message)
                .remark("the other core may be filling the slot")
                .label(all.span(conflict.other.op), "given back here")
                .help("move the `tfree` behind the last use of the tile")
        });
    }

    // ---- flags ------------------------------------------------------------------------------------------------------

    pub fn set_twice(&mut self, flag: Flag, first: Site, second: Site) {
        self.note(codes::FLAG_TWICE, second.op, None, |all| {
            let message = format!("{} is set again before anybody waited for it", flag_name(flag));
            let d = Diagnostic::new(codes::FLAG_TWICE, all.span(second.op), message);
            let d = if first.op == second.op {
                d.remark("set here, and here again the next time")
            } else {
                d.remark("set again here").label(all.span(first.op), "set here")
            };
            d.legal("a flag is one bit: between two sets there is a wait").help(format!(
                "wait for it in between, or use another id, {} for example",
                all.free_id(flag.src, flag.dst)
            ))
        });
    }

    pub fn never_set(
        &mut self,
        flag: Flag,
        site: Site,
        reversed: Option<Site>,
        other: Option<(i64, Site)>,
        stuck: &[(usize, &Queued)],
        since: u64,
    ) {
        if !self.stuck {
            self.stuck_since(since);
        }
        self.note(codes::FLAG_UNSET, site.op, None, |all| {
            let message = format!("{} waits for ever: {} is not set before", flag.dst, flag_name(flag));
            let mut d = Diagnostic::new(codes::FLAG_UNSET, all.span(site.op), message)
                .remark(format!("{} stops here", flag.dst));
            for (at, queued) in stuck {
                d = d.label(all.span(queued.site.op), format!("{} is stopped here{}", pipe(*at), waits_for(queued.step)));
            }
            let reversed = reversed.filter(|_| !all.waits_anywhere(Flag { src: flag.dst, dst: flag.src, id: flag.id }));
            let other = other.filter(|(id, _)| !all.waits_anywhere(Flag { id: *id, ..flag }));
            let help = match (reversed, other) {
                (Some(set), _) => {
                    d = d.label(all.span(set.op), format!("this flag goes the other way, from {} to {}", flag.dst, flag.src));
                    format!("the wait names the pipes in the order of the set: [<{}>, <{}>, …]", flag.src, flag.dst)
                }
                (None, Some((id, set))) => {
                    d = d.label(all.span(set.op), format!("this sets id {id}, which nobody waits for"));
                    format!("wait for id {id}, or set id {}", flag.id)
                }
                (None, None) => format!(
                    "set it before: pto.set_flag [<{}>, <{}>, <EVENT_ID{}>]; a flag that a loop waits for first is set once before the loop",
                    flag.src, flag.dst, flag.id
                ),
            };
            d.legal("every wait needs a set that is given to the other pipe before this one has to go on")
                .legal("what comes behind it was not checked")
                .help(help)
        });
        self.stuck = true;
    }

    pub fn never_waited(&mut self, flag: Flag, site: Site) {
        self.note(codes::FLAG_LEFT, site.op, None, |all| {
            let message = format!("{} is set, and nobody waits for it", flag_name(flag));
            Diagnostic::new(codes::FLAG_LEFT, all.span(site.op), message)
                .remark("still up when the program ends")
                .legal("every set has one wait")
                .help(format!(
                    "wait for it before the end: pto.wait_flag [<{}>, <{}>, <EVENT_ID{}>], or leave the set out",
                    flag.src, flag.dst, flag.id
                ))
        });
    }

    // ---- tokens -----------------------------------------------------------------------------------------------------

    pub fn token_taken_twice(&mut self, id: i64, at: Pipe, first: Site, second: Site) {
        self.note(codes::TOKEN, second.op, Some(first.op), |all| {
            Diagnostic::new(codes::TOKEN, all.span(second.op), format!("{at} takes token {id}, which it holds"))
                .label(all.span(first.op), "taken here")
                .help("release it before, with pto.rls_buf")
        });
    }

    pub fn token_not_held(&mut self, id: i64, at: Pipe, holder: Option<(Pipe, Site)>, site: Site) {
        self.note(codes::TOKEN, site.op, holder.map(|(_, s)| s.op), |all| {
            let message = format!("{at} releases token {id}, which it does not hold");
            let d = Diagnostic::new(codes::TOKEN, all.span(site.op), message);
            let d = match holder {
                Some((pipe, taken)) => d.label(all.span(taken.op), format!("{pipe} took it here")),
                None => d,
            };
            d.help("take it before, with pto.get_buf of the same pipe")
        });
    }

    /// A pipe waits for a token that nobody releases, and has done so since then.
    pub fn token_awaited(&mut self, id: i64, at: Pipe, holder: Site, waiter: Site, since: u64) {
        if !self.stuck {
            self.stuck_since(since);
        }
        self.token_never_released(id, at, holder, Some(waiter));
        self.stuck = true;
    }

    pub fn token_never_released(&mut self, id: i64, at: Pipe, holder: Site, waiter: Option<Site>) {
        self.note(codes::TOKEN, holder.op, waiter.map(|w| w.op), |all| {
            let message = format!("{at} takes token {id} and does not give it back");
            let d = Diagnostic::new(codes::TOKEN, all.span(holder.op), message);
            let d = match waiter {
                Some(w) => d.label(all.span(w.op), "waits for it for ever"),
                None => d,
            };
            d.help("release it behind the last use of the buffer, with pto.rls_buf")
        });
    }

    // ---- cores ------------------------------------------------------------------------------------------------------

    pub fn signal_left(&mut self, id: i64, site: Site) {
        self.note(codes::SIGNAL_LEFT, site.op, None, |all| {
            Diagnostic::new(codes::SIGNAL_LEFT, all.span(site.op), format!("signal {id} is sent, and nobody waits for it"))
                .remark("still pending when the program ends")
                .help("wait for it on the core it goes to, with pto.sync.wait, or leave it out; ids on A5 from 16 on are those of the second vector core")
        });
    }

    pub fn reserved_signal(&mut self, id: i64, what: &str, site: Site) {
        self.note(codes::SIGNAL_RESERVED, site.op, None, |all| {
            let message = format!("signal {id} is also used by {what}");
            Diagnostic::new(codes::SIGNAL_RESERVED, all.span(site.op), message)
                .help("use a signal from 0 to 10 that no pipe uses")
        });
    }

    pub fn entries_left(&mut self, count: usize, site: Site) {
        self.note(codes::PIPE_LEFT, site.op, None, |all| {
            let noun = if count == 1 { "an entry is" } else { "entries are" };
            let message = format!("{noun} pushed that nobody pops: {count} at the end of the program");
            Diagnostic::new(codes::PIPE_LEFT, all.span(site.op), message).help("pop as often as is pushed")
        });
    }

    pub fn never_freed(&mut self, site: Site) {
        self.note(codes::PIPE_LEFT, site.op, Some(site.op), |all| {
            Diagnostic::new(codes::PIPE_LEFT, all.span(site.op), "an entry is popped and its slot never given back")
                .help("free it behind its last use, with tfree")
        });
    }
}

/// How bad a kind of finding is: what stops a program, then what makes it wrong, then what spoils the next one.
fn rank(code: Code) -> u8 {
    const ORDER: [Code; 13] = [
        codes::FLAG_UNSET,
        codes::RACE_READ,
        codes::RACE_OVERWRITE,
        codes::RACE_WRITE,
        codes::PIPE_FREED,
        codes::RACE_FOREIGN,
        codes::RACE_UNWRITTEN,
        codes::FLAG_TWICE,
        codes::TOKEN,
        codes::PIPE_LEFT,
        codes::SIGNAL_LEFT,
        codes::FLAG_LEFT,
        codes::SIGNAL_RESERVED,
    ];
    ORDER.iter().position(|c| *c == code).unwrap_or(0) as u8
}

fn waits_for(step: Step) -> String {
    match step {
        Step::Wait(flag) => format!(", waiting for {}", flag_name(flag)),
        Step::Get(id) => format!(", waiting for token {id}"),
        _ => String::new(),
    }
}

fn flag_name(flag: Flag) -> String {
    format!("flag {} from {} to {}", flag.id, flag.src, flag.dst)
}

/// What to call the two sides of a race, given their pipes.
fn actors(conflict: &Conflict, first: String, second: String) -> (String, String) {
    match conflict.other_core {
        Some(core) if core == conflict.site.core => (first, second),
        Some(core) if core.rank != conflict.site.core.rank => {
            (format!("{first} of rank {}", core.rank), format!("{second} of rank {}", conflict.site.core.rank))
        }
        Some(core) => {
            (format!("{first} of {}", core_name(core)), format!("{second} of {}", core_name(conflict.site.core)))
        }
        None => (format!("{first} of another block"), second),
    }
}

/// A core, as a person would call it.
pub(crate) fn core_name(core: CoreId) -> String {
    let role = match core.role {
        Role::Whole => "the core".to_string(),
        Role::Cube => "the cube core".to_string(),
        Role::Vector => format!("vector core {}", core.sub),
    };
    match (core.rank, core.block) {
        (0, 0) => role,
        (0, block) => format!("{role} of block {block}"),
        (rank, block) => format!("{role} of block {block} on rank {rank}"),
    }
}
