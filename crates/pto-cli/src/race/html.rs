//! The report as an HTML page: findings on the left, the program on the right, both lines of a finding marked.

use crate::Failure;
use crate::files;
use crate::input::InputText;
use pto::Target;
use pto::doc::escape;
use pto::isa::{Diagnostic, Label};
use pto::race::RaceReport;
use pto::syntax::Lines;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Writes the page; it appears whole or not at all.
pub(super) fn write(path: &Path, source: &InputText, target: Target, report: &RaceReport) -> Result<(), Failure> {
    files::write(path, page(source, target, report).as_bytes())
}

fn page(source: &InputText, target: Target, report: &RaceReport) -> String {
    let lines = Lines::new(&source.text);
    let count = match report.findings.len() {
        0 => "no race found".to_string(),
        1 => "1 finding".to_string(),
        n => format!("{n} findings"),
    };
    let name = escape(&source.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}: {count}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style></head><body>\n\
         <header><h1>{name}</h1><span>{count} in {} instructions for {target}</span></header>\n",
        report.instructions
    );
    page += "<section id=\"findings\">\n";
    for finding in &report.findings {
        page += &card(finding, &lines);
    }
    if report.findings.is_empty() {
        page += "<p class=\"clean\">All accesses to the same bytes are ordered.</p>\n";
    }
    page += "</section>\n<section id=\"source\">\n";
    page += &listing(source, report, &lines);
    let _ = write!(page, "</section>\n<script>\n{SCRIPT}</script></body></html>\n");
    page
}

/// A finding: what, why, how to repair it, and where to look.
fn card(d: &Diagnostic, lines: &Lines) -> String {
    let place = |l: &Label| json!({ "line": lines.locate(l.span.start).0, "text": l.text });
    let places: Vec<_> = std::iter::once(&d.primary).chain(&d.labels).map(place).collect();
    let places = escape(&json!(places).to_string());
    let why: String = d.legal.iter().map(|text| format!("<p class=\"why\">{}</p>", escape(text))).collect();
    let help = d.help_lines(|at| lines.locate(at).0);
    let help: String = help.iter().map(|text| format!("<p><code>{}</code></p>", escape(text))).collect();
    format!(
        "<button class=\"finding {}\" aria-pressed=\"false\" data-places=\"{places}\"><span class=\"id\">{} · line {}</span>\
         <p class=\"message\">{}</p>{why}{help}</button>\n",
        d.severity.name(),
        d.code,
        lines.locate(d.primary.span.start).0,
        escape(&d.message),
    )
}

fn listing(source: &InputText, report: &RaceReport, lines: &Lines) -> String {
    let touched: BTreeSet<u32> = report.findings.iter().map(|d| lines.locate(d.primary.span.start).0).collect();
    let mut text = String::new();
    for (at, line) in source.text.lines().enumerate() {
        let number = at as u32 + 1;
        let class = if touched.contains(&number) { "row touched" } else { "row" };
        let _ = writeln!(
            text,
            "<div class=\"{class}\" data-line=\"{number}\"><span class=\"n\">{number}</span><span>{}</span></div>",
            escape(line)
        );
    }
    text
}
