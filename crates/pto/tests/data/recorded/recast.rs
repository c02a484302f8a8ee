//! Calls that no device has, between memories that the recording simulator does not tell apart: the same call between memories
//! that have it.
//!
//! The simulator takes moves out of L1 for moves out of an accumulator, loads accumulators, and lays tiles out as it likes. Values
//! do not depend on that, so a case can be replayed with its source in another memory and in the layouts that belong there.

use super::arguments::text;
use super::words::place;
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
