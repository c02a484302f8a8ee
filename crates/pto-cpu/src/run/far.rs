//! Memory of ranks in other processes, as cores reach it.

use super::accesses::view_accesses;
use super::core::Core;
use super::fail::Fail;
use super::peers::{FarMemory, PeerRows};
use crate::memory::split_address;
use crate::prepared::{KernelStep, StepId, ViewState};

impl Core<'_> {
    /// Notes how far the core is, where others ask.
    #[inline]
    pub fn reached(&self, at: StepId) {
        if let Some(far) = self.global.far {
            let op = self.plan.code.origins[at];
            far.peers.reached(self.plan.module().op(op).name_span);
        }
    }

    /// What an instruction needs of other ranks before it is executed. A window that is written is brought, too: the instruction may
    /// write a part of it.
    #[inline]
    pub fn bring_views(&mut self, step: &KernelStep) -> Result<(), Fail> {
        let Some(far) = self.global.far.filter(|far| far.copies) else { return Ok(()) };
        let combines = self.combines(step);
        for operand in &step.views {
            let Some(view) = operand.register.map(|r| self.regs.views[r]) else { continue };
            if combines && operand.writes {
                far.peers.lock(split_address(view.address).0).map_err(Fail::Peer)?;
            }
            self.bring(&view, self.column_bits_of(operand.value))?;
        }
        Ok(())
    }

    /// What others get after an instruction was executed.
    #[inline]
    pub fn send_views(&mut self, step: &KernelStep) -> Result<(), Fail> {
        let Some(far) = self.global.far.filter(|far| far.copies) else { return Ok(()) };
        let combines = self.combines(step);
        for operand in step.views.iter().filter(|o| o.writes) {
            let Some(view) = operand.register.map(|r| self.regs.views[r]) else { continue };
            self.send(&view, self.column_bits_of(operand.value))?;
            if combines {
                far.peers.unlock(split_address(view.address).0).map_err(Fail::Peer)?;
            }
        }
        Ok(())
    }

    /// Copies a window of another rank's memory here.
    pub fn bring(&self, view: &ViewState, bits: u32) -> Result<(), Fail> {
        self.each_far(view, bits, |far, rows| far.peers.fetch(rows))
    }

    /// Copies a window from here to another rank.
    pub fn send(&self, view: &ViewState, bits: u32) -> Result<(), Fail> {
        self.each_far(view, bits, |far, rows| far.peers.deliver(rows))
    }

    /// The same for a few bytes.
    pub fn bring_bytes(&self, buffer: usize, first: i64, bytes: usize) -> Result<(), Fail> {
        match self.global.far.filter(|far| far.is_far(buffer)) {
            Some(far) => far.peers.fetch(PeerRows::one(buffer, first, bytes)).map_err(Fail::Peer),
            None => Ok(()),
        }
    }

    /// The same for a few bytes.
    pub fn send_bytes(&self, buffer: usize, first: i64, bytes: usize) -> Result<(), Fail> {
        match self.global.far.filter(|far| far.is_far(buffer)) {
            Some(far) => far.peers.deliver(PeerRows::one(buffer, first, bytes)).map_err(Fail::Peer),
            None => Ok(()),
        }
    }

    fn each_far(
        &self,
        view: &ViewState,
        bits: u32,
        mut act: impl FnMut(&FarMemory<'_>, PeerRows) -> Result<(), String>,
    ) -> Result<(), Fail> {
        let buffer = split_address(view.address).0;
        let Some(far) = self.global.far.filter(|far| far.is_far(buffer)) else { return Ok(()) };
        let size = self.global.buffers.get(buffer).map_or(0, |b| b.bytes);
        let mut result = Ok(());
        view_accesses(view, bits, None, &mut |access| {
            // What is not in the buffer is not copied: the kernel says so.
            let rows = PeerRows::inside(&access, buffer, size);
            if let (Some(rows), true) = (rows, result.is_ok()) {
                result = act(&far, rows);
            }
        });
        result.map_err(Fail::Peer)
    }
}
