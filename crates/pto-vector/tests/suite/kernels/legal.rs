//! Operands that an instruction takes, found by asking the rules of its row.

use pto_isa::row::AttrKind;
use pto_isa::row::{ElemRule, Slot, SlotCount, SlotKind};
use pto_isa::rules::{AttrValue, Instance, RuleArg};
use pto_isa::{BLayout, DType, Dim, Loc, Op, SLayout, ScalarType, Target, TileType, Type};
use std::fmt;

/// The valid region of a destination, the columns of its tile, and elements between its rows.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub rows: u64,
    pub cols: u64,
    pub stored: u64,
    pub gap: u64,
}

/// The operand of a slot.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Tile(TileType),
    Scalar(DType),
}

/// Everything an instruction is given, by slot.
#[derive(Clone, Debug)]
pub struct Operands {
    pub list: Vec<(usize, Operand)>,
    pub attrs: Vec<(&'static str, AttrValue<'static>)>,
    pub shape: Shape,
}

impl fmt::Display for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (slot, operand) in &self.list {
            match operand {
                Operand::Tile(ty) => write!(f, "{slot}: {ty}; ")?,
                Operand::Scalar(dtype) => write!(f, "{slot}: {dtype}; ")?,
            }
        }
        write!(f, "{:?}", self.attrs)
    }
}

impl Operands {
    pub fn tiles(&self) -> impl Iterator<Item = (usize, &TileType)> {
        self.list.iter().filter_map(|(s, o)| match o {
            Operand::Tile(ty) => Some((*s, ty)),
            Operand::Scalar(_) => None,
        })
    }

    pub fn tile(&self, slot: usize) -> (&TileType, usize) {
        self.tiles().find(|(s, _)| *s == slot).map(|(s, ty)| (ty, s)).expect("a tile")
    }

    /// The element type of the first tile.
    pub fn dtype(&self) -> Option<DType> {
        self.tiles().next().map(|(_, ty)| ty.dtype)
    }

    /// Cuts all tiles into boxes.
    pub fn boxed(&mut self) {
        for (_, operand) in &mut self.list {
            if let Operand::Tile(ty) = operand {
                *ty = ty.layout(BLayout::RowMajor, SLayout::RowMajor, 512);
                ty.rows = ty.rows.next_multiple_of(16);
            }
        }
    }

    pub fn with_instance<T>(&self, op: Op, target: Target, f: impl FnOnce(Instance) -> T) -> T {
        let types: Vec<(usize, Type)> = self
            .list
            .iter()
            .map(|(s, o)| match o {
                Operand::Tile(ty) => (*s, Type::TileBuf(*ty)),
                Operand::Scalar(dtype) => (*s, Type::Scalar(ScalarType::Elem(*dtype))),
            })
            .collect();
        let args: Vec<RuleArg> = types.iter().map(|(s, ty)| RuleArg { slot: *s as u8, ty, value: None }).collect();
        f(Instance { row: op.row(), target, manual: false, args: &args, attrs: &self.attrs })
    }

    fn is_legal(&self, op: Op, target: Target) -> bool {
        let whole = |ty: &TileType| ty.broken_rules().is_empty() && ty.dtype.bits() >= 8;
        self.tiles().all(|(_, ty)| whole(ty)) && self.with_instance(op, target, |i| i.is_legal())
    }
}

/// How a tile relates to the shape of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Full,
    /// One column, column-major.
    Column,
    /// One row, stored alone or as the first of many.
    Row,
    FirstRow,
    /// 32 bytes in each row.
    Block,
    /// One valid column of many.
    FirstColumn,
    /// Fewer rows, fewer columns.
    FewRows,
    FewColumns,
    /// One bit for each element.
    Mask,
}

impl Form {
    const ALL: [Self; 9] = [
        Self::Full,
        Self::Column,
        Self::Row,
        Self::FirstRow,
        Self::Block,
        Self::FirstColumn,
        Self::FewRows,
        Self::FewColumns,
        Self::Mask,
    ];

    fn tile(self, dtype: DType, shape: Shape) -> TileType {
        let block = 32 / u64::from(dtype.unit_bytes());
        let Shape { rows, cols, stored, .. } = shape;
        let new = |r: u64, c: u64| TileType::new(Loc::Vec, dtype, r.max(1), c);
        let valid = |t: TileType, r, c| t.valid(Dim::Fixed(r), Dim::Fixed(c));
        match self {
            Self::Full => valid(new(rows, stored), rows, cols),
            Self::Column => valid(
                new(rows.next_multiple_of(block).max(block), 1).layout(BLayout::ColMajor, SLayout::NoneBox, 512),
                rows,
                cols.min(1),
            ),
            Self::Row => valid(new(1, stored), rows.min(1), cols),
            Self::FirstRow => valid(new(rows, stored), rows.min(1), cols),
            Self::Block => valid(new(rows, block), rows, block),
            Self::FirstColumn => valid(new(rows, stored), rows, cols.min(1)),
            Self::FewRows => valid(new(rows, stored), rows / 2, cols),
            Self::FewColumns => valid(new(rows, stored), rows, cols / 2),
            Self::Mask => valid(new(rows, stored), rows, cols.div_ceil(8)),
        }
    }
}

/// What a slot holds, independent of shape and element type.
#[derive(Clone, Copy, Debug)]
enum Plan {
    Tile(Form),
    Scalar,
}

/// Operands for every element type, form and shape, on the host.
pub fn all(op: Op, shapes: &[Shape]) -> Vec<Operands> {
    on(op, shapes, Target::Cpu)
}

/// Operands that a target accepts.
pub fn on(op: Op, shapes: &[Shape], target: Target) -> Vec<Operands> {
    let sample = Shape { rows: 8, cols: 64, stored: 64, gap: 0 };
    let (mut plans, mut found) = (plans(op), Vec::new());
    let (mut narrowed, mut turn) = (false, 0);
    for types in types(op, target) {
        // Which forms go together hardly depends on the types: what the first ones do not take, the others will not.
        if !narrowed && plans.iter().any(|p| operands(p, &types, sample).is_legal(op, target)) {
            plans.retain(|p| operands(p, &types, sample).is_legal(op, target));
            narrowed = true;
        }
        // Of very many plans, each shape gets some, and each plan some shapes.
        let part = plans.len().div_ceil(16);
        for (at, plan) in plans.iter().enumerate().filter(|_| narrowed) {
            for (_, &shape) in shapes.iter().enumerate().filter(|(s, _)| (at + s) % part == 0) {
                let plain = operands(plan, &types, shape);
                turn += 1;
                let both = [with_attribute(op, plain.clone(), turn), plain];
                found.extend(both.into_iter().find(|o| o.is_legal(op, target)));
            }
        }
    }
    // Of very many operands some will do; the steps must not fall together with those of the shapes.
    let step = found.len().div_ceil(1500);
    found
        .into_iter()
        .step_by(if step > 1 && step.is_multiple_of(shapes.len()) { step + 1 } else { step.max(1) })
        .collect()
}

fn operands(plan: &[(usize, Plan)], types: &[DType], shape: Shape) -> Operands {
    let operand = |&(slot, plan): &(usize, Plan)| match plan {
        Plan::Tile(form) => (slot, Operand::Tile(form.tile(types[slot], shape))),
        Plan::Scalar => (slot, Operand::Scalar(types[slot])),
    };
    Operands { list: plan.iter().map(operand).collect(), attrs: Vec::new(), shape }
}

/// The slots that must be filled.
fn slots(op: Op) -> Vec<(usize, &'static Slot)> {
    op.row().slots.iter().enumerate().filter(|(_, s)| s.count == SlotCount::One).collect()
}

/// Every way to fill the slots with forms, at least one of them the full one. Many slots get fewer forms.
fn plans(op: Op) -> Vec<Vec<(usize, Plan)>> {
    const FEW: [Form; 3] = [Form::Full, Form::FewRows, Form::FewColumns];
    let mut plans = vec![Vec::new()];
    let forms: &[Form] = if slots(op).len() > 4 { &FEW } else { &Form::ALL };
    for (at, slot) in slots(op) {
        let tiles = || forms.iter().copied().map(Plan::Tile);
        let choices: Vec<Plan> = match slot.kind {
            SlotKind::Tile => tiles().collect(),
            SlotKind::TileOrScalar => tiles().chain([Plan::Scalar]).collect(),
            SlotKind::Scalar | SlotKind::Int | SlotKind::Float => vec![Plan::Scalar],
            _ => return Vec::new(),
        };
        plans = plans.iter().flat_map(|p| choices.iter().map(move |c| [&p[..], &[(at, *c)]].concat())).collect();
    }
    plans.retain(|p| p.iter().any(|(_, plan)| matches!(plan, Plan::Tile(Form::Full))));
    plans
}

/// Element types by slot, as far as the slots themselves say.
fn types(op: Op, target: Target) -> Vec<Vec<DType>> {
    let row = op.row();
    let data: Vec<DType> = row.data_types(target).iter().filter(|d| d.bits() >= 8).collect();
    let mut all = Vec::new();
    for first in if data.is_empty() { vec![DType::F32] } else { data } {
        let mut combinations = vec![Vec::new()];
        for slot in row.slots {
            let choices: Vec<DType> = match slot.elem {
                _ if slot.count != SlotCount::One => vec![first],
                ElemRule::Data => vec![first],
                ElemRule::Of(set) => set.iter().filter(|d| d.bits() >= 8).collect(),
                ElemRule::Like(_) => Vec::new(),
                ElemRule::Any => DType::ALL.into_iter().filter(|d| d.bits() >= 8).collect(),
            };
            combinations = combinations
                .iter()
                .flat_map(|c: &Vec<DType>| {
                    let like = match slot.elem {
                        ElemRule::Like(name) => row.slot(name).and_then(|s| c.get(s)).copied(),
                        _ => None,
                    };
                    let choices = like.map_or(choices.clone(), |d| vec![d]);
                    choices.into_iter().map(move |d| [&c[..], &[d]].concat())
                })
                .collect();
        }
        all.extend(combinations);
    }
    all
}

/// Gives the operands one value of one enumeration, or none: every time the next.
fn with_attribute(op: Op, mut operands: Operands, turn: usize) -> Operands {
    let mut choices = vec![None];
    for attr in op.row().attrs {
        if let AttrKind::Enum(def) = attr.kind {
            choices.extend((0..def.values.len()).map(|i| Some((attr.name, AttrValue::Enum(def, i)))));
        }
    }
    operands.attrs.extend(choices[turn % choices.len()]);
    operands
}
