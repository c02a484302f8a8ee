//! `docs/hazards.md` is what the rows say; `BLESS=1` writes it anew.

use pto::Program;
use pto::isa::row::{Aliasing, Hazard};
use pto::isa::{Family, Op, Target, Targets, codes, fill, table};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Device hazards: what implementations do beyond the definition

Instructions are functions of the device headers. Every row of the table was compared with its implementation for a2a3 and a5: the
order in which it writes and reads, memory that no operand names, sources that it changes, scratch tiles, and limits that it does not check.
It is reading, not measurement: no device was run. Views, configuration, signals and asynchronous transfers were read in outline only.
What was found stands in the rows (`pto doc NAME` shows it there), and this page is made from them (`BLESS=1 cargo test -p pto --test suite hazards`).

- **written early**: the destination is written before the source has been read, so they must not share memory. `check` reports it (E0221), and `race` where addresses are computed; planning never does it.
- **lost**: the source is scratch memory. It counts as written: `check` (E0226) and `race` report a read that follows, `sync` and planning order and place
  accordingly, and lowering copies a source that is read later.
- **own memory**: bytes that no operand names. `check` and `race` report tiles at these addresses (E0227), `plan` shows and reserves them; if the instruction takes a scratch tile,
  lowering adds one instead.
- **fault**: for these operands the result deviates from the definition. `check` and `run` warn (E0228). In place, or with separate memory, where that is the condition.
- **fault** of windows: rows are moved as contiguous bytes, so that a last stride other than 1 is ignored unless tile and window are stored by columns. `check` and `run` warn where the stride is known (E0228).
- **limit**: depends on data, or on flags and registers of the program. Nothing checks it; the author must.

Scratch tiles that a device works in must not overlap another operand, whole or in part (E0225, `check` and `race`). Destinations that overlap a source in part are warned about (E0403) and
found by `race` (E0221); so are those that start at the address of a source but have longer rows. If conditions choose a tile, or counters give its address, `check` examines cases: the first iterations of the
loops around an instruction, and both sides of a condition that is known only at run time. A problem in one of them is a warning that names the case (\"where `%c` is true\"). Two conditions count as
independent only if both are parameters; `race` finds the rest. Registers that no instruction of this set can see are left out, and so are assertions that only debug builds check.
";

fn on(targets: Targets) -> String {
    targets.iter().filter(|t| *t != Target::Cpu).map(Target::name).collect::<Vec<_>>().join(", ")
}

/// One line for each hazard; rows of a family with the same ones stand together.
fn lines(family: Family) -> BTreeMap<Vec<String>, Vec<&'static str>> {
    let mut all: BTreeMap<Vec<String>, Vec<&'static str>> = BTreeMap::new();
    for row in table::isa().map(Op::row).filter(|row| row.family == family) {
        let mut list: Vec<String> = row.hazards.iter().map(line).collect();
        if let Aliasing::Distinct(targets) = row.alias {
            let text = "destinations are written before the sources have been read: separate memory";
            list.push(format!("{} | {text} | check (E0221), planning", on(targets)));
        }
        if !list.is_empty() {
            all.entry(list).or_default().push(row.name);
        }
    }
    all
}

fn line(hazard: &Hazard) -> String {
    format!("{} | {} | {}", on(hazard.targets), hazard.describe().replace('|', "\\|"), hazard.harm.respected_by())
}

fn families() -> Vec<Family> {
    let mut all: Vec<Family> = table::isa().map(|op| op.row().family).collect();
    all.dedup();
    all
}

fn page() -> String {
    let mut text = HEAD.to_string();
    text += "\n## In numbers\n\n| family | rows | with a hazard | without |\n|---|---|---|---|\n";
    for family in families() {
        let rows: Vec<_> = table::isa().map(Op::row).filter(|row| row.family == family).collect();
        let with: usize = lines(family).values().map(Vec::len).sum();
        _ = writeln!(text, "| {} | {} | {with} | {} |", family.title(), rows.len(), rows.len() - with);
    }
    for family in families() {
        let lines = lines(family);
        if lines.is_empty() {
            continue;
        }
        _ = write!(
            text,
            "\n## {}\n\n| instructions | target | what the implementation does | respected by |\n|---|---|---|---|\n",
            family.title()
        );
        let mut rows: Vec<_> = lines.into_iter().collect();
        rows.sort_by_key(|(_, names)| names[0]);
        for (list, names) in rows {
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            for (at, line) in list.iter().enumerate() {
                _ = writeln!(text, "| {} | {line} |", if at == 0 { names.join(", ") } else { String::new() });
            }
        }
    }
    text
}

#[test]
fn the_page_says_what_the_rows_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hazards.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/hazards.md is not what the rows say; BLESS=1 writes it anew");
}

/// Hazards name operands of their rows and targets that have the instruction.
#[test]
fn hazards_are_about_their_rows() {
    use pto::isa::row::Harm;
    for row in table::isa().map(Op::row) {
        for hazard in row.hazards {
            let named = match hazard.harm {
                Harm::WritesEarly(a, b) | Harm::Differs(a, b, _) | Harm::Ignores(a, b) => vec![a, b],
                Harm::Destroys(a) => vec![a],
                Harm::Hidden(_) | Harm::Fault(_) | Harm::Limit(_) => Vec::new(),
            };
            assert!(named.iter().all(|name| row.slot(name).is_some()), "{}: {named:?}", row.name);
            assert!(!hazard.targets.contains(Target::Cpu), "{}: the host has no hazards", row.name);
        }
    }
}

/// A program whose operands meet a fault is warned about, on that device and on no other, and still legal.
#[test]
fn faults_are_warnings_on_their_device() {
    let mut met = 0;
    for op in table::isa().filter(|op| !op.row().hazards.is_empty()) {
        for target in op.row().targets.iter() {
            let types = fill::data_types(op.row(), target);
            for filling in types.iter().flat_map(|data| fill::several(op, target, *data, 300, 2)) {
                let program = Program::parse(&pto::sample::around(&filling));
                let Ok(checked) = program.check(target) else { continue };
                let found = checked.hazards().filter(|d| d.code == codes::DEVICE_FAULT).count();
                assert!(found == 0 || target != Target::Cpu, "{} warns about the host", op.row().name);
                met += usize::from(found > 0);
            }
        }
    }
    assert!(met > 20, "only {met} uses meet a fault");
}
