//! Cases with pipes. They were recorded on one thread; here each core has a body of its own.
//!
//! A few push from memories that no device pushes from, or pop on the core that pushed: what is pushed from L1 comes from an
//! accumulator, and a tile is popped on the other side.

use super::arguments::*;
use super::compare::compare;
use super::operands::tile_type;
use super::recording::{CUBE, Given, Laid, Recording, VECTOR, memory, written};
use pto::isa::{BLayout, DType, Loc, SLayout, TileType};
use pto_testkit::elements::tile_text;
use serde_json::Value;

/// The one pipe of a case.
#[derive(Default)]
pub struct Pipe {
    /// 1 to the vector cores, 2 to the cube core, 3 both.
    ways: u64,
    slot_bytes: u64,
    slots: u64,
    local_slots: u64,
    whole: bool,
    /// Where the ring of popped tiles lies: behind all tiles.
    ring: u64,
    /// What the fix pipe does on the way.
    epilogue: String,
    /// Cores that have popped and not yet freed.
    taken: Vec<usize>,
}

/// A tile after a pop: the parameter that it was stored to, row after row, and what it is in the case.
pub struct Popped {
    param: usize,
    ty: TileType,
    place: (String, u64),
}

impl Pipe {
    /// One end of the pipe. A consumer says where its ring is.
    fn open(&self, core: &str, end: &str, slots: &str) -> String {
        let ring = |way: u64, name: &str, consumer: &str, space: &str| match (self.ways & way, core == consumer) {
            (0, _) => format!("  %{name} = arith.constant 0 : i32\n"),
            (_, true) => format!(
                "  %{name} = pto.reserve_buffer {{name = \"{name}\", size = {}, location = #pto.address_space<{space}>, auto = false, base = {}}} -> i32\n",
                self.slot_bytes * self.local_slots,
                self.ring
            ),
            (_, false) => {
                format!(
                    "  %{name} = pto.import_reserved_buffer {{name = \"{name}\", peer_func = @{consumer}}} -> i32\n"
                )
            }
        };
        let whole = if self.whole { ", nosplit = true" } else { "" };
        format!(
            "{}{}  pto.{end}_initialize_pipe {{id = 0, dir_mask = {}, slot_size = {}, slot_num = {}, local_slot_num = {}{whole}{}}} \
             (gm_slot_buffer = %{slots} : !pto.ptr<f32>, c2v_consumer_buf = %c2v : i32, v2c_consumer_buf = %v2c : i32)\n",
            ring(1, "c2v", "vector", "vec"),
            ring(2, "v2c", "cube", "mat"),
            self.ways,
            self.slot_bytes,
            self.slots,
            self.local_slots,
            self.epilogue
        )
    }

    pub fn of(case: &Value) -> Unless<Option<Self>> {
        let ops = || case["steps"].as_array().into_iter().flatten();
        let Some(push) = ops().find(|s| text(&s["op"]) == "TPUSH") else { return Ok(None) };
        let inner = text(&push["tmpl"]["Pipe"]).trim_start_matches("TPipe<").trim_end_matches('>');
        let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
        let [_, ways, slot_bytes, slots, local_slots, whole, _] = parts[..] else { return Err("a pipe".into()) };
        let count = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` in a pipe"));
        let from_vector = tile_of(push).is_some_and(|t| text(&t["loc"]) == "vec");
        let ways = match count(ways)? {
            1 if from_vector => 2,
            ways => ways,
        };
        Ok(Some(Self {
            ways,
            slot_bytes: count(slot_bytes)?,
            slots: count(slots)?,
            local_slots: count(local_slots)?,
            whole: whole == "true",
            ring: ops().filter_map(end_of_tile).max().unwrap_or(0),
            epilogue: epilogue(text(&push["tmpl"]["TConfig"]))?,
            taken: Vec::new(),
        }))
    }
}

/// `FixpipeParams<LayoutMode_t::NZ2ND, DEQF16>` as an attribute.
fn epilogue(config: &str) -> Unless<String> {
    if config.is_empty() {
        return Ok(String::new());
    }
    let quant = match config.trim_end_matches('>').rsplit(", ").next() {
        Some("F322F16") => "f32_f16",
        Some("DEQF16") => "deqf16_scalar",
        Some("VDEQF16") => "deqf16_vec",
        other => return Err(format!("a push with {other:?}")),
    };
    Ok(format!(", acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = {quant}, relu = no_relu>"))
}

fn tile_of(step: &Value) -> Option<&Value> {
    step["args"].as_array()?.iter().find(|a| text(&a["kind"]) == "tile")
}

fn end_of_tile(step: &Value) -> Option<u64> {
    let tile = tile_of(step)?;
    let end = tile["at"]["addr"].as_u64()? + tile["bytes"].as_u64()?;
    ["ub", "l1"].contains(&text(&tile["at"]["space"])).then_some(end.next_multiple_of(512))
}

/// The vector core that a step ran on, where it ran on one.
fn vector(step: &Value) -> usize {
    VECTOR + step["subblock"].as_u64().unwrap_or(0) as usize
}

impl Recording {
    /// Memory for the slots of the pipe, if there is one.
    pub fn make_slots(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let both = if pipe.ways == 3 { 2 } else { 1 };
        let slots = vec![0; (pipe.slot_bytes * pipe.slots * both) as usize];
        self.param("slots", "!pto.ptr<f32>", Given::Memory(slots));
    }

    /// The core of the first of these steps. A write belongs to what follows it.
    pub fn choose_core(&mut self, steps: &[Value]) -> Unless<()> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        let is_call = |s: &&Value| text(&s["k"]) == "op" && text(&s["op"]) != "TASSIGN";
        let Some(call) = steps.iter().find(is_call) else { return Ok(()) };
        let tile = tile_of(call).map(|t| text(&t["loc"]));
        let runs_now = std::ptr::eq(call, &steps[0]);
        self.core = match (text(&call["op"]), tile) {
            ("TFREE", _) => {
                let at = pipe.taken.iter().rposition(|c| *c == CUBE || *c == vector(call));
                let at = at.ok_or("a slot freed that nobody has")?;
                if runs_now { pipe.taken.remove(at) } else { pipe.taken[at] }
            }
            ("TPOP", _) if pipe.ways == 1 => vector(call),
            ("TPOP", _) if pipe.ways == 2 => CUBE,
            (_, Some("vec")) => vector(call),
            _ => CUBE,
        };
        if runs_now && text(&call["op"]) == "TPOP" {
            pipe.taken.push(self.core);
        }
        Ok(())
    }

    /// A push, a pop, or a free.
    pub fn pipe_op(&mut self, step: &Value) -> Unless<()> {
        let split = match text(&step["tmpl"]["Split"]) {
            "TILE_UP_DOWN" => 1,
            "TILE_LEFT_RIGHT" => 2,
            _ => 0,
        };
        let other = if self.core == CUBE { "aiv" } else { "aic" };
        match (text(&step["op"]), tile_of(step)) {
            ("TPUSH", Some(tile)) => {
                let (name, ty) = self.pushed(tile)?;
                self.line(&format!("pto.tpush_to_{other}({name} : {ty}) {{id = 0, split = {split}}}"));
            }
            ("TPOP", Some(tile)) => self.pop(tile, other, split)?,
            _ => self.line(&format!("pto.tfree_from_{other} {{id = 0, split = {split}}}")),
        }
        Ok(())
    }

    /// The tile of a push. The cube core pushes accumulators.
    fn pushed(&mut self, tile: &Value) -> Unless<(String, String)> {
        let place = spot(tile)?;
        if self.core == CUBE && self.laid.contains_key(&place) {
            let (ty, _) = tile_type(tile, Loc::parse(text(&tile["loc"])).ok_or("a memory")?)?;
            let laid = self.laid.remove(&place).ok_or("nothing to push")?;
            return Ok(self.given_tile(&in_accumulator(&ty), laid.rows(&ty)));
        }
        self.tile(tile)?.ok_or_else(|| "a tile nowhere".into())
    }

    fn pop(&mut self, tile: &Value, end: &str, split: u32) -> Unless<()> {
        let recorded = tile_type(tile, Loc::parse(text(&tile["loc"])).ok_or("a memory")?)?.0;
        let (rows, cols) = (number(&tile["vrow"])?, number(&tile["vcol"])?);
        let mut ty = TileType::new(Loc::Vec, signed(recorded.dtype), recorded.rows, recorded.cols);
        if self.core == CUBE {
            ty = TileType { loc: Loc::Mat, ..ty }.layout(BLayout::ColMajor, SLayout::RowMajor, 512);
        }
        let (name, shown, d) = (self.name("%e"), tile_text(&ty), ty.dtype);
        self.line(&format!("{name} = pto.tpop_from_{end} {{id = 0, split = {split}}} -> {shown}"));
        let bytes = vec![0; (rows * cols) as usize * d.unit_bytes() as usize];
        let param = self.param("e", &format!("!pto.ptr<{}>", d.mlir()), Given::Memory(bytes));
        let (view, window) = self.rows_of(param, rows, cols, d);
        self.line(&format!("pto.tstore ins({name} : {shown}) outs({view} : {window})"));
        let place = spot(tile)?;
        self.body().bound.insert(place.clone(), (name, shown));
        self.popped.push(Popped { param, ty: recorded, place });
        Ok(())
    }

    /// A tile that is given to the program.
    pub fn given_tile(&mut self, ty: &TileType, rows: Vec<u8>) -> (String, String) {
        let shown = tile_text(ty);
        let param = self.param("x", &shown, Given::Memory(rows));
        (format!("%{}", self.params[param].0), shown)
    }

    /// The program of a case with a pipe.
    pub fn cores(&self, params: &str) -> String {
        let names: Vec<String> = self.params.iter().map(|(name, _)| format!("%{name}")).collect();
        let types: Vec<&str> = self.params.iter().map(|(_, ty)| written(ty)).collect();
        let call = |name: &str| format!("  func.call @{name}({}) : ({}) -> ()\n", names.join(", "), types.join(", "));
        let kernel = |name: &str, lines: &str| {
            format!(
                "func.func private @{name}({params}) attributes {{pto.kernel_kind = #pto.kernel_kind<{name}>}} {{\n{lines}  return\n}}\n"
            )
        };
        let [cube, first, second] = &self.bodies;
        let open = |core: &str, end: &str| {
            let slots = self.params.iter().find(|(name, _)| name.starts_with("slots"));
            self.pipe.as_ref().zip(slots).map(|(p, slots)| p.open(core, end, &slots.0)).unwrap_or_default()
        };
        let cube = open("cube", "aic") + &cube.lines;
        let vector = match second.lines.is_empty() {
            true => first.lines.clone(),
            false => format!(
                "  %sub = pto.get_subblock_idx\n  %zero = arith.constant 0 : i64\n  %is_first = arith.cmpi eq, %sub, %zero : i64\n  \
                 scf.if %is_first {{\n{}  }} else {{\n{}  }}\n",
                first.lines, second.lines
            ),
        };
        let vector = open("vector", "aiv") + &vector;
        format!(
            "module {{\nfunc.func @case({params}) attributes {{pto.entry}} {{\n{}{}  return\n}}\n{}{}}}\n",
            call("cube"),
            call("vector"),
            kernel("cube", &cube),
            kernel("vector", &vector)
        )
    }

    /// Compares what was popped: last to the place of a check, or, where the test kept copies, in their order from `next` on.
    pub fn compare_popped(&self, check: &Value, data: &[u8], next: usize) -> Result<usize, String> {
        let found = |p: &Popped| compare(check, &in_layout(&p.ty, memory(&self.args, p.param)), data);
        let Some(addr) = check["buffer"]["addr"].as_u64() else {
            let at = (next..self.popped.len()).find(|at| found(&self.popped[*at]).is_ok());
            return at.map(|at| at + 1).ok_or_else(|| "popped tiles differ, or their order".into());
        };
        let place = (text(&check["buffer"]["space"]).to_string(), addr);
        let last = self.popped.iter().rfind(|p| p.place == place).ok_or("nothing was popped there")?;
        found(last).map(|()| next)
    }
}

impl Laid {
    /// The elements of a tile, row after row.
    pub fn rows(self, ty: &TileType) -> Vec<u8> {
        match self {
            Self::Rows(bytes) => bytes,
            Self::Raw(bytes) => {
                let mut rows = vec![0; bytes.len()];
                each(ty, |inside, outside, size| {
                    rows[outside..outside + size].copy_from_slice(&bytes[inside..inside + size]);
                });
                rows
            }
        }
    }
}

fn in_layout(ty: &TileType, rows: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; rows.len()];
    each(ty, |inside, outside, size| bytes[inside..inside + size].copy_from_slice(&rows[outside..outside + size]));
    bytes
}

/// Visits elements: where each lies in the tile, where in rows, and its size.
fn each(ty: &TileType, mut visit: impl FnMut(usize, usize, usize)) {
    let size = ty.dtype.unit_bytes() as usize;
    for r in 0..ty.rows {
        for c in 0..ty.cols {
            visit(ty.offset(r, c) as usize * size, (r * ty.cols + c) as usize * size, size);
        }
    }
}

fn signed(d: DType) -> DType {
    if d == DType::U32 { DType::I32 } else { d }
}

/// The same tile in an accumulator.
pub fn in_accumulator(ty: &TileType) -> TileType {
    let acc = TileType::new(Loc::Acc, signed(ty.dtype), ty.rows, ty.cols);
    acc.layout(BLayout::ColMajor, SLayout::RowMajor, 1024)
}
