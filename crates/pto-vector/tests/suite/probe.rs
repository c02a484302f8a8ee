//! Tiles with memory, and single instructions run on them: what the tests of the kernels are written with.

use pto_isa::rules::{AttrValue, Instance, RuleArg};
use pto_isa::{BLayout, DType, Dim, Loc, Op, Order, SLayout, Target, TileType, Type, enums};
use pto_num::CpuLevel;
use pto_vector::elem::Elem;
use pto_vector::{Code, Numerics, Site, TileRef, find};

/// What memory holds before a test writes it.
pub const FILLER: u8 = 0xa5;

/// A tile and its memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Tile {
    /// Its type, with fixed extents.
    pub ty: TileType,
    /// Its memory.
    pub bytes: Vec<u8>,
}

impl Tile {
    /// A row-major tile of this valid region whose physical rows are `gap` blocks longer than need be.
    pub fn new(dtype: DType, rows: usize, cols: usize, gap: usize) -> Self {
        let unit = 32 / dtype.unit_bytes() as usize;
        let stride = (cols.max(1).div_ceil(unit) + gap) * unit;
        let ty = TileType::new(Loc::Vec, dtype, rows.max(1) as u64, stride as u64);
        Self::with_type(ty.valid(Dim::Fixed(rows as u64), Dim::Fixed(cols as u64)))
    }

    /// A column of `rows` elements, stored one after the other.
    pub fn column(dtype: DType, rows: usize) -> Self {
        let padded = rows.max(1).next_multiple_of(32);
        let ty = TileType::new(Loc::Vec, dtype, padded as u64, 1).layout(BLayout::ColMajor, SLayout::NoneBox, 512);
        Self::with_type(ty.valid(Dim::Fixed(rows as u64), Dim::Fixed(1)))
    }

    /// A tile of this type.
    pub fn with_type(ty: TileType) -> Self {
        Self { ty, bytes: vec![FILLER; ty.bytes() as usize] }
    }

    /// A tile with contents, without a gap.
    pub fn from_fn<E: Elem>(rows: usize, cols: usize, f: impl FnMut(usize, usize) -> E) -> Self {
        Self::new(E::DTYPE, rows, cols, 0).filled(f)
    }

    /// With contents in the valid region.
    pub fn filled<E: Elem>(mut self, mut f: impl FnMut(usize, usize) -> E) -> Self {
        let (rows, cols) = self.valid();
        for r in 0..rows {
            for c in 0..cols {
                let at = self.ty.offset(r as u64, c as u64) as usize;
                // SAFETY: the offset of a valid element lies in the memory.
                unsafe { self.bytes.as_mut_ptr().cast::<E>().add(at).write_unaligned(f(r, c)) };
            }
        }
        self
    }

    /// Valid rows and columns.
    pub fn valid(&self) -> (usize, usize) {
        let fixed = |d: Dim| d.fixed().unwrap_or(0) as usize;
        (fixed(self.ty.valid_rows), fixed(self.ty.valid_cols))
    }

    /// An element.
    pub fn get<E: Elem>(&self, row: usize, col: usize) -> E {
        let at = self.ty.offset(row as u64, col as u64) as usize;
        assert!((at + 1) * size_of::<E>() <= self.bytes.len());
        // SAFETY: checked above.
        unsafe { self.bytes.as_ptr().cast::<E>().add(at).read_unaligned() }
    }

    /// The valid elements, row by row.
    pub fn values<E: Elem>(&self) -> Vec<E> {
        let (rows, cols) = self.valid();
        (0..rows).flat_map(|r| (0..cols).map(move |c| self.get(r, c))).collect()
    }

    fn reference(&mut self, address: Option<*mut u8>) -> TileRef<'_> {
        let (rows, cols) = self.valid();
        let (row_stride, col_stride) = match self.ty.order() {
            Order::Dn => (1, self.ty.rows as usize),
            _ => (self.ty.cols as usize, 1),
        };
        let ptr = address.unwrap_or(self.bytes.as_mut_ptr());
        // SAFETY: the bytes, or those at an address that a test gives, are as many as the type says.
        unsafe { TileRef::new(ptr, &self.ty, (rows, cols), (row_stride, col_stride)) }
    }
}

/// One instruction to run.
pub struct Probe<'a> {
    op: Op,
    tiles: Vec<(&'static str, &'a mut Tile)>,
    scalars: Vec<(&'static str, DType, u64)>,
    attrs: Vec<(&'static str, AttrValue<'static>)>,
    numerics: Numerics,
    plain: bool,
    level: Option<CpuLevel>,
}

impl<'a> Probe<'a> {
    /// An instruction without operands.
    pub fn new(op: Op) -> Self {
        let numerics = Numerics::Reference;
        Self { op, tiles: Vec::new(), scalars: Vec::new(), attrs: Vec::new(), numerics, plain: false, level: None }
    }

    /// With a tile.
    pub fn tile(mut self, slot: &'static str, tile: &'a mut Tile) -> Self {
        self.tiles.push((slot, tile));
        self
    }

    /// With a scalar, as calls carry it.
    pub fn scalar(mut self, slot: &'static str, dtype: DType, bits: u64) -> Self {
        self.scalars.push((slot, dtype, bits));
        self
    }

    /// With an attribute.
    pub fn attr(mut self, name: &'static str, value: AttrValue<'static>) -> Self {
        self.attrs.push((name, value));
        self
    }

    /// With the value of an enumeration.
    pub fn value(self, name: &'static str, of: &str, value: &str) -> Self {
        let def = enums::find(of).expect("an enumeration");
        self.attr(name, AttrValue::Enum(def, def.find(value).expect("a value of it")))
    }

    /// With a device's arithmetic.
    pub fn numerics(mut self, numerics: Numerics) -> Self {
        self.numerics = numerics;
        self
    }

    /// By the plain kernel.
    pub fn plain(mut self, plain: bool) -> Self {
        self.plain = plain;
        self
    }

    /// By the code for a level of the processor, instead of the highest.
    pub fn level(mut self, level: CpuLevel) -> Self {
        self.level = Some(level);
        self
    }

    /// Runs it with all tiles at one address.
    pub fn run_in(self, memory: &mut [u8]) -> Option<()> {
        self.run_at(Some(memory.as_mut_ptr()))
    }

    /// Runs it; nothing when no kernel takes the operands.
    pub fn run(self) -> Option<()> {
        self.run_at(None)
    }

    fn run_at(self, address: Option<*mut u8>) -> Option<()> {
        // SAFETY: the tiles have the memory their types say, and live until the end.
        self.with(address, |code, tiles, scalars| unsafe { code.call(tiles, &[], scalars) }.expect("no fault"))
    }

    /// Gives its code with its operands to a function; nothing when no kernel takes the operands.
    pub fn with<R>(mut self, address: Option<*mut u8>, f: impl FnOnce(&Code, &[TileRef], &[u64]) -> R) -> Option<R> {
        let kernel = find(self.op)?;
        let row = self.op.row();
        let tiles: Vec<Type> = self.tiles.iter().map(|(_, t)| Type::TileBuf(t.ty)).collect();
        let scalars: Vec<Type> =
            self.scalars.iter().map(|(_, d, _)| Type::Scalar(pto_isa::ScalarType::Elem(*d))).collect();
        let slot = |name: &str| row.slot(name).unwrap_or_else(|| panic!("no slot {name}")) as u8;
        let tile_args = self.tiles.iter().zip(&tiles).map(|((s, _), ty)| RuleArg { slot: slot(s), ty, value: None });
        let scalar_args =
            self.scalars.iter().zip(&scalars).map(|((s, ..), ty)| RuleArg { slot: slot(s), ty, value: None });
        let args: Vec<RuleArg> = tile_args.chain(scalar_args).collect();
        let instance = Instance { row, target: Target::Cpu, manual: false, args: &args, attrs: &self.attrs };
        let prepared =
            kernel.prepare(&Site { instance, numerics: self.numerics, plain: self.plain, level: self.level })?;
        let mut refs = vec![TileRef::ABSENT; kernel.tiles.len()];
        for (name, tile) in &mut self.tiles {
            let reference = tile.reference(address);
            let same = kernel.tiles.iter().zip(&mut refs).filter(|(t, _)| *t == name);
            same.for_each(|(_, at)| *at = reference);
        }
        let value = |s: &&str| self.scalars.iter().find(|(name, ..)| name == s).map_or(0, |(.., bits)| *bits);
        let values: Vec<u64> = kernel.scalars.iter().map(value).collect();
        Some(f(&prepared, &refs, &values))
    }
}

/// Numbers that look random, the same every time.
pub struct Numbers(u64);

impl Numbers {
    /// Starts over.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Elements that tests draw from: small and large numbers, all special values, many ties.
pub trait Sample: Elem {
    /// One of them.
    fn sample(numbers: &mut Numbers) -> Self;
    /// True when the bits agree, or both are NaN.
    fn same(self, other: Self) -> bool;
}

macro_rules! integer_samples {
    ($($type:ty)+) => {$(
        impl Sample for $type {
            fn sample(numbers: &mut Numbers) -> Self {
                let n = numbers.next();
                match n % 4 {
                    0 => (n >> 8) as Self,
                    1 => ((n >> 8) % 5) as Self,
                    2 => <$type>::MAX.wrapping_add(((n >> 8) % 3) as Self),
                    _ => (0 as $type).wrapping_sub(((n >> 8) % 7) as Self),
                }
            }
            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )+};
}
integer_samples!(i8 u8 i16 u16 i32 u32 i64 u64);

macro_rules! float_samples {
    ($($type:ty, $from:expr, $to:expr;)+) => {$(
        impl Sample for $type {
            fn sample(numbers: &mut Numbers) -> Self {
                const SPECIAL: [f32; 6] = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0];
                let n = numbers.next();
                let fraction = (n >> 40) as f32 / (1 << 20) as f32;
                $from(match n % 16 {
                    0 => SPECIAL[(n >> 8) as usize % SPECIAL.len()],
                    1..=4 => ((n >> 8) % 9) as f32 - 4.0,
                    5 => f32::from_bits((n >> 16) as u32 & 0x7eff_ffff),
                    6 if n >> 58 == 0 => f32::from_bits(f32::NAN.to_bits() | (n as u32 & 0x8000_0000)),
                    _ => fraction - 8.0,
                })
            }
            fn same(self, other: Self) -> bool {
                let (a, b): (f32, f32) = ($to(self), $to(other));
                (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
            }
        }
    )+};
}
float_samples! {
    f32, |x: f32| x, |x: f32| x;
    pto_num::F16, pto_num::F16::from_f32, pto_num::F16::to_f32;
    pto_num::Bf16, pto_num::Bf16::from_f32, pto_num::Bf16::to_f32;
}
