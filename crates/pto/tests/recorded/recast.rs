//! Calls that no device has, between memories that the recording simulator does not tell apart: the same call between memories
//! that have it.
//!
//! The simulator takes moves out of L1 for moves out of an accumulator, loads accumulators, and lays tiles out as it likes. Values
//! do not depend on that, so a case can be replayed with its source in another memory and in the layouts that belong there.

use super::arguments::text;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The memory that the source of the move is put into.
#[derive(Clone, Copy, PartialEq)]
pub enum Source {
    Accumulator,
    Vector,
}

/// What a tile becomes.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Source(Source),
    Result,
    /// A part taken out of a vector tile, which stays in that memory.
    Part,
    /// Scales of columns, which the move reads.
    Scales,
    /// Scales of blocks in L1: as many rows and columns as go on to the product.
    Blocks(u64, u64),
}

/// Where scales lie in L1 before they are moved to where the fix pipe reads them.
const SCALES: u64 = 480 << 10;

/// The case with its moves changed, if it has some that can be.
pub fn recast(case: &Value, source: Source) -> Option<Value> {
    let mut changed = case.clone();
    let steps = changed["steps"].as_array_mut()?;
    let roles: BTreeMap<String, Role> = steps.iter().flat_map(|s| roles(s, source)).collect();
    if roles.is_empty() {
        return None;
    }
    *steps = steps.iter().flat_map(|s| rewrite(s, &roles)).collect();
    Some(changed)
}

/// The case in the words that programs have. Tiles of convolutions are rows of one channel group, what is prefetched is global
/// memory, lengths of joined rows are not written, and each row of a mask starts a row of its tile.
pub fn in_words(case: &Value) -> Value {
    let mut changed = case.clone();
    let steps = changed["steps"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let is_load = |s: &&Value| text(&s["op"]) == "TLOAD";
    let loads: BTreeMap<String, Value> =
        steps.iter().filter(is_load).map(|s| (place(&s["args"][0]["at"]), s["args"][1].clone())).collect();
    let is_select = |s: &&Value| text(&s["op"]) == "TSEL";
    let bytes = |s: &Value| s["args"][0]["vcol"].as_u64().unwrap_or(0).div_ceil(8);
    let selecting: BTreeMap<String, u64> =
        steps.iter().filter(is_select).map(|s| (place(&s["args"][1]["at"]), bytes(s))).collect();
    let (mut unwritten, mut masks) = (Vec::new(), Value::Null);
    let mut rewritten: Vec<Value> = Vec::new();
    for mut step in steps {
        align_mask(&mut step, &selecting);
        let name = text(&step["op"]).to_string();
        match (name.as_str(), step["args"].as_array_mut()) {
            ("TLOAD" | "TSTORE", Some(args)) if args.iter().any(|a| text(&a["kind"]) == "convtile") => in_rows(args),
            ("TPREFETCH", Some(args)) => {
                if let Some(memory) = args.get(1).and_then(|src| loads.get(&place(&src["at"]))) {
                    args[1] = memory.clone();
                }
            }
            ("TCONCAT", Some(args)) if args.len() == 6 => unwritten.push(place(&args.remove(3)["at"])),
            ("TCMPS", Some(args)) => masks = mask_rows(args),
            // What was not written is not looked at.
            ("TSTORE", Some(args)) if args.get(1).is_some_and(|t| unwritten.contains(&place(&t["at"]))) => {
                let buffer = args[0]["at"]["buf"].clone();
                changed["checks"].as_array_mut().into_iter().for_each(|c| c.retain(|c| c["buffer"]["buf"] != buffer));
                continue;
            }
            _ => {}
        }
        rewritten.push(step);
    }
    changed["steps"] = rewritten.into();
    for check in changed["checks"].as_array_mut().into_iter().flatten().filter(|_| !masks.is_null()) {
        check["window"] = masks.clone();
    }
    changed
}

/// The same for the masks of a selection, by their places: as many bytes of each row as there are bits for its columns.
fn align_mask(step: &mut Value, masks: &BTreeMap<String, u64>) {
    let is_load = text(&step["op"]) == "TLOAD";
    let Some(args) = step["args"].as_array_mut() else { return };
    let mut loaded = None;
    for tile in args.iter_mut().filter(|a| text(&a["kind"]) == "tile") {
        if let Some(bytes) = masks.get(&place(&tile["at"])) {
            tile["vcol"] = (*bytes).into();
            tile["static_valid"][1] = (*bytes).into();
            loaded = Some(*bytes).filter(|_| is_load);
        }
    }
    if let (Some(bytes), Some(memory)) = (loaded, args.get_mut(1)) {
        memory["shape"][4] = bytes.into();
        memory["stride"][3] = bytes.into();
    }
}

/// Where the bits of a comparison lie in its tile; they were recorded without gaps between rows.
fn mask_rows(args: &[Value]) -> Value {
    let [dst, src, ..] = args else { return Value::Null };
    let bytes = src["vcol"].as_u64().unwrap_or(0).div_ceil(8);
    json!({ "row0": 0, "col0": 0, "rows": src["vrow"], "cols": bytes, "row_stride": dst["cols"] })
}

/// A transfer between a tile of a convolution and memory in the same order: as rows of a channel group.
fn in_rows(args: &mut [Value]) {
    for arg in args {
        if text(&arg["kind"]) == "gm" {
            // The innermost channels are implied where there is no extent left for them.
            if text(&arg["layout"]) == "NDC1HWC0" && arg["shape"][3] == 1 {
                let (shape, stride) = (arg["shape"].clone(), arg["stride"].clone());
                let lanes = stride[4].clone();
                arg["shape"] = json!([shape[0], shape[1], shape[2], shape[4], lanes]);
                arg["stride"] = json!([stride[0], stride[1], stride[2], stride[4], 1]);
            }
            arg["layout"] = "ND".into();
            continue;
        }
        let size = match text(&arg["dtype"]) {
            "f32" | "i32" | "u32" => 4,
            "f16" | "bf16" | "i16" | "u16" => 2,
            _ => 1,
        };
        let (lanes, bytes) = (32 / size, arg["bytes"].as_u64().unwrap_or(0));
        let rows = bytes / 32;
        let tile = json!({
            "kind": "tile", "loc": arg["loc"], "rows": rows, "cols": lanes, "vrow": rows, "vcol": lanes,
            "static_valid": [rows, lanes], "blayout": "row", "slayout": "none", "fractal": 512, "pad": 0,
            "dtype": arg["dtype"], "at": arg["at"], "bytes": bytes, "out": arg["out"],
        });
        *arg = tile;
    }
}

/// The case with 4-bit floats of the vector memory counted in pairs, as they are here; recorded in numbers. `None` where a row
/// has half a pair.
pub fn in_pairs(case: &Value) -> Option<Value> {
    let mut changed = case.clone();
    for step in changed["steps"].as_array_mut()? {
        let args = || step["args"].as_array().into_iter().flatten();
        let in_vector = args().any(|a| text(&a["loc"]) == "vec" && text(&a["dtype"]).starts_with("f4"));
        for arg in step["args"].as_array_mut().into_iter().flatten() {
            if in_vector && text(&arg["dtype"]).starts_with("f4") {
                halve(arg)?;
            }
        }
    }
    Some(changed)
}

/// Halves the extent of what is contiguous, and the strides of all else.
fn halve(arg: &mut Value) -> Option<()> {
    let half = |v: &mut Value| {
        *v = v.as_u64().filter(|n| *n == 1 || n % 2 == 0)?.div_ceil(2).into();
        Some(())
    };
    if text(&arg["kind"]) == "tile" {
        let is_rows = text(&arg["blayout"]) == "row";
        let names = if is_rows { ["cols", "vcol"] } else { ["rows", "vrow"] };
        names.into_iter().try_for_each(|name| half(&mut arg[name]))?;
        let at = usize::from(is_rows);
        return if arg["static_valid"][at] == -1 { Some(()) } else { half(&mut arg["static_valid"][at]) };
    }
    let contiguous = arg["stride"].as_array()?.iter().rposition(|s| *s == 1)?;
    for at in 0..arg["stride"].as_array()?.len() {
        if at == contiguous { half(&mut arg["shape"][at])? } else { half(&mut arg["stride"][at])? }
    }
    Some(())
}

fn place(at: &Value) -> String {
    format!("{} {}", at["space"], at["addr"])
}

/// The tiles of a move, by their places, and what they become.
fn roles(step: &Value, source: Source) -> Vec<(String, Role)> {
    let Some(args) = step["args"].as_array() else { return Vec::new() };
    let tiles: Vec<&Value> = args.iter().filter(|a| text(&a["kind"]) == "tile").collect();
    let scaled = args.iter().any(|a| text(&a["dtype"]) == "u64");
    let role = |role: Role| move |tile: &&Value| (place(&tile["at"]), role);
    let reads = |tiles: &[&Value]| tiles.iter().skip(1).map(role(Role::Scales)).collect::<Vec<_>>();
    match (text(&step["op"]), tiles.as_slice()) {
        ("TMOV", [dst, src]) if text(&dst["loc"]).starts_with("scale_") => {
            let count = |name: &str| dst[name].as_u64().unwrap_or(0);
            vec![(place(&src["at"]), Role::Blocks(count("rows"), count("cols")))]
        }
        ("TINSERT" | "TEXTRACT" | "TMOV", [dst, rest @ ..]) => {
            let moved = rest.first().filter(|t| ["mat", "acc", "vec"].contains(&text(&t["loc"])));
            let goes = ["mat", "vec"].contains(&text(&dst["loc"]));
            let Some(moved) = moved.filter(|_| goes) else { return Vec::new() };
            let is_part = source == Source::Vector && text(&step["op"]) == "TEXTRACT";
            let result = if is_part { Role::Part } else { Role::Result };
            let mut found = vec![(place(&dst["at"]), result), (place(&moved["at"]), Role::Source(source))];
            found.extend(reads(rest));
            found
        }
        ("TSTORE", [moved, ..]) if scaled => {
            let mut found = vec![(place(&moved["at"]), Role::Source(source))];
            found.extend(reads(&tiles));
            found
        }
        _ => Vec::new(),
    }
}

/// A step with the changed tiles; scales are moved on after their load.
fn rewrite(step: &Value, roles: &BTreeMap<String, Role>) -> Vec<Value> {
    let mut step = step.clone();
    let is_load = text(&step["op"]) == "TLOAD";
    let loaded = step["args"].get(0).and_then(|dst| roles.get(&place(&dst["at"]))).copied().filter(|_| is_load);
    for arg in step["args"].as_array_mut().into_iter().flatten() {
        if let Some(role) = roles.get(&place(&arg["at"])).filter(|_| text(&arg["kind"]) == "tile") {
            become_role(arg, *role);
        }
    }
    match loaded {
        Some(Role::Source(Source::Accumulator)) => {
            step["op"] = "LAY".into();
            vec![step]
        }
        Some(Role::Scales) => {
            let scales = step["args"][0].clone();
            let mut l1 = scales.clone();
            l1["loc"] = "mat".into();
            l1["at"] = json!({ "space": "l1", "addr": SCALES });
            step["args"][0] = l1.clone();
            l1["out"] = false.into();
            vec![step, json!({ "k": "op", "op": "TMOV", "args": [scales, l1] })]
        }
        // What a tile holds before it is loaded says nothing in another memory.
        None if text(&step["k"]) == "write" && roles.contains_key(&place(&step["at"])) => Vec::new(),
        _ => vec![step],
    }
}

fn become_role(tile: &mut Value, role: Role) {
    if let Role::Blocks(rows, cols) = role {
        tile["rows"] = rows.into();
        tile["cols"] = cols.into();
        return;
    }
    let (loc, blayout, slayout, fractal, space, (high, wide)) = match (role, text(&tile["loc"])) {
        (Role::Source(Source::Accumulator), _) => ("acc", "col", "row", 1024, "l0c", (16, 16)),
        (Role::Result, "mat") => ("mat", "col", "row", 512, "l1", (16, 32)),
        (Role::Source(Source::Vector) | Role::Result | Role::Part, _) => ("vec", "row", "none", 512, "ub", (1, 16)),
        (Role::Scales | Role::Blocks(..), _) => ("scaling", "row", "none", 512, "ub", (1, 1)),
    };
    tile["loc"] = loc.into();
    tile["blayout"] = blayout.into();
    tile["slayout"] = slayout.into();
    tile["fractal"] = fractal.into();
    tile["at"]["space"] = space.into();
    // A part of a tile is as large as the tile that it goes to, and not as its valid region.
    let (rows, cols) = if [Role::Result, Role::Part].contains(&role) { ("vrow", "vcol") } else { ("rows", "cols") };
    let rounded = |n: &Value, to: u64| n.as_u64().unwrap_or(0).next_multiple_of(to);
    tile["cols"] = rounded(&tile[cols], wide).into();
    tile["rows"] = rounded(&tile[rows], high).into();
}
