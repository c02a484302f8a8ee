//! What a run leaves behind: what it printed before it failed, and what its tiles hold.

use super::core::Core;
use super::data::read_bytes;
use super::number_rows::{ElementNumber, numbers_of};
use super::observe::CoreId;
use crate::prepared::{TileId, TileState};
use crate::printed::Printed;
use pto_ir::ValueId;
use pto_isa::TileType;
use pto_isa::hash::FastSet;
use pto_isa::sort::SharedSort;
use std::sync::{Mutex, PoisonError};

/// Bytes of tiles that are kept; those of later blocks are left out.
const MOST_BYTES: usize = 1 << 30;

/// Collects what a run leaves behind, whether it succeeds or not; see [`Launch::keep`](crate::Launch::keep).
///
/// ```
/// use pto_cpu::{Options, Plan, Remains};
///
/// # fn main() -> Result<(), pto_isa::Error> {
/// let (module, _) = pto_syntax::parse("
///     func.func @fill() {
///       %two = arith.constant 2.0 : f32
///       %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
///       pto.texpands ins(%two : f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
///       return
///     }");
/// let plan = Plan::new(&pto_check::check(module, pto_isa::Target::A5)?, None, Options::default())?;
/// let remains = Remains::of_tiles(|_| true);
/// plan.launch().keep(&remains).run(&mut [])?;
/// let kept = remains.finish();
/// assert_eq!((&*kept.tiles[0].name, kept.tiles[0].numbers()), ("t", vec![2.0; 8]));
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Remains {
    wants: Option<Box<WantsTile>>,
    kept: Mutex<Kept>,
}

/// Whether a tile of this name is kept.
type WantsTile = dyn Fn(&str) -> bool + Sync;

/// What a run left behind.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Kept {
    /// What was printed, if the run failed; otherwise the report has it.
    pub printed: Vec<Printed>,
    /// What tiles hold, core by core.
    pub tiles: Vec<TileContents>,
    /// Tiles that were left out, because there were too many.
    pub left_out: usize,
    bytes: usize,
}

/// What a core holds of a tile when its block ends.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TileContents {
    /// The core.
    pub core: CoreId,
    /// The name in the program; those with several buffers have one for each, `t[0]`.
    pub name: String,
    /// The type.
    pub ty: TileType,
    /// Valid rows and columns.
    pub valid: (u32, u32),
    /// The address in its space, if the program states one.
    pub address: Option<u64>,
    /// Every element, row by row, each in as many whole bytes as it needs.
    pub elements: Vec<u8>,
    /// For each element, whether something wrote it.
    pub written: Vec<bool>,
}

impl Remains {
    /// Also keeps what tiles hold whose name is wanted.
    pub fn of_tiles(wants: impl Fn(&str) -> bool + Sync + 'static) -> Self {
        Self { wants: Some(Box::new(wants)), ..Self::default() }
    }

    /// What was left behind.
    pub fn finish(self) -> Kept {
        let mut kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.tiles.shared_sort_by_key(|tile| tile.core);
        kept
    }

    /// True when somebody looks at tiles after the run, which then hold what the program says.
    pub(super) fn wants_tiles(&self) -> bool {
        self.wants.is_some()
    }

    pub(super) fn keep_printed(&self, printed: Vec<Printed>) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).printed.extend(printed);
    }

    pub(super) fn keep_tiles(&self, cores: &mut [Core<'_>]) {
        let Some(wants) = &self.wants else { return };
        for core in cores {
            let tiles = core.written_tiles(wants);
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            for (name, tile, ty) in tiles {
                if kept.bytes > MOST_BYTES {
                    kept.left_out += 1;
                    continue;
                }
                let contents = core.contents(name, &tile, &ty);
                kept.bytes += contents.elements.len();
                kept.tiles.push(contents);
            }
        }
    }
}

impl std::fmt::Debug for Remains {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remains").field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl TileContents {
    /// The bytes of an element.
    pub fn element_bytes(&self) -> usize {
        self.ty.column_bits().div_ceil(8) as usize
    }

    /// Every number, row by row, as near as `f64` has it; columns of packed numbers have two.
    pub fn numbers(&self) -> Vec<f64> {
        let elements = self.elements.chunks_exact(self.element_bytes());
        let number = |n: ElementNumber| match n {
            ElementNumber::Float(x) => f64::from(x),
            ElementNumber::Int(n) => n as f64,
        };
        let per_element = if self.ty.column_bits() < 8 { 1 } else { 2 };
        elements.flat_map(|e| numbers_of(self.ty.dtype, read_bytes(e)).take(per_element).map(number)).collect()
    }
}

impl Core<'_> {
    /// The tiles of this core that something wrote: name, state and type.
    fn written_tiles(&self, wants: &dyn Fn(&str) -> bool) -> Vec<(String, TileState, TileType)> {
        let (plan, mut found) = (self.plan, Vec::new());
        let mut before: FastSet<TileId> = FastSet::default();
        for &(value, tile, count) in &plan.tiles.values {
            let name = self.name_of(value);
            let state = self.regs.tiles[tile];
            // Windows and views are parts of another tile; of names for the same tile, the first counts.
            let is_whole = state.root == tile && state.row_stride > 0;
            if !is_whole || !wants(&name) || !before.insert(tile) {
                continue;
            }
            let ty = plan.tiles.geometries[state.geometry];
            for k in 0..count {
                let base = state.base + k * ty.bytes();
                if self.local.written.bytes.has_any(base, ty.bytes()) {
                    let name = if count == 1 { name.clone() } else { format!("{name}[{k}]") };
                    found.push((name, TileState { base, ..state }, ty));
                }
            }
        }
        found
    }

    fn name_of(&self, value: ValueId) -> String {
        let name = self.plan.module().value_name(value);
        if name.is_empty() { value.index().to_string() } else { name.to_string() }
    }

    fn contents(&mut self, name: String, tile: &TileState, ty: &TileType) -> TileContents {
        let (mut elements, mut written) = (Vec::new(), Vec::new());
        let end = tile.base + ty.bytes();
        for r in 0..ty.rows {
            for c in 0..ty.cols {
                let (first, bytes, shift) = tile.element_bytes(ty, r, c);
                // The last boxes of a tile may be cut off.
                let first = first.min(end.saturating_sub(bytes));
                let part = self.local.memory.part(first, bytes);
                match ty.column_bits() < 8 {
                    true => elements.push(part[0] >> shift & 15),
                    false => elements.extend_from_slice(part),
                }
                written.push(self.local.written.bytes.has_any(first, bytes));
            }
        }
        let spaces = &self.plan.memory.spaces;
        let address = (tile.base < spaces.end).then(|| tile.base - spaces.start(ty.loc));
        TileContents { core: self.id(), name, ty: *ty, valid: (tile.rows, tile.cols), address, elements, written }
    }
}
