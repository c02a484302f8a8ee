//! Windows of memory, and accesses of single elements.

use super::ids::{AccessId, AllocationId, LocalId, MakeViewId, PartitionId, Reg, Table, ViewId};
use super::scalars::ScalarElem;
use super::tiles::ExtentValue;
use pto_isa::{GlobalLayout, GlobalLayouts, Loc};

/// The state of a view register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ViewState {
    /// Address of the first element; in bytes of the space.
    pub address: u64,
    /// On-chip memory, or global memory.
    pub space: Option<Loc>,
    pub shape: [u64; 5],
    pub strides: [i64; 5],
    pub layout: GlobalLayout,
}

impl ViewState {
    /// One element at the start of global memory.
    pub const EMPTY: Self = Self { address: 0, space: None, shape: [1; 5], strides: [0; 5], layout: GlobalLayout::Nd };

    /// A row-major view from the start of a buffer.
    pub fn packed(shape: &[u64]) -> Self {
        let mut view = Self::EMPTY;
        let skip = 5 - shape.len().min(5);
        let mut stride = 1;
        for (k, n) in shape.iter().enumerate().rev().filter(|(k, _)| skip + k < 5) {
            view.shape[skip + k] = *n;
            view.strides[skip + k] = stride;
            stride = stride.saturating_mul(*n as i64);
        }
        view
    }

    /// Rows and columns of the matrix a view describes.
    pub fn matrix_size(&self) -> (u64, u64) {
        let [a, b, c, d, e] = self.shape;
        match self.layout {
            GlobalLayout::Dn => (d, a * b * c * e),
            GlobalLayout::Nz => (c * d, a * b * e),
            _ => (a * b * c * d, e),
        }
    }

    /// Element `k` in row-major order, in elements from the first.
    pub fn element_offset(&self, k: u64) -> i64 {
        let mut rest = k;
        let mut offset = 0_i64;
        for (extent, stride) in self.shape.iter().zip(&self.strides).rev() {
            // Without memory, strides may be any numbers.
            offset = offset.wrapping_add(((rest % extent.max(&1)) as i64).wrapping_mul(*stride));
            rest /= extent.max(&1);
        }
        offset
    }
}

/// What the steps that make views and access elements refer to.
#[derive(Clone, Default, Debug)]
pub(crate) struct ViewTables {
    pub made: Table<MakeViewId, MakeView>,
    pub partitions: Table<PartitionId, Partition>,
    pub accesses: Table<AccessId, ScalarAccess>,
    pub allocations: Table<AllocationId, Allocate>,
    pub locals: Table<LocalId, Local>,
}

#[derive(Clone, Debug)]
pub(crate) struct MakeView {
    pub pointer: Pointer,
    pub shape: Vec<Reg>,
    pub strides: Vec<Reg>,
    /// `None` if only the strides of the run show it.
    pub layout: Option<GlobalLayout>,
    /// What the tiles accept that are moved through it.
    pub accepted: GlobalLayouts,
    pub bits: u32,
    pub out: ViewId,
}

/// A window of a view: offsets, sizes and, for memrefs, steps.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    pub from: ViewId,
    pub to: ViewId,
    pub offsets: Vec<Reg>,
    pub sizes: Vec<Reg>,
    pub steps: Vec<Reg>,
    pub bits: u32,
    /// Offsets and sizes replace those of the source instead of lying inside it.
    pub reinterpret: bool,
    /// The layout, if it is not that of the source.
    pub layout: Option<GlobalLayout>,
}

/// Something that holds an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pointer {
    Scalar(Reg, Option<Loc>),
    View(ViewId),
}

/// An access of the scalar unit.
#[derive(Clone, Debug)]
pub(crate) struct ScalarAccess {
    pub pointer: Pointer,
    /// One index into a pointer, or one per dimension of a view.
    pub indices: Vec<Reg>,
    pub elem: ScalarElem,
    pub value: Reg,
}

/// Memory of the core for a memref.
#[derive(Clone, Debug)]
pub(crate) struct Allocate {
    pub sizes: Vec<ExtentValue>,
    pub bits: u32,
    pub out: ViewId,
    /// Its buffer, after those of the arguments.
    pub buffer: AllocationId,
    pub space: Option<Loc>,
    /// Its place, when it is on chip.
    pub own: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub array: Reg,
    pub dims: Vec<u32>,
    pub indices: Vec<Reg>,
    pub value: Reg,
}
