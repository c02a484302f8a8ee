//! Loads and moves of factors that are left out: products take factors from where they would be moved from, or as they were packed before.
//!
//! Only runs that nobody observes leave them out. A move is made up for as soon as anything but a product looks at the factor, or before its
//! source changes, unless products have packed all of it by then. A load is left out if factors from the same window of memory that
//! nothing writes are packed already, and made up for as soon as anything looks at the tile but a move that needs no other factor.

#![expect(unsafe_code, reason = "kernels are called later than they were prepared")]

use super::core::Core;
use super::factor_moves::{FactorMove, LoadedTile, kept_factors};
use super::factor_store::{FactorOrigin, LoadedPart, LoadedWindow};
use super::fail::Fail;
use crate::kernels::{FactorUse, KeptFactor, MovedFactor, TileRef, check_window, keeping, restore_factor};
use crate::memory::split_address;
use crate::prepared::{KernelId, StepId, TileId, TileState, ValueStorage};
use std::ops::Range;
use std::sync::Arc;

/// Left and right factor among the operands of a product.
pub(super) const FACTORS: [usize; 2] = [1, 2];

/// More are made up for: the memory of factors is small.
const MOST: usize = 16;

impl<'p> Core<'p> {
    /// Executes an instruction that moves or multiplies factors; false if that is left to the caller. The operands have been resolved.
    #[inline]
    pub fn uses_factors(&mut self, which: KernelId, at: StepId) -> Result<bool, Fail> {
        let step = &self.plan.calls.kernels[which];
        match step.factors {
            FactorUse::None if self.local.moves.is_empty() => Ok(false),
            FactorUse::None => self.make_moves_for(which, |_| true).map(|()| false),
            FactorUse::Loads => self.leave_load_out(which, at),
            FactorUse::Moves => self.leave_out(which, at),
            FactorUse::Multiplies => self.multiply(which, at).map(|()| true),
        }
    }

    /// Leaves a load out, if factors from its window are packed already.
    fn leave_load_out(&mut self, which: KernelId, at: StepId) -> Result<bool, Fail> {
        let step = &self.plan.calls.kernels[which];
        let (tile, view) = (self.issue.tiles[0], self.issue.views[0]);
        let (Some(to), Some(from)) = (step.tiles[0].register, step.views[0].register) else { return Ok(false) };
        let (to, from) = (self.regs.tiles[to], self.regs.views[from]);
        let buffer = self.global.buffers.get(split_address(from.address).0);
        let is_fixed = buffer.is_some_and(|buffer| buffer.is_fixed) && self.global.far.is_none();
        let bits = tile.geometry().dtype.bits() as usize;
        let fits = tile.rows() > 0 && tile.cols() > 0 && check_window(&tile, &view, bits).is_ok();
        if !is_fixed || !fits || self.issue.collected.keeps_tiles {
            return self.make_moves_for(which, |_| true).map(|()| false);
        }
        self.local.moves.forget_replaced_loads(&tile);
        self.make_moves_for(which, |_| true)?;
        if self.local.moves.loads.len() == MOST {
            self.make_load(0)?;
            self.local.moves.loads.swap_remove(0);
        }
        let window = LoadedWindow::new(&from, to.geometry, (tile.rows(), tile.cols()));
        let Some((window, is_stored)) = self.local.moves.store.window(window) else { return Ok(false) };
        let bytes = self.bytes_of(&to);
        let to = (bytes.start, bytes.end);
        self.local.moves.loads.push(LoadedTile { which, at, tile, view, to, window, is_made: !is_stored });
        Ok(is_stored)
    }

    /// Leaves a move out, if possible.
    fn leave_out(&mut self, which: KernelId, at: StepId) -> Result<bool, Fail> {
        let step = &self.plan.calls.kernels[which];
        let (tiles, _, scalars) = self.issue.operands(step);
        let moved = MovedFactor::of(tiles, scalars).filter(|_| !self.issue.collected.keeps_tiles);
        let (Some(MovedFactor(source)), [src, dst, fp], [row, col, quant]) = (moved, tiles, scalars) else {
            return self.make_moves_for(which, |_| true).map(|()| false);
        };
        let (tiles, scalars) = ([*src, *dst, *fp], [*row, *col, *quant]);
        let bytes = |operand: usize| step.tiles[operand].register.map(|r| self.bytes_of(&self.regs.tiles[r]));
        let (Some(from), Some(to)) = (bytes(0), bytes(1)) else { return Ok(false) };
        self.reached(at);
        self.local.moves.forget_replaced_moves(&tiles[1]);
        self.make_moves_for(which, |operand| operand != 0)?;
        if self.local.moves.moves.len() == MOST {
            self.make_move(0)?;
        }
        let is_left = tiles[1].geometry().loc == pto_isa::Loc::Left;
        let (kept, origin, is_there) = match self.local.moves.loaded(&tiles[0]) {
            Some(load) => {
                let size = (tiles[1].rows(), tiles[1].cols());
                self.stored_factor(load, LoadedPart { window: 0, start: (scalars[0], scalars[1]), size, is_left })?
            }
            None => {
                self.make_moves_in(&from, false)?;
                (self.local.moves.store.spare(), FactorOrigin::Unknown, true)
            }
        };
        let source = Some(source).filter(|_| is_there);
        self.local.moves.moves.push(FactorMove { which, at, tiles, scalars, from, to, source, kept, origin, is_left });
        Ok(true)
    }

    /// A part of a loaded tile as it is packed, or memory for it; and whether the tile is there.
    fn stored_factor(&mut self, load: usize, part: LoadedPart) -> Result<(Arc<KeptFactor>, FactorOrigin, bool), Fail> {
        let moves = &mut self.local.moves;
        let LoadedTile { window, is_made, .. } = moves.loads[load];
        let part = LoadedPart { window, ..part };
        if let Some((kept, origin)) = moves.store.take(&part) {
            if !is_made {
                kept.lose();
            }
            return Ok((kept, origin, is_made));
        }
        let kept = moves.store.spare();
        self.make_load(load)?;
        Ok((kept, FactorOrigin::New(part), true))
    }

    /// A product, with factors as they are kept.
    fn multiply(&mut self, which: KernelId, at: StepId) -> Result<(), Fail> {
        self.reached(at);
        if self.chain(which, at)? {
            return Ok(());
        }
        let is_kept = FACTORS.map(|operand| self.kept_factor(operand).is_some());
        self.make_moves_for(which, |operand| !(FACTORS.contains(&operand) && is_kept[operand - FACTORS[0]]))?;
        // Only now: moves that are made change the positions of others.
        let kept = FACTORS.map(|operand| self.kept_factor(operand));
        let is_shared = |at: &usize| Arc::strong_count(&self.local.moves.moves[*at].kept) > 1;
        if kept.iter().flatten().any(is_shared) {
            self.execute_chains()?;
        }
        self.use_sources(kept);
        let step = &self.plan.calls.kernels[which];
        let (tiles, views, scalars) = self.issue.operands(step);
        let factors = kept_factors(&mut self.local.moves.moves, kept).map(|kept| kept.and_then(Arc::get_mut));
        // SAFETY: as in `Core::kernel`; a source is valid where its destination is.
        let done = keeping(factors, || unsafe { step.code.call(tiles, views, scalars) });
        done.map_err(|fault| {
            self.issue.pipes.failed_at = Some(at);
            Fail::Fault(Box::new(fault), None)
        })
    }

    /// Puts the sources of moves in the place of factors.
    pub(super) fn use_sources(&mut self, kept: [Option<usize>; 2]) {
        for (operand, at) in FACTORS.into_iter().zip(kept) {
            if let Some(source) = at.and_then(|at| self.local.moves.moves[at].source) {
                self.issue.tiles[operand] = source;
            }
        }
    }

    /// The move whose result is an operand of the current product.
    pub(super) fn kept_factor(&self, operand: usize) -> Option<usize> {
        let tile = &self.issue.tiles[operand];
        let same = |factor: &TileRef| {
            let place = |t: &TileRef| (t.ptr(), t.rows(), t.cols());
            place(factor) == place(tile) && factor.geometry() == tile.geometry()
        };
        let is_left = operand == FACTORS[0];
        self.local.moves.moves.iter().position(|m| m.is_left == is_left && same(m.factor()))
    }

    /// Makes the moves that the operands of an instruction at these positions need.
    pub(super) fn make_moves_for(&mut self, which: KernelId, counts: impl Fn(usize) -> bool) -> Result<(), Fail> {
        let step = &self.plan.calls.kernels[which];
        for (at, operand) in step.tiles.iter().enumerate() {
            let Some(register) = operand.register.filter(|_| counts(at)) else { continue };
            let bytes = self.bytes_of(&self.regs.tiles[register]);
            self.make_moves_in(&bytes, operand.writes)?;
        }
        Ok(())
    }

    /// Executes the products and makes the loads and moves of which some bytes are the result, and, before the bytes are written, moves of which
    /// they are the source.
    fn make_moves_in(&mut self, bytes: &Range<u64>, writes: bool) -> Result<(), Fail> {
        if self.local.moves.is_empty() {
            return Ok(());
        }
        self.execute_chains_in(bytes)?;
        self.make_loads_in(bytes, writes)?;
        let overlap = |other: &Range<u64>| other.start < bytes.end && bytes.start < other.end;
        let mut at = 0;
        while let Some(one) = self.local.moves.moves.get_mut(at) {
            if overlap(&one.to) {
                self.make_move(at)?;
            } else if writes && one.source.is_some() && overlap(&one.from) {
                if one.is_packed() {
                    one.source = None;
                    one.kept.lose();
                    at += 1;
                } else {
                    self.make_move(at)?;
                }
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Makes the loads of which some bytes are the result, and forgets them before the bytes are written.
    fn make_loads_in(&mut self, bytes: &Range<u64>, writes: bool) -> Result<(), Fail> {
        let mut at = 0;
        while let Some(load) = self.local.moves.loads.get(at) {
            if !load.overlaps(bytes) {
                at += 1;
                continue;
            }
            self.make_load(at)?;
            if writes {
                self.local.moves.loads.swap_remove(at);
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Makes the moves that concern a tile that something else than a kernel reads or writes.
    #[inline]
    pub fn make_moves_of(&mut self, tile: TileId) -> Result<(), Fail> {
        let bytes = self.bytes_of(&self.regs.tiles[tile]);
        self.make_moves_in(&bytes, true)
    }

    /// Makes all moves: something may look anywhere.
    #[inline]
    pub fn make_all_moves(&mut self) -> Result<(), Fail> {
        self.execute_chains()?;
        while !self.local.moves.moves.is_empty() {
            self.make_move(0)?;
        }
        while !self.local.moves.loads.is_empty() {
            self.make_load(0)?;
            self.local.moves.loads.swap_remove(0);
        }
        Ok(())
    }

    /// Makes the moves whose results somebody may look at after the run.
    pub fn make_last_moves(&mut self) -> Result<(), Fail> {
        let gives_tiles = self.plan.source.slots.iter().any(|slot| matches!(slot, ValueStorage::Tile(_)));
        if gives_tiles { self.make_all_moves() } else { Ok(()) }
    }

    /// Makes a load, if it was left out.
    fn make_load(&mut self, at: usize) -> Result<(), Fail> {
        let load = &mut self.local.moves.loads[at];
        if std::mem::replace(&mut load.is_made, true) {
            return Ok(());
        }
        let code = &self.plan.calls.kernels[load.which].code;
        // SAFETY: the operands were checked when the load was left out, and nothing writes the memory it loads from. Memory of a core is
        // neither moved nor freed while it runs.
        let done = unsafe { code.call(&[load.tile], &[load.view], &[]) };
        done.map_err(|fault| {
            self.issue.pipes.failed_at = Some(load.at);
            Fail::Fault(Box::new(fault), None)
        })
    }

    /// Makes a move that was left out.
    fn make_move(&mut self, at: usize) -> Result<(), Fail> {
        let moves = &mut self.local.moves;
        let one = &mut moves.moves[at];
        if one.source.is_some() {
            let code = &self.plan.calls.kernels[one.which].code;
            // SAFETY: the operands were checked when the move was left out, and its source has not changed. Memory of a core is neither moved
            // nor freed while it runs.
            let done = unsafe { code.call(&one.tiles, &[], &one.scalars) };
            if let Err(fault) = done {
                self.issue.pipes.failed_at = Some(one.at);
                return Err(Fail::Fault(Box::new(fault), None));
            }
        } else {
            // SAFETY: as above; the factor is what products have packed.
            unsafe { restore_factor(&one.kept, &one.tiles[1], one.is_left) }
        }
        moves.drop_move(at);
        Ok(())
    }

    /// The bytes of the memory of the core that a tile may touch.
    pub(super) fn bytes_of(&self, tile: &TileState) -> Range<u64> {
        tile.base..tile.base + self.plan.tiles.geometries[tile.geometry].bytes()
    }
}
