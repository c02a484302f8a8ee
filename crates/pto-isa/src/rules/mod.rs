//! The rule vocabulary and its evaluation on the types of one instruction.
//!
//! A rule that does not fit the vocabulary is a named function ([`Rule::Named`]) that the row refers to. Rules never
//! read a mnemonic. Extents that are known only at run time make a rule [`Verdict::Dynamic`]: neither kept nor broken,
//! but checked when the program runs.

mod describe;
mod eval;

use crate::codes::{self, Code};
use crate::enums::EnumDef;
use crate::row::{ElemRule, Orders, Row, Slot};
use crate::text;
use crate::{DType, DTypes, Dim, Loc, Locs, Order, ScalarType, Target, TileType, Type};

/// A rule over the operands of one instruction; operands are named by slot.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Equal valid rows and columns.
    SameValid(&'static [&'static str]),
    /// Equal valid rows.
    SameValidRows(&'static [&'static str]),
    /// Equal valid columns.
    SameValidCols(&'static [&'static str]),
    /// Equal physical rows and columns.
    SameShape(&'static [&'static str]),
    /// This many valid rows.
    ValidRows(&'static str, u64),
    /// This many valid columns.
    ValidCols(&'static str, u64),
    /// At least one valid row and column.
    NonEmpty(&'static [&'static str]),
    /// The valid region of the first lies inside that of the second.
    Inside(&'static str, &'static str),
    /// Lives in one of these memories.
    Locs(&'static str, Locs),
    /// Has one of these layouts.
    Orders(&'static [&'static str], Orders),
    /// Has one of these element types.
    ElemIn(&'static str, DTypes),
    /// Equal element types.
    SameElem(&'static [&'static str]),
    /// Element types of equal size.
    SameElemSize(&'static [&'static str]),
    /// Element size in bytes is one of these.
    ElemBytes(&'static [&'static str], &'static [u32]),
    /// The element types are one of these combinations.
    Elems(&'static [&'static str], &'static [&'static [DType]]),
    /// The memories of two operands are one of these pairs.
    LocPairs(&'static str, &'static str, &'static [(Loc, Loc)]),
    /// Box size in bytes.
    Fractal(&'static str, u32),
    /// When the first operand or attribute is given, so must the second be, and the other way round.
    Together(&'static str, &'static str),
    /// The first operand or attribute must not be given together with the second.
    NotBoth(&'static str, &'static str),
    /// At least one of these operands or attributes must be given.
    OneOf(&'static [&'static str]),
    /// Any other rule: what it says, and the function that decides.
    Named(&'static str, fn(&Instance) -> Verdict),
}

/// The value of an attribute, as far as rules care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrValue<'a> {
    /// An integer.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// Text.
    Str(&'a str),
    /// A value of an enumeration, by position.
    Enum(&'static EnumDef, usize),
    /// Two integers.
    Pair([i64; 2]),
    /// Present, of another form.
    Other,
}

impl AttrValue<'_> {
    /// The spelling of an enumeration value.
    pub const fn enum_name(&self) -> Option<&'static str> {
        match self {
            Self::Enum(def, at) => Some(def.value(*at)),
            _ => None,
        }
    }
}

/// An operand as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct RuleArg<'a> {
    /// Its slot, counted over operands and then results.
    pub slot: u8,
    /// Its type.
    pub ty: &'a Type,
    /// Its value, when the program fixes it.
    pub value: Option<i64>,
}

/// One use of an instruction: its row, the target, and its operands.
pub struct Instance<'a> {
    /// The row.
    pub row: &'static Row,
    /// The target.
    pub target: Target,
    /// The program places its tiles itself (level 3), so a missing scratch tile will not be added.
    pub manual: bool,
    /// Operands and results.
    pub args: &'a [RuleArg<'a>],
    /// Attributes by canonical name.
    pub attrs: &'a [(&'a str, AttrValue<'a>)],
}

/// A broken rule, before it has a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Which diagnostic.
    pub code: Code,
    /// Slots it is about; the first is the one to change.
    pub slots: Vec<usize>,
    /// What was found, as a sentence fragment about the first slot.
    pub found: String,
    /// What is legal.
    pub legal: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl Broken {
    /// A broken rule about one or more slots.
    pub fn new(code: Code, slots: Vec<usize>, found: impl Into<String>, legal: impl Into<String>) -> Self {
        Self { code, slots, found: found.into(), legal: legal.into(), help: None }
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// What became of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It depends on extents known only at run time.
    Dynamic,
    /// It is broken.
    Broken(Broken),
}

impl Verdict {
    /// Broken unless `ok`.
    pub fn require(ok: bool, broken: impl FnOnce() -> Broken) -> Self {
        if ok { Self::Holds } else { Self::Broken(broken()) }
    }
}

impl<'a> Instance<'a> {
    /// The first operand in a slot.
    pub fn arg(&self, slot: &str) -> Option<&RuleArg<'a>> {
        let at = self.row.slot(slot)?;
        self.args.iter().find(|a| usize::from(a.slot) == at)
    }

    /// Its type.
    pub fn ty(&self, slot: &str) -> Option<&'a Type> {
        self.arg(slot).map(|a| a.ty)
    }

    /// Its tile type.
    pub fn tile(&self, slot: &str) -> Option<&'a TileType> {
        self.ty(slot)?.tile()
    }

    /// Its constant value.
    pub fn value(&self, slot: &str) -> Option<i64> {
        self.arg(slot)?.value
    }

    /// The value of an attribute that is given.
    pub fn attr(&self, name: &str) -> Option<AttrValue<'a>> {
        self.attrs.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }

    /// The spelling of an enumeration attribute, given or by default.
    pub fn attr_name(&self, name: &str) -> Option<&'static str> {
        match self.attr(name) {
            Some(v) => v.enum_name(),
            None => self.row.attr(name).map(|a| a.default).filter(|d| !d.is_empty()),
        }
    }

    /// The value of an integer attribute, given or by default.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attr(name) {
            Some(AttrValue::Int(n)) => Some(n),
            Some(_) => None,
            None => self.row.attr(name)?.default_int(&|other| self.int(other)),
        }
    }

    /// True when an operand or attribute of this name is given.
    pub fn given(&self, name: &str) -> bool {
        self.arg(name).is_some() || self.attr(name).is_some()
    }

    /// The position of a slot, for messages.
    pub fn at(&self, slot: &str) -> usize {
        self.row.slot(slot).unwrap_or(0)
    }

    /// The layout as the target sees it: the box order of a left operand is the target's, not the text's.
    pub fn order(&self, tile: &TileType) -> Order {
        if tile.loc == Loc::Left && tile.is_boxed() {
            return TileType { blayout: self.target.profile().left_order, ..*tile }.order();
        }
        tile.order()
    }

    fn tiles(&self, slots: &'static [&'static str]) -> Vec<(usize, &'a TileType)> {
        slots.iter().filter_map(|s| Some((self.at(s), self.tile(s)?))).collect()
    }

    /// Every broken rule, and whether some rule must wait for run time.
    pub fn check(&self) -> (Vec<Broken>, bool) {
        let mut broken = Vec::new();
        let mut dynamic = false;
        for arg in self.args {
            self.check_slot(arg, &mut broken);
        }
        self.check_data_types(&mut broken);
        self.check_scratch(&mut broken);
        if broken.is_empty() {
            for rule in self.row.rules_on(self.target) {
                match self.eval(rule) {
                    Verdict::Holds => {}
                    Verdict::Dynamic => dynamic = true,
                    Verdict::Broken(b) => broken.push(b),
                }
            }
        }
        (broken, dynamic)
    }

    /// True when no rule is broken. Stops at the first that is, so it is faster than [`check`](Self::check).
    pub fn is_legal(&self) -> bool {
        let mut broken = Vec::new();
        let slots_fit = self.args.iter().all(|arg| {
            self.check_slot(arg, &mut broken);
            broken.is_empty()
        });
        if !slots_fit {
            return false;
        }
        self.check_data_types(&mut broken);
        self.check_scratch(&mut broken);
        let is_broken = |rule| matches!(self.eval(rule), Verdict::Broken(_));
        broken.is_empty() && !self.row.rules_on(self.target).any(is_broken)
    }

    fn check_slot(&self, arg: &RuleArg, broken: &mut Vec<Broken>) {
        let at = usize::from(arg.slot);
        let slot = self.row.slot_at(at);
        if !slot.kind.accepts(arg.ty) {
            let found = text!("{operand} is {ty}", operand = operand(slot), ty = arg.ty);
            broken.push(Broken::new(codes::OPERAND_KIND, vec![at], found, slot.kind.noun()));
            return;
        }
        if let ElemRule::Of(set) = slot.elem {
            self.check_elem(arg, slot, set, broken);
        }
        if let ElemRule::Like(other) = slot.elem
            && let (Some(a), Some(b)) = (arg.ty.elem(), self.ty(other).and_then(Type::elem))
            && !compatible(arg.ty, a, b)
        {
            let found = text!("{operand} is {a}, `{other}` is {b}", operand = operand(slot), a, other, b);
            broken.push(Broken::new(codes::ELEM_MISMATCH, vec![at, self.at(other)], found, format!("{b}")));
        }
        if let Some(tile) = arg.ty.tile() {
            self.check_place(at, slot, tile, broken);
        }
    }

    fn check_elem(&self, arg: &RuleArg, slot: &Slot, set: DTypes, broken: &mut Vec<Broken>) {
        if let Some(d) = arg.ty.elem()
            && !set.contains(d)
        {
            let at = usize::from(arg.slot);
            let found = text!("{operand} is {d}", operand = operand(slot), d);
            broken.push(Broken::new(codes::ELEM_TYPE, vec![at], found, set.to_string()));
        }
    }

    fn check_place(&self, at: usize, slot: &Slot, tile: &TileType, broken: &mut Vec<Broken>) {
        if !slot.locs.contains(tile.loc) {
            let found = text!("{operand} is in `{loc}`", operand = operand(slot), loc = tile.loc);
            broken.push(Broken::new(codes::LOCATION, vec![at], found, slot.locs.to_string()));
        } else if !slot.orders.contains(self.order(tile)) {
            broken.push(self.layout_broken(at, tile, slot.orders));
        }
    }

    fn layout_broken(&self, at: usize, tile: &TileType, legal: Orders) -> Broken {
        let slot = self.row.slot_at(at);
        let found = text!(
            "{operand} is {order} (blayout={tile}, slayout={tile2})",
            operand = operand(slot),
            order = self.order(tile),
            tile = tile.blayout.name(),
            tile2 = tile.slayout.name()
        );
        Broken::new(codes::LAYOUT, vec![at], found, legal.to_string())
    }

    /// All `Data` operands share one element type, and the target has it.
    fn check_data_types(&self, broken: &mut Vec<Broken>) {
        let legal = self.row.data_types(self.target);
        let data = |a: &&RuleArg| self.row.slot_at(usize::from(a.slot)).elem == ElemRule::Data;
        let Some(first) = self.args.iter().filter(data).find(|a| !matches!(a.ty, Type::Scalar(_))) else { return };
        let Some(dtype) = first.ty.elem() else { return };
        if !legal.contains(dtype) {
            let found =
                text!("{operand} is {dtype}", operand = operand(self.row.slot_at(usize::from(first.slot))), dtype);
            broken.push(Broken::new(codes::ELEM_TYPE, vec![usize::from(first.slot)], found, legal.to_string()));
            return;
        }
        for arg in self.args.iter().filter(data) {
            // No tile has elements of f64, yet it is a float like the others.
            let fits = match arg.ty {
                Type::Scalar(ScalarType::F64) => dtype.is_float(),
                _ => arg.ty.elem().is_none_or(|other| compatible(arg.ty, other, dtype)),
            };
            if !fits {
                let slot = self.row.slot_at(usize::from(arg.slot));
                let found = text!(
                    "{operand} is {arg}, `{row}` is {dtype}",
                    operand = operand(slot),
                    arg = arg.ty.elem().map_or_else(|| arg.ty.to_string(), |d| d.to_string()),
                    row = self.row.slot_at(usize::from(first.slot)).name,
                    dtype
                );
                let slots = vec![usize::from(arg.slot), usize::from(first.slot)];
                broken.push(Broken::new(codes::ELEM_MISMATCH, slots, found, format!("{dtype}")));
            }
        }
    }

    fn check_scratch(&self, broken: &mut Vec<Broken>) {
        let Some(scratch) = &self.row.scratch else { return };
        let at = self.at(scratch.slot);
        let given = self.arg(scratch.slot);
        if given.is_none() && self.manual && scratch.required.contains(self.target) {
            let found = text!("no scratch tile `{slot}`", slot = scratch.slot);
            let help = text!(
                "allocate one and pass it as `{slot}`; where tiles have no addresses it is added for you",
                slot = scratch.slot
            );
            broken.push(Broken::new(codes::SCRATCH, vec![at], found, text::translate(scratch.rule)).help(help));
        }
        if given.is_some() && scratch.forbidden.contains(self.target) {
            let found = text!("a scratch tile `{slot}`", slot = scratch.slot);
            broken.push(Broken::new(codes::SCRATCH, vec![at], found, text!("none on {target}", target = self.target)));
        }
        if let Some(tile) = given.and_then(|a| a.ty.tile())
            && self.target != Target::Cpu
            && let Some(need) = scratch.bytes.and_then(|f| f(self))
            && tile.bytes() < need
        {
            let found = text!("`{slot}` has {tile} bytes", slot = scratch.slot, tile = tile.bytes());
            let legal = text!("at least {need} bytes ({rule})", need, rule = text::translate(scratch.rule));
            broken.push(Broken::new(codes::SCRATCH, vec![at], found, legal));
        }
    }
}

/// Scalars need only be of the class of the tile's elements; everything else must be equal.
fn compatible(ty: &Type, a: DType, b: DType) -> bool {
    match ty {
        Type::Scalar(ScalarType::Elem(_)) => a.is_float() == b.is_float(),
        Type::Scalar(_) => true,
        _ => a == b,
    }
}

fn operand(slot: &Slot) -> String {
    format!("`{}`", slot.name)
}

/// The type an [`Infer::MaskFor`](crate::row::Infer) rule gives: one bit per element in whole 32-byte rows of `u8`.
///
/// ```
/// use pto_isa::{rules::mask_type, DType, Dim, Loc, TileType};
/// let mask = mask_type(&TileType::new(Loc::Vec, DType::F32, 16, 16));
/// assert_eq!((mask.dtype, mask.rows, mask.cols), (DType::U8, 16, 32));
/// assert_eq!(mask.valid_cols, Dim::Fixed(2));
/// ```
pub fn mask_type(src: &TileType) -> TileType {
    let bytes = |cols: u64| cols.div_ceil(8);
    let cols = bytes(src.cols).next_multiple_of(crate::BLOCK_BYTES);
    let valid_cols = src.valid_cols.fixed().map_or(Dim::Dynamic, |c| Dim::Fixed(bytes(c)));
    TileType::new(Loc::Vec, DType::U8, src.rows, cols).valid(src.valid_rows, valid_cols)
}
