//! What the operands of an instruction held before it.

use super::report::{InstructionAt, OperandElements};
use crate::contents::{Contents, ContentsKind};
use crate::player::Player;
use crate::recording::Recording;
use pto_cpu::{CoreId, RegisterChange};
use pto_ir::{OpId, ValueId};
use pto_isa::Type;
use pto_isa::row::{Control, Dir};

/// Numbers of an operand that are shown.
const MOST_NUMBERS: usize = 4;

impl Recording {
    pub(super) fn instruction_at(&self, at: usize) -> InstructionAt {
        let moment = self.moment(at);
        InstructionAt {
            at,
            op: moment.op,
            line: moment.line,
            name: self.module().op(moment.op).op.row().name,
            core: moment.core,
            iterations: moment.iterations.to_vec(),
        }
    }

    /// What an operation reads: values and the slots they fill. Scratch tiles are no operands.
    pub(super) fn read_operands(&self, op: OpId) -> Vec<(u8, ValueId)> {
        let (module, row) = (self.module(), self.module().op(op).op.row());
        let is_read = |slot: u8| {
            let slot = row.slot_at(usize::from(slot));
            slot.dir != Dir::Out && row.scratch.is_none_or(|s| s.slot != slot.name)
        };
        module.operands(op).iter().filter(|o| is_read(o.slot)).map(|o| (o.slot, o.value)).collect()
    }

    /// The line of the loop at a depth around an operation, the outermost being 0.
    pub(super) fn loop_line(&self, op: OpId, depth: usize) -> Option<u32> {
        let module = self.module();
        let owners = module.owners();
        let blocks = module.all_blocks();
        let parent = |op: OpId| {
            let block = blocks.iter().find(|b| module.block(**b).ops.contains(&op))?;
            owners.get(block).copied()
        };
        let is_loop = |op: &OpId| matches!(module.control(*op), Some(Control::For | Control::While));
        let mut loops: Vec<OpId> = std::iter::successors(parent(op), |op| parent(*op)).filter(is_loop).collect();
        loops.reverse();
        loops.get(depth).map(|op| self.line(*op))
    }
}

/// What an operand held right before a moment. Of a tile, with the valid region that the instruction saw.
pub(super) fn held_before(player: &mut Player<'_>, core: CoreId, value: ValueId, at: usize) -> Option<Contents> {
    match player.place(core, value, Some(at))? {
        RegisterChange::Tile(_, place) => player.tile_at(core, place, at.checked_sub(1)),
        // Loads do not change what they read.
        _ => player.value(core, value, Some(at)),
    }
}

/// The elements that one of a result was computed from, in one run.
pub(super) fn operands_of(
    player: &mut Player<'_>,
    at: usize,
    access: usize,
    (row, col): (usize, usize),
) -> Vec<(u8, OperandElements)> {
    let recording = player.recording();
    let moment = recording.moment(at);
    let (op, core) = (moment.op, moment.core);
    let slots = recording.read_operands(op);
    let mut found: Vec<(u8, OperandElements)> = Vec::new();
    for source in player.sources(at, access, row as u64, col as u64) {
        let Some(value) = source.value else { continue };
        let written = moment.accesses.get(access).and_then(|a| a.value) == Some(value);
        // A result that the instruction also reads fills no slot that is only read.
        let slot = slots.iter().find(|(_, v)| *v == value).map_or(u8::MAX, |(slot, _)| *slot);
        if written && slot == u8::MAX && !source.exact {
            continue;
        }
        let Some(held) = held_before(player, core, value, at) else { continue };
        let is_scalar = matches!(held.kind, ContentsKind::Scalar(_) | ContentsKind::Address);
        let rows = source.rows.start as usize..(source.rows.end as usize).min(held.rows);
        let cols = source.cols.start as usize..(source.cols.end as usize).min(held.cols);
        let texts = rows.clone().flat_map(|r| cols.clone().map(move |c| (r, c)));
        let elements = OperandElements {
            name: recording.module().value_name(value).to_string(),
            first: (!is_scalar).then_some((rows.start, cols.start)),
            size: (rows.len(), cols.len()),
            a: texts.take(MOST_NUMBERS).map(|(r, c)| held.text(r, c)).collect(),
            b: Vec::new(),
        };
        found.push((slot, elements));
    }
    found
}

/// True for numbers and addresses.
pub(super) fn is_scalar(recording: &Recording, value: ValueId) -> bool {
    matches!(recording.module().value_type(value), Type::Scalar(_))
}
