//! Cases in the words that programs have.

use super::arguments::{dtype, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
        let size = dtype(&arg["dtype"]).map_or(1, |d| u64::from(d.unit_bytes()));
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

/// The memory and address of something.
pub fn place(at: &Value) -> String {
    format!("{} {}", at["space"], at["addr"])
}
