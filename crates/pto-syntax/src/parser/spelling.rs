//! Records the spelling of statements and types, for the formatter.

use super::Parser;
use super::chunks::Chunks;
use super::statement::Head;
use pto_ir::{Form, Listed, NewOp, OpId, Spelling, TypeId};
use pto_isa::row::Syntax;
use pto_isa::{Span, Type};

impl Parser<'_> {
    /// Records that the text omits the type of an operand.
    pub(super) fn note_elided(&mut self, operand: Span, ty: TypeId) {
        if ty == TypeId::UNKNOWN {
            self.elided.insert(operand.start);
        }
    }

    /// Records how a statement lists its types. `results` are the stated types of results.
    pub(super) fn list_types(&mut self, head: &Head, c: &Chunks, assigns: bool, results: &[(TypeId, Span)]) {
        let row = head.op.row();
        let named = assigns || head.results.count() > 0;
        self.spelling = match row.syntax {
            Syntax::Pattern(pattern) if !pattern.starts_with("ins(") => {
                let typed =
                    c.types.is_some() || c.typed_groups || (c.result_types.is_some() && !pattern.contains("->"));
                let operand_types = if typed { Listed::Usual } else { Listed::Omitted };
                Spelling { operand_types, no_result_types: results.is_empty(), ..Spelling::default() }
            }
            _ if c.buffer_form => {
                let bare = |untyped: bool| c.types.is_none() && untyped;
                let operand_types = if bare(c.untyped_ins) { Listed::Omitted } else { Listed::Usual };
                Spelling { operand_types, no_result_types: bare(c.untyped_outs), ..Spelling::default() }
            }
            _ => Spelling {
                form: (named && row.has_result_slots()).then_some(Form::Level1),
                flat: !named,
                operand_types: self.value_types(c, named),
                no_result_types: c.result_types.is_none(),
                ..Spelling::default()
            },
        };
    }

    fn value_types(&self, c: &Chunks, named: bool) -> Listed {
        let Some(types) = &c.types else { return Listed::Omitted };
        let is_scalar = |v| matches!(self.module.value_type(v), Type::Scalar(_));
        let shaped = c.inputs.iter().filter(|u| !is_scalar(u.value)).count();
        match types.len() {
            1 if named && c.result_types.is_none() => Listed::One,
            n if n == c.inputs.len() => Listed::All { parens: c.parens, scalars: true },
            n if n == shaped => Listed::All { parens: c.parens, scalars: false },
            _ => Listed::Usual,
        }
    }

    /// Stores the spelling of an operation, if it is not the usual one.
    pub(super) fn keep_spelling(&mut self, head: &Head, elided: Vec<u16>, id: OpId) {
        let mut spelling = Spelling { elided, ..std::mem::take(&mut self.spelling) };
        let (row, name) = (head.op.row(), self.text(head.name_span));
        spelling.bare = row.dialect == "pto" && !name.starts_with("pto.") && !name.starts_with('"');
        if name.starts_with('"') {
            spelling.form = Some(Form::Generic);
        } else if self.module.op(id).op != head.op {
            spelling.written = Some(head.op);
        } else if spelling.bare && (spelling.flat || spelling.form == Some(Form::Level1)) {
            spelling.form = Some(Form::Asm);
        }
        let usual = Listed::All { parens: true, scalars: true };
        if spelling.form == Some(Form::Level1) && spelling.operand_types == usual && !spelling.no_result_types {
            spelling.operand_types = Listed::Usual;
        }
        // If results show that an operation is in the value form, its form need not be stored.
        if spelling.form == Some(Form::Level1) && self.module.is_value_form(id) {
            spelling.form = None;
        }
        self.module.set_spelling(id, spelling);
    }

    /// Positions of the operands and results whose types the text elides.
    pub(super) fn elided_positions(&self, new: &NewOp, results: &[bool]) -> Vec<u16> {
        if self.elided.is_empty() && !results.contains(&true) {
            return Vec::new();
        }
        let operands = new.operands.iter().map(|o| self.elided.contains(&o.span.start));
        let all = operands.chain(results.iter().copied());
        all.enumerate().filter(|(_, elided)| *elided).map(|(at, _)| at as u16).collect()
    }

    /// Counts the spelling of a tile type; an omitted one does not count.
    pub(super) fn vote(&mut self, head: &str, body: &str) {
        let is_tile = matches!(head, "!pto.tile_buf" | "!pto.tile" | "!pto.multi_tile_buf");
        if !is_tile || body.trim() == "..." {
            return;
        }
        let votes = &mut self.module.type_votes;
        *(if body.contains("dtype") { &mut votes.keyed } else { &mut votes.compact }) += 1;
    }
}
