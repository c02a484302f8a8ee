//! What a kernel says about itself, and what it is chosen by.

use super::{Code, Prepared};
use pto_isa::rules::Instance;
use pto_isa::{ScalarType, TileType, Type};
use pto_num::{CpuLevel, cpu_level};
use std::mem::transmute;

/// An instruction of a program, while its kernel is chosen.
pub struct Site<'a> {
    /// The instruction with its operand types and attributes.
    pub instance: Instance<'a>,
    /// Whose arithmetic.
    pub numerics: Numerics,
    /// Always use the plain version of the kernel, regardless of the layout.
    pub plain: bool,
    /// Take the fast version for this level and nothing beyond it, if the processor has it; otherwise, and where no level is given,
    /// that for all the processor has.
    pub level: Option<CpuLevel>,
}

impl<'a> Site<'a> {
    /// The tile type of an operand.
    pub fn tile(&self, slot: &str) -> Option<&'a TileType> {
        self.instance.tile(slot)
    }

    /// The level to take the fast version for.
    pub fn cpu_level(&self) -> CpuLevel {
        self.level.map_or(cpu_level(), |l| l.min(cpu_level()))
    }

    /// The type of a scalar operand.
    pub fn scalar(&self, slot: &str) -> Option<ScalarType> {
        self.instance.ty(slot).and_then(Type::scalar)
    }

    /// The spelling of an enumeration attribute, given or by default.
    pub fn attr(&self, name: &str) -> Option<&'static str> {
        self.instance.attr_name(name)
    }
}

/// Whose arithmetic a run follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Numerics {
    /// The documented rules.
    #[default]
    Reference,
    /// As Ascend A2/A3 computes, where it is known to differ.
    A2A3,
    /// As Ascend A5 computes, where it is known to differ.
    A5,
}

/// How an instruction is executed. Every row of the table has one.
#[derive(Clone, Copy, Debug)]
pub struct OpKernel {
    /// The tile operands it works on, by slot name, in the order the kernel gets them. [`NONE`] is always absent.
    pub tiles: &'static [&'static str],
    /// The windows of global memory.
    pub views: &'static [&'static str],
    /// The scalar operands.
    pub scalars: &'static [&'static str],
    /// How its work can be divided; `None` if it cannot.
    pub cut: Option<KernelCut>,
    /// What it does with factors of products.
    pub factors: FactorUse,
    /// What it does with sorted lists of records.
    pub records: RecordUse,
    /// Which valid elements of its result it writes.
    pub writes: WrittenPart,
    /// A [`Prepare`] with its operand counts erased, and the function that restores them.
    prepare: unsafe fn(),
    erased: unsafe fn(unsafe fn(), &Site) -> Option<Code>,
}

/// What an instruction does with the factors of products of matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactorUse {
    /// Nothing special.
    None,
    /// It loads the tile from the window.
    Loads,
    /// It moves the first tile, or a window of it, into the second.
    Moves,
    /// It multiplies the second tile by the third.
    Multiplies,
}

/// The valid elements of its results that an instruction writes. Others keep what they held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WrittenPart {
    /// All of them.
    All,
    /// Those whose element of the first tile is valid.
    WhereSource,
    /// The same, where rows become columns.
    WhereTransposed,
    /// It depends on data, or on more than the extents of tiles.
    Some,
}

/// What an instruction does with sorted lists of records: values with their positions, of eight bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordUse {
    /// Nothing special.
    None,
    /// It makes a record of each element of the first tile, and writes them to the last.
    Makes,
    /// It merges lists of records. If not all of a merged list is wanted, its last scalar says how many columns are.
    Merges,
}

/// How the work of an instruction can be divided: a call for some rows of its tiles, then one for the next rows, and so on,
/// gives the same bits as one call. Such a kernel touches nothing but the valid regions of its tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelCut {
    /// Columns can be divided as well, because each element of the result depends on the elements at its place only.
    pub by_columns: bool,
    /// The position of the tile that every call needs whole.
    pub whole: Option<usize>,
    /// Integers may divide by zero, so what is found first depends on the order.
    pub divides: bool,
}

impl KernelCut {
    /// Each row of the result depends on the same row of the operands.
    pub const ROWS: Self = Self { by_columns: false, whole: None, divides: false };
    /// Each element of the result depends on the same element of the operands.
    pub const ELEMENTS: Self = Self { by_columns: true, ..Self::ROWS };

    /// The tile at this position has one row for all rows of the result.
    #[must_use]
    pub const fn with_whole(self, position: usize) -> Self {
        Self { whole: Some(position), ..self }
    }

    /// It divides.
    #[must_use]
    pub const fn dividing(self) -> Self {
        Self { divides: true, ..self }
    }
}

/// The name of a slot that no instruction has.
pub const NONE: &str = "";

/// Chooses the code for an instruction; `None` if there is none for these operand types.
pub type Prepare<const T: usize, const V: usize = 0, const S: usize = 0> = fn(&Site) -> Option<Prepared<T, V, S>>;

impl OpKernel {
    /// No code yet: a program that uses it does not run.
    pub const MISSING: Self = Self::new(&[], |_| None);

    /// True when there is no code yet.
    pub fn is_missing(&self) -> bool {
        self.tiles.is_empty() && self.views.is_empty() && self.scalars.is_empty()
    }

    /// A kernel on tiles alone.
    pub const fn new<const T: usize>(tiles: &'static [&'static str; T], prepare: Prepare<T>) -> Self {
        Self::taking(tiles, &[], &[], prepare)
    }

    /// A kernel on tiles, windows of global memory and scalars.
    pub const fn taking<const T: usize, const V: usize, const S: usize>(
        tiles: &'static [&'static str; T],
        views: &'static [&'static str; V],
        scalars: &'static [&'static str; S],
        prepare: Prepare<T, V, S>,
    ) -> Self {
        assert!(T < 256 && V < 256 && S < 256, "numbers of operands are bytes");
        // SAFETY: only `erased` calls it, as what it was.
        let prepare = unsafe { transmute::<Prepare<T, V, S>, unsafe fn()>(prepare) };
        let (factors, records) = (FactorUse::None, RecordUse::None);
        let (cut, writes) = (None, WrittenPart::All);
        Self { tiles, views, scalars, cut, factors, records, writes, prepare, erased: erased::<T, V, S> }
    }

    /// The same kernel, whose work can be divided.
    #[must_use]
    pub const fn cut(self, cut: KernelCut) -> Self {
        Self { cut: Some(cut), ..self }
    }

    /// The same kernel, which does this with factors of products.
    #[must_use]
    pub const fn factors(self, factors: FactorUse) -> Self {
        Self { factors, ..self }
    }

    /// The same kernel, which does this with sorted lists.
    #[must_use]
    pub const fn records(self, records: RecordUse) -> Self {
        Self { records, ..self }
    }

    /// The same kernel, which writes these elements of its result.
    #[must_use]
    pub const fn writing(self, writes: WrittenPart) -> Self {
        Self { writes, ..self }
    }

    /// The code for an instruction; `None` if there is none for these operand types.
    pub fn prepare(&self, site: &Site) -> Option<Code> {
        // SAFETY: `taking` made the two for the same numbers.
        unsafe { (self.erased)(self.prepare, site) }
    }
}

/// Prepares code, and forgets its numbers of operands.
///
/// # Safety
/// `prepare` must be a [`Prepare`] of these numbers.
unsafe fn erased<const T: usize, const V: usize, const S: usize>(prepare: unsafe fn(), site: &Site) -> Option<Code> {
    // SAFETY: the caller says that this is what it was.
    let prepare = unsafe { transmute::<unsafe fn(), Prepare<T, V, S>>(prepare) };
    prepare(site).map(Code::from)
}
