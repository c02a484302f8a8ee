//! Tiles that are read after a device has lost what they held: sources that an instruction uses as work space, and tiles in
//! memory that an instruction uses by itself.
//!
//! Every list of operations is summed up once: which tiles it reads before it writes them, which it leaves lost, and which it
//! writes. So the work grows with the program, however its loops are nested.

use crate::Info;
use crate::instructions::OpCheck;
use crate::overlap::avoid;
use crate::places::{Place, Places};
use pto_ir::{BlockId, Module, OpId, Operand, ValueId};
use pto_isa::row::{Effect, Harm};
use pto_isa::rules::Instance;
use pto_isa::table::op;
use pto_isa::{Diagnostic, Dir, Family, Loc, Span, codes};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) fn check(module: &Module, order: &[OpId], info: &Info, places: &Places<'_>, problems: &mut Vec<Diagnostic>) {
    let losses = losses(module, order, info, places);
    if losses.is_empty() {
        return;
    }
    let tracked = losses.values().flatten().map(|(key, _)| *key).collect();
    let mut walk = Walk { module, info, places, losses, tracked, found: BTreeMap::new(), needed: BTreeSet::new() };
    walk.block(module.top);
    let Walk { found, .. } = walk;
    problems.extend(found.into_values());
}

/// The sources that operations of a checked program use as work space and that are read afterwards, or may be read by who calls the
/// function: the operations, and the slots.
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
pub fn lost_sources(checked: &crate::Checked) -> BTreeMap<OpId, Vec<&'static str>> {
    let (module, info, order) = (checked.module(), checked.info(), checked.module().order());
    let places = Places::new(module, &order, info);
    let losses = losses(module, &order, info, &places);
    if losses.is_empty() {
        return BTreeMap::new();
    }
    let tracked = losses.values().flatten().map(|(key, _)| *key).collect();
    let mut walk =
        Walk { module, info, places: &places, losses, tracked, found: BTreeMap::new(), needed: BTreeSet::new() };
    walk.block(module.top);
    let mut all: BTreeMap<OpId, Vec<&'static str>> = BTreeMap::new();
    for (id, lost) in walk.needed {
        let row = module.op(id).op.row();
        let slots = row.hazards.iter().filter_map(|h| match h.harm {
            Harm::Destroys(slot) => Some(slot),
            _ => None,
        });
        let is_lost = |slot: &&str| {
            let operands = row.slot(slot).into_iter().flat_map(|slot| module.in_slot(id, slot));
            operands.map(|o| key(&places, o.value, id)).any(|key| key == lost)
        };
        all.entry(id).or_default().extend(slots.filter(is_lost));
    }
    all
}

/// What tells tiles apart: their address, where it is known, or else the tile itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Key {
    At(Loc, u64),
    Tile(ValueId),
}

impl From<Place> for Key {
    fn from(place: Place) -> Self {
        Self::At(place.loc, place.start)
    }
}

fn key(places: &Places<'_>, value: ValueId, at: OpId) -> Key {
    let (root, _) = places.root(value);
    places.of(root, at).map_or(Key::Tile(root), Key::from)
}

/// How a tile was lost: by which instruction, and whether it was one of its sources.
#[derive(Clone, Copy)]
struct Loss {
    by: OpId,
    source: bool,
}

/// A read of a tile.
#[derive(Clone, Copy)]
struct Read {
    op: OpId,
    span: Span,
    tile: ValueId,
}

/// What every operation loses.
fn losses(module: &Module, order: &[OpId], info: &Info, places: &Places<'_>) -> HashMap<OpId, Vec<(Key, Loss)>> {
    let mut all = HashMap::new();
    let mut placed = None;
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
                    list.extend(operands.map(|o| (key(places, o.value, id), Loss { by: id, source: true })));
                }
                Harm::Hidden(memory) => {
                    let hidden = Place::from(memory);
                    let inside = placed.get_or_insert_with(|| places.all(order).into_iter().collect::<BTreeSet<_>>());
                    let inside = inside.iter().filter(|place| place.overlaps(&hidden));
                    list.extend(inside.map(|place| (Key::from(*place), Loss { by: id, source: false })));
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

/// What a list of operations does to the tiles that something loses.
#[derive(Clone, Default)]
struct Summary {
    /// Read before they are written.
    exposed: BTreeMap<Key, Read>,
    /// Lost at the end.
    lost: BTreeMap<Key, Loss>,
    /// Written, on every path.
    written: BTreeSet<Key>,
}

struct Walk<'a> {
    module: &'a Module,
    info: &'a Info,
    places: &'a Places<'a>,
    losses: HashMap<OpId, Vec<(Key, Loss)>>,
    tracked: BTreeSet<Key>,
    found: BTreeMap<(OpId, Key), Diagnostic>,
    /// Operations that use a source as work space which is read afterwards.
    needed: BTreeSet<(OpId, Key)>,
}

impl Walk<'_> {
    fn block(&mut self, block: BlockId) -> Summary {
        let module = self.module;
        let mut all = Summary::default();
        for &id in &module.block(block).ops {
            let next = if module.op_regions(id).is_empty() { self.plain(id) } else { self.nested(id) };
            self.then(&mut all, next);
        }
        all
    }

    /// One list behind the other.
    fn then(&mut self, first: &mut Summary, next: Summary) {
        for (key, read) in next.exposed {
            match first.lost.get(&key) {
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

    fn nested(&mut self, id: OpId) -> Summary {
        let module = self.module;
        let mut parts = Vec::new();
        for region in module.op_regions(id) {
            let mut part = Summary::default();
            for block in &module.region(*region).blocks {
                let next = self.block(*block);
                self.then(&mut part, next);
            }
            parts.push(part);
        }
        match module.op(id).op {
            op::func_func => {
                parts.into_iter().for_each(|part| self.keep_parameters(id, &part));
                Summary::default()
            }
            op::scf_if => either(parts, module.op_regions(id).len() == 2),
            op::scf_for | op::scf_while => self.repeated(parts),
            _ => {
                let mut all = Summary::default();
                for part in parts {
                    self.then(&mut all, part);
                }
                all
            }
        }
    }

    /// Whoever calls a function may read the tiles that it was given.
    fn keep_parameters(&mut self, function: OpId, body: &Summary) {
        let parameters = self.module.op_regions(function).iter().flat_map(|r| self.module.region(*r).blocks.first());
        let parameters: BTreeSet<Key> =
            parameters.flat_map(|b| &self.module.block(*b).args).map(|v| Key::Tile(*v)).collect();
        let lost = body.lost.iter().filter(|(key, loss)| loss.source && parameters.contains(key));
        self.needed.extend(lost.map(|(key, loss)| (loss.by, *key)));
    }

    /// The body of a loop, behind itself, or not at all.
    fn repeated(&mut self, parts: Vec<Summary>) -> Summary {
        let mut body = Summary::default();
        for part in parts {
            self.then(&mut body, part);
        }
        for (key, read) in &body.exposed {
            if let Some(loss) = body.lost.get(key) {
                self.report(*key, *read, *loss);
            }
        }
        Summary { written: BTreeSet::new(), ..body }
    }

    /// An operation that stands for itself.
    fn plain(&self, id: OpId) -> Summary {
        let module = self.module;
        let row = module.op(id).op.row();
        let mut summary = Summary::default();
        let touches = row.effect == Effect::Operands || row.effect == Effect::Debug;
        let called = module.op(id).op == op::func_call;
        if !called && (!touches || row.family == Family::Sync) {
            return summary;
        }
        let is_tile = |o: &&Operand| module.tile(o.value).is_some();
        let is_scratch = |o: &Operand| {
            row.slots.get(usize::from(o.slot)).is_some_and(|slot| row.scratch.is_some_and(|s| s.slot == slot.name))
        };
        for operand in module.operands(id).iter().filter(is_tile).filter(|o| !is_scratch(o)) {
            let key = key(self.places, operand.value, id);
            if !self.tracked.contains(&key) {
                continue;
            }
            let dir = row.slots.get(usize::from(operand.slot)).map_or(Dir::In, |s| s.dir);
            // What a function does to its tiles is its own affair.
            if dir != Dir::Out && !called {
                let read = Read { op: id, span: operand.span, tile: operand.value };
                summary.exposed.insert(key, read);
            }
            if dir == Dir::Out || called {
                summary.written.insert(key);
            }
        }
        for (key, loss) in self.losses.get(&id).into_iter().flatten() {
            if !summary.written.contains(key) {
                summary.lost.insert(*key, *loss);
            }
        }
        summary
    }

    fn report(&mut self, key: Key, read: Read, loss: Loss) {
        let (module, target) = (self.module, self.info.target);
        let row = module.op(loss.by).op.row();
        let name = module.value_name(read.tile);
        if loss.source {
            self.needed.insert((loss.by, key));
        }
        let d = if loss.source {
            let message = format!("`%{name}` is read here, and `{}` has used it as work space on {target}", row.name);
            let d = Diagnostic::new(codes::DESTROYED, read.span, message);
            let d = d.label(module.op(loss.by).name_span, "its content is lost here").page(row.page);
            d.legal("a tile that is written again before it is read").help(match row.scratch {
                Some(scratch)
                    if row.hazards.iter().any(|h| h.when.is_some() && matches!(h.harm, Harm::Destroys(_))) =>
                {
                    format!("copy the tile before, or give the instruction a scratch tile `{}`", scratch.slot)
                }
                _ => "copy the tile before".to_string(),
            })
        } else {
            let message = format!(
                "`%{name}` lies where `{}` works on {target} without being told, and is read afterwards",
                row.name
            );
            let d = Diagnostic::new(codes::HIDDEN_MEMORY, read.span, message);
            avoid(d.label(module.op(loss.by).name_span, "its content is lost here"), row, target)
        };
        self.found.entry((read.op, key)).or_insert(d.warning());
    }
}

/// One side of a branch or the other; nothing where there is no other.
fn either(parts: Vec<Summary>, both: bool) -> Summary {
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
