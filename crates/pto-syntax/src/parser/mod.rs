//! The reader: error-tolerant recursive descent over tokens.
//!
//! Every `parse_*` function either consumes what it names, or reports an error and returns `None`. A statement that
//! fails is skipped up to the next line that looks like a statement, its results get the unknown type, and reading
//! continues.

mod attrs;
mod bind;
mod chunks;
mod consequences;
mod custom;
mod custom_arith;
mod generic;
mod infer;
mod scope;
mod sizes;
mod spelling;
mod statement;
mod twins;
mod types;

pub(crate) use attrs::unquote;

use crate::lexer::{Lexeme, Lexer, Tok};
use pto_ir::{BlockId, Module, Spelling, Sym, TypeId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Code, Diagnostic, Span, codes};
use scope::Scopes;
use std::rc::Rc;

const STRAY_BRACE: &str = pto_isa::text_key!("found `}` without an opening `{`");

/// Limit of nested regions, types and attributes; the stack of a thread holds far more.
const MAX_DEPTH: u32 = 200;

/// Reads a program; returns what could be read and all problems, in source order.
pub fn parse(source: &str) -> (Module, Vec<Diagnostic>) {
    if u32::try_from(source.len()).is_err() {
        let message = text!("the file has {source} bytes", source = source.len());
        let d = Diagnostic::new(codes::TOO_LARGE, Span::default(), message).legal(text!("at most 4 GiB"));
        return (Module::default(), vec![d]);
    }
    let mut parser = Parser::new(source);
    parser.file();
    parser.finish()
}

pub(crate) struct Parser<'s> {
    lexer: Lexer<'s>,
    source: &'s str,
    /// The current token.
    token: Lexeme,
    /// The end of the previous token.
    last_end: u32,
    module: Module,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    /// Types by their text: programs repeat the same ones hundreds of times.
    type_texts: FastMap<&'s str, TypeId>,
    type_aliases: FastMap<&'s str, TypeId>,
    /// The slots of the types of a pattern, by operation; computed once each.
    pattern_types: Vec<Option<Option<Rc<PatternTypes>>>>,
    attr_aliases: FastMap<&'s str, (pto_ir::Attr, sizes::NestingSize)>,
    /// Sizes of types and attributes with expanded aliases.
    sizes: sizes::Sizes,
    /// How often a similar name was searched.
    suggestions: u32,
    /// Labels of the region being read.
    labels: FastMap<Sym, (BlockId, Span, bool)>,
    depth: u32,
    /// Types that disagree with a value and were reported.
    disagreed: FastSet<(pto_ir::ValueId, TypeId)>,
    /// A header of the current function could not be read, so names may be missing because of that.
    broken_function: bool,
    /// Open braces of attribute dictionaries in the current statement.
    open_dicts: u32,
    /// Open braces of skipped statements; their closing ones are skipped too.
    stray_braces: u32,
    /// Names without a definition in functions with a broken header.
    doubtful: Vec<Diagnostic>,
    /// A list of values that is known to be operands: long lists are scanned once, not from each of their values.
    operand_list: std::cell::Cell<(usize, usize)>,
    /// The rest of the text is not read.
    given_up: bool,
    /// Positions of operands with an omitted type.
    elided: FastSet<u32>,
    /// The spelling of the current statement.
    spelling: Spelling,
    /// Which of its results have an omitted type.
    elided_results: Vec<bool>,
}

/// Slots before and after `->`.
type PatternTypes = (Vec<usize>, Vec<usize>);

/// `None`: a problem was reported; the caller reports nothing more.
pub(crate) type Parse<T> = Option<T>;

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Self {
        let mut lexer = Lexer::new(source);
        if source.starts_with('\u{feff}') {
            lexer.pos = '\u{feff}'.len_utf8();
        }
        let token = lexer.next();
        Self {
            lexer,
            source,
            token,
            last_end: 0,
            module: Module::default(),
            diagnostics: Vec::new(),
            scopes: Scopes::default(),
            type_texts: FastMap::default(),
            type_aliases: FastMap::default(),
            pattern_types: vec![None; pto_isa::table::COUNT],
            attr_aliases: FastMap::default(),
            sizes: sizes::Sizes::default(),
            suggestions: 0,
            labels: FastMap::default(),
            depth: 0,
            disagreed: FastSet::default(),
            broken_function: false,
            open_dicts: 0,
            stray_braces: 0,
            doubtful: Vec::new(),
            operand_list: std::cell::Cell::default(),
            given_up: false,
            elided: FastSet::default(),
            spelling: Spelling::default(),
            elided_results: Vec::new(),
        }
    }

    fn finish(mut self) -> (Module, Vec<Diagnostic>) {
        self.module.comments = std::mem::take(&mut self.lexer.comments);
        self.drop_consequences();
        self.diagnostics.shared_sort_by_key(|d| d.primary.span);
        self.diagnostics.dedup_by(|a, b| {
            a == b || a.code == codes::TYPE_DISAGREES && a.code == b.code && a.primary.span == b.primary.span
        });
        (self.module, self.diagnostics)
    }

    /// The whole file: aliases, modules, functions, or bare statements.
    fn file(&mut self) {
        let top = self.module.top;
        self.scopes.enter_function();
        loop {
            match self.token.tok {
                Tok::Eof => break,
                Tok::Punct(b'}') => {
                    self.close_stray_or_report();
                }
                Tok::Punct(b'{') if self.text_at(self.token.span.end) == b'-' => self.skip_file_metadata(),
                _ => self.top_level_item(top),
            }
        }
        self.module.block_mut(top).end = self.source.len() as u32;
        let unresolved = self.scopes.leave_function(&mut self.module);
        self.report_undefined(unresolved);
    }

    fn close_stray_or_report(&mut self) {
        if self.stray_braces > 0 {
            self.stray_braces -= 1;
        } else {
            let span = self.token.span;
            self.report(Diagnostic::new(codes::UNCLOSED, span, text::translate(STRAY_BRACE)));
        }
        self.bump();
    }

    /// `{-# … #-}` at the end of a file is data for other tools.
    fn skip_file_metadata(&mut self) {
        let rest = &self.source[self.token.span.start as usize..];
        let start = self.token.span.start;
        let end = rest.find("#-}").map_or(self.source.len(), |at| start as usize + at + 3);
        let span = Span::new(start, end as u32);
        let text = self.source[start as usize..end].into();
        self.lexer.comments.push(pto_ir::Comment { span, trailing: false, text });
        self.lexer.pos = end;
        self.bump();
    }

    fn top_level_item(&mut self, top: BlockId) {
        match self.token.tok {
            Tok::Bang | Tok::Hash if self.is_alias_definition() => self.alias_definition(),
            _ => self.statement(top),
        }
    }

    /// `!name = …` or `#name = …` at the top level.
    fn is_alias_definition(&self) -> bool {
        let rest = self.next_text();
        rest.starts_with('=') && !rest.starts_with("==")
    }

    fn alias_definition(&mut self) {
        let token = self.token;
        let name = self.text(token.span);
        self.bump();
        self.expect(b'=');
        let known = self.type_aliases.contains_key(name) || self.attr_aliases.contains_key(name);
        if known || name.contains('.') {
            let why = if known { text!("is already defined") } else { text!("has a dot; aliases are plain names") };
            self.report(Diagnostic::new(codes::BAD_ALIAS, token.span, text!("the alias `{name}` {why}", name, why)));
        }
        if token.tok == Tok::Bang {
            if let Some(ty) = self.parse_type() {
                if !known {
                    self.type_aliases.insert(name, ty);
                    self.keep_alias(name, pto_ir::Attr::Type(ty), token.span);
                }
            } else {
                self.recover(token.span.start);
            }
        } else if let Some(attr) = self.typed_attr() {
            if !known {
                let extent = self.sizes.of_attr(&attr);
                self.attr_aliases.insert(name, (attr.clone(), extent));
                self.keep_alias(name, attr, token.span);
            }
        } else {
            self.recover(token.span.start);
        }
    }

    fn keep_alias(&mut self, name: &str, value: pto_ir::Attr, start: Span) {
        let span = Span::new(start.start, self.last_end);
        self.module.aliases.push(pto_ir::Alias { name: name.into(), value, span });
    }

    // ---- words -------------------------------------------------------------------------------------------

    fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    fn text_at(&self, position: u32) -> u8 {
        self.source.as_bytes().get(position as usize).copied().unwrap_or(0)
    }

    fn token_text(&self) -> &'s str {
        self.text(self.token.span)
    }

    fn bump(&mut self) -> Lexeme {
        let token = self.token;
        self.last_end = token.span.end;
        self.token = self.lexer.next();
        token
    }

    fn at(&self, punct: u8) -> bool {
        self.token.tok == Tok::Punct(punct)
    }

    fn eat(&mut self, punct: u8) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    fn at_word(&self, word: &str) -> bool {
        self.token.tok == Tok::Ident && self.token_text() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// The text after the current token.
    fn next_text(&self) -> &'s str {
        &self.source[self.lexer.after_layout(self.token.span.end as usize)..]
    }

    /// The first byte after the current token.
    fn next_byte(&self) -> u8 {
        self.next_text().as_bytes().first().copied().unwrap_or(0)
    }

    fn expect(&mut self, punct: u8) -> Parse<Lexeme> {
        if self.at(punct) {
            return Some(self.bump());
        }
        self.expected(&format!("`{}`", punct as char));
        None
    }

    fn expect_word(&mut self, word: &str) -> Parse<Lexeme> {
        if self.at_word(word) {
            return Some(self.bump());
        }
        self.expected(&format!("`{word}`"));
        None
    }

    /// Closes a bracket; a missing one is reported where it was opened.
    fn close(&mut self, punct: u8, open: Span) -> Parse<Lexeme> {
        if self.at(punct) {
            return Some(self.bump());
        }
        let found = self.found();
        let d = Diagnostic::new(
            codes::SYNTAX,
            self.token.span,
            text!("expected `{char}`, found {found}", char = punct as char, found),
        );
        self.report(d.label(open, text!("opened here")));
        None
    }

    /// Reports that something else was expected at the current token.
    fn expected(&mut self, what: &str) {
        let found = self.found();
        let span = self.token.span;
        let code = match self.token.tok {
            Tok::Bad if self.token_text().starts_with(['"', '@']) => codes::UNTERMINATED,
            Tok::Bad => codes::BAD_CHARACTER,
            _ => codes::SYNTAX,
        };
        self.report(Diagnostic::new(code, span, text!("expected {what}, found {found}", what, found)));
    }

    fn found(&self) -> String {
        match self.token.tok {
            Tok::Eof => text!("the end of the file").to_string(),
            _ => {
                let text = self.token_text();
                let short: String = text.chars().take(40).collect();
                format!("`{short}`")
            }
        }
    }

    fn report(&mut self, d: Diagnostic) {
        // Once reading has stopped, missing parts are not a problem of the text.
        if !self.given_up || d.code == codes::UNDEFINED {
            self.diagnostics.push(d);
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    // ---- nesting and recovery ----------------------------------------------------------------------------

    /// Runs `inner` one level deeper, or reports that the text is nested too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.token.span;
            self.error(codes::TOO_DEEP, span, text!("nested more than {MAX_DEPTH} deep", MAX_DEPTH));
            // Nothing sensible follows: repeating the error for each further level, or for open brackets, would not help.
            self.given_up = true;
            self.lexer.pos = self.source.len();
            self.bump();
            return None;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Skips from a statement that began at `start` to the next line that starts like one. Counts braces left open on
    /// the way.
    fn recover(&mut self, start: u32) {
        let dicts = std::mem::take(&mut self.open_dicts);
        let mut open = dicts;
        loop {
            let moved = self.token.span.start > start;
            match self.token.tok {
                Tok::Eof => break,
                Tok::Punct(b'{') => open += 1,
                Tok::Punct(b'}') if open == 0 => break,
                Tok::Punct(b'}') => open -= 1,
                _ if moved && self.token.first && self.starts_statement() => break,
                _ => {}
            }
            self.bump();
        }
        // A dictionary that is still open was never closed; other open braces are regions.
        self.stray_braces += open.saturating_sub(dicts);
    }

    fn starts_statement(&self) -> bool {
        match self.token.tok {
            Tok::Value | Tok::Caret | Tok::Bang | Tok::Hash => true,
            Tok::Str => self.next_byte() == b'(',
            Tok::Ident => pto_isa::table::find(self.token_text()).is_some() || self.token_text().contains('.'),
            _ => false,
        }
    }

    fn intern(&mut self, text: &str) -> Sym {
        self.module.names.intern(text)
    }
}
