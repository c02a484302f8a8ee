//! What may stand in a slot or attribute, most ordinary first.
//!
//! The lists are short and blind to what the other slots hold: the search combines them and lets the rules decide.

use crate::row::{AttrKind, AttrSpec, ElemRule, Infer, SlotKind};
use crate::rules::AttrValue;
use crate::sort::SharedSort;
use crate::{
    BLayout, DType, DTypes, Dim, Loc, PtrSpace, Row, SLayout, ScalarType, Slot, Target, TileType, Token, Type, ViewType,
};

/// Rows and columns of an ordinary tile.
const SIDE: u64 = 32;

/// Element types in the order a reader expects them.
pub(super) const PREFERRED: [DType; DType::COUNT] = {
    use DType::*;
    [F32, F16, I32, I16, Bf16, U32, U16, I8, U8, I64, U64, F8E4M3, F8E5M2, F8E8M0, Hif8, F4E2M1, F4E1M2, I4]
};

/// The members of a set in that order.
pub(super) fn preferred(set: DTypes) -> impl Iterator<Item = DType> {
    PREFERRED.into_iter().filter(move |&d| set.contains(d))
}

/// The types that may stand in a slot when the row works on `data`.
pub(super) fn types(row: &Row, slot: &Slot, data: DType, target: Target) -> Vec<Type> {
    if let Infer::Fixed(fixed) = slot.infer {
        return vec![fixed.ty()];
    }
    let dtypes = dtypes(row, slot, data);
    let scalar = |list: &[ScalarType]| list.iter().map(|s| Type::Scalar(*s)).collect();
    let int = [ScalarType::Elem(DType::I32), ScalarType::Elem(DType::I64), ScalarType::Index];
    match slot.kind {
        SlotKind::Tile => ranked(tiles(slot, &dtypes, target)),
        SlotKind::TileOrScalar => scalars(&dtypes).chain(ranked(tiles(slot, &dtypes, target))).collect(),
        SlotKind::TileOrView => ranked(tiles(slot, &dtypes, target)).into_iter().chain(views(&dtypes)).collect(),
        SlotKind::View => views(&dtypes).collect(),
        SlotKind::MultiTile => vec![Type::MultiTile(TileType::new(Loc::Vec, data, SIDE, SIDE), 2)],
        SlotKind::Scalar => scalars(&dtypes).collect(),
        SlotKind::Int => scalar(&int),
        SlotKind::Float => scalar(&[ScalarType::Elem(DType::F32)]),
        SlotKind::Index => scalar(&[ScalarType::Index]),
        SlotKind::Bool => scalar(&[ScalarType::I1]),
        SlotKind::Ptr => dtypes.iter().map(|&d| Type::Ptr(ScalarType::Elem(d), PtrSpace::Default)).collect(),
        SlotKind::Pipe => vec![Type::Token(Token::Pipe)],
        SlotKind::Event => vec![Type::Token(Token::Event)],
        SlotKind::Session => vec![Type::Token(Token::AsyncSession)],
        SlotKind::AsyncEvent => vec![Type::Token(Token::AsyncEvent)],
        SlotKind::EventIds => vec![Type::EventIds(2)],
        SlotKind::Vector => {
            vec![Type::Vector(ViewType { dims: [Dim::Fixed(4)].into(), elem: ScalarType::Elem(DType::I16) })]
        }
        SlotKind::Any => scalar(&int),
    }
}

/// Element types of a slot: the row's, those the slot lists, or any, starting with the row's.
fn dtypes(row: &Row, slot: &Slot, data: DType) -> Vec<DType> {
    let any = || std::iter::once(data).chain(PREFERRED.into_iter().filter(move |&d| d != data));
    match slot.elem {
        ElemRule::Data => vec![data],
        ElemRule::Of(set) => any().filter(|&d| set.contains(d)).collect(),
        ElemRule::Like(other) => match row.slot(other).map(|at| row.slot_at(at)) {
            Some(other) if other.elem != ElemRule::Like(slot.name) => dtypes(row, other, data),
            _ => vec![data],
        },
        ElemRule::Any => any().collect(),
    }
}

fn scalars(dtypes: &[DType]) -> impl Iterator<Item = Type> {
    dtypes.iter().map(|&d| Type::Scalar(ScalarType::Elem(d)))
}

fn views(dtypes: &[DType]) -> impl Iterator<Item = Type> {
    let dims = [Dim::Fixed(SIDE), Dim::Fixed(SIDE)];
    dtypes.iter().map(move |&d| Type::PartitionView(ViewType { dims: dims.into(), elem: ScalarType::Elem(d) }))
}

/// Tiles by rank: how far each is from the ordinary one of the ordinary element type.
fn tiles(slot: &Slot, dtypes: &[DType], target: Target) -> Vec<(usize, TileType)> {
    let mut list = Vec::new();
    for (unusual, loc) in slot.locs.iter().filter(|&l| target.profile().space(l).is_some()).enumerate() {
        for (rare, &dtype) in dtypes.iter().enumerate() {
            let fits = |t: &TileType| t.broken_rules().is_empty() && slot.orders.contains(t.order());
            let shapes = shapes(loc, dtype, target).into_iter().filter(fits);
            list.extend(shapes.enumerate().map(|(rank, tile)| (unusual + rare + rank, tile)));
        }
    }
    list
}

fn ranked(mut tiles: Vec<(usize, TileType)>) -> Vec<Type> {
    tiles.shared_sort_by_key(|(rank, _)| *rank);
    tiles.into_iter().map(|(_, tile)| Type::TileBuf(tile)).collect()
}

/// The shapes and layouts tiles of a memory come in.
fn shapes(loc: Loc, dtype: DType, target: Target) -> Vec<TileType> {
    let tile = |rows, cols| TileType::new(loc, dtype, rows, cols);
    let nz = |t: TileType| t.layout(BLayout::ColMajor, SLayout::RowMajor, 512);
    match loc {
        Loc::Vec => vector_shapes(dtype),
        Loc::Mat => vec![nz(tile(SIDE, SIDE)), tile(1, SIDE), tile(SIDE, SIDE), nz(tile(2 * SIDE, 2 * SIDE))],
        Loc::Left => vec![tile(SIDE, SIDE).layout(target.profile().left_order, SLayout::RowMajor, 512)],
        Loc::Right => vec![tile(SIDE, SIDE).layout(BLayout::RowMajor, SLayout::ColMajor, 512)],
        Loc::Acc => vec![tile(SIDE, SIDE).layout(BLayout::ColMajor, SLayout::RowMajor, 1024)],
        _ => vec![tile(1, SIDE), tile(SIDE, SIDE)],
    }
}

fn vector_shapes(dtype: DType) -> Vec<TileType> {
    let tile = |rows, cols| TileType::new(Loc::Vec, dtype, rows, cols);
    let valid = |t: TileType, rows, cols| t.valid(Dim::Fixed(rows), Dim::Fixed(cols));
    let block = 32 / u64::from(dtype.unit_bytes());
    vec![
        tile(SIDE, SIDE),
        // One value per row: a column, a block per row, or the first column of a full tile.
        tile(SIDE, 1).layout(BLayout::ColMajor, SLayout::NoneBox, 512),
        tile(SIDE, block),
        valid(tile(SIDE, SIDE), SIDE, 1),
        // One value per column.
        tile(1, SIDE),
        // One bit per element.
        valid(tile(SIDE, SIDE), SIDE, SIDE / 8),
        // Room for a row more.
        tile(SIDE * 2, SIDE),
        tile(SIDE / 2, SIDE),
        tile(SIDE, SIDE * 2),
        tile(SIDE / 2, SIDE / 2),
        tile(SIDE, SIDE).layout(BLayout::ColMajor, SLayout::RowMajor, 512),
        tile(SIDE, SIDE).layout(BLayout::ColMajor, SLayout::NoneBox, 512),
    ]
}

/// Values of an attribute; none if its kind has no meaningful ones.
pub fn values(spec: &AttrSpec) -> Vec<AttrValue<'static>> {
    match spec.kind {
        AttrKind::Enum(e) | AttrKind::EnumOr(e, _) => (0..e.values.len()).map(|at| AttrValue::Enum(e, at)).collect(),
        AttrKind::Int(low, high) => {
            [low, low.saturating_add(1), 16].into_iter().filter(|n| *n <= high).map(AttrValue::Int).collect()
        }
        AttrKind::OneOf(list) => list.iter().map(|n| AttrValue::Int(*n)).collect(),
        AttrKind::Bool => vec![AttrValue::Bool(true), AttrValue::Bool(false)],
        AttrKind::Str => vec![AttrValue::Str("name")],
        AttrKind::Unit => vec![AttrValue::Other],
        AttrKind::Symbol | AttrKind::Ints | AttrKind::Any => Vec::new(),
    }
}
