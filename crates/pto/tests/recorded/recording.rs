//! A case as a program, and what it is run with.

use super::arguments::*;
use super::compare::compare;
use super::support::*;
use pto::isa::row::{Elem, Kind};
use pto::isa::{BLayout, DType, Dim, Dir, Family, GlobalLayout, Loc, Pad, Row, SLayout, TileType, table};
use pto::{Arg, Checked, Launch, Options, Plan, opt};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The program of a case and what it is run with.
#[derive(Default)]
pub struct Recording {
    lines: String,
    /// Parameters: name and type.
    params: Vec<(String, String)>,
    args: Vec<Given>,
    /// Global buffers of the case: number, parameter and element type.
    buffers: BTreeMap<u64, (usize, DType)>,
    /// Tiles by their text.
    tiles: BTreeMap<String, (String, String)>,
    constants: BTreeMap<i64, String>,
    names: usize,
    /// For each check, the parameter with the memory to compare.
    checked: Vec<usize>,
}

/// An argument.
#[derive(Clone, PartialEq)]
enum Given {
    Memory(Vec<u8>),
    Int(i64),
    Float(f64),
}

impl Recording {
    pub fn new(case: &Value, data: &[u8]) -> Unless<Self> {
        let mut r = Self::default();
        for b in case["gm_buffers"].as_array().into_iter().flatten() {
            let (id, bytes) = (number(&b["buf"])?, number(&b["bytes"])? as usize);
            // The type is that of the first use.
            let at = r.param("g", "", Given::Memory(vec![0; bytes]));
            r.buffers.insert(id, (at, DType::U8));
        }
        let mut used = Vec::new();
        for step in case["steps"].as_array().into_iter().flatten() {
            match text(&step["k"]) {
                "write" => r.write(step, data, &used)?,
                "op" => r.op(step, &mut used)?,
                _ => {}
            }
        }
        for check in case["checks"].as_array().into_iter().flatten() {
            let at = match text(&check["buffer"]["space"]) {
                "gm" | "host" => r.buffer(&check["buffer"])?.0,
                other => r.save(check, byte_space(other).ok_or_else(|| format!("check of {other}"))?)?,
            };
            r.checked.push(at);
        }
        Ok(r)
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn param(&mut self, stem: &str, ty: &str, given: Given) -> usize {
        let name = self.name(stem);
        self.params.push((name, ty.to_string()));
        self.args.push(given);
        self.args.len() - 1
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.lines, "  {text}");
    }

    fn index(&mut self, n: i64) -> String {
        if let Some(name) = self.constants.get(&n) {
            return name.clone();
        }
        let name = self.name("%c");
        self.line(&format!("{name} = arith.constant {n} : index"));
        self.constants.insert(n, name.clone());
        name
    }

    fn buffer(&self, at: &Value) -> Unless<(usize, DType)> {
        self.buffers.get(&buffer_id(at)?).copied().ok_or_else(|| "an unknown buffer".into())
    }

    /// Memory contents: of a buffer before the program starts, of a tile by a load.
    fn write(&mut self, step: &Value, data: &[u8], used: &[u64]) -> Unless<()> {
        let (at, what) = (&step["at"], &step["data"]);
        let len = number(&what["len"])? as usize;
        let bytes = match what["off"].as_u64() {
            Some(off) => data.get(off as usize..off as usize + len).ok_or("data outside the file")?.to_vec(),
            None => vec![number(&what["fill"])? as u8; len],
        };
        match text(&at["space"]) {
            "gm" | "host" if used.contains(&buffer_id(at)?) => Err("a buffer written while the program runs".into()),
            "gm" => {
                let (param, addr) = (self.buffer(at)?.0, number(&at["addr"])? as usize);
                let Given::Memory(memory) = &mut self.args[param] else { return Err("not memory".into()) };
                memory.get_mut(addr..addr + len).ok_or("a write outside its buffer")?.copy_from_slice(&bytes);
                Ok(())
            }
            "host" => {
                let param = self.param("h", "", Given::Memory(bytes));
                self.buffers.insert(buffer_id(at)?, (param, DType::U8));
                Ok(())
            }
            // Other memory of the cube is zero at the start and written by instructions.
            other if byte_space(other).is_none() && bytes.iter().all(|b| *b == 0) => Ok(()),
            other => {
                let loc = byte_space(other).ok_or_else(|| format!("a write to {other}"))?;
                let param = self.param("w", "!pto.ptr<ui8>", Given::Memory(bytes));
                self.transfer(param, (loc, number(&at["addr"])?), len as u64, true);
                Ok(())
            }
        }
    }

    /// Moves bytes between a parameter and on-chip memory.
    fn transfer(&mut self, param: usize, (loc, addr): (Loc, u64), len: u64, load: bool) {
        let ty = TileType::new(loc, DType::U8, 1, len.next_multiple_of(32)).valid(Dim::Fixed(1), Dim::Fixed(len));
        let (tile, ty) = self.tile_at(&ty, addr, None);
        let (one, cols) = (self.index(1), self.index(len as i64));
        let (view, pointer) = (self.name("%v"), self.params[param].0.clone());
        let window = format!("!pto.tensor_view<1x{len}xui8>");
        self.line(&format!(
            "{view} = pto.make_tensor_view %{pointer}, shape = [{one}, {cols}], strides = [{cols}, {one}] : {window}"
        ));
        if load {
            self.line(&format!("pto.tload ins({view} : {window}) outs({tile} : {ty})"));
        } else {
            self.line(&format!("pto.tstore ins({tile} : {ty}) outs({view} : {window})"));
        }
    }

    /// A move from L1 to vector memory, which no target has: through global memory.
    fn move_to_vec(&mut self, args: &[Value]) -> Unless<()> {
        let [to, from, ..] = args else { return Err("TMOV without operands".into()) };
        let (rows, cols, d) = (number(&from["vrow"])?, number(&from["vcol"])?, dtype(&from["dtype"])?);
        let (Some(to), Some(from)) = (self.tile(to)?, self.tile(from)?) else { return Err("a tile nowhere".into()) };
        let memory = Given::Memory(vec![0; (rows * cols) as usize * d.unit_bytes() as usize]);
        let param = self.param("m", &format!("!pto.ptr<{}>", d.mlir()), memory);
        let (view, pointer, window) =
            (self.name("%v"), self.params[param].0.clone(), format!("!pto.tensor_view<{rows}x{cols}x{}>", d.mlir()));
        let (one, high, wide) = (self.index(1), self.index(rows as i64), self.index(cols as i64));
        self.line(&format!(
            "{view} = pto.make_tensor_view %{pointer}, shape = [{high}, {wide}], strides = [{wide}, {one}] : {window}"
        ));
        self.line(&format!("pto.tstore ins({} : {}) outs({view} : {window})", from.0, from.1));
        self.line(&format!("pto.tload ins({view} : {window}) outs({} : {})", to.0, to.1));
        Ok(())
    }

    /// Makes on-chip memory visible after the program.
    fn save(&mut self, check: &Value, loc: Loc) -> Unless<usize> {
        let len = match check["window"]["prefix_bytes"].as_u64() {
            Some(len) => len,
            None => number(&check["golden"]["len"])?,
        };
        let param = self.param("r", "!pto.ptr<ui8>", Given::Memory(vec![0; len as usize]));
        self.transfer(param, (loc, number(&check["buffer"]["addr"])?), len, false);
        Ok(param)
    }

    /// The name and type of a tile at an address; `open` gives the valid region its type leaves open.
    fn tile_at(&mut self, ty: &TileType, addr: u64, open: Option<(u64, u64)>) -> (String, String) {
        let written = tile_text(ty);
        let key = format!("{written} {addr} {open:?}");
        if let Some(known) = self.tiles.get(&key) {
            return known.clone();
        }
        let (at, name) = (self.name("%a"), self.name("%t"));
        self.line(&format!("{at} = arith.constant {addr} : i64"));
        let open = open.map_or_else(String::new, |(rows, cols)| {
            format!(" valid_row = {} valid_col = {}", self.index(rows as i64), self.index(cols as i64))
        });
        self.line(&format!("{name} = pto.alloc_tile addr = {at}{open} : {written}"));
        self.tiles.insert(key, (name.clone(), written.clone()));
        (name, written)
    }

    /// A recorded tile; `None` when it was never given an address.
    fn tile(&mut self, t: &Value) -> Unless<Option<(String, String)>> {
        if text(&t["at"]["space"]) == "none" {
            return Ok(None);
        }
        let loc = Loc::parse(text(&t["loc"])).ok_or_else(|| format!("tiles in {}", text(&t["loc"])))?;
        if text(&t["at"]["space"]) == "host" {
            return Err(format!("tiles in {} that the host allocates", text(&t["loc"])));
        }
        let pad = t["pad"].as_u64().and_then(|n| Pad::ALL.get(n as usize)).ok_or("a pad value of its own")?;
        let dtype = if loc == Loc::Vec { dtype(&t["dtype"])? } else { any_dtype(&t["dtype"])? };
        let blayout = if text(&t["blayout"]) == "col" { BLayout::ColMajor } else { BLayout::RowMajor };
        let slayout = match text(&t["slayout"]) {
            "row" => SLayout::RowMajor,
            "col" => SLayout::ColMajor,
            _ => SLayout::NoneBox,
        };
        let valid = (number(&t["vrow"])?, number(&t["vcol"])?);
        let open = t["static_valid"][0].as_i64() == Some(-1) && t["static_valid"][1].as_i64() == Some(-1);
        let dim = |n: u64| if open { Dim::Dynamic } else { Dim::Fixed(n) };
        let mut ty = TileType::new(loc, dtype, number(&t["rows"])?, number(&t["cols"])?)
            .layout(blayout, slayout, number(&t["fractal"])? as u32)
            .valid(dim(valid.0), dim(valid.1));
        ty.pad = *pad;
        // The recorder keeps biases and words in vector memory; here they have a small one of their own.
        let addr = if matches!(loc, Loc::Bias | Loc::Scaling) { 0 } else { number(&t["at"]["addr"])? };
        Ok(Some(self.tile_at(&ty, addr, open.then_some(valid))))
    }

    /// A recorded window of global memory. The C++ programs move the valid region of the tile even where the window is larger;
    /// here it must fit.
    fn view(&mut self, g: &Value, tile: Option<&Value>, used: &mut Vec<u64>) -> Unless<(String, String)> {
        let layout = text(&g["layout"]).to_ascii_lowercase();
        if !GlobalLayout::ALL.iter().any(|l| l.name().eq_ignore_ascii_case(&layout)) {
            return Err(format!("global layout {layout}"));
        }
        // Where the tile is not in the cube's memories, it is refused for the same type.
        let dtype =
            any_dtype(&g["dtype"]).and_then(|d| if d == DType::I4 { Err(format!("packed {d}")) } else { Ok(d) })?;
        let id = buffer_id(&g["at"])?;
        let (param, mut known) = self.buffer(&g["at"])?;
        if !used.contains(&id) {
            used.push(id);
            known = dtype;
            self.buffers.insert(id, (param, dtype));
            self.params[param].1 = format!("!pto.ptr<{}>", dtype.mlir());
        }
        let mut pointer = format!("%{}", self.params[param].0);
        if known != dtype {
            let cast = self.name("%p");
            self.line(&format!(
                "{cast} = pto.castptr {pointer} : !pto.ptr<{}> -> !pto.ptr<{}>",
                known.mlir(),
                dtype.mlir()
            ));
            pointer = cast;
        }
        let start = if text(&g["at"]["space"]) == "host" { 0 } else { number(&g["at"]["addr"])? };
        let offset = start / u64::from(dtype.unit_bytes());
        if offset > 0 {
            let (moved, by, ty) = (self.name("%p"), self.index(offset as i64), dtype.mlir());
            self.line(&format!("{moved} = pto.addptr {pointer}, {by} : !pto.ptr<{ty}> -> !pto.ptr<{ty}>"));
            pointer = moved;
        }
        let list = |v: &Value| v.as_array().into_iter().flatten().filter_map(Value::as_i64).collect::<Vec<i64>>();
        let (mut shape, strides) = (list(&g["shape"]), list(&g["stride"]));
        if let (Some(tile), [1, 1, 1, rows, cols], "nd") = (tile, shape.as_mut_slice(), layout.as_str()) {
            *rows = (*rows).min(tile["vrow"].as_i64().unwrap_or(i64::MAX));
            *cols = (*cols).min(tile["vcol"].as_i64().unwrap_or(i64::MAX));
        }
        let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
        let ty = format!("!pto.tensor_view<{}x{}>", extents.join("x"), dtype.mlir());
        let shape: Vec<String> = shape.into_iter().map(|n| self.index(n)).collect();
        let strides: Vec<String> = strides.into_iter().map(|n| self.index(n)).collect();
        let name = self.name("%v");
        self.line(&format!(
            "{name} = pto.make_tensor_view {pointer}, shape = [{}], strides = [{}] {{layout = #pto.layout<{layout}>}} : {ty}",
            shape.join(", "),
            strides.join(", ")
        ));
        Ok((name, ty))
    }

    /// A scalar; C++ converts an integer to the type of the tile it meets.
    fn scalar(&mut self, s: &Value, like: Option<DType>) -> Unless<(String, String)> {
        let mut d = dtype(&s["dtype"])?;
        let given = if let Some(f) = like.filter(|f| f.is_float() && d.is_int()) {
            d = f;
            Given::Float(s["value"].as_f64().ok_or("a scalar without value")?)
        } else if d.is_float() {
            let digits = text(&s["hex"]);
            let bytes: Vec<u8> =
                (0..digits.len() / 2).filter_map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()).collect();
            if bytes.len() != d.unit_bytes() as usize {
                return Err("a scalar without bits".into());
            }
            Given::Float(float(d, element(d, &bytes, 0)).ok_or("a scalar of this type")?)
        } else {
            Given::Int(s["value"].as_i64().ok_or("a scalar without value")?)
        };
        let at = self.param("s", d.mlir(), given);
        Ok((format!("%{}", self.params[at].0), d.mlir().to_string()))
    }

    /// A structure of four counts.
    fn counts(&mut self) -> (String, String) {
        let name = self.name("%n");
        self.line(&format!("{name} = arith.constant dense<0> : vector<4xi16>"));
        (name, "vector<4xi16>".into())
    }

    /// An instruction.
    fn op(&mut self, step: &Value, used: &mut Vec<u64>) -> Unless<()> {
        let name = text(&step["op"]);
        // What these change is in the descriptions of the operands that follow.
        if ["TASSIGN", "TSUBVIEW", "TRESHAPE"].contains(&name) {
            return Ok(());
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
        let locs: Vec<&str> = args.iter().map(|a| text(&a["loc"])).collect();
        if name == "TMOV" && locs == ["vec", "mat"] {
            return self.move_to_vec(args);
        }
        if name == "TLOAD" && locs.first() == Some(&"bias") {
            return self.load_bias(step, used);
        }
        // One C++ name may have several forms; the tiles tell which.
        let is_row = |r: &&'static Row| r.cpp.name == name && families.contains(&r.family) && is_form(r, args);
        let rows: Vec<&'static Row> = table::isa().map(|op| op.row()).filter(is_row).collect();
        let room = |r: &&&Row| r.slots.iter().filter(|s| s.kind == Kind::Tile).count() >= tiles_in(args);
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
                "scalar" => Some(self.scalar(arg, like.filter(|_| row.slots[slot].elem == Elem::Data))?),
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

    pub fn program(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|(name, ty)| format!("%{name}: {}", if ty.is_empty() { "!pto.ptr<ui8>" } else { ty }))
            .collect();
        format!("func.func @case({}) {{\n{}  return\n}}\n", params.join(", "), self.lines)
    }

    pub fn run(mut self, checked: &Checked, case: &Value, data: &[u8]) -> Result<(), String> {
        let mut low_args = self.args.clone();
        execute(checked, &mut self.args)?;
        let low = opt::lower(checked, opt::plan::Options::default(), opt::Mode::Minimal)
            .map_err(|found| format!("not lowered: {}: {}", found[0].code, found[0].message))?;
        execute(&low.program, &mut low_args)?;
        if low_args != self.args {
            return Err("other bytes after lowering".into());
        }
        for (check, at) in case["checks"].as_array().into_iter().flatten().zip(&self.checked) {
            let Given::Memory(memory) = &self.args[*at] else { return Err("nothing to compare".into()) };
            compare(check, memory, data)?;
        }
        Ok(())
    }
}

/// Memory that plain bytes can be moved to and from.
fn byte_space(name: &str) -> Option<Loc> {
    match name {
        "ub" => Some(Loc::Vec),
        "l1" => Some(Loc::Mat),
        _ => None,
    }
}

fn tiles_in(args: &[Value]) -> usize {
    args.iter().filter(|a| text(&a["kind"]) == "tile").count()
}

/// Runs a program; memory arguments hold the results afterwards.
fn execute(program: &Checked, given: &mut [Given]) -> Result<(), String> {
    let plan = Plan::new(program, None, Options::default()).map_err(|e| format!("no plan: {}", e.message))?;
    let mut args: Vec<Arg> = given
        .iter_mut()
        .map(|g| match g {
            Given::Memory(bytes) => Arg::InOut(bytes),
            Given::Int(n) => Arg::Int(*n),
            Given::Float(x) => Arg::Float(*x),
        })
        .collect();
    plan.run(&mut args, Launch { threads: 1, ..Launch::default() }).map_err(|e| format!("stopped: {}", e.message))?;
    Ok(())
}
