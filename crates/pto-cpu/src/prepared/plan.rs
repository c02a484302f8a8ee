//! A plan as a whole.

use super::calls::CallTables;
use super::ids::StepId;
use super::orders::PipeOrder;
use super::registers::{RegisterFile, ValueStorage};
use super::roles::Role;
use super::sharing::LoopSharing;
use super::step::{Step, StepList};
use super::tiles::{TileAddress, TileTables};
use super::views::ViewTables;
use crate::args::{Options, Param};
use crate::kernels::KeptFactor;
use crate::memory::{Spaces, Spare, SpareMemory};
use pto_check::Checked;
use pto_ir::Module;
use std::ops::RangeInclusive;

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) source: PlanSource,
    pub(crate) code: StepList,
    /// Registers as they are at the start.
    pub(crate) start: RegisterFile,
    pub(crate) tiles: TileTables,
    pub(crate) views: ViewTables,
    pub(crate) calls: CallTables,
    pub(crate) memory: MemoryNeeds,
    pub(crate) cores: Cores,
    pub(crate) sharing: LoopSharing,
}

/// What a plan was made from, and what its entry takes.
#[derive(Clone, Debug)]
pub(crate) struct PlanSource {
    pub checked: Checked,
    pub options: Options,
    /// The name of the entry.
    pub name: String,
    pub params: Vec<Param>,
    /// Those whose memory the program does nothing with but load.
    pub only_loaded: Vec<bool>,
    /// Where each parameter is kept.
    pub slots: Vec<ValueStorage>,
}

/// The memory of a core.
#[derive(Clone, Debug)]
pub(crate) struct MemoryNeeds {
    pub spaces: Spaces,
    /// Bytes of the memory of a core: the spaces, and the tiles after them.
    pub core_bytes: u64,
    /// Memory of cores that have finished.
    pub spare: Spare<SpareMemory>,
    /// What was packed in those.
    pub spare_factors: Spare<Vec<KeptFactor>>,
    /// The slots of their pipes.
    pub spare_slots: Spare<Vec<Vec<u8>>>,
}

/// The cores that a plan is for.
#[derive(Clone, Debug)]
pub(crate) struct Cores {
    /// What the core of this plan executes.
    pub role: Role,
    /// Vector cores of a block, where it has several cores.
    pub vectors: u32,
    /// Blocks wait for each other, so all of them run together.
    pub joint: bool,
    /// Blocks may wait for numbers in memory that others write.
    pub asks: bool,
    /// The plan of the vector cores, where this is that of the cube core.
    pub partner: Option<Box<Plan>>,
}

impl Plan {
    /// The name of the entry.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// What the entry takes.
    pub fn params(&self) -> &[Param] {
        &self.source.params
    }

    /// The program it was made from.
    pub fn checked(&self) -> &Checked {
        &self.source.checked
    }

    /// Vector cores of a block.
    pub fn vector_cores(&self) -> u32 {
        self.cores.vectors
    }

    /// Memory of the cores of a block.
    pub fn memory_bytes(&self) -> u64 {
        let cores = |p: &Self| if p.cores.role == Role::Vector { u64::from(self.cores.vectors) } else { 1 };
        self.roles().map(|p| p.memory.core_bytes * cores(p)).sum()
    }

    /// True when blocks wait for each other, so that all of them run together. Blocks that poll memory may; see
    /// [`Launch::runs_together`](crate::Launch::runs_together).
    pub fn blocks_wait(&self) -> bool {
        self.cores.joint
    }

    /// True when the program says where tiles lie.
    pub fn places_tiles(&self) -> bool {
        let placed = |p: &Self| {
            p.tiles.binds.iter().any(|b| matches!(b.address, TileAddress::At(_)))
                || p.code.steps.iter().any(|s| matches!(s, Step::Assign { .. }))
        };
        self.roles().any(placed)
    }

    /// The tiles that a core of a role is given as arguments, as an [`Access`](crate::Access) names them.
    pub fn tile_params(&self, role: Role) -> Vec<u32> {
        let plans = self.roles().filter(|p| p.cores.role == role);
        let tile = |slot: &ValueStorage| if let ValueStorage::Tile(tile) = slot { Some(tile.0) } else { None };
        plans.flat_map(|p| p.source.slots.iter().filter_map(tile)).collect()
    }

    /// True when the program orders the pipes of a core.
    pub fn orders_pipes(&self) -> bool {
        let none = |o: &PipeOrder| {
            matches!(
                o,
                PipeOrder::Other
                    | PipeOrder::Session(_)
                    | PipeOrder::AwaitBackground(_)
                    | PipeOrder::Sync(_)
                    | PipeOrder::Clean(_)
                    | PipeOrder::Fence
            )
        };
        let orders = |o: &PipeOrder| !none(o);
        self.roles().any(|p| p.calls.orders.iter().any(orders))
    }

    /// The loops of cores of a role: steps from the target of a jump back to the jump.
    pub fn loops(&self, role: Role) -> Vec<RangeInclusive<u32>> {
        let back = |(at, step): (StepId, &Step)| match *step {
            Step::Jump(head) | Step::LoopNext { head, .. } | Step::NextIteration { head, .. } => Some(head.0..=at.0),
            _ => None,
        };
        let plans = self.roles().filter(|p| p.cores.role == role);
        plans.flat_map(|p| p.code.steps.entries().filter_map(back)).filter(|body| !body.is_empty()).collect()
    }

    /// The plans of the cores of a block.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.cores.partner.as_deref())
    }

    pub(crate) fn module(&self) -> &Module {
        self.source.checked.module()
    }
}
