//! Tokens of the text, produced on demand.
//!
//! Types are not split into tokens: their bodies (`16x16xf32`) have their own rules, and the type reader reads them
//! from the text.

use crate::blanks::{self, SkippedText};
use pto_ir::Comment;
use pto_isa::Span;

/// The kind of a token; its text is the source in its span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    /// `%name`, `%0`, `%pack#1`
    Value,
    /// `@name`, `@"name"`
    Symbol,
    /// `#name`, `#pto.pipe`
    Hash,
    /// `!name`, `!pto.tile_buf`
    Bang,
    /// `^bb0`
    Caret,
    /// `name`, `pto.tmax`
    Ident,
    /// `16`, `0x1F`
    Int,
    /// `1.0`, `1.5e-3`
    Float,
    /// `"text"`
    Str,
    /// `->`
    Arrow,
    /// Any other single character.
    Punct(u8),
    /// A character that starts no token, or an unterminated string.
    Bad,
    /// The end.
    Eof,
}

/// A token with its span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
    /// It is the first on its line.
    pub(crate) first: bool,
}

/// Splits a text into tokens.
pub(crate) struct Lexer<'s> {
    pub(crate) source: &'s str,
    pub(crate) pos: usize,
    pub(crate) comments: Vec<Comment>,
    line_has_code: bool,
}

const fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b == b'.'
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, pos: 0, comments: Vec::new(), line_has_code: false }
    }

    fn byte(&self, at: usize) -> u8 {
        self.source.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The next token; advances.
    pub(crate) fn next(&mut self) -> Lexeme {
        let first = self.skip_space();
        let start = self.pos;
        let tok = self.word();
        self.line_has_code = true;
        Lexeme { tok, span: Span::new(start as u32, self.pos as u32), first }
    }

    /// The start of the next token after a position: spaces and comments are skipped.
    pub(crate) fn after_layout(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b'/' if self.byte(at + 1) == b'/' => at = self.line_end(at),
                b'#' if self.is_hash_comment(at) => at = self.line_end(at),
                _ => return at,
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        self.source[at..].find('\n').map_or(self.source.len(), |len| at + len)
    }

    /// Skips spaces and comments; true when a new line began.
    fn skip_space(&mut self) -> bool {
        let mut first = self.pos == 0 || !self.line_has_code;
        loop {
            match self.byte(self.pos) {
                b'\n' => {
                    first = true;
                    self.line_has_code = false;
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\r' => self.pos += 1,
                b'/' if self.byte(self.pos + 1) == b'/' => self.comment(),
                b'#' if self.is_hash_comment(self.pos) => self.comment(),
                _ => return first,
            }
        }
    }

    fn is_hash_comment(&self, at: usize) -> bool {
        blanks::is_hash_comment(self.source.as_bytes(), at)
    }

    /// Records the comments of a text that is not read token by token, and continues after it.
    pub(crate) fn pass(&mut self, end: usize) {
        while self.pos < end {
            match blanks::stretch(self.source.as_bytes(), self.pos) {
                SkippedText::Comment(_) => self.comment(),
                SkippedText::Quoted(behind) => self.pos = behind,
                SkippedText::None => self.pos += 1,
            }
        }
        self.pos = end;
    }

    fn comment(&mut self) {
        let start = self.pos;
        self.pos = self.line_end(start);
        if self.comments.last().is_none_or(|c| (c.span.start as usize) < start) {
            let text = self.source[start..self.pos].trim_end();
            let span = Span::new(start as u32, (start + text.len()) as u32);
            self.comments.push(Comment { span, trailing: self.line_has_code, text: text.into() });
        }
    }

    fn word(&mut self) -> Tok {
        let b = self.byte(self.pos);
        let next = self.byte(self.pos + 1);
        match b {
            0 if self.pos >= self.source.len() => Tok::Eof,
            b'%' => self.sigil(Tok::Value),
            b'^' => self.sigil(Tok::Caret),
            b'!' => self.sigil(Tok::Bang),
            b'#' => self.sigil(Tok::Hash),
            b'@' if next == b'"' => {
                self.pos += 1;
                self.string();
                Tok::Symbol
            }
            b'@' => self.sigil(Tok::Symbol),
            b'"' => self.string(),
            b'0'..=b'9' => self.number(),
            b'-' if next == b'>' => {
                self.pos += 2;
                Tok::Arrow
            }
            _ if b.is_ascii_alphabetic() || b == b'_' => {
                self.name();
                Tok::Ident
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b':' | b'=' | b'-' | b'?' | b'*' | b'+'
            | b'.' | b'/' | b'|' => {
                self.pos += 1;
                Tok::Punct(b)
            }
            _ => self.bad(),
        }
    }

    fn sigil(&mut self, tok: Tok) -> Tok {
        self.pos += 1;
        let start = self.pos;
        self.name();
        if matches!(tok, Tok::Value | Tok::Symbol | Tok::Caret) {
            self.signed_parts();
        }
        if tok == Tok::Value && self.byte(self.pos) == b'#' {
            self.pos += 1;
            self.name();
        }
        if self.pos == start { Tok::Bad } else { tok }
    }

    /// The rest of a name with signs, as printed names of negative constants are: `%c-1_i32`.
    fn signed_parts(&mut self) {
        loop {
            let signs = self.source.as_bytes()[self.pos..].iter().take_while(|b| **b == b'-').count();
            if signs == 0 || !is_name(self.byte(self.pos + signs)) {
                return;
            }
            self.pos += signs;
            self.name();
        }
    }

    fn name(&mut self) {
        let rest = &self.source.as_bytes()[self.pos..];
        self.pos += rest.iter().position(|&b| !is_name(b)).unwrap_or(rest.len());
        // A name does not end in dots: `!pto.tile<...>` and sentences.
        while self.byte(self.pos.wrapping_sub(1)) == b'.' {
            self.pos -= 1;
        }
    }

    fn number(&mut self) -> Tok {
        if self.byte(self.pos) == b'0' && matches!(self.byte(self.pos + 1), b'x' | b'X') {
            let rest = &self.source.as_bytes()[self.pos + 2..];
            let len = rest.iter().position(|b| !b.is_ascii_hexdigit()).unwrap_or(rest.len());
            if len > 0 {
                self.pos += 2 + len;
                return Tok::Int;
            }
        }
        self.digits();
        let point = self.byte(self.pos) == b'.';
        if point {
            self.pos += 1;
            self.digits();
        }
        // The dialect requires a point before an exponent; `1e30` is accepted as well.
        if self.exponent() || point { Tok::Float } else { Tok::Int }
    }

    /// `e30`, `E-7`
    fn exponent(&mut self) -> bool {
        let signed = usize::from(matches!(self.byte(self.pos + 1), b'+' | b'-'));
        let found = matches!(self.byte(self.pos), b'e' | b'E') && self.byte(self.pos + 1 + signed).is_ascii_digit();
        if found {
            self.pos += 1 + signed;
            self.digits();
        }
        found
    }

    fn digits(&mut self) {
        while self.byte(self.pos).is_ascii_digit() {
            self.pos += 1;
        }
    }

    fn string(&mut self) -> Tok {
        self.pos += 1;
        loop {
            match self.byte(self.pos) {
                b'"' => {
                    self.pos += 1;
                    return Tok::Str;
                }
                b'\\' if self.pos + 1 < self.source.len() && self.byte(self.pos + 1) != b'\n' => {
                    self.pos += 1;
                    self.char();
                }
                b'\n' => return Tok::Bad,
                0 if self.pos >= self.source.len() => return Tok::Bad,
                _ => self.char(),
            }
        }
    }

    fn bad(&mut self) -> Tok {
        self.char();
        Tok::Bad
    }

    /// Advances by one character, respecting UTF-8 boundaries.
    fn char(&mut self) {
        let rest = &self.source[self.pos..];
        self.pos += rest.chars().next().map_or(1, char::len_utf8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<(Tok, &str)> {
        let mut lexer = Lexer::new(source);
        let mut out = Vec::new();
        loop {
            let t = lexer.next();
            if t.tok == Tok::Eof {
                return out;
            }
            out.push((t.tok, &source[t.span.start as usize..t.span.end as usize]));
        }
    }

    #[test]
    fn names_with_signs() {
        let got = words("%c-1_i32 = f %a-> %b--1 -> @g-h ^bb-2");
        let texts: Vec<&str> = got.iter().map(|w| w.1).collect();
        assert_eq!(texts, ["%c-1_i32", "=", "f", "%a", "->", "%b--1", "->", "@g-h", "^bb-2"]);
    }

    #[test]
    fn words_of_a_statement() {
        use Tok::*;
        let got = words("%d:2 = pto.tmax %a#1, @f -> #pto<cmp gt> 0x1F 1.5e-3 -2 // end");
        let kinds: Vec<Tok> = got.iter().map(|w| w.0).collect();
        let p = |c: char| Punct(c as u8);
        let want = [
            Value,
            p(':'),
            Int,
            p('='),
            Ident,
            Value,
            p(','),
            Symbol,
            Arrow,
            Hash,
            p('<'),
            Ident,
            Ident,
            p('>'),
            Int,
            Float,
            p('-'),
            Int,
        ];
        assert_eq!(kinds, want);
        assert_eq!(got[5].1, "%a#1");
    }

    #[test]
    fn hash_with_a_space_is_a_comment_and_with_a_name_is_not() {
        assert_eq!(words("# pto.tassign %a\n#alias"), [(Tok::Hash, "#alias")]);
    }

    #[test]
    fn every_byte_string_ends() {
        for text in ["\"open", "é%", "%", "\\", "\u{0}", "0x", "1.", "@\"", "\"\\"] {
            assert!(words(text).len() < 10, "{text:?}");
        }
    }
}
