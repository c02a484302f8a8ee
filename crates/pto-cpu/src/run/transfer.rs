//! Transfers between ranks: pieces of global memory through a tile.

#![expect(unsafe_code, reason = "pieces are moved by kernels")]

use super::core::Core;
use super::fail::Fail;
use crate::guard::Touched;
use crate::kernels::{Code, Fault, TileRef, ViewRef};
use crate::memory::split_address;
use crate::prepared::{TileId, Transfer, TransferKind, ViewState};

/// Bytes that are copied at a time.
const COPY_BYTES: i64 = 1 << 20;

impl<'p> Core<'p> {
    pub fn transfer(&mut self, t: &Transfer) -> Result<(), Fail> {
        let own = self.regs.views[t.own];
        let other = |core: &Self, k: usize| core.regs.views[t.others[k]];
        match t.kind {
            TransferKind::Put => self.staged(t, &own, &other(self, 0)),
            TransferKind::Get => self.staged(t, &other(self, 0), &own),
            TransferKind::Copy => self.copied(t, &own, &other(self, 0)),
            TransferKind::Broadcast => (0..t.others.len()).try_for_each(|k| self.staged(t, &own, &other(self, k))),
            TransferKind::Gather => (0..t.others.len()).try_for_each(|k| {
                let from = other(self, k);
                let to = part(&own, &from, k, t.bits);
                self.staged(t, &from, &to)
            }),
            TransferKind::Scatter => (0..t.others.len()).try_for_each(|k| {
                let to = other(self, k);
                let from = part(&own, &to, k, t.bits);
                self.staged(t, &from, &to)
            }),
            TransferKind::Reduce => self.reduced(t, &own),
        }
    }

    /// Copies in pieces as large as the valid region of the stage.
    fn staged(&mut self, t: &Transfer, from: &ViewState, to: &ViewState) -> Result<(), Fail> {
        let stage = t.stages[0];
        let piece = self.piece(stage)?;
        pieces(from.shape, piece, |at, size| {
            self.move_piece(t, stage, from, (at, size), false)?;
            self.move_piece(t, stage, to, (at, size), true)
        })
    }

    /// The root's data first, then that of the other ranks in order.
    fn reduced(&mut self, t: &Transfer, own: &ViewState) -> Result<(), Fail> {
        let ([acc, stage], Some(combine)) = (&t.stages[..], t.combine) else { return Err(Fail::NotExecuted) };
        let (acc, stage) = (*acc, *stage);
        let piece = self.piece(acc)?;
        let shape = self.regs.views[t.others[t.root as usize]].shape;
        pieces(shape, piece, |at, size| {
            let root = self.regs.views[t.others[t.root as usize]];
            self.move_piece(t, acc, &root, (at, size), false)?;
            for k in (0..t.others.len()).filter(|k| *k != t.root as usize) {
                let from = self.regs.views[t.others[k]];
                self.move_piece(t, stage, &from, (at, size), false)?;
                let (a, b) = (self.sized(acc, size)?, self.sized(stage, size)?);
                // SAFETY: both tiles come from registers of the core with at most their valid region, and the code was prepared
                // for their type.
                unsafe { combine.call(&[a, b, a], &[], &[]) }.map_err(|fault| Fail::Fault(Box::new(fault), None))?;
            }
            self.move_piece(t, acc, own, (at, size), true)
        })
    }

    /// Without a stage: the transfer engine has its own way. Elements that lie one after the other are copied together.
    fn copied(&mut self, t: &Transfer, from: &ViewState, to: &ViewState) -> Result<(), Fail> {
        let count: u64 = from.shape.iter().product();
        let bytes = i64::from(t.bits) / 8;
        let is_packed = |v: &ViewState| v.strides[4] == 1 && v.shape[..4].iter().all(|n| *n == 1);
        let run = if is_packed(from) && is_packed(to) { (COPY_BYTES / bytes).max(1) as u64 } else { 1 };
        let ((source, first), (target, start)) = (split_address(from.address), split_address(to.address));
        for k in (0..count).step_by(run as usize) {
            let offset = |v: &ViewState| v.element_offset(k) * bytes;
            let length = (run.min(count - k) as i64 * bytes) as usize;
            self.copy_run((source, first + offset(from)), (target, start + offset(to)), length)?;
        }
        Ok(())
    }

    /// Copies bytes from one place of global memory to another: buffers, and bytes there.
    fn copy_run(&mut self, from: (usize, i64), to: (usize, i64), bytes: usize) -> Result<(), Fail> {
        let source = self.global.bytes(from.0, from.1, bytes)?;
        let target = self.global.bytes(to.0, to.1, bytes)?;
        if !self.global.buffer(to.0, to.1 as u64)?.writable {
            return Err(Fail::ReadOnly(to.0));
        }
        self.progress.deeds.stores += 1;
        self.global.mark_written(to.0);
        self.bring_bytes(from.0, from.1, bytes)?;
        let touched = |(buffer, first): (usize, i64), writes| {
            Some(Touched { buffer, bytes: (first, first.saturating_add(bytes as i64)), writes })
        };
        let held = self.global.guards.map(|guards| guards.hold([touched(from, false), touched(to, true)]));
        // SAFETY: `GlobalMemory::bytes` checked that both lie in buffers that are lent for the run, the second may be written, and no
        // other thread or process touches them now.
        unsafe { std::ptr::copy(source, target, bytes) };
        drop(held);
        self.send_bytes(to.0, to.1, bytes)
    }

    fn piece(&self, stage: TileId) -> Result<(u64, u64), Fail> {
        let tile = &self.regs.tiles[stage];
        if tile.rows == 0 || tile.cols == 0 {
            return Err(Fail::Valid { rows: tile.rows.into(), cols: tile.cols.into(), tile: (1, 1) });
        }
        Ok((tile.rows.into(), tile.cols.into()))
    }

    fn sized(&mut self, tile: TileId, size: (u64, u64)) -> Result<TileRef<'p>, Fail> {
        self.make_moves_of(tile)?;
        let memory = self.local.memory.ptr();
        let tile = self.regs.tiles[tile];
        Ok(self.tile_ref(memory, &tile).clipped(size.0 as usize, size.1 as usize))
    }

    /// Moves a piece of a view, by its first element and its size, to or from a tile.
    fn move_piece(
        &mut self,
        t: &Transfer,
        tile: TileId,
        view: &ViewState,
        (at, size): (u64, (u64, u64)),
        writes: bool,
    ) -> Result<(), Fail> {
        let (code, bits) = (if writes { &t.store } else { &t.load }, t.bits);
        let tile = self.sized(tile, size)?;
        let mut piece = *view;
        let offset = view.element_offset(at);
        piece.address = view.address.wrapping_add((offset * i64::from(bits) / 8) as u64);
        piece.shape = [1, 1, 1, size.0, size.1];
        let buffer = split_address(piece.address).0;
        let locks = self.global.far.filter(|far| far.copies && writes && t.atomic);
        if let Some(far) = locks {
            far.peers.lock(buffer).map_err(Fail::Peer)?;
        }
        self.bring(&piece, bits)?;
        let view = self.window_ref(&piece, writes)?;
        let held = self.hold_view(&piece, bits, writes);
        // SAFETY: the tile comes from a register of the core with at most its valid region, the kernel checks the view, which no
        // other thread touches now, and the code was prepared for these types.
        unsafe { call_transfer(code, &[tile, TileRef::ABSENT], &view, &[0; 2]) }
            .map_err(|fault| Fail::Fault(Box::new(fault), None))?;
        drop(held);
        if writes {
            self.send(&piece, bits)?;
        }
        locks.map_or(Ok(()), |far| far.peers.unlock(buffer).map_err(Fail::Peer))
    }
}

/// Calls the code of a load, which takes a tile and a view, or that of a store, which also takes a table of scales, how to
/// combine, and a scale.
///
/// # Safety
/// As [`KernelFn`](pto_vector::KernelFn).
pub(super) unsafe fn call_transfer(
    code: &Code,
    tiles: &[TileRef; 2],
    view: &ViewRef,
    scalars: &[u64; 2],
) -> Result<(), Fault> {
    let is_load = code.arity().tiles == 1;
    let (tiles, scalars) = if is_load { (&tiles[..1], &scalars[..0]) } else { (&tiles[..], &scalars[..]) };
    // SAFETY: as the caller says.
    unsafe { code.call(tiles, std::slice::from_ref(view), scalars) }
}

/// The rows of the whole that belong to one member, as large as that.
fn part(whole: &ViewState, member: &ViewState, k: usize, bits: u32) -> ViewState {
    let rows = member.shape[3];
    let offset = k as i64 * rows as i64 * whole.strides[3] * i64::from(bits) / 8;
    ViewState { address: whole.address.wrapping_add(offset as u64), shape: member.shape, ..*whole }
}

/// Calls `each` for pieces of the two inner dimensions at all places of the outer ones: first element, in row-major order,
/// and size.
fn pieces(
    shape: [u64; 5],
    piece: (u64, u64),
    mut each: impl FnMut(u64, (u64, u64)) -> Result<(), Fail>,
) -> Result<(), Fail> {
    let [a, b, c, rows, cols] = shape;
    for outer in 0..a * b * c {
        for row in (0..rows).step_by(piece.0 as usize) {
            for col in (0..cols).step_by(piece.1 as usize) {
                let size = (piece.0.min(rows - row), piece.1.min(cols - col));
                each((outer * rows + row) * cols + col, size)?;
            }
        }
    }
    Ok(())
}
