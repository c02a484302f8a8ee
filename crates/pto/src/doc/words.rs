//! Parts of rows in words.

use crate::isa::row::{
    Aliasing, Bytecode, CostClass, Domain, Effect, ElemRule, Orders, PipeCase, Pipes, Scratch, SlotCount,
};
use crate::isa::{Dir, Locs, Row, Slot, Target, Targets};
use pto_isa::text;

pub(super) fn targets(set: Targets) -> String {
    let names: Vec<_> = set.iter().map(Target::name).collect();
    if names.is_empty() { text!("none").to_string() } else { names.join(", ") }
}

pub(super) fn direction(slot: &Slot) -> String {
    let dir = match slot.dir {
        Dir::In => text!("read"),
        Dir::Out => text!("written"),
        Dir::InOut => text!("read, written"),
    };
    match slot.count {
        SlotCount::One => dir.to_string(),
        SlotCount::Optional => text!("{dir}, optional", dir),
        SlotCount::Many => text!("{dir}, any number", dir),
    }
}

pub(super) fn memories(locs: Locs) -> String {
    if locs == Locs::ANY { text!("any").to_string() } else { locs.to_string() }
}

pub(super) fn layouts(orders: Orders) -> String {
    if orders == Orders::ANY { text!("any").to_string() } else { orders.to_string() }
}

pub(super) fn elements(slot: &Slot) -> String {
    match slot.elem {
        ElemRule::Any => text!("any").to_string(),
        ElemRule::Data => text!("data type").to_string(),
        ElemRule::Of(set) => set.to_string(),
        ElemRule::Like(other) => text!("as `{other}`", other),
    }
}

pub(super) fn domain(domain: Domain) -> Option<String> {
    match domain {
        Domain::None => None,
        Domain::Valid(slot) => Some(text!("the valid region of `{slot}`", slot)),
        Domain::Mask(mask, of) => {
            Some(text!("the valid region of `{mask}`, each byte of which stands for eight columns of `{of}`", mask, of))
        }
        Domain::Whole(slot) => Some(text!("the whole of `{slot}`, valid or not", slot)),
        Domain::Matmul => Some(text!("rows and depth of the left operand, columns of the right one").to_string()),
    }
}

pub(super) fn aliasing(alias: Aliasing) -> Option<String> {
    match alias {
        Aliasing::InPlace => Some(text!("a destination may be the same tile as a source").to_string()),
        Aliasing::Distinct(on) if on == Targets::ALL => {
            Some(text!("a destination must not overlap a source").to_string())
        }
        Aliasing::Distinct(on) => {
            Some(text!("a destination must not overlap a source on {targets}", targets = targets(on)))
        }
        Aliasing::None => None,
    }
}

pub(super) fn pipe(pipes: Pipes) -> Option<String> {
    match pipes {
        Pipes::None => None,
        Pipes::One(pipe) => Some(pipe.to_string()),
        Pipes::Attr(name) => Some(text!("the one that `{name}` names", name)),
        Pipes::Cases(cases) => Some(cases.iter().map(pipe_case).collect::<Vec<_>>().join("; ")),
    }
}

fn pipe_case(case: &PipeCase) -> String {
    let mut when = Vec::new();
    when.extend(case.src.map(|l| text!("from {l}", l)));
    when.extend(case.dst.map(|l| text!("to {l}", l)));
    if case.targets != Targets::ALL {
        when.push(text!("on {targets}", targets = targets(case.targets)));
    }
    if when.is_empty() {
        text!("{pipe} otherwise", pipe = case.pipe)
    } else {
        format!("{} {}", case.pipe, when.join(" "))
    }
}

pub(super) fn effect(effect: Effect) -> Option<&'static str> {
    match effect {
        Effect::Operands => None,
        Effect::Sync => Some(text!("orders other instructions")),
        Effect::Config => Some(text!("changes state that later instructions read")),
        Effect::View => Some(text!("names memory or computes an address; no data moves")),
        Effect::Control => Some(text!("steers the program")),
        Effect::Debug => Some(text!("prints")),
    }
}

/// What a tile instruction does beside writing its operands.
pub(super) fn side_effects(row: &Row) -> Option<String> {
    let writes = row.slots.iter().any(|s| s.dir != Dir::In);
    let is_data = row.effect == Effect::Operands && writes;
    let others = if row.hazards.is_empty() { text!("none") } else { text!("see Hazards") };
    is_data.then(|| text!("{others}; orders no other instruction", others))
}

pub(super) fn opcode(bytecode: Bytecode) -> String {
    let variant = bytecode.variant.map_or_else(String::new, |v| text!(", variant {v}", v));
    format!("{:#06x}{variant}", bytecode.opcode)
}

pub(super) fn scratch(scratch: &Scratch) -> String {
    let mut parts = vec![format!("`{}`", scratch.slot)];
    if scratch.required != Targets::NONE {
        parts.push(text!(
            "needed on {targets} (added for you where tiles have no addresses)",
            targets = targets(scratch.required)
        ));
    }
    if scratch.forbidden != Targets::NONE {
        parts.push(text!("not taken on {targets}", targets = targets(scratch.forbidden)));
    }
    format!("{}: {}", parts.join(", "), text::translate(scratch.rule))
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

/// The call against the device headers: destinations, sources, attributes, unless the row says otherwise. A result that is no operand is
/// what the call returns.
pub(super) fn cpp_call(row: &Row) -> Option<String> {
    let cpp = row.cpp;
    if cpp.name.is_empty() {
        return None;
    }
    let in_slots = |written: bool| {
        let fits = move |s: &&Slot| (s.dir != Dir::In) == written;
        row.slots.iter().filter(fits).map(|s| s.name)
    };
    let attrs = row.attrs.iter().map(|a| a.name).filter(|a| !cpp.templates.contains(a));
    let args: Vec<&str> = if cpp.args.is_empty() {
        in_slots(true).chain(in_slots(false)).chain(attrs).collect()
    } else {
        cpp.args.to_vec()
    };
    let templates = if cpp.templates.is_empty() { String::new() } else { format!("<{}>", cpp.templates.join(", ")) };
    let returned = row.results.iter().map(|r| r.name).find(|name| !args.contains(name));
    let returned = returned.map_or_else(String::new, |name| format!("{name} = "));
    Some(format!("{returned}{}{templates}({});", cpp.name, args.join(", ")))
}
