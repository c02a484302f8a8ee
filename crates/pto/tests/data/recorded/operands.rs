//! Operands as text: tiles, windows of global memory, numbers.

use super::arguments::*;
use super::compare::pack;
use super::recording::{Given, Recording};
use pto::isa::{BLayout, DType, Dim, GlobalLayout, Loc, Pad, SLayout, TileType};
use pto_testkit::elements::*;
use serde_json::Value;

impl Recording {
    /// The name and type of a tile at an address; `open` gives the valid region its type leaves open.
    pub fn tile_at(&mut self, ty: &TileType, addr: u64, open: Option<(u64, u64)>) -> (String, String) {
        let written = tile_text(ty);
        let key = format!("{written} {addr} {open:?}");
        if let Some(known) = self.body().tiles.get(&key) {
            return known.clone();
        }
        let (at, name) = (self.name("%a"), self.name("%t"));
        self.line(&format!("{at} = arith.constant {addr} : i64"));
        let open = open.map_or_else(String::new, |(rows, cols)| {
            format!(" valid_row = {} valid_col = {}", self.index(rows as i64), self.index(cols as i64))
        });
        self.line(&format!("{name} = pto.alloc_tile addr = {at}{open} : {written}"));
        self.body().tiles.insert(key, (name.clone(), written.clone()));
        (name, written)
    }

    /// A recorded tile; `None` when it was never given an address.
    pub fn tile(&mut self, t: &Value) -> Unless<Option<(String, String)>> {
        if text(&t["at"]["space"]) == "none" {
            return Ok(None);
        }
        let loc = Loc::parse(text(&t["loc"])).ok_or_else(|| format!("tiles in {}", text(&t["loc"])))?;
        let place = spot(t)?;
        if let Some(popped) = self.body().bound.get(&place) {
            return Ok(Some(popped.clone()));
        }
        let (ty, open) = tile_type(t, loc)?;
        if let Some(laid) = self.laid.remove(&place) {
            let fixed = ty.valid(Dim::Fixed(number(&t["vrow"])?), Dim::Fixed(number(&t["vcol"])?));
            let rows = laid.rows(&fixed);
            return Ok(Some(self.given_tile(&fixed, rows)));
        }
        // The recorder keeps biases and words in vector memory; here they have a small one of their own.
        let addr = match text(&t["at"]["space"]) {
            _ if matches!(loc, Loc::Bias | Loc::Scaling) => 0,
            "host" => self.hosted(t, loc)?,
            _ => place.1,
        };
        Ok(Some(self.tile_at(&ty, addr, open)))
    }

    /// The place of a tile that the host allocates: behind those before it.
    fn hosted(&mut self, t: &Value, loc: Loc) -> Unless<u64> {
        let (number, bytes) = (number(&t["at"]["addr"])?, number(&t["bytes"])?);
        if let Some((_, addr)) = self.hosted.get(&number) {
            return Ok(*addr);
        }
        let end = self.taken.entry(text(&t["loc"]).to_string()).or_default();
        let addr = *end;
        *end = (addr + bytes).next_multiple_of(512);
        self.hosted.insert(number, (loc, addr));
        Ok(addr)
    }

    /// A recorded window of global memory. The C++ programs move the valid region of the tile even where the window is larger;
    /// here it must fit.
    pub fn view(&mut self, g: &Value, tile: Option<&Value>, used: &mut Vec<u64>) -> Unless<(String, String)> {
        let layout = text(&g["layout"]).to_ascii_lowercase();
        if !GlobalLayout::ALL.iter().any(|l| l.name().eq_ignore_ascii_case(&layout)) {
            return Err(format!("global layout {layout}"));
        }
        let dtype = dtype(&g["dtype"])?;
        let id = buffer_id(&g["at"])?;
        if g["out"].as_bool() != Some(false) {
            self.stored.push(id);
        }
        let (param, mut known) = self.buffer(&g["at"])?;
        if !used.contains(&id) {
            used.push(id);
            known = dtype;
            self.buffers.insert(id, (param, dtype));
            self.params[param].1 = format!("!pto.ptr<{}>", dtype.mlir());
            if let (DType::I4, Given::Memory(bytes)) = (dtype, &mut self.args[param]) {
                *bytes = pack(bytes);
            }
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
    pub fn scalar(&mut self, s: &Value, like: Option<DType>) -> Unless<(String, String)> {
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
    pub fn counts(&mut self) -> (String, String) {
        let name = self.name("%n");
        self.line(&format!("{name} = arith.constant dense<0> : vector<4xi16>"));
        (name, "vector<4xi16>".into())
    }
}

/// The type of a recorded tile, and the valid region that it leaves open.
pub fn tile_type(t: &Value, loc: Loc) -> Unless<(TileType, Option<(u64, u64)>)> {
    let pad = t["pad"].as_u64().and_then(|n| Pad::ALL.get(n as usize)).ok_or("a pad value of its own")?;
    let dtype = dtype(&t["dtype"])?;
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
    Ok((ty, open.then_some(valid)))
}
