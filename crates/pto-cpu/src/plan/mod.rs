//! A program resolved once: kernels chosen, tiles placed, control flow as jumps, scalars in registers.
//!
//! Calls are expanded in place, so every value has one register. A tile without an address gets a place of its own
//! behind the memory spaces; two such tiles never share bytes.

mod build;
mod carried;
mod config;
mod control;
mod layouts;
mod links;
mod lowered;
mod orders;
mod params;
mod polls;
mod prints;
mod products;
mod roles;
mod scalar;
mod step;
mod tiles;
mod views;

pub(crate) use build::runs;
pub use links::Set;
pub(crate) use links::{End, Entry, Link, PipeOp, Scale, Transfer, TransferKind, Way};
pub(crate) use orders::{Await, Background, Order};
pub use polls::{asked_again, loaded_tile, reads_element, source};
pub use roles::Role;
pub(crate) use scalar::{float_of, int_of};
pub(crate) use step::*;

use crate::Numerics;
use crate::args::{Options, Param, Uninitialised};
use crate::memory::{Spaces, Spare};
use pto_check::Checked;
use pto_ir::{Module, OpId};
use pto_isa::{Diagnostic, TileType};
use std::ops::RangeInclusive;

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) checked: Checked,
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    /// Where each parameter is kept.
    pub(crate) slots: Vec<Slot>,
    pub(crate) steps: Vec<Step>,
    /// The operation each step belongs to.
    pub(crate) origins: Vec<OpId>,
    /// Registers as they are at the start.
    pub(crate) regs: Vec<u64>,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) views: Vec<View>,
    pub(crate) geometries: Box<[TileType]>,
    pub(crate) binds: Vec<Bind>,
    /// Registers that keep buffers while others are placed.
    pub(crate) held: Vec<Vec<TileId>>,
    pub(crate) windows: Vec<Window>,
    pub(crate) regions: Vec<OpenRegion>,
    pub(crate) make_views: Vec<MakeView>,
    pub(crate) partitions: Vec<Partition>,
    pub(crate) accesses: Vec<ScalarAccess>,
    /// The steps that read an element of a tile.
    pub(crate) element_reads: Vec<u32>,
    pub(crate) allocations: Vec<Allocate>,
    pub(crate) locals: Vec<Local>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) kernels: Vec<KernelStep>,
    pub(crate) prints: Vec<Print>,
    pub(crate) checks: Vec<RuleCheck>,
    pub(crate) numerics: Numerics,
    pub(crate) uninitialised: Uninitialised,
    pub(crate) strict: bool,
    pub(crate) spaces: Spaces,
    /// Bytes of a core's memory: the spaces, and the tiles behind them.
    pub(crate) core_bytes: u64,
    /// Memory of cores that have finished.
    pub(crate) spare: Spare,
    /// What the core of this plan executes.
    pub(crate) role: Role,
    /// Vector cores of a block, where it has several cores.
    pub(crate) vectors: u32,
    /// Blocks wait for each other, so all of them run together.
    pub(crate) joint: bool,
    /// Blocks may wait for numbers in memory that others write.
    pub(crate) asks: bool,
    /// The plan of the vector cores, where this is that of the cube core.
    pub(crate) partner: Option<Box<Plan>>,
    /// Ends of pipes this core opens.
    pub(crate) ends: Vec<End>,
    /// What orders the pipes of a core.
    pub(crate) orders: Vec<Order>,
    /// What concerns other cores: signals, pipes, barriers, transfers.
    pub(crate) links: Vec<Link>,
}

impl Plan {
    /// Resolves the entry of a program: the function of this name, the one marked `pto.entry`, or the only one.
    ///
    /// # Errors
    /// When there is no such entry, or the program uses something the engine does not run.
    pub fn new(checked: &Checked, entry: Option<&str>, options: Options) -> Result<Self, Diagnostic> {
        build::build(checked, entry, options)
    }

    /// The name of the entry.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the entry takes.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The program it was made from.
    pub fn checked(&self) -> &Checked {
        &self.checked
    }

    /// Vector cores of a block.
    pub fn vector_cores(&self) -> u32 {
        self.vectors
    }

    /// Memory of the cores of a block.
    pub fn memory_bytes(&self) -> u64 {
        let cores = |p: &Self| if p.role == Role::Vector { u64::from(self.vectors) } else { 1 };
        self.roles().map(|p| p.core_bytes * cores(p)).sum()
    }

    /// True when blocks wait for each other, so that all of them run together. Blocks that poll memory may; see
    /// [`Plan::runs_together`].
    pub fn blocks_wait(&self) -> bool {
        self.joint
    }

    /// True when the program says where tiles lie.
    pub fn places_tiles(&self) -> bool {
        let placed = |p: &Self| {
            p.binds.iter().any(|b| matches!(b.address, Address::At(_)))
                || p.steps.iter().any(|s| matches!(s, Step::Assign { .. }))
        };
        self.roles().any(placed)
    }

    /// The tiles that a core of a role is given as arguments, as an [`Access`](crate::Access) names them.
    pub fn tile_params(&self, role: Role) -> Vec<u32> {
        let plans = self.roles().filter(|p| p.role == role);
        let tile = |slot: &Slot| if let Slot::Tile(tile) = slot { Some(*tile) } else { None };
        plans.flat_map(|p| p.slots.iter().filter_map(tile)).collect()
    }

    /// True when the program orders the pipes of a core.
    pub fn orders_pipes(&self) -> bool {
        let none = |o: &Order| {
            matches!(
                o,
                Order::Other
                    | Order::Session(_)
                    | Order::AwaitBackground(_)
                    | Order::Sync(_)
                    | Order::Clean(_)
                    | Order::Fence
            )
        };
        let orders = |o: &Order| !none(o);
        self.roles().any(|p| p.orders.iter().any(orders))
    }

    /// What goes round on cores of a role: steps from where a jump back leads to the jump.
    pub fn loops(&self, role: Role) -> Vec<RangeInclusive<u32>> {
        let turn = |(at, step): (usize, &Step)| match *step {
            Step::Jump(head) | Step::LoopNext { head, .. } => Some(head..=at as u32),
            _ => None,
        };
        let plans = self.roles().filter(|p| p.role == role);
        plans.flat_map(|p| p.steps.iter().enumerate().filter_map(turn)).filter(|turn| !turn.is_empty()).collect()
    }

    /// The plans of the cores of a block.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.partner.as_deref())
    }

    pub(crate) fn module(&self) -> &Module {
        self.checked.module()
    }
}
