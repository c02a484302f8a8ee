//! Types as text.

use super::TypeStyle;
use pto_isa::{Compact, Dim, FnType, Pad, SLayout, TileType, Type, ViewType};
use std::fmt::Write;

/// The dialect's spelling of a type.
///
/// ```
/// use pto_ir::{print::type_text, TypeStyle};
/// use pto_isa::{DType, Loc, TileType, Type};
/// let t = Type::TileBuf(TileType::new(Loc::Vec, DType::F32, 16, 16));
/// assert_eq!(type_text(&t, TypeStyle::Compact), "!pto.tile_buf<vec, 16x16xf32>");
/// ```
pub fn type_text(ty: &Type, style: TypeStyle) -> String {
    match ty {
        Type::Unknown => "!pto.tile<...>".to_string(),
        Type::Scalar(s) => s.mlir().to_string(),
        Type::Tile(t) => {
            let body = tile_body(t, style);
            // Tile values are in vector memory by default.
            format!("!pto.tile<{}>", body.strip_prefix("vec, ").unwrap_or(&body))
        }
        Type::TileBuf(t) => format!("!pto.tile_buf<{}>", tile_body(t, style)),
        Type::MultiTile(t, n) => match style {
            TypeStyle::Compact => format!("!pto.multi_tile_buf<{}, count={n}>", tile_body(t, style)),
            TypeStyle::Keyed => format!("!pto.multi_tile_buf<!pto.tile_buf<{}>, count={n}>", tile_body(t, style)),
        },
        Type::Ptr(s, space) => match space.name() {
            None => format!("!pto.ptr<{}>", s.mlir()),
            Some(space) => format!("!pto.ptr<{}, {space}>", s.mlir()),
        },
        Type::TensorView(v) => format!("!pto.tensor_view<{}>", view_body(v)),
        Type::PartitionView(v) => format!("!pto.partition_tensor_view<{}>", view_body(v)),
        Type::Memref(m) if m.rest.is_empty() => format!("memref<{}>", view_body(&m.view)),
        Type::Memref(m) => format!("memref<{}, {}>", view_body(&m.view), m.rest),
        Type::Vector(v) => format!("vector<{}>", view_body(v)),
        Type::Token(t) => t.name().to_string(),
        Type::EventIds(n) => format!("!pto.eventid_array<{n}>"),
        Type::LocalArray(v) => format!("!pto.local_array<{}>", view_body(v)),
        Type::Struct(fields) => format!("!pto.struct<{}>", list(fields, style)),
        Type::Function(f) => function(f, style),
        Type::Opaque(text) => text.to_string(),
    }
}

/// What the instruction pages write for the type of a tile value, and of a tile buffer.
pub(super) const VALUE: &str = "!pto.tile<...>";
pub(super) const BUFFER: &str = "!pto.tile_buf<...>";

/// The placeholder for a type that the definition of its value gives.
pub(super) fn elided_type(ty: &Type, tile: Option<&'static str>) -> &'static str {
    match (ty, tile) {
        (Type::Scalar(_), _) => "dtype",
        // As it is written if it is not omitted, so that formatting is idempotent.
        (Type::Unknown, _) => VALUE,
        (_, Some(tile)) => tile,
        (Type::TileBuf(_), None) => BUFFER,
        (_, None) => VALUE,
    }
}

fn list(types: &[Type], style: TypeStyle) -> String {
    types.iter().map(|t| type_text(t, style)).collect::<Vec<_>>().join(", ")
}

fn function(f: &FnType, style: TypeStyle) -> String {
    let results = match &*f.results {
        [one] if !matches!(one, Type::Function(_)) => type_text(one, style),
        many => format!("({})", list(many, style)),
    };
    format!("({}) -> {results}", list(&f.inputs, style))
}

fn view_body(v: &ViewType) -> String {
    let mut text = String::new();
    for d in &v.dims {
        let _ = write!(text, "{d}x");
    }
    text + v.elem.mlir()
}

fn tile_body(t: &TileType, style: TypeStyle) -> String {
    match style {
        TypeStyle::Keyed => keyed(t),
        TypeStyle::Compact => compact(t),
    }
}

fn keyed(t: &TileType) -> String {
    let mut text = format!(
        "loc={}, dtype={}, rows={}, cols={}, v_row={}, v_col={}, blayout={}, slayout={}, fractal={}, pad={}",
        t.loc,
        t.dtype.mlir(),
        t.rows,
        t.cols,
        t.valid_rows,
        t.valid_cols,
        t.blayout.name(),
        t.slayout.name(),
        t.fractal,
        t.pad as u8
    );
    if t.compact != Compact::Null {
        let _ = write!(text, ", compact={}", t.compact as u8);
    }
    text
}

fn compact(t: &TileType) -> String {
    let mut text = format!("{}, {}x{}x{}", t.loc, t.rows, t.cols, t.dtype.mlir());
    if (t.valid_rows, t.valid_cols) != (Dim::Fixed(t.rows), Dim::Fixed(t.cols)) {
        let _ = write!(text, ", valid={}x{}", t.valid_rows, t.valid_cols);
    }
    if t.blayout != pto_isa::BLayout::RowMajor {
        let _ = write!(text, ", blayout={}", t.blayout.name());
    }
    if t.slayout != SLayout::NoneBox {
        let _ = write!(text, ", slayout={}", t.slayout.name());
    }
    if t.fractal != 512 {
        let _ = write!(text, ", fractal={}", t.fractal);
    }
    if t.pad != Pad::Null {
        let _ = write!(text, ", pad={}", t.pad as u8);
    }
    if t.compact != Compact::Null {
        let _ = write!(text, ", compact={}", t.compact as u8);
    }
    text
}
