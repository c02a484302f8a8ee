//! The types a value can have.

use crate::text;
use crate::{DType, Loc, ScalarType, TileType, ViewType};
use std::fmt;

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Not written and not (yet) inferred; also what a value gets after an error about it was reported.
    Unknown,
    /// A scalar.
    Scalar(ScalarType),
    /// A tile value of level 1, `!pto.tile<…>`.
    Tile(TileType),
    /// A tile buffer of levels 2 and 3, `!pto.tile_buf<…>`.
    TileBuf(TileType),
    /// Several equal tile buffers in a row, `!pto.multi_tile_buf<…, count=N>`.
    MultiTile(TileType, u64),
    /// A pointer to elements in a memory.
    Ptr(ScalarType, PtrSpace),
    /// A whole tensor in global memory.
    TensorView(ViewType),
    /// A window of a tensor.
    PartitionView(ViewType),
    /// A buffer of the lowered dialect; the layout text is kept as written.
    Memref(MemrefType),
    /// A short vector of scalars, as some results are.
    Vector(ViewType),
    /// A type without parameters.
    Token(Token),
    /// An array of event ids, `!pto.eventid_array<N>`.
    EventIds(u64),
    /// Scalars of a core, `!pto.local_array<NxT>`.
    LocalArray(ViewType),
    /// A record of scalars and arrays; fields in order.
    Struct(Box<[Self]>),
    /// The type of a function.
    Function(Box<FnType>),
    /// A well-formed type of another dialect, kept as text.
    Opaque(Box<str>),
}

/// Parameter and result types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FnType {
    /// Parameters.
    pub inputs: Box<[Type]>,
    /// Results.
    pub results: Box<[Type]>,
}

/// A lowered buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemrefType {
    /// Extents and element.
    pub view: ViewType,
    /// What follows the element type: strides, memory space; as written, trimmed.
    pub rest: Box<str>,
}

/// The memory a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PtrSpace {
    /// Not written; global memory.
    Default,
    /// Global memory, written out.
    Gm,
    /// An on-chip memory.
    On(Loc),
}

impl PtrSpace {
    /// The spelling inside `!pto.ptr<T, …>`; nothing for the default.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Default => None,
            Self::Gm => Some("gm"),
            Self::On(Loc::Vec) => Some("ub"),
            Self::On(Loc::Mat) => Some("l1"),
            Self::On(Loc::Left) => Some("l0a"),
            Self::On(Loc::Right) => Some("l0b"),
            Self::On(Loc::Acc) => Some("l0c"),
            Self::On(other) => Some(other.name()),
        }
    }

    /// Reads a space name, by memory or by tile location.
    pub fn parse(text: &str) -> Option<Self> {
        let loc = match text {
            "gm" => return Some(Self::Gm),
            "ub" => Loc::Vec,
            "l1" => Loc::Mat,
            "l0a" => Loc::Left,
            "l0b" => Loc::Right,
            "l0c" => Loc::Acc,
            other => Loc::parse(other)?,
        };
        Some(Self::On(loc))
    }
}

/// Types without parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Token {
    None,
    Event,
    RecordEvent,
    Pipe,
    AsyncSession,
    AsyncEvent,
    PrefetchAsyncContext,
    Group,
    FmatrixConfig,
}

impl Token {
    /// Every token type.
    pub const ALL: [Self; 9] = [
        Self::None,
        Self::Event,
        Self::RecordEvent,
        Self::Pipe,
        Self::AsyncSession,
        Self::AsyncEvent,
        Self::PrefetchAsyncContext,
        Self::Group,
        Self::FmatrixConfig,
    ];

    /// The spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Event => "!pto.event",
            Self::RecordEvent => "!pto.record_event",
            Self::Pipe => "!pto.pipe",
            Self::AsyncSession => "!pto.async_session",
            Self::AsyncEvent => "!pto.async_event",
            Self::PrefetchAsyncContext => "!pto.prefetch_async_context",
            Self::Group => "!pto.group",
            Self::FmatrixConfig => "!pto.fmatrix_config",
        }
    }
}

impl Type {
    /// The tile type of a level-1 value or a buffer.
    pub const fn tile(&self) -> Option<&TileType> {
        match self {
            Self::Tile(t) | Self::TileBuf(t) => Some(t),
            _ => None,
        }
    }

    /// The view type of a tensor or a window.
    pub const fn view(&self) -> Option<&ViewType> {
        match self {
            Self::TensorView(v) | Self::PartitionView(v) => Some(v),
            _ => None,
        }
    }

    /// Extents and elements: of views, lowered buffers, vectors and arrays.
    pub const fn extents(&self) -> Option<&ViewType> {
        match self {
            Self::TensorView(v) | Self::PartitionView(v) | Self::Vector(v) | Self::LocalArray(v) => Some(v),
            Self::Memref(m) => Some(&m.view),
            _ => None,
        }
    }

    /// The scalar type, when it is one.
    pub const fn scalar(&self) -> Option<ScalarType> {
        match self {
            Self::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// True when nothing is known.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// The element type of anything with elements.
    pub fn elem(&self) -> Option<DType> {
        match self {
            Self::Tile(t) | Self::TileBuf(t) | Self::MultiTile(t, _) => Some(t.dtype),
            Self::TensorView(v) | Self::PartitionView(v) | Self::Vector(v) => v.elem.elem(),
            Self::Ptr(s, _) | Self::Scalar(s) => s.elem(),
            Self::Memref(m) => m.view.elem.elem(),
            _ => None,
        }
    }

    /// A use with type `self` may refer to a value defined with type `other`.
    pub fn same_object(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Tile(a) | Self::TileBuf(a), Self::Tile(b) | Self::TileBuf(b)) => a.same_object(b),
            (Self::Ptr(a, s), Self::Ptr(b, t)) => {
                let gm = |s: &PtrSpace| matches!(s, PtrSpace::Default | PtrSpace::Gm);
                a == b && (s == t || gm(s) && gm(t))
            }
            _ => self == other,
        }
    }

    /// A word for messages: what kind of thing this is.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Unknown => text!("value of unknown type"),
            Self::Scalar(_) => text!("scalar"),
            Self::Tile(_) | Self::TileBuf(_) => text!("tile"),
            Self::MultiTile(..) => text!("multi-buffered tile"),
            Self::Ptr(..) => text!("pointer"),
            Self::TensorView(_) => text!("tensor view"),
            Self::PartitionView(_) => text!("partition view"),
            Self::Memref(_) => "memref",
            Self::Vector(_) => text!("vector"),
            Self::Token(t) => match t {
                Token::None => text!("none value"),
                Token::Event | Token::RecordEvent => text!("event"),
                Token::Pipe => text!("pipe handle"),
                Token::AsyncSession => text!("async session"),
                Token::AsyncEvent => text!("async event"),
                Token::PrefetchAsyncContext => text!("prefetch context"),
                Token::Group => text!("rank group"),
                Token::FmatrixConfig => text!("fmatrix configuration"),
            },
            Self::EventIds(_) => text!("event-id array"),
            Self::LocalArray(_) => text!("local array"),
            Self::Struct(_) => text!("struct"),
            Self::Function(_) => text!("function"),
            Self::Opaque(_) => text!("foreign value"),
        }
    }
}

impl fmt::Display for Type {
    /// A short form for messages; the printer of `pto-ir` writes the dialect's spelling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(s) => write!(f, "{s}"),
            Self::Tile(t) | Self::TileBuf(t) => f.write_str(&text!("{t} tile", t)),
            Self::MultiTile(t, n) => f.write_str(&text!("{n} × {t} tile", n, t)),
            Self::Ptr(s, _) => f.write_str(&text!("pointer to {s}", s)),
            Self::TensorView(v) => f.write_str(&text!("tensor view {v}", v)),
            Self::PartitionView(v) => f.write_str(&text!("partition view {v}", v)),
            Self::Memref(m) => write!(f, "memref {}", m.view),
            Self::Vector(v) => f.write_str(&text!("vector {v}", v)),
            Self::Opaque(text) => f.write_str(text),
            other => f.write_str(other.noun()),
        }
    }
}
