//! What a page says, section by section.

use super::{Page, PageBlock, Section, forms, placed, signature, words};
use crate::isa::row::{AttrSpec, DocumentedCost, ElemRule, Hazard, SlotCount, SlotKind, Syntax};
use crate::isa::{DTypes, Family, Op, Row, Slot, Target, Targets};
use crate::sample::Sample;
use pto_isa::sort::SharedSort;
use pto_isa::text::translate;
use pto_isa::{text, text_key};

pub(super) fn page(op: Op) -> Page {
    let row = op.row();
    let sample = crate::sample::first_program(op);
    let sections = [
        semantics(row),
        operands(row),
        attributes(row),
        element_types(row),
        sample.as_ref().and_then(|sample| layouts(op, sample)),
        rules(row),
        decided(row),
        execution(row),
        hazards(row),
        text_forms(op, sample.as_ref()),
        cpp(op),
        sample.as_ref().and_then(|sample| example(op, sample)),
        sample.as_ref().and_then(example_by_hand),
        performance(row),
        cost_model(op, row),
        notes(row),
    ];
    Page {
        title: row.name.to_uppercase(),
        summary: translate(row.summary()),
        facts: facts(row),
        sections: sections.into_iter().flatten().collect(),
    }
}

/// What an editor shows beside an instruction: no programs, so that it is made at once.
pub(super) fn brief(op: Op) -> Page {
    let row = op.row();
    let grammar = Section::new(text_key!("Text forms"), vec![PageBlock::Code("", row.forms().join("\n"))]);
    let sections = [
        grammar.filter(|_| !row.forms().is_empty()),
        semantics(row),
        operands(row),
        attributes(row),
        element_types(row),
        execution(row),
        hazards(row),
        cost_model(op, row),
    ];
    Page {
        title: row.name.to_uppercase(),
        summary: translate(row.summary()),
        facts: vec![
            (text_key!("operation"), format!("`{}`", row.full_name())),
            (text_key!("targets"), words::targets(row.targets)),
        ],
        sections: sections.into_iter().flatten().collect(),
    }
}

fn facts(row: &Row) -> Vec<(&'static str, String)> {
    let mut facts =
        vec![(text_key!("operation"), row.full_name()), (text_key!("family"), row.family.title().to_string())];
    facts.push((text_key!("targets"), words::targets(row.targets)));
    if !row.aliases.is_empty() {
        facts.push((text_key!("also"), row.aliases.join(", ")));
    }
    if !row.page.is_empty() {
        facts.push((text_key!("public page"), row.page.to_string()));
        facts.push((
            text_key!("marked pto"),
            text!("what the public page does not have: found out or decided here").to_string(),
        ));
    }
    facts
}

/// The documentation after the summary, cut into paragraphs.
fn semantics(row: &Row) -> Option<Section> {
    let paragraphs = row.paragraphs().into_iter().map(|p| PageBlock::Text(translate(&p).to_string()));
    Section::new(text_key!("Semantics"), paragraphs.collect())
}

fn operands(row: &Row) -> Option<Section> {
    let line = |slot: &Slot| {
        let tile =
            matches!(slot.kind, SlotKind::Tile | SlotKind::TileOrScalar | SlotKind::TileOrView | SlotKind::MultiTile);
        let of_tile = |text: String| if tile { text } else { "–".to_string() };
        vec![
            format!("`{}`", slot.name),
            words::direction(slot),
            slot.kind.noun().to_string(),
            of_tile(words::memories(slot.locs)),
            of_tile(words::layouts(slot.orders)),
            if matches!(slot.kind, SlotKind::Index | SlotKind::Int | SlotKind::Bool) {
                "–".to_string()
            } else {
                words::elements(slot)
            },
        ]
    };
    let head = vec![
        text_key!("name"),
        text_key!("access"),
        text_key!("kind"),
        text_key!("memory"),
        text_key!("layout"),
        text_key!("elements"),
    ];
    let mut blocks = Vec::new();
    if !row.slots.is_empty() {
        blocks.push(PageBlock::Table(head, row.slots.iter().map(line).collect()));
    }
    if !row.results.is_empty() {
        let line = |s: &Slot| {
            let optional = if s.count == SlotCount::Optional { text!(", optional") } else { "" };
            vec![format!("`{}`", s.name), format!("{}{optional}", s.kind.noun())]
        };
        blocks.push(PageBlock::Table(
            vec![text_key!("result"), text_key!("kind")],
            row.results.iter().map(line).collect(),
        ));
    }
    Section::new(text_key!("Operands"), blocks)
}

/// How the tiles of the example lie in memory.
fn layouts(op: Op, sample: &Sample) -> Option<Section> {
    Section::new(text_key!("Tiles of the example"), super::layout::pictures(op, sample)).map(Section::ours)
}

/// What the page leaves open, and what holds here.
fn decided(row: &Row) -> Option<Section> {
    let list: Vec<String> = row.decided.iter().map(|d| translate(d).to_string()).collect();
    let blocks = if list.is_empty() { Vec::new() } else { vec![PageBlock::List(list)] };
    Section::new(text_key!("Decided here"), blocks).map(Section::ours)
}

fn attributes(row: &Row) -> Option<Section> {
    let line = |spec: &AttrSpec| {
        let default = match (spec.required, spec.default) {
            (true, _) => text!("required").to_string(),
            (false, "") => text!("absent").to_string(),
            (false, value) => format!("`{value}`"),
        };
        let mut doc = translate(spec.doc).to_string();
        if spec.targets != Targets::ALL {
            doc += &text!(" ({targets} only)", targets = words::targets(spec.targets));
        }
        if !spec.aliases.is_empty() {
            doc += &text!("; also {names}", names = format_args!("`{}`", spec.aliases.join("`, `")));
        }
        vec![format!("`{}`", spec.name), spec.legal_values(), default, doc]
    };
    let rows: Vec<_> = row.attrs.iter().map(line).collect();
    let table = PageBlock::Table(
        vec![text_key!("name"), text_key!("legal values"), text_key!("default"), text_key!("meaning")],
        rows,
    );
    Section::new(text_key!("Attributes"), if row.attrs.is_empty() { Vec::new() } else { vec![table] })
}

fn element_types(row: &Row) -> Option<Section> {
    let has_data = row.slots.iter().chain(row.results).any(|s| s.elem == ElemRule::Data);
    if !has_data {
        return None;
    }
    let line = |t: Target| {
        let types = if row.targets.contains(t) { row.data_types(t) } else { DTypes::NONE };
        vec![t.name().to_string(), if types.is_empty() { "–".to_string() } else { types.to_string() }]
    };
    let table = PageBlock::Table(
        vec![text_key!("target"), text_key!("data types")],
        Target::ALL.into_iter().map(line).collect(),
    );
    Section::new(text_key!("Element types"), vec![table])
}

/// Rules, each with the targets it holds on where those are not all that have the instruction.
fn rules(row: &Row) -> Option<Section> {
    let reach = |t: &Targets| row.targets.iter().filter(|x| t.contains(*x)).collect::<Vec<_>>();
    let everywhere = row.targets.iter().count();
    let mut all: Vec<_> = row.shape_rules.iter().chain(row.rules).filter(|(t, _)| !reach(t).is_empty()).collect();
    all.shared_sort_by_key(|(t, _)| std::cmp::Reverse(reach(t).len()));
    let text = |(t, rule): &&(Targets, crate::isa::rules::Rule)| {
        let on = reach(t);
        let names: Vec<_> = on.iter().map(|t| t.name()).collect();
        if on.len() == everywhere { rule.describe() } else { format!("{} ({})", rule.describe(), names.join(", ")) }
    };
    let mut list: Vec<String> = all.iter().map(text).collect();
    if row.slots.iter().any(|s| s.kind == SlotKind::Tile) {
        list.push(text!("tiles: valid rows and columns at most the rows and columns of the tile").to_string());
    }
    Section::new(text_key!("Rules"), if list.is_empty() { Vec::new() } else { vec![PageBlock::List(list)] })
}

fn execution(row: &Row) -> Option<Section> {
    let facts = [
        (text!("works on"), words::domain(row.domain)),
        (text!("pipe"), words::pipe(row.pipe)),
        (text!("effect"), words::effect(row.effect).map(str::to_string)),
        (text!("overlap"), words::aliasing(row.alias)),
        (text!("scratch"), row.scratch.as_ref().map(words::scratch)),
        (text!("side effects"), words::side_effects(row)),
        (text!("bytecode"), row.bytecode.map(words::opcode)),
    ];
    let rows: Vec<_> = facts.into_iter().filter_map(|(name, text)| Some(vec![name.to_string(), text?])).collect();
    Section::new(
        text_key!("Execution"),
        if rows.is_empty() { Vec::new() } else { vec![PageBlock::Table(Vec::new(), rows)] },
    )
}

/// What devices do beyond what the instruction means.
fn hazards(row: &Row) -> Option<Section> {
    let line = |h: &Hazard| vec![words::targets(h.targets), h.describe(), h.harm.respected_by().to_string()];
    let rows: Vec<_> = row.hazards.iter().map(line).collect();
    let table = PageBlock::Table(
        vec![text_key!("target"), text_key!("what the implementation does"), text_key!("respected by")],
        rows,
    );
    Section::new(text_key!("Hazards"), if row.hazards.is_empty() { Vec::new() } else { vec![table] }).map(Section::ours)
}

fn text_forms(op: Op, sample: Option<&Sample>) -> Option<Section> {
    let mut lines = sample.map(|sample| forms::lines(op, &sample.text)).unwrap_or_default();
    let grammar = op.row().forms();
    if !grammar.is_empty() {
        // What its own grammar says; the generic form is the same for all, and a line shows it unless there are regions.
        let has_regions = matches!(op.row().syntax, Syntax::Custom(custom) if custom.anatomy().regions.1 > 0);
        lines.retain(|(title, _)| *title == forms::GENERIC && !has_regions);
        lines.insert(0, (forms::ALL_BUT_GENERIC, grammar.join("\n")));
    }
    Section::new(text_key!("Text forms"), lines.into_iter().map(|(title, line)| PageBlock::Code(title, line)).collect())
}

/// True for the families all of whose functions for tiles take and return events; of the others, some do.
fn takes_events(row: &Row) -> bool {
    let has_tile = row.slots.iter().any(|s| s.kind == SlotKind::Tile);
    let family = matches!(
        row.family,
        Family::Elementwise
            | Family::TileScalar
            | Family::Partial
            | Family::Reduce
            | Family::Expand
            | Family::Quant
            | Family::Matrix
    );
    family && has_tile && !row.cpp.name.is_empty()
}

fn cpp(op: Op) -> Option<Section> {
    let row = op.row();
    if !row.cpp.missing.is_empty() {
        return Section::new("C++", vec![PageBlock::Text(text!("None: {why}.", why = translate(row.cpp.missing)))]);
    }
    let spellings = pto_emit::spellings(op);
    let calls = if spellings.is_empty() { words::cpp_call(row).into_iter().collect() } else { spellings };
    let mut blocks = Vec::new();
    if !calls.is_empty() {
        blocks.push(PageBlock::Code("", calls.join("\n")));
    }
    if takes_events(row) {
        let declared = signature::declarations(op, &calls);
        let header = signature::HEADER;
        if !declared.is_empty() {
            let names = text!(
                "Declared in {header}, up to the names of parameters (enumerations are in {types}):",
                header,
                types = signature::TYPES
            );
            blocks.push(PageBlock::Text(names));
            blocks.push(PageBlock::Code("", declared.join("\n\n")));
        }
        let events =
            text!("The call waits for the events it is given, and returns a `RecordEvent` for others to wait for.");
        blocks.push(PageBlock::Text(events.to_string()));
    }
    Section::new("C++", blocks)
}

fn example(op: Op, sample: &Sample) -> Option<Section> {
    let (cpp, target) = (placed::cpp(&sample.text, sample.target), sample.target);
    let text = super::example::laid_out(&sample.text);
    let legal: Vec<Target> = Target::ALL.into_iter().filter(|t| op.row().targets.contains(*t)).collect();
    let legal: Vec<_> = legal
        .into_iter()
        .filter(|&t| t == target || crate::Program::parse(&text).inspect(t).iter().all(crate::Diagnostic::is_hazard))
        .map(Target::name)
        .collect();
    let mut blocks =
        vec![PageBlock::Text(text!("Legal on {legal}.", legal = legal.join(", "))), PageBlock::Code("", text)];
    blocks.extend(cpp.map(|cpp| PageBlock::Code("C++", cpp)));
    Section::new(text_key!("Example"), blocks)
}

/// The same with addresses, as `tassign` and `TASSIGN` give them.
fn example_by_hand(sample: &Sample) -> Option<Section> {
    let text = placed::placed(sample)?;
    let cpp = placed::cpp(&text, sample.target);
    let blocks = std::iter::once(PageBlock::Code("", super::example::laid_out(&text)));
    Section::new(text_key!("Example by hand"), blocks.chain(cpp.map(|cpp| PageBlock::Code("C++", cpp))).collect())
}

/// The figures of the public page.
fn performance(row: &Row) -> Option<Section> {
    let table = |d: DocumentedCost| {
        let line = |name: &str, fp: u32, int: u32| vec![name.to_string(), fp.to_string(), int.to_string()];
        let rows = vec![
            line(text!("Startup latency"), d.startup, d.startup),
            line(text!("Completion latency"), d.completion_fp, d.completion_int),
            line(text!("Per-repeat throughput"), d.per_repeat, d.per_repeat),
            line(text!("Pipeline interval"), d.interval, d.interval),
        ];
        PageBlock::Table(vec![text_key!("a2a3, in cycles"), "FP", "INT"], rows)
    };
    Section::new(text_key!("Performance"), row.documented.map(table).into_iter().collect())
}

/// What `pto perf` reckons with.
fn cost_model(op: Op, row: &Row) -> Option<Section> {
    let mut blocks = Vec::new();
    if row.cost != crate::isa::row::CostClass::None {
        blocks.push(PageBlock::Text(text!("Cost class: {cost}.", cost = words::cost(row.cost))));
    }
    let laws: Vec<Vec<String>> = row.targets.iter().filter_map(|t| law(op, t)).collect();
    if !laws.is_empty() {
        blocks.push(PageBlock::Table(
            vec![text_key!("target"), text_key!("law, in cycles"), text_key!("grade"), text_key!("source")],
            laws,
        ));
    }
    Section::new(text_key!("Cost model"), blocks).map(Section::ours)
}

/// What `pto perf` goes by on a device.
fn law(op: Op, target: Target) -> Option<Vec<String>> {
    let law = pto_cost::law_of_row(op, target).filter(|_| target != Target::Cpu)?;
    let numbers: Vec<String> = law.params.iter().map(|(name, x)| format!("{name} {x}")).collect();
    let numbers = if law.subject == "way" { text!("by the path of its data").to_string() } else { numbers.join(", ") };
    let source = if law.subject == "way" { "docs/perf.md" } else { law.source };
    Some(vec![target.name().to_string(), numbers, translate(law.grade.name()).to_string(), source.to_string()])
}

fn notes(row: &Row) -> Option<Section> {
    let list: Vec<String> = row.notes.iter().map(|n| n.to_string()).collect();
    Section::new(text_key!("Notes"), if list.is_empty() { Vec::new() } else { vec![PageBlock::List(list)] })
        .map(Section::ours)
}
