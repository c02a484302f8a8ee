//! Tiles that are read after a device has destroyed them: sources that an instruction uses as scratch memory, and tiles in
//! memory that an instruction uses implicitly.
//!
//! Every list of operations is summarised once: the memory it reads before it writes it, the memory it leaves destroyed, and the
//! memory it writes. So the time is linear in the program, however loops are nested. Callees are summarised before callers.
//! Memory is tracked in pieces ([`atoms`]), so that windows of a tile are distinguished.

mod atoms;
mod calls;
mod carried;

use crate::Info;
use crate::instructions::OpCheck;
use crate::overlap::avoid;
use crate::places::{TileAddresses, TileExtent, TileHome, hidden_runs};
use atoms::{Atom, AtomBase, Atoms};
use pto_ir::{BlockId, Module, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Control, Effect, Harm};
use pto_isa::rules::Instance;
use pto_isa::text;
use pto_isa::{Diagnostic, Dir, Family, Span, codes};

pub(crate) fn check(
    module: &Module,
    order: &[OpId],
    info: &Info,
    places: &TileAddresses<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    if let Some(walk) = ClobberWalk::of(module, order, info, places) {
        problems.extend(walk.found.into_values());
    }
}

/// Sources that operations of a checked program use as scratch memory and that are read afterwards, or may be read by a caller: the
/// operations and the slots.
///
/// ```
/// use pto_isa::{Target, table::op};
/// let (module, _) = pto_syntax::parse(
///     "func.func @f(%d: !pto.tile_buf<vec, 8x64xi32>) {
///        %a = pto.alloc_tile : !pto.tile_buf<vec, 8x64xi32>
///        %b = pto.alloc_tile : !pto.tile_buf<vec, 8x64xi32>
///        trem ins(%a, %b) outs(%d)
///        tadd ins(%b, %d) outs(%d)
///        return
///      }",
/// );
/// let checked = pto_check::check(module, Target::A2A3).expect("legal");
/// let lost = pto_check::lost_sources(&checked);
/// assert_eq!(lost.values().collect::<Vec<_>>(), [&["src1"]]);
/// ```
pub fn lost_sources(checked: &crate::Checked) -> OrdMap<OpId, Vec<&'static str>> {
    let (module, info, order) = (checked.module(), checked.info(), checked.module().order());
    let places = TileAddresses::new(module, &order, info);
    let Some(walk) = ClobberWalk::of(module, &order, info, &places) else { return OrdMap::new() };
    let mut all: OrdMap<OpId, OrdSet<&'static str>> = OrdMap::new();
    for &(id, lost) in &walk.needed {
        let row = module.op(id).op.row();
        let slots = row.hazards.iter().filter_map(|h| match h.harm {
            Harm::Destroys(slot) => Some(slot),
            _ => None,
        });
        let is_lost = |slot: &&str| {
            let operands = row.slot(slot).into_iter().flat_map(|slot| module.in_slot(id, slot));
            let mut bytes = operands.filter_map(|o| walk.bytes(o.value, id, TileExtent::Valid));
            bytes.any(|(group, runs)| walk.atoms.of(group, runs).contains(&lost))
        };
        all.entry(id).or_default().extend(slots.filter(is_lost));
    }
    all.into_iter().map(|(id, slots)| (id, slots.into_iter().collect())).collect()
}

/// How memory was lost: the instruction, whether it was one of its sources, and whether that was in a callee.
#[derive(Clone, Copy)]
struct Loss {
    by: OpId,
    source: bool,
    called: bool,
    /// It is one of the tiles that a condition chooses from.
    chosen: bool,
    /// The atom under which the instruction knows it, if it was passed under another name.
    under: Option<Atom>,
}

/// A read of a tile, and its position in a callee.
#[derive(Clone, Copy)]
struct TileRead {
    span: Span,
    tile: ValueId,
    inside: Option<Span>,
    /// It is on one side of a branch, whose condition may be related to the choice of a tile.
    branched: bool,
}

/// A tile that an operation uses.
struct OperandUse<'a> {
    tile: ValueId,
    span: Span,
    dir: Dir,
    atoms: &'a [Atom],
    /// The other tiles that a write may go to.
    others: Vec<Atom>,
}

/// Memory that an operation destroys.
type Lost = ((AtomBase, crate::places::Runs), Loss);

/// The memory that each operation destroys.
fn losses(module: &Module, order: &[OpId], info: &Info, places: &TileAddresses<'_>) -> FastMap<OpId, Vec<Lost>> {
    let mut all = FastMap::default();
    let is_risky = |id: &&OpId| {
        let hazards = module.op(**id).op.row().hazards;
        hazards.iter().any(|h| h.targets.contains(info.target) && matches!(h.harm, Harm::Destroys(_) | Harm::Hidden(_)))
    };
    for &id in order.iter().filter(is_risky) {
        let row = module.op(id).op.row();
        let check = OpCheck { module, info, id, row };
        let (args, attrs) = (check.args(), check.rule_attrs());
        let manual = info.manual[id.index()];
        let instance = Instance { row, target: info.target, manual, args: &args, attrs: &attrs };
        let mut list = Vec::new();
        for hazard in row.hazards_of(&instance) {
            match hazard.harm {
                Harm::Destroys(slot) => {
                    let operands = row.slot(slot).into_iter().flat_map(|slot| module.in_slot(id, slot));
                    let loss = Loss { by: id, source: true, called: false, chosen: false, under: None };
                    for operand in operands {
                        let own = places.window(operand.value, id).into_iter().map(|w| (w, loss));
                        let others = places.alternatives(operand.value, id).into_iter();
                        let others = others.map(|w| (w, Loss { chosen: true, ..loss }));
                        list.extend(
                            own.chain(others).map(|(w, loss)| ((atoms::group(&w), w.runs(TileExtent::Valid)), loss)),
                        );
                    }
                }
                Harm::Hidden(memory) => {
                    let home = (TileHome::At(memory.loc), OrdMap::new());
                    let loss = Loss { by: id, source: false, called: false, chosen: false, under: None };
                    list.push(((home, hidden_runs(&memory)), loss));
                }
                _ => {}
            }
        }
        if !list.is_empty() {
            all.insert(id, list);
        }
    }
    all
}

/// The effect of a list of operations on memory that is destroyed somewhere.
#[derive(Clone, Default)]
struct ClobberSummary {
    /// Read before they are written.
    exposed: OrdMap<Atom, TileRead>,
    /// Lost at the end.
    lost: OrdMap<Atom, Loss>,
    /// Written, on every path.
    written: OrdSet<Atom>,
}

impl ClobberSummary {
    /// Marks the effects as conditional.
    fn leave_branch(&mut self) {
        self.exposed.values_mut().for_each(|read| read.branched = true);
        self.lost.retain(|_, loss| !loss.chosen);
    }
}

struct ClobberWalk<'a> {
    module: &'a Module,
    info: &'a Info,
    places: &'a TileAddresses<'a>,
    losses: FastMap<OpId, Vec<Lost>>,
    atoms: Atoms,
    /// Memory that is destroyed somewhere.
    tracked: OrdSet<Atom>,
    /// The part of it that has addresses.
    addressed: OrdSet<Atom>,
    calls: FastMap<OpId, OpId>,
    /// Summaries of functions so far.
    functions: FastMap<OpId, ClobberSummary>,
    found: OrdMap<(Span, OpId), Diagnostic>,
    /// Operations that use a source as scratch memory that is read afterwards.
    needed: OrdSet<(OpId, Atom)>,
}

impl<'a> ClobberWalk<'a> {
    /// Analyses a program; `None` if nothing is destroyed.
    fn of(module: &'a Module, order: &[OpId], info: &'a Info, places: &'a TileAddresses<'a>) -> Option<Self> {
        let losses = losses(module, order, info, places);
        if losses.is_empty() {
            return None;
        }
        let mut walk = Self {
            module,
            info,
            places,
            losses,
            atoms: Atoms::default(),
            tracked: OrdSet::new(),
            addressed: OrdSet::new(),
            calls: module.calls(),
            functions: FastMap::default(),
            found: OrdMap::new(),
            needed: OrdSet::new(),
        };
        let functions = calls::callees_first(module, &walk.calls);
        walk.cut(&functions, order);
        walk.track_calls(&functions);
        for function in functions {
            let mut body = ClobberSummary::default();
            for block in module.op_regions(function).iter().flat_map(|r| &module.region(*r).blocks) {
                let next = walk.block(*block);
                walk.then(&mut body, next);
            }
            walk.keep_parameters(function, &body);
            let outside = walk.outside(function, body);
            walk.functions.insert(function, outside);
        }
        walk.block(module.top);
        Some(walk)
    }

    /// Divides the memory of the program into atoms.
    fn cut(&mut self, functions: &[OpId], order: &[OpId]) {
        for (group, runs) in self.losses.values().flatten().map(|(bytes, _)| bytes) {
            self.atoms.add(group.clone(), *runs);
        }
        // Only calls and loops that exchange tiles pass memory on under another name.
        if self.calls.is_empty() && !self.places.exchanges() {
            self.atoms.close();
        }
        for &function in functions {
            for parameter in calls::parameters(self.module, function) {
                let bytes = self.bytes(*parameter, function, TileExtent::Valid);
                bytes.into_iter().for_each(|(group, runs)| self.atoms.add(group, runs));
            }
            let mut inner = Vec::new();
            self.module.walk_inside(function, &mut |id| inner.push(id));
            inner.iter().for_each(|id| self.add_windows(*id));
            // Inner loops may take what outer ones carry.
            inner.iter().rev().for_each(|id| self.add_carried(*id));
        }
        let outside = order.iter().filter(|id| self.module.control(**id) != Some(Control::Function));
        let outside: Vec<OpId> = outside.copied().collect();
        outside.into_iter().for_each(|id| self.add_windows(id));
        self.atoms.cut();
        for ((group, runs), _) in self.losses.values().flatten() {
            let atoms = self.atoms.of(group.clone(), *runs);
            self.tracked.extend(atoms.iter());
            if matches!(group.0, TileHome::At(_)) {
                self.addressed.extend(atoms.iter());
            }
        }
    }

    fn add_windows(&mut self, id: OpId) {
        for (operand, _) in self.operands(id) {
            let bytes = self.bytes(operand.value, id, TileExtent::Valid);
            bytes.into_iter().for_each(|(group, runs)| self.atoms.add(group, runs));
            for window in self.places.alternatives(operand.value, id) {
                self.atoms.add(atoms::group(&window), window.runs(TileExtent::Valid));
            }
        }
        if self.calls.contains_key(&id) {
            self.add_call(id);
        }
    }

    /// The tiles that an operation uses, without its scratch tile.
    fn operands(&self, id: OpId) -> Vec<(Operand, Dir)> {
        let module = self.module;
        let row = module.op(id).op.row();
        let touches = row.effect == Effect::Operands || row.effect == Effect::Debug;
        let called = module.control(id) == Some(Control::Call);
        if !called && (!touches || row.family == Family::Sync) {
            return Vec::new();
        }
        let slot = |o: &Operand| row.slots.get(usize::from(o.slot));
        let is_scratch = |o: &Operand| slot(o).is_some_and(|slot| row.scratch.is_some_and(|s| s.slot == slot.name));
        let tiles = module.operands(id).iter().filter(|o| module.tile(o.value).is_some() && !is_scratch(o));
        tiles.map(|o| (*o, slot(o).map_or(Dir::In, |s| s.dir))).collect()
    }

    fn accesses(&self, id: OpId) -> Vec<OperandUse<'_>> {
        let access = |(operand, dir): (Operand, Dir)| {
            let (group, runs) = self.bytes(operand.value, id, TileExtent::Valid)?;
            let others = if dir == Dir::Out { self.places.alternatives(operand.value, id) } else { Vec::new() };
            let others = others.iter().flat_map(|w| self.atoms.of(atoms::group(w), w.runs(TileExtent::Valid)));
            let (others, atoms) = (others.copied().collect(), self.atoms.of(group, runs));
            Some(OperandUse { tile: operand.value, span: operand.span, dir, atoms, others })
        };
        self.operands(id).into_iter().filter_map(access).collect()
    }

    fn block(&mut self, block: BlockId) -> ClobberSummary {
        let module = self.module;
        let mut all = ClobberSummary::default();
        for &id in &module.block(block).ops {
            let next = match module.control(id) {
                // Functions are analysed separately.
                Some(Control::Function) => continue,
                Some(Control::Call) => self.call(id),
                _ if module.op_regions(id).is_empty() => self.plain(id),
                _ => self.nested(id),
            };
            self.then(&mut all, next);
        }
        all
    }

    /// Appends a list to another.
    fn then(&mut self, first: &mut ClobberSummary, next: ClobberSummary) {
        for (key, read) in next.exposed {
            match first.lost.get(&key) {
                Some(loss) if loss.chosen && read.branched => {}
                Some(loss) => self.report(key, read, *loss),
                None if !first.written.contains(&key) => _ = first.exposed.entry(key).or_insert(read),
                None => {}
            }
        }
        for key in &next.written {
            first.lost.remove(key);
        }
        first.lost.extend(next.lost);
        first.written.extend(next.written);
    }

    fn nested(&mut self, id: OpId) -> ClobberSummary {
        let module = self.module;
        let mut parts = Vec::new();
        for region in module.op_regions(id) {
            let mut part = ClobberSummary::default();
            for block in &module.region(*region).blocks {
                let next = self.block(*block);
                self.then(&mut part, next);
            }
            parts.push(part);
        }
        match module.control(id) {
            Some(Control::If) => {
                parts.iter_mut().for_each(ClobberSummary::leave_branch);
                either(parts, module.op_regions(id).len() == 2)
            }
            Some(Control::For) if self.places.carried(id).is_some() => self.exchanged(id, parts),
            Some(Control::For | Control::While) => self.repeated(parts),
            _ => {
                let mut all = ClobberSummary::default();
                for part in parts {
                    self.then(&mut all, part);
                }
                all
            }
        }
    }

    /// A caller may read the tiles that it passed.
    fn keep_parameters(&mut self, function: OpId, body: &ClobberSummary) {
        let parameters = self.parameter_atoms(function);
        let lost = body.lost.iter().filter(|(atom, loss)| loss.source && !loss.called && parameters.contains(atom));
        self.needed.extend(lost.map(|(atom, loss)| (loss.by, loss.under.unwrap_or(*atom))));
    }

    /// The body of a loop, repeated or skipped.
    fn repeated(&mut self, parts: Vec<ClobberSummary>) -> ClobberSummary {
        let mut body = ClobberSummary::default();
        for part in parts {
            self.then(&mut body, part);
        }
        for (key, read) in &body.exposed {
            if let Some(loss) = body.lost.get(key) {
                self.report(*key, *read, *loss);
            }
        }
        ClobberSummary { written: OrdSet::new(), ..body }
    }

    /// An operation without regions.
    fn plain(&self, id: OpId) -> ClobberSummary {
        let mut summary = ClobberSummary::default();
        for access in self.accesses(id) {
            for atom in access.atoms.iter().filter(|a| self.tracked.contains(a)) {
                if access.dir != Dir::Out {
                    let read = TileRead { span: access.span, tile: access.tile, inside: None, branched: false };
                    summary.exposed.insert(*atom, read);
                }
                if access.dir == Dir::Out {
                    summary.written.insert(*atom);
                }
            }
            // If the chosen tile is destroyed, it is also the one that is written again.
            summary.written.extend(access.others.iter().filter(|a| self.tracked.contains(a)));
        }
        for ((group, runs), loss) in self.losses.get(&id).into_iter().flatten() {
            for atom in self.atoms.of(group.clone(), *runs).iter().filter(|atom| !summary.written.contains(atom)) {
                summary.lost.entry(*atom).or_insert(*loss);
            }
        }
        summary
    }

    fn report(&mut self, key: Atom, read: TileRead, loss: Loss) {
        let (module, target) = (self.module, self.info.target);
        let row = module.op(loss.by).op.row();
        let name = module.value_name(read.tile);
        if loss.source && !loss.called {
            self.needed.insert((loss.by, loss.under.unwrap_or(key)));
        }
        let d = if loss.source {
            let how = if read.inside.is_some() { text!("read by the function") } else { text!("read here") };
            let message = text!(
                "`%{name}` is {how}, and `{name2}` has used it as scratch memory on {target}",
                name,
                how,
                name2 = row.name,
                target
            );
            let d = Diagnostic::new(codes::DESTROYED, read.span, message);
            let d = d.label(module.op(loss.by).name_span, text!("its content is destroyed here")).page(row.name);
            d.legal(text!("a tile that is written again before it is read")).help(match row.scratch {
                Some(scratch)
                    if row.hazards.iter().any(|h| h.when.is_some() && matches!(h.harm, Harm::Destroys(_))) =>
                {
                    text!("copy the tile first, or give the instruction a scratch tile `{slot}`", slot = scratch.slot)
                }
                _ => text!("copy the tile first").to_string(),
            })
        } else {
            let message = text!(
                "`%{name}` lies in memory that `{name2}` uses implicitly on {target}, and is read afterwards",
                name,
                name2 = row.name,
                target
            );
            let d = Diagnostic::new(codes::HIDDEN_MEMORY, read.span, message);
            avoid(d.label(module.op(loss.by).name_span, text!("its content is destroyed here")), row, target)
        };
        let d = read.inside.into_iter().fold(d, |d, span| d.label(span, text!("read here")));
        self.found.entry((read.span, loss.by)).or_insert(d.warning());
    }
}

/// One side of a branch or the other; one may be missing.
fn either(parts: Vec<ClobberSummary>, both: bool) -> ClobberSummary {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    if !both {
        all.written.clear();
    }
    for part in parts {
        all.exposed.extend(part.exposed);
        all.lost.extend(part.lost);
        all.written.retain(|key| part.written.contains(key));
    }
    all
}
