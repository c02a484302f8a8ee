//! From a program to bytes.

use crate::wire::ByteWriter;
use crate::{BY_NAME, Immediate, MAGIC, NO_MODULE, constant, regions_of, results_of, section};
use pto_ir::print::{TypeStyle, attributes_text, type_text};
use pto_ir::{Attr, Module, OpId, RegionId, TypeId, ValueId};
use pto_isa::row::{Arith, Bytecode, Control, Custom, Storage, Syntax};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{DType, Diagnostic, EnumDef, Error, ScalarType, Type, codes, enums};
use pto_num::{Bf16, F16, Float, Round, Saturate};
use std::collections::HashMap;

/// How to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Operations that have no number, or do not fit theirs, are kept by name; else they are errors.
    pub generic: bool,
    /// Names of values are kept.
    pub names: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { generic: true, names: true }
    }
}

/// Writes a program: a module of functions.
///
/// # Errors
/// Everything that the container cannot hold, in source order.
pub fn encode(module: &Module, options: Options) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder {
        module,
        options,
        strings: TextPool::default(),
        types: TextPool::default(),
        attrs: TextPool::default(),
        consts: TextPool::default(),
        numbers: HashMap::new(),
        named: ByteWriter::default(),
        named_count: 0,
        problems: Vec::new(),
    };
    let body = encoder.module();
    if !encoder.problems.is_empty() {
        return Err(module.error(encoder.problems));
    }
    Ok(encoder.file(&body))
}

/// Texts under numbers, in the order they were met.
#[derive(Default)]
struct TextPool {
    list: Vec<Vec<u8>>,
    known: HashMap<Vec<u8>, usize>,
}

impl TextPool {
    fn number(&mut self, bytes: Vec<u8>) -> usize {
        if let Some(n) = self.known.get(&bytes) {
            return *n;
        }
        self.list.push(bytes.clone());
        self.known.insert(bytes, self.list.len() - 1);
        self.list.len() - 1
    }
}

struct Encoder<'a> {
    module: &'a Module,
    options: Options,
    strings: TextPool,
    types: TextPool,
    attrs: TextPool,
    consts: TextPool,
    /// Values of the function that is written, in the order of their definition.
    numbers: HashMap<ValueId, usize>,
    named: ByteWriter,
    named_count: usize,
    problems: Vec<Diagnostic>,
}

impl Encoder<'_> {
    // ---- the file ---------------------------------------------------------------------------------------------

    fn file(mut self, body: &ByteWriter) -> Vec<u8> {
        // Texts of types and attributes are strings; their numbers must be known before the strings are written.
        let kept = |texts: &TextPool, strings: &mut TextPool| {
            let mut w = ByteWriter::default();
            w.count(texts.list.len());
            for text in &texts.list {
                w.u8(0);
                w.u8(1);
                w.count(strings.number(text.clone()));
            }
            w
        };
        let types = kept(&self.types, &mut self.strings);
        let attrs = kept(&self.attrs, &mut self.strings);
        let mut consts = ByteWriter::default();
        consts.count(self.consts.list.len());
        self.consts.list.iter().for_each(|c| consts.bytes.extend(c));
        let mut strings = ByteWriter::default();
        strings.count(self.strings.list.len());
        for text in &self.strings.list {
            strings.count(text.len());
            strings.bytes.extend(text);
        }
        let mut sections = ByteWriter::default();
        sections.section(section::STRINGS, &strings);
        sections.section(section::TYPES, &types);
        sections.section(section::ATTRS, &attrs);
        sections.section(section::CONSTS, &consts);
        sections.section(section::MODULE, body);
        if self.named_count > 0 {
            sections.section(section::NAMES, &self.names());
        }
        if self.outer().is_none() {
            sections.section(section::EXTRA, &ByteWriter { bytes: NO_MODULE.to_vec() });
        }
        let mut file = ByteWriter { bytes: MAGIC.to_vec() };
        file.u16(0);
        file.u16(0);
        file.u32(u32::try_from(sections.bytes.len()).unwrap_or(u32::MAX));
        file.bytes.extend(sections.bytes);
        file.bytes
    }

    /// No files, the names of values, no positions, no excerpts.
    fn names(&self) -> ByteWriter {
        let mut w = ByteWriter::default();
        w.count(0);
        w.count(self.named_count);
        w.bytes.extend(&self.named.bytes);
        w.count(0);
        w.count(0);
        w
    }

    fn string(&mut self, text: &str) -> usize {
        self.strings.number(text.as_bytes().to_vec())
    }

    fn type_number(&mut self, ty: TypeId) -> usize {
        let text = type_text(self.module.ty(ty), TypeStyle::Compact);
        1 + self.types.number(text.into_bytes())
    }

    /// The number of a dictionary, 0 for an empty one.
    fn attrs_number(&mut self, id: OpId, except: &[&str]) -> usize {
        let text = attributes_text(self.module, id, except);
        if text.is_empty() { 0 } else { 1 + self.attrs.number(text.into_bytes()) }
    }

    // ---- the module --------------------------------------------------------------------------------------------

    fn module(&mut self) -> ByteWriter {
        let mut w = ByteWriter::default();
        // No profile, indices of 64 bits.
        w.u8(0);
        w.u8(64);
        let top = &self.module.block(self.module.top).ops;
        let outer = self.outer();
        let attrs = outer.map_or(0, |id| self.attrs_number(id, &[]));
        w.count(attrs);
        w.count(0);
        let members = match outer {
            Some(id) => self.members(id),
            None => top.clone(),
        };
        for &id in top.iter().filter(|id| outer.is_some_and(|m| m != **id)) {
            self.cannot(id, text!("an operation beside a module"));
        }
        for &id in members.iter().filter(|id| self.module.control(**id) != Some(Control::Function)) {
            self.cannot(id, text!("an operation outside of functions"));
        }
        let functions: Vec<OpId> =
            members.into_iter().filter(|f| self.module.control(*f) == Some(Control::Function)).collect();
        w.count(functions.len());
        for &f in &functions {
            self.declaration(f, &mut w);
        }
        for (at, &f) in functions.iter().enumerate() {
            self.body(at, f, &mut w);
        }
        w
    }

    /// The module around the functions, where the program has one.
    fn outer(&self) -> Option<OpId> {
        let top = self.module.block(self.module.top).ops.iter();
        top.copied().find(|id| self.module.control(*id) == Some(Control::Module))
    }

    fn members(&self, id: OpId) -> Vec<OpId> {
        let regions = self.module.op_regions(id).iter();
        let blocks = regions.flat_map(|r| &self.module.region(*r).blocks);
        blocks.flat_map(|b| &self.module.block(*b).ops).copied().collect()
    }

    fn declaration(&mut self, f: OpId, w: &mut ByteWriter) {
        let name = self.string(self.module.symbol_name(f));
        w.count(name);
        let ty = match self.module.attr(f, "function_type") {
            Some(Attr::Type(ty)) => self.type_number(*ty),
            _ => 0,
        };
        w.count(ty);
        w.u8(0);
        let attrs = self.attrs_number(f, &[]);
        w.count(attrs);
    }

    fn body(&mut self, at: usize, f: OpId, w: &mut ByteWriter) {
        self.numbers.clear();
        match self.module.op_regions(f) {
            [] => w.count(0),
            [region, ..] => self.region(*region, w),
        }
        if self.options.names {
            let mut named: Vec<(usize, ValueId)> = self.numbers.iter().map(|(v, n)| (*n, *v)).collect();
            named.shared_sort_by_key(|(n, _)| *n);
            for (number, value) in named {
                let name = self.module.value_name(value);
                if !name.is_empty() {
                    let name = self.string(name);
                    self.named.count(at);
                    self.named.count(number);
                    self.named.count(name);
                    self.named_count += 1;
                }
            }
        }
    }

    fn region(&mut self, region: RegionId, w: &mut ByteWriter) {
        let blocks = &self.module.region(region).blocks;
        w.count(blocks.len());
        for &block in blocks {
            let args = &self.module.block(block).args;
            w.count(args.len());
            for &arg in args {
                let ty = self.type_number(self.module.value(arg).ty);
                w.count(ty);
                self.define(arg);
            }
            let ops = &self.module.block(block).ops;
            w.count(ops.len());
            for &id in ops {
                self.op(id, w);
            }
        }
    }

    fn define(&mut self, value: ValueId) {
        let next = self.numbers.len();
        self.numbers.insert(value, next);
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    fn op(&mut self, id: OpId, w: &mut ByteWriter) {
        if !self.module.successors(id).is_empty() {
            return self.cannot(id, text!("a jump to a block"));
        }
        let code = self.module.op(id).op;
        match (code.row().bytecode, self.misfit(id)) {
            (Some(number), None) => self.compact(id, number, w),
            (None, _) if !self.options.generic => self.cannot(id, text!("an operation without a number")),
            (_, Some(why)) if !self.options.generic => self.cannot(id, &why),
            _ => self.by_name(id, w),
        }
    }

    /// Why an operation does not match the form of its opcode.
    fn misfit(&mut self, id: OpId) -> Option<String> {
        let code = self.module.op(id).op;
        let number = code.row().bytecode?;
        let operands = self.module.operands(id).len();
        if number.operands.is_some_and(|n| usize::from(n) != operands) {
            return Some(text!("`{code}` with {operands} operands", code = code.row().full_name(), operands));
        }
        if self.module.results(id).len() != results_of(code) {
            return Some(text!(
                "`{code}` with {module} results",
                code = code.row().full_name(),
                module = self.module.results(id).len()
            ));
        }
        let regions = self.module.op_regions(id).len();
        if regions > regions_of(code) || (regions < regions_of(code) && code.control() != Some(Control::If)) {
            return Some(text!("`{code}` with {regions} regions", code = code.row().full_name(), regions));
        }
        match Immediate::of(code) {
            Immediate::Predicate if self.predicate(id).is_none() => Some(text!("an unsigned comparison").to_string()),
            Immediate::Event if self.event(id).is_none() => {
                Some(text!("an event between other than operation classes").to_string())
            }
            Immediate::Constant if self.constant(id).is_none() => {
                Some(text!("a constant that is not a number").to_string())
            }
            Immediate::Valid if self.slot(id, "addr") > 0 => Some(text!("a tile with an address").to_string()),
            _ => None,
        }
    }

    fn slot(&self, id: OpId, name: &str) -> usize {
        let slot = self.module.op(id).op.row().slot(name);
        slot.map_or(0, |s| self.module.in_slot(id, s).count())
    }

    fn compact(&mut self, id: OpId, number: Bytecode, w: &mut ByteWriter) {
        let code = self.module.op(id).op;
        self.module.results(id).for_each(|v| self.define(v));
        w.u16(number.opcode);
        let kept = if code.arith() == Some(Arith::Constant) { &["value"][..] } else { &[] };
        let attrs = self.attrs_number(id, kept);
        w.count(attrs);
        if let Some(variant) = number.variant {
            w.u8(variant);
        }
        self.immediate(id, w);
        let operands = self.generic_operands(id);
        if number.operands.is_none() && Immediate::of(code) == Immediate::Nothing {
            w.count(operands.len());
        }
        self.values(id, &operands, w);
        for value in self.module.results(id) {
            let ty = self.type_number(self.module.value(value).ty);
            w.count(ty);
        }
        let regions = self.module.op_regions(id).to_vec();
        regions.iter().for_each(|r| self.region(*r, w));
        (regions.len()..regions_of(code)).for_each(|_| w.count(0));
    }

    fn immediate(&mut self, id: OpId, w: &mut ByteWriter) {
        match Immediate::of(self.module.op(id).op) {
            Immediate::Nothing => {}
            Immediate::Predicate => w.u8(self.predicate(id).unwrap_or(0)),
            Immediate::Event => self.event(id).unwrap_or_default().iter().for_each(|b| w.u8(*b)),
            Immediate::Constant => {
                let constant = self.constant(id).unwrap_or_default();
                let number = self.consts.number(constant);
                w.count(number);
            }
            Immediate::Lists => {
                let lists = if self.module.storage(id) == Some(Storage::View) {
                    ["shape", "strides"]
                } else {
                    ["offsets", "sizes"]
                };
                w.u8(0);
                lists.iter().for_each(|l| w.count(self.slot(id, l)));
            }
            Immediate::Valid => w.u8(self.slot(id, "valid_row") as u8 | (self.slot(id, "valid_col") as u8) << 1),
        }
    }

    /// The six predicates that the container has.
    fn predicate(&self, id: OpId) -> Option<u8> {
        match self.module.attr(id, "predicate") {
            Some(Attr::Enum(_, at)) if *at < 6 => Some(*at),
            _ => None,
        }
    }

    fn event(&self, id: OpId) -> Option<[u8; 3]> {
        let value = |name: &str, wanted: &EnumDef| match self.module.attr(id, name) {
            Some(Attr::Enum(def, at)) if **def == *wanted => u8::try_from(def.values[usize::from(*at)].1).ok(),
            _ => None,
        };
        let class = &enums::SYNC_OP_TYPE;
        Some([value("src_op", class)?, value("dst_op", class)?, value("event_id", &enums::EVENT)?])
    }

    /// A number of the pool.
    fn constant(&mut self, id: OpId) -> Option<Vec<u8>> {
        let result = self.module.results(id).next()?;
        let ty = self.module.value(result).ty;
        let Type::Scalar(scalar) = *self.module.ty(ty) else { return None };
        let attr = self.module.attr(id, "value")?.clone();
        let mut w = ByteWriter::default();
        match (scalar, attr) {
            (s, Attr::Int(n, _)) if s.is_int() => {
                w.u8(constant::INT);
                w.count(self.type_number(ty));
                w.signed(i64::try_from(n).ok().or_else(|| u64::try_from(n).ok().map(|n| n as i64))?);
            }
            (_, Attr::Bool(b)) => {
                w.u8(constant::INT);
                w.count(self.type_number(ty));
                // One bit, with its sign.
                w.signed(-i64::from(b));
            }
            (s, attr) => {
                let (bits, bytes) = float_bits(s, &attr)?;
                w.u8(constant::FLOAT);
                w.count(self.type_number(ty));
                w.count(bytes);
                w.bytes.extend(&bits.to_le_bytes()[..bytes]);
            }
        }
        Some(w.bytes)
    }

    fn by_name(&mut self, id: OpId, w: &mut ByteWriter) {
        let row = self.module.op(id).op.row();
        w.u16(BY_NAME);
        let attrs = self.attrs_number(id, &[]);
        w.count(attrs);
        let name = self.string(&row.full_name());
        w.count(name);
        w.count(self.module.results(id).len());
        for value in self.module.results(id) {
            self.define(value);
            let ty = self.type_number(self.module.value(value).ty);
            w.count(ty);
        }
        let operands = self.generic_operands(id);
        w.count(operands.len());
        self.values(id, &operands, w);
        let regions = self.module.op_regions(id).to_vec();
        let missing = usize::from(row.syntax == Syntax::Custom(Custom::If) && regions.len() == 1);
        w.count(regions.len() + missing);
        regions.iter().for_each(|r| self.region(*r, w));
        (0..missing).for_each(|_| w.count(0));
    }

    /// Operands in the order of the generic form.
    fn generic_operands(&self, id: OpId) -> Vec<ValueId> {
        let slots = self.module.op(id).op.row().generic_slots();
        slots.into_iter().flat_map(|s| self.module.in_slot(id, s).map(|o| o.value)).collect()
    }

    fn values(&mut self, id: OpId, values: &[ValueId], w: &mut ByteWriter) {
        for value in values {
            match self.numbers.get(value) {
                Some(number) => w.count(*number),
                None => return self.cannot(id, text!("a value that is defined later, or elsewhere")),
            }
        }
    }

    fn cannot(&mut self, id: OpId, what: &str) {
        let data = self.module.op(id);
        let name = data.op.row().full_name();
        let d = Diagnostic::new(
            codes::BYTECODE_HOLD,
            data.name_span,
            text!("bytecode cannot hold {what}: `{name}`", what, name),
        );
        let help = text!("without `--numbers-only` it is kept by name");
        // What uses the results is not to blame.
        for value in self.module.results(id) {
            let next = self.numbers.len();
            self.numbers.entry(value).or_insert(next);
        }
        let by_name = !self.options.generic && self.module.successors(id).is_empty();
        self.problems.push(if by_name && !what.contains("outside") && !what.contains("beside") {
            d.help(help)
        } else {
            d
        });
    }
}

/// The bits of a floating-point constant and how many bytes they take.
fn float_bits(ty: ScalarType, attr: &Attr) -> Option<(u64, usize)> {
    let bytes = match ty {
        ScalarType::F64 => 8,
        ScalarType::Elem(d) if !d.is_int() => (d.bits() as usize).div_ceil(8),
        _ => return None,
    };
    let number = match attr {
        Attr::FloatBits(bits, _) => return Some((*bits, bytes)),
        Attr::Float(x, _) => *x,
        Attr::Int(n, _) => *n as f64,
        _ => return None,
    };
    let bits = match ty {
        ScalarType::F64 => number.to_bits(),
        ScalarType::Elem(DType::F32) => u64::from((number as f32).to_bits()),
        ScalarType::Elem(DType::F16) => u64::from(F16::round(number, Round::Rint, Saturate::Off).to_bits()),
        ScalarType::Elem(DType::Bf16) => u64::from(Bf16::round(number, Round::Rint, Saturate::Off).to_bits()),
        _ => return None,
    };
    Some((bits, bytes))
}
