//! From bytes to text.

use crate::literal::literal;
use crate::wire::{Malformed, Reader};
use crate::{BY_NAME, Immediate, MAGIC, NO_MODULE, constant, regions_of, results_of, section};
use pto_ir::print::quote;
use pto_isa::row::{Bytecode, Control};
use pto_isa::text;
use pto_isa::{Diagnostic, Error, Op, Span, codes, enums, table};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::OnceLock;

/// Bytes of text that a file may become.
pub const MAX_TEXT: usize = 64 << 20;

/// Regions within regions.
const MAX_DEPTH: usize = 150;

/// The text of the program in the generic form of the dialect.
///
/// # Errors
/// Where and why the bytes are not a program; the position is in the message, since there is no text to point at.
pub fn decode(bytes: &[u8]) -> Result<String, Error> {
    let mut decoder = Decoder::default();
    let read = decoder.file(bytes);
    read.map_err(|(at, why)| {
        let message = text!("this bytecode cannot be read: {why} (byte {at})", why, at);
        Error::from(
            Diagnostic::new(codes::BYTECODE, Span::default(), message).legal(text!("a file of version 0, whole")),
        )
    })?;
    Ok(decoder.out)
}

/// Where and why.
type Failed = (usize, Malformed);

/// Adds the position to a problem.
trait At<T> {
    fn at(self, r: &Reader<'_>) -> Result<T, Failed>;
}

impl<T> At<T> for Result<T, Malformed> {
    fn at(self, r: &Reader<'_>) -> Result<T, Failed> {
        self.map_err(|why| (r.at(), why))
    }
}

#[derive(Default)]
struct Decoder {
    strings: Vec<String>,
    /// Numbers of strings; those of types and attributes start at 1.
    types: Vec<usize>,
    attrs: Vec<usize>,
    /// Constants as text, with their types.
    consts: Vec<String>,
    /// Names of values, by function and number.
    names: HashMap<(u64, u64), usize>,
    /// Name and type (a number of `types`) of each value of the function.
    values: Vec<(String, usize)>,
    function: u64,
    /// Names that the file has for values of the function.
    taken: HashSet<String>,
    next_number: usize,
    depth: usize,
    /// The functions stand without a module around them.
    bare: bool,
    out: String,
}

/// A function without its body.
struct Declared {
    attrs: String,
    name: usize,
    ty: usize,
    /// It has no body in the file.
    external: bool,
}

impl Decoder {
    fn file(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        let mut r = Reader::new(bytes, 0);
        let magic = r.bytes(MAGIC.len()).at(&r)?;
        if magic != MAGIC {
            return Err((0, text!("it does not start with `PTOBC`").to_string()));
        }
        let version = r.u16().at(&r)?;
        if version != 0 {
            return Err((r.at(), text!("version {version}", version)));
        }
        let _flags = r.u16().at(&r)?;
        let length = r.u32().at(&r)? as usize;
        let start = r.at();
        let payload = r.bytes(length).at(&r)?;
        if !r.is_empty() {
            return Err((r.at(), text!("bytes behind the end").to_string()));
        }
        let mut sections: HashMap<u8, Reader<'_>> = HashMap::new();
        let mut r = Reader::new(payload, start);
        while !r.is_empty() {
            let number = r.u8().at(&r)?;
            let length = r.u32().at(&r)? as usize;
            let at = r.at();
            let content = r.bytes(length).at(&r)?;
            if sections.insert(number, Reader::new(content, at)).is_some() {
                return Err((at, text!("section {number} twice", number)));
            }
        }
        let end = r.at();
        let mut take = |number: u8| sections.remove(&number).ok_or_else(|| (end, text!("no section {number}", number)));
        let (strings, types) = (take(section::STRINGS)?, take(section::TYPES)?);
        let (attrs, consts, module) = (take(section::ATTRS)?, take(section::CONSTS)?, take(section::MODULE)?);
        let names = take(section::NAMES).ok();
        self.bare = take(section::EXTRA).is_ok_and(|extra| extra.rest() == NO_MODULE);
        self.strings = whole(strings, read_strings)?;
        self.types = whole(types, |r| self.texts(r))?;
        self.attrs = whole(attrs, |r| self.texts(r))?;
        self.consts = whole(consts, |r| self.constants(r))?;
        if let Some(names) = names {
            self.names = whole(names, |r| self.value_names(r))?;
        }
        whole(module, |r| self.module(r))
    }

    /// Types or attributes: numbers of their texts.
    fn texts(&self, r: &mut Reader<'_>) -> Result<Vec<usize>, Failed> {
        let count = r.count().at(r)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            let _kind = r.u8().at(r)?;
            if r.u8().at(r)? & 1 == 0 {
                return Err((r.at(), text!("an entry without its text").to_string()));
            }
            list.push(r.index(self.strings.len(), "string").at(r)?);
        }
        Ok(list)
    }

    /// The text of a type; 0 is none.
    fn type_text(&self, number: usize) -> &str {
        number.checked_sub(1).and_then(|n| self.types.get(n)).map_or("none", |s| &self.strings[*s])
    }

    fn type_number(&self, r: &mut Reader<'_>) -> Result<usize, Failed> {
        let number = r.index(self.types.len() + 1, "type").at(r)?;
        if number == 0 { Err((r.at(), text!("a type that is none").to_string())) } else { Ok(number) }
    }

    /// A dictionary, `{…}`; empty if there is none.
    fn dictionary(&self, r: &mut Reader<'_>) -> Result<String, Failed> {
        let number = r.index(self.attrs.len() + 1, "attribute").at(r)?;
        let text = number.checked_sub(1).map_or("", |n| self.strings[self.attrs[n]].trim());
        let dictionary = text.starts_with('{') && text.ends_with('}');
        if !text.is_empty() && !dictionary {
            return Err((r.at(), text!("attributes that are not a dictionary").to_string()));
        }
        Ok(text.to_string())
    }

    fn constants(&self, r: &mut Reader<'_>) -> Result<Vec<String>, Failed> {
        let count = r.count().at(r)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            let kind = r.u8().at(r)?;
            let text = match kind {
                constant::INT => {
                    let ty = self.type_number(r)?;
                    let n = r.signed().at(r)?;
                    match self.type_text(ty) {
                        "i1" => (n != 0).to_string(),
                        ty => format!("{n} : {ty}"),
                    }
                }
                constant::FLOAT | constant::WIDE => {
                    let ty = self.type_number(r)?;
                    let length = r.count().at(r)?;
                    let bytes = r.bytes(length).at(r)?;
                    if length > 16 {
                        return Err((r.at(), text!("a constant of {length} bytes", length)));
                    }
                    literal(bytes, self.type_text(ty), kind == constant::FLOAT)
                }
                constant::INDICES => {
                    let count = r.count().at(r)?;
                    for _ in 0..count {
                        r.signed().at(r)?;
                    }
                    String::new()
                }
                other => return Err((r.at(), text!("a constant of kind {other}", other))),
            };
            list.push(text);
        }
        Ok(list)
    }

    /// Names of values; files, positions and excerpts are skipped.
    fn value_names(&self, r: &mut Reader<'_>) -> Result<HashMap<(u64, u64), usize>, Failed> {
        for _ in 0..r.count().at(r)? {
            r.index(self.strings.len(), "string").at(r)?;
            if r.u8().at(r)? != 0 {
                let length = r.count().at(r)?;
                r.bytes(length).at(r)?;
            }
        }
        let mut names = HashMap::new();
        for _ in 0..r.count().at(r)? {
            let place = (r.unsigned().at(r)?, r.unsigned().at(r)?);
            names.insert(place, r.index(self.strings.len(), "string").at(r)?);
        }
        for fields in [7, 3] {
            for _ in 0..r.count().at(r)? {
                for _ in 0..fields {
                    r.unsigned().at(r)?;
                }
            }
        }
        Ok(names)
    }

    // ---- the module --------------------------------------------------------------------------------------------

    fn module(&mut self, r: &mut Reader<'_>) -> Result<(), Failed> {
        let _profile = r.u8().at(r)?;
        let _index_width = r.u8().at(r)?;
        let attrs = self.dictionary(r)?;
        if r.unsigned().at(r)? != 0 {
            return Err((r.at(), text!("global variables").to_string()));
        }
        let functions = self.declarations(r)?;
        let bare = self.bare && attrs.is_empty();
        self.out.push_str(if bare { "" } else { "\"builtin.module\"() ({\n" });
        for (at, f) in functions.into_iter().enumerate() {
            self.function = at as u64;
            self.one_function(&f, r)?;
        }
        if !bare {
            let _ = writeln!(self.out, "}}) {attrs} : () -> ()");
        }
        Ok(())
    }

    fn declarations(&self, r: &mut Reader<'_>) -> Result<Vec<Declared>, Failed> {
        let count = r.count().at(r)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            let name = r.index(self.strings.len(), "string").at(r)?;
            let ty = self.type_number(r)?;
            let external = r.u8().at(r)? & 1 == 1;
            let attrs = self.dictionary(r)?;
            list.push(Declared { attrs, name, ty, external });
        }
        Ok(list)
    }

    fn one_function(&mut self, f: &Declared, r: &mut Reader<'_>) -> Result<(), Failed> {
        self.values.clear();
        let own = self.names.iter().filter(|((function, _), _)| *function == self.function);
        self.taken = own.map(|(_, name)| self.strings[*name].clone()).collect();
        self.out.push_str("\"func.func\"()");
        let declared = self.out.len();
        self.out.push_str(" (");
        let blocks = if f.external { 0 } else { self.region(r)? };
        // What is only declared has no region in the text.
        if blocks > 0 {
            self.out.push(')');
        } else {
            self.out.truncate(declared);
        }
        // Name and type stand on their own in the file; most writers repeat them among the attributes.
        let mut attrs = f.attrs.clone();
        let name = quote(&self.strings[f.name]);
        let ty = self.type_text(f.ty).to_string();
        add_entry(&mut attrs, "sym_name", &name);
        add_entry(&mut attrs, "function_type", &ty);
        let _ = writeln!(self.out, " {attrs} : () -> ()");
        Ok(())
    }

    /// Writes a region and says how many blocks it has.
    fn region(&mut self, r: &mut Reader<'_>) -> Result<usize, Failed> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((r.at(), text!("regions more than {MAX_DEPTH} deep", MAX_DEPTH)));
        }
        self.out.push_str("{\n");
        let blocks = r.count().at(r)?;
        for at in 0..blocks {
            let args = r.count().at(r)?;
            if at > 0 || args > 0 {
                let mut list = Vec::with_capacity(args);
                for _ in 0..args {
                    let ty = self.type_number(r)?;
                    let name = self.define(ty);
                    list.push(format!("{name}: {}", self.type_text(ty)));
                }
                let list = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
                let _ = writeln!(self.out, "^bb{at}{list}:");
            }
            for _ in 0..r.count().at(r)? {
                self.operation(r)?;
            }
            self.limit(r)?;
        }
        self.out.push('}');
        self.depth -= 1;
        Ok(blocks)
    }

    fn limit(&self, r: &Reader<'_>) -> Result<(), Failed> {
        let too_long = self.out.len() > MAX_TEXT;
        if too_long { Err((r.at(), text!("more than {MAX_TEXT} bytes of text", MAX_TEXT))) } else { Ok(()) }
    }

    /// The name that the file has for the value which is defined next.
    fn kept_name(&self) -> Option<&str> {
        self.names.get(&(self.function, self.values.len() as u64)).map(|s| &*self.strings[*s])
    }

    /// A new value of a type: its name with the sign.
    fn define(&mut self, ty: usize) -> String {
        let name = match self.kept_name().filter(|n| is_name(n)) {
            Some(name) => format!("%{name}"),
            None => self.free_number(),
        };
        self.values.push((name.clone(), ty));
        name
    }

    /// A number that is no name of the function, for a value without one.
    fn free_number(&mut self) -> String {
        loop {
            let name = self.next_number.to_string();
            self.next_number += 1;
            if !self.taken.contains(&name) {
                return format!("%{name}");
            }
        }
    }

    /// The results of an operation, as they stand before it: one name each, or one for all of them, `%x:2`.
    fn define_results(&mut self, types: &[usize]) -> String {
        let pack = self
            .kept_name()
            .filter(|_| types.len() > 1)
            .and_then(|n| n.strip_suffix("#0"))
            .filter(|n| is_name(n))
            .map(str::to_string);
        match pack {
            Some(base) => {
                let members = types.iter().enumerate().map(|(at, ty)| (format!("%{base}#{at}"), *ty));
                self.values.extend(members);
                format!("%{base}:{}", types.len())
            }
            None => types.iter().map(|ty| self.define(*ty)).collect::<Vec<_>>().join(", "),
        }
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    fn operation(&mut self, r: &mut Reader<'_>) -> Result<(), Failed> {
        self.limit(r)?;
        let opcode = r.u16().at(r)?;
        let attrs = self.dictionary(r)?;
        if opcode == BY_NAME { self.by_name(&attrs, r) } else { self.compact(opcode, attrs, r) }
    }

    fn by_name(&mut self, attrs: &str, r: &mut Reader<'_>) -> Result<(), Failed> {
        let name = r.index(self.strings.len(), "string").at(r)?;
        let name = self.strings[name].clone();
        let mut types = Vec::new();
        for _ in 0..r.count().at(r)? {
            types.push(self.type_number(r)?);
        }
        let results = self.define_results(&types);
        let count = r.count().at(r)?;
        let operands = self.operands(count, r)?;
        let regions = r.count().at(r)?;
        self.statement(&quote(&name), (&results, &types), &operands, attrs, regions, r)
    }

    fn compact(&mut self, opcode: u16, mut attrs: String, r: &mut Reader<'_>) -> Result<(), Failed> {
        let variant = if has_variant(opcode) { Some(r.u8().at(r)?) } else { None };
        let Some((code, number)) = lookup(opcode, variant) else {
            return Err((
                r.at(),
                text!(
                    "operation 0x{opcode}{variant}",
                    opcode = format_args!("{:04x}", opcode),
                    variant = variant.map_or(String::new(), |v| format!(", variant {v}"))
                ),
            ));
        };
        let mut counted = None;
        match Immediate::of(code) {
            Immediate::Nothing => {}
            Immediate::Predicate => {
                let predicate = r.u8().at(r)?;
                add_entry(&mut attrs, "predicate", &format!("{predicate} : i64"));
            }
            Immediate::Event => self.event(&mut attrs, r)?,
            Immediate::Constant => {
                let number = r.index(self.consts.len(), "constant").at(r)?;
                let text = self.consts[number].clone();
                add_entry(&mut attrs, "value", &text);
            }
            Immediate::Lists => {
                if r.u8().at(r)? != 0 {
                    return Err((r.at(), text!("operand lists of another kind").to_string()));
                }
                let (a, b) = (r.count().at(r)?, r.count().at(r)?);
                add_entry(&mut attrs, "operandSegmentSizes", &format!("array<i32: 1, {a}, {b}>"));
                counted = Some(1 + a + b);
            }
            Immediate::Valid => {
                let mask = r.u8().at(r)?;
                let (rows, cols) = (mask & 1, mask >> 1 & 1);
                add_entry(&mut attrs, "operandSegmentSizes", &format!("array<i32: 0, {rows}, {cols}>"));
                counted = Some(usize::from(rows + cols));
            }
        }
        let count = match (counted, number.operands) {
            (Some(n), _) => n,
            (None, Some(n)) => usize::from(n),
            (None, None) => r.count().at(r)?,
        };
        let operands = self.operands(count, r)?;
        let mut types = Vec::new();
        for _ in 0..results_of(code) {
            types.push(self.type_number(r)?);
        }
        let results = self.define_results(&types);
        let name = format!("\"{}\"", code.row().full_name());
        self.statement(&name, (&results, &types), &operands, &attrs, regions_of(code), r)
    }

    fn event(&self, attrs: &mut String, r: &mut Reader<'_>) -> Result<(), Failed> {
        for (name, def) in
            [("src_op", &enums::SYNC_OP_TYPE), ("dst_op", &enums::SYNC_OP_TYPE), ("event_id", &enums::EVENT)]
        {
            let number = i64::from(r.u8().at(r)?);
            let Some(at) = def.find_number(number) else { return Err((r.at(), format!("{} {number}", def.name))) };
            add_entry(attrs, name, &format!("#pto.{}<{}>", def.name, def.value(at)));
        }
        Ok(())
    }

    /// Numbers of values that are defined already.
    fn operands(&self, count: usize, r: &mut Reader<'_>) -> Result<Vec<usize>, Failed> {
        (0..count).map(|_| r.index(self.values.len(), "value").at(r)).collect()
    }

    /// The generic form of an operation, with its regions.
    fn statement(
        &mut self,
        name: &str,
        (results, outputs): (&str, &[usize]),
        operands: &[usize],
        attrs: &str,
        regions: usize,
        r: &mut Reader<'_>,
    ) -> Result<(), Failed> {
        let inputs: Vec<usize> = operands.iter().map(|v| self.values[*v].1).collect();
        if !results.is_empty() {
            let _ = write!(self.out, "{results} = ");
        }
        let list: Vec<&str> = operands.iter().map(|v| &*self.values[*v].0).collect();
        let _ = write!(self.out, "{name}({})", list.join(", "));
        if regions > 0 {
            self.out.push_str(" (");
            for at in 0..regions {
                let before = self.out.len();
                self.out.push_str(if at > 0 { ", " } else { "" });
                let blocks = self.region(r)?;
                // A branch without an `else` has an empty second region in the file.
                if at > 0 && blocks == 0 {
                    self.out.truncate(before);
                }
            }
            self.out.push(')');
        }
        let types = |numbers: &[usize]| numbers.iter().map(|n| self.type_text(*n)).collect::<Vec<_>>().join(", ");
        let line = format!(" {attrs} : ({}) -> ({})\n", types(&inputs), types(outputs));
        self.out.push_str(&line);
        Ok(())
    }
}

/// Reads a section to its end.
fn whole<T>(r: Reader<'_>, read: impl FnOnce(&mut Reader<'_>) -> Result<T, Failed>) -> Result<T, Failed> {
    let mut r = r;
    let done = read(&mut r)?;
    if r.is_empty() { Ok(done) } else { Err((r.at(), text!("bytes behind the end of a section").to_string())) }
}

fn read_strings(r: &mut Reader<'_>) -> Result<Vec<String>, Failed> {
    let count = r.count().at(r)?;
    let mut list = Vec::with_capacity(count);
    for _ in 0..count {
        let length = r.count().at(r)?;
        let bytes = r.bytes(length).at(r)?;
        list.push(
            String::from_utf8(bytes.to_vec()).map_err(|_| (r.at(), text!("text that is not UTF-8").to_string()))?,
        );
    }
    Ok(list)
}

/// Adds an entry to a dictionary that does not have it.
fn add_entry(dictionary: &mut String, name: &str, value: &str) {
    let inner = dictionary.trim().strip_prefix('{').and_then(|d| d.strip_suffix('}')).unwrap_or("").trim().to_string();
    let has = inner.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).any(|word| word == name);
    if has {
        return;
    }
    *dictionary =
        if inner.is_empty() { format!("{{{name} = {value}}}") } else { format!("{{{name} = {value}, {inner}}}") };
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-'))
}

/// The operation with this number and variant.
fn lookup(opcode: u16, variant: Option<u8>) -> Option<(Op, Bytecode)> {
    by_number().get(&(opcode, variant)).copied()
}

fn has_variant(opcode: u16) -> bool {
    by_number().contains_key(&(opcode, Some(0)))
}

/// Operations by number and variant.
type ByNumber = HashMap<(u16, Option<u8>), (Op, Bytecode)>;

fn by_number() -> &'static ByNumber {
    static MAP: OnceLock<ByNumber> = OnceLock::new();
    MAP.get_or_init(|| {
        let row = |code: Op| code.row().bytecode.map(|b| ((b.opcode, b.variant), (code, b)));
        table::all().filter(|code| code.control() != Some(Control::Function)).filter_map(row).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two operations share a number, and a number has variants or none.
    #[test]
    fn numbers_are_unique() {
        let with: Vec<Bytecode> = table::all().filter_map(|code| code.row().bytecode).collect();
        assert_eq!(with.len(), 151, "docs/emit.md says how many");
        for (at, a) in with.iter().enumerate() {
            for b in &with[..at] {
                assert_ne!((a.opcode, a.variant), (b.opcode, b.variant));
                assert!(a.opcode != b.opcode || (a.variant.is_some() && b.variant.is_some()), "{:#x}", a.opcode);
            }
        }
    }

    #[test]
    fn entries_are_added_once() {
        let mut d = String::new();
        add_entry(&mut d, "value", "1 : index");
        add_entry(&mut d, "value", "2 : index");
        assert_eq!(d, "{value = 1 : index}");
        add_entry(&mut d, "a", "true");
        assert_eq!(d, "{a = true, value = 1 : index}");
    }
}
