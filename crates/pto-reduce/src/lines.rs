//! Reduces a text that cannot be read completely: line by line, as braces nest.

use crate::search::{Attempt, Base, Shrinking};
use std::ops::Range;

/// A line, or the lines from an opening brace to the closing one.
#[derive(Clone)]
struct Part {
    lines: Range<usize>,
    inner: Vec<Part>,
}

/// Removes parts of the text, the outer ones first, until nothing more can go.
pub(crate) fn run(s: &mut Shrinking<'_>) {
    loop {
        let before = s.base.best.after;
        for depth in 0.. {
            let text = s.base.best.text.clone();
            let level = level(&text, depth);
            if level.is_empty() {
                break;
            }
            remove(s, &text, level);
        }
        let text = s.base.best.text.clone();
        let groups = (0..).map(|depth| level(&text, depth)).take_while(|l| !l.is_empty());
        let groups: Vec<Range<usize>> = groups.flatten().filter(|lines| lines.len() > 1).collect();
        // A group without its first and last line.
        let ends = groups.into_iter().map(|lines| vec![lines.start, lines.end - 1]).collect();
        remove_lines(s, &text, ends);
        if s.base.best.after == before || s.is_stopped() {
            return;
        }
    }
}

fn remove(s: &mut Shrinking<'_>, text: &str, parts: Vec<Range<usize>>) {
    remove_lines(s, text, parts.into_iter().map(Iterator::collect).collect());
}

/// Removes groups of lines of the best text, many at a time first.
fn remove_lines(s: &mut Shrinking<'_>, text: &str, mut groups: Vec<Vec<usize>>) {
    let lines: Vec<&str> = text.lines().collect();
    let mut gone = vec![false; lines.len()];
    let mut size = groups.len();
    while size > 0 {
        let mut end = groups.len();
        while end > 0 {
            if s.is_stopped() {
                return;
            }
            let start = end.saturating_sub(size);
            let mut without = gone.clone();
            groups[start..end].iter().flatten().for_each(|line| without[*line] = true);
            let kept = lines.iter().zip(&without).filter(|(_, gone)| !**gone).map(|(line, _)| format!("{line}\n"));
            let candidate: String = kept.collect();
            if s.first(&[candidate], &|_: &Base<'_>, text| Some(Attempt::Text(text.clone()))).is_some() {
                gone = without;
                groups.drain(start..end);
            }
            end = start;
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
}

/// The lines of the parts at a depth.
fn level(text: &str, depth: usize) -> Vec<Range<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = parts(&lines, 0..lines.len());
    for _ in 0..depth {
        parts = parts.into_iter().flat_map(|p| p.inner).collect();
    }
    parts.into_iter().map(|p| p.lines).collect()
}

/// Cuts lines into parts: a line that opens more braces than it closes goes up to the line that closes them.
fn parts(lines: &[&str], range: Range<usize>) -> Vec<Part> {
    let mut all = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let first = at;
        let mut open = braces(lines[at]);
        at += 1;
        while open > 0 && at < range.end {
            open += braces(lines[at]);
            at += 1;
        }
        let inner = if at - first > 2 { parts(lines, first + 1..at - 1) } else { Vec::new() };
        all.push(Part { lines: first..at, inner });
    }
    all
}

/// Opening braces minus closing ones, without those in a comment.
fn braces(line: &str) -> i64 {
    let code = line.split("//").next().unwrap_or_default();
    code.chars().map(|c| i64::from(c == '{') - i64::from(c == '}')).sum()
}
