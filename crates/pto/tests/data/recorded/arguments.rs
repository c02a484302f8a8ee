//! What recorded arguments mean: numbers, types, and the slot or attribute of a row that each is for.

use pto::isa::row::{AttrKind, SlotCount, SlotKind};
use pto::isa::{DType, Dir, Family, Pad, Row};
use serde_json::Value;

pub type Unless<T> = Result<T, String>;

pub fn number(v: &Value) -> Unless<u64> {
    v.as_u64().ok_or_else(|| format!("`{v}` instead of a number"))
}

/// Global buffers have numbers; memory of the host has a number for each address.
pub fn buffer_id(at: &Value) -> Unless<u64> {
    if text(&at["space"]) == "host" { Ok(number(&at["addr"])? + (1 << 32)) } else { number(&at["buf"]) }
}

/// The memory and address of a tile.
pub fn spot(tile: &Value) -> Unless<(String, u64)> {
    Ok((text(&tile["at"]["space"]).to_string(), number(&tile["at"]["addr"])?))
}

pub fn text(v: &Value) -> &str {
    v.as_str().unwrap_or_default()
}

/// One C++ name stands for several products, which differ in their tiles.
pub fn is_form(row: &Row, args: &[Value]) -> bool {
    let has =
        |loc: &str, out: bool| args.iter().any(|a| text(&a["loc"]) == loc && (a["out"].as_bool() == Some(true)) == out);
    row.family != Family::Matrix
        || row.slot("bias").is_some() == has("bias", false) && row.slot("acc_in").is_some() == has("acc", false)
}

pub fn with_pad(tile: &Value, pad: &Value) -> Option<Value> {
    let name = text(pad).strip_prefix("PadValue::")?;
    let at = Pad::ALL.iter().position(|p| p.name().eq_ignore_ascii_case(name))?;
    let mut tile = tile.clone();
    tile["pad"] = Value::from(at);
    (text(&tile["kind"]) == "tile").then_some(tile)
}

pub fn with_one_column(tile: &Value) -> Value {
    let mut tile = tile.clone();
    tile["vcol"] = Value::from(1);
    tile
}

pub fn dtype(name: &Value) -> Unless<DType> {
    DType::parse(text(name)).ok_or_else(|| format!("element type {}", text(name)))
}

/// Every argument with the slot or attribute it is for. Written operands come first; optional ones may be missing.
pub fn place<'a>(row: &'static Row, args: &'a [Value]) -> Unless<Vec<(&'static str, &'a Value)>> {
    let default: Vec<&'static str> = {
        let slots = |out: bool| row.slots.iter().filter(move |s| (s.dir != Dir::In) == out).map(|s| s.name);
        let attrs = row.attrs.iter().map(|a| a.name).filter(|a| !row.cpp.templates.contains(a));
        slots(true).chain(slots(false)).chain(attrs).collect()
    };
    // A switch of the C++ form that says whether it sets a register; programs have no word for it.
    let is_switch = |a: &Value| text(&a["kind"]) == "scalar" && text(&a["dtype"]) == "bool";
    let args = match args {
        [others @ .., last] if row.name == "tcvt" && is_switch(last) => others,
        _ => args,
    };
    let mut order = if row.cpp.args.is_empty() { default } else { row.cpp.args.to_vec() };
    // A length, which comes last, goes with one list alone.
    if args.last().is_some_and(|a| text(&a["kind"]) == "scalar") && order.last() == Some(&"block_len") {
        order = vec!["dst", "src0", "block_len"];
    }
    // With fewer numbers than there are places for, the optional ones are missing.
    let is_number =
        |name: &str| row.slot(name).is_some_and(|s| matches!(row.slots[s].kind, SlotKind::Int | SlotKind::Index));
    let numbers = args.iter().filter(|a| text(&a["kind"]) == "scalar").count();
    if numbers < order.iter().filter(|n| is_number(n)).count() {
        order.retain(|n| !is_number(n) || row.slot(n).is_some_and(|s| row.slots[s].count != SlotCount::Optional));
    }
    // With every operand there, position says all; else the marks of written operands help.
    let tiles = |name: &&str| row.slot(name).is_some_and(|s| row.slots[s].kind == SlotKind::Tile);
    if order.iter().filter(|n| tiles(n)).count() == args.iter().filter(|a| text(&a["kind"]) == "tile").count() {
        let mut names = order.into_iter();
        let place = |arg| Some((names.by_ref().find(|name| takes(row, name, arg))?, arg));
        return args.iter().map(place).collect::<Option<_>>().ok_or_else(|| "an argument without a place".into());
    }
    let is_out = |name: &str| row.slot(name).is_some_and(|s| row.slots[s].dir != Dir::In);
    let optional = |name: &str| row.slot(name).is_none_or(|s| row.slots[s].count == SlotCount::Optional);
    let out_names: Vec<_> = order.iter().copied().filter(|n| is_out(n)).collect();
    let mut in_names: Vec<_> = order.iter().copied().filter(|n| !is_out(n)).collect();
    let is_written = |a: &Value| a["out"].as_bool() == Some(true) || text(&a["kind"]) == "pod";
    // Only the first result is marked.
    let results = if row.family == Family::Layout { out_names.len() } else { 0 };
    let (outs, ins): (Vec<_>, Vec<_>) = args.iter().enumerate().partition(|(at, a)| *at < results || is_written(a));
    let plain = |list: Vec<(usize, &'a Value)>| list.into_iter().map(|(_, a)| a).collect::<Vec<_>>();
    let (outs, ins) = (plain(outs), plain(ins));
    // As many operands as must be there: they are those.
    if ins.len() == in_names.iter().filter(|n| !optional(n)).count() {
        in_names.retain(|n| !optional(n));
    }
    let mut placed = Vec::new();
    let missing = out_names.len().checked_sub(outs.len()).ok_or("more results than the instruction has")?;
    let mut left_out = missing;
    let mut outs = outs.into_iter();
    for name in out_names {
        if left_out > 0 && optional(name) {
            left_out -= 1;
        } else {
            placed.push((name, outs.next().ok_or("a missing result")?));
        }
    }
    let mut names = in_names.into_iter();
    for arg in ins {
        let name = names
            .by_ref()
            .find(|name| takes(row, name, arg) || !optional(name))
            .filter(|name| takes(row, name, arg))
            .ok_or("an argument without a place")?;
        placed.push((name, arg));
    }
    Ok(placed)
}

/// Whether an argument can be for this slot or attribute.
fn takes(row: &Row, name: &str, arg: &Value) -> bool {
    let kind = text(&arg["kind"]);
    let Some(slot) = row.slot(name) else {
        return match row.attr(name).map(|a| a.kind) {
            Some(AttrKind::Enum(def)) => kind == "enum" && def.cpp == text(&arg["type"]),
            Some(AttrKind::Bool) => text(&arg["dtype"]) == "bool",
            _ => false,
        };
    };
    match row.slots[slot].kind {
        SlotKind::Tile => kind == "tile",
        SlotKind::TileOrScalar => kind == "tile" || kind == "scalar",
        SlotKind::TileOrView => kind == "tile" || kind == "gm",
        SlotKind::View => kind == "gm",
        SlotKind::Vector => kind == "pod",
        _ => kind == "scalar",
    }
}

pub fn attribute(row: &Row, name: &str, arg: &Value) -> Unless<String> {
    match row.attr(name).map(|a| a.kind) {
        Some(AttrKind::Enum(def)) => {
            let at = arg["value"].as_i64().and_then(|n| def.find_number(n)).ok_or("an unknown enumerator")?;
            Ok(format!("#pto<{} {}>", def.name, def.value(at)))
        }
        Some(AttrKind::Bool) => {
            Ok((arg["value"].as_bool() == Some(true) || arg["value"].as_i64() == Some(1)).to_string())
        }
        _ => Err(format!("attribute {name}")),
    }
}

/// Template arguments that are attributes here; those that change nothing are dropped.
pub fn templates(row: &Row, given: &Value) -> Unless<Vec<String>> {
    let mut attrs = Vec::new();
    for (name, value) in given.as_object().into_iter().flatten() {
        let value = text(value);
        let plain = ["DEFAULT", "NoRelu", "AtomicNone"].iter().any(|p| value.ends_with(p));
        if let Some(attr) = enumerator(row, value) {
            attrs.push(attr);
            continue;
        }
        match (name.as_str(), row.attr(name).map(|a| (a.name, a.kind))) {
            ("gatherType" | "ScatterType", _) => {
                let axis = if value.ends_with("COL") { "col" } else { "row" };
                // An axis that is not stated leaves the shape of the result open, as C++ does along rows.
                if axis == "col" || name == "ScatterType" {
                    attrs.push(format!("axis = \"{axis}\""));
                }
            }
            ("maskPattern", _) => {
                let pattern = value.rsplit(':').next().unwrap_or_default();
                attrs.push(format!("maskPattern = #pto.mask_pattern<{pattern}>"));
            }
            (_, Some((attr, AttrKind::OneOf(_) | AttrKind::Int(..)))) => attrs.push(format!("{attr} = {value} : i32")),
            (_, Some((attr, AttrKind::Bool))) => attrs.push(format!("{attr} = {}", value == "1" || value == "true")),
            ("atomicType", _) if value.ends_with("AtomicAdd") => {
                attrs.push("atomicType = #pto<atomic_type atomic_add>".into());
            }
            ("reluMode" | "reluPreMode", _) if value.ends_with("NormalRelu") => {
                attrs.push("reluPreMode = #pto<relu_pre_mode normal_relu>".into());
            }
            ("PrecisionType" | "atomicType" | "reluMode" | "reluPreMode", _) if !plain => {
                return Err(format!("{name} {value}"));
            }
            _ => {}
        }
    }
    Ok(attrs)
}

/// A template argument of the gathers and scatters, `Coalesce::Row` for example, as the attribute it is here.
fn enumerator(row: &Row, value: &str) -> Option<String> {
    if !row.name.starts_with("mgather") && !row.name.starts_with("mscatter") {
        return None;
    }
    let (ty, name) = value.split_once("::")?;
    row.attrs.iter().find_map(|a| match a.kind {
        AttrKind::Enum(def) if def.cpp == ty => {
            Some(format!("{} = #pto<{} {}>", a.name, def.name, name.to_ascii_lowercase()))
        }
        _ => None,
    })
}
