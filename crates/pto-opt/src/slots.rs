//! Which of several tiles in a row a turn of a loop uses, where the number follows from the index of the loop: `%i mod 2`, `(%i + 1) mod 2`.

use crate::places::Region;
use pto_check::Checked;
use pto_ir::{BlockId, Def, OpId, ValueId};
use pto_isa::Scalar;
use pto_isa::table::op;
use std::cell::Cell;
use std::collections::HashMap;

/// One of several tiles, another in every turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Slot {
    /// The loop.
    pub around: OpId,
    /// The number in the first turn, how much is added from turn to turn, and what it is taken modulo.
    first: u64,
    step: u64,
    pub period: u64,
    /// From the start of one tile to that of the next.
    distance: u64,
    /// Bytes of a tile.
    bytes: u64,
    /// The number itself, where every turn has it as an index.
    pub number: Option<ValueId>,
}

impl Slot {
    /// The bytes in a turn, of all that the tiles have.
    pub fn region(self, all: Region, turn: u64) -> Region {
        let start = all.start + (self.first + turn * self.step) % self.period * self.distance;
        Region { start, end: start + self.bytes, ..all }
    }

    /// True when another slot has the same number in every turn.
    pub fn has_number_of(self, other: Self) -> bool {
        let numbers = |slot: Self| (slot.around, slot.first, slot.step, slot.period);
        numbers(self) == numbers(other)
    }
}

/// The slot that a value is the number of, where tiles of so many bytes lie so far apart.
pub(crate) fn slot(
    checked: &Checked,
    (owners, blocks): (&HashMap<BlockId, OpId>, &HashMap<OpId, BlockId>),
    number: ValueId,
    (distance, bytes): (u64, u64),
) -> Option<Slot> {
    let module = checked.module();
    let fixed = |value: ValueId| checked.info().constant(value).and_then(|n| u64::try_from(n).ok());
    let made = |value: ValueId| match module.value(value).def {
        Def::Result(id, _) => Some((module.op(id).op, module.operands(id).iter().map(|o| o.value).collect::<Vec<_>>())),
        _ => None,
    };
    // A narrow number of a turn starts again before the loop ends; one of 32 bits may do so, too.
    let is_short = Cell::new(false);
    let is_wide = |value: ValueId| match module.value_type(value).scalar() {
        Some(Scalar::Elem(d)) => {
            is_short.set(is_short.get() || d.bits() < 64);
            d.bits() >= 32
        }
        scalar => scalar == Some(Scalar::Index),
    };
    let through_casts = |mut value: ValueId| {
        while let Some((op::arith_index_cast, operands)) = made(value).filter(|_| is_wide(value)) {
            value = *operands.first()?;
        }
        is_wide(value).then_some(value)
    };
    let (op::arith_remui | op::arith_remsi, operands) = made(through_casts(number)?)? else { return None };
    let [dividend, period] = operands[..] else { return None };
    let (index, more) = match made(through_casts(dividend)?) {
        Some((op::arith_addi, operands)) => match operands[..] {
            [a, b] => fixed(b).map(|n| (a, n)).or_else(|| fixed(a).map(|n| (b, n)))?,
            _ => return None,
        },
        _ => (dividend, 0),
    };
    let Def::Arg(block, 0) = module.value(through_casts(index)?).def else { return None };
    let around = *owners.get(&block).filter(|id| module.op(**id).op == op::scf_for)?;
    let bounds: Vec<ValueId> = module.operands(around).iter().map(|o| o.value).collect();
    let period = fixed(period).filter(|n| *n > 0)?;
    let highest = fixed(*bounds.get(1)?).and_then(|upper| upper.checked_add(more));
    if is_short.get() && highest.is_none_or(|n| n > i32::MAX as u64) {
        return None;
    }
    let (lower, step) = (fixed(*bounds.first()?)?, fixed(*bounds.get(2)?)?);
    let first = (lower % period + more % period) % period;
    let in_every_turn = |id: &OpId| blocks.get(id) == Some(&block);
    let is_index = module.value_type(number).scalar() == Some(Scalar::Index);
    let number = match module.value(number).def {
        Def::Result(id, _) if is_index && in_every_turn(&id) => Some(number),
        _ => None,
    };
    Some(Slot { around, first, step: step % period, period, distance, bytes, number })
}
