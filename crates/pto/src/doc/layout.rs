//! The tiles of an example as small pictures: the order of their elements in memory, and how much of them is valid.

use super::PageBlock;
use super::forms::first_use;

use crate::isa::{BLayout, Dim, Op, SLayout, TileType};
use crate::{Program, sample::Sample};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use std::fmt::Write;

/// Cells of a picture, and of a box in it: rows and columns.
const CELLS: (u64, u64) = (4, 6);
const BOX: (u64, u64) = (2, 3);
/// The side of a cell.
const CELL: u64 = 18;

/// A picture for each kind of tile among the operands of an instruction.
pub(super) fn pictures(op: Op, sample: &Sample) -> Vec<PageBlock> {
    let program = Program::parse(&sample.text);
    let module = program.module();
    let Some(id) = first_use(module, op) else { return Vec::new() };
    let mut found: Vec<(TileType, Vec<&'static str>)> = Vec::new();
    for operand in module.operands(id) {
        let (Some(tile), name) = (module.tile(operand.value), op.row().slot_at(usize::from(operand.slot)).name) else {
            continue;
        };
        match found.iter_mut().find(|(known, _)| known == tile) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => found.push((*tile, vec![name])),
        }
    }
    found.iter().map(|(tile, names)| picture(tile, names)).collect()
}

fn picture(tile: &TileType, names: &[&str]) -> PageBlock {
    let ty = format!("{}x{}x{}", tile.rows, tile.cols, tile.dtype);
    let memory = tile.loc.memory_and_name();
    let what = text!("{ty} in {memory}, {layout}", ty, memory, layout = tile.order());
    PageBlock::Picture { svg: svg(tile), title: format!("`{}`: {what}", names.join("`, `")), text: words(tile) }
}

/// The order and the valid region in words.
fn words(tile: &TileType) -> String {
    let along = |by_rows: bool| if by_rows { text!("row after row") } else { text!("column after column") };
    let outer = along(tile.blayout == BLayout::RowMajor);
    let order = match tile.is_boxed() {
        false => text!("elements {outer}", outer),
        true => {
            let (rows, columns) = tile.box_shape();
            let inner = along(tile.slayout == SLayout::RowMajor);
            text!("boxes of {rows}x{columns} {outer}, in a box {inner}", rows, columns, outer, inner)
        }
    };
    let extent = |dim: Dim| dim.fixed().map_or_else(|| "?".to_string(), |n| n.to_string());
    let (rows, columns) = (extent(tile.valid_rows), extent(tile.valid_cols));
    match valid_share(tile) {
        (1.0, 1.0) => text!("{order}; all valid", order),
        _ => text!("{order}; {rows}x{columns} valid", order, rows, columns),
    }
}

/// The shares of rows and columns that are valid; what a run decides is drawn as a part.
fn valid_share(tile: &TileType) -> (f64, f64) {
    let share = |dim: Dim, of: u64| dim.fixed().map_or(0.7, |n| n as f64 / of.max(1) as f64);
    (share(tile.valid_rows, tile.rows), share(tile.valid_cols, tile.cols))
}

/// A few cells with a line through them in the order of memory.
fn svg(tile: &TileType) -> String {
    let few = |cells: u64, real: u64| if tile.is_boxed() { cells } else { cells.min(real) };
    let (rows, columns) = (few(CELLS.0, tile.rows), few(CELLS.1, tile.cols));
    let (width, height) = (columns * CELL, rows * CELL);
    let mut out = format!(
        "<svg class=\"layout\" width=\"{}\" height=\"{}\" viewBox=\"-2 -2 {0} {1}\" aria-hidden=\"true\">",
        width + 4,
        height + 4
    );
    let (down, across) = valid_share(tile);
    let part = |share: f64, whole: u64| (share * whole as f64).max(2.0).min(whole as f64);
    let _ = write!(
        out,
        "<rect class=\"all\" width=\"{width}\" height=\"{height}\"/><rect class=\"valid\" width=\"{:.1}\" height=\"{:.1}\"/>",
        part(across, width),
        part(down, height)
    );
    for (count, step, class) in [(rows, 1, "thin"), (rows, BOX.0, "thick")] {
        for at in (step..count).step_by(step as usize).filter(|_| class == "thin" || tile.is_boxed()) {
            let _ = write!(out, "<path class=\"{class}\" d=\"M0 {0}H{width}\"/>", at * CELL);
        }
    }
    for (count, step, class) in [(columns, 1, "thin"), (columns, BOX.1, "thick")] {
        for at in (step..count).step_by(step as usize).filter(|_| class == "thin" || tile.is_boxed()) {
            let _ = write!(out, "<path class=\"{class}\" d=\"M{0} 0V{height}\"/>", at * CELL);
        }
    }
    let centre = |(row, column): (u64, u64)| (column * CELL + CELL / 2, row * CELL + CELL / 2);
    let cells = in_memory_order(tile, rows, columns);
    let points: Vec<String> = cells.iter().map(|cell| centre(*cell)).map(|(x, y)| format!("{x},{y}")).collect();
    let (x, y) = cells.last().copied().map_or((0, 0), centre);
    let _ = write!(
        out,
        "<polyline points=\"{}\"/><circle cx=\"{start}\" cy=\"{start}\" r=\"3.5\"/><rect class=\"end\" x=\"{x}\" y=\"{y}\" width=\"6\" height=\"6\"/></svg>",
        points.join(" "),
        start = CELL / 2,
        x = x - x.min(3),
        y = y - y.min(3),
    );
    out
}

/// The cells of a picture in the order in which they lie in memory.
fn in_memory_order(tile: &TileType, rows: u64, columns: u64) -> Vec<(u64, u64)> {
    let (height, width) = if tile.is_boxed() { BOX } else { (1, 1) };
    let pair = |major: BLayout, (row, column): (u64, u64)| {
        if major == BLayout::RowMajor { (row, column) } else { (column, row) }
    };
    let inner = if tile.slayout == SLayout::ColMajor { BLayout::ColMajor } else { BLayout::RowMajor };
    let mut cells: Vec<(u64, u64)> = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).collect();
    cells.shared_sort_by_key(|(r, c)| {
        (pair(tile.blayout, (r / height, c / width)), pair(inner, (r % height, c % width)))
    });
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{DType, Loc};

    #[test]
    fn cells_follow_the_layout() {
        let tile = TileType::new(Loc::Mat, DType::F16, 32, 32);
        assert_eq!(in_memory_order(&tile, 2, 2), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        let nz = tile.layout(BLayout::ColMajor, SLayout::RowMajor, 512);
        let cells = in_memory_order(&nz, 4, 6);
        assert_eq!(cells[..6], [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(cells[6], (2, 0));
        assert_eq!(words(&nz), "boxes of 16x16 column after column, in a box row after row; all valid");
    }
}
