//! Changes of a text, from the statements that they concern.

use super::FixCandidate;
use crate::findings::ProgramText;
use pto_ir::print::type_text;
use pto_ir::{BlockId, Def, Module, OpId, TypeStyle, ValueId};
use pto_isa::codes::Code;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Control;
use pto_isa::sort::SharedSort;
use pto_isa::{Diagnostic, Edit, Family, Span};

/// Statements of a kind that are looked at, so that large programs take no longer.
const NEAREST: usize = 16;

/// A piece of the source, and what takes its place.
pub(super) type TextPiece = (Span, String);

/// A finding and the program it is about; candidates are collected here, the likeliest first.
pub(super) struct Draft<'a> {
    pub module: &'a Module,
    pub source: &'a str,
    pub text: ProgramText<'a>,
    pub code: Code,
    /// The statements that the finding names.
    pub ops: Vec<OpId>,
    found: Vec<FixCandidate>,
}

impl<'a> Draft<'a> {
    pub fn new(module: &'a Module, source: &'a str, finding: &Diagnostic) -> Self {
        let text = ProgramText::new(module);
        let spans = std::iter::once(&finding.primary).chain(&finding.labels);
        let ops = spans.filter_map(|l| text.at(l.span)).collect();
        Self { module, source, text, code: finding.code, ops, found: Vec::new() }
    }

    /// What may fix the finding, the likeliest first.
    pub fn candidates(mut self) -> Vec<FixCandidate> {
        self.waits();
        self.flags();
        self.words();
        self.tiles();
        self.found
    }

    pub fn put(&mut self, help: &'static str, edits: Option<Vec<Edit>>) {
        self.found.extend(edits.filter(|e| !e.is_empty()).map(|edits| FixCandidate { help, edits }));
    }

    pub fn name(&self, value: ValueId) -> Option<String> {
        let name = self.module.value_name(value);
        (!name.is_empty()).then(|| format!("%{name}"))
    }

    pub fn type_of(&self, value: ValueId) -> String {
        type_text(self.module.value_type(value), TypeStyle::Compact)
    }

    pub fn piece(&self, span: Span) -> &'a str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The line of a byte, without the blanks around it and the comment at its end.
    fn line(&self, at: u32) -> Span {
        let at = (at as usize).min(self.source.len());
        let start = self.source[..at].rfind('\n').map_or(0, |n| n + 1);
        let end = self.source[at..].find('\n').map_or(self.source.len(), |n| at + n);
        let comments = &self.module.comments;
        let next = comments.get(comments.partition_point(|c| (c.span.start as usize) < start));
        let end = next.filter(|c| c.trailing).map_or(end, |c| end.min(c.span.start as usize));
        let line = &self.source[start..end];
        let first = start + (line.len() - line.trim_start().len());
        Span::new(first as u32, (first + line.trim().len()) as u32)
    }

    /// Pieces of lines as edits of whole lines.
    pub fn rewritten(&self, pieces: &[TextPiece]) -> Option<Vec<Edit>> {
        let mut lines: OrdMap<Span, Vec<&TextPiece>> = OrdMap::new();
        for piece in pieces {
            let line = self.line(piece.0.start);
            (line.start <= piece.0.start && piece.0.end <= line.end).then_some(())?;
            lines.entry(line).or_default().push(piece);
        }
        let mut edits = Vec::new();
        for (line, mut pieces) in lines {
            pieces.shared_sort_by_key(|(span, _)| std::cmp::Reverse(*span));
            let mut text = self.piece(line).to_string();
            for (span, new) in pieces {
                text.replace_range((span.start - line.start) as usize..(span.end - line.start) as usize, new);
            }
            edits.extend([Edit::before(line, text), Edit::remove(line)]);
        }
        Some(edits)
    }

    /// Another value for an operand.
    pub fn operand(&self, op: OpId, at: usize, value: ValueId) -> Option<TextPiece> {
        let operand = self.module.operands(op).get(at)?;
        let named = self.piece(operand.span).starts_with('%') && operand.value != value;
        named.then_some((operand.span, self.name(value)?))
    }

    /// The first place of a text in a statement.
    pub fn token(&self, op: OpId, token: &str) -> Option<Span> {
        let span = self.module.op(op).span;
        let at = span.start + self.piece(span).find(token)? as u32;
        Some(Span::new(at, at + token.len() as u32))
    }

    /// The lines of a statement that has them for itself.
    pub fn lines_of(&self, op: OpId) -> Option<Vec<&'a str>> {
        let span = self.module.op(op).span;
        let ends = self.piece(span).match_indices('\n').map(|(at, _)| span.start + at as u32 + 1);
        let starts = std::iter::once(span.start).chain(ends);
        let lines = starts.map(|at| self.piece(self.line(at))).filter(|line| !line.is_empty());
        (self.line(span.start).start == span.start).then(|| lines.collect())
    }

    /// Statements behind each other, in another place: where they stand their lines are removed.
    pub fn moved(&self, ops: &[OpId], put: impl Fn(&str) -> Edit) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        for op in ops {
            edits.push(Edit::remove(self.module.op(*op).span));
            edits.extend(self.lines_of(*op)?.into_iter().map(&put));
        }
        Some(edits)
    }

    /// All statements, in the order of the text.
    pub fn all(&self, wanted: impl Fn(OpId) -> bool) -> Vec<OpId> {
        self.module.order().into_iter().filter(|id| wanted(*id)).collect()
    }

    /// The few statements of a list that are nearest to the finding, those before it first.
    pub fn nearest(&self, mut ops: Vec<OpId>) -> Vec<OpId> {
        let here = self.ops.first().map_or(0, |id| self.module.op(*id).span.start);
        ops.shared_sort_by_key(|id| {
            let at = self.module.op(*id).span.start;
            (at > here, here.abs_diff(at))
        });
        ops.truncate(NEAREST);
        ops
    }

    pub fn contains(&self, op: OpId, wanted: &dyn Fn(OpId) -> bool) -> bool {
        let mut found = wanted(op);
        self.module.walk_inside(op, &mut |id| found |= wanted(id));
        found
    }

    /// Statements of this kind around one.
    pub fn around(&self, op: OpId, kind: Control) -> Vec<OpId> {
        self.text.around(op).into_iter().filter(|id| *id != op && self.module.control(*id) == Some(kind)).collect()
    }

    /// Named values of the same type that are known at a statement.
    pub fn alike(&self, value: ValueId, at: OpId) -> Vec<ValueId> {
        let ty = self.module.value(value).ty;
        let all = (0..self.module.value_count()).map(ValueId::from_index);
        let fits = |v: &ValueId| *v != value && self.module.value(*v).ty == ty && self.is_known_at(*v, at);
        all.filter(fits).filter(|v| self.name(*v).is_some()).collect()
    }

    /// True for a value that is computed before a statement; what the first block of a function computes is known in all of them.
    pub fn is_known_at(&self, value: ValueId, at: OpId) -> bool {
        let entry = || {
            let function = self.text.function(at)?;
            self.module.region(*self.module.op_regions(function).first()?).blocks.first().copied()
        };
        let in_entry = |block: BlockId| {
            entry() == Some(block) && self.text.around(at).last().and_then(|a| self.text.block_of(*a)) != Some(block)
        };
        let known = match self.module.value(value).def {
            Def::Result(id, _) => self.text.block_of(id).is_some_and(in_entry),
            Def::Arg(block, _) => in_entry(block),
            Def::Missing => false,
        };
        known || self.text.is_known_at(value, at)
    }

    /// The arithmetic that computes a value.
    pub fn computed_by(&self, value: ValueId) -> OrdSet<OpId> {
        let (mut all, mut next) = (OrdSet::new(), vec![value]);
        while let Some(value) = next.pop() {
            let id = self.module.definition(value).filter(|id| self.module.op(*id).op.row().family == Family::Arith);
            if let Some(id) = id.filter(|id| all.len() < 64 && all.insert(*id)) {
                next.extend(self.module.operands(id).iter().map(|o| o.value));
            }
        }
        all
    }

    /// A constant like an operand with another number: an existing one, or a new one in front of the statement.
    pub fn constant(&self, op: OpId, at: usize, number: i64) -> Option<(TextPiece, Option<Edit>)> {
        let operand = self.module.operands(op).get(at)?;
        let known = self.alike(operand.value, op).into_iter().find(|v| self.module.literal(*v) == Some(number));
        let named = |name: String| self.piece(operand.span).starts_with('%').then_some((operand.span, name));
        if let Some(value) = known {
            return Some((named(self.name(value)?)?, None));
        }
        let name = format!("%{}", self.fresh(&format!("n{number}")));
        let text = format!("{name} = arith.constant {number} : {}", self.type_of(operand.value));
        Some((named(name)?, Some(Edit::before(self.module.op(op).span, text))))
    }

    pub fn fresh(&self, wanted: &str) -> String {
        let names =
            |name: &str| (0..self.module.value_count()).any(|k| self.module.value_name(ValueId::from_index(k)) == name);
        let numbered = (1..).map(|k| format!("{wanted}_{k}"));
        std::iter::once(wanted.to_string()).chain(numbered).find(|n| !names(n)).unwrap_or_default()
    }
}
