//! `pto isa`

use super::check::target_parser;
use super::{CommandResult, Failure, Outcome, out};
use pto::doc;
use pto::isa::row::{AttrSpec, ElemRule, Pipes, SlotCount};
use pto::isa::text;
use pto::isa::{Dir, Family, Op, Slot, Target, table};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this family: `elementwise`, `reduce`, …
    #[arg(long)]
    family: Option<String>,
    /// Only instructions of this target
    #[arg(long, value_parser = target_parser(), ignore_case = true)]
    target: Option<Target>,
    /// Print every row as JSON
    #[arg(long, conflicts_with = "coverage")]
    json: bool,
    /// Show what this build supports per instruction: parse, check, run, cost, emit
    #[arg(long)]
    coverage: bool,
}

#[derive(Serialize)]
struct JsonTable {
    instructions: Vec<JsonRow>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let family = args.family.as_deref().map(find_family).transpose()?;
    let ops: Vec<Op> = table::isa()
        .filter(|op| family.is_none_or(|f| op.row().family == f))
        .filter(|op| args.target.is_none_or(|t| op.row().targets.contains(t)))
        .collect();
    if args.json {
        super::json::print(&JsonTable { instructions: ops.iter().map(|op| json(*op)).collect() })?;
    } else if args.coverage {
        out(&coverage(&ops))?;
    } else {
        out(&list(&ops))?;
    }
    Ok(Outcome::Clean)
}

/// A family by the name of its table, or by a part of its title.
fn find_family(name: &str) -> Result<Family, Failure> {
    let lower = name.to_lowercase();
    let mut families: Vec<Family> = table::isa().map(|op| op.row().family).collect();
    families.dedup();
    let exact = |f: &&Family| key(**f) == lower.replace(['-', '_', ' '], "");
    let titled = |f: &&Family| f.title().to_lowercase().contains(&lower);
    families.iter().find(exact).or_else(|| families.iter().find(titled)).copied().ok_or_else(|| {
        let keys: Vec<String> = families.iter().map(|f| key(*f)).collect();
        Failure(text!("there is no family `{name}`; legal: {keys}", name, keys = keys.join(", ")))
    })
}

fn key(family: Family) -> String {
    format!("{family:?}").to_lowercase()
}

/// Instructions by family, with their summaries and targets.
fn list(ops: &[Op]) -> String {
    let width = ops.iter().map(|op| op.row().name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut family = None;
    for row in ops.iter().map(|op| op.row()) {
        if family != Some(row.family) {
            let gap = if family.is_some() { "\n" } else { "" };
            text += &format!("{gap}\u{1b}[1m{}\u{1b}[0m\n", row.family.title());
            family = Some(row.family);
        }
        let all = Target::ALL.iter().all(|t| row.targets.contains(*t));
        let targets: Vec<_> = row.targets.iter().map(Target::name).collect();
        let only = if all { String::new() } else { format!(" \u{1b}[2m({})\u{1b}[0m", targets.join(", ")) };
        text += &format!("  {:width$}  {}{only}\n", row.name, row.summary());
    }
    text + &text!("\n{ops} instructions; `pto doc NAME` shows one\n", ops = ops.len())
}

/// A table of what works per instruction, determined by trying it, with totals.
fn coverage(ops: &[Op]) -> String {
    let width = ops.iter().map(|op| op.row().name.len()).max().unwrap_or(0).max("instruction".len());
    let mut text = format!("\u{1b}[1m{:width$}  parse  check          run  cost  emit\u{1b}[0m\n", "instruction");
    let yes = |b: bool| if b { "yes" } else { "no" };
    let mut totals = [0; 5];
    for &op in ops {
        let c = doc::coverage(op);
        let targets: Vec<_> = c.check.iter().map(|t| t.name()).collect();
        let check = if targets.is_empty() { "no".to_string() } else { targets.join(", ") };
        text += &format!(
            "{:width$}  {:5}  {check:13}  {:3}  {:4}  {}\n",
            op.row().name,
            yes(c.parse),
            yes(c.run),
            yes(c.cost),
            yes(c.emit)
        );
        let everywhere = op.row().targets.iter().all(|t| c.check.contains(&t));
        for (total, works) in totals.iter_mut().zip([c.parse, everywhere, c.run, c.cost, c.emit]) {
            *total += usize::from(works);
        }
    }
    let [parse, check, run, cost, emit] = totals;
    text + &text!(
        "{ops} instructions: parse {parse}, check {check}, run {run}, cost {cost}, emit {emit}\n",
        ops = ops.len(),
        parse,
        check,
        run,
        cost,
        emit
    )
}

/// A row of the table for programs.
#[derive(Serialize)]
pub(crate) struct JsonRow {
    name: &'static str,
    operation: String,
    aliases: &'static [&'static str],
    family: String,
    summary: &'static str,
    operands: Vec<JsonSlot>,
    results: Vec<JsonSlot>,
    attributes: Vec<JsonAttr>,
    /// Element types of the data operands, by target.
    types: BTreeMap<&'static str, Vec<&'static str>>,
    targets: Vec<&'static str>,
    /// The pipe, if it is always the same.
    pipe: Option<&'static str>,
    cpp: &'static str,
    page: &'static str,
}

#[derive(Serialize)]
struct JsonSlot {
    name: &'static str,
    access: &'static str,
    kind: &'static str,
    count: &'static str,
    elements: Option<String>,
}

#[derive(Serialize)]
struct JsonAttr {
    name: &'static str,
    aliases: &'static [&'static str],
    legal: String,
    required: bool,
    default: &'static str,
    targets: Vec<&'static str>,
    doc: &'static str,
}

pub(crate) fn json(op: Op) -> JsonRow {
    let row = op.row();
    let has_data = row.slots.iter().any(|s| s.elem == ElemRule::Data);
    let types = |t: Target| (t.name(), row.data_types(t).iter().map(|d| d.name()).collect());
    JsonRow {
        name: row.name,
        operation: row.full_name(),
        aliases: row.aliases,
        family: key(row.family),
        summary: row.summary(),
        operands: row.slots.iter().map(json_slot).collect(),
        results: row.results.iter().map(json_slot).collect(),
        attributes: row.attrs.iter().map(json_attr).collect(),
        types: row.targets.iter().filter(|_| has_data).map(types).collect(),
        targets: row.targets.iter().map(Target::name).collect(),
        pipe: match row.pipe {
            Pipes::One(pipe) => Some(pipe.name()),
            _ => None,
        },
        cpp: row.cpp.name,
        page: row.page,
    }
}

fn json_slot(slot: &Slot) -> JsonSlot {
    JsonSlot {
        name: slot.name,
        access: match slot.dir {
            Dir::In => "read",
            Dir::Out => "write",
            Dir::InOut => "read-write",
        },
        kind: slot.kind.noun(),
        count: match slot.count {
            SlotCount::One => "one",
            SlotCount::Optional => "optional",
            SlotCount::Many => "many",
        },
        elements: match slot.elem {
            ElemRule::Any => None,
            ElemRule::Data => Some("data".to_string()),
            ElemRule::Of(set) => Some(set.to_string()),
            ElemRule::Like(other) => Some(format!("as {other}")),
        },
    }
}

fn json_attr(spec: &AttrSpec) -> JsonAttr {
    JsonAttr {
        name: spec.name,
        aliases: spec.aliases,
        legal: spec.legal_values(),
        required: spec.required,
        default: spec.default,
        targets: spec.targets.iter().map(Target::name).collect(),
        doc: spec.doc,
    }
}
