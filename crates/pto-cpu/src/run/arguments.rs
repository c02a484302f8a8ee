//! Arguments become what cores keep: buffers of global memory, numbers in registers, tiles in the memory of a core.

use super::core::Core;
use crate::args::{Arg, Borrowed, Data, Param, ParamKind};
use crate::held::join_shared;
use crate::memory::{Buffer, buffer_address, split_address};
use crate::prepared::{Plan, Role, TileState, ValueStorage, ViewState, float_of, int_of};
use pto_isa::text;
use pto_isa::{DType, Diagnostic, ScalarType, Span, TileType, codes};

impl Plan {
    /// Buffers and values of all ranks. A buffer's number is that of its parameter, rank after rank.
    /// With `joins`, arguments that hold the same bytes are parts of one buffer.
    pub(super) fn bind(&self, args: &mut [Arg<'_>], ranks: usize, joins: bool) -> Result<BoundArguments, Diagnostic> {
        let mut bound = BoundArguments {
            slots: self.roles().map(|p| p.source.slots.clone()).collect(),
            ..BoundArguments::default()
        };
        let count = self.source.params.len();
        if args.len() != count.saturating_mul(ranks) {
            return Err(self.count_error(args.len(), ranks));
        }
        let mut given = Vec::with_capacity(args.len());
        for (param, arg) in self.source.params.iter().cycle().zip(args) {
            let value = bind_one(param, arg).map_err(|misfit| self.argument_error(param, misfit))?;
            bound.buffers.push(match &value {
                ArgumentValue::Buffer(buffer) | ArgumentValue::View(buffer, _) => *buffer,
                ArgumentValue::Scalar(_) | ArgumentValue::Tile(..) | ArgumentValue::Remote(..) => Buffer::NONE,
            });
            given.push(value);
        }
        bound.homes = if joins { join_shared(&mut bound.buffers) } else { Vec::new() };
        let address = |at: usize| {
            let (home, first) = bound.homes.get(at).copied().unwrap_or((at, 0));
            buffer_address(home) + first
        };
        let placed = |(at, value): (usize, ArgumentValue)| match value {
            ArgumentValue::Buffer(_) => ArgumentValue::Scalar(address(at)),
            ArgumentValue::View(b, view) => ArgumentValue::View(b, ViewState { address: address(at), ..view }),
            ArgumentValue::Remote(rank, param) => ArgumentValue::Scalar(address(rank * count + param)),
            other => other,
        };
        let has_one_name = bound.homes.iter().enumerate().all(|(at, home)| *home == (at, 0))
            && !given.iter().any(|value| matches!(value, ArgumentValue::Remote(..)));
        if ranks == 1 && has_one_name {
            self.find_fixed(&mut bound.buffers);
        }
        let mut placed = given.into_iter().enumerate().map(placed);
        bound.values = (0..ranks).map(|_| placed.by_ref().take(count).collect()).collect();
        self.remote_memory_exists(&bound)?;
        Ok(bound)
    }

    /// Finds the buffers that nothing writes.
    fn find_fixed(&self, buffers: &mut [Buffer]) {
        let only_loaded = |at: usize| self.roles().all(|plan| plan.source.only_loaded.get(at) == Some(&true));
        let range = |b: &Buffer| b.ptr.addr()..b.ptr.addr() + b.bytes;
        let others: Vec<_> = (0..buffers.len()).filter(|at| !only_loaded(*at)).map(|at| range(&buffers[at])).collect();
        for at in (0..buffers.len()).filter(|at| only_loaded(*at)) {
            let own = range(&buffers[at]);
            buffers[at].is_fixed = !others.iter().any(|other| other.start < own.end && own.start < other.end);
        }
    }

    fn count_error(&self, found: usize, ranks: usize) -> Diagnostic {
        let count = self.source.params.len();
        let of_each = if ranks > 1 { text!(" on each of {ranks} ranks", ranks) } else { String::new() };
        let name = self.source.name.as_str();
        let message = match found {
            1 => text!("1 argument for `@{name}`, which takes {count}{of_each}", name, count, of_each),
            _ => text!("{found} arguments for `@{name}`, which takes {count}{of_each}", found, name, count, of_each),
        };
        let names: Vec<String> =
            self.source.params.iter().map(|p| format!("`{}`: {}", p.name, noun(&p.kind))).collect();
        let d = Diagnostic::new(codes::RUN_ARGUMENT, self.entry_span(), message);
        let d = if names.is_empty() { d } else { d.legal(text!("parameters: {names}", names = names.join(", "))) };
        d.help(if ranks > 1 {
            text!("give each rank an argument for every parameter, one rank after the other")
        } else {
            text!("give an argument for every parameter, in order")
        })
    }

    /// Pointers to other ranks lead to memory.
    fn remote_memory_exists(&self, bound: &BoundArguments) -> Result<(), Diagnostic> {
        for (param, value) in bound.values.iter().flat_map(|v| self.source.params.iter().zip(v)) {
            let ArgumentValue::Scalar(address) = value else { continue };
            if !matches!(param.kind, ParamKind::Pointer(_)) {
                continue;
            }
            let at = split_address(*address).0;
            if bound.buffers.get(at).is_none_or(|b| b.ptr.is_null()) {
                let misfit = Misfit::new(text!("it leads to a rank or parameter without memory"));
                return Err(self.argument_error(
                    param,
                    misfit.help(text!("name a rank and a pointer parameter that is given memory")),
                ));
            }
        }
        Ok(())
    }

    /// Where the program names its first function.
    pub fn entry_span(&self) -> Span {
        self.module().functions().first().map_or(Span::default(), |f| self.module().op(*f).name_span)
    }

    fn argument_error(&self, param: &Param, misfit: Misfit) -> Diagnostic {
        let message = text!("argument `{name}`: {found}", name = param.name, found = misfit.found);
        let d = Diagnostic::new(codes::RUN_ARGUMENT, self.entry_span(), message);
        let d = misfit.legal.into_iter().fold(d, Diagnostic::legal);
        misfit.help.into_iter().fold(d, Diagnostic::help)
    }
}

/// How an argument does not fit its parameter.
struct Misfit {
    found: String,
    legal: Option<String>,
    help: Option<String>,
}

impl Misfit {
    fn new(found: impl Into<String>) -> Self {
        Self { found: found.into(), legal: None, help: None }
    }

    fn legal(self, text: impl Into<String>) -> Self {
        Self { legal: Some(text.into()), ..self }
    }

    fn help(self, text: impl Into<String>) -> Self {
        Self { help: Some(text.into()), ..self }
    }
}

fn bind_one(param: &Param, arg: &mut Arg<'_>) -> Result<ArgumentValue, Misfit> {
    match (&param.kind, arg) {
        (ParamKind::Scalar(s), Arg::Int(n)) => {
            scalar_bits(*s, *n as f64, Some(*n)).ok_or_else(|| no_number(*s, &format!("{n}")))
        }
        (ParamKind::Scalar(s), Arg::Float(x)) => {
            scalar_bits(*s, *x, None).ok_or_else(|| no_number(*s, &format!("{x:?}")))
        }
        (ParamKind::Pointer(_), Arg::Remote { rank, param }) => Ok(ArgumentValue::Remote(*rank, *param)),
        (ParamKind::Pointer(elem), Arg::Memory(memory)) => {
            has_elements(memory, *elem, text!("a pointer to"))?;
            Ok(ArgumentValue::Buffer(buffer(memory)))
        }
        (ParamKind::Tensor(elem, dims), Arg::Memory(memory)) => {
            has_elements(memory, *elem, text!("a tensor of"))?;
            let shape = shape_of(dims, memory.shape)?;
            fits(column_bits(param, *elem), *elem, &shape, memory.bytes().len())?;
            Ok(ArgumentValue::View(buffer(memory), ViewState::packed(&shape)))
        }
        (ParamKind::Tile(ty), Arg::Memory(memory)) => {
            has_elements(memory, ty.dtype, text!("a tile of"))?;
            if !memory.is_written() {
                return Err(
                    Misfit::new(text!("memory that is only read for a tile")).help(text!("give it with `Arg::write`"))
                );
            }
            tile_value(ty, memory.bytes().len(), memory.valid.unwrap_or((ty.rows, ty.cols)))
        }
        (ParamKind::Other(what), _) => Err(Misfit::new(text!("a {what} cannot be given from outside", what))
            .help(text!("make it inside of a function that is called without it"))),
        (kind, arg) => {
            Err(Misfit::new(text!("{given} for {noun}", given = given(arg), noun = noun(kind))).help(give(kind)))
        }
    }
}

fn buffer(memory: &mut Borrowed<'_>) -> Buffer {
    match &mut memory.data {
        Data::Read(data) => Buffer::read(data),
        Data::Write(data) => Buffer::write(data),
        Data::Held(held) => {
            let (ptr, bytes) = held.parts();
            Buffer { ptr, bytes, writable: held.is_writable(), is_fixed: false }
        }
    }
}

/// The elements are those that the parameter has. Two integers of one size and two signs are not: the numbers would change.
fn has_elements(memory: &Borrowed<'_>, elem: DType, whose: &str) -> Result<(), Misfit> {
    let Some(found) = memory.element else { return is_whole(memory.bytes().len(), elem) };
    if let Some(numbers) = memory.cut {
        let found = text!("numbers of {numbers} as the bits of {found}", numbers, found);
        return Err(Misfit::new(found).help(text!("give numbers of the same size, or bytes")));
    }
    if found == elem {
        return is_whole(memory.bytes().len(), elem);
    }
    let bytes = text!(
        "`Arg::of(DType::{elem})` says that bits are those of {elem_plain}",
        elem = format_args!("{:?}", elem),
        elem_plain = elem
    );
    let help = match rust_number(elem) {
        Some(number) => text!("convert the numbers to `{number}`; {bytes}", number, bytes),
        None => bytes,
    };
    Err(Misfit::new(text!("a slice of {found} for {whose} {elem}", found, whose, elem))
        .legal(text!("it takes elements of {elem}", elem))
        .help(help))
}

/// Elements are not cut.
fn is_whole(bytes: usize, elem: DType) -> Result<(), Misfit> {
    let size = elem.bits().div_ceil(8) as usize;
    if bytes.is_multiple_of(size) {
        return Ok(());
    }
    let found = text!("{bytes} bytes, which are not a whole number of {elem}", bytes, elem);
    Err(Misfit::new(found).legal(text!("it takes a multiple of {size} bytes", size)))
}

/// The type of Rust numbers that slices of these elements have.
fn rust_number(elem: DType) -> Option<&'static str> {
    Some(match elem {
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "u8",
        DType::U16 => "u16",
        DType::U32 => "u32",
        DType::U64 => "u64",
        DType::F32 => "f32",
        DType::F16 => "F16",
        DType::Bf16 => "Bf16",
        DType::F8E4M3 => "F8E4M3",
        DType::F8E5M2 => "F8E5M2",
        DType::F8E8M0 => "F8E8M0",
        DType::Hif8 => "Hif8",
        // Several of them share a byte.
        DType::I4 | DType::F4E1M2 | DType::F4E2M1 => return None,
    })
}

fn no_number(s: ScalarType, found: &str) -> Misfit {
    Misfit::new(text!("{found} for a number of type {s}", found, s)).legal(if s.is_float() {
        text!("a floating-point number").to_string()
    } else {
        text!("an integer that {s} can hold, as `Arg::Int`", s)
    })
}

fn given(arg: &Arg<'_>) -> String {
    match arg {
        Arg::Int(n) => text!("the integer {n}", n),
        Arg::Float(x) => text!("the number {x}", x = format_args!("{:?}", x)),
        Arg::Memory(memory) => match memory.element {
            Some(element) => text!("a slice of {element}", element),
            None => text!("a slice of bytes").to_string(),
        },
        Arg::Remote { .. } => text!("memory of another rank").to_string(),
    }
}

fn give(kind: &ParamKind) -> &'static str {
    match kind {
        ParamKind::Scalar(_) => text!("give `Arg::Int` or `Arg::Float`"),
        ParamKind::Tile(_) => text!("give a slice with all rows and columns, as `Arg::write`"),
        _ => text!("give a slice, as `Arg::read` or `Arg::write`"),
    }
}

/// Arguments as cores keep them.
#[derive(Default)]
pub(super) struct BoundArguments {
    pub buffers: Vec<Buffer>,
    /// For each buffer the one that holds its bytes, and where they start; empty if each holds its own.
    homes: Vec<(usize, u64)>,
    /// By rank.
    values: Vec<Vec<ArgumentValue>>,
    /// Where the plans of the roles keep them.
    slots: Vec<Vec<ValueStorage>>,
}

enum ArgumentValue {
    Scalar(u64),
    Buffer(Buffer),
    View(Buffer, ViewState),
    /// Its valid region.
    Tile((u64, u64)),
    Remote(usize, usize),
}

impl BoundArguments {
    /// Notes that memory was written under each of its names.
    pub fn spread_written(&self, written: &mut [bool]) {
        for (at, (home, _)) in self.homes.iter().enumerate() {
            written[at] |= written[*home];
        }
    }

    /// All that decides which steps a run takes, and what it accesses, if numbers in memory do not.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for value in self.values.iter().flatten() {
            match value {
                ArgumentValue::Scalar(bits) => numbers.extend([0, *bits]),
                ArgumentValue::Buffer(buffer) => numbers.extend([1, buffer.bytes as u64]),
                ArgumentValue::View(buffer, view) => {
                    numbers.extend([2, buffer.bytes as u64, view.address]);
                    numbers.extend(view.shape);
                    numbers.extend(view.strides.map(|stride| stride as u64));
                }
                ArgumentValue::Tile((rows, cols)) => numbers.extend([3, *rows, *cols]),
                ArgumentValue::Remote(rank, param) => numbers.extend([4, *rank as u64, *param as u64]),
            }
        }
        numbers
    }

    fn slots(&self, core: &Core) -> &[ValueStorage] {
        &self.slots[usize::from(core.role() == Role::Vector)]
    }

    pub fn enter_scalars(&self, rank: usize, core: &mut Core) {
        for (slot, value) in self.slots(core).iter().zip(&self.values[rank]) {
            match (slot, value) {
                (ValueStorage::Scalar(reg), ArgumentValue::Scalar(bits)) => core.regs.scalars[*reg] = *bits,
                (ValueStorage::View(view), ArgumentValue::View(_, v)) => {
                    let layout = core.plan.start.views[*view].layout;
                    core.regs.views[*view] = ViewState { layout, ..*v };
                }
                _ => {}
            }
        }
    }

    pub fn enter(&self, rank: usize, core: &mut Core, args: &mut [Arg<'_>]) {
        self.enter_scalars(rank, core);
        for ((slot, value), arg) in self.slots(core).iter().zip(&self.values[rank]).zip(args) {
            let data = written_data(arg);
            if let (ValueStorage::Tile(tile), ArgumentValue::Tile(valid), Some(data)) = (slot, value, data) {
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

    /// Copies tiles back; a changed one was written, under any name.
    pub fn leave(&self, core: &mut Core, args: &mut [Arg<'_>]) {
        let first = core.who.id.rank as usize * args.len();
        let values = &self.values[core.who.id.rank as usize];
        for (param, ((slot, value), arg)) in self.slots(core).iter().zip(values).zip(args).enumerate() {
            let data = written_data(arg);
            if let (ValueStorage::Tile(tile), ArgumentValue::Tile(_), Some(data)) = (slot, value, data) {
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
fn each_unit(ty: &TileType, tile: &TileState, mut visit: impl FnMut(u64, u64, usize)) {
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

/// What is copied into tiles and back.
fn written_data<'a>(arg: &'a mut Arg<'_>) -> Option<&'a mut [u8]> {
    match arg {
        Arg::Memory(memory) => memory.bytes_mut(),
        _ => None,
    }
}

fn tile_value(ty: &TileType, have: usize, valid: (u64, u64)) -> Result<ArgumentValue, Misfit> {
    let need = ty.elements().saturating_mul(u64::from(ty.column_bits())).div_ceil(8);
    if have as u64 != need {
        let found = text!(
            "{have} bytes for a tile of {rows}x{cols} {dtype}, which has {need}",
            have,
            rows = ty.rows,
            cols = ty.cols,
            dtype = ty.dtype,
            need
        );
        return Err(Misfit::new(found).help(text!("give all its rows and columns, also those that are not valid")));
    }
    let open = |d: pto_isa::Dim, given: u64| d.fixed().unwrap_or(given);
    let valid = (open(ty.valid_rows, valid.0), open(ty.valid_cols, valid.1));
    if valid.0 > ty.rows || valid.1 > ty.cols {
        let found = text!(
            "a valid region of {valid}x{valid2} in a tile of {rows}x{cols}",
            valid = valid.0,
            valid2 = valid.1,
            rows = ty.rows,
            cols = ty.cols
        );
        return Err(Misfit::new(found).help(text!("`Arg::valid` takes rows and columns that lie in the tile")));
    }
    Ok(ArgumentValue::Tile(valid))
}

/// A number as a register holds it.
fn scalar_bits(s: ScalarType, x: f64, n: Option<i64>) -> Option<ArgumentValue> {
    if s.is_float() {
        return float_of(s).map(|f| ArgumentValue::Scalar(f.round(x)));
    }
    let n = n?;
    let int = int_of(s)?;
    // Types without a sign take the numbers of both readings.
    let (least, beyond) = (-(1i128 << (int.bits - 1)), 1i128 << int.bits);
    (least..beyond).contains(&i128::from(n)).then(|| ArgumentValue::Scalar(int.keep(n as u64)))
}

/// The extents of a tensor: those that are given, which must be those of the type where it states them.
fn shape_of(dims: &[Option<u64>], given: Option<&[u64]>) -> Result<Vec<u64>, Misfit> {
    let text = |dims: &[Option<u64>]| {
        let each = dims.iter().map(|d| d.map_or("?".to_string(), |n| n.to_string()));
        each.collect::<Vec<_>>().join("x")
    };
    let Some(shape) = given else {
        let fixed: Option<Vec<u64>> = dims.iter().copied().collect();
        return fixed.ok_or_else(|| {
            let found = text!("a tensor of {dims}, whose extents the type leaves open", dims = text(dims));
            Misfit::new(found).help(text!("state them: `Arg::write(data).shape(&[…])`"))
        });
    };
    let matches = shape.len() == dims.len() && dims.iter().zip(shape).all(|(d, n)| d.is_none_or(|d| d == *n));
    if !matches {
        let found = text(&shape.iter().map(|n| Some(*n)).collect::<Vec<_>>());
        return Err(Misfit::new(text!("a tensor of {found} where the type says {dims}", found, dims = text(dims))));
    }
    Ok(shape.to_vec())
}

/// Bits of a column in memory.
fn column_bits(param: &Param, elem: DType) -> u32 {
    if elem.is_float() { elem.bits() * param.per_column as u32 } else { elem.column_bits() }
}

fn fits(bits: u32, elem: DType, shape: &[u64], have: usize) -> Result<(), Misfit> {
    let elements = shape.iter().fold(1u64, |all, n| all.saturating_mul(*n));
    let need = elements.saturating_mul(u64::from(bits)).div_ceil(8);
    if have as u64 == need {
        return Ok(());
    }
    let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
    let found = text!(
        "{have} bytes for a tensor of {extents} {elem}, which has {need}",
        have,
        extents = extents.join("x"),
        elem,
        need
    );
    Err(Misfit::new(found).help(text!("give {elements} elements", elements)))
}

/// What a parameter takes, in words.
fn noun(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Pointer(elem) => text!("a pointer to {elem}", elem),
        ParamKind::Tensor(elem, _) => text!("a tensor of {elem}", elem),
        ParamKind::Scalar(s) => text!("a number of type {s}", s),
        ParamKind::Tile(ty) => {
            text!("a tile of {rows}x{cols} {dtype}", rows = ty.rows, cols = ty.cols, dtype = ty.dtype)
        }
        ParamKind::Other(what) => format!("a {what}"),
    }
}
