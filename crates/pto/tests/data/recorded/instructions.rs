//! Instructions as text.

use super::arguments::*;
use super::recording::{Given, Laid, Recording, memory};
use pto::isa::row::{ElemRule, SlotKind};
use pto::isa::{DType, Dir, Family, Row, table};
use serde_json::Value;
use std::collections::BTreeMap;

impl Recording {
    /// An instruction.
    pub fn op(&mut self, step: &Value, used: &mut Vec<u64>) -> Unless<()> {
        let name = text(&step["op"]);
        // What these change is in the descriptions of the operands that follow.
        if ["TASSIGN", "TSUBVIEW", "TRESHAPE"].contains(&name) {
            return Ok(());
        }
        if name == "LAY" {
            return self.lay(&step["args"][0], &step["args"][1]);
        }
        if let Some(name) = name.strip_prefix("COMM_") {
            return self.communicate(name, step, used);
        }
        if ["TPUSH", "TPOP", "TFREE"].contains(&name) {
            return self.pipe_op(step);
        }
        if name.starts_with("SET_QUANT_") {
            return self.set_scale(step);
        }
        let families = [
            Family::Elementwise,
            Family::TileScalar,
            Family::Partial,
            Family::Reduce,
            Family::Expand,
            Family::Irregular,
            Family::Quant,
            Family::Memory,
            Family::Layout,
            Family::Matrix,
        ];
        let args = step["args"].as_array().ok_or("no arguments")?;
        if args.iter().any(|a| text(&a["kind"]) == "convtile") {
            return Err("a tile of a convolution, which has no text form".into());
        }
        let locs: Vec<&str> = args.iter().map(|a| text(&a["loc"])).collect();
        if name == "TMOV" && [["vec", "mat"], ["left", "vec"], ["right", "vec"]].contains(&[locs[0], locs[1]]) {
            return self.move_around(args);
        }
        if name == "TLOAD" && locs.first() == Some(&"bias") {
            return self.load_bias(step, used);
        }
        // One C++ name may have several forms; the tiles tell which.
        let is_row = |r: &&'static Row| r.cpp.name == name && families.contains(&r.family) && is_form(r, args);
        let rows: Vec<&'static Row> = table::isa().map(|op| op.row()).filter(is_row).collect();
        let room = |r: &&&Row| r.slots.iter().filter(|s| s.kind == SlotKind::Tile).count() >= tiles_in(args);
        let row: &'static Row = rows.iter().find(room).or(rows.first()).ok_or_else(|| name.to_string())?;
        let first = args.iter().find(|a| text(&a["kind"]) == "tile");
        let like = first.and_then(|a| dtype(&a["dtype"]).ok());
        let mut operands: BTreeMap<usize, (String, String)> = BTreeMap::new();
        let mut attrs = templates(row, &step["tmpl"])?;
        for (name, arg) in place(row, args)? {
            let Some(slot) = row.slot(name) else {
                attrs.push(format!("{name} = {}", attribute(row, name, arg)?));
                continue;
            };
            // C++ does not look at the valid columns that the results of rows lie in.
            let one_column = row.family == Family::Reduce && name.starts_with("dst") && row.name.starts_with("trow");
            // A pad value may be a template argument instead of a property of the tile.
            let padded = with_pad(arg, &step["tmpl"]["PadVal"]);
            let arg = padded.as_ref().unwrap_or(arg);
            let operand = match text(&arg["kind"]) {
                "tile" if one_column => self.tile(&with_one_column(arg))?,
                "tile" => self.tile(arg)?,
                // Only transfers of whole tiles take a window of the tile's size.
                "gm" => Some(self.view(arg, first.filter(|_| ["tload", "tstore"].contains(&row.name)), used)?),
                "scalar" => Some(self.scalar(arg, like.filter(|_| row.slots[slot].elem == ElemRule::Data))?),
                "pod" => Some(self.counts()),
                other => return Err(format!("an operand of kind {other}")),
            };
            if let Some(operand) = operand {
                operands.insert(slot, operand);
            }
        }
        let side = |wanted: bool| {
            let chosen: Vec<_> =
                operands.iter().filter(|(s, _)| (row.slots[**s].dir == Dir::In) == wanted).map(|(_, o)| o).collect();
            let names: Vec<&str> = chosen.iter().map(|o| o.0.as_str()).collect();
            let types: Vec<&str> = chosen.iter().map(|o| o.1.as_str()).collect();
            (names.join(", "), types.join(", "))
        };
        let (ins, outs) = (side(true), side(false));
        let attrs = if attrs.is_empty() { String::new() } else { format!(" {{{}}}", attrs.join(", ")) };
        self.line(&format!("{} ins({}{attrs} : {}) outs({} : {})", row.full_name(), ins.0, ins.1, outs.0, outs.1));
        Ok(())
    }

    /// A load of a tile that is given to the program instead.
    fn lay(&mut self, tile: &Value, window: &Value) -> Unless<()> {
        let count = |v: &Value| number(v).map(|n| n as usize);
        let (high, wide) = (count(&tile["vrow"])?, count(&tile["vcol"])?);
        let (rows, cols) = (count(&tile["rows"])?, count(&tile["cols"])?);
        let size = dtype(&tile["dtype"])?.unit_bytes() as usize;
        let start = if text(&window["at"]["space"]) == "host" { 0 } else { count(&window["at"]["addr"])? };
        let memory = memory(&self.args, self.buffer(&window["at"])?.0);
        let mut laid = vec![0; rows * cols * size];
        for (r, c, offset) in elements(window)? {
            if r < high && c < wide {
                let value = memory.get(start + offset * size..start + (offset + 1) * size);
                laid[(r * cols + c) * size..][..size].copy_from_slice(value.ok_or("a window outside its buffer")?);
            }
        }
        let place = spot(tile)?;
        self.laid.insert(place, Laid::Rows(laid));
        Ok(())
    }

    /// The scale of later pushes: a number, or a tile of them.
    fn set_scale(&mut self, step: &Value) -> Unless<()> {
        let scale = &step["args"][0];
        let ((name, ty), form) = match text(&scale["kind"]) {
            "scalar" => (self.scalar(scale, None)?, "scalar"),
            _ => (self.tile(scale)?.ok_or("a tile nowhere")?, "vector"),
        };
        self.line(&format!("pto.set_quant_{form}({name} : {ty}) {{id = 0}}"));
        Ok(())
    }

    /// No device loads biases: through the end of L1.
    fn load_bias(&mut self, step: &Value, used: &mut Vec<u64>) -> Unless<()> {
        let bias = step["args"][0].clone();
        let mut load = step.clone();
        load["args"][0]["loc"] = "mat".into();
        load["args"][0]["at"] = serde_json::json!({ "space": "l1", "addr": 500 << 10 });
        self.op(&load, used)?;
        let mut mat = load["args"][0].clone();
        mat["out"] = false.into();
        self.op(&serde_json::json!({ "op": "TMOV", "args": [bias, mat] }), used)
    }

    /// A move that no target has: through global memory, and to the operands of a product through L1.
    fn move_around(&mut self, args: &[Value]) -> Unless<()> {
        let [to, from, ..] = args else { return Err("TMOV without operands".into()) };
        let (rows, cols, d) = (number(&from["vrow"])?, number(&from["vcol"])?, dtype(&from["dtype"])?);
        let from = self.tile(from)?.ok_or("a tile nowhere")?;
        let memory = Given::Memory(vec![0; (rows * cols) as usize * d.unit_bytes() as usize]);
        let param = self.param("m", &format!("!pto.ptr<{}>", d.mlir()), memory);
        let (view, window) = self.rows_of(param, rows, cols, d);
        self.line(&format!("pto.tstore ins({} : {}) outs({view} : {window})", from.0, from.1));
        let operand = ["left", "right"].contains(&text(&to["loc"]));
        let loaded = if operand { in_matrix_memory(to) } else { to.clone() };
        let (name, ty) = self.tile(&loaded)?.ok_or("a tile nowhere")?;
        self.line(&format!("pto.tload ins({view} : {window}) outs({name} : {ty})"));
        if operand {
            let to = self.tile(to)?.ok_or("a tile nowhere")?;
            self.line(&format!("pto.tmov ins({name} : {ty}) outs({} : {})", to.0, to.1));
        }
        Ok(())
    }

    /// All of a parameter as rows without gaps.
    pub fn rows_of(&mut self, param: usize, rows: u64, cols: u64, d: DType) -> (String, String) {
        let (view, pointer) = (self.name("%v"), self.params[param].0.clone());
        let window = format!("!pto.tensor_view<{rows}x{cols}x{}>", d.mlir());
        let (one, high, wide) = (self.index(1), self.index(rows as i64), self.index(cols as i64));
        self.line(&format!(
            "{view} = pto.make_tensor_view %{pointer}, shape = [{high}, {wide}], strides = [{wide}, {one}] : {window}"
        ));
        (view, window)
    }
}

/// The same tile in L1, behind the tiles of all cases.
fn in_matrix_memory(tile: &Value) -> Value {
    let mut tile = tile.clone();
    tile["loc"] = "mat".into();
    tile["blayout"] = "col".into();
    tile["slayout"] = "row".into();
    tile["at"] = serde_json::json!({ "space": "l1", "addr": 384 << 10 });
    tile
}

fn tiles_in(args: &[Value]) -> usize {
    args.iter().filter(|a| text(&a["kind"]) == "tile").count()
}

/// Rows, columns and offsets of the elements of a window. Outer extents are more rows, or columns where those are contiguous.
fn elements(window: &Value) -> Unless<Vec<(usize, usize, usize)>> {
    let list =
        |v: &Value| v.as_array().into_iter().flatten().map(|n| Ok(number(n)? as usize)).collect::<Unless<Vec<_>>>();
    let (shape, stride) = (list(&window["shape"])?, list(&window["stride"])?);
    let ([.., high, wide], is_dn) = (shape.as_slice(), text(&window["layout"]) == "DN") else {
        return Err("a window of fewer than two extents".into());
    };
    let outer = &shape[..shape.len() - 2];
    let count: usize = outer.iter().product();
    let mut all = Vec::new();
    for part in 0..count {
        let mut left = part;
        let mut offset = 0;
        for (extent, stride) in outer.iter().zip(&stride).rev() {
            offset += left % extent * stride;
            left /= extent;
        }
        for (r, c) in (0..*high).flat_map(|r| (0..*wide).map(move |c| (r, c))) {
            let at = offset + r * stride[shape.len() - 2] + c * stride[shape.len() - 1];
            all.push(if is_dn { (r, part * wide + c, at) } else { (part * high + r, c, at) });
        }
    }
    Ok(all)
}
