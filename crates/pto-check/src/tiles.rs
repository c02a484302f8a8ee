//! The static rules of tile types, whether the target has their memory, and extents of everything else.

use pto_ir::{Def, Module, OpId, ValueId};
use pto_isa::row::Storage;
use pto_isa::sort::SharedSort;
use pto_isa::text;
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
            let message =
                text!("`%{name}` is in `{loc}`, a memory {target} does not have", name, loc = tile.loc, target);
            let others: Vec<_> =
                Target::ALL.iter().filter(|t| t.profile().space(tile.loc).is_some()).map(|t| t.name()).collect();
            problems.push(
                Diagnostic::new(codes::NO_SPACE, value.span, message)
                    .legal(text!("targets with this memory: {others}", others = others.join(", "))),
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
        let message = text!("`%{name}` is {view}: more bytes than the address space has", name, view);
        let d = Diagnostic::new(codes::NUMBER_RANGE, span, message);
        d.legal(text!("extents that give fewer than 2^63 bytes"))
            .help(text!("make an extent smaller, or leave it open: `?`"))
    })
}

fn describe(t: &TileType, rule: TileRule, name: &str, span: Span) -> Diagnostic {
    let (box_rows, box_cols) = t.box_shape();
    let (what, plural) = match t.blayout {
        BLayout::RowMajor => (text!("row"), text!("rows")),
        BLayout::ColMajor => (text!("column"), text!("columns")),
    };
    let per_block = pto_isa::BLOCK_BYTES / u64::from(t.dtype.unit_bytes());
    match rule {
        TileRule::Empty => Diagnostic::new(
            codes::EMPTY_TILE,
            span,
            text!("`%{name}` is a tile of {rows}x{cols}", name, rows = t.rows, cols = t.cols),
        )
        .legal(text!("at least one row and one column")),
        TileRule::ValidExceeds => Diagnostic::new(
            codes::VALID_EXCEEDS,
            span,
            text!(
                "`%{name}` has a valid region of {valid_rows}x{valid_cols} in {rows}x{cols}",
                name,
                valid_rows = t.valid_rows,
                valid_cols = t.valid_cols,
                rows = t.rows,
                cols = t.cols
            ),
        )
        .legal(text!("valid rows and columns up to the rows and columns of the tile")),
        TileRule::Fractal => Diagnostic::new(
            codes::FRACTAL,
            span,
            text!("`%{name}` has boxes of {fractal} bytes", name, fractal = t.fractal),
        )
        .legal(text!("fractal=512 (cube operands), 1024 (accumulators), 32 (block scales)")),
        TileRule::RowBytes => Diagnostic::new(
            codes::ROW_BYTES,
            span,
            text!(
                "{what} of {t} bytes: `%{name}` needs {plural} that are a multiple of 32 bytes",
                what,
                t = t.major_bytes(),
                name,
                plural
            ),
        )
        .legal(text!("a multiple of {per_block} elements of {dtype} per {what}", per_block, dtype = t.dtype, what))
        .help(text!(
            "make the {plural} longer and keep the valid region: valid={valid_rows}x{valid_cols}",
            plural,
            valid_rows = t.valid_rows,
            valid_cols = t.valid_cols
        )),
        TileRule::BoxCols => Diagnostic::new(
            codes::BOX_COLS,
            span,
            text!("`%{name}` has {cols} columns in boxes of {box_cols}", name, cols = t.cols, box_cols),
        )
        .legal(text!("a multiple of {box_cols} columns", box_cols)),
        TileRule::BoxRows => Diagnostic::new(
            codes::BOX_ROWS,
            span,
            text!("`%{name}` has {rows} rows in boxes of {box_rows}", name, rows = t.rows, box_rows),
        )
        .legal(text!("a multiple of {box_rows} rows", box_rows)),
    }
}
