//! Reports and diagnostics as bytes, for another process of the same executable.

use crate::args::RunReport;
use crate::prepared::{CoreId, Role};
use crate::printed::{CoreCounts, Printed};
use pto_isa::codes::Code;
use pto_isa::{Change, Diagnostic, Edit, Label, Location, Severity, Span};

impl RunReport {
    /// The report as bytes, without times of instructions.
    ///
    /// ```
    /// let mut report = pto_cpu::RunReport::default();
    /// report.instructions = 12;
    /// report.written = vec![true, false];
    /// assert_eq!(pto_cpu::RunReport::from_bytes(&report.to_bytes()), Some(report));
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = ReportWriter::default();
        to.list(&self.written, |to, written| to.number((*written).into()));
        to.number(self.instructions);
        to.list(&self.printed, printed_to);
        to.list(&self.notes, diagnostic_to);
        to.0
    }

    /// What [`RunReport::to_bytes`] made. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let from = &mut ReportReader(bytes);
        let written = from.list(|from| Some(from.number()? != 0))?;
        let instructions = from.number()?;
        let (printed, notes) = (from.list(printed_from)?, from.list(diagnostic_from)?);
        Some(Self { written, instructions, printed, notes, timings: Vec::new() })
    }
}

/// Diagnostics as bytes.
pub fn diagnostics_to_bytes(diagnostics: &[Diagnostic]) -> Vec<u8> {
    let mut to = ReportWriter::default();
    to.list(diagnostics, diagnostic_to);
    to.0
}

/// What [`diagnostics_to_bytes`] made. `None` for other bytes.
pub fn diagnostics_from_bytes(bytes: &[u8]) -> Option<Vec<Diagnostic>> {
    ReportReader(bytes).list(diagnostic_from)
}

/// Numbers as eight bytes, the lowest first; texts and lists with their length.
#[derive(Default)]
struct ReportWriter(Vec<u8>);

impl ReportWriter {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|n| self.number((*n).into()));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn span(&mut self, span: Span) {
        self.numbers(&[span.start, span.end]);
    }

    fn list<T>(&mut self, list: &[T], each: impl Fn(&mut Self, &T)) {
        self.number(list.len() as u64);
        list.iter().for_each(|item| each(self, item));
    }
}

struct ReportReader<'a>(&'a [u8]);

impl ReportReader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn word(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn span(&mut self) -> Option<Span> {
        Some(Span { start: self.word()?, end: self.word()? })
    }

    fn list<T>(&mut self, each: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| each(self)).collect()
    }
}

fn printed_to(to: &mut ReportWriter, printed: &Printed) {
    let Printed { core, among, span, location, iterations, title, text } = printed;
    let role = Role::ALL.iter().position(|role| *role == core.role).unwrap_or(0);
    to.numbers(&[core.rank, core.block, role as u32, core.sub, among.ranks, among.blocks, among.cores]);
    to.span(*span);
    to.list(location.as_slice(), |to, at| {
        to.text(&at.file);
        to.numbers(&[at.line, at.column]);
    });
    to.list(iterations, |to, n| to.number(*n));
    to.text(title);
    to.text(text);
}

fn printed_from(from: &mut ReportReader<'_>) -> Option<Printed> {
    let (rank, block, role, sub) = (from.word()?, from.word()?, from.word()?, from.word()?);
    let core = CoreId { rank, block, role: *Role::ALL.get(role as usize)?, sub };
    let among = CoreCounts { ranks: from.word()?, blocks: from.word()?, cores: from.word()? };
    let span = from.span()?;
    let location = from.list(|from| Some(Location::new(from.text()?, from.word()?, from.word()?)))?.pop();
    let iterations = from.list(ReportReader::number)?;
    Some(Printed { core, among, span, location, iterations, title: from.text()?, text: from.text()? })
}

const SEVERITIES: [Severity; 2] = [Severity::Error, Severity::Warning];
const CHANGES: [Change; 4] = [Change::Before, Change::After, Change::Parameter, Change::Remove];

fn position<T: PartialEq>(list: &[T], item: &T) -> u64 {
    list.iter().position(|other| other == item).unwrap_or(0) as u64
}

fn diagnostic_to(to: &mut ReportWriter, d: &Diagnostic) {
    to.text(&d.code.id());
    to.number(position(&SEVERITIES, &d.severity));
    to.text(&d.message);
    label_to(to, &d.primary);
    to.list(&d.labels, label_to);
    to.list(&d.legal, |to, text| to.text(text));
    to.list(d.help.as_slice(), |to, text| to.text(text));
    to.list(&d.edits, |to, edit| {
        to.span(edit.span);
        to.number(position(&CHANGES, &edit.change));
        to.text(&edit.text);
    });
    to.text(d.page.unwrap_or_default());
}

fn diagnostic_from(from: &mut ReportReader<'_>) -> Option<Diagnostic> {
    let code = Code::parse(&from.text()?)?;
    let severity = *SEVERITIES.get(from.number()? as usize)?;
    let message = from.text()?;
    let primary = label_from(from)?;
    let mut d = Diagnostic { severity, labels: from.list(label_from)?, ..Diagnostic::new(code, primary.span, message) };
    d.primary = primary;
    d.legal = from.list(ReportReader::text)?;
    d.help = from.list(ReportReader::text)?.pop();
    let edit = |from: &mut ReportReader<'_>| {
        let (span, change) = (from.span()?, *CHANGES.get(from.number()? as usize)?);
        Some(Edit { span, change, text: from.text()? })
    };
    d.edits = from.list(edit)?;
    let page = from.text()?;
    d.page = pto_isa::table::find(&page).map(|op| op.row().name).filter(|name| *name == page);
    Some(d)
}

fn label_to(to: &mut ReportWriter, label: &Label) {
    to.span(label.span);
    to.text(&label.text);
}

fn label_from(from: &mut ReportReader<'_>) -> Option<Label> {
    Some(Label { span: from.span()?, text: from.text()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_isa::codes;

    #[test]
    fn diagnostics_come_back() {
        let d = Diagnostic::new(codes::RUN_DEADLOCK, Span::new(3, 9), "deadlock")
            .label(Span::new(12, 14), "here")
            .legal("a")
            .legal("b")
            .help("c");
        let mut other = d.clone().warning();
        other.edits = vec![Edit::after(Span::new(1, 2), "x"), Edit::remove(Span::new(5, 6))];
        let all = [d, other];
        assert_eq!(diagnostics_from_bytes(&diagnostics_to_bytes(&all)).as_deref(), Some(&all[..]));
        let bytes = diagnostics_to_bytes(&all);
        assert!((0..bytes.len()).all(|end| diagnostics_from_bytes(&bytes[..end]).is_none()));
    }

    #[test]
    fn reports_come_back() {
        let core = CoreId { rank: 1, block: 2, role: Role::Vector, sub: 1 };
        let printed = Printed {
            core,
            among: CoreCounts { ranks: 2, blocks: 3, cores: 3 },
            span: Span::new(7, 8),
            location: Some(Location::new("a.pto", 3, 4)),
            iterations: vec![1, 0],
            title: "t".to_string(),
            text: "1 2\n".to_string(),
        };
        let report = RunReport { printed: vec![printed], instructions: 5, ..RunReport::default() };
        assert_eq!(RunReport::from_bytes(&report.to_bytes()), Some(report));
    }
}
