//! Instructions as functions: which operands and attributes are arguments, in which order, and which operands have the same
//! element type. The functions in Rust and in Python follow it.

use crate::row::{AttrSpec, ElemRule, Infer, SlotCount, SlotKind};
use crate::rules::Rule;
use crate::{DType, DTypes, Dir, Op, Row, ScalarType, Slot, Target, Targets, Token, Type};

/// An argument or an option of a function.
#[derive(Clone, Copy, Debug)]
pub enum CallPart {
    /// An operand, by slot.
    Slot(usize),
    /// An attribute.
    Attr(&'static AttrSpec),
}

impl CallPart {
    /// The name in the row.
    pub fn name(self, row: &'static Row) -> &'static str {
        match self {
            Self::Slot(at) => row.slots[at].name,
            Self::Attr(spec) => spec.name,
        }
    }
}

/// What must be given, in order, and what may be given besides.
///
/// ```
/// use pto_isa::{call, table::op};
/// let row = op::trowmax.row();
/// let (must, may) = call::parts(row);
/// assert_eq!(must.iter().map(|p| p.name(row)).collect::<Vec<_>>(), ["dst", "src"]);
/// assert_eq!(may.iter().map(|p| p.name(row)).collect::<Vec<_>>(), ["tmp"]);
/// ```
pub fn parts(row: &'static Row) -> (Vec<CallPart>, Vec<CallPart>) {
    let part = |name: &str| {
        let name = name.trim_start_matches("mut ");
        row.slots.iter().position(|s| s.name == name).map(CallPart::Slot).or_else(|| row.attr(name).map(CallPart::Attr))
    };
    let all = order(row);
    let listed = |name: &str| row.call.iter().any(|n| n.trim_start_matches("mut ") == name);
    let needed = |name: &str| {
        if !row.call.is_empty() {
            return listed(name);
        }
        row.slots.iter().any(|s| s.name == name && s.count != SlotCount::Optional)
            || row.attrs.iter().any(|a| a.name == name && a.required)
    };
    let (must, may): (Vec<&str>, Vec<&str>) = all.into_iter().partition(|name| needed(name));
    (must.into_iter().filter_map(part).collect(), may.into_iter().filter_map(part).collect())
}

/// Every operand and attribute: as the row lists them, then as C++ does, then those written, those read, attributes.
fn order(row: &'static Row) -> Vec<&'static str> {
    let written = row.slots.iter().filter(|s| s.dir != Dir::In);
    let read = row.slots.iter().filter(|s| s.dir == Dir::In);
    let named = row.call.iter().map(|n| n.trim_start_matches("mut "));
    let usual = written.chain(read).map(|s| s.name).chain(row.attrs.iter().map(|a| a.name));
    let mut all: Vec<&'static str> = Vec::new();
    for name in named.chain(row.cpp.args.iter().copied()).chain(usual) {
        let known = row.slots.iter().any(|s| s.name == name) || row.attrs.iter().any(|a| a.name == name);
        if known && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The function of an instruction: `comm.tput` is `comm_tput`.
pub fn function_name(op: Op) -> String {
    op.row().name.replace('.', "_")
}

/// The name of an argument: `cmpMode` is `cmp_mode`, `isMSB` is `is_msb`.
pub fn argument_name(name: &str) -> String {
    let mut text = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            text.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// True when the instruction changes the operand, or may.
pub fn is_written(row: &Row, slot: usize) -> bool {
    let slot = row.slot_at(slot);
    let changes = row.call.iter().any(|n| n.strip_prefix("mut ") == Some(slot.name));
    let scratch = row.scratch.as_ref().is_some_and(|s| s.slot == slot.name);
    slot.dir != Dir::In || changes || scratch
}

/// Operands and results that have the same element type.
#[derive(Clone, Debug)]
pub struct ElementGroups {
    row: &'static Row,
    /// For every slot and result, the one that stands for its element type.
    group: Vec<usize>,
}

impl ElementGroups {
    /// The groups of the operands in these parts, and of the results.
    pub fn new(row: &'static Row, parts: &[CallPart]) -> Self {
        let count = row.slots.len() + row.results.len();
        let given =
            |slot: usize| slot >= row.slots.len() || parts.iter().any(|p| matches!(p, CallPart::Slot(s) if *s == slot));
        let mut this = Self { row, group: (0..count).collect() };
        let data: Vec<usize> = (0..count).filter(|s| row.slot_at(*s).elem == ElemRule::Data && given(*s)).collect();
        this.join(&data);
        for slot in (0..count).filter(|s| given(*s)) {
            if let ElemRule::Like(other) = row.slot_at(slot).elem {
                let other = row.slot(other).filter(|o| given(*o));
                this.join(&other.into_iter().chain([slot]).collect::<Vec<_>>());
            }
        }
        for (targets, rule) in row.shape_rules.iter().chain(row.rules) {
            if let (true, Rule::SameElem(names)) = (covers(*targets, row.targets), rule) {
                let slots: Vec<usize> = names.iter().filter_map(|n| row.slot(n)).filter(|s| given(*s)).collect();
                this.join(&slots);
            }
        }
        this
    }

    fn join(&mut self, slots: &[usize]) {
        let Some(first) = slots.first().map(|s| self.group[*s]) else { return };
        let joined: Vec<usize> = slots.iter().map(|s| self.group[*s]).collect();
        self.group.iter_mut().filter(|g| joined.contains(g)).for_each(|g| *g = first);
    }

    /// Operands and results of the row.
    pub fn count(&self) -> usize {
        self.group.len()
    }

    /// The slot that stands for the element type of this one.
    pub fn of(&self, slot: usize) -> usize {
        self.group[slot]
    }

    /// True when no other slot has the same element type.
    pub fn is_alone(&self, slot: usize) -> bool {
        self.group.iter().filter(|g| **g == self.group[slot]).count() == 1
    }

    /// The element types of a group that some target takes.
    pub fn legal(&self, group: usize) -> DTypes {
        let members = (0..self.group.len()).filter(|s| self.group[*s] == group);
        members.fold(DTypes::ALL, |set, slot| match self.row.slot_at(slot).elem {
            ElemRule::Data => both(set, self.row.data_types(Target::Cpu)),
            ElemRule::Of(of) => both(set, of),
            ElemRule::Any | ElemRule::Like(_) => set,
        })
    }

    /// What a number becomes as this operand.
    pub fn number(&self, slot: usize) -> NumberRule {
        match self.row.slot_at(slot).kind {
            SlotKind::Index => NumberRule::Index,
            SlotKind::Bool => NumberRule::Bool,
            SlotKind::Scalar if self.row.slot_at(slot).elem == ElemRule::Any && self.is_alone(slot) => NumberRule::Any,
            SlotKind::Int | SlotKind::Scalar | SlotKind::TileOrScalar => {
                match (only(self.legal(self.of(slot))), self.row.slot_at(slot).kind) {
                    (Some(one), _) => NumberRule::Element(one),
                    (None, SlotKind::Int) => NumberRule::Index,
                    (None, _) => NumberRule::Like(self.of(slot)),
                }
            }
            SlotKind::Float => NumberRule::Any,
            _ => NumberRule::None,
        }
    }
}

/// The type of a number that is given for an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberRule {
    /// A number cannot be given.
    None,
    /// An index.
    Index,
    /// True or false.
    Bool,
    /// This type.
    Element(DType),
    /// The element type of the group that this slot stands for.
    Like(usize),
    /// Whatever type the number has.
    Any,
}

fn both(a: DTypes, b: DTypes) -> DTypes {
    DTypes::of(&a.iter().filter(|d| b.contains(*d)).collect::<Vec<_>>())
}

fn covers(all: Targets, some: Targets) -> bool {
    some.iter().all(|t| all.contains(t))
}

/// The type of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultRule {
    /// This type.
    Type(Type),
    /// A tile; its type must be given.
    Tile,
    /// A scalar.
    Scalar(ElementSource),
    /// A pointer.
    Ptr(ElementSource),
    /// A view of global memory: a window of one, if its extents are in a slot of that kind.
    View {
        /// The slot with its extents; without one they must be given.
        extents: Option<usize>,
        /// It is a window of another view.
        is_window: bool,
        /// Its elements.
        element: ElementSource,
    },
    /// Something whose type only the text has a word for; it must be given.
    Text,
}

/// Where an element type comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementSource {
    /// It is the only legal one.
    Only(DType),
    /// From an operand of the group that this slot stands for.
    Group(usize),
    /// It must be given.
    Given,
}

impl ElementGroups {
    /// The results that are always there, with the rules for their types.
    pub fn results(&self, parts: &[CallPart]) -> Vec<ResultRule> {
        let first = self.row.slots.len();
        let always = |(_, r): &(usize, &Slot)| r.count != SlotCount::Optional;
        self.row
            .results
            .iter()
            .enumerate()
            .filter(always)
            .map(|(i, slot)| self.result(first + i, slot, parts))
            .collect()
    }

    fn result(&self, at: usize, slot: &Slot, parts: &[CallPart]) -> ResultRule {
        if let Infer::Fixed(fixed) = slot.infer {
            return ResultRule::Type(fixed.ty());
        }
        let token = |token: Token| ResultRule::Type(Type::Token(token));
        let like = match slot.infer {
            Infer::ElementOf(of) | Infer::Like(of) => self.row.slot(of).unwrap_or(at),
            _ => at,
        };
        match slot.kind {
            SlotKind::Tile | SlotKind::TileOrView => ResultRule::Tile,
            SlotKind::View => {
                let (shape, sizes) = (self.row.slot("shape"), self.row.slot("sizes"));
                let is_window = shape.is_none() && sizes.is_some();
                ResultRule::View { extents: shape.or(sizes), is_window, element: self.source(at, parts) }
            }
            SlotKind::Scalar | SlotKind::Int => ResultRule::Scalar(self.source(like, parts)),
            SlotKind::Ptr => ResultRule::Ptr(self.source(like, parts)),
            SlotKind::Index => ResultRule::Type(Type::Scalar(ScalarType::Index)),
            SlotKind::Bool => ResultRule::Type(Type::Scalar(ScalarType::I1)),
            SlotKind::Pipe => token(Token::Pipe),
            SlotKind::Event => token(Token::Event),
            SlotKind::Session => token(Token::AsyncSession),
            SlotKind::AsyncEvent => token(Token::AsyncEvent),
            SlotKind::TileOrScalar
            | SlotKind::Float
            | SlotKind::MultiTile
            | SlotKind::EventIds
            | SlotKind::Vector
            | SlotKind::Any => ResultRule::Text,
        }
    }

    fn source(&self, slot: usize, parts: &[CallPart]) -> ElementSource {
        let group = self.of(slot);
        if let Some(one) = only(self.legal(group)) {
            return ElementSource::Only(one);
        }
        let given = |part: &CallPart| matches!(part, CallPart::Slot(s) if self.of(*s) == group);
        if parts.iter().any(given) { ElementSource::Group(group) } else { ElementSource::Given }
    }
}

/// The only member of a set.
fn only(set: DTypes) -> Option<DType> {
    let mut list = set.iter();
    list.next().filter(|_| list.next().is_none())
}

/// The element types of the data on each target, a line each, for the documentation of a function; none if there is no choice.
pub fn element_types(row: &Row) -> Vec<String> {
    if !row.slots.iter().chain(row.results).any(|s| s.elem == ElemRule::Data) {
        return Vec::new();
    }
    let types = |t: Target| if row.targets.contains(t) { row.data_types(t) } else { DTypes::NONE };
    let line = |t: Target| {
        format!("{}: {}", t.name(), if types(t).is_empty() { "–".to_string() } else { types(t).to_string() })
    };
    Target::ALL.into_iter().map(line).collect()
}

/// The rules of an instruction, a line each, with the targets of those that do not hold everywhere.
pub fn rules(row: &Row) -> Vec<String> {
    let everywhere = row.targets.iter().count();
    let mut list = Vec::new();
    for (targets, rule) in row.shape_rules.iter().chain(row.rules) {
        let on: Vec<&str> = row.targets.iter().filter(|t| targets.contains(*t)).map(Target::name).collect();
        match on.len() {
            0 => {}
            n if n == everywhere => list.push(rule.describe()),
            _ => list.push(format!("{} ({})", rule.describe(), on.join(", "))),
        }
    }
    list.extend(row.scratch.as_ref().map(|s| format!("scratch `{}`: {}", s.slot, s.rule)));
    list
}
