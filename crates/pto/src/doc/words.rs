//! Parts of rows in words.

use crate::isa::row::{
    Aliasing, Bytecode, CostClass, Domain, Effect, ElemRule, Orders, PipeCase, Pipes, Scratch, SlotCount,
};
use crate::isa::{Dir, Locs, Row, Slot, Target, Targets};

pub(super) fn targets(set: Targets) -> String {
    let names: Vec<_> = set.iter().map(Target::name).collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

pub(super) fn direction(slot: &Slot) -> String {
    let dir = match slot.dir {
        Dir::In => "read",
        Dir::Out => "written",
        Dir::InOut => "read, written",
    };
    match slot.count {
        SlotCount::One => dir.to_string(),
        SlotCount::Optional => format!("{dir}, optional"),
        SlotCount::Many => format!("{dir}, any number"),
    }
}

pub(super) fn memories(locs: Locs) -> String {
    if locs == Locs::ANY { "any".to_string() } else { locs.to_string() }
}

pub(super) fn layouts(orders: Orders) -> String {
    if orders == Orders::ANY { "any".to_string() } else { orders.to_string() }
}

pub(super) fn elements(slot: &Slot) -> String {
    match slot.elem {
        ElemRule::Any => "any".to_string(),
        ElemRule::Data => "data type".to_string(),
        ElemRule::Of(set) => set.to_string(),
        ElemRule::Like(other) => format!("as `{other}`"),
    }
}

pub(super) fn domain(domain: Domain) -> Option<String> {
    match domain {
        Domain::None => None,
        Domain::Valid(slot) => Some(format!("the valid region of `{slot}`")),
        Domain::Mask(mask, of) => {
            Some(format!("the valid region of `{mask}`, each byte of which stands for eight columns of `{of}`"))
        }
        Domain::Whole(slot) => Some(format!("the whole of `{slot}`, valid or not")),
        Domain::Matmul => Some("rows and depth of the left operand, columns of the right one".to_string()),
    }
}

pub(super) fn aliasing(alias: Aliasing) -> Option<String> {
    match alias {
        Aliasing::InPlace => Some("a destination may be the same tile as a source".to_string()),
        Aliasing::Distinct(on) if on == Targets::ALL => Some("a destination must not overlap a source".to_string()),
        Aliasing::Distinct(on) => Some(format!("a destination must not overlap a source on {}", targets(on))),
        Aliasing::None => None,
    }
}

pub(super) fn pipe(pipes: Pipes) -> Option<String> {
    match pipes {
        Pipes::None => None,
        Pipes::One(pipe) => Some(pipe.to_string()),
        Pipes::Attr(name) => Some(format!("the one that `{name}` names")),
        Pipes::Cases(cases) => Some(cases.iter().map(pipe_case).collect::<Vec<_>>().join("; ")),
    }
}

fn pipe_case(case: &PipeCase) -> String {
    let mut when = Vec::new();
    when.extend(case.src.map(|l| format!("from {l}")));
    when.extend(case.dst.map(|l| format!("to {l}")));
    if case.targets != Targets::ALL {
        when.push(format!("on {}", targets(case.targets)));
    }
    if when.is_empty() { format!("{} otherwise", case.pipe) } else { format!("{} {}", case.pipe, when.join(" ")) }
}

pub(super) fn effect(effect: Effect) -> Option<&'static str> {
    match effect {
        Effect::Operands => None,
        Effect::Sync => Some("orders other instructions"),
        Effect::Config => Some("changes state that later instructions read"),
        Effect::View => Some("names memory or computes an address; no data moves"),
        Effect::Control => Some("steers the program"),
        Effect::Debug => Some("prints"),
    }
}

/// What a tile instruction does beside writing its operands.
pub(super) fn side_effects(row: &Row) -> Option<String> {
    let writes = row.slots.iter().any(|s| s.dir != Dir::In);
    let is_data = row.effect == Effect::Operands && writes;
    let others = if row.hazards.is_empty() { "none" } else { "see Hazards" };
    is_data.then(|| format!("{others}; orders no other instruction"))
}

pub(super) fn opcode(bytecode: Bytecode) -> String {
    let variant = bytecode.variant.map_or_else(String::new, |v| format!(", variant {v}"));
    format!("{:#06x}{variant}", bytecode.opcode)
}

pub(super) fn scratch(scratch: &Scratch) -> String {
    let mut parts = vec![format!("`{}`", scratch.slot)];
    if scratch.required != Targets::NONE {
        parts.push(format!("needed on {} (added for you where tiles have no addresses)", targets(scratch.required)));
    }
    if scratch.forbidden != Targets::NONE {
        parts.push(format!("not taken on {}", targets(scratch.forbidden)));
    }
    format!("{}: {}", parts.join(", "), scratch.rule)
}

/// The name of a cost law, as words.
pub(super) fn cost(cost: CostClass) -> String {
    let mut words = String::new();
    for c in format!("{cost:?}").chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// The call against the device headers: destinations, sources, attributes, unless the row says otherwise.
pub(super) fn cpp_call(row: &Row) -> Option<String> {
    let cpp = row.cpp;
    if cpp.name.is_empty() {
        return None;
    }
    let in_slots = |written: bool| {
        let fits = move |s: &&Slot| (s.dir != Dir::In) == written;
        row.slots.iter().chain(row.results).filter(fits).map(|s| s.name)
    };
    let attrs = row.attrs.iter().map(|a| a.name).filter(|a| !cpp.templates.contains(a));
    let args: Vec<&str> = if cpp.args.is_empty() {
        in_slots(true).chain(in_slots(false)).chain(attrs).collect()
    } else {
        cpp.args.to_vec()
    };
    let templates = if cpp.templates.is_empty() { String::new() } else { format!("<{}>", cpp.templates.join(", ")) };
    Some(format!("{}{templates}({});", cpp.name, args.join(", ")))
}
