//! Changes of a text.

use crate::positions::floor_boundary;
use pto::isa::sort::SharedSort;
use pto::isa::{Change, Edit, Span};

/// A part of a text and what replaces it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What is put there.
    pub text: String,
}

impl Replacement {
    /// Replaces a part of a text.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }
}

/// The text after changes, which must not overlap; those at one position are applied in order.
///
/// ```
/// use pto::isa::Span;
/// use pto_ide::{Replacement, applied};
/// let edits = [Replacement::new(Span::new(4, 5), "d"), Replacement::new(Span::new(0, 1), "x")];
/// assert_eq!(applied("a b c", &edits), "x b d");
/// ```
pub fn applied(text: &str, edits: &[Replacement]) -> String {
    let mut sorted: Vec<&Replacement> = edits.iter().collect();
    sorted.shared_sort_by_key(|e| e.span);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in sorted {
        let start = floor_boundary(text, edit.span.start as usize).max(done);
        out += &text[done..start];
        out += &edit.text;
        done = floor_boundary(text, edit.span.end as usize).max(start);
    }
    out + &text[done..]
}

/// The smallest set of changed lines that turns one text into another.
///
/// ```
/// use pto_ide::{applied, line_edits};
/// let (old, new) = ("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
/// let edits = line_edits(old, new);
/// assert_eq!(edits.len(), 2);
/// assert_eq!(applied(old, &edits), new);
/// ```
pub fn line_edits(old: &str, new: &str) -> Vec<Replacement> {
    let (a, b) = (lines(old), lines(new));
    let same = |(x, y): &(&&str, &&str)| x == y;
    let head = a.iter().zip(&b).take_while(same).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(same).count();
    let (left, right) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut at = a[..head].iter().map(|l| l.len()).sum::<usize>();
    let mut edits: Vec<Replacement> = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (keep_x, keep_y) in matches(left, right).into_iter().chain([(left.len(), right.len())]) {
        let removed: usize = left[x..keep_x].iter().map(|l| l.len()).sum();
        let text: String = right[y..keep_y].concat();
        if removed > 0 || !text.is_empty() {
            edits.push(Replacement::new(Span::new(at as u32, (at + removed) as u32), text));
        }
        at += removed + left.get(keep_x).map_or(0, |l| l.len());
        (x, y) = (keep_x + 1, keep_y + 1);
    }
    edits
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Beyond this many changed lines, the changed part is replaced as a whole.
const MOST_CHANGES: usize = 600;

/// Pairs of equal lines in order: a longest common subsequence, found from few changes to many.
fn matches(a: &[&str], b: &[&str]) -> Vec<(usize, usize)> {
    let most = (a.len() + b.len()).min(MOST_CHANGES) as isize;
    let mut furthest = vec![0isize; 2 * most as usize + 3];
    let slot = |k: isize| (k + most + 1) as usize;
    let mut history: Vec<Vec<isize>> = Vec::new();
    for changes in 0..=most {
        history.push(furthest.clone());
        for k in (-changes..=changes).step_by(2) {
            let down = k == -changes || k != changes && furthest[slot(k - 1)] < furthest[slot(k + 1)];
            let mut x = if down { furthest[slot(k + 1)] } else { furthest[slot(k - 1)] + 1 };
            while x >= 0 && (x - k) >= 0 && a.get(x as usize).is_some_and(|l| b.get((x - k) as usize) == Some(l)) {
                x += 1;
            }
            furthest[slot(k)] = x;
            if x >= a.len() as isize && x - k >= b.len() as isize {
                return walk_back(&history, (a.len() as isize, b.len() as isize), slot);
            }
        }
    }
    Vec::new()
}

/// The kept lines of the way that was found, from its end to its start.
fn walk_back(
    history: &[Vec<isize>],
    (mut x, mut y): (isize, isize),
    slot: impl Fn(isize) -> usize,
) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    for (changes, furthest) in history.iter().enumerate().rev() {
        let (k, changes) = (x - y, changes as isize);
        let down = k == -changes || k != changes && furthest[slot(k - 1)] < furthest[slot(k + 1)];
        let before = if down { k + 1 } else { k - 1 };
        let (from_x, from_y) =
            if changes == 0 { (0, 0) } else { (furthest[slot(before)], furthest[slot(before)] - before) };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            kept.push((x as usize, y as usize));
        }
        (x, y) = (from_x, from_y);
    }
    kept.reverse();
    kept
}

/// The fix of a diagnostic, which is said in lines, as changes of the text. Inserted statements get the indentation of the line
/// they are about.
pub(crate) fn of_fix(text: &str, edits: &[Edit]) -> Vec<Replacement> {
    edits.iter().map(|edit| of_edit(text, edit)).collect()
}

fn of_edit(text: &str, edit: &Edit) -> Replacement {
    let at = floor_boundary(text, edit.position() as usize);
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = |at: usize| text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
    let blank: String = text[start..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let point = |at: usize| Span::new(at as u32, at as u32);
    match edit.change {
        Change::Before => Replacement::new(point(start), format!("{blank}{}\n", edit.text.trim())),
        Change::Parameter => Replacement::new(point(at), edit.text.clone()),
        Change::Remove => {
            let last = end(floor_boundary(text, edit.end() as usize));
            Replacement::new(Span::new(start as u32, last as u32), "")
        }
        _ => {
            let behind = end(at);
            let break_before = if text[..behind].ends_with('\n') { "" } else { "\n" };
            Replacement::new(point(behind), format!("{break_before}{blank}{}\n", edit.text.trim()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_give_the_new_text() {
        let texts = ["", "a", "a\n", "a\nb\nc\n", "b\nc\na\n", "x\na\ny\nb\nz\nc", "c\nb\na\n", "a\na\na\nb\n"];
        for old in texts {
            for new in texts {
                let edits = line_edits(old, new);
                assert_eq!(applied(old, &edits), new, "{old:?} to {new:?}: {edits:?}");
                assert!(old != new || edits.is_empty());
            }
        }
    }

    #[test]
    fn fixes_change_the_lines_that_they_name() {
        let text = "a\n  b\n  c";
        let b = Span::new(4, 5);
        let before = of_fix(text, &[Edit::before(b, "x")]);
        assert_eq!(applied(text, &before), "a\n  x\n  b\n  c");
        let after = of_fix(text, &[Edit::after(Span::new(8, 9), "y")]);
        assert_eq!(applied(text, &after), "a\n  b\n  c\n  y\n");
        assert_eq!(applied(text, &of_fix(text, &[Edit::remove(b)])), "a\n  c");
    }
}
