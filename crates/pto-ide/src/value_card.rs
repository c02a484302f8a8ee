//! What is known about a value: type, bytes, address, uses.

use crate::Document;
use pto::ir::print::type_text;
use pto::ir::{Def, ValueId};
use pto::isa::text;
use pto::isa::{Dim, TileType, Type};
use pto::syntax::SourceToken;

/// The card of the value that a token names.
pub(crate) fn of_value(document: &Document, token: &SourceToken) -> Option<String> {
    let module = document.module();
    let value = document.index().value(module, document.text(), token)?;
    if module.value(value).def == Def::Missing && module.value_type(value).is_unknown() {
        return None;
    }
    let name = format!("%{}", module.value_name(value));
    let mut card = about_type(document, &name, module.value_type(value));
    if let Some(n) = constant(document, value) {
        card += &text!("\n- constant {n}", n);
    }
    if let Some(line) = address(document, value) {
        card += &format!("\n- {line}");
    }
    if let Some(line) = used(document, token) {
        card += &format!("\n- {line}");
    }
    Some(card + "\n")
}

/// A name with its type, and the facts of the type.
pub(crate) fn about_type(document: &Document, name: &str, ty: &Type) -> String {
    let style = document.module().type_votes.usual();
    let colon = if name.is_empty() { "" } else { ": " };
    let mut card = format!("```mlir\n{name}{colon}{}\n```\n", type_text(ty, style));
    let facts = match ty {
        Type::Tile(tile) | Type::TileBuf(tile) => tile_facts(tile),
        Type::MultiTile(tile, count) => tile_facts(tile) + &format!(" × {count}"),
        Type::TensorView(_) | Type::PartitionView(_) | Type::Ptr(..) | Type::Scalar(_) => ty.to_string(),
        _ => ty.noun().to_string(),
    };
    card += &format!("\n- {facts}");
    card
}

fn tile_facts(tile: &TileType) -> String {
    let (rows, columns, ty) = (tile.rows, tile.cols, tile.dtype);
    let (memory, layout, bytes) = (tile.loc.memory_and_name(), tile.order(), tile.bytes());
    let shape = text!(
        "tile of {rows} × {columns} {ty} in {memory}, {layout}, {bytes} bytes",
        rows,
        columns,
        ty,
        memory,
        layout,
        bytes
    );
    if tile.valid_rows == Dim::Fixed(rows) && tile.valid_cols == Dim::Fixed(columns) {
        return shape;
    }
    let (rows, columns) = (tile.valid_rows, tile.valid_cols);
    text!("{shape}; valid {rows} × {columns}", shape, rows, columns)
}

/// The number that a value always is.
fn constant(document: &Document, value: ValueId) -> Option<i64> {
    document.module().literal(value)
}

/// The stated address of a tile, or the one that planning gives it.
fn address(document: &Document, value: ValueId) -> Option<String> {
    let module = document.module();
    if let Some(stated) = module.definition(value).and_then(|id| module.operand(id, "addr")) {
        let address = module.literal(stated)?;
        return Some(text!("address {address}, as stated", address = format_args!("{address:#x}")));
    }
    let tile = document.placement()?.tile(module.value(value).span.start)?;
    let (first, last) = (document.line(tile.used.0.start), document.line(tile.used.1.start));
    let (address, memory, bytes) = (format!("{:#x}", tile.address), tile.loc.memory_and_name(), tile.bytes);
    Some(text!(
        "address {address} in {memory} after planning, {bytes} bytes, live in lines {first} to {last}",
        address,
        memory,
        bytes,
        first,
        last
    ))
}

/// Where a value is used.
fn used(document: &Document, token: &SourceToken) -> Option<String> {
    let definition = document.definition(token.span.start);
    let uses = document.references(token.span.start).into_iter().filter(|span| Some(*span) != definition);
    let lines: Vec<u32> = uses.map(|span| document.line(span.start)).collect();
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return Some(text!("never used").to_string());
    };
    match lines.len() {
        1 => Some(text!("used once, in line {last}", last)),
        count => Some(text!("used {count} times, lines {first} to {last}", count, first, last)),
    }
}
