//! A case as a program, and what it is run with.

use super::arguments::*;
use super::compare::compare;
use super::pipes::{Pipe, Popped};
use pto::isa::{DType, Dim, Loc, TileType};
use pto::{Arg, Checked, Options, Plan, opt};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Which body of a program: that of the cube core, or of a vector core. A program without pipes has the first alone.
pub const CUBE: usize = 0;
pub const VECTOR: usize = 1;

/// The program of a case and what it is run with.
#[derive(Default)]
pub struct Recording {
    pub bodies: [Body; 3],
    /// The body that is being written.
    pub core: usize,
    /// Parameters: name and type.
    pub params: Vec<(String, String)>,
    pub args: Vec<Given>,
    /// Global buffers of the case: number, parameter and element type.
    pub buffers: BTreeMap<u64, (usize, DType)>,
    names: usize,
    /// Bytes of tiles that no instruction brings to where they are: given as parameters. By memory and address.
    pub laid: BTreeMap<(String, u64), Laid>,
    /// Buffers that instructions write to.
    pub stored: Vec<u64>,
    /// The parameter that a broadcast goes to.
    pub sent: Option<usize>,
    /// Where the tiles that the host allocates are, and the bytes that those of each memory take.
    pub hosted: BTreeMap<u64, (Loc, u64)>,
    pub taken: BTreeMap<String, u64>,
    pub pipe: Option<Pipe>,
    pub popped: Vec<Popped>,
    /// For each check, the parameter with the memory to compare; none where the test kept a copy of its own.
    checked: Vec<Option<usize>>,
}

/// What one core does, and the names it has for constants and tiles.
#[derive(Default)]
pub struct Body {
    pub lines: String,
    /// Tiles by their text.
    pub tiles: BTreeMap<String, (String, String)>,
    constants: BTreeMap<i64, String>,
    /// Popped tiles, by the memory and address where the case has them.
    pub bound: BTreeMap<(String, u64), (String, String)>,
}

/// The contents of a tile: as they lie in memory, or row after row.
pub enum Laid {
    Raw(Vec<u8>),
    Rows(Vec<u8>),
}

/// An argument.
#[derive(Clone, PartialEq)]
pub enum Given {
    Memory(Vec<u8>),
    Int(i64),
    Float(f64),
}

impl Recording {
    pub fn new(case: &Value, data: &[u8]) -> Unless<Self> {
        let mut r = Self { pipe: Pipe::of(case)?, ..Self::default() };
        for b in case["gm_buffers"].as_array().into_iter().flatten() {
            let (id, bytes) = (number(&b["buf"])?, number(&b["bytes"])? as usize);
            // The type is that of the first use.
            let at = r.param("g", "", Given::Memory(vec![0; bytes]));
            r.buffers.insert(id, (at, DType::U8));
        }
        r.make_slots();
        let mut used = Vec::new();
        let steps = case["steps"].as_array().ok_or("no steps")?;
        for (at, step) in steps.iter().enumerate() {
            r.choose_core(&steps[at..])?;
            match text(&step["k"]) {
                "write" => r.write(step, data, &mut used)?,
                "op" => r.op(step, &mut used)?,
                _ => {}
            }
        }
        for check in case["checks"].as_array().into_iter().flatten() {
            let at = match text(&check["buffer"]["space"]) {
                "host" if r.hosted.contains_key(&number(&check["buffer"]["addr"])?) => {
                    let place = r.hosted[&number(&check["buffer"]["addr"])?];
                    Some(r.save(check, place)?)
                }
                "gm" | "host" => Some(r.buffer(&check["buffer"])?.0),
                _ if r.pipe.is_some() => None,
                "" => Some(r.sent.ok_or("a check of memory that was not recorded")?),
                other => {
                    let loc = byte_space(other).ok_or_else(|| format!("check of {other}"))?;
                    Some(r.save(check, (loc, number(&check["buffer"]["addr"])?))?)
                }
            };
            r.checked.push(at);
        }
        if r.checked.is_empty() { Err("nothing to compare".into()) } else { Ok(r) }
    }

    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn param(&mut self, stem: &str, ty: &str, given: Given) -> usize {
        let name = self.name(stem);
        self.params.push((name, ty.to_string()));
        self.args.push(given);
        self.args.len() - 1
    }

    pub fn body(&mut self) -> &mut Body {
        &mut self.bodies[self.core]
    }

    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.body().lines, "  {text}");
    }

    pub fn index(&mut self, n: i64) -> String {
        if let Some(name) = self.body().constants.get(&n) {
            return name.clone();
        }
        let name = self.name("%c");
        self.line(&format!("{name} = arith.constant {n} : index"));
        self.body().constants.insert(n, name.clone());
        name
    }

    pub fn buffer(&self, at: &Value) -> Unless<(usize, DType)> {
        self.buffers.get(&buffer_id(at)?).copied().ok_or_else(|| "an unknown buffer".into())
    }

    /// Memory contents: of a buffer before the program starts, of a tile by a load.
    fn write(&mut self, step: &Value, data: &[u8], used: &mut Vec<u64>) -> Unless<()> {
        let (at, what) = (&step["at"], &step["data"]);
        let len = number(&what["len"])? as usize;
        let bytes = match what["off"].as_u64() {
            Some(off) => data.get(off as usize..off as usize + len).ok_or("data outside the file")?.to_vec(),
            None => vec![number(&what["fill"])? as u8; len],
        };
        match text(&at["space"]) {
            // New contents between calls are those of another buffer, unless the program has changed the old ones.
            "gm" | "host" if used.contains(&buffer_id(at)?) => {
                let (id, start) = (buffer_id(at)?, number(&at["addr"])? as usize);
                if self.stored.contains(&id) {
                    return Err("a buffer that the program has changed is written while it runs".into());
                }
                let mut contents = memory(&self.args, self.buffer(at)?.0).to_vec();
                let start = if text(&at["space"]) == "host" { 0 } else { start };
                contents.get_mut(start..start + len).ok_or("a write outside its buffer")?.copy_from_slice(&bytes);
                let param = self.param("g", "", Given::Memory(contents));
                self.buffers.insert(id, (param, DType::U8));
                used.retain(|known| *known != id);
                Ok(())
            }
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
            other if !self.is_loadable(other) && bytes.iter().all(|b| *b == 0) => Ok(()),
            other if other == "l0c" || !self.is_loadable(other) && self.pipe.is_some() => {
                self.laid.insert((other.to_string(), number(&at["addr"])?), Laid::Raw(bytes));
                Ok(())
            }
            other => {
                let loc = byte_space(other).ok_or_else(|| format!("a write to {other}"))?;
                let param = self.param("w", "!pto.ptr<ui8>", Given::Memory(bytes));
                self.body().bound.remove(&(other.to_string(), number(&at["addr"])?));
                self.transfer(param, (loc, number(&at["addr"])?), len as u64, true);
                Ok(())
            }
        }
    }

    /// Whether bytes come to this memory by a load. What the cube core of a pipe has is given to it.
    fn is_loadable(&self, space: &str) -> bool {
        byte_space(space) == Some(Loc::Vec) || byte_space(space).is_some() && self.pipe.is_none()
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

    /// Makes on-chip memory visible after the program.
    fn save(&mut self, check: &Value, place: (Loc, u64)) -> Unless<usize> {
        let len = match check["window"]["prefix_bytes"].as_u64() {
            Some(len) => len,
            None => number(&check["golden"]["len"])?,
        };
        let param = self.param("r", "!pto.ptr<ui8>", Given::Memory(vec![0; len as usize]));
        self.transfer(param, place, len, false);
        Ok(param)
    }

    pub fn program(&self) -> String {
        let declared = |(name, ty): &(String, String)| format!("%{name}: {}", written(ty));
        let params = self.params.iter().map(declared).collect::<Vec<_>>().join(", ");
        if self.pipe.is_some() {
            return self.cores(&params);
        }
        format!("func.func @case({params}) {{\n{}  return\n}}\n", self.bodies[CUBE].lines)
    }

    pub fn run(mut self, checked: &Checked, case: &Value, data: &[u8]) -> Result<(), String> {
        let mut low_args = self.args.clone();
        execute(checked, &mut self.args)?;
        let low = opt::lower(checked, opt::plan::Options::default(), opt::SyncMode::Minimal).map_err(|found| {
            format!("not lowered: {}: {}", found.diagnostics()[0].code, found.diagnostics()[0].message)
        })?;
        execute(&low.program, &mut low_args)?;
        if low_args != self.args {
            return Err("other bytes after lowering".into());
        }
        let mut next = 0;
        for (check, at) in case["checks"].as_array().into_iter().flatten().zip(&self.checked) {
            match at {
                Some(at) => compare(check, memory(&self.args, *at), data)?,
                None => next = self.compare_popped(check, data, next)?,
            }
        }
        Ok(())
    }
}

/// A parameter's type; pointers that no view has been made of are to bytes.
pub fn written(ty: &str) -> &str {
    if ty.is_empty() { "!pto.ptr<ui8>" } else { ty }
}

pub fn memory(args: &[Given], at: usize) -> &[u8] {
    if let Given::Memory(bytes) = &args[at] { bytes } else { &[] }
}

/// Memory that plain bytes can be moved to and from.
fn byte_space(name: &str) -> Option<Loc> {
    match name {
        "ub" => Some(Loc::Vec),
        "l1" => Some(Loc::Mat),
        _ => None,
    }
}

/// Runs a program; memory arguments hold the results afterwards.
fn execute(program: &Checked, given: &mut [Given]) -> Result<(), String> {
    let plan =
        Plan::new(program, None, Options::default()).map_err(|e| format!("no plan: {}", e.diagnostics()[0].message))?;
    let mut args: Vec<Arg> = given
        .iter_mut()
        .map(|g| match g {
            Given::Memory(bytes) => Arg::write_bytes(bytes),
            Given::Int(n) => Arg::Int(*n),
            Given::Float(x) => Arg::Float(*x),
        })
        .collect();
    plan.launch().threads(1).run(&mut args).map_err(|e| format!("stopped: {}", e.diagnostics()[0].message))?;
    Ok(())
}
