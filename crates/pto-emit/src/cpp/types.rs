//! C++ types.

use super::{EmitResult, Writer};
use crate::CppStyle;
use pto_ir::ValueId;
use pto_isa::text;
use pto_isa::{Dim, Loc, Order, PtrSpace, ScalarType, TileType, Token, Type};
use std::collections::HashMap;

/// The C++ type of a scalar.
pub(super) fn scalar_type(s: ScalarType) -> &'static str {
    match s {
        ScalarType::Elem(d) => d.cpp(),
        ScalarType::I1 => "bool",
        ScalarType::Index => "int64_t",
        ScalarType::F64 => "double",
    }
}

/// The unsigned integer type of the same width.
pub(super) fn unsigned_type(s: ScalarType) -> &'static str {
    let bits = match s {
        ScalarType::Elem(d) => d.bits(),
        ScalarType::I1 => return "bool",
        ScalarType::Index | ScalarType::F64 => 64,
    };
    match bits {
        0..=8 => "uint8_t",
        16 => "uint16_t",
        32 => "uint32_t",
        _ => "uint64_t",
    }
}

/// The mark of the memory a pointer points into.
pub(super) fn space_mark(space: PtrSpace) -> &'static str {
    match space {
        PtrSpace::Default | PtrSpace::Gm => "__gm__",
        PtrSpace::On(Loc::Vec) => "__ubuf__",
        PtrSpace::On(Loc::Mat) => "__cbuf__",
        PtrSpace::On(Loc::Left) => "__ca__",
        PtrSpace::On(Loc::Right) => "__cb__",
        PtrSpace::On(Loc::Acc) => "__cc__",
        PtrSpace::On(_) => "__fbuf__",
    }
}

pub(super) fn pointer_type(s: ScalarType, space: PtrSpace) -> String {
    format!("{} {} *", space_mark(space), scalar_type(s))
}

/// A type and the name of a variable of it.
pub(super) fn declaration(ty: &str, name: &str) -> String {
    if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
}

/// Short names of tile types, in the order they were met.
#[derive(Default)]
pub(super) struct TypeAliases {
    by_type: HashMap<String, String>,
    taken: HashMap<String, usize>,
    pub(super) lines: Vec<String>,
}

impl TypeAliases {
    fn name(&mut self, full: &str, tile: &TileType) -> String {
        if let Some(name) = self.by_type.get(full) {
            return name.clone();
        }
        let base = short_name(tile);
        let uses = self.taken.entry(base.clone()).or_insert(0);
        *uses += 1;
        let name = if *uses == 1 { base } else { format!("{base}_{uses}") };
        self.lines.push(format!("using {name} = {full};"));
        self.by_type.insert(full.to_string(), name.clone());
        name
    }
}

/// `VecF32_16x16`, with layout and valid region where they are not the usual ones.
fn short_name(tile: &TileType) -> String {
    // `VecU8_…`, as C++ calls it.
    let mut elem = tile.dtype.name().replace("ui", "u");
    elem[..1].make_ascii_uppercase();
    let mut name = format!("{}{elem}_{}x{}", tile.loc.cpp(), tile.rows, tile.cols);
    let usual = matches!((tile.loc, tile.order()), (Loc::Vec | Loc::Bias | Loc::Scaling, Order::Nd))
        || matches!(tile.loc, Loc::Left | Loc::Right | Loc::Acc)
        || (tile.loc == Loc::Mat && tile.order() == Order::Nz);
    if !usual {
        name.push_str(&format!("_{}", tile.order()).to_ascii_lowercase());
    }
    let word = |d: Dim| d.fixed().map_or("n".to_string(), |n| n.to_string());
    if (tile.valid_rows, tile.valid_cols) != (Dim::Fixed(tile.rows), Dim::Fixed(tile.cols)) {
        name.push_str(&format!("_v{}x{}", word(tile.valid_rows), word(tile.valid_cols)));
    }
    name
}

impl Writer<'_> {
    /// The full type of a tile.
    fn tile_text(&self, tile: &TileType) -> String {
        let blayout = if tile.loc == Loc::Left { self.input.target.profile().left_order } else { tile.blayout };
        let valid = |d: Dim| d.fixed().map_or("-1".to_string(), |n| n.to_string());
        format!(
            "Tile<TileType::{}, {}, {}, {}, BLayout::{blayout:?}, {}, {}, SLayout::{:?}, {}, PadValue::{:?}, CompactMode::{:?}>",
            tile.loc.cpp(),
            tile.dtype.cpp(),
            tile.rows,
            tile.cols,
            valid(tile.valid_rows),
            valid(tile.valid_cols),
            tile.slayout,
            tile.fractal,
            tile.pad,
            tile.compact,
        )
    }

    /// The type of a tile as it is written.
    pub(super) fn tile_type(&mut self, tile: &TileType) -> String {
        let full = self.tile_text(tile);
        match self.input.options.style {
            CppStyle::Plain => full,
            CppStyle::Readable => self.output.aliases.name(&full, tile),
        }
    }

    /// The tile a value is in C++, where it may differ from that of the program: see [`Writer::tiles`].
    pub(super) fn tile_of(&self, value: ValueId) -> Option<TileType> {
        self.values.tiles.get(&value).or_else(|| self.module.tile(value)).copied()
    }

    /// The C++ type of a value.
    pub(super) fn type_of(&mut self, value: ValueId) -> EmitResult<String> {
        if let Some(tile) = self.tile_of(value) {
            return Ok(self.tile_type(&tile));
        }
        if let Some(view) = self.values.views.get(&value) {
            return Ok(view.cpp_type());
        }
        match self.module.value_type(value).clone() {
            Type::Scalar(s) => Ok(scalar_type(s).to_string()),
            Type::Ptr(s, space) => Ok(pointer_type(s, space)),
            Type::Vector(_) => Ok("MrgSortExecutedNumList".to_string()),
            Type::Token(Token::AsyncSession) => Ok("comm::AsyncSession".to_string()),
            Type::Token(Token::AsyncEvent) => Ok("comm::AsyncEvent".to_string()),
            Type::Token(Token::PrefetchAsyncContext) => Ok("PrefetchAsyncContext".to_string()),
            Type::Token(Token::Pipe) => self.pipe_type(value),
            other => Err(self.unsupported(&text!("a {other} as a value", other = other.noun()))),
        }
    }
}
