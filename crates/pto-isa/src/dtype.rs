//! Element types: width, packing, and how every dialect spells them.
//!
//! A [`DType`] is what one element of a tile or of global memory is. Scalars that never live in a
//! tile (`index`, `i1`, `f64`) are in [`ScalarType`].

use std::fmt;
use std::ops::RangeInclusive;

/// The element type of a tile or of global memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum DType {
    I4,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F8E4M3,
    F8E5M2,
    F8E8M0,
    Hif8,
    F4E1M2,
    F4E2M1,
}

/// The broad class of an element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Two's complement integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
    /// Any floating-point format.
    Float,
}

struct DTypeInfo {
    name: &'static str,
    bits: u8,
    class: Class,
    mlir: &'static str,
    cpp: &'static str,
    aliases: &'static [&'static str],
}

/// One line per type: our name, bits, class, dialect spelling, C++ spelling, other accepted spellings.
const INFO: [DTypeInfo; DType::COUNT] = {
    const fn row(
        name: &'static str,
        bits: u8,
        class: Class,
        mlir: &'static str,
        cpp: &'static str,
        aliases: &'static [&'static str],
    ) -> DTypeInfo {
        DTypeInfo { name, bits, class, mlir, cpp, aliases }
    }
    use Class::{Float, Signed, Unsigned};
    [
        row("i4", 4, Signed, "i4", "int4b_t", &["s4", "si4", "int4"]),
        row("i8", 8, Signed, "i8", "int8_t", &["s8", "si8", "int8"]),
        row("i16", 16, Signed, "i16", "int16_t", &["s16", "si16", "int16"]),
        row("i32", 32, Signed, "i32", "int32_t", &["s32", "si32", "int32"]),
        row("i64", 64, Signed, "i64", "int64_t", &["s64", "si64", "int64"]),
        row("ui8", 8, Unsigned, "ui8", "uint8_t", &["u8", "uint8"]),
        row("ui16", 16, Unsigned, "ui16", "uint16_t", &["u16", "uint16"]),
        row("ui32", 32, Unsigned, "ui32", "uint32_t", &["u32", "uint32"]),
        row("ui64", 64, Unsigned, "ui64", "uint64_t", &["u64", "uint64"]),
        row("f16", 16, Float, "f16", "half", &["fp16", "float16"]),
        row("bf16", 16, Float, "bf16", "bfloat16_t", &["bfloat16"]),
        row("f32", 32, Float, "f32", "float", &["fp32", "float32"]),
        row("f8e4m3", 8, Float, "f8E4M3FN", "float8_e4m3_t", &["f8E4M3", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "e4m3"]),
        row("f8e5m2", 8, Float, "f8E5M2", "float8_e5m2_t", &["f8E5M2FNUZ", "e5m2"]),
        row("f8e8m0", 8, Float, "!pto.f8E8M0", "float8_e8m0_t", &["f8E8M0", "f8E8M0FNU", "e8m0"]),
        row("hif8", 8, Float, "!pto.hif8", "hifloat8_t", &["hifloat8"]),
        row(
            "f4e1m2",
            4,
            Float,
            "!pto.f4E1M2x2",
            "float4_e1m2x2_t",
            &["f4E1M2x2", "f4e1m2x2", "float4_e1m2x2", "e1m2x2"],
        ),
        row(
            "f4e2m1",
            4,
            Float,
            "!pto.f4E2M1x2",
            "float4_e2m1x2_t",
            &["f4E2M1x2", "f4e2m1x2", "float4_e2m1x2", "e2m1x2", "f4E2M1FN"],
        ),
    ]
};

impl DType {
    /// How many element types there are.
    pub const COUNT: usize = 18;

    /// Every element type, in declaration order.
    pub const ALL: [Self; Self::COUNT] = {
        use DType::*;
        [I4, I8, I16, I32, I64, U8, U16, U32, U64, F16, Bf16, F32, F8E4M3, F8E5M2, F8E8M0, Hif8, F4E1M2, F4E2M1]
    };

    const fn info(self) -> &'static DTypeInfo {
        &INFO[self as usize]
    }

    /// The name used in our diagnostics and documentation, `ui8` for example.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The spelling of the assembler dialect, `ui8` for example.
    pub const fn mlir(self) -> &'static str {
        self.info().mlir
    }

    /// The C++ type of the device headers, `uint8_t` for example.
    pub const fn cpp(self) -> &'static str {
        self.info().cpp
    }

    /// The class: signed, unsigned, float.
    pub const fn class(self) -> Class {
        self.info().class
    }

    /// Bits of one element as it lies in memory.
    pub const fn bits(self) -> u32 {
        self.info().bits as u32
    }

    /// The storage unit the headers count with: `sizeof(T)`, 1 for the packed 4-bit types.
    ///
    /// ```
    /// use pto_isa::DType;
    /// assert_eq!(DType::F32.unit_bytes(), 4);
    /// assert_eq!(DType::F4E2M1.unit_bytes(), 1);
    /// ```
    pub const fn unit_bytes(self) -> u32 {
        let bits = self.bits();
        if bits < 8 { 1 } else { bits / 8 }
    }

    /// Elements per byte: 2 for the 4-bit types, 1 for all others (which may need several bytes).
    pub const fn per_byte(self) -> u32 {
        if self.bits() < 8 { 8 / self.bits() } else { 1 }
    }

    /// Bits from one column of a tile, or element of global memory, to the next. The 4-bit floats come in pairs, and a
    /// column is a pair; 4-bit integers are columns of their own.
    ///
    /// ```
    /// use pto_isa::DType;
    /// assert_eq!((DType::F4E2M1.column_bits(), DType::I4.column_bits()), (8, 4));
    /// ```
    pub const fn column_bits(self) -> u32 {
        match self {
            Self::F4E1M2 | Self::F4E2M1 => 8,
            _ => self.bits(),
        }
    }

    /// True for every floating-point format.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), Class::Float)
    }

    /// True for signed and unsigned integers.
    pub const fn is_int(self) -> bool {
        !self.is_float()
    }

    /// Reads any accepted spelling: ours, the dialect's, the C++ headers', the documentation's.
    ///
    /// ```
    /// use pto_isa::DType;
    /// assert_eq!(DType::parse("ui8"), Some(DType::U8));
    /// assert_eq!(DType::parse("half"), Some(DType::F16));
    /// assert_eq!(DType::parse("index"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        // The names nearly every program uses, before the long list.
        match text {
            "f32" => return Some(Self::F32),
            "i32" => return Some(Self::I32),
            "i64" => return Some(Self::I64),
            "f16" => return Some(Self::F16),
            "bf16" => return Some(Self::Bf16),
            _ => {}
        }
        let bare = text.strip_prefix("!pto.").unwrap_or(text);
        Self::ALL.into_iter().find(|d| {
            let info = d.info();
            [info.name, info.mlir, info.cpp].contains(&text) || info.aliases.contains(&bare) || info.name == bare
        })
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of element types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DTypes(u32);

impl DTypes {
    /// No type at all.
    pub const NONE: Self = Self(0);
    /// Every type.
    pub const ALL: Self = Self((1 << DType::COUNT) - 1);
    /// Integers of whole bytes, and floats of at least two.
    pub const NUMBERS: Self = {
        use DType::*;
        Self::of(&[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32])
    };
    /// Every type whose elements have whole bytes.
    pub const UNPAIRED: Self = {
        use DType::*;
        Self::of(&[F8E4M3, F8E5M2, F8E8M0, Hif8]).union(Self::NUMBERS)
    };
    /// These, and 4-bit floats, of which two are a byte.
    pub const BYTES: Self = Self::of(&[DType::F4E1M2, DType::F4E2M1]).union(Self::UNPAIRED);

    /// The set of the listed types.
    pub const fn of(list: &[DType]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Self(bits)
    }

    /// True when `d` is in the set.
    pub const fn contains(self, d: DType) -> bool {
        self.0 >> d as u32 & 1 == 1
    }

    /// The types in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when nothing is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members in declaration order.
    pub fn iter(self) -> impl Iterator<Item = DType> {
        DType::ALL.into_iter().filter(move |&d| self.contains(d))
    }
}

impl fmt::Display for DTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str(crate::text!("any"));
        }
        for (i, d) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            f.write_str(d.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for DTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// The type of a scalar value: an element type, or one that only the scalar unit has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarType {
    /// A type that may also be a tile element.
    Elem(DType),
    /// One bit: the result of a comparison.
    I1,
    /// Loop counters, offsets and sizes.
    Index,
    /// Double precision; no tile holds it.
    F64,
}

impl ScalarType {
    /// Reads a scalar type name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "index" => Some(Self::Index),
            "i1" => Some(Self::I1),
            "f64" => Some(Self::F64),
            _ => DType::parse(text).map(Self::Elem),
        }
    }

    /// The dialect spelling.
    pub const fn mlir(self) -> &'static str {
        match self {
            Self::Elem(d) => d.mlir(),
            Self::I1 => "i1",
            Self::Index => "index",
            Self::F64 => "f64",
        }
    }

    /// The element type, when it is one.
    pub const fn elem(self) -> Option<DType> {
        match self {
            Self::Elem(d) => Some(d),
            Self::I1 | Self::Index | Self::F64 => None,
        }
    }

    /// True for `index`, `i1` and the integers.
    pub const fn is_int(self) -> bool {
        match self {
            Self::Elem(d) => d.is_int(),
            Self::I1 | Self::Index => true,
            Self::F64 => false,
        }
    }

    /// True for the floating-point types.
    pub const fn is_float(self) -> bool {
        !self.is_int()
    }

    /// The numbers that an integer type holds; `None` for a floating-point type. True of one bit is written 1 or -1.
    ///
    /// ```
    /// use pto_isa::{DType, ScalarType};
    /// assert_eq!(ScalarType::Elem(DType::I8).int_range(), Some(-128..=127));
    /// assert_eq!(ScalarType::Elem(DType::U8).int_range(), Some(0..=255));
    /// ```
    pub fn int_range(self) -> Option<RangeInclusive<i128>> {
        let half = |bits: u32| 1i128 << (bits - 1);
        match self {
            Self::I1 => Some(-1..=1),
            Self::Index => Some(-half(64)..=half(64) - 1),
            Self::Elem(d) if d.class() == Class::Unsigned => Some(0..=2 * half(d.bits()) - 1),
            Self::Elem(d) if d.is_int() => Some(-half(d.bits())..=half(d.bits()) - 1),
            Self::Elem(_) | Self::F64 => None,
        }
    }

    /// The number that a larger one becomes when only as many bits are kept as the integer type has.
    ///
    /// ```
    /// use pto_isa::{DType, ScalarType};
    /// assert_eq!(ScalarType::Elem(DType::I8).wrapped(255), -1);
    /// assert_eq!(ScalarType::Elem(DType::I8).wrapped(300), 44);
    /// ```
    pub fn wrapped(self, n: i128) -> i128 {
        match self.int_range() {
            Some(_) if self == Self::I1 => n & 1,
            Some(range) => range.start() + (n - range.start()).rem_euclid(range.end() - range.start() + 1),
            None => n,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elem(d) => f.write_str(d.name()),
            other => f.write_str(other.mlir()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_reads_back_as_its_own_type() {
        for d in DType::ALL {
            let info = d.info();
            for text in [info.name, info.mlir, info.cpp].into_iter().chain(info.aliases.iter().copied()) {
                assert_eq!(DType::parse(text), Some(d), "{text}");
            }
        }
    }

    #[test]
    fn sets_list_their_members_in_order() {
        let set = DTypes::of(&[DType::F32, DType::I16]);
        assert_eq!(set.to_string(), "i16, f32");
        assert!(set.contains(DType::I16) && !set.contains(DType::I8));
        assert_eq!(DTypes::ALL.to_string(), "any");
    }
}
