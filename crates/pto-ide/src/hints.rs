//! What the text leaves out, shown between its lines: types, addresses, pipes, cycles.

use crate::Document;
use crate::cost::estimate;
use pto::checks::pipe_of;
use pto::ir::print::type_text;
use pto::ir::{Listed, OpId};
use pto::isa::Span;
use pto::isa::row::Storage;
use pto::isa::sort::SharedSort;
use pto::isa::text;

/// What a hint says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HintKind {
    /// The type of a result that the text leaves out.
    Type,
    /// The address that a tile gets.
    Address,
    /// The pipe of an instruction, and its cycles.
    Cost,
}

/// A remark at a position of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineHint {
    /// The byte that it stands before.
    pub at: u32,
    /// The remark.
    pub label: String,
    /// What it says.
    pub kind: HintKind,
}

impl Document {
    /// Types that the text leaves out, addresses of tiles, pipes and cycles, for the statements in a span.
    ///
    /// ```
    /// let text = "func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>\n  return\n}\n";
    /// let hints = pto_ide::Document::new(text, None).hints(None);
    /// assert_eq!(hints[0].label, "0x0");
    /// ```
    pub fn hints(&self, span: Option<Span>) -> Vec<InlineHint> {
        let span = span.unwrap_or(Span::new(0, self.text().len() as u32));
        let module = self.module();
        let inside = |id: &OpId| {
            let at = module.op(*id).span;
            at.start < span.end && at.end > span.start
        };
        let mut hints = Vec::new();
        for id in module.order().into_iter().filter(inside) {
            hints.extend(self.type_hints(id));
            hints.extend(self.address_hint(id));
            hints.extend(self.cost_hint(id));
        }
        hints.shared_sort_by_key(|hint| hint.at);
        hints
    }

    fn type_hints(&self, id: OpId) -> Vec<InlineHint> {
        let module = self.module();
        let Some(spelling) = module.spelling(id) else { return Vec::new() };
        let given = module.operands(id).len();
        let omitted = spelling.no_result_types && spelling.operand_types == Listed::Omitted;
        let results = module.results(id).enumerate().filter(|(n, v)| {
            let elided = spelling.elided.contains(&((given + n) as u16));
            let named = !module.value_name(*v).is_empty() && !module.value_type(*v).is_unknown();
            named && (omitted || elided)
        });
        let hint = |(_, v): (usize, _)| {
            let ty = type_text(module.value_type(v), module.type_votes.usual());
            InlineHint { at: module.value(v).span.end, label: format!(": {ty}"), kind: HintKind::Type }
        };
        results.map(hint).collect()
    }

    fn address_hint(&self, id: OpId) -> Option<InlineHint> {
        let module = self.module();
        if !matches!(module.storage(id), Some(Storage::Tile | Storage::Tiles)) || module.operand(id, "addr").is_some() {
            return None;
        }
        let name = module.value(module.results(id).next()?).span;
        let tile = self.placement()?.tile(name.start)?;
        Some(InlineHint { at: module.op(id).span.end, label: format!("{:#x}", tile.address), kind: HintKind::Address })
    }

    fn cost_hint(&self, id: OpId) -> Option<InlineHint> {
        let module = self.module();
        let row = module.op(id).op.row();
        if !row.family.is_isa() || !module.op_regions(id).is_empty() {
            return None;
        }
        let at = module.op(id).span.end;
        if let Some(cost) = estimate(self, id) {
            let (pipe, cycles) = (cost.pipe, cost.cycles.round());
            return Some(InlineHint {
                at,
                label: text!("{pipe} · {cycles} cycles", pipe, cycles),
                kind: HintKind::Cost,
            });
        }
        let has_tiles = module.operands(id).iter().any(|o| module.tile(o.value).is_some());
        let pipe = pipe_of(module, id, self.target()).filter(|_| has_tiles)?;
        Some(InlineHint { at, label: pipe.to_string(), kind: HintKind::Cost })
    }
}
