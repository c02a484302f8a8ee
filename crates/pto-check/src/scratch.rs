//! Omitted scratch tiles.

use crate::Checked;
use crate::instructions::OpCheck;
use pto_ir::OpId;
use pto_isa::row::{Harm, HiddenMemory};
use pto_isa::rules::{Instance, RuleArg};
use pto_isa::sort::SharedSort;
use pto_isa::{BLOCK_BYTES, DType, Dim, Loc, Target, TileType, Type, codes};

/// The scratch tile that an operation needs and omits: the first type that its rules accept. An operation also needs one if
/// valid regions at run time may require it, or if the device would use memory implicitly. `None` if nothing is missing, or
/// if the program places its tiles itself and so must have it.
///
/// ```
/// use pto_isa::{Target, table::op};
/// let (module, _) = pto_syntax::parse(
///     "func.func @f(%a: !pto.tile_buf<vec, 16x128xf32>, %b: !pto.tile_buf<vec, 16x8xf32, valid=16x1>) {
///        pto.trowsum ins(%a : !pto.tile_buf<vec, 16x128xf32>) outs(%b : !pto.tile_buf<vec, 16x8xf32, valid=16x1>)
///        return
///      }",
/// );
/// let checked = pto_check::check(module, Target::A2A3).expect("legal");
/// let sum = checked.module().order().into_iter().find(|id| checked.module().op(*id).op == op::trowsum).expect("a sum");
/// let scratch = pto_check::missing_scratch(&checked, sum).expect("a2a3 needs one");
/// assert_eq!((scratch.rows, scratch.cols), (16, 128));
/// ```
pub fn missing_scratch(checked: &Checked, id: OpId) -> Option<TileType> {
    if checked.info().manual[id.index()] { None } else { scratch_left_out(checked, id) }
}

/// The same, also if the program places its tiles.
pub fn scratch_left_out(checked: &Checked, id: OpId) -> Option<TileType> {
    let (module, info) = (checked.module(), checked.info());
    let row = module.op(id).op.row();
    let slot = row.slot(row.scratch?.slot)?;
    if module.in_slot(id, slot).next().is_some() {
        return None;
    }
    let check = OpCheck { module, info, id, row };
    let (args, attrs) = (check.args(), check.rule_attrs());
    // Judged as if nothing were added.
    let instance =
        |args: &[RuleArg<'_>]| Instance { row, target: info.target, manual: true, args, attrs: &attrs }.check();
    let stands_in = !row.cpp.scratch.is_empty() && info.target == Target::A2A3;
    let lacks = |args: &[RuleArg<'_>]| instance(args).0.iter().any(|b| b.code == codes::SCRATCH);
    let alone = Instance { row, target: info.target, manual: true, args: &args, attrs: &attrs };
    let harmed = harms(&alone);
    let lacking = lacks(&args) || with_regions(&args).iter().any(|types| lacks(&retyped(&args, types)));
    if !stands_in && !lacking && harmed == 0 {
        return None;
    }
    let scratch = row.scratch?;
    let bytes = scratch.bytes.into_iter().chain(scratch.written).filter_map(|bytes| bytes(&alone)).max();
    let mut possible = candidates(&args, bytes.unwrap_or(0));
    if row.hazards_of(&alone).any(|h| matches!(h.harm, Harm::Hidden(_))) {
        // It stands for memory that the device uses from one end to the other.
        possible.shared_sort_by_key(TileType::bytes);
    }
    // Open rules, and hazards of the device, with such a tile.
    let verdict = |tile: &TileType| {
        let ty = Type::TileBuf(*tile);
        let mut with: Vec<RuleArg<'_>> =
            args.iter().map(|a| RuleArg { slot: a.slot, ty: a.ty, value: a.value }).collect();
        with.push(RuleArg { slot: slot as u8, ty: &ty, value: None });
        let (broken, open) = instance(&with);
        let harms = harms(&Instance { row, target: info.target, manual: true, args: &with, attrs: &attrs });
        broken.is_empty().then_some((open, harms))
    };
    let legal: Vec<(&TileType, (bool, usize))> = possible.iter().filter_map(|t| Some((t, verdict(t)?))).collect();
    let best = legal.iter().map(|(_, (_, harms))| *harms).min()?;
    if !stands_in && !lacking && best >= harmed {
        return None;
    }
    let good = || legal.iter().filter(|(_, (_, harms))| *harms == best);
    // If rules can only be decided at run time, only the largest is safe.
    let certain = good().find(|(_, (open, _))| !open);
    certain.or_else(|| good().max_by_key(|(t, _)| t.bytes())).map(|(t, _)| **t)
}

/// The number of hazards of this use that a scratch tile may prevent.
fn harms(instance: &Instance<'_>) -> usize {
    let counts = |harm: Harm| matches!(harm, Harm::Hidden(_) | Harm::Fault(_) | Harm::Destroys(_));
    instance.row.hazards_of(instance).filter(|h| counts(h.harm)).count()
}

/// Memory that a device uses besides the operands of an operation and its scratch tile.
#[derive(Clone, Debug, Default)]
pub struct WorkSpace {
    /// The slots of the sources that it uses.
    pub destroyed: Vec<&'static str>,
    /// Memory that no operand names.
    pub hidden: Vec<HiddenMemory>,
}

/// The memory that a device uses besides the operands of an operation.
pub fn work_space(checked: &Checked, id: OpId) -> WorkSpace {
    let (module, info) = (checked.module(), checked.info());
    let row = module.op(id).op.row();
    let mut space = WorkSpace::default();
    if row.hazards.is_empty() {
        return space;
    }
    let check = OpCheck { module, info, id, row };
    let (args, attrs) = (check.args(), check.rule_attrs());
    let manual = info.manual[id.index()];
    for hazard in row.hazards_of(&Instance { row, target: info.target, manual, args: &args, attrs: &attrs }) {
        match hazard.harm {
            Harm::Destroys(slot) => space.destroyed.push(slot),
            Harm::Hidden(memory) => space.hidden.push(memory),
            _ => {}
        }
    }
    space
}

/// The valid rows and columns that a tile may have.
type RegionOf = fn(&TileType) -> (u64, u64);

/// The operand types with some of the valid regions that they may have at run time.
fn with_regions(args: &[RuleArg<'_>]) -> Vec<Vec<Type>> {
    let is_open = |t: &TileType| t.valid_rows.fixed().is_none() || t.valid_cols.fixed().is_none();
    if !args.iter().any(|a| a.ty.tile().is_some_and(is_open)) {
        return Vec::new();
    }
    let fixed = |ty: &Type, region: RegionOf| {
        let mut ty = ty.clone();
        if let Type::Tile(t) | Type::TileBuf(t) = &mut ty {
            let (rows, cols) = region(t);
            t.valid_rows = Dim::Fixed(t.valid_rows.fixed().unwrap_or(rows));
            t.valid_cols = Dim::Fixed(t.valid_cols.fixed().unwrap_or(cols));
        }
        ty
    };
    let regions: [RegionOf; 3] = [|t| (t.rows, t.cols), |t| (t.rows, t.cols.saturating_sub(1)), |_| (1, 1)];
    regions.iter().map(|region| args.iter().map(|a| fixed(a.ty, *region)).collect()).collect()
}

fn retyped<'a>(args: &[RuleArg<'_>], types: &'a [Type]) -> Vec<RuleArg<'a>> {
    args.iter().zip(types).map(|(a, ty)| RuleArg { slot: a.slot, ty, value: a.value }).collect()
}

/// Candidates: tiles like those of the operation first, because devices use a scratch tile row by row. Then tiles of other element
/// types, and of a number of bytes.
fn candidates(args: &[RuleArg<'_>], bytes: u64) -> Vec<TileType> {
    let tiles: Vec<&TileType> = args.iter().filter_map(|a| a.ty.tile()).collect();
    let own = tiles.iter().map(|t| t.dtype);
    let types = own.chain([DType::U8, DType::I8, DType::I32, DType::U32, DType::F32]);
    let mut all = Vec::new();
    for dtype in types {
        let unit = BLOCK_BYTES * 8 / u64::from(dtype.bits());
        let row = (bytes * 8).div_ceil(u64::from(dtype.bits())).max(1).next_multiple_of(unit);
        let like = tiles.iter().map(|t| (t.rows, t.cols.next_multiple_of(unit)));
        let more = tiles.iter().map(|t| (t.rows + 1, t.cols.next_multiple_of(unit)));
        let sizes = like.chain(more).chain([(1, row)]);
        all.extend(sizes.map(|(rows, cols)| TileType::new(Loc::Vec, dtype, rows, cols)));
        // Some are as large as the valid region of another operand.
        let partial = tiles.iter().map(|t| (t.rows, t.cols.next_multiple_of(unit), t.valid_rows, t.valid_cols));
        all.extend(partial.map(|(r, c, rows, cols)| TileType::new(Loc::Vec, dtype, r, c).valid(rows, cols)));
    }
    all
}
