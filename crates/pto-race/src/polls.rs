//! Questions that a program asks again until the answer is right, and those whose answer nobody looks at.

use pto_cpu::{asked_again, loaded_tile, reads_element, source};
use pto_ir::{Attr, Def, Module, OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Family, enums};
use std::collections::{BTreeMap, BTreeSet};

/// The loads by which loops wait for other cores, and what they compare.
#[derive(Default, Debug)]
pub(crate) struct Polls {
    /// `load_scalar`, and `tload` of tiles whose elements are looked at.
    pub loads: BTreeMap<OpId, Poll>,
    /// Comparisons of what was found.
    pub compares: BTreeMap<OpId, Compare>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    /// The loop forgets its copy.
    pub forgets: bool,
    /// A comparison says what was asked for.
    pub compared: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    /// The load, or the element of a tile.
    pub of: OpId,
    /// The number is the second operand.
    pub swapped: bool,
    /// The result that says that the word is as it should be.
    pub met: bool,
    /// What is known then, by its position in `wait_cmp`.
    pub cmp: u8,
    /// The program only goes on when it is so.
    pub certain: bool,
}

impl Polls {
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Stores of tiles into memory in which loops ask for words.
    pub fn told(&self, module: &Module) -> BTreeSet<OpId> {
        let first = |id: OpId| module.operands(id).first().map(|o| pointer(module, o.value));
        let asked: BTreeSet<ValueId> = self.loads.keys().filter_map(|id| first(*id)).collect();
        let mut all = BTreeSet::new();
        module.walk(module.top, &mut |id| {
            if module.op(id).op == op::tstore && !asked.is_empty() {
                let to = module.operands(id).get(1).map(|o| pointer(module, o.value));
                all.extend(to.filter(|to| asked.contains(to)).map(|_| id));
            }
        });
        all
    }
}

/// The pointer behind a view.
fn pointer(module: &Module, mut value: ValueId) -> ValueId {
    while let Some(id) = definition(module, value).filter(|id| module.op(*id).op.row().family == Family::View)
        && let Some(from) = module.operands(id).first()
    {
        value = from.value;
    }
    value
}

/// Loads in loops that go on until memory says otherwise, or that try a few times.
pub(crate) fn polls(module: &Module) -> Polls {
    let mut all = Polls::default();
    module.walk(module.top, &mut |id| match module.op(id).op {
        op::scf_while => all.add_while(module, id),
        op::scf_for => all.add_tries(module, id),
        _ => {}
    });
    all
}

impl Polls {
    fn add_while(&mut self, module: &Module, id: OpId) {
        let text = Loop::of(module, id);
        let mut asked: BTreeSet<OpId> = text.scalars.clone();
        asked.extend(text.elements.iter().filter(|at| text.load_of(module, **at).is_some()));
        if asked.is_empty() {
            return;
        }
        let ends = text.condition.map(|condition| ends(module, condition)).unwrap_or_default();
        for at in &text.compares {
            if let Some(compare) = compare(module, *at, ends.get(at).copied()).filter(|c| asked.contains(&c.of)) {
                self.compares.insert(*at, compare);
            }
        }
        self.add_loads(module, &text, &asked);
    }

    fn add_tries(&mut self, module: &Module, id: OpId) {
        let asked = asked_again(module, id);
        if asked.is_empty() {
            return;
        }
        let text = Loop::of(module, id);
        let asked = asked.into_iter().filter(|at| text.scalars.contains(at) || text.load_of(module, *at).is_some());
        let asked: BTreeSet<OpId> = asked.collect();
        for at in &text.compares {
            if let Some(compare) = compare(module, *at, None).filter(|c| asked.contains(&c.of)) {
                self.compares.entry(*at).or_insert(compare);
            }
        }
        self.add_loads(module, &text, &asked);
    }

    fn add_loads(&mut self, module: &Module, text: &Loop, asked: &BTreeSet<OpId>) {
        for at in asked {
            let compared = self.compares.values().any(|c| c.of == *at);
            match text.load_of(module, *at) {
                // What is loaded into a tile does not go through the data cache.
                Some(load) if compared => drop(self.loads.entry(load).or_insert(Poll { forgets: true, compared })),
                None => drop(self.loads.entry(*at).or_insert(Poll { forgets: text.forgets, compared })),
                Some(_) => {}
            }
        }
    }
}

/// What stands inside a loop.
#[derive(Default)]
struct Loop {
    scalars: BTreeSet<OpId>,
    elements: BTreeSet<OpId>,
    compares: Vec<OpId>,
    /// Tiles, and what fills them; nothing where something else has them, too.
    tiles: BTreeMap<ValueId, Option<OpId>>,
    forgets: bool,
    condition: Option<ValueId>,
}

impl Loop {
    fn of(module: &Module, id: OpId) -> Self {
        let mut text = Self { condition: condition(module, id), ..Self::default() };
        let mut others = BTreeSet::new();
        module.walk_inside(id, &mut |at| match module.op(at).op {
            op::load_scalar => drop(text.scalars.insert(at)),
            code if reads_element(code) => drop(text.elements.insert(at)),
            op::arith_cmpi => text.compares.push(at),
            op::cmo_cacheinvalid => text.forgets = true,
            op::tload => text.tiles.extend(loaded_tile(module, at).map(|tile| (tile, Some(at)))),
            _ => others.extend(module.operands(at).iter().map(|o| o.value)),
        });
        text.tiles.iter_mut().filter(|(tile, _)| others.contains(tile)).for_each(|(_, load)| *load = None);
        text
    }

    /// The load that fills the tile of an element.
    fn load_of(&self, module: &Module, element: OpId) -> Option<OpId> {
        let tile = module.operands(element).first().filter(|_| reads_element(module.op(element).op))?;
        *self.tiles.get(&tile.value)?
    }
}

/// What decides whether a loop without a counter goes on.
fn condition(module: &Module, id: OpId) -> Option<ValueId> {
    let block = module.region(*module.op_regions(id).first()?).blocks.first()?;
    let last = module.block(*block).ops.last().filter(|at| module.op(**at).op == op::scf_condition)?;
    module.operands(*last).first().map(|o| o.value)
}

/// Comparisons that decide whether a loop goes on: the result with which each lets it end, and whether the loop cannot end without
/// it.
fn ends(module: &Module, condition: ValueId) -> BTreeMap<OpId, (bool, bool)> {
    let mut all = BTreeMap::new();
    let mut open = vec![(condition, true, true)];
    while let Some((value, goes_on, needed)) = open.pop() {
        let Some(at) = definition(module, value) else { continue };
        match (module.op(at).op, module.operands(at)) {
            (op::arith_cmpi, _) => drop(all.insert(at, (!goes_on, needed))),
            (op::arith_xori, [a, b]) => {
                let (value, with) =
                    if constant(module, b.value).is_some() { (a.value, b.value) } else { (b.value, a.value) };
                if let Some(with) = constant(module, with) {
                    open.push((value, goes_on ^ (with & 1 == 1), needed));
                }
            }
            (code @ (op::arith_andi | op::arith_ori), [a, b]) => {
                // A loop that goes on while one of two holds ends when neither does.
                let both = (code == op::arith_ori) == goes_on;
                open.extend([a, b].map(|o| (o.value, goes_on, needed && both)));
            }
            _ => {}
        }
    }
    all
}

/// What a comparison with a loaded number says. Where it does not end a loop, the word is taken to become equal or larger.
fn compare(module: &Module, at: OpId, ends: Option<(bool, bool)>) -> Option<Compare> {
    let [a, b] = module.operands(at) else { return None };
    let Some(Attr::Enum(def, predicate)) = module.attr(at, "predicate") else { return None };
    let predicate = def.value(usize::from(*predicate));
    let (of, swapped) = match source(module, a.value) {
        Some(of) => (of, false),
        None => (source(module, b.value)?, true),
    };
    let grows = |met: &bool| comparison(predicate, swapped, !met).is_some_and(|cmp| GROWN.contains(&cmp));
    let (met, certain) = ends.or_else(|| [true, false].into_iter().find(grows).map(|met| (met, false)))?;
    Some(Compare { of, swapped, met, cmp: comparison(predicate, swapped, !met)?, certain })
}

/// `eq`, `gt` and `ge` in `wait_cmp`.
const GROWN: [u8; 3] = [0, 2, 3];

/// Instructions that look whether something is done, and whose answer nobody uses: they wait for nothing.
pub(crate) fn ignored(module: &Module) -> BTreeSet<OpId> {
    let (mut asking, mut used) = (BTreeSet::new(), BTreeSet::new());
    module.walk(module.top, &mut |id| {
        used.extend(module.operands(id).iter().map(|o| o.value));
        if matches!(module.op(id).op, op::comm_ttest | op::comm_test_async_event) {
            asking.insert(id);
        }
    });
    asking.retain(|id| module.results(*id).all(|result| !used.contains(&result)));
    asking
}

/// A predicate of `arith.cmpi`, or its opposite, as `wait_cmp` counts.
fn comparison(predicate: &str, swapped: bool, opposite: bool) -> Option<u8> {
    let name = predicate.strip_prefix(['s', 'u']).unwrap_or(predicate);
    let name = match (name, swapped) {
        ("lt", true) => "gt",
        ("le", true) => "ge",
        ("gt", true) => "lt",
        ("ge", true) => "le",
        _ => name,
    };
    let name = match (name, opposite) {
        ("eq", true) => "ne",
        ("ne", true) => "eq",
        ("lt", true) => "ge",
        ("le", true) => "gt",
        ("gt", true) => "le",
        ("ge", true) => "lt",
        _ => name,
    };
    enums::WAIT_CMP.find(name).and_then(|at| u8::try_from(at).ok())
}

fn definition(module: &Module, value: ValueId) -> Option<OpId> {
    match module.value(value).def {
        Def::Result(id, _) => Some(id),
        _ => None,
    }
}

fn constant(module: &Module, value: ValueId) -> Option<i64> {
    let id = definition(module, value).filter(|id| module.op(*id).op == op::arith_constant)?;
    match module.attr(id, "value")? {
        Attr::Bool(value) => Some((*value).into()),
        attr => attr.int(),
    }
}
