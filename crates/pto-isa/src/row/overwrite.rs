//! What an instruction may write over.

use super::{Aliasing, Dir, Domain, ElemRule, Row, Scratch};
use crate::rules::{Instance, Rule};
use crate::{Target, Targets, TileType};

impl Row {
    /// The operands that an elementwise operation wants to be valid in the same region, its destination among them, and the
    /// destination. `None` for other operations.
    pub fn same_region(&self, target: Target) -> Option<(&'static [&'static str], &'static str)> {
        let Domain::Valid(dst) = self.domain else { return None };
        self.shape_rules.iter().find_map(|(targets, rule)| match rule {
            Rule::SameValid(slots) if targets.contains(target) && self.reads_into(slots, dst) => Some((*slots, dst)),
            _ => None,
        })
    }

    /// True when one of the operands is the destination and the others are read.
    fn reads_into(&self, slots: &[&str], dst: &str) -> bool {
        let is_read = |name: &&str| self.slot(name).is_some_and(|at| self.slot_at(at).dir == Dir::In);
        slots.contains(&dst) && slots.iter().filter(|name| **name != dst).all(is_read)
    }

    /// True when a destination may lie where an operand does, on all of some targets: the table allows it, and each element
    /// lies where the one lies that it is made from. The mask of a selection is no such operand, nor is the row that others are added to.
    ///
    /// ```
    /// use pto_isa::{DType, Loc, Targets, TileType, table};
    /// let row = table::find("tsel").expect("an instruction").row();
    /// let (data, mask) = (TileType::new(Loc::Vec, DType::F16, 16, 16), TileType::new(Loc::Vec, DType::I8, 16, 32));
    /// let slot = |name| row.slot(name).expect("a slot");
    /// assert!(row.may_overwrite(Targets::ALL, (slot("src0"), &data), (slot("dst"), &data)));
    /// assert!(!row.may_overwrite(Targets::ALL, (slot("mask"), &mask), (slot("dst"), &data)));
    /// ```
    pub fn may_overwrite(&self, targets: Targets, from: (usize, &TileType), to: (usize, &TileType)) -> bool {
        let ((from, source), (to, dest)) = (from, to);
        let allowed = match self.alias {
            Aliasing::InPlace => true,
            Aliasing::Distinct(distinct) => !targets.iter().any(|target| distinct.contains(target)),
            Aliasing::None => false,
        };
        let apart = |target| self.cpp.wants_apart(target, self.slots[to].name, self.slots[from].name);
        allowed
            && !self.harms_in_place(targets, (from, source), (to, dest))
            && !targets.iter().any(apart)
            && self.is_like(from, to)
            && source.lies_like(dest)
            && self.are_valid_alike(targets, (from, source), (to, dest))
    }

    fn is_like(&self, from: usize, to: usize) -> bool {
        match (self.slots.get(from), self.slots.get(to)) {
            (Some(from), Some(to)) => from.elem == to.elem || from.elem == ElemRule::Like(to.name),
            _ => false,
        }
    }

    fn are_valid_alike(&self, targets: Targets, from: (usize, &TileType), to: (usize, &TileType)) -> bool {
        let ((from, source), (to, dest)) = (from, to);
        let region = |t: &TileType| Some((t.valid_rows.fixed()?, t.valid_cols.fixed()?));
        if let (Some(a), Some(b)) = (region(source), region(dest)) {
            return a == b;
        }
        let names = [self.slots[from].name, self.slots[to].name];
        let in_rule =
            |target| self.same_region(target).is_some_and(|(slots, _)| names.iter().all(|n| slots.contains(n)));
        targets.iter().all(in_rule)
    }
}

impl TileType {
    /// True when elements of both lie at the same places, counted from the start.
    pub fn lies_like(&self, other: &Self) -> bool {
        let shape = |t: &Self| (t.loc, t.rows, t.cols, t.column_bits(), t.blayout, t.slayout, t.compact);
        shape(self) == shape(other) && (!self.is_boxed() || self.fractal == other.fractal)
    }
}

impl Scratch {
    /// True when a device works in the tile in this use of the instruction. The host never does.
    pub fn works_in(&self, i: &Instance) -> bool {
        i.target != Target::Cpu && self.is_used(i.target) && self.bytes.and_then(|bytes| bytes(i)) != Some(0)
    }

    /// True when the instruction uses the tile if it is given: where one device needs it, another that does not leaves it alone.
    pub fn is_used(&self, target: Target) -> bool {
        !self.ignored.contains(target) && (self.required.contains(target) || self.required == Targets::NONE)
    }
}
