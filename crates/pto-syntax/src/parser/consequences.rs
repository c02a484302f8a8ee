//! Undefined names that are consequences of other errors.

use super::{Parser, STRAY_BRACE};
use pto_ir::{Def, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::{Diagnostic, codes};

impl<'s> Parser<'s> {
    /// If braces do not match, it is a guess which code belongs to which function, and an unreadable header may define
    /// names. Then a name is reported only if nothing in the file mentions it before, or defines it at all.
    pub(super) fn drop_consequences(&mut self) {
        let unmatched = |d: &Diagnostic| {
            d.code == codes::TOO_DEEP
                || d.message == pto_isa::text::translate(STRAY_BRACE)
                || d.code == codes::UNCLOSED && d.message.contains('{')
        };
        let mut doubtful = std::mem::take(&mut self.doubtful);
        if self.diagnostics.iter().any(unmatched) {
            let all = std::mem::take(&mut self.diagnostics);
            let (names, others) = all.into_iter().partition(|d| d.code == codes::UNDEFINED);
            self.diagnostics = others;
            doubtful.extend::<Vec<_>>(names);
        }
        if doubtful.is_empty() {
            return;
        }
        let (defined, mentioned) = (self.defined(), first_mentions(self.source));
        for d in doubtful {
            let name = self.text(d.primary.span).trim_start_matches('%');
            if !defined.contains(name) && mentioned.get(name) == Some(&d.primary.span.start) {
                self.diagnostics.push(d);
            }
        }
    }

    /// Names that some value of the file has.
    fn defined(&self) -> FastSet<&'s str> {
        let values = (0..self.module.value_count()).map(|i| self.module.value(ValueId::from_index(i)));
        let spans = values.filter(|v| v.def != Def::Missing && v.span.start < v.span.end).map(|v| v.span);
        spans.map(|span| self.text(span).trim_start_matches('%')).collect()
    }
}

/// The first position of each name outside of comments.
fn first_mentions(source: &str) -> FastMap<&str, u32> {
    let mut found = FastMap::default();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.find("//").map_or(line, |at| &line[..at]);
        for (at, _) in code.match_indices('%') {
            let rest = &code[at + 1..];
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | '#');
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            found.entry(&rest[..end]).or_insert((start + at) as u32);
        }
        start += line.len();
    }
    found
}
