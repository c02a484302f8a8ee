//! Where statements come from: `loc(…)`, as front ends leave it behind statements they wrote.

use pto_isa::hash::FastMap;
use pto_isa::{Location, Span};
use std::sync::OnceLock;

/// Aliases and nested locations are followed this far.
const MAX_DEPTH: u32 = 32;

/// The places that `loc(…)` names in a text: the lines of the Python (or other) file that the text was made from.
///
/// ```
/// use pto_isa::Span;
/// let text = "func.func @f() {\n  return loc(#l)\n}\n#l = loc(\"kernel.py\":12:3)\n";
/// let origins = pto_syntax::StatedLocations::new(text);
/// let place = origins.find(text, Span::new(19, 25)).expect("the line says where it comes from");
/// assert_eq!((place.file.as_str(), place.line, place.column), ("kernel.py", 12, 3));
/// assert_eq!(origins.find(text, Span::new(0, 4)), None);
/// ```
#[derive(Debug, Default)]
pub struct StatedLocations {
    /// The texts of `#name = loc(…)`, which may follow their uses; `None` if the text has no location at all.
    aliases: Option<FastMap<Box<str>, Box<str>>>,
    /// Statements of several lines with the text of their location, outer before inner. Read when first needed.
    statements: OnceLock<Vec<(Span, Box<str>)>>,
}

impl StatedLocations {
    /// The locations of a text.
    pub fn new(source: &str) -> Self {
        let aliases = source.contains("loc(").then(|| {
            let definitions = source.lines().filter_map(|line| {
                let (name, value) = line.trim().split_once('=')?;
                (name.starts_with('#') && value.trim().starts_with("loc("))
                    .then(|| (name.trim().into(), value.trim().into()))
            });
            definitions.collect()
        });
        Self { aliases, statements: OnceLock::new() }
    }

    /// Where the statement at a span of the same text comes from, if it says so.
    pub fn find(&self, source: &str, span: Span) -> Option<Location> {
        let aliases = self.aliases.as_ref()?;
        let text = match location_of_line(source, span.start as usize) {
            Some(text) => text,
            None => self.statement_at(source, span)?,
        };
        LocationReader { text, aliases, depth: 0 }.location()
    }

    /// The location of the innermost statement around a span.
    fn statement_at(&self, source: &str, span: Span) -> Option<&str> {
        let statements = self.statements.get_or_init(|| statements(source));
        let inside = |(outer, _): &&(Span, Box<str>)| outer.start <= span.start && span.start < outer.end;
        statements.iter().rev().find(inside).map(|(_, text)| &**text).filter(|text| !text.is_empty())
    }
}

/// Every statement with its location, outer before inner.
fn statements(source: &str) -> Vec<(Span, Box<str>)> {
    let (module, _) = crate::parse(source);
    let order = module.order().into_iter().map(|id| module.op(id));
    order.map(|op| (op.span, module.names.text(op.location).into())).collect()
}

/// The last `loc(…)` of the line at a position, if it ends the line.
fn location_of_line(source: &str, at: usize) -> Option<&str> {
    let bytes = source.as_bytes();
    let at = at.min(bytes.len());
    let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
    let line = source.get(start..end)?.trim_end();
    // Texts in a location may contain `loc(`; the first one from which everything up to the end is a location counts.
    let starts = line.match_indices(" loc(").map(|(n, _)| &line[n + 1..]);
    starts.filter(|rest| rest.ends_with(')')).find(|rest| closes_at_end(rest))
}

/// True when the first parenthesis of a text is closed by its last character.
fn closes_at_end(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
    for (at, b) in text.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return at + 1 == text.len();
                }
            }
            _ => {}
        }
    }
    false
}

/// Reads the text of a location.
struct LocationReader<'a> {
    text: &'a str,
    aliases: &'a FastMap<Box<str>, Box<str>>,
    depth: u32,
}

impl LocationReader<'_> {
    /// `loc(…)`
    fn location(&mut self) -> Option<Location> {
        self.eat("loc(").then(|| self.inner())?
    }

    /// What stands between the parentheses: the place it leads to first.
    fn inner(&mut self) -> Option<Location> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        if self.text.trim_start().starts_with('"') {
            return self.file_or_name();
        }
        if self.eat("callsite(") {
            let callee = self.inner();
            let caller = if self.eat("at") { self.inner() } else { None };
            self.eat(")");
            return callee.or(caller);
        }
        if self.eat("fused") {
            return self.fused();
        }
        if self.text.trim_start().starts_with('#') {
            return self.alias();
        }
        if self.eat("unknown") {
            return None;
        }
        self.eat("loc(").then(|| self.inner()).flatten()
    }

    /// `"kernel.py":12:3`, `"name"`, or `"name"(…)`.
    fn file_or_name(&mut self) -> Option<Location> {
        let file = self.quoted()?;
        if self.eat("(") {
            let child = self.inner();
            self.eat(")");
            return child;
        }
        let line = self.eat(":").then(|| self.number()).flatten()?;
        let column = self.eat(":").then(|| self.number()).flatten().unwrap_or(0);
        if self.eat("to") {
            self.number();
            self.eat(":");
            self.number();
        }
        Some(Location::new(file, line, column))
    }

    /// `[…, …]`, after `fused` and its metadata.
    fn fused(&mut self) -> Option<Location> {
        let open = self.text.find('[')?;
        self.text = &self.text[open + 1..];
        let mut found = None;
        loop {
            let next = self.inner();
            found = found.or(next);
            if !self.eat(",") {
                break;
            }
        }
        self.eat("]");
        found
    }

    fn alias(&mut self) -> Option<Location> {
        let text = self.text.trim_start();
        let end = text[1..].find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '.' | '-'));
        let end = end.map_or(text.len(), |n| n + 1);
        let (name, rest) = text.split_at(end);
        self.text = rest;
        let value = self.aliases.get(name)?;
        LocationReader { text: value, aliases: self.aliases, depth: self.depth }.location()
    }

    fn eat(&mut self, word: &str) -> bool {
        let rest = self.text.trim_start().strip_prefix(word);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    fn number(&mut self) -> Option<u32> {
        let text = self.text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        self.text = rest;
        digits.parse().ok()
    }

    fn quoted(&mut self) -> Option<String> {
        let text = self.text.trim_start().strip_prefix('"')?;
        let mut escaped = false;
        let end = text.bytes().position(|b| {
            let ends = b == b'"' && !escaped;
            escaped = b == b'\\' && !escaped;
            ends
        })?;
        self.text = &text[end + 1..];
        Some(crate::parser::unquote(&text[..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(inner: &str, aliases: &str) -> Option<(String, u32, u32)> {
        let text = format!("  return loc({inner})\n{aliases}");
        let found = StatedLocations::new(&text).find(&text, Span::new(2, 8))?;
        Some((found.file, found.line, found.column))
    }

    #[test]
    fn every_kind_of_location_leads_to_its_place() {
        let here = Some(("a.py".to_string(), 3, 4));
        let alias = "#loc1 = loc(\"a.py\":3:4)\n";
        assert_eq!(place("\"a.py\":3:4", ""), here);
        assert_eq!(place("\"a.py\":3:4 to :9", ""), here);
        assert_eq!(place("#loc1", alias), here);
        assert_eq!(place("\"loop body\"(#loc1)", alias), here);
        assert_eq!(place("callsite(#loc1 at \"b.py\":1:1)", alias), here);
        assert_eq!(place("callsite(callsite(\"n\" at \"a.py\":3:4 to 5:6) at \"b.py\":1:1)", ""), here);
        assert_eq!(place("callsite(unknown at #loc1)", alias), here);
        assert_eq!(place("fused<\"why\">[unknown, #loc1]", alias), here);
        assert_eq!(place("fused[\"n\"(#loc2), \"b.py\":1:1]", &format!("{alias}#loc2 = loc(\"x\"(#loc1))\n")), here);
        assert_eq!(place("\"C:\\\\k \\\"q\\\".py\":3:4", ""), Some(("C:\\k \"q\".py".to_string(), 3, 4)));
    }

    #[test]
    fn what_leads_nowhere_is_nothing() {
        for inner in ["unknown", "", "\"name\"", "#gone", "callsite(", "fused[", "\"open", "\"a\":x:1", "#a"] {
            assert_eq!(place(inner, "#a = loc(#b)\n#b = loc(#a)\n"), None, "{inner}");
        }
    }

    #[test]
    fn a_statement_of_several_lines_has_its_location_at_its_end() {
        let text = "func.func @f(%c: i1) {\n  scf.if %c {\n    %x = arith.constant 1 : index\n  } loc(\"k.py\":7:2)\n  return\n} loc(\"k.py\":1:0)\n";
        let origins = StatedLocations::new(text);
        let line = |word: &str| {
            let at = text.find(word).expect("in the text") as u32;
            origins.find(text, Span::new(at, at + 1)).map(|place| place.line)
        };
        assert_eq!(line("func.func"), Some(1));
        assert_eq!(line("scf.if"), Some(7));
        assert_eq!(line("arith"), None, "it says nothing");
        assert_eq!(line("return"), None);
    }
}
