//! What was found, for people.

use super::FinishedDiff;
use crate::run::{general, table};
use pto::cpu::{CoreId, Role};
use pto::isa::text;
use pto::trace::{
    AllowedError, DefinedAt, DiffCause, Divergence, DivergenceKind, ElementError, InstructionAt, LineError,
    OperandElements, UnmatchedLine,
};

/// Lines of the table; if there are more, those without any error are left out.
const MOST_LINES: usize = 40;
/// Instructions without a counterpart that are named.
const MOST_UNMATCHED: usize = 6;

/// The whole report.
pub(super) fn report(diff: &FinishedDiff<'_>) -> String {
    let mut text = head(diff);
    if let Some(first) = &diff.report.first {
        text += &divergence(diff, first);
    }
    text += &growth(diff);
    text += &outputs(diff);
    text += &unmatched(diff);
    text += &failures(diff);
    text
}

fn head(diff: &FinishedDiff<'_>) -> String {
    let report = diff.report;
    let names: Vec<&str> = diff.sides.iter().map(|s| &*s.name).collect();
    let mut text = match names[..] {
        [a, b] => format!("a: {a}\nb: {b}\n"),
        _ => String::new(),
    };
    let (results, elements) = (report.results, report.elements);
    if report.matches() {
        let how = if diff.exact {
            text!("equal bit by bit").to_string()
        } else {
            text!("equal within tolerance").to_string()
        };
        let outputs = report.outputs.len();
        text += &match outputs {
            0 => text!("no difference: {results} results with {elements} elements are {how}\n", results, elements, how),
            1 => text!(
                "no difference: {results} results with {elements} elements and 1 output are {how}\n",
                results,
                elements,
                how
            ),
            _ => text!(
                "no difference: {results} results with {elements} elements and {outputs} outputs are {how}\n",
                results,
                elements,
                outputs,
                how
            ),
        };
    }
    text
}

fn divergence(diff: &FinishedDiff<'_>, first: &Divergence) -> String {
    let name = &first.result[0];
    let at = first.a.as_ref().or(first.b.as_ref());
    let line = at.map_or(0, |i| i.line);
    let file = diff.sides.first().map_or("", |s| &*s.source.name);
    let (instruction, place) = (at.map_or("", |i| i.name), at.map(|i| place(diff, i)).unwrap_or_default());
    let mut text = match first.kind {
        DivergenceKind::Output => text!("first difference: parameter {name} at the end\n", name),
        _ => text!(
            "first difference: {file}:{line}: {instruction} writes %{name}{place}\n",
            file,
            line,
            instruction,
            name,
            place
        ),
    };
    text += &sources(diff, first);
    text += &match first.kind {
        DivergenceKind::ValidRegion { a, b } => {
            text!("  the valid region is {ra}x{ca} in a, and {rb}x{cb} in b\n", ra = a.0, ca = a.1, rb = b.0, cb = b.1)
        }
        DivergenceKind::StoredElsewhere => text!("  a and b store it to different elements\n").to_string(),
        _ => String::new(),
    };
    if first.errors.beyond > 0 {
        text += &text!(
            "  {beyond} of {elements} elements {how}; largest error {abs}{rel}\n",
            beyond = first.errors.beyond,
            elements = first.errors.elements,
            how = how(diff, &first.errors.allowed),
            abs = general(first.errors.max_abs, 4),
            rel = first.errors.max_rel.map(|r| text!(", relative {rel}", rel = general(r, 4))).unwrap_or_default()
        );
    }
    text += &cause(diff, &first.cause);
    if !first.errors.worst.is_empty() {
        text += &format!("\n{}", worst(diff, first));
    }
    text
}

fn how(diff: &FinishedDiff<'_>, allowed: &AllowedError) -> String {
    if diff.exact || *allowed == (AllowedError { relative: 0.0, absolute: 0.0 }) {
        return text!("are not equal").to_string();
    }
    let expected = if diff.report.is_array { text!("expected") } else { "a" };
    text!(
        "are off by more than {absolute} + {relative} * |{expected}|",
        absolute = general(allowed.absolute, 3),
        relative = general(allowed.relative, 3),
        expected
    )
}

/// The lines of both programs.
fn sources(diff: &FinishedDiff<'_>, first: &Divergence) -> String {
    let mut text = String::new();
    for (side, (name, at)) in [("a", &first.a), ("b", &first.b)].into_iter().enumerate() {
        let Some(at) = at else { continue };
        let mark = if diff.report.is_array { String::new() } else { format!("{name} ") };
        text += &source_line(diff, side, &mark, at.line);
    }
    text
}

fn source_line(diff: &FinishedDiff<'_>, side: usize, mark: &str, line: u32) -> String {
    format!("  {mark}{line:>4} | {}\n", diff.line(side, line))
}

/// Block, core and iterations, where there are several.
fn place(diff: &FinishedDiff<'_>, at: &InstructionAt) -> String {
    let mut words = Vec::new();
    let cores = diff.recordings.first().map_or(1, |r| r.cores().len());
    if cores > 1 {
        if at.core.rank > 0 {
            words.push(text!("rank {rank}", rank = at.core.rank));
        }
        words.push(text!("block {block}", block = at.core.block));
        if at.core.role != Role::Whole {
            words.push(core_name(at.core));
        }
    }
    if !at.iterations.is_empty() {
        let iteration = at.iterations.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        words.push(text!("iteration {iteration}", iteration));
    }
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// The name of a core in its block.
pub(super) fn core_name(core: CoreId) -> String {
    match core.role {
        Role::Whole => "core".to_string(),
        Role::Cube => "cube".to_string(),
        Role::Vector => format!("vec{}", core.sub),
    }
}

/// Why it differs, and the lines to look at.
fn cause(diff: &FinishedDiff<'_>, cause: &DiffCause) -> String {
    let (line_a, line_b) = cause.lines();
    let words = match cause {
        DiffCause::Instruction => text!("its operands are equal: this instruction makes the difference").to_string(),
        DiffCause::Inherited { operand, max_abs, max_rel } => text!(
            "its operand %{operand} differed already, within what is allowed: by up to {abs}, relative {rel}",
            operand,
            abs = general(*max_abs, 4),
            rel = max_rel.map_or("-".to_string(), |r| general(r, 4))
        ),
        DiffCause::OtherInstruction => text!("a and b execute different instructions here").to_string(),
        DiffCause::OtherOperand { a, b } => text!("it takes %{a} in a, and %{b} in b", a, b),
        DiffCause::Definition { a, b } => definition(a, b),
        DiffCause::Missing { value, in_loop: Some(line), .. } => {
            text!("%{value} was written in an iteration that b does not have, of the loop in line {line}", value, line)
        }
        DiffCause::Missing { value, .. } => {
            text!("%{value} was written before by an instruction that b does not have", value)
        }
        DiffCause::Extra { value, in_loop: Some(line), .. } => {
            text!(
                "%{value} was written in an iteration that a does not have, of the loop in line {line} of b",
                value,
                line
            )
        }
        DiffCause::Extra { value, .. } => {
            text!("%{value} was written before by an instruction that a does not have", value)
        }
        DiffCause::OtherWriter { operand, .. } => {
            text!("%{operand} differed already: a and b wrote it last with different instructions", operand)
        }
        DiffCause::Uninitialised { operand, in_second: true } => {
            text!("b reads elements of %{operand} that nothing wrote", operand)
        }
        DiffCause::Uninitialised { operand, .. } => text!("a reads elements of %{operand} that nothing wrote", operand),
        _ => return String::new(),
    };
    let mut text = text!("cause: {words}\n", words);
    for (side, (mark, line)) in [("a ", line_a), ("b ", line_b)].into_iter().enumerate() {
        text += &line.map(|line| source_line(diff, side, mark, line)).unwrap_or_default();
    }
    text
}

fn definition(a: &DefinedAt, b: &DefinedAt) -> String {
    if a.name == b.name {
        return text!("%{name} is {a} in a, and {b} in b", name = a.name, a = a.held, b = b.held);
    }
    text!("%{name} of a is {a}, and %{other} of b is {b}", name = a.name, a = a.held, other = b.name, b = b.held)
}

/// The worst elements.
fn worst(diff: &FinishedDiff<'_>, first: &Divergence) -> String {
    let is_output = first.kind == DivergenceKind::Output;
    let (a, b) = if diff.report.is_array { ("expected", "found") } else { ("a", "b") };
    let rows: Vec<Vec<String>> = first.errors.worst.iter().map(|e| element(diff, e, is_output)).collect();
    let has_operands = first.errors.worst.iter().any(|e| !e.operands.is_empty());
    let mut header = vec!["element", a, b, "error", "relative", "ulp", "computed from"];
    let mut rows = rows;
    if !has_operands {
        header.pop();
        rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    table(&header, &"lrrrrrl"[..header.len()], &rows)
}

fn element(diff: &FinishedDiff<'_>, e: &ElementError, is_output: bool) -> Vec<String> {
    let operands = e.operands.iter().map(|o| operand(diff, o)).collect::<Vec<_>>().join("; ");
    vec![
        if is_output { format!("[{}]", e.col) } else { format!("[{}, {}]", e.row, e.col) },
        e.a.clone(),
        e.b.clone(),
        general(e.abs, 4),
        e.rel.map_or("-".to_string(), |r| general(r, 4)),
        e.ulps.map_or("-".to_string(), |u| u.to_string()),
        operands,
    ]
}

/// `%x[3, 17] = 1.5`, or `%x[3, 17] = 1.5 / 1.25` if the two runs differ.
fn operand(diff: &FinishedDiff<'_>, o: &OperandElements) -> String {
    let elements = match o.first {
        None => String::new(),
        Some((row, col)) if o.size == (1, 1) => format!("[{row}, {col}]"),
        Some((row, col)) => {
            let range = |first: usize, count: usize| {
                if count == 1 { first.to_string() } else { format!("{first}:{}", first + count) }
            };
            format!("[{}, {}]", range(row, o.size.0), range(col, o.size.1))
        }
    };
    let numbers = |list: &[String]| {
        let more = if list.len() < o.size.0 * o.size.1 { " …" } else { "" };
        format!("{}{more}", list.join(" "))
    };
    let held = match (o.a.is_empty(), o.b.is_empty()) {
        (false, false) if o.a != o.b => format!("{} / {}", numbers(&o.a), numbers(&o.b)),
        (true, false) => format!("- / {}", numbers(&o.b)),
        (false, true) if !diff.report.is_array => format!("{} / -", numbers(&o.a)),
        _ => numbers(&o.a),
    };
    format!("%{}{elements} = {held}", o.name)
}

/// How errors grow, line by line.
fn growth(diff: &FinishedDiff<'_>) -> String {
    let all = &diff.report.lines;
    let is_changed = |l: &&LineError| l.max_abs > 0.0 || l.beyond > 0;
    let shown: Vec<&LineError> = if all.len() > MOST_LINES {
        all.iter().filter(is_changed).take(MOST_LINES).collect()
    } else {
        all.iter().collect()
    };
    // Nothing to see where all is equal.
    if !all.iter().any(|l| is_changed(&l)) {
        return String::new();
    }
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|l| {
            vec![
                l.line.to_string(),
                l.name.to_string(),
                format!("%{}", l.result),
                l.executions.to_string(),
                general(l.max_abs, 4),
                l.max_rel.map_or("-".to_string(), |r| general(r, 4)),
                l.beyond.to_string(),
            ]
        })
        .collect();
    let mut text = format!(
        "\n{}",
        table(&["line", "instruction", "result", "compared", "max error", "relative", "beyond"], "rllrrrr", &rows)
    );
    let hidden = all.len() - shown.len();
    if hidden > 0 {
        text += &text!("{hidden} more lines are equal, or come later\n", hidden);
    }
    text
}

fn outputs(diff: &FinishedDiff<'_>) -> String {
    if diff.report.matches() {
        return String::new();
    }
    let lines = diff.report.outputs.iter().map(|o| {
        let (name, elements) = (&o.name, o.errors.elements);
        match o.errors.beyond {
            0 => text!("{name} at the end: {elements} elements, no difference\n", name, elements),
            beyond => text!(
                "{name} at the end: {beyond} of {elements} elements {how}\n",
                name,
                beyond,
                elements,
                how = how(diff, &o.errors.allowed)
            ),
        }
    });
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Instructions that only one side has.
fn unmatched(diff: &FinishedDiff<'_>) -> String {
    let mut text = String::new();
    for (name, list) in ["a", "b"].into_iter().zip(&diff.report.unmatched) {
        if list.is_empty() {
            continue;
        }
        let one = |u: &UnmatchedLine| format!("{}: {} → %{} ({}×)", u.line, u.name, u.result, u.executions);
        let more = if list.len() > MOST_UNMATCHED { ", …" } else { "" };
        let list = list.iter().take(MOST_UNMATCHED).map(one).collect::<Vec<_>>().join(", ") + more;
        text += &text!("only in {name}: {list}\n", name, list);
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn failures(diff: &FinishedDiff<'_>) -> String {
    let all = diff.sides.iter().zip(diff.recordings).filter(|(_, r)| r.outcome().is_some());
    let lines = all.map(|(side, recording)| {
        let count = crate::counts::instructions(recording.len() as u64);
        text!("{name} failed after {count}; what came before was compared\n", name = side.name, count)
    });
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}
