//! Why a result differs: the instruction, or what went into it.

use super::align::{Alignment, ResultAt, ResultPair};
use super::compare::{Compared, compare};
use super::operands::{held_before, operands_of};
use super::report::{DefinedAt, DiffCause, Divergence, DivergenceKind, ElementError, OperandElements, OutputError};
use super::{DiffOptions, SHOWN, valid_of};
use crate::contents::ContentsKind;
use crate::player::Player;
use crate::recording::Recording;
use crate::writes::{MemoryId, is_result, rows};
use pto_cpu::{Access, AddressSpace, CoreId, RegisterChange, ViewPlace};
use pto_ir::{Def, OpId, ValueId};
use pto_isa::text;

/// Definitions that are followed before it stops.
const LONGEST_CHAIN: usize = 64;

/// Finds out why results differ.
pub(super) struct Blame<'x, 'r> {
    pub a: Player<'r>,
    pub b: Player<'r>,
    pub alignment: &'x Alignment,
    pub options: &'x DiffOptions<'x>,
}

/// How an operand of both runs compares.
enum OperandCompared {
    Numbers(Compared),
    /// One of the runs reads elements that nothing wrote.
    Unwritten {
        in_second: bool,
    },
}

/// A value of both runs, each at a moment of its run.
#[derive(Clone, Copy)]
struct ValueTwin {
    core: CoreId,
    a: (ValueId, usize),
    b: (ValueId, usize),
}

impl Blame<'_, '_> {
    /// What there is to say about a pair that differs.
    pub fn divergence(&mut self, pair: &ResultPair, kind: DivergenceKind) -> Option<Divergence> {
        let held_a = self.a.value(pair.core, pair.a.value, Some(pair.a.at))?;
        let held_b = self.b.value(pair.core, pair.b.value, Some(pair.b.at))?;
        let mut compared = compare(&held_a, &held_b, self.options, SHOWN);
        for element in &mut compared.errors.worst {
            self.add_operands(pair, element);
        }
        Some(Divergence {
            a: Some(self.a.recording().instruction_at(pair.a.at)),
            b: Some(self.b.recording().instruction_at(pair.b.at)),
            result: [held_a.name, held_b.name],
            kind,
            dtype: held_a.dtype,
            errors: compared.errors,
            cause: self.cause(pair, kind),
        })
    }

    /// The same for a parameter that differs at the end, though nothing that could be paired does.
    pub fn output_divergence(&mut self, output: &OutputError) -> Option<Divergence> {
        let size = i64::from(output.dtype.column_bits().div_ceil(8)).max(1);
        let first = output.errors.worst.first()?.col as i64 * size;
        let writer = |r: &Recording, buffer| last_writer(r, usize::MAX, MemoryId::Global(buffer), first);
        let wa = writer(self.a.recording(), output.buffers[0]);
        let wb = writer(self.b.recording(), output.buffers[1]);
        let cause = self.writers_cause(&output.name, wa, wb).unwrap_or(DiffCause::Unknown);
        Some(Divergence {
            a: wa.map(|w| self.a.recording().instruction_at(w.at)),
            b: wb.map(|w| self.b.recording().instruction_at(w.at)),
            result: [output.name.clone(), output.name.clone()],
            kind: DivergenceKind::Output,
            dtype: output.dtype,
            errors: output.errors.clone(),
            cause,
        })
    }

    /// What an element was computed from, in both runs.
    fn add_operands(&mut self, pair: &ResultPair, element: &mut ElementError) {
        let at = (element.row, element.col);
        let mut theirs = operands_of(&mut self.b, pair.b.at, pair.b.access, at);
        for (slot, mut operand) in operands_of(&mut self.a, pair.a.at, pair.a.access, at) {
            if let Some(same) = theirs.iter().position(|(other, _)| *other == slot) {
                operand.b = theirs.remove(same).1.a;
            }
            element.operands.push(operand);
        }
        // What only the second run reads.
        let only = |(_, o): (u8, OperandElements)| OperandElements { b: o.a, a: Vec::new(), ..o };
        element.operands.extend(theirs.into_iter().map(only));
    }

    fn cause(&mut self, pair: &ResultPair, kind: DivergenceKind) -> DiffCause {
        let (a, b) = (self.a.recording(), self.b.recording());
        let (op_a, op_b) = (a.moment(pair.a.at).op, b.moment(pair.b.at).op);
        if a.module().op(op_a).op != b.module().op(op_b).op {
            return DiffCause::OtherInstruction;
        }
        let twin = |va, vb| ValueTwin { core: pair.core, a: (va, pair.a.at), b: (vb, pair.b.at) };
        if kind != DivergenceKind::Values
            && let Some(cause) = self.definition(twin(pair.a.value, pair.b.value))
        {
            return cause;
        }
        let (reads_a, reads_b) = (a.read_operands(op_a), b.read_operands(op_b));
        if !reads_a.iter().map(|r| r.0).eq(reads_b.iter().map(|r| r.0)) {
            return DiffCause::OtherInstruction;
        }
        let twins: Vec<ValueTwin> = reads_a.iter().zip(&reads_b).map(|((_, va), (_, vb))| twin(*va, *vb)).collect();
        if let Some(cause) = twins.iter().find_map(|t| self.definition(*t)) {
            return cause;
        }
        let mut inherited: Option<(String, f64, Option<f64>)> = None;
        for twin in twins {
            let Some(compared) = self.compare_operand(twin) else { continue };
            let name = a.module().value_name(twin.a.0).to_string();
            let compared = match compared {
                OperandCompared::Numbers(compared) => compared,
                OperandCompared::Unwritten { in_second } => {
                    let other = self.other_operand(twin);
                    return other.unwrap_or(DiffCause::Uninitialised { operand: name, in_second });
                }
            };
            if let Some(worst) = compared.errors.worst.first() {
                return self.operand_cause(twin, &name, (worst.row, worst.col));
            }
            if compared.errors.max_abs > inherited.as_ref().map_or(0.0, |i| i.1) {
                inherited = Some((name, compared.errors.max_abs, compared.errors.max_rel));
            }
        }
        match inherited {
            Some((operand, max_abs, max_rel)) => DiffCause::Inherited { operand, max_abs, max_rel },
            None => DiffCause::Instruction,
        }
    }

    fn compare_operand(&mut self, twin: ValueTwin) -> Option<OperandCompared> {
        let held_a = held_before(&mut self.a, twin.core, twin.a.0, twin.a.1)?;
        let held_b = held_before(&mut self.b, twin.core, twin.b.0, twin.b.1)?;
        let is_memory = |kind: ContentsKind| matches!(kind, ContentsKind::Tile(..) | ContentsKind::View(_));
        if !is_memory(held_a.kind) || !is_memory(held_b.kind) {
            return None;
        }
        let rows = held_a.valid.0.min(held_b.valid.0).min(held_a.row_range.end).min(held_b.row_range.end);
        let cols = held_a.valid.1.min(held_b.valid.1).min(held_a.col_range.end).min(held_b.col_range.end);
        let mut all = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
        let unwritten = all.find_map(|(r, c)| match (held_a.is_written(r, c), held_b.is_written(r, c)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        });
        Some(match unwritten {
            Some(in_second) => OperandCompared::Unwritten { in_second },
            None => OperandCompared::Numbers(compare(&held_a, &held_b, self.options, 1)),
        })
    }

    /// An operand differs already, by more than is allowed: who wrote it?
    fn operand_cause(&mut self, twin: ValueTwin, name: &str, element: (usize, usize)) -> DiffCause {
        if let Some(cause) = self.other_operand(twin) {
            return cause;
        }
        let wa = writer(&mut self.a, twin.core, twin.a, element);
        let wb = writer(&mut self.b, twin.core, twin.b, element);
        self.writers_cause(name, wa, wb).unwrap_or(DiffCause::Unknown)
    }

    /// The names of the operands differ, though both programs have both.
    fn other_operand(&self, twin: ValueTwin) -> Option<DiffCause> {
        let (a, b) = (self.a.recording(), self.b.recording());
        let (na, nb) = (a.module().value_name(twin.a.0), b.module().value_name(twin.b.0));
        let is_other = na != nb && b.find(na).is_ok() && a.find(nb).is_ok();
        is_other.then(|| DiffCause::OtherOperand { a: na.to_string(), b: nb.to_string() })
    }

    /// By whom the same memory was written in the two runs.
    fn writers_cause(&self, name: &str, wa: Option<ResultAt>, wb: Option<ResultAt>) -> Option<DiffCause> {
        let (a, b) = (self.a.recording(), self.b.recording());
        let has_partner = |side, w: &ResultAt| self.alignment.has_partner(side, w.at, w.value);
        let (value, operand) = (name.to_string(), name.to_string());
        Some(match (wa, wb) {
            (Some(wa), _) if !has_partner(0, &wa) => {
                DiffCause::Missing { value, a: a.instruction_at(wa.at), in_loop: self.lost_loop(0, a, wa.at) }
            }
            (_, Some(wb)) if !has_partner(1, &wb) => {
                DiffCause::Extra { value, b: b.instruction_at(wb.at), in_loop: self.lost_loop(1, b, wb.at) }
            }
            (Some(wa), Some(wb)) => {
                DiffCause::OtherWriter { operand, a: a.instruction_at(wa.at), b: b.instruction_at(wb.at) }
            }
            (Some(_), None) => DiffCause::Uninitialised { operand, in_second: true },
            (None, Some(_)) => DiffCause::Uninitialised { operand, in_second: false },
            (None, None) => return None,
        })
    }

    /// The line of the loop whose iteration the other run does not have, if other iterations of the instruction are there.
    fn lost_loop(&self, side: usize, recording: &Recording, at: usize) -> Option<u32> {
        let lost = recording.moment(at);
        let mut best = None;
        for paired in self.alignment.paired_moments(side, recording, lost.op) {
            let other = recording.moment(paired).iterations;
            // The outermost loop in which the two are apart.
            let depth = lost.iterations.iter().zip(other).position(|(mine, theirs)| mine != theirs);
            best = best.max(depth);
        }
        recording.loop_line(lost.op, best?)
    }

    // ---- definitions -------------------------------------------------------------------------------------------------

    /// The place at which two values that should be the same begin to differ as numbers, windows or valid regions.
    fn definition(&mut self, twin: ValueTwin) -> Option<DiffCause> {
        if !self.is_defined_otherwise(twin) {
            return None;
        }
        if let Some(cause) = self.other_operand(twin) {
            return Some(cause);
        }
        let mut found = twin;
        for _ in 0..LONGEST_CHAIN {
            match self.deeper(found) {
                Some(deeper) => found = deeper,
                None => break,
            }
        }
        Some(DiffCause::Definition {
            a: defined_at(&mut self.a, found.core, found.a),
            b: defined_at(&mut self.b, found.core, found.b),
        })
    }

    /// An operand of the definitions that differs as well.
    fn deeper(&mut self, twin: ValueTwin) -> Option<ValueTwin> {
        let (a, b) = (self.a.recording(), self.b.recording());
        let (def_a, def_b) = (defining(a, twin.a.0)?, defining(b, twin.b.0)?);
        let (module_a, module_b) = (a.module(), b.module());
        if module_a.op(def_a).op != module_b.op(def_b).op {
            return None;
        }
        let (from_a, from_b) = (module_a.operands(def_a), module_b.operands(def_b));
        if from_a.len() != from_b.len() {
            return None;
        }
        for (oa, ob) in from_a.iter().zip(from_b) {
            let next = ValueTwin { core: twin.core, a: (oa.value, twin.a.1), b: (ob.value, twin.b.1) };
            if self.is_defined_otherwise(next) {
                // Another operand altogether is a mistake of this definition.
                return if self.other_operand(next).is_some() { None } else { Some(next) };
            }
        }
        None
    }

    /// True when two values differ as numbers, windows or valid regions.
    fn is_defined_otherwise(&mut self, twin: ValueTwin) -> bool {
        let ((va, at_a), (vb, at_b)) = (twin.a, twin.b);
        let places = (self.a.place(twin.core, va, Some(at_a)), self.b.place(twin.core, vb, Some(at_b)));
        match places {
            (Some(RegisterChange::Scalar(_, a)), Some(RegisterChange::Scalar(_, b))) => {
                let is_address = |r: &Recording, v| !super::operands::is_scalar(r, v);
                // Addresses have the position of the parameter in them.
                let is_comparable = self.alignment.params.is_identity() || !is_address(self.a.recording(), va);
                a != b && is_comparable
            }
            (Some(RegisterChange::View(_, a)), Some(RegisterChange::View(_, b))) => !self.is_same_window(&a, &b),
            (Some(RegisterChange::Tile(..)), Some(RegisterChange::Tile(..))) => {
                valid_of(&mut self.a, twin.core, va, at_a) != valid_of(&mut self.b, twin.core, vb, at_b)
            }
            _ => false,
        }
    }

    fn is_same_window(&self, a: &ViewPlace, b: &ViewPlace) -> bool {
        let same_memory = match (a.place, b.place) {
            (AddressSpace::Global(a), AddressSpace::Global(b)) => self.alignment.params.in_second(a) == Some(b),
            // Lowering chooses other addresses.
            (AddressSpace::Core(a), AddressSpace::Core(b)) => return a == b,
            _ => false,
        };
        same_memory && (a.start, a.shape, a.strides) == (b.start, b.shape, b.strides)
    }
}

/// The operation that defines a value; for the counter of a loop, the loop.
fn defining(recording: &Recording, value: ValueId) -> Option<OpId> {
    let module = recording.module();
    match module.value(value).def {
        Def::Result(op, _) => Some(op),
        Def::Arg(block, _) => module.owners().get(&block).copied(),
        Def::Missing => None,
    }
}

fn defined_at(player: &mut Player<'_>, core: CoreId, (value, at): (ValueId, usize)) -> DefinedAt {
    let recording = player.recording();
    let held = match player.place(core, value, Some(at)) {
        Some(RegisterChange::View(_, place)) => window_text(recording, &place),
        Some(RegisterChange::Tile(_, place)) => {
            text!("{rows}x{cols} valid", rows = place.valid.0, cols = place.valid.1)
        }
        _ => player.value(core, value, Some(at)).map(|v| v.text(0, 0)).unwrap_or_default(),
    };
    DefinedAt {
        name: recording.module().value_name(value).to_string(),
        line: defining(recording, value).map_or(0, |op| recording.line(op)),
        held,
    }
}

/// A window of a parameter, in words.
fn window_text(recording: &Recording, place: &ViewPlace) -> String {
    let (rows, cols) = place.matrix_size();
    let AddressSpace::Global(buffer) = place.place else { return format!("{rows}x{cols}") };
    let Some((name, dtype)) = recording.buffer_name(buffer) else { return format!("{rows}x{cols}") };
    let first = place.start * 8 / i64::from(dtype.column_bits().max(1));
    text!("{rows}x{cols} of {name} from element {first}", rows, cols, name, first)
}

/// Who wrote an element of an operand of a moment.
fn writer(
    player: &mut Player<'_>,
    core: CoreId,
    (value, at): (ValueId, usize),
    (row, col): (usize, usize),
) -> Option<ResultAt> {
    let recording = player.recording();
    let (memory, first) = match player.place(core, value, Some(at))? {
        RegisterChange::Tile(_, place) => {
            let ty = recording.plan().tile_type(core.role, place.geometry)?;
            (MemoryId::Core(core, place.loc), place.element(ty, row as u64, col as u64).0)
        }
        RegisterChange::View(_, place) => {
            let bits = recording.module().value_type(value).elem()?.column_bits();
            (memory_of(core, place.place), place.element(bits, row as u64, col as u64).0)
        }
        _ => return None,
    };
    last_writer(recording, at.checked_sub(1)?, memory, first)
}

/// The last result up to a moment that has a byte of a memory.
fn last_writer(recording: &Recording, at: usize, memory: MemoryId, byte: i64) -> Option<ResultAt> {
    let at = recording.last_write(at, memory, byte..byte + 1)?;
    let moment = recording.moment(at);
    let has = |a: &Access| {
        is_result(a) && memory_of(moment.core, a.place) == memory && rows(a).any(|row| row.contains(&byte))
    };
    let (access, found) = moment.accesses.iter().enumerate().find(|(_, a)| has(a))?;
    Some(ResultAt { at, access, value: found.value? })
}

fn memory_of(core: CoreId, place: AddressSpace) -> MemoryId {
    match place {
        AddressSpace::Core(loc) => MemoryId::Core(core, loc),
        AddressSpace::Global(buffer) => MemoryId::Global(buffer),
    }
}
