//! Runs recorded instruction cases from a folder outside the project: `PTO_CASES=<folder> cargo test --test recorded`.
//!
//! A case is a pair of files. `name.json` has `gm_buffers` (global buffers and their sizes), `steps` (writes to memory, and
//! instructions in C++ argument order with full descriptions of their operands) and `checks`; `name.bin` has the data that
//! they point into. A case becomes one program with placed tiles, as tiles are recorded with their addresses; what the C++ calls
//! TASSIGN, TSUBVIEW and TRESHAPE do is in the addresses already. There is one test per instruction; a case that needs
//! something else than the vector families, loads and stores is counted as unsupported.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use pto::isa::row::{AttrKind, Count, Elem, Kind};
use pto::isa::{BLayout, DType, Dim, Dir, Family, GlobalLayout, Loc, Pad, Row, SLayout, Target, TileType, table};
use pto::{Arg, Checked, Launch, Options, Plan, Program, opt};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use support::{element, float, show, tile_text};

/// Cases, by the start of their names, whose recorded results follow other rules than this project's, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("tcmps__", "masks packed without gaps between rows"),
    ("tsel__", "masks read as one stream of bits"),
    ("taxpy__TAXPYTest.case2", "f16 products rounded before the sum"),
    ("tmuladddst__TMULADDDSTTest.case_half", "f16 products rounded before the sum"),
    ("tfusemuladdrelu__TFUSEMULADDRELUTest.case_half", "f16 products rounded before the sum"),
    ("tload__TLOADTest.case_float_GT_32_64_128_VT_64_128_BLK32_DYN", "column-major by name, row-major by strides"),
];

fn main() {
    let arguments = Arguments::from_args();
    let Some(folder) = std::env::var_os("PTO_CASES") else {
        let skipped = Trial::test("set PTO_CASES to a folder with recorded cases", || Ok(())).with_ignored_flag(true);
        libtest_mimic::run(&arguments, vec![skipped]).exit();
    };
    let mut groups: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files(Path::new(&folder)) {
        for name in instructions(&path) {
            groups.entry(name).or_default().push(path.clone());
        }
    }
    let trials = groups.into_iter().map(|(name, paths)| {
        let title = format!("{name} ({} cases)", paths.len());
        let supported = paths.iter().any(|p| !matches!(outcome(p), Outcome::Unsupported(_)));
        Trial::test(title, move || run_group(&paths)).with_ignored_flag(!supported)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "json"));
    all.sort();
    all
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn instructions(path: &Path) -> Vec<String> {
    let case = read(path).unwrap_or_default();
    let names = case["instructions"].as_array().into_iter().flatten();
    names.filter_map(|n| n.as_str().map(String::from)).collect()
}

/// What became of a case.
enum Outcome {
    Passed,
    Failed(String),
    Unsupported(String),
}

fn run_group(paths: &[PathBuf]) -> Result<(), Failed> {
    let (mut passed, mut failed) = (0, 0);
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = String::new();
    for path in paths {
        let case = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let known = DIFFERENT.iter().find(|(start, _)| case.starts_with(start));
        match (outcome(path), known) {
            (Outcome::Passed, _) => passed += 1,
            (Outcome::Failed(_), Some((_, why))) => *others.entry(format!("other rules ({why})")).or_default() += 1,
            (Outcome::Unsupported(why), _) => *others.entry(format!("unsupported ({why})")).or_default() += 1,
            (Outcome::Failed(why), None) => {
                failed += 1;
                if failed <= 5 {
                    let _ = writeln!(problems, "{case}\n  {why}");
                }
            }
        }
    }
    let mut summary = format!("{passed} passed, {failed} failed");
    for (why, n) in others {
        let _ = write!(summary, "\n  {n} {why}");
    }
    if failed == 0 {
        println!("{summary}");
        return Ok(());
    }
    Err(format!("{summary}\n{problems}").into())
}

fn outcome(path: &Path) -> Outcome {
    let (Some(case), Ok(data)) = (read(path), std::fs::read(path.with_extension("bin"))) else {
        return Outcome::Failed("unreadable".into());
    };
    let recording = match Recording::new(&case, &data) {
        Ok(recording) => recording,
        Err(why) => return Outcome::Unsupported(why),
    };
    let program = recording.program();
    let checked = match Program::parse(&program).check(Target::Cpu) {
        Ok(checked) => checked,
        Err(problems) => {
            let errors: Vec<String> =
                problems.iter().filter(|d| d.is_error()).map(|d| format!("{}: {}", d.code, d.message)).collect();
            return Outcome::Unsupported(format!("not legal: {}", errors.join("; ")));
        }
    };
    match recording.run(&checked, &case, &data) {
        Ok(()) => Outcome::Passed,
        Err(why) if why.starts_with("no plan") => Outcome::Unsupported(why),
        // With PTO_SHOW, also the program.
        Err(why) if std::env::var_os("PTO_SHOW").is_some() => Outcome::Failed(format!("{why}\n{program}")),
        Err(why) => Outcome::Failed(why),
    }
}

/// The program of a case and what it is run with.
#[derive(Default)]
struct Recording {
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

type Unless<T> = Result<T, String>;

fn number(v: &Value) -> Unless<u64> {
    v.as_u64().ok_or_else(|| format!("`{v}` instead of a number"))
}

/// Global buffers have numbers; memory of the host has a number for each address.
fn buffer_id(at: &Value) -> Unless<u64> {
    if text(&at["space"]) == "host" { Ok(number(&at["addr"])? + (1 << 32)) } else { number(&at["buf"]) }
}

fn text(v: &Value) -> &str {
    v.as_str().unwrap_or_default()
}

impl Recording {
    fn new(case: &Value, data: &[u8]) -> Unless<Self> {
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
        let dtype = dtype(&g["dtype"])?;
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

    fn program(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|(name, ty)| format!("%{name}: {}", if ty.is_empty() { "!pto.ptr<ui8>" } else { ty }))
            .collect();
        format!("func.func @case({}) {{\n{}  return\n}}\n", params.join(", "), self.lines)
    }

    fn run(mut self, checked: &Checked, case: &Value, data: &[u8]) -> Result<(), String> {
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

/// One C++ name stands for several products, which differ in their tiles.
fn is_form(row: &Row, args: &[Value]) -> bool {
    let has =
        |loc: &str, out: bool| args.iter().any(|a| text(&a["loc"]) == loc && (a["out"].as_bool() == Some(true)) == out);
    row.family != Family::Matrix
        || row.slot("bias").is_some() == has("bias", false) && row.slot("acc_in").is_some() == has("acc", false)
}

fn with_pad(tile: &Value, pad: &Value) -> Option<Value> {
    let name = text(pad).strip_prefix("PadValue::")?;
    let at = Pad::ALL.iter().position(|p| p.name().eq_ignore_ascii_case(name))?;
    let mut tile = tile.clone();
    tile["pad"] = Value::from(at);
    (text(&tile["kind"]) == "tile").then_some(tile)
}

fn with_one_column(tile: &Value) -> Value {
    let mut tile = tile.clone();
    tile["vcol"] = Value::from(1);
    tile
}

fn any_dtype(name: &Value) -> Unless<DType> {
    DType::parse(text(name)).ok_or_else(|| format!("element type {}", text(name)))
}

fn dtype(name: &Value) -> Unless<DType> {
    let d = any_dtype(name)?;
    // Recorded in units that differ from the dialect's.
    if d.bits() < 8 { Err(format!("packed {d}")) } else { Ok(d) }
}

/// Every argument with the slot or attribute it is for. Written operands come first; optional ones may be missing.
fn place<'a>(row: &'static Row, args: &'a [Value]) -> Unless<Vec<(&'static str, &'a Value)>> {
    let default: Vec<&'static str> = {
        let slots = |out: bool| row.slots.iter().filter(move |s| (s.dir != Dir::In) == out).map(|s| s.name);
        let attrs = row.attrs.iter().map(|a| a.name).filter(|a| !row.cpp.templates.contains(a));
        slots(true).chain(slots(false)).chain(attrs).collect()
    };
    let mut order = if row.cpp.args.is_empty() { default } else { row.cpp.args.to_vec() };
    // A length, which comes last, goes with one list alone.
    if args.last().is_some_and(|a| text(&a["kind"]) == "scalar") && order.last() == Some(&"block_len") {
        order = vec!["dst", "src0", "block_len"];
    }
    // With fewer numbers than there are places for, the optional ones are missing.
    let is_number = |name: &str| row.slot(name).is_some_and(|s| matches!(row.slots[s].kind, Kind::Int | Kind::Index));
    let numbers = args.iter().filter(|a| text(&a["kind"]) == "scalar").count();
    if numbers < order.iter().filter(|n| is_number(n)).count() {
        order.retain(|n| !is_number(n) || row.slot(n).is_some_and(|s| row.slots[s].count != Count::Optional));
    }
    // With every operand there, position says all; else the marks of written operands help.
    let tiles = |name: &&str| row.slot(name).is_some_and(|s| row.slots[s].kind == Kind::Tile);
    if order.iter().filter(|n| tiles(n)).count() == args.iter().filter(|a| text(&a["kind"]) == "tile").count() {
        let mut names = order.into_iter();
        let place = |arg| Some((names.by_ref().find(|name| takes(row, name, arg))?, arg));
        return args.iter().map(place).collect::<Option<_>>().ok_or_else(|| "an argument without a place".into());
    }
    let is_out = |name: &str| row.slot(name).is_some_and(|s| row.slots[s].dir != Dir::In);
    let optional = |name: &str| row.slot(name).is_none_or(|s| row.slots[s].count == Count::Optional);
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
        Kind::Tile => kind == "tile",
        Kind::TileOrScalar => kind == "tile" || kind == "scalar",
        Kind::TileOrView => kind == "tile" || kind == "gm",
        Kind::View => kind == "gm",
        Kind::Vector => kind == "pod",
        _ => kind == "scalar",
    }
}

fn attribute(row: &Row, name: &str, arg: &Value) -> Unless<String> {
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
fn templates(row: &Row, given: &Value) -> Unless<Vec<String>> {
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

/// Every element within the tolerance of the check, absolute or relative; integers exactly.
fn compare(check: &Value, memory: &[u8], data: &[u8]) -> Result<(), String> {
    let d = dtype(&check["dtype"])?;
    let (off, len) = (number(&check["golden"]["off"])? as usize, number(&check["golden"]["len"])? as usize);
    let golden = data.get(off..off + len).ok_or("expected values outside the file")?;
    let start = if text(&check["buffer"]["space"]) == "gm" {
        check["buffer"]["addr"].as_u64().unwrap_or(0) as usize
    } else {
        0
    };
    let window = check["window"]["prefix_bytes"].as_u64().map_or(len, |n| n as usize);
    let size = d.unit_bytes() as usize;
    let count = (number(&check["elems"])? as usize).min(window / size).min(len / size);
    let got = memory.get(start..start + count * size).ok_or("the buffer is too small")?;
    let eps = check["eps"].as_f64().unwrap_or(0.0);
    let mut wrong = 0;
    let mut shown = String::new();
    for at in 0..count {
        let (is, want) = (element(d, got, at), element(d, golden, at));
        if near(d, is, want, eps) {
            continue;
        }
        wrong += 1;
        if wrong <= 4 {
            let _ = write!(shown, "; [{at}] {}, want {}", show(d, is), show(d, want));
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {count} elements of type {d}{shown}")) }
}

fn near(d: DType, is: u64, want: u64, eps: f64) -> bool {
    let (Some(x), Some(y)) = (float(d, is), float(d, want)) else { return is == want };
    let off = (x - y).abs();
    x == y || x.is_nan() && y.is_nan() || off <= eps || off <= eps * y.abs()
}
