//! A tile that is read with more rows or columns than were written: it is written under the name that reads it.

use super::draft::{Draft, TextPiece};
use pto_ir::{OpId, ValueId};
use pto_isa::row::{Dir, Storage};
use pto_isa::{Family, Span, codes};

const WHOLE: &str = pto_isa::text_key!("write all that is read; or read only what was written");

impl Draft<'_> {
    pub(super) fn tiles(&mut self) {
        if self.code != codes::RACE_UNWRITTEN {
            return;
        }
        let reads = self.ops.iter().flat_map(|id| self.module.operands(*id)).map(|o| o.value);
        for read in reads.collect::<Vec<_>>() {
            for written in self.at_the_same_address(read) {
                let writers = self.nearest(self.all(|id| self.writes(id, written)));
                for writer in writers {
                    let Some(tile) = self.in_brackets(writer, written, read) else { continue };
                    let edits = self.rewritten(std::slice::from_ref(&tile));
                    self.put(WHOLE, edits);
                    let view = self.module.operands(writer).first().map(|o| o.value);
                    let whole = view.and_then(|v| Some((v, self.viewed(v)?)));
                    let view = whole.and_then(|(part, whole)| self.in_brackets(writer, part, whole));
                    let edits = view.and_then(|view| self.rewritten(&[view, tile]));
                    self.put(WHOLE, edits);
                }
            }
        }
    }

    /// Tiles of the same memory, size and element type that are allocated at the address of another.
    fn at_the_same_address(&self, tile: ValueId) -> Vec<ValueId> {
        let Some(own) = self.module.tile(tile) else { return Vec::new() };
        let address = |v: ValueId| {
            let id = self.module.definition(v).filter(|id| self.module.storage(*id) == Some(Storage::Tile))?;
            self.module.operand(id, "addr").map(|v| (self.module.literal(v), v))
        };
        let Some((number, at)) = address(tile) else { return Vec::new() };
        let same = |v: &ValueId| address(*v).is_some_and(|(n, a)| a == at || n.is_some() && n == number);
        let like = |v: &ValueId| {
            self.module
                .tile(*v)
                .is_some_and(|t| (t.loc, t.rows, t.cols, t.dtype) == (own.loc, own.rows, own.cols, own.dtype))
        };
        let all = (0..self.module.value_count()).map(ValueId::from_index);
        all.filter(|v| *v != tile && like(v) && same(v)).collect()
    }

    fn writes(&self, id: OpId, tile: ValueId) -> bool {
        let row = self.module.op(id).op.row();
        let out = |slot: u8| row.slots.get(usize::from(slot)).is_some_and(|s| matches!(s.dir, Dir::Out | Dir::InOut));
        self.module.operands(id).iter().any(|o| o.value == tile && out(o.slot))
    }

    /// The view of which another is a part.
    fn viewed(&self, part: ValueId) -> Option<ValueId> {
        let id = self.module.definition(part).filter(|id| self.module.op(*id).op.row().family == Family::View)?;
        let from = self.module.operands(id).first()?.value;
        self.module.definition(from).filter(|id| self.module.op(*id).op.row().family == Family::View).map(|_| from)
    }

    /// The only value of `ins(…)` or `outs(…)`, with its type: another takes its place.
    fn in_brackets(&self, op: OpId, value: ValueId, other: ValueId) -> Option<TextPiece> {
        let operand = self.module.operands(op).iter().find(|o| o.value == value)?;
        let rest = self.source.get(operand.span.end as usize..)?;
        let end = operand.span.end + rest.find(')')? as u32;
        let piece = Span::new(operand.span.start, end);
        let single = rest.trim_start().starts_with(':');
        let stated = self.module.definition(other)?;
        let (_, ty) = self.piece(self.module.op(stated).span).rsplit_once(" : ")?;
        let opens = self.source[..operand.span.start as usize].ends_with('(');
        let fits = single && opens && self.is_known_at(other, op);
        fits.then_some((piece, format!("{} : {ty}", self.name(other)?)))
    }
}
