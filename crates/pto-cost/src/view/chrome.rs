//! A trace that Perfetto and Chrome open.

use super::write::{number, string};
use super::{Shown, used_pipes};
use crate::report::on_path;
use crate::trace::{PIPES, core_name, pipe_name};
use pto_isa::Pipe;
use std::fmt::Write;

/// The run in the trace-event format: a process for each core, a thread for each pipe, arrows along the critical path, and the
/// bytes in use of on-chip memories as counters, where they were recorded. Times are microseconds of the target's clock.
pub fn chrome_trace(shown: &Shown<'_>) -> String {
    let Shown { trace, line, report, .. } = *shown;
    let mut out = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    let several = crate::report::blocks(trace) > 1;
    for (at, core) in trace.cores.iter().enumerate() {
        let _ = write!(out, "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{at},\"args\":{{\"name\":");
        string(&mut out, &core_name(*core, several));
        out.push_str("}},\n");
    }
    for at in used_pipes(trace, &(0..trace.cores.len()).collect::<Vec<_>>()) {
        let (core, pipe) = (at / PIPES, at % PIPES);
        let name = pipe_name(Pipe::REAL.get(pipe).copied());
        let _ = writeln!(
            out,
            "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{core},\"tid\":{pipe},\"args\":{{\"name\":\"{name}\"}}}},"
        );
    }
    let micros = |cycles: f64| cycles / report.mhz;
    for (at, item) in trace.items.iter().enumerate().filter(|(_, i)| !i.orders) {
        slice(shown, &mut out, at, (item.pipe as usize / PIPES, item.pipe as usize % PIPES), micros);
    }
    let path: Vec<u32> = on_path(trace, line).into_iter().filter(|i| !trace.items[*i as usize].orders).collect();
    for (id, pair) in path.windows(2).enumerate() {
        for (phase, item, time) in
            [("s", pair[1], line.end[pair[1] as usize]), ("f", pair[0], line.start[pair[0] as usize])]
        {
            let at = trace.items[item as usize].pipe as usize;
            let _ = write!(
                out,
                "{{\"ph\":\"{phase}\",\"name\":\"critical path\",\"cat\":\"path\",\"id\":{id},\"bp\":\"e\","
            );
            let _ = write!(out, "\"pid\":{},\"tid\":{},\"ts\":", at / PIPES, at % PIPES);
            number(&mut out, micros(time));
            out.push_str("},\n");
        }
    }
    for memory in &report.memory {
        for (time, bytes) in &memory.steps {
            let _ = write!(out, "{{\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"ts\":", memory.loc, memory.core);
            number(&mut out, micros(*time));
            let _ = writeln!(out, ",\"args\":{{\"bytes\":{bytes}}}}},");
        }
    }
    // The list ends with a dummy element, so that every other one ends with a comma.
    out.push_str("{\"ph\":\"M\",\"name\":\"trace\",\"pid\":0,\"args\":{\"name\":\"pto perf\"}}\n]}\n");
    out
}

fn slice(shown: &Shown<'_>, out: &mut String, at: usize, (core, pipe): (usize, usize), micros: impl Fn(f64) -> f64) {
    let Shown { names, trace, line, .. } = *shown;
    let op = trace.items[at].op;
    let _ = write!(out, "{{\"ph\":\"X\",\"pid\":{core},\"tid\":{pipe},\"name\":\"{}\",\"ts\":", names.mnemonic(op));
    number(out, micros(line.start[at]));
    out.push_str(",\"dur\":");
    number(out, micros(line.end[at] - line.start[at]));
    let charge = &trace.cost_of(at).charge;
    let _ = write!(out, ",\"args\":{{\"line\":{},\"cycles\":", names.line(op));
    number(out, line.end[at] - line.start[at]);
    let _ = write!(out, ",\"bytes\":{},\"law\":\"{}\",\"text\":", charge.global, charge.grade);
    string(out, names.source(op));
    out.push_str("}},\n");
}
