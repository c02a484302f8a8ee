//! A self-contained page: zoomable timeline of the pipes, the program beside it, memory over time.

use super::text::{advice_words, bottleneck};
use super::write::{list, number, string};
use super::{OpNames, Shown, cores_in_view, used_pipes};
use crate::report::{Occupancy, on_path, reason};
use crate::trace::{NONE, PIPES, Why, core_name, pipe_name, pipe_work};
use pto_ir::OpId;
use pto_isa::Pipe;
use pto_isa::sort::SharedSort;
use pto_isa::{text, text_key};
use std::collections::HashMap;
use std::fmt::Write;

const PAGE: &str = include_str!("../../data/report.html");
const STYLE: &str = include_str!("../../data/report.css");
const SCRIPT: &str = include_str!("../../data/report.js");
/// Items that a page shows; beyond that only some cores are drawn.
const MOST_ITEMS: usize = 200_000;
/// Cores that a page shows.
const MOST_CORES: usize = 12;
/// Lines of the path.
const STEPS: usize = 8;

/// The page.
pub fn page(shown: &Shown<'_>) -> String {
    let page = PAGE
        .replacen("@LANG@", text::language().tag(), 1)
        .replacen("@STYLE@", STYLE, 1)
        .replacen("@SCRIPT@", SCRIPT, 1);
    page.replacen("@DATA@", &page_data(shown), 1)
}

/// What the page says around its data; the script looks texts up by these names and puts parts in for `{0}`.
const WORDS: [(&str, &str); 27] = [
    ("title", text_key!("{0} on {1}: {2} cycles, {3} µs at {4} GHz")),
    ("pipe", text_key!("pipe")),
    ("busy", text_key!("busy")),
    ("waits", text_key!("waits most for")),
    ("path", text_key!("critical path")),
    ("share", text_key!("share")),
    ("cycles", text_key!("cycles")),
    ("try", text_key!("try")),
    ("gain", text_key!("gain")),
    ("step", text_key!("line {0}  {1}")),
    ("line", text_key!("line {0}")),
    (
        "keys",
        text_key!(
            "wheel: zoom · drag: move · double click: everything · hover or click a bar: its source · Enter in the search box: next match"
        ),
    ),
    ("find", text_key!("Search: tload, line 12, block 3")),
    ("found", text_key!("{0} found, {1} cycles")),
    ("none", text_key!("nothing found")),
    ("all", text_key!("all")),
    ("closer", text_key!("zoom in")),
    ("farther", text_key!("zoom out")),
    ("everything", text_key!("show everything")),
    ("of_memory", text_key!("{0} of {1} KiB")),
    ("range", text_key!("{0} to {1} of {2} cycles")),
    ("on_lane", text_key!("line {0} on {1}")),
    ("took", text_key!("{0} to {1}: {2} cycles, {3}")),
    ("on_path", text_key!("on the critical path")),
    ("critical", text_key!("on the critical path")),
    ("click_line", text_key!("highlight what this line does")),
    ("click_bar", text_key!("Click a bar to see its line and why it started when it did.")),
];

/// Operations that items refer to by number.
struct Ops<'a> {
    names: &'a OpNames<'a>,
    numbers: HashMap<OpId, usize>,
    order: Vec<(OpId, &'static str)>,
}

impl Ops<'_> {
    fn number(&mut self, op: OpId, law: &'static str) -> usize {
        let next = self.order.len();
        let at = *self.numbers.entry(op).or_insert(next);
        if at == next {
            self.order.push((op, law));
        }
        at
    }
}

fn page_data(shown: &Shown<'_>) -> String {
    let Shown { names, trace, report, .. } = *shown;
    let cores = cores_in_view(shown, MOST_CORES, MOST_ITEMS);
    let mut out = String::from("{\"file\":");
    string(&mut out, names.file);
    let _ = write!(out, ",\"target\":\"{}\",\"words\":", report.target);
    words(&mut out);
    out.push_str(",\"source\":");
    string(&mut out, names.text().trim_end());
    out.push_str(",\"cycles\":");
    number(&mut out, report.cycles);
    let _ = write!(out, ",\"mhz\":{},\"bottleneck\":", report.mhz);
    string(&mut out, &bottleneck(names, report));
    out.push_str(",\"note\":");
    string(&mut out, &note(shown, cores.len()));
    tables(&mut out, shown);
    let mut ops = Ops { names, numbers: HashMap::new(), order: Vec::new() };
    draw_pipes(&mut out, shown, &cores, &mut ops);
    out.push_str(",\"ops\":");
    list(&mut out, &ops.order, |out, (op, law)| {
        let _ = write!(
            out,
            "{{\"name\":\"{}\",\"line\":{},\"law\":\"{law}\",\"text\":",
            names.mnemonic(*op),
            names.line(*op)
        );
        string(out, ops.names.source(*op));
        out.push('}');
    });
    out.push_str(",\"memory\":");
    let several = crate::report::blocks(trace) > 1;
    let memory = report.memory.iter().filter(|m| cores.contains(&m.core));
    let space = |m: &Occupancy| report.target.profile().space(m.loc);
    list(&mut out, memory.filter_map(|m| Some((m, space(m)?))), |out, (m, space)| {
        let core = if trace.cores.len() > 1 { core_name(trace.cores[m.core], several) + " " } else { String::new() };
        out.push_str("{\"name\":");
        string(out, &format!("{core}{}", m.loc.memory_and_name()));
        let _ = write!(out, ",\"size\":{},\"peak\":{},\"steps\":", space.bytes, m.peak());
        list(out, &m.steps, |out, (time, bytes)| {
            out.push('[');
            number(out, *time);
            let _ = write!(out, ",{bytes}]");
        });
        out.push('}');
    });
    out.push('}');
    out
}

fn words(out: &mut String) {
    out.push('{');
    for (at, (name, words)) in WORDS.iter().enumerate() {
        let _ = write!(out, "{}\"{name}\":", if at > 0 { "," } else { "" });
        string(out, text::translate(words));
    }
    out.push('}');
}

fn note(shown: &Shown<'_>, cores: usize) -> String {
    let mut text = String::new();
    if shown.report.by_data {
        text += text!("The program has no flags: order comes from data. ");
    }
    if cores < shown.trace.cores.len() {
        text += &text!(
            "{cores} of {shown} cores are shown, those with most of the critical path among them. ",
            cores,
            shown = shown.trace.cores.len()
        );
    }
    text
}

fn tables(out: &mut String, shown: &Shown<'_>) {
    let Shown { names, report, advice, .. } = *shown;
    out.push_str(",\"pipes\":");
    list(out, &report.pipes, |out, pipe| {
        out.push_str("{\"name\":");
        string(out, &pipe.name());
        out.push_str(",\"busy\":");
        number(out, pipe.busy);
        out.push_str(",\"waits\":");
        let most = pipe.stalls.first().filter(|s| s.1 >= report.cycles * 0.01);
        let words =
            most.map(|(why, n)| text!("{why} ({cycles} cycles)", why = why.words(), cycles = super::cycles_text(*n)));
        string(out, &words.unwrap_or_default());
        out.push('}');
    });
    out.push_str(",\"path\":");
    list(out, report.path.iter().take(STEPS), |out, step| {
        let _ = write!(out, "{{\"line\":{},\"name\":\"{}\",\"cycles\":", names.line(step.op), names.mnemonic(step.op));
        number(out, step.cycles);
        out.push('}');
    });
    out.push_str(",\"advice\":");
    list(out, advice, |out, a| {
        out.push_str("{\"text\":");
        string(out, &advice_words(names, report, a));
        out.push_str(",\"cycles\":");
        number(out, a.cycles);
        out.push_str(",\"gain\":");
        number(out, a.gain);
        out.push('}');
    });
}

fn draw_pipes(out: &mut String, shown: &Shown<'_>, cores: &[usize], ops: &mut Ops<'_>) {
    let Shown { names, trace, line, .. } = *shown;
    let mut critical = vec![false; trace.items.len()];
    on_path(trace, line).into_iter().for_each(|i| critical[i as usize] = true);
    let several = crate::report::blocks(trace) > 1;
    let list_of = used_pipes(trace, cores);
    out.push_str(",\"work\":");
    let used = |pipe: &usize| list_of.iter().any(|device_pipe| device_pipe % PIPES == *pipe);
    list(out, (0..PIPES).filter(used), |out, at| {
        let pipe = Pipe::REAL.get(at).copied();
        let _ = write!(out, "[\"{}\",", pipe_name(pipe));
        string(out, pipe_work(pipe));
        out.push(']');
    });
    // Few reasons hold for many items.
    let mut reasons: HashMap<(Why, u32), usize> = HashMap::new();
    let mut items: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, item) in trace.items.iter().enumerate().filter(|(_, i)| !i.orders) {
        items.entry(item.pipe as usize).or_default().push(at);
    }
    out.push_str(",\"lanes\":");
    list(out, list_of, |out, device_pipe| {
        let pipe = pipe_name(Pipe::REAL.get(device_pipe % PIPES).copied());
        let name = if trace.cores.len() > 1 {
            format!("{} {pipe}", core_name(trace.cores[device_pipe / PIPES], several))
        } else {
            pipe.to_string()
        };
        out.push_str("{\"name\":");
        string(out, &name);
        out.push_str(",\"items\":");
        list(out, items.get(&device_pipe).into_iter().flatten(), |out, &at| {
            let op = trace.items[at].op;
            let _ = write!(out, "[{},", ops.number(op, trace.cost_of(at).charge.grade.name()));
            number(out, line.start[at]);
            out.push(',');
            number(out, line.end[at] - line.start[at]);
            let _ = write!(out, ",{},", u8::from(critical[at]));
            let (why, by) = reason(trace, line, at);
            let held = (by != NONE).then(|| (why, names.line(trace.items[by as usize].op)));
            let next = reasons.len();
            let number = held.map_or(-1, |held| *reasons.entry(held).or_insert(next) as i64);
            let _ = write!(out, "{number}");
            out.push(']');
        });
        out.push('}');
    });
    let mut words: Vec<((Why, u32), usize)> = reasons.into_iter().collect();
    words.shared_sort_by_key(|(_, number)| *number);
    out.push_str(",\"reasons\":");
    list(out, &words, |out, ((why, line), _)| {
        string(out, &text!("started after {why} (line {line})", why = why.words(), line));
    });
}
