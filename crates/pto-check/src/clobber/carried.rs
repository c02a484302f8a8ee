//! Loops that exchange tiles: each iteration is summarised with the outer tiles that its parameters stand for.

use super::atoms::Atom;
use super::{ClobberSummary, ClobberWalk, Loss};
use crate::places::CarriedTiles;
use pto_ir::{OpId, ValueId};
use std::rc::Rc;

impl ClobberWalk<'_> {
    fn carried(&self, id: OpId) -> Option<Rc<CarriedTiles>> {
        self.places.carried(id).cloned()
    }

    /// Adds the windows that a loop uses of its carried tiles.
    pub(super) fn add_carried(&mut self, id: OpId) {
        let Some(carried) = self.carried(id) else { return };
        for tiles in &carried.iterations {
            for (tile, arg) in tiles.iter().zip(&carried.args).filter_map(|(tile, arg)| Some(((*tile)?, *arg))) {
                self.add_given(id, tile, arg);
            }
        }
    }

    /// Pairs of atoms of outer tiles and of the parameters that they may be.
    pub(super) fn carried_atoms(&self, id: OpId) -> Vec<(Atom, Atom)> {
        let iterations =
            self.carried(id).into_iter().flat_map(|c| (0..c.iterations.len()).map(move |n| (c.clone(), n)));
        iterations.flat_map(|(carried, n)| self.given_in(id, &carried, n)).flat_map(|(_, atoms)| atoms).collect()
    }

    /// The parameters of a loop in an iteration, with the atoms of the tiles that they are.
    fn given_in(&self, id: OpId, carried: &CarriedTiles, iteration: usize) -> Vec<(ValueId, Vec<(Atom, Atom)>)> {
        let tiles = carried.at(iteration).unwrap_or_default().iter().zip(&carried.args);
        tiles.filter_map(|(tile, arg)| Some((*arg, self.same_atoms(id, (*tile)?, *arg)?))).collect()
    }

    /// The number of iterations to examine: until every tile is back at its start, and one more.
    fn count(&self, id: OpId, carried: &CarriedTiles) -> usize {
        let bound = |n: usize| self.module.operands(id).get(n).and_then(|o| self.info.computed(o.value));
        let many = carried.iterations.len() + 1;
        match (bound(0), bound(1), bound(2).filter(|step| *step > 0)) {
            (Some(from), Some(to), Some(step)) => {
                let count =
                    to.saturating_sub(from).max(0) / step + i64::from(to.saturating_sub(from).max(0) % step > 0);
                usize::try_from(count).map_or(many, |count| count.min(many))
            }
            _ => many,
        }
    }

    /// The iterations of a loop in sequence.
    pub(super) fn exchanged(&mut self, id: OpId, parts: Vec<ClobberSummary>) -> ClobberSummary {
        let Some(carried) = self.carried(id) else { return self.repeated(parts) };
        let mut body = ClobberSummary::default();
        for part in parts {
            self.then(&mut body, part);
        }
        let mut outer = body.clone();
        let inside = self.atoms_of_parameters(&carried.args);
        outer.exposed.retain(|atom, _| !inside.contains(atom));
        outer.lost.retain(|atom, _| !inside.contains(atom));
        outer.written.retain(|atom| !inside.contains(atom));
        let mut all = ClobberSummary::default();
        for n in 0..self.count(id, &carried) {
            let mut next = outer.clone();
            for (atom, inner) in self.given_in(id, &carried, n).into_iter().flat_map(|(_, atoms)| atoms) {
                if let Some(read) = body.exposed.get(&inner) {
                    next.exposed.entry(atom).or_insert(*read);
                }
                if let Some(loss) = body.lost.get(&inner) {
                    next.lost.entry(atom).or_insert(Loss { under: loss.under.or(Some(inner)), ..*loss });
                }
                next.written.extend(body.written.contains(&inner).then_some(atom));
            }
            self.then(&mut all, next);
        }
        ClobberSummary { written: Default::default(), ..all }
    }
}
