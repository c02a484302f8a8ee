//! Tiles: where their memory is, and instructions on them.

use super::shapes::SizeClass;
use super::{INDEX, ProgramMaker};
use crate::programs::can_be_values;
use pto::ir::{Attr, ValueId};
use pto::isa::fill::Filling;
use pto::isa::row::{Aliasing, CostClass, Dir, Domain, ElemRule, Infer};
use pto::isa::rules::mask_type;
use pto::isa::table::op;
use pto::isa::{DType, Dim, Loc, Row, ScalarType, TileType, Type};

/// A tile of the program.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TileVar {
    pub(super) value: ValueId,
    pub(super) ty: TileType,
    /// A value of level 1; otherwise a buffer.
    pub(super) is_value: bool,
    /// The memory it may lie in.
    pub(super) roots: Vec<Root>,
    /// The valid extents that the type leaves open.
    pub(super) extents: (u64, u64),
    /// The whole physical tile is defined.
    pub(super) defined: bool,
    /// And it lies in one piece.
    pub(super) solid: bool,
    /// Nothing else is this tile, so its valid region may be changed.
    pub(super) single: bool,
    /// Floats in memory that is read as integers, too: nothing is written, as the bits of a NaN would show.
    pub(super) exposed: bool,
}

/// A piece of memory that a tile was given, or a part of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Root {
    pub(super) id: usize,
    pub(super) part: RootPart,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum RootPart {
    Whole,
    /// First row and column, rows and columns.
    Rect([u64; 4]),
    /// First byte and the one after the last.
    Bytes(u64, u64),
}

/// Tiles with addresses are all in one piece of memory.
const ADDRESSED: usize = usize::MAX;

impl Root {
    fn is_disjoint(&self, other: &Self) -> bool {
        let apart = |a: u64, an: u64, b: u64, bn: u64| a + an <= b || b + bn <= a;
        self.id != other.id
            || match (self.part, other.part) {
                (RootPart::Rect([r, c, h, w]), RootPart::Rect([r2, c2, h2, w2])) => {
                    apart(r, h, r2, h2) || apart(c, w, c2, w2)
                }
                (RootPart::Bytes(a, b), RootPart::Bytes(c, d)) => b <= c || d <= a,
                _ => false,
            }
    }
}

impl TileVar {
    /// A buffer about which nothing is known yet.
    pub(super) fn new(value: ValueId, ty: TileType, roots: Vec<Root>, extents: (u64, u64)) -> Self {
        let (defined, solid, single, exposed) = (false, false, false, false);
        Self { value, ty, is_value: false, roots, extents, defined, solid, single, exposed }
    }

    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        self.roots.iter().all(|r| other.roots.iter().all(|o| r.is_disjoint(o)))
    }

    pub(super) fn full_type(&self) -> Type {
        if self.is_value { Type::Tile(self.ty) } else { Type::TileBuf(self.ty) }
    }

    /// Valid rows and columns.
    pub(super) fn valid(&self) -> (u64, u64) {
        (self.ty.valid_rows.fixed().unwrap_or(self.extents.0), self.ty.valid_cols.fixed().unwrap_or(self.extents.1))
    }
}

impl ProgramMaker<'_> {
    // ---- memory -----------------------------------------------------------------------------------------------------

    pub(super) fn new_root(&mut self) -> Vec<Root> {
        self.roots += 1;
        vec![Root { id: self.roots, part: RootPart::Whole }]
    }

    /// An address for a tile, often that of an earlier one with elements of the same type.
    pub(super) fn address(&mut self, ty: &TileType) -> Option<u64> {
        let size = self.set.target.profile().space(ty.loc).map_or(0, |s| s.bytes);
        let old: Vec<u64> =
            self.placed.iter().filter(|p| p.2 == ty.dtype && p.0 + ty.bytes() <= p.1).map(|p| p.0).collect();
        if let Some(&start) = self.rng.choose(&old)
            && self.rng.chance(30)
        {
            return Some(start);
        }
        let start = self.free.next_multiple_of(64);
        let end = start + ty.bytes();
        if end > size {
            return None;
        }
        self.free = end;
        self.placed.push((start, end, ty.dtype));
        Some(start)
    }

    pub(super) fn addressed(&self, start: u64, ty: &TileType) -> Vec<Root> {
        vec![Root { id: ADDRESSED, part: RootPart::Bytes(start, start + ty.bytes()) }]
    }

    /// A buffer that holds nothing yet.
    pub(super) fn allocate(&mut self, ty: &TileType, extents: (u64, u64)) -> Option<TileVar> {
        let mut operands = Vec::new();
        let roots = if self.manual && ty.loc == Loc::Vec {
            let start = self.address(ty)?;
            let i64_type = Type::Scalar(ScalarType::Elem(DType::I64));
            let number = self.builder.int(start as i64, &i64_type);
            let at = self.emit_with(op::arith_constant, &[], ("result", i64_type), vec![("value", number)]);
            operands.push(("addr", at));
            self.addressed(start, ty)
        } else if self.manual {
            return None;
        } else {
            self.new_root()
        };
        for (slot, dim, extent) in [("valid_row", ty.valid_rows, extents.0), ("valid_col", ty.valid_cols, extents.1)] {
            if dim == Dim::Dynamic {
                operands.push((slot, self.known(extent as i64)));
            }
        }
        let value = self.emit(op::alloc_tile, &operands, ("result", Type::TileBuf(*ty)));
        let var = TileVar { single: true, ..TileVar::new(value, *ty, roots, extents) };
        let whole = var.valid() == (ty.rows, ty.cols);
        Some(TileVar { defined: whole, solid: whole, ..var })
    }

    /// A new buffer filled from memory.
    pub(super) fn loaded(&mut self, ty: &TileType, extents: (u64, u64)) -> Option<TileVar> {
        if !self.can_load(ty) {
            return None;
        }
        let tile = self.allocate(ty, extents)?;
        self.load(&tile);
        self.frame.tiles.push(tile.clone());
        Some(tile)
    }

    // ---- instructions -------------------------------------------------------------------------------------------------

    pub(super) fn instruction(&mut self) {
        if let Some((filling, class)) = self.choose() {
            self.use_of(&filling, &class);
        }
    }

    fn use_of(&mut self, filling: &Filling, class: &SizeClass) -> Option<()> {
        let row = filling.op.row();
        let extents = (class.rows, class.cols);
        let value_form = self.rng.chance(35) && can_be_values(row, filling) && self.is_defined(row, filling);
        let mut tiles: Vec<(u8, TileVar)> = Vec::new();
        let mut operands = Vec::new();
        for (slot, ty) in &filling.types {
            let at = row.slot_at(usize::from(*slot));
            match ty {
                Type::TileBuf(_) if at.dir != Dir::In => {}
                Type::TileBuf(tile) => {
                    let scratch = row.scratch.is_some_and(|s| s.slot == at.name);
                    let var = if scratch { self.allocate(tile, extents)? } else { self.source(tile, extents)? };
                    tiles.push((*slot, var));
                }
                other => operands.push((*slot, self.operand_scalar(other))),
            }
        }
        let mut results = Vec::new();
        for (slot, ty) in &filling.types {
            match ty {
                Type::TileBuf(tile) if row.slot_at(usize::from(*slot)).dir != Dir::In => {
                    if value_form {
                        results.push((*slot, *tile));
                    } else {
                        let var = self.destination(row, tile, extents, &tiles)?;
                        tiles.push((*slot, var));
                    }
                }
                _ => {}
            }
        }
        operands.extend(tiles.iter().map(|(slot, var)| (*slot, var.value)));
        operands.sort_by_key(|(slot, _)| *slot);
        let names: Vec<String> = results.iter().map(|_| self.name("t")).collect();
        let typed: Vec<(u8, &str, Type)> =
            results.iter().zip(&names).map(|((s, t), n)| (*s, n.as_str(), Type::Tile(*t))).collect();
        let values = self.builder.filling(filling, &operands, &typed);
        for (value, (_, ty)) in values.into_iter().zip(&results) {
            let roots = self.new_root();
            self.frame.tiles.push(TileVar { is_value: true, ..TileVar::new(value, *ty, roots, extents) });
        }
        Some(())
    }

    /// Every valid element of a new tile is written, and its valid region follows from an operand.
    fn is_defined(&self, row: &Row, filling: &Filling) -> bool {
        let whole = |name: &'static str| row.domain == Domain::Valid(name) || row.domain == Domain::Whole(name);
        // A reduction gives one row or one column, however large its destination is.
        let one = |t: &TileType| match row.cost {
            CostClass::RowReduce => t.valid_cols == Dim::Fixed(1),
            CostClass::ColReduce => t.valid_rows == Dim::Fixed(1),
            _ => false,
        };
        let open = |t: &TileType| t.valid_rows == Dim::Dynamic || t.valid_cols == Dim::Dynamic;
        filling.types.iter().all(|(slot, ty)| {
            let slot = row.slot_at(usize::from(*slot));
            let Some(tile) = ty.tile().filter(|_| slot.is_result()) else { return true };
            let mask = match slot.infer {
                Infer::MaskFor(name) => tile_in(filling, name).is_some_and(|t| *tile == mask_type(t)),
                _ => true,
            };
            mask && (whole(slot.name) || one(tile)) && (!open(tile) || matches!(slot.infer, Infer::Like(_)))
        })
    }

    /// Tiles that may be used here.
    pub(super) fn visible(&self) -> impl Iterator<Item = &TileVar> {
        self.frame.tile_params.iter().chain(&self.frame.tiles)
    }

    /// A tile to read.
    fn source(&mut self, ty: &TileType, extents: (u64, u64)) -> Option<TileVar> {
        let fit: Vec<TileVar> =
            self.visible().filter(|t| t.ty == *ty && t.valid() == valid_of(ty, extents)).cloned().collect();
        match self.rng.choose(&fit).cloned() {
            Some(var) if self.rng.chance(85) => Some(var),
            _ => self.tile_param(ty, extents).or_else(|| self.loaded(ty, extents)),
        }
    }

    /// Functions take tiles, too.
    fn tile_param(&mut self, ty: &TileType, extents: (u64, u64)) -> Option<TileVar> {
        let taken = self.frame.params.iter().filter(|(p, _)| matches!(p, super::Purpose::Tile(..))).count();
        let chance = if self.frame.main { 4 } else { 60 };
        if taken >= 3 || !self.can_load(ty) || !self.rng.chance(chance) {
            return None;
        }
        let value = self.new_param(super::Purpose::Tile(*ty, extents), &Type::TileBuf(*ty));
        let roots = self.new_root();
        // A caller only promises the valid elements.
        let defined = self.frame.main && valid_of(ty, extents) == (ty.rows, ty.cols);
        let solid = defined;
        let var = TileVar { defined, solid, ..TileVar::new(value, *ty, roots, extents) };
        self.frame.tile_params.push(var.clone());
        Some(var)
    }

    /// A buffer to write, which the other operands may be only where the row allows it.
    fn destination(
        &mut self,
        row: &Row,
        ty: &TileType,
        extents: (u64, u64),
        others: &[(u8, TileVar)],
    ) -> Option<TileVar> {
        let in_place = match row.alias {
            Aliasing::InPlace => true,
            Aliasing::Distinct(on) => !on.contains(self.set.target),
            Aliasing::None => false,
        };
        let allowed = |t: &TileVar| {
            others.iter().all(|(slot, o)| {
                let at = row.slot_at(usize::from(*slot));
                let scratch = row.scratch.is_some_and(|s| s.slot == at.name);
                // A mask or an index is not of the kind of the destination, even if its type is the same.
                let alike = in_place && !scratch && at.dir == Dir::In && at.elem == ElemRule::Data;
                t.is_disjoint(o) || (alike && t.value == o.value)
            })
        };
        let fits =
            |t: &TileVar| !t.is_value && !t.exposed && t.ty == *ty && t.valid() == valid_of(ty, extents) && allowed(t);
        let fit: Vec<TileVar> = self.visible().filter(|t| fits(t)).cloned().collect();
        match self.rng.choose(&fit).cloned() {
            Some(var) if self.rng.chance(70) => Some(var),
            _ => {
                let var = self.loaded(ty, extents)?;
                // Addresses are used again, so even a new one may overlap.
                let apart = others.iter().all(|(_, o)| var.is_disjoint(o));
                apart.then_some(var)
            }
        }
    }

    pub(super) fn index_constant(&mut self, n: i64) -> ValueId {
        let number: Attr = self.builder.int(n, &INDEX);
        self.emit_with(op::arith_constant, &[], ("result", INDEX), vec![("value", number)])
    }
}

/// The type of the tile in a slot.
fn tile_in<'f>(filling: &'f Filling, name: &str) -> Option<&'f TileType> {
    let slot = filling.op.row().slot(name)?;
    filling.types.iter().find(|(s, _)| usize::from(*s) == slot)?.1.tile()
}

pub(super) fn valid_of(ty: &TileType, extents: (u64, u64)) -> (u64, u64) {
    (ty.valid_rows.fixed().unwrap_or(extents.0), ty.valid_cols.fixed().unwrap_or(extents.1))
}
