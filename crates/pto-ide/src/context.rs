//! The statement around the cursor, also while it is being written.

use crate::Document;
use crate::template::{StatementPart, pattern_order};
use pto::isa::row::Syntax;
use pto::isa::{Dir, Op, Span, table};
use pto::syntax::{SourceToken, TokenKind};

/// No statement is longer than this many tokens for the search of its start.
const LOOKED_AT: usize = 2000;

/// A bracket that is open at the cursor.
#[derive(Clone, Debug)]
pub(crate) struct OpenBracket<'d> {
    pub(crate) bracket: &'d str,
    /// The word before it: `ins` of `ins(`, `shape` of `shape = [`.
    pub(crate) word: &'d str,
    pub(crate) commas: usize,
    /// A colon was passed in it: types follow.
    pub(crate) types: bool,
}

/// The statement around the cursor.
#[derive(Clone, Debug)]
pub(crate) struct StatementAt<'d> {
    pub(crate) op: Op,
    /// Open brackets, outer first. The first is the statement itself.
    pub(crate) open: Vec<OpenBracket<'d>>,
    /// Closed brackets that followed a value directly, as in `%a[%i]`.
    indexed: usize,
    /// A region was opened: statements follow.
    ended: bool,
}

impl<'d> StatementAt<'d> {
    /// The statement whose operands, types or attributes the cursor is among.
    pub(crate) fn find(document: &'d Document, at: u32) -> Option<Self> {
        let tokens = &document.index().tokens[..document.index().first_token(at)];
        let start = mnemonic_before(document, tokens)?;
        let name = tokens[start].span;
        if name.end >= at {
            return None;
        }
        let op = operation(document, &tokens[start])?;
        let mut statement = Self { op, open: vec![OpenBracket::new("", "")], indexed: 0, ended: false };
        for n in start + 1..tokens.len() {
            statement.pass(document, &tokens[..=n]);
        }
        let last = tokens.last()?.span.end;
        let same_line = !document.slice(Span::new(last, at)).contains('\n');
        let inside = !statement.ended && (same_line || statement.open.len() > 1);
        inside.then_some(statement)
    }

    /// Takes the last of these tokens into account.
    fn pass(&mut self, document: &'d Document, tokens: &[SourceToken]) {
        let [before @ .., last] = tokens else { return };
        let text = document.slice(last.span);
        match (last.kind, text) {
            (TokenKind::Punctuation, "(" | "[" | "{" | "<") => {
                let word = word_before(document, before);
                self.ended |= text == "{" && has_regions(self.op) && word != "attributes";
                self.open.push(OpenBracket::new(text, word));
            }
            (TokenKind::Punctuation, ")" | "]" | "}" | ">") => self.close(text),
            (TokenKind::Punctuation, ",") => self.innermost().commas += 1,
            (TokenKind::Punctuation, ":" | "->") => self.innermost().types = true,
            _ => {}
        }
    }

    /// Closes the last bracket of a kind, and those that were left open in it.
    fn close(&mut self, closing: &str) {
        let opening = match closing {
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => "<",
        };
        if let Some(at) = self.open.iter().rposition(|b| b.bracket == opening) {
            self.indexed += usize::from(opening == "[" && self.open[at].word.starts_with('%'));
            self.open.truncate(at);
        }
    }

    fn innermost(&mut self) -> &mut OpenBracket<'d> {
        if self.open.is_empty() {
            self.open.push(OpenBracket::new("", ""));
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// The innermost open bracket.
    pub(crate) fn bracket(&self) -> &OpenBracket<'d> {
        &self.open[self.open.len() - 1]
    }

    /// True where types stand.
    pub(crate) fn in_types(&self) -> bool {
        self.open.iter().any(|b| b.types)
    }

    /// The operand or attribute at the cursor.
    pub(crate) fn part(&self) -> Option<StatementPart> {
        if self.in_types() {
            return None;
        }
        let row = self.op.row();
        let bracket = self.open.iter().rev().find(|b| b.bracket != "<")?;
        match (bracket.bracket, bracket.word) {
            ("(", "ins") => self.nth_slot(false, bracket.commas),
            ("(", "outs") => self.nth_slot(true, bracket.commas),
            ("{", _) => None,
            (_, word) if row.slot(word).is_some() => row.slot(word).map(StatementPart::Slot),
            _ => self.in_order(bracket),
        }
    }

    fn nth_slot(&self, written: bool, at: usize) -> Option<StatementPart> {
        let row = self.op.row();
        let fits = |slot: &usize| (row.slots[*slot].dir != Dir::In) == written;
        let slots: Vec<usize> = (0..row.slots.len()).filter(fits).collect();
        slots.get(at).or(slots.last()).copied().map(StatementPart::Slot)
    }

    /// The part at a position of the text: commas and indices count.
    fn in_order(&self, bracket: &OpenBracket<'_>) -> Option<StatementPart> {
        let row = self.op.row();
        let outer = self.open.first().map_or(0, |b| b.commas) + self.indexed;
        let position = match bracket.bracket {
            "" => outer,
            _ if bracket.word.starts_with('%') => outer + 1,
            _ => outer + bracket.commas,
        };
        let order = match row.syntax {
            Syntax::Pattern(pattern) => pattern_order(row, pattern),
            _ => (0..row.slots.len()).map(StatementPart::Slot).collect(),
        };
        order.get(position).or(order.last()).cloned()
    }
}

impl<'d> OpenBracket<'d> {
    fn new(bracket: &'d str, word: &'d str) -> Self {
        Self { bracket, word, commas: 0, types: false }
    }
}

fn has_regions(op: Op) -> bool {
    matches!(op.row().syntax, Syntax::Custom(custom) if custom.anatomy().regions.1 > 0)
}

/// The word, value or sigil directly before a bracket, or before `=` and a bracket.
fn word_before<'d>(document: &'d Document, before: &[SourceToken]) -> &'d str {
    match before {
        [.., word, equals] if document.slice(equals.span) == "=" => document.slice(word.span),
        [.., word] => document.slice(word.span),
        [] => "",
    }
}

/// The last token that starts a statement.
fn mnemonic_before(document: &Document, tokens: &[SourceToken]) -> Option<usize> {
    let from = tokens.len().saturating_sub(LOOKED_AT);
    (from..tokens.len()).rev().find(|n| starts_statement(document, &tokens[..=*n]))
}

/// True when the last of these tokens is a mnemonic in its position: first on its line, or after the names of results.
pub(crate) fn starts_statement(document: &Document, tokens: &[SourceToken]) -> bool {
    let [before @ .., last] = tokens else { return false };
    operation(document, last).is_some() && at_statement_start(document, last.first, before)
}

/// True where a mnemonic may stand: at the start of a line, or after the names of results.
pub(crate) fn at_statement_start(document: &Document, first: bool, before: &[SourceToken]) -> bool {
    let is = |token: &SourceToken, text: &str| document.slice(token.span) == text;
    match before {
        _ if first => true,
        [] => true,
        [.., token] if is(token, "{") || is(token, "}") => true,
        [rest @ .., token] if is(token, "=") => names_results(document, rest),
        _ => false,
    }
}

/// True for `%a, %b:2` at the start of a line.
fn names_results(document: &Document, tokens: &[SourceToken]) -> bool {
    for token in tokens.iter().rev() {
        match (token.kind, document.slice(token.span)) {
            (TokenKind::Value, _) if token.first => return true,
            (TokenKind::Value | TokenKind::Number, _) | (TokenKind::Punctuation, "," | ":") => {}
            _ => return false,
        }
    }
    true
}

/// The operation that a token names, as a mnemonic or in quotes.
pub(crate) fn operation(document: &Document, token: &SourceToken) -> Option<Op> {
    let text = document.slice(token.span);
    match token.kind {
        TokenKind::Word => table::find(text),
        TokenKind::Text => table::find(text.trim_matches('"')),
        _ => None,
    }
}
