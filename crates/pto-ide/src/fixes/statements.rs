//! Fixes that move, remove, close or rename statements.

use super::copies::point;
use super::trial::OfferedFix;
use super::words::{inserted, quoted, written};
use crate::Document;
use crate::edits::Replacement;
use crate::positions::floor_boundary;
use pto::Diagnostic;
use pto::ir::OpId;
use pto::isa::row::{Arith, Control, Storage};
use pto::isa::{Op, Span, text};
use pto::syntax::TokenKind;

/// Integer types, from short to long.
const INTEGERS: [&str; 4] = ["i8", "i16", "i32", "i64"];

impl Document {
    /// The statements of the labels, moved before the statement of the problem or behind it.
    pub(super) fn moved(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let here = problem.primary.span;
        let Some(here) = self.index().operation(here.start).or_else(|| self.user_at(here)) else { return Vec::new() };
        let here = self.lines_of(here);
        let labelled = problem.labels.iter().filter_map(|label| {
            let at = label.span.start;
            let value = || self.index().value(module, self.text(), self.index().token_at(at)?);
            self.index().operation(at).or_else(|| module.definition(value()?))
        });
        let mut found = Vec::new();
        for id in labelled {
            let there = self.lines_of(id);
            let (line, other) = (self.line(there.start), self.line(here.start));
            if there.start < here.end && here.start < there.end {
                continue;
            }
            let text = self.slice(there).to_string();
            let to = |at: u32| vec![Replacement::new(there, ""), Replacement::new(point(at), text.clone())];
            found.push(OfferedFix::new(text!("move line {line} before line {other}", line, other), to(here.start)));
            found.push(OfferedFix::new(text!("move line {line} behind line {other}", line, other), to(here.end)));
        }
        found
    }

    /// The lines of a statement, with their breaks.
    fn lines_of(&self, id: OpId) -> Span {
        let span = self.module().op(id).span;
        let (first, last) = (self.line_of(span.start), self.line_of(span.end.saturating_sub(1)));
        Span::new(first.start, (last.end + 1).min(self.text().len() as u32))
    }

    /// The line of the problem, left out.
    pub(super) fn without_line(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = self.whole_line(problem.primary.span.start);
        vec![OfferedFix::new(self.removal(span), vec![Replacement::new(span, "")])]
    }

    /// The statement of an error, left out: the last resort. Functions, and ends of blocks, stay.
    pub(super) fn without_statement(&self, problem: &Diagnostic) -> Option<OfferedFix> {
        let module = self.module();
        let at = problem.primary.span;
        let id = self.index().operation(at.start).or_else(|| self.user_at(at));
        let stays =
            |control: Control| control.is_terminator() || matches!(control, Control::Function | Control::Module);
        if !problem.is_error() || id.and_then(|id| module.control(id)).is_some_and(stays) {
            return None;
        }
        let span = id.map_or_else(|| self.whole_line(at.start), |id| self.only_lines_of(id));
        Some(OfferedFix::new(self.removal(span), vec![Replacement::new(span, "")]))
    }

    /// The lines of a statement if nothing else stands there, else the statement.
    fn only_lines_of(&self, id: OpId) -> Span {
        let (span, lines) = (self.module().op(id).span, self.lines_of(id));
        let before = self.slice(Span::new(lines.start, span.start)).trim();
        let behind = self.slice(Span::new(span.end, lines.end)).trim();
        if before.is_empty() && (behind.is_empty() || behind.starts_with("//")) { lines } else { span }
    }

    /// What a removal of lines is called.
    fn removal(&self, span: Span) -> String {
        let (number, last) = (self.line(span.start), self.line(span.end.saturating_sub(1).max(span.start)));
        match number == last {
            true => text!("remove line {number}", number),
            false => text!("remove lines {number} to {last}", number, last),
        }
    }

    fn whole_line(&self, at: u32) -> Span {
        let line = self.line_of(at);
        Span::new(line.start, (line.end + 1).min(self.text().len() as u32))
    }

    /// What stands behind the end of a block, left out; or another end.
    pub(super) fn other_end(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let span = problem.primary.span;
        let Some(id) = self.index().operation(span.start) else { return Vec::new() };
        let ends = [Control::Yield, Control::Return].into_iter().flat_map(|end| Op::of(end).row().forms());
        let mut found: Vec<OfferedFix> = ends.map(|name| written(span, name)).collect();
        let block = module.all_blocks().into_iter().map(|b| module.block(b)).find(|b| b.ops.contains(&id));
        if let Some(last) = block.and_then(|block| block.ops.last()).filter(|last| **last != id) {
            let (first, end) = (self.lines_of(id).end, self.lines_of(*last).end);
            let lines = Span::new(first, end);
            found.push(OfferedFix::new(self.removal(lines), vec![Replacement::new(lines, "")]));
        }
        found
    }

    /// Brackets that are closed or left out.
    pub(super) fn closed(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let bracket = self.slice(span);
        let close = match bracket {
            "{" => "}",
            "(" => ")",
            "[" => "]",
            "<" => ">",
            _ => return vec![removed(span, bracket)],
        };
        let end = self.text().trim_end().len() as u32;
        let line = self.line_of(span.start);
        let functions = self.index().tokens.iter().filter(|t| t.span.start > span.end && t.first);
        let next = functions.map(|t| t.span.start).find(|at| self.indent(*at).len() <= self.indent(span.start).len());
        let code_end = line.start + self.slice(line).split("//").next().unwrap_or_default().trim_end().len() as u32;
        let mut found = Vec::new();
        if close == "}" {
            found.extend(next.map(|at| inserted(at, format!("{close}\n{}", self.indent(at)), close)));
            found.push(inserted(end, format!("\n{close}"), close));
        }
        found.push(inserted(code_end, close, close));
        found
    }

    /// What the reader expected, and what it found instead, left out.
    pub(super) fn expected(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let before = self.index().first_token(span.start).checked_sub(1).map(|n| self.index().tokens[n]);
        let mut found = Vec::new();
        for piece in quoted(&problem.message).take(1).filter(|piece| !piece.starts_with(char::is_alphanumeric)) {
            let at = before.filter(|t| t.kind != TokenKind::Comment).map_or(span.start, |t| t.span.end);
            found.push(inserted(at, format!(" {piece}"), piece));
            found.push(inserted(span.start, piece, piece));
            found.push(written(span, piece));
        }
        if span.start < span.end {
            found.push(removed(span, self.slice(span)));
        }
        found
    }

    /// A character that starts no token, left out here or everywhere.
    pub(super) fn without_character(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let character = self.slice(span);
        if character.is_empty() || character.chars().all(char::is_alphanumeric) {
            return Vec::new();
        }
        let all = self.text().match_indices(character);
        let all = all.map(|(at, _)| Span::new(at as u32, at as u32 + span.end - span.start));
        let spaces: Vec<Replacement> = all.map(|span| Replacement::new(span, " ")).collect();
        let title = text!("write spaces for all `{name}`", name = character);
        vec![removed(span, character), OfferedFix::new(title, spaces)]
    }

    /// A text that is closed: behind its first word, before a comment, or at the end of the line.
    pub(super) fn closed_text(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let written = self.slice(span);
        let word = written.find(|c: char| c.is_whitespace() || ",})".contains(c)).unwrap_or(written.len());
        let comment = written.find("//").map_or(written.len(), |n| written[..n].trim_end().len());
        let ends = [word, comment, written.trim_end().len()].map(|n| floor_boundary(written, n) as u32);
        let closing = ["\"", "\"}", "\")", "\"]"];
        ends.into_iter().flat_map(|n| closing.map(|new| inserted(span.start + n, new, new))).collect()
    }

    /// A name of its own for what has the name of another.
    pub(super) fn renamed(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let tokens = self.index().tokens_in(Span::new(span.start, self.line_of(span.start).end));
        let is_name = |kind: TokenKind| matches!(kind, TokenKind::Value | TokenKind::Symbol);
        let name = tokens.iter().find(|t| is_name(t.kind)).map(|t| t.span);
        let renamed = name.map(|name| written(name, self.unused_name(&format!("{}_2", self.slice(name)))));
        renamed.into_iter().collect()
    }

    /// Fewer or more names for the results of a statement.
    pub(super) fn named_results(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let names: Vec<&str> = self.slice(span).split(',').map(str::trim).collect();
        let fewer = (1..names.len()).rev().map(|n| names[..n].join(", "));
        let more = (1..3).map(|n| {
            let added = (1..=n).map(|n| self.unused_name(&format!("{}_{n}", names[0])));
            names.iter().map(ToString::to_string).chain(added).collect::<Vec<_>>().join(", ")
        });
        fewer.chain(more).map(|list| written(span, list)).collect()
    }

    /// A longer type for a number: all integer types of its line, or one of them.
    pub(super) fn longer_integer(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let tokens = self.index().tokens_in(self.line_of(problem.primary.span.start)).iter();
        let is_integer =
            |word: &str| word.trim_start_matches('u').strip_prefix('i').is_some_and(|n| n.parse::<u8>().is_ok());
        let types: Vec<Span> = tokens.map(|t| t.span).filter(|span| is_integer(self.slice(*span))).collect();
        let longer = |ty: &'static str| {
            let all = types.iter().map(|span| Replacement::new(*span, ty)).collect();
            let last = types.last().map(|span| Replacement::new(*span, ty)).into_iter().collect();
            [all, last].map(|edits| OfferedFix::new(text!("write `{name}`", name = ty), edits))
        };
        INTEGERS.into_iter().flat_map(longer).collect()
    }

    /// The operand of a name (`addr = %x`), left out in one statement.
    pub(super) fn without_operands(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let statement = self.statement(problem);
        let named = quoted(&problem.message).filter(|name| self.slice(statement).contains(&format!("{name} =")));
        named.filter_map(|name| self.without_pair(statement, name)).collect()
    }

    fn without_pair(&self, statement: Span, name: &str) -> Option<OfferedFix> {
        let span = self.pair(statement, name)?;
        let title = text!("leave `{name}` out", name);
        Some(OfferedFix::new(title, vec![Replacement::new(span, "")]))
    }

    /// `name = %value` in a statement, with the space before it.
    fn pair(&self, statement: Span, name: &str) -> Option<Span> {
        let tokens = self.index().tokens_in(statement);
        let at = tokens.iter().position(|t| self.slice(t.span) == name)?;
        let (equals, value) = (tokens.get(at + 1)?, tokens.get(at + 2)?);
        let before = tokens.get(at.checked_sub(1)?)?;
        (self.slice(equals.span) == "=").then(|| Span::new(before.span.end, value.span.end))
    }

    /// The addresses of all tiles of the function, left out; or one more for a tile without.
    pub(super) fn other_addresses(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let mut found = Vec::new();
        if let Some(id) = self.index().operation(problem.primary.span.start)
            && module.storage(id) == Some(Storage::Tile)
            && module.operand(id, "addr").is_none()
        {
            found.extend(self.with_address(id));
        }
        let Some((_, function)) = self.index().function_at(problem.primary.span.start) else { return found };
        let mut edits = Vec::new();
        module.walk_inside(function, &mut |id| {
            let op = module.op(id);
            let pair = self.pair(op.span, "addr").filter(|_| module.storage(id) == Some(Storage::Tile));
            edits.extend(pair.map(|span| Replacement::new(span, "")));
        });
        if !edits.is_empty() {
            found.push(OfferedFix::new(text!("leave the addresses to `pto plan`"), edits));
        }
        found
    }

    /// The next free address for a tile.
    fn with_address(&self, id: OpId) -> Option<OfferedFix> {
        let module = self.module();
        let op = module.op(id);
        let tile = module.results(id).find_map(|value| module.value_type(value).tile().copied())?;
        let address = self.free_address(op.span.start, &tile)?;
        let name = module.results(id).next().map(|value| module.value_name(value))?;
        let at = self.unused_name(&format!("%{name}_at"));
        let constant = Op::of(Arith::Constant).row().full_name();
        let line = format!("{at} = {constant} {address} : i64\n{}", self.indent(op.span.start));
        let edits = vec![
            Replacement::new(point(op.span.start), line),
            Replacement::new(point(op.name_span.end), format!(" addr = {at}")),
        ];
        Some(OfferedFix::new(text!("give `{name}` the address {address}", name = format!("%{name}"), address), edits))
    }

    /// One operand less, or a value of the type of another operand more.
    pub(super) fn other_operands(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let span = problem.primary.span;
        let statement = self.statement(problem);
        if self.slice(span).starts_with('%') {
            return vec![self.without_operand(statement, span)];
        }
        let Some(id) = self.index().operation(span.start) else { return Vec::new() };
        let operands = module.operands(id);
        let Some(last) = operands.iter().rfind(|o| self.slice(o.span).starts_with('%')) else { return Vec::new() };
        let first = operands.first().unwrap_or(last);
        let around = crate::scope::visible(self, statement.start);
        let fits = around
            .into_iter()
            .rev()
            .filter(|v| operands.iter().any(|o| module.value(o.value).ty == module.value(*v).ty));
        let names = fits.map(|v| format!("%{}", module.value_name(v)));
        let lists = self.type_lists(statement);
        let more = names.take(6).map(|name| {
            let mut candidate = inserted(first.span.end, format!(", {name}"), &name);
            candidate.edits.extend(lists.iter().cloned());
            candidate
        });
        more.collect()
    }

    /// The values of an attribute that a statement lacks, where they may stand.
    pub(super) fn with_attribute(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let statement = self.statement(problem);
        let code = self.slice(statement).split("//").next().unwrap_or_default();
        let end = code.rfind(" : ").unwrap_or(code.trim_end().len()) as u32 + statement.start;
        let values = problem.legal.iter().take(1).flat_map(|line| super::words::words(line));
        let name_end = problem.primary.span.end;
        let places =
            |value| [inserted(name_end, format!(" <{value}>"), value), inserted(end, format!(" {value}"), value)];
        values.take(24).flat_map(places).collect()
    }

    /// The attributes and operands that a message names, left out.
    pub(super) fn without_named(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let statement = self.statement(problem);
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let row = module.op(id).op.row();
        let mut found = Vec::new();
        for name in super::words::words(&problem.message) {
            if row.attr(name).is_some() {
                found.extend(self.left_out(statement, name));
            }
            let slot = row.slot(name);
            let operand = module.operands(id).iter().find(|operand| slot == Some(operand.slot.into()));
            found.extend(operand.map(|operand| self.without_operand(statement, operand.span)));
        }
        found
    }

    /// An operand left out with the comma before it, and the types, which follow from the definitions.
    fn without_operand(&self, statement: Span, operand: Span) -> OfferedFix {
        let from = self.index().first_token(operand.start).checked_sub(1);
        let from = from.map_or(operand.start, |n| self.index().tokens[n].span.start);
        let mut candidate = removed(Span::new(from, operand.end), self.slice(operand));
        candidate.edits.extend(self.type_lists(statement));
        candidate
    }

    /// A switch with one default block: one more, or one less.
    pub(super) fn one_default(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let statement = self.statement(problem);
        let tokens = self.index().tokens_in(statement);
        let mut found = self.left_out(statement, "default");
        let open = tokens.iter().find(|t| self.slice(t.span) == "[").map(|t| t.span.end);
        let labels = tokens.iter().filter(|t| t.kind == TokenKind::Label).map(|t| self.slice(t.span));
        for (at, label) in open.into_iter().flat_map(|at| labels.clone().map(move |label| (at, label))) {
            found.push(inserted(at, format!("default: {label}, "), &format!("default: {label}")));
        }
        found
    }

    /// The operand of a statement in the place of its result, and the statement left out.
    pub(super) fn operand_for_result(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let ([operand], Some(result)) = (module.operands(id), module.results(id).next()) else { return Vec::new() };
        let (name, line) = (self.slice(operand.span), self.lines_of(id));
        let uses = self.references(module.value(result).span.start).into_iter().filter(|span| !within(*span, line));
        let mut edits: Vec<Replacement> = uses.map(|span| Replacement::new(span, name)).collect();
        edits.push(Replacement::new(line, ""));
        vec![OfferedFix::new(text!("use `{name}` itself", name), edits)]
    }
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

pub(super) fn removed(span: Span, name: &str) -> OfferedFix {
    let name = name.lines().next().unwrap_or_default();
    OfferedFix::new(text!("remove `{name}`", name), vec![Replacement::new(span, "")])
}
