//! Other texts for what a device computes differently: they compute the same here and there.

use super::copies::point;
use super::trial::OfferedFix;
use super::values::cast_between;
use super::words::written;
use crate::Document;
use crate::edits::Replacement;
use pto::Diagnostic;
use pto::ir::print::type_text;
use pto::ir::{OpId, Operand, ValueId};
use pto::isa::row::{Arith, ElemRule, Meaning, Storage};
use pto::isa::sort::SharedSort;
use pto::isa::{DType, Dim, Dir, Op, ScalarType, Span, TileType, Type, table, text};

/// Columns of the rows that tiles are reshaped to.
const SHORT_ROWS: [u64; 2] = [64, 32];

impl Document {
    /// Operands that must lie in the same memory: one at the address of the other, or one for both.
    pub(super) fn same_memory(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(other) = problem.labels.first().map(|label| label.span) else { return Vec::new() };
        let values = self.named_values(problem);
        let [source, result] = values[..] else { return Vec::new() };
        let address = |value: ValueId| {
            let id = module.definition(value).filter(|id| module.storage(*id) == Some(Storage::Tile))?;
            module.named(id, "addr").next().map(|operand| operand.span)
        };
        let mut found = Vec::new();
        if let (Some(from), Some(to)) = (address(source), address(result)) {
            let (name, source) = (self.slice(problem.primary.span), self.slice(other));
            let title = text!("give `{name}` the address of `{source}`", name, source);
            found.push(OfferedFix::new(title, vec![Replacement::new(to, self.slice(from))]));
        }
        found.push(written(problem.primary.span, self.slice(other)));
        found.push(written(other, self.slice(problem.primary.span)));
        found
    }

    /// Valid columns that are stated at run time instead of in the type.
    pub(super) fn open_columns(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let mut values: Vec<ValueId> = module.operands(id).iter().map(|operand| operand.value).collect();
        values.shared_sort();
        values.dedup();
        let mut edits = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for value in values {
            let Some(tile) = module.value_type(value).tile() else { continue };
            let Some(cols) = tile.valid_cols.fixed().filter(|cols| *cols < tile.cols) else { continue };
            let Some((span, ty)) = self.defining_type(value) else { return Vec::new() };
            edits.push(Replacement::new(span, self.tile_text(ty, TileType { valid_cols: Dim::Dynamic, ..*tile })));
            let made = module.definition(value).filter(|id| module.storage(*id) == Some(Storage::Tile));
            if let Some(made) = made {
                let start = module.op(made).span.start;
                let name = self.unused_name(&format!("%{}_cols", module.value_name(value)));
                let constant = Op::of(Arith::Constant).row().full_name();
                let line = format!("{name} = {constant} {cols} : index\n{}", self.indent(start));
                edits.push(Replacement::new(point(start), line));
                let tokens = self.index().tokens_in(Span::new(start, span.start));
                let before = tokens.len().checked_sub(2).map_or(start, |n| tokens[n].span.end);
                edits.push(Replacement::new(point(before), format!(" valid_col = {name}")));
            }
            names.push(format!("`%{}`", module.value_name(value)));
        }
        let title = text!("state the valid columns of {names} at run time", names = names.join(", "));
        if edits.is_empty() { Vec::new() } else { vec![OfferedFix::new(title, edits)] }
    }

    fn tile_text(&self, like: &Type, tile: TileType) -> String {
        let new = if matches!(like, Type::Tile(_)) { Type::Tile(tile) } else { Type::TileBuf(tile) };
        type_text(&new, self.module().type_votes.usual())
    }

    /// All operands of an element type in a wider one that holds the same numbers.
    pub(super) fn wider_operands(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let (operands, row) = (module.operands(id), module.op(id).op.row());
        // The bits of a mask are no numbers.
        let is_data = |o: &&Operand| matches!(row.slot_at(o.slot.into()).elem, ElemRule::Data | ElemRule::Like(_));
        let data = operands.iter().filter(is_data).filter_map(|o| Some((o, module.value_type(o.value).tile()?.dtype)));
        let data: Vec<(&Operand, DType)> = data.collect();
        let Some(old) = data.first().map(|(_, dtype)| *dtype) else { return Vec::new() };
        let tiles: Vec<&Operand> =
            data.iter().filter(|(_, dtype)| *dtype == old).map(|(operand, _)| *operand).collect();
        let wider = [DType::F32, DType::I32].into_iter().filter(|new| new.bits() > old.bits());
        let candidate = |new: DType| {
            let mut edits = self.converted_operands(id, &tiles, new);
            let scalars =
                operands.iter().filter(|o| module.value_type(o.value).scalar() == Some(ScalarType::Elem(old)));
            for operand in scalars {
                edits.extend(self.cast_operand(id, operand, old, new)?);
            }
            let title = text!("convert all operands of {old} to {dtype}", old, dtype = new);
            (edits.len() > 1).then(|| OfferedFix::new(title, edits))
        };
        wider.filter_map(candidate).collect()
    }

    fn cast_operand(&self, id: OpId, operand: &Operand, old: DType, new: DType) -> Option<[Replacement; 2]> {
        let cast = Op::of(cast_between(ScalarType::Elem(old), ScalarType::Elem(new))?).row().full_name();
        let (start, name) = (self.module().op(id).span.start, self.slice(operand.span));
        let result = self.unused_name(&format!("{name}_{}", new.mlir()));
        let line = format!("{result} = {cast} {name} : {} to {}\n{}", old.mlir(), new.mlir(), self.indent(start));
        Some([Replacement::new(point(start), line), Replacement::new(operand.span, result)])
    }

    /// The form of an instruction that takes a tile instead of a scalar, with a tile that is filled with the scalar.
    pub(super) fn spread_scalar(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        self.with_filled_tile(problem).into_iter().collect()
    }

    fn with_filled_tile(&self, problem: &Diagnostic) -> Option<OfferedFix> {
        let module = self.module();
        let id = self.index().operation(problem.primary.span.start)?;
        let op = module.op(id);
        let row = op.op.row();
        let of_tiles = table::find(row.name.strip_suffix('s')?)?;
        let required = |op: Op| op.row().slots.iter().filter(|slot| slot.dir == Dir::In).count();
        let scalar = module.operands(id).iter().find(|o| module.value_type(o.value).scalar().is_some())?;
        let tile = module.operands(id).iter().rev().find_map(|o| module.value_type(o.value).tile())?;
        if required(of_tiles) < 2 {
            return None;
        }
        let name = self.unused_name(&format!("{}_tile", self.slice(scalar.span)));
        let (fill, indent) = (filling_op()?.row().full_name(), self.indent(op.span.start));
        let mut lines = self.allocation(id, &name, *tile);
        lines += &format!("{fill} ins({}) outs({name})\n{indent}", self.slice(scalar.span));
        let written_name = self.slice(op.name_span);
        let mut edits = vec![
            Replacement::new(point(op.span.start), lines),
            Replacement::new(op.name_span, written_name.strip_suffix('s')?),
            Replacement::new(scalar.span, name),
        ];
        edits.extend(self.type_lists(op.span));
        let title = text!(
            "fill a tile with `{name}` and use `{form}`",
            name = self.slice(scalar.span),
            form = of_tiles.row().name
        );
        Some(OfferedFix::new(title, edits))
    }

    /// Whole tiles with more rows of fewer columns: instructions on elements compute the same.
    pub(super) fn reshaped(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        SHORT_ROWS.into_iter().filter_map(|cols| self.with_rows_of(id, module.operands(id), cols)).collect()
    }

    fn with_rows_of(&self, id: OpId, operands: &[Operand], cols: u64) -> Option<OfferedFix> {
        let module = self.module();
        let op = module.op(id);
        let retype = table::all().find(|op| op.row().meaning == Meaning::Storage(Storage::Retype))?.row().full_name();
        let indent = self.indent(op.span.start);
        let mut edits = self.type_lists(op.span);
        let (mut lines, mut done) = (String::new(), Vec::new());
        for operand in operands {
            let Type::TileBuf(tile) = module.value_type(operand.value) else { return None };
            let elements = tile.rows * tile.cols;
            let is_whole = tile.valid_rows == Dim::Fixed(tile.rows) && tile.valid_cols == Dim::Fixed(tile.cols);
            if !is_whole || !elements.is_multiple_of(cols) || tile.is_boxed() {
                return None;
            }
            let rows = elements / cols;
            let valid = (Dim::Fixed(rows), Dim::Fixed(cols));
            let new = TileType { rows, cols, valid_rows: valid.0, valid_cols: valid.1, ..*tile };
            let old = self.slice(operand.span);
            let name = self.unused_name(&format!("{old}_rows"));
            if !done.contains(&operand.value) {
                let style = module.type_votes.usual();
                let (from, to) =
                    (type_text(module.value_type(operand.value), style), type_text(&Type::TileBuf(new), style));
                lines += &format!("{name} = {retype} {old} : {from} -> {to}\n{indent}");
                done.push(operand.value);
            }
            edits.push(Replacement::new(operand.span, name));
        }
        edits.push(Replacement::new(point(op.span.start), lines));
        let title = text!("reshape the operands to rows of {cols} columns", cols);
        Some(OfferedFix::new(title, edits))
    }

    /// A window that starts with the tile.
    pub(super) fn window_from_start(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let id = self.index().operation(problem.primary.span.start);
        let Some(id) = id.filter(|id| module.storage(*id) == Some(Storage::BindWindow)) else { return Vec::new() };
        let moved = |operand: &&Operand| module.literal(operand.value).is_some_and(|n| n != 0);
        let candidate = |operand: &Operand| {
            let (name, line) = self.constant_like(module.op(id).span.start, operand.value, 0);
            let mut edits = vec![Replacement::new(operand.span, &*name)];
            edits.extend(line);
            OfferedFix::new(text!("start the window at `{name}`", name), edits)
        };
        module.operands(id).iter().filter(moved).map(candidate).collect()
    }
}

/// The instruction that fills a tile with a scalar.
fn filling_op() -> Option<Op> {
    let fills = |op: &Op| {
        let [from, to] = op.row().slots else { return false };
        let types = (Type::Scalar(ScalarType::Elem(DType::F32)), from.dir == Dir::In && to.dir == Dir::Out);
        op.row().meaning == Meaning::Plain && types.1 && from.kind.accepts(&types.0) && !to.kind.accepts(&types.0)
    };
    table::all().find(fills)
}
