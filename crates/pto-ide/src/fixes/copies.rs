//! Fixes through another tile: a conversion, a copy, separate memory, a scratch tile.

use super::tiles::legal_elements;
use super::trial::OfferedFix;
use crate::Document;
use crate::edits::Replacement;
use pto::Diagnostic;
use pto::ir::print::type_text;
use pto::ir::{OpId, Operand, ValueId};
use pto::isa::row::{Arith, CostClass, Movement, Storage};
use pto::isa::sort::SharedSort;
use pto::isa::{DType, Dir, Op, Span, TileType, Type, table, text};

/// Bytes that every memory aligns tiles to.
pub(super) const ALIGNMENT: u64 = 512;

/// How a tile takes the place of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TileCopy {
    /// What is read comes from the operand, what is written goes back to it.
    Both,
    /// It has what the operand had before.
    Before,
    /// Its content does not matter.
    Nothing,
}

impl Document {
    /// Conversions of operands to the element type of another, or to one that is legal: one operand, or all of its type.
    pub(super) fn conversions(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let element = |operand: &Operand| module.value_type(operand.value).tile().map(|tile| tile.dtype);
        let all = module.operands(id);
        let labelled = |operand: &&Operand| problem.labels.iter().any(|label| label.span == operand.span);
        let named: Vec<&Operand> = all.iter().filter(labelled).collect();
        let mut wanted: Vec<DType> = named.iter().filter_map(|operand| element(operand)).collect();
        wanted.extend(legal_elements(problem));
        let mut found = Vec::new();
        for (odd, dtype) in named.iter().flat_map(|odd| wanted.iter().map(move |dtype| (odd, *dtype))) {
            let Some(old) = element(odd).filter(|old| *old != dtype) else { continue };
            let name = self.slice(odd.span);
            let title = text!("convert `{old}` to {dtype}", old = name, dtype);
            found.push(OfferedFix::new(title, self.converted_operands(id, &[odd], dtype)));
            let equal: Vec<&Operand> = all.iter().filter(|operand| element(operand) == Some(old)).collect();
            if equal.len() > 1 {
                let title = text!("convert all operands of {old} to {dtype}", old, dtype);
                found.push(OfferedFix::new(title, self.converted_operands(id, &equal, dtype)));
            }
        }
        found.retain(|candidate| !candidate.edits.is_empty());
        found
    }

    pub(super) fn converted_operands(&self, id: OpId, operands: &[&Operand], dtype: DType) -> Vec<Replacement> {
        let Some(convert) = conversion_op() else { return Vec::new() };
        let to = |tile: &TileType| (TileType { dtype, ..*tile }, dtype.mlir().to_string());
        self.through(id, operands, to, convert, TileCopy::Both)
    }

    /// An operand that shares memory with another gets memory of its own.
    pub(super) fn apart(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let span = problem.primary.span;
        let has = |id: &OpId| module.operands(*id).iter().any(|operand| operand.span == span);
        let Some(id) = module.order().into_iter().find(has) else { return Vec::new() };
        let Some(operand) = module.operands(id).iter().find(|operand| operand.span == span) else { return Vec::new() };
        let row = module.op(id).op.row();
        let is_scratch = row.scratch.is_some_and(|s| s.slot == row.slot_at(operand.slot.into()).name);
        let copy = if is_scratch { TileCopy::Nothing } else { TileCopy::Both };
        let to = |tile: &TileType| (*tile, "apart".to_string());
        let edits = self.through(id, &[operand], to, Op::of(Movement::Copy), copy);
        let title = text!("give `{name}` memory of its own", name = self.slice(span));
        candidates(title, edits)
    }

    /// The tile that an instruction destroys is copied before it, and the copy is destroyed.
    pub(super) fn copied_first(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let tiles = self.named_values(problem);
        let mut found = Vec::new();
        for id in problem.labels.iter().filter_map(|label| self.index().operation(label.span.start)) {
            let row = module.op(id).op.row();
            let reads = |operand: &&Operand| row.slot_at(operand.slot.into()).dir != Dir::Out;
            let mut lost: Vec<&Operand> = module.operands(id).iter().filter(reads).collect();
            // It may have another name here.
            lost.shared_sort_by_key(|operand| !tiles.contains(&operand.value));
            for operand in lost {
                let to = |tile: &TileType| (*tile, "copy".to_string());
                let edits = self.through(id, &[operand], to, Op::of(Movement::Copy), TileCopy::Before);
                let title = text!("copy `{name}` first", name = self.slice(operand.span));
                found.extend(candidates(title, edits));
            }
        }
        found
    }

    /// A scratch tile of the type of another operand.
    pub(super) fn with_scratch(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let spans = problem.labels.iter().map(|label| label.span).chain([problem.primary.span]);
        let ids = spans.filter_map(|span| self.index().operation(span.start).or_else(|| self.user_at(span)));
        ids.flat_map(|id| self.scratch_of(id)).collect()
    }

    /// The operation with an operand at a span.
    pub(super) fn user_at(&self, span: Span) -> Option<OpId> {
        let module = self.module();
        module.order().into_iter().find(|id| module.operands(*id).iter().any(|operand| operand.span == span))
    }

    fn scratch_of(&self, id: OpId) -> Vec<OfferedFix> {
        let module = self.module();
        let row = module.op(id).op.row();
        let Some(slot) = row.scratch.and_then(|s| row.slot(s.slot)) else { return Vec::new() };
        if module.operands(id).iter().any(|operand| usize::from(operand.slot) == slot) {
            return Vec::new();
        }
        let name = self.unused_name(&format!("%{}", row.slot_at(slot).name));
        let before = module.operands(id).iter().rfind(|operand| usize::from(operand.slot) < slot);
        let Some(before) = before else { return Vec::new() };
        let mut types: Vec<&TileType> =
            module.operands(id).iter().filter_map(|o| module.value_type(o.value).tile()).collect();
        types.reverse();
        types.dedup();
        let statement = module.op(id).span;
        let tried = types.into_iter().map(|tile| {
            let lines = self.allocation(id, &name, *tile);
            let mut edits = vec![Replacement::new(point(statement.start), lines)];
            edits.push(Replacement::new(point(before.span.end), format!(", {name}")));
            edits.extend(self.type_lists(statement));
            OfferedFix::new(text!("add the scratch tile `{name}`", name), edits)
        });
        tried.collect()
    }

    /// The types that a statement states for its operands, left out: they follow from the definitions.
    pub(super) fn type_lists(&self, statement: Span) -> Vec<Replacement> {
        let tokens = self.index().tokens_in(statement);
        let mut edits = Vec::new();
        let mut colon: Option<u32> = None;
        let mut depth = 0;
        for token in tokens {
            match self.slice(token.span) {
                "(" => depth += 1,
                ")" => {
                    depth -= 1;
                    edits.extend(colon.take().map(|start| Replacement::new(Span::new(start, token.span.start), "")));
                }
                ":" if depth == 1 && colon.is_none() => colon = Some(self.end_of_token_before(token.span.start)),
                _ => {}
            }
        }
        edits
    }

    fn end_of_token_before(&self, at: u32) -> u32 {
        let before = self.index().first_token(at).checked_sub(1).map(|n| self.index().tokens[n].span.end);
        before.unwrap_or(at)
    }

    /// Operands of a statement are replaced by new tiles; `how` moves what they hold.
    fn through(
        &self,
        id: OpId,
        operands: &[&Operand],
        to: impl Fn(&TileType) -> (TileType, String),
        how: Op,
        copy: TileCopy,
    ) -> Vec<Replacement> {
        let module = self.module();
        let op = module.op(id);
        let indent = self.indent(op.span.start);
        let mut values: Vec<ValueId> = operands.iter().map(|operand| operand.value).collect();
        values.shared_sort();
        values.dedup();
        let (mut before, mut after, mut edits) = (String::new(), String::new(), Vec::new());
        for value in values {
            let Type::TileBuf(tile) = module.value_type(value) else { return Vec::new() };
            let (tile, suffix) = to(tile);
            let uses = operands.iter().filter(|operand| operand.value == value);
            let Some(old) = uses.clone().next().map(|operand| self.slice(operand.span)) else { continue };
            let new = self.unused_name(&format!("{old}_{suffix}"));
            let dir = |operand: &&&Operand| op.op.row().slot_at(operand.slot.into()).dir;
            let reads = uses.clone().any(|operand| dir(&operand) != Dir::Out);
            let writes = uses.clone().any(|operand| dir(&operand) != Dir::In);
            let how = how.row().full_name();
            before += &self.allocation(id, &new, tile);
            if reads && copy != TileCopy::Nothing {
                before += &format!("{how} ins({old}) outs({new})\n{indent}");
            }
            if writes && copy == TileCopy::Both {
                after += &format!("\n{indent}{how} ins({new}) outs({old})");
            }
            edits.extend(uses.map(|operand| Replacement::new(operand.span, new.clone())));
        }
        edits.push(Replacement::new(point(op.span.start), before));
        edits.push(Replacement::new(point(op.span.end), after));
        edits.retain(|edit| edit.span.start < edit.span.end || !edit.text.is_empty());
        edits
    }

    /// The statement that allocates a tile, as a line before another one. It gets an address if the tiles of the function have some.
    pub(super) fn allocation(&self, before: OpId, name: &str, tile: TileType) -> String {
        let module = self.module();
        let indent = self.indent(module.op(before).span.start);
        let ty = type_text(&Type::TileBuf(tile), module.type_votes.usual());
        let allocate = Op::of(Storage::Tile).row().full_name();
        match self.free_address(module.op(before).span.start, &tile) {
            None => format!("{name} = {allocate} : {ty}\n{indent}"),
            Some(address) => {
                let at = self.unused_name(&format!("{name}_at"));
                let constant = Op::of(Arith::Constant).row().full_name();
                format!("{at} = {constant} {address} : i64\n{indent}{name} = {allocate} addr = {at} : {ty}\n{indent}")
            }
        }
    }

    /// The end of the tiles around a byte in the memory of a tile; `None` if they have no addresses.
    pub(super) fn free_address(&self, at: u32, tile: &TileType) -> Option<u64> {
        let module = self.module();
        let (_, function) = self.index().function_at(at)?;
        let (mut end, mut any) = (0, false);
        module.walk_inside(function, &mut |id| {
            let address = module.operand(id, "addr").filter(|_| module.storage(id) == Some(Storage::Tile));
            let Some(address) = address.and_then(|address| module.literal(address)) else { return };
            any = true;
            for other in module.results(id).filter_map(|value| module.value_type(value).tile()) {
                if other.loc == tile.loc {
                    end = end.max(address.max(0) as u64 + other.bytes());
                }
            }
        });
        any.then(|| end.next_multiple_of(ALIGNMENT))
    }

    /// A name that nothing in the text has.
    pub(super) fn unused_name(&self, wanted: &str) -> String {
        let is_used = |name: &str| self.text().contains(name);
        let numbered = (2..).map(|n| format!("{wanted}{n}"));
        std::iter::once(wanted.to_string()).chain(numbered).find(|name| !is_used(name)).unwrap_or_default()
    }

    /// The spaces before a statement.
    pub(super) fn indent(&self, at: u32) -> &str {
        let before = &self.text()[..at as usize];
        let line = &before[before.rfind('\n').map_or(0, |n| n + 1)..];
        &line[..line.len() - line.trim_start().len()]
    }
}

pub(super) const fn point(at: u32) -> Span {
    Span::new(at, at)
}

fn candidates(title: String, edits: Vec<Replacement>) -> Vec<OfferedFix> {
    if edits.is_empty() { Vec::new() } else { vec![OfferedFix::new(title, edits)] }
}

/// The instruction that changes element types and keeps the numbers: the conversion that rounds.
fn conversion_op() -> Option<Op> {
    let converts = |op: &Op| op.row().cost == CostClass::VectorConvert && op.row().attr("rmode").is_some();
    table::all().find(converts)
}
