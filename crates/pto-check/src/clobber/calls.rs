//! The effects of functions on their tile parameters.

use super::atoms::{Atom, AtomBase, group};
use super::{ClobberSummary, ClobberWalk, Loss, OperandUse, TileRead};
use crate::places::{Runs, TileExtent, TileHome, Window};
use pto_ir::{Module, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::{OrdMap, OrdSet};

/// Functions that use a parameter in more ways than this are not analysed.
const MANY_WINDOWS: usize = 64;

/// Functions, callees first. Recursive ones are left out.
pub(super) fn callees_first(module: &Module, calls: &FastMap<OpId, OpId>) -> Vec<OpId> {
    let mut called: FastMap<OpId, Vec<OpId>> = FastMap::default();
    let functions = module.functions();
    for &function in &functions {
        let list = called.entry(function).or_default();
        module.walk_inside(function, &mut |id| list.extend(calls.get(&id)));
    }
    let (mut done, mut order) = (OrdSet::new(), Vec::new());
    for function in functions {
        let mut open = vec![(function, 0)];
        while let Some((function, next)) = open.pop() {
            if next == 0 && !done.insert(function) {
                continue;
            }
            match called.get(&function).and_then(|list| list.get(next)) {
                Some(callee) => open.extend([(function, next + 1), (*callee, 0)]),
                None => order.push(function),
            }
        }
    }
    order
}

/// The parameters of a function.
pub(super) fn parameters(module: &Module, function: OpId) -> &[ValueId] {
    let block = module.op_regions(function).first().and_then(|r| module.region(*r).blocks.first());
    block.map_or(&[], |b| &module.block(*b).args)
}

/// The base of offsets from the start of a parameter.
fn parameter(value: ValueId) -> AtomBase {
    (TileHome::Tile(value), OrdMap::new())
}

/// Bytes of a parameter as bytes of its argument; `None` if they cannot be mapped.
fn given(runs: Runs, dense: &Window, window: &Window) -> Option<Runs> {
    let (from, to) = (i64::try_from(dense.pitch()).ok()?, i64::try_from(window.pitch()).ok()?);
    let start = window.start.constant;
    if from == to || from <= 0 {
        return Some(Runs { start: start.checked_add(runs.start)?, ..runs });
    }
    let (line, along) = (runs.start.div_euclid(from), runs.start.rem_euclid(from));
    let at = start.checked_add(line.checked_mul(to)?)?.checked_add(along)?;
    if runs.count == 1 && along == 0 && runs.bytes % from == 0 {
        return Some(Runs::new(at, from as u64, (runs.bytes / from) as u64, to as u64));
    }
    let fits = along + runs.bytes <= from && runs.stride % from == 0;
    fits.then(|| Runs::new(at, runs.bytes as u64, runs.count as u64, (runs.stride / from).saturating_mul(to) as u64))
}

/// The windows of a parameter that a function uses, and those of the argument.
fn passed(
    walk: &ClobberWalk<'_>,
    call: OpId,
    given_: ValueId,
    parameter_: ValueId,
) -> Option<(AtomBase, Vec<(Runs, Runs)>)> {
    let ty = *walk.module.tile(parameter_)?;
    let window = walk.places.window(given_, call)?;
    let dense = Window::whole(TileHome::Tile(parameter_), crate::places::Linear::default(), ty);
    let windows = walk.atoms.windows(&parameter(parameter_));
    if windows.len() > MANY_WINDOWS {
        return None;
    }
    let pairs = windows.into_iter().map(|runs| Some((runs, given(runs, &dense, &window)?))).collect::<Option<_>>()?;
    Some((group(&window), pairs))
}

impl ClobberWalk<'_> {
    /// The arguments of a call that are tiles, with their parameters.
    fn tiles_of_call(&self, call: OpId) -> Option<Vec<(Operand, ValueId)>> {
        let module = self.module;
        let function = *self.calls.get(&call)?;
        let parameters = parameters(module, function);
        let pairs = module.operands(call).iter().copied().zip(parameters.iter().copied());
        Some(pairs.filter(|(o, p)| module.tile(o.value).is_some() && module.tile(*p).is_some()).collect())
    }

    /// Adds the windows that a callee uses.
    pub(super) fn add_call(&mut self, call: OpId) {
        for (operand, parameter) in self.tiles_of_call(call).unwrap_or_default() {
            self.add_given(call, operand.value, parameter);
        }
    }

    /// Adds the windows of a parameter to those of its argument.
    pub(super) fn add_given(&mut self, at: OpId, tile: ValueId, parameter: ValueId) {
        let Some((group, pairs)) = passed(self, at, tile, parameter) else { return };
        pairs.into_iter().for_each(|(_, runs)| self.atoms.add(group.clone(), runs));
    }

    /// Pairs of atoms of an argument and of its parameter.
    pub(super) fn same_atoms(&self, at: OpId, tile: ValueId, param: ValueId) -> Option<Vec<(Atom, Atom)>> {
        let (group, pairs) = passed(self, at, tile, param)?;
        let (mut own, mut theirs): (OrdMap<Atom, Vec<usize>>, OrdMap<Atom, Vec<usize>>) = Default::default();
        for (n, (inside, outside)) in pairs.iter().enumerate() {
            self.atoms.of(group.clone(), *outside).iter().for_each(|a| own.entry(*a).or_default().push(n));
            self.atoms.of(parameter(param), *inside).iter().for_each(|a| theirs.entry(*a).or_default().push(n));
        }
        let inside: FastMap<Vec<usize>, Atom> = theirs.into_iter().map(|(atom, set)| (set, atom)).collect();
        Some(own.iter().filter_map(|(atom, set)| Some((*atom, *inside.get(set)?))).collect())
    }

    /// Pairs of atoms of the arguments and the parameters of a call; none if unknown.
    fn arguments(&self, call: OpId) -> Vec<(Operand, Vec<(Atom, Atom)>)> {
        let tiles = self.tiles_of_call(call).unwrap_or_default().into_iter();
        tiles.filter_map(|(operand, param)| Some((operand, self.same_atoms(call, operand.value, param)?))).collect()
    }

    /// Tracks memory that may be lost into functions and out of them.
    pub(super) fn track_calls(&mut self, functions: &[OpId]) {
        let mut handed: OrdMap<OpId, Vec<(Atom, Atom)>> = OrdMap::new();
        for &function in functions {
            let mut inner = Vec::new();
            self.module.walk_inside(function, &mut |id| inner.push(id));
            let calls = inner.iter().filter(|id| self.calls.contains_key(id));
            let mut pairs: Vec<(Atom, Atom)> =
                calls.flat_map(|call| self.arguments(*call)).flat_map(|(_, pairs)| pairs).collect();
            // Inner loops take what outer ones carry.
            pairs.extend(inner.iter().rev().flat_map(|id| self.carried_atoms(*id)));
            for (outer, inner) in &pairs {
                if self.tracked.contains(inner) {
                    self.tracked.insert(*outer);
                }
            }
            handed.insert(function, pairs);
        }
        for function in functions.iter().rev() {
            for (outer, inner) in handed.remove(function).unwrap_or_default().into_iter().rev() {
                if self.tracked.contains(&outer) {
                    self.tracked.insert(inner);
                }
            }
        }
    }

    /// The effect of a call: that of the function on its parameters and on memory with addresses. A function without a body may do
    /// anything.
    pub(super) fn call(&self, id: OpId) -> ClobberSummary {
        let function = self.calls.get(&id).filter(|f| !self.module.op_regions(**f).is_empty());
        let Some(body) = function.and_then(|f| self.functions.get(f)) else { return self.opaque(id) };
        let mut all = body.clone();
        let mut followed = OrdSet::new();
        for (operand, atoms) in self.arguments(id) {
            followed.insert(operand.value);
            for (outer, inner) in atoms {
                if let Some(read) = body.exposed.get(&inner) {
                    let inside = read.inside.or(Some(read.span));
                    let read = TileRead { span: operand.span, tile: operand.value, inside, branched: read.branched };
                    all.exposed.entry(outer).or_insert(read);
                }
                if let Some(loss) = body.lost.get(&inner) {
                    all.lost.entry(outer).or_insert(Loss { called: true, under: None, ..*loss });
                }
                all.written.extend(body.written.contains(&inner).then_some(outer));
            }
        }
        // Parameters do not exist outside of the function.
        let parameters: OrdSet<Atom> = function.map(|f| self.parameter_atoms(*f)).unwrap_or_default();
        all.exposed.retain(|atom, _| !parameters.contains(atom));
        all.lost.retain(|atom, _| !parameters.contains(atom));
        all.written.retain(|atom| !parameters.contains(atom));
        for access in self.accesses(id).into_iter().filter(|a| !followed.contains(&a.tile)) {
            all.written.extend(access.atoms.iter().filter(|a| self.tracked.contains(a)));
        }
        all
    }

    fn opaque(&self, id: OpId) -> ClobberSummary {
        let accesses: Vec<OperandUse<'_>> = self.accesses(id);
        let written = accesses.iter().flat_map(|a| a.atoms.iter()).filter(|a| self.tracked.contains(a));
        ClobberSummary { written: written.copied().collect(), ..ClobberSummary::default() }
    }

    /// The atoms of the parameters of a function.
    pub(super) fn parameter_atoms(&self, function: OpId) -> OrdSet<Atom> {
        self.atoms_of_parameters(parameters(self.module, function))
    }

    pub(super) fn atoms_of_parameters(&self, parameters: &[ValueId]) -> OrdSet<Atom> {
        let tiles = parameters.iter().filter(|p| self.module.tile(**p).is_some());
        let groups = tiles.map(|p| parameter(*p));
        groups
            .flat_map(|group| {
                let windows = self.atoms.windows(&group);
                windows.into_iter().flat_map(|runs| self.atoms.of(group.clone(), runs).to_vec()).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The part of the effect of a body that matters to callers.
    pub(super) fn outside(&self, function: OpId, mut body: ClobberSummary) -> ClobberSummary {
        let mut known = self.parameter_atoms(function);
        known.extend(&self.addressed);
        body.exposed.retain(|atom, _| known.contains(atom));
        body.lost.retain(|atom, _| known.contains(atom));
        body.written.retain(|atom| known.contains(atom));
        body
    }

    /// The bytes of a tile that an operation may use.
    pub(super) fn bytes(&self, tile: ValueId, at: OpId, extent: TileExtent) -> Option<(AtomBase, Runs)> {
        let window = self.places.window(tile, at)?;
        Some((group(&window), window.runs(extent)))
    }
}
