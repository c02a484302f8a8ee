//! Loops that poll a word, and tests whose result is not used.

use crate::rounds::{BlockWays, CyclicBlocks, rounds, stays, switches};
use crate::slices::{Slices, definition};
use pto_cpu::{asked_again, asked_again_in, loaded_tile, reads_element};
use pto_ir::{Attr, BlockId, Module, OpId, ValueId};
use pto_isa::Family;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Arith, CommOp, Control, Meaning, Movement, SyncOp};

/// The loads by which loops poll words of other cores, and the comparisons of the loaded values.
#[derive(Default, Debug)]
pub(crate) struct Polls {
    /// `load_scalar`, and `tload` of tiles whose elements are compared.
    pub loads: OrdMap<OpId, Poll>,
    /// Comparisons that do not decide alone whether the loop ends.
    pub compares: OrdMap<OpId, Compare>,
    /// Branches that may leave a loop of blocks, and the result with which each stays in it.
    pub stays: OrdMap<OpId, bool>,
    pub switches: OrdMap<OpId, BlockWays>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    /// The loop invalidates its cached copy.
    pub forgets: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    /// The result that means that the word has the awaited value.
    pub met: bool,
    /// The whole loop condition is evaluated when the loop ends.
    pub ends_loop: bool,
}

impl Polls {
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Stores of tiles to memory in which loops poll words.
    pub fn told(&self, module: &Module) -> OrdSet<OpId> {
        let first = |id: OpId| module.operands(id).first().map(|o| pointer(module, o.value));
        let asked: OrdSet<ValueId> = self.loads.keys().filter_map(|id| first(*id)).collect();
        let mut all = OrdSet::new();
        module.walk(module.top, &mut |id| {
            if module.movement(id) == Some(Movement::Store) && !asked.is_empty() {
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

/// Loads in loops that run until memory changes, or that retry a few times.
pub(crate) fn polls(module: &Module) -> Polls {
    let mut all = Polls::default();
    let slices = Slices::new(module);
    module.walk(module.top, &mut |id| match module.control(id) {
        Some(Control::While) => all.add_while(&slices, id),
        Some(Control::For) => all.add_tries(&slices, id),
        _ => {}
    });
    let rounds = rounds(&slices.jumps);
    all.stays = stays(&rounds);
    all.switches = switches(module, &rounds);
    let mut inner = OrdSet::new();
    rounds.iter().for_each(|round| all.add_round(&slices, round, &mut inner));
    all
}

impl Polls {
    fn add_while(&mut self, slices: &Slices<'_>, id: OpId) {
        let module = slices.module;
        let text = PollLoop::of(module, id);
        let inside = text.words(module);
        let Some(condition) = text.condition.filter(|_| !inside.is_empty()) else { return };
        let decides = slices.of([condition]);
        let mut asked: OrdSet<OpId> = decides.loads.intersection(&inside).copied().collect();
        let either = either(module, (condition, true, true));
        for at in &text.compares {
            let met = either.get(at).map(|met| Compare { met: *met, ends_loop: true });
            let counts = module.results(*at).any(|r| decides.values.contains(&r));
            if met.is_some() || !counts {
                self.add_compare(slices, *at, met, &inside, &mut asked);
            }
        }
        self.add_loads(module, &text, &asked);
    }

    /// A loop of blocks. `inner` has the operations of nested ones.
    fn add_round(&mut self, slices: &Slices<'_>, round: &CyclicBlocks, inner: &mut OrdSet<OpId>) {
        let module = slices.module;
        let ops = round.ops(module);
        let text = PollLoop::with(module, &ops, inner);
        let inside = text.words(module);
        inner.extend(&ops);
        if inside.is_empty() || round.exits.is_empty() && round.switches.is_empty() {
            return;
        }
        let exits = round.exits.iter().map(|(_, condition, _)| *condition);
        let decides = slices.of(exits.chain(round.switches.iter().map(|(_, on, _)| *on)));
        let mut asked: OrdSet<OpId> = decides.loads.intersection(&inside).copied().collect();
        let again = asked_again_in(module, &ops, &round.blocks);
        let again: OrdSet<OpId> = inside.intersection(&again).copied().collect();
        // With several exits, no single one is needed.
        let certain = round.exits.len() + round.switches.len() == 1;
        let ends = round.exits.iter().flat_map(|(_, value, stays)| either(module, (*value, *stays, certain)));
        let ends: OrdMap<OpId, bool> = ends.collect();
        for at in &text.compares {
            let met = ends.get(at).map(|met| Compare { met: *met, ends_loop: true });
            let counts = module.results(*at).any(|r| decides.values.contains(&r));
            match met {
                Some(_) => self.add_compare(slices, *at, met, &inside, &mut asked),
                None if !counts => self.add_compare(slices, *at, None, &again, &mut asked),
                None => {}
            }
        }
        self.add_loads(module, &text, &asked);
    }

    fn add_tries(&mut self, slices: &Slices<'_>, id: OpId) {
        let module = slices.module;
        let asked = asked_again(module, id);
        if asked.is_empty() {
            return;
        }
        let text = PollLoop::of(module, id);
        let inside: OrdSet<OpId> = text.words(module).intersection(&asked).copied().collect();
        let mut asked = OrdSet::new();
        for at in &text.compares {
            self.add_compare(slices, *at, None, &inside, &mut asked);
        }
        self.add_loads(module, &text, &asked);
    }

    /// Adds a comparison with a polled value, if it is one.
    fn add_compare(
        &mut self,
        slices: &Slices<'_>,
        at: OpId,
        ends_loop: Option<Compare>,
        inside: &OrdSet<OpId>,
        asked: &mut OrdSet<OpId>,
    ) {
        let [a, b] = slices.module.operands(at) else { return };
        let first = slices.of([a.value]).loads.iter().any(|load| inside.contains(load));
        let both = slices.of([a.value, b.value]).loads;
        let mut loads = both.intersection(inside).copied().peekable();
        let guess = || guess(slices.module, at, !first);
        if loads.peek().is_some()
            && let Some(compare) = ends_loop.or_else(guess)
        {
            asked.extend(loads);
            match ends_loop {
                Some(_) => drop(self.compares.insert(at, compare)),
                None => drop(self.compares.entry(at).or_insert(compare)),
            }
        }
    }

    fn add_loads(&mut self, module: &Module, text: &PollLoop, asked: &OrdSet<OpId>) {
        for at in asked {
            match text.load_of(module, *at) {
                // A load into a tile bypasses the data cache.
                Some(load) => drop(self.loads.entry(load).or_insert(Poll { forgets: true })),
                None => drop(self.loads.entry(*at).or_insert(Poll { forgets: text.forgets })),
            }
        }
    }
}

/// The operations in a loop.
#[derive(Default)]
struct PollLoop {
    scalars: OrdSet<OpId>,
    elements: OrdSet<OpId>,
    compares: Vec<OpId>,
    /// Tiles and the load that fills each; `None` if something else writes it, too.
    tiles: OrdMap<ValueId, Option<OpId>>,
    forgets: bool,
    condition: Option<ValueId>,
}

impl PollLoop {
    fn of(module: &Module, id: OpId) -> Self {
        let mut ops = Vec::new();
        module.walk_inside(id, &mut |at| ops.push(at));
        Self { condition: condition(module, id), ..Self::with(module, &ops, &OrdSet::new()) }
    }

    /// Comparisons of `inner` operations belong to another loop.
    fn with(module: &Module, ops: &[OpId], inner: &OrdSet<OpId>) -> Self {
        let mut text = Self::default();
        let (mut others, mut nested) = (OrdSet::new(), OrdSet::new());
        ops.iter().for_each(|&at| match module.meaning(at) {
            Meaning::Movement(Movement::LoadScalar) => drop(text.scalars.insert(at)),
            Meaning::Movement(Movement::GetElement) => drop(text.elements.insert(at)),
            Meaning::Arith(Arith::CompareInt) => text.compares.push(at),
            Meaning::Sync(SyncOp::CleanCache) => text.forgets = true,
            Meaning::Movement(Movement::Load) => {
                text.tiles.extend(loaded_tile(module, at).map(|tile| (tile, Some(at))));
            }
            // A nested loop has its own comparisons.
            Meaning::Control(Control::While) => module.walk_inside(at, &mut |inner| {
                nested.insert(inner);
            }),
            _ => others.extend(module.operands(at).iter().map(|o| o.value)),
        });
        text.compares.retain(|at| !nested.contains(at) && !inner.contains(at));
        text.tiles.iter_mut().filter(|(tile, _)| others.contains(tile)).for_each(|(_, load)| *load = None);
        text
    }

    /// Operations that load numbers of global memory as scalars.
    fn words(&self, module: &Module) -> OrdSet<OpId> {
        let elements = self.elements.iter().filter(|at| self.load_of(module, **at).is_some());
        self.scalars.iter().chain(elements).copied().collect()
    }

    /// The load that fills the tile of an element.
    fn load_of(&self, module: &Module, element: OpId) -> Option<OpId> {
        let tile = module.operands(element).first().filter(|_| reads_element(module.op(element).op))?;
        *self.tiles.get(&tile.value)?
    }
}

/// The condition of a loop without a counter.
fn condition(module: &Module, id: OpId) -> Option<ValueId> {
    let block = module.region(*module.op_regions(id).first()?).blocks.first()?;
    let last = module.block(*block).ops.last().filter(|at| module.control(**at) == Some(Control::Condition))?;
    module.operands(*last).first().map(|o| o.value)
}

/// Comparisons that may end a loop but need not, with the result with which each does. Given are the condition, the result with which
/// the loop continues, and whether it is the only exit. If the text does not show how they decide, there are none.
fn either(module: &Module, condition: (ValueId, bool, bool)) -> OrdMap<OpId, bool> {
    let (mut all, mut needed) = (OrdMap::new(), OrdSet::new());
    let mut open = vec![condition];
    while let Some((value, goes_on, certain)) = open.pop() {
        if constant(module, value).is_some() {
            continue;
        }
        let Some(at) = definition(module, value) else { return OrdMap::new() };
        // A loop that continues while either of two holds ends when neither does.
        let both = |any: bool| certain && any == goes_on;
        match (module.meaning(at), module.operands(at)) {
            (Meaning::Arith(Arith::CompareInt), _) => {
                all.insert(at, !goes_on);
                needed.extend(Some(at).filter(|_| certain));
            }
            (Meaning::Arith(Arith::Xor), [a, b]) => match (constant(module, a.value), constant(module, b.value)) {
                (None, Some(with)) => open.push((a.value, goes_on ^ (with & 1 == 1), certain)),
                (Some(with), None) => open.push((b.value, goes_on ^ (with & 1 == 1), certain)),
                _ => return OrdMap::new(),
            },
            (Meaning::Arith(is @ (Arith::And | Arith::Or)), [a, b]) => {
                open.extend([a, b].map(|o| (o.value, goes_on, both(is == Arith::Or))));
            }
            (Meaning::Arith(Arith::Select) | Meaning::Control(Control::If), _) => {
                let Some((decides, [yes, no])) = chosen(module, at, value) else { return OrdMap::new() };
                match [yes, no].map(|v| constant(module, v).map(|n| n & 1 == 1)) {
                    [Some(a), Some(b)] if a != b => open.push((decides, goes_on == a, certain)),
                    [Some(a), None] => open.extend([(decides, goes_on == a, both(a)), (no, goes_on, both(a))]),
                    [None, Some(b)] => open.extend([(decides, goes_on != b, both(b)), (yes, goes_on, both(b))]),
                    _ => return OrdMap::new(),
                }
            }
            _ => return OrdMap::new(),
        }
    }
    all.retain(|at, _| !needed.contains(at));
    all
}

/// A value that is one of two: the condition and the two values.
fn chosen(module: &Module, at: OpId, value: ValueId) -> Option<(ValueId, [ValueId; 2])> {
    if let [condition, yes, no] = module.operands(at) {
        return Some((condition.value, [yes.value, no.value]));
    }
    let which = module.results(at).position(|r| r == value)?;
    let yielded = |block: BlockId| {
        let last = module.block(block).ops.last()?;
        module.operands(*last).get(which).map(|o| o.value)
    };
    let regions = module.op_regions(at);
    let [yes, no] = regions else { return None };
    let [yes, no] = [yes, no].map(|r| module.region(*r).blocks.first().copied());
    Some((module.operands(at).first()?.value, [yielded(yes?)?, yielded(no?)?]))
}

/// If a comparison does not end a loop, assume that the word becomes equal or larger, and non-zero.
fn guess(module: &Module, at: OpId, swapped: bool) -> Option<Compare> {
    let [a, b] = module.operands(at) else { return None };
    let Some(Attr::Enum(def, predicate)) = module.attr(at, "predicate") else { return None };
    let predicate = def.value(usize::from(*predicate));
    let zero = constant(module, if swapped { a.value } else { b.value }) == Some(0);
    let name = predicate.strip_prefix(['s', 'u']).unwrap_or(predicate);
    let met = match name {
        "eq" => !zero,
        "ne" => zero,
        "gt" | "ge" => !swapped,
        _ => swapped,
    };
    Some(Compare { met, ends_loop: false })
}

/// Tests whose result is not used: they wait for nothing.
pub(crate) fn ignored(module: &Module) -> OrdSet<OpId> {
    let (mut asking, mut used) = (OrdSet::new(), OrdSet::new());
    module.walk(module.top, &mut |id| {
        used.extend(module.operands(id).iter().map(|o| o.value));
        if matches!(module.comm(id), Some(CommOp::Test | CommOp::TestAsync)) {
            asking.insert(id);
        }
    });
    asking.retain(|id| module.results(*id).all(|result| !used.contains(&result)));
    asking
}

pub(crate) fn constant(module: &Module, value: ValueId) -> Option<i64> {
    let id = definition(module, value).filter(|id| module.arith(*id) == Some(Arith::Constant))?;
    match module.attr(id, "value")? {
        Attr::Bool(value) => Some((*value).into()),
        attr => attr.int(),
    }
}
