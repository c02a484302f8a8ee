//! Which of several consecutive tiles an iteration of a loop uses, if the index follows from the loop counter: `%i mod 2`, `(%i + 1) mod 2`, `(%at
//! / 4096) mod 2`.

use crate::places::MemoryRegion;
use pto_check::Checked;
use pto_ir::{BlockId, Def, OpId, ValueId};
use pto_isa::ScalarType;
use pto_isa::hash::FastMap;
use pto_isa::row::{Arith, Control};

/// One of several tiles, another in every iteration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct RotatingTile {
    /// The loop.
    pub around: OpId,
    /// The index in the first iteration, its step per iteration, and its modulus.
    first: u64,
    step: u64,
    pub period: u64,
    /// The distance from one tile to the next, in bytes.
    distance: u64,
    /// Bytes of a tile.
    bytes: u64,
    /// The index value, if it is an `index` that every iteration computes.
    pub number: Option<ValueId>,
}

impl RotatingTile {
    /// The bytes that an iteration uses, out of the bytes of all tiles.
    pub fn region(self, all: MemoryRegion, iteration: u64) -> MemoryRegion {
        let start = all.start + (self.first + iteration * self.step) % self.period * self.distance;
        MemoryRegion { start, end: start + self.bytes, ..all }
    }

    /// True when another slot has the same number in every iteration.
    pub fn has_number_of(self, other: Self) -> bool {
        let numbers = |slot: Self| (slot.around, slot.first, slot.step, slot.period);
        numbers(self) == numbers(other)
    }
}

/// The rotating tile with a value as index, for tiles of this size and distance.
pub(crate) fn slot(
    checked: &Checked,
    (owners, blocks): (&FastMap<BlockId, OpId>, &FastMap<OpId, BlockId>),
    number: ValueId,
    (distance, bytes): (u64, u64),
) -> Option<RotatingTile> {
    let module = checked.module();
    let follow = Follow { checked, owners };
    let (dividend, period) = follow.remainder(follow.through_casts(number)?)?;
    let line = follow.line(dividend, 0)?;
    // A narrow index wraps around before the loop ends; one of 32 bits may, too.
    let is_short = [number, dividend].into_iter().any(|value| follow.is_short(value)) || line.is_short;
    if is_short && line.highest.is_none_or(|n| n > i32::MAX as u64) {
        return None;
    }
    let in_every_iteration = |id: &OpId| blocks.get(id) == Some(&line.block);
    let is_index = module.value_type(number).scalar() == Some(ScalarType::Index);
    let number = match module.value(number).def {
        Def::Result(id, _) if is_index && in_every_iteration(&id) => Some(number),
        _ => None,
    };
    let (first, step) = (line.first % period, line.step % period);
    Some(RotatingTile { around: line.around, first, step, period, distance, bytes, number })
}

/// A number that grows by a constant per iteration of a loop.
#[derive(Clone, Copy)]
struct LinearNumber {
    around: OpId,
    block: BlockId,
    first: u64,
    step: u64,
    /// An upper bound of all intermediate values, if known.
    highest: Option<u64>,
    /// An intermediate value has fewer than 64 bits.
    is_short: bool,
}

impl LinearNumber {
    /// Applies a linear function.
    fn changed(self, first: Option<u64>, step: Option<u64>, highest: impl FnOnce(u64) -> Option<u64>) -> Option<Self> {
        let highest = match self.highest {
            Some(n) => Some(highest(n)?.max(n)),
            None => None,
        };
        Some(Self { first: first?, step: step?, highest, ..self })
    }
}

/// Limit of terms of sums and products.
const MANY_PARTS: u32 = 32;

/// Traces numbers back to a loop counter.
struct Follow<'a> {
    checked: &'a Checked,
    owners: &'a FastMap<BlockId, OpId>,
}

impl Follow<'_> {
    fn fixed(&self, value: ValueId) -> Option<u64> {
        self.checked.info().constant(value).and_then(|n| u64::try_from(n).ok())
    }

    /// The operation that computes a number, and its operands.
    fn made(&self, value: ValueId) -> Option<(Option<Arith>, Vec<ValueId>)> {
        let module = self.checked.module();
        match module.value(value).def {
            Def::Result(id, _) => Some((module.arith(id), module.operands(id).iter().map(|o| o.value).collect())),
            _ => None,
        }
    }

    fn bits(&self, value: ValueId) -> Option<u32> {
        match self.checked.module().value_type(value).scalar()? {
            ScalarType::Elem(d) => Some(d.bits()),
            ScalarType::Index => Some(64),
            _ => None,
        }
    }

    /// True when a number, or the one it is cast from, has fewer than 64 bits.
    fn is_short(&self, mut value: ValueId) -> bool {
        loop {
            if self.bits(value).is_none_or(|bits| bits < 64) {
                return true;
            }
            match self.made(value) {
                Some((Some(Arith::IndexCast), operands)) if !operands.is_empty() => value = operands[0],
                _ => return false,
            }
        }
    }

    fn through_casts(&self, mut value: ValueId) -> Option<ValueId> {
        let is_wide = |value: ValueId| self.bits(value).is_some_and(|bits| bits >= 32);
        while let Some((Some(Arith::IndexCast), operands)) = self.made(value).filter(|_| is_wide(value)) {
            value = *operands.first()?;
        }
        is_wide(value).then_some(value)
    }

    /// The dividend and the divisor, if a number is a remainder.
    fn remainder(&self, value: ValueId) -> Option<(ValueId, u64)> {
        let (code, operands) = self.made(value)?;
        let [dividend, by] = operands[..] else { return None };
        let by = self.fixed(by)?;
        let period = match code {
            Some(Arith::RemUnsigned | Arith::RemSigned) => by,
            // A mask of the lowest bits.
            Some(Arith::And) => by.checked_add(1).filter(|n| n.is_power_of_two())?,
            _ => return None,
        };
        (period > 0).then_some((dividend, period))
    }

    /// A loop counter with constants added, multiplied or divided.
    fn line(&self, value: ValueId, depth: u32) -> Option<LinearNumber> {
        let inner = self.through_casts(value).filter(|_| depth < MANY_PARTS)?;
        let is_short = self.is_short(value);
        let found = match self.made(inner) {
            Some((code, operands)) => {
                let [a, b] = operands[..] else { return None };
                let (part, by) = match self.fixed(b) {
                    Some(n) => (a, n),
                    None if matches!(code, Some(Arith::Add | Arith::Mul)) => (b, self.fixed(a)?),
                    None => return None,
                };
                changed(code, by, self.line(part, depth + 1)?)?
            }
            None => self.index(inner)?,
        };
        Some(LinearNumber { is_short: found.is_short || is_short, ..found })
    }

    fn index(&self, value: ValueId) -> Option<LinearNumber> {
        let module = self.checked.module();
        let Def::Arg(block, 0) = module.value(value).def else { return None };
        let around = *self.owners.get(&block).filter(|id| module.control(**id) == Some(Control::For))?;
        let bounds: Vec<ValueId> = module.operands(around).iter().map(|o| o.value).collect();
        let [lower, upper, step, ..] = bounds[..] else { return None };
        let (first, step) = (self.fixed(lower)?, self.fixed(step)?);
        Some(LinearNumber { around, block, first, step, highest: self.fixed(upper), is_short: false })
    }
}

fn changed(how: Option<Arith>, by: u64, line: LinearNumber) -> Option<LinearNumber> {
    let divided = |by: u64, line: LinearNumber| {
        // Otherwise several iterations have the same number.
        (by > 0 && line.step.is_multiple_of(by)).then_some(LinearNumber {
            first: line.first / by,
            step: line.step / by,
            ..line
        })
    };
    match how? {
        Arith::Add => line.changed(line.first.checked_add(by), Some(line.step), |n| n.checked_add(by)),
        Arith::Mul => line.changed(line.first.checked_mul(by), line.step.checked_mul(by), |n| n.checked_mul(by)),
        Arith::ShiftLeft => {
            let by = 1u64.checked_shl(u32::try_from(by).ok()?)?;
            line.changed(line.first.checked_mul(by), line.step.checked_mul(by), |n| n.checked_mul(by))
        }
        Arith::DivUnsigned | Arith::DivSigned | Arith::FloorDivSigned => divided(by, line),
        Arith::ShiftRightUnsigned | Arith::ShiftRightSigned => {
            divided(1u64.checked_shl(u32::try_from(by).ok()?)?, line)
        }
        _ => None,
    }
}
