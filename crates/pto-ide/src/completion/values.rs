//! Values that fit an operand, and types.

use super::{Completion, CompletionKind, CursorWord};
use crate::Document;
use crate::scope::visible;
use crate::template::StatementPart;
use pto::ir::print::type_text;
use pto::ir::{Attr, ValueId};
use pto::isa::row::ElemRule;
use pto::isa::{DType, DTypes, Dim, Loc, PtrSpace, ScalarType, Slot, TileType, Token, Type, ViewType};
use pto::syntax::TokenKind;

/// The values in scope that fit the operand at the cursor; all of them, if none fits or the operand is not known.
pub(super) fn fitting(document: &Document, cursor: &CursorWord<'_>) -> Vec<Completion> {
    let module = document.module();
    let all: Vec<ValueId> = visible(document, cursor.span.start);
    let all: Vec<ValueId> = all.into_iter().filter(|v| !module.value_name(*v).is_empty()).collect();
    let part = cursor.statement.as_ref().and_then(|s| s.part().map(|part| (s.op, part)));
    let kept: Vec<ValueId> = match part {
        Some((op, StatementPart::Slot(slot))) => {
            let (row, slot) = (op.row(), op.row().slot_at(slot));
            let data = row.data_types(document.target());
            all.iter().copied().filter(|v| fits(slot, data, module.value_type(*v))).collect()
        }
        Some((_, StatementPart::Attr(_))) => return Vec::new(),
        _ => Vec::new(),
    };
    let shown = if kept.is_empty() { all } else { kept };
    let style = module.type_votes.usual();
    // What was defined last is used first, most of the time.
    let items = shown.iter().rev().enumerate().map(|(n, v)| {
        let detail = type_text(module.value_type(*v), style);
        let item = cursor.item(CompletionKind::Value, format!("%{}", module.value_name(*v)), detail);
        Completion { rank: n as u32, ..item }
    });
    items.collect()
}

/// True when a value of a type may stand in a slot, by kind, memory and element type.
pub(crate) fn fits(slot: &Slot, data: DTypes, ty: &Type) -> bool {
    let element = |set: DTypes| ty.elem().is_none_or(|elem| set.contains(elem));
    let memory = ty.tile().is_none_or(|tile| slot.locs.contains(tile.loc) && slot.orders.contains(tile.order()));
    let elements = match slot.elem {
        ElemRule::Any | ElemRule::Like(_) => true,
        ElemRule::Data => data.is_empty() || element(data),
        ElemRule::Of(set) => element(set),
    };
    slot.kind.accepts(ty) && memory && elements
}

/// The types of the operands in the same brackets, if nothing follows their colon yet: `ins(%a, %b : `.
fn stated_types(document: &Document, cursor: &CursorWord<'_>) -> Option<String> {
    let (index, module) = (document.index(), document.module());
    let before = &index.tokens[..index.first_token(cursor.span.start)];
    let (colon, before) = before.split_last()?;
    let open = before.iter().rposition(|t| matches!(document.slice(t.span), "(" | ")" | "{" | "}"))?;
    if document.slice(colon.span) != ":" || document.slice(before[open].span) != "(" {
        return None;
    }
    let values = before[open + 1..].iter().filter(|t| t.kind == TokenKind::Value);
    let style = module.type_votes.usual();
    let spelled = |ty: &Type| {
        let alias = module.aliases.iter().find(|a| matches!(&a.value, Attr::Type(id) if module.ty(*id) == ty));
        alias.map_or_else(|| type_text(ty, style), |a| a.name.to_string())
    };
    let types = values.map(|t| Some(module.value_type(index.value(module, document.text(), t)?)));
    let types: Option<Vec<String>> = types.map(|ty| ty.filter(|ty| !ty.is_unknown()).map(spelled)).collect();
    types.filter(|types| !types.is_empty()).map(|types| types.join(", "))
}

/// A type of each kind that has parameters, to change.
fn example_types() -> [Type; 5] {
    let tile = TileType::new(Loc::Vec, DType::F32, 16, 64);
    let f32 = ScalarType::Elem(DType::F32);
    let view = ViewType { dims: vec![Dim::Fixed(16), Dim::Fixed(64)].into(), elem: f32 };
    [
        Type::TileBuf(tile),
        Type::Tile(tile),
        Type::TensorView(view.clone()),
        Type::PartitionView(view),
        Type::Ptr(f32, PtrSpace::Default),
    ]
}

/// Types that can stand at the cursor: those of the operands before it, aliases, types that the text uses, and the types there are.
pub(super) fn types(document: &Document, cursor: &CursorWord<'_>) -> Vec<Completion> {
    let module = document.module();
    let style = module.type_votes.usual();
    let mut found = Vec::new();
    let mut add = |label: String, detail: String, rank: u32| {
        found.push(Completion { rank, ..cursor.item(CompletionKind::Type, label, detail) });
    };
    if let Some(label) = stated_types(document, cursor) {
        add(label, String::new(), 0);
    }
    for alias in &module.aliases {
        if let Attr::Type(ty) = &alias.value {
            add(alias.name.to_string(), type_text(module.ty(*ty), style), 1);
        }
    }
    let in_text = module.types().iter().filter(|ty| !matches!(ty, Type::Unknown | Type::Function(_) | Type::Scalar(_)));
    for ty in in_text.take(100) {
        add(type_text(ty, style), ty.to_string(), 2);
    }
    let examples = example_types();
    examples.iter().for_each(|ty| add(type_text(ty, style), ty.noun().to_string(), 3));
    let sigil = cursor.prefix.starts_with('!');
    let tokens = Token::ALL.iter().map(|t| t.name()).filter(|name| !sigil || name.starts_with('!'));
    tokens.for_each(|name| add(name.to_string(), String::new(), 4));
    if !sigil {
        let scalars = DType::ALL.into_iter().map(ScalarType::Elem).chain([ScalarType::Index, ScalarType::I1]);
        scalars.for_each(|s| add(s.mlir().to_string(), String::new(), 3));
    }
    found
}
