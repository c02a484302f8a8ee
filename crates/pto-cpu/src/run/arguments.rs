//! Arguments become what cores keep: buffers of global memory, numbers in registers, tiles in the memory of a core.

use super::core::Core;
use crate::args::{Arg, Param, ParamKind};
use crate::memory::{Buffer, buffer_address, split_address};
use crate::prepared::{Plan, Role, Slot, Tile, View, float_of, int_of};
use pto_isa::{DType, Diagnostic, Scalar, Span, TileType, codes};

impl Plan {
    /// Buffers and values of all ranks. A buffer's number is that of its parameter, rank after rank.
    pub(super) fn bind<'a, A: AsMut<[Arg<'a>]>>(&self, ranks: &mut [A]) -> Result<Bound, Diagnostic> {
        let mut bound = Bound { slots: self.roles().map(|p| p.source.slots.clone()).collect(), ..Bound::default() };
        let count = self.source.params.len();
        for (rank, args) in ranks.iter_mut().enumerate() {
            let args = args.as_mut();
            if args.len() != count {
                let message = format!("{} arguments for `@{}`, which takes {count}", args.len(), self.source.name);
                return Err(Diagnostic::new(codes::RUN_ARGUMENT, self.entry_span(), message));
            }
            let mut values = Vec::new();
            for (at, (param, arg)) in self.source.params.iter().zip(args).enumerate() {
                let value = self.bind_one(param, arg).map_err(|text| self.argument_error(param, &text))?;
                bound.buffers.push(match &value {
                    Value::Buffer(buffer) | Value::View(buffer, _) => *buffer,
                    Value::Scalar(_) | Value::Tile(..) | Value::Remote(..) => Buffer::NONE,
                });
                values.push(match value {
                    Value::Buffer(_) => Value::Scalar(buffer_address(rank * count + at)),
                    Value::View(b, view) => Value::View(b, View { address: buffer_address(rank * count + at), ..view }),
                    Value::Remote(rank, param) => Value::Scalar(buffer_address(rank * count + param)),
                    other => other,
                });
            }
            bound.values.push(values);
        }
        self.remote_memory_exists(&bound)?;
        Ok(bound)
    }

    /// Pointers to other ranks lead to memory.
    fn remote_memory_exists(&self, bound: &Bound) -> Result<(), Diagnostic> {
        for (param, value) in bound.values.iter().flat_map(|v| self.source.params.iter().zip(v)) {
            let Value::Scalar(address) = value else { continue };
            if !matches!(param.kind, ParamKind::Pointer(_)) {
                continue;
            }
            let at = split_address(*address).0;
            if bound.buffers.get(at).is_none_or(|b| b.ptr.is_null()) {
                return Err(self.argument_error(param, "it leads to a rank or parameter without memory"));
            }
        }
        Ok(())
    }

    fn bind_one(&self, param: &Param, arg: &mut Arg<'_>) -> Result<Value, String> {
        match (&param.kind, arg) {
            (ParamKind::Scalar(s), Arg::Int(n)) => {
                scalar_bits(*s, *n as f64, Some(*n)).ok_or_else(|| format!("an integer for {s}"))
            }
            (ParamKind::Scalar(s), Arg::Float(x)) => {
                scalar_bits(*s, *x, None).ok_or_else(|| format!("a number with a point for {s}"))
            }
            (ParamKind::Pointer(_), Arg::Remote { rank, param }) => Ok(Value::Remote(*rank, *param)),
            (ParamKind::Pointer(_), Arg::In(data)) => Ok(Value::Buffer(Buffer::read(data))),
            (ParamKind::Pointer(_), Arg::InOut(data) | Arg::Tensor(data, _)) => Ok(Value::Buffer(Buffer::write(data))),
            (ParamKind::Tensor(elem, dims), Arg::Tensor(data, shape)) => {
                let matches =
                    shape.len() == dims.len() && dims.iter().zip(*shape).all(|(d, n)| d.is_none_or(|d| d == *n));
                if !matches {
                    return Err(format!("a tensor of {shape:?} where the type says {dims:?}"));
                }
                let view = View::packed(shape);
                fits(column_bits(param, *elem), shape, data.len())?;
                Ok(Value::View(Buffer::write(data), view))
            }
            (ParamKind::Tensor(elem, dims), Arg::InOut(data)) => {
                let shape = fixed(dims)?;
                fits(column_bits(param, *elem), &shape, data.len())?;
                Ok(Value::View(Buffer::write(data), View::packed(&shape)))
            }
            (ParamKind::Tensor(elem, dims), Arg::In(data)) => {
                let shape = fixed(dims)?;
                fits(column_bits(param, *elem), &shape, data.len())?;
                Ok(Value::View(Buffer::read(data), View::packed(&shape)))
            }
            (ParamKind::Tile(ty), Arg::Tile(data, valid)) => tile_value(ty, data.len(), *valid),
            (ParamKind::Tile(ty), Arg::InOut(data)) => tile_value(ty, data.len(), (ty.rows, ty.cols)),
            (ParamKind::Other(what), _) => Err(format!("a {what} cannot be given from outside")),
            (kind, _) => Err(format!("the argument does not suit a parameter that is a {}", noun(kind))),
        }
    }

    /// Where the program names its first function.
    pub fn entry_span(&self) -> Span {
        self.module().functions().first().map_or(Span::default(), |f| self.module().op(*f).name_span)
    }

    fn argument_error(&self, param: &Param, text: &str) -> Diagnostic {
        Diagnostic::new(codes::RUN_ARGUMENT, self.entry_span(), format!("argument `{}`: {text}", param.name))
    }
}

/// Arguments as cores keep them.
#[derive(Default)]
pub(super) struct Bound {
    pub buffers: Vec<Buffer>,
    /// By rank.
    values: Vec<Vec<Value>>,
    /// Where the plans of the roles keep them.
    slots: Vec<Vec<Slot>>,
}

enum Value {
    Scalar(u64),
    Buffer(Buffer),
    View(Buffer, View),
    /// Its valid region.
    Tile((u64, u64)),
    Remote(usize, usize),
}

impl Bound {
    fn slots(&self, core: &Core) -> &[Slot] {
        &self.slots[usize::from(core.role() == Role::Vector)]
    }

    pub fn enter_scalars(&self, rank: usize, core: &mut Core) {
        for (slot, value) in self.slots(core).iter().zip(&self.values[rank]) {
            match (slot, value) {
                (Slot::Scalar(reg), Value::Scalar(bits)) => core.regs.scalars[*reg] = *bits,
                (Slot::View(view), Value::View(_, v)) => core.regs.views[*view] = *v,
                _ => {}
            }
        }
    }

    pub fn enter(&self, rank: usize, core: &mut Core, args: &mut [Arg<'_>]) {
        self.enter_scalars(rank, core);
        for ((slot, value), arg) in self.slots(core).iter().zip(&self.values[rank]).zip(args) {
            if let (Slot::Tile(tile), Value::Tile(valid), Arg::Tile(data, _) | Arg::InOut(data)) = (slot, value, arg) {
                let register = &mut core.regs.tiles[*tile];
                (register.rows, register.cols) = (valid.0 as u32, valid.1 as u32);
                let register = *register;
                core.whole_tile_written(*tile);
                let ty = &core.plan.tiles.geometries[register.geometry];
                if has_nibbles(ty) {
                    let inside = core.local.memory.part(register.base, ty.bytes());
                    each_element(ty, |at, outside| put_nibble(inside, at, nibble(data, outside)));
                    continue;
                }
                each_unit(ty, &register, |at, bytes, outside| {
                    core.local.memory.part(at, bytes).copy_from_slice(&data[outside..outside + bytes as usize]);
                });
            }
        }
    }

    /// Gives tiles back; what has changed was written, under whatever name.
    pub fn leave(&self, core: &mut Core, args: &mut [Arg<'_>]) {
        let first = core.who.rank as usize * args.len();
        let values = &self.values[core.who.rank as usize];
        for (param, ((slot, value), arg)) in self.slots(core).iter().zip(values).zip(args).enumerate() {
            if let (Slot::Tile(tile), Value::Tile(_), Arg::Tile(data, _) | Arg::InOut(data)) = (slot, value, arg) {
                let register = core.plan.start.tiles[*tile];
                let ty = &core.plan.tiles.geometries[register.geometry];
                let mut is_changed = false;
                if has_nibbles(ty) {
                    let inside = core.local.memory.part(register.base, ty.bytes());
                    each_element(ty, |at, outside| {
                        is_changed |= nibble(data, outside) != nibble(inside, at);
                        put_nibble(data, outside, nibble(inside, at));
                    });
                } else {
                    each_unit(ty, &register, |at, bytes, outside| {
                        let (before, after) =
                            (&mut data[outside..outside + bytes as usize], core.local.memory.part(at, bytes));
                        is_changed = is_changed || *before != *after;
                        before.copy_from_slice(after);
                    });
                }
                core.global.written.get_mut(first + param).into_iter().for_each(|written| *written |= is_changed);
            }
        }
    }
}

/// Tiles of the cube whose columns are numbers of four bits: which two share a byte depends on the layout.
fn has_nibbles(ty: &TileType) -> bool {
    ty.column_bits() == 4 && ty.dtype.is_float()
}

/// Visits the elements of a tile: where each lies in it, and in row-major data.
fn each_element(ty: &TileType, mut visit: impl FnMut(usize, usize)) {
    for r in 0..ty.rows {
        for c in 0..ty.cols {
            visit(ty.offset(r, c) as usize, (r * ty.cols + c) as usize);
        }
    }
}

fn nibble(bytes: &[u8], at: usize) -> u8 {
    bytes[at / 2] >> (at % 2 * 4) & 15
}

fn put_nibble(bytes: &mut [u8], at: usize, value: u8) {
    let shift = at % 2 * 4;
    bytes[at / 2] = bytes[at / 2] & !(15 << shift) | value << shift;
}

/// Visits the bytes of a tile: where a unit lies in the core, its size, and where it lies in row-major data. Rows of an
/// unboxed row-major tile are one unit; so is every packed pair of 4-bit elements.
fn each_unit(ty: &TileType, tile: &Tile, mut visit: impl FnMut(u64, u64, usize)) {
    let bits = u64::from(ty.dtype.column_bits());
    if ty.order() == pto_isa::Order::Nd {
        let bytes = ty.cols * bits / 8;
        // A row of 4-bit integers lies in the first half of the bytes that its columns are charged.
        let stride = ty.cols * u64::from(ty.dtype.unit_bytes());
        for r in 0..ty.rows {
            visit(tile.base + r * stride, bytes, (r * bytes) as usize);
        }
        return;
    }
    let per_unit = (8 / bits).max(1);
    let bytes = (bits * per_unit) / 8;
    for r in 0..ty.rows {
        for c in (0..ty.cols).step_by(per_unit as usize) {
            let inside = ty.offset(r, c) * bits / 8;
            visit(tile.base + inside, bytes, ((r * ty.cols + c) * bits / 8) as usize);
        }
    }
}

fn tile_value(ty: &TileType, have: usize, valid: (u64, u64)) -> Result<Value, String> {
    let need = ty.elements().saturating_mul(u64::from(ty.column_bits())).div_ceil(8);
    if have as u64 != need {
        return Err(format!("{have} bytes for a tile of {}x{} {}, which has {need}", ty.rows, ty.cols, ty.dtype));
    }
    let open = |d: pto_isa::Dim, given: u64| d.fixed().unwrap_or(given);
    let valid = (open(ty.valid_rows, valid.0), open(ty.valid_cols, valid.1));
    if valid.0 > ty.rows || valid.1 > ty.cols {
        return Err(format!("a valid region of {}x{} in a tile of {}x{}", valid.0, valid.1, ty.rows, ty.cols));
    }
    Ok(Value::Tile(valid))
}

/// A number as a register holds it.
fn scalar_bits(s: Scalar, x: f64, n: Option<i64>) -> Option<Value> {
    if s.is_float() {
        return float_of(s).map(|f| Value::Scalar(f.round(x)));
    }
    let n = n?;
    let int = int_of(s)?;
    // Types without a sign take the numbers of both readings.
    let (least, beyond) = (-(1i128 << (int.bits - 1)), 1i128 << int.bits);
    (least..beyond).contains(&i128::from(n)).then(|| Value::Scalar(int.keep(n as u64)))
}

fn fixed(dims: &[Option<u64>]) -> Result<Vec<u64>, String> {
    dims.iter()
        .map(|d| d.ok_or_else(|| "a tensor whose extents the type leaves open; give its shape".to_string()))
        .collect()
}

/// Bits of a column in memory.
fn column_bits(param: &Param, elem: DType) -> u32 {
    if elem.is_float() { elem.bits() * param.per_column as u32 } else { elem.column_bits() }
}

fn fits(bits: u32, shape: &[u64], have: usize) -> Result<(), String> {
    let elements = shape.iter().fold(1u64, |all, n| all.saturating_mul(*n));
    let need = elements.saturating_mul(u64::from(bits)).div_ceil(8);
    if (have as u64) < need {
        Err(format!("{have} bytes for a tensor of {shape:?}, which needs {need}"))
    } else {
        Ok(())
    }
}

fn noun(kind: &ParamKind) -> &'static str {
    match kind {
        ParamKind::Pointer(_) => "pointer",
        ParamKind::Tensor(..) => "tensor",
        ParamKind::Scalar(_) => "number",
        ParamKind::Tile(_) => "tile",
        ParamKind::Other(_) => "handle",
    }
}
