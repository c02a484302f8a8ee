//! How much memory a program needs, found by following its control flow without computing anything.

use super::core::Core;
use super::launch::Launch;
use super::observe::{Watch, WatchMode};
use crate::args::{Param, ParamKind};
use crate::memory::{Buffer, buffer_address};
use crate::prepared::{Plan, Role, ValueStorage, ViewState, float_of, int_of};
use crate::printed::CoreCounts;
use pto_isa::cancel::poll;
use pto_isa::sort::SharedSort;
use pto_isa::{Diagnostic, Error};
use std::collections::HashMap;

/// Iterations of loops and instructions after which measuring stops.
const LIMIT: u64 = 20_000_000;

/// What is known of an argument before a run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum Known {
    /// Nothing.
    #[default]
    Nothing,
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
}

/// What a program needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Measure {
    /// For each parameter, the memory it must lead to, where the program shows it.
    pub extents: Vec<Option<Extent>>,
    /// For each parameter, whether the program reads its memory. Tiles count as read.
    pub reads: Vec<bool>,
    /// Instructions it executes, over all blocks.
    pub instructions: u64,
    /// Instructions and iterations of loops.
    pub work: u64,
    /// Terms of the longest sum that a reduction or a chain of matrix products adds up.
    pub longest_sum: u64,
    /// Every core was followed to its end. If not, memory may be needed that `extents` do not show.
    pub is_complete: bool,
}

/// How large a piece of memory is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Extent {
    /// Elements.
    pub elements: u64,
    /// The same as a shape: that of the largest view if it covers everything, outermost dimension in memory first.
    pub shape: Vec<u64>,
    /// No other view that covers everything has another shape.
    pub is_clear: bool,
}

/// Where the views of a buffer end, and the shape of the first that ends there.
#[derive(Clone, Default)]
struct ViewEnd {
    bytes: i64,
    shape: Vec<u64>,
    has_rivals: bool,
}

struct Measuring {
    ends: Vec<ViewEnd>,
    reads: Vec<bool>,
    left: u64,
    /// Terms in the sums at each address.
    sums: HashMap<u64, u64>,
    longest_sum: u64,
}

impl Watch for Measuring {
    fn mode(&self) -> WatchMode {
        WatchMode { measures: true, follows_writes: false, ..WatchMode::PLAIN }
    }

    fn read(&mut self, buffer: usize) {
        if let Some(read) = self.reads.get_mut(buffer) {
            *read = true;
        }
    }

    fn view(&mut self, buffer: usize, first: i64, end: i64, shape: &[u64], strides: &[i64]) {
        let Some(known) = self.ends.get_mut(buffer).filter(|known| end >= known.bytes) else { return };
        let shape = if first == 0 { in_memory(shape, strides) } else { Vec::new() };
        if end > known.bytes {
            *known = ViewEnd { bytes: end, shape, has_rivals: false };
        } else {
            known.has_rivals |= shape != known.shape;
        }
    }

    fn sum(&mut self, to: u64, terms: u64, continues: bool) {
        let all = self.sums.entry(to).or_default();
        *all = terms + if continues { *all } else { 0 };
        self.longest_sum = self.longest_sum.max(*all);
    }

    fn progress(&mut self, instructions: u64) -> bool {
        poll();
        self.left = self.left.saturating_sub(instructions);
        self.left > 0
    }
}

impl Launch<'_> {
    /// Computes how large the memory of each pointer must be, from the views that the program makes of it.
    ///
    /// Numbers that come from memory count as zero; what depends on them may be missed.
    ///
    /// # Errors
    /// When the memory for a core cannot be had.
    pub fn measure(self, known: &[Known]) -> Result<Measure, Error> {
        self.plan().measure(known, self.block_count()).map_err(|problem| self.error(problem))
    }
}

impl Plan {
    fn measure(&self, known: &[Known], blocks: u32) -> Result<Measure, Diagnostic> {
        if self.cores.joint {
            self.all_fit(blocks.into())?;
        }
        let none = vec![Buffer::NONE; self.source.params.len()];
        let tile = |p: &Param| matches!(p.kind, ParamKind::Tile(_));
        let reads = self.source.params.iter().map(tile).collect();
        let mut watch = Measuring {
            ends: vec![ViewEnd::default(); self.source.params.len()],
            reads,
            left: LIMIT,
            sums: HashMap::new(),
            longest_sum: 1,
        };
        self.fits(1)?;
        let (mut instructions, mut work, mut is_complete) = (0, 0, true);
        for role in self.roles() {
            let mut core = Core::new(role, std::borrow::Cow::Borrowed(&none), None, CoreCounts::of_blocks(blocks))?;
            let subs = if role.cores.role == Role::Vector { self.cores.vectors } else { 1 };
            for (block, sub) in (0..blocks).flat_map(|b| (0..subs).map(move |s| (b, s))) {
                core.reset(block);
                core.who.id.sub = sub;
                role.enter_known(&mut core, known);
                // Without data a program may go astray; what it showed until then stands.
                if core.execute::<dyn Watch>(&mut watch).is_err() {
                    is_complete = false;
                    if watch.left == 0 {
                        break;
                    }
                }
            }
            instructions += core.progress.deeds.instructions;
            work += core.work();
        }
        let extents = self.source.params.iter().zip(&watch.ends).map(|(p, end)| extent(p, end)).collect();
        Ok(Measure { extents, reads: watch.reads, instructions, work, longest_sum: watch.longest_sum, is_complete })
    }

    pub(super) fn enter_known(&self, core: &mut Core, known: &[Known]) {
        for (at, (param, slot)) in self.source.params.iter().zip(&self.source.slots).enumerate() {
            let known = known.get(at).copied().unwrap_or_default();
            match (slot, &param.kind) {
                (ValueStorage::Scalar(reg), ParamKind::Pointer(_)) => core.regs.scalars[*reg] = buffer_address(at),
                (ValueStorage::Scalar(reg), ParamKind::Scalar(s)) => {
                    core.regs.scalars[*reg] = match known {
                        Known::Int(n) => match (int_of(*s), float_of(*s)) {
                            (Some(int), _) => int.keep(n as u64),
                            (_, Some(float)) => float.round(n as f64),
                            _ => 0,
                        },
                        Known::Float(x) => float_of(*s).map_or(0, |f| f.round(x)),
                        Known::Nothing => 0,
                    };
                }
                (ValueStorage::View(view), ParamKind::Tensor(_, dims)) => {
                    let view = &mut core.regs.views[*view];
                    let shape: Vec<u64> = dims.iter().map(|d| d.unwrap_or(0)).collect();
                    *view = ViewState::packed(&shape);
                    view.address = buffer_address(at);
                }
                _ => {}
            }
        }
    }
}

/// In numbers; windows count columns.
fn extent(param: &Param, end: &ViewEnd) -> Option<Extent> {
    let Extent { elements, mut shape, is_clear } = columns(&param.kind, end)?;
    shape.iter_mut().last().into_iter().for_each(|n| *n = n.saturating_mul(param.per_column));
    Some(Extent { elements: elements.saturating_mul(param.per_column), shape, is_clear })
}

fn columns(kind: &ParamKind, end: &ViewEnd) -> Option<Extent> {
    let is_clear = !end.has_rivals;
    match kind {
        ParamKind::Pointer(elem) if end.bytes > 0 => {
            let elements = (end.bytes as u64).saturating_mul(8).div_ceil(u64::from(elem.column_bits()));
            let covers = !end.shape.is_empty() && product(&end.shape) == elements;
            let shape = if covers { end.shape.clone() } else { vec![elements] };
            Some(Extent { elements, shape, is_clear })
        }
        ParamKind::Tensor(_, dims) => {
            let shape: Option<Vec<u64>> = dims.iter().copied().collect();
            shape.map(|shape| Extent { elements: product(&shape), shape, is_clear })
        }
        ParamKind::Tile(ty) => Some(Extent { elements: ty.elements(), shape: vec![ty.rows, ty.cols], is_clear }),
        _ => None,
    }
}

/// The extents of a view, outermost in memory first: those of a column-major view change places.
fn in_memory(shape: &[u64], strides: &[i64]) -> Vec<u64> {
    let mut dims: Vec<(u64, i64)> = shape.iter().copied().zip(strides.iter().copied()).collect();
    let is_packed = |dims: &[(u64, i64)]| {
        let mut inner: i64 = 1;
        dims.iter().rev().all(|(extent, stride)| {
            let fits = *extent <= 1 || *stride == inner;
            inner = inner.saturating_mul(i64::try_from(*extent).unwrap_or(i64::MAX));
            fits
        })
    };
    if !is_packed(&dims) {
        dims.shared_sort_by_key(|(_, stride)| std::cmp::Reverse(*stride));
    }
    dims.into_iter().map(|(extent, _)| extent).collect()
}

/// The number of elements of a shape, saturating.
fn product(shape: &[u64]) -> u64 {
    shape.iter().fold(1, |all, n| all.saturating_mul(*n))
}
