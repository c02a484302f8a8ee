//! What can be written at the cursor.

mod attributes;
mod mnemonics;
mod values;

pub(crate) use self::values::fits;
use crate::Document;
use crate::context::{StatementAt, at_statement_start};
use pto::isa::sort::SharedSort;
use pto::isa::{Span, table};
use pto::syntax::{SourceToken, TokenKind};

/// What a completion is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompletionKind {
    /// An operation.
    Operation,
    /// A value of the program.
    Value,
    /// A type, or an alias of one.
    Type,
    /// An attribute.
    Attribute,
    /// A value of an enumeration.
    Choice,
    /// A function.
    Function,
    /// A block.
    Label,
    /// A word of the grammar.
    Keyword,
}

/// A text that can be written at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// What it is.
    pub kind: CompletionKind,
    /// What is shown, and put in.
    pub label: String,
    /// More about it, in a line.
    pub detail: String,
    /// The text with gaps to fill in, as `${1:name}`, if it has any.
    pub snippet: Option<String>,
    /// What is compared with the text that is there.
    pub filter: String,
    /// The text that it replaces.
    pub replaces: Span,
    /// Completions with smaller numbers are better.
    pub rank: u32,
}

impl Document {
    /// What can be written at a byte: operations that the target has, values that fit the operand, attributes, their values, and
    /// types.
    ///
    /// ```
    /// let text = "func.func @f(%n: index, %t: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tmax ins(%\n  return\n}\n";
    /// let document = pto_ide::Document::new(text, None);
    /// let at = text.find("ins(%").expect("in the text") as u32 + 5;
    /// let labels: Vec<String> = document.completions(at).into_iter().map(|c| c.label).collect();
    /// assert_eq!(labels, ["%t"], "an index is no tile");
    /// ```
    pub fn completions(&self, at: u32) -> Vec<Completion> {
        let cursor = CursorWord::new(self, at);
        if cursor.in_comment {
            return Vec::new();
        }
        let mut found = match cursor.prefix.as_bytes().first() {
            Some(b'%') => values::fitting(self, &cursor),
            Some(b'!') => values::types(self, &cursor),
            Some(b'@') => self.functions(&cursor),
            Some(b'^') => self.labels(&cursor),
            Some(b'#') => attributes::spelled(self, &cursor),
            _ if cursor.starts_statement => mnemonics::all(self, &cursor),
            _ => self.inside(&cursor),
        };
        found.shared_sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
        found.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
        found
    }

    /// The page of a completion, as Markdown.
    ///
    /// ```
    /// let page = pto_ide::Document::page_of("pto.tmax").expect("an operation");
    /// assert!(page.starts_with("**TMAX**"));
    /// ```
    pub fn page_of(operation: &str) -> Option<String> {
        table::find(operation).map(pto::doc::brief_page)
    }

    /// What can stand inside of a statement, where nothing is written yet.
    fn inside(&self, cursor: &CursorWord<'_>) -> Vec<Completion> {
        let Some(statement) = &cursor.statement else { return Vec::new() };
        let bracket = statement.bracket();
        match bracket.bracket {
            "{" => attributes::in_dictionary(self, cursor, statement),
            "<" => attributes::in_angles(cursor, statement),
            _ if statement.in_types() => values::types(self, cursor),
            "(" | "[" => {
                let mut found = attributes::positional(cursor, statement);
                found.extend(values::fitting(self, cursor));
                found
            }
            _ => {
                let mut found = mnemonics::keywords(cursor, statement);
                found.extend(attributes::positional(cursor, statement));
                found.extend(values::fitting(self, cursor));
                found
            }
        }
    }

    fn functions(&self, cursor: &CursorWord<'_>) -> Vec<Completion> {
        let module = self.module();
        let functions = module.functions().into_iter();
        let item = |f| {
            let detail = crate::hover::signature_text(self, f);
            cursor.item(CompletionKind::Function, format!("@{}", module.symbol_name(f)), detail)
        };
        functions.map(item).collect()
    }

    fn labels(&self, cursor: &CursorWord<'_>) -> Vec<Completion> {
        let around = self.index().function_at(cursor.at).map(|f| f.0).unwrap_or_default();
        let labels = self.index().tokens_in(around).iter();
        let labels = labels.filter(|t| t.kind == TokenKind::Label && t.first);
        labels.map(|t| cursor.item(CompletionKind::Label, self.slice(t.span).to_string(), String::new())).collect()
    }
}

/// The word that is being written.
struct CursorWord<'d> {
    at: u32,
    /// The part of it before the cursor.
    prefix: &'d str,
    /// The whole of it, which a completion replaces.
    span: Span,
    in_comment: bool,
    /// A mnemonic may stand here.
    starts_statement: bool,
    statement: Option<StatementAt<'d>>,
}

impl<'d> CursorWord<'d> {
    fn new(document: &'d Document, at: u32) -> Self {
        let index = document.index();
        let at = (at as usize).min(document.text().len()) as u32;
        let behind = index.first_token(at);
        let touched = behind.checked_sub(1).map(|n| index.tokens[n]).filter(|t| at <= t.span.end);
        let in_comment = touched.is_some_and(|t| t.kind == TokenKind::Comment);
        // `%` alone is no name yet.
        let is_word = |t: &SourceToken| t.kind != TokenKind::Punctuation && t.kind != TokenKind::Comment;
        let word = touched.filter(is_word);
        let span = word.map_or(Span::new(at, at), |t| t.span);
        let before = &index.tokens[..behind - usize::from(word.is_some())];
        let first = before.last().is_none_or(|t| document.slice(Span::new(t.span.end, span.start)).contains('\n'));
        let statement = StatementAt::find(document, span.start.max(1));
        let open = statement.as_ref().is_some_and(|s| s.open.len() > 1);
        let starts_statement = !open && at_statement_start(document, first, before);
        let prefix = document.slice(Span::new(span.start, at));
        Self { at, prefix, span, in_comment, starts_statement, statement }
    }

    fn item(&self, kind: CompletionKind, label: String, detail: String) -> Completion {
        let filter = label.clone();
        Completion { kind, label, detail, snippet: None, filter, replaces: self.span, rank: 0 }
    }
}
