//! Fixes that write another word: one that the help names, one that is legal, one that the editor would complete.

use super::copies::point;
use super::trial::OfferedFix;
use crate::Document;
use crate::edits::Replacement;
use pto::Diagnostic;
use pto::isa::row::Arith;
use pto::isa::sort::SharedSort;
use pto::isa::{Span, codes, table, text};
use pto::syntax::{SourceToken, TokenKind};

/// Completions and numbers that are tried for a word.
const MOST_WORDS: usize = 12;

/// The parts of a text in backquotes: code, in every language.
pub(super) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|part| !part.is_empty() && !part.contains('…'))
}

/// The names and numbers in a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "_.!#%@^-".contains(c);
    text.split(move |c| !inside(c)).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty())
}

pub(super) fn number(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

pub(super) fn written(span: Span, new: impl Into<String>) -> OfferedFix {
    let name: String = new.into();
    OfferedFix::new(text!("write `{name}`", name), vec![Replacement::new(span, name)])
}

impl Document {
    /// The statement that a problem is in, without what it contains; the line of one that could not be read.
    pub(super) fn statement(&self, problem: &Diagnostic) -> Span {
        let at = problem.primary.span;
        let line = self.line_of(at.start);
        let id = self.index().operation(at.start).or_else(|| self.user_at(at));
        let indent = self.indent(at.start.min(line.end)).len() as u32;
        let whole = id.map_or(Span::new(line.start + indent, line.end), |id| self.module().op(id).span);
        Span::new(whole.start.min(at.start), whole.end.min(self.line_of(whole.start).end).max(at.end))
    }

    /// The bytes of the line of a byte, without its break.
    pub(super) fn line_of(&self, at: u32) -> Span {
        let at = crate::positions::floor_boundary(self.text(), at as usize);
        let start = self.text()[..at].rfind('\n').map_or(0, |n| n + 1);
        let end = self.text()[at..].find('\n').map_or(self.text().len(), |n| at + n);
        Span::new(start as u32, end as u32)
    }

    /// The code in the help: a statement to write, a word to write, to insert or to leave out.
    pub(super) fn helped_code(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let statement = self.statement(problem);
        let mut found = Vec::new();
        // Similar operations are offered with the dialect that the text has.
        let help = problem.help.iter().filter(|_| problem.code != codes::UNKNOWN_OP);
        for piece in help.flat_map(|help| quoted(help)) {
            let first = words(piece).next().unwrap_or_default();
            if first.starts_with("pto.") && table::find(first).is_some() && piece.len() > first.len() {
                found.push(written(statement, piece));
            } else if piece.starts_with("attributes") {
                let header = self.line_of(span.start);
                let brace = self.slice(header).rfind('{').map(|n| header.start + n as u32);
                found.extend(brace.map(|at| inserted(at, format!("{piece} "), piece)));
            } else if piece.starts_with('!') && piece.contains('<') {
                found.extend(self.other_type_in(statement, piece));
                found.push(inserted(span.start, piece, piece));
            } else {
                found.extend(self.same_sort_in(statement, piece).map(|at| written(at, piece)));
                found.push(written(span, piece));
                found.push(inserted(span.start, piece, piece));
                found.extend(self.left_out(self.line_of(span.start), piece));
            }
        }
        found
    }

    /// A type in a statement, replaced by one of its kind.
    fn other_type_in(&self, statement: Span, new: &str) -> Option<OfferedFix> {
        let head = &new[..new.find('<')? + 1];
        let start = self.slice(statement).rfind(head)?;
        let start = statement.start + start as u32;
        let end = self.slice(Span::new(start, statement.end)).find('>')? as u32 + 1;
        Some(written(Span::new(start, start + end), new))
    }

    /// The first word of a statement with the sigil of another.
    fn same_sort_in(&self, statement: Span, word: &str) -> Option<Span> {
        let sigil = word.chars().next().filter(|c| "%@^!#".contains(*c))?;
        let tokens = self.index().tokens_in(statement).iter();
        tokens.map(|t| t.span).find(|span| self.slice(*span).starts_with(sigil))
    }

    /// An attribute or another element of a list, left out with its comma; the list with it, if it was all.
    pub(super) fn left_out(&self, within: Span, name: &str) -> Vec<OfferedFix> {
        let tokens = self.index().tokens_in(within);
        let Some(at) = tokens.iter().position(|t| self.slice(t.span) == name) else { return Vec::new() };
        let mut end = at + 1;
        let mut depth = 0;
        while let Some(token) = tokens.get(end) {
            match self.slice(token.span) {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" if depth > 0 => depth -= 1,
                "," | ")" | "]" | "}" | ">" if depth == 0 => break,
                _ => {}
            }
            end += 1;
        }
        let title = text!("leave `{name}` out", name);
        let text_at = |n: Option<usize>| n.and_then(|n| tokens.get(n)).map_or("", |t| self.slice(t.span));
        let edge = |n: usize| tokens[n].span;
        let mut found = Vec::new();
        let mut leave = |from: u32, to: u32| {
            found.push(OfferedFix::new(title.clone(), vec![Replacement::new(Span::new(from, to), "")]));
        };
        let (before, behind) = (at.checked_sub(1), Some(end));
        let next = |n: usize| tokens.get(n).map_or(within.end, |t| t.span.start);
        if text_at(behind) == "," {
            leave(edge(at).start, next(end + 1));
        } else if text_at(before) == "," {
            leave(edge(at - 2).end, edge(end - 1).end);
        } else if text_at(before) == "{" && text_at(behind) == "}" {
            let is_word = |n: usize| text_at(Some(n)) == "attributes";
            let first = at.checked_sub(2).filter(|n| is_word(*n)).unwrap_or(at - 1);
            let from = first.checked_sub(1).map_or(edge(first).start, |n| edge(n).end);
            leave(from, edge(end).end);
        }
        leave(edge(at).start, edge(end - 1).end);
        leave(edge(at).start, next(end));
        found
    }

    /// Words that are listed as legal, for words of the statement that look alike or that the message names.
    pub(super) fn legal_words(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let legal: Vec<&str> = problem.legal.iter().take(1).flat_map(|line| words(line)).collect();
        let named: Vec<&str> = quoted(&problem.message).flat_map(words).collect();
        let mut pairs = Vec::new();
        for (span, word) in self.words_in(self.statement(problem)) {
            let is_named = named.contains(&word);
            for other in legal.iter().filter(|other| **other != word) {
                let alike = common(word, other) >= 3 && word.contains('_');
                if is_named || alike {
                    pairs.push((!is_named, table::distance(word, other), span, *other));
                }
            }
        }
        pairs.shared_sort_by_key(|(unnamed, distance, ..)| (*unnamed, *distance));
        pairs.into_iter().take(2 * MOST_WORDS).map(|(_, _, span, other)| written(span, other)).collect()
    }

    /// The words of a statement; those inside of `16x16xf32` and of `loc=ub`, too.
    fn words_in(&self, statement: Span) -> Vec<(Span, &str)> {
        let mut found = Vec::new();
        for token in self.index().tokens_in(statement) {
            let text = self.slice(token.span);
            if token.kind == TokenKind::Comment {
                continue;
            }
            found.push((token.span, text));
            if token.kind == TokenKind::Type
                && let Some(at) = text.rfind('x')
            {
                let from = token.span.start + at as u32 + 1;
                found.push((Span::new(from, token.span.end), &text[at + 1..]));
            }
        }
        found
    }

    /// Another operation of the dialect with as many operands, the most similar first; one that is listed as legal before them.
    pub(super) fn other_operation(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let Some(id) = self.index().operation(span.start) else { return Vec::new() };
        let row = self.module().op(id).op.row();
        let dialect = |name: &str| name.split_once('.').map(|(dialect, _)| dialect.to_string());
        let (name, counts) = (row.full_name(), (row.slots.len(), row.results.len()));
        let listed = problem.legal.iter().flat_map(|line| words(line)).filter(|word| table::find(word).is_some());
        let mut found: Vec<OfferedFix> = listed.map(|word| written(span, word)).collect();
        let rows = table::all().map(|op| op.row()).filter(|other| (other.slots.len(), other.results.len()) == counts);
        let names =
            rows.map(|other| other.full_name()).filter(|other| *other != name && dialect(other) == dialect(&name));
        let mut near: Vec<(usize, String)> = names.map(|other| (table::distance(&name, &other), other)).collect();
        near.shared_sort();
        // Operations of tiles do different things; those on scalars are there once per type.
        near.retain(|_| !name.starts_with("pto."));
        found.extend(near.into_iter().take(2 * MOST_WORDS).map(|(_, other)| written(span, other)));
        found
    }

    /// Values of an attribute, where something else stands.
    pub(super) fn attribute_values(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let asked = self.edited(&[Replacement::new(span, "#")]);
        let values = asked.completions(span.start + 1).into_iter().filter(|c| c.snippet.is_none());
        values.take(MOST_WORDS).map(|completion| written(span, completion.label)).collect()
    }

    /// What an editor would complete in the place of the words that a problem points at, the most similar first.
    pub(super) fn completed(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let spans = std::iter::once(problem.primary.span).chain(problem.labels.iter().map(|label| label.span));
        let mut tokens: Vec<SourceToken> =
            spans.filter_map(|span| self.index().token_at(span.start).copied()).collect();
        if [codes::CALL, codes::BRANCH].contains(&problem.code) {
            let names = self.index().tokens_in(self.statement(problem)).iter();
            tokens.extend(names.filter(|t| matches!(t.kind, TokenKind::Symbol | TokenKind::Label)));
        }
        let mut pairs = Vec::new();
        for token in tokens {
            let word = self.slice(token.span);
            let starts = word.starts_with(['%', '@', '^', '!', '#']);
            let at = token.span.start + u32::from(starts);
            if self.index().operation(token.span.start).is_some() {
                continue;
            }
            for (n, completion) in self.completions(at).into_iter().enumerate() {
                if completion.label != word && completion.snippet.is_none() {
                    let distance = table::distance(word, &completion.label);
                    pairs.push((distance, n, completion.replaces, completion.label));
                }
            }
        }
        pairs.shared_sort_by_key(|(distance, n, ..)| (*distance, *n));
        pairs.into_iter().take(MOST_WORDS).map(|(_, _, span, label)| written(span, label)).collect()
    }

    /// Numbers that the help and the list of what is legal name, for the numbers of the statement and the constants that it uses.
    pub(super) fn numbers(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        self.numbers_of(problem, problem.help.iter().chain(problem.legal.iter().take(1)))
    }

    /// Numbers that the help names.
    pub(super) fn helped_numbers(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        self.numbers_of(problem, problem.help.iter())
    }

    fn numbers_of<'t>(&self, problem: &Diagnostic, texts: impl Iterator<Item = &'t String>) -> Vec<OfferedFix> {
        let named: Vec<&str> = texts.flat_map(|text| words(text)).filter(|word| number(word).is_some()).collect();
        let less = named.iter().filter_map(|word| number(word)?.checked_sub(1)).filter(|n| *n >= 0);
        let less: Vec<String> = less.map(|n| n.to_string()).collect();
        let numbers: Vec<&str> = named.into_iter().chain(less.iter().map(String::as_str)).take(MOST_WORDS).collect();
        let places = self.number_places(problem);
        let pairs = numbers.iter().flat_map(|number| places.iter().map(move |place| (*place, *number)));
        pairs.filter(|(place, number)| self.slice(*place) != *number).map(|(place, n)| written(place, n)).collect()
    }

    /// The numbers of a statement, and of the constants that it uses.
    fn number_places(&self, problem: &Diagnostic) -> Vec<Span> {
        let module = self.module();
        let statement = self.statement(problem);
        let number_of = |span: Span| {
            let tokens = self.index().tokens_in(span).iter();
            let found: Vec<Span> = tokens.filter(|t| t.kind == TokenKind::Number).map(|t| t.span).collect();
            let signed = |span: &Span| {
                let sign = span.start.saturating_sub(1);
                if self.slice(Span::new(sign, span.start)) == "-" { Span::new(sign, span.end) } else { *span }
            };
            found.iter().map(signed).collect::<Vec<_>>()
        };
        let mut found = number_of(problem.primary.span);
        let uses = self.index().tokens_in(statement).iter().filter(|t| t.kind == TokenKind::Value);
        let values = uses.filter_map(|t| self.index().value(module, self.text(), t));
        let constants = values.filter_map(|v| module.definition(v));
        let constants = constants.filter(|id| module.arith(*id) == Some(Arith::Constant));
        found.extend(constants.flat_map(|id| number_of(module.op(id).span)));
        found.extend(number_of(statement));
        found.dedup();
        found
    }
}

pub(super) fn inserted(at: u32, new: impl Into<String>, name: &str) -> OfferedFix {
    OfferedFix::new(text!("insert `{name}`", name), vec![Replacement::new(point(at), new.into())])
}

/// The length of what two words start with.
fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count()
}
