//! Reports of `pto race` and `pto perf` as findings in a text.

use super::open::RunFinding;
use pto::Diagnostic;
use pto::isa::{Code, Edit, Span, codes, text};
use serde_json::Value;

/// The findings of a report in JSON; `None` if the command has not run: the program needs arguments, or has no entry.
pub(super) fn read(command: &str, text: &str, report: &str) -> Option<Vec<RunFinding>> {
    let report: Value = serde_json::from_str(report).ok()?;
    match command {
        "race" => races(text, &report),
        _ => costs(text, &report),
    }
}

fn races(text: &str, report: &Value) -> Option<Vec<RunFinding>> {
    let list = report.get("findings")?.as_array()?;
    let found: Vec<Diagnostic> = list.iter().filter_map(|json| diagnostic(text, json)).collect();
    // What the checks report is shown already.
    let ran = !found.iter().any(|d| d.code == codes::RUN_ENTRY);
    let of_run = |d: &Diagnostic| d.code.number() >= 700;
    ran.then(|| found.into_iter().filter(of_run).map(RunFinding::Race).collect())
}

fn diagnostic(text: &str, json: &Value) -> Option<Diagnostic> {
    let words = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default();
    let code = Code::parse(words("id"))?;
    let (span, remark) = label(json.get("span")?)?;
    let mut d = Diagnostic::new(code, span, words("message")).remark(remark);
    if words("severity") == "warning" {
        d = d.warning();
    }
    for (span, text) in list(json, "labels").filter_map(label) {
        d = d.label(span, text);
    }
    for line in list(json, "legal").filter_map(Value::as_str) {
        d = d.legal(line);
    }
    let edits: Vec<Edit> = list(json, "edits").filter_map(|e| edit(text, e)).collect();
    let help = if edits.is_empty() { words("help") } else { advice(words("help")) };
    if !help.is_empty() {
        d = d.help(help);
    }
    Some(d.edits(edits))
}

fn list<'a>(json: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    json.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn label(json: &Value) -> Option<(Span, String)> {
    let number = |name: &str| json.get(name)?.as_u64().map(|n| n as u32);
    let text = json.get("text").and_then(Value::as_str).unwrap_or_default();
    Some((Span::new(number("start")?, number("end")?), text.to_string()))
}

/// The help of a report without the edits in words, which are said again.
fn advice(help: &str) -> &str {
    let starts = ["before line ", "after line ", "remove line", "in line "];
    if starts.iter().any(|word| help.starts_with(word)) {
        return "";
    }
    let cut = starts.iter().filter_map(|word| help.find(&format!(": {word}"))).min();
    cut.map_or(help, |at| &help[..at])
}

fn edit(text: &str, json: &Value) -> Option<Edit> {
    let number = |name: &str| json.get(name)?.as_u64().map(|n| n as u32);
    let line = line_span(text, number("line")?)?;
    let words = json.get("text").and_then(Value::as_str).unwrap_or_default();
    match json.get("change")?.as_str()? {
        "before" => Some(Edit::before(line, words)),
        "after" => Some(Edit::after(line, words)),
        "remove" => {
            let last = number("last_line").map_or(Some(line), |n| line_span(text, n))?;
            Some(Edit::remove(line.to(last)))
        }
        "parameter" => {
            let at = line.start + number("column")?.saturating_sub(1);
            Some(Edit::parameter(Span::new(at, at), words))
        }
        _ => None,
    }
}

/// The bytes of a line, counted from 1, without its break.
fn line_span(text: &str, line: u32) -> Option<Span> {
    let mut start = 0;
    let mut lines = text.split_inclusive('\n');
    for _ in 1..line {
        start += lines.next()?.len();
    }
    let length = lines.next()?.trim_end().len();
    Some(Span::new(start as u32, (start + length.max(1)) as u32))
}

/// The span of the statement on a line.
fn statement_span(text: &str, line: u32) -> Option<Span> {
    let span = line_span(text, line)?;
    let blank = text[span.start as usize..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count() as u32;
    Some(Span::new(span.start + blank, span.end.max(span.start + blank)))
}

/// Lines on the critical path, and the bottleneck at the first of them with the advice.
fn costs(text: &str, report: &Value) -> Option<Vec<RunFinding>> {
    let total = report.get("cycles")?.as_f64().filter(|c| *c > 0.0)?;
    let mut found = Vec::new();
    let steps: Vec<&Value> = list(report, "critical_path").collect();
    let cycles = |step: &Value| step.get("cycles").and_then(Value::as_f64).unwrap_or(0.0);
    let longest = steps.iter().copied().max_by(|a, b| cycles(a).total_cmp(&cycles(b)));
    for step in &steps {
        let line = step.get("line").and_then(Value::as_u64).unwrap_or(0) as u32;
        let Some(span) = statement_span(text, line) else { continue };
        let is_longest = longest.is_some_and(|other| std::ptr::eq(*step, other));
        let mut message = step_text(step, cycles(step), total);
        if is_longest {
            message += &format!("\n{}", report.get("bottleneck").and_then(Value::as_str).unwrap_or_default());
            message += &tries(report);
        }
        found.push(RunFinding::Perf { span, message, bottleneck: is_longest });
    }
    Some(found)
}

fn step_text(step: &Value, cycles: f64, total: f64) -> String {
    let pipe = step.get("pipe").and_then(Value::as_str).unwrap_or_default();
    let count = step.get("count").and_then(Value::as_u64).unwrap_or(1);
    let (percent, cycles) = ((100.0 * cycles / total).round(), cycles.round());
    text!("{cycles} cycles on the critical path ({percent} %), {count} times on {pipe}", cycles, percent, count, pipe)
}

fn tries(report: &Value) -> String {
    let line = |advice: &Value| {
        let change = advice.get("change")?.as_str()?;
        let cycles = advice.get("cycles")?.as_f64()?.round();
        Some(format!("\n{}", text!("try: {change} → {cycles} cycles", change, cycles)))
    };
    list(report, "advice").filter_map(line).collect()
}
