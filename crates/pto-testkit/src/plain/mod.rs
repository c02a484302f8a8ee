//! What programs mean, written a second time and for clarity only.
//!
//! A tree-walking interpreter of checked modules that tests compare the engine with. It shares no code with the engine's
//! plans and steps: values live in a map, regions are walked recursively, tiles are bytes behind [`TileType::offset`].
//! Only the arithmetic of tile instructions is the engine's, in its plain version, executed on copies of the operands.
//!
//! [`TileType::offset`]: pto::isa::TileType::offset

mod control;
mod convert;
mod memory;
pub mod reduce;
mod scalar;
mod tiles;
mod transfer;
mod value;
mod views;

use memory::{PlainAddress, PlainMemory};
use pto::Checked;
use pto::cpu::Numerics;
use pto::ir::{Attr, Module, OpId, ValueId};
use pto::isa::row::Effect;
use pto::isa::table::op;
use pto::isa::{Code, Dim, Family, Loc, Type, codes};
use std::collections::HashMap;
use value::{PlainTile, PlainView, Val};

/// What the entry is called with.
pub enum PlainArgument {
    Int(i64),
    Float(f64),
    Buffer {
        bytes: Vec<u8>,
        writable: bool,
    },
    /// A packed matrix.
    Tensor {
        bytes: Vec<u8>,
        shape: Vec<u64>,
    },
    /// All rows and columns of a tile in row-major order, and the extents that its type leaves open.
    Tile {
        bytes: Vec<u8>,
        extents: (u64, u64),
    },
}

/// Why a program stopped: the code of the diagnostic the engine must give too.
type PlainResult<T> = Result<T, Code>;

/// Runs the entry of a program for one block after the other.
pub fn run(checked: &Checked, args: &mut [PlainArgument], blocks: u32, numerics: Numerics) -> PlainResult<()> {
    let module = checked.module();
    let functions = module.functions();
    let marked = |f: &&OpId| module.attr(**f, "pto.entry").is_some();
    let entry = *functions.iter().find(marked).or(functions.first()).expect("a function");
    for block in 0..blocks {
        let mut machine = PlainMachine {
            checked,
            module,
            numerics,
            values: HashMap::new(),
            memories: Vec::new(),
            spaces: HashMap::new(),
            given: Vec::new(),
            block,
            blocks,
        };
        let values = machine.enter(entry, args);
        let done = machine.function(entry, values);
        machine.leave(args, done.is_ok());
        done?;
    }
    Ok(())
}

/// One block at work.
struct PlainMachine<'a> {
    checked: &'a Checked,
    module: &'a Module,
    numerics: Numerics,
    values: HashMap<ValueId, Val>,
    /// Global buffers by parameter, then everything else in the order it came into being.
    memories: Vec<PlainMemory>,
    /// The memories of the core that addresses were used in.
    spaces: HashMap<Loc, usize>,
    /// What the entry was called with.
    given: Vec<Val>,
    block: u32,
    blocks: u32,
}

impl PlainMachine<'_> {
    /// Arguments as values; buffers become the first memories.
    fn enter(&mut self, entry: OpId, args: &mut [PlainArgument]) -> Vec<Val> {
        let body = self.module.region(self.module.op_regions(entry)[0]).blocks[0];
        let params = self.module.block(body).args.clone();
        let mut values = Vec::new();
        for (&param, arg) in params.iter().zip(args.iter_mut()) {
            let ty = self.module.value_type(param);
            let place = PlainAddress { memory: self.memories.len(), byte: 0 };
            let (memory, value) = match arg {
                PlainArgument::Int(n) => {
                    (PlainMemory::default(), Val::Bits(convert::from_int(i128::from(*n), scalar(ty))))
                }
                PlainArgument::Float(x) => (PlainMemory::default(), Val::Bits(convert::from_f64(*x, scalar(ty)))),
                PlainArgument::Buffer { bytes, writable } => (PlainMemory::lent(bytes, *writable), Val::Pointer(place)),
                PlainArgument::Tensor { bytes, shape } => {
                    (PlainMemory::lent(bytes, true), Val::View(PlainView::packed(place, shape)))
                }
                PlainArgument::Tile { bytes, extents } => {
                    let tile = self.tile_at(place, ty.tile().expect("a tile"));
                    let memory = PlainMemory { bytes: tiles::laid_out(&tile, bytes), writable: true, space: None };
                    let open = |dim: Dim, extent: u64| dim.fixed().unwrap_or(extent);
                    let valid = (open(tile.ty.valid_rows, extents.0), open(tile.ty.valid_cols, extents.1));
                    (memory, Val::new_tile(PlainTile { valid, ..tile }))
                }
            };
            self.memories.push(memory);
            values.push(value);
        }
        self.given = values.clone();
        values
    }

    /// Buffers go back to the caller, and the contents of tiles when nothing went wrong.
    fn leave(&mut self, args: &mut [PlainArgument], done: bool) {
        for (at, arg) in args.iter_mut().enumerate() {
            match arg {
                PlainArgument::Int(_) | PlainArgument::Float(_) => {}
                PlainArgument::Buffer { bytes, .. } | PlainArgument::Tensor { bytes, .. } => {
                    *bytes = std::mem::take(&mut self.memories[at].bytes);
                }
                PlainArgument::Tile { bytes, .. } if done => {
                    *bytes = tiles::row_major(&self.given[at].tile().borrow(), &self.memories[at].bytes);
                }
                PlainArgument::Tile { .. } => {}
            }
        }
    }

    // ---- values -------------------------------------------------------------------------------------------------

    fn get(&self, value: ValueId) -> Val {
        self.values.get(&value).unwrap_or_else(|| panic!("%{} has no value", self.module.value_name(value))).clone()
    }

    fn set(&mut self, value: ValueId, val: Val) {
        self.values.insert(value, val);
    }

    fn ty(&self, value: ValueId) -> &Type {
        self.module.value_type(value)
    }

    /// The operands in a slot.
    fn operands(&self, id: OpId, slot: &str) -> Vec<ValueId> {
        let Some(at) = self.module.op(id).op.row().slot(slot) else { return Vec::new() };
        self.module.in_slot(id, at).map(|o| o.value).collect()
    }

    fn operand(&self, id: OpId, slot: &str) -> Option<ValueId> {
        self.operands(id, slot).first().copied()
    }

    /// The value in a slot that is always filled.
    fn need(&self, id: OpId, slot: &str) -> Val {
        self.get(self.operand(id, slot).unwrap_or_else(|| panic!("no operand `{slot}`")))
    }

    fn result(&self, id: OpId) -> ValueId {
        self.module.results(id).next().expect("a result")
    }

    /// An integer operand, with its sign.
    fn int(&self, value: ValueId) -> i64 {
        scalar::to_int(self.get(value).bits(), scalar(self.ty(value))) as i64
    }

    fn int_in(&self, id: OpId, slot: &str) -> i64 {
        self.int(self.operand(id, slot).unwrap_or_else(|| panic!("no operand `{slot}`")))
    }

    fn ints(&self, id: OpId, slot: &str) -> Vec<i64> {
        self.operands(id, slot).into_iter().map(|v| self.int(v)).collect()
    }

    // ---- operations ---------------------------------------------------------------------------------------------

    /// Executes an operation that neither has regions nor ends a block.
    fn execute(&mut self, id: OpId) -> PlainResult<()> {
        let code = self.module.op(id).op;
        let row = code.row();
        match row.family {
            Family::Arith if row.name.starts_with("memref.") => self.memref(id),
            Family::Arith => self.arithmetic(id),
            Family::View => self.view_op(id),
            Family::Sync if row.effect == Effect::Sync => {
                let results: Vec<ValueId> = self.module.results(id).collect();
                results.into_iter().for_each(|v| self.set(v, Val::Nothing));
                Ok(())
            }
            Family::Sync => self.event_ids(id),
            _ if code == op::trap => Err(codes::RUN_TRAP),
            _ if code == op::tgetval => self.get_element(id),
            _ if code == op::tsetval => self.set_element(id),
            _ => self.instruction(id),
        }
    }

    fn ints_attr(&self, id: OpId, name: &str) -> Vec<Option<i64>> {
        match self.module.attr(id, name) {
            Some(Attr::Array(items)) => items.iter().map(Attr::int).collect(),
            _ => Vec::new(),
        }
    }
}

/// The scalar type of a value that is one.
fn scalar(ty: &Type) -> pto::isa::ScalarType {
    ty.scalar().unwrap_or_else(|| panic!("{ty} is not a scalar"))
}
