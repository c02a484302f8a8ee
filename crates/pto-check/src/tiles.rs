//! The static rules of tile types, whether the target has their memory, and extents of everything else.

use pto_ir::{Def, Module, OpId, ValueId};
use pto_isa::row::Storage;
use pto_isa::sort::SharedSort;
use pto_isa::{BLayout, Diagnostic, Span, Target, TileRule, TileType, Type, ViewType, codes};

/// Reports each malformed type once, at the first value that has it; allocations first.
pub(crate) fn check(module: &Module, order: &[OpId], target: Target, problems: &mut Vec<Diagnostic>) {
    let mut seen = vec![false; module.types().len()];
    let ids = values_of(module, order);
    let values = || ids.iter().map(|id| module.value(*id));
    let own = values().filter(|v| allocates(module, v.def));
    for value in own.chain(values()) {
        if std::mem::replace(&mut seen[value.ty.index()], true) {
            continue;
        }
        let name = module.names.text(value.name);
        let tile = match module.ty(value.ty) {
            Type::Tile(t) | Type::TileBuf(t) | Type::MultiTile(t, _) => *t,
            other => {
                problems.extend(other.extents().and_then(|view| too_large(view, name, value.span)));
                continue;
            }
        };
        for rule in tile.broken_rules() {
            let d = describe(&tile, rule, name, value.span);
            // A view or a parameter names memory that was laid out elsewhere; the device headers still reject it.
            let layout = matches!(rule, TileRule::RowBytes | TileRule::BoxCols | TileRule::BoxRows);
            let tolerable = layout && !allocates(module, value.def);
            problems.push(if tolerable { d.warning() } else { d });
        }
        if target.profile().space(tile.loc).is_none() {
            let message = format!("`%{name}` is in `{}`, a memory {target} does not have", tile.loc);
            let others: Vec<_> =
                Target::ALL.iter().filter(|t| t.profile().space(tile.loc).is_some()).map(|t| t.name()).collect();
            problems.push(
                Diagnostic::new(codes::NO_SPACE, value.span, message)
                    .legal(format!("targets with this memory: {}", others.join(", "))),
            );
        }
    }
}

/// The values that these operations define, in text order.
fn values_of(module: &Module, order: &[OpId]) -> Vec<ValueId> {
    let mut values = Vec::with_capacity(module.value_count());
    for &id in order {
        values.extend(module.results(id));
        let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
        values.extend(blocks.flat_map(|b| &module.block(*b).args));
    }
    values.shared_sort();
    values
}

/// The value is new memory, not a view of some.
fn allocates(module: &Module, def: Def) -> bool {
    match def {
        Def::Result(id, _) => {
            let code = module.op(id).op;
            code.storage().is_some_and(Storage::allocates_tiles) || module.is_value_form(id)
        }
        Def::Arg(..) | Def::Missing => false,
    }
}

/// A size beyond every address.
fn too_large(view: &ViewType, name: &str, span: Span) -> Option<Diagnostic> {
    (!view.is_addressable()).then(|| {
        let message = format!("`%{name}` is {view}: more bytes than the address space has");
        let d = Diagnostic::new(codes::NUMBER_RANGE, span, message);
        d.legal("extents that give fewer than 2^63 bytes").help("make an extent smaller, or leave it open: `?`")
    })
}

fn describe(t: &TileType, rule: TileRule, name: &str, span: Span) -> Diagnostic {
    let (box_rows, box_cols) = t.box_shape();
    let what = if t.blayout == BLayout::RowMajor { "row" } else { "column" };
    let per_block = pto_isa::BLOCK_BYTES / u64::from(t.dtype.unit_bytes());
    match rule {
        TileRule::Empty => {
            Diagnostic::new(codes::EMPTY_TILE, span, format!("`%{name}` is a tile of {}x{}", t.rows, t.cols))
                .legal("at least one row and one column")
        }
        TileRule::ValidExceeds => Diagnostic::new(
            codes::VALID_EXCEEDS,
            span,
            format!("`%{name}` has a valid region of {}x{} in {}x{}", t.valid_rows, t.valid_cols, t.rows, t.cols),
        )
        .legal("valid rows and columns up to the rows and columns of the tile"),
        TileRule::Fractal => {
            Diagnostic::new(codes::FRACTAL, span, format!("`%{name}` has boxes of {} bytes", t.fractal))
                .legal("fractal=512 (cube operands), 1024 (accumulators), 32 (block scales)")
        }
        TileRule::RowBytes => Diagnostic::new(
            codes::ROW_BYTES,
            span,
            format!("{what} of {} bytes: `%{name}` needs {what}s that are a multiple of 32 bytes", t.major_bytes()),
        )
        .legal(format!("a multiple of {per_block} elements of {} per {what}", t.dtype))
        .help(format!("make the {what}s longer and keep the valid region: valid={}x{}", t.valid_rows, t.valid_cols)),
        TileRule::BoxCols => {
            Diagnostic::new(codes::BOX_COLS, span, format!("`%{name}` has {} columns in boxes of {box_cols}", t.cols))
                .legal(format!("a multiple of {box_cols} columns"))
        }
        TileRule::BoxRows => {
            Diagnostic::new(codes::BOX_ROWS, span, format!("`%{name}` has {} rows in boxes of {box_rows}", t.rows))
                .legal(format!("a multiple of {box_rows} rows"))
        }
    }
}
