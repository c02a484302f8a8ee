//! The report for programs.

use super::text::{advice_words, bottleneck};
use super::write::{list, number, string};
use super::{OpNames, Shown};
use crate::trace::{Why, pipe_name};
use pto_ir::OpId;

/// Appends `"name":`.
pub(super) fn field(out: &mut String, name: &str) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
    string(out, name);
    out.push(':');
}

pub(super) fn number_field(out: &mut String, name: &str, x: f64) {
    field(out, name);
    number(out, x);
}

pub(super) fn text_field(out: &mut String, name: &str, text: &str) {
    field(out, name);
    string(out, text);
}

fn op_fields(out: &mut String, names: &OpNames<'_>, op: OpId) {
    number_field(out, "line", f64::from(names.line(op)));
    text_field(out, "instruction", names.mnemonic(op));
}

/// One JSON object with everything the report says.
pub fn data(shown: &Shown<'_>) -> String {
    let Shown { names, report, advice, .. } = *shown;
    let mut out = String::from("{");
    text_field(&mut out, "file", names.file);
    number_field(&mut out, "cycles", report.cycles);
    number_field(&mut out, "microseconds", report.micros);
    number_field(&mut out, "launch_cycles", report.launch);
    number_field(&mut out, "mhz", report.mhz);
    number_field(&mut out, "blocks", report.blocks as f64);
    number_field(&mut out, "instructions", report.instructions as f64);
    text_field(&mut out, "order", if report.by_data { "data" } else { "program" });
    field(&mut out, "confidence");
    out.push('{');
    for (grade, share) in report.confidence {
        number_field(&mut out, grade.name(), share);
    }
    out.push('}');
    super::ranks::data(&mut out, report);
    pipes(&mut out, shown);
    stalls(&mut out, shown);
    field(&mut out, "critical_path");
    list(&mut out, &report.path, |out, step| {
        out.push('{');
        op_fields(out, names, step.op);
        text_field(out, "pipe", pipe_name(step.pipe));
        number_field(out, "cycles", step.cycles);
        number_field(out, "count", step.count as f64);
        out.push('}');
    });
    roofline(&mut out, shown);
    field(&mut out, "memory_bytes");
    out.push('{');
    report.peaks().iter().for_each(|(loc, peak)| number_field(&mut out, &loc.to_string(), *peak as f64));
    out.push('}');
    text_field(&mut out, "bottleneck", &bottleneck(names, report));
    field(&mut out, "advice");
    list(&mut out, advice, |out, a| {
        out.push('{');
        text_field(out, "change", &advice_words(names, report, a));
        number_field(out, "cycles", a.cycles);
        number_field(out, "gain", a.gain);
        out.push('}');
    });
    out.push('}');
    out
}

fn pipes(out: &mut String, shown: &Shown<'_>) {
    field(out, "pipes");
    list(out, &shown.report.pipes, |out, pipe| {
        out.push('{');
        text_field(out, "name", &pipe.name());
        number_field(out, "cores", pipe.cores as f64);
        number_field(out, "instructions", pipe.instructions as f64);
        number_field(out, "busy", pipe.busy);
        number_field(out, "shared", pipe.shared);
        field(out, "stalls");
        out.push('{');
        pipe.stalls.iter().for_each(|(why, cycles)| number_field(out, reason_name(*why), *cycles));
        out.push_str("}}");
    });
}

fn stalls(out: &mut String, shown: &Shown<'_>) {
    let names = shown.names;
    field(out, "stalls");
    list(out, &shown.report.stalls, |out, stall| {
        out.push('{');
        op_fields(out, names, stall.waits);
        text_field(out, "pipe", pipe_name(stall.pipe));
        text_field(out, "reason", reason_name(stall.why));
        if let Some(op) = stall.for_op {
            number_field(out, "for_line", f64::from(names.line(op)));
        }
        number_field(out, "cycles", stall.cycles);
        number_field(out, "count", stall.count as f64);
        out.push('}');
    });
}

fn roofline(out: &mut String, shown: &Shown<'_>) {
    let r = &shown.report.roofline;
    field(out, "roofline");
    out.push('{');
    number_field(out, "operations", r.flops);
    number_field(out, "bytes", r.bytes);
    number_field(out, "operations_per_byte", r.intensity());
    number_field(out, "operations_per_cycle", r.reached);
    number_field(out, "compute_roof", r.compute_roof);
    number_field(out, "memory_roof", r.memory_roof);
    out.push('}');
}

/// A stable word for a reason.
fn reason_name(why: Why) -> &'static str {
    match why {
        Why::Pipe => "pipe",
        Why::Issue => "issue",
        Why::Flag => "flag",
        Why::Barrier => "barrier",
        Why::Token => "token",
        Why::Read => "data",
        Why::Overwrite => "buffer",
        Why::Signal => "signal",
        Why::Entry => "entry",
        Why::Slot => "slot",
        Why::Cores => "cores",
        Why::Block => "block",
        Why::Rank => "rank",
        Why::Server => "server",
    }
}
