//! Text that is kept verbatim: bodies of foreign attributes and types. Comments are removed and blanks normalised, so
//! that equal texts compare equal.

use std::borrow::Cow;

/// The end of the comment or quoted text that begins at `at`, if one does.
pub(crate) enum SkippedText {
    Comment(usize),
    Quoted(usize),
    None,
}

/// What begins at a byte outside of comments and quoted texts.
pub(crate) fn stretch(bytes: &[u8], at: usize) -> SkippedText {
    match bytes[at] {
        b'"' => SkippedText::Quoted(quoted_end(bytes, at)),
        b'/' if bytes.get(at + 1) == Some(&b'/') => SkippedText::Comment(line_end(bytes, at)),
        b'#' if is_hash_comment(bytes, at) => SkippedText::Comment(line_end(bytes, at)),
        _ => SkippedText::None,
    }
}

/// `#` starts a comment unless a name follows, as in attributes.
pub(crate) fn is_hash_comment(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or(0);
    !(next.is_ascii_alphabetic() || next == b'_' || next == b'"')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |len| at + len)
}

/// The position after the closing quote; a text ends with its line at the latest.
fn quoted_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\n' => return at,
            b'"' => return at + 1,
            b'\\' if bytes.get(at + 1).is_some_and(|&b| b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Replaces comments by spaces, so that positions do not change.
pub(crate) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        at = match stretch(bytes, at) {
            SkippedText::None => at + 1,
            SkippedText::Quoted(end) => end,
            SkippedText::Comment(end) => {
                out.push_str(&text[copied..at]);
                out.extend(std::iter::repeat_n(' ', end - at));
                copied = end;
                end
            }
        };
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Normalises blanks: `a<b=1, c: [2, 3]>`. Quoted texts stay as they are; a blank between two words stays.
pub(crate) fn laid_out(text: &str) -> String {
    let text = without_comments(text);
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let len = if c == '"' { quoted_end(rest.as_bytes(), 0) } else { word_len(rest, c) };
        let (word, after) = rest.split_at(len);
        rest = after.trim_start();
        if wants_blank(&out, word, blank) {
            out.push(' ');
        }
        out.push_str(word);
        blank = rest.len() < after.len();
    }
    out
}

fn word_len(rest: &str, first: char) -> usize {
    match first {
        '-' if rest.starts_with("->") => 2,
        ':' if rest.starts_with("::") => 2,
        '<' | '>' | '=' if rest[1..].starts_with('=') => 2,
        _ => first.len_utf8(),
    }
}

/// Whether a blank goes between the text so far and the next word; `given` is whether there was one.
fn wants_blank(before: &str, word: &str, given: bool) -> bool {
    let Some(last) = before.chars().next_back() else { return false };
    match word {
        "->" => true,
        "::" => false,
        _ if before.ends_with("->") => true,
        _ if before.ends_with("::") => false,
        ":" => !(last.is_alphanumeric() || matches!(last, '_' | '$')),
        "," | ")" | "]" | "}" | ">" | "=" => false,
        _ => match last {
            ',' | ':' => true,
            '(' | '[' | '{' | '<' => false,
            '=' if !comparison(before) => false,
            _ => given && word != "<",
        },
    }
}

/// `==`, `<=` and `>=` keep their blanks.
fn comparison(before: &str) -> bool {
    ["==", "<=", ">="].iter().any(|sign| before.ends_with(sign))
}

#[cfg(test)]
mod tests {
    use super::{laid_out, without_comments};

    #[test]
    fn one_layout_for_all_spellings() {
        for (spelled, want) in [
            ("#pto.x< a = 1 ,b=2 >", "#pto.x<a=1, b=2>"),
            ("#pto.x<a=1, // why\n  b= 2>", "#pto.x<a=1, b=2>"),
            ("strided<[ 16 ,1 ],offset :0>", "strided<[16, 1], offset: 0>"),
            ("#pto.address_space<vec >", "#pto.address_space<vec>"),
            ("affine_map<(d0,d1)->( d0 )>", "affine_map<(d0, d1) -> (d0)>"),
            ("affine_map<(d0) -> (d0 floordiv 16, d0 mod 16)>", "affine_map<(d0) -> (d0 floordiv 16, d0 mod 16)>"),
            ("dense<\"a  //  b\">", "dense<\"a  //  b\">"),
            ("dense< [[1,-2],[ 3 , 4]] >", "dense<[[1, -2], [3, 4]]>"),
            ("@a :: @b", "@a::@b"),
            ("#x.y<é\u{3000}ü>", "#x.y<é ü>"),
        ] {
            assert_eq!(laid_out(spelled), want);
            assert_eq!(laid_out(want), want, "a second time");
        }
    }

    #[test]
    fn comments_become_spaces() {
        assert_eq!(without_comments("a // b\nc # d\n#e \"//\""), "a     \nc    \n#e \"//\"");
    }
}
