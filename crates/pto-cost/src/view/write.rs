//! JSON without a library: the crate has no dependencies, and a trace is a long list of short objects.

use std::fmt::Write;

/// Appends a string in quotes.
pub(super) fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // A page may not end its script early.
            '<' => out.push_str("\\u003c"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a number with at most three digits behind the point.
pub(super) fn number(out: &mut String, x: f64) {
    if !x.is_finite() {
        out.push_str("null");
        return;
    }
    let rounded = (x * 1000.0).round() / 1000.0;
    let _ = write!(out, "{rounded}");
}

/// Writes a list with commas.
pub(super) fn list<T>(out: &mut String, all: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut String, T)) {
    out.push('[');
    for (at, item) in all.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        each(out, item);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mut out = String::new();
        string(&mut out, "a\"b\\c\n</script>");
        assert_eq!(out, "\"a\\\"b\\\\c\\u000a\\u003c/script>\"");
        out.clear();
        number(&mut out, 1.0 / 3.0);
        number(&mut out, f64::INFINITY);
        assert_eq!(out, "0.333null");
    }
}
