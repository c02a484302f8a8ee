//! What a row of the instruction table can say.
//!
//! A row is a `const` value built with the short methods below, starting from a shape that brings what a family shares
//! (see [`shape`](crate::shape)). Everything that the toolchain knows about an instruction is here or in a function
//! that the row names.

mod attr;
mod columns;
mod extents;
mod hazard;
mod meaning;
mod overwrite;
mod slot;
mod syntax;

pub use attr::{AttrKind, AttrSpec, ComputedDefault, attr, opt_attr};
pub use columns::{
    Aliasing, Bytecode, CoreKind, CostClass, Cpp, CppForm, DocumentedCost, Domain, Effect, Family, PipeCase, Pipes,
    Scratch, Sums, When, form,
};
pub use extents::{ExtentFactor, From, OperandExtent, RegionExtent, ResultRegion, Uses, region, whole};
pub use hazard::{
    Condition, Harm, Hazard, HiddenMemory, destroys, differs, fault, hidden, ignores, limit, writes_early,
};
pub use meaning::{
    Arith, AtomicMode, Combine, CommOp, Control, CoreQuery, Direction, EndForm, EntryAction, Fifo, FlagForm, LocalOp,
    Meaning, Movement, ScaleForm, SignalForm, Storage, SyncOp, Twin,
};
pub use slot::{Dir, ElemRule, FixedType, Infer, Orders, Slot, SlotCount, SlotKind};
pub use syntax::{Anatomy, Custom, Syntax};

use crate::rules::{Broken, Instance, Rule};
use crate::{DType, DTypes, Pipe, Target, Targets};

/// A row of the instruction table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Mnemonic, without the dialect prefix.
    pub name: &'static str,
    /// Other accepted mnemonics.
    pub aliases: &'static [&'static str],
    /// Dialect prefix: `pto`, `arith`, ….
    pub dialect: &'static str,
    /// Family.
    pub family: Family,
    /// Documentation, one line per element; the first is the summary.
    pub doc: &'static [&'static str],
    /// Operands in text order: those read, then those written.
    pub slots: &'static [Slot],
    /// Results that are not destinations of the DPS form: handles, scalars, views.
    pub results: &'static [Slot],
    /// Attributes.
    pub attrs: &'static [AttrSpec],
    /// Dialect spelling.
    pub syntax: Syntax,
    /// Operand order of the generic form by slot name, where it is not that of `slots`.
    pub generic_order: &'static [&'static str],
    /// Targets that have it.
    pub targets: Targets,
    /// Element types of the `Data` slots, by target.
    pub types: [DTypes; 3],
    /// Iteration domain.
    pub domain: Domain,
    /// Valid regions of results that neither rules nor inferred types give.
    pub regions: &'static [ResultRegion],
    /// Rules of the shape.
    pub shape_rules: &'static [(Targets, Rule)],
    /// Rules of this instruction.
    pub rules: &'static [(Targets, Rule)],
    /// What is legal and hardly meant: a warning.
    pub advice: Option<fn(&Instance) -> Option<Broken>>,
    /// Scratch tile.
    pub scratch: Option<Scratch>,
    /// What the result adds up, if it does.
    pub sums: Option<Sums>,
    /// Aliasing.
    pub alias: Aliasing,
    /// What implementations do beyond what the instruction means.
    pub hazards: &'static [Hazard],
    /// Pipe.
    pub pipe: Pipes,
    /// The kind of core it belongs to, where the pipe does not say so.
    pub core: CoreKind,
    /// Other effects.
    pub effect: Effect,
    /// Its meaning, if more than its kernel depends on it.
    pub meaning: Meaning,
    /// The operation that this is another spelling of, if it is one.
    pub twin: Option<Twin>,
    /// How it combines two values element by element, if stores or reductions can do the same.
    pub combine: Option<Combine>,
    /// Cost law.
    pub cost: CostClass,
    /// Figures on its page.
    pub documented: Option<DocumentedCost>,
    /// C++ spelling.
    pub cpp: Cpp,
    /// Arguments of the Rust function; see [`Row::call`].
    pub call: &'static [&'static str],
    /// Bytecode spelling, where there is a compact one.
    pub bytecode: Option<Bytecode>,
    /// Specification page.
    pub page: &'static str,
    /// Notes for authors: known differences between sources and devices.
    pub notes: &'static [&'static str],
    /// What its page leaves open or contradicts, and what holds here: see docs/decisions.md.
    pub decided: &'static [&'static str],
    /// A complete program that uses it, where one cannot be derived from the row.
    pub example: &'static str,
}

impl Row {
    /// An empty row; shapes and methods fill it.
    pub const EMPTY: Self = Self {
        name: "",
        aliases: &[],
        dialect: "pto",
        family: Family::Elementwise,
        doc: &[],
        slots: &[],
        results: &[],
        attrs: &[],
        syntax: Syntax::InsOuts { attrs_in_ins: false },
        generic_order: &[],
        targets: Targets::ALL,
        types: [DTypes::NONE; 3],
        domain: Domain::None,
        regions: &[],
        shape_rules: &[],
        advice: None,
        rules: &[],
        scratch: None,
        sums: None,
        alias: Aliasing::None,
        hazards: &[],
        pipe: Pipes::None,
        core: CoreKind::Any,
        effect: Effect::Operands,
        meaning: Meaning::Plain,
        twin: None,
        combine: None,
        cost: CostClass::None,
        documented: None,
        cpp: Cpp::NONE,
        call: &[],
        bytecode: None,
        page: "",
        notes: &[],
        decided: &[],
        example: "",
    };

    /// Also accepted under these mnemonics.
    #[must_use]
    pub const fn alias_names(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// Operands in text order.
    #[must_use]
    pub const fn slots(mut self, slots: &'static [Slot]) -> Self {
        self.slots = slots;
        self
    }

    /// Results that are values of their own.
    #[must_use]
    pub const fn results(mut self, results: &'static [Slot]) -> Self {
        self.results = results;
        self
    }

    /// Attributes.
    #[must_use]
    pub const fn attrs(mut self, attrs: &'static [AttrSpec]) -> Self {
        self.attrs = attrs;
        self
    }

    /// The attribute dictionary is written inside `ins(…)`.
    #[must_use]
    pub const fn attrs_in_ins(mut self) -> Self {
        self.syntax = Syntax::InsOuts { attrs_in_ins: true };
        self
    }

    /// Printed by a pattern: `$slot` an operand list, `#attr` an attribute without its name, `:slot` the type of
    /// an operand or result, `{}` the remaining attributes, `(…)?` a group that is left out when its first
    /// operand or attribute is absent; everything else is copied.
    #[must_use]
    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.syntax = Syntax::Pattern(pattern);
        self
    }

    /// Operand order of the generic form.
    #[must_use]
    pub const fn generic_order(mut self, slots: &'static [&'static str]) -> Self {
        self.generic_order = slots;
        self
    }

    /// Has its own grammar.
    #[must_use]
    pub const fn custom(mut self, custom: Custom) -> Self {
        self.syntax = Syntax::Custom(custom);
        self
    }

    /// Exists only on these targets.
    #[must_use]
    pub const fn only(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// Element types of the data slots on one target.
    #[must_use]
    pub const fn types(mut self, target: Target, list: &[DType]) -> Self {
        self.types[target as usize] = DTypes::of(list);
        self
    }

    /// The permissive host takes every element type that is computed with.
    #[must_use]
    pub const fn any_number_on_cpu(mut self) -> Self {
        self.types[Target::Cpu as usize] = DTypes::NUMBERS;
        self
    }

    /// The permissive host accepts every element type of whole bytes.
    #[must_use]
    pub const fn any_unpaired_on_cpu(mut self) -> Self {
        self.types[Target::Cpu as usize] = DTypes::UNPAIRED;
        self
    }

    /// The permissive host takes every element type of whole bytes, pairs of 4-bit floats among them.
    #[must_use]
    pub const fn any_bytes_on_cpu(mut self) -> Self {
        self.types[Target::Cpu as usize] = DTypes::BYTES;
        self
    }

    /// Where valid regions of results come from that neither rules nor inferred types give.
    #[must_use]
    pub const fn regions(mut self, regions: &'static [ResultRegion]) -> Self {
        self.regions = regions;
        self
    }

    /// Iteration domain.
    #[must_use]
    pub const fn domain(mut self, domain: Domain) -> Self {
        self.domain = domain;
        self
    }

    /// Rules beyond those of the shape.
    #[must_use]
    pub const fn rules(mut self, rules: &'static [(Targets, Rule)]) -> Self {
        self.rules = rules;
        self
    }

    /// Rules that a shape brings.
    #[must_use]
    pub const fn shape_rules(mut self, rules: &'static [(Targets, Rule)]) -> Self {
        self.shape_rules = rules;
        self
    }

    /// Warns of uses that are legal and hardly meant.
    #[must_use]
    pub const fn advice(mut self, advice: fn(&Instance) -> Option<Broken>) -> Self {
        self.advice = Some(advice);
        self
    }

    /// Scratch tile.
    #[must_use]
    pub const fn scratch(mut self, scratch: Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// The result adds up rows or columns of an operand.
    #[must_use]
    pub const fn sums(mut self, sums: Sums) -> Self {
        self.sums = Some(sums);
        self
    }

    /// Aliasing.
    #[must_use]
    pub const fn alias(mut self, alias: Aliasing) -> Self {
        self.alias = alias;
        self
    }

    /// What implementations do beyond what the instruction means.
    #[must_use]
    pub const fn hazards(mut self, hazards: &'static [Hazard]) -> Self {
        self.hazards = hazards;
        self
    }

    /// Runs on one pipe.
    #[must_use]
    pub const fn pipe(mut self, pipe: Pipe) -> Self {
        self.pipe = Pipes::One(pipe);
        self
    }

    /// Runs on a pipe that depends on the operands.
    #[must_use]
    pub const fn pipes(mut self, pipes: Pipes) -> Self {
        self.pipe = pipes;
        self
    }

    /// Belongs to one kind of core.
    #[must_use]
    pub const fn core(mut self, core: CoreKind) -> Self {
        self.core = core;
        self
    }

    /// Other effects.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// Holds regions, or steers between them.
    #[must_use]
    pub const fn control(mut self, is: Control) -> Self {
        self.meaning = Meaning::Control(is);
        self
    }

    /// Computes a scalar.
    #[must_use]
    pub const fn arith(mut self, is: Arith) -> Self {
        self.meaning = Meaning::Arith(is);
        self
    }

    /// It is another spelling of a scalar operation.
    #[must_use]
    pub const fn twin(mut self, twin: Twin) -> Self {
        self.twin = Some(twin);
        self
    }

    /// Makes, names or queries memory.
    #[must_use]
    pub const fn storage(mut self, is: Storage) -> Self {
        self.meaning = Meaning::Storage(is);
        self
    }

    /// Moves data unchanged.
    #[must_use]
    pub const fn movement(mut self, is: Movement) -> Self {
        self.meaning = Meaning::Movement(is);
        self
    }

    /// Works on a pipe between cores.
    #[must_use]
    pub const fn fifo(mut self, is: Fifo) -> Self {
        self.meaning = Meaning::Fifo(is);
        self
    }

    /// Orders pipes or cores.
    #[must_use]
    pub const fn sync(mut self, is: SyncOp) -> Self {
        self.meaning = Meaning::Sync(is);
        self
    }

    /// Moves data between ranks, or signals them.
    #[must_use]
    pub const fn comm(mut self, is: CommOp) -> Self {
        self.meaning = Meaning::Comm(is);
        self
    }

    /// Queries the index or the number of cores.
    #[must_use]
    pub const fn query(mut self, is: CoreQuery) -> Self {
        self.meaning = Meaning::Query(is);
        self
    }

    /// Declares or accesses a local array or structure.
    #[must_use]
    pub const fn local(mut self, is: LocalOp) -> Self {
        self.meaning = Meaning::Local(is);
        self
    }

    /// Switches how later stores combine with memory.
    #[must_use]
    pub const fn atomic(mut self, is: AtomicMode) -> Self {
        self.meaning = Meaning::Atomic(is);
        self
    }

    /// Combines two values element by element.
    #[must_use]
    pub const fn combines(mut self, how: Combine) -> Self {
        self.combine = Some(how);
        self
    }

    /// Cost law.
    #[must_use]
    pub const fn cost(mut self, cost: CostClass) -> Self {
        self.cost = cost;
        self
    }

    /// Figures printed on the instruction's page.
    #[must_use]
    pub const fn documented(mut self, cost: DocumentedCost) -> Self {
        self.documented = Some(cost);
        self
    }

    /// C++ function with the usual argument order.
    #[must_use]
    pub const fn cpp(mut self, name: &'static str) -> Self {
        self.cpp.name = name;
        self
    }

    /// C++ argument order by slot and attribute name.
    #[must_use]
    pub const fn cpp_args(mut self, args: &'static [&'static str]) -> Self {
        self.cpp.args = args;
        self
    }

    /// Attributes that C++ takes as template arguments.
    #[must_use]
    pub const fn cpp_templates(mut self, attrs: &'static [&'static str]) -> Self {
        self.cpp.templates = attrs;
        self
    }

    /// C++ wants a scratch tile; this operand stands in where the program has none.
    #[must_use]
    pub const fn cpp_scratch(mut self, slot: &'static str) -> Self {
        self.cpp.scratch = slot;
        self
    }

    /// The C++ function takes the operands of each group as tiles of one type.
    #[must_use]
    pub const fn cpp_alike(mut self, groups: &'static [&'static [&'static str]]) -> Self {
        self.cpp.alike = groups;
        self
    }

    /// The C++ function for tiles that [`Row::cpp_alike`] does not allow.
    #[must_use]
    pub const fn cpp_unlike(mut self, name: &'static str) -> Self {
        self.cpp.unlike = name;
        self
    }

    /// Operands and attributes that C++ does not need.
    #[must_use]
    pub const fn cpp_silent(mut self, names: &'static [&'static str]) -> Self {
        self.cpp.silent = names;
        self
    }

    /// C++ spellings, the first that fits is used; see [`CppForm`].
    #[must_use]
    pub const fn cpp_forms(mut self, forms: &'static [CppForm]) -> Self {
        self.cpp.forms = forms;
        self
    }

    /// A program does not determine the C++ call.
    #[must_use]
    pub const fn cpp_missing(mut self, why: &'static str) -> Self {
        self.cpp.missing = why;
        self
    }

    /// Arguments of the Rust function by slot and attribute name, where they are not what must be given, in the order of
    /// C++. `mut name` is a handle whose meaning changes.
    #[must_use]
    pub const fn call(mut self, args: &'static [&'static str]) -> Self {
        self.call = args;
        self
    }

    /// Number in bytecode, with this many operands.
    #[must_use]
    pub const fn bytecode(mut self, opcode: u16, operands: u8) -> Self {
        self.bytecode = Some(Bytecode { opcode, variant: None, operands: Some(operands) });
        self
    }

    /// Number in bytecode, with any number of operands.
    #[must_use]
    pub const fn bytecode_counted(mut self, opcode: u16) -> Self {
        self.bytecode = Some(Bytecode { opcode, variant: None, operands: None });
        self
    }

    /// One of several operations with the same number in bytecode.
    #[must_use]
    pub const fn bytecode_variant(mut self, opcode: u16, variant: u8, operands: u8) -> Self {
        self.bytecode = Some(Bytecode { opcode, variant: Some(variant), operands: Some(operands) });
        self
    }

    /// Specification page.
    #[must_use]
    pub const fn page(mut self, page: &'static str) -> Self {
        self.page = page;
        self
    }

    /// Remarks for the reference page.
    #[must_use]
    pub const fn notes(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    /// Decisions of this project, for the reference page.
    #[must_use]
    pub const fn decided(mut self, decisions: &'static [&'static str]) -> Self {
        self.decided = decisions;
        self
    }

    /// A complete program for the reference page.
    #[must_use]
    pub const fn example(mut self, text: &'static str) -> Self {
        self.example = text;
        self
    }

    /// Named by the table macro.
    #[must_use]
    pub const fn named(
        mut self,
        name: &'static str,
        dialect: &'static str,
        family: Family,
        doc: &'static [&'static str],
    ) -> Self {
        self.name = name;
        self.dialect = dialect;
        self.family = family;
        self.doc = doc;
        self
    }

    /// The first line of the documentation.
    pub fn summary(&self) -> &'static str {
        self.doc.first().map_or("", |line| line.trim())
    }

    /// The documentation after the summary, a text for each paragraph.
    pub fn paragraphs(&self) -> Vec<String> {
        let lines: Vec<&str> = self.doc.iter().skip(1).map(|l| l.trim()).collect();
        lines.split(|l| l.is_empty()).filter(|p| !p.is_empty()).map(|p| p.join(" ")).collect()
    }

    /// The ways to write an operation that has its own grammar; see [`Custom::forms`]. Empty for those that follow a pattern.
    ///
    /// ```
    /// use pto_isa::table::op;
    /// assert_eq!(op::arith_addi.row().forms(), ["%result = arith.addi %lhs, %rhs : T"]);
    /// ```
    pub fn forms(&self) -> Vec<String> {
        let Syntax::Custom(custom) = self.syntax else { return Vec::new() };
        custom.forms().iter().map(|form| form.replace("NAME", &self.full_name())).collect()
    }

    /// The slot of this name, among operands and results.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().chain(self.results).position(|s| s.name == name)
    }

    /// The slot at this position, operands first, then results.
    #[inline]
    pub fn slot_at(&self, at: usize) -> &Slot {
        if at < self.slots.len() { &self.slots[at] } else { &self.results[at - self.slots.len()] }
    }

    /// The attribute of this name or alias.
    pub fn attr(&self, name: &str) -> Option<&AttrSpec> {
        self.attrs.iter().find(|a| a.name == name || a.aliases.contains(&name))
    }

    /// Element types of the data slots on a target. The host takes what any device takes.
    pub fn data_types(&self, target: Target) -> DTypes {
        match target {
            Target::Cpu => self.types.iter().fold(DTypes::NONE, |all, t| all.union(*t)),
            device => self.types[device as usize],
        }
    }

    /// The slots in the order of the generic form.
    pub fn generic_slots(&self) -> Vec<usize> {
        let listed: Vec<usize> = self.generic_order.iter().filter_map(|n| self.slot(n)).collect();
        let rest = (0..self.slots.len()).filter(|s| !listed.contains(s));
        listed.iter().copied().chain(rest).collect()
    }

    /// The slots whose types a pattern states: before `->`, and after it.
    pub fn pattern_types(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let Syntax::Pattern(pattern) = self.syntax else { return None };
        let arrow = pattern.find("->").unwrap_or(pattern.len());
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (at, _) in pattern.match_indices(':') {
            let word = pattern[at + 1..].split(|c| !is_name(c)).next().unwrap_or("");
            if let Some(slot) = self.slot(word).filter(|_| !word.is_empty()) {
                if at < arrow { &mut before } else { &mut after }.push(slot);
            }
        }
        Some((before, after))
    }

    /// The operands that a keyword of the pattern introduces in brackets: `valid [$valid_row, $valid_col]`.
    pub fn keyword_slots(&self, word: &str) -> Vec<&'static str> {
        let Syntax::Pattern(pattern) = self.syntax else { return Vec::new() };
        let Some(at) = pattern.find(&format!("{word} [")) else { return Vec::new() };
        let list = pattern[at..].split(']').next().unwrap_or("");
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        list.split('$').skip(1).map(|part| part.split(|c| !is_name(c)).next().unwrap_or("")).collect()
    }

    /// True when a word stands in the pattern for itself, as a keyword.
    pub fn has_keyword(&self, word: &str) -> bool {
        let Syntax::Pattern(pattern) = self.syntax else { return false };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        pattern.match_indices(word).any(|(at, _)| {
            let before = pattern[..at].chars().next_back();
            let after = pattern[at + word.len()..].chars().next();
            !before.is_some_and(|c| is_name(c) || matches!(c, '$' | '#' | ':')) && !after.is_some_and(is_name)
        })
    }

    /// All rules that apply on a target.
    pub fn rules_on(&self, target: Target) -> impl Iterator<Item = &'static Rule> {
        self.shape_rules.iter().chain(self.rules).filter(move |(t, _)| t.contains(target)).map(|(_, r)| r)
    }

    /// True when the value form (level 1) of this operation has results where the buffer form has `outs`.
    pub fn has_result_slots(&self) -> bool {
        self.slots.iter().any(Slot::is_result)
    }

    /// The full operation name, `pto.tmax` for example.
    pub fn full_name(&self) -> String {
        if self.dialect.is_empty() { self.name.to_string() } else { format!("{}.{}", self.dialect, self.name) }
    }
}
