//! Finding operand types and attribute values that keep every rule of a row: legal uses of an instruction, from the table
//! alone.

mod candidates;

pub use candidates::values;

use crate::row::{AttrSpec, ElemRule, Row, Slot, SlotCount};
use crate::rules::{AttrValue, Instance, RuleArg};
use crate::{DType, DTypes, Op, Target, Type, codes};

/// Combinations tried for one element type.
const TRIES: usize = 20_000;

/// One legal use of an instruction: the types in its slots, and its attributes.
#[derive(Clone, Debug)]
pub struct Filling {
    /// The instruction.
    pub op: Op,
    /// The slots that are filled, in order over operands and results, and with what.
    pub types: Vec<(u8, Type)>,
    /// The attributes that are given.
    pub attrs: Vec<(&'static str, AttrValue<'static>)>,
}

impl Filling {
    /// True when every rule of the row holds on the target, for all extents.
    pub fn is_legal(&self, target: Target) -> bool {
        self.is_legal_in(target, false)
    }

    /// The same for a function that may place its tiles itself.
    pub fn is_legal_in(&self, target: Target, manual: bool) -> bool {
        let args: Vec<RuleArg> = self.types.iter().map(|(slot, ty)| RuleArg { slot: *slot, ty, value: None }).collect();
        let row = self.op.row();
        Instance { row, target, manual, args: &args, attrs: &self.attrs }.is_legal()
    }
}

/// A use of an instruction that is legal on a target and works on elements of one type.
///
/// ```
/// use pto_isa::{DType, Target, fill, table::op};
/// assert!(fill::filling(op::tmax, Target::A5, DType::U8, 100).is_some());
/// assert!(fill::filling(op::tmax, Target::A2A3, DType::U8, 100).is_none());
/// ```
pub fn filling(op: Op, target: Target, data: DType, tries: usize) -> Option<Filling> {
    FillSearch::new(op, target, data, tries).first(&mut |_| true)
}

/// A few legal uses, from the most ordinary on.
pub fn several(op: Op, target: Target, data: DType, tries: usize, count: usize) -> Vec<Filling> {
    let mut found = Vec::new();
    FillSearch::new(op, target, data, tries).first(&mut |f| {
        found.push(f.clone());
        found.len() == count
    });
    found
}

/// The most ordinary legal use of an instruction that is also accepted by the caller.
pub fn first(op: Op, target: Target, mut accept: impl FnMut(&Filling) -> bool) -> Option<Filling> {
    data_types(op.row(), target).into_iter().find_map(|d| FillSearch::new(op, target, d, TRIES).first(&mut accept))
}

/// Element types to build a use around.
pub fn data_types(row: &Row, target: Target) -> Vec<DType> {
    let has_data = row.slots.iter().chain(row.results).any(|s| s.elem == ElemRule::Data);
    candidates::preferred(if has_data { row.data_types(target) } else { DTypes::ALL }).collect()
}

/// One position of the search and what it can hold; `None` leaves it out.
enum SearchPosition {
    Slot(u8, Vec<Option<Type>>),
    Attr(&'static str, Vec<Option<AttrValue<'static>>>),
}

impl SearchPosition {
    fn choices(&self) -> usize {
        match self {
            Self::Slot(_, list) => list.len(),
            Self::Attr(_, list) => list.len(),
        }
    }
}

struct FillSearch {
    op: Op,
    target: Target,
    places: Vec<SearchPosition>,
    tries: usize,
}

impl FillSearch {
    fn new(op: Op, target: Target, data: DType, tries: usize) -> Self {
        let row = op.row();
        let slots = row.slots.iter().chain(row.results).enumerate();
        let mut places: Vec<SearchPosition> = slots
            .map(|(at, slot)| {
                let alone = |ty: &Type| fits_alone(op, target, at as u8, ty);
                let types = candidates::types(row, slot, data, target).into_iter().filter(alone).map(Some);
                SearchPosition::Slot(at as u8, with_absence(types, slot_absence(row, slot, target)))
            })
            .collect();
        places.extend(row.attrs.iter().map(|spec| {
            let values = values(spec).into_iter().map(Some);
            SearchPosition::Attr(spec.name, with_absence(values, attr_absence(row, spec)))
        }));
        Self { op, target, places, tries }
    }

    /// The first accepted combination, those with the most ordinary parts first.
    fn first(mut self, accept: &mut dyn FnMut(&Filling) -> bool) -> Option<Filling> {
        let farthest: usize = self.places.iter().map(|p| p.choices().saturating_sub(1)).sum();
        if self.places.iter().any(|p| p.choices() == 0) {
            return None;
        }
        (0..=farthest).find_map(|distance| self.combine(distance, &mut Vec::new(), accept))
    }

    /// Extends a choice for the first places to all, spending exactly `distance` steps away from the first choices.
    fn combine(
        &mut self,
        distance: usize,
        chosen: &mut Vec<usize>,
        accept: &mut dyn FnMut(&Filling) -> bool,
    ) -> Option<Filling> {
        if self.tries == 0 {
            return None;
        }
        let Some(place) = self.places.get(chosen.len()) else {
            return if distance == 0 { self.attempt(chosen).filter(|f| accept(f)) } else { None };
        };
        // The last position must take the whole remaining distance.
        let nearest = if chosen.len() + 1 == self.places.len() { distance } else { 0 };
        for step in nearest..place.choices().min(distance + 1) {
            chosen.push(step);
            let found = self.combine(distance - step, chosen, accept);
            chosen.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn attempt(&mut self, chosen: &[usize]) -> Option<Filling> {
        self.tries -= 1;
        let mut filling = Filling { op: self.op, types: Vec::new(), attrs: Vec::new() };
        for (place, &at) in self.places.iter().zip(chosen) {
            match place {
                SearchPosition::Slot(slot, list) => filling.types.extend(list[at].clone().map(|ty| (*slot, ty))),
                SearchPosition::Attr(name, list) => filling.attrs.extend(list[at].map(|value| (*name, value))),
            }
        }
        filling.is_legal(self.target).then_some(filling)
    }
}

/// False when a type breaks a rule about its own slot, regardless of the others.
fn fits_alone(op: Op, target: Target, slot: u8, ty: &Type) -> bool {
    let args = [RuleArg { slot, ty, value: None }];
    let (broken, _) = Instance { row: op.row(), target, manual: false, args: &args, attrs: &[] }.check();
    let own = [codes::ELEM_TYPE, codes::LOCATION, codes::LAYOUT];
    !broken.iter().any(|b| own.contains(&b.code) && b.slots == [usize::from(slot)])
}

/// Where leaving a place out stands among its choices.
#[derive(Clone, Copy)]
enum Absence {
    Never,
    First,
    Last,
    Only,
}

fn with_absence<T>(choices: impl Iterator<Item = Option<T>>, absence: Absence) -> Vec<Option<T>> {
    match absence {
        Absence::Never => choices.collect(),
        Absence::First => std::iter::once(None).chain(choices).collect(),
        Absence::Last => choices.chain([None]).collect(),
        Absence::Only => vec![None],
    }
}

/// An optional operand is left out, unless it is a scratch tile that the target needs.
fn slot_absence(row: &Row, slot: &Slot, target: Target) -> Absence {
    let scratch = row.scratch.as_ref().filter(|s| s.slot == slot.name);
    match slot.count {
        SlotCount::One | SlotCount::Many => Absence::Never,
        SlotCount::Optional if scratch.is_some_and(|s| s.required.contains(target)) => Absence::Last,
        SlotCount::Optional if is_in_a_rule(row, slot.name) => Absence::First,
        SlotCount::Optional => Absence::Only,
    }
}

/// An optional attribute is omitted, unless a rule may require it.
fn attr_absence(row: &Row, spec: &AttrSpec) -> Absence {
    match spec.required {
        true => Absence::Never,
        false if is_in_a_rule(row, spec.name) => Absence::First,
        false => Absence::Only,
    }
}

fn is_in_a_rule(row: &Row, name: &str) -> bool {
    row.shape_rules.iter().chain(row.rules).any(|(_, rule)| rule.names().contains(&name))
}
