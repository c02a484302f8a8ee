//! The tokens of a text, for tools that show or complete it.

use crate::lexer::{Lexer, Tok};
use pto_isa::Span;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// `%name`, `%0`, `%pack#1`
    Value,
    /// `@name`
    Symbol,
    /// `#pto.pipe`, `#alias`
    Attribute,
    /// `!pto.tile_buf`, `!alias`, and `16x16xf32` in the body of a type
    Type,
    /// `^bb0`
    Label,
    /// `pto.tmax`, `ins`, `f32`
    Word,
    /// `16`, `0x1F`, `1.5e-3`
    Number,
    /// `"text"`
    Text,
    /// `// …`
    Comment,
    /// `(`, `->`, `,`
    Punctuation,
    /// A character that starts no token, or an unterminated text.
    Unknown,
}

/// A token of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceToken {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
    /// It is the first on its line, comments aside.
    pub first: bool,
}

/// The tokens of a text in order, comments among them. Any text can be cut; tokens never overlap.
///
/// ```
/// use pto_syntax::{TokenKind, tokens};
/// let text = "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32> // a tile";
/// let words: Vec<_> = tokens(text).iter().map(|t| (t.kind, &text[t.span.start as usize..t.span.end as usize])).collect();
/// assert_eq!(words[2], (TokenKind::Word, "pto.alloc_tile"));
/// assert!(words.contains(&(TokenKind::Type, "16x16xf32")));
/// assert_eq!(words.last(), Some(&(TokenKind::Comment, "// a tile")));
/// ```
pub fn tokens(source: &str) -> Vec<SourceToken> {
    let mut lexer = Lexer::new(source);
    let mut found: Vec<SourceToken> = Vec::with_capacity(source.len() / 6);
    loop {
        let comments = lexer.comments.len();
        let lexeme = lexer.next();
        let between = lexer.comments[comments..].iter();
        found.extend(between.map(|c| SourceToken { kind: TokenKind::Comment, span: c.span, first: !c.trailing }));
        if lexeme.tok == Tok::Eof {
            return found;
        }
        let token = SourceToken { kind: kind(lexeme.tok), span: lexeme.span, first: lexeme.first };
        match found.last_mut().filter(|last| continues_shape(source, last, &token)) {
            Some(last) => *last = SourceToken { kind: TokenKind::Type, span: last.span.to(token.span), ..*last },
            None => found.push(token),
        }
    }
}

const fn kind(tok: Tok) -> TokenKind {
    match tok {
        Tok::Value => TokenKind::Value,
        Tok::Symbol => TokenKind::Symbol,
        Tok::Hash => TokenKind::Attribute,
        Tok::Bang => TokenKind::Type,
        Tok::Caret => TokenKind::Label,
        Tok::Ident => TokenKind::Word,
        Tok::Int | Tok::Float => TokenKind::Number,
        Tok::Str => TokenKind::Text,
        Tok::Arrow | Tok::Punct(_) => TokenKind::Punctuation,
        Tok::Bad | Tok::Eof => TokenKind::Unknown,
    }
}

/// True for `x16xf32` directly after `16`, `?` or `*`, or after another part of a shape: `16x?xf32`.
fn continues_shape(source: &str, last: &SourceToken, next: &SourceToken) -> bool {
    if last.span.end != next.span.start {
        return false;
    }
    let text = |token: &SourceToken| source.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
    let (before, after) = (text(last), text(next));
    let opens = last.kind == TokenKind::Number || matches!(before, "?" | "*") || is_shape(before);
    let extends = next.kind == TokenKind::Word && after.starts_with('x');
    opens && extends || is_shape(before) && before.ends_with('x') && matches!(after, "?" | "*")
}

fn is_shape(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '?' || c == '*') && text.contains('x')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_one_token() {
        for (text, want) in [("?x16xf32", 1), ("16x?xf32", 1), ("?x?x?xf16", 1), ("16 x", 2), ("0x1F", 1), ("*xf32", 1)]
        {
            let found = tokens(text);
            assert_eq!(found.len(), want, "{text}: {found:?}");
        }
    }

    #[test]
    fn tokens_are_in_order_and_inside_the_text() {
        for text in ["\"open", "é%", "%", "\\", "\u{0}a", "0x", "a // é\n# b\n@\"", "^-> ->-", "%a#1:2"] {
            let found = tokens(text);
            assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{text:?}: {found:?}");
            assert!(found.iter().all(|t| text.get(t.span.start as usize..t.span.end as usize).is_some()), "{text:?}");
        }
    }
}
