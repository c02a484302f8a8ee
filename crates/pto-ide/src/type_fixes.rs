//! Fixes that change types: a conversion of elements, another layout, longer rows.
//!
//! Which of them helps depends on everything else in the program, so each is tried: one is offered if it leaves fewer errors.

use crate::Document;
use crate::edits::Replacement;
use pto::Diagnostic;
use pto::ir::print::type_text;
use pto::ir::{Def, Operand};
use pto::isa::row::{CostClass, Storage};
use pto::isa::{BLOCK_BYTES, BLayout, Dir, Op, SLayout, Span, TileType, Type, codes, table, text};

/// Longer texts are not checked again for each candidate.
const LONGEST: usize = 100_000;
/// Fixes that are offered at most.
const MOST: usize = 3;

/// A title, and what changes.
type TypeFix = (String, Vec<Replacement>);

impl Document {
    /// The fixes of a problem with the type of a tile.
    pub(crate) fn type_fixes(&self, problem: &Diagnostic) -> Vec<TypeFix> {
        if self.text().len() > LONGEST {
            return Vec::new();
        }
        let candidates = match problem.code {
            codes::ELEM_MISMATCH => self.conversions(problem),
            codes::LAYOUT | codes::ROW_BYTES => self.other_types(problem),
            _ => Vec::new(),
        };
        let errors = |document: &Self| document.diagnostics().iter().filter(|d| d.is_error()).count();
        let helps = |(_, edits): &TypeFix| errors(&self.edited(edits)) < errors(self);
        candidates.into_iter().filter(helps).take(MOST).collect()
    }

    /// Conversions of one operand to the element type of another.
    fn conversions(&self, problem: &Diagnostic) -> Vec<TypeFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let op = module.op(id);
        let named = |span: Span| module.operands(id).iter().find(|operand| operand.span == span);
        let named: Vec<&Operand> = problem.labels.iter().filter_map(|label| named(label.span)).collect();
        let pairs = named.iter().flat_map(|odd| named.iter().map(move |like| (*odd, *like)));
        let pairs = pairs.filter(|(odd, like)| odd.span != like.span);
        let converted = pairs.filter_map(|(odd, like)| {
            let wanted = module.value_type(like.value).tile()?.dtype;
            let Type::TileBuf(tile) = module.value_type(odd.value) else { return None };
            let writes = op.op.row().slot_at(odd.slot.into()).dir == Dir::Out;
            self.conversion(odd, TileType { dtype: wanted, ..*tile }, writes, op.span)
        });
        converted.collect()
    }

    /// An operand is read through a converted tile, or written through one that is converted afterwards.
    fn conversion(&self, operand: &Operand, converted: TileType, writes: bool, statement: Span) -> Option<TypeFix> {
        let (old, dtype) = (self.slice(operand.span), converted.dtype);
        let new = self.unused_name(&format!("{old}_{}", dtype.mlir()));
        let ty = type_text(&Type::TileBuf(converted), self.module().type_votes.usual());
        let allocate = Op::of(Storage::Tile).row().full_name();
        let convert = conversion_op()?.row().full_name();
        let (from, to) = if writes { (new.as_str(), old) } else { (old, new.as_str()) };
        let convert = format!("{convert} ins({from}) outs({to})");
        let indent = self.indent(statement.start);
        let line = |text: &str| format!("{text}\n{indent}");
        let allocate = line(&format!("{new} = {allocate} : {ty}"));
        let before = if writes { allocate } else { allocate + &line(&convert) };
        let mut edits = vec![Replacement::new(Span::new(statement.start, statement.start), before)];
        edits.push(Replacement::new(operand.span, new.clone()));
        if writes {
            let end = Span::new(statement.end, statement.end);
            edits.push(Replacement::new(end, format!("\n{indent}{convert}")));
        }
        Some((text!("convert `{old}` to {dtype}", old, dtype), edits))
    }

    /// A name that nothing in the text has.
    fn unused_name(&self, wanted: &str) -> String {
        let is_used = |name: &str| self.text().contains(name);
        let numbered = (2..).map(|n| format!("{wanted}{n}"));
        std::iter::once(wanted.to_string()).chain(numbered).find(|name| !is_used(name)).unwrap_or_default()
    }

    /// The spaces before a statement.
    fn indent(&self, at: u32) -> &str {
        let before = &self.text()[..at as usize];
        let line = &before[before.rfind('\n').map_or(0, |n| n + 1)..];
        &line[..line.len() - line.trim_start().len()]
    }

    /// Other types of the tiles that a problem names, where they are allocated.
    fn other_types(&self, problem: &Diagnostic) -> Vec<TypeFix> {
        let spans = std::iter::once(problem.primary.span).chain(problem.labels.iter().map(|label| label.span));
        spans.filter_map(|span| self.stated_tile(span)).flat_map(|(span, tile)| self.retyped(span, &tile)).collect()
    }

    /// The type that the allocation of a tile states, and where.
    fn stated_tile(&self, name: Span) -> Option<(Span, TileType)> {
        let (module, index) = (self.module(), self.index());
        let value = index.value(module, self.text(), index.token_at(name.start)?)?;
        let Type::TileBuf(tile) = module.value_type(value) else { return None };
        let Def::Result(id, _) = module.value(value).def else { return None };
        let op = module.op(id);
        if op.op != Op::of(Storage::Tile) {
            return None;
        }
        let statement = self.slice(op.span);
        let start = op.span.start + statement.rfind(": !")? as u32 + 2;
        let stated = self.slice(Span::new(start, op.span.end));
        // A location may follow.
        let length = stated.find(" loc(").unwrap_or(stated.trim_end().len());
        Some((Span::new(start, start + length as u32), *tile))
    }

    fn retyped(&self, span: Span, tile: &TileType) -> Vec<TypeFix> {
        let other_blocks = match tile.blayout {
            BLayout::RowMajor => BLayout::ColMajor,
            BLayout::ColMajor => BLayout::RowMajor,
        };
        let boxes = [SLayout::NoneBox, SLayout::RowMajor, SLayout::ColMajor].into_iter();
        let orders = boxes.flat_map(|slayout| [tile.blayout, other_blocks].map(|blayout| (blayout, slayout)));
        let orders = orders.filter(|order| *order != (tile.blayout, tile.slayout));
        let laid_out = orders.map(|(blayout, slayout)| TileType { blayout, slayout, ..*tile });
        let per_block = (BLOCK_BYTES * 8 / u64::from(tile.dtype.bits())).max(1);
        let longer = TileType { cols: tile.cols.next_multiple_of(per_block), ..*tile };
        let style = self.module().type_votes.usual();
        let written = laid_out.chain([longer]).filter(|other| other != tile).map(|other| {
            let ty = type_text(&Type::TileBuf(other), style);
            (text!("write `{name}`", name = ty), vec![Replacement::new(span, ty)])
        });
        written.collect()
    }
}

/// The instruction that changes element types and keeps the numbers: the conversion that rounds.
fn conversion_op() -> Option<Op> {
    let converts = |op: &Op| op.row().cost == CostClass::VectorConvert && op.row().attr("rmode").is_some();
    table::all().find(converts)
}
