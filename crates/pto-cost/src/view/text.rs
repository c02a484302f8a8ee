//! The answer in words.

use super::{OpNames, Shown};
use crate::laws::Grade;
use crate::report::{Advice, AdviceChange, PerfReport, PipeUse, Stall};
use crate::trace::Why;
use pto_isa::text;
use std::fmt::Write;

const BAR: usize = 20;
/// Lines of the critical path that are shown.
const STEPS: usize = 6;
/// Reasons of a stall that are shown.
const REASONS: usize = 3;

/// A number of cycles with thin groups: `39 214`.
pub fn cycles_text(cycles: f64) -> String {
    let digits = format!("{:.0}", cycles.max(0.0));
    let mut text = String::new();
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(c);
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn bar(share: f64) -> String {
    let full = ((share * BAR as f64).round() as usize).min(BAR);
    "█".repeat(full) + &"░".repeat(BAR - full)
}

/// Everything the report says, for a terminal.
pub fn summary(shown: &Shown<'_>) -> String {
    let Shown { names, report, advice, .. } = *shown;
    let mut text = headline(report) + &super::ranks::lines(report);
    text += "\n";
    let width = report.pipes.iter().map(|p| p.name().len()).max().unwrap_or(0);
    for pipe in &report.pipes {
        text += &pipe_line(pipe, report.cycles, width);
    }
    let _ = writeln!(text, "\nbottleneck: {}", bottleneck(names, report));
    text += &path_lines(names, report);
    text += &roofline_line(report);
    text += &memory_line(report);
    text += &advice_lines(names, report, advice);
    text
}

fn headline(report: &PerfReport) -> String {
    let mut text = text!(
        "{bold}{cycles} cycles{plain}  {micros} µs at {ghz} GHz",
        cycles = cycles_text(report.cycles),
        micros = format_args!("{:.1}", report.micros),
        ghz = format_args!("{:.2}", report.mhz / 1000.0),
        bold = "\u{1b}[1m",
        plain = "\u{1b}[0m"
    );
    let blocks = if report.blocks == 1 { String::new() } else { text!(", {blocks} blocks", blocks = report.blocks) };
    let _ = write!(
        text,
        "  ({} instructions{blocks}; a launch takes {} more)",
        report.instructions,
        cycles_text(report.launch)
    );
    let of = |grade: Grade| report.confidence.iter().find(|c| c.0 == grade).map_or(0.0, |c| c.1);
    let _ = writeln!(
        text,
        "\nconfidence: {} of busy cycles from calibrated parameters, {} derived, {} assumed",
        percent(of(Grade::Calibrated)),
        percent(of(Grade::Derived)),
        percent(of(Grade::Assumed))
    );
    if report.by_data {
        text += text!("order: by data, as if flags were exactly where data needs them (the program has none)\n");
    }
    text
}

fn pipe_line(pipe: &PipeUse, cycles: f64, width: usize) -> String {
    let share = pipe.busy / cycles.max(1.0);
    let mut line = format!("  {:width$}  {} {:>5}", pipe.name(), bar(share), percent(share));
    let reasons: Vec<String> = pipe
        .stalls
        .iter()
        .filter(|s| s.1 >= cycles * 0.01)
        .take(REASONS)
        .map(|(why, n)| text!("{cycles_text} for {why}", cycles_text = cycles_text(*n), why = why.words()))
        .collect();
    if !reasons.is_empty() {
        let _ = write!(line, "   {}", text!("waits {reasons}", reasons = reasons.join(", ")));
    }
    if pipe.shared >= cycles * 0.01 {
        let _ =
            write!(line, "   {}", text!("{cycles} more because memory is shared", cycles = cycles_text(pipe.shared)));
    }
    line + "\n"
}

/// One sentence: the pipe that decides, and what holds it up most.
pub fn bottleneck(names: &OpNames<'_>, report: &PerfReport) -> String {
    let Some(pipe) = report.busiest() else { return text!("nothing runs").to_string() };
    let share = pipe.busy / report.cycles.max(1.0);
    let mut text = text!("{pipe}, busy {percent} of the time.", pipe = pipe.name(), percent = percent(share));
    let of_pipe = |s: &&Stall| s.pipe == pipe.pipe;
    match report.stalls.iter().find(of_pipe).filter(|s| s.cycles >= report.cycles * 0.02) {
        Some(stall) => text += &format!(" {}", stall_words(names, stall)),
        None if share > 0.9 => text += text!(" It hardly ever waits: only less work for it makes the program faster."),
        None => {}
    }
    text
}

fn stall_words(names: &OpNames<'_>, stall: &Stall) -> String {
    let waits = names.place(stall.waits);
    let times = if stall.count > 1 { text!("{count} times, ", count = stall.count) } else { String::new() };
    let cycles = text!("({times}{cycles} cycles on a core)", times, cycles = cycles_text(stall.cycles));
    match (stall.why, stall.for_op) {
        (Why::Overwrite, Some(op)) => {
            text!(
                "The {waits} waits until the {place} is done with its buffer {cycles}.",
                waits,
                place = names.place(op),
                cycles
            )
        }
        (why, Some(op)) if op != stall.waits => {
            text!(
                "The {waits} waits for {why} from the {place} {cycles}.",
                waits,
                why = why.words(),
                place = names.place(op),
                cycles
            )
        }
        (why, _) => text!("The {waits} waits for {why} {cycles}.", waits, why = why.words(), cycles),
    }
}

fn path_lines(names: &OpNames<'_>, report: &PerfReport) -> String {
    let mut text = String::from(text!("critical path:\n"));
    for step in report.path.iter().take(STEPS) {
        let share = percent(step.cycles / report.cycles.max(1.0));
        let times = if step.count == 1 { String::new() } else { format!(" ({}x)", step.count) };
        let (line, source) = (names.line(step.op), names.source(step.op));
        let source: String = source.chars().take(72).collect();
        let _ = writeln!(text, "  {share:>5}  {:>12}{times:>9}  line {line}: {source}", cycles_text(step.cycles));
    }
    if report.path.len() > STEPS {
        let rest: f64 = report.path[STEPS..].iter().map(|s| s.cycles).sum();
        let share = percent(rest / report.cycles.max(1.0));
        let _ = writeln!(
            text,
            "  {share:>5}  {:>12}           {} more lines",
            cycles_text(rest),
            report.path.len() - STEPS
        );
    }
    text
}

fn roofline_line(report: &PerfReport) -> String {
    let r = &report.roofline;
    if r.flops == 0.0 {
        return String::new();
    }
    let side = if r.is_memory_bound() { text!("memory") } else { text!("computing") };
    text!(
        "roofline: {intensity} operations per byte moved; {reached} per cycle reached of {roof} that {side} allows ({percent})\n",
        intensity = format_args!("{:.2}", r.intensity()),
        reached = format_args!("{:.0}", r.reached),
        roof = format_args!("{:.0}", r.roof()),
        side,
        percent = percent(r.reached / r.roof().max(1e-9))
    )
}

/// Peak use of memories. It may exceed the memory if the program has no addresses yet.
fn memory_line(report: &PerfReport) -> String {
    let mut parts = Vec::new();
    for (loc, peak) in report.peaks() {
        let Some(space) = report.target.profile().space(loc) else { continue };
        let beyond = if peak > space.bytes { text!(" (more than there is)") } else { "" };
        parts.push(format!("{} {}{beyond}", space.name, percent(peak as f64 / space.bytes as f64)));
    }
    if parts.is_empty() { String::new() } else { text!("memory at most: {parts}\n", parts = parts.join(", ")) }
}

/// A change in words, with the memory it takes.
pub fn advice_words(names: &OpNames<'_>, report: &PerfReport, advice: &Advice) -> String {
    let change = change_words(names, advice.change);
    let Some((loc, bytes)) = advice.extra else { return change };
    let Some(space) = report.target.profile().space(loc) else { return change };
    let used = report.peaks().get(&loc).copied().unwrap_or(0);
    let fits = if used + bytes <= space.bytes { text!("fits") } else { text!("does not fit as it is") };
    text!("{change} (+{bytes} KiB of {name}, {fits})", change, bytes = bytes.div_ceil(1024), name = space.name, fits)
}

fn change_words(names: &OpNames<'_>, change: AdviceChange) -> String {
    match change {
        AdviceChange::DoubleBuffer(op) => text!("double-buffer what the {place} fills", place = names.place(op)),
        AdviceChange::DoubleBufferBehind(op) => {
            text!("double-buffer what the {place} protects", place = names.place(op))
        }
        AdviceChange::FewerFlags => text!("flags where data flows, and nowhere else").to_string(),
        AdviceChange::LargerTiles => {
            text!("larger tiles, so that starting vector instructions counts less (at most)").to_string()
        }
        AdviceChange::MoreBlocks(n) => text!("launch {n} blocks (--blocks {n})", n),
        AdviceChange::Faster(op) => text!("if the {place} took half as long", place = names.place(op)),
    }
}

fn advice_lines(names: &OpNames<'_>, report: &PerfReport, advice: &[Advice]) -> String {
    let words: Vec<String> = advice.iter().map(|a| advice_words(names, report, a)).collect();
    let width = words.iter().map(|w| w.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (at, (a, words)) in advice.iter().zip(&words).enumerate() {
        let start = if at == 0 { "try:" } else { "    " };
        let _ = writeln!(text, "{start} {words:width$}  → {} cycles  (−{})", cycles_text(a.cycles), percent(a.gain));
    }
    text
}
