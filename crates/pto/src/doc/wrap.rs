//! Breaking text into lines. Chinese has no spaces between words, and its characters take two columns.

/// True for characters that take two columns in a terminal: CJK characters and their punctuation.
const fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{20000}'..='\u{3fffd}')
}

/// Punctuation that no line starts with.
const fn closes(c: char) -> bool {
    matches!(c, '，' | '。' | '：' | '；' | '、' | '）' | '？' | '！' | '”' | '》' | '」')
}

/// Punctuation that no line ends with.
const fn opens(c: char) -> bool {
    matches!(c, '（' | '“' | '《' | '「')
}

/// The columns a text takes in a terminal.
///
/// ```
/// assert_eq!(pto::doc::width("TMAX 指令"), 9);
/// ```
pub fn width(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Breaks a text into lines of at most this width: at spaces, and between Chinese characters.
///
/// ```
/// assert_eq!(pto::doc::wrap("one two three", 7), ["one two", "three"]);
/// assert_eq!(pto::doc::wrap("有效区域不同。", 8), ["有效区域", "不同。"]);
/// ```
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        for (at, part) in unbreakable(word).into_iter().enumerate() {
            let last = lines.len() - 1;
            let gap = usize::from(at == 0 && !lines[last].is_empty());
            if !lines[last].is_empty() && width(&lines[last]) + gap + width(part) > columns {
                lines.push(part.to_string());
                continue;
            }
            lines[last].push_str(if gap == 1 { " " } else { "" });
            lines[last].push_str(part);
        }
    }
    lines
}

/// The parts of a word between which a line may end.
fn unbreakable(word: &str) -> Vec<&str> {
    let (mut parts, mut start, mut before) = (Vec::new(), 0, None);
    for (at, c) in word.char_indices() {
        let may_break = before.is_some_and(|b| (is_wide(b) || is_wide(c)) && !opens(b) && !closes(c));
        if may_break {
            parts.push(&word[start..at]);
            start = at;
        }
        before = Some(c);
    }
    parts.push(&word[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_starts_with_a_full_stop_or_ends_with_an_opening_bracket() {
        assert_eq!(wrap("一二三四。", 8), ["一二三", "四。"]);
        assert_eq!(wrap("一二三（四）", 8), ["一二三", "（四）"]);
    }

    #[test]
    fn names_stay_whole() {
        assert_eq!(wrap("使用`pto.tmax`指令", 10), ["使用", "`pto.tmax`", "指令"]);
    }
}
