//! What the editor of the page asks. `pto-ide` answers; offsets become those of JavaScript, which counts in UTF-16.

use pto::isa::{Diagnostic, Span};
use pto::{Options, Target};
use pto_ide::{Document, TokenRole};
use serde_json::{Value as Json, json};

/// PageOffsets of a text in bytes and in UTF-16. A text in ASCII, as most are, needs no table.
struct PageOffsets {
    /// Of each byte, and of the end.
    units: Option<Vec<u32>>,
}

impl PageOffsets {
    fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self { units: None };
        }
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut at = 0;
        for c in text.chars() {
            units.extend(std::iter::repeat_n(at, c.len_utf8()));
            at += c.len_utf16() as u32;
        }
        units.push(at);
        Self { units: Some(units) }
    }

    fn to_page(&self, byte: u32) -> u32 {
        match &self.units {
            Some(units) => units.get(byte as usize).or(units.last()).copied().unwrap_or(0),
            None => byte,
        }
    }

    fn to_byte(&self, unit: u32) -> u32 {
        match &self.units {
            Some(units) => units.partition_point(|u| *u < unit) as u32,
            None => unit,
        }
    }

    fn span(&self, span: Span) -> (u32, u32) {
        (self.to_page(span.start), self.to_page(span.end))
    }
}

/// A question about a text.
pub(crate) struct EditorQuestion<'a> {
    pub(crate) what: &'a str,
    pub(crate) text: &'a str,
    pub(crate) target: Option<Target>,
    /// Where the cursor is, in UTF-16.
    pub(crate) at: u32,
}

pub(crate) fn answer(question: &EditorQuestion<'_>) -> Json {
    let document = Document::new(question.text, question.target);
    let offsets = PageOffsets::new(question.text);
    let at = offsets.to_byte(question.at).min(question.text.len() as u32);
    match question.what {
        "analyse" => json!({ "problems": problems(&document, &offsets), "tokens": tokens(&document, &offsets) }),
        "hover" => json!({ "markdown": document.hover(at).map(|card| card.markdown) }),
        "completions" => json!({ "items": completions(&document, &offsets, at) }),
        "parameters" => json!({ "parameters": parameters(&document) }),
        other => json!({ "error": format!("the editor does not ask for `{other}`") }),
    }
}

/// Problems for which a fix is looked for at each keystroke: each fix is tried on the whole text.
const MOST_FIXES: usize = 4;

fn problems(document: &Document, offsets: &PageOffsets) -> Vec<Json> {
    let label = |l: &pto::isa::Label| {
        let (start, end) = offsets.span(l.span);
        json!({ "start": start, "end": end, "text": l.text })
    };
    let problem = |(n, d): (usize, &Diagnostic)| {
        let (start, end) = offsets.span(d.primary.span);
        let line = |at: u32| document.positions().line(at) + 1;
        json!({
            "id": d.code.id(), "severity": d.severity.name(), "message": d.message, "start": start, "end": end,
            "labels": d.labels.iter().map(label).collect::<Vec<_>>(), "legal": d.legal, "help": d.help_text(line),
            "edits": if n < MOST_FIXES { fix(document, d, offsets) } else { Vec::new() },
        })
    };
    document.diagnostics().iter().enumerate().map(problem).collect()
}

/// The changes of the first fix of a problem, if there is one.
fn fix(document: &Document, problem: &Diagnostic, offsets: &PageOffsets) -> Vec<Json> {
    let actions = document.actions(problem.primary.span, &[]);
    let fitting = actions.into_iter().find(|action| action.fixes.as_ref() == Some(problem));
    let edits = fitting.into_iter().flat_map(|action| action.edits);
    let edit = |e: pto_ide::Replacement| {
        let (start, end) = offsets.span(e.span);
        json!({ "start": start, "end": end, "text": e.text })
    };
    edits.map(edit).collect()
}

/// Start, length and role of each token.
fn tokens(document: &Document, offsets: &PageOffsets) -> Vec<Json> {
    let token = |t: pto_ide::SemanticToken| {
        let (start, end) = offsets.span(t.span);
        json!([start, end - start, role_name(t.role)])
    };
    document.semantic_tokens(None).into_iter().map(token).collect()
}

/// The class of the style sheet.
fn role_name(role: TokenRole) -> &'static str {
    match role {
        TokenRole::Operation => "operation",
        TokenRole::Keyword => "keyword",
        TokenRole::Value => "value",
        TokenRole::Parameter => "parameter",
        TokenRole::Function => "function",
        TokenRole::Type => "type",
        TokenRole::Attribute => "attribute",
        TokenRole::Choice => "choice",
        TokenRole::Label => "label",
        TokenRole::Number => "number",
        TokenRole::Text => "text",
        TokenRole::Comment => "comment",
    }
}

/// The most completions that a list shows; more are found by typing on.
const MOST: usize = 400;

fn completions(document: &Document, offsets: &PageOffsets, at: u32) -> Vec<Json> {
    let mut found = document.completions(at);
    found.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    let item = |c: &pto_ide::Completion| {
        let (start, end) = offsets.span(c.replaces);
        json!({ "label": c.label, "detail": c.detail, "snippet": c.snippet, "filter": c.filter, "start": start, "end": end })
    };
    found.iter().take(MOST).map(item).collect()
}

/// The parameters of the function that runs; none if the program cannot run.
fn parameters(document: &Document) -> Vec<Json> {
    let Ok(plan) = document.program().plan(document.target(), None, Options::default()) else { return Vec::new() };
    let parameter = |p: &pto::cpu::Param| {
        let scalar = matches!(p.kind, pto::cpu::ParamKind::Scalar(_));
        json!({ "name": p.name, "kind": if scalar { "scalar" } else { "memory" } })
    };
    plan.params().iter().map(parameter).collect()
}
