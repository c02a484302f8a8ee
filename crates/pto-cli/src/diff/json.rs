//! What was found, as JSON.

use super::FinishedDiff;
use crate::json::{JsonDiagnostic, diagnostic};
use pto::syntax::Lines;
use pto::trace::{
    DiffCause, Divergence, DivergenceKind, ElementError, InstructionAt, LineError, OutputError, UnmatchedLine,
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct JsonDiff<'a> {
    /// The names of both sides; one if the other is arrays.
    sides: Vec<&'a str>,
    targets: Vec<&'static str>,
    matches: bool,
    first: Option<JsonDivergence<'a>>,
    results: u64,
    elements: u64,
    differing: u64,
    lines: Vec<JsonLine<'a>>,
    outputs: Vec<JsonOutput<'a>>,
    unmatched: Vec<Vec<JsonUnmatched<'a>>>,
    /// How each run failed, if it did.
    failures: Vec<JsonDiagnostic<'a>>,
}

#[derive(Serialize)]
struct JsonDivergence<'a> {
    kind: &'static str,
    a: Option<JsonInstruction<'a>>,
    b: Option<JsonInstruction<'a>>,
    results: &'a [String; 2],
    #[serde(rename = "type")]
    dtype: String,
    elements: u64,
    beyond: u64,
    max_abs: f64,
    max_rel: Option<f64>,
    allowed: JsonAllowed,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<[[usize; 2]; 2]>,
    cause: JsonCause<'a>,
    worst: Vec<JsonElement<'a>>,
}

#[derive(Serialize)]
struct JsonAllowed {
    absolute: f64,
    relative: f64,
}

#[derive(Serialize)]
struct JsonInstruction<'a> {
    line: u32,
    instruction: &'static str,
    text: &'a str,
    rank: u32,
    block: u32,
    core: String,
    iterations: &'a [u32],
    moment: usize,
}

/// Why; fields that do not apply are left out.
#[derive(Serialize, Default)]
struct JsonCause<'a> {
    kind: &'static str,
    /// The lines to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_a: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_b: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<JsonDefined<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<JsonDefined<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_abs: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_line: Option<u32>,
}

#[derive(Serialize)]
struct JsonDefined<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    held: &'a str,
}

#[derive(Serialize)]
struct JsonElement<'a> {
    row: usize,
    col: usize,
    a: &'a str,
    b: &'a str,
    abs: Option<f64>,
    rel: Option<f64>,
    ulp: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operands: Vec<JsonOperand<'a>>,
}

#[derive(Serialize)]
struct JsonOperand<'a> {
    name: &'a str,
    first: Option<(usize, usize)>,
    size: (usize, usize),
    a: &'a [String],
    b: &'a [String],
}

#[derive(Serialize)]
struct JsonLine<'a> {
    line: u32,
    other_line: u32,
    instruction: &'static str,
    result: &'a str,
    executions: u64,
    elements: u64,
    max_abs: f64,
    max_rel: Option<f64>,
    beyond: u64,
}

#[derive(Serialize)]
struct JsonOutput<'a> {
    name: &'a str,
    elements: u64,
    max_abs: f64,
    max_rel: Option<f64>,
    beyond: u64,
}

#[derive(Serialize)]
struct JsonUnmatched<'a> {
    line: u32,
    instruction: &'static str,
    result: &'a str,
    executions: u64,
}

/// The whole report.
pub(super) fn report<'a>(diff: &'a FinishedDiff<'a>) -> JsonDiff<'a> {
    let report = diff.report;
    let failures = diff.failures().map(|(side, d)| diagnostic(&side.source, &Lines::new(&side.source.text), d));
    JsonDiff {
        sides: diff.sides.iter().map(|s| &*s.name).collect(),
        targets: diff.sides.iter().map(|s| s.target.name()).collect(),
        matches: report.matches(),
        first: report.first.as_ref().map(|d| divergence(diff, d)),
        results: report.results,
        elements: report.elements,
        differing: report.differing,
        lines: report.lines.iter().map(line).collect(),
        outputs: report.outputs.iter().map(output).collect(),
        unmatched: report.unmatched.iter().map(|list| list.iter().map(unmatched).collect()).collect(),
        failures: failures.collect(),
    }
}

fn divergence<'a>(diff: &'a FinishedDiff<'a>, d: &'a Divergence) -> JsonDivergence<'a> {
    let (kind, valid) = match d.kind {
        DivergenceKind::Values => ("values", None),
        DivergenceKind::ValidRegion { a, b } => ("valid_region", Some([[a.0, a.1], [b.0, b.1]])),
        DivergenceKind::StoredElsewhere => ("stored_elsewhere", None),
        _ => ("output", None),
    };
    JsonDivergence {
        kind,
        a: d.a.as_ref().map(|i| instruction(diff, 0, i)),
        b: d.b.as_ref().map(|i| instruction(diff, 1, i)),
        results: &d.result,
        dtype: d.dtype.to_string(),
        elements: d.errors.elements,
        beyond: d.errors.beyond,
        max_abs: d.errors.max_abs,
        max_rel: d.errors.max_rel,
        allowed: JsonAllowed { absolute: d.errors.allowed.absolute, relative: d.errors.allowed.relative },
        valid,
        cause: cause(&d.cause),
        worst: d.errors.worst.iter().map(element).collect(),
    }
}

fn instruction<'a>(diff: &'a FinishedDiff<'a>, side: usize, i: &'a InstructionAt) -> JsonInstruction<'a> {
    JsonInstruction {
        line: i.line,
        instruction: i.name,
        text: diff.line(side, i.line),
        rank: i.core.rank,
        block: i.core.block,
        core: super::text::core_name(i.core),
        iterations: &i.iterations,
        moment: i.at,
    }
}

fn cause(cause: &DiffCause) -> JsonCause<'_> {
    let (line_a, line_b) = cause.lines();
    let base = JsonCause { line_a, line_b, ..JsonCause::default() };
    match cause {
        DiffCause::Instruction => JsonCause { kind: "instruction", ..base },
        DiffCause::Inherited { operand, max_abs, .. } => {
            JsonCause { kind: "inherited", value: Some(operand), max_abs: Some(*max_abs), ..base }
        }
        DiffCause::OtherInstruction => JsonCause { kind: "other_instruction", ..base },
        DiffCause::OtherOperand { a, b } => {
            JsonCause { kind: "other_operand", a: Some(defined(a, "")), b: Some(defined(b, "")), ..base }
        }
        DiffCause::Definition { a, b } => JsonCause {
            kind: "definition",
            a: Some(defined(&a.name, &a.held)),
            b: Some(defined(&b.name, &b.held)),
            ..base
        },
        DiffCause::Missing { value, in_loop, .. } => {
            JsonCause { kind: "missing", value: Some(value), loop_line: *in_loop, ..base }
        }
        DiffCause::Extra { value, in_loop, .. } => {
            JsonCause { kind: "extra", value: Some(value), loop_line: *in_loop, ..base }
        }
        DiffCause::OtherWriter { operand, .. } => JsonCause { kind: "other_writer", value: Some(operand), ..base },
        DiffCause::Uninitialised { operand, in_second } => {
            let kind = if *in_second { "uninitialised_in_b" } else { "uninitialised_in_a" };
            JsonCause { kind, value: Some(operand), ..base }
        }
        _ => JsonCause { kind: "unknown", ..base },
    }
}

fn defined<'a>(name: &'a str, held: &'a str) -> JsonDefined<'a> {
    JsonDefined { name, held }
}

fn element(e: &ElementError) -> JsonElement<'_> {
    let operands =
        e.operands.iter().map(|o| JsonOperand { name: &o.name, first: o.first, size: o.size, a: &o.a, b: &o.b });
    JsonElement {
        row: e.row,
        col: e.col,
        a: &e.a,
        b: &e.b,
        abs: e.abs.is_finite().then_some(e.abs),
        rel: e.rel,
        ulp: e.ulps,
        operands: operands.collect(),
    }
}

fn line(l: &LineError) -> JsonLine<'_> {
    JsonLine {
        line: l.line,
        other_line: l.other_line,
        instruction: l.name,
        result: &l.result,
        executions: l.executions,
        elements: l.elements,
        max_abs: l.max_abs,
        max_rel: l.max_rel,
        beyond: l.beyond,
    }
}

fn output(o: &OutputError) -> JsonOutput<'_> {
    let e = &o.errors;
    JsonOutput { name: &o.name, elements: e.elements, max_abs: e.max_abs, max_rel: e.max_rel, beyond: e.beyond }
}

fn unmatched(u: &UnmatchedLine) -> JsonUnmatched<'_> {
    JsonUnmatched { line: u.line, instruction: u.name, result: &u.result, executions: u.executions }
}
