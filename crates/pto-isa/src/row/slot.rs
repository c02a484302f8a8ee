//! Operand positions: what may stand in them.

use crate::text;
use crate::{DType, DTypes, Loc, Locs, Order, ScalarType, Token, Type};

/// An operand position of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The name in documentation, messages and the generic form.
    pub name: &'static str,
    /// Read, written, or both.
    pub dir: Dir,
    /// What may stand there.
    pub kind: SlotKind,
    /// How many operands it takes.
    pub count: SlotCount,
    /// Which element types it takes.
    pub elem: ElemRule,
    /// In which memories its tile may live, on every target.
    pub locs: Locs,
    /// Which layouts its tile may have, on every target.
    pub orders: Orders,
    /// How the type follows from the others when the text leaves it out.
    pub infer: Infer,
}

/// Whether an operand is read, written, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Dir {
    In,
    Out,
    InOut,
}

/// How many operands a slot takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum SlotCount {
    One,
    Optional,
    Many,
}

/// What may stand in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// A tile.
    Tile,
    /// Several tiles under one name.
    MultiTile,
    /// A tile or a scalar (operand order decides the meaning).
    TileOrScalar,
    /// A tensor view or a window of one.
    View,
    /// A tile, or a view of global memory.
    TileOrView,
    /// Any integer or float.
    Scalar,
    /// An integer of any width, or an index.
    Int,
    /// A floating-point number.
    Float,
    /// An index.
    Index,
    /// One bit.
    Bool,
    /// A pointer.
    Ptr,
    /// A pipe handle.
    Pipe,
    /// An event.
    Event,
    /// An async session.
    Session,
    /// An event of an async transfer.
    AsyncEvent,
    /// An array of event ids.
    EventIds,
    /// A short vector.
    Vector,
    /// Any value.
    Any,
}

impl SlotKind {
    /// True when a value of this type may stand here. A lowered buffer may stand for a tile, a view or a pointer.
    pub const fn accepts(self, ty: &Type) -> bool {
        if matches!(ty, Type::Unknown) {
            return true;
        }
        let tile = matches!(ty, Type::Tile(_) | Type::TileBuf(_) | Type::Memref(_));
        let view = matches!(ty, Type::TensorView(_) | Type::PartitionView(_) | Type::Memref(_));
        match self {
            Self::Tile => tile,
            Self::MultiTile => matches!(ty, Type::MultiTile(..)),
            Self::TileOrScalar => tile || matches!(ty, Type::Scalar(_)),
            Self::View => view,
            Self::TileOrView => tile || view,
            Self::Scalar => matches!(ty, Type::Scalar(_)),
            Self::Int => matches!(ty, Type::Scalar(s) if s.is_int()),
            Self::Float => matches!(ty, Type::Scalar(s) if s.is_float()),
            Self::Index => matches!(ty, Type::Scalar(ScalarType::Index)),
            Self::Bool => matches!(ty, Type::Scalar(ScalarType::I1)),
            Self::Ptr => matches!(ty, Type::Ptr(..) | Type::Memref(_)),
            Self::Pipe => matches!(ty, Type::Token(Token::Pipe)),
            Self::Event => matches!(ty, Type::Token(Token::Event | Token::RecordEvent)),
            Self::Session => matches!(ty, Type::Token(Token::AsyncSession)),
            Self::AsyncEvent => matches!(ty, Type::Token(Token::AsyncEvent)),
            Self::EventIds => matches!(ty, Type::EventIds(_)),
            Self::Vector => matches!(ty, Type::Vector(_)),
            Self::Any => true,
        }
    }

    /// A word for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Tile => text!("tile"),
            Self::MultiTile => text!("multi-buffered tile"),
            Self::TileOrScalar => text!("tile or scalar"),
            Self::View => text!("view of global memory"),
            Self::TileOrView => text!("tile or view of global memory"),
            Self::Scalar => text!("scalar"),
            Self::Int => text!("integer"),
            Self::Float => text!("floating-point number"),
            Self::Index => text!("index"),
            Self::Bool => "i1",
            Self::Ptr => text!("pointer"),
            Self::Pipe => text!("pipe handle"),
            Self::Event => text!("event"),
            Self::Session => text!("async session"),
            Self::AsyncEvent => text!("async event"),
            Self::EventIds => text!("event-id array"),
            Self::Vector => text!("vector"),
            Self::Any => text!("value"),
        }
    }
}

/// Which element types a slot takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElemRule {
    /// Any; another rule may still restrict it.
    Any,
    /// One of the row's types for the target, the same in every `Data` slot.
    Data,
    /// One of these, on every target.
    Of(DTypes),
    /// The same as another slot.
    Like(&'static str),
}

/// A set of tile layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orders(u8);

impl Orders {
    /// Any layout.
    pub const ANY: Self = Self(0x3f);
    /// Row-major without boxes.
    pub const ND: Self = Self::of(&[Order::Nd]);
    /// Rows (or rows of boxes) follow each other.
    pub const ROW_MAJOR: Self = Self::of(&[Order::Nd, Order::Zn, Order::Zz]);
    /// Without boxes, either order.
    pub const NONE_BOX: Self = Self::of(&[Order::Nd, Order::Dn]);
    /// Column-major boxes of row-major elements.
    pub const NZ: Self = Self::of(&[Order::Nz]);

    /// The set of the listed layouts.
    pub const fn of(list: &[Order]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// True when `o` is in the set.
    pub const fn contains(self, o: Order) -> bool {
        self.0 >> o as u8 & 1 == 1
    }
}

impl std::fmt::Display for Orders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use Order::*;
        if *self == Self::ROW_MAJOR {
            return f.write_str(text!("row-major"));
        }
        let mut first = true;
        for o in [Nd, Dn, Nz, Zn, Zz, Nn] {
            if self.contains(o) {
                write!(f, "{}{o}", if first { "" } else { ", " })?;
                first = false;
            }
        }
        Ok(())
    }
}

/// How a result type follows from the operands when the text leaves it out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infer {
    /// It does not; the text must say it.
    No,
    /// The same as this operand.
    Like(&'static str),
    /// A window of this tile: the attribute `sizes` gives rows and columns; the valid region is given by the
    /// operands `valid_row` and `valid_col`, else it is the whole window.
    Window(&'static str),
    /// The same, but without operands: the valid region is what the source's leaves of the window.
    Subset(&'static str),
    /// A window of this tensor view, with the extents of the operands `sizes`.
    Partition(&'static str),
    /// A scalar of the element type of this operand.
    ElementOf(&'static str),
    /// One of the tiles of this multi-buffered tile.
    SlotOf(&'static str),
    /// A packed mask for this operand: one bit per element, rows of whole 32-byte blocks.
    MaskFor(&'static str),
    /// This type, always.
    Fixed(FixedType),
}

/// Result types that do not depend on the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum FixedType {
    I1,
    I32,
    I64,
    Index,
    Event,
    Pipe,
    AsyncSession,
    AsyncEvent,
}

impl FixedType {
    /// The type it names.
    pub const fn ty(self) -> Type {
        match self {
            Self::I1 => Type::Scalar(ScalarType::I1),
            Self::I32 => Type::Scalar(ScalarType::Elem(DType::I32)),
            Self::I64 => Type::Scalar(ScalarType::Elem(DType::I64)),
            Self::Index => Type::Scalar(ScalarType::Index),
            Self::Event => Type::Token(Token::Event),
            Self::Pipe => Type::Token(Token::Pipe),
            Self::AsyncSession => Type::Token(Token::AsyncSession),
            Self::AsyncEvent => Type::Token(Token::AsyncEvent),
        }
    }
}

impl Slot {
    /// A slot of this name, direction and kind that takes exactly one operand.
    pub const fn new(name: &'static str, dir: Dir, kind: SlotKind) -> Self {
        Self {
            name,
            dir,
            kind,
            count: SlotCount::One,
            elem: ElemRule::Any,
            locs: Locs::ANY,
            orders: Orders::ANY,
            infer: Infer::No,
        }
    }

    /// May be left out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.count = SlotCount::Optional;
        self
    }

    /// Takes any number of operands.
    #[must_use]
    pub const fn many(mut self) -> Self {
        self.count = SlotCount::Many;
        self
    }

    /// Takes the row's data types, the same in all such slots.
    #[must_use]
    pub const fn data(mut self) -> Self {
        self.elem = ElemRule::Data;
        self
    }

    /// Takes one of these element types on every target.
    #[must_use]
    pub const fn elem(mut self, list: &[DType]) -> Self {
        self.elem = ElemRule::Of(DTypes::of(list));
        self
    }

    /// Takes the element type of another slot.
    #[must_use]
    pub const fn like(mut self, slot: &'static str) -> Self {
        self.elem = ElemRule::Like(slot);
        self
    }

    /// Lives in one of these memories.
    #[must_use]
    pub const fn at(mut self, list: &[Loc]) -> Self {
        self.locs = Locs::of(list);
        self
    }

    /// Lives in the vector memory.
    #[must_use]
    pub const fn vec(self) -> Self {
        self.at(&[Loc::Vec])
    }

    /// Has one of these layouts.
    #[must_use]
    pub const fn order(mut self, orders: Orders) -> Self {
        self.orders = orders;
        self
    }

    /// Its type follows from others when left out.
    #[must_use]
    pub const fn infer(mut self, infer: Infer) -> Self {
        self.infer = infer;
        self
    }

    /// In the value form (level 1), this slot is a result rather than an operand.
    pub const fn is_result(&self) -> bool {
        matches!(self.dir, Dir::Out | Dir::InOut) && matches!(self.kind, SlotKind::Tile | SlotKind::Vector)
    }
}
