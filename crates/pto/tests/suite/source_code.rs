//! Source files as the rules about code see them: without comments, without prose, without their test modules.

use std::path::Path;

/// A source file without what does not count.
pub(super) fn code(path: &Path) -> String {
    without_test_modules(&without_prose(&std::fs::read_to_string(path).unwrap_or_default()))
}

/// Without comments and without texts of several words: messages and example programs. Other texts stay, but for their braces.
fn without_prose(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(c) = rest.chars().next() {
        let token = token(rest, out.chars().next_back());
        match c {
            '/' if token > 1 => out.push(' '),
            '"' | 'r' if token > 1 && rest[..token].contains(char::is_whitespace) => out.push_str("\"\""),
            '"' | 'r' | '\'' if token > 1 => out.push_str(&rest[..token].replace(['{', '}'], " ")),
            _ => out.push(c),
        }
        rest = &rest[token..];
    }
    out
}

/// The length of the comment, text or character at the start, else of one character.
fn token(rest: &str, before: Option<char>) -> usize {
    let up_to = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return up_to("*/", 2);
    }
    if rest.starts_with('"') {
        return quoted(rest, '"').unwrap_or(rest.len());
    }
    let marks = rest.strip_prefix('r').map_or(0, |r| r.len() - r.trim_start_matches('#').len());
    if !in_name && rest[rest.len().min(1 + marks)..].starts_with('"') && rest.starts_with('r') {
        return up_to(&format!("\"{}", "#".repeat(marks)), marks + 2);
    }
    // A character, not a lifetime: it ends after one, or is escaped.
    if rest.starts_with('\'') && (rest.starts_with("'\\") || rest.chars().nth(2) == Some('\'')) {
        return quoted(rest, '\'').unwrap_or(1);
    }
    rest.chars().next().map_or(1, char::len_utf8)
}

/// The length of a text between two marks; a backslash takes the character behind it along.
fn quoted(rest: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == mark => return Some(at + mark.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Without the modules that are compiled for tests only; what stands behind them is code again.
fn without_test_modules(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let after = &rest[at + MARK.len()..];
        let head = after.find(['{', ';']).unwrap_or(after.len());
        let is_module = after[..head].split_whitespace().any(|word| word == "mod");
        let end = if is_module && after[head..].starts_with('{') { closing(after, head) } else { 0 };
        rest = &after[end..];
    }
    out + rest
}

/// Where the block that opens at a place ends.
fn closing(text: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth == 0 {
            return open + at + 1;
        }
    }
    text.len()
}

/// True when a word stands in code by itself.
pub(super) fn mentions(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !code[..at].chars().next_back().is_some_and(is_name)
            && !code[at + word.len()..].chars().next().is_some_and(is_name)
    })
}

#[test]
fn comments_prose_and_test_modules_do_not_count() {
    let text = "fn a() { x('{', \"tadd\", \"a tmul\", r#\"b \"tdiv\"\"#); } // tsub\n/* tneg */\n#[cfg(test)]\nmod tests { fn t() { tmax } }\nfn b<'a>() { tmin }";
    let code = without_test_modules(&without_prose(text));
    for (word, counts) in [("tadd", true), ("tmul", false), ("tdiv", false), ("tsub", false), ("tneg", false)] {
        assert_eq!(mentions(&code, word), counts, "{word}: {code}");
    }
    assert!(!mentions(&code, "tmax") && mentions(&code, "tmin"), "{code}");
}
