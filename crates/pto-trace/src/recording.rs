//! A recording.

use crate::moment::{Deed, Moment};
use crate::options::{RecordOptions, RecordedSource, line_of};
use crate::streams::{FirstBytes, Streams};
use crate::writes::WriteIndex;
use pto_cpu::{CoreId, KeptIn, Plan, Role, TilePlace, ViewPlace};
use pto_ir::{Module, OpId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;
use pto_isa::table;
use pto_isa::{Diagnostic, Error, Pipe, Span, Type, codes, text};
use std::sync::OnceLock;

/// What a run did, moment by moment.
#[derive(Debug)]
pub struct Recording {
    pub(crate) plan: Plan,
    pub(crate) source: RecordedSource,
    pub(crate) options: RecordOptions,
    pub(crate) blocks: u32,
    pub(crate) streams: Streams,
    /// How the run failed.
    pub(crate) outcome: Option<Diagnostic>,
    /// Moments that the limit left out, and others that were not asked for.
    pub(crate) beyond_limit: u64,
    pub(crate) not_selected: u64,
    pub(crate) facts: PlanFacts,
}

/// What follows from the plan.
#[derive(Debug)]
pub(crate) struct PlanFacts {
    pub ids: Vec<CoreId>,
    pub origins: [Vec<OpId>; 3],
    /// The line of each operation.
    lines: FastMap<OpId, u32>,
    /// Where values are kept, from which step on.
    pub kept: [FastMap<ValueId, Vec<(u32, KeptIn)>>; 3],
    /// What scalar registers hold at the start.
    pub scalars: [Vec<u64>; 3],
    /// Where tiles and views are at the start.
    pub places: [(Vec<TilePlace>, Vec<ViewPlace>); 3],
    pub writes: OnceLock<WriteIndex>,
}

/// A value of the program that has a name.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NamedValue<'a> {
    /// The value.
    pub id: ValueId,
    /// Its name, without `%`.
    pub name: &'a str,
    /// Its type.
    pub ty: &'a Type,
}

const ROLES: [Role; 3] = [Role::Whole, Role::Cube, Role::Vector];

pub(crate) fn role_index(role: Role) -> usize {
    role as usize
}

impl PlanFacts {
    pub fn of(plan: &Plan, streams: &Streams) -> Self {
        let origins: [Vec<OpId>; 3] = ROLES.map(|role| plan.step_origins(role).collect());
        let module = plan.checked().module();
        let lines = origins.iter().flatten().map(|op| (*op, line_of(module, *op))).collect();
        let ids = streams.cores.iter().map(|c| c.id).collect();
        let kept = ROLES.map(|role| {
            let mut kept: FastMap<ValueId, Vec<(u32, KeptIn)>> = FastMap::default();
            plan.kept_values(role)
                .for_each(|(value, since, place)| kept.entry(value).or_default().push((since, place)));
            kept
        });
        let scalars = ROLES.map(|role| plan.first_scalars(role));
        let places = ROLES.map(|role| plan.first_places(role));
        Self { ids, origins, lines, kept, scalars, places, writes: OnceLock::new() }
    }
}

impl Recording {
    /// The arguments whose contents are not known, because the run could only read them. What depends on them is found again only after
    /// [`Recording::set_input`]; a recording of some values needs none.
    pub fn missing_inputs(&self) -> Vec<usize> {
        let is_missing = |(_, first): &(usize, &FirstBytes)| matches!(first, FirstBytes::Unknown(_));
        let missing = self.streams.buffers.iter().enumerate().filter(is_missing).map(|(k, _)| k);
        if self.is_selective() { Vec::new() } else { missing.collect() }
    }

    /// What an argument held that the run could only read.
    pub fn set_input(&mut self, buffer: usize, bytes: Vec<u8>) {
        if let Some(first) = self.streams.buffers.get_mut(buffer) {
            *first = FirstBytes::Bytes(bytes);
        }
    }

    /// The program.
    pub fn source(&self) -> &RecordedSource {
        &self.source
    }

    /// What was asked to be recorded.
    pub fn options(&self) -> &RecordOptions {
        &self.options
    }

    /// The program as it ran.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The program: operations, values and types.
    pub fn module(&self) -> &Module {
        self.plan.checked().module()
    }

    /// Blocks that were launched.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The number of moments.
    pub fn len(&self) -> usize {
        self.streams.moments.len()
    }

    /// True when nothing was executed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that it takes in memory, without the arguments of the program.
    pub fn bytes(&self) -> u64 {
        self.streams.bytes()
    }

    /// The cores, in the order in which they started.
    pub fn cores(&self) -> &[CoreId] {
        &self.facts.ids
    }

    /// How the run failed, if it did.
    pub fn outcome(&self) -> Option<&Diagnostic> {
        self.outcome.as_ref()
    }

    /// What was left out, as a sentence.
    pub fn left_out(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.beyond_limit > 0 {
            let limit = format_bytes(self.options.limit);
            parts.push(text!(
                "the recording ends after {kept} instructions, at the limit of {limit}; {count} more were executed",
                kept = self.len(),
                limit,
                count = self.beyond_limit
            ));
        }
        if self.not_selected > 0 {
            let count = self.not_selected;
            parts.push(text!("{count} instructions were left out that were not asked for", count));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// True when only some values or lines were recorded, so that others are not known.
    pub fn is_selective(&self) -> bool {
        self.options.is_selective()
    }

    /// A moment, by its position.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn moment(&self, at: usize) -> Moment<'_> {
        let kept = self.streams.moments.at(at as u32);
        let core = self.streams.cores[kept.kind.core as usize].id;
        let role = role_index(core.role);
        let op = self.facts.origins[role][kept.kind.step as usize];
        Moment {
            at,
            core,
            step: kept.kind.step,
            op,
            line: self.line(op),
            pipe: Pipe::REAL.iter().copied().chain([Pipe::All]).find(|p| *p as u8 == kept.kind.pipe),
            deed: if kept.kind.deed == 0 { Deed::Work } else { self.streams.deeds[kept.kind.deed as usize] },
            accesses: self.streams.accesses(&kept),
            iterations: self.streams.iterations(&kept).unwrap_or(&[]),
        }
    }

    /// The line of an operation, from 1; 0 if it has none.
    pub fn line(&self, op: OpId) -> u32 {
        self.facts.lines.get(&op).copied().unwrap_or_else(|| line_of(self.module(), op))
    }

    /// The position of a core.
    pub(crate) fn core_index(&self, core: CoreId) -> Option<usize> {
        self.facts.ids.iter().position(|id| *id == core)
    }

    /// The moments of a core, in order.
    pub fn moments_of(&self, core: CoreId) -> &[u32] {
        self.core_index(core).map_or(&[], |k| &self.streams.cores[k].moments)
    }

    /// The values of the program that have a name.
    pub fn values(&self) -> impl Iterator<Item = NamedValue<'_>> {
        let module = self.module();
        (0..module.value_count()).map(ValueId::from_index).filter_map(|id| {
            let name = module.value_name(id);
            (!name.is_empty()).then(|| NamedValue { id, name, ty: module.value_type(id) })
        })
    }

    /// The value of a name, with or without `%`. Of several functions that have the name, the one that ran first.
    ///
    /// # Errors
    /// If there is none; the error names similar ones.
    pub fn find(&self, name: &str) -> Result<ValueId, Error> {
        find_value(&self.plan, name)
    }
}

/// The value of a name in a program; see [`Recording::find`].
///
/// # Errors
/// If there is none; the error names similar ones.
pub fn find_value(plan: &Plan, name: &str) -> Result<ValueId, Error> {
    let module = plan.checked().module();
    let name = name.strip_prefix('%').unwrap_or(name);
    let all = || (0..module.value_count()).map(ValueId::from_index);
    let named = || all().filter(|v| module.value_name(*v) == name);
    let ran = |v: &ValueId| ROLES.iter().any(|role| plan.kept_values(*role).any(|kept| kept.0 == *v));
    if let Some(found) = named().find(ran).or_else(|| named().next()) {
        return Ok(found);
    }
    let names = all().map(|v| module.value_name(v)).filter(|name| !name.is_empty());
    let mut near: Vec<_> = names.map(|other| (table::distance(name, other), other.len(), other)).collect();
    near.shared_sort_by_key(|(distance, length, _)| (*distance, *length));
    near.dedup();
    near.truncate(3);
    let names = near.iter().map(|(.., n)| format!("%{n}")).collect::<Vec<_>>().join(", ");
    let problem = Diagnostic::new(codes::VALUE_UNKNOWN, Span::default(), text!("there is no value `%{name}`", name));
    Err(module.error(if near.is_empty() { problem } else { problem.help(text!("did you mean {names}?", names)) }))
}

fn format_bytes(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 && b % (1 << 30) == 0 => format!("{} GiB", b >> 30),
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 => format!("{} KiB", b >> 10),
        b => format!("{b} bytes"),
    }
}
