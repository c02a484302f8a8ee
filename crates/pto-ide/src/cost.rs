//! What an instruction costs, as far as its types say.

use crate::Document;
use pto::checks::pipe_of;
use pto::cost::{Charge, Execution, Grade, Laws, Model, TileUse, charge};
use pto::ir::{Attr, OpId, ValueId};
use pto::isa::row::CostClass;
use pto::isa::{Dim, Dir, Pipe, Target, TileType, Type};

/// What an instruction takes in isolation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CostEstimate {
    pub(crate) cycles: f64,
    pub(crate) pipe: Pipe,
    pub(crate) grade: Grade,
}

/// The cycles of an instruction on whole tiles: open valid regions count as the tile. Nothing for what costs nothing.
pub(crate) fn estimate(document: &Document, id: OpId) -> Option<CostEstimate> {
    let (module, target) = (document.module(), document.target());
    if target == Target::Cpu {
        return None;
    }
    let pipe = pipe_of(module, id, target)?;
    let charge = charge(&execution(document, id), Laws::of(target), Model::Calibrated);
    let Charge { grade, .. } = charge;
    (charge.cycles() > 0.0).then(|| CostEstimate { cycles: charge.cycles(), pipe, grade })
}

/// The execution that the types of an operation describe.
fn execution(document: &Document, id: OpId) -> Execution {
    let module = document.module();
    let op = module.op(id).op;
    let mut execution = Execution { op, tiles: Vec::new(), loaded: 0, stored: 0, mode: "" };
    let mut reads: Vec<ValueId> = Vec::new();
    let mut writes: Vec<ValueId> = Vec::new();
    let slots = op.row().slots;
    for operand in module.operands(id) {
        let dir = slots.get(usize::from(operand.slot)).map_or(Dir::In, |slot| slot.dir);
        if dir != Dir::Out {
            reads.push(operand.value);
        }
        if dir != Dir::In {
            writes.push(operand.value);
        }
    }
    writes.extend(module.results(id));
    for (values, write) in [(reads, false), (writes, true)] {
        for value in values {
            match module.value_type(value) {
                Type::Tile(tile) | Type::TileBuf(tile) => execution.tiles.push(tile_use(tile, write)),
                Type::TensorView(_) | Type::PartitionView(_) if write => execution.stored = 1,
                Type::TensorView(_) | Type::PartitionView(_) => execution.loaded = 1,
                _ => {}
            }
        }
    }
    // What moves between global memory and a tile has the size of the tile.
    let tile = execution.tiles.first().map_or(0, |t| t.valid.0 * t.valid.1 * u64::from(t.dtype.column_bits()) / 8);
    execution.loaded *= tile;
    execution.stored *= tile;
    execution.mode = mode(document, id, &execution);
    execution
}

fn tile_use(tile: &TileType, write: bool) -> TileUse {
    let extent = |dim: Dim, whole: u64| dim.fixed().unwrap_or(whole);
    TileUse {
        loc: tile.loc,
        dtype: tile.dtype,
        size: (tile.rows, tile.cols),
        valid: (extent(tile.valid_rows, tile.rows), extent(tile.valid_cols, tile.cols)),
        write,
    }
}

/// The mode with a law of its own, as recordings determine it.
fn mode(document: &Document, id: OpId, execution: &Execution) -> &'static str {
    let module = document.module();
    let precise = |attr: &Attr| matches!(attr, Attr::Enum(def, at) if def.value(usize::from(*at)).eq_ignore_ascii_case("high_precision"));
    let reads = execution.tiles.iter().filter(|t| !t.write).count();
    if module.attrs(id).iter().any(|(_, attr)| precise(attr)) {
        "high_precision"
    } else if execution.op.row().cost == CostClass::Gather && reads == 1 {
        "pattern"
    } else {
        ""
    }
}
