//! What happened, for programs. `docs/run.md` describes the object.

use super::FinishedRun;
use super::checksum;
use super::expect::Expectation;
use super::inside::{self, ShownValue};
use super::text::type_and_shape;
use crate::json::{self, JsonDiagnostic};
use crate::program::{ArgContent, BoundParam};
use pto::cpu::Printed;
use pto::data::{AnyNumber, Array, Comparison, DataError, Difference, Numbers, Summary};
use pto::trace::{Occurrence, Suspect, SuspectOperand, core_name};
use serde::Serialize;
use serde_json::Value as Json;

#[derive(Serialize)]
pub(super) struct JsonRun<'a> {
    file: &'a str,
    function: &'a str,
    target: &'static str,
    numerics: String,
    blocks: u32,
    seed: u64,
    instructions: u64,
    seconds: f64,
    printed: Vec<JsonPrinted<'a>>,
    parameters: Vec<JsonParameter<'a>>,
    /// Values inside the run that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shown: Vec<JsonShown<'a>>,
    /// What --find found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<JsonFound<'a>>,
    comparisons: Vec<JsonComparison<'a>>,
    files: Vec<JsonWrittenFile<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Vec<JsonTime<'a>>>,
    /// Warnings: a run with problems has no results.
    diagnostics: Vec<JsonDiagnostic<'a>>,
}

#[derive(Serialize)]
struct JsonPrinted<'a> {
    line: u32,
    iteration: &'a [u64],
    rank: u32,
    block: u32,
    core: Option<String>,
    title: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonShown<'a> {
    value: &'a str,
    #[serde(flatten)]
    place: JsonPlace,
    #[serde(rename = "type")]
    ty: String,
    shape: Vec<u64>,
    values: Json,
}

/// When and where something was executed.
#[derive(Serialize)]
struct JsonPlace {
    line: u32,
    iteration: Vec<u32>,
    block: u32,
    core: String,
    rank: u32,
}

impl JsonPlace {
    fn new(line: u32, occurrence: &Occurrence) -> Self {
        let core = occurrence.core;
        let iteration = occurrence.iterations.clone();
        Self { line, iteration, block: core.block, core: core_name(core), rank: core.rank }
    }
}

#[derive(Serialize)]
struct JsonFound<'a> {
    kind: &'static str,
    makers: Vec<JsonMaker<'a>>,
    inherited: u64,
}

#[derive(Serialize)]
struct JsonMaker<'a> {
    instruction: &'a str,
    #[serde(flatten)]
    place: JsonPlace,
    result: &'a str,
    element: [usize; 2],
    number: &'a str,
    operands: Vec<JsonSource<'a>>,
    elements: u64,
    executions: u64,
}

#[derive(Serialize)]
struct JsonSource<'a> {
    name: &'a str,
    element: [usize; 2],
    number: &'a str,
}

#[derive(Serialize)]
struct JsonParameter<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(rename = "type")]
    ty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<u64>>,
    data: &'a str,
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<JsonSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Json>,
}

#[derive(Serialize)]
struct JsonSummary {
    min: Option<Json>,
    max: Option<Json>,
    mean: Option<f64>,
    nan: u64,
    inf: u64,
    crc32: String,
    corners: Vec<Json>,
}

#[derive(Serialize)]
struct JsonComparison<'a> {
    name: &'a str,
    expected: &'a str,
    matches: bool,
    count: u64,
    differing: u64,
    max_abs: f64,
    max_rel: Option<f64>,
    max_ulp: u64,
    rtol: f64,
    atol: f64,
    first: Option<JsonDifference<'a>>,
}

#[derive(Serialize)]
struct JsonDifference<'a> {
    index: &'a [u64],
    found: Json,
    expected: Json,
}

#[derive(Serialize)]
struct JsonWrittenFile<'a> {
    name: &'a str,
    file: String,
}

#[derive(Serialize)]
struct JsonTime<'a> {
    line: u32,
    column: u32,
    instruction: &'a str,
    count: u64,
    nanoseconds: u64,
}

/// The whole report.
pub(super) fn report<'a>(run: &'a FinishedRun<'_>) -> Result<JsonRun<'a>, DataError> {
    let parameters = (0..run.ready.run.bound.len()).map(|i| parameter(run, i)).collect::<Result<_, _>>()?;
    let file = |(i, path): (usize, &std::path::Path)| JsonWrittenFile {
        name: &run.ready.run.bound[i].name,
        file: path.display().to_string(),
    };
    Ok(JsonRun {
        file: &run.source.name,
        function: run.ready.run.plan.name(),
        target: run.target.name(),
        numerics: format!("{:?}", run.args.program.numerics).to_lowercase(),
        blocks: run.args.program.blocks,
        seed: run.args.program.seed,
        instructions: run.report.instructions,
        seconds: run.elapsed.as_secs_f64(),
        printed: run.report.printed.iter().map(|p| printed(run, p)).collect(),
        parameters,
        shown: run.inside.values.iter().map(|value| shown(run, value)).collect::<Result<_, _>>()?,
        found: found(run),
        comparisons: run.ready.expected.iter().zip(&run.comparisons).map(|(e, c)| comparison(run, e, c)).collect(),
        files: run.ready.outputs.list().map(file).collect(),
        times: run.timings().map(|timings| timings.iter().map(|t| time(run, t)).collect()),
        diagnostics: run.warnings().map(|d| json::diagnostic(run.source, &run.lines, d)).collect(),
    })
}

fn printed<'a>(run: &FinishedRun<'_>, printed: &'a Printed) -> JsonPrinted<'a> {
    JsonPrinted {
        line: run.lines.locate(printed.span.start).0,
        iteration: &printed.iterations,
        rank: printed.core.rank,
        block: printed.core.block,
        core: printed.core.name(),
        title: &printed.title,
        text: &printed.text,
    }
}

fn parameter<'a>(run: &'a FinishedRun<'_>, index: usize) -> Result<JsonParameter<'a>, DataError> {
    let bound: &BoundParam = &run.ready.run.bound[index];
    let (kind, value) = match &bound.content {
        ArgContent::Int(_, i) => ("scalar", Some(number(AnyNumber::Int((*i).into())))),
        ArgContent::Float(_, f) => ("scalar", Some(number(AnyNumber::Float(*f)))),
        ArgContent::Memory(_) | ArgContent::Remote(..) => ("pointer", None),
        ArgContent::Tensor(_) => ("tensor", None),
        ArgContent::Tile(..) => ("tile", None),
    };
    let written = run.report.written[index];
    let array = bound.data()?;
    let array = array.as_deref();
    Ok(JsonParameter {
        name: &bound.name,
        kind,
        ty: type_and_shape(bound).0,
        value,
        shape: array.map(|a| a.shape().to_vec()),
        data: &bound.origin,
        written,
        summary: array.filter(|_| written).map(summary),
        values: array.filter(|_| run.ready.shown.contains(&index)).map(|a| values(a, a.shape(), &mut 0)),
    })
}

fn shown<'a>(run: &'a FinishedRun<'_>, value: &ShownValue) -> Result<JsonShown<'a>, DataError> {
    let asked = &run.ready.inside.shown[value.asked];
    let array = inside::array(&value.contents).map_err(|f| DataError::new(f.0))?;
    Ok(JsonShown {
        value: &asked.text,
        place: JsonPlace::new(asked.line, &value.occurrence),
        ty: value.contents.type_name(),
        shape: array.shape().to_vec(),
        values: values(&array, array.shape(), &mut 0),
    })
}

fn found<'a>(run: &'a FinishedRun<'_>) -> Vec<JsonFound<'a>> {
    let mut instructions = run.inside.instructions.iter();
    let mut maker = |m: &'a Suspect| JsonMaker {
        instruction: instructions.next().map_or("", String::as_str),
        place: JsonPlace::new(m.line, &m.occurrence()),
        result: &m.result,
        element: [m.element.0, m.element.1],
        number: &m.number,
        operands: m.operands.iter().map(operand).collect(),
        elements: m.elements,
        executions: m.executions,
    };
    let mut found = Vec::new();
    for f in &run.inside.found {
        let makers = f.makers.iter().map(&mut maker).collect();
        found.push(JsonFound { kind: f.kind.name(), makers, inherited: f.inherited });
    }
    found
}

fn operand(o: &SuspectOperand) -> JsonSource<'_> {
    JsonSource { name: &o.name, element: [o.element.0, o.element.1], number: &o.number }
}

fn summary(array: &Array) -> JsonSummary {
    let s = Summary::of(array);
    JsonSummary {
        min: s.range.map(|r| number(r.0)),
        max: s.range.map(|r| number(r.1)),
        mean: s.mean,
        nan: s.nan,
        inf: s.inf,
        crc32: checksum(array),
        corners: s.corners.iter().map(|v| number(*v)).collect(),
    }
}

/// All numbers, as lists in lists.
fn values(array: &Array, shape: &[u64], next: &mut usize) -> Json {
    match shape.split_first() {
        Some((&extent, rest)) => (0..extent).map(|_| values(array, rest, next)).collect::<Vec<Json>>().into(),
        None => {
            *next += 1;
            number(array.number(*next - 1))
        }
    }
}

fn comparison<'a>(run: &'a FinishedRun<'_>, expectation: &'a Expectation, c: &'a Comparison) -> JsonComparison<'a> {
    let difference =
        |d: &'a Difference| JsonDifference { index: &d.index, found: number(d.found), expected: number(d.expected) };
    JsonComparison {
        name: &run.ready.run.bound[expectation.param].name,
        expected: &expectation.text,
        matches: c.matches(),
        count: c.count,
        differing: c.differing,
        max_abs: c.max_abs,
        max_rel: c.max_rel,
        max_ulp: c.max_ulp,
        rtol: c.tolerance.relative,
        atol: c.tolerance.absolute,
        first: c.first.as_ref().map(difference),
    }
}

fn time<'a>(run: &FinishedRun<'_>, t: &'a pto::cpu::Timing) -> JsonTime<'a> {
    let (line, column) = run.lines.locate(t.span.start);
    JsonTime { line, column, instruction: &t.name, count: t.count, nanoseconds: t.nanos }
}

/// A number; JSON has no NaN and no infinity, so these are texts.
fn number(value: AnyNumber) -> Json {
    match value {
        AnyNumber::Int(i) => i64::try_from(i).map_or_else(|_| Json::from(i as u64), Json::from),
        AnyNumber::Float(x) if x.is_finite() => Json::from(x),
        AnyNumber::Float(x) if x.is_nan() => Json::from("nan"),
        AnyNumber::Float(x) => Json::from(if x > 0.0 { "inf" } else { "-inf" }),
    }
}
