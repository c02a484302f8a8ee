//! Row constructors for the shapes that most instructions have.
//!
//! A shape brings operands, locations, layouts, the valid-region relation, aliasing, pipe and cost class;
//! the row adds types, scalar function, C++ name and prose.

use crate::row::{Aliasing, CostClass, Domain, Effect, Infer, Orders, Pipes, Row, Slot, SlotKind};
use crate::rules::Rule;
use crate::{Dir, Pipe, Targets};

/// A tile that is read.
pub const fn tile_in(name: &'static str) -> Slot {
    Slot::new(name, Dir::In, SlotKind::Tile)
}

/// A tile that is written.
pub const fn tile_out(name: &'static str) -> Slot {
    Slot::new(name, Dir::Out, SlotKind::Tile)
}

/// A tile that is read and written.
pub const fn tile_inout(name: &'static str) -> Slot {
    Slot::new(name, Dir::InOut, SlotKind::Tile)
}

/// A vector-memory, row-major tile of the row's data types that is read.
pub const fn vec_in(name: &'static str) -> Slot {
    tile_in(name).vec().order(Orders::ROW_MAJOR).data()
}

/// A vector-memory, row-major tile of the row's data types that is written.
pub const fn vec_out(name: &'static str) -> Slot {
    tile_out(name).vec().order(Orders::ROW_MAJOR).data()
}

/// A scratch tile in vector memory that may be left out; its contents mean nothing before and after.
pub const fn scratch(name: &'static str) -> Slot {
    tile_in(name).vec().optional()
}

/// A scalar of the class of the row's data types.
pub const fn scalar_in(name: &'static str) -> Slot {
    Slot::new(name, Dir::In, SlotKind::Scalar).data()
}

/// An index operand.
pub const fn index_in(name: &'static str) -> Slot {
    Slot::new(name, Dir::In, SlotKind::Index)
}

/// A window of global memory that is read.
pub const fn view_in(name: &'static str) -> Slot {
    Slot::new(name, Dir::In, SlotKind::View)
}

/// A window of global memory that is written.
pub const fn view_out(name: &'static str) -> Slot {
    Slot::new(name, Dir::Out, SlotKind::View)
}

/// An operand of another kind that is read.
pub const fn value_in(name: &'static str, kind: SlotKind) -> Slot {
    Slot::new(name, Dir::In, kind)
}

/// A result that is a separate value.
pub const fn result(name: &'static str, kind: SlotKind) -> Slot {
    Slot::new(name, Dir::Out, kind)
}

const fn vector(cost: CostClass) -> Row {
    Row::EMPTY.pipe(Pipe::V).cost(cost).domain(Domain::Valid("dst")).alias(Aliasing::InPlace)
}

/// `dst = f(src)`
pub const UNARY: Row = vector(CostClass::VectorUnary)
    .slots(&[vec_in("src"), vec_out("dst").infer(Infer::Like("src"))])
    .shape_rules(&[(Targets::ALL, Rule::SameValid(&["src", "dst"]))]);

/// `dst = f(src0, src1)`
pub const BINARY: Row = vector(CostClass::VectorBinary)
    .slots(&[vec_in("src0"), vec_in("src1"), vec_out("dst").infer(Infer::Like("src0"))])
    .shape_rules(&[(Targets::ALL, Rule::SameValid(&["src0", "src1", "dst"]))]);

/// `dst = f(src0, src1)` with a scratch tile on some targets.
pub const BINARY_SCRATCH: Row =
    BINARY.slots(&[vec_in("src0"), vec_in("src1"), scratch("tmp"), vec_out("dst").infer(Infer::Like("src0"))]);

/// `dst = f(src, scalar)`
pub const TILE_SCALAR: Row = vector(CostClass::VectorScalar)
    .slots(&[vec_in("src"), scalar_in("scalar"), vec_out("dst").infer(Infer::Like("src"))])
    .shape_rules(&[(Targets::ALL, Rule::SameValid(&["src", "dst"]))]);

/// An instruction that orders others.
pub const SYNC: Row = Row::EMPTY.effect(Effect::Sync).cost(CostClass::Sync);

/// An operation that names memory or computes an address.
pub const VIEW_OP: Row = Row::EMPTY.effect(Effect::View).pipes(Pipes::None);
